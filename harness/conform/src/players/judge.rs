//! Cases judged by what a player printed.

use std::collections::{BTreeMap, HashMap};

use super::recording::{expected_pictures, records};
use crate::case::{Body, Case};
use crate::glob::Selection;
use crate::results::{Results, RunSettings};
use crate::scene::differing;
use crate::tolerance::Tolerance;
use crate::verdict::{Outcome, Verdict};
use molehill_capture::Record;
use molehill_replay::image::Image;
use molehill_swf::results::{Line, parse};

/// Sampled pixels of a printed picture, in each direction.
const SAMPLES: u32 = 8;
/// Errors for names that a class lacks, and for more arguments than its method has.
const LACKING: [u16; 5] = [1006, 1056, 1063, 1065, 1069];

const REQUEST: &str = "requestContext3D";

/// The results of the cases in the logs of a player, as those of a run; `None` if there are none.
pub fn results(cases: &[Case], logs: &[String]) -> Option<Results> {
    let by_name: HashMap<&str, &Case> =
        cases.iter().map(|case| (case.name.as_str(), case)).collect();
    // A case may be in several files.
    let mut outcomes = BTreeMap::new();
    let mut driver = None;
    for log in logs {
        let log = parse(log);
        driver = driver.or_else(|| {
            log.iter().find_map(|line| match line {
                Line::Property(name, value) if name == "driverInfo" => Some(value.clone()),
                _ => None,
            })
        });
        for (name, lines, ended) in cases_of_log(&log) {
            // Left out by a filter, if it is a case.
            if let Some(case) = by_name.get(name) {
                outcomes.insert(name.to_owned(), judge(case, lines, ended));
            }
        }
    }
    let head = RunSettings {
        backend: "Flash player".to_owned(),
        oracle: "reference".to_owned(),
        driver: driver.unwrap_or_default(),
        profile: None,
        selection: Selection::default(),
        cases: outcomes.len(),
        shard: (1, 1),
    };
    let mut results = Results { head, outcomes: outcomes.into_values().collect() };
    results.sort();
    (!results.outcomes.is_empty()).then_some(results)
}

/// The cases of a log with their lines, and whether each came to its end.
fn cases_of_log(log: &[Line]) -> Vec<(&str, &[Line], bool)> {
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
fn judge(case: &Case, lines: &[Line], ended: bool) -> Outcome {
    let (verdict, reasons) = verdict(case, lines, ended);
    case.outcome(verdict, reasons)
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
            let is = is.map_or("no error".to_owned(), described);
            failures.push(format!("line {line}: {name}: {is} was raised ({should} expected)"));
        }
    }
    failures.extend(raised.into_values().map(described));
    pictures(case, lines, &mut failures);
    (if failures.is_empty() { Verdict::Pass } else { Verdict::Fail }, failures)
}

fn described((number, class): (u16, &str)) -> String {
    if class.is_empty() { format!("error {number}") } else { format!("error {number} ({class})") }
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
