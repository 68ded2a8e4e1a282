//! Textures as render targets: framebuffers are created at the first draw, and kept as long as their textures exist.

use context3d::backend::{BackendError, Region};
use context3d::keys::TextureKey;
use context3d::packets::{ColorAttachment, MAX_COLOR_OUTPUTS, TextureTarget};
use slotmap::SecondaryMap;

use crate::caps::GlCaps;
use crate::device::Device;
use crate::framebuffer::{self, Surface, attach_depth, complete, draw_buffers, only};
use crate::gl::{Gl, Handle, Rect};
use crate::multisample::{Owner, SampleBuffers, Shape};
use crate::texture::Texture;
use crate::workarounds::Remedy;

/// Maximum number of render targets. Beyond it, the least recently used one is deleted.
const MAX_RENDER_TARGETS: usize = 64;

/// The framebuffers for one combination of textures.
struct RenderTarget {
    key: TextureTarget,
    /// The framebuffer with the textures.
    direct: Handle<glow::Framebuffer>,
    /// The depth buffer of `direct`.
    _depth: Option<Handle<glow::Renderbuffer>>,
    multisampled: Option<Multisampled>,
    last_use: u64,
}

/// State of a target with several samples per pixel.
struct Multisampled {
    owner: Owner,
    shape: Shape,
    /// The textures' versions that the samples were loaded from; others mean that the textures have changed since.
    loaded: [Option<u64>; MAX_COLOR_OUTPUTS],
    /// Whether the samples have content that is not in the textures yet.
    unresolved: bool,
}

/// All render targets of textures.
#[derive(Default)]
pub(crate) struct RenderTargets {
    render_targets: Vec<RenderTarget>,
    /// Index of the target that was used last, if it still exists.
    current: usize,
    /// By first texture: index of the target that was used last, if it still exists.
    by_texture: SecondaryMap<TextureKey, usize>,
    clock: u64,
    /// There was one with several samples per pixel.
    multisampled: bool,
}

impl RenderTargets {
    /// The surface of a target, which is created if needed. The textures' content is loaded into its samples, unless
    /// `cleared` says that the colour is about to be replaced.
    pub(crate) fn enter(
        &mut self,
        device: &mut Device,
        caps: &GlCaps,
        textures: &mut SecondaryMap<TextureKey, Texture>,
        key: &TextureTarget,
        cleared: bool,
    ) -> Result<Surface, BackendError> {
        self.clock = self.clock.saturating_add(1);
        let index = match self.find(key) {
            Some(index) => index,
            None => {
                self.make_room(device);
                let made = RenderTarget::create(device, textures, key)?;
                self.multisampled |= made.multisampled.is_some();
                self.render_targets.push(made);
                self.render_targets.len().saturating_sub(1)
            }
        };
        let Some(target) = self.render_targets.get_mut(index) else {
            return Err(BackendError::Driver("no render target".to_owned()));
        };
        self.current = index;
        if let Some(first) = first_texture(key)
            && self.by_texture.get(first) != Some(&index)
        {
            self.by_texture.insert(first, index);
        }
        target.last_use = self.clock;
        if target.load(device, textures)? && !cleared {
            if caps.needs(Remedy::FillSamplesByDrawing) {
                target.draw_samples(device, textures)?;
            } else {
                target.blit_samples(device);
            }
        }
        Ok(target.surface(device))
    }

    /// Deletes the least recently used target if there are too many.
    fn make_room(&mut self, device: &mut Device) {
        if self.render_targets.len() < MAX_RENDER_TARGETS {
            return;
        }
        let oldest = (0..)
            .zip(&self.render_targets)
            .min_by_key(|(_, target)| target.last_use)
            .map(|(index, _)| index);
        if let Some(oldest) = oldest {
            self.render_targets.swap_remove(oldest).release(device);
        }
    }

    /// Resolves a target's samples into its textures, if needed.
    pub(crate) fn resolve(&mut self, device: &mut Device, key: &TextureTarget) {
        if let Some(target) = self.find_multisampled(key) {
            target.resolve(device);
        }
    }

    /// A target, if it may have samples.
    #[inline]
    fn find_multisampled(&mut self, key: &TextureTarget) -> Option<&mut RenderTarget> {
        if !self.multisampled {
            return None;
        }
        let index = self.find(key)?;
        self.render_targets.get_mut(index)
    }

