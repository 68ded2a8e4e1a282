//! Captures as test cases: folders with a capture and a `case.toml` or `case.json`, in the layout of the shared
//! captures:
//!
//! | file | checked |
//! |---|---|
//! | `expected.png` | yes: frame `expectedFrame`, within `tolerance` per channel except in `maxOutliers` pixels |
//! | `flash-errors.txt` | yes: the numbers of the errors that Flash Player raised, in order |
//! | `flash-output.txt` | yes: the messages of these errors, in order; other lines are ignored |
//! | `peer.png` | no: another player's image of frame `peerFrame`, compared and reported |
//!
//! The case file has the keys named above. These keys are optional:
//!
//! | key | meaning |
//! |---|---|
//! | `why` | the purpose of the case |
//! | `source` | the source of the program and its image |
//! | `toleranceReason` | why the image may differ; required in a `case.toml` unless both limits are 0 |
//! | `knownFailure` | why the case is known to fail |
//! | `hashFrames` | frames whose images are compared with an earlier run, instead of the frames with an expected image |
//! | `samples` | the sample count for antialiasing on the machine that drew the image; the reference renderer uses it too |
//! | `name`, `swfVersion`, `stage`, `frames`, `calls`, `draws`, `programs`, `features`, `expectedFrom`, `peerFrom`, `note` | for people: not read |
//!
//! An unknown key is an error.
//!
//! A recording without a case file is a case without an expected image. In every case, the errors that the recording
//! player raised (`throws`) are compared with the errors of the replay.
//!
//! A replay that ends early, or makes a call that Molehill doesn't support, fails.

mod run;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use walkdir::WalkDir;

use crate::names;
use molehill_replay::folder::{CAPTURE_ENDS, CAPTURE_FILES, capture_in, files_in, recordings_in};
use molehill_replay::image::Hash;
pub use run::PEER_TOLERANCE;
pub(crate) use run::run;

pub use crate::verdict::{CaptureResult, ImageDifference};

/// The name prefix of captures among all test cases.
pub const CAPTURES: &str = "capture.";

