//! The history of a pixel: the calls that changed the pixel, with their fragments.

use std::sync::Arc;

use context3d::backend::{BackendFactory, ReadSurface};
use context3d::enums::{BlendFactor, FlashName};
use context3d::packets::Raster;
use molehill_capture::commands::ReplayObject;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use molehill_reference::watch::{Fragment, FragmentOutcome, PixelContent, Watch};
use molehill_replay::image::{RgbaImage, clusters, compare};
use molehill_replay::{ReplayOptions, Replayer};
use serde::Serialize;

pub use crate::calls::RenderFace;
use crate::calls::renders;
use crate::capture::{Capture, CaptureEntry};
use crate::effects::Effects;
use crate::error::{InspectError, Result};
use crate::expected::FrameExpectation;
use crate::inspector::Inspector;
use crate::number::{ComponentNumber, numbers};
use crate::plan::ExactSurfaces;
use crate::renderers::{ReferencePlayer, context_id, read_pixel};
use crate::wrong::TOLERANCE;

/// The changes of a pixel. For the stage, the changes that led to a frame's image. For a texture, the changes in the
/// last frame that drew into it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PixelHistory {
    pub frame: u32,
    /// The position on the stage or in the texture, in pixels.
    pub at: (u32, u32),
    pub texture: Option<RenderFace>,
    /// The title of the context that covers the pixel or owns the texture. `None` if no context covers the pixel.
    pub context: Option<String>,
    /// The position in the back buffer or in the texture, in pixels.
    pub pixel: (u32, u32),
    /// The `present` call that displayed the pixel. `None` for a texture, or if no context covers the pixel.
    pub presented: Option<usize>,
    /// The changes since the previous `present` or, for a texture, since the start of the frame.
    pub events: Vec<PixelEvent>,
    /// The RGBA value in the frame's image, or in the texture at the frame's end.
    pub shown: [u8; 4],
    /// The colour in the expected image, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<[u8; 4]>,
}

impl PixelHistory {
    /// Adds the pixel's colour in an expected image of the stage.
    pub fn expect(&mut self, picture: &RgbaImage) {
        self.expected = picture.pixel(self.at.0, self.at.1);
    }

    /// Returns the last event after which the pixel has the expected colour.
    pub(crate) fn last_as_expected(&self) -> Option<&PixelEvent> {
        let is = |event: &&PixelEvent| {
            let expected = self.expected.iter().flatten().take(3);
            expected.clone().count() == 3 && event.after.iter().zip(expected).all(|(a, b)| a == b)
        };
        self.events.iter().rfind(is)
    }
}

/// A call that may change the pixel: a clear, a draw with fragments at the pixel, an upload, or `present`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PixelEvent {
    pub call: usize,
    pub pass: u32,
    pub name: &'static str,
    /// The RGBA value before the call. `None` if the old content is never read, because it is undefined after
    /// `present`.
    pub before: Option<[u8; 4]>,
    pub after: [u8; 4],
    pub fragments: Vec<FragmentReport>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FragmentReport {
    /// The 0-based index of the fragment among the draw's fragments at this pixel.
    pub fragment: usize,
    /// The 0-based index of the triangle in the draw, counted across instances.
    pub triangle: u32,
    pub indices: [u16; 3],
    pub instance: u32,
    /// True if the triangle is front-facing, which is clockwise on the screen.
    pub front: bool,
    /// `kept` if the fragment passed all tests, or the test that rejected the fragment: `scissor`, `stencil`, `depth`,
    /// `kil`, `culled`.
    pub outcome: &'static str,
    /// Bit masks of the covered MSAA samples, and of the samples that passed all tests. Bit n is sample n.
    pub samples: (u16, u16),
    /// The depth of the first covered sample. `None` if the fragment is culled or outside the scissor rectangle.
    pub depth: Option<f64>,
    /// The depth-buffer and stencil-buffer values before and after. `None` without a depth-stencil buffer.
    pub stored: Option<[(f64, u8); 2]>,
    pub colors: Vec<Option<[ComponentNumber; 4]>>,
    pub before: Vec<Option<[ComponentNumber; 4]>>,
    pub after: Vec<Option<[ComponentNumber; 4]>>,
    /// The blending of the first colour output, if the fragment passed all tests.
    pub blend: Option<BlendSum>,
}

