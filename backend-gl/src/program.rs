//! GL programs: translation of linked AGAL pairs to GLSL, compilation, and look-up of uniforms.

mod uniforms;

use context3d::agal::float::FloatRules;
use context3d::agal::glsl::{ClipDepth, Dialect, GlslPair};
use context3d::agal::sampler::{Dimension, SamplerOp};
use context3d::agal::{self, LinkedPair};
use context3d::backend::BackendError;
use context3d::enums::ProgramType;
use context3d::keys::ProgramKey;
use context3d::packets::{FIRST_VERTEX_SAMPLER, MAX_SAMPLERS, POSITION_BIAS, slot_samplers};
use slotmap::SecondaryMap;

use crate::caps::GlCaps;
use crate::device::{CacheEntry, DeviceState};
use crate::gl::{BuildStep, GlFunctions, GlHandle, LabelTarget};
use crate::packet::missing;
use crate::workarounds::Remedy;
use uniforms::{ConstantBank, Uniforms};

/// The names of the arrays of constants in `agal`'s GLSL.
const VERTEX_CONSTANTS: &str = "vc";
const FRAGMENT_CONSTANTS: &str = "fc";
/// The prefixes of the samplers' names.
const VERTEX_SAMPLER: &str = "vs";
const FRAGMENT_SAMPLER: &str = "fs";

/// The attributes and samplers that a program reads.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProgramInputs {
    /// Bit n: attribute n is read and affects the result.
    pub(crate) attributes: u16,
    /// Bit n: a sampler reads texture slot n, which is texture unit n.
    pub(crate) slots: u16,
    /// Bit n: the sampler of slot n reads a cube texture.
    pub(crate) cubes: u16,
}

/// A GL program with its inputs and uniforms.
pub(crate) struct GlProgram {
    pub(crate) handle: GlHandle<glow::Program>,
    inputs: ProgramInputs,
    vertex: Uniforms,
    fragment: Uniforms,
}

impl GlProgram {
    /// Compiles and links a program, which is in use afterwards.
    ///
    /// # Errors
    /// [`BackendError::CompileFailed`] with the GLSL, which has the AGAL as comments, and the driver's log;
    /// [`BackendError::Driver`] if the context's GLSL lacks a feature that the pair needs.
    fn create(device: &mut DeviceState, pair: &LinkedPair) -> Result<Self, BackendError> {
        let gl = &device.begin_checked()?;
        let DeviceState { caps, shadow, translator, float_rules, binaries, .. } = device;
        let emit = |comments| translator.0(pair, &target(caps, *float_rules, comments));
        let failed = |what, log| failed(emit(true), what, log);
        let comments = log::log_enabled!(log::Level::Debug);
        let glsl = emit(comments)?;
        log::debug!("vertex shader:\n{}", glsl.vertex);
        log::debug!("fragment shader:\n{}", glsl.fragment);

        let handle = GlHandle::create(gl)?;
        let name: glow::Program = handle.name();
        let stored = binaries.as_ref().map(|cache| CacheEntry::of(cache, caps, &glsl));
        if !stored.as_ref().is_some_and(|stored| stored.load(gl, name)) {
            let built = gl.build(name, &glsl.vertex, &glsl.fragment);
            built.map_err(|(what, log)| failed(what, log))?;
            gl.check("building a program")?; // asking for the binary clears errors
            if let Some(stored) = stored {
                stored.save(gl, name);
            }
        }
        let interface = pair.interface();
        let (mut slots, mut cubes) = (0, 0);
        shadow.program(handle.object());
        gl.check("using a program")?; // or another one would get its texture units
        for slot in 0..MAX_SAMPLERS {
            for sampler in slot_samplers(interface, slot) {
                slots |= 1 << slot;
                if sampler.dimension == Dimension::Cube {
                    cubes |= 1 << slot;
                }
            }
        }
        set_units(gl, name, VERTEX_SAMPLER, FIRST_VERTEX_SAMPLER, &interface.vertex_samplers);
        set_units(gl, name, FRAGMENT_SAMPLER, 0, &interface.samplers);
        let locate = |bank, count| Uniforms::locate(gl, name, bank, count);
        let vertex = locate(VERTEX_CONSTANTS, interface.vertex_constants);
        let fragment = locate(FRAGMENT_CONSTANTS, interface.fragment_constants);
        gl.check("creating a program")?;
        Ok(Self {
            handle,
            inputs: ProgramInputs { attributes: interface.live_attributes, slots, cubes },
            vertex,
            fragment,
        })
    }
}

