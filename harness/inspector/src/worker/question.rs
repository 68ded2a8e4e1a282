//! Questions to the engine, answers, and messages from the worker.

use std::sync::Arc;

use molehill_inspect::diff::Difference;
use molehill_inspect::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_inspect::dump::ObjectUse;
use molehill_inspect::pixel::{Face, PixelHistory};
use molehill_inspect::shortcut::Shortcut;
use molehill_inspect::state::StateReport;
use molehill_inspect::step::StepReport;
use molehill_inspect::textures::{Mesh, TexturePicture};
use molehill_replay::image::Image;

use super::Outline;
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
    /// The textures bound at a call.
    Textures(usize),
    /// The mesh of a draw.
    Mesh(usize),
    /// The history of a pixel: frame, texture (`None` for the stage), pixel.
    Pixel(u32, Option<Face>, (u32, u32)),
    /// The steps of a fragment program: frame, pixel, draw, fragment (`None` for the last one kept).
    Step(u32, (u32, u32), usize, Option<usize>),
    /// The counts of all draws of a frame, and warnings.
    Frame(u32),
    /// The stage at the end of a frame, drawn by the reference renderer.
    Screen(u32),
    /// All objects and their uses.
    Objects,
    /// The calls whose text contains this.
    Search(String),
    /// The first difference between the capture and the compared one or, without one, between the driver and the
    /// reference renderer.
    Difference,
}

/// An answer.
pub enum Reply {
    /// To [`Question::Outline`].
    Outline(Outline),
    /// To [`Question::Shortcut`].
    Shortcut(Arc<Shortcut>),
    /// To [`Question::State`].
    State(Box<StateReport>),
    /// To [`Question::Draw`].
    Draw(Box<DrawReport>, Box<SharedPictures>),
    /// To [`Question::Textures`].
    Textures(Vec<(TexturePicture, Arc<Image>)>),
    /// To [`Question::Mesh`].
    Mesh(Arc<Mesh>),
    /// To [`Question::Pixel`].
    Pixel(Box<PixelHistory>),
    /// To [`Question::Step`].
    Step(Box<StepReport>),
    /// To [`Question::Frame`].
    Frame(FrameReport),
    /// To [`Question::Screen`].
    Screen(Arc<Image>),
    /// To [`Question::Objects`].
    Objects(Vec<ObjectUse>),
    /// To [`Question::Search`].
    Search(Vec<usize>),
    /// To [`Question::Difference`].
    Difference(Box<Difference>),
}

/// Pictures of a draw, drawn by the reference renderer.
pub struct SharedPictures {
    /// The first colour output before the draw.
    pub before: Option<Arc<Image>>,
    /// The first colour output after the draw.
    pub after: Option<Arc<Image>>,
    /// The depth after the draw.
    pub depth: Option<Arc<Image>>,
    /// The stencil after the draw.
    pub stencil: Option<Arc<Image>>,
    /// How often the fragment program ran, per pixel.
    pub overdraw: Arc<Image>,
}

impl From<DrawPictures> for SharedPictures {
    fn from(pictures: DrawPictures) -> Self {
        SharedPictures {
            before: pictures.before.into_iter().next().map(Arc::new),
            after: pictures.after.into_iter().next().map(Arc::new),
            depth: pictures.depth.map(Arc::new),
            stencil: pictures.stencil.map(Arc::new),
            overdraw: Arc::new(pictures.overdraw),
        }
    }
}

/// The purpose of an opened source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be inspected.
    Main,
    /// To be compared with the open capture.
    Baseline,
}

/// A message from the worker.
pub enum Message {
    /// A source was read.
    Opened {
        /// The source's purpose.
        role: Role,
        /// The number of the inspected capture, for questions about it.
        capture: u64,
        /// The source's name.
        name: String,
        /// The content, or an error message.
        content: Result<Content, String>,
    },
    /// A question was dropped for a newer or more urgent one and gets no answer. It can be asked again.
    Dropped {
        /// The capture's number, from [`Message::Opened`].
        capture: u64,
        /// The question.
        question: Question,
    },
    /// A question was answered.
    Answered {
        /// The capture's number, from [`Message::Opened`].
        capture: u64,
        /// The question.
        question: Question,
        /// The answer, or an error message.
        reply: Result<Reply, String>,
    },
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Message::Opened { name, .. } => write!(f, "{name} is read"),
            Message::Dropped { question, .. } => write!(f, "{question:?} is given up"),
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
