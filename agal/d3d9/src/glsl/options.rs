//! Options of the translation: GLSL dialect and conventions of the host.

use agal_core::float::FloatRules;
use agal_core::glsl::{ClipDepth, Dialect};

use crate::texture_stage::TextureStage;

/// The naming scheme of registers in GLSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RegisterNaming {
    /// Direct3D's names: attributes `v<n>` at location n; varyings by usage, such as `vary_texcoord0`; constants
    /// `vc[K]` and `pc[K]` (`uniform vec4`), integers `vi` and `pi`, booleans `vb` and `pb`; samplers `vs<n>` and
    /// `ps<n>`; colours `oC<n>` at location n.
    #[default]
    Direct3D,
    /// The names of the crate `agal`: attributes `va<n>`, varyings `v<n>` (texture coordinate n), constants `vc` and
    /// `fc`, samplers `vs<n>` and `fs<n>`, colours `oc` or `fo<n>`.
    Agal,
}

/// The transformation of the vertex position to OpenGL's clip space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PositionTransform {
    /// No transformation except for the z range, see [`D3d9GlslOptions::clip_depth`].
    #[default]
    Plain,
    /// Transforms the position by `uniform vec4 d3d9_fixup`: adds x and y of the uniform, times w of the position, then
    /// multiplies y by z of the uniform. (1 / width, -1 / height, 1, _) matches Direct3D 9's pixel centres; z = -1
    /// flips y for render targets that are stored upside down. For targets that aren't upside down, w of the uniform is
    /// the target's height, which `vPos` needs.
    Uniform,
    /// Flips the position like `agal`, and moves it left and down by this fraction of clip space, times w
    /// ([`agal::glsl::GlslOptions::position_bias`]).
    Flipped(f32),
}

/// The options of a translation to GLSL.
#[derive(Clone, Debug, PartialEq)]
pub struct D3d9GlslOptions {
    /// The GLSL dialect; must be in [`DIALECTS`](super::DIALECTS).
    pub dialect: Dialect,
    /// The z range of clip space that the driver uses.
    pub clip_depth: ClipDepth,
    /// The rules for infinity, NaN and zero in arithmetic.
    pub float_rules: FloatRules,
    /// The transformation of the position and of `vPos`.
    pub position: PositionTransform,
    /// The naming scheme of registers.
    pub naming: RegisterNaming,
    /// True if pixel shaders below 3_0 blend `uniform vec4 d3d9_fog_color` by the fog factor.
    pub fog: bool,
    /// True if `oPts`, or the point size output, is written to `gl_PointSize`.
    pub point_size: bool,
    /// True if comments show the assembly source and the names of constants.
    pub comments: bool,
    /// Size of `uniform vec4 vc[K]` if a shader uses relative addressing; 256 by default.
    pub vertex_constants: u16,
    /// The LOD bias of each sampler, which is sampler state in Direct3D but missing in OpenGL ES.
    pub lod_bias: [f32; 16],
    /// Texture stages of ps_1_x: texture dimensions, and whether coordinates are projected. Bump matrices and luminance
    /// are read from `uniform vec4 d3d9_bump[8]` and `uniform vec2 d3d9_luminance[8]`.
    pub stages: [TextureStage; 8],
}

impl D3d9GlslOptions {
    /// Returns options for readable GLSL with Direct3D's register names.
    pub fn new(dialect: Dialect) -> D3d9GlslOptions {
        D3d9GlslOptions {
            dialect,
            clip_depth: ClipDepth::MinusOneToOne,
            float_rules: FloatRules::Direct3D9,
            position: PositionTransform::Plain,
            naming: RegisterNaming::Direct3D,
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
