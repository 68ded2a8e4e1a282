//! Differential testing of Direct3D 9 tokens: compares the interpreter with the driver, and AGAL with its translation.

mod translated;

use agal::float::FloatRules;
use agal::glsl::ClipDepth;
use agal::interp::{LANES, SamplerImages};
use agal::sampler::{Filter, Mip, SamplerOp, Wrap};
use agal::{Interface, Stage};
use context3d::backend::BackendError;
use d3d9::glsl::{D3d9GlslOptions, RegisterNaming, emit};
use d3d9::interp::{CompiledShader, D3d9Inputs as Constants, D3d9RunError, D3d9State, MAX_STEPS};
use d3d9::opcode::{Operation, TextureOp as TextureKind};
use d3d9::operand::Dimension;
use d3d9::register::{D3d9Register as TokenRegister, ShaderFile};
use d3d9::{D3d9Program, ShaderVersion};
use molehill_testing::probe::ShaderRunError;
use molehill_testing::probe::hull::{FuzzFailure, SAMPLER};

use super::error_model::{ErrorModel, with_flushed};
use super::fuzzer::{ComparisonResult, compared};
use super::inputs::{InputGrid, generated_inputs};
use super::program::{
    DriverErrors, DriverLanguage, OutputRegister, ProgramProperties, TestedProgram, no_wgsl,
};
use super::run::ProgramRunner;
use super::sampling::{InexactTextures, TokenTextures};
use agal::generate::Random;

/// The number of float constants that tested shaders read. Constants with a higher index are zero in the interpreter
/// and on the driver.
const CONSTANTS: u16 = 16;
const VARYINGS: u16 = 4;
const SAMPLERS: [Dimension; 2] = [Dimension::TwoD, Dimension::Cube];
const BYTES: usize = 1 << 13;
/// The Direct3D texture stage states, which are zero like uniforms that were never set.
const STAGE: d3d9::interp::TextureStage = d3d9::interp::TextureStage {
    dimension: Dimension::TwoD,
    projected: false,
    matrix: [0.0; 4],
    luminance: [0.0; 2],
};

const INPUTS: [u64; 2] = [1, 2];

/// Runs a Direct3D 9 shader on the driver and in the interpreter. Returns the counts, or the failure as text.
pub fn compare_tokens(
    runner: &mut ProgramRunner,
    program: &D3d9Program,
    rules: FloatRules,
) -> ComparisonResult<Box<FuzzFailure>> {
    let failure = |reason| {
        let text = program.listing().to_string();
        Ok(Err(Box::new(FuzzFailure { seed: 0, text, reason })))
    };
    // A shader that the interpreter rejects is a bug of the checker, which accepted it.
    let mut tested = match TokenProgram::new(program, rules) {
        Ok(tested) => tested,
        Err(error) => return failure(error.to_string()),
    };
    let inputs: Vec<_> = INPUTS
        .into_iter()
        .filter_map(|seed| generated_inputs(&tested.properties.interface, seed ^ 0x7075, BYTES))
        .collect();
    match compared(runner.compare_program(&mut tested, &inputs, 0))? {
        Ok(tally) => Ok(Ok(tally)),
        Err(reason) => failure(reason),
    }
}

/// A Direct3D 9 shader that reads only registers that [`d3d9::generate`] declares or initializes.
pub(super) struct TokenProgram<'a> {
    program: &'a D3d9Program,
    properties: ProgramProperties,
    compiled: CompiledShader,
    state: D3d9State,
    rules: FloatRules,
}

impl<'a> TokenProgram<'a> {
    pub(super) fn new(program: &'a D3d9Program, rules: FloatRules) -> Result<Self, D3d9RunError> {
        let compiled = CompiledShader::new(program)?.with_float_rules(rules);
        let has = |test: fn(Operation) -> bool| {
            let mut all = program.instructions();
            all.any(|(_, instruction)| test(instruction.opcode.operation()))
        };
        let properties = ProgramProperties {
            stage: program.version.stage(),
            interface: interface(program),
            linear: has(|kind| matches!(kind, Operation::Derivative { .. })),
            kills: has(|kind| kind == Operation::Texture(TextureKind::Kill)),
        };
        Ok(TokenProgram { program, properties, state: compiled.state(), compiled, rules })
    }
}

