//! Runs shader programs in the interpreter and on the driver, and compares the results.

use agal::Stage;
use agal::generate::PairInputs;
use agal::glsl::Dialect;
use agal::interp::LANES;
use context3d::backend::BackendError;
use d3d9::from_agal::Model;
use molehill_replay::evidence::ResultTally;
use molehill_testing::probe::{Flavor, ShaderRunError, ShaderRunner};
use thiserror::Error;

use super::agal::AgalProgram;
use super::drive::{DriverResults, ProgramDevice, outputs};
use super::inputs::{InputGrid, SIDE};
use super::program::{
    ComparisonJob, DriverErrors, DriverLanguage, OutputRegister, ProgramProperties, TestedProgram,
};
use super::range::ResultRange;
use super::sampling::SamplingErrors;

/// The number of interpreter runs with random errors that determine the range of allowed results. The next number is
/// used if a driver's value is outside the range, because more runs make the range wider.
const RUNS: &[u64] = &[12, 400];
/// The numbers of runs for translations to tokens, most of which are exact. Near a singularity, few runs have results
/// close to the ends of the allowed range.
const RUNS_OF_TRANSLATIONS: &[u64] = &[0, 64, 8192];

#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "{stage} program, {language}: {output} is {found:?}, but the interpreter has {:?} ({:?} to {:?})",
    .expected.nominal, .expected.range().0, .expected.range().1
)]
pub struct ProgramDifference {
    pub language: DriverLanguage,
    pub stage: Stage,
    pub output: String,
    /// The interpreter's exact result, with the range of allowed values.
    pub expected: ResultRange,
    pub found: f32,
}

/// The reason why a program could not be compared.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProgramRunError {
    #[error("no context for {0}: {1}")]
    Open(DriverLanguage, ShaderRunError),
    /// The driver rejected the shader or failed while running it.
    #[error("{1} program, {0}: {2}{glsl}", glsl = refused(.2))]
    Driver(DriverLanguage, Stage, ShaderRunError),
}

/// Returns the source code of the shader that the driver rejected.
fn refused(error: &ShaderRunError) -> String {
    match error {
        ShaderRunError::Backend(BackendError::CompileFailed { source, .. }) => {
            format!("\n{source}")
        }
        _ => String::new(),
    }
}

pub struct ProgramRunner {
    contexts: Vec<RunContext>,
}

struct RunContext {
    languages: Vec<DriverLanguage>,
    device: Box<dyn ProgramDevice>,
    /// The driver's errors, or `None` for the interpreter of tokens.
    driver: Option<SamplingErrors>,
    runs: &'static [u64],
}

impl RunContext {
    fn new(languages: Vec<DriverLanguage>, device: impl ProgramDevice + 'static) -> RunContext {
        let driver = Some(SamplingErrors::of_driver(device.renderer()));
        RunContext { languages, driver, device: Box::new(device), runs: RUNS }
    }
}

impl ProgramRunner {
    pub fn open(dialects: &[Dialect]) -> Result<Self, ProgramRunError> {
        let mut contexts: Vec<RunContext> = Vec::new();
        for flavor in Flavor::ALL {
            let of = |dialect: &&Dialect| Flavor::of(**dialect) == *flavor;
            let languages = dialects.iter().filter(of).map(|it| DriverLanguage::Glsl(*it));
            let languages: Vec<_> = languages.collect();
            if let Some(&first) = languages.first() {
                let probe = ShaderRunner::open(*flavor);
                let probe = probe.map_err(|error| ProgramRunError::Open(first, error))?;
                contexts.push(RunContext::new(languages, probe));
            }
        }
        Ok(ProgramRunner { contexts })
    }

    /// Returns a runner that compares AGAL programs with their translations to every shader model, without a driver.
    pub fn translations() -> Self {
        let context = |model: &Model| RunContext {
            languages: vec![DriverLanguage::Tokens(*model)],
            device: Box::new(*model),
            driver: None,
            runs: RUNS_OF_TRANSLATIONS,
        };
        ProgramRunner { contexts: Model::ALL.iter().map(context).collect() }
    }

    /// Opens a software Vulkan driver, to run WGSL or naga modules.
    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    pub fn open_vulkan(language: DriverLanguage) -> Result<Self, ProgramRunError> {
        let opened = backend_wgpu::probe::WgpuRunner::open(SIDE.into()).map_err(|error| {
            let error = BackendError::Unsupported(error.to_string());
            ProgramRunError::Open(language, error.into())
        })?;
        Ok(ProgramRunner { contexts: vec![RunContext::new(vec![language], opened)] })
    }

    pub fn renderer(&self) -> Option<&str> {
        self.contexts.first().map(|context| context.device.renderer())
    }

    /// Runs programs in the interpreter, and on the driver in every dialect. Compiles each program once for all inputs.
    /// Returns the counts of compared results, or the first difference.
    pub fn compare(
        &mut self,
        job: &ComparisonJob<'_>,
    ) -> Result<Result<ResultTally, ProgramDifference>, ProgramRunError> {
        let mut tally = ResultTally::default();
        for &stage in job.stages {
            let mut program = AgalProgram::new(job, stage);
            match self.compare_program(&mut program, job.inputs, job.seed)? {
                Ok(compared) => tally.add(compared),
                Err(difference) => return Ok(Err(difference)),
            }
        }
        Ok(Ok(tally))
    }