/// The programs of a backend, and the constant registers of both stages.
#[derive(Default)]
pub(crate) struct GlPrograms {
    pub(crate) programs: SecondaryMap<ProgramKey, GlProgram>,
    vertex: ConstantBank,
    fragment: ConstantBank,
}

impl GlPrograms {
    /// Compiles a pair. A failed upload removes the program [context3d.program.failed].
    pub(crate) fn upload(
        &mut self,
        device: &mut DeviceState,
        key: ProgramKey,
        pair: &LinkedPair,
    ) -> Result<(), BackendError> {
        self.programs.remove(key);
        let program = GlProgram::create(device, pair)?;
        device.label(key, "program", LabelTarget::Program(program.handle.name()));
        self.programs.insert(key, program);
        Ok(())
    }

    /// Sets constant registers.
    #[inline]
    pub(crate) fn set_constants(&mut self, stage: ProgramType, first: u16, values: &[[f32; 4]]) {
        match stage {
            ProgramType::Vertex => self.vertex.set(first, values),
            ProgramType::Fragment => self.fragment.set(first, values),
        }
    }

    /// Uses a program with the current constants.
    #[inline]
    pub(crate) fn bind(
        &mut self,
        device: &mut DeviceState,
        key: ProgramKey,
    ) -> Result<ProgramInputs, BackendError> {
        let program = self.programs.get_mut(key).ok_or_else(|| missing("program"))?;
        device.shadow.program(program.handle.object());
        program.vertex.update(&device.gl, &self.vertex);
        program.fragment.update(&device.gl, &self.fragment);
        Ok(program.inputs)
    }
}

/// Assigns consecutive texture units, starting at `first`, to the samplers of the program in use.
fn set_units(
    gl: &GlFunctions,
    program: glow::Program,
    prefix: &str,
    first: usize,
    samplers: &[Option<SamplerOp>],
) {
    for (n, sampler) in samplers.iter().enumerate() {
        if sampler.is_some()
            && let Ok(unit) = i32::try_from(first.saturating_add(n))
        {
            let location = gl.uniform_location(program, &format!("{prefix}{n}"));
            gl.uniform_int(location.as_ref(), unit);
        }
    }
}

/// Returns the GLSL dialect and conventions for this context.
fn target(caps: &GlCaps, float_rules: FloatRules, comments: bool) -> agal::glsl::GlslOptions {
    agal::glsl::GlslOptions {
        dialect: if caps.es { Dialect::Glsl300Es } else { Dialect::Glsl330 },
        clip_depth: if caps.needs(Remedy::ClipDepthInShader) {
            ClipDepth::MinusOneToOne
        } else {
            ClipDepth::ZeroToOne
        },
        position_bias: POSITION_BIAS,
        comments,
        float_rules,
    }
}

/// Returns the error for a rejected shader, with GLSL that contains the AGAL as comments.
#[cold]
fn failed(glsl: Result<GlslPair, BackendError>, what: BuildStep, log: String) -> BackendError {
    let GlslPair { vertex, fragment } = match glsl {
        Ok(glsl) => glsl,
        Err(error) => return error,
    };
    let (stage, source) = match what {
        BuildStep::Vertex => ("vertex", vertex),
        BuildStep::Fragment => ("fragment", fragment),
        BuildStep::Link => ("link", format!("{vertex}\n{fragment}")),
    };
    log::debug!("the driver rejected a shader ({stage}): {log}\n{source}");
    BackendError::CompileFailed { stage, source, log }
}
