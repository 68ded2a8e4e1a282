//! Determines verdicts from the output of test cases in a Flash player.

use std::collections::{BTreeMap, HashMap};

use super::recording::{expected_pictures, records};
use crate::case::{Case, CaseBody};
use crate::device::{ConformDevice, ShaderRoute};
use crate::expectations::Expectations;
use crate::results::{ConformResults, RunSettings};
use crate::scene::differing;
use crate::tolerance::Tolerance;
use crate::verdict::{CaseOutcome, Verdict};
use molehill_capture::data::OptionalParameter;
use molehill_capture::{Call, CallLine, CaptureRecord, EventRecord};
use molehill_replay::evidence::{ComparisonEvidence, Party, ResultTally};
use molehill_replay::image::RgbaImage;
use molehill_swf::results::{OutputLine, parse};

/// The number of rows, and of columns, of sampled pixels in a printed image.
const SAMPLES: u32 = 8;
/// The ids of errors for a missing member of a class, or for too many arguments.
const LACKING: [u16; 5] = [1006, 1056, 1063, 1065, 1069];

const PLAYER: &str = "Flash player";
const REQUEST: &str = "requestContext3D";

/// The driver of a player that uses Molehill, with its known failures.
#[derive(Clone, Copy, Debug)]
pub struct PlayerDevice<'a> {
    pub device: ConformDevice,
    pub driver: &'a str,
    pub known: &'a Expectations,
}

impl PlayerDevice<'_> {
    /// Changes a failure to a known failure, if the list of known failures contains it.
    fn judged(&self, mut outcome: CaseOutcome) -> CaseOutcome {
        let known =
            self.known.known(&outcome.name, self.device, ShaderRoute::default(), self.driver);
        if outcome.verdict == Verdict::Fail
            && let Some(reason) = known.of_failures(&outcome.reasons)
        {
            outcome.verdict = Verdict::KnownFailure;
            outcome.reasons.insert(0, reason.to_owned());
        }
        outcome
    }
}

/// Returns the results of the cases in a player's logs, or `None` if the logs contain no case.
pub fn results(
    cases: &[Case],
    logs: &[String],
    device: Option<&PlayerDevice<'_>>,
) -> Option<ConformResults> {
    let by_name: HashMap<&str, &Case> =
        cases.iter().map(|case| (case.name.as_str(), case)).collect();
    // Several logs may contain the same case.
    let mut outcomes = BTreeMap::new();
    let mut driver = device.map(|device| device.driver.to_owned());
    for log in logs {
        let log = parse(log);
        driver = driver.or_else(|| {
            log.iter().find_map(|line| match line {
                OutputLine::Property(name, value) if name == "driverInfo" => Some(value.clone()),
                _ => None,
            })
        });
        for (name, lines, ended) in cases_of_log(&log) {
            // Ignore cases that the selection excludes.
            if let Some(case) = by_name.get(name) {
                let tested = Party::renderer(PLAYER, driver.as_deref().unwrap_or_default());
                let outcome = judge(case, lines, ended, tested);
                let outcome = match device {
                    Some(device) => device.judged(outcome),
                    None => outcome,
                };
                outcomes.insert(name.to_owned(), outcome);
            }
        }
    }
    let head = RunSettings::new(
        PLAYER,
        "reference",
        driver.unwrap_or_default(),
        outcomes.keys().cloned().collect(),
    );
    let mut results = ConformResults { head, outcomes: outcomes.into_values().collect() };
    results.sort();
    (!results.outcomes.is_empty()).then_some(results)
}

/// Returns the cases of a player's log: name, lines of output, and whether the case ended.
fn cases_of_log(log: &[OutputLine]) -> Vec<(&str, &[OutputLine], bool)> {
    let is_case = |line: &OutputLine| matches!(line, OutputLine::Case(_));
    let starts: Vec<usize> =
        log.iter().enumerate().filter_map(|(at, line)| is_case(line).then_some(at)).collect();
    let mut cases = Vec::new();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(log.len());
        if let Some([OutputLine::Case(name), lines @ ..]) = log.get(*start..end) {
            cases.push((name.as_str(), lines, end < log.len() || lines.contains(&OutputLine::End)));
        }
    }
    cases
}

