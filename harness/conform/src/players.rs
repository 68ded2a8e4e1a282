//! Cases in Flash players: as SWF files that make their calls, and judged by what those print.

use std::collections::BTreeMap;
use std::io::Cursor;

use super::case::{Body, CallCase, Case};
use super::device::Device;
use super::scene::{self, differing};
use super::scene_builder::SceneBuilder;
use super::tolerance::Tolerance;
use super::verdict::{Outcome, Verdict};
use molehill_capture::{Header, Reader, Record};
use molehill_replay::image::Image;
use molehill_replay::record::RecordError;
use molehill_swf::results::Line;
use molehill_swf::{Converted, SwfError, Writer};

/// Frames a second: a case takes about three.
const FRAME_RATE: f64 = 60.0;
/// Sampled pixels of a printed picture, in each direction.
const SAMPLES: u32 = 8;
/// Errors for names that a class lacks, and for more arguments than its method has.
const LACKING: [u16; 5] = [1006, 1056, 1063, 1065, 1069];

const REQUEST: &str = "requestContext3D";

/// The calls of a case, with the errors that Flash raises; `None` if it makes none.
fn record(case: &Case) -> Option<Result<Vec<u8>, RecordError>> {
    match &case.body {
        Body::Scene(scene) => Some(scene::record(case, case.setup, scene)),
        Body::Calls(calls) => Some(record_calls(case, calls)),
        Body::Program(_) | Body::Hull(_) | Body::Capture(_) | Body::Mutant(_) => None,
    }
}

fn record_calls(case: &Case, calls: &CallCase) -> Result<Vec<u8>, RecordError> {
    let mut builder = SceneBuilder::for_calls(case, case.setup, calls, Device::Null)?;
    match (calls.recipe)(&mut builder) {
        Ok(()) | Err(RecordError::Flash(_)) => builder.finish(),
        Err(error) => Err(error),
    }
}

/// Reads the calls of a case; the error says why it has none.
fn records(case: &Case) -> Result<(Header, Vec<(u64, Record)>), String> {
    let capture = record(case).ok_or_else(|| format!("a {} makes no calls", case.body.kind()))?;
    let capture = capture.map_err(|error| error.to_string())?;
    let reader = Reader::new(Cursor::new(capture)).map_err(|error| error.to_string())?;
    let header = reader.header().clone();
    let records = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok((header, records))
}

/// A file with cases.
pub struct PlayerFile<'c> {
    /// Its name, without an extension.
    pub name: String,
    pub cases: Vec<&'c Case>,
    pub converted: Converted,
}

/// Cases as files, and those that a file can't have, with the reasons.
#[derive(Default)]
pub struct PlayerFiles<'c> {
    pub files: Vec<PlayerFile<'c>>,
    pub left_out: Vec<(&'c Case, String)>,
}

/// Writes cases as files of one area and SWF version with at most `most` cases.
pub fn files<'c>(cases: &'c [Case], most: usize) -> Result<PlayerFiles<'c>, SwfError> {
    let mut groups: BTreeMap<(&str, u32), Vec<&Case>> = BTreeMap::new();
    for case in cases {
        groups.entry((case.area(), case.setup.swf_version)).or_default().push(case);
    }
    let mut written = PlayerFiles::default();
    for ((area, version), group) in groups {
        for (number, part) in group.chunks(most.max(1)).enumerate() {
            let name = match part {
                [case] if most == 1 => case.name.clone(),
                _ => format!("{area}-{version}-{number:03}"),
            };
            written.add(name, part)?;
        }
    }
    Ok(written)
}

impl<'c> PlayerFiles<'c> {
    fn add(&mut self, name: String, group: &[&'c Case]) -> Result<(), SwfError> {
        let mut writer = Writer::new(true);
        let mut stage = None;
        let mut cases = Vec::new();
        for &case in group {
            let (header, records) = match records(case) {
                Ok(records) => records,
                Err(why) => {
                    self.left_out.push((case, why));
                    continue;
                }
            };
            if let Some(why) = Writer::left_out(&records) {
                self.left_out.push((case, why));
                continue;
            }
            writer.case(&case.name)?;
            for (line, record) in &records {
                writer.record(*line, record)?;
            }
            stage = Some(header);
            cases.push(case);
        }
        if let Some(header) = stage {
            let header = Header { frame_rate: Some(FRAME_RATE), ..header };
            self.files.push(PlayerFile { name, cases, converted: writer.finish(&header)? });
        }
        Ok(())
    }
}

/// The expected pictures of a case.
pub fn expected_pictures(case: &Case) -> Result<Vec<Image>, String> {
    match &case.body {
        Body::Scene(scene) => match &scene.expected_pictures {
            Some(pictures) => Ok(pictures()),
            None => scene::draw(case, scene, Device::Reference),
        },
        Body::Program(_) | Body::Calls(_) | Body::Hull(_) | Body::Capture(_) | Body::Mutant(_) => {
            Ok(Vec::new())
        }
    }
}

/// The cases of a log with their lines, and whether each came to its end.
pub fn cases_of_log(log: &[Line]) -> Vec<(&str, &[Line], bool)> {
    let is_case = |line: &Line| matches!(line, Line::Case(_));
    let starts: Vec<usize> =
        log.iter().enumerate().filter_map(|(at, line)| is_case(line).then_some(at)).collect();
    let mut cases = Vec::new();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(log.len());
        if let Some([Line::Case(name), lines @ ..]) = log.get(*start..end) {
            cases.push((name.as_str(), lines, end < log.len() || lines.contains(&Line::End)));
        }
    }
    cases
}

