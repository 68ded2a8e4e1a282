//! The history of a pixel.

use std::sync::Arc;

use context3d::backend::{Backend, BackendFactory, Region, Surface};
use molehill_capture::{Call, CallLine};
use molehill_reference::watch::{Content, Fragment, Outcome, Watch};
use molehill_replay::{Options, Replayer};
use serde::Serialize;

use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::inspector::{Inspector, Player};
use crate::marks::is_draw;
use crate::number::{Number, numbers};
use crate::plan::Want;
use crate::renderers::execute;

/// Everything that happened to a pixel of the stage on its way to a frame's picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PixelHistory {
    /// The frame.
    pub frame: u32,
    /// The pixel of the stage.
    pub at: (u32, u32),
    /// The context whose picture is seen there; `None` where the stage's colour is.
    pub context: Option<String>,
    /// The pixel of its back buffer.
    pub pixel: (u32, u32),
    /// The `present` that showed it.
    pub presented: Option<usize>,
    /// What touched it since the `present` before.
    pub events: Vec<PixelEvent>,
    /// Red, green, blue and alpha in the frame's picture.
    pub shown: [u8; 4],
}

/// A clear, or a draw with at least one triangle over the pixel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PixelEvent {
    /// The call.
    pub call: usize,
    /// Its pass in its frame.
    pub pass: u32,
    /// The call's name.
    pub name: &'static str,
    /// Red, green, blue and alpha before; zeros if that is what a `present` has left, which is undefined, and a clear
    /// replaces.
    pub before: [u8; 4],
    /// And after.
    pub after: [u8; 4],
    /// Of a draw, in its order.
    pub fragments: Vec<FragmentReport>,
}

/// A fragment of the pixel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FragmentReport {
    /// From 0 among those of its draw.
    pub fragment: usize,
    /// Number of its triangle in the draw, from 0.
    pub triangle: u32,
    /// The triangle's indices.
    pub indices: [u16; 3],
    /// Its instance.
    pub instance: u32,
    /// Clockwise on the screen.
    pub front: bool,
    /// `kept`, or why it was thrown away: `scissor`, `stencil`, `depth`, `kil`, `culled`.
    pub outcome: &'static str,
    /// Covered samples and samples that passed: a bit each.
    pub samples: (u16, u16),
    /// Its depth.
    pub depth: f64,
    /// Depth and stencil that were stored before, and after.
    pub stored: Option<[(f64, u8); 2]>,
    /// The program's colours, by output.
    pub colors: Vec<Option<[Number; 4]>>,
    /// The pixel's colour before, by output.
    pub before: Vec<Option<[Number; 4]>>,
    /// And after.
    pub after: Vec<Option<[Number; 4]>>,
}

impl FragmentReport {
    pub(crate) fn new(number: usize, fragment: &Fragment) -> FragmentReport {
        let colors = |content: &Content| content.0.iter().map(|color| color.map(numbers)).collect();
        let stored = fragment.before.1.zip(fragment.after.1);
        let [first, ..] = &fragment.vertices;
        FragmentReport {
            fragment: number,
            triangle: fragment.triangle,
            indices: fragment.vertices.each_ref().map(|vertex| vertex.index),
            instance: first.instance,
            front: fragment.front,
            outcome: fragment.outcome.map_or("", Outcome::name),
            samples: fragment.samples,
            depth: fragment.depth,
            stored: stored.map(|(before, after)| {
                [before, after].map(|stored| (stored.depth, stored.stencil))
            }),
            colors: fragment
                .colors
                .iter()
                .map(|color| color.map(numbers))
                .collect(),
            before: colors(&fragment.before),
            after: colors(&fragment.after),
        }
    }
}

/// Where a pixel of the stage comes from.
pub(crate) struct Source {
    pub(crate) context: usize,
    /// In its back buffer.
    pub(crate) pixel: (u32, u32),
    /// The first call that can have touched it, and the `present` that showed it.
    pub(crate) calls: (usize, usize),
}

impl Inspector {
    /// The history of a pixel of a frame's picture: what touched it between two `present`s.
    ///
    /// # Errors
    /// [`InspectError::NoFrame`], [`InspectError::NoPixel`], and those of the replay.
    pub fn pixel(&mut self, frame: u32, at: (u32, u32)) -> Result<PixelHistory, InspectError> {
        let capture = Arc::clone(self.capture());
        let [red, green, blue] = capture.header().stage_color;
        let mut history = PixelHistory {
            frame,
            at,
            context: None,
            pixel: at,
            presented: None,
            events: Vec::new(),
            shown: [red, green, blue, 255],
        };
        let Some(source) = self.source(frame, at)? else {
            return Ok(history);
        };
        let (first, last) = source.calls;
        let until = capture.place(last)? + 1;
        let mut player = self.before(first, Want::STATE.and_following(until))?;
        let start = capture.place(first)?;
        let anew = self.marks(until)?.effects.begin_anew(start, source.context);
        let mut value = match anew {
            Some(_) => [0; 4],
            None => read(&mut player, &source, Surface::BackBuffer)?.unwrap_or_default(),
        };
        for call in first..=last {
            let (number, line) = capture.call(call)?;
            self.tell(call - first, last - first)?;
            let mark = self.mark(call)?;
            let touches = mark.done() && self.touches(&player, &source, &line);
            if let (true, Some(backend)) = (touches, player.backend_mut(source.context)) {
                backend.watch(Some(Watch {
                    pixel: Some(source.pixel),
                    crop: true,
                    ..Watch::default()
                }));
            }
            execute(&mut player, number, &Entry::Call(Arc::clone(&line)))?;
            if !touches && call != last {
                continue;
            }
            let backend = player.backend_mut(source.context);
            let watched = backend.and_then(|backend| {
                let watched = backend.take_watched();
                backend.watch(None);
                watched
            });
            let surface = if call == last {
                Surface::Front
            } else {
                Surface::BackBuffer
            };
            let after = match anew.is_some_and(|anew| capture.place(call).is_ok_and(|at| at < anew))
            {
                true => value,
                false => read(&mut player, &source, surface)?.unwrap_or(value),
            };
            let fragments = watched.map_or(Vec::new(), |watched| watched.fragments);
            let fragments = fragments.iter().enumerate();
            let event = PixelEvent {
                call,
                pass: mark.pass,
                name: line.call.name(),
                before: value,
                after,
                fragments: fragments
                    .map(|(number, f)| FragmentReport::new(number, f))
                    .collect(),
            };
            let clears = matches!(line.call, Call::Clear { .. });
            if clears || !event.fragments.is_empty() || after != value {
                history.events.push(event);
            }
            value = after;
        }
        let id = crate::state::context_id(&player, source.context);
        history.context = id.map(|id| capture.title(id));
        history.pixel = source.pixel;
        history.presented = Some(last);
        let [red, green, blue, _] = value;
        history.shown = [red, green, blue, 255];
        Ok(history)
    }

