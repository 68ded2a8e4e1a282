//! Delivery of the presented frame to the host: as GL names, copied to a texture or framebuffer, or in memory.

use std::rc::Rc;

use context3d::backend::{BackendError, PresentedFrame, Region};

use crate::device::{CopyProgram, DeviceState, FRAGMENT_DECODED, scaling};
use crate::framebuffer;
use crate::gl::{self, GlFunctions, GlHandle, PixelSize, UniqueName, int};
pub use crate::gl::{FramebufferName, TextureName};
use crate::target::GlTargets;
#[cfg(not(target_arch = "wasm32"))]
pub use crate::target::exchange::{FrontExchange, FrontReader, GlTexture, PictureSource};
use crate::workarounds::Remedy;

/// Bytes of a pixel.
pub(crate) const PIXEL: usize = 4;

/// The GL objects that contain the frame of the last `Present`. See [`GlBackend::front`](crate::GlBackend::front).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontFrame {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level. v = 0 is the image's top row.
    pub texture: TextureName,
    /// A framebuffer with this texture as its only colour attachment, for blits and reads. Row 0 is the top row.
    pub framebuffer: FramebufferName,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Frame counter, incremented by every `Present`: an unchanged counter means an unchanged image.
    pub presents: u64,
}

/// The destination of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameDestination {
    /// A framebuffer; `None` for the context's default framebuffer, such as a window's. A framebuffer with sRGB
    /// encoding receives unchanged bytes, too.
    Framebuffer(Option<FramebufferName>),
    /// Level 0 of a `GL_TEXTURE_2D` that has storage and can be rendered to. An sRGB texture receives unchanged bytes.
    Texture(TextureName),
}

/// The rectangle of a frame in its [`FrameDestination`], with orientation and filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentRect {
    /// First column, in pixels.
    pub x: i32,
    /// First row, in pixels, in GL's order: from the bottom in a window.
    pub y: i32,
    /// Width in pixels; a frame with another width is scaled.
    pub width: u32,
    /// Height in pixels; a frame with another height is scaled.
    pub height: u32,
    /// The first row is the image's bottom row, as in a window.
    pub bottom_up: bool,
    /// Scales with linear instead of nearest filtering.
    pub smooth: bool,
}

/// Asynchronous reads: one pixel buffer is filled while the other is read.
#[derive(Default)]
pub(crate) struct DelayedRead {
    /// The last requested region, and its buffer.
    pub(crate) pending: Option<(PresentedFrame, GlHandle<glow::Buffer>)>,
    pub(crate) free: Option<GlHandle<glow::Buffer>>,
}

impl GlTargets {
    pub(crate) fn present_into(
        &self,
        device: &mut DeviceState,
        destination: FrameDestination,
        place: &PresentRect,
    ) -> Result<bool, BackendError> {
        let Some(back_buffer) = &self.back_buffer else { return Ok(false) };
        let Some((_, source)) = back_buffer.front() else { return Ok(false) };
        let (gl, shadow) = (&device.begin_checked()?, &mut device.shadow);
        shadow.scissor(None);
        shadow.read_framebuffer(source);
        // The framebuffer must exist until the copy is done.
        let _made = match destination {
            FrameDestination::Framebuffer(name) => {
                shadow.foreign_draw_framebuffer(name.map(gl::framebuffer));
                None
            }
            FrameDestination::Texture(name) => {
                let framebuffer = framebuffer::create(gl, shadow)?;
                let (target, face) = (glow::DRAW_FRAMEBUFFER, glow::TEXTURE_2D);
                let name = Some(gl::texture(name));
                gl.framebuffer_texture(target, glow::COLOR_ATTACHMENT0, face, name, 0);
                Some(framebuffer)
            }
        };
        framebuffer::complete(gl, "the host's destination")?;
        let default = destination == FrameDestination::Framebuffer(None);
        if device.caps.needs(Remedy::DecodeSrgbInShader) && gl.draws_srgb(default) {
            draw_decoded(gl, device, back_buffer.front_texture(), place)?;
        } else {
            let (left, right) = (place.x, place.x.saturating_add(int(place.width)));
            let (first, last) = (place.y, place.y.saturating_add(int(place.height)));
            let (top, bottom) = if place.bottom_up { (last, first) } else { (first, last) };
            let (width, height) = back_buffer.size();
            gl.blit(PixelSize::new(width, height).all(), [left, top, right, bottom], place.smooth);
        }
        gl.check("presenting into the host's destination")?;
        Ok(true)
    }

    /// Starts a copy of a region of the front buffer into a pixel buffer.
    pub(crate) fn begin_read(
        &mut self,
        device: &mut DeviceState,
        region: Region,
    ) -> Result<(), BackendError> {
        let front = self.back_buffer.as_ref();
        let Some(((_, source), size)) = front.and_then(|f| Some((f.front()?, f.size()))) else {
            return Ok(());
        };
        let region @ Region { width, height, .. } = region.within(size);
        let gl = device.begin_checked()?;
        let buffer = self.delayed.free.take().map_or_else(|| GlHandle::create(&gl), Ok)?;
        device.shadow.read_framebuffer(source);
        gl.pack_rgba(buffer.name(), region)?;
        gl.check("reading into a pixel buffer")?;
        self.delayed.pending =
            Some((PresentedFrame { presents: self.presents, width, height }, buffer));
        Ok(())
    }
}

/// Draws the frame into the bound draw framebuffer, which converts from linear to sRGB.
fn draw_decoded(
    gl: &Rc<GlFunctions>,
    device: &mut DeviceState,
    picture: UniqueName<glow::Texture>,
    place: &PresentRect,
) -> Result<(), BackendError> {
    gl.check("binding the host's destination")?;
    let DeviceState { caps, shadow, samplers, decoded, .. } = device;
    let sampler = samplers.get(gl, caps, scaling(place.smooth))?;
    let copy = match decoded {
        Some(copy) => copy,
        none => none.insert(CopyProgram::create(gl, caps, shadow, FRAGMENT_DECODED)?),
    };
    shadow.foreign_viewport((place.x, place.y), PixelSize::new(place.width, place.height));
    copy.draw(gl, shadow, place.bottom_up.into(), (glow::TEXTURE_2D, picture), sampler);
    Ok(())
}
