//! Random shaders, one after another; failing ones are minimized.

use std::fmt;

use agal::float::FloatRules;
use agal::glsl::Dialect;
use d3d9::{Program, Version};
use molehill_replay::evidence::Tally;

use super::super::fuzzer::{Compared, FuzzOptions, Fuzzer, Reason, minimized};
use super::shrink::shrink;
use super::{TokenProgram, inputs, random_program};
use crate::device::Shaders;

const INPUTS: [u64; 2] = [1, 2];

pub type TokenOptions = FuzzOptions<Version>;

impl Default for TokenOptions {
    /// Every version except the software ones, the two dialects that shaders are translated to, up to 24 instructions.
    fn default() -> Self {
        let versions = Version::ALL.iter().copied();
        TokenOptions {
            seed: 0,
            versions: versions.filter(|version| !version.is_software()).collect(),
            dialects: vec![Dialect::Glsl330, Dialect::Glsl300Es],
            max_tokens: 24,
            float_rules: FloatRules::default(),
            shaders: Shaders::default(),
        }
    }
}

/// A shader that the driver refuses, or whose results differ from the interpreter's.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenFailure {
    pub seed: u64,
    pub program: Program,
    pub reason: Reason,
}

impl fmt::Display for TokenFailure {
    /// Writes a source file for the assembler, with everything but the shader as comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.head(self.seed, f)?;
        write!(f, "{}", self.program.listing())
    }
}

pub type TokenFuzzer = Fuzzer<Version>;

impl TokenFuzzer {
    /// Runs the next shader: returns the counts, or the minimized failure.
    pub fn step(&mut self) -> Compared<Box<TokenFailure>> {
        let seed = self.seed();
        let count = self.options.versions.len().max(1) as u64;
        let turn = usize::try_from(seed % count).unwrap_or(0);
        let Some(version) = self.options.versions.get(turn).copied() else {
            return Ok(Ok(Tally::default()));
        };
        let most = self.options.max_tokens.max(1) as u64;
        let length = usize::try_from(1 + seed / count % most).unwrap_or(1);
        let program = random_program(version, seed, length);
        self.check(&program, seed)
    }

    pub fn check(&mut self, program: &Program, seed: u64) -> Compared<Box<TokenFailure>> {
        let mut failure = |program: &Program| self.failure(program, seed);
        let first = match failure(program)? {
            Ok(tally) => return Ok(Ok(tally)),
            Err(reason) => reason,
        };
        let (program, reason) = minimized(first, failure, |fails| shrink(program, fails))?;
        Ok(Err(Box::new(TokenFailure { seed, program, reason })))
    }

    fn failure(&mut self, program: &Program, seed: u64) -> Compared<Reason> {
        // The checker should have rejected a shader that the interpreter refuses.
        let mut tested = match TokenProgram::new(program, self.options.float_rules) {
            Ok(tested) => tested,
            Err(error) => return Ok(Err(Reason::Interpreter(error.to_string()))),
        };
        let seeds = INPUTS.into_iter().map(|n| seed.wrapping_mul(31).wrapping_add(n));
        let inputs: Vec<_> = seeds.filter_map(|seed| inputs(program, seed)).collect();
        Reason::of(self.runner.compare_program(&mut tested, &inputs, seed))
    }
}
