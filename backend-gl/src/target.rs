//! Render targets: the back buffer, and textures, whose framebuffers are cached.

pub(crate) mod back_buffer;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod exchange;
pub mod present;
pub(crate) mod read;

use std::rc::Rc;

use context3d::backend::{BackendError, Region};
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Clear, ColorAttachment, MAX_COLOR_OUTPUTS, RenderTarget, TextureTarget,
};

use crate::device::DeviceState;
use crate::framebuffer::{self, DrawFramebuffer, ONE_OUTPUT, RenderbufferSet};
use crate::gl::{GlFormat, GlHandle, PixelSize};
use crate::packet::missing;
use crate::shadow::Shadow;
use crate::texture::{GlTextures, draw_texture};
use back_buffer::GlBackBuffer;
use present::DelayedRead;

/// Maximum number of cached texture framebuffers. Beyond this number, the least recently used framebuffer is deleted.
const MAX_RENDER_TARGETS: usize = 64;
/// Maximum total size of multisampled buffers in bytes; beyond, all buffers except the current target's are deleted.
const KEPT_BYTES: u64 = 256 << 20;
/// Maximum size of one target's multisampled buffers in bytes: enough for 4096² with 16 samples. Targets that need more
/// memory return [`BackendError::OutOfMemory`].
const MAX_BYTES: u64 = 2 << 30;
/// A set with every colour output.
pub(crate) const ALL_OUTPUTS: u8 = u8::MAX;
/// Bytes of depth and stencil per sample.
const DEPTH_STENCIL_BYTES: u64 = 4;

/// All render targets of a backend.
#[derive(Default)]
pub(crate) struct GlTargets {
    pub(crate) back_buffer: Option<GlBackBuffer>,
    /// The number of frames presented so far.
    pub(crate) presents: u64,
    pub(crate) delayed: DelayedRead,
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) publisher: Option<exchange::Publisher>,
    /// The cached targets, least recently used first.
    render_targets: Vec<GlRenderTarget>,
    /// The target of the last pass, and the framebuffer of its draws. If textures are the target, the last entry of
    /// `render_targets` contains their framebuffers.
    current: Option<(DrawFramebuffer, RenderTarget)>,
}

/// The framebuffers for one combination of textures.
struct GlRenderTarget {
    key: TextureTarget,
    /// The framebuffer whose attachments are the textures of `key`.
    direct: GlHandle<glow::Framebuffer>,
    /// The depth buffer and the samples, which targets with equal layouts share, because their content doesn't survive
    /// a change of targets.
    shared: Rc<SharedBuffers>,
}

/// The layout of a target's buffers. Targets with equal layouts share buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AttachmentLayout {
    size: PixelSize,
    /// The sample count; 0 without multisampling.
    samples: i32,
    /// The GL formats of the textures, by colour output.
    texels: [Option<GlFormat>; MAX_COLOR_OUTPUTS],
    depth_stencil: bool,
}

impl AttachmentLayout {
    /// Returns whether samples can't be resolved directly into the textures.
    fn indirect(&self) -> bool {
        self.texels.iter().flatten().any(|texels| texels.render_buffer != texels.internal)
    }

    fn bytes(&self) -> u64 {
        let colors = self.texels.iter().flatten().map(|texels| texels.bytes.max(4) as u64);
        let color: u64 = if self.samples > 0 { colors.sum() } else { 0 };
        let depth = u64::from(self.depth_stencil) * DEPTH_STENCIL_BYTES;
        let samples = u64::from(self.samples.unsigned_abs()).max(1);
        let pixel = samples * (color + depth) + u64::from(self.indirect()) * color;
        self.size.bytes(1).map_or(u64::MAX, |pixels| (pixels as u64).saturating_mul(pixel))
    }
}

