//! The records of a capture, and their conversion from and to JSON objects.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::call::{CALLS, Call, CallInfo, named};
use crate::error::{CaptureErrorKind, KeyError};
use crate::header::{EVENT_VERSION, NOTE_VERSION};
use crate::json::{Json, JsonObject};
use crate::keys::{BoxedKeyError, optional, push, take, text, unknown, wrong};
use crate::known_objects::KnownObjects;
use crate::note::CaptureNote;
use crate::object::{ObjectId, ObjectKind};
use crate::value::{CallField, OptionalParameter, ParameterValue};

/// A record: a line of the JSON Lines form after the header. Copies of a [`SharedRecord`] share the call and the note.
#[derive(Clone, Debug, PartialEq)]
pub enum CaptureRecord<C = CallLine, N = CaptureNote> {
    /// A call on an object.
    Call(C),
    /// The end of an SWF frame, counted from 0.
    Frame(u32),
    /// An event that the recording player dispatched.
    Event(EventLine),
    /// An annotation by the recording host.
    Note(N),
}

/// A record whose call or note is shared between copies.
pub type SharedRecord = CaptureRecord<Arc<CallLine>, Arc<CaptureNote>>;

impl From<CaptureRecord> for SharedRecord {
    fn from(record: CaptureRecord) -> Self {
        match record {
            CaptureRecord::Call(line) => CaptureRecord::Call(line.into()),
            CaptureRecord::Frame(frame) => CaptureRecord::Frame(frame),
            CaptureRecord::Event(line) => CaptureRecord::Event(line),
            CaptureRecord::Note(note) => CaptureRecord::Note(note.into()),
        }
    }
}

/// A call, its receiver and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallLine {
    /// The receiver of the call.
    pub on: ObjectId,
    /// The method with its arguments.
    pub call: Call,
    /// The object that the call created.
    pub result: Option<ObjectId>,
    /// Id of the Flash error that the call raised in the recording player.
    pub throws: Option<u16>,
    /// The reason why the recording player rejected a request for a context.
    pub reason: Option<String>,
    /// Seconds since the start of the recording.
    pub time: Option<f64>,
    /// The number of the [`CaptureNote::Stack`] with the ActionScript functions that made the call.
    pub stack: Option<u32>,
}

/// An event, and the object that dispatches it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    /// The object that dispatches the event.
    pub on: ObjectId,
    /// The type of the event, with the error id of an `error` event.
    pub event: EventRecord,
    /// Seconds since the start of the recording.
    pub time: Option<f64>,
}

/// An event of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRecord {
    /// `textureReady`: an asynchronous upload succeeded.
    TextureReady,
    /// `error` with its error id: an asynchronous upload failed.
    Error(u16),
}

const TEXTURE_READY: &str = "textureReady";
const ERROR: &str = "error";

impl EventRecord {
    /// Returns the event's type in ActionScript.
    pub fn name(self) -> &'static str {
        match self {
            EventRecord::TextureReady => TEXTURE_READY,
            EventRecord::Error(_) => ERROR,
        }
    }
}

/// The data of a record that is stored in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordSummary {
    /// The ids of the object that the call creates, and of the Stage3D on which it is called.
    Call {
        created: Option<(ObjectId, ObjectKind)>,
        stage3d: Option<ObjectId>,
    },
    Frame(u32),
    /// An event or a note.
    Other,
}

impl RecordSummary {
    pub(crate) fn of<C: Borrow<CallLine>, N>(record: &CaptureRecord<C, N>) -> RecordSummary {
        match record {
            CaptureRecord::Call(line) => {
                let line = line.borrow();
                let on_stage3d = line.call.info().receivers == [ObjectKind::Stage3D];
                let created = line.result.zip(line.call.creates());
                RecordSummary::Call { created, stage3d: on_stage3d.then_some(line.on) }
            }
            CaptureRecord::Frame(frame) => RecordSummary::Frame(*frame),
            CaptureRecord::Event(_) | CaptureRecord::Note(_) => RecordSummary::Other,
        }
    }
}

