//! What the emitter must know of the host.

use agal::glsl::{ClipDepth, Dialect};

use crate::interp::Stage;

/// How things that both sides name are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// Attributes `v<n>` at location n; varyings by usage, `vary_texcoord0`; constants `uniform vec4 vc[K]` and `pc[K]`,
    /// integers `vi`, `pi`, truth values `vb`, `pb`; samplers `vs<n>` and `ps<n>`; colours `oC<n>` at location n.
    #[default]
    Direct3D,
    /// As `agal` emits them: attributes `va<n>`, varyings `v<n>` (texture coordinate n), constants `vc`, `fc`, samplers `vs<n>`,
    /// `fs<n>`, colours `oc` or `fo<n>`.
    Agal,
}

/// What becomes of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Position {
    /// Clip space of OpenGL: only z changes, by [`Target::clip_depth`].
    #[default]
    Plain,
    /// By `uniform vec4 d3d9_fixup`: x and y are added to the position, times w, and y is multiplied with z before. With
    /// (1 / width, -1 / height, 1, _) pixel centres are where Direct3D 9 has them; z = -1 mirrors, for surfaces that are
    /// kept upside down. Its w is the height for `vPos` of a surface that is not.
    Uniform,
    /// As `agal` does it for its backends: mirrored, and moved to the left and down by so much of clip space, times w
    /// ([`agal::glsl::Target::position_bias`]).
    Mirrored(f32),
}

/// What the emitter must know of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// 330 or 300 es.
    pub dialect: Dialect,
    /// Clip space.
    pub clip_depth: ClipDepth,
    /// What becomes of a position, and of `vPos`.
    pub position: Position,
    /// How things are called.
    pub names: Names,
    /// Pixel shaders below 3_0 blend with `uniform vec4 d3d9_fog_color` by the fog factor.
    pub fog: bool,
    /// Vertex shaders set `gl_PointSize`.
    pub point_size: bool,
    /// Comments with the assembly, and with the names of constants.
    pub comments: bool,
    /// Registers of `uniform vec4 vc[K]` where a shader indexes them: 256 unless the host has another number.
    pub vertex_constants: u16,
    /// Added to the level of detail, by sampler: a sampler's state that OpenGL ES does not have.
    pub lod_bias: [f32; 16],
    /// Texture stages, for ps_1_x: the kinds of texture, and whether coordinates are projected. Matrices and luminance are
    /// `uniform vec4 d3d9_bump[8]` and `uniform vec2 d3d9_luminance[8]`.
    pub stages: [Stage; 8],
}

impl Target {
    /// Readable GLSL with Direct3D's names.
    pub fn new(dialect: Dialect) -> Target {
        Target {
            dialect,
            clip_depth: ClipDepth::MinusOneToOne,
            position: Position::Plain,
            names: Names::Direct3D,
            fog: false,
            point_size: false,
            comments: false,
            vertex_constants: 256,
            lod_bias: [0.0; 16],
            stages: [Stage::default(); 8],
        }
    }

    pub(super) fn stage(&self, number: u16) -> Stage {
        let stage = self.stages.get(usize::from(number));
        stage.copied().unwrap_or_default()
    }
}
