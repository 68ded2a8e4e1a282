//! The back buffer: two textures swapped by `present`, and a multisampled surface if samples are requested.

use std::rc::Rc;

use context3d::backend::{BackendError, Region};
use context3d::packets::BackBufferDesc as Shape;

use crate::convert::BACK_BUFFER;
use crate::device::DeviceState;
use crate::framebuffer::{self, DrawFramebuffer, ONE_OUTPUT, RenderbufferSet};
use crate::gl::{GlFunctions, GlHandle, PixelSize, UniqueName, int};
use crate::shadow::Shadow;

/// A texture with a framebuffer.
pub(crate) struct ColorTarget {
    framebuffer: GlHandle<glow::Framebuffer>,
    texture: GlHandle<glow::Texture>,
}

/// All surfaces of the back buffer.
pub(crate) struct GlBackBuffer {
    size: (u32, u32),
    /// The render target with multisampling, which is resolved into `hidden`.
    multisampled: Option<RenderbufferSet>,
    hidden: ColorTarget,
    front: ColorTarget,
    /// The depth buffer without multisampling, for `hidden` and `front`: depth doesn't survive a present.
    depth: Option<GlHandle<glow::Renderbuffer>>,
    /// True if `front` has content.
    presented: bool,
}

impl GlBackBuffer {
    /// Creates the surfaces, filled with zeros, because `clear` with a mask of 0 shows the content (capture stencil)
    /// and drivers provide uninitialized memory (Mesa 22.3.6, zink).
    pub(crate) fn create(device: &mut DeviceState, shape: &Shape) -> Result<Self, BackendError> {
        let gl = &device.begin_checked()?;
        let DeviceState { caps, shadow, .. } = device;
        let size = PixelSize::new(shape.width, shape.height);
        let format = std::iter::once(BACK_BUFFER.render_buffer);
        let samples = framebuffer::samples(gl, caps, shape.samples, format);
        let depth = shape
            .depth_stencil
            .then(|| framebuffer::depth_stencil(gl, samples, size))
            .transpose()?;
        // The depth buffer must have as many samples as the surface that is drawn to.
        let (depth, single_depth) = if samples > 0 { (depth, None) } else { (None, depth) };
        let multisampled = (samples > 0)
            .then(|| {
                let formats = [Some(BACK_BUFFER.render_buffer), None, None, None];
                RenderbufferSet::create(gl, shadow, samples, size, formats, depth)
            })
            .transpose()?;
        let size = (shape.width, shape.height);
        let made = Self {
            size,
            multisampled,
            hidden: ColorTarget::create(gl, shadow, size, single_depth.as_ref())?,
            front: ColorTarget::create(gl, shadow, size, single_depth.as_ref())?,
            depth: single_depth,
            presented: false,
        };
        made.zero(gl, shadow);
        gl.check("creating the back buffer")?;
        Ok(made)
    }

    /// Clears all surfaces to zero.
    fn zero(&self, gl: &GlFunctions, shadow: &mut Shadow) {
        shadow.disable_masks();
        let single = [&self.front, &self.hidden].map(|single| single.framebuffer.object());
        let multisampled = self.multisampled.as_ref().map(RenderbufferSet::framebuffer);
        for framebuffer in single.into_iter().chain(multisampled) {
            shadow.draw_framebuffer(framebuffer);
            gl.clear_color(0, &[0.0; 4]);
        }
        if self.surface().depth_stencil {
            gl.clear_depth_stencil(Some(0.0), Some(0));
        }
    }

    /// Returns the framebuffer for draws and clears.
    pub(crate) fn surface(&self) -> DrawFramebuffer {
        let framebuffer = match &self.multisampled {
            Some(multisampled) => multisampled.framebuffer(),
            None => self.hidden.framebuffer.object(),
        };
        DrawFramebuffer {
            framebuffer,
            size: PixelSize::new(self.size.0, self.size.1),
            outputs: ONE_OUTPUT,
            depth_stencil: match &self.multisampled {
                Some(multisampled) => multisampled.has_depth(),
                None => self.depth.is_some(),
            },
        }
    }

    /// Returns width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Resolves a region of the content into a framebuffer that can be read.
    pub(crate) fn resolve(
        &self,
        device: &mut DeviceState,
        region: Region,
    ) -> UniqueName<glow::Framebuffer> {
        let DeviceState { gl, shadow, .. } = device;
        let hidden = self.hidden.framebuffer.object();
        if let Some(multisampled) = &self.multisampled {
            shadow.scissor(None);
            shadow.read_framebuffer(multisampled.framebuffer());
            shadow.draw_framebuffer(hidden);
            let Region { x, y, width, height } = region.within(self.size);
            let corners = [x, y, x.saturating_add(width), y.saturating_add(height)].map(int);
            gl.blit(corners, corners, false);
        }
        hidden
    }

    /// Makes the resolved image the front buffer.
    pub(crate) fn swap(&mut self) {
        std::mem::swap(&mut self.hidden, &mut self.front);
        self.presented = true;
    }

    /// Returns the texture of the last present.
    pub(crate) fn front_texture(&self) -> UniqueName<glow::Texture> {
        self.front.texture.object()
    }

    /// Returns the texture and framebuffer of the last present; `None` before the first present.
    pub(crate) fn front(&self) -> Option<(glow::Texture, UniqueName<glow::Framebuffer>)> {
        let ColorTarget { framebuffer, texture, .. } = &self.front;
        self.presented.then(|| (texture.name(), framebuffer.object()))
    }
}

impl ColorTarget {
    pub(crate) fn create(
        gl: &Rc<GlFunctions>,
        shadow: &mut Shadow,
        (width, height): (u32, u32),
        depth: Option<&GlHandle<glow::Renderbuffer>>,
    ) -> Result<Self, BackendError> {
        let texture: GlHandle<glow::Texture> = GlHandle::create(gl)?;
        shadow.edit_texture(glow::TEXTURE_2D, texture.object(), true);
        gl.tex_image(glow::TEXTURE_2D, 0, PixelSize::new(width, height), &BACK_BUFFER, None)?;
        gl.tex_parameter(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
        // Hosts usually draw with their own sampler object. Without a sampler object, GL's default filter requires mip
        // levels.
        for name in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
            gl.tex_parameter(glow::TEXTURE_2D, name, glow::NEAREST.cast_signed());
        }
        let framebuffer = framebuffer::create(gl, shadow)?;
        let (kind, point) = (glow::DRAW_FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        gl.framebuffer_texture(kind, point, glow::TEXTURE_2D, Some(texture.name()), 0);
        if let Some(depth) = depth {
            framebuffer::attach_depth(gl, depth.name());
        }
        framebuffer::complete(gl, "the back buffer")?;
        Ok(Self { framebuffer, texture })
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn names(&self) -> (crate::gl::TextureName, UniqueName<glow::Framebuffer>) {
        (crate::gl::texture_name(self.texture.name()), self.framebuffer.object())
    }

    /// Releases the texture to another context, which deletes it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn give_away(self) {
        self.texture.give_away();
    }
}