impl<C: Borrow<CallLine>, N: Borrow<CaptureNote>> CaptureRecord<C, N> {
    /// Returns the call of the record; `None` for other records.
    pub fn call(&self) -> Option<&CallLine> {
        if let CaptureRecord::Call(line) = self { Some(line.borrow()) } else { None }
    }

    /// Returns the number of the ended frame; `None` for other records.
    pub fn frame(&self) -> Option<u32> {
        if let CaptureRecord::Frame(frame) = self { Some(*frame) } else { None }
    }

    /// Returns the first version of the format that has this record.
    pub fn version(&self) -> u32 {
        match self {
            CaptureRecord::Call(line) => line.borrow().version(),
            CaptureRecord::Frame(_) => 1,
            CaptureRecord::Event(_) => EVENT_VERSION,
            CaptureRecord::Note(_) => NOTE_VERSION,
        }
    }

    /// Returns the approximate size in bytes of the record's bulk data and strings.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            CaptureRecord::Call(line) => line.borrow().call.bytes(),
            CaptureRecord::Frame(_) | CaptureRecord::Event(_) => 0,
            CaptureRecord::Note(note) => note.borrow().bytes(),
        }
    }

    pub(crate) fn to_json(&self) -> Json<'_> {
        match self {
            CaptureRecord::Call(line) => line.borrow().to_json(),
            CaptureRecord::Frame(frame) => Json::object([("frame", frame.to_json())]),
            CaptureRecord::Event(line) => line.to_json(),
            CaptureRecord::Note(note) => note.borrow().to_json(),
        }
    }
}

impl CaptureRecord {
    /// Reads a record of a capture in `version`. If the record is valid, adds it to `objects`.
    pub(crate) fn from_json(
        json: Json<'_>,
        objects: &mut KnownObjects,
        version: u32,
    ) -> Result<CaptureRecord, BoxedKeyError> {
        let Json::Object(mut values) = json else {
            return Err(CaptureErrorKind::NotAnObject.into());
        };
        if let Some(name) = values.take("call", "") {
            let line = CallLine::read(text("call", name)?, &mut values, objects)?;
            let stack = line.stack.filter(|_| version >= NOTE_VERSION);
            return Ok(CaptureRecord::Call(CallLine { stack, ..line }));
        }
        if let Some(frame) = take::<OptionalParameter<u32>>("frame", &mut values, "frame")?.0 {
            if let Some(after) = objects.last_frame.filter(|after| *after >= frame) {
                return Err(CaptureErrorKind::FrameOrder { frame, after }.into());
            }
            objects.last_frame = Some(frame);
            return Ok(CaptureRecord::Frame(frame));
        }
        if let Some(name) = values.take("event", "").filter(|_| version >= EVENT_VERSION) {
            return EventLine::read(text("event", name)?, &mut values, objects)
                .map(CaptureRecord::Event);
        }
        if let Some(kind) = values.take("note", "").filter(|_| version >= NOTE_VERSION) {
            return CaptureNote::read(&text("note", kind)?, &mut values, objects)
                .map(CaptureRecord::Note);
        }
        Err(CaptureErrorKind::UnknownRecord.into())
    }

    /// Extracts the index data of a record without checks, because a reader reports the record's errors.
    pub(crate) fn summary(json: &Json<'_>) -> RecordSummary {
        let natural = |key| json.as_object().and_then(|values| values.get(key)?.as_natural());
        let Some(Json::Text(name)) = json.as_object().and_then(|values| values.get("call")) else {
            let frame = natural("frame").and_then(|frame| u32::try_from(frame).ok());
            return frame.map_or(RecordSummary::Other, RecordSummary::Frame);
        };
        let info = named(name).first().map(|(_, info)| info);
        let on_stage3d = info.is_some_and(|info| info.receivers == [ObjectKind::Stage3D]);
        RecordSummary::Call {
            created: natural("result").map(ObjectId).zip(info.and_then(|info| info.creates)),
            stage3d: natural("on").map(ObjectId).filter(|_| on_stage3d),
        }
    }

