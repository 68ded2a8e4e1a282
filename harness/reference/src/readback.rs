//! Readback of surfaces and textures.

use context3d::backend::{BackendError, ReadSurface, Region};
use context3d::keys::TextureKey;
use context3d::packets::TexelLayout;

use super::ReferenceBackend;
use super::store::TexelContent;
use super::surface::area;

impl ReferenceBackend {
    pub(super) fn read(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let (texels, size) = match surface {
            ReadSurface::BackBuffer => match &mut self.back_buffer {
                Some(back_buffer) => {
                    let size = back_buffer.size();
                    let texels = back_buffer.read(region.within(size));
                    (texels.map(TexelContent::Texels), size)
                }
                None => (None, (0, 0)),
            },
            ReadSurface::Front => match &self.back_buffer {
                Some(back_buffer) => {
                    (back_buffer.front().map(TexelContent::Texels), back_buffer.size())
                }
                None => (None, (0, 0)),
            },
            ReadSurface::Texture { texture, side, level } => {
                self.resolve_samples();
                match self.store.textures.get(texture) {
                    Some(texture) => (texture.content(side, level), texture.size(level)),
                    None => (None, (0, 0)),
                }
            }
        };
        let Some(texels) = texels else {
            return Ok((0, 0));
        };
        let region = region.within(size);
        reserve(out, area(region.width, region.height), 4)?;
        texels.rgba(size.0, region, out);
        Ok((region.width, region.height))
    }

    pub(super) fn texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.level_texels(texture, (side, 0), out)
    }

    /// Appends a mip level of a face to `out` in the layout of uploads, and returns the layout. Returns `None` for a
    /// missing texture, a level without content, and block-compressed content.
    pub fn level_texels(
        &mut self,
        texture: TextureKey,
        (side, level): (u8, u8),
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.resolve_samples();
        let Some(texture) = self.store.textures.get(texture) else {
            return Ok(None);
        };
        let (Some(layout), Some(texels)) = (texture.layout(), texture.level(side, level)) else {
            return Ok(None);
        };
        reserve(out, texels.len(), 8)?;
        texels.encode(layout, out);
        Ok(Some(layout))
    }
}

fn reserve(out: &mut Vec<u8>, texels: usize, bytes: usize) -> Result<(), BackendError> {
    let wanted = texels.checked_mul(bytes);
    let wanted = wanted.ok_or(BackendError::OutOfMemory)?;
    out.try_reserve(wanted).map_err(|_| BackendError::OutOfMemory)
}
