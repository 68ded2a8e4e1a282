//! Programs for one stage, linked with a helper shader for the other stage.

use backend_gl::glow;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use context3d::agal::glsl::{ClipDepth, Dialect, GlslOptions, GlslPair, OutputDeclaration};
use context3d::agal::opcode::AgalOpcode;
use context3d::agal::sampler::SamplerOp;
use context3d::agal::{self, Interface, LinkedPair};
use context3d::backend::BackendError;

use super::gl::{ProbeGl, ProbeHandle};
use super::texture::UPLOAD_UNIT;
use super::{ShaderRunError, ShaderRunner, dialect};

/// The source of a fragment program's varyings, fixed at compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    Flat,
    Linear,
}

#[derive(Default)]
pub(super) struct ShaderPair(HashMap<ShaderKey, ProbeHandle<glow::Shader>>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ShaderKey {
    Nothing(Dialect),
    PassThrough(Dialect, u16, bool),
}

impl ShaderPair {
    fn get(
        &mut self,
        gl: &Rc<ProbeGl>,
        key: ShaderKey,
    ) -> Result<&ProbeHandle<glow::Shader>, BackendError> {
        match self.0.entry(key) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => {
                let (stage, text) = match key {
                    ShaderKey::Nothing(dialect) => {
                        (ShaderStage::Fragment, dialect::nothing(dialect))
                    }
                    ShaderKey::PassThrough(dialect, varyings, flat) => {
                        let text = dialect::pass_through(dialect, varyings, flat);
                        (ShaderStage::Vertex, text)
                    }
                };
                Ok(free.insert(compile(gl, stage, &text)?))
            }
        }
    }
}

#[derive(Clone, Copy)]
enum ShaderStage {
    Vertex,
    Fragment,
}

fn compile(
    gl: &Rc<ProbeGl>,
    stage: ShaderStage,
    text: &str,
) -> Result<ProbeHandle<glow::Shader>, BackendError> {
    match stage {
        ShaderStage::Vertex => gl.compile(glow::VERTEX_SHADER, "vertex", text),
        ShaderStage::Fragment => gl.compile(glow::FRAGMENT_SHADER, "fragment", text),
    }
}

pub(super) struct RunPrograms {
    pub(super) program: ProbeHandle<glow::Program>,
    pub(super) interface: Interface,
    constants: Option<glow::UniformLocation>,
    /// The register of each element of the shader's array of constants.
    registers: Vec<u16>,
}

pub struct VertexProgram {
    pub(super) common: RunPrograms,
}

pub struct FragmentProgram {
    pub(super) common: RunPrograms,
    pub(super) interpolation: Interpolation,
    /// The program may discard pixels.
    pub(super) kills: bool,
    /// Varyings are fetched from the texture of [`dialect::VALUES`].
    pub(super) fetches: bool,
}

/// Names of attributes, constants and samplers in the emitted GLSL (`agal::glsl::emit`).
const ATTRIBUTE: &str = "va";
const VERTEX_NAMES: (&str, &str) = ("vc", "vs");
/// The name of a single colour output, and the prefix for several outputs (see [`Dialect`]).
const COLOR: &str = "oc";
const COLORS: &str = "fo";
const FRAGMENT_NAMES: (&str, &str) = ("fc", "fs");

impl ShaderRunner {
    pub fn vertex_program(
        &mut self,
        pair: &LinkedPair,
        dialect: Dialect,
    ) -> Result<VertexProgram, ShaderRunError> {
        let glsl = emit(pair, dialect)?;
        self.vertex_glsl(&glsl.vertex, dialect, pair.interface())
    }

    /// Compiles a vertex shader that was emitted for a pair with [`ClipDepth::AsWritten`].
    pub fn vertex_glsl(
        &mut self,
        glsl: &str,
        dialect: Dialect,
        interface: &Interface,
    ) -> Result<VertexProgram, ShaderRunError> {
        self.accepts(dialect)?;
        self.ready()?;
        let gl = Rc::clone(&self.gl);
        let handle = gl.create_program()?;
        let program = handle.name();
        let shader = compile(&gl, ShaderStage::Vertex, glsl)?;
        gl.attach_shader(program, shader.name());
        gl.attach_shader(program, self.shaders.get(&gl, ShaderKey::Nothing(dialect))?.name());
        for n in dialect::bits(interface.attributes) {
            gl.bind_attrib_location(program, n.into(), &format!("{ATTRIBUTE}{n}"));
        }
        let varyings: Vec<_> = dialect::bits(interface.varyings).map(|n| format!("v{n}")).collect();
        let names: Vec<_> =
            std::iter::once("gl_Position").chain(varyings.iter().map(String::as_str)).collect();
        gl.transform_feedback_varyings(program, &names, glow::INTERLEAVED_ATTRIBS);
        let declared = agal::glsl::constants(interface, agal::Stage::Vertex, dialect);
        let samplers = &interface.vertex_samplers;
        let common = self.link(handle, glsl, interface, VERTEX_NAMES, declared, samplers)?;
        Ok(VertexProgram { common })
    }

    pub fn fragment_program(
        &mut self,
        pair: &LinkedPair,
        dialect: Dialect,
        interpolation: Interpolation,
    ) -> Result<FragmentProgram, ShaderRunError> {
        let glsl = emit(pair, dialect)?;
        let tokens = pair.fragment().program().instructions();
        let kills = tokens.iter().any(|token| token.opcode() == Some(AgalOpcode::Kil));
        self.fragment_glsl(&glsl.fragment, dialect, interpolation, pair.interface(), kills)
    }

