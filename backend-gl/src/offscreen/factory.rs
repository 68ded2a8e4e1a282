//! A factory with one offscreen OpenGL context for each Context3D.

use context3d::backend::{BackendError, BackendFactory};

use super::{Offscreen, Options};
use crate::GlBackend;

/// Makes OpenGL backends. Each keeps its context alive and makes it current if another was used in between.
#[derive(Debug)]
pub struct GlFactory {
    options: Options,
    description: Option<String>,
}

impl GlFactory {
    /// A factory with these options.
    pub fn new(options: impl Into<Options>) -> Self {
        GlFactory { options: options.into(), description: None }
    }

    /// The driver and the forced workarounds, after the first backend was made.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl BackendFactory for GlFactory {
    type Backend = GlBackend;

    fn create(&mut self) -> Result<GlBackend, BackendError> {
        let offscreen = Offscreen::open_with(&self.options)
            .map_err(|error| BackendError::Driver(error.to_string()))?;
        let forced = self.options.device.workarounds;
        self.description = Some(match forced.is_empty() {
            true => offscreen.description().to_owned(),
            false => format!("{}, {forced}", offscreen.description()),
        });
        offscreen.backend()
    }
}