    /// Whether a call draws into a context's back buffer.
    fn touches(&self, player: &Player, source: &Source, line: &CallLine) -> bool {
        (is_draw(&line.call) || matches!(line.call, Call::Clear { .. }))
            && player.context_of(line.on) == Some(source.context)
            && player.targets(source.context) == [Surface::BackBuffer]
    }

    /// Where a pixel of a frame's picture comes from; `None` if it is the stage's.
    pub(crate) fn source(
        &mut self,
        frame: u32,
        at: (u32, u32),
    ) -> Result<Option<Source>, InspectError> {
        let capture = Arc::clone(self.capture());
        let span = capture.frame(frame)?.clone();
        let size = (capture.header().stage_width, capture.header().stage_height);
        if at.0 >= size.0 || at.1 >= size.1 {
            return Err(InspectError::NoPixel { at, size });
        }
        let mut player = self.at(span.records.end, Want::STATE)?.player;
        let mut found = None;
        for shown in player.shown().into_iter().rev() {
            let place = |at: u32, origin: i64| u32::try_from(i64::from(at) - origin).ok();
            let (Some(x), Some(y)) = (place(at.0, shown.x), place(at.1, shown.y)) else {
                continue;
            };
            let source = Source {
                context: shown.context,
                pixel: (x, y),
                calls: (0, 0),
            };
            if read(&mut player, &source, Surface::Front)?.is_some() {
                found = Some(source);
                break;
            }
        }
        let Some(mut source) = found else {
            return Ok(None);
        };
        // A reconfigured back buffer has no picture to show, so that the last `present` is what is seen.
        let mut ends = Vec::new();
        for call in (1..span.calls.end).rev() {
            let (_, line) = capture.call(call)?;
            let ends_one = matches!(
                line.call,
                Call::Present {} | Call::ConfigureBackBuffer { .. }
            ) && player.context_of(line.on) == Some(source.context);
            if ends_one && self.mark(call)?.done() {
                ends.push(call);
            }
            if ends.len() == 2 {
                break;
            }
        }
        let before = ends.get(1).copied().unwrap_or(0);
        let last = ends.first().copied();
        source.calls = (before + 1, last.unwrap_or(before + 1));
        Ok(last.map(|_| source))
    }
}

/// One pixel of a surface; `None` if it isn't there.
fn read<F: BackendFactory>(
    player: &mut Replayer<F>,
    source: &Source,
    surface: Surface,
) -> Result<Option<[u8; 4]>, InspectError> {
    let Some(backend) = player.backend_mut(source.context) else {
        return Ok(None);
    };
    let (x, y) = source.pixel;
    let region = Region {
        x,
        y,
        width: 1,
        height: 1,
    };
    let mut rgba = Vec::new();
    let size = backend.read_region(surface, region, &mut rgba);
    let size = size.map_err(|error| molehill_replay::ReplayError::Device {
        line: 0,
        call: "reading a pixel",
        error,
    })?;
    Ok(rgba.first_chunk().copied().filter(|_| size == (1, 1)))
}

/// What another renderer has at the pixel after each event of its history.
///
/// # Errors
/// Those of the replay.
pub fn values_on<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    history: &PixelHistory,
) -> Result<Vec<[u8; 4]>, InspectError> {
    let Some(presented) = history.presented else {
        return Ok(Vec::new());
    };
    let mut player = Replayer::new(capture.header(), factory, Options::default());
    let (mut values, mut call) = (Vec::new(), 0);
    for record in capture.records(0..capture.record_count()) {
        let (number, entry) = record?;
        execute(&mut player, number, &entry)?;
        let Entry::Call(line) = entry else {
            continue;
        };
        call += 1;
        let wanted = history.events.iter().any(|event| event.call == call);
        if wanted && let Some(context) = player.context_of(line.on) {
            let source = Source {
                context,
                pixel: history.pixel,
                calls: (call, call),
            };
            let surface = match call == presented {
                true => Surface::Front,
                false => Surface::BackBuffer,
            };
            values.push(read(&mut player, &source, surface)?.unwrap_or_default());
        }
        if call == presented {
            break;
        }
    }
    Ok(values)
}
