//! Runs programs on both sides and compares the results.

use agal::Stage;
use agal::generate::Inputs;
use agal::glsl::Dialect;
use agal::interp::LANES;
use context3d::backend::BackendError;
use molehill_replay::evidence::Tally;
use molehill_testing::probe::{Flavor, Probe, ProbeError};
use thiserror::Error;

use super::agal::AgalProgram;
use super::drive::{DriverResults, ProgramDevice, outputs};
use super::inputs::{Grid, SIDE};
use super::program::{DriverLanguage, Errors, Job, Properties, Register, TestedProgram};
use super::sampling::Driver;
use super::verdict::Value;

/// Number of interpreter runs with errors for the first range.
const RUNS: u64 = 12;
/// Number of runs for a second range, after a value was outside of the first.
const MORE_RUNS: u64 = 400;

#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "{stage} program, {language}: {output} is {found:?}, but the interpreter has {:?} ({:?} to {:?})",
    .expected.nominal, .expected.range().0, .expected.range().1
)]
pub struct Difference {
    pub language: DriverLanguage,
    pub stage: Stage,
    pub output: String,
    /// The interpreter's result, with its range.
    pub expected: Value,
    pub found: f32,
}

/// Why programs could not be compared.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProgramRunError {
    #[error("no context for {0}: {1}")]
    Open(DriverLanguage, ProbeError),
    /// The driver refused the shader or failed while running it.
    #[error("{1} program, {0}: {2}{glsl}", glsl = refused(.2))]
    Driver(DriverLanguage, Stage, ProbeError),
}

/// The shader that the driver refused.
fn refused(error: &ProbeError) -> String {
    match error {
        ProbeError::Backend(BackendError::CompileFailed { source, .. }) => format!("\n{source}"),
        _ => String::new(),
    }
}

pub struct ProgramRunner {
    contexts: Vec<Context>,
}

struct Context {
    languages: Vec<DriverLanguage>,
    device: Box<dyn ProgramDevice>,
    driver: Driver,
}

impl Context {
    fn new(languages: Vec<DriverLanguage>, device: impl ProgramDevice + 'static) -> Context {
        let driver = Driver::named(device.renderer());
        Context { languages, driver, device: Box::new(device) }
    }
}

impl ProgramRunner {
    pub fn open(dialects: &[Dialect]) -> Result<Self, ProgramRunError> {
        let mut contexts: Vec<Context> = Vec::new();
        for flavor in Flavor::ALL {
            let of = |dialect: &&Dialect| Flavor::of(**dialect) == *flavor;
            let languages = dialects.iter().filter(of).map(|it| DriverLanguage::Glsl(*it));
            let languages: Vec<_> = languages.collect();
            if let Some(&first) = languages.first() {
                let probe = Probe::open(*flavor);
                let probe = probe.map_err(|error| ProgramRunError::Open(first, error))?;
                contexts.push(Context::new(languages, probe));
            }
        }
        Ok(ProgramRunner { contexts })
    }

    /// Opens the software renderer of Vulkan, for AGAL's WGSL or modules of naga.
    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    pub fn open_vulkan(language: DriverLanguage) -> Result<Self, ProgramRunError> {
        let opened = backend_wgpu::probe::Probe::open(SIDE.into()).map_err(|error| {
            let error = BackendError::Unsupported(error.to_string());
            ProgramRunError::Open(language, error.into())
        })?;
        Ok(ProgramRunner { contexts: vec![Context::new(vec![language], opened)] })
    }

    /// Returns the name of the driver.
    pub fn renderer(&self) -> Option<&str> {
        self.contexts.first().map(|context| context.device.renderer())
    }

    /// Runs programs on the driver, in every dialect, and in the interpreter. Each is compiled once for all its inputs.
    /// Returns the counts, or the first difference.
    pub fn compare(&mut self, job: &Job<'_>) -> Result<Result<Tally, Difference>, ProgramRunError> {
        let mut tally = Tally::default();
        for &stage in job.stages {
            let mut program = AgalProgram::new(job, stage);
            match self.compare_program(&mut program, job.inputs, job.seed)? {
                Ok(compared) => tally.add(compared),
                Err(difference) => return Ok(Err(difference)),
            }
        }
        Ok(Ok(tally))
    }

    /// As [`ProgramRunner::compare`], for one program in any language.
    pub(super) fn compare_program(
        &mut self,
        program: &mut dyn TestedProgram,
        inputs: &[Inputs],
        seed: u64,
    ) -> Result<Result<Tally, Difference>, ProgramRunError> {
        let grids: Vec<Grid<'_>> = inputs.iter().map(Grid::new).collect();
        let mut tally = Tally::default();
        let mut expected: Vec<Option<Expectation>> = grids.iter().map(|_| None).collect();
        for context in &mut self.contexts {
            for language in context.languages.clone() {
                let result = context.run(language, program, (&grids, &mut expected), seed);
                match result {
                    Ok(Ok(compared)) => tally.add(compared),
                    Ok(Err(difference)) => return Ok(Err(difference)),
                    // The inputs were made for a pair and may not fit one that was derived from it.
                    Err(ProbeError::Feature(_) | ProbeError::Input(_)) => tally.unsupported += 1,
                    Err(error) => {
                        return Err(ProgramRunError::Driver(
                            language,
                            program.properties().stage,
                            error,
                        ));
                    }
                }
            }
        }
        Ok(Ok(tally))
    }
}

