//! The replay on OpenGL: at a frame's end, or at any call. Going back starts anew, as a capture has no other beginning, but
//! leaves out the draws that nobody sees any more: [`molehill_inspect::shortcut`].

use std::sync::Arc;
use std::time::Duration;

use backend_gl::GlBackend;
use context3d::backend::{Backend as _, BackendCaps, BackendError, BackendFactory, Layer};
use context3d::packets::Packet;
use molehill_inspect::Capture;
use molehill_inspect::capture::Entry;
use molehill_inspect::renderers::execute;
use molehill_inspect::shortcut::Shortcut;
use molehill_reference::skip::Skip;
use molehill_replay::image::Image;
use molehill_replay::{Options, ReplayError, Replayer};
use web_time::Instant;

use crate::gl::{Canvas, Gl, Register};

/// Backends of the window's device.
pub struct DeviceFactory(Gl);

impl BackendFactory for DeviceFactory {
    type Backend = Skipping;

    fn create(&mut self) -> Result<Skipping, BackendError> {
        Ok(Skipping {
            below: self.0.device().backend()?,
            skip: Skip::default(),
        })
    }
}

/// Leaves out what nobody sees.
pub struct Skipping {
    below: GlBackend,
    skip: Skip,
}

impl Layer for Skipping {
    type Below = GlBackend;

    fn capabilities(&self) -> &BackendCaps {
        self.below.caps()
    }

    fn below(&mut self) -> Result<&mut GlBackend, BackendError> {
        Ok(&mut self.below)
    }

    fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let skip = match &packet {
            Packet::Draw(_) => self.skip.draws,
            Packet::Clear(_) => self.skip.clears,
            Packet::GenerateMips { .. } => self.skip.mips,
            // A `present` costs nothing, and its two buffers have to change places.
            _ => false,
        };
        match skip {
            true => Ok(()),
            false => self.below.execute(packet),
        }
    }
}

/// Ways of so many records are not worth a question about what can be left out.
const NEAR: usize = 500;

/// Where a replay stands or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// At the end of a frame, by its place in the capture.
    Frame(usize),
    /// After a call.
    Call(usize),
}

/// The target of a call before and after it.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The call.
    pub call: usize,
    /// Nothing before the context draws.
    pub before: Option<Arc<Image>>,
    /// Nothing if the call shows nothing.
    pub after: Option<Arc<Image>>,
    /// Where the stage shows the context's pictures: of a target that is a texture there is no such place.
    pub origin: (i64, i64),
}

/// Replays one capture.
pub struct Player {
    gl: Gl,
    capture: Arc<Capture>,
    replayer: Replayer<DeviceFactory>,
    /// Executed records.
    done: usize,
    goal: Position,
    /// What is left out up to its end.
    way: Option<Arc<Shortcut>>,
    /// What is shown: the goal was reached, and its pictures were taken.
    arrived: bool,
    stage: Canvas,
    shot: Option<Shot>,
    screen: Option<Arc<Image>>,
    failure: Option<String>,
}

