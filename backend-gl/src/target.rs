//! Textures as render targets: framebuffers made when a setup is first drawn to, kept while their textures live.

use std::rc::Rc;

use context3d::packets::{ColorAttachment, MAX_COLOR_OUTPUTS, TextureTarget};
use context3d::{BackendError, Region, TextureKey};
use slotmap::SecondaryMap;

use crate::caps::GlCaps;
use crate::copy_in::CopyIn;
use crate::gl::{Gl, Handle, Rect};
use crate::shadow::Shadow;
use crate::texture::Texture;
use crate::workarounds::Workaround;

/// Setups that are kept. Beyond it the one unused for longest goes.
const MAX_SETUPS: usize = 64;

/// Something that clears and draws go to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) framebuffer: glow::Framebuffer,
    pub(crate) size: Rect,
    /// Colour outputs, from 0.
    pub(crate) outputs: u32,
    pub(crate) depth_stencil: bool,
}

/// The samples that a packet's wish becomes: 0 for none, else at most what the device has.
pub(crate) fn samples(caps: &GlCaps, asked: u8) -> i32 {
    let samples = asked.min(caps.max_samples);
    if samples > 1 { i32::from(samples) } else { 0 }
}

/// A 24-bit depth and 8-bit stencil buffer.
pub(crate) fn depth_stencil(
    gl: &Rc<Gl>,
    samples: i32,
    size: Rect,
) -> Result<Handle<glow::Renderbuffer>, BackendError> {
    renderbuffer(gl, glow::DEPTH24_STENCIL8, samples, size)
}

/// Storage without a texture.
pub(crate) fn renderbuffer(
    gl: &Rc<Gl>,
    internal: u32,
    samples: i32,
    size: Rect,
) -> Result<Handle<glow::Renderbuffer>, BackendError> {
    let buffer: Handle<glow::Renderbuffer> = Handle::create(gl)?;
    gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer.name()));
    gl.renderbuffer_storage(internal, samples, size);
    gl.check("making a render buffer")?;
    Ok(buffer)
}

/// A new framebuffer, bound for drawing.
pub(crate) fn framebuffer(
    gl: &Rc<Gl>,
    shadow: &mut Shadow,
) -> Result<Handle<glow::Framebuffer>, BackendError> {
    let framebuffer: Handle<glow::Framebuffer> = Handle::create(gl)?;
    shadow.draw_framebuffer(framebuffer.name());
    Ok(framebuffer)
}

/// Gives the bound framebuffer depth and stencil.
pub(crate) fn attach_depth(gl: &Gl, buffer: glow::Renderbuffer) {
    gl.framebuffer_renderbuffer(
        glow::DRAW_FRAMEBUFFER,
        glow::DEPTH_STENCIL_ATTACHMENT,
        glow::RENDERBUFFER,
        Some(buffer),
    );
}

