//! Implements [`TestedProgram`] for AGAL programs.

use agal::float::FloatRules;
use agal::generate::Random;
use agal::glsl::{ClipDepth, Dialect, GlslOptions, emit};
use agal::interp::{AgalState, CompiledProgram, LANES, SamplerImages};
use agal::opcode::{AgalOpcode, OpcodeSignature, SampleLevel, Unary};
use agal::operand::{SecondOperand, SourceOperand};
use agal::register::RegisterFile;
use agal::{LinkedPair, Program, Stage, ValidProgram, wgsl};
use context3d::backend::BackendError;
use d3d9::D3d9Program;
use d3d9::from_agal::{self, EmitError, Model, TranslateError, translate};
use molehill_testing::probe::ShaderRunError;

use super::error_model::{ErrorModel, TranslationErrors, with_flushed};
use super::inputs::InputGrid;
use super::program::{
    ComparisonJob, DriverErrors, DriverLanguage, OutputRegister, ProgramProperties, TestedProgram,
    no_wgsl,
};
use super::sampling::InexactTextures;
use crate::device::ShaderRoute;

pub(super) struct AgalProgram<'a> {
    pair: &'a LinkedPair,
    properties: ProgramProperties,
    compiled: CompiledProgram,
    state: AgalState,
    joins: bool,
    rules: FloatRules,
    shaders: ShaderRoute,
}

impl<'a> AgalProgram<'a> {
    pub(super) fn new(job: &ComparisonJob<'a>, stage: Stage) -> Self {
        let program = of_stage(job.interpreted, stage);
        let mut opcodes = program.program().instructions().iter().filter_map(|it| it.opcode());
        let linear = opcodes.any(|opcode| match opcode.signature() {
            OpcodeSignature::Unary(unary) => matches!(unary, Unary::Derivative(_)),
            shape => shape == OpcodeSignature::Sample(SampleLevel::Implicit),
        });
        let mut tokens = job.pair.fragment().program().instructions().iter();
        let kills = tokens.any(|token| token.opcode() == Some(AgalOpcode::Kil));
        let interface = job.pair.interface().clone();
        let properties = ProgramProperties { stage, interface, linear, kills };
        let ComparisonJob { float_rules: rules, shaders, .. } = *job;
        let compiled = CompiledProgram::new(program).with_float_rules(rules);
        let (pair, joins, state) = (job.pair, joins(program.program()), compiled.state());
        AgalProgram { pair, properties, state, compiled, joins, rules, shaders }
    }

    fn set(&mut self, grid: &InputGrid<'_>, group: u16, errors: Option<&mut Random>) {
        let state = &mut self.state;
        match self.properties.stage {
            Stage::Vertex => {
                grid.vertices(group, errors, |number, lane, value| {
                    state.set_attribute(number, lane, value);
                });
                for lane in 0..LANES {
                    state.set_instance(lane, grid.inputs.instance_id);
                }
            }
            Stage::Fragment => {
                grid.pixels(self.properties.linear, group, errors, |number, lane, value| {
                    state.set_varying(number, lane, value);
                })
            }
        }
    }

    fn glsl(&self, dialect: Dialect) -> Result<[String; 2], ShaderRunError> {
        let (clip_depth, float_rules) = (ClipDepth::AsWritten, self.rules);
        let target = GlslOptions { clip_depth, float_rules, ..GlslOptions::new(dialect) };
        let pair = match self.shaders {
            ShaderRoute::Agal => emit(self.pair, &target)?,
            ShaderRoute::D3d9 => {
                from_agal::emit(self.pair, &target).map_err(|error| match error {
                    EmitError::Translate(beyond) => ShaderRunError::Input(beyond.to_string()),
                    EmitError::Glsl(error) => BackendError::Unsupported(error.to_string()).into(),
                })?
            }
        };
        Ok([pair.vertex, pair.fragment])
    }

    fn wgsl(&self) -> Result<[String; 2], ShaderRunError> {
        match self.shaders {
            ShaderRoute::Agal => {
                let pair = wgsl::emit(self.pair, &self.wgsl_target());
                Ok([pair.vertex, pair.fragment])
            }
            ShaderRoute::D3d9 => Err(no_wgsl()),
        }
    }

    fn wgsl_target(&self) -> wgsl::WgslOptions<'static> {
        wgsl::WgslOptions { float_rules: self.rules, ..wgsl::WgslOptions::default() }
    }
}