/// Determines the outcome of a case from the lines that it printed. `ended` is true if the case ran to its end.
fn judge(case: &Case, lines: &[OutputLine], ended: bool, tested: Party) -> CaseOutcome {
    let mut evidence = ComparisonEvidence::new(tested);
    let (verdict, reasons) = verdict(case, lines, ended, &mut evidence);
    CaseOutcome { evidence: Some(evidence), ..case.outcome(verdict, reasons) }.checked()
}

type JudgedCase = (Verdict, Vec<String>);

fn verdict(
    case: &Case,
    lines: &[OutputLine],
    ended: bool,
    evidence: &mut ComparisonEvidence,
) -> JudgedCase {
    let (_, records) = match records(case) {
        Ok(records) => records,
        Err(why) => return (Verdict::Fail, vec![why]),
    };
    if !ended {
        return (
            Verdict::Crash,
            vec!["the player's output ends before the end of the case".to_owned()],
        );
    }
    let profiles = profiles(&records);
    if is_refused(&records, profiles.len(), lines) {
        let text = format!("{REQUEST}: the player rejected {}", profiles.join(", "));
        return (Verdict::NotSupported, vec![text]);
    }
    let calls = records.iter().filter_map(|(line, record)| Some((*line, record.call()?)));
    let expected: BTreeMap<u64, (&str, Option<u16>)> =
        calls.map(|(line, call)| (line, (call.call.name(), call.throws))).collect();
    let mut raised = BTreeMap::new();
    let (mut lacks, mut failures) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            OutputLine::Error { line, number, class } => {
                let (name, throws) = expected.get(line).copied().unwrap_or(("a frame", None));
                // If the context request fails, the player doesn't support the profile.
                let lacking = LACKING.contains(number) || name == REQUEST;
                if lacking && throws != Some(*number) {
                    lacks.push(format!("{name} (error {number})"));
                }
                raised.insert(*line, (*number, class.as_str()));
            }
            OutputLine::Timeout => {
                failures.push("the player returned no context or event in time".to_owned())
            }
            OutputLine::Aborted => {
                failures.push("the player aborted the calls of a frame".to_owned())
            }
            _ => {}
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
    let tally = ResultTally { errors: expected.len() as u64, ..ResultTally::default() };
    evidence.add(Party::RecordedErrors, ResultTally { differing: failures.len() as u64, ..tally });
    failures.extend(wrong_profiles(&profiles, lines));
    pictures(case, lines, &mut failures, evidence);
    (if failures.is_empty() { Verdict::Pass } else { Verdict::Fail }, failures)
}

/// Returns the profiles of the contexts that a case requests, in order.
fn profiles(records: &[(u64, CaptureRecord)]) -> Vec<String> {
    let granted = |record: &CaptureRecord| match record.call() {
        Some(CallLine {
            call: Call::RequestContext3D { profile: OptionalParameter(profile), .. },
            result: Some(_),
            ..
        }) => Some(profile.clone().flatten().unwrap_or_default()),
        _ => None,
    };
    records.iter().filter_map(|(_, record)| granted(record)).collect()
}

/// Returns a message for each context whose profile differs from the expected profile.
fn wrong_profiles(expected: &[String], lines: &[OutputLine]) -> impl Iterator<Item = String> {
    let granted = lines.iter().filter_map(|line| match line {
        OutputLine::Property(name, value) if name == "profile" => Some(value),
        _ => None,
    });
    granted
        .zip(expected)
        .filter(|(is, should)| is != should)
        .map(|(is, should)| format!("the context has the profile {is} ({should} expected)"))
}