/// Judges a case by the lines that it printed; `ended`: it came to its end.
pub fn judge(case: &Case, lines: &[Line], ended: bool) -> Outcome {
    let (verdict, reasons) = verdict(case, lines, ended);
    Outcome {
        name: case.name.clone(),
        kind: case.body.kind().to_owned(),
        profile: case.setup.profile.name().to_owned(),
        source: case.source.clone(),
        verdict,
        seconds: 0.0,
        reasons,
        hash: None,
        capture: None,
        attachments: super::Attachments::default(),
    }
}

fn verdict(case: &Case, lines: &[Line], ended: bool) -> (Verdict, Vec<String>) {
    let (_, records) = match records(case) {
        Ok(records) => records,
        Err(why) => return (Verdict::Fail, vec![why]),
    };
    if !ended {
        return (Verdict::Crash, vec!["the player printed nothing more".to_owned()]);
    }
    let mut expected: BTreeMap<u64, (&str, Option<u16>)> = BTreeMap::new();
    for (line, record) in &records {
        if let Record::Call(call) = record {
            expected.insert(*line, (call.call.name(), call.throws));
        }
    }
    let mut raised = BTreeMap::new();
    let (mut lacks, mut failures) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            Line::Error { line, number, class } => {
                let (name, throws) = expected.get(line).copied().unwrap_or(("a frame", None));
                // A context that does not come: the player lacks its profile.
                let lacking = LACKING.contains(number) || name == REQUEST;
                if lacking && throws != Some(*number) {
                    lacks.push(format!("{name} (error {number})"));
                }
                raised.insert(*line, (*number, class.as_str()));
            }
            Line::Timeout => failures.push("a context or an event did not come".to_owned()),
            Line::Aborted => failures.push("the player broke off the calls of a frame".to_owned()),
            Line::Case(_)
            | Line::Frame(_)
            | Line::Picture { .. }
            | Line::Event(_)
            | Line::Property(..)
            | Line::End => {}
        }
    }
    if !lacks.is_empty() {
        return (Verdict::NotSupported, lacks);
    }
    for (line, (name, throws)) in &expected {
        let is = raised.remove(line);
        if is.map(|(number, _)| number) != *throws {
            let should = throws.map_or("no error".to_owned(), |number| format!("error {number}"));
            let is = is.map_or("no error".to_owned(), |(number, class)| {
                format!("error {number} ({class})")
            });
            failures.push(format!("line {line}: {name}: {is} was raised ({should} expected)"));
        }
    }
    let of_frames = raised.values().map(|(number, class)| format!("error {number} ({class})"));
    failures.extend(of_frames);
    pictures(case, lines, &mut failures);
    (if failures.is_empty() { Verdict::Pass } else { Verdict::Fail }, failures)
}

/// Compares the sampled pixels of pictures.
fn pictures(case: &Case, lines: &[Line], failures: &mut Vec<String>) {
    let Body::Scene(scene) = &case.body else {
        return;
    };
    let expected = match expected_pictures(case) {
        Ok(pictures) => pictures,
        Err(error) => return failures.push(format!("the reference renderer fails: {error}")),
    };
    let printed: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Picture { size, pixels, .. } => Some((*size, pixels)),
            _ => None,
        })
        .collect();
    for (number, (image, (size, _))) in expected.iter().zip(&printed).enumerate() {
        let (width, height) = size;
        if (image.width(), image.height()) != *size {
            failures.push(format!("picture {number} has {width}x{height} pixels"));
        }
    }
    let is = printed.iter().filter_map(|(_, pixels)| printed_pixels(pixels)).collect();
    let should = expected.iter().map(sampled).collect();
    // Neighbours here are far apart.
    let most = scene.tolerance.outliers.max(scene.tolerance.moved);
    let tolerance = Tolerance { moved: most, outliers: most, ..scene.tolerance };
    differing(tolerance, is, should, failures);
}

/// The pixels of a picture that are printed, without alpha.
fn sampled(image: &Image) -> Image {
    let mut samples = Image::filled(SAMPLES, SAMPLES, [0, 0, 0, 255]);
    let at = |index: u32, side: u32| (2 * index + 1) * side / (2 * SAMPLES);
    for y in 0..SAMPLES {
        for x in 0..SAMPLES {
            let [r, g, b, _] =
                image.pixel(at(x, image.width()), at(y, image.height())).unwrap_or_default();
            let pixel = Image::filled(1, 1, [r, g, b, 255]);
            samples.paste(&pixel, x.into(), y.into(), true);
        }
    }
    samples
}

/// Pixels as `getPixel32` gives them, as a picture without alpha: colours are multiplied by alpha.
fn printed_pixels(pixels: &[u32]) -> Option<Image> {
    let pixel = |argb: &u32| {
        let [a, r, g, b] = argb.to_be_bytes();
        let multiplied = |color: u8| {
            u8::try_from((u32::from(color) * u32::from(a) + 127) / 255).unwrap_or(u8::MAX)
        };
        [multiplied(r), multiplied(g), multiplied(b), 255]
    };
    Image::from_rgba(SAMPLES, SAMPLES, pixels.iter().flat_map(pixel).collect())
}