    /// The index of a target, which is nearly always the current one or the last one with the same first texture.
    fn find(&self, key: &TextureTarget) -> Option<usize> {
        let same = |index: &usize| self.render_targets.get(*index).is_some_and(|s| s.key == *key);
        let last = first_texture(key).and_then(|first| self.by_texture.get(first).copied());
        let likely = [Some(self.current), last].into_iter().flatten();
        likely.chain(0..self.render_targets.len()).find(same)
    }

    /// As [`RenderTargets::resolve`], and releases the samples, because another target is used from now on.
    pub(crate) fn leave(&mut self, device: &mut Device, key: &TextureTarget) {
        if let Some(target) = self.find_multisampled(key) {
            target.resolve(device);
            if let Some(multisampled) = &target.multisampled {
                device.pool.release(multisampled.owner);
            }
        }
    }

    /// Deletes all render targets with this texture.
    pub(crate) fn texture_deleted(&mut self, device: &mut Device, texture: TextureKey) {
        self.by_texture.remove(texture);
        self.render_targets.retain(|target| {
            let uses =
                target.key.color.iter().flatten().any(|attachment| attachment.texture == texture);
            if uses {
                target.release(device);
            }
            !uses
        });
    }

    /// Deletes all render targets.
    pub(crate) fn clear(&mut self, device: &mut Device) {
        self.by_texture.clear();
        for target in self.render_targets.drain(..) {
            target.release(device);
        }
    }
}

impl RenderTarget {
    fn create(
        device: &mut Device,
        textures: &mut SecondaryMap<TextureKey, Texture>,
        key: &TextureTarget,
    ) -> Result<Self, BackendError> {
        device.settled = 0;
        let (gl, shadow) = (&device.gl.attempt()?, &mut device.shadow);
        let size = Rect::new(key.width, key.height);
        let mut texels = [None; MAX_COLOR_OUTPUTS];
        for (texels, attachment) in texels.iter_mut().zip(&key.color) {
            let Some(ColorAttachment { texture, .. }) = attachment else {
                continue;
            };
            let texture = textures.get_mut(*texture).ok_or_else(missing)?;
            texture.prepare_target(gl, shadow)?;
            *texels = Some(texture.storage().texels);
        }
        let formats = texels.iter().flatten().map(|texels| texels.render_buffer);
        let samples = framebuffer::samples(gl, &device.caps, key.samples, formats);
        let depth = (key.depth_stencil && samples == 0)
            .then(|| framebuffer::depth_stencil(gl, samples, size))
            .transpose()?;
        let direct = framebuffer::create(gl, shadow)?;
        for (attachment, point) in key.color.iter().zip(glow::COLOR_ATTACHMENT0..) {
            let Some(ColorAttachment { texture, side }) = attachment else {
                continue;
            };
            let texture = textures.get(*texture).ok_or_else(missing)?;
            let kind = glow::DRAW_FRAMEBUFFER;
            gl.framebuffer_texture(kind, point, texture.face(*side), Some(texture.name()), 0);
        }
        if let Some(depth) = &depth {
            attach_depth(gl, depth.name());
        }
        gl.draw_buffers(&draw_buffers(texels.map(|texels| texels.is_some())));
        complete(gl, "a render texture")?;
        gl.check("making a render target")?;
        let multisampled = (samples > 0).then(|| Multisampled {
            owner: device.pool.owner(),
            shape: Shape { size, samples, texels, depth_stencil: key.depth_stencil },
            loaded: [None; MAX_COLOR_OUTPUTS],
            unresolved: false,
        });
        Ok(Self { key: *key, direct, _depth: depth, multisampled, last_use: 0 })
    }