/// Checks the framebuffer bound for drawing.
pub(crate) fn complete(gl: &Gl, what: &str) -> Result<(), BackendError> {
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

/// By colour output, what the framebuffer's draw buffers are.
fn draw_buffers(present: [bool; MAX_COLOR_OUTPUTS]) -> [u32; MAX_COLOR_OUTPUTS] {
    let mut buffers = [glow::NONE; MAX_COLOR_OUTPUTS];
    for ((buffer, attachment), present) in buffers
        .iter_mut()
        .zip(glow::COLOR_ATTACHMENT0..)
        .zip(present)
    {
        if present {
            *buffer = attachment;
        }
    }
    buffers
}

/// One colour output.
fn only(output: usize) -> [bool; MAX_COLOR_OUTPUTS] {
    std::array::from_fn(|index| index == output)
}

/// A framebuffer of render buffers.
pub(crate) struct Buffers {
    framebuffer: Handle<glow::Framebuffer>,
    buffers: [Option<Handle<glow::Renderbuffer>>; MAX_COLOR_OUTPUTS],
}

impl Buffers {
    /// Makes one with a colour buffer for each internal format given; `samples` 0 for one a pixel.
    pub(crate) fn create(
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        samples: i32,
        size: Rect,
        formats: [Option<u32>; MAX_COLOR_OUTPUTS],
        depth: Option<&Handle<glow::Renderbuffer>>,
    ) -> Result<Self, BackendError> {
        let framebuffer = framebuffer(gl, shadow)?;
        let mut buffers = [const { None }; MAX_COLOR_OUTPUTS];
        for ((slot, format), attachment) in buffers
            .iter_mut()
            .zip(formats)
            .zip(glow::COLOR_ATTACHMENT0..)
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
        if let Some(depth) = depth {
            attach_depth(gl, depth.name());
        }
        let made = Self {
            framebuffer,
            buffers,
        };
        gl.draw_buffers(&made.draw_buffers());
        complete(gl, "a target of render buffers")?;
        Ok(made)
    }

    /// GL's name.
    pub(crate) fn framebuffer(&self) -> glow::Framebuffer {
        self.framebuffer.name()
    }

    fn draw_buffers(&self) -> [u32; MAX_COLOR_OUTPUTS] {
        draw_buffers(self.buffers.each_ref().map(Option::is_some))
    }
}

/// One setup of textures.
struct Setup {
    key: TextureTarget,
    /// The textures themselves.
    direct: Handle<glow::Framebuffer>,
    multisampled: Option<Buffers>,
    /// Where samples are resolved on their way to textures of another internal format.
    resolved: Option<Buffers>,
    _depth: Option<Handle<glow::Renderbuffer>>,
    /// What the multisampled buffers were filled from: differs from the textures' versions when these have changed since.
    loaded: [Option<u64>; MAX_COLOR_OUTPUTS],
    /// The multisampled buffers hold something that the textures don't.
    unresolved: bool,
    last_use: u64,
}

/// All setups in use.
#[derive(Default)]
pub(crate) struct Setups {
    setups: Vec<Setup>,
    /// Made when first needed.
    copy_in: Option<CopyIn>,
    clock: u64,
}

impl Setups {
    /// The surface of a setup, made if need be, with the textures' content in it unless `cleared` says that colour is
    /// about to be replaced.
    pub(crate) fn enter(
        &mut self,
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        textures: &mut SecondaryMap<TextureKey, Texture>,
        key: &TextureTarget,
        cleared: bool,
    ) -> Result<Surface, BackendError> {
        self.clock = self.clock.saturating_add(1);
        let found = self.setups.iter().position(|setup| setup.key == *key);
        let index = match found {
            Some(index) => index,
            None => {
                self.make_room(shadow);
                self.setups
                    .push(Setup::create(gl, caps, shadow, textures, key)?);
                self.setups.len().saturating_sub(1)
            }
        };
        let Some(setup) = self.setups.get_mut(index) else {
            return Err(BackendError::Driver("no render target".to_owned()));
        };
        setup.last_use = self.clock;
        if setup.load(textures) && !cleared {
            if caps.needs(Workaround::FillSamplesByDrawing) {
                let copy_in = copy_in(&mut self.copy_in, gl, caps, shadow)?;
                setup.draw_samples(gl, shadow, textures, copy_in);
            } else {
                setup.blit_samples(gl, shadow);
            }
        }
        Ok(setup.surface())
    }

    /// Draws a face of a texture, in the largest level that sampling sees, over the bound draw framebuffer.
    pub(crate) fn draw_texture(
        &mut self,
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        texture: &Texture,
        side: u8,
    ) -> Result<(), BackendError> {
        let copy_in = copy_in(&mut self.copy_in, gl, caps, shadow)?;
        copy_in.draw(gl, shadow, (texture.target(), side), texture.name());
        Ok(())
    }

    /// The unused-for-longest setup goes when there are too many.
    fn make_room(&mut self, shadow: &mut Shadow) {
        if self.setups.len() < MAX_SETUPS {
            return;
        }
        let oldest = (0..)
            .zip(&self.setups)
            .min_by_key(|(_, setup)| setup.last_use)
            .map(|(index, _)| index);
        if let Some(oldest) = oldest {
            self.setups.swap_remove(oldest).forget(shadow);
        }
    }

    /// Brings a setup's samples into its textures, if it has any that aren't there yet.
    pub(crate) fn leave(&mut self, gl: &Gl, shadow: &mut Shadow, key: &TextureTarget) {
        if let Some(setup) = self.setups.iter_mut().find(|setup| setup.key == *key) {
            setup.resolve(gl, shadow);
        }
    }

    /// Drops every setup that this texture is part of.
    pub(crate) fn texture_deleted(&mut self, shadow: &mut Shadow, texture: TextureKey) {
        self.setups.retain(|setup| {
            let uses = setup
                .key
                .color
                .iter()
                .flatten()
                .any(|attachment| attachment.texture == texture);
            if uses {
                setup.forget(shadow);
            }
            !uses
        });
    }
}

/// What copies by drawing, made if need be.
fn copy_in<'a>(
    made: &'a mut Option<CopyIn>,
    gl: &Rc<Gl>,
    caps: &GlCaps,
    shadow: &mut Shadow,
) -> Result<&'a CopyIn, BackendError> {
    Ok(match made {
        Some(copy_in) => copy_in,
        None => made.insert(CopyIn::create(gl, caps, shadow)?),
    })
}

