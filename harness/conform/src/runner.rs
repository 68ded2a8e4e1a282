//! Runs one case and says what came of it.

use std::time::Instant;

use context3d::{Backend as _, BackendError, Profile};

use super::attachments;
use super::case::{Body, CallCase, Case, Expected, SceneCase};
use super::device::{Device, Subject};
use super::expectations::Expectations;
use super::oracle::Tolerance;
use super::program::{ProgramCase, ProgramResult};
use super::scene;
use super::scene_builder::{SceneBuilder, Setup};
use super::verdict::{Attachments, Outcome, Verdict};
use crate::differential::{ProgramRunError, ProgramRunner};
use crate::mutations::Mutation;
use crate::suite;
use molehill_replay::Options;
use molehill_replay::record::RecordError;

/// What cases are run with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is put to the test.
    pub device: Device,
    /// What it gets wrong on purpose: to see that cases notice.
    pub mutation: Option<&'static Mutation>,
    /// Whose pictures are right.
    pub oracle: Device,
    /// Contexts have this profile, where the case allows it.
    pub profile: Option<Profile>,
    /// Failures that are understood.
    pub known: Expectations,
}

/// Runs cases one after the other.
pub struct Runner {
    settings: Settings,
    programs: Option<ProgramRunner>,
    driver: String,
    /// The oracle's driver, once it was asked for.
    oracle_driver: Option<String>,
}

/// What a case came to before known failures are looked at.
#[derive(Default)]
pub(super) struct Found {
    pub(super) failures: Vec<String>,
    missing: Option<String>,
    /// Why it is known to fail, where the case itself says so.
    known: Option<String>,
    pub(super) hash: Option<String>,
    pub(super) attachments: Attachments,
}

impl Found {
    pub(super) fn failure(text: impl ToString) -> Found {
        Found {
            failures: vec![text.to_string()],
            ..Found::default()
        }
    }

    pub(super) fn missing(what: impl ToString) -> Found {
        Found {
            missing: Some(what.to_string()),
            ..Found::default()
        }
    }
}

impl Runner {
    /// Opens the device once, to know that there is one.
    ///
    /// # Errors
    /// The device's.
    pub fn new(settings: Settings) -> Result<Runner, BackendError> {
        let driver = settings.device.open()?.caps().driver_info.clone();
        Ok(Runner {
            settings,
            programs: None,
            driver,
            oracle_driver: None,
        })
    }

    /// The device's name of itself.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Runs a case.
    pub fn run(&mut self, case: &Case) -> Outcome {
        let begin = Instant::now();
        let setup = case.in_profile(self.settings.profile);
        let found = match (&setup, &case.body) {
            (None, _) => Found::missing(format!("profile {}", case.setup.profile.name())),
            (Some(_), Body::Program(program)) => self.program(program),
            (Some(setup), Body::Scene(scene)) => self.scene(case, *setup, scene),
            (Some(setup), Body::Calls(calls)) => self.calls(case, *setup, calls),
            (Some(_), Body::Capture(capture)) => self.capture(capture),
        };
        let known = self.known(case, !found.failures.is_empty()).or(found.known);
        let (verdict, reasons) = verdict(found.failures, found.missing, known);
        Outcome {
            name: case.name.clone(),
            kind: case.body.kind().to_owned(),
            profile: setup.unwrap_or(case.setup).profile.name().to_owned(),
            verdict,
            reasons,
            seconds: begin.elapsed().as_secs_f64(),
            hash: found.hash,
            attachments: found.attachments,
        }
    }

    /// Why a case is known to fail: for what is put to the test, or for the oracle, where its picture is the wrong one.
    fn known(&mut self, case: &Case, fails: bool) -> Option<String> {
        let Settings { device, oracle, .. } = self.settings;
        let reason = |device, driver: &str| self.settings.known.reason(&case.name, device, driver);
        let own = reason(device, &self.driver);
        if !matches!(&case.body, Body::Scene(scene) if scene.shows.is_none()) {
            return own;
        }
        let driver = self.oracle_driver.get_or_insert_with(|| {
            let opened = oracle.open();
            opened.map_or_else(
                |_| String::new(),
                |backend| backend.caps().driver_info.clone(),
            )
        });
        let of_oracle =
            reason(oracle, driver).map(|reason| format!("the oracle is wrong: {reason}"));
        match (own, of_oracle) {
            // Wrong both, maybe in the same way.
            (Some(own), Some(_)) => fails.then_some(own),
            (own, of_oracle) => own.or(of_oracle),
        }
    }

    /// What is put to the test.
    fn subject(&self) -> Subject {
        Subject {
            device: self.settings.device,
            mutation: self.settings.mutation,
            samples: None,
        }
    }

    fn program(&mut self, case: &ProgramCase) -> Found {
        let Some(dialect) = self.settings.device.dialect() else {
            return Found::missing("programs that run alone");
        };
        let programs = match &mut self.programs {
            Some(programs) => programs,
            programs => match ProgramRunner::open(&[dialect]) {
                Ok(opened) => programs.insert(opened),
                Err(ProgramRunError::Open(_, error)) => return Found::missing(error),
                Err(error) => return Found::failure(error),
            },
        };
        match case.run(programs, self.settings.mutation) {
            ProgramResult::Agrees => Found::default(),
            ProgramResult::Missing(what) => Found::missing(what),
            ProgramResult::Differs(reason, pair) => Found {
                attachments: pair
                    .map(|pair| attachments::pair(&pair, dialect))
                    .unwrap_or_default(),
                ..Found::failure(reason)
            },
        }
    }