impl Context {
    /// Runs one program in one language, on all its inputs.
    fn run(
        &mut self,
        language: DriverLanguage,
        program: &mut dyn TestedProgram,
        (grids, expected): (&[Grid<'_>], &mut [Option<Expectation>]),
        seed: u64,
    ) -> Result<Result<Tally, Difference>, ProbeError> {
        let mut tally = Tally::default();
        let found = self.device.run(language, program, grids)?;
        for ((grid, expected), found) in grids.iter().zip(expected).zip(&found) {
            let mut subject = Subject { program: &mut *program, grid, seed };
            match subject.check(expected, found, language, self.driver) {
                Ok(compared) => tally.add(compared),
                Err(difference) => return Ok(Err(difference)),
            }
        }
        tally.programs = 1;
        Ok(Ok(tally))
    }
}

/// The driver whose errors are allowed, the number of runs, and the results of each invocation.
pub(super) struct Expectation(Driver, u64, Vec<Invocation>);

struct Subject<'a> {
    program: &'a mut dyn TestedProgram,
    grid: &'a Grid<'a>,
    seed: u64,
}

/// The results of an invocation, in the order of [`outputs`].
#[derive(Default)]
struct Invocation {
    values: Vec<Value>,
    /// Whether the interpreter stopped before the end.
    stopped: bool,
    kept: bool,
    /// Some runs discard it, others don't.
    ambiguous: bool,
}

impl Subject<'_> {
    /// The index of the invocation at a lane of a group.
    fn number(&self, group: u16, lane: u16) -> usize {
        let Properties { stage, linear, .. } = self.program.properties();
        if *linear && *stage == Stage::Fragment {
            let (x, y) = Grid::position(group, lane);
            usize::from(y * SIDE + x)
        } else {
            Grid::number(group, lane)
        }
    }

    /// Runs the interpreter once without errors, and `runs` times with errors.
    fn expect(&mut self, driver: Driver, runs: u64) -> Expectation {
        let Properties { stage, interface, .. } = self.program.properties();
        let outputs = outputs(interface, *stage);
        let mut expected: Vec<Invocation> = Vec::new();
        expected.resize_with(usize::from(SIDE * SIDE), Invocation::default);
        for (group, run) in
            (0..Grid::groups()).flat_map(|group| (0..=runs).map(move |n| (group, n)))
        {
            // The first run of a group has no errors.
            let errors = run.checked_sub(1).map(|run| {
                let seed = self.seed ^ run.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ u64::from(group);
                Errors { driver, seed }
            });
            let stopped = self.program.run(self.grid, group, errors);
            let alive = self.program.alive();
            for (lane, number) in (0..LANES).zip(0u16..) {
                let Some(expected) = expected.get_mut(self.number(group, number)) else { continue };
                let alive = alive.get(lane).copied().unwrap_or(false);
                let values =
                    outputs.iter().map(|it| it.pick(self.program.output(it.register, lane)));
                if run == 0 {
                    let values = values.map(Value::new).collect();
                    *expected = Invocation { values, stopped, kept: alive, ambiguous: false };
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
        driver: Driver,
    ) -> Result<Tally, Difference> {
        let expected = match known.take() {
            Some(expected) if expected.0 == driver => known.insert(expected),
            _ => known.insert(self.expect(driver, RUNS)),
        };
        let result = self.check_once(expected, found, language);
        if result.is_ok() || expected.1 == MORE_RUNS {
            return result;
        }
        // The range may be too small by chance: more runs widen it.
        let expected = known.insert(self.expect(driver, MORE_RUNS));
        self.check_once(expected, found, language)
    }

    fn check_once(
        &self,
        Expectation(_, _, expected): &Expectation,
        found: &DriverResults,
        language: DriverLanguage,
    ) -> Result<Tally, Difference> {
        let mut tally = Tally { programs: 1, ..Tally::default() };
        let Properties { stage, interface, kills, .. } = self.program.properties();
        let outputs = outputs(interface, *stage);
        for (number, expected) in expected.iter().enumerate() {
            if expected.stopped || expected.ambiguous {
                tally.undefined += u64::try_from(outputs.len()).unwrap_or(0);
                continue;
            }
            let difference = |output: String, expected, found| Difference {
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
                    let wanted = Value::new(flag(expected.kept));
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
                if matches!(output.register, Register::Depth) {
                    value = value.clamped(); // as the GLSL is
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
