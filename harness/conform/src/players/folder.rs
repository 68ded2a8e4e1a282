//! Writes test cases as a folder of SWF files for Flash players.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use molehill_capture::{Call, CaptureHeader, CaptureRecord};
use molehill_replay::files;
use molehill_replay::image::{RgbaImage, write_png};
use molehill_swf::{PrintedOutput, SwfFile, SwfWriter};
use serde_json::{Value, json};

use super::recording::{expected_pictures, records};
use crate::case::Case;
use crate::facts::facts_of;
use crate::scene_builder::SIDE;

/// The frame rate of the SWF files. A test case takes about three frames.
const FRAME_RATE: f64 = 60.0;
/// The maximum number of test cases in an SWF file.
const MAX_CASES: usize = 100;
/// The number of additional frames that Ruffle runs, because it may create a context late.
const LATE_FRAMES: usize = 10;

const README: &str = include_str!("README.txt");
const MANIFEST: &str = "manifest.json";
const QUESTIONS: &str = "questions";

/// The grouping of test cases into SWF files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGrouping {
    /// A file for up to a hundred cases of one area and SWF version, and `questions` for the cases of open facts.
    Grouped,
    Each,
    /// A folder for each test case, in the format of Ruffle's tests.
    Ruffle,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct FolderSummary {
    pub cases: usize,
    pub files: usize,
    pub bytes: usize,
    pub left_out: usize,
}

/// A test case with its recorded calls, including expected errors, and its expected images.
struct CaseRecording<'c> {
    case: &'c Case,
    header: CaptureHeader,
    records: Vec<(u64, CaptureRecord)>,
    pictures: Vec<RgbaImage>,
}

impl CaseRecording<'_> {
    /// Returns the image that the stage shows after the case, if any.
    fn last_picture(&self) -> Option<&RgbaImage> {
        let calls = self.records.iter().filter_map(|(_, record)| record.call());
        let presents = calls.filter(|line| matches!(line.call, Call::Present { .. })).count();
        // If some images are bitmaps, the last image may be a bitmap instead of a frame.
        self.pictures.last().filter(|_| presents == self.pictures.len())
    }
}

/// Writes test cases as SWF files, with expected output and images, a manifest and a README. `progress` counts finished
/// cases.
///
/// # Errors
/// A file can't be written, or an image can't be drawn. The message names the file or the test case.
pub fn write(
    cases: &[Case],
    folder: &Path,
    layout: FileGrouping,
    progress: &mut dyn FnMut(usize),
) -> Result<FolderSummary, String> {
    make_folder(folder)?;
    let mut manifest = Manifest::default();
    let mut recorded = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        progress(number);
        let records = records(case).and_then(|(header, records)| {
            SwfWriter::left_out(&records).map_or(Ok((header, records)), Err)
        });
        match records {
            Ok((header, records)) => {
                let pictures = expected_pictures(case);
                let pictures = pictures.map_err(|error| format!("{}: {error}", case.name))?;
                recorded.push(CaseRecording { case, header, records, pictures });
            }
            Err(why) => manifest.leave_out(case, why),
        }
    }
    let groups = match layout {
        FileGrouping::Grouped => groups(&recorded),
        FileGrouping::Each => {
            recorded.iter().map(|one| (one.case.name.clone(), vec![one])).collect()
        }
        FileGrouping::Ruffle => {
            recorded.iter().map(|one| (format!("{}/test", one.case.name), vec![one])).collect()
        }
    };
    for (name, group) in groups {
        manifest.file(&folder.join(&name), &name, &group, layout)?;
    }
    for one in &recorded {
        let names = match layout {
            FileGrouping::Grouped | FileGrouping::Each => write_pictures(one, folder)?,
            FileGrouping::Ruffle => Vec::new(),
        };
        manifest.case(one.case, names);
    }
    let text = format!("{:#}\n", json!({ "cases": manifest.cases, "leftOut": manifest.left_out }));
    write_file(&folder.join(MANIFEST), text.as_bytes())?;
    write_file(&folder.join("README.txt"), README.as_bytes())?;
    let (cases, left_out) = (manifest.cases.len(), manifest.left_out.len());
    Ok(FolderSummary { cases, left_out, files: manifest.files, bytes: manifest.bytes })
}

/// Groups test cases by area and SWF version. Also groups the cases that cite facts of the grade `open`, by SWF
/// version. Returns each group with its name.
fn groups<'r, 'c>(recorded: &'r [CaseRecording<'c>]) -> Vec<(String, Vec<&'r CaseRecording<'c>>)> {
    let mut areas: BTreeMap<(&str, u32), Vec<&CaseRecording<'c>>> = BTreeMap::new();
    let mut questions: BTreeMap<u32, Vec<&CaseRecording<'c>>> = BTreeMap::new();
    for one in recorded {
        let version = one.case.setup.swf_version;
        areas.entry((one.case.area(), version)).or_default().push(one);
        if facts_of(&one.case.source).any(|fact| fact.is_open()) {
            questions.entry(version).or_default().push(one);
        }
    }
    let parts = areas.into_iter().flat_map(|((area, version), group)| {
        let name = move |number| format!("{area}-{version}-{number:03}");
        let parts: Vec<_> = group.chunks(MAX_CASES).map(<[_]>::to_vec).collect();
        parts.into_iter().enumerate().map(move |(number, part)| (name(number), part))
    });
    let newest = questions.keys().next_back().copied();
    let questions = questions.into_iter().map(|(version, group)| {
        let older = (Some(version) != newest).then(|| format!("-{version}"));
        (format!("{QUESTIONS}{}", older.unwrap_or_default()), group)
    });
    parts.chain(questions).collect()
}