impl TestedProgram for AgalProgram<'_> {
    fn properties(&self) -> &ProgramProperties {
        &self.properties
    }

    fn shader(&self, language: DriverLanguage) -> Result<String, ShaderRunError> {
        let [vertex, fragment] = match language {
            DriverLanguage::Glsl(dialect) => self.glsl(dialect)?,
            DriverLanguage::Wgsl | DriverLanguage::Naga => self.wgsl()?,
            DriverLanguage::Tokens(_) => return Err(no_wgsl()),
        };
        Ok(match self.properties.stage {
            Stage::Vertex => vertex,
            Stage::Fragment => fragment,
        })
    }

    #[cfg(feature = "wgpu")]
    fn module(&self) -> Result<backend_wgpu::wgpu::naga::Module, ShaderRunError> {
        Ok(backend_wgpu::probe::module(self.pair, self.properties.stage, &self.wgsl_target()))
    }

    fn tokens(&self, model: Model) -> Result<D3d9Program, ShaderRunError> {
        match translate(of_stage(self.pair, self.properties.stage), model) {
            Ok(translation) => Ok(translation.program),
            Err(error @ TranslateError::Invalid(_)) => {
                Err(BackendError::Driver(error.to_string()).into())
            }
            Err(error) => Err(ShaderRunError::Input(error.to_string())),
        }
    }

    fn run(&mut self, grid: &InputGrid<'_>, group: u16, errors: DriverErrors) -> bool {
        let (images, constants) = match self.properties.stage {
            Stage::Vertex => (SamplerImages(&grid.vertex), &grid.inputs.vertex_constants),
            Stage::Fragment => (SamplerImages(&grid.fragment), &grid.inputs.fragment_constants),
        };
        let DriverErrors { driver, seed } = errors;
        let Some(driver) = driver else {
            self.set(grid, group, None);
            let model = seed.map(|seed| ErrorModel::new(Random::new(seed), self.rules));
            let mut errors = TranslationErrors::new(model);
            self.compiled.run_with(&mut self.state, constants, &images, &mut errors);
            return errors.undefined;
        };
        let Some(seed) = seed else {
            self.set(grid, group, None);
            self.compiled.run(&mut self.state, constants, &images);
            return false;
        };
        let mut random = Random::new(seed);
        self.set(grid, group, Some(&mut random));
        let constants = with_flushed(constants, &mut random);
        let textures = InexactTextures::new(images, driver, seed ^ 1);
        let mut errors = ErrorModel::new(random, self.rules);
        (errors.joins, errors.translated) = (self.joins, self.shaders == ShaderRoute::D3d9);
        self.compiled.run_with(&mut self.state, &constants, &textures, &mut errors);
        false
    }

    fn output(&self, register: OutputRegister, lane: usize) -> [f32; 4] {
        match register {
            OutputRegister::Position => self.state.position(lane),
            OutputRegister::Varying(n) => self.state.varying(n, lane),
            OutputRegister::Color(n) => self.state.color(n, lane),
            OutputRegister::Depth => [self.state.depth(lane); 4],
        }
    }
    fn alive(&self) -> [bool; LANES] {
        self.state.alive()
    }
}

fn joins(program: &Program) -> bool {
    let temporary = |source: &SourceOperand| {
        (source.register_file() == Some(RegisterFile::Temporary)).then_some(source.number)
    };
    let mut computed = Vec::new();
    program.instructions().iter().any(|token| {
        let Some(opcode) = token.opcode().filter(|opcode| *opcode != AgalOpcode::Mov) else {
            return false;
        };
        let second = match token.source2() {
            SecondOperand::Source(source) if opcode.signature().sources() > 1 => Some(source),
            SecondOperand::Source(_) | SecondOperand::Sampler(_) => None,
        };
        let reads = opcode.signature().sources() > 0;
        let sources = reads.then_some(&token.source1).into_iter().chain(second);
        let found = sources.filter_map(temporary).any(|number| computed.contains(&number));
        if opcode.signature().has_dest()
            && token.dest.register_file() == Some(RegisterFile::Temporary)
        {
            computed.push(token.dest.number);
        }
        found
    })
}

fn of_stage(pair: &LinkedPair, stage: Stage) -> &ValidProgram {
    match stage {
        Stage::Vertex => pair.vertex(),
        Stage::Fragment => pair.fragment(),
    }
}
