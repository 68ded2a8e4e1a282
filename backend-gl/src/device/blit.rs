//! Copies textures with draws, where a blit isn't allowed or would change the colours.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    WrapMode,
};
use context3d::packets::{Raster, SamplerState, StencilFace};

use crate::caps::GlCaps;
use crate::gl::{BuildStep, GlFunctions, GlHandle, UniqueName};
use crate::shadow::Shadow;

/// Vertex shader without inputs: one triangle that covers the target.
const VERTEX: &str = "
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}
";

/// The end of a fragment shader, which writes all outputs; the framebuffer's draw buffers select one.
const WRITE: &str = "
layout(location = 0) out vec4 color[4];
void main() {
    vec4 written = texel();
    color[0] = written;
    color[1] = written;
    color[2] = written;
    color[3] = written;
}
";

/// Fragment shader that copies texel by texel.
const FRAGMENT_2D: &str = "
uniform sampler2D source;
vec4 texel() {
    return texelFetch(source, ivec2(gl_FragCoord.xy), 0);
}
";

/// Scales the texture to the viewport and converts from sRGB to linear: the inverse of GL's conversion for an sRGB
/// framebuffer (OpenGL ES 3.0, section 4.1.8). Filters the sRGB values, as a blit to a linear framebuffer does.
pub(crate) const FRAGMENT_DECODED: &str = "
uniform sampler2D source;
uniform int choice; // 1: the first row is the texture's last row
in vec2 at;
vec4 texel() {
    vec4 texel = textureLod(source, vec2(at.x, choice == 1 ? 1.0 - at.y : at.y), 0.0);
    vec3 curve = pow((texel.rgb + 0.055) / 1.055, vec3(2.4));
    return vec4(mix(texel.rgb / 12.92, curve, greaterThan(texel.rgb, vec3(0.04045))), texel.a);
}
";

/// Copies one face of a cube texel by texel. GLSL samples a cube only by direction, so the code inverts the table in
/// OpenGL ES 3.0, section 3.8.10. A nearest filter at texel centres is exact for every size of cube.
const FRAGMENT_CUBE: &str = "
uniform samplerCube source;
uniform int choice; // the side
vec4 texel() {
    vec2 st = gl_FragCoord.xy / vec2(textureSize(source, 0)) * 2.0 - 1.0;
    vec3 direction = vec3(1.0, -st.t, -st.s);
    if (choice == 1) direction = vec3(-1.0, -st.t, st.s);
    if (choice == 2) direction = vec3(st.s, 1.0, st.t);
    if (choice == 3) direction = vec3(st.s, -1.0, -st.t);
    if (choice == 4) direction = vec3(st.s, -st.t, 1.0);
    if (choice == 5) direction = vec3(-st.s, -st.t, -1.0);
    return textureLod(source, direction, 0.0);
}
";

/// A stencil test that passes and has no effect.
const KEEP: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// Raster state that replaces the colour of every pixel.
pub(crate) const REPLACE_COLOR: Raster = Raster {
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

/// Returns the sampler state for scaled copies: linear if `smooth`, else nearest.
pub(crate) fn scaling(smooth: bool) -> SamplerState {
    let filter = if smooth { TextureFilter::Linear } else { TextureFilter::Nearest };
    SamplerState { wrap: WrapMode::Clamp, filter, mip: MipFilter::None }
}

/// A program that draws a texture into the viewport.
pub(crate) struct CopyProgram {
    program: GlHandle<glow::Program>,
    choice: Option<glow::UniformLocation>,
}

impl CopyProgram {
    /// Compiles the program with a fragment shader of this module, such as [`FRAGMENT_DECODED`].
    pub(crate) fn create(
        gl: &Rc<GlFunctions>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        fragment: &str,
    ) -> Result<Self, BackendError> {
        let program = program(gl, caps, &[fragment, WRITE].concat())?;
        shadow.program(program.object());
        gl.check("using a program")?;
        let location = |name| gl.uniform_location(program.name(), name);
        let (source, choice) = (location("source"), location("choice"));
        gl.uniform_int(source.as_ref(), 0);
        gl.check("creating a program for copies")?;
        Ok(Self { program, choice })
    }

    /// Draws level 0 of a texture into the bound draw framebuffer. The fragment shader defines the meaning of `choice`.
    pub(crate) fn draw(
        &self,
        gl: &GlFunctions,
        shadow: &mut Shadow,
        choice: i32,
        (target, texture): (u32, UniqueName<glow::Texture>),
        sampler: UniqueName<glow::Sampler>,
    ) {
        shadow.program(self.program.object());
        gl.uniform_int(self.choice.as_ref(), choice);
        shadow.enabled_attributes(0);
        shadow.texture(0, target, texture, sampler);
        shadow.raster(&REPLACE_COLOR);
        shadow.scissor(None);
        gl.draw_arrays(glow::TRIANGLES, 0, 3);
    }
}

/// The programs and the sampler for copies without scaling.
pub(crate) struct TextureBlit {
    two_d: CopyProgram,
    cube: CopyProgram,
    sampler: UniqueName<glow::Sampler>,
}

impl TextureBlit {
    /// Compiles the copy programs.
    pub(crate) fn create(
        gl: &Rc<GlFunctions>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        sampler: UniqueName<glow::Sampler>,
    ) -> Result<Self, BackendError> {
        let two_d = CopyProgram::create(gl, caps, shadow, FRAGMENT_2D)?;
        let cube = CopyProgram::create(gl, caps, shadow, FRAGMENT_CUBE)?;
        Ok(Self { two_d, cube, sampler })
    }

    /// Draws level 0 of a texture into the bound draw framebuffer; the viewport must have the texture's size.
    pub(crate) fn draw(
        &self,
        gl: &GlFunctions,
        shadow: &mut Shadow,
        (target, side): (u32, u8),
        texture: UniqueName<glow::Texture>,
    ) {
        let copy = if target == glow::TEXTURE_CUBE_MAP { &self.cube } else { &self.two_d };
        copy.draw(gl, shadow, side.into(), (target, texture), self.sampler);
    }
}

/// Builds a program that draws one triangle over the whole target with this fragment shader, which has no version line.
fn program(
    gl: &Rc<GlFunctions>,
    caps: &GlCaps,
    fragment: &str,
) -> Result<GlHandle<glow::Program>, BackendError> {
    let version = if caps.es { "300 es" } else { "330" };
    // The default precision of samplers in OpenGL ES may round half floats.
    let precision = "precision highp float;\nprecision highp int;\n\
        precision highp sampler2D;\nprecision highp samplerCube;\n";
    let source = |body: &str| format!("#version {version}\n{precision}{body}");
    let failed =
        |stage, body: &str, log| BackendError::CompileFailed { stage, source: source(body), log };
    let handle = GlHandle::create(gl)?;
    let name: glow::Program = handle.name();
    let built = gl.build(name, &source(VERTEX), &source(fragment));
    built.map_err(|(what, log)| match what {
        BuildStep::Vertex => failed("vertex", VERTEX, log),
        BuildStep::Fragment => failed("fragment", fragment, log),
        BuildStep::Link => failed("link", fragment, log),
    })?;
    Ok(handle)
}
