//! The verdicts and outcomes of conformance test cases.

use molehill_replay::evidence::{
    ComparisonEvidence, Conclusion, Party, ResultTally, UntestedReason,
};
use serde::{Deserialize, Serialize, Serializer};

use crate::attachments::Attachments;
use molehill_replay::image::ImageComparison;
use molehill_replay::terminal::line;

agal_core::table! {
    /// A verdict on a case. The worst verdict comes first.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verdict {
        name: &'static str,
        key: &'static str,
        fails: bool,
    }
    /// The process that ran the case died.
    Crash "crash", "crash", true;
    /// The process that ran the case returned no result within the time limit and was killed.
    Timeout "timeout", "timeout", true;
    Fail "fail", "fail", true;
    /// The device lacks a feature that the case needs, and the list of known failures doesn't contain this.
    #[serde(rename = "missing feature")]
    MissingFeature "missing feature", "missingFeature", true;
    /// The case compared nothing, or compared the tested device with itself.
    #[serde(rename = "not tested")]
    NotTested "not tested", "notTested", true;
    /// The case passes but is listed as a known failure, so the list is out of date.
    #[serde(rename = "unexpected pass")]
    UnexpectedPass "unexpected pass", "unexpectedPass", true;
    /// The case fails for a reason in the list of known failures.
    #[serde(rename = "known failure")]
    KnownFailure "known failure", "knownFailure", false;
    /// The case failed first, and passed when it ran again.
    Flaky "flaky", "flaky", false;
    /// The case has no evidence, which the option `--allow-untested` accepts.
    #[serde(rename = "allowed untested")]
    AllowedUntested "allowed untested", "allowedUntested", false;
    /// The device lacks a feature that the case needs, as the list of known failures says.
    #[serde(rename = "not supported")]
    NotSupported "not supported", "notSupported", false;
    Pass "pass", "pass", false;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
/// The difference of an image from an expected image.
pub struct ImageDifference {
    /// The number of pixels in which a channel differs by more than the tolerance.
    pub differing: u64,
    pub max_delta: u8,
    pub same_size: bool,
}

impl From<ImageComparison> for ImageDifference {
    fn from(comparison: ImageComparison) -> Self {
        ImageDifference {
            differing: comparison.differing,
            max_delta: comparison.max_delta,
            same_size: comparison.same_size(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureResult {
    pub frames: u64,
    pub draws: u64,
    /// The number of draws that Flash would silently drop.
    pub skipped_draws: u64,
    /// The number of draws in contexts that never call `present` or `drawToBitmapData`.
    #[serde(default)]
    pub not_presented: u64,
    pub errors: u64,
    pub expected: Option<ImageDifference>,
    /// The allowed difference of a channel from the expected image.
    pub tolerance: Option<u8>,
    pub max_outliers: Option<u64>,
    pub tolerance_reason: Option<String>,
    /// The difference from another player's image, which is reported but not checked.
    pub peer: Option<ImageDifference>,
}

/// The result of a case before the known failures are applied.
#[derive(Default)]
pub(crate) struct CaseResult {
    pub(crate) failures: Vec<String>,
    /// The oracles of the case, each with the counts of results that were compared with it.
    pub(crate) compared: Vec<(Party, ResultTally)>,
    pub(crate) missing: Option<String>,
    /// The reason for a known failure in the case file, if any.
    pub(crate) known_failure: Option<String>,
    pub(crate) hash: Option<String>,
    pub(crate) noticed_by: Option<String>,
    pub(crate) capture: Option<CaptureResult>,
    pub(crate) attachments: Attachments,
}

impl CaseResult {
    pub(crate) fn failure(text: impl ToString) -> CaseResult {
        CaseResult { failures: vec![text.to_string()], ..CaseResult::default() }
    }

    pub(crate) fn missing(what: impl ToString) -> CaseResult {
        CaseResult { missing: Some(what.to_string()), ..CaseResult::default() }
    }
}

/// The outcome of a case, which is a line of the results file. JSON omits empty fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    pub name: String,
    /// The type of the case: `program`, `scene`, `calls`, `hull`, `capture` or `mutant`.
    pub kind: String,
    pub profile: String,
    /// The source of the expected result: facts of the reference, a table, or a capture's origin.
    #[serde(default)]
    pub source: String,
    pub verdict: Verdict,
    #[serde(serialize_with = "microseconds")]
    pub seconds: f64,
    /// The reasons why the verdict isn't a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The counts of compared results. `None` if the child process returned no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ComparisonEvidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureResult>,
    /// Texts and images for the reader of a report.
    #[serde(flatten)]
    pub attachments: Attachments,
}

/// Serializes seconds, rounded to microseconds to keep the results file short.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn microseconds<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((seconds * 1e6).round() / 1e6)
}

impl CaseOutcome {
    /// Returns a line `VERDICT: NAME: REASON` for each reason of the outcome.
    pub fn complaints(&self) -> impl Iterator<Item = String> {
        let (verdict, name) = (self.verdict.name(), &self.name);
        let reasons = self.reasons.iter();
        reasons.map(move |reason| format!("{verdict}: {name}: {}", line(reason)))
    }

    /// Returns the outcome of a case that failed (`before`) and was run again.
    #[must_use]
    pub fn after(self, before: CaseOutcome, retry: u16) -> CaseOutcome {
        if self.verdict != Verdict::Pass {
            return self;
        }
        let text = format!("passed in retry {retry}, before: {}", before.verdict.name());
        let reasons = [vec![text], before.reasons].concat();
        CaseOutcome { verdict: Verdict::Flaky, reasons, ..self }
    }

    /// Changes a pass without evidence to [`Verdict::NotTested`].
    #[must_use]
    pub fn checked(self) -> CaseOutcome {
        match self.untested() {
            Some(why) if self.verdict == Verdict::Pass => {
                CaseOutcome { verdict: Verdict::NotTested, reasons: vec![why.to_string()], ..self }
            }
            _ => self,
        }
    }

    /// Returns the reason why the case tested nothing, if so.
    pub(crate) fn untested(&self) -> Option<UntestedReason> {
        match self.evidence.as_ref().map(ComparisonEvidence::conclusion) {
            None => Some(UntestedReason::Nothing),
            Some(Conclusion::NotTested(why)) => Some(why),
            Some(Conclusion::Agrees | Conclusion::Differs) => None,
        }
    }

    pub fn allow_untested(&mut self) {
        if self.verdict == Verdict::NotTested {
            self.verdict = Verdict::AllowedUntested;
        }
    }

    pub fn area(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }
}