    /// Compiles a fragment shader that was emitted for a pair. `kills` tells whether the shader may discard pixels.
    pub fn fragment_glsl(
        &mut self,
        glsl: &str,
        dialect: Dialect,
        interpolation: Interpolation,
        interface: &Interface,
        kills: bool,
    ) -> Result<FragmentProgram, ShaderRunError> {
        self.accepts(dialect)?;
        self.ready()?;
        let flat = interpolation == Interpolation::Flat;
        let glsl =
            if flat { Cow::Owned(dialect::flattened(dialect, glsl)) } else { Cow::Borrowed(glsl) };
        let gl = Rc::clone(&self.gl);
        let handle = gl.create_program()?;
        let program = handle.name();
        let shader = compile(&gl, ShaderStage::Fragment, &glsl)?;
        gl.attach_shader(program, shader.name());
        let ours = ShaderKey::PassThrough(dialect, interface.varyings, flat);
        gl.attach_shader(program, self.shaders.get(&gl, ours)?.name());
        if dialect.outputs() == OutputDeclaration::Bound {
            match interface.color_outputs {
                1 => gl.bind_frag_data_location(program, 0, COLOR),
                outputs => {
                    for n in dialect::bits(outputs.into()) {
                        gl.bind_frag_data_location(program, n.into(), &format!("{COLORS}{n}"));
                    }
                }
            }
        }
        gl.bind_attrib_location(program, 0, dialect::PLACE);
        for n in dialect::bits(interface.varyings) {
            let index = u32::from(n).saturating_add(1);
            gl.bind_attrib_location(program, index, &format!("{}{n}", dialect::VALUE));
        }
        let declared = agal::glsl::constants(interface, agal::Stage::Fragment, dialect);
        let samplers = &interface.samplers;
        let common = self.link(handle, &glsl, interface, FRAGMENT_NAMES, declared, samplers)?;
        let fetches = flat && !dialect.has_flat();
        if fetches {
            let location = gl.get_uniform_location(program, dialect::VALUES);
            gl.uniform_1_i32(location.as_ref(), UPLOAD_UNIT.cast_signed());
        }
        Ok(FragmentProgram { common, interpolation, kills, fetches })
    }

    /// Compiles and links both shaders of a pair as for a draw, and deletes the program.
    pub fn link_glsl(&mut self, glsl: &GlslPair, dialect: Dialect) -> Result<(), ShaderRunError> {
        self.accepts(dialect)?;
        self.ready()?;
        let gl = &self.gl;
        let program = gl.create_program()?;
        for (stage, text) in
            [(ShaderStage::Vertex, &glsl.vertex), (ShaderStage::Fragment, &glsl.fragment)]
        {
            gl.attach_shader(program.name(), compile(gl, stage, text)?.name());
        }
        gl.link_program(program.name());
        if gl.get_program_link_status(program.name()) {
            Ok(gl.check("linking a program")?)
        } else {
            let both = format!("{}\n{}", glsl.vertex, glsl.fragment);
            Err(link_failed(gl, program.name(), both).into())
        }
    }

    fn link(
        &self,
        handle: ProbeHandle<glow::Program>,
        glsl: &str,
        interface: &Interface,
        (constants, sampler_prefix): (&str, &str),
        registers: Vec<u16>,
        samplers: &[Option<SamplerOp>],
    ) -> Result<RunPrograms, ShaderRunError> {
        let (gl, program) = (&self.gl, handle.name());
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(link_failed(gl, program, glsl.to_owned()).into());
        }
        gl.use_program(Some(program));
        for sampler in samplers.iter().flatten() {
            let name = format!("{sampler_prefix}{}", sampler.register);
            let location = gl.get_uniform_location(program, &name);
            gl.uniform_1_i32(location.as_ref(), sampler.register.into());
        }
        let constants =
            (!registers.is_empty()).then(|| gl.get_uniform_location(program, constants)).flatten();
        gl.check("creating a program to probe")?;
        Ok(RunPrograms { program: handle, interface: interface.clone(), constants, registers })
    }

    /// Binds a program and uploads `constants`; registers beyond the slice are 0. Uses `staging` as scratch memory.
    pub(super) fn set_program(
        &mut self,
        common: &RunPrograms,
        constants: &[[f32; 4]],
    ) -> Result<(), ShaderRunError> {
        let program = self.name(&common.program)?;
        self.gl.use_program(Some(program));
        if common.constants.is_some() {
            self.staging.clear();
            let value = |n: &u16| constants.get(usize::from(*n)).copied().unwrap_or_default();
            self.staging.extend(common.registers.iter().map(value));
            // The driver may shorten the array to its last used element; GL ignores values beyond its end.
            let values = self.staging.as_flattened();
            self.gl.uniform_4_f32_slice(common.constants.as_ref(), values);
        }
        Ok(())
    }
}

fn emit(pair: &LinkedPair, dialect: Dialect) -> Result<GlslPair, ShaderRunError> {
    let target = GlslOptions { clip_depth: ClipDepth::AsWritten, ..GlslOptions::new(dialect) };
    Ok(agal::glsl::emit(pair, &target)?)
}

pub(super) fn link_failed(gl: &ProbeGl, program: glow::Program, glsl: String) -> BackendError {
    BackendError::CompileFailed {
        stage: "link",
        source: glsl,
        log: gl.get_program_info_log(program),
    }
}