impl Setup {
    fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        textures: &mut SecondaryMap<TextureKey, Texture>,
        key: &TextureTarget,
    ) -> Result<Self, BackendError> {
        let size = Rect::new(key.width, key.height);
        let samples = samples(caps, key.samples);
        let mut formats = [None; MAX_COLOR_OUTPUTS];
        let mut indirect = false;
        for (format, attachment) in formats.iter_mut().zip(&key.color) {
            let Some(ColorAttachment { texture, .. }) = attachment else {
                continue;
            };
            let texture = textures.get_mut(*texture).ok_or_else(missing)?;
            texture.prepare_target(gl, shadow)?;
            let texels = &texture.storage().texels;
            indirect |= texels.render_buffer != texels.internal;
            *format = Some(texels.render_buffer);
        }
        let depth = key
            .depth_stencil
            .then(|| depth_stencil(gl, samples, size))
            .transpose()?;
        let direct = framebuffer(gl, shadow)?;
        for (attachment, point) in key.color.iter().zip(glow::COLOR_ATTACHMENT0..) {
            let Some(ColorAttachment { texture, side }) = attachment else {
                continue;
            };
            let texture = textures.get(*texture).ok_or_else(missing)?;
            let kind = glow::DRAW_FRAMEBUFFER;
            gl.framebuffer_texture(kind, point, texture.face(*side), Some(texture.name()), 0);
        }
        if let (Some(depth), 0) = (&depth, samples) {
            attach_depth(gl, depth.name());
        }
        gl.draw_buffers(&draw_buffers(formats.map(|format| format.is_some())));
        complete(gl, "a render texture")?;
        let multisampled = (samples > 0)
            .then(|| Buffers::create(gl, shadow, samples, size, formats, depth.as_ref()))
            .transpose()?;
        let resolved = (samples > 0 && indirect)
            .then(|| Buffers::create(gl, shadow, 0, size, formats, None))
            .transpose()?;
        gl.check("making a render target")?;
        Ok(Self {
            key: *key,
            direct,
            multisampled,
            resolved,
            _depth: depth,
            loaded: [None; MAX_COLOR_OUTPUTS],
            unresolved: false,
            last_use: 0,
        })
    }

    fn size(&self) -> Rect {
        Rect::new(self.key.width, self.key.height)
    }

    fn surface(&self) -> Surface {
        let outputs = self.key.color.iter().rposition(Option::is_some);
        Surface {
            framebuffer: match &self.multisampled {
                Some(multisampled) => multisampled.framebuffer(),
                None => self.direct.name(),
            },
            size: self.size(),
            outputs: outputs.map_or(0, |last| u32::try_from(last).unwrap_or(0).saturating_add(1)),
            depth_stencil: self.key.depth_stencil,
        }
    }

    /// Whether the multisampled buffers must be filled with what the textures show: entering a target keeps its colour
    /// (context3d.md section 7). Only after textures changed. From here on they count as filled.
    fn load(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>) -> bool {
        let mut versions = |change: fn(&mut Texture) -> u64| {
            self.key.color.map(|attachment| {
                let texture = textures.get_mut(attachment?.texture)?;
                Some(change(texture))
            })
        };
        let stale = self.loaded != versions(|texture| texture.version());
        // What is drawn now makes the copies in other setups of these textures old.
        self.loaded = versions(Texture::touch);
        self.unresolved = self.multisampled.is_some();
        self.unresolved && stale
    }

    /// Fills the multisampled buffers by blits.
    fn blit_samples(&self, gl: &Gl, shadow: &mut Shadow) {
        let Some(multisampled) = &self.multisampled else {
            return;
        };
        shadow.scissor(None);
        shadow.read_framebuffer(self.direct.name());
        shadow.draw_framebuffer(multisampled.framebuffer());
        self.copy_each(gl);
        gl.draw_buffers(&multisampled.draw_buffers());
    }

    /// Fills the multisampled buffers by draws.
    fn draw_samples(
        &self,
        gl: &Gl,
        shadow: &mut Shadow,
        textures: &SecondaryMap<TextureKey, Texture>,
        copy_in: &CopyIn,
    ) {
        let Some(multisampled) = &self.multisampled else {
            return;
        };
        shadow.draw_framebuffer(multisampled.framebuffer());
        shadow.viewport(self.size());
        for (index, attachment) in self.key.color.iter().enumerate() {
            let Some(ColorAttachment { texture, side }) = attachment else {
                continue;
            };
            let Some(texture) = textures.get(*texture) else {
                continue;
            };
            gl.draw_buffers(&draw_buffers(only(index)));
            copy_in.draw(gl, shadow, (texture.target(), *side), texture.name());
        }
        gl.draw_buffers(&multisampled.draw_buffers());
    }

    /// Resolves the samples into the textures.
    fn resolve(&mut self, gl: &Gl, shadow: &mut Shadow) {
        if !self.unresolved {
            return;
        }
        self.unresolved = false;
        let Some(multisampled) = &self.multisampled else {
            return;
        };
        shadow.scissor(None);
        shadow.read_framebuffer(multisampled.framebuffer());
        if let Some(resolved) = &self.resolved {
            shadow.draw_framebuffer(resolved.framebuffer());
            self.copy_each(gl);
            shadow.read_framebuffer(resolved.framebuffer());
        }
        shadow.draw_framebuffer(self.direct.name());
        self.copy_each(gl);
    }

    /// Blits each colour buffer of the read framebuffer to the same one of the draw framebuffer; a blit alone would send
    /// one to all.
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

    /// The shadow must not take a later framebuffer of the same name for one of these.
    fn forget(&self, shadow: &mut Shadow) {
        shadow.framebuffer_deleted(self.direct.name());
        for buffers in [&self.multisampled, &self.resolved].into_iter().flatten() {
            shadow.framebuffer_deleted(buffers.framebuffer());
        }
    }
}

#[cold]
fn missing() -> BackendError {
    BackendError::Driver("a render target names a texture that was never made".to_owned())
}
