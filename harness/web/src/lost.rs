//! Plays scenes during which the device is lost and restored (`WEBGL_lose_context`, or WebGPU's `destroy`). The images
//! must equal those of the same scene without a loss, bit for bit.

use std::io::Cursor;

use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use context3d_layers::{RecoverableBackend, RecoveryOptions};
use molehill_capture::{CaptureHeader, CaptureReader, CaptureRecord};
use molehill_conform::case::CaseBody;
use molehill_conform::names::CaseSelection;
use molehill_conform::{Attachments, CaseOutcome, Verdict, cases, record};
use molehill_replay::evidence::{ComparisonEvidence, Party, ResultTally};
use molehill_replay::image::{RgbaImage, compare};
use molehill_replay::{ReplayOptions, Replayer};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WebGl2RenderingContext;

use crate::place::ScenePlace;

const PREFIX: &str = "web.lost.";
/// The names of the scenes. The scenes cover drawn and uploaded content of render textures, with mip levels, faces and
/// formats; multisampling; depth and stencil; constants and state set before the loss; and several frames.
const SCENES: &[&str] = &[
    "api.constants.kept.vertex.across_present",
    "api.drawToBitmapData.frame.second",
    "api.frames.three",
    "api.state.across_present.blend",
    "rtt.antialias.edges.4",
    "rtt.content.chain",
    "rtt.content.drawn_is_kept",
    "rtt.content.upload_after_drawing",
    "rtt.cube.all_faces",
    "rtt.depth.less.kept",
    "rtt.half_float.small",
    "rtt.mips.made",
    "rtt.mrt.4.bgra",
    "stencil.reference.255.before",
];
/// The number of parts into which a scene's records are divided. The device is lost after each part except the last.
const PARTS: usize = 4;

/// Returns the scenes that the patterns select, as in [`Suite::new`](crate::Suite::new).
#[wasm_bindgen]
pub fn lost_scenes(filter: Vec<String>, exclude: Vec<String>) -> Vec<String> {
    let names = SCENES.iter().map(|name| format!("{PREFIX}{name}"));
    let selection = CaseSelection { filter, exclude, ..CaseSelection::default() };
    names.filter(|name| selection.contains(name)).collect()
}

/// A factory of backends that are restored after a loss of their device.
struct RecoveryFactory(ScenePlace);

type LostOpener = Box<dyn FnMut() -> Result<AnyBackend, BackendError>>;

impl BackendFactory for RecoveryFactory {
    type Backend = RecoverableBackend<AnyBackend, LostOpener>;

    fn create(&mut self) -> Result<Self::Backend, BackendError> {
        let mut place = self.0.clone();
        RecoverableBackend::new(Box::new(move || place.create()), RecoveryOptions::default())
    }
}

/// A scene that is played in parts. The device is lost after each part of the records except the last.
#[wasm_bindgen]
pub struct LostScene {
    name: String,
    place: ScenePlace,
    records: Vec<(u64, CaptureRecord)>,
    expected: Vec<RgbaImage>,
    replayer: Replayer<RecoveryFactory>,
    next: usize,
    pictures: Vec<RgbaImage>,
    losses: usize,
    begin: web_time::Instant,
}

#[wasm_bindgen]
impl LostScene {
    /// Captures the calls of a scene, and replays the calls once without a device loss for the expected images. Without
    /// `context`, the scene runs on WebGPU. Returns an error if no scene has this name, or if the scene can't be
    /// recorded or replayed.
    #[wasm_bindgen(constructor)]
    pub fn new(name: String, context: Option<WebGl2RenderingContext>) -> Result<LostScene, String> {
        let begin = web_time::Instant::now();
        let (header, records) = recorded(name.strip_prefix(PREFIX).unwrap_or(&name))?;
        let place = ScenePlace::new(context);
        let replayer =
            || Replayer::new(&header, RecoveryFactory(place.clone()), ReplayOptions::default());
        let expected = play(&mut replayer(), &records)?;
        Ok(LostScene {
            name,
            replayer: replayer(),
            place,
            records,
            expected,
            next: 0,
            pictures: Vec::new(),
            losses: 0,
            begin,
        })
    }