    fn scene(&mut self, case: &Case, setup: Setup, scene: &SceneCase) -> Found {
        if !self.settings.device.draws() {
            return Found::missing("pictures");
        }
        scene::run(case, setup, scene, self.subject(), self.settings.oracle)
    }

    fn calls(&mut self, case: &Case, setup: Setup, calls: &CallCase) -> Found {
        let device = match calls.above_device {
            true => Device::Null,
            false => self.settings.device,
        };
        let builder = match calls.bare {
            true => SceneBuilder::bare(&case.name, setup, device),
            false => SceneBuilder::open(&case.name, setup, device),
        };
        let mut builder = match builder {
            Ok(builder) => builder,
            Err(error) => return Found::failure(format!("the scene can't be recorded: {error}")),
        };
        let came = (calls.recipe)(&mut builder);
        let failure = check_calls(&calls.expected, &came, &builder);
        let mut found = Found::default();
        if let Some(failure) = failure {
            found.failures.push(failure);
            if let Ok(capture) = builder.finish() {
                found.attachments = attachments::capture(&capture, device.dialect());
            }
        }
        found
    }

    fn capture(&mut self, case: &suite::Case) -> Found {
        if !self.settings.device.draws() {
            return Found::missing("pictures");
        }
        let known = match suite::KnownFailures::built_in() {
            Ok(known) => known,
            Err(error) => return Found::failure(error),
        };
        let known_failure = known.reason(&case.name).map(str::to_owned);
        let known_failure = known_failure.or_else(|| case.known_failure.clone());
        // Whether it is known to fail is judged here, as for every other case.
        let case = suite::Case {
            known_failure: None,
            ..case.clone()
        };
        let subject = Subject {
            samples: case.samples,
            ..self.subject()
        };
        let settings = suite::Settings {
            replay: Options {
                profile: self.settings.profile,
                ..Options::default()
            },
            ..suite::Settings::default()
        };
        let ran = match suite::run_case(&case, &settings, subject) {
            Ok(ran) => ran,
            Err(error) => return Found::failure(error),
        };
        let channel = case.expected.map_or(0, |expected| expected.tolerance);
        let tolerance = Tolerance::channel(channel, "the case's own");
        let differs = ran
            .row
            .expected
            .is_some_and(|comparison| comparison.differing > 0);
        Found {
            failures: match ran.row.verdict {
                suite::Verdict::Fail(reasons) => reasons,
                _ => Vec::new(),
            },
            hash: ran.hash,
            attachments: Attachments {
                pictures: match ran.pictures {
                    Some((is, Some(should))) if differs => {
                        attachments::pictures(&is, &should, &tolerance)
                    }
                    _ => Vec::new(),
                },
                ..Attachments::default()
            },
            known: known_failure,
            missing: None,
        }
    }
}

fn verdict(
    failures: Vec<String>,
    missing: Option<String>,
    known: Option<String>,
) -> (Verdict, Vec<String>) {
    match (missing, failures.is_empty(), known) {
        (Some(feature), ..) => (Verdict::NotSupported, vec![feature]),
        (None, true, None) => (Verdict::Pass, Vec::new()),
        (None, true, Some(reason)) => {
            let text = format!("listed as a known failure ({reason}), but passes");
            (Verdict::UnexpectedPass, vec![text])
        }
        (None, false, None) => (Verdict::Fail, failures),
        (None, false, Some(reason)) => {
            let mut reasons = vec![reason];
            reasons.extend(failures);
            (Verdict::KnownFailure, reasons)
        }
    }
}

/// What is wrong with what calls came to.
fn check_calls(
    expected: &Expected,
    came: &Result<(), RecordError>,
    builder: &SceneBuilder,
) -> Option<String> {
    if !builder.is_expecting() && *expected != Expected::Allowed {
        return Some(match came {
            Err(error) => format!("before the step that the case is about: {error}"),
            Ok(()) => "the case never came to what it is about".to_owned(),
        });
    }
    let skipped = &builder.report().skipped;
    match (expected, came) {
        (Expected::Allowed, Ok(())) if skipped.is_empty() => None,
        (Expected::Skips(number), Ok(())) if skipped.contains_key(number) => None,
        (
            Expected::Raises {
                number,
                class,
                message,
            },
            Err(RecordError::Flash(error)),
        ) => {
            let text =
                |number: u16, class: &str, message: &str| format!("{class} #{number}: {message}");
            let wanted = message.as_deref().unwrap_or(error.message());
            let right =
                (*number, *class, wanted) == (error.number(), error.class(), error.message());
            (!right).then(|| {
                format!(
                    "raised {}, expected {}",
                    text(error.number(), error.class().name(), error.message()),
                    text(*number, class.name(), wanted)
                )
            })
        }
        (_, Err(error)) => Some(format!("{error}; expected {}", expectation(expected))),
        (_, Ok(())) => Some(format!(
            "no error, draws dropped for {:?}; expected {}",
            skipped.keys().collect::<Vec<_>>(),
            expectation(expected)
        )),
    }
}

fn expectation(expected: &Expected) -> String {
    match expected {
        Expected::Allowed => "no error".to_owned(),
        Expected::Raises { number, .. } => format!("error {number}"),
        Expected::Skips(number) => format!("a draw that is dropped for {number}"),
    }
}
