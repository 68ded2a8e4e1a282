//! Programs in any shader language, with the inputs for comparing the driver with the language's interpreter.

use std::fmt;

use agal::float::FloatRules;
use agal::generate::PairInputs;
use agal::glsl::Dialect;
use agal::interp::LANES;
use agal::{Interface, LinkedPair, Stage};
use d3d9::D3d9Program;
use d3d9::from_agal::Model;
use molehill_testing::probe::ShaderRunError;

use super::inputs::{InputGrid, SIDE};
use super::sampling::SamplingErrors;
use crate::device::ShaderRoute;

/// A pair of programs to compare, with its inputs.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonJob<'a> {
    pub pair: &'a LinkedPair,
    /// The pair that runs in the interpreter. `interpreted` equals `pair`, except in tests of mutations. Both pairs
    /// must have the same outputs and samplers.
    pub interpreted: &'a LinkedPair,
    pub stages: &'a [Stage],
    /// The sets of inputs for successive runs.
    pub inputs: &'a [PairInputs],
    pub seed: u64,
    pub float_rules: FloatRules,
    pub shaders: ShaderRoute,
}

impl<'a> ComparisonJob<'a> {
    pub fn of(pair: &'a LinkedPair, inputs: &'a [PairInputs], seed: u64) -> Self {
        ComparisonJob {
            pair,
            interpreted: pair,
            stages: &[Stage::Vertex, Stage::Fragment],
            inputs,
            seed,
            float_rules: FloatRules::default(),
            shaders: ShaderRoute::default(),
        }
    }
}

/// The errors of an interpreter's run, within the error bounds of a driver or of a translation to tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct DriverErrors {
    /// The driver's errors. `None` means the interpreter of tokens, which reads exact inputs and texels.
    pub(super) driver: Option<SamplingErrors>,
    /// The seed of random errors. `None` means a run without errors.
    pub(super) seed: Option<u64>,
}

pub(super) struct ProgramProperties {
    pub(super) stage: Stage,
    /// The inputs and outputs of the program, as AGAL registers.
    pub(super) interface: Interface,
    /// True if the program needs derivatives, so that pixels run as 2×2 quads with interpolated varyings.
    pub(super) linear: bool,
    pub(super) kills: bool,
}

impl ProgramProperties {
    /// Returns the index of the invocation in a lane of a group.
    pub(super) fn invocation(&self, group: u16, lane: u16) -> usize {
        if self.linear && self.stage == Stage::Fragment {
            let (x, y) = InputGrid::position(group, lane);
            usize::from(y * SIDE + x)
        } else {
            InputGrid::number(group, lane)
        }
    }
}

/// The shader language that the driver compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverLanguage {
    Glsl(Dialect),
    Wgsl,
    /// A naga module, which messages show as WGSL.
    Naga,
    /// Direct3D 9 tokens of a shader model, which their interpreter runs.
    Tokens(Model),
}

impl fmt::Display for DriverLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverLanguage::Glsl(dialect) => dialect.fmt(f),
            DriverLanguage::Wgsl => f.write_str("WGSL"),
            DriverLanguage::Naga => f.write_str("naga"),
            DriverLanguage::Tokens(model) => write!(f, "tokens of model {}", model.name()),
        }
    }
}

/// Returns the error for Direct3D 9 tokens, which can't be translated to WGSL.
pub(super) fn no_wgsl() -> ShaderRunError {
    ShaderRunError::Input("Direct3D 9 tokens are translated to GLSL only".to_owned())
}

/// A program in a language with an interpreter and a translation to a driver's language, with `agal`'s names.
pub(super) trait TestedProgram {
    fn properties(&self) -> &ProgramProperties;
    /// Returns the program translated to a driver's language, without any change of the position.
    fn shader(&self, language: DriverLanguage) -> Result<String, ShaderRunError>;
    /// Returns the program as a naga module.
    #[cfg(feature = "wgpu")]
    fn module(&self) -> Result<backend_wgpu::wgpu::naga::Module, ShaderRunError> {
        Err(no_wgsl())
    }
    /// Returns the program translated to Direct3D 9 tokens.
    fn tokens(&self, _model: Model) -> Result<D3d9Program, ShaderRunError> {
        Err(no_wgsl())
    }
    /// Interprets a group of invocations. Returns true if the program didn't end, or if its results are undefined.
    fn run(&mut self, grid: &InputGrid<'_>, group: u16, errors: DriverErrors) -> bool;
    fn output(&self, register: OutputRegister, lane: usize) -> [f32; 4];
    fn alive(&self) -> [bool; LANES];
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum OutputRegister {
    Position,
    Varying(u16),
    Color(u16),
    Depth,
}
