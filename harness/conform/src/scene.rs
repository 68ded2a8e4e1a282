//! Runs scenes: records the calls once, replays them on the device, and compares the images.

use std::io::Cursor;

use context3d::arguments::BitmapPatch;
use context3d::backend::{Backend as _, BackendError, BackendFactory as _};

use super::attachments;
use super::case::{Case, SceneCase};
use super::device::{ConformDevice, Drawer, TestedDevice};
use super::fault::ConformFault;
use super::scene_builder::{SceneBuilder, Setup};
use super::tolerance::Tolerance;
use super::verdict::CaseResult;
use crate::mutations::api::ApiChange;
use context3d::Profile;
use molehill_capture::data::{BitmapTargetData, OptionalParameter};
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord};
use molehill_replay::evidence::{Party, ResultTally};
use molehill_replay::image::{Hash, MAX_SIDE, RgbaImage, compare};
use molehill_replay::record::RecordError;
use molehill_replay::report::ReplayReport;
use molehill_replay::{CallOutcome, ReplayError, ReplayOptions, Replayer};

/// The maximum number of images that a test case may draw, to limit memory.
const MAX_IMAGES: usize = 64;

/// Images and the party that drew, stored or computed them.
struct SceneImages {
    party: Party,
    images: Vec<RgbaImage>,
}

/// Runs a scene on a device, and compares its images with expected images or with another device's images.
pub(super) fn run(
    case: &Case,
    setup: Setup,
    scene: &SceneCase,
    tested: &Drawer,
    oracle: Option<Drawer>,
    fault: Option<ConformFault>,
) -> CaseResult {
    let capture = match record(case, setup, scene) {
        Ok(capture) => capture,
        Err(error) => return CaseResult::failure(format!("the scene can't be recorded: {error}")),
    };
    for device in [Some(tested), oracle.as_ref()].into_iter().flatten() {
        match missing(device.device, scene) {
            Ok(None) => {}
            Ok(Some(feature)) => return CaseResult::missing(feature),
            Err(error) => return CaseResult::failure(error),
        }
    }
    let mut found = CaseResult::default();
    let shown = match play(&capture, tested.device) {
        Err(error) => {
            found.failures.push(error);
            None
        }
        Ok((images, report)) => {
            let mut hash = Hash::default();
            images.iter().for_each(|image| hash.add(image));
            found.hash = hash.finish();
            found.failures.extend(mismatches(&report));
            let actual = SceneImages { party: tested.party.clone(), images };
            expected(&capture, scene, oracle, &mut found).and_then(|expected| {
                let (actual, expected) = broken(fault, actual, expected);
                let (tally, shown) =
                    differing(scene.tolerance, actual.images, expected.images, &mut found.failures);
                found.compared.push((expected.party, tally));
                shown
            })
        }
    };
    if !found.failures.is_empty() {
        found.attachments = attachments::capture(&capture, tested.device.device.dialect());
        if let Some((is, should)) = shown {
            found.attachments.pictures =
                attachments::pictures(&is, &should, scene.tolerance.channel);
        }
    }
    found
}

/// Returns the expected images. Returns `None` if there is no oracle, or if the oracle fails.
fn expected(
    capture: &[u8],
    scene: &SceneCase,
    oracle: Option<Drawer>,
    found: &mut CaseResult,
) -> Option<SceneImages> {
    if let Some((party, pictures)) = &scene.expected_pictures {
        return Some(SceneImages { party: party.clone(), images: pictures() });
    }
    let Drawer { device, party } = oracle?;
    match play(capture, device) {
        Ok((images, _)) => Some(SceneImages { party, images }),
        Err(error) => {
            let name = device.device.name();
            found.failures.push(format!("the oracle ({name}) fails: {error}"));
            None
        }
    }
}

/// Applies a deliberate error of the runner to the actual and the expected images.
fn broken(
    fault: Option<ConformFault>,
    mut actual: SceneImages,
    mut expected: SceneImages,
) -> (SceneImages, SceneImages) {
    let breaks = |row| fault == Some(row);
    if breaks(ConformFault::ExpectedIsDrawn) {
        expected = SceneImages { party: actual.party.clone(), images: actual.images.clone() };
    }
    if breaks(ConformFault::LastImage) {
        actual.images.pop();
    }
    if breaks(ConformFault::NoImages) {
        actual.images.clear();
        expected.images.clear();
    }
    (actual, expected)
}

/// Compares the actual with the expected images. Returns the counts, and the first two images that differ.
pub(crate) fn differing(
    tolerance: Tolerance,
    actual: Vec<RgbaImage>,
    expected: Vec<RgbaImage>,
    failures: &mut Vec<String>,
) -> (ResultTally, Option<(RgbaImage, RgbaImage)>) {
    let (is, should) = (actual.len(), expected.len());
    if is != should {
        failures.push(format!("{is} images were drawn ({should} expected)"));
    }
    let mut tally = ResultTally { missing: is.abs_diff(should) as u64, ..ResultTally::default() };
    let mut shown = None;
    for (number, (is, should)) in actual.into_iter().zip(expected).enumerate() {
        let comparison = compare(&is, &should, tolerance.channel);
        tally.images += 1;
        if !tolerance.allows(&comparison) {
            let text = tolerance.describe(&comparison);
            failures.push(format!("image {number}: {text}"));
            tally.differing += 1;
            shown.get_or_insert((is, should));
        }
    }
    (tally, shown)
}

