//! Reads surfaces as RGBA bytes, top row first, the order in memory.

use std::rc::Rc;

use context3d::backend::{BackendError, Region, Surface};
use context3d::keys::TextureKey;
use context3d::packets::TexelLayout;

use crate::backend::Objects;
use crate::caps::GlCaps;
use crate::device::Device;
use crate::execute::missing;
use crate::gl::{Attempt, Gl, Object, PixelType, Rect};
use crate::workarounds::Remedy;
use crate::{convert, framebuffer};

impl Objects {
    /// Reads a region of `surface` into `out`; returns its size.
    pub(crate) fn read(
        &mut self,
        device: &mut Device,
        surface: Surface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        match surface {
            Surface::BackBuffer => {
                let Some(back_buffer) = &self.back_buffer else {
                    return Ok((0, 0));
                };
                let region = region.within(back_buffer.size());
                let framebuffer = back_buffer.resolve(&self.gl, &mut device.shadow, region);
                let gl = &self.gl.attempt()?;
                read_framebuffer(gl, device, framebuffer, region, PixelType::Byte, out)
            }
            Surface::Front => {
                let front = self.back_buffer.as_ref();
                match front.and_then(|front| Some((front.front()?, front.size()))) {
                    Some(((_, framebuffer), size)) => {
                        let region = region.within(size);
                        let gl = &self.gl.attempt()?;
                        read_framebuffer(gl, device, framebuffer, region, PixelType::Byte, out)
                    }
                    None => Ok((0, 0)),
                }
            }
            Surface::Texture { texture, side, level } => {
                let key = texture;
                let Some(place) = self.level(device, key, side, level) else {
                    return Ok((0, 0));
                };
                let region = region.within(place.size);
                if place.blocks {
                    return self.read_blocks(device, key, (side, level), place.size, region, out);
                }
                let data_type = place.pixel_type(&self.caps);
                self.read_level(device, &place, region, data_type, out)?;
                if data_type == PixelType::Float {
                    floats_to_bytes(out);
                }
                if place.opaque {
                    for pixel in out.as_chunks_mut::<4>().0 {
                        pixel[3] = u8::MAX;
                    }
                }
                Ok((region.width, region.height))
            }
        }
    }

    /// Reads level 0 of a face into `out`, in the layout of an upload.
    pub(crate) fn texels(
        &mut self,
        device: &mut Device,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        let Some(place) = self.level(device, texture, side, 0).filter(|place| !place.blocks) else {
            return Ok(None);
        };
        let data_type = match place.layout {
            TexelLayout::RgbaHalf => PixelType::Float,
            _ => PixelType::Byte,
        };
        self.read_level(device, &place, Region::ALL.within(place.size), data_type, out)?;
        convert::pack(place.layout, out);
        Ok(Some(place.layout))
    }

    /// A level with content.
    fn level(
        &mut self,
        device: &mut Device,
        texture: TextureKey,
        side: u8,
        level: u8,
    ) -> Option<Place> {
        self.resolve_target(device);
        let texture = self.textures.get(texture)?;
        texture.has_level(side, level).then(|| Place {
            name: texture.name(),
            face: texture.face(side),
            level,
            size: texture.level_size(level),
            float: texture.storage().float,
            opaque: texture.storage().opaque,
            layout: texture.storage().layout,
            blocks: texture.has_blocks(),
        })
    }