/// The depth and multisampled buffers that all targets with one [`AttachmentLayout`] share.
struct SharedBuffers {
    shape: AttachmentLayout,
    /// The depth buffer of a target without multisampling.
    depth: Option<GlHandle<glow::Renderbuffer>>,
    /// The multisampled renderbuffers.
    samples: Option<RenderbufferSet>,
    /// Buffers for an intermediate resolve, whose result is copied to textures with another internal format.
    resolved: Option<RenderbufferSet>,
}

impl SharedBuffers {
    fn create(device: &mut DeviceState, shape: &AttachmentLayout) -> Result<Self, BackendError> {
        let (gl, shadow) = (&device.gl, &mut device.shadow);
        let AttachmentLayout { size, samples, texels, depth_stencil } = *shape;
        let depth = depth_stencil.then(|| framebuffer::depth_stencil(gl, samples, size));
        let depth = depth.transpose()?;
        let mut made = Self { shape: *shape, depth, samples: None, resolved: None };
        if samples > 0 {
            let formats = texels.map(|texels| texels.map(|texels| texels.render_buffer));
            let depth = made.depth.take();
            made.samples =
                Some(RenderbufferSet::create(gl, shadow, samples, size, formats, depth)?);
            if shape.indirect() {
                made.resolved = Some(RenderbufferSet::create(gl, shadow, 0, size, formats, None)?);
            }
        }
        Ok(made)
    }
}

impl GlTargets {
    pub(crate) fn configure(
        &mut self,
        device: &mut DeviceState,
        desc: &BackBufferDesc,
    ) -> Result<(), BackendError> {
        // The old back buffer is deleted before the new one is created, to limit peak memory.
        self.current = None;
        self.back_buffer = None;
        device.gl.delete_dropped();
        if desc.width > 0 && desc.height > 0 {
            self.back_buffer = Some(GlBackBuffer::create(device, desc)?);
        }
        Ok(())
    }

    /// Returns whether a pass into a target continues the last pass.
    pub(crate) fn has(&self, target: &RenderTarget) -> bool {
        self.current.as_ref().is_some_and(|(_, current)| current == target)
    }

    /// Sets the target of later clears and draws.
    pub(crate) fn set(
        &mut self,
        device: &mut DeviceState,
        textures: &GlTextures,
        target: &RenderTarget,
    ) -> Result<(), BackendError> {
        self.current = None;
        let surface = match target {
            RenderTarget::BackBuffer => {
                let back_buffer = self.back_buffer.as_ref();
                back_buffer.ok_or_else(|| missing("back buffer"))?.surface()
            }
            RenderTarget::Textures(key) => {
                match self.find(key) {
                    Some(index) => {
                        if let Some(later) = self.render_targets.get_mut(index..) {
                            later.rotate_left(1);
                        }
                    }
                    None => self.create(device, textures, key)?,
                }
                let target = self.render_targets.last();
                target.ok_or_else(|| missing("target"))?.surface()
            }
        };
        self.current = Some((surface, *target));
        Ok(())
    }