/// A blend equation: the fragment's colour times a factor, plus the destination colour times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlendSum {
    pub source: [ComponentNumber; 4],
    pub source_factor: (&'static str, [ComponentNumber; 4]),
    pub destination: [ComponentNumber; 4],
    pub destination_factor: (&'static str, [ComponentNumber; 4]),
    /// The result of the blend equation, before it is converted to the render target's format.
    pub result: [ComponentNumber; 4],
    /// The colour write mask of red, green, blue and alpha.
    pub mask: [bool; 4],
}

impl BlendSum {
    fn of(raster: &Raster, fragment: &Fragment) -> Option<BlendSum> {
        let kept = fragment.outcome == Some(FragmentOutcome::Kept);
        let source = fragment.colors.first().copied().flatten().filter(|_| kept)?;
        let destination = fragment.before.0.first().copied().flatten()?;
        let factors = [raster.blend.0, raster.blend.1]
            .map(|factor| (factor.name(), factor_values(factor, source, destination)));
        let [(from, source_factor), (to, destination_factor)] = factors;
        let mut result = [0.0; 4];
        for (at, result) in result.iter_mut().enumerate() {
            let at = |values: [f32; 4]| values.get(at).copied().unwrap_or(0.0);
            *result = at(source) * at(source_factor) + at(destination) * at(destination_factor);
        }
        Some(BlendSum {
            source: numbers(source),
            source_factor: (from, numbers(source_factor)),
            destination: numbers(destination),
            destination_factor: (to, numbers(destination_factor)),
            result: numbers(result),
            mask: raster.color_mask,
        })
    }
}

fn factor_values(factor: BlendFactor, source: [f32; 4], destination: [f32; 4]) -> [f32; 4] {
    let rest = |values: [f32; 4]| values.map(|value| 1.0 - value);
    let alpha = |[.., alpha]: [f32; 4]| [alpha; 4];
    match factor {
        BlendFactor::Zero => [0.0; 4],
        BlendFactor::One => [1.0; 4],
        BlendFactor::SourceColor => source,
        BlendFactor::OneMinusSourceColor => rest(source),
        BlendFactor::SourceAlpha => alpha(source),
        BlendFactor::OneMinusSourceAlpha => rest(alpha(source)),
        BlendFactor::DestinationAlpha => alpha(destination),
        BlendFactor::OneMinusDestinationAlpha => rest(alpha(destination)),
        BlendFactor::DestinationColor => destination,
        BlendFactor::OneMinusDestinationColor => rest(destination),
    }
}

impl FragmentReport {
    /// Creates a report of a fragment. `raster` is the fixed-function state of the fragment's draw.
    pub(crate) fn new(number: usize, fragment: &Fragment, raster: Option<&Raster>) -> Self {
        let colors =
            |content: &PixelContent| content.0.iter().map(|color| color.map(numbers)).collect();
        let stored = fragment.before.1.zip(fragment.after.1);
        let [first, ..] = &fragment.vertices;
        let untested = matches!(
            fragment.outcome,
            Some(FragmentOutcome::Culled | FragmentOutcome::Scissor) | None
        );
        FragmentReport {
            fragment: number,
            triangle: fragment.triangle,
            indices: fragment.vertices.each_ref().map(|vertex| vertex.index),
            instance: first.instance,
            front: fragment.front,
            outcome: fragment.outcome.map_or("", FragmentOutcome::name),
            samples: fragment.samples,
            depth: (!untested).then_some(fragment.depth),
            stored: stored.map(|(a, b)| [a, b].map(|stored| (stored.depth, stored.stencil))),
            colors: fragment.colors.iter().map(|color| color.map(numbers)).collect(),
            before: colors(&fragment.before),
            after: colors(&fragment.after),
            blend: raster.and_then(|raster| BlendSum::of(raster, fragment)),
        }
    }
}

/// The render target or texture that stores the colour of an image's pixel.
pub(crate) struct PixelSource {
    pub(crate) context: usize,
    pub(crate) pixel: (u32, u32),
    /// The surface that calls draw into, and the id of its texture.
    target: (ReadSurface, Option<ObjectId>),
    /// The first and the last call that may have changed the pixel. For a back buffer, the last call is the `present`
    /// that displayed the pixel.
    calls: (usize, usize),
}

impl PixelSource {
    /// Returns a [`PixelSource`] for a pixel of a context's back buffer, with an empty range of calls.
    fn back_buffer(context: usize, pixel: (u32, u32)) -> PixelSource {
        PixelSource { context, pixel, target: (ReadSurface::BackBuffer, None), calls: (0, 0) }
    }

    /// Returns the surface that contains the pixel after a call.
    fn surface(&self, call: usize) -> ReadSurface {
        match self.target {
            (ReadSurface::BackBuffer, _) if call == self.calls.1 => ReadSurface::Front,
            (surface, _) => surface,
        }
    }

    /// Returns the surface's id in [`Effects`], or `None` for a texture that was never a render target.
    fn effects(&self, effects: &Effects) -> Option<crate::effects::SurfaceId> {
        match self.target.0 {
            ReadSurface::Texture { texture, side, .. } => {
                effects.levels((self.context, texture, side)).map(|[first, _]| first)
            }
            ReadSurface::BackBuffer | ReadSurface::Front => effects.color(self.context),
        }
    }

    fn read<F: BackendFactory>(
        &self,
        player: &mut Replayer<F>,
        surface: ReadSurface,
    ) -> Result<Option<[u8; 4]>> {
        Ok(read_pixel(player, self.context, surface, self.pixel)?)
    }

    fn is_drawn(&self, player: &ReferencePlayer, line: &CallLine) -> bool {
        renders(&line.call)
            && player.context_of(line.on) == Some(self.context)
            && player.targets(self.context).contains(&self.target.0)
    }
}

impl Inspector {
    /// Returns the history of a pixel in a frame's image: its changes between two `present` calls.
    pub fn pixel(&mut self, frame: u32, at: (u32, u32)) -> Result<PixelHistory> {
        let [red, green, blue] = self.capture().header().stage_color;
        let shown = [red, green, blue, 255];
        let mut history = PixelHistory { frame, at, pixel: at, shown, ..PixelHistory::default() };
        let Some(source) = self.source(frame, at)? else { return Ok(history) };
        self.follow(&source, &mut history)?;
        history.shown[3] = 255;
        history.presented = Some(source.calls.1);
        Ok(history)
    }

    /// Returns the history of a texture's pixel in the frame, or in the last earlier frame that drew into the texture.
    /// If no frame drew into the texture, the history has only the pixel's value.
    pub fn texture_pixel(
        &mut self,
        frame: u32,
        face: RenderFace,
        at: (u32, u32),
    ) -> Result<PixelHistory> {
        let capture = Arc::clone(self.capture());
        let end = capture.frame(frame)?.records.end;
        let mut player = self.at(end, ExactSurfaces::STATE)?.player;
        let Some(ReplayObject::Texture(context, texture)) = player.ids().get(face.texture) else {
            return Err(InspectError::NoTexture(face));
        };
        let (texture, side) = (texture.key(), face.side);
        let history = PixelHistory { frame, at, pixel: at, ..PixelHistory::default() };
        let mut history = PixelHistory { texture: Some(face), ..history };
        if let Some(desc) = player.texture_desc(context, texture) {
            if side >= desc.kind.faces() {
                return Err(InspectError::NoTexture(face));
            }
            let size = (desc.width, desc.height);
            if at.0 >= size.0 || at.1 >= size.1 {
                return Err(InspectError::NoPixel { at, size });
            }
        }
        let surface = ReadSurface::Texture { texture, side, level: 0 };
        let mut source = PixelSource {
            context,
            pixel: at,
            target: (surface, Some(face.texture)),
            calls: (0, 0),
        };
        let last = {
            let effects = &self.dry_run(end)?.effects;
            source.effects(effects).and_then(|surface| effects.last_change(end, surface))
        };
        let Some(last) = last else {
            player = self.at(end, ExactSurfaces::TEXTURES)?.player;
            history.shown = source.read(&mut player, surface)?.unwrap_or_default();
            history.context = self.context_title(&player, context);
            return Ok(history);
        };
        let mut frames = capture.frames().iter();
        let Some(span) = frames.find(|frame| frame.records.contains(&last)) else {
            return Ok(history);
        };
        let behind = |call: &usize| capture.record_index(*call).is_ok_and(|index| index <= last);
        let until = span.calls.clone().rev().find(behind);
        source.calls = (span.calls.start, until.unwrap_or(span.calls.start));
        self.follow(&source, &mut history)?;
        Ok(history)
    }

    /// Returns the pixel that differs most from the expected image, in the largest differing region of a frame. Errors:
    /// those of the replays, and [`InspectError::Unsupported`] if the images are equal.
    pub fn most_wrong_pixel(
        &mut self,
        frame: u32,
        expected: &mut FrameExpectation,
    ) -> Result<(u32, u32)> {
        let (is, should) = (self.screen(frame)?, expected.picture(frame)?);
        let compared = compare(&is, &should, TOLERANCE);
        if !compared.same_size() {
            return Err(compared.describe_sizes().into());
        }
        let first = clusters(&is, &should, TOLERANCE).first().map(|cluster| cluster.at);
        let text = format!(
            "no pixel of frame {frame} differs by more than {TOLERANCE}; select a pixel with \"at\""
        );
        first.ok_or_else(|| text.into())
    }

    fn context_title(&self, player: &ReferencePlayer, context: usize) -> Option<String> {
        context_id(player, context).map(|id| self.capture().title(id))
    }

    /// Executes the calls of a source, and lists the calls that change its pixel.
    fn follow(&mut self, source: &PixelSource, history: &mut PixelHistory) -> Result<()> {
        let capture = Arc::clone(self.capture());
        let (first, last) = source.calls;
        let (start, until) = (capture.record_index(first)?, capture.record_index(last)? + 1);
        let mut state = self.at(start, ExactSurfaces::STATE.and_following(until))?;
        let replaced = {
            let effects = &self.dry_run(until)?.effects;
            let surface = source.effects(effects);
            let first = surface.and_then(|surface| effects.first_use(start..usize::MAX, surface));
            first.filter(|(.., replaces)| *replaces).map(|(record, ..)| record)
        };
        let mut value = match replaced {
            Some(_) => None,
            None => Some(source.read(&mut state.player, source.target.0)?.unwrap_or_default()),
        };
        // A later draw may sample any part of a texture, so draws into textures can't be cropped to one pixel.
        let crop = source.target.1.is_none();
        let watch = Watch { pixel: Some(source.pixel), crop, ..Watch::default() };
        for call in first..=last {
            let (index, (_, line)) = (capture.record_index(call)?, capture.call(call)?);
            self.report_progress(call - first, last - first)?;
            let status = self.call_status(call)?;
            let drawn = status.succeeded() && source.is_drawn(&state.player, &line);
            let watch = drawn.then_some((source.context, watch));
            let raster = watch.and_then(|_| Some(state.player.bound(source.context)?.raster));
            let watched = self.execute_next(&mut state, index, watch)?;
            let uploaded = Some(line.on) == source.target.1;
            if !drawn && !uploaded && call != last {
                continue;
            }
            // Skips events before the call that replaces the colour, such as a clear of depth only.
            if replaced.is_some_and(|replaced| index < replaced) {
                continue;
            }
            let after = source.read(&mut state.player, source.surface(call))?.or(value);
            let fragments = watched.iter().flat_map(|watched| &watched.fragments).enumerate();
            let event = PixelEvent {
                call,
                pass: status.pass,
                name: line.call.name(),
                before: value,
                after: after.unwrap_or_default(),
                fragments: fragments
                    .map(|(at, f)| FragmentReport::new(at, f, raster.as_ref()))
                    .collect(),
            };
            let clears = drawn && matches!(line.call, Call::Clear { .. });
            if clears || !event.fragments.is_empty() || after != value {
                history.events.push(event);
            }
            value = after;
        }
        history.context = self.context_title(&state.player, source.context);
        history.pixel = source.pixel;
        history.shown = value.unwrap_or_default();
        Ok(())
    }

    /// Returns the source of a pixel in a frame's image, or `None` if no context covers the pixel.
    pub(crate) fn source(&mut self, frame: u32, at: (u32, u32)) -> Result<Option<PixelSource>> {
        let capture = Arc::clone(self.capture());
        let span = capture.frame(frame)?.clone();
        let size = (capture.header().stage_width, capture.header().stage_height);
        if at.0 >= size.0 || at.1 >= size.1 {
            return Err(InspectError::NoPixel { at, size });
        }
        let mut player = self.at(span.records.end, ExactSurfaces::STATE)?.player;
        let mut found = None;
        for shown in player.visible_contexts().into_iter().rev() {
            let relative = |at: u32, origin: i64| u32::try_from(i64::from(at) - origin).ok();
            let (Some(x), Some(y)) = (relative(at.0, shown.x), relative(at.1, shown.y)) else {
                continue;
            };
            let source = PixelSource::back_buffer(shown.context, (x, y));
            if source.read(&mut player, ReadSurface::Front)?.is_some() {
                found = Some(source);
                break;
            }
        }
        let Some(mut source) = found else { return Ok(None) };
        // `configureBackBuffer` discards the image, so the last call that ended an image must be the displayed
        // `present`.
        let dry_run = self.dry_run(span.records.end)?;
        let id = context_id(&player, source.context);
        let ends = id.map_or(&[][..], |id| dry_run.pictures_ended(id, span.calls.end));
        let Some(((last, _), earlier)) = ends.split_last() else { return Ok(None) };
        source.calls = (earlier.last().map_or(0, |(before, _)| *before) + 1, *last);
        Ok(Some(source))
    }
}

/// Returns the pixel's values on another renderer, after each event of its history.
pub fn values_on<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    history: &PixelHistory,
) -> Result<Vec<[u8; 4]>> {
    let Some(last) = history.events.last().map(|event| event.call) else { return Ok(Vec::new()) };
    let mut player = Replayer::new(capture.header(), factory, ReplayOptions::default());
    let (mut values, mut call) = (Vec::new(), 0);
    for record in capture.records(0..capture.record_index(last)? + 1) {
        let (number, entry) = record?;
        player.record(number, &entry)?;
        let CaptureEntry::Call(line) = entry else { continue };
        call += 1;
        let wanted = history.events.iter().any(|event| event.call == call);
        if wanted && let Some(context) = player.context_of(line.on) {
            let mut source = PixelSource::back_buffer(context, history.pixel);
            source.calls.1 = history.presented.unwrap_or(0);
            if let Some(face) = history.texture
                && let Some(ReplayObject::Texture(_, texture)) = player.ids().get(face.texture)
            {
                source.target.0 =
                    ReadSurface::Texture { texture: texture.key(), side: face.side, level: 0 };
            }
            let surface = source.surface(call);
            values.push(source.read(&mut player, surface)?.unwrap_or_default());
        }
    }
    Ok(values)
}