/// Returns whether the player rejected a context request. The caller ignores the output after a rejected request.
fn is_refused(records: &[(u64, CaptureRecord)], contexts: usize, lines: &[OutputLine]) -> bool {
    let count = |name: &str| {
        lines
            .iter()
            .filter(|line| matches!(line, OutputLine::Event(event) if event == name))
            .count()
    };
    let of_textures = records.iter().filter(|(_, record)| {
        matches!(record, CaptureRecord::Event(event) if matches!(event.event, EventRecord::Error(_)))
    });
    count("context3DCreate") < contexts && count("error") > of_textures.count()
}

fn described((number, class): (u16, &str)) -> String {
    if class.is_empty() { format!("error {number}") } else { format!("error {number} ({class})") }
}

fn pictures(
    case: &Case,
    lines: &[OutputLine],
    failures: &mut Vec<String>,
    evidence: &mut ComparisonEvidence,
) {
    let CaseBody::Scene(scene) = &case.body else { return };
    let expected = match expected_pictures(case) {
        Ok(pictures) => pictures,
        Err(error) => return failures.push(format!("the reference renderer fails: {error}")),
    };
    let printed: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            OutputLine::Picture { size, pixels, .. } => Some((*size, pixels)),
            _ => None,
        })
        .collect();
    for (number, (image, (size, _))) in expected.iter().zip(&printed).enumerate() {
        let (width, height) = size;
        if (image.width(), image.height()) != *size {
            failures.push(format!("image {number} has {width}x{height} pixels"));
        }
    }
    let should: Vec<_> = expected.iter().map(sampled).collect();
    let unknown = vec![[u8::MAX; 4]; (SAMPLES * SAMPLES) as usize];
    let is = printed.iter().enumerate().filter_map(|(number, (_, pixels))| {
        read_back(pixels, should.get(number).unwrap_or(&unknown))
    });
    let (is, should) = (is.collect(), should.iter().filter_map(|it| opaque(it)).collect());
    // Sampled pixels have no neighbours, so pixels at moved edges count as outliers.
    let most = scene.tolerance.outliers.max(scene.tolerance.moved);
    let tolerance = Tolerance { moved: most, outliers: most, ..scene.tolerance };
    let (tally, _) = differing(tolerance, is, should, failures);
    let known = scene.expected_pictures.as_ref().map(|(party, _)| party.clone());
    evidence.add(known.unwrap_or_else(|| Party::renderer(Party::REFERENCE, "")), tally);
}

/// Returns the sampled pixels of an image, which players print.
fn sampled(image: &RgbaImage) -> Vec<[u8; 4]> {
    let at = |index: u32, side: u32| (2 * index + 1) * side / (2 * SAMPLES);
    let place = |index| [at(index % SAMPLES, image.width()), at(index / SAMPLES, image.height())];
    let places = (0..SAMPLES * SAMPLES).map(place);
    places.map(|[x, y]| image.pixel(x, y).unwrap_or_default()).collect()
}

/// Returns an opaque image of the sampled pixels.
fn opaque(pixels: &[[u8; 4]]) -> Option<RgbaImage> {
    let pixels = pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b, 255]).collect();
    RgbaImage::from_rgba(SAMPLES, SAMPLES, pixels)
}

/// Converts pixels from `getPixel32` to an opaque image, by multiplying colours with alpha. A colour above its alpha
/// can't be read back from a transparent bitmap, so the expected pixel is used.
fn read_back(pixels: &[u32], expected: &[[u8; 4]]) -> Option<RgbaImage> {
    let pixel = |(argb, expected): (&u32, &[u8; 4])| {
        let ([a, r, g, b], [red, green, blue, alpha]) = (argb.to_be_bytes(), *expected);
        if a < 255 && red.max(green).max(blue) > alpha {
            return [red, green, blue, 255];
        }
        let multiplied = |color: u8| {
            u8::try_from((u32::from(color) * u32::from(a) + 127) / 255).unwrap_or(u8::MAX)
        };
        [multiplied(r), multiplied(g), multiplied(b), 255]
    };
    let pixels = pixels.iter().zip(expected).flat_map(pixel).collect();
    RgbaImage::from_rgba(SAMPLES, SAMPLES, pixels)
}
