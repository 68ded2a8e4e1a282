//! Verdicts and outcomes of cases.

use molehill_replay::evidence::{Conclusion, Evidence, NotTested, Party, Tally};
use serde::{Deserialize, Serialize, Serializer};

use crate::attachments::Attachments;
use molehill_replay::image::Comparison;
use molehill_replay::terminal::line;

agal_core::table! {
    /// A verdict on a case. The worst comes first.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verdict {
        /// Its name in reports and files.
        name: &'static str,
        /// Its key in JSON objects.
        key: &'static str,
        /// True if the verdict fails the run.
        fails: bool,
    }
    /// The process that ran it died.
    Crash "crash", "crash", true;
    /// The process that ran it gave no result in time and was killed.
    Timeout "timeout", "timeout", true;
    Fail "fail", "fail", true;
    /// The device lacks a feature, which is named in the reasons, and no expectation says so.
    #[serde(rename = "missing feature")]
    MissingFeature "missing feature", "missingFeature", true;
    /// It compared nothing, or the tested device with itself.
    #[serde(rename = "not tested")]
    NotTested "not tested", "notTested", true;
    /// It is listed as a known failure but passes: the list is out of date.
    #[serde(rename = "unexpected pass")]
    UnexpectedPass "unexpected pass", "unexpectedPass", true;
    /// It fails for a known reason.
    #[serde(rename = "known failure")]
    KnownFailure "known failure", "knownFailure", false;
    /// It failed, and passed when it was run again.
    Flaky "flaky", "flaky", false;
    /// It compared nothing, or the tested device with itself, which `--allow-untested` accepts.
    #[serde(rename = "allowed untested")]
    AllowedUntested "allowed untested", "allowedUntested", false;
    /// The device lacks a feature, which is named in the reasons, as expected.
    #[serde(rename = "not supported")]
    NotSupported "not supported", "notSupported", false;
    Pass "pass", "pass", false;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PictureDifference {
    /// Pixels that differ by more than the tolerance.
    pub differing: u64,
    /// The largest difference in any channel.
    pub max_delta: u8,
    pub same_size: bool,
}

impl From<Comparison> for PictureDifference {
    fn from(comparison: Comparison) -> Self {
        PictureDifference {
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
    /// Draws that Flash would silently drop.
    pub skipped_draws: u64,
    /// Draws in contexts that present nothing.
    #[serde(default)]
    pub not_presented: u64,
    pub errors: u64,
    pub expected: Option<PictureDifference>,
    /// The allowed difference from the expected picture, with its reason.
    pub tolerance: Option<u8>,
    pub max_outliers: Option<u64>,
    pub tolerance_reason: Option<String>,
    /// PictureDifference to another player's picture: reported, not checked.
    pub peer: Option<PictureDifference>,
}

/// The result of a case, before the known failures are looked up.
#[derive(Default)]
pub(crate) struct CaseResult {
    pub(crate) failures: Vec<String>,
    /// The oracles that results were compared with, and the number of these results.
    pub(crate) compared: Vec<(Party, Tally)>,
    pub(crate) missing: Option<String>,
    /// Why it is known to fail, if the case itself says so.
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

/// The outcome of a case: a line of the results. Empty fields are omitted in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub name: String,
    /// The kind of the case: `program`, `scene`, `calls`, `hull` or `capture`.
    pub kind: String,
    pub profile: String,
    /// The source of its expected result: a page of the reference, a table, a capture's origin.
    #[serde(default)]
    pub source: String,
    pub verdict: Verdict,
    #[serde(serialize_with = "microseconds")]
    pub seconds: f64,
    /// The reasons, if it is not a plain pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The compared results; `None` if the process gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureResult>,
    /// Texts and pictures for the report's reader.
    #[serde(flatten)]
    pub attachments: Attachments,
}

/// Rounds to microseconds, to keep the file short.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn microseconds<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((seconds * 1e6).round() / 1e6)
}

impl Outcome {
    /// `VERDICT: NAME: REASON` for every reason, as text for a terminal.
    pub fn complaints(&self) -> impl Iterator<Item = String> {
        let (verdict, name) = (self.verdict.name(), &self.name);
        let reasons = self.reasons.iter();
        reasons.map(move |reason| format!("{verdict}: {name}: {}", line(reason)))
    }

    /// The outcome of a case that failed `before`, and ran again.
    #[must_use]
    pub fn after(self, before: Outcome, retry: u16) -> Outcome {
        if self.verdict != Verdict::Pass {
            return self;
        }
        let text = format!("passed in retry {retry}, before: {}", before.verdict.name());
        let reasons = [vec![text], before.reasons].concat();
        Outcome { verdict: Verdict::Flaky, reasons, ..self }
    }

    /// Returns the outcome, which is not tested if it is a pass without evidence.
    #[must_use]
    pub fn checked(self) -> Outcome {
        match self.untested() {
            Some(why) if self.verdict == Verdict::Pass => {
                Outcome { verdict: Verdict::NotTested, reasons: vec![why.to_string()], ..self }
            }
            _ => self,
        }
    }

    /// Returns why the case is no test, if it isn't.
    pub(crate) fn untested(&self) -> Option<NotTested> {
        match self.evidence.as_ref().map(Evidence::conclusion) {
            None => Some(NotTested::Nothing),
            Some(Conclusion::NotTested(why)) => Some(why),
            Some(Conclusion::Agrees | Conclusion::Differs) => None,
        }
    }

    /// Accepts that the case is not tested.
    pub fn allow_untested(&mut self) {
        if self.verdict == Verdict::NotTested {
            self.verdict = Verdict::AllowedUntested;
        }
    }

    pub fn area(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }
}
