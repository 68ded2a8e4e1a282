//! Evidence of a comparison: the two parties, the counts of compared results, and the verdict.
//!
//! Every command that compares returns a [`ComparisonEvidence`], and its exit status, its JSON and its texts come from
//! [`ComparisonEvidence::conclusion`]. A comparison without results, or of a party with itself, isn't a success.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A side of a comparison: the tested renderer, or the oracle that gives the expected results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    /// A renderer on a driver.
    Renderer {
        /// The backend's name and options.
        name: String,
        /// The text of `Context3D.driverInfo`.
        driver: String,
        /// The name of the replayed capture, if the parties replay different captures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
    },
    /// Images that were stored with a case or next to a capture.
    StoredImages,
    /// Images that are computed by a formula.
    Formula,
    /// An interpreter of shaders, with the name of its language.
    Interpreter(String),
    /// Errors that the recording player raised, or that a case or a table expects.
    RecordedErrors,
    /// Text that a recorded Flash program wrote with `trace`.
    RecordedText,
}

/// Counts of the compared results of a tested implementation and an oracle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResultTally {
    /// Shader programs that the implementation and the oracle ran, counted once for each GLSL dialect.
    #[serde(skip_serializing_if = "is_zero")]
    pub programs: u64,
    /// Compared images, such as frames and bitmaps.
    #[serde(skip_serializing_if = "is_zero")]
    pub images: u64,
    /// Compared values in registers, vertices or constants.
    #[serde(skip_serializing_if = "is_zero")]
    pub values: u64,
    /// Calls whose errors were compared; some are expected to raise no error.
    #[serde(skip_serializing_if = "is_zero")]
    pub errors: u64,
    /// Compared lines of text.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: u64,
    /// Results that differ from those of the oracle.
    #[serde(skip_serializing_if = "is_zero")]
    pub differing: u64,
    /// Results that were not compared, because their value is undefined.
    #[serde(skip_serializing_if = "is_zero")]
    pub undefined: u64,
    /// Programs that the implementation or the oracle can't run, because its language or device lacks a feature.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsupported: u64,
    /// Results that only the implementation or only the oracle returned.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The result of a comparison: the tested party, and the counts of compared results for each oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonEvidence {
    /// The party whose results are judged.
    pub tested: Party,
    #[serde(with = "pairs")]
    oracles: BTreeMap<Party, ResultTally>,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Results were compared, and all of them agree.
    Agrees,
    /// A compared result differs, or one party lacks a result.
    Differs,
    /// The comparison proves nothing, because of a [`UntestedReason`] reason.
    NotTested(UntestedReason),
}

/// The reason why a comparison proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntestedReason {
    /// No result was compared.
    Nothing,
    /// The tested party is also the oracle.
    Itself,
}

impl Party {
    /// The reference renderer, which draws the expected images of most comparisons.
    pub const REFERENCE: &str = "reference renderer";

    /// Returns a renderer as a party of a comparison in which both parties replay the same capture.
    pub fn renderer(name: impl Into<String>, driver: impl Into<String>) -> Party {
        Party::Renderer { name: name.into(), driver: driver.into(), input: None }
    }

    /// Returns the renderer of a driver, given its `BackendCaps::driver_info` (empty if no device was opened).
    pub fn drawn_by(driver: &str) -> Party {
        let name = match driver.split(' ').next() {
            Some("Software") => Party::REFERENCE,
            Some("OpenGL") if driver.contains("Version=OpenGL ES") => "OpenGL ES",
            Some("") | None => "no renderer",
            Some(name) => name,
        };
        Party::renderer(name, driver)
    }

    /// Returns whether this party is the reference renderer.
    pub fn is_reference(&self) -> bool {
        matches!(self, Party::Renderer { name, .. } if name == Party::REFERENCE)
    }

    /// Returns this renderer with the name of the capture that it replays.
    #[must_use]
    pub fn replaying(self, capture: impl Into<String>) -> Party {
        match self {
            Party::Renderer { name, driver, input: _ } => {
                Party::Renderer { name, driver, input: Some(capture.into()) }
            }
            Party::StoredImages
            | Party::Formula
            | Party::Interpreter(_)
            | Party::RecordedErrors
            | Party::RecordedText => self,
        }
    }
}

impl ResultTally {
    /// Returns the number of results that were compared: images, values, errors and lines of text.
    pub fn total(&self) -> u64 {
        self.images + self.values + self.errors + self.texts
    }

    /// Adds the counts of another comparison.
    pub fn add(&mut self, other: ResultTally) {
        let ResultTally {
            programs,
            images,
            values,
            errors,
            texts,
            differing,
            undefined,
            unsupported,
            missing,
        } = other;
        self.programs += programs;
        self.images += images;
        self.values += values;
        self.errors += errors;
        self.texts += texts;
        self.differing += differing;
        self.undefined += undefined;
        self.unsupported += unsupported;
        self.missing += missing;
    }
}

