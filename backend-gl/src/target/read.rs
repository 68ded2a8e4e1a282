//! Reads of surfaces as RGBA bytes, top row first.

use context3d::backend::{BackendError, ReadSurface, Region};
use context3d::keys::TextureKey;
use context3d::packets::TexelLayout;

use crate::convert;
use crate::device::DeviceState;
use crate::framebuffer;
use crate::gl::{PixelSize, PixelType, UniqueName};
use crate::target::GlTargets;
use crate::texture::{GlTextures, TextureObject, draw_texture};
use crate::workarounds::Remedy;

impl GlTargets {
    /// Reads a region of `surface` into `out`; returns its size.
    pub(crate) fn read(
        &self,
        device: &mut DeviceState,
        textures: &mut GlTextures,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        device.begin_checked()?;
        let back_buffer = self.back_buffer.as_ref();
        let (framebuffer, region) = match surface {
            ReadSurface::BackBuffer => {
                let Some(back_buffer) = back_buffer else { return Ok((0, 0)) };
                let region = region.within(back_buffer.size());
                (back_buffer.resolve(device, region), region)
            }
            ReadSurface::Front => {
                let front = back_buffer.and_then(|buffer| Some((buffer.front()?, buffer.size())));
                let Some(((_, framebuffer), size)) = front else { return Ok((0, 0)) };
                (framebuffer, region.within(size))
            }
            ReadSurface::Texture { texture, side, level } => {
                return self.read_texture(device, textures, texture, (side, level), region, out);
            }
        };
        read_framebuffer(device, framebuffer, region, PixelType::Byte, out)
    }

    fn read_texture(
        &self,
        device: &mut DeviceState,
        textures: &mut GlTextures,
        key: TextureKey,
        (side, level): (u8, u8),
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let Ok(texture) = textures.get_mut(key) else { return Ok((0, 0)) };
        if !texture.has_level(side, level) {
            return Ok((0, 0));
        }
        if texture.has_blocks() {
            device.make_blit()?;
        }
        self.resolve_samples(device);
        let region = region.within(texture.level_size(level));
        if texture.has_blocks() {
            read_blocks(device, texture, (side, level), region, out)?;
        } else {
            let floats = texture.storage().float && device.caps.needs(Remedy::ReadHalfAsFloat);
            let data_type = if floats { PixelType::Float } else { PixelType::Byte };
            read_level(device, texture, (side, level), region, data_type, out)?;
            if floats {
                floats_to_bytes(out);
            }
            if texture.storage().opaque {
                out.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel[3] = u8::MAX);
            }
        }
        Ok((region.width, region.height))
    }

    /// Reads level 0 of a face into `out`, in the layout of an upload.
    pub(crate) fn texels(
        &self,
        device: &mut DeviceState,
        textures: &GlTextures,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        device.begin_checked()?;
        self.resolve_samples(device);
        let texture = textures.get(texture).ok();
        let texture = texture.filter(|it| it.has_level(side, 0) && !it.has_blocks());
        let Some(texture) = texture else { return Ok(None) };
        let layout = texture.storage().layout;
        let floats = layout == TexelLayout::RgbaHalf;
        let data_type = if floats { PixelType::Float } else { PixelType::Byte };
        let region = Region::ALL.within(texture.level_size(0));
        read_level(device, texture, (side, 0), region, data_type, out)?;
        convert::pack(layout, out);
        Ok(Some(layout))
    }
}

/// Reads a level with blocks by a draw, which every GL supports.
fn read_blocks(
    device: &mut DeviceState,
    texture: &mut TextureObject,
    (side, level): (u8, u8),
    region: Region,
    out: &mut Vec<u8>,
) -> Result<(), BackendError> {
    let (width, height) = texture.level_size(level);
    let size = PixelSize::new(width, height);
    let gl = &device.gl;
    let framebuffer = framebuffer::create(gl, &mut device.shadow)?;
    let buffer = framebuffer::renderbuffer(gl, glow::RGBA8, 0, size)?;
    let (kind, point) = (glow::DRAW_FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
    gl.framebuffer_renderbuffer(kind, point, glow::RENDERBUFFER, Some(buffer.name()));
    framebuffer::complete(gl, "reading blocks")?;
    device.shadow.viewport(size);
    if !texture.with_level(device, level, |device, texture| draw_texture(device, texture, side))? {
        let text = "blocks of a cube that lacks a face can't be read";
        return Err(BackendError::Driver(text.to_owned()));
    }
    read_framebuffer(device, framebuffer.object(), region, PixelType::Byte, out).map(drop)
}

/// Reads a level. Drivers (Mesa) may reject the attachment of a level if larger levels are missing; such textures are
/// never rendered to, so that only a readback by the host returns that error.
fn read_level(
    device: &mut DeviceState,
    texture: &TextureObject,
    (side, level): (u8, u8),
    region: Region,
    data_type: PixelType,
    out: &mut Vec<u8>,
) -> Result<(), BackendError> {
    let gl = &device.gl;
    let framebuffer = framebuffer::create(gl, &mut device.shadow)?;
    device.shadow.read_framebuffer(framebuffer.object());
    let (face, name, level) = (texture.face(side), Some(texture.name()), i32::from(level));
    let (kind, point) = (glow::DRAW_FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
    gl.framebuffer_texture(kind, point, face, name, level);
    framebuffer::complete(gl, "reading a texture")?;
    read_framebuffer(device, framebuffer.object(), region, data_type, out).map(drop)
}

fn read_framebuffer(
    device: &mut DeviceState,
    framebuffer: UniqueName<glow::Framebuffer>,
    region: Region,
    data_type: PixelType,
    out: &mut Vec<u8>,
) -> Result<(u32, u32), BackendError> {
    let gl = &device.gl;
    device.shadow.read_framebuffer(framebuffer);
    let bytes = PixelSize::new(region.width, region.height)
        .bytes(data_type.bytes())
        .ok_or(BackendError::OutOfMemory)?;
    out.try_reserve_exact(bytes).map_err(|_| BackendError::OutOfMemory)?;
    out.resize(bytes, 0);
    // A blit of several outputs may have selected another attachment for reading.
    gl.read_buffer(glow::COLOR_ATTACHMENT0);
    gl.read_rgba(region, data_type, out)?;
    gl.check("reading pixels")?;
    Ok((region.width, region.height))
}

/// Converts floats to bytes: 0..1 becomes 0..255, as GL converts.
fn floats_to_bytes(data: &mut Vec<u8>) {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0.5..255.5, and NaN becomes 0 in a float cast"
    )]
    let byte = |bytes: &[u8; 4]| (f32::from_ne_bytes(*bytes).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    *data = data.as_chunks().0.iter().map(byte).collect();
}

#[cfg(test)]
#[path = "../../tests/unit/read.rs"]
mod tests;
