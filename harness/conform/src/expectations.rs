//! Known failures and unsupported features of test cases, with reasons.

use std::borrow::Cow;

use serde::Deserialize;

use super::device::{ConformDevice, ShaderRoute};
use super::names;
use crate::capture_case::CAPTURES;
use crate::results::{ConformResults, RunSettings};
use crate::verdict::Verdict;
use molehill_replay::image::Hash;

/// A known failure of test cases. Each known failure applies to the tested device and to the oracle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownRow {
    cases: Texts,
    #[serde(default)]
    verdict: KnownVerdict,
    /// Substrings, one of which every failure message or missing feature of the case must contain.
    failure: Texts,
    /// The tested backend or the backend of the oracle; `None` means any backend.
    backend: Option<String>,
    /// The AGAL-to-GLSL translator; `None` means any translator.
    shaders: Option<String>,
    driver: Option<String>,
    /// The driver's versions. A version matches a substring of the driver's name if no digit follows the substring.
    #[serde(default)]
    versions: Vec<String>,
    reason: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
enum KnownVerdict {
    #[default]
    #[serde(rename = "fail")]
    Fail,
    #[serde(rename = "not supported")]
    NotSupported,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

impl Texts {
    fn all(&self) -> &[String] {
        match self {
            Texts::One(text) => std::slice::from_ref(text),
            Texts::Several(texts) => texts,
        }
    }

    fn is_blank(&self) -> bool {
        self.all().is_empty() || self.all().iter().any(|text| text.trim().is_empty())
    }
}

impl KnownRow {
    fn names(&self, case: &str) -> bool {
        self.cases.all().iter().any(|pattern| names::matches(pattern, case))
    }

    fn holds_for(&self, device: ConformDevice, shaders: ShaderRoute, driver: &str) -> bool {
        self.backend.as_deref().is_none_or(|wanted| wanted == device.name())
            && self.shaders.as_deref().is_none_or(|wanted| wanted == shaders.name())
            && self.is_of(driver)
    }

    /// Returns whether the known-failure entry applies to a run. A backend's name begins with its device's name.
    fn holds_for_run(&self, run: &RunSettings) -> bool {
        let device = run.backend.split(' ').next();
        self.backend.as_deref().is_none_or(|wanted| Some(wanted) == device)
            && self.is_of(&run.driver)
    }

    fn is_of(&self, driver: &str) -> bool {
        self.driver.as_deref().is_none_or(|wanted| driver.contains(wanted))
            && (self.versions.is_empty() || self.versions.iter().any(|v| has_version(driver, v)))
    }

    /// Returns an error if the known-failure entry is incomplete or can never apply.
    fn error(&self) -> Option<String> {
        let row = self.cases.all().join(", ");
        if self.cases.is_blank() || self.reason.trim().is_empty() {
            return Some(format!("an entry needs cases and a reason: {row:?}: {:?}", self.reason));
        }
        if self.failure.is_blank() {
            return Some(format!("{row}: \"failure\" must be a string or a list of strings"));
        }
        if self.driver.is_some() == self.versions.is_empty() {
            return Some(format!("{row}: \"driver\" and \"versions\" must be given together"));
        }
        let backend = self.backend.iter().filter(|name| ConformDevice::from_name(name).is_none());
        let backend = backend.map(|name| format!("unknown backend {name:?}"));
        let shaders = self.shaders.iter().filter(|name| ShaderRoute::from_name(name).is_none());
        let unknown = |name| format!("unknown shader path {name:?}: must be agal or d3d9");
        backend.chain(shaders.map(unknown)).next()
    }
}

/// Returns whether a driver's name contains a version: `Mesa 22.3` is in `Mesa 22.3.6`, but not in `Mesa 22.30`.
fn has_version(driver: &str, version: &str) -> bool {
    let mut found = driver.match_indices(version);
    found.any(|(at, _)| {
        let rest = driver.get(at + version.len()..).unwrap_or_default();
        !rest.starts_with(|letter: char| letter.is_ascii_digit())
    })
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures<'a>(Vec<&'a KnownRow>);

impl<'a> KnownFailures<'a> {
    /// Returns the reason of the first known-failure entry for the case. If an entry exists, the case must not pass.
    pub fn any(&self) -> Option<&'a str> {
        self.of(KnownVerdict::Fail, &[])
    }

