//! Errors while a probe is opened or a program runs.

use context3d::agal::glsl::{Dialect, MissingFeature};
use context3d::backend::BackendError;

use backend_gl::offscreen::OffscreenError;
use thiserror::Error;

use super::Flavor;

/// The errors of a `ShaderRunner`. After [`BackendError::Lost`], the `ShaderRunner` can't be used any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShaderRunError {
    #[error(transparent)]
    Offscreen(#[from] OffscreenError),
    #[error("the driver has no {0}")]
    Missing(&'static str),
    #[error("a context of {0} doesn't compile {1}")]
    Dialect(Flavor, Dialect),
    #[error(transparent)]
    Feature(#[from] MissingFeature),
    /// The inputs don't match the program, the limits or each other; the text explains the mismatch.
    #[error("{0}")]
    Input(String),
    /// The driver returned an error; [`BackendError::CompileFailed`] for shaders.
    #[error(transparent)]
    Backend(#[from] BackendError),
}
