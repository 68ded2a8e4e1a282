//! Shaders, one after another, and what is left of those that differ.

use std::fmt;

use agal::glsl::Dialect;
use backend_gl_probe::ProbeError;
use context3d::backend::BackendError;
use d3d9::{Program, Version};

use super::super::fuzzer::Reason;
use super::super::run::{ProgramRunError, ProgramRunner};
use super::super::verdict::Tally;
use super::shrink::shrink;
use super::{TokenProgram, inputs, random_program};

/// Seeds of the inputs that each shader runs on.
const INPUTS: [u64; 2] = [1, 2];

/// What a [`TokenFuzzer`] makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenOptions {
    /// The first shader's seed; every next one's is one more.
    pub seed: u64,
    /// Versions, in turn.
    pub versions: Vec<Version>,
    /// Dialects, each shader in all.
    pub dialects: Vec<Dialect>,
    /// About so many instructions, at most.
    pub instructions: usize,
}

impl Default for TokenOptions {
    /// Every version but those for software, both dialects that shaders become, up to 24 instructions.
    fn default() -> Self {
        let versions = Version::ALL.iter().copied();
        TokenOptions {
            seed: 0,
            versions: versions.filter(|version| !version.is_software()).collect(),
            dialects: vec![Dialect::Glsl330, Dialect::Glsl300Es],
            instructions: 24,
        }
    }
}

/// A shader that the driver and the interpreter disagree on, or that the driver refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenFailure {
    /// The seed that it came from.
    pub seed: u64,
    /// The smallest shader that was found to fail.
    pub program: Program,
    /// How.
    pub reason: Reason,
}

impl fmt::Display for TokenFailure {
    /// A file for the assembler, with everything else as comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed: {}", self.seed)?;
        for line in self.reason.to_string().lines() {
            writeln!(f, "// {line}")?;
        }
        write!(f, "{}", self.program.listing())
    }
}

/// Makes shaders and compares them.
pub struct TokenFuzzer {
    runner: ProgramRunner,
    options: TokenOptions,
    next: u64,
}

impl TokenFuzzer {
    /// Opens the contexts.
    ///
    /// # Errors
    /// [`ProgramRunError::Open`].
    pub fn new(options: TokenOptions) -> Result<Self, ProgramRunError> {
        Ok(TokenFuzzer {
            runner: ProgramRunner::open(&options.dialects)?,
            next: options.seed,
            options,
        })
    }

    /// The driver's name of itself.
    pub fn renderer(&self) -> Option<&str> {
        self.runner.renderer()
    }

    /// What it was asked to make.
    pub fn options(&self) -> &TokenOptions {
        &self.options
    }

    /// The next shader: what was compared, or the failure made small.
    ///
    /// # Errors
    /// [`ProgramRunError::Driver`] when the device is lost.
    pub fn step(&mut self) -> Result<Result<Tally, Box<TokenFailure>>, ProgramRunError> {
        let seed = self.next;
        self.next = self.next.wrapping_add(1);
        let count = self.options.versions.len().max(1) as u64;
        let turn = usize::try_from(seed % count).unwrap_or(0);
        let Some(version) = self.options.versions.get(turn).copied() else {
            return Ok(Ok(Tally::default()));
        };
        let most = self.options.instructions.max(1) as u64;
        let length = usize::try_from(1 + seed / count % most).unwrap_or(1);
        let program = random_program(version, seed, length);
        self.check(&program, seed)
    }

    /// Compares a shader.
    ///
    /// # Errors
    /// As [`TokenFuzzer::step`].
    pub fn check(
        &mut self,
        program: &Program,
        seed: u64,
    ) -> Result<Result<Tally, Box<TokenFailure>>, ProgramRunError> {
        let first = match self.failure(program, seed)? {
            Ok(tally) => return Ok(Ok(tally)),
            Err(reason) => reason,
        };
        let mut lost = None;
        let small = shrink(program, |program| match self.failure(program, seed) {
            Ok(found) => found.is_err(),
            Err(error) => {
                lost = Some(error);
                false
            }
        });
        if let Some(error) = lost {
            return Err(error);
        }
        let reason = self.failure(&small, seed)?.err();
        Ok(Err(Box::new(TokenFailure {
            seed,
            program: small,
            reason: reason.unwrap_or(first),
        })))
    }

    fn failure(
        &mut self,
        program: &Program,
        seed: u64,
    ) -> Result<Result<Tally, Reason>, ProgramRunError> {
        // What the interpreter refuses, the checker should have.
        let mut tested = match TokenProgram::new(program) {
            Ok(tested) => tested,
            Err(error) => return Ok(Err(Reason::Interpreter(error.to_string()))),
        };
        let seeds = INPUTS
            .into_iter()
            .map(|n| seed.wrapping_mul(31).wrapping_add(n));
        let inputs: Vec<_> = seeds.filter_map(|seed| inputs(program, seed)).collect();
        match self.runner.compare_program(&mut tested, &inputs, seed) {
            Ok(Ok(tally)) => Ok(Ok(tally)),
            Ok(Err(difference)) => Ok(Err(Reason::Difference(difference))),
            Err(error @ ProgramRunError::Driver(_, _, ProbeError::Backend(BackendError::Lost))) => {
                Err(error)
            }
            Err(error) => Ok(Err(Reason::Refused(error))),
        }
    }
}
