//! Framebuffers, renderbuffers and multisampling.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::MAX_COLOR_OUTPUTS;

use crate::caps::GlCaps;
use crate::gl::{GlFunctions, GlHandle, PixelSize, UniqueName};
use crate::shadow::Shadow;

/// A framebuffer for draws and clears, with its set of colour outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawFramebuffer {
    pub(crate) framebuffer: UniqueName<glow::Framebuffer>,
    pub(crate) size: PixelSize,
    /// The set of colour outputs, as in [`PipelineState::outputs`](context3d::packets::PipelineState).
    pub(crate) outputs: u8,
    pub(crate) depth_stencil: bool,
}

/// The set of outputs of a framebuffer with one colour buffer, which equals GL's initial draw buffers.
pub(crate) const ONE_OUTPUT: u8 = 1;

/// Returns the number of samples for a requested number: 0 for no multisampling, at most the device's maximum for these
/// internal formats and for depth. Drivers may have a lower maximum for floats (OpenGL ES 3.2, section 9.2.5;
/// `EXT_color_buffer_half_float`).
pub(crate) fn samples(
    gl: &GlFunctions,
    caps: &GlCaps,
    requested: u8,
    formats: impl Iterator<Item = u32>,
) -> i32 {
    let mut samples = i32::from(requested.min(caps.public.max_samples));
    if samples > 1 && gl.has_format_query() {
        let all = formats.chain([DEPTH_STENCIL]);
        samples = all.map(|format| gl.max_samples(format)).fold(samples, i32::min);
    }
    if samples > 1 { samples } else { 0 }
}

/// The format with 24 bits of depth and 8 bits of stencil.
const DEPTH_STENCIL: u32 = glow::DEPTH24_STENCIL8;

/// Creates a depth and stencil buffer.
pub(crate) fn depth_stencil(
    gl: &Rc<GlFunctions>,
    samples: i32,
    size: PixelSize,
) -> Result<GlHandle<glow::Renderbuffer>, BackendError> {
    renderbuffer(gl, DEPTH_STENCIL, samples, size)
}

/// Creates a renderbuffer with storage.
pub(crate) fn renderbuffer(
    gl: &Rc<GlFunctions>,
    internal: u32,
    samples: i32,
    size: PixelSize,
) -> Result<GlHandle<glow::Renderbuffer>, BackendError> {
    let buffer: GlHandle<glow::Renderbuffer> = GlHandle::create(gl)?;
    gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer.name()));
    gl.check("binding a render buffer")?; // or another one would lose its storage
    gl.renderbuffer_storage(internal, samples, size);
    gl.check("creating a render buffer")?;
    Ok(buffer)
}

/// Creates a framebuffer and binds it for drawing.
pub(crate) fn create(
    gl: &Rc<GlFunctions>,
    shadow: &mut Shadow,
) -> Result<GlHandle<glow::Framebuffer>, BackendError> {
    let framebuffer: GlHandle<glow::Framebuffer> = GlHandle::create(gl)?;
    shadow.draw_framebuffer(framebuffer.object());
    gl.check("binding a framebuffer")?; // or another one would get its attachments
    Ok(framebuffer)
}

/// Attaches depth and stencil to the bound draw framebuffer.
pub(crate) fn attach_depth(gl: &GlFunctions, buffer: glow::Renderbuffer) {
    gl.framebuffer_renderbuffer(
        glow::DRAW_FRAMEBUFFER,
        glow::DEPTH_STENCIL_ATTACHMENT,
        glow::RENDERBUFFER,
        Some(buffer),
    );
}

/// Checks that the bound draw framebuffer is complete.
pub(crate) fn complete(gl: &Rc<GlFunctions>, what: &str) -> Result<(), BackendError> {
    match gl.framebuffer_status(glow::DRAW_FRAMEBUFFER) {
        glow::FRAMEBUFFER_COMPLETE => Ok(()),
        status => {
            gl.check(what)?; // out of memory says more
            Err(BackendError::Driver(format!(
                "{what}: the framebuffer is incomplete ({status:#06x})"
            )))
        }
    }
}

/// Returns the set of colour outputs that have an attachment.
pub(crate) fn outputs<T>(slots: &[Option<T>; MAX_COLOR_OUTPUTS]) -> u8 {
    slots.iter().rev().fold(0, |set, slot| set << 1 | u8::from(slot.is_some()))
}

/// A framebuffer whose attachments are renderbuffers.
pub(crate) struct RenderbufferSet {
    framebuffer: GlHandle<glow::Framebuffer>,
    _buffers: [Option<GlHandle<glow::Renderbuffer>>; MAX_COLOR_OUTPUTS],
    depth: Option<GlHandle<glow::Renderbuffer>>,
}

impl RenderbufferSet {
    /// Creates a framebuffer with a colour buffer for each given internal format; `samples` is 0 without multisampling.
    pub(crate) fn create(
        gl: &Rc<GlFunctions>,
        shadow: &mut Shadow,
        samples: i32,
        size: PixelSize,
        formats: [Option<u32>; MAX_COLOR_OUTPUTS],
        depth: Option<GlHandle<glow::Renderbuffer>>,
    ) -> Result<Self, BackendError> {
        let framebuffer = create(gl, shadow)?;
        let mut buffers = [const { None }; MAX_COLOR_OUTPUTS];
        for ((slot, format), attachment) in
            buffers.iter_mut().zip(formats).zip(glow::COLOR_ATTACHMENT0..)
        {
            let Some(format) = format else { continue };
            let buffer = renderbuffer(gl, format, samples, size)?;
            gl.framebuffer_renderbuffer(
                glow::DRAW_FRAMEBUFFER,
                attachment,
                glow::RENDERBUFFER,
                Some(buffer.name()),
            );
            *slot = Some(buffer);
        }
        if let Some(depth) = &depth {
            attach_depth(gl, depth.name());
        }
        let made = Self { framebuffer, _buffers: buffers, depth };
        complete(gl, "a target of render buffers")?;
        Ok(made)
    }

    pub(crate) fn framebuffer(&self) -> UniqueName<glow::Framebuffer> {
        self.framebuffer.object()
    }

    /// Returns whether the framebuffer has depth and stencil.
    pub(crate) fn has_depth(&self) -> bool {
        self.depth.is_some()
    }
}
