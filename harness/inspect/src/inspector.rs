//! [`Inspector`]: a capture, and copies of the renderer on the way through it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use molehill_capture::objects::ObjectId;
use molehill_reference::{Options, ReferenceFactory};
use molehill_replay::image::Image;
use molehill_replay::{Outcome, Replayer};

use crate::capture::Capture;
use crate::error::InspectError;
use crate::marks::{Mark, Marks, Pass};
use crate::renderers::{execute, picture};

/// A replay on the reference renderer.
pub type Player = Replayer<ReferenceFactory>;

/// Copies that are kept.
const MAX_CHECKPOINTS: usize = 32;
/// Copies inside the frame of a question are about a sixteenth of it apart, but at least this many records.
const CHECKPOINT_RECORDS: usize = 50;

/// Answers questions about a capture.
pub struct Inspector {
    capture: Arc<Capture>,
    options: Options,
    marks: OnceLock<Marks>,
    /// By the number of records that were executed.
    checkpoints: BTreeMap<usize, Player>,
}

impl Inspector {
    /// Nothing is replayed yet.
    pub fn new(capture: impl Into<Arc<Capture>>) -> Inspector {
        Inspector::with_options(capture, Options::default())
    }

    /// With these options of the reference renderer.
    pub fn with_options(capture: impl Into<Arc<Capture>>, options: Options) -> Inspector {
        Inspector {
            capture: capture.into(),
            options,
            marks: OnceLock::new(),
            checkpoints: BTreeMap::new(),
        }
    }

    /// The capture.
    pub fn capture(&self) -> &Arc<Capture> {
        &self.capture
    }

    pub(crate) fn marks(&self) -> &Marks {
        self.marks.get_or_init(|| Marks::of(&self.capture))
    }

    /// What became of a call.
    ///
    /// # Errors
    /// [`InspectError::NoCall`]
    pub fn mark(&self, call: usize) -> Result<&Mark, InspectError> {
        self.capture.place(call)?;
        let last = self.capture.call_count();
        let mark = self.marks().get(call);
        mark.ok_or(InspectError::NoCall { call, last })
    }

    /// The passes of a frame.
    ///
    /// # Errors
    /// [`InspectError::NoFrame`]
    pub fn passes(&self, frame: u32) -> Result<&[Pass], InspectError> {
        self.capture.frame(frame)?;
        Ok(self.marks().of_frame(frame))
    }

    /// A replay that has executed this many records.
    pub(crate) fn at(&mut self, records: usize) -> Result<Player, InspectError> {
        let capture = Arc::clone(&self.capture);
        let near = self.checkpoints.range(..=records).next_back();
        let (mut done, mut player) = match near {
            Some((done, player)) => (*done, player.clone()),
            None => {
                let factory = ReferenceFactory(self.options);
                let options = molehill_replay::Options::default();
                (0, Replayer::new(capture.header(), factory, options))
            }
        };
        let frames = capture.frames();
        let asked = frames.iter().find(|frame| frame.records.contains(&records));
        while done < records {
            let starts = frames.binary_search_by_key(&done, |frame| frame.records.start);
            let inside = asked.filter(|frame| frame.records.contains(&done));
            let apart = inside.map(|frame| (frame.records.len() / 16).max(CHECKPOINT_RECORDS));
            if starts.is_ok() || apart.is_some_and(|apart| done % apart == 0) {
                self.keep(done, &player);
            }
            step(&mut player, &capture, done)?;
            done += 1;
        }
        self.keep(done, &player);
        Ok(player)
    }

    /// Keeps a copy, and drops the one whose neighbours are nearest to each other if there are too many.
    fn keep(&mut self, done: usize, player: &Player) {
        if done == 0 || self.checkpoints.contains_key(&done) {
            return;
        }
        self.checkpoints.insert(done, player.clone());
        if self.checkpoints.len() <= MAX_CHECKPOINTS {
            return;
        }
        let places: Vec<usize> = self.checkpoints.keys().copied().collect();
        let gaps = places.windows(3).filter_map(|three| match three {
            [before, place, after] if *place != done => Some((after - before, *place)),
            _ => None,
        });
        if let Some((_, place)) = gaps.min() {
            self.checkpoints.remove(&place);
        }
    }

    /// A replay before a call.
    pub(crate) fn before(&mut self, call: usize) -> Result<Player, InspectError> {
        let place = self.capture.place(call)?;
        self.at(place)
    }

    /// A replay after a call.
    pub(crate) fn after(&mut self, call: usize) -> Result<Player, InspectError> {
        let place = self.capture.place(call)?;
        self.at(place + 1)
    }

    /// The picture after a call: of what its context draws into then, of what is shown after `present`, and of the stage
    /// after a call on a Stage3D. `None` if there is nothing to see.
    ///
    /// # Errors
    /// [`InspectError::NoCall`], and those of the replay.
    pub fn picture(&mut self, call: usize) -> Result<Option<Image>, InspectError> {
        let mut player = self.after(call)?;
        let capture = Arc::clone(&self.capture);
        let (number, line) = capture.call(call)?;
        picture(&mut player, number, line)
    }

    /// The stage at the end of a frame.
    ///
    /// # Errors
    /// [`InspectError::NoFrame`], and those of the replay.
    pub fn screen(&mut self, frame: u32) -> Result<Image, InspectError> {
        let end = self.capture.frame(frame)?.records.end;
        let number = self.line_before(end);
        Ok(self.at(end)?.screen(number)?)
    }

    /// The line of the last of so many records, for messages.
    pub(crate) fn line_before(&self, records: usize) -> u64 {
        let last = records.checked_sub(1);
        let last = last.and_then(|last| self.capture.records().get(last));
        last.map_or(1, |(line, _)| *line)
    }
}

/// Executes one record; the outcome of a call.
pub(crate) fn step(
    player: &mut Player,
    capture: &Capture,
    record: usize,
) -> Result<Option<Outcome>, InspectError> {
    let Some((line, record)) = capture.records().get(record) else {
        return Ok(None);
    };
    Ok(execute(player, *line, record)?)
}

/// A backend's key of any kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Vertices(context3d::keys::VertexBufferKey),
    Indices(context3d::keys::IndexBufferKey),
    Program(context3d::keys::ProgramKey),
    Texture(context3d::keys::TextureKey),
}

impl Key {
    fn of(object: molehill_capture::commands::Object) -> Option<Key> {
        use molehill_capture::commands::Object;
        Some(match object {
            Object::VertexBuffer(_, handle) => Key::Vertices(handle.key()),
            Object::IndexBuffer(_, handle) => Key::Indices(handle.key()),
            Object::Program(_, handle) => Key::Program(handle.key()),
            Object::Texture(_, handle) => Key::Texture(handle.key()),
            Object::Stage3D(_) | Object::Context(_) | Object::Null => return None,
        })
    }

    /// The id of a context's object.
    pub(crate) fn id(self, player: &Player, context: usize) -> Option<ObjectId> {
        let mut objects = player.ids().iter();
        objects
            .find(|(_, object)| object.context() == Some(context) && Key::of(*object) == Some(self))
            .map(|(id, _)| id)
    }

    /// The title of a context's object.
    pub(crate) fn title(self, capture: &Capture, player: &Player, context: usize) -> String {
        let id = self.id(player, context);
        id.map_or_else(|| "an unknown object".to_owned(), |id| capture.title(id))
    }
}
