//! Deliberate errors of the runner, one at a time: each makes a run fail, because its evidence shrinks.

use serde::{Deserialize, Serialize};

agal_core::table! {
    /// A deliberate error of the runner: the value of `conform --break`.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Fault {
        name: &'static str => from_name(&str),
    }
    /// The tested device draws the expected images, too.
    OracleIsTested "oracle-is-tested";
    /// The drawn images take the place of stored ones and of formulas.
    ExpectedIsDrawn "expected-is-drawn";
    /// The last drawn image is dropped.
    LastImage "last-image";
    /// All images of both sides are dropped.
    NoImages "no-images";
    /// The list of cases is emptied after the cases are counted.
    NoCases "no-cases";
    /// The first outcome of a worker is lost.
    LostOutcome "lost-outcome";
    /// Outcomes come without their evidence.
    NoEvidence "no-evidence";
    /// Every case reports a missing feature.
    NoFeatures "no-features";
    /// Errors that a capture records are ignored.
    RecordedErrors "recorded-errors";
    /// Errors that a case expects are ignored.
    ExpectedErrors "expected-errors";
    /// Every value of the interpreters is undefined.
    Undefined "undefined";
}
