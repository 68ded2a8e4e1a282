//! Finds the first differences between two replays: of two captures, or of one capture on two renderers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use context3d::backend::BackendFactory;
use molehill_capture::Call;
use molehill_replay::evidence::{ComparisonEvidence, Conclusion, Party, ResultTally};
use molehill_replay::image::{PixelDifference, RgbaImage, compare};
use molehill_replay::{CallOutcome, ReplayOptions, Replayer};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::calls::renders;
use crate::capture::{Capture, CaptureEntry};
use crate::edit::record;
use crate::error::Result;
use crate::passes::CallStatus;

pub struct DiffSide<'c, F> {
    pub capture: &'c Capture,
    /// The capture's name, if the two sides replay different captures.
    pub input: Option<&'c str>,
    /// Creates the renderer for each replay of this side. A comparison replays each side at most twice.
    pub factory: &'c mut dyn FnMut() -> F,
}

/// The first difference between two captures or renderers, for each type of difference. If no difference of a type was
/// found, its field is `None` or 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaptureDifference {
    /// The renderers and captures of both sides, and the numbers of compared images and call results.
    pub evidence: ComparisonEvidence,
    /// The first call that differs between the sides, or that only one side contains.
    pub call: Option<CallDifference>,
    pub result: Option<CallDifference>,
    /// The first frame whose image differs: its frame number on both sides.
    pub frame: Option<(u32, u32)>,
    /// The call index, on both sides, of the first clear or draw of `frame` after which the render targets differ.
    pub draw: Option<(usize, usize)>,
    /// The first differing pixel of `pictures`: its position and its RGBA values on both sides.
    pub pixel: Option<PixelDifference>,
    pub pixels: u64,
    /// The render targets of both sides after `draw`, or the images of the frame if no draw differs.
    #[serde(skip)]
    pub pictures: Option<[RgbaImage; 2]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallDifference {
    pub call: usize,
    /// The call or its result on the first side, as text.
    pub a: String,
    /// The call or its result on the second side, as text.
    pub b: String,
    /// The first differing element in the calls' bulk data.
    pub data: Option<DataDifference>,
}

/// The first difference of two arguments with bulk data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DataDifference {
    pub parameter: String,
    /// The type of the elements: `byte` or `number`.
    pub element: &'static str,
    /// The element's 0-based index.
    pub index: usize,
    /// The element's value on the first and the second side (`a`, `b`); `None` past the end of the data.
    pub a: Option<String>,
    pub b: Option<String>,
}

impl CaptureDifference {
    /// Returns a comparison without differences, for a tested renderer or capture.
    pub fn new(tested: Party) -> CaptureDifference {
        let evidence = ComparisonEvidence::new(tested);
        let (call, result, frame, draw) = (None, None, None, None);
        CaptureDifference {
            evidence,
            call,
            result,
            frame,
            draw,
            pixel: None,
            pixels: 0,
            pictures: None,
        }
    }

    fn compare(&mut self, here: RgbaImage, there: RgbaImage, tolerance: u8, outliers: u64) -> bool {
        let compared = compare(&here, &there, tolerance);
        let differs = !compared.passes(outliers);
        if differs {
            (self.pixel, self.pixels) = (compared.first, compared.differing);
            self.pictures = Some([here, there]);
        }
        differs
    }

    /// Returns true if results were compared and none of them differs.
    pub fn is_none(&self) -> bool {
        self.evidence.conclusion() == Conclusion::Agrees
    }
}

struct DiffReplay<'c, F: BackendFactory> {
    capture: &'c Capture,
    input: Option<&'c str>,
    player: Replayer<F>,
    record: usize,
    call: usize,
    /// The context of the last clear or draw of the frame, if no `present` followed.
    unpresented: Option<usize>,
}

impl<'c, F: BackendFactory> DiffReplay<'c, F> {
    fn new(side: &mut DiffSide<'c, F>) -> Self {
        let (capture, input) = (side.capture, side.input);
        let player = Replayer::new(capture.header(), (side.factory)(), ReplayOptions::default());
        DiffReplay { capture, input, player, record: 0, call: 0, unpresented: None }
    }

    fn party(&self) -> Party {
        let party = self.player.party();
        self.input.map_or(party.clone(), |input| party.replaying(input))
    }

