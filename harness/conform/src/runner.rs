//! Runs one test case and determines its verdict.

use std::path::PathBuf;
use std::sync::Arc;

use context3d::Profile;
use context3d::backend::{Backend as _, BackendError, BackendFactory as _};
use molehill_testing::probe::ShaderRunError;

use super::attachments;
use super::case::{CallCase, CallExpectation, Case, CaseBody, Mutant, SceneCase};
use super::cases;
use super::device::{ConformDevice, Drawer, RendererOptions, ShaderRoute, TestedDevice};
use super::expectations::{Expectations, KnownFailures};
use super::fault::ConformFault;
use super::hull::HullCase;
use super::program::ProgramCase;
use super::scene;
use super::scene_builder::{SceneBuilder, Setup};
use super::verdict::{CaseOutcome, CaseResult, Verdict};
use crate::capture_case::{self, CaptureCase};
use crate::differential::{ProgramRunError, ProgramRunner};
use crate::mutations::Mutation;
use crate::mutations::api::{ApiChange, ApiMutation};
use molehill_replay::ReplayOptions;
use molehill_replay::evidence::{ComparisonEvidence, Conclusion, Party, ResultTally};
use molehill_replay::record::RecordError;
use molehill_testing::probe::hull::{TessellationContext, TessellationError};
use web_time::Instant;
use wildmatch::WildMatchPattern;

#[derive(Clone, Debug)]
pub struct RunnerSettings {
    pub device: ConformDevice,
    /// A deliberate error in the tested device, to check that test cases detect it.
    pub mutation: Option<&'static Mutation>,
    /// A deliberate error in the API layer, to check that test cases detect it.
    pub api: Option<&'static ApiMutation>,
    /// A deliberate error in the runner, to check that the run fails.
    pub fault: Option<ConformFault>,
    /// The device that draws the expected images.
    pub oracle: Option<ConformDevice>,
    /// The profile of all contexts, for the cases that allow this profile.
    pub profile: Option<Profile>,
    pub known: Expectations,
    /// The options of the tested device. The oracle has the default options, with one thread.
    pub renderer: RendererOptions,
    /// The folder for the images of captures: the actual image, and a side-by-side difference from an expected image.
    pub pictures: Option<PathBuf>,
}

impl RunnerSettings {
    /// Returns settings with the default oracle, the cases' own profiles, no known failures, and one thread.
    pub fn new(device: ConformDevice) -> RunnerSettings {
        RunnerSettings {
            device,
            mutation: None,
            api: None,
            fault: None,
            oracle: Some(device.default_oracle()),
            profile: None,
            known: Expectations::default(),
            renderer: TestedDevice::from(device).renderer,
            pictures: None,
        }
    }
}

pub struct Runner {
    settings: RunnerSettings,
    programs: Option<ProgramRunner>,
    hulls: Option<TessellationContext>,
    driver: String,
    tested: Drawer,
    /// The name of the oracle's driver, if it was queried already.
    oracle_driver: Option<String>,
    all: Option<Arc<Vec<Case>>>,
}

impl Runner {
    /// Creates a runner of test cases. Opens the tested device once, to check that it is available.
    pub fn new(settings: RunnerSettings) -> Result<Runner, BackendError> {
        let forced = settings.renderer.gl().workarounds;
        let renderer = RendererOptions { shaders: ShaderRoute::default(), ..settings.renderer };
        let backend = TestedDevice { renderer, ..settings.device.into() }.create()?;
        let mut driver = backend.caps().driver_info.clone();
        if !forced.is_empty() {
            driver = format!("{driver} {forced}");
        }
        let api = settings.api;
        let device = TestedDevice {
            device: settings.device,
            mutation: settings.mutation,
            api: api.map(|api| api.change),
            renderer: settings.renderer,
        };
        let mutation = settings.mutation.map(|mutation| mutation.name);
        let mutation = mutation.or(api.map(|api| api.name.as_str()));
        let tested = Drawer::new(device, mutation, &driver);
        let (programs, hulls, oracle_driver, all) = (None, None, None, None);
        Ok(Runner { settings, programs, hulls, driver, tested, oracle_driver, all })
    }

