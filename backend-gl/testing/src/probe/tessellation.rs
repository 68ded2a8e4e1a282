//! Tessellation with the caller's vertex, control and evaluation shaders, whose outputs are captured as 32-bit words.

use backend_gl::glow;
use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::SamplerState;

use super::gl::{ProbeGl, ProbeHandle};
use super::program::link_failed;
use super::texture::DriverTexture;
use super::{ShaderRunError, ShaderRunner};

#[derive(Clone, Copy, Debug)]
pub struct TessellationRunner<'a> {
    /// Vertex shader: runs once per input control point.
    pub vertex: &'a str,
    /// Tessellation control shader: runs once per output control point.
    pub control: &'a str,
    /// Tessellation evaluation shader: runs once per vertex that the tessellator generates.
    pub evaluation: &'a str,
    /// Fragment shader: never runs, but OpenGL ES requires one.
    pub fragment: &'a str,
    /// The evaluation shader's outputs to capture, interleaved in this order.
    pub captured: &'a [&'a str],
}

pub struct TessellationProgram {
    program: ProbeHandle<glow::Program>,
}

impl std::fmt::Debug for TessellationProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TessellationProgram").finish_non_exhaustive()
    }
}

/// The tessellator's output primitive, set by the evaluation shader's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    Points,
    Lines,
    Triangles,
}

impl Primitive {
    pub fn vertices(self) -> usize {
        match self {
            Primitive::Points => 1,
            Primitive::Lines => 2,
            Primitive::Triangles => 3,
        }
    }

    fn mode(self) -> u32 {
        match self {
            Primitive::Points => glow::POINTS,
            Primitive::Lines => glow::LINES,
            Primitive::Triangles => glow::TRIANGLES,
        }
    }
}

/// Format of a buffer that a shader reads through a `usamplerBuffer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelFormat {
    One,
    Four,
}

#[derive(Clone, Copy, Debug)]
pub struct TessellationRun<'a> {
    pub patch_vertices: u32,
    pub patches: u32,
    pub primitive: Primitive,
    pub words: usize,
    /// Capacity of the capture buffer in vertices; vertices beyond it are lost.
    pub max_vertices: usize,
    /// Uniform blocks by name, each an array of 4-word registers.
    pub blocks: &'a [(String, &'a [[u32; 4]])],
    pub buffers: &'a [(String, TexelFormat, &'a [u32])],
    pub textures: &'a [(String, &'a DriverTexture, SamplerState)],
}

const MAX_WORDS: usize = 1 << 24;
/// Maximum number of uniform blocks, and of buffers and textures together.
const MAX_BINDINGS: usize = 14;

impl ShaderRunner {
    /// Checks that the driver has tessellation.
    pub fn require_tessellation(&self) -> Result<(), ShaderRunError> {
        if self.gl.has_tessellation() {
            Ok(())
        } else {
            Err(ShaderRunError::Missing("tessellation (OpenGL 4.0, OpenGL ES 3.2)"))
        }
    }