    /// Executes the next record. Returns the record with its line number and, for a call, the outcome.
    fn step(&mut self) -> Result<Option<(u64, CaptureEntry, Option<CallOutcome>)>> {
        let Some((number, entry)) = self.capture.record(self.record)? else { return Ok(None) };
        self.record += 1;
        let outcome = self.player.record(number, &entry)?;
        let call = entry.call().map(|line| &line.call);
        self.call += usize::from(call.is_some());
        if let Some(line) = entry.call().filter(|line| renders(&line.call)) {
            self.unpresented = self.player.context_of(line.on);
        } else if entry.frame().is_some() || matches!(call, Some(Call::Present {})) {
            self.unpresented = None;
        }
        Ok(Some((number, entry, outcome)))
    }

    /// Replays to the end of the next frame, and returns its number and line. Records after the last frame end count as
    /// a frame, because recordings of crashed programs end with them. Passes every outcome to `on_outcome`.
    fn frame(
        &mut self,
        on_outcome: &mut dyn FnMut(usize, CallOutcome),
    ) -> Result<Option<(u32, u64)>> {
        let mut last = None;
        while let Some((number, entry, outcome)) = self.step()? {
            if let CaptureEntry::Frame(frame) = entry {
                return Ok(Some((frame, number)));
            }
            if let Some(outcome) = outcome {
                on_outcome(self.call, outcome);
            }
            last = Some(number);
        }
        Ok(self.capture.frames().last().map(|frame| frame.number).zip(last))
    }

    /// Like [`DiffReplay::frame`], but returns images: the stage and, in a frame without an end, the render target of a
    /// draw that was not presented.
    fn pictures(
        &mut self,
        on_outcome: &mut dyn FnMut(usize, CallOutcome),
    ) -> Result<Option<(u32, Vec<RgbaImage>)>> {
        let Some((frame, number)) = self.frame(on_outcome)? else { return Ok(None) };
        let mut pictures = vec![self.player.screen(number)?];
        if let Some(context) = self.unpresented {
            pictures.extend(self.player.target(number, context)?);
        }
        Ok(Some((frame, pictures)))
    }

    /// Replays to the next clear or draw, and returns its call and the resulting render target. Returns `None` at the
    /// end of the frame.
    fn draw(&mut self) -> Result<Option<(usize, Option<RgbaImage>)>> {
        while let Some((number, entry, _)) = self.step()? {
            if entry.frame().is_some() {
                return Ok(None);
            }
            let line = entry.call().filter(|line| renders(&line.call));
            if let Some(context) = line.and_then(|line| self.player.context_of(line.on)) {
                return Ok(Some((self.call, self.player.target(number, context)?)));
            }
        }
        Ok(None)
    }
}

/// Finds the first differences between two sides. `tolerance` is the channel difference that counts as equal.
/// `outliers` is the number of pixels whose channels may differ by more than `tolerance`.
pub fn diff<F: BackendFactory, G: BackendFactory>(
    mut a: DiffSide<'_, F>,
    mut b: DiffSide<'_, G>,
    tolerance: u8,
    outliers: u64,
) -> Result<CaptureDifference> {
    let (mut one, mut two) = (DiffReplay::new(&mut a), DiffReplay::new(&mut b));
    let mut found = CaptureDifference::new(Party::drawn_by(""));
    found.call = first_call(a.capture, b.capture);
    let missing = a.capture.frames().len().abs_diff(b.capture.frames().len()) as u64;
    let mut compared = ResultTally {
        differing: u64::from(found.call.is_some()),
        missing,
        ..ResultTally::default()
    };
    let mut frames = 0;
    while found.frame.is_none() {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let left = one.pictures(&mut |call, outcome| here.push((call, outcome_text(outcome))))?;
        let right = two.pictures(&mut |_, outcome| there.push(outcome_text(outcome)))?;
        compared.missing += here.len().abs_diff(there.len()) as u64;
        for ((call, a), b) in here.into_iter().zip(there) {
            compared.errors += 1;
            if a != b {
                compared.differing += 1;
                found.result.get_or_insert(CallDifference { call, a, b, data: None });
            }
        }
        let (Some((left, here)), Some((right, there))) = (left, right) else { break };
        compared.missing += here.len().abs_diff(there.len()) as u64;
        for (here, there) in here.into_iter().zip(there) {
            compared.images += 1;
            if found.frame.is_none() && found.compare(here, there, tolerance, outliers) {
                compared.differing += 1;
                found.frame = Some((left, right));
            }
        }
        frames += usize::from(found.frame.is_none());
    }
    found.evidence = ComparisonEvidence::new(one.party());
    found.evidence.add(two.party(), compared);
    if found.frame.is_none() {
        return Ok(found);
    }
    // Replays both sides again up to the differing frame, and compares that frame draw by draw.
    let (mut one, mut two) = (DiffReplay::new(&mut a), DiffReplay::new(&mut b));
    for _ in 0..frames {
        one.frame(&mut |_, _| {})?;
        two.frame(&mut |_, _| {})?;
    }
    while let (Some((left, here)), Some((right, there))) = (one.draw()?, two.draw()?) {
        if let (Some(here), Some(there)) = (here, there)
            && found.compare(here, there, tolerance, outliers)
        {
            found.draw = Some((left, right));
            break;
        }
    }
    Ok(found)
}

