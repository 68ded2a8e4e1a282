//! Textures with exact texels, and their bindings to samplers.

use backend_gl::glow;
use backend_gl::internals::{Gl, GlCaps, Handle, RGBA8, Rect};
use std::rc::Rc;

use context3d::agal::sampler::{Dimension, Sampler};
use context3d::backend::BackendError;
use context3d::enums::TextureFilter;
use context3d::packets::SamplerState;

use super::grid::FLOATS;
use super::program::texture_target;
use super::{Owned, Probe, ProbeError};

/// The extension that allows filtering of float textures in OpenGL ES.
const FLOAT_FILTER: &str = "GL_OES_texture_float_linear";

/// Texels as RGBA, top row first. The slices are the mip levels of each side in turn, largest level first. Each level
/// has half the size of the one before, rounded down, and at least 1.
#[derive(Clone, Copy, Debug)]
pub enum Texels<'a> {
    /// Normalised bytes: 0 to 255 for 0 to 1.
    Bytes(&'a [&'a [[u8; 4]]]),
    /// Floats, unchanged.
    Floats(&'a [&'a [[f32; 4]]]),
}

/// The contents of a texture.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    /// 2D or cube; a cube has six sides.
    pub dimension: Dimension,
    /// Width of the largest level in texels.
    pub width: u32,
    /// Height of the largest level in texels; a cube's equals its width.
    pub height: u32,
    /// All sides and levels; the number of slices sets the number of levels.
    pub texels: Texels<'a>,
}

/// A texture in the driver's memory.
pub struct Texture {
    texture: Owned<glow::Texture>,
    dimension: Dimension,
    floats: bool,
}

impl std::fmt::Debug for Texture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texture")
            .field("dimension", &self.dimension)
            .field("floats", &self.floats)
            .finish_non_exhaustive()
    }
}

/// A texture for a sampler register.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// The texture.
    pub texture: &'a Texture,
    /// The state from `setSamplerStateAt`. With `None` the program's AGAL sets it and must not contain `ignoresampler`.
    pub state: Option<SamplerState>,
}

impl Probe {
    /// Creates a texture.
    ///
    /// # Errors
    /// [`ProbeError::Input`] when the number of levels, or of texels in a level, is wrong; [`BackendError::Driver`] for
    /// a size that the driver rejects.
    pub fn texture(&mut self, image: &Image<'_>) -> Result<Texture, ProbeError> {
        self.ready()?;
        let gl = Rc::clone(&self.gl);
        let handle: Handle<glow::Texture> = Handle::create(&gl)?;
        let target = texture_target(image.dimension);
        edit_texture(&gl, &self.caps, target, handle.name());
        let faces = match image.dimension {
            Dimension::TwoD => glow::TEXTURE_2D,
            Dimension::Cube => glow::TEXTURE_CUBE_MAP_POSITIVE_X,
        };
        let sides = usize::from(image.dimension.faces());
        let (images, floats) = match image.texels {
            Texels::Bytes(images) => (images.len(), false),
            Texels::Floats(images) => (images.len(), true),
        };
        let levels = images / sides;
        if levels == 0 || images % sides != 0 || levels > 32 {
            return Err(ProbeError::Input(format!(
                "the texture has {images} images for {sides} sides"
            )));
        }
        for (index, (level, face)) in (faces..)
            .take(sides)
            .flat_map(|face| (0i32..).take(levels).map(move |level| (level, face)))
            .enumerate()
        {
            let half = |side: u32| side.checked_shr(level.cast_unsigned()).unwrap_or(0).max(1);
            let size = Rect::new(half(image.width), half(image.height));
            let storage = if floats { FLOATS } else { RGBA8 };
            let scratch;
            let bytes = match image.texels {
                Texels::Bytes(images) => images.get(index).copied().unwrap_or(&[]).as_flattened(),
                Texels::Floats(images) => {
                    let texels = images.get(index).copied().unwrap_or(&[]).as_flattened();
                    scratch = texels.iter().flat_map(|f| f.to_ne_bytes()).collect::<Vec<_>>();
                    &scratch
                }
            };
            if size.bytes(storage.bytes) != Some(bytes.len()) {
                return Err(ProbeError::Input(format!(
                    "{} texels for a level of {} times {}",
                    bytes.len() / storage.bytes,
                    size.width,
                    size.height
                )));
            }
            gl.tex_image(face, level, size, &storage, Some(bytes))?;
        }
        let last = i32::try_from(levels).unwrap_or(1).saturating_sub(1);
        gl.tex_parameter(target, glow::TEXTURE_MAX_LEVEL, last);
        gl.check("making a texture")?;
        Ok(Texture { texture: Owned::new(self, handle), dimension: image.dimension, floats })
    }

    /// Binds the textures of a program's samplers, each to the texture unit with its register number.
    pub(super) fn bind_textures(
        &mut self,
        samplers: &[Option<Sampler>],
        bindings: &[Option<Binding<'_>>],
    ) -> Result<(), ProbeError> {
        for sampler in samplers.iter().flatten() {
            let register = usize::from(sampler.register);
            let wrong = |what| ProbeError::Input(format!("sampler {register}: {what}"));
            let binding =
                bindings.get(register).copied().flatten().ok_or_else(|| wrong("no texture"))?;
            if binding.texture.dimension != sampler.dimension {
                return Err(wrong("the texture isn't of the kind that the program reads"));
            }
            let state = match binding.state {
                Some(state) => state,
                None if sampler.ignore_sampler => {
                    return Err(wrong("no sampler state, which `ignoresampler` needs"));
                }
                None => SamplerState::from(sampler),
            };
            self.bind_texture(sampler.register.into(), binding.texture, state)?;
        }
        Ok(())
    }

    pub(super) fn bind_texture(
        &mut self,
        unit: u32,
        texture: &Texture,
        state: SamplerState,
    ) -> Result<(), ProbeError> {
        let linear = state.filter != TextureFilter::Nearest;
        let blends = linear || state.mip == context3d::enums::MipFilter::Linear;
        if texture.floats && blends && self.caps.es && !self.gl.has_extension(FLOAT_FILTER) {
            return Err(ProbeError::Missing(FLOAT_FILTER));
        }
        let name = texture.texture.name(self)?;
        self.bind_unit(unit, texture_target(texture.dimension), name, state)?;
        Ok(())
    }

    /// Binds a texture with a sampler.
    pub(super) fn bind_unit(
        &mut self,
        unit: u32,
        target: u32,
        texture: glow::Texture,
        state: SamplerState,
    ) -> Result<(), BackendError> {
        let sampler = self.samplers.get(&self.gl, &self.caps, state).map_err(|error| *error)?;
        self.gl.active_texture(glow::TEXTURE0.saturating_add(unit));
        self.gl.bind_texture(target, Some(texture));
        self.gl.bind_sampler(unit, Some(sampler.name));
        Ok(())
    }
}

/// Binds a texture to the upload unit, which no program's sampler uses.
pub(super) fn edit_texture(gl: &Gl, caps: &GlCaps, target: u32, texture: glow::Texture) {
    gl.active_texture(glow::TEXTURE0.saturating_add(caps.upload_unit));
    gl.bind_texture(target, Some(texture));
}

/// Nearest filtering without mip levels, for copies texel by pixel.
pub(super) const EXACT: SamplerState = SamplerState {
    wrap: context3d::enums::WrapMode::Clamp,
    filter: TextureFilter::Nearest,
    mip: context3d::enums::MipFilter::None,
};
