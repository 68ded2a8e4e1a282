//! The presented picture for a renderer that may share textures.

use context3d::backend::BackendError;

use super::GlBackend;
use crate::target::present::{FrontExchange, FrontReader};

/// Brings the pictures of a Stage3D to the host's renderer: as textures if the device's context shares objects with the
/// renderer's ([`DeviceOptions::shares`](crate::DeviceOptions::shares)), or else as pixels. It can outlive its backends.
#[derive(Default)]
pub struct PictureSource {
    pub(crate) exchange: FrontExchange,
    pub(crate) reader: Option<FrontReader>,
}

/// A new picture of a [`PictureSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture {
    /// [`PictureSource::texture`] returns it.
    Texture,
    /// Width and height, and R, G, B, A, rows from the top, opaque.
    Pixels(u32, u32, Vec<u8>),
}

impl PictureSource {
    /// The picture of the last `Present`, if it was not taken so before. Pixels are waited for.
    ///
    /// # Errors
    /// Those of [`GlBackend::publish_front`] or [`GlBackend::take_front`].
    pub fn take(&mut self, backend: &mut GlBackend) -> Result<Option<Picture>, BackendError> {
        if backend.device().shares {
            return Ok(backend.publish_front(&self.exchange)?.then_some(Picture::Texture));
        }
        let mut rgba = Vec::new();
        let taken = backend.take_front(&mut rgba)?;
        Ok(taken.map(|(width, height)| Picture::Pixels(width, height, rgba)))
    }
}
