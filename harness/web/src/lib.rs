//! The conformance suite as a web page. Cases run on WebGPU if the browser supports it, otherwise on WebGL 2. The
//! oracle is the reference renderer in the same module.
//!
//! `build.sh` builds the page into a folder that any web server can serve; `conform.html` is the page. The page's URL
//! selects the cases: `?filter=api.blend&exclude=*.error.*`, each repeatable, with patterns as in `molehill conform`;
//! `backend=webgpu` or `backend=webgl` selects the device. Cases run one after the other, and yield to the browser in
//! between. A case that panics makes its module unusable: the page records a crash and continues with a new module. The
//! reports are as in `molehill conform`: HTML, JSON Lines and JUnit XML.
//!
//! In the cases `web.lost.*`, the device is lost and restored during a scene. In the cases `web.together.*`, several
//! scenes alternate on one device.
//!
//! For tests, this crate's program `molehill-browser` runs the page in Chromium.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, reason = "only what a name doesn't say is documented")]

mod console;
mod lost;
mod place;
mod together;

use molehill_conform::case::Case;
use molehill_conform::device::ConformDevice;
use molehill_conform::names::CaseSelection;
use molehill_conform::report::{ReportColumn, html, junit, summary};
use molehill_conform::results::{ConformResults, RunSettings};
use molehill_conform::{CaseOutcome, Expectations, Runner, RunnerSettings, Verdict, cases, names};
use molehill_replay::evidence::Conclusion;
use wasm_bindgen::prelude::wasm_bindgen;

pub use lost::{LostScene, lost_scenes};
pub use place::{open_webgpu, webgpu_errors};
pub use together::{play_together, together_scenes};

/// Opens the device under test.
fn device(webgpu: bool) -> ConformDevice {
    if webgpu { ConformDevice::Wgpu } else { ConformDevice::Gles }
}

/// Adds errors that WebGPU reported later to the outcome of a case, as JSON, so that the case fails. Returns
/// `undefined` if `outcome` is not an outcome.
#[wasm_bindgen]
pub fn with_errors(outcome: &str, errors: Vec<String>) -> Option<String> {
    let mut outcome: CaseOutcome = serde_json::from_str(outcome).ok()?;
    if !errors.is_empty() {
        outcome.verdict = Verdict::Fail;
        outcome.reasons.extend(errors);
    }
    serde_json::to_string(&outcome).ok()
}

/// Runs when the page loads the module. Sends panics and log messages to the browser's console.
#[wasm_bindgen(start)]
pub fn start() {
    console::listen();
}

#[wasm_bindgen]
pub struct Suite {
    cases: Vec<Case>,
    runner: Runner,
}

#[wasm_bindgen]
impl Suite {
    /// Creates a suite of the cases that match any pattern of `filter` (all cases if it is empty) and no pattern of
    /// `exclude`. WebGPU's device must already be open. Returns an error if a pattern matches no case, or the runner
    /// can't be created, for example without WebGL 2.
    #[wasm_bindgen(constructor)]
    pub fn new(filter: Vec<String>, exclude: Vec<String>, webgpu: bool) -> Result<Suite, String> {
        let mut settings = RunnerSettings::new(device(webgpu));
        settings.known = Expectations::built_in().map_err(|error| error.to_string())?;
        let mut cases = cases::all();
        let names = cases.iter().map(|case| case.name.clone());
        let others = [lost_scenes, together_scenes].map(|all| all(Vec::new(), Vec::new()));
        let names = names.chain(others.concat()).collect();
        names::check(&names, "filter", &filter)?;
        names::check(&names, "exclude", &exclude)?;
        let selection = CaseSelection { filter, exclude, ..CaseSelection::default() };
        cases.retain(|case| selection.contains(&case.name));
        Ok(Suite { cases, runner: Runner::new(settings).map_err(|error| error.to_string())? })
    }

    pub fn names(&self) -> Vec<String> {
        self.cases.iter().map(|case| case.name.clone()).collect()
    }

    pub fn driver(&self) -> String {
        self.runner.driver().to_owned()
    }

    /// Runs the case with this index in [`Suite::names`]. Returns the case's outcome as JSON, or `undefined`.
    pub fn run(&mut self, number: usize) -> Option<String> {
        let outcome = self.runner.run(self.cases.get(number)?);
        serde_json::to_string(&outcome).ok()
    }

    /// Returns the outcome, as JSON, for a case that crashed its module; `undefined` if there is no such case.
    pub fn crashed(&self, number: usize, reason: String) -> Option<String> {
        let outcome = self.cases.get(number)?.outcome(Verdict::Crash, vec![reason]);
        serde_json::to_string(&outcome).ok()
    }
}

#[wasm_bindgen]
pub struct WebReport {
    results: ConformResults,
}

#[wasm_bindgen]
impl WebReport {
    /// Creates a report on a run of these cases from their outcomes as JSON. Returns an error if an outcome isn't valid
    /// JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(
        driver: String,
        cases: Vec<String>,
        outcomes: Vec<String>,
        webgpu: bool,
    ) -> Result<WebReport, String> {
        let device = device(webgpu);
        let oracle = device.default_oracle();
        let read = |line: &String| serde_json::from_str::<CaseOutcome>(line);
        let outcomes: Result<_, _> = outcomes.iter().map(read).collect();
        let mut results = ConformResults {
            head: RunSettings::new(
                device.name(),
                oracle.name(),
                driver,
                cases.into_iter().collect(),
            ),
            outcomes: outcomes.map_err(|error| error.to_string())?,
        };
        results.sort();
        Ok(WebReport { results })
    }

    pub fn lines(&self) -> String {
        self.results.text()
    }

    pub fn html(&self) -> String {
        html(&[ReportColumn {
            name: self.results.head.driver.clone(),
            results: self.results.clone(),
        }])
    }

    pub fn junit(&self) -> String {
        junit(&self.results)
    }

    pub fn summary(&self) -> String {
        summary(&self.results)
    }

    /// Returns the number of failed cases and of cases without an outcome. If the run's conclusion isn't agreement,
    /// returns at least 1.
    pub fn failing(&self) -> usize {
        let failing = self.results.outcomes.iter();
        let failing = failing.filter(|outcome| outcome.verdict.fails()).count();
        let agrees = self.results.conclusion() == Conclusion::Agrees;
        failing.saturating_add(self.results.missing()).max(usize::from(!agrees))
    }

    /// Returns the number of cases that compared results.
    pub fn compared(&self) -> usize {
        use Verdict::{Fail, Flaky, KnownFailure, Pass, UnexpectedPass};
        let outcomes = self.results.outcomes.iter();
        let compared = [Pass, Fail, KnownFailure, Flaky, UnexpectedPass];
        outcomes.filter(|outcome| compared.contains(&outcome.verdict)).count()
    }
}