    /// Returns the reason for the known failures, if entries cover all failure messages of the case.
    pub fn of_failures(&self, failures: &[String]) -> Option<&'a str> {
        self.of(KnownVerdict::Fail, failures)
    }

    /// Returns the reason for the missing feature, if an entry covers this feature.
    pub fn of_missing(&self, feature: &str) -> Option<&'a str> {
        self.of(KnownVerdict::NotSupported, &[feature.to_owned()])
    }

    fn of(&self, kind: KnownVerdict, texts: &[String]) -> Option<&'a str> {
        let rows = || self.0.iter().filter(move |row| row.verdict == kind);
        let listed =
            |text: &String| rows().any(|row| row.failure.all().iter().any(|f| text.contains(f)));
        let first = rows().next().filter(|_| texts.iter().all(listed));
        first.map(|row| row.reason.as_str())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    rows: Vec<KnownRow>,
    pub hash: String,
    /// True if all cases are captures that are named by their folders.
    pub of_captures: bool,
}

impl Expectations {
    pub fn built_in() -> Result<Expectations, String> {
        Expectations::parse(include_str!("expectations.json"))
    }

    /// Parses a JSON list of objects: `cases` (a pattern or a list), `failure` (a substring of the failure message, or
    /// a list), `reason`, and optionally `verdict` (`fail` or `not supported`), `backend`, `shaders`, and `driver` (a
    /// substring of the driver's name) with `versions`.
    pub fn parse(text: &str) -> Result<Expectations, String> {
        let rows: Vec<KnownRow> = names::json(text)?;
        let mut hash = Hash::default();
        hash.bytes(text.as_bytes());
        match rows.iter().find_map(KnownRow::error) {
            Some(error) => Err(error),
            None => Ok(Expectations {
                rows,
                hash: hash.finish().unwrap_or_default(),
                of_captures: false,
            }),
        }
    }

    /// Returns the name of a case in the list of known failures, which always names captures with their area.
    pub fn name<'a>(&self, case: &'a str) -> Cow<'a, str> {
        if self.of_captures {
            format!("{CAPTURES}{}", case.replace('.', "_")).into()
        } else {
            case.into()
        }
    }

    pub fn known(
        &self,
        case: &str,
        device: ConformDevice,
        shaders: ShaderRoute,
        driver: &str,
    ) -> KnownFailures<'_> {
        let (case, rows) = (self.name(case), self.rows.iter());
        let rows = rows.filter(|row| row.holds_for(device, shaders, driver) && row.names(&case));
        KnownFailures(rows.collect())
    }

    pub fn names(&self, case: &str) -> bool {
        self.rows.iter().any(|row| row.driver.is_some() && row.names(&self.name(case)))
    }

    /// Returns the case-name patterns of all known-failure entries.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().flat_map(|row| row.cases.all())
    }

    /// Returns the entries of drivers that apply to a run but matched no result, as `PATTERN: REASON`.
    pub fn without_use(&self, runs: &[ConformResults]) -> Vec<String> {
        let outcomes = || runs.iter().flat_map(|run| &run.outcomes);
        let holds = |row: &&KnownRow| runs.iter().any(|run| row.holds_for_run(&run.head));
        let of_drivers = self.rows.iter().filter(|row| row.driver.is_some()).filter(holds);
        let unused = of_drivers.flat_map(|row| {
            let used = move |pattern: &&String| {
                outcomes().any(|outcome| {
                    matches!(outcome.verdict, Verdict::KnownFailure | Verdict::NotSupported)
                        && outcome.reasons.iter().any(|reason| reason.ends_with(&row.reason))
                        && names::matches(pattern, &outcome.name)
                })
            };
            let ran = move |pattern: &&String| {
                let holding = runs.iter().filter(|run| row.holds_for_run(&run.head));
                let mut cases = holding.flat_map(|run| &run.head.cases);
                cases.any(|case| names::matches(pattern, case))
            };
            let unused = row.cases.all().iter().filter(ran).filter(move |it| !used(it));
            unused.map(|pattern| format!("{pattern}: {}", row.reason))
        });
        unused.collect()
    }
}