impl ComparisonEvidence {
    /// Creates an empty record of a tested implementation's comparisons with oracles.
    pub fn new(tested: Party) -> ComparisonEvidence {
        ComparisonEvidence { tested, oracles: BTreeMap::new() }
    }

    /// Adds the counts of a comparison of the tested party with an oracle.
    pub fn add(&mut self, oracle: Party, compared: ResultTally) {
        self.oracles.entry(oracle).or_default().add(compared);
    }

    /// Adds the comparisons of other evidence; the tested implementation of `other` is ignored.
    pub fn join(&mut self, other: &ComparisonEvidence) {
        other.oracles.iter().for_each(|(oracle, compared)| self.add(oracle.clone(), *compared));
    }

    /// Returns the oracles of the comparison, each with its counts.
    pub fn oracles(&self) -> impl Iterator<Item = (&Party, &ResultTally)> {
        self.oracles.iter()
    }

    /// Returns the verdict of the comparison. Ignores comparisons of the tested party with itself.
    pub fn conclusion(&self) -> Conclusion {
        let others = || self.oracles.iter().filter(|(oracle, _)| **oracle != self.tested);
        if self.oracles.values().any(|compared| compared.differing > 0 || compared.missing > 0) {
            Conclusion::Differs
        } else if others().any(|(_, compared)| compared.total() > 0) {
            Conclusion::Agrees
        } else if self.oracles.contains_key(&self.tested) {
            Conclusion::NotTested(UntestedReason::Itself)
        } else {
            Conclusion::NotTested(UntestedReason::Nothing)
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Renderer { name, driver, input } => {
                let info =
                    driver.split_once("Renderer=").map_or(driver.as_str(), |(_, after)| after);
                let info = info.split(" GLSL=").next().unwrap_or_default();
                match name.as_str() {
                    Party::REFERENCE => write!(f, "the {name}")?,
                    _ if info.is_empty() => f.write_str(name)?,
                    _ => write!(f, "{name} ({info})")?,
                }
                input.iter().try_for_each(|input| write!(f, ", {input}"))
            }
            Party::StoredImages => f.write_str("stored images"),
            Party::Formula => f.write_str("formulas"),
            Party::Interpreter(language) => write!(f, "the interpreter of {language}"),
            Party::RecordedErrors => f.write_str("recorded errors"),
            Party::RecordedText => f.write_str("recorded text"),
        }
    }
}

impl fmt::Display for ResultTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ResultTally {
            programs,
            images,
            values,
            errors,
            texts,
            differing,
            undefined,
            unsupported,
            missing,
        } = *self;
        let numbers = [
            (programs, "program", "programs"),
            (images, "image", "images"),
            (values, "value", "values"),
            (errors, "error", "errors"),
            (texts, "line of text", "lines of text"),
            (differing, "differs", "differ"),
            (undefined, "undefined", "undefined"),
            (unsupported, "unsupported", "unsupported"),
            (missing, "missing", "missing"),
        ];
        let told = numbers.into_iter().filter(|(number, ..)| *number > 0);
        let told: Vec<String> = told
            .map(|(number, one, many)| format!("{number} {}", if number == 1 { one } else { many }))
            .collect();
        f.write_str(if told.is_empty() { "nothing" } else { "" })?;
        f.write_str(&told.join(", "))
    }
}

/// Writes the first line of every comparing command: `OpenGL (llvmpipe) with the reference renderer: 48 images`.
impl fmt::Display for ComparisonEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tested)?;
        if self.oracles.is_empty() {
            return f.write_str(" with nothing");
        }
        for (number, (oracle, compared)) in self.oracles.iter().enumerate() {
            let joint = if number == 0 { " with" } else { "; with" };
            write!(f, "{joint} {oracle}: {compared}")?;
        }
        Ok(())
    }
}

impl fmt::Display for UntestedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UntestedReason::Nothing => "not tested: no result was compared",
            UntestedReason::Itself => "not tested: both sides of the comparison are the same",
        })
    }
}

/// Serializes the oracles as a list of pairs, because keys of JSON objects must be strings.
mod pairs {
    use super::{BTreeMap, Deserialize, Party, ResultTally, Serialize};
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct EvidencePair {
        oracle: Party,
        #[serde(flatten)]
        compared: ResultTally,
    }

    pub(super) fn serialize<S: Serializer>(
        oracles: &BTreeMap<Party, ResultTally>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let pair = |(oracle, compared): (&Party, &ResultTally)| EvidencePair {
            oracle: oracle.clone(),
            compared: *compared,
        };
        serializer.collect_seq(oracles.iter().map(pair))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Party, ResultTally>, D::Error> {
        let pairs = Vec::<EvidencePair>::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|pair| (pair.oracle, pair.compared)).collect())
    }
}

#[cfg(test)]
#[path = "../tests/unit/evidence.rs"]
mod tests;