impl Player {
    /// Nothing is replayed yet.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(
        gl: &Gl,
        capture: Arc<Capture>,
        register: Register<'_>,
    ) -> Result<Player, BackendError> {
        let header = capture.header();
        gl.begin();
        let stage = Canvas::new(gl, (header.stage_width, header.stage_height), register)?;
        stage.fill(header.stage_color, whole(stage.size()));
        gl.end()?;
        Ok(Player {
            replayer: Replayer::new(header, DeviceFactory(gl.clone()), Options::default()),
            gl: gl.clone(),
            capture,
            done: 0,
            goal: Position::Frame(0),
            way: None,
            arrived: false,
            stage,
            shot: None,
            screen: None,
            failure: None,
        })
    }

    /// Where it stands or goes.
    pub fn goal(&self) -> Position {
        self.goal
    }

    /// Whether it is there.
    pub fn arrived(&self) -> bool {
        self.arrived
    }

    /// Why the replay ended.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The share of the way to the goal, for a bar.
    pub fn fraction(&self) -> f32 {
        let goal = self.records(self.goal).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a share, for a bar")]
        let share = self.done as f32 / goal as f32;
        share.min(1.0)
    }

    /// The stage as it was at the last frame's end that was reached.
    pub fn stage(&self) -> &Canvas {
        &self.stage
    }

    /// The same in memory, once it stands there.
    pub fn screen(&self) -> Option<&Arc<Image>> {
        self.screen.as_ref()
    }

    /// The target of the call that it stands at.
    pub fn shot(&self) -> Option<&Shot> {
        self.shot.as_ref()
    }

    /// Goes somewhere, during the next calls of [`Player::advance`].
    pub fn seek(&mut self, goal: Position) {
        if goal == self.goal {
            return;
        }
        self.goal = goal;
        self.arrived = false;
        let start = self.start();
        let done = self.done;
        self.way.take_if(|way| way.end() <= done);
        if self.done > start || self.way.as_ref().is_some_and(|way| way.end() > start) {
            let factory = DeviceFactory(self.gl.clone());
            self.replayer = Replayer::new(self.capture.header(), factory, Options::default());
            self.done = 0;
            self.way = None;
            self.failure = None;
        }
    }

    /// Number of records from which on everything is executed for the goal.
    fn start(&self) -> usize {
        let records = self.records(self.goal);
        match self.goal {
            Position::Frame(_) => records,
            // From before the call, for both pictures.
            Position::Call(_) => records.saturating_sub(1),
        }
    }

    /// The end of the shortcut that it can use.
    pub fn wants_shortcut(&self) -> Option<usize> {
        let start = self.start();
        let far = start.saturating_sub(self.done) > NEAR;
        (far && self.way.is_none() && self.failure.is_none()).then_some(start)
    }

    /// Leaves out what a shortcut to where it goes says.
    pub fn take_shortcut(&mut self, shortcut: &Arc<Shortcut>) {
        if self.wants_shortcut() == Some(shortcut.end()) {
            self.way = Some(Arc::clone(shortcut));
        }
    }

    /// Number of records that are executed at a position.
    fn records(&self, position: Position) -> usize {
        match position {
            Position::Frame(place) => {
                let frame = self.capture.frames().get(place);
                frame.map_or(0, |frame| frame.records.end)
            }
            Position::Call(call) => self.capture.place(call).map_or(0, |place| place + 1),
        }
    }

    /// Goes on for some time. `ended` hears of the end of each frame on the way, by its place, with the replay.
    pub fn advance(
        &mut self,
        time: Duration,
        keep: bool,
        ended: &mut dyn FnMut(&mut Player, usize),
    ) {
        if self.arrived || self.failure.is_some() {
            return;
        }
        self.gl.begin();
        let outcome = self.go(Instant::now() + time, keep, ended);
        let rest = self.gl.end().map_err(|error| error.to_string());
        if let Err(error) = outcome.and(rest) {
            self.failure = Some(error);
        }
    }

    fn go(
        &mut self,
        until: Instant,
        keep: bool,
        ended: &mut dyn FnMut(&mut Player, usize),
    ) -> Result<(), String> {
        let goal = self.records(self.goal);
        while self.done < goal {
            if let Position::Call(call) = self.goal
                && self.done + 1 == goal
            {
                let before = self.target(call, false)?;
                self.shot = Some(Shot {
                    call,
                    before,
                    after: None,
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
            Position::Call(call) => {
                let after = self.target(call, true)?;
                if let Some(shot) = &mut self.shot {
                    shot.after = after;
                }
            }
            Position::Frame(_) => {
                self.shot = None;
                self.show().map_err(|error| error.to_string())?;
                self.screen = match keep {
                    true => Some(Arc::new(self.replayer.screen(0).map_err(text)?)),
                    false => None,
                };
            }
        }
        Ok(())
    }

    /// Takes the stage's picture into memory, if that was left out on the way.
    pub fn keep_screen(&mut self) {
        if self.screen.is_some() || !self.arrived || !matches!(self.goal, Position::Frame(_)) {
            return;
        }
        self.gl.begin();
        match self.replayer.screen(0) {
            Ok(screen) => self.screen = Some(Arc::new(screen)),
            Err(error) => self.failure = Some(error.to_string()),
        }
        if let Err(error) = self.gl.end() {
            self.failure = Some(error.to_string());
        }
    }

    /// Executes a record; the place of a frame that it ends.
    fn step(&mut self) -> Result<Option<usize>, String> {
        let capture = Arc::clone(&self.capture);
        let record = capture
            .record(self.done)
            .map_err(|error| error.to_string())?;
        let Some((line, record)) = record else {
            return Ok(None);
        };
        let way = self.way.as_ref().filter(|way| self.done < way.end());
        let skip = way.map(|way| way.skip(self.done));
        self.done += 1;
        self.skip(&record, skip.unwrap_or_default());
        execute(&mut self.replayer, line, &record).map_err(text)?;
        if skip.is_some() {
            self.skip(&record, Skip::default());
            return Ok(None);
        }
        let frames = capture.frames();
        let after = frames.partition_point(|frame| frame.records.end < self.done);
        let ends = frames
            .get(after)
            .is_some_and(|frame| frame.records.end == self.done);
        Ok(ends.then_some(after))
    }

    fn skip(&mut self, record: &Entry, skip: Skip) {
        if let Entry::Call(line) = record
            && let Some(context) = self.replayer.context_of(line.on)
            && let Some(backend) = self.replayer.backend_mut(context)
        {
            backend.skip = skip;
        }
    }

    /// What a call's context draws into now; after `present`, what it shows.
    fn target(&mut self, call: usize, after: bool) -> Result<Option<Arc<Image>>, String> {
        let capture = Arc::clone(&self.capture);
        let (line, call) = capture.call(call).map_err(|error| error.to_string())?;
        let Some(context) = self.replayer.context_of(call.on) else {
            return Ok(None);
        };
        let presents = matches!(call.call, molehill_capture::Call::Present {});
        let image = match presents && after {
            true => self
                .replayer
                .surface(line, context, context3d::backend::Surface::Front),
            false => self.replayer.target(line, context),
        };
        Ok(image.map_err(text)?.map(Arc::new))
    }

    fn origin(&self, call: usize) -> (i64, i64) {
        let on = self.capture.call(call).ok().map(|(_, line)| line.on);
        let context = on.and_then(|on| self.replayer.context_of(on));
        let mut shown = self.replayer.shown().into_iter();
        let shown = shown.find(|shown| Some(shown.context) == context);
        shown.map_or((0, 0), |shown| (shown.x, shown.y))
    }

    /// Composes the stage in its texture.
    fn show(&mut self) -> Result<(), BackendError> {
        let size = self.stage.size();
        self.stage
            .fill(self.capture.header().stage_color, whole(size));
        compose(&mut self.replayer, &self.stage, (0, 0), (size, size))?;
        self.stage.finish(whole(size));
        Ok(())
    }

    /// Puts the stage into a part of another texture, in a size of its own.
    ///
    /// # Errors
    /// The driver's.
    pub fn thumbnail(
        &mut self,
        canvas: &Canvas,
        at: (i32, i32),
        size: (u32, u32),
    ) -> Result<(), BackendError> {
        let header = self.capture.header();
        let part = (at.0, at.1, size.0.cast_signed(), size.1.cast_signed());
        canvas.fill(header.stage_color, part);
        let full = (header.stage_width, header.stage_height);
        compose(&mut self.replayer, canvas, at, (size, full))?;
        canvas.finish(part);
        Ok(())
    }
}

/// Puts all that the stage shows into a texture, in a size for the size of the stage.
fn compose(
    replayer: &mut Replayer<DeviceFactory>,
    canvas: &Canvas,
    (left, top): (i32, i32),
    (size, full): ((u32, u32), (u32, u32)),
) -> Result<(), BackendError> {
    let scaled = |length: i64, (to, of): (u32, u32)| {
        let length = length.saturating_mul(i64::from(to)) / i64::from(of.max(1));
        i32::try_from(length).unwrap_or(i32::MAX)
    };
    let (across, down) = ((size.0, full.0), (size.1, full.1));
    for shown in replayer.shown() {
        let Some(Skipping { below: backend, .. }) = replayer.backend_mut(shown.context) else {
            continue;
        };
        let Some(front) = backend.front() else {
            continue;
        };
        let at = (
            left.saturating_add(scaled(shown.x, across)),
            top.saturating_add(scaled(shown.y, down)),
        );
        let part = (
            scaled(i64::from(front.width), across).unsigned_abs(),
            scaled(i64::from(front.height), down).unsigned_abs(),
        );
        if part.0 > 0 && part.1 > 0 {
            canvas.put(backend, at, part, size != full)?;
        }
    }
    Ok(())
}

fn whole((width, height): (u32, u32)) -> (i32, i32, i32, i32) {
    (0, 0, width.cast_signed(), height.cast_signed())
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn text(error: ReplayError) -> String {
    error.to_string()
}
