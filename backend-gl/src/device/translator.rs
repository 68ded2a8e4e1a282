//! The translation of programs to GLSL.

use context3d::agal::glsl::{GlslPair, MissingFeature};
use context3d::agal::{self, LinkedPair};
use context3d::backend::BackendError;

/// A translation of linked pairs to GLSL, with the names and conventions of [`agal::glsl::emit`], which is the default.
/// The function returns [`BackendError::Unsupported`] for a pair that it can't translate.
#[derive(Clone, Copy, Debug)]
pub struct Translator(
    pub fn(&LinkedPair, &agal::glsl::GlslOptions) -> Result<GlslPair, BackendError>,
);

impl Default for Translator {
    fn default() -> Self {
        Translator(emit)
    }
}

impl PartialEq for Translator {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Translator {}

/// Translates with [`agal::glsl::emit`].
pub(crate) fn emit(
    pair: &LinkedPair,
    target: &agal::glsl::GlslOptions,
) -> Result<GlslPair, BackendError> {
    agal::glsl::emit(pair, target).map_err(unsupported)
}

/// Returns the error for a pair that the dialect can't express. This crate uses only dialects in
/// [`COMPLETE`](context3d::agal::glsl::COMPLETE), which can express every pair.
#[cold]
fn unsupported(error: MissingFeature) -> BackendError {
    BackendError::Driver(error.to_string())
}
