//! Replays a capture to the end of a frame or to any call. Seeking backwards restarts the replay, but skips draws whose
//! results are never read: [`molehill_analysis::Shortcut`].

use std::sync::Arc;
use std::time::Duration;

use context3d::backend::{Backend, BackendError, BackendFactory};
use context3d::packets::{Clear, Packet};
use context3d_layers::EnhancedBackend;
use molehill_analysis::Capture;
use molehill_analysis::Shortcut;
use molehill_analysis::capture::CaptureEntry;
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::renderers::target_face;
use molehill_reference::skip::Skip;
use molehill_replay::image::{MAX_SIDE, RgbaImage};
use molehill_replay::{ReplayOptions, Replayer};
use web_time::Instant;

use crate::gl::{CanvasBackend, CanvasRegister, CanvasTexture, EguiGl};

type PlayerFailure = Box<dyn std::error::Error>;

/// The image of a render target, and its texture face.
type TargetFace = (Option<Arc<RgbaImage>>, Option<RenderFace>);

pub(crate) struct DeviceFactory(EguiGl);

impl BackendFactory for DeviceFactory {
    type Backend = SkippingBackend;

    fn create(&mut self) -> Result<SkippingBackend, BackendError> {
        let below = self.0.sharpness.over(self.0.backend()?);
        Ok(SkippingBackend { below, skip: Skip::default() })
    }
}

/// A backend layer that skips the packets selected by its [`Skip`].
pub(crate) struct SkippingBackend {
    below: EnhancedBackend<Box<dyn CanvasBackend>>,
    skip: Skip,
}

impl Backend for SkippingBackend {
    context3d::forward_backend!(self => self.below; caps read_region read_texels);

    fn execute(&mut self, mut packet: Packet<'_>) -> Result<(), BackendError> {
        if let (Packet::BeginPass(pass), true) = (&mut packet, self.skip.clears) {
            pass.clear = Clear::default();
        }
        let skip = match &packet {
            Packet::Draw(_) => self.skip.draws,
            Packet::GenerateMips { .. } => self.skip.mips,
            // `present` is never skipped: it is cheap, and must swap its two buffers.
            _ => false,
        };
        if skip { Ok(()) } else { self.below.execute(packet) }
    }
}

