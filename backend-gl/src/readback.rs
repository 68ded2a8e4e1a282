//! Reading surfaces: RGBA bytes, top row first, which is how memory has them.

use std::rc::Rc;

use context3d::{BackendError, Surface};

use crate::backend::GlBackend;
use crate::caps::GlCaps;
use crate::gl::{Gl, PixelType, Rect};
use crate::texture::Texture;
use crate::workarounds::Workaround;
use crate::{convert, target};

impl GlBackend {
    /// Reads `surface` into `out`; its size.
    pub(crate) fn read(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        match surface {
            Surface::BackBuffer => {
                let Some(back_buffer) = &self.back_buffer else {
                    return Ok((0, 0));
                };
                let (framebuffer, size) = back_buffer.resolve(&self.gl, &mut self.shadow);
                self.bound = None;
                self.read_framebuffer(framebuffer, size, PixelType::Byte, out)
            }
            Surface::Front => match self.back_buffer.as_ref().and_then(|back| back.front()) {
                Some((framebuffer, size)) => {
                    self.read_framebuffer(framebuffer, size, PixelType::Byte, out)
                }
                None => Ok((0, 0)),
            },
            Surface::Texture {
                texture,
                side,
                level,
            } => {
                self.leave_target();
                let Some(texture) = self.textures.get(texture) else {
                    return Ok((0, 0));
                };
                if !texture.has_level(side, level) {
                    return Ok((0, 0));
                }
                let (width, height) = texture.level_size(level);
                let opaque = texture.storage().opaque;
                let data_type = pixel_type(&self.caps, texture);
                let framebuffer = target::framebuffer(&self.gl, &mut self.shadow)?;
                self.shadow.read_framebuffer(framebuffer.name());
                self.gl.framebuffer_texture(
                    glow::READ_FRAMEBUFFER,
                    glow::COLOR_ATTACHMENT0,
                    texture.face(side),
                    Some(texture.name()),
                    i32::from(level),
                );
                let result = target::complete(&self.gl, "reading a texture").and_then(|()| {
                    let size = Rect::new(width, height);
                    self.read_framebuffer(framebuffer.name(), size, data_type, out)
                });
                self.shadow.framebuffer_deleted(framebuffer.name());
                if opaque {
                    for pixel in out.as_chunks_mut::<4>().0 {
                        pixel[3] = u8::MAX;
                    }
                }
                result
            }
        }
    }

    fn read_framebuffer(
        &mut self,
        framebuffer: glow::Framebuffer,
        size: Rect,
        data_type: PixelType,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.shadow.read_framebuffer(framebuffer);
        let bytes = size
            .bytes(data_type.bytes())
            .ok_or(BackendError::OutOfMemory)?;
        out.try_reserve_exact(bytes)
            .map_err(|_| BackendError::OutOfMemory)?;
        out.resize(bytes, 0);
        // Textures that were drawn to keep reading from their first attachment.
        self.gl.read_buffer(glow::COLOR_ATTACHMENT0);
        self.gl.read_rgba(size, data_type, out)?;
        self.gl.check("reading pixels")?;
        if data_type == PixelType::Float {
            floats_to_bytes(out);
        }
        let side = |length: i32| u32::try_from(length).unwrap_or(0);
        Ok((side(size.width), side(size.height)))
    }
}

fn pixel_type(caps: &GlCaps, texture: &Texture) -> PixelType {
    if texture.storage().float && caps.needs(Workaround::ReadHalfAsFloat) {
        PixelType::Float
    } else {
        PixelType::Byte
    }
}

/// Each four bytes, a float, become one byte: 0..1 becomes 0..255, as GL itself converts.
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

/// Whether OpenGL ES can use B, G, R, A storage for everything that a texture may be: rendered to and mip-mapped. The
/// extension's text leaves both open, so it is tried once, before the shadow is made (it binds past it).
pub(crate) fn bgra_renderable(gl: &Rc<Gl>) -> bool {
    let attempt = || -> Result<bool, BackendError> {
        let texture = crate::gl::Handle::<glow::Texture>::create(gl)?;
        let framebuffer = crate::gl::Handle::<glow::Framebuffer>::create(gl)?;
        let target = glow::TEXTURE_2D;
        gl.bind_texture(target, Some(texture.name()));
        gl.tex_image(target, 0, Rect::new(2, 2), &convert::BGRA_PROBE, None)?;
        gl.generate_mipmap(target);
        gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer.name()));
        let attachment = glow::COLOR_ATTACHMENT0;
        let kind = glow::DRAW_FRAMEBUFFER;
        gl.framebuffer_texture(kind, attachment, target, Some(texture.name()), 0);
        Ok(gl.framebuffer_status(kind) == glow::FRAMEBUFFER_COMPLETE)
    };
    let complete = attempt().unwrap_or(false);
    let mut clean = true;
    // Bounded: a lost context may report for ever.
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
