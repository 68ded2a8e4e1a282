//! The passes and draws of a frame, with each draw's effect and images.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use context3d::keys::ProgramKey;
use molehill_reference::watch::{DepthStencilValue, PixelRows, Watch, WatchRecord};
use molehill_replay::image::{RgbaImage, heat};
use serde::Serialize;

use crate::calls::is_draw;
use crate::capture::{Capture, CaptureEntry};
pub use crate::draw_report::DrawReport;
use crate::error::{InspectError, Result};
use crate::faults::{ExecutedDraw, TextureFaults};
use crate::inspector::{DrawRecord, Inspector, ReplayState};
use crate::number::count;
use crate::passes::RenderPass;
use crate::plan::ExactSurfaces;
use crate::renderers::ReferencePlayer;
use crate::resource_key::ResourceKey;
use crate::same_draw::UsedObject;
use crate::sentence::{Count, Sentence, sentence};
use crate::state_items::StateItem;
use crate::warnings::{DrawFindings, Warning, WarningCollector, WarningKind, WarningMatch};
use crate::wrong::WrongFrame;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameReport {
    pub frame: u32,
    pub passes: Vec<PassReport>,
    pub warnings: Vec<Warning>,
    /// The frame's wrong pixels, if there is an expected image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Box<WrongFrame>>,
}

