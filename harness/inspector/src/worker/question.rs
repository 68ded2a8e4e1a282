//! Queries to the analysis engine with their results, and messages from the worker.

use std::sync::Arc;

use molehill_analysis::Shortcut;
use molehill_analysis::cost::{CallTime, FrameCost};
use molehill_analysis::diff::Difference;
use molehill_analysis::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_analysis::dump::ObjectUse;
use molehill_analysis::explain::Explanation;
use molehill_analysis::origins::{DrawLine, Origin};
use molehill_analysis::pixel::{Face, PixelHistory};
use molehill_analysis::scan::Outlier;
use molehill_analysis::state::StateReport;
use molehill_analysis::step::{StepReport, VertexStepReport};
use molehill_analysis::textures::{Content, ObjectContent};
use molehill_analysis::textures::{Mesh, TexturePicture};
use molehill_analysis::wrong::WrongFrame;
use molehill_analysis::{Inspector, Place};
use molehill_capture::objects::ObjectId;
use molehill_reference::watch::Vertex;
use molehill_replay::image::Image;

use super::activity::{FrameActivity, activity};
use super::answer::{Outline, Unanswered, difference, measured, outline, save, search};
use super::searches::{Compared, Searches};
use crate::source;

/// Maximum width and height of texture thumbnails, in pixels.
const THUMBNAIL: u32 = 64;

