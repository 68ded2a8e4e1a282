//! What became of every call, and its pass: found once by a replay that draws nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use context3d::backend::NullFactory;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, Record};
use molehill_replay::{Options, Outcome, Replayer};

use crate::capture::Capture;
use crate::renderers::execute;

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The result; pixels that were read are left out. `None` for calls behind the replay's end.
    pub outcome: Option<Outcome>,
    /// The number of its pass in the frame; 0 before the first.
    pub pass: u32,
}

impl Mark {
    /// Whether it did what it says.
    pub fn done(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Done | Outcome::Bitmap(_)))
    }

    /// What went wrong, as text.
    pub fn trouble(&self) -> Option<String> {
        match self.outcome.as_ref() {
            Some(Outcome::Done | Outcome::Bitmap(_)) => None,
            Some(Outcome::Raised(error)) => Some(error.to_string()),
            Some(Outcome::Skipped(code)) => Some(format!(
                "skipped: error checking would raise {}",
                code.number()
            )),
            Some(Outcome::Unsupported(what)) => Some(format!("unsupported: {what}")),
            Some(Outcome::OnNull) => Some("on an object that could not be created".to_owned()),
            None => Some("not reached: the replay ended before".to_owned()),
        }
    }
}

/// What is drawn into one set of targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its frame.
    pub frame: u32,
    /// From 1 in the frame.
    pub number: u32,
    /// Its calls, from its first clear or draw to the one before the next pass.
    pub calls: Range<usize>,
    /// The draws among them that were carried out.
    pub draws: Vec<usize>,
    /// The context.
    pub context: ObjectId,
    /// Textures by colour output; empty for the back buffer.
    pub targets: Vec<ObjectId>,
}

/// All marks.
pub(crate) struct Marks {
    pub(crate) calls: Vec<Mark>,
    pub(crate) passes: Vec<Pass>,
    /// Why the replay ended early.
    pub(crate) failure: Option<String>,
}

/// A context on the way.
#[derive(Clone, Default)]
struct Targets {
    textures: BTreeMap<i32, ObjectId>,
    /// The next clear or draw starts a pass.
    apart: bool,
}

impl Marks {
    pub(crate) fn of(capture: &Capture) -> Marks {
        let mut marks = Marks {
            calls: Vec::with_capacity(capture.call_count()),
            passes: Vec::new(),
            failure: None,
        };
        let mut replayer = Replayer::new(capture.header(), NullFactory, Options::default());
        let mut contexts: BTreeMap<ObjectId, Targets> = BTreeMap::new();
        let mut pass = 0;
        let mut last = None;
        for (number, record) in capture.records() {
            let outcome = match marks.failure {
                Some(_) => None,
                None => match execute(&mut replayer, *number, record) {
                    Ok(Some(Outcome::Bitmap(_))) => Some(Outcome::Done),
                    Ok(outcome) => outcome,
                    Err(error) => {
                        marks.failure = Some(error.to_string());
                        None
                    }
                },
            };
            let line = match &**record {
                Record::Call(line) => line,
                Record::Frame(_) => {
                    (pass, last) = (0, None);
                    continue;
                }
                Record::Event(_) => continue,
            };
            let call = marks.calls.len() + 1;
            if outcome == Some(Outcome::Done) {
                let context = contexts.entry(line.on).or_default();
                let renders = is_draw(&line.call) || matches!(line.call, Call::Clear { .. });
                let clears = matches!(line.call, Call::Clear { .. });
                if renders && (clears || context.apart || last != Some(line.on) || pass == 0) {
                    pass += 1;
                    marks.passes.push(Pass {
                        frame: capture.frame_of(call).map_or(0, |frame| frame.number),
                        number: pass,
                        calls: call..call,
                        draws: Vec::new(),
                        context: line.on,
                        targets: context.textures.values().copied().collect(),
                    });
                    (context.apart, last) = (false, Some(line.on));
                }
                context.follow(line);
                if is_draw(&line.call)
                    && let Some(pass) = marks.passes.last_mut()
                {
                    pass.draws.push(call);
                }
            }
            if pass > 0
                && let Some(pass) = marks.passes.last_mut()
            {
                pass.calls.end = call + 1;
            }
            marks.calls.push(Mark { outcome, pass });
        }
        marks
    }

    /// The mark of a call.
    pub(crate) fn get(&self, call: usize) -> Option<&Mark> {
        self.calls.get(call.checked_sub(1)?)
    }

    /// The passes of a frame.
    pub(crate) fn of_frame(&self, frame: u32) -> &[Pass] {
        let first = self.passes.partition_point(|pass| pass.frame < frame);
        let end = self.passes.partition_point(|pass| pass.frame <= frame);
        self.passes.get(first..end).unwrap_or_default()
    }
}

impl Targets {
    /// Follows what a call changes of the targets.
    fn follow(&mut self, line: &CallLine) {
        match &line.call {
            Call::SetRenderToTexture {
                texture,
                color_output_index,
                ..
            } => {
                match texture {
                    Some(texture) => drop(self.textures.insert(*color_output_index, texture.0)),
                    None if *color_output_index == 0 => self.textures.clear(),
                    None => drop(self.textures.remove(color_output_index)),
                }
                self.apart = true;
            }
            Call::SetRenderToBackBuffer {} | Call::Present {} | Call::Dispose { .. } => {
                self.textures.clear();
                self.apart = true;
            }
            // Textures stay the target.
            Call::ConfigureBackBuffer { .. } => self.apart = true,
            _ => {}
        }
    }
}

/// Whether a call draws triangles.
pub(crate) fn is_draw(call: &Call) -> bool {
    matches!(
        call,
        Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. }
    )
}