/// Records the calls of a scene without a device, so that all devices replay identical calls.
pub fn record(case: &Case, setup: Setup, scene: &SceneCase) -> Result<Vec<u8>, RecordError> {
    let mut builder = SceneBuilder::open(&case.name, setup, ConformDevice::Null)?;
    (scene.recipe)(&mut builder)?;
    builder.present()?;
    builder.finish()
}

pub(crate) fn draw(
    case: &Case,
    scene: &SceneCase,
    on: ConformDevice,
) -> Result<Vec<RgbaImage>, String> {
    let capture = record(case, case.setup, scene).map_err(|error| error.to_string())?;
    Ok(play(&capture, on.into())?.0)
}

/// Returns a feature that a scene needs and the device lacks.
fn missing(
    mut device: TestedDevice,
    scene: &SceneCase,
) -> Result<Option<&'static str>, BackendError> {
    if scene.needs.is_empty() {
        return Ok(None);
    }
    let backend = device.create()?;
    let unsupported = scene.needs.iter().find(|need| !need.is_in()(backend.caps()));
    Ok(unsupported.map(|feature| feature.name()))
}

/// Returns messages about replayed calls whose results differ from the recorded results.
fn mismatches(report: &ReplayReport) -> impl Iterator<Item = String> {
    let (_, differences) = report.recorded_errors(true);
    let unsupported = report.unsupported.keys();
    differences.into_iter().chain(unsupported.map(|what| format!("{what} is not supported here")))
}

/// Replays the recorded calls of a scene on a device. Returns the scene's images and the replay's report.
fn play(capture: &[u8], subject: TestedDevice) -> Result<(Vec<RgbaImage>, ReplayReport), String> {
    let located = |error: ReplayError| error.to_string();
    let reader =
        CaptureReader::new(Cursor::new(capture.to_vec())).map_err(|error| error.to_string())?;
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, subject, ReplayOptions::default());
    let mut images = Vec::new();
    let mut profile = Profile::Baseline;
    for record in reader {
        let (line, record) = record.map_err(|error| error.to_string())?;
        match record {
            CaptureRecord::Call(mut call) => {
                if let Some(api) = subject.api
                    && (api.refuses(&call.call) || api.change(&mut call.call, profile))
                {
                    return Err(format!("{} is rejected", call.call.name()));
                }
                let outcome = replayer.call(line, &call).map_err(located)?;
                if let Some(more) = subject.api.and_then(|api| added_call(api, &call, &outcome)) {
                    replayer.call(line, &more).map_err(located)?;
                }
                if let Call::RequestContext3D {
                    profile: OptionalParameter(Some(Some(name))), ..
                } = &call.call
                {
                    profile = Profile::from_name(name).unwrap_or(profile);
                }
                if let (CallOutcome::Bitmap(patch), Call::DrawToBitmapData { destination, .. }) =
                    (&outcome, &call.call)
                    && images.len() < MAX_IMAGES
                {
                    let bitmap = destination.as_ref().and_then(|shape| written(shape, patch));
                    images.push(bitmap.ok_or("a bitmap is too large")?);
                }
            }
            CaptureRecord::Event(event) => replayer.event(&event),
            CaptureRecord::Note(_) => {}
            CaptureRecord::Frame(_) => {
                replayer.end_frame();
                if images.len() < MAX_IMAGES {
                    images.extend(replayer.front(line).map_err(located)?);
                }
            }
        }
    }
    Ok((images, replayer.report().clone()))
}

/// Returns the call that a mutation of the API adds after `call`.
fn added_call(api: ApiChange, call: &CallLine, outcome: &CallOutcome) -> Option<CallLine> {
    let (on, more) = match (&call.call, outcome) {
        (Call::RequestContext3D { .. }, _) => (call.result?, api.begins()?),
        (failed, CallOutcome::Raised(_)) => (call.on, api.applies(failed)?),
        _ => return None,
    };
    Some(CallLine::new(on, more))
}

/// Returns the content of a `BitmapData` after `drawToBitmapData`. The bitmap was transparent or black before the call.
fn written(shape: &BitmapTargetData, patch: &BitmapPatch) -> Option<RgbaImage> {
    if shape.width.max(shape.height) > MAX_SIDE {
        return None;
    }
    let alpha = if shape.transparent { 0 } else { 255 };
    let mut bitmap = RgbaImage::filled(shape.width, shape.height, [0, 0, 0, alpha]);
    let drawn = RgbaImage::from_bgra(patch.width, patch.height, &patch.bgra)?;
    bitmap.paste(&drawn, patch.x.into(), patch.y.into(), false);
    Some(bitmap)
}