    /// Reads a level that holds blocks, by drawing it, which works in every GL.
    fn read_blocks(
        &mut self,
        device: &mut Device,
        texture: TextureKey,
        (side, level): (u8, u8),
        (width, height): (u32, u32),
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let size = Rect::new(width, height);
        let gl = Rc::clone(&self.gl);
        let gl = &gl.attempt()?;
        let framebuffer = framebuffer::create(gl, &mut device.shadow)?;
        let buffer = framebuffer::renderbuffer(gl, glow::RGBA8, 0, size)?;
        let (kind, point) = (glow::DRAW_FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        let name = Some(buffer.name());
        gl.framebuffer_renderbuffer(kind, point, glow::RENDERBUFFER, name);
        framebuffer::complete(gl, "reading blocks")?;
        let texture = self.textures.get_mut(texture);
        let texture = texture.ok_or_else(|| missing("texture"))?;
        device.shadow.viewport(size);
        let drawn =
            texture.with_level(device, level, |device, texture| device.blit_texture(texture, side));
        match drawn? {
            true => {
                let framebuffer = framebuffer.object();
                read_framebuffer(gl, device, framebuffer, region, PixelType::Byte, out)
            }
            false => Err(BackendError::Driver(
                "blocks of a cube that lacks a face can't be read".to_owned(),
            )),
        }
    }

    fn read_level(
        &mut self,
        device: &mut Device,
        place: &Place,
        region: Region,
        data_type: PixelType,
        out: &mut Vec<u8>,
    ) -> Result<(), BackendError> {
        let gl = &self.gl.attempt()?;
        let framebuffer = framebuffer::create(gl, &mut device.shadow)?;
        device.shadow.read_framebuffer(framebuffer.object());
        gl.framebuffer_texture(
            glow::READ_FRAMEBUFFER,
            glow::COLOR_ATTACHMENT0,
            place.face,
            Some(place.name),
            i32::from(place.level),
        );
        framebuffer::complete(gl, "reading a texture")?;
        read_framebuffer(gl, device, framebuffer.object(), region, data_type, out)?;
        Ok(())
    }
}

fn read_framebuffer(
    gl: &Attempt<'_>,
    device: &mut Device,
    framebuffer: Object<glow::Framebuffer>,
    region: Region,
    data_type: PixelType,
    out: &mut Vec<u8>,
) -> Result<(u32, u32), BackendError> {
    device.shadow.read_framebuffer(framebuffer);
    let bytes = Rect::new(region.width, region.height)
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

/// A level of a texture. Drivers (Mesa) may refuse to attach a level if larger ones are missing; such textures are
/// never drawn to, so only a readback by the host gets that error.
struct Place {
    name: glow::Texture,
    face: u32,
    level: u8,
    size: (u32, u32),
    float: bool,
    opaque: bool,
    layout: TexelLayout,
    blocks: bool,
}

impl Place {
    /// The component type for reading it.
    fn pixel_type(&self, caps: &GlCaps) -> PixelType {
        if self.float && caps.needs(Remedy::ReadHalfAsFloat) {
            PixelType::Float
        } else {
            PixelType::Byte
        }
    }
}

/// Converts floats to bytes: 0..1 becomes 0..255, as GL converts.
fn floats_to_bytes(data: &mut Vec<u8>) {
    let bytes: Vec<u8> = data
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| {
            let scaled = f32::from_ne_bytes(*bytes).clamp(0.0, 1.0) * 255.0 + 0.5;
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 0.5..255.5 above, and NaN becomes 0 in a float cast"
            )]
            let byte = scaled as u8;
            byte
        })
        .collect();
    *data = bytes;
}

/// Whether OpenGL ES can render to B, G, R, A storage and generate its mip levels. The extension leaves both open, so
/// it is tested once, before the shadow is created (which doesn't see these bindings).
pub(crate) fn bgra_renderable(gl: &Rc<Gl>) -> bool {
    let attempt = || -> Result<bool, BackendError> {
        let texture = crate::gl::Handle::<glow::Texture>::create(gl)?;
        let framebuffer = crate::gl::Handle::<glow::Framebuffer>::create(gl)?;
        let target = glow::TEXTURE_2D;
        gl.bind_texture(target, Some(texture.name()));
        // One texel: GL reports whether mip levels can be generated without generating any, for which a software
        // renderer would compile programs in every new context.
        gl.tex_image(target, 0, Rect::new(1, 1), &convert::BGRA_PROBE, None)?;
        gl.generate_mipmap(target);
        gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer.name()));
        let attachment = glow::COLOR_ATTACHMENT0;
        let kind = glow::DRAW_FRAMEBUFFER;
        gl.framebuffer_texture(kind, attachment, target, Some(texture.name()), 0);
        Ok(gl.framebuffer_status(kind) == glow::FRAMEBUFFER_COMPLETE)
    };
    let complete = attempt().unwrap_or(false);
    let mut clean = true;
    // Bounded, because a lost context may report errors forever.
    for _ in 0..8 {
        match gl.take_error() {
            glow::NO_ERROR => break,
            _ => clean = false,
        }
    }
    complete && clean
}

#[cfg(test)]
mod tests {
    use super::floats_to_bytes;

    #[test]
    fn floats_are_clamped_and_rounded() {
        let floats = [0.0f32, 1.0, 0.5, -3.0, 7.0, f32::NAN];
        let mut data: Vec<u8> = floats.iter().flat_map(|f| f.to_ne_bytes()).collect();
        floats_to_bytes(&mut data);
        assert_eq!(data, [0, 255, 128, 0, 255, 0]);
    }
}
