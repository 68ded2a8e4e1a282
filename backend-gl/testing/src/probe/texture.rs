//! Textures with exact texels, and their bindings to samplers.

use backend_gl::glow;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use context3d::agal::sampler::{Dimension, SamplerOp};
use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter, WrapMode};
use context3d::packets::SamplerState;

use super::gl::{DriverLevel, DriverSize, ProbeGl, ProbeHandle};
use super::{ShaderRunError, ShaderRunner};

/// The extension that allows filtering of float textures in OpenGL ES.
const FLOAT_FILTER: &str = "GL_OES_texture_float_linear";

/// Texels as RGBA, top row first. The slices are the mip levels of the first face, largest level first, followed by
/// those of the next face. Each level has half the size of the previous level, rounded down, and at least 1.
#[derive(Clone, Copy, Debug)]
pub enum TexelData<'a> {
    /// Normalised bytes: 0 to 255 for 0 to 1.
    Bytes(&'a [&'a [[u8; 4]]]),
    /// Floats, unchanged.
    Floats(&'a [&'a [[f32; 4]]]),
}

#[derive(Clone, Copy, Debug)]
pub struct ProbeImage<'a> {
    /// 2D or cube; a cube has six sides.
    pub dimension: Dimension,
    /// Width of the largest level in texels.
    pub width: u32,
    /// Height of the largest level in texels; a cube's equals its width.
    pub height: u32,
    /// The texels of all faces and levels. The number of slices determines the number of levels.
    pub texels: TexelData<'a>,
}

/// A texture in the driver's memory.
pub struct DriverTexture {
    texture: ProbeHandle<glow::Texture>,
    dimension: Dimension,
    floats: bool,
}

impl std::fmt::Debug for DriverTexture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texture")
            .field("dimension", &self.dimension)
            .field("floats", &self.floats)
            .finish_non_exhaustive()
    }
}

/// A texture for a sampler register.
#[derive(Clone, Copy, Debug)]
pub struct SamplerBinding<'a> {
    pub texture: &'a DriverTexture,
    /// The state from `setSamplerStateAt`. With `None`, the program's AGAL sets the state, without `ignoresampler`.
    pub state: Option<SamplerState>,
}