    /// Returns the framebuffer of the current target, for tests.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn current(&self) -> Option<crate::gl::UniqueName<glow::Framebuffer>> {
        Some(self.current.as_ref()?.0.framebuffer)
    }

    /// Binds the current target for draws into the given colour outputs.
    #[inline]
    pub(crate) fn bind(
        &self,
        shadow: &mut Shadow,
        outputs: u8,
    ) -> Result<&DrawFramebuffer, BackendError> {
        let (surface, _) = self.current.as_ref().ok_or_else(|| missing("target"))?;
        shadow.draw_framebuffer(surface.framebuffer);
        shadow.viewport(surface.size);
        if surface.outputs != ONE_OUTPUT {
            shadow.outputs(outputs & surface.outputs);
        }
        Ok(surface)
    }

    /// Clears the whole target, regardless of the last draw's scissor and masks.
    pub(crate) fn clear(
        &self,
        device: &mut DeviceState,
        clear: &Clear,
    ) -> Result<(), BackendError> {
        if *clear == Clear::default() {
            return Ok(());
        }
        let surface = self.bind(&mut device.shadow, ALL_OUTPUTS)?;
        device.shadow.disable_masks();
        if let Some(color) = &clear.color {
            for output in (0..u8::BITS).filter(|output| surface.outputs >> output & 1 != 0) {
                device.gl.clear_color(output, color);
            }
        }
        if surface.depth_stencil {
            device.gl.clear_depth_stencil(clear.depth, clear.stencil);
        }
        Ok(())
    }

    /// Shows the back buffer.
    pub(crate) fn present(&mut self, device: &mut DeviceState) -> Result<(), BackendError> {
        self.current = None;
        if let Some(back_buffer) = &self.back_buffer {
            back_buffer.resolve(device, Region::ALL);
        }
        // Offscreen rendering has no window swap that would flush the commands.
        device.gl.flush();
        // Errors are checked before the swap, because a failed packet must have no effect.
        device.check_frame()?;
        if let Some(back_buffer) = &mut self.back_buffer {
            back_buffer.swap();
            self.presents += 1;
        }
        Ok(())
    }

    fn find(&self, key: &TextureTarget) -> Option<usize> {
        self.render_targets.iter().position(|target| target.key == *key)
    }

    /// Returns the current target if it is multisampled.
    fn multisampled(&self) -> Option<(&GlRenderTarget, &RenderbufferSet)> {
        let Some((_, RenderTarget::Textures(key))) = &self.current else { return None };
        let target = self.render_targets.last().filter(|target| target.key == *key)?;
        Some((target, target.shared.samples.as_ref()?))
    }

    fn create(
        &mut self,
        device: &mut DeviceState,
        textures: &GlTextures,
        key: &TextureTarget,
    ) -> Result<(), BackendError> {
        if self.render_targets.len() >= MAX_RENDER_TARGETS {
            self.render_targets.remove(0);
        }
        device.begin_checked()?;
        let shape = AttachmentLayout::of(device, textures, key)?;
        device.gl.check("querying sample counts")?;
        let shared = self.shared(device, &shape)?;
        self.render_targets.push(GlRenderTarget::create(device, textures, key, shared)?);
        Ok(())
    }

    /// Returns the shared buffers for a layout, or creates them.
    fn shared(
        &mut self,
        device: &mut DeviceState,
        shape: &AttachmentLayout,
    ) -> Result<Rc<SharedBuffers>, BackendError> {
        let mut all: Vec<_> = self.render_targets.iter().map(|target| &target.shared).collect();
        all.sort_unstable_by_key(|shared| Rc::as_ptr(shared));
        all.dedup_by_key(|shared| Rc::as_ptr(shared));
        if let Some(same) = all.iter().find(|shared| shared.shape == *shape) {
            return Ok(Rc::clone(same));
        }
        let bytes = all.iter().fold(shape.bytes(), |sum, it| sum.saturating_add(it.shape.bytes()));
        if shape.bytes() > MAX_BYTES {
            return Err(BackendError::OutOfMemory);
        }
        if bytes > KEPT_BYTES {
            self.render_targets.clear();
            device.gl.delete_dropped();
        }
        let made = match SharedBuffers::create(device, shape) {
            Err(BackendError::OutOfMemory) => {
                self.render_targets.clear();
                device.gl.delete_dropped();
                SharedBuffers::create(device, shape)
            }
            made => made,
        };
        Ok(Rc::new(made?))
    }

    /// Deletes the framebuffers with this texture.
    pub(crate) fn texture_disposed(&mut self, texture: TextureKey) {
        let with = |key: &TextureTarget| attachments(key).any(|(_, a)| a.texture == texture);
        self.render_targets.retain(|target| !with(&target.key));
        self.current.take_if(|(_, it)| matches!(it, RenderTarget::Textures(key) if with(key)));
    }

    /// Initializes the samples of the current target from its textures by draws, because blits to multisampled buffers
    /// are not allowed everywhere.
    pub(crate) fn load_samples(
        &self,
        device: &mut DeviceState,
        textures: &GlTextures,
    ) -> Result<(), BackendError> {
        let Some((target, _)) = self.multisampled() else { return Ok(()) };
        device.make_blit()?;
        let mut drawn = Ok(());
        for (output, ColorAttachment { texture, side }) in attachments(&target.key) {
            let texture = textures.get(texture)?;
            self.bind(&mut device.shadow, 1 << output)?;
            drawn = drawn.and(draw_texture(device, texture, side));
        }
        drawn
    }

    /// Resolves the samples of the current target into its textures.
    pub(crate) fn resolve_samples(&self, device: &mut DeviceState) {
        let Some((target, samples)) = self.multisampled() else { return };
        device.shadow.scissor(None);
        device.shadow.read_framebuffer(samples.framebuffer());
        if let Some(resolved) = &target.shared.resolved {
            device.shadow.draw_framebuffer(resolved.framebuffer());
            target.copy_each(device);
            device.shadow.read_framebuffer(resolved.framebuffer());
        }
        device.shadow.draw_framebuffer(target.direct.object());
        target.copy_each(device);
    }
}