/// The names of case files, one of which makes a folder a test case. The first file that exists is used.
const CASE_FILES: [&str; 2] = ["case.toml", "case.json"];
/// The maximum depth of nested folders that are searched for captures.
pub const MAX_DEPTH: usize = 8;
/// The maximum size of a case's text files in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Captures whose expected image has more samples than requested: the case's `source`, and the number of samples. With
/// this number of samples, the reference renderer matches every pixel. The key is `source`, because names of cases may
/// change.
const SAMPLES: [(&str, u8); 2] = [
    ("ruffle-rs/ruffle tests, stage3d_blend", 8),
    ("ruffle-rs/ruffle tests, stage3d_rotating_cube", 8),
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureCase {
    pub name: String,
    pub dir: PathBuf,
    pub capture: PathBuf,
    pub expected: Option<ExpectedImage>,
    /// The ids of the errors that Flash Player raised, in order.
    pub errors: Option<Vec<u16>>,
    /// The lines of output in Flash Player that end in an error message.
    pub texts: Option<Vec<String>>,
    pub peer: Option<Peer>,
    pub why: Option<String>,
    /// The origin of the Flash program and its expected image.
    pub source: Option<String>,
    /// The sample count that antialiasing had on the machine that drew the expected image, if known.
    pub samples: Option<u8>,
    pub known_failure: Option<String>,
    /// The 0-based SWF frames whose images are compared with an earlier run.
    pub frames: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedImage {
    pub path: PathBuf,
    pub frame: u32,
    pub tolerance: u8,
    pub max_outliers: u64,
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub path: PathBuf,
    pub frame: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct CaseError {
    pub path: PathBuf,
    pub reason: String,
}

fn wrong(path: &Path, reason: impl fmt::Display) -> CaseError {
    CaseError { path: path.to_owned(), reason: reason.to_string() }
}

/// Returns all capture cases in and below folders, by name, and recordings from folders without a case.
pub fn find(dirs: &[PathBuf]) -> Result<Vec<CaptureCase>, CaseError> {
    let mut cases = Vec::new();
    for dir in dirs {
        let before = cases.len();
        if dir.is_file() {
            cases.push(CaptureCase::of_recording(dir));
            continue;
        }
        for entry in WalkDir::new(dir).max_depth(MAX_DEPTH) {
            let entry = entry.map_err(|error| wrong(dir, error))?;
            let is_dir = entry.depth() == 0 || entry.file_type().is_dir();
            if is_dir && case_file(entry.path()).is_some() {
                cases.push(CaptureCase::read(entry.path())?);
            }
        }
        if cases.len() == before {
            let files = recordings_in(dir).map_err(|error| wrong(dir, error))?;
            cases.extend(files.iter().map(|file| CaptureCase::of_recording(file)));
        }
        if cases.len() == before {
            let (files, ends) = (CASE_FILES.join(" or "), CAPTURE_ENDS.join(", "));
            let reason = format_args!(
                "the folder has no test case: no folder with a {files}, and no file that ends in {ends}"
            );
            return Err(wrong(dir, reason));
        }
    }
    cases.sort_by(|a, b| (&a.name, &a.dir).cmp(&(&b.name, &b.dir)));
    cases.dedup_by(|a, b| a.capture == b.capture);
    Ok(cases)
}

impl CaptureCase {
    fn of_recording(capture: &Path) -> CaptureCase {
        let name = capture.file_name().unwrap_or_default().to_string_lossy();
        let end = CAPTURE_ENDS.into_iter().find_map(|end| name.strip_suffix(end));
        CaptureCase {
            name: end.unwrap_or(&name).to_owned(),
            dir: capture.parent().unwrap_or(capture).to_owned(),
            capture: capture.to_owned(),
            source: Some("a recording".to_owned()),
            ..CaptureCase::default()
        }
    }

    /// Adds the capture's content to a hash. If the capture has a case file, adds all files of its folder.
    pub(crate) fn hash(&self, hash: &mut Hash) -> Result<(), CaseError> {
        let mut files = vec![self.capture.clone()];
        if case_file(&self.dir).is_some() {
            files = files_in(&self.dir).map_err(|error| wrong(&self.dir, error))?;
        }
        for path in files {
            hash.bytes(path.file_name().unwrap_or_default().as_encoded_bytes());
            let copied = fs::File::open(&path).and_then(|mut file| io::copy(&mut file, hash));
            copied.map_err(|error| wrong(&path, error))?;
        }
        Ok(())
    }

    pub fn read(dir: &Path) -> Result<CaptureCase, CaseError> {
        let path = case_file(dir).ok_or_else(|| wrong(dir, "the folder has no case file"))?;
        let file = CaseFile::read(&path)?;
        let capture = capture_in(dir).ok_or_else(|| {
            wrong(dir, format_args!("the folder has no {}", CAPTURE_FILES.join(" or ")))
        })?;
        let needs = |key: &str| wrong(&path, format_args!("\"{key}\" must be a number"));
        let optional = |name| Some(dir.join(name)).filter(|path| path.is_file());
        let expected = |picture| {
            let expected = ExpectedImage {
                path: picture,
                frame: file.expected_frame.ok_or_else(|| needs("expectedFrame"))?,
                tolerance: file.tolerance.ok_or_else(|| needs("tolerance"))?,
                max_outliers: file.max_outliers.ok_or_else(|| needs("maxOutliers"))?,
                reason: file.tolerance_reason.clone(),
            };
            // The `case.json` that the recorder writes has no key for the reason of a tolerance.
            let exact = expected.tolerance == 0 && expected.max_outliers == 0;
            if is_toml(&path) && !exact && expected.reason.is_none() {
                return Err(wrong(&path, "\"toleranceReason\" must say why the image may differ"));
            }
            Ok(expected)
        };
        let expected = optional("expected.png").map(expected).transpose()?;
        if expected.is_none() && file.expected_frame.is_some() {
            let picture = dir.join("expected.png");
            return Err(wrong(&picture, "the file is missing, but the case names its frame"));
        }
        let frame = || file.peer_frame.ok_or_else(|| needs("peerFrame"));
        let peer = optional("peer.png").map(|path| frame().map(|frame| Peer { path, frame }));
        let errors = optional("flash-errors.txt").map(|path| read_errors(&path)).transpose()?;
        let texts = optional("flash-output.txt").map(|path| read_text(&path)).transpose()?;
        let is_error = |line: &&str| line.contains(run::ERROR);
        let errors_of = |text: String| text.lines().filter(is_error).map(str::to_owned).collect();
        let texts = texts.map(errors_of).filter(|texts: &Vec<_>| !texts.is_empty());
        let name = dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
        let known = SAMPLES.iter().find(|(source, _)| file.source.as_deref() == Some(*source));
        Ok(CaptureCase {
            name,
            samples: file.samples.or(known.map(|(_, samples)| *samples)),
            dir: dir.to_owned(),
            capture,
            expected,
            errors,
            texts,
            peer: peer.transpose()?,
            why: file.why,
            source: file.source,
            known_failure: file.known_failure,
            frames: file.hash_frames,
        })
    }
}

fn case_file(dir: &Path) -> Option<PathBuf> {
    let files = CASE_FILES.iter().map(|name| dir.join(name));
    files.into_iter().find(|file| file.is_file())
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The content of a case file, in TOML or JSON. The struct's fields are the only allowed keys.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "the last keys are for people")]
struct CaseFile {
    expected_frame: Option<u32>,
    tolerance: Option<u8>,
    max_outliers: Option<u64>,
    tolerance_reason: Option<String>,
    peer_frame: Option<u32>,
    why: Option<String>,
    source: Option<String>,
    known_failure: Option<String>,
    #[serde(default)]
    hash_frames: Vec<u32>,
    samples: Option<u8>,
    // The recorder of the shared captures writes the keys below, which the suite ignores.
    name: Option<IgnoredAny>,
    swf_version: Option<IgnoredAny>,
    stage: Option<IgnoredAny>,
    frames: Option<IgnoredAny>,
    calls: Option<IgnoredAny>,
    draws: Option<IgnoredAny>,
    programs: Option<IgnoredAny>,
    features: Option<IgnoredAny>,
    expected_from: Option<IgnoredAny>,
    peer_from: Option<IgnoredAny>,
    note: Option<IgnoredAny>,
}

impl CaseFile {
    fn read(path: &Path) -> Result<CaseFile, CaseError> {
        let text = read_text(path)?;
        let mut file: CaseFile = if is_toml(path) {
            toml::from_str(&text).map_err(|error| {
                let before = text.get(..error.span().map_or(0, |span| span.start));
                let line = before.unwrap_or_default().matches('\n').count() + 1;
                wrong(path, names::in_line(line, error.message()))
            })?
        } else {
            names::json(&text).map_err(|error| wrong(path, error))?
        };
        if file.samples.is_some_and(|samples| samples > 16) {
            return Err(wrong(path, "\"samples\" must be an integer from 0 to 16"));
        }
        let texts = [
            ("toleranceReason", &mut file.tolerance_reason),
            ("why", &mut file.why),
            ("source", &mut file.source),
            ("knownFailure", &mut file.known_failure),
        ];
        for (key, text) in texts {
            *text = text.as_ref().map(|text| text.trim().to_owned());
            if text.as_deref() == Some("") {
                return Err(wrong(path, format_args!("\"{key}\" must not be empty")));
            }
        }
        Ok(file)
    }
}

fn read_errors(path: &Path) -> Result<Vec<u16>, CaseError> {
    let text = read_text(path)?;
    let numbers: Result<_, _> = text.split_whitespace().map(str::parse::<u16>).collect();
    numbers.map_err(|error| wrong(path, format_args!("each line must be an error number: {error}")))
}

fn read_text(path: &Path) -> Result<String, CaseError> {
    let size = fs::metadata(path).map_err(|error| wrong(path, error))?.len();
    if size > MAX_TEXT_BYTES {
        let text = format_args!("the file has {size} bytes, the maximum is {MAX_TEXT_BYTES}");
        return Err(wrong(path, text));
    }
    fs::read_to_string(path).map_err(|error| wrong(path, error))
}