impl ShaderRunner {
    pub fn texture(&mut self, image: &ProbeImage<'_>) -> Result<DriverTexture, ShaderRunError> {
        self.ready()?;
        let gl = Rc::clone(&self.gl);
        let handle = gl.create_texture()?;
        let target = texture_target(image.dimension);
        edit_texture(&gl, target, handle.name());
        let faces = match image.dimension {
            Dimension::TwoD => glow::TEXTURE_2D,
            Dimension::Cube => glow::TEXTURE_CUBE_MAP_POSITIVE_X,
        };
        let sides = usize::from(image.dimension.faces());
        let (images, floats) = match image.texels {
            TexelData::Bytes(images) => (images.len(), false),
            TexelData::Floats(images) => (images.len(), true),
        };
        let levels = images / sides;
        if levels == 0 || images % sides != 0 || levels > 32 {
            return Err(ShaderRunError::Input(format!(
                "the texture has {images} images for {sides} sides"
            )));
        }
        for (index, (level, face)) in (faces..)
            .take(sides)
            .flat_map(|face| (0i32..).take(levels).map(move |level| (level, face)))
            .enumerate()
        {
            let half = |side: u32| side.checked_shr(level.cast_unsigned()).unwrap_or(0).max(1);
            let size = DriverSize::new(half(image.width), half(image.height));
            let texels = match image.texels {
                TexelData::Bytes(images) => {
                    DriverLevel::Bytes(images.get(index).copied().unwrap_or(&[]))
                }
                TexelData::Floats(images) => {
                    DriverLevel::Floats(images.get(index).copied().unwrap_or(&[]))
                }
            };
            if size.pixels() != texels.len() {
                let (count, DriverSize { width, height }) = (texels.len(), size);
                let text = format!("{count} texels for a level of {width} times {height}");
                return Err(ShaderRunError::Input(text));
            }
            gl.tex_image(face, level, size, texels)?;
        }
        let last = i32::try_from(levels).unwrap_or(1).saturating_sub(1);
        gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, last);
        gl.check("creating a texture")?;
        Ok(DriverTexture { texture: handle, dimension: image.dimension, floats })
    }

    /// Binds the textures of a program's samplers, each to the texture unit with its register number.
    pub(super) fn bind_textures(
        &mut self,
        samplers: &[Option<SamplerOp>],
        bindings: &[Option<SamplerBinding<'_>>],
    ) -> Result<(), ShaderRunError> {
        for sampler in samplers.iter().flatten() {
            let register = usize::from(sampler.register);
            let wrong = |what| ShaderRunError::Input(format!("sampler {register}: {what}"));
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
        texture: &DriverTexture,
        state: SamplerState,
    ) -> Result<(), ShaderRunError> {
        let linear = state.filter != TextureFilter::Nearest;
        let blends = linear || state.mip == MipFilter::Linear;
        if texture.floats && blends && self.gl.version().1 && !self.gl.has_extension(FLOAT_FILTER) {
            return Err(ShaderRunError::Missing(FLOAT_FILTER));
        }
        let name = self.name(&texture.texture)?;
        self.bind_unit(unit, texture_target(texture.dimension), name, state)?;
        Ok(())
    }

    pub(super) fn bind_unit(
        &mut self,
        unit: u32,
        target: u32,
        texture: glow::Texture,
        state: SamplerState,
    ) -> Result<(), BackendError> {
        let gl = &self.gl;
        let sampler = match self.samplers.entry(state) {
            Entry::Occupied(known) => known.get().name(),
            Entry::Vacant(free) => free.insert(sampler(gl, state)?).name(),
        };
        gl.active_texture(glow::TEXTURE0.saturating_add(unit));
        gl.bind_texture(target, Some(texture));
        gl.bind_sampler(unit, Some(sampler));
        Ok(())
    }
}

fn sampler(
    gl: &Rc<ProbeGl>,
    state: SamplerState,
) -> Result<ProbeHandle<glow::Sampler>, BackendError> {
    let handle = gl.create_sampler()?;
    let (s, t) = match state.wrap {
        WrapMode::Clamp => (glow::CLAMP_TO_EDGE, glow::CLAMP_TO_EDGE),
        WrapMode::Repeat => (glow::REPEAT, glow::REPEAT),
        WrapMode::ClampURepeatV => (glow::CLAMP_TO_EDGE, glow::REPEAT),
        WrapMode::RepeatUClampV => (glow::REPEAT, glow::CLAMP_TO_EDGE),
    };
    let (mag, anisotropy) = match state.filter {
        TextureFilter::Nearest => (glow::NEAREST, 1.0),
        TextureFilter::Linear => (glow::LINEAR, 1.0),
        TextureFilter::Anisotropic2x => (glow::LINEAR, 2.0),
        TextureFilter::Anisotropic4x => (glow::LINEAR, 4.0),
        TextureFilter::Anisotropic8x => (glow::LINEAR, 8.0),
        TextureFilter::Anisotropic16x => (glow::LINEAR, 16.0),
    };
    let min = match (state.mip, mag == glow::LINEAR) {
        (MipFilter::None, _) => mag,
        (MipFilter::Nearest, false) => glow::NEAREST_MIPMAP_NEAREST,
        (MipFilter::Nearest, true) => glow::LINEAR_MIPMAP_NEAREST,
        (MipFilter::Linear, false) => glow::NEAREST_MIPMAP_LINEAR,
        (MipFilter::Linear, true) => glow::LINEAR_MIPMAP_LINEAR,
    };
    for (name, value) in [
        (glow::TEXTURE_WRAP_S, s),
        (glow::TEXTURE_WRAP_T, t),
        (glow::TEXTURE_WRAP_R, glow::CLAMP_TO_EDGE),
        (glow::TEXTURE_MIN_FILTER, min),
        (glow::TEXTURE_MAG_FILTER, mag),
    ] {
        gl.sampler_parameter_i32(handle.name(), name, value.cast_signed());
    }
    let anisotropy = gl.max_anisotropy().min(anisotropy);
    if anisotropy > 1.0 {
        gl.sampler_parameter_f32(handle.name(), glow::TEXTURE_MAX_ANISOTROPY_EXT, anisotropy);
    }
    Ok(handle)
}

/// The unit for uploads, which no program's sampler uses. OpenGL 3.3 and OpenGL ES 3.0 have at least 32 texture units.
pub(super) const UPLOAD_UNIT: u32 = 16;

/// Binds a texture to [`UPLOAD_UNIT`].
pub(super) fn edit_texture(gl: &ProbeGl, target: u32, texture: glow::Texture) {
    gl.active_texture(glow::TEXTURE0.saturating_add(UPLOAD_UNIT));
    gl.bind_texture(target, Some(texture));
}

/// Sampler state with nearest filters and without mip levels, for exact copies of texels.
pub(super) const EXACT: SamplerState =
    SamplerState { wrap: WrapMode::Clamp, filter: TextureFilter::Nearest, mip: MipFilter::None };

pub(super) fn texture_target(dimension: Dimension) -> u32 {
    match dimension {
        Dimension::TwoD => glow::TEXTURE_2D,
        Dimension::Cube => glow::TEXTURE_CUBE_MAP,
    }
}