    /// The samples' buffers, if the target has them.
    fn set<'a>(&self, device: &'a Device) -> Option<&'a SampleBuffers> {
        device.pool.get(self.multisampled.as_ref()?.owner)
    }

    fn surface(&self, device: &Device) -> Surface {
        let outputs = self.key.color.iter().rposition(Option::is_some);
        Surface {
            framebuffer: match self.set(device) {
                Some(set) => set.samples.framebuffer(),
                None => self.direct.object(),
            },
            size: Rect::new(self.key.width, self.key.height),
            outputs: outputs.map_or(0, |last| u32::try_from(last).unwrap_or(0).saturating_add(1)),
            depth_stencil: self.key.depth_stencil,
        }
    }

    /// Whether the samples must be loaded from the textures: binding a target keeps its colour (context3d.md section
    /// 7). Only after the textures changed, or other targets used the buffers. Marks them as loaded.
    fn load(
        &mut self,
        device: &mut Device,
        textures: &mut SecondaryMap<TextureKey, Texture>,
    ) -> Result<bool, BackendError> {
        let mut stale = false;
        let mut versions = |change: fn(&mut Texture) -> u64| {
            self.key.color.map(|attachment| {
                let texture = textures.get_mut(attachment?.texture)?;
                Some(change(texture))
            })
        };
        if let Some(Multisampled { owner, shape, loaded, .. }) = &self.multisampled {
            let (pool, shadow) = (&mut device.pool, &mut device.shadow);
            let kept = pool.take(&device.gl, shadow, *owner, shape)?;
            stale = !kept || *loaded != versions(|texture| texture.version());
        }
        // The following draws make the samples of other render targets with these textures stale.
        let touched = versions(Texture::touch);
        if let Some(multisampled) = &mut self.multisampled {
            multisampled.loaded = touched;
            multisampled.unresolved = true;
        }
        Ok(stale)
    }

    /// Fills the samples by blits.
    fn blit_samples(&self, device: &mut Device) {
        let (pool, shadow) = (&device.pool, &mut device.shadow);
        let Some(set) = self.multisampled.as_ref().and_then(|m| pool.get(m.owner)) else {
            return;
        };
        shadow.scissor(None);
        shadow.read_framebuffer(self.direct.object());
        shadow.draw_framebuffer(set.samples.framebuffer());
        self.copy_each(&device.gl);
        device.gl.draw_buffers(&set.samples.draw_buffers());
    }

    /// Fills the samples by draws.
    fn draw_samples(
        &self,
        device: &mut Device,
        textures: &SecondaryMap<TextureKey, Texture>,
    ) -> Result<(), BackendError> {
        let Some(set) = self.set(device) else {
            return Ok(());
        };
        let (framebuffer, all) = (set.samples.framebuffer(), set.samples.draw_buffers());
        let mut drawn = Ok(());
        for (index, attachment) in self.key.color.iter().enumerate() {
            let Some(ColorAttachment { texture, side }) = attachment else {
                continue;
            };
            let Some(texture) = textures.get(*texture) else {
                continue;
            };
            device.shadow.draw_framebuffer(framebuffer);
            let size = Rect::new(self.key.width, self.key.height);
            device.shadow.viewport(size);
            device.gl.draw_buffers(&draw_buffers(only(index)));
            drawn = drawn.and(device.blit_texture(texture, *side));
        }
        device.gl.draw_buffers(&all);
        drawn
    }

    /// Resolves the samples into the textures.
    fn resolve(&mut self, device: &mut Device) {
        let (gl, pool, shadow) = (&device.gl, &device.pool, &mut device.shadow);
        let multisampled = self.multisampled.as_mut();
        let Some(multisampled) = multisampled.filter(|samples| samples.unresolved) else {
            return;
        };
        multisampled.unresolved = false;
        let Some(set) = pool.get(multisampled.owner) else {
            return;
        };
        shadow.scissor(None);
        shadow.read_framebuffer(set.samples.framebuffer());
        if let Some(resolved) = &set.resolved {
            shadow.draw_framebuffer(resolved.framebuffer());
            self.copy_each(gl);
            shadow.read_framebuffer(resolved.framebuffer());
        }
        shadow.draw_framebuffer(self.direct.object());
        self.copy_each(gl);
    }

    /// Blits each colour buffer of the read framebuffer to the corresponding one of the draw framebuffer; a single blit
    /// would copy one to all.
    fn copy_each(&self, gl: &Gl) {
        for (index, attachment) in self.key.color.iter().enumerate() {
            if attachment.is_none() {
                continue;
            }
            let buffers = draw_buffers(only(index));
            if let Some(source) = buffers.get(index) {
                gl.read_buffer(*source);
                gl.draw_buffers(&buffers);
                gl.blit_color(Region::ALL.within((self.key.width, self.key.height)));
            }
        }
    }

    /// Deletes its samples, because it is about to be dropped.
    fn release(&self, device: &mut Device) {
        if let Some(multisampled) = &self.multisampled {
            device.pool.remove(multisampled.owner);
        }
    }
}

fn first_texture(key: &TextureTarget) -> Option<TextureKey> {
    Some(key.color.first()?.as_ref()?.texture)
}

#[cold]
fn missing() -> BackendError {
    BackendError::Driver("a render target names a texture that was never made".to_owned())
}
