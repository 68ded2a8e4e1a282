//! Cases of programs: the device against the interpreter.

use agal::{Stage, Version};
use agal_generate::{Generator, Inputs, Options, Pair, seed_bytes};
use arbitrary::Unstructured;
use backend_gl::probe::ProbeError;
use context3d::BackendError;

use crate::differential::{Job, Lab, LabError, Tally, Topic, inputs};
use crate::faults::Fault;

/// Seeds of the inputs, and whether they have infinities and NaN.
const INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];
/// Bytes that a random pair and its inputs are made from.
const BYTES: usize = 1 << 13;
/// Random pairs that are tried until there is one of which not everything is left open, and how far their seeds lie apart.
const RANDOM_TRIES: u64 = 16;
const RANDOM_STEP: u64 = 1_000_000;
/// Tokens of a random program.
const TOKENS: usize = 24;

/// Where the programs come from.
#[derive(Clone)]
pub enum ProgramCase {
    /// One opcode and mask, or sampler.
    Topic(Topic),
    /// A generated pair.
    Random {
        /// Its version.
        version: Version,
        /// Its seed.
        seed: u64,
    },
}

/// Programs to run, with what they run on.
pub(super) struct Subject {
    pub(super) pair: Pair,
    stages: Vec<Stage>,
    inputs: Vec<Inputs>,
    seed: u64,
}

/// What came of programs.
pub(super) enum Judged {
    /// The results are the same.
    Agrees,
    /// What is wrong, and with which pair.
    Differs(String, Option<Pair>),
    /// The dialect can't express it.
    Missing(String),
}

impl ProgramCase {
    /// The programs.
    pub(super) fn subjects(&self) -> Vec<Subject> {
        match self {
            ProgramCase::Topic(topic) => {
                let exhibits = topic.exhibits().into_iter();
                let subject = |exhibit: crate::differential::Exhibit| Subject {
                    inputs: INPUTS
                        .into_iter()
                        .filter_map(|(seed, special)| inputs(&exhibit, seed, special))
                        .collect(),
                    stages: vec![exhibit.stage],
                    pair: exhibit.pair,
                    seed: 0,
                };
                exhibits.map(subject).collect()
            }
            ProgramCase::Random { version, seed } => {
                let tries =
                    (0..RANDOM_TRIES).filter_map(|n| random(*version, seed + n * RANDOM_STEP));
                tries.collect()
            }
        }
    }

    /// Runs the programs.
    pub(super) fn judge(&self, lab: &mut Lab, fault: Option<&Fault>) -> Judged {
        let mut tally = Tally::default();
        for subject in self.subjects() {
            match subject.judge(lab, fault) {
                Ok(judged) => tally.add(judged),
                Err(reason) => return Judged::Differs(reason, Some(subject.pair)),
            }
            if tally.judged > 0 && matches!(self, ProgramCase::Random { .. }) {
                break;
            }
        }
        match (tally.judged, tally.missing) {
            (0, 0) => Judged::Differs("nothing could be compared".to_owned(), None),
            (0, _) => Judged::Missing("what the dialect of GLSL can't express".to_owned()),
            _ => Judged::Agrees,
        }
    }
}

fn random(version: Version, seed: u64) -> Option<Subject> {
    let options = Options {
        max_tokens: TOKENS,
        ..Options::new(version)
    };
    let bytes = seed_bytes(seed, BYTES);
    let mut source = Unstructured::new(&bytes);
    let pair = Generator::new(options).pair(&mut source).ok()?;
    let linked = pair.link().ok()?;
    let inputs = Inputs::new(&mut source, linked.interface(), false).ok()?;
    Some(Subject {
        pair,
        stages: vec![Stage::Vertex, Stage::Fragment],
        inputs: vec![inputs],
        seed,
    })
}

impl Subject {
    fn judge(&self, lab: &mut Lab, fault: Option<&Fault>) -> Result<Tally, String> {
        let linked = self.pair.link().map_err(|error| error.to_string())?;
        let spoilt = fault.and_then(|fault| fault.spoil_alone(&linked));
        let job = Job {
            pair: spoilt.as_deref().unwrap_or(&linked),
            stages: &self.stages,
            ..Job::of(&linked, &self.inputs, self.seed)
        };
        match lab.compare(&job) {
            Ok(Ok(tally)) => Ok(tally),
            Ok(Err(difference)) => Err(difference.to_string()),
            Err(LabError::Driver(
                dialect,
                stage,
                ProbeError::Backend(BackendError::CompileFailed { log, .. }),
            )) => Err(format!(
                "{stage} program, {dialect}: the driver refused it: {log}"
            )),
            Err(error) => Err(error.to_string()),
        }
    }
}
