//! Random programs, one after another; failing ones are minimized.

use std::fmt;

use agal::float::FloatRules;
use agal::generate::{Generator, Inputs, Options, Pair, seed_bytes, shrink};
use agal::glsl::{DIALECTS, Dialect};
use agal::{LinkedPair, Stage, Version};
use arbitrary::Unstructured;
use context3d::backend::BackendError;
use molehill_replay::evidence::Tally;
use molehill_testing::probe::ProbeError;

use super::program::Job;
use super::run::{Difference, ProgramRunError, ProgramRunner};
use crate::device::Shaders;

/// Number of bytes that a pair and its inputs are generated from: enough for the longest programs.
const BYTES: usize = 1 << 14;
/// Maximum number of pairs tried while a failure is minimized.
const SHRINK_ATTEMPTS: usize = 2000;

const BOTH: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// Options for random programs of a language, by the type of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzOptions<V = Version> {
    /// Seed of the first program; each further program has the next number.
    pub seed: u64,
    /// Versions, taken in turn.
    pub versions: Vec<V>,
    /// Dialects; each program runs in all of them.
    pub dialects: Vec<Dialect>,
    /// Maximum number of tokens of a program of AGAL, or of instructions of a shader.
    pub max_tokens: usize,
    pub float_rules: FloatRules,
    /// The path from AGAL to GLSL.
    pub shaders: Shaders,
}

impl Default for FuzzOptions {
    /// Every version and dialect, programs of up to 48 tokens: drivers compile long programs slowly, and short ones
    /// show the same bugs.
    fn default() -> Self {
        FuzzOptions {
            seed: 0,
            versions: Version::ALL.to_vec(),
            dialects: DIALECTS.to_vec(),
            max_tokens: 48,
            float_rules: FloatRules::default(),
            shaders: Shaders::default(),
        }
    }
}

/// A pair that the driver refuses, or whose results differ from the interpreter's.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub seed: u64,
    pub pair: Pair,
    pub inputs: Vec<Inputs>,
    pub reason: Reason,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Reason {
    #[error(transparent)]
    Difference(Difference),
    /// The driver refused a shader, or failed while running it.
    #[error(transparent)]
    Refused(ProgramRunError),
    /// The interpreter can't run it.
    #[error("{0}")]
    Interpreter(String),
    /// The translation to Direct3D 9 tokens gives another result.
    #[error("{0}")]
    Translation(String),
}

/// The result of comparing one program: the counts, or the reason of its failure.
pub(super) type Compared<R> = Result<Result<Tally, R>, ProgramRunError>;

impl Reason {
    /// Converts the result of a run on the driver.
    pub(super) fn of(result: Compared<Difference>) -> Compared<Reason> {
        match result {
            Ok(result) => Ok(result.map_err(Reason::Difference)),
            Err(error @ ProgramRunError::Driver(_, _, ProbeError::Backend(BackendError::Lost))) => {
                Err(error)
            }
            Err(error) => Ok(Err(Reason::Refused(error))),
        }
    }

    /// Writes the seed and the reason as the comments at the head of a failure's file.
    pub(super) fn head(&self, seed: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed: {seed}")?;
        let text = self.to_string();
        text.lines().try_for_each(|line| writeln!(f, "// {line}"))
    }
}

/// Minimizes a failing program with `shrink`, which gets the test whether a smaller program still fails. `failure`
/// compares a program, and `first` is the reason of the whole program's failure. A lost device ends the search.
pub(super) fn minimized<T, P>(
    first: Reason,
    mut failure: impl FnMut(&T) -> Compared<Reason>,
    shrink: impl FnOnce(&mut dyn FnMut(&T) -> bool) -> P,
) -> Result<(P, Reason), ProgramRunError> {
    let (mut lost, mut reason) = (Ok(()), first);
    let small = shrink(&mut |program| match failure(program) {
        Ok(found) => {
            let fails = found.is_err();
            reason = found.err().unwrap_or_else(|| reason.clone());
            fails
        }
        Err(error) => {
            lost = Err(error);
            false
        }
    });
    lost.map(|()| (small, reason))
}

impl fmt::Display for Failure {
    /// Writes a source file for the assembler, with everything but the programs as comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.head(self.seed, f)?;
        let text = self.pair.to_string();
        for inputs in &self.inputs {
            let banks = [
                ("va", &inputs.attributes),
                ("vc", &inputs.vertex_constants),
                ("fc", &inputs.fragment_constants),
                ("v", &inputs.varyings),
            ];
            for (name, bank) in banks {
                for (number, value) in bank.iter().enumerate() {
                    // Only the registers that the programs use.
                    if text.contains(&format!("{name}{number}")) {
                        writeln!(f, "// {name}{number} = {value:?}")?;
                    }
                }
            }
        }
        f.write_str(&text)
    }
}

pub struct Fuzzer<V = Version> {
    pub(super) runner: ProgramRunner,
    pub options: FuzzOptions<V>,
    next: u64,
}

impl<V> Fuzzer<V> {
    pub fn new(options: FuzzOptions<V>) -> Result<Self, ProgramRunError> {
        Ok(Fuzzer { runner: ProgramRunner::open(&options.dialects)?, next: options.seed, options })
    }

    /// `GL_RENDERER` of the driver.
    pub fn renderer(&self) -> Option<&str> {
        self.runner.renderer()
    }

    /// Returns the seed of the next program.
    pub(super) fn seed(&mut self) -> u64 {
        let seed = self.next;
        self.next = seed.wrapping_add(1);
        seed
    }
}

impl Fuzzer {
    /// Runs the next pair: returns the counts, or the minimized failure. The counts are all zero if the pair could not be
    /// generated or linked.
    pub fn step(&mut self) -> Compared<Box<Failure>> {
        let seed = self.seed();
        let turn = usize::try_from(seed % 0xFFFF).unwrap_or(0);
        let version = self.options.versions.iter().cycle().nth(turn % 64);
        let options = Options {
            max_tokens: self.options.max_tokens,
            ..Options::new(version.copied().unwrap_or(Version::V2))
        };
        let bytes = seed_bytes(seed, BYTES);
        let mut source = Unstructured::new(&bytes);
        // The generator ends a program early when the bytes run out.
        let Ok(pair) = Generator::new(options).pair(&mut source) else {
            return Ok(Ok(Tally::default()));
        };
        let inputs = pair.link().ok().and_then(|linked| {
            let inputs = Inputs::new(&mut source, linked.interface(), false);
            inputs.ok()
        });
        match inputs {
            Some(inputs) => self.check(&pair, &BOTH, vec![inputs], seed),
            None => Ok(Ok(Tally::default())),
        }
    }

    /// Compares these programs of a pair on these inputs.
    pub fn check(
        &mut self,
        pair: &Pair,
        stages: &[Stage],
        inputs: Vec<Inputs>,
        seed: u64,
    ) -> Compared<Box<Failure>> {
        let Ok(linked) = pair.link() else {
            return Ok(Ok(Tally::default()));
        };
        let FuzzOptions { float_rules, shaders, .. } = self.options;
        let mut failure = |linked: &LinkedPair| {
            let job = Job { stages, float_rules, shaders, ..Job::of(linked, &inputs, seed) };
            Reason::of(self.runner.compare(&job))
        };
        let first = match failure(&linked)? {
            Ok(tally) => return Ok(Ok(tally)),
            Err(reason) => reason,
        };
        let (pair, reason) =
            minimized(first, failure, |fails| shrink(pair, SHRINK_ATTEMPTS, fails))?;
        Ok(Err(Box::new(Failure { seed, pair, inputs, reason })))
    }
}
