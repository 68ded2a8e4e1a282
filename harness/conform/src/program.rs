//! Cases of programs: compares the device with the interpreter.

use agal::generate::{Generator, Inputs, Options, Pair, seed_bytes};
use agal::{Stage, Version};
use arbitrary::Unstructured;
use context3d::backend::BackendError;
use molehill_testing::probe::ProbeError;

use crate::attachments;
use crate::differential::{Job, ProgramRunError, ProgramRunner, Topic, inputs};
use crate::fault::Fault;
use crate::mutations::Mutation;
use crate::verdict::CaseResult;
use agal::glsl::Dialect;
use molehill_replay::evidence::{Party, Tally};

/// Seeds of the inputs, and whether they are edge cases.
const INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];
/// Number of bytes that a random pair and its inputs are generated from.
const BYTES: usize = 1 << 13;
/// Number of random pairs tried until one has a defined result, and the distance between their seeds.
const RANDOM_TRIES: u64 = 16;
const RANDOM_STEP: u64 = 1_000_000;
const TOKENS: usize = 24;

#[derive(Clone)]
pub enum ProgramCase {
    /// Programs for one opcode with one write mask, or for one sampler.
    Topic(Topic),
    Random {
        version: Version,
        seed: u64,
    },
}

pub(super) struct Subject {
    pub(super) pair: Pair,
    stages: Vec<Stage>,
    inputs: Vec<Inputs>,
    seed: u64,
}

impl ProgramCase {
    pub(super) fn subjects(&self) -> Vec<Subject> {
        match self {
            ProgramCase::Topic(topic) => {
                let programs = topic.programs().into_iter();
                let subject = |program: crate::differential::OpcodeProgram| Subject {
                    inputs: INPUTS
                        .into_iter()
                        .filter_map(|(seed, special)| inputs(&program, seed, special))
                        .collect(),
                    stages: vec![program.stage],
                    pair: program.pair,
                    seed: 0,
                };
                programs.map(subject).collect()
            }
            ProgramCase::Random { version, seed } => {
                let tries =
                    (0..RANDOM_TRIES).filter_map(|n| random(*version, seed + n * RANDOM_STEP));
                tries.collect()
            }
        }
    }

    pub(super) fn run(
        &self,
        runner: &mut ProgramRunner,
        dialect: Dialect,
        mutation: Option<&Mutation>,
        fault: Option<Fault>,
    ) -> CaseResult {
        let (mut tally, mut found) = (Tally::default(), CaseResult::default());
        for subject in self.subjects() {
            match subject.run(runner, mutation) {
                Ok(compared) => tally.add(compared),
                Err(reason) => {
                    found.failures.push(reason);
                    found.attachments = attachments::pair(&subject.pair, dialect);
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
        if fault == Some(Fault::Undefined) {
            tally.undefined += std::mem::take(&mut tally.values);
        }
        if (tally.values, found.failures.len()) == (0, 0) && tally.unsupported > 0 {
            found.missing = Some("what the dialect of GLSL can't express".to_owned());
        }
        tally.differing = found.failures.len() as u64;
        found.compared.push((Party::Interpreter("AGAL".to_owned()), tally));
        found
    }
}

fn random(version: Version, seed: u64) -> Option<Subject> {
    let options = Options { max_tokens: TOKENS, ..Options::new(version) };
    let bytes = seed_bytes(seed, BYTES);
    let mut source = Unstructured::new(&bytes);
    let pair = Generator::new(options).pair(&mut source).ok()?;
    let linked = pair.link().ok()?;
    let inputs = Inputs::new(&mut source, linked.interface(), false).ok()?;
    Some(Subject { pair, stages: vec![Stage::Vertex, Stage::Fragment], inputs: vec![inputs], seed })
}

impl Subject {
    fn run(
        &self,
        runner: &mut ProgramRunner,
        mutation: Option<&Mutation>,
    ) -> Result<Tally, String> {
        let linked = self.pair.link().map_err(|error| error.to_string())?;
        let mutated = mutation.and_then(|mutation| mutation.mutate_alone(&linked));
        let job = Job {
            pair: mutated.as_deref().unwrap_or(&linked),
            stages: &self.stages,
            ..Job::of(&linked, &self.inputs, self.seed)
        };
        match runner.compare(&job) {
            Ok(Ok(tally)) => Ok(tally),
            Ok(Err(difference)) => Err(difference.to_string()),
            Err(ProgramRunError::Driver(
                dialect,
                stage,
                ProbeError::Backend(BackendError::CompileFailed { log, .. }),
            )) => Err(format!("{stage} program, {dialect}: the driver refused it: {log}")),
            Err(error) => Err(error.to_string()),
        }
    }
}
