//! Deliberate errors of the runner. Each makes a run fail, because the run loses evidence.

use serde::{Deserialize, Serialize};

agal_core::table! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Fault {
        name: &'static str => from_name(&str),
    }
    /// The tested device also draws the expected images.
    OracleIsTested "oracle-is-tested";
    /// The drawn images replace the expected images.
    ExpectedIsDrawn "expected-is-drawn";
    /// The last drawn image is dropped.
    LastImage "last-image";
    /// All images of both sides are dropped.
    NoImages "no-images";
    /// The list of cases is emptied after the cases are counted.
    NoCases "no-cases";
    /// The outcome of the first case is lost.
    LostOutcome "lost-outcome";
    /// Outcomes lose their evidence.
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