/// Returns an outcome as text, without the pixels that the call read.
fn outcome_text(outcome: CallOutcome) -> String {
    let status = CallStatus { outcome: Some(outcome), pass: 0, unchecked: None };
    status.failure().unwrap_or_else(|| "done".to_owned())
}

/// Returns the first call that differs in its receiver, method, arguments or result id.
fn first_call(a: &Capture, b: &Capture) -> Option<CallDifference> {
    let text = |capture: &Capture, call: usize| {
        let Ok((_, line)) = capture.call(call) else { return "the capture has ended".to_owned() };
        capture.call_text(&line)
    };
    let last = a.call_count().max(b.call_count());
    let differs = |call: &usize| {
        let essence = |capture: &Capture| {
            let line = capture.call(*call).ok()?.1;
            Some((line.on, line.call.clone(), line.result))
        };
        let (a, b) = (essence(a), essence(b));
        // Compares texts, because NaN is not equal to itself.
        a != b && format!("{a:?}") != format!("{b:?}")
    };
    let call = (1..=last).find(differs)?;
    let record = |capture: &Capture| record(capture, &capture.call(call).ok()?.1).ok();
    let data = record(a).zip(record(b)).and_then(|(a, b)| first_data(&a, &b));
    Some(CallDifference { call, a: text(a, call), b: text(b, call), data })
}

/// A base64 encoding of bulk data: the suffix of its JSON keys, the bytes per element, and a formatter of elements.
type BulkEncoding = (&'static str, usize, fn(&[u8]) -> Option<String>);

/// The suffix `B64` must be tried last, because it is also the end of the other suffixes.
const ENCODINGS: [BulkEncoding; 4] = [
    ("F64B64", 8, |it| Some(f64::from_le_bytes(it.try_into().ok()?).to_string())),
    ("F32B64", 4, |it| Some(f32::from_le_bytes(it.try_into().ok()?).to_string())),
    ("U32B64", 4, |it| Some(u32::from_le_bytes(it.try_into().ok()?).to_string())),
    ("B64", 1, |it| it.first().map(u8::to_string)),
];

/// Returns the first differing element in the bulk data of two calls, given as JSON records.
fn first_data(a: &Map<String, Value>, b: &Map<String, Value>) -> Option<DataDifference> {
    a.iter().find_map(|(key, here)| match (here, b.get(key)?) {
        (Value::Object(here), Value::Object(there)) => first_data(here, there),
        (Value::String(here), Value::String(there)) if here != there => {
            let mut encodings = ENCODINGS.iter();
            let (name, (suffix, size, element)) =
                encodings.find_map(|it| Some((key.strip_suffix(it.0)?, it)))?;
            let [here, there] = [here, there].map(|text| STANDARD.decode(text).ok());
            let (here, there) = (here?, there?);
            let [mut ours, mut theirs] = [&here, &there].map(|bytes| bytes.chunks(*size));
            let mut both = std::iter::repeat_with(|| (ours.next(), theirs.next())).enumerate();
            let (index, (a, b)) = both.find(|(_, (a, b))| a != b || a.is_none())?;
            Some(DataDifference {
                parameter: name.to_owned(),
                element: if *suffix == "B64" { "byte" } else { "number" },
                index,
                a: a.and_then(element),
                b: b.and_then(element),
            })
        }
        _ => None,
    })
}
