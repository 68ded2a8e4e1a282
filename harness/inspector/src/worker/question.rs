//! Questions to the engine, answers, and messages from the worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use molehill_inspect::diff::Difference;
use molehill_inspect::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_inspect::dump::ObjectUse;
use molehill_inspect::passes::Pass;
use molehill_inspect::pixel::{Face, PixelHistory};
use molehill_inspect::shortcut::Shortcut;
use molehill_inspect::state::StateReport;
use molehill_inspect::step::StepReport;
use molehill_inspect::textures::{Mesh, TexturePicture};
use molehill_replay::image::Image;

use crate::source::Content;

/// A question about the open capture. Calls and frames are given by their numbers in the capture, pixels as x, y.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The passes of all frames, and the calls with an error or without effect.
    Outline,
    /// What a replay may skip on its way to this number of executed records.
    Shortcut(usize),
    /// The state and bindings at a call.
    State(usize),
    /// The report and the pictures of a draw.
    Draw(usize),
    Textures(usize),
    Mesh(usize),
    /// The history of a pixel: frame, texture (`None` for the stage), pixel.
    Pixel(u32, Option<Face>, (u32, u32)),
    /// The steps of a fragment program: frame, pixel, draw, fragment (`None` for the last one kept).
    Step(u32, (u32, u32), usize, Option<usize>),
    /// The counts of all draws of a frame, and warnings.
    Frame(u32),
    /// The stage at the end of a frame, drawn by the reference renderer.
    Screen(u32),
    Objects,
    /// The calls whose text contains this.
    Search(String),
    /// The first difference between the capture and the compared one or, without one, between the driver and the
    /// reference renderer.
    Difference,
}

/// The passes of all frames, and the calls with an error or without effect.
pub struct Outline {
    /// By the frame's index in the capture.
    pub passes: Vec<Vec<Pass>>,
    /// The error, or why there was no effect, by call number.
    pub failures: BTreeMap<usize, String>,
}

pub enum Reply {
    Outline(Outline),
    Shortcut(Arc<Shortcut>),
    State(Box<StateReport>),
    Draw(Box<DrawReport>, Box<DrawPictures>),
    Textures(Arc<[TexturePicture]>),
    Mesh(Arc<Mesh>),
    Pixel(Box<PixelHistory>),
    Step(Box<StepReport>),
    Frame(FrameReport),
    Screen(Arc<Image>),
    Objects(Vec<ObjectUse>),
    Search(Vec<usize>),
    Difference(Box<Difference>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Main,
    Baseline,
}

pub enum Message {
    /// A source was read. `capture` is the number of the inspected capture, for questions about it. An error is a
    /// message.
    Opened {
        role: Role,
        capture: u64,
        name: String,
        content: Result<Content, String>,
    },
    /// A question was dropped for a newer or more urgent one and gets no answer. It can be asked again.
    Dropped {
        capture: u64,
        question: Question,
    },
    Answered {
        capture: u64,
        question: Question,
        reply: Result<Reply, String>,
    },
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Message::Opened { name, .. } => write!(f, "{name} is read"),
            Message::Dropped { question, .. } => write!(f, "{question:?} is dropped"),
            Message::Answered { question, .. } => write!(f, "{question:?} is answered"),
        }
    }
}

impl Question {
    /// The priority of the kind; 0 is the most urgent.
    pub(super) fn priority(&self) -> u8 {
        match self {
            Question::Outline => 0,
            Question::Shortcut(_) => 1,
            Question::State(_) => 2,
            Question::Pixel(..) => 3,
            Question::Step(..) => 4,
            Question::Draw(_) => 5,
            Question::Textures(_) => 6,
            Question::Mesh(_) => 7,
            Question::Search(_) => 8,
            Question::Screen(_) => 9,
            Question::Objects => 10,
            Question::Frame(_) => 11,
            Question::Difference => 12,
        }
    }

    /// Whether the answer can take seconds, so that other questions must not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        self.priority() > Question::Mesh(0).priority() || *self == Question::Outline
    }
}