    /// Replays the next part of the scene's records. Returns true if the caller should now lose and restore the device,
    /// and false at the end of the scene. Returns an error if the replay fails.
    pub fn play(&mut self) -> Result<bool, String> {
        let part = self.records.len().div_ceil(PARTS).max(1);
        let end = self.next.saturating_add(part).min(self.records.len());
        let part = self.records.get(self.next..end).unwrap_or(&[]);
        self.pictures.extend(play(&mut self.replayer, part)?);
        self.next = end;
        Ok(end < self.records.len())
    }

    /// Marks the device as lost; call it on the event `webglcontextlost`. With WebGPU, destroys the device, after which
    /// the caller must open another one.
    pub fn lost(&mut self) {
        self.losses = self.losses.saturating_add(1);
        self.place.lose();
    }

    /// Returns the outcome as JSON. `error` is the reason if the scene ended early.
    pub fn outcome(&self, error: Option<String>) -> Option<String> {
        let mut reasons: Vec<String> = error.into_iter().collect();
        let (mut attachments, mut tally) = (Attachments::default(), ResultTally::default());
        if reasons.is_empty() {
            if (self.losses, self.pictures.len()) != (PARTS - 1, self.expected.len()) {
                reasons.push(format!(
                    "{} losses and {} images ({} and {} expected)",
                    self.losses,
                    self.pictures.len(),
                    PARTS - 1,
                    self.expected.len()
                ));
            }
            tally = differences(&self.pictures, &self.expected, &mut reasons, &mut attachments);
        }
        let source = "the same scene without a loss";
        outcome(&self.name, source, self.begin, reasons, tally, attachments)
    }
}

/// Compares actual and expected images. Returns the number of compared images and of differing images.
pub(crate) fn differences(
    pictures: &[RgbaImage],
    expected: &[RgbaImage],
    reasons: &mut Vec<String>,
    attachments: &mut Attachments,
) -> ResultTally {
    let missing = pictures.len().abs_diff(expected.len());
    let mut tally =
        ResultTally { missing: u64::try_from(missing).unwrap_or(1), ..ResultTally::default() };
    for (number, (is, should)) in pictures.iter().zip(expected).enumerate() {
        let differing = compare(is, should, 0).differing;
        tally.images += 1;
        if differing > 0 {
            tally.differing += 1;
            reasons.push(format!("image {number}: {differing} pixels differ"));
            attachments.pictures = molehill_conform::pictures(is, should, 0);
        }
    }
    tally
}

pub(crate) fn outcome(
    name: &str,
    source: &str,
    begin: web_time::Instant,
    reasons: Vec<String>,
    tally: ResultTally,
    attachments: Attachments,
) -> Option<String> {
    let mut evidence = ComparisonEvidence::new(Party::renderer(name, ""));
    evidence.add(Party::renderer(source, ""), tally);
    let outcome = CaseOutcome {
        name: name.to_owned(),
        kind: "scene".to_owned(),
        profile: "baseline".to_owned(),
        source: source.to_owned(),
        verdict: if reasons.is_empty() { Verdict::Pass } else { Verdict::Fail },
        reasons,
        evidence: Some(evidence),
        seconds: begin.elapsed().as_secs_f64(),
        hash: None,
        capture: None,
        attachments,
    };
    serde_json::to_string(&outcome.checked()).ok()
}

pub(crate) type RecordList = Vec<(u64, CaptureRecord)>;

pub(crate) fn recorded(name: &str) -> Result<(CaptureHeader, RecordList), String> {
    let case = cases::all().into_iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| format!("case {name} does not exist"))?;
    let CaseBody::Scene(scene) = &case.body else {
        return Err(format!("{name} is not a scene"));
    };
    let capture = record(&case, case.setup, scene).map_err(|error| error.to_string())?;
    let reader = CaptureReader::new(Cursor::new(capture)).map_err(|error| error.to_string())?;
    let header: CaptureHeader = reader.header().clone();
    let records: Result<Vec<_>, _> = reader.collect();
    Ok((header, records.map_err(|error| error.to_string())?))
}

/// Plays the records of a capture. Returns the image at each frame end.
pub(crate) fn play<F: BackendFactory>(
    replayer: &mut Replayer<F>,
    records: &[(u64, CaptureRecord)],
) -> Result<Vec<RgbaImage>, String> {
    let mut shown = Vec::new();
    for (line, record) in records {
        replayer.record(*line, record).map_err(|error| error.to_string())?;
        if record.frame().is_some() {
            shown.extend(replayer.front(*line).map_err(|error| error.to_string())?);
        }
    }
    Ok(shown)
}
