//! Runs one case and says what came of it.

use std::time::Instant;

use context3d::{Backend as _, BackendError, Profile};

use super::case::{Body, CallCase, Case, Expected, SceneCase};
use super::device::{Device, Subject};
use super::exhibits;
use super::known::Known;
use super::oracle::Tolerance;
use super::program::{Judged, ProgramCase};
use super::scene;
use super::studio::{Setup, Studio};
use super::verdict::{Exhibits, Outcome, Verdict};
use crate::differential::{Lab, LabError};
use crate::faults::Fault;
use crate::suite;
use molehill_replay::Options;
use molehill_replay::record::RecordError;

/// What cases are run with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is put to the test.
    pub device: Device,
    /// What it gets wrong on purpose: to see that cases notice.
    pub fault: Option<&'static Fault>,
    /// Whose pictures are right.
    pub oracle: Device,
    /// Contexts have this profile, where the case allows it.
    pub profile: Option<Profile>,
    /// Failures that are understood.
    pub known: Known,
}

/// Runs cases one after the other.
pub struct Bench {
    settings: Settings,
    lab: Option<Lab>,
    driver: String,
    /// The judge's driver's name of itself, once it was asked.
    judge: Option<String>,
}

/// What a case came to before known failures are looked at.
#[derive(Default)]
pub(super) struct Found {
    pub(super) faults: Vec<String>,
    missing: Option<String>,
    /// Why it is known to fail, where the case itself says so.
    known: Option<String>,
    pub(super) hash: Option<String>,
    pub(super) exhibits: Exhibits,
}

impl Found {
    pub(super) fn fault(text: impl ToString) -> Found {
        Found {
            faults: vec![text.to_string()],
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

impl Bench {
    /// Opens the device once, to know that there is one.
    ///
    /// # Errors
    /// The device's.
    pub fn new(settings: Settings) -> Result<Bench, BackendError> {
        let driver = settings.device.open()?.caps().driver_info.clone();
        Ok(Bench {
            settings,
            lab: None,
            driver,
            judge: None,
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
        let known = self.known(case, !found.faults.is_empty()).or(found.known);
        let (verdict, reasons) = verdict(found.faults, found.missing, known);
        Outcome {
            name: case.name.clone(),
            kind: case.body.kind().to_owned(),
            profile: setup.unwrap_or(case.setup).profile.name().to_owned(),
            verdict,
            reasons,
            seconds: begin.elapsed().as_secs_f64(),
            hash: found.hash,
            exhibits: found.exhibits,
        }
    }

    /// Why a case is known to fail: for what is put to the test, or for the judge, where the wrong picture is the judge's.
    fn known(&mut self, case: &Case, fails: bool) -> Option<String> {
        let Settings { device, oracle, .. } = self.settings;
        let reason = |device, driver: &str| self.settings.known.reason(&case.name, device, driver);
        let own = reason(device, &self.driver);
        if !matches!(&case.body, Body::Scene(scene) if scene.shows.is_none()) {
            return own;
        }
        let driver = self.judge.get_or_insert_with(|| {
            let judge = oracle.open();
            judge.map_or_else(|_| String::new(), |judge| judge.caps().driver_info.clone())
        });
        let judges = reason(oracle, driver).map(|reason| format!("the judge is wrong: {reason}"));
        match (own, judges) {
            // Wrong both, maybe in the same way.
            (Some(own), Some(_)) => fails.then_some(own),
            (own, judges) => own.or(judges),
        }
    }

    /// What is put to the test.
    fn subject(&self) -> Subject {
        Subject {
            device: self.settings.device,
            fault: self.settings.fault,
            samples: None,
        }
    }

    fn program(&mut self, case: &ProgramCase) -> Found {
        let Some(dialect) = self.settings.device.dialect() else {
            return Found::missing("programs that run alone");
        };
        let lab = match &mut self.lab {
            Some(lab) => lab,
            lab => match Lab::open(&[dialect]) {
                Ok(opened) => lab.insert(opened),
                Err(LabError::Open(_, error)) => return Found::missing(error),
                Err(error) => return Found::fault(error),
            },
        };
        match case.judge(lab, self.settings.fault) {
            Judged::Agrees => Found::default(),
            Judged::Missing(what) => Found::missing(what),
            Judged::Differs(reason, pair) => Found {
                exhibits: pair
                    .map(|pair| exhibits::pair(&pair, dialect))
                    .unwrap_or_default(),
                ..Found::fault(reason)
            },
        }
    }

    fn scene(&mut self, case: &Case, setup: Setup, scene: &SceneCase) -> Found {
        if !self.settings.device.draws() {
            return Found::missing("pictures");
        }
        scene::judge(case, setup, scene, self.subject(), self.settings.oracle)
    }

    fn calls(&mut self, case: &Case, setup: Setup, calls: &CallCase) -> Found {
        let device = match calls.above_device {
            true => Device::Null,
            false => self.settings.device,
        };
        let studio = match calls.bare {
            true => Studio::bare(&case.name, setup, device),
            false => Studio::open(&case.name, setup, device),
        };
        let mut studio = match studio {
            Ok(studio) => studio,
            Err(error) => return Found::fault(format!("the scene can't be recorded: {error}")),
        };
        let came = (calls.recipe)(&mut studio);
        let fault = judge_calls(&calls.expected, &came, &studio);
        let mut found = Found::default();
        if let Some(fault) = fault {
            found.faults.push(fault);
            if let Ok(capture) = studio.finish() {
                found.exhibits = exhibits::capture(&capture, device.dialect());
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
            Err(error) => return Found::fault(error),
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
            Err(error) => return Found::fault(error),
        };
        let channel = case.expected.map_or(0, |expected| expected.tolerance);
        let tolerance = Tolerance::channel(channel, "the case's own");
        let differs = ran
            .row
            .expected
            .is_some_and(|comparison| comparison.differing > 0);
        Found {
            faults: match ran.row.verdict {
                suite::Verdict::Fail(reasons) => reasons,
                _ => Vec::new(),
            },
            hash: ran.hash,
            exhibits: Exhibits {
                pictures: match ran.pictures {
                    Some((is, Some(should))) if differs => {
                        exhibits::pictures(&is, &should, &tolerance)
                    }
                    _ => Vec::new(),
                },
                ..Exhibits::default()
            },
            known: known_failure,
            missing: None,
        }
    }
}

fn verdict(
    faults: Vec<String>,
    missing: Option<String>,
    known: Option<String>,
) -> (Verdict, Vec<String>) {
    match (missing, faults.is_empty(), known) {
        (Some(feature), ..) => (Verdict::NotSupported, vec![feature]),
        (None, true, None) => (Verdict::Pass, Vec::new()),
        (None, true, Some(reason)) => {
            let text = format!("listed as a known failure ({reason}), but passes");
            (Verdict::UnexpectedPass, vec![text])
        }
        (None, false, None) => (Verdict::Fail, faults),
        (None, false, Some(reason)) => {
            let mut reasons = vec![reason];
            reasons.extend(faults);
            (Verdict::KnownFailure, reasons)
        }
    }
}

/// What is wrong with what calls came to.
fn judge_calls(
    expected: &Expected,
    came: &Result<(), RecordError>,
    studio: &Studio,
) -> Option<String> {
    if !studio.is_expecting() && *expected != Expected::Allowed {
        return Some(match came {
            Err(error) => format!("before the step that the case is about: {error}"),
            Ok(()) => "the case never came to what it is about".to_owned(),
        });
    }
    let skipped = &studio.report().skipped;
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
