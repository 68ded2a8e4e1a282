//! Copies textures into multisampled framebuffers by drawing, if a blit isn't allowed.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::enums::{BlendFactor, CompareMode, FillMode, StencilAction, TriangleFace};
use context3d::packets::{Raster, StencilFace};

use crate::caps::GlCaps;
use crate::gl::{Failed, Gl, Handle, Object};
use crate::shadow::Shadow;

/// One triangle that covers the target, without vertex data.
const VERTEX: &str = "
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
";

/// Copies texel by texel. All outputs are written; the framebuffer's draw buffers select one.
const FRAGMENT_2D: &str = "
uniform sampler2D source;
layout(location = 0) out vec4 color[4];
void main() {
    vec4 texel = texelFetch(source, ivec2(gl_FragCoord.xy), 0);
    color[0] = texel;
    color[1] = texel;
    color[2] = texel;
    color[3] = texel;
}
";

/// The same for one face of a cube, which can only be sampled by direction: the inverse of the table in OpenGL ES 3.0,
/// section 3.8.10. A nearest filter at texel centres is exact for every size that a cube can have.
const FRAGMENT_CUBE: &str = "
uniform samplerCube source;
uniform int side;
layout(location = 0) out vec4 color[4];
void main() {
    vec2 st = gl_FragCoord.xy / vec2(textureSize(source, 0)) * 2.0 - 1.0;
    vec3 direction = vec3(1.0, -st.t, -st.s);
    if (side == 1) direction = vec3(-1.0, -st.t, st.s);
    if (side == 2) direction = vec3(st.s, 1.0, st.t);
    if (side == 3) direction = vec3(st.s, -1.0, -st.t);
    if (side == 4) direction = vec3(st.s, -st.t, 1.0);
    if (side == 5) direction = vec3(-st.s, -st.t, -1.0);
    vec4 texel = textureLod(source, direction, 0.0);
    color[0] = texel;
    color[1] = texel;
    color[2] = texel;
    color[3] = texel;
}
";

/// A stencil test that passes and changes nothing.
const KEEP: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// Replaces the colour of every pixel and nothing else.
pub(crate) const REPLACE_COLOR: Raster = Raster {
    scissor: None,
    color_mask: [true; 4],
    blend: (BlendFactor::One, BlendFactor::Zero),
    depth_write: false,
    depth_compare: CompareMode::Always,
    stencil_front: KEEP,
    stencil_back: KEEP,
    stencil_reference: 0,
    stencil_read_mask: u8::MAX,
    stencil_write_mask: u8::MAX,
    cull: TriangleFace::None,
    fill: FillMode::Solid,
};

/// The programs and the sampler for copies.
pub(crate) struct TextureBlit {
    two_d: Handle<glow::Program>,
    cube: Handle<glow::Program>,
    side: Option<glow::UniformLocation>,
    sampler: Handle<glow::Sampler>,
}

impl TextureBlit {
    /// Compiles the programs.
    pub(crate) fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
    ) -> Result<Self, BackendError> {
        let two_d = program(gl, caps, FRAGMENT_2D)?;
        let cube = program(gl, caps, FRAGMENT_CUBE)?;
        for made in [&two_d, &cube] {
            shadow.use_program(made.object());
            gl.check("using a program")?;
            let source = gl.uniform_location(made.name(), "source");
            gl.uniform_int(source.as_ref(), 0);
        }
        let side = gl.uniform_location(cube.name(), "side");
        let sampler: Handle<glow::Sampler> = Handle::create(gl)?;
        for (name, value) in [
            (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
            (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
            (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
        ] {
            gl.sampler_parameter(sampler.name(), name, value.cast_signed());
        }
        gl.check("making the programs that fill multisampled targets")?;
        Ok(Self { two_d, cube, side, sampler })
    }

    /// Draws level 0 of a texture into the bound draw framebuffer; the viewport must have the texture's size.
    pub(crate) fn draw(
        &self,
        gl: &Gl,
        shadow: &mut Shadow,
        (target, side): (u32, u8),
        texture: Object<glow::Texture>,
    ) {
        let cube = target == glow::TEXTURE_CUBE_MAP;
        let program = if cube { &self.cube } else { &self.two_d };
        shadow.use_program(program.object());
        if cube {
            gl.uniform_int(self.side.as_ref(), i32::from(side));
        }
        shadow.enabled_attributes(0);
        shadow.texture(0, target, texture, self.sampler.object());
        shadow.raster(&REPLACE_COLOR);
        gl.draw_arrays(glow::TRIANGLES, 0, 3);
    }
}

/// A program that draws one triangle over the whole target with this fragment shader, which has no version line.
pub(crate) fn program(
    gl: &Rc<Gl>,
    caps: &GlCaps,
    fragment: &str,
) -> Result<Handle<glow::Program>, BackendError> {
    let version = if caps.es { "300 es" } else { "330" };
    // The default precision of samplers in OpenGL ES may round half floats.
    let precision = "precision highp float;\nprecision highp int;\n\
        precision highp sampler2D;\nprecision highp samplerCube;\n";
    let source = |body: &str| format!("#version {version}\n{precision}{body}");
    let failed =
        |stage, body: &str, log| BackendError::CompileFailed { stage, glsl: source(body), log };
    let handle = Handle::create(gl)?;
    let name: glow::Program = handle.name();
    let built = gl.build(name, &source(VERTEX), &source(fragment));
    built.map_err(|(what, log)| match what {
        Failed::Vertex => failed("vertex", VERTEX, log),
        Failed::Fragment => failed("fragment", fragment, log),
        Failed::Link => failed("link", fragment, log),
    })?;
    Ok(handle)
}