    /// Returns the name of a record's call, event or note, or "frame".
    pub(crate) fn name<'j>(json: &'j Json<'_>) -> &'j str {
        let values = json.as_object();
        let named = |values: &'j JsonObject<'j>| {
            ["call", "event", "note"].iter().find_map(|key| values.get(key))
        };
        match values.and_then(named) {
            Some(Json::Text(name)) => name,
            _ => "frame",
        }
    }
}

impl CallLine {
    fn read(
        name: String,
        values: &mut JsonObject<'_>,
        objects: &mut KnownObjects,
    ) -> Result<Self, BoxedKeyError> {
        let rows = named(&name);
        let Some((_, CallInfo { name: record, .. })) = rows.first() else {
            return Err(unknown(&name, CALLS.iter().map(|info| info.name)));
        };
        let on: ObjectId = take(record, values, "on")?;
        let kind = match objects.kind(on) {
            Some(kind) => kind,
            // The first call on a Stage3D defines its id (FORMAT.md).
            None if rows.iter().any(|(_, info)| info.receivers == [ObjectKind::Stage3D]) => {
                objects.add_stage3d(on)?;
                ObjectKind::Stage3D
            }
            None => return Err(wrong(record, "on", KeyError::UnknownObject(on))),
        };
        let Some((row, info)) = rows.iter().find(|(_, info)| info.receivers.contains(&kind)) else {
            return Err(CaptureErrorKind::WrongReceiver { call: record, on, is: kind }.into());
        };
        let call = Call::take(*row, kind, values)?;
        let result = match info.creates {
            Some(_) => optional(record, values, "result")?,
            None => None,
        };
        let is_request = info.creates == Some(ObjectKind::Context3D);
        let reason = if is_request { optional(record, values, "reason")? } else { None };
        let (throws, time) = (optional(record, values, "throws"), optional(record, values, "time"));
        let stack = optional(record, values, "stack");
        objects.call(on, &call, result.zip(info.creates))?;
        Ok(CallLine { on, call, result, throws: throws?, reason, time: time?, stack: stack? })
    }

    /// Creates a call without a result, an error, a reason, a time or a stack.
    pub fn new(on: ObjectId, call: Call) -> Self {
        CallLine { on, call, result: None, throws: None, reason: None, time: None, stack: None }
    }

    /// Like [`CaptureRecord::version`], but for a call.
    pub fn version(&self) -> u32 {
        if self.stack.is_some() { NOTE_VERSION } else { 1 }
    }

    pub(crate) fn to_json(&self) -> Json<'_> {
        let mut values = JsonObject::default();
        values.push("call", "", Json::text(self.call.name()));
        self.on.append("on", &mut values);
        self.call.append(&mut values);
        push(&mut values, "result", &self.result);
        push(&mut values, "throws", &self.throws);
        push(&mut values, "reason", &self.reason);
        push(&mut values, "time", &self.time);
        push(&mut values, "stack", &self.stack);
        Json::Object(values)
    }
}

impl EventLine {
    fn read(
        name: String,
        values: &mut JsonObject<'_>,
        objects: &KnownObjects,
    ) -> Result<Self, BoxedKeyError> {
        let on = take("event", values, "on")?;
        let event = match name.as_str() {
            TEXTURE_READY => EventRecord::TextureReady,
            ERROR => EventRecord::Error(take("event", values, "throws")?),
            name => return Err(unknown(name, [TEXTURE_READY, ERROR].into_iter())),
        };
        if objects.kind(on).is_none() {
            return Err(wrong("event", "on", KeyError::UnknownObject(on)));
        }
        let time = take::<OptionalParameter<f64>>("event", values, "time")?.0;
        Ok(EventLine { on, event, time })
    }

    fn to_json(&self) -> Json<'_> {
        let mut values = JsonObject::default();
        values.push("event", "", Json::text(self.event.name()));
        self.on.append("on", &mut values);
        match &self.event {
            EventRecord::TextureReady => {}
            EventRecord::Error(number) => number.append("throws", &mut values),
        }
        push(&mut values, "time", &self.time);
        Json::Object(values)
    }
}
