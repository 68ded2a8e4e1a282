//! The options of a conformance run. Child processes receive the options as one line of JSON.

use std::fs;
use std::path::PathBuf;

use context3d::Profile;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::capture_case::CAPTURES;
use crate::case::{Case, CaseBody};
use crate::device::{ConformDevice, RendererOptions, TestedDevice};
use crate::expectations::Expectations;
use crate::fault::ConformFault;
use crate::mutations::Mutation;
use crate::names::CaseSelection;
use crate::results::RunSettings;
use crate::runner::RunnerSettings;
use crate::{cases, names, self_test};
use molehill_replay::image::Hash;

/// The name of the oracle in a run without another renderer.
pub const NO_ORACLE: &str = "none";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CaseSet {
    #[default]
    Suite,
    /// The cases are deliberate errors, each of which a case of the suite must detect.
    Mutants,
    /// The cases are only captures, each named by its folder.
    Captures,
    SelfTest,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteOptions {
    pub device: ConformDevice,
    /// The device that draws the expected images. If `None`, cases that need another renderer are not tested.
    pub oracle: Option<ConformDevice>,
    pub renderer: RendererOptions,
    /// The profile of every context. `None` means each case's own profile.
    #[serde(serialize_with = "write_profile", deserialize_with = "read_profile")]
    pub profile: Option<Profile>,
    /// The name of the mutation that the tested device applies.
    pub mutation: Option<String>,
    pub fault: Option<ConformFault>,
    pub case_set: CaseSet,
    /// Capture files, and folders whose captures are added to the test cases.
    pub folders: Vec<PathBuf>,
    /// The file of known failures. `None` means the built-in list of known failures.
    pub known_failures: Option<PathBuf>,
    pub pictures: Option<PathBuf>,
}

/// The error of invalid options, an empty selection of cases, or a child process that can't start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SuiteError(pub String);

impl SuiteOptions {
    /// Returns the options for the whole suite on a device with its default oracle, and one thread per process.
    pub fn new(device: ConformDevice) -> SuiteOptions {
        SuiteOptions {
            device,
            oracle: Some(device.default_oracle()),
            renderer: TestedDevice::from(device).renderer,
            profile: None,
            mutation: None,
            fault: None,
            case_set: CaseSet::default(),
            folders: Vec::new(),
            known_failures: None,
            pictures: None,
        }
    }

    /// Reads the known failures from the file, or from the project's list.
    pub fn expectations(&self) -> Result<Expectations, SuiteError> {
        let read = |path: &PathBuf| {
            let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
            Expectations::parse(&text)
        };
        let known = match &self.known_failures {
            Some(path) => read(path).map_err(|error| format!("{}: {error}", path.display())),
            None if self.case_set == CaseSet::SelfTest => Expectations::parse(self_test::KNOWN),
            None => Expectations::built_in(),
        };
        let mut known = known.map_err(SuiteError)?;
        known.of_captures = self.case_set == CaseSet::Captures;
        Ok(known)
    }

    /// Like [`expectations`](Self::expectations), but checks each entry of a file of known failures. An entry that
    /// matches neither one of `cases` nor a case of the suite is an error. Without captures, known failures of captures
    /// are not checked.
    pub fn known(&self, cases: &[Case]) -> Result<Expectations, SuiteError> {
        let known = self.expectations()?;
        let Some(path) = &self.known_failures else { return Ok(known) };
        let names = cases.iter().map(|case| known.name(&case.name).into_owned());
        let suite = cases::all().into_iter().chain(cases::mutants());
        let names = names.chain(suite.map(|case| case.name)).collect();
        let is_here =
            |pattern: &&String| !self.folders.is_empty() || !pattern.starts_with(CAPTURES);
        names::check(&names, path.display(), known.patterns().filter(is_here))
            .map_err(SuiteError)?;
        Ok(known)
    }

    pub fn cases(&self) -> Result<Vec<Case>, SuiteError> {
        let mut list = match self.case_set {
            CaseSet::Suite => cases::all(),
            CaseSet::Mutants => cases::mutants(),
            CaseSet::Captures => Vec::new(),
            CaseSet::SelfTest => self_test::cases(),
        };
        if !self.folders.is_empty() {
            let captures = cases::captures(&self.folders, self.case_set != CaseSet::Captures);
            list.extend(captures.map_err(|error| SuiteError(error.to_string()))?);
        }
        match cases::duplicate(&list) {
            Some(name) => Err(SuiteError(format!("two cases have the name {name}"))),
            None => Ok(list),
        }
    }

    /// Returns the settings that identify a run of the cases of all shards. The driver's name is left empty.
    pub fn run_settings(
        &self,
        cases: &[Case],
        selection: CaseSelection,
    ) -> Result<RunSettings, SuiteError> {
        let mut captures = Hash::default();
        for case in cases {
            if let CaseBody::Capture(capture) = &case.body {
                capture.hash(&mut captures).map_err(|error| SuiteError(error.to_string()))?;
            }
        }
        let names = cases.iter().map(|case| case.name.clone()).collect();
        Ok(RunSettings {
            profile: self.profile.map(|profile| profile.name().to_owned()),
            selection,
            known_failures: self.expectations()?.hash,
            captures: captures.finish().unwrap_or_default(),
            ..RunSettings::new(
                &self.renderer.named(self.device.name(), self.mutation.as_deref()),
                self.oracle.map_or(NO_ORACLE, ConformDevice::name),
                String::new(),
                names,
            )
        })
    }

    pub fn settings(&self) -> Result<RunnerSettings, SuiteError> {
        let unknown = |name: &String| SuiteError(format!("unknown mutation {name:?}"));
        let mutation = self.mutation.as_ref();
        let mutation =
            mutation.map(|name| Mutation::named(name).ok_or_else(|| unknown(name))).transpose()?;
        Ok(RunnerSettings {
            known: self.expectations()?,
            mutation,
            fault: self.fault,
            oracle: self.oracle,
            profile: self.profile,
            renderer: self.renderer,
            pictures: self.pictures.clone(),
            ..RunnerSettings::new(self.device)
        })
    }
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn write_profile<S: Serializer>(
    profile: &Option<Profile>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    profile.map(Profile::name).serialize(serializer)
}

fn read_profile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Profile>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    let unknown = |name: &String| serde::de::Error::custom(format!("{name:?} is not a profile"));
    name.as_ref().map(|name| Profile::from_name(name).ok_or_else(|| unknown(name))).transpose()
}
