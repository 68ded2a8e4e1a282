//! Compares random AGAL programs on the driver with the interpreter, and minimizes failing programs.

use agal::float::FloatRules;
use agal::generate::{
    GenerateOptions, GeneratorFeatures, PairGenerator, PairInputs, ProgramPair, seed_bytes, shrink,
};
use agal::glsl::{DIALECTS, Dialect};
use agal::{AgalVersion, LinkedPair, Stage};
use arbitrary::Unstructured;
use context3d::backend::BackendError;
use molehill_replay::evidence::ResultTally;
use molehill_testing::probe::ShaderRunError;
pub use molehill_testing::probe::hull::FuzzFailure;

use super::program::ComparisonJob;
use super::run::{ProgramDifference, ProgramRunError, ProgramRunner};
use crate::device::ShaderRoute;

/// The number of random bytes from which a pair and its inputs are generated: enough for the longest programs.
const BYTES: usize = 1 << 14;
/// The maximum number of pairs tried while a failure is minimized.
const SHRINK_ATTEMPTS: usize = 2000;

const BOTH: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzOptions {
    /// The seed of the first program. Each further program has the next seed.
    pub seed: u64,
    /// The AGAL versions to generate alternately.
    pub versions: Vec<AgalVersion>,
    pub dialects: Vec<Dialect>,
    pub max_tokens: usize,
    pub features: GeneratorFeatures,
    pub float_rules: FloatRules,
    pub shaders: ShaderRoute,
}

impl Default for FuzzOptions {
    /// Selects every AGAL version and GLSL dialect, and up to 48 tokens: drivers compile longer programs slowly.
    fn default() -> Self {
        FuzzOptions {
            seed: 0,
            versions: AgalVersion::ALL.to_vec(),
            dialects: DIALECTS.to_vec(),
            max_tokens: 48,
            features: GeneratorFeatures::ALL,
            float_rules: FloatRules::default(),
            shaders: ShaderRoute::default(),
        }
    }
}

impl FuzzOptions {
    /// Returns options for AGAL pairs that are compared with their translations to Direct3D 9 tokens.
    pub fn translations(seed: u64) -> FuzzOptions {
        // Indexed reads outside the constant registers differ between AGAL and Direct3D 9 [d3d9.from_agal.outside].
        let features =
            GeneratorFeatures { indirect: false, vertex_textures: false, ..GeneratorFeatures::ALL };
        let versions = vec![AgalVersion::V1, AgalVersion::V2, AgalVersion::V3];
        let (max_tokens, shaders) = (24, ShaderRoute::D3d9);
        FuzzOptions { seed, versions, max_tokens, features, shaders, ..FuzzOptions::default() }
    }
}

/// The result of comparing one program: the counts of results, or the reason of the failure.
pub(super) type ComparisonResult<R> = Result<Result<ResultTally, R>, ProgramRunError>;

/// Converts the reason of a failed comparison to text. A rejected shader is a failure; a lost device is an error.
pub(super) fn compared(result: ComparisonResult<ProgramDifference>) -> ComparisonResult<String> {
    match result {
        Err(error @ ProgramRunError::Driver(_, _, ShaderRunError::Backend(BackendError::Lost))) => {
            Err(error)
        }
        Err(error) => Ok(Err(error.to_string())),
        Ok(result) => Ok(result.map_err(|difference| difference.to_string())),
    }
}

/// Returns the failing pair of programs as text. Comments in the text list the inputs of the used registers.
pub(super) fn failure(
    seed: u64,
    pair: &ProgramPair,
    inputs: &[PairInputs],
    reason: String,
) -> Box<FuzzFailure> {
    let (code, mut text) = (pair.to_string(), String::new());
    for inputs in inputs {
        let banks = [
            ("va", &inputs.attributes),
            ("vc", &inputs.vertex_constants),
            ("fc", &inputs.fragment_constants),
            ("v", &inputs.varyings),
        ];
        for (name, bank) in banks {
            for (number, value) in bank.iter().enumerate() {
                if code.contains(&format!("{name}{number}")) {
                    text += &format!("// {name}{number} = {value:?}\n");
                }
            }
        }
    }
    Box::new(FuzzFailure { seed, text: text + &code, reason })
}

/// Generates a pair of programs with inputs from random bytes. Returns `None` if the pair can't be generated or linked.
pub(crate) fn generated(
    options: GenerateOptions,
    seed: u64,
    bytes: usize,
) -> Option<(ProgramPair, PairInputs)> {
    let bytes = seed_bytes(seed, bytes);
    let mut source = Unstructured::new(&bytes);
    // The generator ends the program early if the bytes run out.
    let pair = PairGenerator::new(options).pair(&mut source).ok()?;
    let inputs = PairInputs::new(&mut source, pair.link().ok()?.interface(), false).ok()?;
    Some((pair, inputs))
}

pub struct Fuzzer {
    runner: ProgramRunner,
    pub options: FuzzOptions,
    next: u64,
}

impl Fuzzer {
    pub fn new(options: FuzzOptions) -> Result<Self, ProgramRunError> {
        Ok(Fuzzer::with_runner(ProgramRunner::open(&options.dialects)?, options))
    }

    /// Returns a fuzzer that uses the given drivers; the dialects in the options are ignored.
    pub fn with_runner(runner: ProgramRunner, options: FuzzOptions) -> Self {
        Fuzzer { runner, next: options.seed, options }
    }

    pub fn renderer(&self) -> Option<&str> {
        self.runner.renderer()
    }

    /// Compares the next pair of programs. Returns the counts of results, or the minimized failure.
    pub fn step(&mut self) -> ComparisonResult<Box<FuzzFailure>> {
        let seed = self.next;
        self.next = seed.wrapping_add(1);
        let turn = usize::try_from(seed % 0xFFFF).unwrap_or(0);
        let version = self.options.versions.iter().cycle().nth(turn % 64);
        let version = version.copied().unwrap_or(AgalVersion::V2);
        let FuzzOptions { max_tokens, features, .. } = self.options;
        let options = GenerateOptions { max_tokens, features, ..GenerateOptions::new(version) };
        match generated(options, seed, BYTES) {
            Some((pair, inputs)) => self.check(&pair, &BOTH, vec![inputs], seed),
            None => Ok(Ok(ResultTally::default())),
        }
    }

    /// Compares the programs of the given stages of a pair with the interpreter, on the given inputs.
    pub fn check(
        &mut self,
        pair: &ProgramPair,
        stages: &[Stage],
        inputs: Vec<PairInputs>,
        seed: u64,
    ) -> ComparisonResult<Box<FuzzFailure>> {
        let Ok(linked) = pair.link() else { return Ok(Ok(ResultTally::default())) };
        let FuzzOptions { float_rules, shaders, .. } = self.options;
        let mut compare = |linked: &LinkedPair| {
            let job = ComparisonJob {
                stages,
                float_rules,
                shaders,
                ..ComparisonJob::of(linked, &inputs, seed)
            };
            compared(self.runner.compare(&job))
        };
        let mut reason = match compare(&linked)? {
            Ok(tally) => return Ok(Ok(tally)),
            Err(reason) => reason,
        };
        let mut lost = Ok(());
        let small = shrink(pair, SHRINK_ATTEMPTS, |smaller| match compare(smaller) {
            Ok(Ok(_)) => false,
            Ok(Err(found)) => {
                reason = found;
                true
            }
            Err(error) => {
                lost = Err(error);
                false
            }
        });
        lost.map(|()| Err(failure(seed, &small, &inputs, reason)))
    }
}
