//! Random programs, one after another, and what is left of those that differ.

use std::fmt;

use agal::glsl::Dialect;
use agal::{LinkedPair, Stage, Version};
use agal_generate::{Generator, Inputs, Options, Pair, seed_bytes, shrink};
use arbitrary::Unstructured;

use super::run::{Difference, Job, ProgramRunError, ProgramRunner};
use super::verdict::Tally;

/// Bytes that a pair and its inputs are made from: enough for the longest that are asked for.
const BYTES: usize = 1 << 14;
/// Pairs tried while a failure is made small.
const SHRINK_ATTEMPTS: usize = 2000;

const BOTH: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// What a [`Fuzzer`] makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzOptions {
    /// The first pair's seed; every next one's is one more.
    pub seed: u64,
    /// AGAL versions, in turn.
    pub versions: Vec<Version>,
    /// Dialects, each pair in all.
    pub dialects: Vec<Dialect>,
    /// The most tokens in a program.
    pub max_tokens: usize,
}

impl Default for FuzzOptions {
    /// Every version and dialect, programs of up to 48 tokens: a driver's compiler takes longer the longer they are, and
    /// what can go wrong, goes wrong in short ones.
    fn default() -> Self {
        FuzzOptions {
            seed: 0,
            versions: Version::ALL.to_vec(),
            dialects: Dialect::ALL.to_vec(),
            max_tokens: 48,
        }
    }
}

/// A pair that the driver and the interpreter disagree on, or that the driver refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The seed that the pair came from.
    pub seed: u64,
    /// The smallest pair that was found to fail.
    pub pair: Pair,
    /// Its inputs.
    pub inputs: Vec<Inputs>,
    /// How.
    pub reason: Reason,
}

/// What is wrong with a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Another result.
    Difference(Difference),
    /// The driver refused a shader or failed on it.
    Refused(ProgramRunError),
    /// The interpreter can't run it.
    Interpreter(String),
    /// The translation to Direct3D 9 tokens computes something else.
    Translation(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Difference(difference) => difference.fmt(f),
            Reason::Refused(error) => error.fmt(f),
            Reason::Interpreter(text) | Reason::Translation(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Failure {
    /// A file for the assembler, with everything else as comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed: {}", self.seed)?;
        for line in self.reason.to_string().lines() {
            writeln!(f, "// {line}")?;
        }
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
                    // Only what the programs name.
                    if text.contains(&format!("{name}{number}")) {
                        writeln!(f, "// {name}{number} = {value:?}")?;
                    }
                }
            }
        }
        f.write_str(&text)
    }
}

/// Makes pairs and compares them.
pub struct Fuzzer {
    runner: ProgramRunner,
    options: FuzzOptions,
    next: u64,
}

impl Fuzzer {
    /// Opens the contexts.
    ///
    /// # Errors
    /// [`ProgramRunError::Open`].
    pub fn new(options: FuzzOptions) -> Result<Self, ProgramRunError> {
        Ok(Fuzzer {
            runner: ProgramRunner::open(&options.dialects)?,
            next: options.seed,
            options,
        })
    }

    /// The driver's name of itself.
    pub fn renderer(&self) -> Option<&str> {
        self.runner.renderer()
    }

    /// The next pair: what was compared, or the failure made small.
    ///
    /// # Errors
    /// None today but [`ProgramRunError::Driver`] when the device is lost.
    pub fn step(&mut self) -> Result<Result<Tally, Box<Failure>>, ProgramRunError> {
        let seed = self.next;
        self.next = self.next.wrapping_add(1);
        let turn = usize::try_from(seed % 0xFFFF).unwrap_or(0);
        let version = self.options.versions.iter().cycle().nth(turn % 64);
        let options = Options {
            max_tokens: self.options.max_tokens,
            ..Options::new(version.copied().unwrap_or(Version::V2))
        };
        let bytes = seed_bytes(seed, BYTES);
        let mut source = Unstructured::new(&bytes);
        // Bytes that run out end programs early; a pair that can't be made or linked is the generator's fault, and
        // `agal`'s own tests look for these.
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
    ///
    /// # Errors
    /// As [`Fuzzer::step`].
    pub fn check(
        &mut self,
        pair: &Pair,
        stages: &[Stage],
        inputs: Vec<Inputs>,
        seed: u64,
    ) -> Result<Result<Tally, Box<Failure>>, ProgramRunError> {
        let Ok(linked) = pair.link() else {
            return Ok(Ok(Tally::default()));
        };
        match self.failure(&linked, stages, &inputs, seed)? {
            Ok(tally) => Ok(Ok(tally)),
            Err(reason) => self.shrunk(seed, pair, stages, inputs, reason).map(Err),
        }
    }

    fn failure(
        &mut self,
        linked: &LinkedPair,
        stages: &[Stage],
        inputs: &[Inputs],
        seed: u64,
    ) -> Result<Result<Tally, Reason>, ProgramRunError> {
        use backend_gl_probe::ProbeError;
        use context3d::backend::BackendError;
        let job = Job {
            stages,
            ..Job::of(linked, inputs, seed)
        };
        match self.runner.compare(&job) {
            Ok(Ok(tally)) => Ok(Ok(tally)),
            Ok(Err(difference)) => Ok(Err(Reason::Difference(difference))),
            Err(error @ ProgramRunError::Driver(_, _, ProbeError::Backend(BackendError::Lost))) => {
                Err(error)
            }
            Err(error) => Ok(Err(Reason::Refused(error))),
        }
    }

    /// Makes a failing pair small. `first` is what is wrong with it as it is.
    fn shrunk(
        &mut self,
        seed: u64,
        pair: &Pair,
        stages: &[Stage],
        inputs: Vec<Inputs>,
        first: Reason,
    ) -> Result<Box<Failure>, ProgramRunError> {
        let mut lost = None;
        let small = shrink(pair, SHRINK_ATTEMPTS, |linked| {
            match self.failure(linked, stages, &inputs, seed) {
                Ok(found) => found.is_err(),
                Err(error) => {
                    lost = Some(error);
                    false
                }
            }
        });
        if let Some(error) = lost {
            return Err(error);
        }
        let reason = match small.link() {
            Ok(linked) => self.failure(&linked, stages, &inputs, seed)?.err(),
            Err(_) => None,
        };
        Ok(Box::new(Failure {
            seed,
            pair: small,
            inputs,
            reason: reason.unwrap_or(first),
        }))
    }
}