    /// Returns the driver's name, followed by the forced workarounds.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    pub fn run(&mut self, case: &Case) -> CaseOutcome {
        let begin = Instant::now();
        let setup = case.in_profile(self.settings.profile);
        let oracle = if case.uses_oracle() { self.oracle() } else { None };
        let found = match (&setup, &case.body) {
            (None, _) => CaseResult::missing(format!("profile {}", case.setup.profile.name())),
            _ if self.breaks(ConformFault::NoFeatures) => CaseResult::missing("a feature"),
            (Some(_), CaseBody::Program(program)) => self.program(program),
            (Some(setup), CaseBody::Scene(scene)) => self.scene(case, *setup, scene, oracle),
            (Some(setup), CaseBody::Calls(calls)) => self.calls(case, *setup, calls),
            (Some(_), CaseBody::Hull(hull)) => self.hull(*hull),
            (Some(_), CaseBody::Capture(capture)) => self.capture(case, capture),
            (Some(_), CaseBody::Mutant(mutant)) => self.mutant(*mutant),
        };
        let mut evidence = ComparisonEvidence::new(self.tested.party.clone());
        found.compared.into_iter().for_each(|(oracle, tally)| evidence.add(oracle, tally));
        let mut failures = found.failures;
        if failures.is_empty() && evidence.conclusion() == Conclusion::Differs {
            failures.push(evidence.to_string());
        }
        let (verdict, reasons) = self.verdict(case, found.known_failure, failures, found.missing);
        let noticed_by = found.noticed_by.map(|name| format!("detected by {name}"));
        let reasons = reasons.into_iter().chain(noticed_by).collect();
        CaseOutcome {
            profile: setup.unwrap_or(case.setup).profile.name().to_owned(),
            seconds: begin.elapsed().as_secs_f64(),
            hash: found.hash,
            capture: found.capture,
            attachments: found.attachments,
            evidence: (!self.breaks(ConformFault::NoEvidence)).then_some(evidence),
            ..case.outcome(verdict, reasons)
        }
        .checked()
    }

    fn breaks(&self, fault: ConformFault) -> bool {
        self.settings.fault == Some(fault)
    }

    /// Determines the verdict on a case, considering known failures of the tested device and of the oracle.
    fn verdict(
        &self,
        case: &Case,
        known_by_itself: Option<String>,
        failures: Vec<String>,
        missing: Option<String>,
    ) -> (Verdict, Vec<String>) {
        let RunnerSettings { device, oracle, known: list, .. } = &self.settings;
        // A device without GLSL ignores the choice of the AGAL translator.
        let shaders = device.dialect().map(|_| self.settings.renderer.shaders).unwrap_or_default();
        let own = list.known(&case.name, *device, shaders, &self.driver);
        let of_oracle = match (oracle, &self.oracle_driver) {
            (Some(oracle), Some(driver)) if case.uses_oracle() => {
                list.known(&case.name, *oracle, ShaderRoute::default(), driver)
            }
            _ => KnownFailures::default(),
        };
        let wrong_oracle = |reason: &str| format!("the oracle is wrong: {reason}");
        if let Some(feature) = missing {
            let reason = own.of_missing(&feature).or_else(|| of_oracle.of_missing(&feature));
            return match reason {
                Some(reason) => (Verdict::NotSupported, vec![feature, reason.to_owned()]),
                None => (Verdict::MissingFeature, vec![feature]),
            };
        }
        if failures.is_empty() {
            let by_oracle = of_oracle.any().map(wrong_oracle);
            let listed = match (own.any().map(str::to_owned).or(known_by_itself), by_oracle) {
                // The tested device and the oracle may have the same bug, so equal images prove nothing.
                (Some(_), Some(_)) => None,
                (own, by_oracle) => own.or(by_oracle),
            };
            return match listed {
                None => (Verdict::Pass, Vec::new()),
                Some(reason) => {
                    let text = format!("listed as a known failure ({reason}), but passes");
                    (Verdict::UnexpectedPass, vec![text])
                }
            };
        }
        let known = own.of_failures(&failures).map(str::to_owned).or(known_by_itself);
        let known = known.or_else(|| of_oracle.of_failures(&failures).map(wrong_oracle));
        match known {
            None => (Verdict::Fail, failures),
            Some(reason) => (Verdict::KnownFailure, [vec![reason], failures].concat()),
        }
    }

    /// Returns the device that draws the expected images.
    fn oracle(&mut self) -> Option<Drawer> {
        let oracle = self.settings.oracle?;
        let driver = self.oracle_driver.get_or_insert_with(|| {
            let opened = oracle.open();
            opened.map_or_else(|_| String::new(), |backend| backend.caps().driver_info.clone())
        });
        let oracle = Drawer::new(oracle.into(), None, driver);
        Some(if self.breaks(ConformFault::OracleIsTested) { self.tested.clone() } else { oracle })
    }

    fn program(&mut self, case: &ProgramCase) -> CaseResult {
        let Some(dialect) = self.settings.device.dialect() else {
            return CaseResult::missing("programs that run alone");
        };
        if self.settings.renderer.shaders != ShaderRoute::Agal {
            return CaseResult::missing("programs that run alone, but by AGAL's own GLSL");
        }
        let programs = match &mut self.programs {
            Some(programs) => programs,
            programs => match ProgramRunner::open(&[dialect]) {
                Ok(opened) => programs.insert(opened),
                Err(ProgramRunError::Open(_, error)) => return unopened(&error),
                Err(error) => return CaseResult::failure(error),
            },
        };
        case.run(programs, dialect, self.settings.mutation, self.settings.fault)
    }

    fn hull(&mut self, case: HullCase) -> CaseResult {
        let Some(target) = self.settings.device.tessellation() else {
            return CaseResult::missing("tessellation");
        };
        let hulls = match &mut self.hulls {
            Some(hulls) => hulls,
            hulls => match TessellationContext::open(target) {
                Ok(opened) => hulls.insert(opened),
                Err(TessellationError::Probe(error)) => return unopened(&error),
                Err(error) => return CaseResult::failure(error),
            },
        };
        case.run(hulls)
    }

    fn scene(
        &mut self,
        case: &Case,
        setup: Setup,
        scene: &SceneCase,
        oracle: Option<Drawer>,
    ) -> CaseResult {
        if !self.settings.device.draws() {
            return CaseResult::missing("rendered images");
        }
        scene::run(case, setup, scene, &self.tested, oracle, self.settings.fault)
    }

    fn calls(&mut self, case: &Case, setup: Setup, calls: &CallCase) -> CaseResult {
        let device = if calls.on_null_backend { ConformDevice::Null } else { self.settings.device };
        let mut builder =
            match SceneBuilder::for_calls(&case.name, setup, calls.without_back_buffer, device) {
                Ok(builder) => builder,
                Err(error) => {
                    return CaseResult::failure(format!("the scene can't be recorded: {error}"));
                }
            };
        let api = self.settings.api.map(|api| api.change);
        builder.mutate(api);
        let result = (calls.recipe)(&mut builder);
        let failure = check_calls(&calls.expected, &result, &builder, api);
        let mut found = CaseResult::default();
        if self.breaks(ConformFault::ExpectedErrors) {
            return found;
        }
        let differing = failure.is_some().into();
        let tally = ResultTally { errors: 1, differing, ..ResultTally::default() };
        found.compared.push((Party::RecordedErrors, tally));
        if let Some(failure) = failure {
            found.failures.push(failure);
            if let Ok(capture) = builder.finish() {
                found.attachments = attachments::capture(&capture, device.dialect());
            }
        }
        found
    }

    /// Searches for a test case that fails with the deliberate error and passes without it.
    fn mutant(&mut self, mutant: Mutant) -> CaseResult {
        let all = Arc::clone(self.all.get_or_insert_with(|| Arc::new(cases::all())));
        let mut settings = self.settings.clone();
        match mutant {
            Mutant::Device(mutation) => settings.mutation = Some(mutation),
            Mutant::Api(api) => settings.api = Some(api),
        }
        let mut wrong = match Runner::new(settings) {
            Ok(runner) => runner,
            Err(error) => return CaseResult::failure(error),
        };
        let ranked = all.iter().filter_map(|case| Some((mutant.rank(case)?, case)));
        let mut ranked: Vec<(usize, &Case)> = ranked.collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let noticed = ranked.iter().find_map(|(_, case)| {
            let failed = (wrong.run(case).verdict == Verdict::Fail).then(|| self.run(case));
            failed.filter(|right| right.verdict == Verdict::Pass)
        });
        match noticed {
            Some(CaseOutcome { name, evidence, .. }) => {
                let oracles = evidence.iter().flat_map(ComparisonEvidence::oracles);
                let compared = oracles.map(|(oracle, tally)| (oracle.clone(), *tally)).collect();
                CaseResult { noticed_by: Some(name), compared, ..CaseResult::default() }
            }
            None => {
                CaseResult::failure(format!("none of {} cases detects the error", ranked.len()))
            }
        }
    }

    fn capture(&mut self, case: &Case, capture: &CaptureCase) -> CaseResult {
        if !self.settings.device.draws() {
            return CaseResult::missing("rendered images");
        }
        let mut tested = self.tested.device;
        let renderer = &mut tested.renderer;
        renderer.samples = renderer.samples.or(capture.samples);
        let options = ReplayOptions { profile: self.settings.profile, ..ReplayOptions::default() };
        let pictures = self.settings.pictures.as_deref();
        capture_case::run(capture, &case.name, options, pictures, tested, self.settings.fault)
    }
}