/// Maximum distance to the seek target, in records, for which no [`Shortcut`] (packets to skip) is requested.
const SHORTCUT_RECORDS: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayPosition {
    /// The end of the frame with this 0-based index in the capture.
    Frame(usize),
    /// The state after the call with this number.
    Call(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct CallPictures {
    pub(crate) call: usize,
    /// The render target before the call. `None` if the call's context has no render target yet.
    pub(crate) before: Option<Arc<RgbaImage>>,
    /// The render target after the call. `None` if the call isn't replayed yet, or its context has no render target.
    pub(crate) after: Option<Arc<RgbaImage>>,
    /// The texture faces of `before` and `after`. `None` for the back buffer.
    pub(crate) textures: [Option<RenderFace>; 2],
    /// Position of the context's back buffer on the stage, in pixels, or unused if the render target is a texture.
    pub(crate) origin: (i64, i64),
}

pub(crate) struct InspectorPlayer {
    gl: EguiGl,
    capture: Arc<Capture>,
    replayer: Replayer<DeviceFactory>,
    done: usize,
    goal: PlayPosition,
    shortcut: Option<Arc<Shortcut>>,
    pub(crate) arrived: bool,
    /// The composed stage of the last frame that the replay reached.
    pub(crate) stage: CanvasTexture,
    /// The images of the last replayed call. `None` if the replay is at the end of a frame.
    call_pictures: Option<CallPictures>,
    /// The stage in CPU memory, if it was read back.
    screen: Option<Arc<RgbaImage>>,
    pub(crate) failure: Option<String>,
}

impl InspectorPlayer {
    /// Creates a player at the beginning of a capture. [`InspectorPlayer::advance`] executes the replay.
    pub(crate) fn new(
        gl: &EguiGl,
        capture: Arc<Capture>,
        register: CanvasRegister<'_>,
    ) -> Result<InspectorPlayer, BackendError> {
        let header = capture.header();
        gl.begin();
        let scale = u32::from(gl.sharpness.options.scale);
        let size = [header.stage_width, header.stage_height].map(|side| match side * scale {
            larger if larger <= MAX_SIDE => larger,
            _ => side,
        });
        let stage = CanvasTexture::new(gl, (size[0], size[1]), register)?;
        stage.fill(header.stage_color, whole(stage.size));
        gl.end()?;
        Ok(InspectorPlayer {
            replayer: Replayer::new(header, DeviceFactory(gl.clone()), ReplayOptions::default()),
            gl: gl.clone(),
            capture,
            done: 0,
            goal: PlayPosition::Frame(0),
            shortcut: None,
            arrived: false,
            stage,
            call_pictures: None,
            screen: None,
            failure: None,
        })
    }

    /// Returns the size of the stage in stage pixels. The canvas may have a higher resolution.
    pub(crate) fn stage_size(&self) -> (u32, u32) {
        let header = self.capture.header();
        (header.stage_width, header.stage_height)
    }

    /// Returns whether the replay is still on the way to its seek target.
    pub(crate) fn replays(&self) -> bool {
        !self.arrived && self.failure.is_none()
    }

    /// Returns the progress to the seek target, from 0 to 1.
    pub(crate) fn fraction(&self) -> f32 {
        let goal = self.records(self.goal).max(1);
        let share = self.done as f32 / goal as f32;
        share.min(1.0)
    }

    /// Returns the stage in CPU memory, or `None` if it has not been read back.
    pub(crate) fn screen(&self) -> Option<&Arc<RgbaImage>> {
        let there = self.arrived && matches!(self.goal, PlayPosition::Frame(_));
        self.screen.as_ref().filter(|_| there)
    }

    pub(crate) fn pictures_of(&self, call: usize) -> Option<&CallPictures> {
        self.call_pictures.as_ref().filter(|pictures| pictures.call == call)
    }

    /// Sets the seek target for later calls of [`InspectorPlayer::advance`]. Restarts the replay to seek backwards.
    pub(crate) fn seek(&mut self, goal: PlayPosition) {
        if goal == self.goal {
            return;
        }
        self.goal = goal;
        self.arrived = false;
        let start = self.start();
        let done = self.done;
        self.shortcut.take_if(|shortcut| shortcut.end <= done);
        if self.done > start || self.shortcut.as_ref().is_some_and(|shortcut| shortcut.end > start)
        {
            let factory = DeviceFactory(self.gl.clone());
            self.replayer = Replayer::new(self.capture.header(), factory, ReplayOptions::default());
            self.done = 0;
            self.shortcut = None;
            self.failure = None;
        }
    }

    /// Returns the number of records after which the replay must not skip packets.
    fn start(&self) -> usize {
        let records = self.records(self.goal);
        match self.goal {
            PlayPosition::Frame(_) => records,
            // The image before the call must be complete, so the replay stops skipping packets one record earlier.
            PlayPosition::Call(_) => records.saturating_sub(1),
        }
    }

    /// Returns the record index at which a [`Shortcut`] should end, or `None` if the replay needs no shortcut.
    pub(crate) fn wants_shortcut(&self) -> Option<usize> {
        let start = self.start();
        let far = start.saturating_sub(self.done) > SHORTCUT_RECORDS;
        (far && self.shortcut.is_none() && self.failure.is_none()).then_some(start)
    }

    /// Starts skipping the packets of a [`Shortcut`], if [`InspectorPlayer::wants_shortcut`] requested this shortcut.
    pub(crate) fn take_shortcut(&mut self, shortcut: &Arc<Shortcut>) {
        if self.wants_shortcut() == Some(shortcut.end) {
            self.shortcut = Some(Arc::clone(shortcut));
        }
    }

    fn records(&self, position: PlayPosition) -> usize {
        match position {
            PlayPosition::Frame(index) => {
                let frame = self.capture.frames().get(index);
                frame.map_or(0, |frame| frame.records.end)
            }
            PlayPosition::Call(call) => {
                self.capture.record_index(call).map_or(0, |index| index + 1)
            }
        }
    }

    /// Replays towards the seek target for about `time`. If `keep`, reads the stage back at the end of each frame.
    /// Calls `ended` with the index of each frame that ends, unless a [`Shortcut`] skips packets of the frame.
    pub(crate) fn advance(
        &mut self,
        time: Duration,
        keep: bool,
        ended: &mut dyn FnMut(&mut InspectorPlayer, usize),
    ) {
        if self.replays() {
            self.draw(|player| player.replay_until(Instant::now() + time, keep, ended));
        }
    }

    fn draw(&mut self, work: impl FnOnce(&mut InspectorPlayer) -> Result<(), PlayerFailure>) {
        self.gl.begin();
        let outcome = work(self);
        let rest = self.gl.end().map_err(PlayerFailure::from);
        if let Err(error) = outcome.and(rest) {
            self.failure = Some(error.to_string());
        }
    }

    fn replay_until(
        &mut self,
        until: Instant,
        keep: bool,
        ended: &mut dyn FnMut(&mut InspectorPlayer, usize),
    ) -> Result<(), PlayerFailure> {
        let goal = self.records(self.goal);
        while self.done < goal {
            if let PlayPosition::Call(call) = self.goal
                && self.done + 1 == goal
            {
                let (before, texture) = self.target(call, false)?;
                self.call_pictures = Some(CallPictures {
                    call,
                    before,
                    after: None,
                    textures: [texture; 2],
                    origin: self.origin(call),
                });
            }
            if let Some(frame) = self.step()? {
                ended(self, frame);
            }
            if Instant::now() >= until {
                break;
            }
        }
        if self.done < goal {
            return Ok(());
        }
        self.arrived = true;
        log::debug!("at {:?}", self.goal);
        match self.goal {
            PlayPosition::Call(call) => {
                let (after, texture) = self.target(call, true)?;
                if let Some(call_pictures) = &mut self.call_pictures {
                    call_pictures.after = after;
                    call_pictures.textures[1] = texture;
                }
            }
            PlayPosition::Frame(_) => {
                self.call_pictures = None;
                self.compose(None)?;
                self.stage.finish(whole(self.stage.size));
                self.screen = keep.then(|| self.replayer.screen(0)).transpose()?.map(Arc::new);
            }
        }
        Ok(())
    }

    /// Reads the stage back, if [`InspectorPlayer::advance`] reached the end of a frame without reading it.
    pub(crate) fn read_screen(&mut self) {
        if self.screen.is_none() && self.arrived && matches!(self.goal, PlayPosition::Frame(_)) {
            self.draw(|player| {
                player.screen = Some(Arc::new(player.replayer.screen(0)?));
                Ok(())
            });
        }
    }

    /// Executes the next record. Returns the index of the frame that the record ends, if any.
    fn step(&mut self) -> Result<Option<usize>, PlayerFailure> {
        let capture = Arc::clone(&self.capture);
        let Some((line, record)) = capture.record(self.done)? else { return Ok(None) };
        let shortcut = self.shortcut.as_ref().filter(|shortcut| self.done < shortcut.end);
        let skip = shortcut.map(|shortcut| shortcut.skip(self.done));
        self.done += 1;
        self.skip(&record, skip.unwrap_or_default());
        self.replayer.record(line, &record)?;
        if skip.is_some() {
            self.skip(&record, Skip::default());
            return Ok(None);
        }
        let frames = capture.frames();
        let after = frames.partition_point(|frame| frame.records.end < self.done);
        let ends = frames.get(after).is_some_and(|frame| frame.records.end == self.done);
        Ok(ends.then_some(after))
    }

    fn skip(&mut self, record: &CaptureEntry, skip: Skip) {
        if let CaptureEntry::Call(line) = record
            && let Some(context) = self.replayer.context_of(line.on)
            && let Some(backend) = self.replayer.backend_mut(context)
        {
            backend.skip = skip;
        }
    }

    /// Returns the render target of a call's context and its texture face. If `after` a `present`, returns the front
    /// buffer.
    fn target(&mut self, call: usize, after: bool) -> Result<TargetFace, PlayerFailure> {
        let capture = Arc::clone(&self.capture);
        let (line, call) = capture.call(call)?;
        let Some(context) = self.replayer.context_of(call.on) else { return Ok((None, None)) };
        let presents = matches!(call.call, molehill_capture::Call::Present {});
        let image = if presents && after {
            self.replayer.surface(line, context, context3d::backend::ReadSurface::Front)
        } else {
            self.replayer.target(line, context)
        };
        let texture = target_face(&self.replayer, context);
        Ok((image?.map(Arc::new), texture))
    }

    fn origin(&self, call: usize) -> (i64, i64) {
        let on = self.capture.call(call).ok().map(|(_, line)| line.on);
        let context = on.and_then(|on| self.replayer.context_of(on));
        let mut shown = self.replayer.visible_contexts().into_iter();
        let shown = shown.find(|shown| Some(shown.context) == context);
        shown.map_or((0, 0), |shown| (shown.x, shown.y))
    }

    /// Draws the front buffers of all contexts on the player's canvas, or on `canvas` if one is given.
    pub(crate) fn compose(&mut self, canvas: Option<&CanvasTexture>) -> Result<(), BackendError> {
        let (full, canvas) = (self.stage_size(), canvas.unwrap_or(&self.stage));
        canvas.fill(self.capture.header().stage_color, whole(canvas.size));
        let scaled = |length: i64, (to, of): (u32, u32)| {
            let length = length.saturating_mul(i64::from(to)) / i64::from(of.max(1));
            i32::try_from(length).unwrap_or(i32::MAX)
        };
        let (across, down) = ((canvas.size.0, full.0), (canvas.size.1, full.1));
        for shown in self.replayer.visible_contexts() {
            let Some(backend) = self.replayer.backend_mut(shown.context) else { continue };
            let backend = backend.below.below_mut();
            let Some(front) = backend.front_size() else { continue };
            let at = (scaled(shown.x, across), scaled(shown.y, down));
            let part = (
                scaled(i64::from(shown.size.0), across).unsigned_abs(),
                scaled(i64::from(shown.size.1), down).unsigned_abs(),
            );
            if part.0 > 0 && part.1 > 0 {
                backend.put(canvas, at, part, part != front)?;
            }
        }
        Ok(())
    }

    /// Reads back the current stage. Returns `None` if reading fails.
    pub(crate) fn read_stage(&mut self) -> Option<RgbaImage> {
        self.replayer.screen(0).ok()
    }
}

fn whole((width, height): (u32, u32)) -> (i32, i32, i32, i32) {
    (0, 0, width.cast_signed(), height.cast_signed())
}
