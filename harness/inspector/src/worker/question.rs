//! Queries to the analysis engine with their results, and messages from the worker.

use std::sync::Arc;

use molehill_analysis::Shortcut;
use molehill_analysis::cost::{CallTime, FrameCost};
use molehill_analysis::diff::CaptureDifference;
use molehill_analysis::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_analysis::dump::ObjectUse;
use molehill_analysis::origins::{CallOrigin, DrawLine};
use molehill_analysis::pixel::{PixelHistory, RenderFace};
use molehill_analysis::scan::OutlierDraw;
use molehill_analysis::state::StateReport;
use molehill_analysis::step::{StepReport, VertexStepReport};
use molehill_analysis::textures::{Mesh, TexturePicture};
use molehill_analysis::textures::{ObjectContent, TextureContent};
use molehill_analysis::wrong::WrongFrame;
use molehill_analysis::{CapturePlace, Inspector};
use molehill_capture::objects::ObjectId;
use molehill_queries::explain::{Explanation, wrong_pixels};
use molehill_reference::watch::DrawVertex;
use molehill_replay::image::RgbaImage;

use super::activity::{FrameActivity, activity};
use super::answer::{AnswerFailure, Outline, difference, measured, outline, save, search};
use super::searches::{ComparisonInput, Searches};
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
        pub enum InspectorQuestion {
            $($(#[$doc])* $name $(($($type),+))?,)+
        }

        pub enum QuestionReply {
            $($name($reply),)+
        }

        enum QuestionRow {
            $($name),+
        }

        impl InspectorQuestion {
            /// Returns the priority of the query's type; 0 is the most urgent.
            pub(super) fn priority(&self) -> u8 {
                match self {
                    $(InspectorQuestion::$name { .. } => QuestionRow::$name as u8,)+
                }
            }

            pub(super) fn answer(
                &self,
                $inspector: &mut Inspector,
                $searches: &mut Searches,
                $compared: &ComparisonInput,
            ) -> Result<QuestionReply, AnswerFailure> {
                match self {
                    $(InspectorQuestion::$name $(($($argument),+))? => Ok(QuestionReply::$name(Into::into($answer))),)+
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
    Origins(call: usize) -> Vec<CallOrigin> = inspector.origins(*call)?;
    Draws(frame: u32) -> Arc<[DrawLine]> = inspector.draw_lines(*frame)?;
    /// The history of a pixel of a texture or, without a texture, of the stage.
    Pixel(frame: u32, texture: Option<RenderFace>, at: (u32, u32)) -> Box<PixelHistory> = match texture {
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
    Screen(frame: u32) -> Arc<RgbaImage> = inspector.screen(*frame)?;
    Objects -> Vec<ObjectUse> = inspector.objects()?;
    /// The statistics of all frames, by frame index.
    Activity -> Arc<[FrameActivity]> = activity(inspector)?;
    /// Thumbnails of all textures at a call.
    Thumbnails(call: usize) -> Vec<(ObjectId, Arc<RgbaImage>)> = inspector.thumbnails(*call, THUMBNAIL)?;
    /// The counts of all draws of a frame, and its warnings.
    Frame(frame: u32) -> Arc<FrameReport> = inspector.draws(*frame)?;
    /// The wrong pixels of a frame in comparison with another image or capture, and the draws that wrote them.
    Wrong(frame: u32) -> Arc<WrongFrame> =
        wrong_pixels(inspector, *frame, &mut compared.expected()?)?;
    /// Creates checkpoints of the whole capture, so that later seeks are fast.
    Prepare -> () = inspector.prepare()?;
    /// The estimated cost of a frame's draws and programs.
    Cost(frame: u32) -> Arc<FrameCost> = inspector.cost(*frame)?;
    /// The times of a frame's clears and draws on OpenGL.
    Times(frame: u32) -> Arc<[CallTime]> = measured(inspector, *frame)?;
    /// Searches further frames for anomalies. Returns the number of searched frames, and their anomalies.
    Scan(most: usize) -> (usize, Vec<OutlierDraw>) = searches.scan.part(inspector, *most)?;
    /// The most important anomaly of the frames searched by [`InspectorQuestion::Scan`].
    Place -> Box<CapturePlace> = {
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
    Difference -> Box<CaptureDifference> = difference(inspector.capture(), compared.capture.as_deref())?;
}

impl InspectorQuestion {
    /// Returns whether the query can take seconds, so that other queries must not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        let late =
            self.priority() > QuestionRow::Content as u8 && *self != InspectorQuestion::Prepare;
        late || *self == InspectorQuestion::Outline
    }

    /// Returns whether slow queries of this priority refer to the selected frame.
    pub(super) fn is_of_frame(priority: u8) -> bool {
        (QuestionRow::Thumbnails as u8..=QuestionRow::Cost as u8).contains(&priority)
    }

    /// Returns whether the lists, the replay or the central panel wait for the result.
    pub(super) fn is_urgent(&self) -> bool {
        self.priority() <= QuestionRow::Draws as u8 || matches!(self, InspectorQuestion::Draw(_))
    }
}

impl QuestionReply {
    /// Returns the approximate size of the result's images and lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            QuestionReply::Draw(it) => {
                let DrawPictures { before, after, depth, stencil, overdraw, failed } = &it.1;
                let some = depth.iter().chain(stencil).chain(failed.iter().flatten());
                sum(before.iter().chain(after).chain(some).chain([overdraw]).map(|it| &**it))
            }
            QuestionReply::Textures(all) => sum(all.iter().map(|texture| &*texture.image)),
            QuestionReply::Thumbnails(all) => sum(all.iter().map(|(_, image)| &**image)),
            QuestionReply::Screen(image) => sum([&**image]),
            QuestionReply::Difference(found) => sum(found.pictures.iter().flatten()),
            QuestionReply::Content(object) => match &object.content {
                TextureContent::Texture(all) => sum(all.iter().map(|texture| &*texture.image)),
                TextureContent::Vertices { values, .. } => size_of_val(&**values),
                TextureContent::Indices(indices) => size_of_val(&**indices),
                TextureContent::Program(_) | TextureContent::Nothing => 0,
            },
            QuestionReply::Mesh(mesh) => {
                let of = |vertex: &DrawVertex| {
                    size_of::<DrawVertex>()
                        + size_of_val(&*vertex.attributes)
                        + size_of_val(&*vertex.varyings)
                };
                mesh.vertices.iter().map(of).sum::<usize>() + size_of_val(&*mesh.triangles)
            }
            QuestionReply::Wrong(wrong) => size_of_val(&*wrong.places),
            QuestionReply::Pixel(history) => size_of_val(&*history.events),
            QuestionReply::Search(calls) => size_of_val(&**calls),
            QuestionReply::Outline(_)
            | QuestionReply::Shortcut(_)
            | QuestionReply::State(_)
            | QuestionReply::Origins(_)
            | QuestionReply::Draws(_)
            | QuestionReply::Step(_)
            | QuestionReply::Vertex(_)
            | QuestionReply::Objects(_)
            | QuestionReply::Activity(_)
            | QuestionReply::Frame(_)
            | QuestionReply::Prepare(())
            | QuestionReply::Cost(_)
            | QuestionReply::Times(_)
            | QuestionReply::Scan(_)
            | QuestionReply::Place(_)
            | QuestionReply::Explain(_)
            | QuestionReply::Save(()) => 0,
        }
    }
}

fn sum<'a>(images: impl IntoIterator<Item = &'a RgbaImage>) -> usize {
    images.into_iter().map(|image| image.rgba().len()).sum()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionRole {
    Main,
    Baseline,
}

pub enum Message {
    /// A source was read; `content` may be an error message. `capture` is the id for queries about an opened capture.
    Opened {
        role: QuestionRole,
        capture: u64,
        name: String,
        content: Result<source::SourceContent, String>,
    },
    /// A query was dropped for a newer or more urgent query. The dropped query has no result and can be repeated.
    Dropped {
        capture: u64,
        question: InspectorQuestion,
    },
    Answered {
        capture: u64,
        question: InspectorQuestion,
        reply: Result<QuestionReply, String>,
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