/// Returns the result of a case whose context can't be opened. If the driver lacks an extension, the result is a
/// missing feature; any other error is a failure.
fn unopened(error: &ShaderRunError) -> CaseResult {
    match error {
        ShaderRunError::Missing(_) => CaseResult::missing(error),
        _ => CaseResult::failure(error),
    }
}

/// Returns the reason why the result of a test case with Stage3D calls is wrong, or `None` if the result is as
/// expected.
fn check_calls(
    expected: &CallExpectation,
    result: &Result<(), RecordError>,
    builder: &SceneBuilder,
    api: Option<ApiChange>,
) -> Option<String> {
    if !builder.is_expecting() && *expected != CallExpectation::Allowed {
        return Some(match result {
            Err(error) => format!("a call before the checked call failed: {error}"),
            Ok(()) => "the checked call was never reached".to_owned(),
        });
    }
    let skipped = &builder.report().skipped;
    match (expected, result) {
        (CallExpectation::Allowed, Ok(())) if skipped.is_empty() => None,
        (CallExpectation::Skips(number), Ok(()))
            if skipped.keys().any(|code| code.number() == *number)
                && !api.is_some_and(|api| api.draws(*number)) =>
        {
            None
        }
        (CallExpectation::Raises { number, class, message }, Err(RecordError::Flash(error))) => {
            let text =
                |number: u16, class: &str, message: &str| format!("{class} #{number}: {message}");
            let right = (*number, *class) == (error.number(), error.class())
                && has_form(error.message(), message)
                && api != Some(ApiChange::Error(*number));
            (!right).then(|| {
                format!(
                    "{} was raised ({} expected)",
                    text(error.number(), error.class().name(), error.message()),
                    text(*number, class.name(), message)
                )
            })
        }
        (_, Err(error)) => Some(format!("{error} ({} expected)", expectation(expected))),
        (_, Ok(())) => Some(format!(
            "no error was raised, and draws were dropped for {:?} ({} expected)",
            skipped.keys().map(|code| code.number()).collect::<Vec<_>>(),
            expectation(expected)
        )),
    }
}

/// Returns whether an error message equals a template whose placeholders `%1` to `%4` are filled in.
fn has_form(message: &str, template: &str) -> bool {
    let names = ["%1", "%2", "%3", "%4"];
    let template = names.iter().fold(template.to_owned(), |text, name| text.replace(name, "%"));
    WildMatchPattern::<'%', '\0'>::new(&template).matches(message)
}

fn expectation(expected: &CallExpectation) -> String {
    match expected {
        CallExpectation::Allowed => "no error".to_owned(),
        CallExpectation::Raises { number, .. } => format!("error {number}"),
        CallExpectation::Skips(number) => format!("a draw that is dropped for {number}"),
    }
}

#[cfg(test)]
#[path = "../tests/unit/runner.rs"]
mod tests;
