//! One offscreen OpenGL context for each Context3D.

use context3d::{BackendError, BackendFactory};

use super::{Api, Offscreen};
use crate::GlBackend;

/// Makes OpenGL backends. Each keeps its context alive and makes it current when another was used in between.
#[derive(Debug)]
pub struct GlFactory {
    api: Api,
    blocks: bool,
    description: Option<String>,
}

impl GlFactory {
    /// For one kind of OpenGL.
    pub fn new(api: Api) -> Self {
        GlFactory {
            api,
            blocks: true,
            description: None,
        }
    }

    /// The same for a driver that takes no blocks, whatever this one takes.
    #[must_use]
    pub fn without_blocks(self) -> Self {
        GlFactory {
            blocks: false,
            ..self
        }
    }

    /// The driver, once there was a backend.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl BackendFactory for GlFactory {
    type Backend = GlBackend;

    fn create(&mut self) -> Result<GlBackend, BackendError> {
        let offscreen =
            Offscreen::open(self.api).map_err(|error| BackendError::Driver(error.to_string()))?;
        self.description = Some(offscreen.description().to_owned());
        let backend = offscreen.backend()?;
        Ok(if self.blocks {
            backend
        } else {
            backend.without_blocks()
        })
    }
}
