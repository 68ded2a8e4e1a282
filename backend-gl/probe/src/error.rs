//! Errors of opening a probe and of running a program.

use std::fmt;

use context3d::agal::glsl::{Dialect, MissingFeature};
use context3d::backend::BackendError;

use super::Flavor;
use backend_gl::offscreen::OffscreenError;

/// Errors of the probe. The probe stays usable after all of them except [`BackendError::Lost`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeError {
    /// No such context can be opened.
    Offscreen(OffscreenError),
    /// The context lacks this extension.
    Missing(&'static str),
    /// Contexts of this flavor don't compile this dialect.
    Dialect(Flavor, Dialect),
    /// The dialect lacks a feature that the program uses.
    Feature(MissingFeature),
    /// The inputs don't fit the program, the limits or each other; the text says how.
    Input(String),
    /// The driver returned an error; [`BackendError::CompileFailed`] for shaders.
    Backend(BackendError),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::Offscreen(error) => error.fmt(f),
            ProbeError::Missing(extension) => write!(f, "the driver has no {extension}"),
            ProbeError::Dialect(flavor, dialect) => {
                write!(f, "a context of {flavor} doesn't compile {dialect}")
            }
            ProbeError::Feature(error) => error.fmt(f),
            ProbeError::Input(what) => f.write_str(what),
            ProbeError::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProbeError {}

impl From<OffscreenError> for ProbeError {
    fn from(error: OffscreenError) -> Self {
        ProbeError::Offscreen(error)
    }
}

impl From<BackendError> for ProbeError {
    fn from(error: BackendError) -> Self {
        ProbeError::Backend(error)
    }
}

impl From<MissingFeature> for ProbeError {
    fn from(error: MissingFeature) -> Self {
        ProbeError::Feature(error)
    }
}