/// Declares the queries, most urgent first: arguments, result type, and the expression of the result.
macro_rules! questions {
    (($inspector:ident, $searches:ident, $compared:ident) $(
        $(#[$doc:meta])*
        $name:ident $(($($argument:ident: $type:ty),+))? -> $reply:ty = $answer:expr;
    )+) => {
        /// A query about the open capture. Calls and frames are given by their numbers in the capture, and pixels as x
        /// and y.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Question {
            $($(#[$doc])* $name $(($($type),+))?,)+
        }

        pub enum Reply {
            $($name($reply),)+
        }

        enum Row {
            $($name),+
        }

        impl Question {
            /// Returns the priority of the query's type; 0 is the most urgent.
            pub(super) fn priority(&self) -> u8 {
                match self {
                    $(Question::$name { .. } => Row::$name as u8,)+
                }
            }

            pub(super) fn answer(
                &self,
                $inspector: &mut Inspector,
                $searches: &mut Searches,
                $compared: &Compared,
            ) -> Result<Reply, Unanswered> {
                match self {
                    $(Question::$name $(($($argument),+))? => Ok(Reply::$name(Into::into($answer))),)+
                }
            }
        }
    };
}

questions! { (inspector, searches, compared)
    /// The passes of all frames, and the calls that failed or had no effect.
    Outline -> Outline = outline(inspector)?;
    /// The packets that a replay may skip on the way to this number of records.
    Shortcut(records: usize) -> Arc<Shortcut> = inspector.shortcut(*records)?;
    State(call: usize) -> Arc<StateReport> = inspector.state(*call)?;
    /// The calls that set the state at a call.
    Origins(call: usize) -> Vec<Origin> = inspector.origins(*call)?;
    Draws(frame: u32) -> Arc<[DrawLine]> = inspector.draw_lines(*frame)?;
    /// The history of a pixel of a texture or, without a texture, of the stage.
    Pixel(frame: u32, texture: Option<Face>, at: (u32, u32)) -> Box<PixelHistory> = match texture {
        None => inspector.pixel(*frame, *at)?,
        Some(face) => inspector.texture_pixel(*frame, *face, *at)?,
    };
    /// The debug steps of a fragment. Without a fragment index, debugs the last fragment that passed all tests.
    Step(frame: u32, at: (u32, u32), call: usize, fragment: Option<usize>) -> Box<StepReport> =
        inspector.step(*frame, *at, *call, *fragment)?;
    /// The debug steps of a vertex, given by its value in the index buffer and its instance.
    Vertex(call: usize, vertex: (u16, u32)) -> Box<VertexStepReport> =
        inspector.vertex(*call, *vertex, true)?;
    Draw(call: usize) -> Box<(DrawReport, DrawPictures)> = inspector.draw_pictures(*call)?;
    Textures(call: usize) -> Arc<[TexturePicture]> = inspector.textures(*call)?;
    Mesh(call: usize) -> Arc<Mesh> = inspector.mesh(*call)?;
    Content(call: usize, object: ObjectId) -> ObjectContent = inspector.content(*call, *object)?;
    /// The calls whose text contains all words of this text.
    Search(text: String) -> Vec<usize> = search(inspector, text)?;
    /// The stage at the end of a frame, drawn by the reference renderer.
    Screen(frame: u32) -> Arc<Image> = inspector.screen(*frame)?;
    Objects -> Vec<ObjectUse> = inspector.objects()?;
    /// The statistics of all frames, by frame index.
    Activity -> Arc<[FrameActivity]> = activity(inspector)?;
    /// Thumbnails of all textures at a call.
    Thumbnails(call: usize) -> Vec<(ObjectId, Arc<Image>)> = inspector.thumbnails(*call, THUMBNAIL)?;
    /// The counts of all draws of a frame, and its warnings.
    Frame(frame: u32) -> Arc<FrameReport> = inspector.draws(*frame)?;
    /// The wrong pixels of a frame in comparison with another image or capture, and the draws that wrote them.
    Wrong(frame: u32) -> Arc<WrongFrame> =
        inspector.wrong_pixels(*frame, &mut compared.expected()?)?;
    /// Creates checkpoints of the whole capture, so that later seeks are fast.
    Prepare -> () = inspector.prepare()?;
    /// The estimated cost of a frame's draws and programs.
    Cost(frame: u32) -> Arc<FrameCost> = inspector.cost(*frame)?;
    /// The times of a frame's clears and draws on OpenGL.
    Times(frame: u32) -> Arc<[CallTime]> = measured(inspector, *frame)?;
    /// Searches further frames for anomalies. Returns the number of searched frames, and their anomalies.
    Scan(most: usize) -> (usize, Vec<Outlier>) = searches.scan.part(inspector, *most)?;
    /// The most important anomaly of the frames searched by [`Question::Scan`].
    Place -> Box<Place> = {
        let looked = searches.scan.part(inspector, 0)?;
        inspector.first_place(looked)?
    };
    /// Continues the search for the calls that cause the difference from the compared image or capture. Returns the
    /// best result, and whether the search continues.
    Explain(frame: u32) -> Box<(Explanation, bool)> = searches.explain(inspector, *frame, compared)?;
    /// Writes the edits or, if there are none, the compared capture to a new file.
    Save(path: String, changes: Option<String>) -> () = save(path, changes.as_deref(), compared.capture.as_deref())?;
    /// The first difference between the capture and the compared capture. Without a compared capture, compares the
    /// driver with the reference renderer.
    Difference -> Box<Difference> = difference(inspector.capture(), compared.capture.as_deref())?;
}

impl Question {
    /// Returns whether the query can take seconds, so that other queries must not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        let late = self.priority() > Row::Content as u8 && *self != Question::Prepare;
        late || *self == Question::Outline
    }

    /// Returns whether slow queries of this priority refer to the selected frame.
    pub(super) fn is_of_frame(priority: u8) -> bool {
        (Row::Thumbnails as u8..=Row::Cost as u8).contains(&priority)
    }

    /// Returns whether the lists, the replay or the central panel wait for the result.
    pub(super) fn is_urgent(&self) -> bool {
        self.priority() <= Row::Draws as u8 || matches!(self, Question::Draw(_))
    }
}

impl Reply {
    /// Returns the approximate size of the result's images and lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Reply::Draw(it) => {
                let DrawPictures { before, after, depth, stencil, overdraw, failed } = &it.1;
                let some = depth.iter().chain(stencil).chain(failed.iter().flatten());
                sum(before.iter().chain(after).chain(some).chain([overdraw]).map(|it| &**it))
            }
            Reply::Textures(all) => sum(all.iter().map(|texture| &*texture.image)),
            Reply::Thumbnails(all) => sum(all.iter().map(|(_, image)| &**image)),
            Reply::Screen(image) => sum([&**image]),
            Reply::Difference(found) => sum(found.pictures.iter().flatten()),
            Reply::Content(object) => match &object.content {
                Content::Texture(all) => sum(all.iter().map(|texture| &*texture.image)),
                Content::Vertices { values, .. } => size_of_val(&**values),
                Content::Indices(indices) => size_of_val(&**indices),
                Content::Program(_) | Content::Nothing => 0,
            },
            Reply::Mesh(mesh) => {
                let of = |vertex: &Vertex| {
                    size_of::<Vertex>()
                        + size_of_val(&*vertex.attributes)
                        + size_of_val(&*vertex.varyings)
                };
                mesh.vertices.iter().map(of).sum::<usize>() + size_of_val(&*mesh.triangles)
            }
            Reply::Wrong(wrong) => size_of_val(&*wrong.places),
            Reply::Pixel(history) => size_of_val(&*history.events),
            Reply::Search(calls) => size_of_val(&**calls),
            Reply::Outline(_)
            | Reply::Shortcut(_)
            | Reply::State(_)
            | Reply::Origins(_)
            | Reply::Draws(_)
            | Reply::Step(_)
            | Reply::Vertex(_)
            | Reply::Objects(_)
            | Reply::Activity(_)
            | Reply::Frame(_)
            | Reply::Prepare(())
            | Reply::Cost(_)
            | Reply::Times(_)
            | Reply::Scan(_)
            | Reply::Place(_)
            | Reply::Explain(_)
            | Reply::Save(()) => 0,
        }
    }
}

fn sum<'a>(images: impl IntoIterator<Item = &'a Image>) -> usize {
    images.into_iter().map(|image| image.rgba().len()).sum()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Main,
    Baseline,
}

pub enum Message {
    /// A source was read; `content` may be an error message. `capture` is the id for queries about an opened capture.
    Opened {
        role: Role,
        capture: u64,
        name: String,
        content: Result<source::Content, String>,
    },
    /// A query was dropped for a newer or more urgent query. The dropped query has no result and can be repeated.
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