    /// Like [`ProgramRunner::compare`], but for a single program in any shader language.
    pub(super) fn compare_program(
        &mut self,
        program: &mut dyn TestedProgram,
        inputs: &[PairInputs],
        seed: u64,
    ) -> Result<Result<ResultTally, ProgramDifference>, ProgramRunError> {
        let grids: Vec<InputGrid<'_>> = inputs.iter().map(InputGrid::new).collect();
        let mut tally = ResultTally::default();
        let mut expected: Vec<Option<Expectation>> = grids.iter().map(|_| None).collect();
        for RunContext { languages, device, driver, runs } in &mut self.contexts {
            for &mut language in languages {
                let found = match device.run(language, program, &grids) {
                    Ok(found) => found,
                    // While a pair is minimized, its inputs may not match the smaller pair.
                    Err(ShaderRunError::Feature(_) | ShaderRunError::Input(_)) => {
                        tally.unsupported += 1;
                        continue;
                    }
                    Err(error) => {
                        let stage = program.properties().stage;
                        return Err(ProgramRunError::Driver(language, stage, error));
                    }
                };
                for ((grid, expected), found) in grids.iter().zip(&mut expected).zip(&found) {
                    let mut grid = GridRun { program: &mut *program, grid, seed };
                    match grid.check(expected, found, language, (*driver, runs)) {
                        Ok(compared) => tally.add(compared),
                        Err(difference) => return Ok(Err(difference)),
                    }
                }
                tally.programs += 1;
            }
        }
        Ok(Ok(tally))
    }
}

/// The allowed results: the driver whose errors are allowed, the number of runs, and the ranges of each invocation.
pub(super) struct Expectation(Option<SamplingErrors>, u64, Vec<InvocationResults>);

/// A program and its grid of inputs, for comparing the interpreter's results with a driver's.
struct GridRun<'a> {
    program: &'a mut dyn TestedProgram,
    grid: &'a InputGrid<'a>,
    seed: u64,
}

/// The allowed results of one shader invocation, in the order of [`outputs`].
#[derive(Default)]
struct InvocationResults {
    values: Vec<ResultRange>,
    stopped: bool,
    kept: bool,
    /// True if the pixel is discarded in some interpreter runs but not in others.
    ambiguous: bool,
}

impl GridRun<'_> {
    /// Runs the interpreter once without errors, and `runs` times with errors.
    fn expect(&mut self, driver: Option<SamplingErrors>, runs: u64) -> Expectation {
        let ProgramProperties { stage, interface, .. } = self.program.properties();
        let outputs = outputs(interface, *stage);
        let mut expected: Vec<InvocationResults> = Vec::new();
        expected.resize_with(usize::from(SIDE * SIDE), InvocationResults::default);
        for (group, run) in
            (0..InputGrid::groups()).flat_map(|group| (0..=runs).map(move |n| (group, n)))
        {
            // The first run of a group of invocations adds no errors.
            let seed = run
                .checked_sub(1)
                .map(|run| self.seed ^ run.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ u64::from(group));
            let stopped = self.program.run(self.grid, group, DriverErrors { driver, seed });
            let alive = self.program.alive();
            for (lane, number) in (0..LANES).zip(0u16..) {
                let number = self.program.properties().invocation(group, number);
                let Some(expected) = expected.get_mut(number) else { continue };
                let alive = alive.get(lane).copied().unwrap_or(false);
                let values =
                    outputs.iter().map(|it| it.pick(self.program.output(it.register, lane)));
                if run == 0 {
                    let values = values.map(ResultRange::new).collect();
                    *expected =
                        InvocationResults { values, stopped, kept: alive, ambiguous: false };
                    continue;
                }
                expected.ambiguous |= expected.kept != alive;
                expected.stopped |= stopped;
                expected.values.iter_mut().zip(values).for_each(|(value, run)| value.include(run));
            }
        }
        Expectation(driver, runs, expected)
    }

    fn check(
        &mut self,
        known: &mut Option<Expectation>,
        found: &DriverResults,
        language: DriverLanguage,
        (driver, runs): (Option<SamplingErrors>, &[u64]),
    ) -> Result<ResultTally, ProgramDifference> {
        let mut result = Ok(ResultTally::default());
        for &runs in runs {
            let enough = known.take().filter(|known| known.0 == driver && known.1 >= runs);
            let expected = enough.unwrap_or_else(|| self.expect(driver, runs));
            result = self.check_once(known.insert(expected), found, language);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn check_once(
        &self,
        Expectation(_, _, expected): &Expectation,
        found: &DriverResults,
        language: DriverLanguage,
    ) -> Result<ResultTally, ProgramDifference> {
        let mut tally = ResultTally::default();
        let ProgramProperties { stage, interface, kills, .. } = self.program.properties();
        let outputs = outputs(interface, *stage);
        for (number, expected) in expected.iter().enumerate() {
            if expected.stopped || expected.ambiguous {
                tally.undefined += u64::try_from(outputs.len()).unwrap_or(0);
                continue;
            }
            let difference = |output: String, expected, found| ProgramDifference {
                language,
                stage: *stage,
                output: format!("{output} of {number}"),
                expected,
                found,
            };
            if *stage == Stage::Fragment {
                let kept = found.is_kept(number);
                if kept != expected.kept {
                    let flag = |kept| f32::from(u8::from(kept));
                    let wanted = ResultRange::new(flag(expected.kept));
                    return Err(difference("being kept".to_owned(), wanted, flag(kept)));
                }
                tally.values += u64::from(*kills);
                if !kept {
                    continue;
                }
            }
            for (output, value) in outputs.iter().zip(&expected.values) {
                if value.is_undefined() {
                    tally.undefined += 1;
                    continue;
                }
                let (mut value, there) = (*value, output.find(found, number));
                if matches!(output.register, OutputRegister::Depth) {
                    value = value.clamped(); // like the GLSL does
                }
                if !value.admits(there) {
                    return Err(difference(output.to_string(), value, there));
                }
                tally.values += 1;
            }
        }
        Ok(tally)
    }
}