impl FrameReport {
    /// Adds the wrong pixels to the report of each draw.
    pub fn expect(&mut self, wrong: WrongFrame) {
        for draw in self.passes.iter_mut().flat_map(|pass| &mut pass.draws) {
            draw.wrong = wrong.draw(draw.call);
        }
        self.wrong = Some(Box::new(wrong));
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassReport {
    /// The 1-based index of the pass in the frame.
    pub pass: u32,
    pub context: String,
    pub targets: Vec<String>,
    pub calls: (usize, usize),
    pub draws: Vec<DrawReport>,
}

#[derive(Clone, Debug)]
pub struct DrawPictures {
    pub before: Vec<Arc<RgbaImage>>,
    pub after: Vec<Arc<RgbaImage>>,
    /// The depth buffer after the draw: white is nearest, black is depth 1. `None` without a depth buffer.
    pub depth: Option<Arc<RgbaImage>>,
    /// The stencil buffer after the draw: white is the maximum value, black is 0. `None` without a stencil buffer.
    pub stencil: Option<Arc<RgbaImage>>,
    /// The number of fragment shader invocations per pixel: black is none, dark blue is one, white is the maximum.
    pub overdraw: Arc<RgbaImage>,
    /// Masks of the pixels in which a fragment failed the depth test, and the stencil test: red on transparent. `None`
    /// if no fragment failed.
    pub failed: [Option<Arc<RgbaImage>>; 2],
}

impl DrawPictures {
    /// Returns the first colour output, dimmed, with the changed pixels highlighted.
    pub fn changed(&self) -> Option<Arc<RgbaImage>> {
        Some(Arc::new(heat(self.after.first()?, self.before.first()?, 0)))
    }
}

/// Number of checkpoints per listed frame, so that later queries about its draws are fast.
const FRAME_CHECKPOINTS: usize = 16;

/// The titles of programs, by context and program key.
type Titles = BTreeMap<(usize, Option<ProgramKey>), String>;

type DrawVisitor<'s> = &'s mut dyn FnMut(&DrawReport, DrawPictures) -> Result<()>;

impl Inspector {
    pub fn draws(&mut self, frame: u32) -> Result<FrameReport> {
        Ok(self.draws_with(frame, None, true)?.0)
    }

    /// Like [`Inspector::draws`], but also returns the replay at the frame's end, in which no skipped draw affects the
    /// front buffer. Executes each draw once; [`Inspector::no_effect`] explains draws that change nothing.
    pub(crate) fn draw_frame(&mut self, frame: u32) -> Result<(FrameReport, ReplayState)> {
        let (report, state) = self.draws_with(frame, None, false)?;
        let end = self.capture().frame(frame)?.records.end;
        self.add_checkpoint(end, &state);
        Ok((report, state))
    }

    /// Like [`Inspector::draws`], but also passes each draw with its images to `see`.
    pub fn draws_with_pictures(&mut self, frame: u32, see: DrawVisitor<'_>) -> Result<FrameReport> {
        Ok(self.draws_with(frame, Some(see), true)?.0)
    }

    pub fn draw_pictures(&mut self, call: usize) -> Result<(DrawReport, DrawPictures)> {
        let (mut state, draw) = self.next_draw(call)?;
        let before = targets(&mut state.player, &draw)?;
        let drawn = self.drawn(&mut state, &draw, &mut Titles::new())?;
        let (report, watched) = drawn.ok_or(InspectError::NotADraw(call))?;
        self.add_checkpoint(draw.record + 1, &state);
        Ok((report, pictures(&mut state.player, &draw, before, &watched)?))
    }

    /// Returns the reason why a draw changes no pixel.
    pub(crate) fn no_effect(&mut self, call: usize) -> Result<Sentence> {
        let (mut state, draw) = self.next_draw(call)?;
        let drawn = self.drawn(&mut state, &draw, &mut Titles::new())?;
        let drawn = drawn.ok_or(InspectError::NotADraw(call))?;
        let found = self.findings(&mut state, &draw, &drawn, true, &mut TextureFaults::new())?;
        Ok(found.no_effect.unwrap_or_default())
    }

    /// Executes a draw, and returns its counts and the recorded results. Returns `None` if the draw is skipped.
    fn drawn(
        &mut self,
        state: &mut ReplayState,
        draw: &DrawRecord,
        titles: &mut Titles,
    ) -> Result<Option<(DrawReport, WatchRecord)>> {
        let DrawRecord { record, call, ref line, context, .. } = *draw;
        let watch = Some((context, Watch::default()));
        let Some(watched) = self.execute_next(state, record, watch)? else { return Ok(None) };
        let (capture, player) = (self.capture(), &mut state.player);
        let key = player.bound_program(context);
        let title = |key| ResourceKey::Program(key).title(capture, player, context);
        let program =
            titles.entry((context, key)).or_insert_with(|| key.map(title).unwrap_or_default());
        let (setup, call_site) = (setup(player, context), capture.call_site(call, line));
        let (habits, counts) = (self.habits(player, draw)?, DrawReport::counts(&watched));
        Ok(Some((
            DrawReport { call, program: program.clone(), setup, habits, call_site, ..counts },
            watched,
        )))
    }

    /// Returns the problems of a draw. If `wanted`, executes draws without effect again to find the cause, from a
    /// passed fragment or from the vertices.
    fn findings(
        &mut self,
        state: &mut ReplayState,
        draw: &DrawRecord,
        (report, watched): &(DrawReport, WatchRecord),
        wanted: bool,
        textures: &mut TextureFaults,
    ) -> Result<DrawFindings> {
        let DrawRecord { record, call, ref line, context, .. } = *draw;
        let pixel = shaded_pixel(watched).filter(|_| report.changed == 0 && report.kept > 0);
        let mesh = report.off_screen_triangles == report.triangles.max(1);
        let watch = Watch { pixel, mesh, crop: pixel.is_some(), ..Watch::default() };
        let mut again = WatchRecord::default();
        if wanted && watch != Watch::default() {
            let watch = Some((context, watch));
            again = self.execute_next(&mut state.clone(), record, watch)?.unwrap_or_default();
        }
        let fragment = again.fragments.iter().rfind(|fragment| fragment.samples.1 != 0);
        let capture = Arc::clone(self.capture());
        let (player, vertices) = (&mut state.player, &again.vertices);
        let mut drawn = ExecutedDraw { capture: &capture, player, draw, report, watched, vertices };
        let no_effect = (report.changed == 0).then(|| drawn.no_effect(fragment));
        let mut faults = drawn.faults(textures);
        for UsedObject { id, slot, upload } in self.drawn_with(call, line)? {
            if upload.is_none() && slot.item != StateItem::Texture {
                faults.push(sentence![capture.name(id), " (", slot, ") was never uploaded"]);
            }
        }
        Ok(DrawFindings { no_effect, faults })
    }

    fn draws_with(
        &mut self,
        frame: u32,
        mut see: Option<DrawVisitor<'_>>,
        wanted: bool,
    ) -> Result<(FrameReport, ReplayState)> {
        let capture = Arc::clone(self.capture());
        let span = capture.frame(frame)?.clone();
        let mut passes: Vec<_> =
            self.passes(frame)?.iter().map(|pass| report(&capture, pass)).collect();
        let mut state =
            self.at(span.records.start, ExactSurfaces::FRONT.and_following(span.records.end))?;
        let (mut collector, mut titles) = (WarningCollector::default(), Titles::new());
        let mut textures = TextureFaults::new();
        let distance = (span.records.len() / FRAME_CHECKPOINTS).max(1);
        for index in span.records.clone() {
            let done = index - span.records.start;
            self.report_progress(done, span.records.len())?;
            // Checkpoints speed up later queries about single draws; callers that don't want causes make few such
            // queries.
            if wanted && done % distance == 0 {
                self.add_checkpoint(index, &state);
            }
            let Some((number, CaptureEntry::Call(line))) = capture.record(index)? else {
                self.execute_next(&mut state, index, None)?;
                continue;
            };
            let call = capture.first_call(index);
            let status = self.call_status(call)?;
            collector.error(call, &status, self.missing(call, &status)?);
            let context = state.player.context_of(line.on);
            let Some(on) = context.filter(|_| is_draw(&line.call)) else {
                let changed = context.filter(|_| status.succeeded());
                collector.before(&state.player, &line, changed);
                self.execute_next(&mut state, index, None)?;
                collector.set(call, &line, &state.player);
                continue;
            };
            let draw = DrawRecord { record: index, number, call, line, context: on };
            let images = see.as_ref().map(|_| targets(&mut state.player, &draw));
            let before = images.transpose()?.unwrap_or_default();
            let Some(drawn) = self.drawn(&mut state, &draw, &mut titles)? else {
                collector.set(call, &draw.line, &state.player);
                continue;
            };
            if let Some(see) = &mut see {
                see(&drawn.0, pictures(&mut state.player, &draw, before, &drawn.1)?)?;
            }
            let found = self.findings(&mut state, &draw, &drawn, wanted, &mut textures)?;
            collector.drawn(&draw, &mut state.player, found);
            collector.set(call, &draw.line, &state.player);
            if let Some(pass) = passes.iter_mut().find(|pass| pass.pass == status.pass) {
                pass.draws.push(drawn.0);
            }
        }
        for (context, draws) in self.dry_run(0)?.not_presented(span.calls.end) {
            if let Some(last) = draws.last().filter(|last| span.calls.contains(last)) {
                let text = not_presented(draws.len(), &capture.name(context));
                collector.warn(*last, WarningKind::NotPresented, text);
            }
        }
        if wanted {
            collector.odd(self.evidence(frame, &mut state.player)?);
            collector.odd(idle_passes(&passes));
        }
        let warnings = collector.finish(&capture, &state.player);
        Ok((FrameReport { frame, passes, warnings, wrong: None }, state))
    }
}

/// Returns a sentence: none of a context's draws was presented.
pub(crate) fn not_presented(draws: usize, context: &str) -> Sentence {
    let draws = sentence!["none of ", Count(draws as u64), " draws was presented: "];
    sentence![draws, "no present of ", context, " has succeeded"]
}

/// Returns the first pixel with an invocation of the draw's fragment shader.
fn shaded_pixel(watched: &WatchRecord) -> Option<(u32, u32)> {
    watched.rows.iter().find_map(|rows| {
        let place = rows.shaded.iter().position(|count| *count > 0)?;
        let (place, width) = (u32::try_from(place).ok()?, watched.size.0.max(1));
        Some((place % width, rows.top + place / width))
    })
}

/// Returns a hash of the fixed-function state, the vertex formats and the sampler states.
fn setup(player: &ReferencePlayer, context: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(bound) = player.bound(context) {
        let streams = bound.streams.map(|stream| stream.map(|one| (one.offset, one.format)));
        let all = (bound.raster, bound.scissor, streams, bound.samplers);
        format!("{all:?}").hash(&mut hasher);
    }
    hasher.finish()
}

fn pictures(
    player: &mut ReferencePlayer,
    draw: &DrawRecord,
    before: Vec<Arc<RgbaImage>>,
    watched: &WatchRecord,
) -> Result<DrawPictures> {
    let depth_stencil =
        player.backend_mut(draw.context).and_then(|backend| backend.depth_stencil());
    Ok(DrawPictures {
        before,
        after: targets(player, draw)?,
        depth: depth_stencil.as_ref().and_then(depth_picture).map(Arc::new),
        stencil: depth_stencil.as_ref().and_then(stencil_picture).map(Arc::new),
        overdraw: Arc::new(overdraw_picture(watched)),
        failed: [PixelRows::DEPTH, PixelRows::STENCIL]
            .map(|bit| failed_picture(watched, bit).map(Arc::new)),
    })
}

fn report(capture: &Capture, pass: &RenderPass) -> PassReport {
    let mut targets: Vec<_> = pass.targets.iter().map(|face| capture.face_title(*face)).collect();
    if targets.is_empty() {
        targets.push("back buffer".to_owned());
    }
    PassReport {
        pass: pass.number,
        context: capture.title(pass.context),
        targets,
        calls: (pass.calls.start, pass.calls.end.saturating_sub(1)),
        draws: Vec::new(),
    }
}

fn targets(player: &mut ReferencePlayer, draw: &DrawRecord) -> Result<Vec<Arc<RgbaImage>>> {
    let (number, context) = (draw.number, draw.context);
    let surfaces = player.targets(context).into_iter();
    let images = surfaces.map(|surface| player.surface(number, context, surface).transpose());
    images.flatten().map(|image| Ok(Arc::new(image?))).collect()
}

/// The RGBA colour of highlighted pixels.
const MARK: [u8; 4] = [255, 40, 30, 200];

type DepthBuffer = (u32, u32, Vec<DepthStencilValue>);

/// Returns the depth buffer as an image: white is nearest, dark grey is the farthest drawn depth, and black is depth 1.
fn depth_picture(buffer: &DepthBuffer) -> Option<RgbaImage> {
    let drawn = buffer.2.iter().map(|pixel| pixel.depth).filter(|depth| *depth < 1.0);
    let (near, far) = drawn.fold((1.0f64, 0.0f64), |(near, far), d| (near.min(d), far.max(d)));
    grey_picture(buffer, |pixel| {
        let share = (pixel.depth - near) / (far - near).max(1e-9);
        if pixel.depth < 1.0 { 255.0 - 200.0 * share } else { 0.0 }
    })
}

fn stencil_picture(buffer: &DepthBuffer) -> Option<RgbaImage> {
    let most = buffer.2.iter().map(|pixel| pixel.stencil).max().unwrap_or(0).max(1);
    grey_picture(buffer, |pixel| 255.0 * f64::from(pixel.stencil) / f64::from(most))
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to a byte's range")]
fn grey_picture(
    (width, height, pixels): &DepthBuffer,
    grey: impl Fn(&DepthStencilValue) -> f64,
) -> Option<RgbaImage> {
    let greys = pixels.iter().map(|pixel| grey(pixel).clamp(0.0, 255.0) as u8);
    RgbaImage::from_rgba(*width, *height, greys.flat_map(|grey| [grey, grey, grey, 255]).collect())
}

fn failed_picture(watched: &WatchRecord, bit: u8) -> Option<RgbaImage> {
    let any = watched.rows.iter().any(|rows| rows.failed.iter().any(|bits| bits & bit != 0));
    let mark = |bits: &u8| if bits & bit != 0 { MARK } else { [0; 4] };
    any.then(|| picture(watched, [0; 4], |rows| rows.failed.iter().flat_map(mark).collect()))
}

/// Returns an image of fragment shader invocations per pixel: black for none, dark blue for one, and brighter for more,
/// up to white.
fn overdraw_picture(watched: &WatchRecord) -> RgbaImage {
    let shade = |count: &u16| {
        let times = |step: u16| u8::try_from(count.saturating_mul(step)).unwrap_or(u8::MAX);
        [times(16), times(32), times(96), 255]
    };
    picture(watched, [0, 0, 0, 255], |rows| rows.shaded.iter().flat_map(shade).collect())
}

/// Returns an image of a draw's pixel rows, filled with `ground` where the draw has none.
fn picture(
    watched: &WatchRecord,
    ground: [u8; 4],
    pixels: impl Fn(&PixelRows) -> Vec<u8>,
) -> RgbaImage {
    let mut image = RgbaImage::filled(watched.size.0, watched.size.1, ground);
    for rows in &watched.rows {
        image.overwrite(rows.top as usize * watched.size.0 as usize, &pixels(rows));
    }
    image
}

/// A pass is idle if at least `KEPT` of its fragments pass, and at most one pixel per `KEPT` fragments changes.
const KEPT: u64 = 1000;

/// Finds passes with many passed fragments that change few pixels. Draws without any effect have their own warning.
fn idle_passes(passes: &[PassReport]) -> Vec<WarningMatch> {
    let idle = passes.iter().filter_map(|pass| {
        let sum = |of: fn(&DrawReport) -> u64| pass.draws.iter().map(of).sum::<u64>();
        let (kept, changed) = (sum(|draw| draw.kept), sum(|draw| draw.changed));
        let first = pass.draws.iter().max_by_key(|draw| (draw.kept, usize::MAX - draw.call))?;
        let is_idle = changed > 0 && kept >= KEPT && changed.saturating_mul(KEPT) <= kept;
        is_idle.then(|| WarningMatch {
            kind: WarningKind::IdlePass,
            call: first.call,
            draws: pass.draws.iter().map(|draw| draw.call).collect(),
            text: format!(
                "pass {} has {} passed fragments, but changes only {} pixel{} of {}",
                pass.pass,
                count(kept),
                count(changed),
                if changed == 1 { "" } else { "s" },
                pass.targets.join(", ")
            ),
        })
    });
    idle.collect()
}
