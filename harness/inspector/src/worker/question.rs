//! What is asked, and what is answered.

use std::sync::Arc;

use molehill_inspect::diff::Difference;
use molehill_inspect::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_inspect::dump::ObjectUse;
use molehill_inspect::pixel::PixelHistory;
use molehill_inspect::shortcut::Shortcut;
use molehill_inspect::state::StateReport;
use molehill_inspect::step::StepReport;
use molehill_inspect::textures::{Mesh, TexturePicture};
use molehill_replay::image::Image;

use super::Outline;
use crate::source::Content;

/// What is asked about the open capture. Frames are the capture's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Passes of all frames, and what became of the calls.
    Outline,
    /// What a replay may leave out on its way to so many records.
    Shortcut(usize),
    /// What is bound at a call.
    State(usize),
    /// A draw with its pictures.
    Draw(usize),
    /// The textures that are bound at a call.
    Textures(usize),
    /// The mesh of a draw.
    Mesh(usize),
    /// A pixel's history.
    Pixel(u32, (u32, u32)),
    /// The program of a fragment: frame, pixel, draw, fragment.
    Step(u32, (u32, u32), usize, Option<usize>),
    /// What each draw of a frame did, and warnings.
    Frame(u32),
    /// The stage at the end of a frame, by the reference renderer.
    Screen(u32),
    /// Every object.
    Objects,
    /// The calls whose text has this in it.
    Search(String),
    /// Where the capture and the one beside it part; without one, where the driver and the reference renderer do.
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
    Draw(Box<DrawReport>, Box<Pictures>),
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

/// Pictures of a draw by the reference renderer.
pub struct Pictures {
    /// Of the first colour output.
    pub before: Option<Arc<Image>>,
    /// Of the first colour output.
    pub after: Option<Arc<Image>>,
    /// The depth after it.
    pub depth: Option<Arc<Image>>,
    /// The stencil after it.
    pub stencil: Option<Arc<Image>>,
    /// How often the program ran.
    pub overdraw: Arc<Image>,
}

impl From<DrawPictures> for Pictures {
    fn from(pictures: DrawPictures) -> Self {
        Pictures {
            before: pictures.before.into_iter().next().map(Arc::new),
            after: pictures.after.into_iter().next().map(Arc::new),
            depth: pictures.depth.map(Arc::new),
            stencil: pictures.stencil.map(Arc::new),
            overdraw: Arc::new(pictures.overdraw),
        }
    }
}

/// What a source is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be looked into.
    Main,
    /// To be compared with.
    Beside,
}

/// What a worker says.
pub enum Message {
    /// A source was read.
    Opened {
        /// What for.
        role: Role,
        /// The number that questions about the capture have.
        capture: u64,
        /// Its name.
        name: String,
        /// The content, or what is wrong with it.
        content: Result<Content, String>,
    },
    /// A question that nobody answers any more, because of a newer or a more urgent one. Whoever still wants to know asks again.
    Dropped {
        /// As [`Message::Opened`] gave it.
        capture: u64,
        /// The question.
        question: Question,
    },
    /// An answer to a question about the capture of this number.
    Answered {
        /// As [`Message::Opened`] gave it.
        capture: u64,
        /// The question.
        question: Question,
        /// The answer, or why there is none.
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
    /// Kinds in the order of their urgency.
    pub(super) fn rank(&self) -> u8 {
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

    /// Whether it can take seconds, so that others must not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        self.rank() > Question::Mesh(0).rank() || *self == Question::Outline
    }
}