/// Sets the inputs of a group of invocations: all attributes, or the given number of varyings.
fn set(
    state: &mut D3d9State,
    version: ShaderVersion,
    (linear, varyings): (bool, u16),
    (grid, group): (&InputGrid<'_>, u16),
    errors: Option<&mut Random>,
) {
    if version.is_vertex() {
        grid.vertices(group, errors, |number, lane, value| {
            state.set(ShaderFile::Input.at(number), lane, value)
        });
    } else {
        grid.pixels(linear, group, errors, |number, lane, value| match version.major() {
            _ if number >= varyings => {}
            3 => state.set(ShaderFile::Input.at(number), lane, value),
            _ => state.set(ShaderFile::Texture.at(number), lane, value),
        });
    }
}

/// Returns the inputs and outputs of a Direct3D 9 shader, as those of a similar AGAL program.
fn interface(program: &D3d9Program) -> Interface {
    let vertex = program.version.is_vertex();
    let mut interface = Interface {
        vertex_constants: CONSTANTS,
        fragment_constants: CONSTANTS,
        ..Interface::default()
    };
    if vertex {
        interface.attributes = (1 << VARYINGS) - 1;
        interface.live_attributes = interface.attributes;
    }
    interface.varyings = if vertex { 0 } else { (1 << VARYINGS) - 1 };
    let stages =
        if program.version.is_ps_1() { [Dimension::TwoD; 4].as_slice() } else { &SAMPLERS[..] };
    let has_textures = !vertex || program.version == ShaderVersion::Vs30;
    let slots =
        if vertex { &mut interface.vertex_samplers[..] } else { &mut interface.samplers[..] };
    for ((number, dimension), slot) in (0..).zip(stages).zip(slots).filter(|_| has_textures) {
        *slot = Some(sampler(number, *dimension));
    }
    let bit = |number: u16| 1u16.checked_shl(number.into()).unwrap_or(0);
    for (_, instruction) in program.instructions() {
        let dest = instruction.dest.and_then(|dest| dest.register(program.version));
        match dest {
            Some(TokenRegister { file: ShaderFile::Color, number }) => {
                interface.color_outputs |= 1u8.checked_shl(number.into()).unwrap_or(0)
            }
            Some(TokenRegister { file: ShaderFile::Depth, .. }) => interface.depth_output = true,
            Some(TokenRegister { file: ShaderFile::TexCoordVarying, number }) => {
                interface.varyings |= bit(number)
            }
            // Register o0 is the position, so varyings begin at o1.
            Some(TokenRegister { file: ShaderFile::Output, number: number @ 1.. }) => {
                interface.varyings |= bit(number - 1)
            }
            _ => {}
        }
    }
    if program.version.is_ps_1() {
        interface.color_outputs = 1;
    }
    interface
}

/// Returns a sampler with nearest filtering and without mip levels; AGAL programs test other samplers.
fn sampler(register: u16, dimension: Dimension) -> SamplerOp {
    SamplerOp {
        register,
        dimension: match dimension {
            Dimension::Cube => agal::sampler::Dimension::Cube,
            Dimension::TwoD | Dimension::Volume => agal::sampler::Dimension::TwoD,
        },
        wrap: Wrap::Repeat,
        mip: Mip::None,
        filter: Filter::Nearest,
        ..SAMPLER
    }
}

impl TestedProgram for TokenProgram<'_> {
    fn properties(&self) -> &ProgramProperties {
        &self.properties
    }

    fn shader(&self, language: DriverLanguage) -> Result<String, ShaderRunError> {
        let DriverLanguage::Glsl(dialect) = language else { return Err(no_wgsl()) };
        let target = D3d9GlslOptions {
            clip_depth: ClipDepth::AsWritten,
            naming: RegisterNaming::Agal,
            vertex_constants: CONSTANTS,
            float_rules: self.rules,
            stages: [STAGE; 8],
            ..D3d9GlslOptions::new(dialect)
        };
        emit(self.program, &target)
            .map_err(|error| BackendError::Unsupported(error.to_string()).into())
    }

    fn run(&mut self, grid: &InputGrid<'_>, group: u16, errors: DriverErrors) -> bool {
        let DriverErrors { driver, seed } = errors;
        let mut random = seed.map(Random::new);
        // In GLSL, input registers without a declaration are zero.
        let inputs = (self.properties.linear, VARYINGS);
        let version = self.program.version;
        set(&mut self.state, version, inputs, (grid, group), random.as_mut());
        let (inputs, ProgramProperties { stage, interface, .. }) = (grid.inputs, &self.properties);
        let stage = *stage;
        let (floats, images, samplers) = match stage {
            Stage::Vertex => {
                (&inputs.vertex_constants, &grid.vertex, &interface.vertex_samplers[..])
            }
            Stage::Fragment => {
                (&inputs.fragment_constants, &grid.fragment, &interface.samplers[..])
            }
        };
        let images = SamplerImages(images);
        let constants = Constants { floats, stages: [STAGE; 8], ..Constants::default() };
        let (compiled, state) = (&self.compiled, &mut self.state);
        let result = match driver.zip(seed).zip(random) {
            None => {
                let textures = TokenTextures { textures: &images, samplers };
                compiled.run(state, &constants, &textures, MAX_STEPS, &mut ())
            }
            Some(((driver, seed), mut random)) => {
                let floats = &with_flushed(floats, &mut random);
                let inexact = InexactTextures::new(images, driver, seed ^ 1);
                let textures = TokenTextures { textures: &inexact, samplers };
                let (constants, mut model) =
                    (Constants { floats, ..constants }, ErrorModel::new(random, self.rules));
                compiled.run(state, &constants, &textures, MAX_STEPS, &mut model)
            }
        };
        result.is_err()
    }

    fn output(&self, register: OutputRegister, lane: usize) -> [f32; 4] {
        output(&self.state, self.program.version.major() == 3, register, lane)
    }
    fn alive(&self) -> [bool; LANES] {
        self.state.alive()
    }
}

/// Returns the value of an output register in a lane. `three` selects shader model 3.
fn output(state: &D3d9State, three: bool, register: OutputRegister, lane: usize) -> [f32; 4] {
    match register {
        OutputRegister::Position if three => state.lane(ShaderFile::Output.at(0), lane),
        OutputRegister::Position => state.lane(ShaderFile::Position.at(0), lane),
        OutputRegister::Varying(n) if three => {
            state.lane(ShaderFile::Output.at(n.saturating_add(1)), lane)
        }
        OutputRegister::Varying(n) => state.lane(ShaderFile::TexCoordVarying.at(n), lane),
        OutputRegister::Color(n) => state.lane(ShaderFile::Color.at(n), lane),
        OutputRegister::Depth => [state.lane(ShaderFile::Depth.at(0), lane)[0]; 4],
    }
}
