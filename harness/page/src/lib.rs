//! The conformance suite as a web page: cases on WebGL 2, with the reference renderer as the judge in the same module.
//!
//! `build.sh` makes a folder of it that any web host serves; `conform.html` drives it. The page's address says which cases
//! run: `?filter=api.blend&exclude=*.error.*`, each repeatable, with patterns as in `molehill conform`. Cases run one after the
//! other, and the browser gets its turn between them. A case that panics ends its module: the page notes a crash and goes on
//! with a new one. The report is that of `molehill conform`: the same page, JSON Lines and JUnit XML.
//!
//! Beside the suite's own cases there are `web.lost.*`: scenes during which the context of a canvas is lost and restored.
//!
//! [`molehill-browser`](../molehill_browser/index.html) runs the page in Chromium for tests.
#![cfg(target_arch = "wasm32")]

mod console;
mod lost;

use std::collections::BTreeMap;

use molehill_conform::case::Case;
use molehill_conform::device::Device;
use molehill_conform::report::{html, junit, summary};
use molehill_conform::results::{Head, Results};
use molehill_conform::{
    Attachments, Expectations, Outcome, Runner, Settings, Verdict, cases, glob,
};
use wasm_bindgen::prelude::wasm_bindgen;

pub use lost::{LostScene, lost_scenes};

/// The device that is put to the test.
const DEVICE: Device = Device::Gles;

/// To be called before anything else: messages and panics go to the browser's console.
#[wasm_bindgen(start)]
pub fn start() {
    console::listen();
}

/// Cases, and what runs them.
#[wasm_bindgen]
pub struct Suite {
    cases: Vec<Case>,
    runner: Runner,
}

#[wasm_bindgen]
impl Suite {
    /// The cases that some patterns choose: all without a filter.
    ///
    /// # Errors
    /// There is no WebGL 2.
    #[wasm_bindgen(constructor)]
    pub fn new(filter: Vec<String>, exclude: Vec<String>) -> Result<Suite, String> {
        let mut settings = Settings::new(DEVICE);
        settings.known = Expectations::built_in().map_err(|error| error.to_string())?;
        let chosen = |name: &str| chosen(name, &filter, &exclude);
        let mut cases = cases::all();
        cases.retain(|case| chosen(&case.name));
        Ok(Suite {
            cases,
            runner: Runner::new(settings).map_err(|error| error.to_string())?,
        })
    }

    /// The cases' names.
    pub fn names(&self) -> Vec<String> {
        self.cases.iter().map(|case| case.name.clone()).collect()
    }

    /// The driver's name of itself.
    pub fn driver(&self) -> String {
        self.runner.driver().to_owned()
    }

    /// Runs a case, by its number: its outcome as JSON.
    pub fn run(&mut self, number: usize) -> Option<String> {
        let outcome = self.runner.run(self.cases.get(number)?);
        serde_json::to_string(&outcome).ok()
    }

    /// The outcome of a case that ended its module, as JSON.
    pub fn crashed(&self, number: usize, reason: String) -> Option<String> {
        let case = self.cases.get(number)?;
        let outcome = Outcome {
            name: case.name.clone(),
            kind: case.body.kind().to_owned(),
            profile: case.setup.profile.name().to_owned(),
            source: case.source.clone(),
            verdict: Verdict::Crash,
            reasons: vec![reason],
            seconds: 0.0,
            hash: None,
            capture: None,
            attachments: Attachments::default(),
        };
        serde_json::to_string(&outcome).ok()
    }
}

/// Whether patterns choose a case, as those of `molehill conform`.
fn chosen(name: &str, filter: &[String], exclude: &[String]) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| glob::matches(pattern, name));
    (filter.is_empty() || any(filter)) && !any(exclude)
}

/// The reports of a run.
#[wasm_bindgen]
pub struct Report {
    results: Results,
}

#[wasm_bindgen]
impl Report {
    /// Of outcomes in JSON, of so many cases.
    ///
    /// # Errors
    /// An outcome that isn't one.
    #[wasm_bindgen(constructor)]
    pub fn new(driver: String, cases: usize, outcomes: Vec<String>) -> Result<Report, String> {
        let read = |line: &String| serde_json::from_str::<Outcome>(line);
        let outcomes: Result<_, _> = outcomes.iter().map(read).collect();
        let mut results = Results {
            head: Head {
                backend: DEVICE.name().to_owned(),
                oracle: DEVICE.default_oracle().name().to_owned(),
                driver,
                profile: None,
                cases,
                shard: (1, 1),
            },
            outcomes: outcomes.map_err(|error| error.to_string())?,
        };
        results.sort();
        Ok(Report { results })
    }

    /// As JSON Lines.
    pub fn lines(&self) -> String {
        self.results.text()
    }

    /// As a page.
    pub fn html(&self) -> String {
        html(&self.results, &BTreeMap::new())
    }

    /// As JUnit XML.
    pub fn junit(&self) -> String {
        junit(&self.results)
    }

    /// For people, in lines.
    pub fn summary(&self) -> String {
        summary(&self.results, &BTreeMap::new())
    }

    /// Cases that make the run fail: those that do, and those that didn't run.
    pub fn failing(&self) -> usize {
        let failing = self.results.outcomes.iter();
        let failing = failing.filter(|outcome| outcome.verdict.fails()).count();
        failing.saturating_add(self.results.missing())
    }
}