/// Returns the target's attachments with their colour outputs.
fn attachments(key: &TextureTarget) -> impl Iterator<Item = (usize, ColorAttachment)> {
    key.color.iter().enumerate().filter_map(|(output, attachment)| Some((output, (*attachment)?)))
}

impl AttachmentLayout {
    fn of(
        device: &DeviceState,
        textures: &GlTextures,
        key: &TextureTarget,
    ) -> Result<Self, BackendError> {
        let mut texels = [None; MAX_COLOR_OUTPUTS];
        for (output, attachment) in attachments(key) {
            if let Some(texels) = texels.get_mut(output) {
                *texels = Some(textures.get(attachment.texture)?.storage().texels);
            }
        }
        let formats = texels.iter().flatten().map(|texels: &GlFormat| texels.render_buffer);
        Ok(Self {
            size: PixelSize::new(key.width, key.height),
            samples: framebuffer::samples(&device.gl, &device.caps, key.samples, formats),
            texels,
            depth_stencil: key.depth_stencil,
        })
    }
}

impl GlRenderTarget {
    fn create(
        device: &mut DeviceState,
        textures: &GlTextures,
        key: &TextureTarget,
        shared: Rc<SharedBuffers>,
    ) -> Result<Self, BackendError> {
        let gl = &device.gl;
        let direct = framebuffer::create(gl, &mut device.shadow)?;
        for (attachment, point) in key.color.iter().zip(glow::COLOR_ATTACHMENT0..) {
            let Some(ColorAttachment { texture, side }) = attachment else { continue };
            let texture = textures.get(*texture)?;
            let (kind, name) = (glow::DRAW_FRAMEBUFFER, Some(texture.name()));
            gl.framebuffer_texture(kind, point, texture.face(*side), name, 0);
        }
        if let Some(depth) = &shared.depth {
            framebuffer::attach_depth(gl, depth.name());
        }
        framebuffer::complete(gl, "a render texture")?;
        gl.check("creating a render target")?;
        Ok(Self { key: *key, direct, shared })
    }

    fn surface(&self) -> DrawFramebuffer {
        let samples = self.shared.samples.as_ref();
        DrawFramebuffer {
            framebuffer: samples.map_or(self.direct.object(), RenderbufferSet::framebuffer),
            size: self.shared.shape.size,
            outputs: framebuffer::outputs(&self.key.color),
            depth_stencil: self.key.depth_stencil,
        }
    }

    /// Blits each colour buffer of the read framebuffer to the corresponding colour buffer of the draw framebuffer. A
    /// single blit would copy one buffer to all.
    fn copy_each(&self, device: &mut DeviceState) {
        let all = self.shared.shape.size.all();
        for (source, (output, slot)) in
            (glow::COLOR_ATTACHMENT0..).zip(self.key.color.iter().enumerate())
        {
            if slot.is_some() {
                device.gl.read_buffer(source);
                device.shadow.outputs(1 << output);
                device.gl.blit(all, all, false);
            }
        }
    }
}
