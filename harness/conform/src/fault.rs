//! Deliberate errors in the test runner, to check that it detects lost evidence. Each deliberate error must make a test
//! run fail.

use serde::{Deserialize, Serialize};

agal_core::table! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ConformFault {
        name: &'static str => from_name(&str),
    }
    /// The tested device also draws the expected images, instead of the oracle.
    OracleIsTested "oracle-is-tested";
    /// The actual images replace the expected images.
    ExpectedIsDrawn "expected-is-drawn";
    /// The last actual image of each case is dropped.
    LastImage "last-image";
    /// All actual and expected images are dropped.
    NoImages "no-images";
    /// The list of test cases is emptied after they are counted.
    NoCases "no-cases";
    /// The outcome of the first test case is lost.
    LostOutcome "lost-outcome";
    /// All test cases report no compared results.
    NoEvidence "no-evidence";
    /// Every test case reports a missing feature.
    NoFeatures "no-features";
    /// Errors that a capture records are ignored.
    RecordedErrors "recorded-errors";
    /// Errors that a test case expects are ignored.
    ExpectedErrors "expected-errors";
    /// Every value that the interpreters compute counts as undefined.
    Undefined "undefined";
}
