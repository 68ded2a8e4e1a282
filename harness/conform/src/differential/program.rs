//! What is compared: a program of any language, and its inputs.

use std::fmt;

use agal::float::FloatRules;
use agal::generate::Inputs;
use agal::glsl::Dialect;
use agal::interp::LANES;
use agal::{Interface, LinkedPair, Stage};
use molehill_testing::probe::ProbeError;

use super::inputs::Grid;
use super::sampling::Driver;
use crate::device::Shaders;

#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    pub pair: &'a LinkedPair,
    /// The pair that runs in the interpreter: the same, except when testing whether a mutation is detected. Both must
    /// write the same outputs and have the same samplers.
    pub interpreted: &'a LinkedPair,
    pub stages: &'a [Stage],
    /// The sets of inputs, which run one after the other.
    pub inputs: &'a [Inputs],
    pub seed: u64,
    pub float_rules: FloatRules,
    pub shaders: Shaders,
}

impl<'a> Job<'a> {
    pub fn of(pair: &'a LinkedPair, inputs: &'a [Inputs], seed: u64) -> Self {
        Job {
            pair,
            interpreted: pair,
            stages: &[Stage::Vertex, Stage::Fragment],
            inputs,
            seed,
            float_rules: FloatRules::default(),
            shaders: Shaders::default(),
        }
    }
}

/// The errors that are added to the interpreter's results, up to the limits of this driver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    pub(super) driver: Driver,
    pub(super) seed: u64,
}

pub(super) struct Properties {
    pub(super) stage: Stage,
    /// Its inputs and outputs, in AGAL's registers.
    pub(super) interface: Interface,
    /// Whether it needs derivatives, so that pixels run in quads with interpolated varyings.
    pub(super) linear: bool,
    pub(super) kills: bool,
}

/// The language of shaders for a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverLanguage {
    Glsl(Dialect),
    Wgsl,
    /// A module of naga; its text in messages is WGSL.
    Naga,
}

impl fmt::Display for DriverLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverLanguage::Glsl(dialect) => dialect.fmt(f),
            DriverLanguage::Wgsl => f.write_str("WGSL"),
            DriverLanguage::Naga => f.write_str("naga"),
        }
    }
}

/// Returns the error of a program in Direct3D 9 tokens that should run as WGSL.
pub(super) fn no_wgsl() -> ProbeError {
    ProbeError::Input("Direct3D 9 tokens are translated to GLSL only".to_owned())
}

/// A program in a language that has an interpreter and is translated to a driver's language with `agal`'s names.
pub(super) trait TestedProgram {
    fn properties(&self) -> &Properties;
    /// Returns the shader of the program, with the position unchanged.
    fn shader(&self, language: DriverLanguage) -> Result<String, ProbeError>;
    /// Returns the module of the program.
    #[cfg(feature = "wgpu")]
    fn module(&self) -> Result<backend_wgpu::wgpu::naga::Module, ProbeError> {
        Err(no_wgsl())
    }
    /// Runs a group of the grid, exactly or with errors. Returns whether the interpreter stopped before its end.
    fn run(&mut self, grid: &Grid<'_>, group: u16, errors: Option<Errors>) -> bool;
    fn output(&self, register: Register, lane: usize) -> [f32; 4];
    fn alive(&self) -> [bool; LANES];
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Register {
    Position,
    Varying(u16),
    Color(u16),
    Depth,
}