fn convert(group: &[&CaseRecording<'_>], layout: FileGrouping) -> Result<Option<SwfFile>, String> {
    let Some(first) = group.first() else { return Ok(None) };
    let prints = match layout {
        FileGrouping::Grouped | FileGrouping::Each => PrintedOutput::Pictures,
        FileGrouping::Ruffle => PrintedOutput::Expected,
    };
    let mut writer = SwfWriter::new(prints);
    let mut write = || {
        for CaseRecording { case, records, .. } in group {
            writer.case(&case.name)?;
            if group.len() > 1 {
                writer.caption(&case.name);
            }
            for (line, record) in records {
                writer.record(*line, record)?;
            }
        }
        // The stage must be large enough for every image.
        let largest = |stage: u32, side: fn(&RgbaImage) -> u32| {
            let pictures = group.iter().flat_map(|one| &one.pictures);
            pictures.map(side).max().map_or(stage, |largest| largest.max(stage))
        };
        let header = CaptureHeader {
            frame_rate: Some(FRAME_RATE),
            stage_width: largest(first.header.stage_width, RgbaImage::width),
            stage_height: largest(first.header.stage_height, RgbaImage::height),
            ..first.header.clone()
        };
        std::mem::take(&mut writer).finish(&header)
    };
    write().map(Some).map_err(|error| format!("{}: {error}", first.case.name))
}

#[derive(Default)]
struct Manifest {
    cases: Vec<Value>,
    left_out: Vec<Value>,
    of_cases: BTreeMap<String, Vec<String>>,
    files: usize,
    bytes: usize,
}

impl Manifest {
    fn leave_out(&mut self, case: &Case, why: String) {
        self.left_out.push(json!({ "name": case.name, "kind": case.body.kind(), "why": why }));
    }

    fn file(
        &mut self,
        path: &Path,
        name: &str,
        group: &[&CaseRecording<'_>],
        layout: FileGrouping,
    ) -> Result<(), String> {
        let Some(converted) = convert(group, layout)? else { return Ok(()) };
        if let (FileGrouping::Ruffle, [one], Some(folder)) = (layout, group, path.parent()) {
            make_folder(folder)?;
            ruffle(one, &converted, folder)?;
        } else {
            let text = converted.expected_text();
            write_file(&with_end(path, "txt"), text.as_bytes())?;
        }
        write_file(&with_end(path, "swf"), &converted.swf)?;
        self.files += 1;
        self.bytes += converted.swf.len();
        for one in group {
            self.of_cases.entry(one.case.name.clone()).or_default().push(format!("{name}.swf"));
        }
        Ok(())
    }

    fn case(&mut self, case: &Case, pictures: Vec<String>) {
        self.cases.push(json!({
            "name": case.name, "files": self.of_cases.get(&case.name), "kind": case.body.kind(),
            "profile": case.setup.profile.name(), "swfVersion": case.setup.swf_version,
            "source": case.source, "pictures": pictures,
        }));
    }
}

/// Appends an extension to a path, keeping dots in the file name.
fn with_end(path: &Path, end: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

/// Returns a function that adds a path to an I/O error, for `map_err`.
fn at(path: &Path) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn make_folder(folder: &Path) -> Result<(), String> {
    files::make_folder(folder).map_err(at(folder))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    files::write(path, bytes).map_err(at(path))
}

fn write_pictures(one: &CaseRecording<'_>, folder: &Path) -> Result<Vec<String>, String> {
    let folder = folder.join("pictures");
    make_folder(&folder)?;
    let picture = |(number, image): (usize, &RgbaImage)| {
        let name = format!("{}-{number}.png", one.case.name);
        let path = folder.join(&name);
        write_png(&path, image).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(name)
    };
    one.pictures.iter().enumerate().map(picture).collect()
}

/// Writes the files that Ruffle's tests have beside `test.swf`.
fn ruffle(one: &CaseRecording<'_>, converted: &SwfFile, folder: &Path) -> Result<(), String> {
    // Ruffle's log contains only the output of `trace`.
    write_file(&folder.join("output.txt"), converted.expected_text().as_bytes())?;
    let mut options = format!("num_frames = {}\n", converted.frames + LATE_FRAMES);
    let picture =
        one.last_picture().filter(|image| (image.width(), image.height()) == (SIDE, SIDE));
    if let (Some(image), crate::case::CaseBody::Scene(scene)) = (picture, &one.case.body) {
        let path = folder.join("output.expected.png");
        write_png(&path, image).map_err(|error| format!("{}: {error}", path.display()))?;
        let most = scene.tolerance.outliers.max(scene.tolerance.moved);
        options += &format!(
            "\n[image_comparisons.output]\ntolerance = {}\nmax_outliers = {}\n",
            scene.tolerance.channel,
            most * 4,
        );
    }
    options += "\n[player_options]\nwith_renderer = { optional = false, sample_count = 1 }\n";
    write_file(&folder.join("test.toml"), options.as_bytes())
}
