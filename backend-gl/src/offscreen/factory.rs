//! One OpenGL context without a window for each Context3D.

use context3d::{BackendError, BackendFactory};

use super::{Api, Offscreen};
use crate::{GlBackend, Translator};

/// Makes OpenGL backends. Each keeps its context alive and makes it current when another was used in between.
#[derive(Debug)]
pub struct GlFactory {
    api: Api,
    blocks: bool,
    translator: Option<Translator>,
    description: Option<String>,
}

impl GlFactory {
    /// For one kind of OpenGL.
    pub fn new(api: Api) -> Self {
        GlFactory {
            api,
            blocks: true,
            translator: None,
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

    /// The same with another way from AGAL to GLSL.
    #[must_use]
    pub fn with_translator(self, translator: Translator) -> Self {
        GlFactory {
            translator: Some(translator),
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
        if let Some(translator) = self.translator {
            offscreen.device()?.set_translator(translator)?;
        }
        let backend = offscreen.backend()?;
        Ok(if self.blocks {
            backend
        } else {
            backend.without_blocks()
        })
    }
}