    pub fn tessellation_program(
        &mut self,
        sources: &TessellationRunner<'_>,
    ) -> Result<TessellationProgram, ShaderRunError> {
        self.ready()?;
        self.require_tessellation()?;
        let gl = &self.gl;
        let handle = gl.create_program()?;
        let program = handle.name();
        for (kind, stage, text) in [
            (glow::VERTEX_SHADER, "vertex", sources.vertex),
            (glow::TESS_CONTROL_SHADER, "tessellation control", sources.control),
            (glow::TESS_EVALUATION_SHADER, "tessellation evaluation", sources.evaluation),
            (glow::FRAGMENT_SHADER, "fragment", sources.fragment),
        ] {
            gl.attach_shader(program, gl.compile(kind, stage, text)?.name());
        }
        gl.transform_feedback_varyings(program, sources.captured, glow::INTERLEAVED_ATTRIBS);
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            let all = [sources.control, sources.evaluation].join("\n");
            return Err(link_failed(gl, program, all).into());
        }
        gl.check("creating a program with tessellation")?;
        Ok(TessellationProgram { program: handle })
    }

    /// Runs a program on its patches and returns the captured words, vertex by vertex.
    pub fn run_tessellation(
        &mut self,
        program: &TessellationProgram,
        run: &TessellationRun<'_>,
    ) -> Result<Vec<u32>, ShaderRunError> {
        self.ready()?;
        let words = run.words.saturating_mul(run.max_vertices);
        let vertices =
            run.patch_vertices.checked_mul(run.patches).and_then(|count| i32::try_from(count).ok());
        let (Some(vertices), Ok(patch_vertices)) = (vertices, i32::try_from(run.patch_vertices))
        else {
            return Err(ShaderRunError::Input("too many patches".to_owned()));
        };
        let (blocks, units) =
            (run.blocks.len(), run.buffers.len().saturating_add(run.textures.len()));
        if words > MAX_WORDS || blocks.max(units) > MAX_BINDINGS {
            return Err(ShaderRunError::Input(format!(
                "{words} words, {blocks} blocks and {units} buffers and textures are more than {MAX_WORDS}, \
                 {MAX_BINDINGS} and {MAX_BINDINGS}"
            )));
        }
        let name = self.name(&program.program)?;
        let gl = Rc::clone(&self.gl);
        gl.use_program(Some(name));
        // Bound objects must live until the end of the run.
        let mut bound: Vec<ProbeHandle<glow::Buffer>> = Vec::new();
        let mut textures: Vec<ProbeHandle<glow::Texture>> = Vec::new();
        for ((block, registers), binding) in run.blocks.iter().zip(0u32..) {
            let buffer = upload(&gl, glow::UNIFORM_BUFFER, registers.as_flattened())?;
            if let Some(index) = gl.get_uniform_block_index(name, block) {
                gl.uniform_block_binding(name, index, binding);
                gl.bind_buffer_base(glow::UNIFORM_BUFFER, binding, Some(buffer.name()));
            }
            bound.push(buffer);
        }
        for ((uniform, texel, words), unit) in run.buffers.iter().zip(0i32..) {
            let buffer = upload(&gl, glow::TEXTURE_BUFFER, words)?;
            let texture = gl.create_texture()?;
            let format = match texel {
                TexelFormat::One => glow::R32UI,
                TexelFormat::Four => glow::RGBA32UI,
            };
            gl.active_texture(glow::TEXTURE0.saturating_add(unit.unsigned_abs()));
            gl.bind_texture(glow::TEXTURE_BUFFER, Some(texture.name()));
            gl.tex_buffer(glow::TEXTURE_BUFFER, format, Some(buffer.name()));
            let location = gl.get_uniform_location(name, uniform);
            gl.uniform_1_i32(location.as_ref(), unit);
            bound.push(buffer);
            textures.push(texture);
        }
        for ((uniform, texture, state), unit) in run.textures.iter().zip(run.buffers.len()..) {
            let unit = i32::try_from(unit).unwrap_or(0);
            self.bind_texture(unit.unsigned_abs(), texture, *state)?;
            let location = gl.get_uniform_location(name, uniform);
            gl.uniform_1_i32(location.as_ref(), unit);
        }
        gl.patch_parameter_i32(glow::PATCH_VERTICES, patch_vertices);
        gl.attributes(0);
        self.capture(run, vertices, words)
    }

    fn capture(
        &mut self,
        run: &TessellationRun<'_>,
        vertices: i32,
        words: usize,
    ) -> Result<Vec<u32>, ShaderRunError> {
        let gl = &self.gl;
        let target = glow::TRANSFORM_FEEDBACK_BUFFER;
        let registers = words.div_ceil(4);
        let bytes = i32::try_from(registers.saturating_mul(16)).unwrap_or(i32::MAX);
        gl.bind_buffer_base(target, 0, Some(self.output.name()));
        gl.buffer_data_size(target, bytes, glow::STREAM_READ);
        self.grid.bind(gl);
        gl.enable(glow::RASTERIZER_DISCARD);
        let primitives = gl.count_primitives(|| {
            gl.begin_transform_feedback(run.primitive.mode());
            gl.draw_arrays(glow::PATCHES, 0, vertices);
            gl.end_transform_feedback();
        });
        gl.disable(glow::RASTERIZER_DISCARD);
        gl.bind_buffer_base(target, 0, None);
        let written = usize::try_from(primitives?).unwrap_or(usize::MAX);
        let written =
            written.saturating_mul(run.primitive.vertices()).saturating_mul(run.words).min(words);
        self.staging.clear();
        self.staging.resize(written.div_ceil(4), [0.0; 4]);
        gl.read_back(self.output.name(), &mut self.staging)?;
        gl.check("running a program with tessellation")?;
        let floats = self.staging.as_flattened().iter().take(written);
        Ok(floats.map(|float| float.to_bits()).collect())
    }
}

/// Creates a buffer with these words, padded to at least one whole register: some drivers reject empty buffers.
fn upload(
    gl: &Rc<ProbeGl>,
    target: u32,
    words: &[u32],
) -> Result<ProbeHandle<glow::Buffer>, BackendError> {
    let mut registers: Vec<[f32; 4]> = Vec::with_capacity(words.len().div_ceil(4).max(1));
    for chunk in words.chunks(4) {
        let mut register = [0.0; 4];
        for (slot, word) in register.iter_mut().zip(chunk) {
            *slot = f32::from_bits(*word);
        }
        registers.push(register);
    }
    if registers.is_empty() {
        registers.push([0.0; 4]);
    }
    let buffer = gl.create_buffer()?;
    gl.bind_buffer(target, Some(buffer.name()));
    gl.buffer_data(target, &registers, glow::STREAM_DRAW);
    Ok(buffer)
}
