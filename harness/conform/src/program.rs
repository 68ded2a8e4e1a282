//! Runs test cases of AGAL programs: compares the device's results with the interpreter's.

use agal::generate::{GenerateOptions, OpcodeProgram, PairInputs, ProgramPair, Topic, all_inputs};
use agal::{AgalVersion, Stage};
use context3d::backend::BackendError;
use molehill_testing::probe::ShaderRunError;

use crate::attachments;
use crate::differential::{ComparisonJob, ProgramRunError, ProgramRunner, generated};
use crate::fault::ConformFault;
use crate::mutations::Mutation;
use crate::verdict::CaseResult;
use agal::glsl::Dialect;
use molehill_replay::evidence::{Party, ResultTally};

/// The number of random bytes from which a pair of programs and its inputs are generated.
const BYTES: usize = 1 << 13;
/// The maximum number of random pairs that are tried until one has a defined result.
const RANDOM_TRIES: u64 = 16;
/// The difference between the seeds of successively tried pairs.
const RANDOM_STEP: u64 = 1_000_000;
const MAX_TOKENS: usize = 24;

#[derive(Clone)]
pub enum ProgramCase {
    /// The programs for one opcode with one write mask, or for one sampler.
    Topic(Topic),
    Random {
        version: AgalVersion,
        seed: u64,
    },
}

/// A vertex and fragment program with their inputs.
pub(super) struct TestedPair {
    pub(super) pair: ProgramPair,
    stages: Vec<Stage>,
    inputs: Vec<PairInputs>,
    seed: u64,
}

impl ProgramCase {
    pub(super) fn pairs(&self) -> Vec<TestedPair> {
        match self {
            ProgramCase::Topic(topic) => {
                let programs = topic.programs().into_iter();
                let pair = |program: OpcodeProgram| TestedPair {
                    inputs: all_inputs(&program),
                    stages: vec![program.stage],
                    pair: program.pair,
                    seed: 0,
                };
                programs.map(pair).collect()
            }
            ProgramCase::Random { version, seed } => {
                let new = GenerateOptions::new(*version);
                let options = GenerateOptions { max_tokens: MAX_TOKENS, ..new };
                let tries = (0..RANDOM_TRIES).filter_map(|n| {
                    let seed = seed + n * RANDOM_STEP;
                    let (pair, inputs) = generated(options, seed, BYTES)?;
                    let stages = vec![Stage::Vertex, Stage::Fragment];
                    Some(TestedPair { pair, stages, inputs: vec![inputs], seed })
                });
                tries.collect()
            }
        }
    }

    pub(super) fn run(
        &self,
        runner: &mut ProgramRunner,
        dialect: Dialect,
        mutation: Option<&Mutation>,
        fault: Option<ConformFault>,
    ) -> CaseResult {
        let (mut tally, mut found) = (ResultTally::default(), CaseResult::default());
        for tested in self.pairs() {
            match tested.run(runner, mutation) {
                Ok(compared) => tally.add(compared),
                Err(reason) => {
                    found.failures.push(reason);
                    found.attachments = attachments::pair(&tested.pair, dialect);
                    break;
                }
            }
            if tally.values > 0 && matches!(self, ProgramCase::Random { .. }) {
                break;
            }
        }
        if (tally.values, found.failures.len()) == (0, 0) && tally.undefined > 0 {
            found.missing = Some("nothing could be compared".to_owned());
        }
        if fault == Some(ConformFault::Undefined) {
            tally.undefined += std::mem::take(&mut tally.values);
        }
        if (tally.values, found.failures.len()) == (0, 0) && tally.unsupported > 0 {
            found.missing = Some("features that the dialect of GLSL can't express".to_owned());
        }
        tally.differing = found.failures.len() as u64;
        found.compared.push((Party::Interpreter("AGAL".to_owned()), tally));
        found
    }
}

impl TestedPair {
    fn run(
        &self,
        runner: &mut ProgramRunner,
        mutation: Option<&Mutation>,
    ) -> Result<ResultTally, String> {
        let linked = self.pair.link().map_err(|error| error.to_string())?;
        let mutated = mutation.and_then(|mutation| mutation.mutate_alone(&linked));
        let job = ComparisonJob {
            pair: mutated.as_deref().unwrap_or(&linked),
            stages: &self.stages,
            ..ComparisonJob::of(&linked, &self.inputs, self.seed)
        };
        match runner.compare(&job) {
            Ok(Ok(tally)) => Ok(tally),
            Ok(Err(difference)) => Err(difference.to_string()),
            Err(ProgramRunError::Driver(
                dialect,
                stage,
                ShaderRunError::Backend(BackendError::CompileFailed { log, .. }),
            )) => Err(format!("{stage} program, {dialect}: the driver rejected the shader: {log}")),
            Err(error) => Err(error.to_string()),
        }
    }
}
