//! The output dialect and the host's conventions.

use agal_core::float::FloatRules;
use agal_core::glsl::{ClipDepth, Dialect};

use crate::texture_stage::TextureStage;

/// The names of registers in GLSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Naming {
    /// Attributes `v<n>` at location n; varyings by usage, such as `vary_texcoord0`; constants `uniform vec4 vc[K]` and
    /// `pc[K]`, integers `vi` and `pi`, booleans `vb` and `pb`; samplers `vs<n>` and `ps<n>`; colours `oC<n>` at
    /// location n.
    #[default]
    Direct3D,
    /// The names of `agal`'s GLSL: attributes `va<n>`, varyings `v<n>` (texture coordinate n), constants `vc` and `fc`,
    /// samplers `vs<n>` and `fs<n>`, colours `oc` or `fo<n>`.
    Agal,
}

/// The adjustment of the position to the clip space of OpenGL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PositionTransform {
    /// OpenGL clip space: only z changes, by [`D3d9GlslOptions::clip_depth`].
    #[default]
    Plain,
    /// Adjusted by `uniform vec4 d3d9_fixup`: its x and y, times w of the position, are added to the position, then y
    /// is multiplied by its z. With (1 / width, -1 / height, 1, _) pixel centres are where Direct3D 9 has them; z = -1
    /// flips y, for render targets that are stored upside down. For other targets its w is the target's height, which
    /// `vPos` needs.
    Uniform,
    /// Flipped as `agal` does for its backends, and moved left and down by this part of clip space, times w
    /// ([`agal::glsl::GlslOptions::position_bias`]).
    Flipped(f32),
}

/// The options of a translation.
#[derive(Clone, Debug, PartialEq)]
pub struct D3d9GlslOptions {
    /// One of [`DIALECTS`](super::DIALECTS).
    pub dialect: Dialect,
    /// The range of z in clip space that the driver clips to.
    pub clip_depth: ClipDepth,
    /// The rules of arithmetic at the edges of floats.
    pub float_rules: FloatRules,
    /// How the position and `vPos` are adjusted.
    pub position: PositionTransform,
    /// The names of registers.
    pub naming: Naming,
    /// Pixel shaders below 3_0 blend with `uniform vec4 d3d9_fog_color` by the fog factor.
    pub fog: bool,
    /// Writes `gl_PointSize` from `oPts` or the point size output.
    pub point_size: bool,
    /// Adds comments with the assembly and with the names of constants.
    pub comments: bool,
    /// Size of `uniform vec4 vc[K]` where a shader uses relative addressing: 256 unless the host has another number.
    pub vertex_constants: u16,
    /// LOD bias by sampler: sampler state that OpenGL ES doesn't have.
    pub lod_bias: [f32; 16],
    /// Texture stages for ps_1_x: texture dimensions, and whether coordinates are projected. Bump matrices and
    /// luminance come from `uniform vec4 d3d9_bump[8]` and `uniform vec2 d3d9_luminance[8]`.
    pub stages: [TextureStage; 8],
}

impl D3d9GlslOptions {
    /// Returns options for readable GLSL with Direct3D's names.
    pub fn new(dialect: Dialect) -> D3d9GlslOptions {
        D3d9GlslOptions {
            dialect,
            clip_depth: ClipDepth::MinusOneToOne,
            float_rules: FloatRules::Direct3D9,
            position: PositionTransform::Plain,
            naming: Naming::Direct3D,
            fog: false,
            point_size: false,
            comments: false,
            vertex_constants: 256,
            lod_bias: [0.0; 16],
            stages: [TextureStage::default(); 8],
        }
    }

    pub(super) fn stage(&self, number: u16) -> TextureStage {
        let stage = self.stages.get(usize::from(number));
        stage.copied().unwrap_or_default()
    }
}
