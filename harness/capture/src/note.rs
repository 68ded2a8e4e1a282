//! Notes: annotations that the host adds to a capture, such as object names, marker regions and call stacks.

use crate::error::KeyError;
use crate::json::{Json, JsonObject};
use crate::keys::{BoxedKeyError, take, unknown, wrong};
use crate::known_objects::KnownObjects;
use crate::object::ObjectId;
use crate::value::{CallField, ParameterValue};

/// An annotation in a capture, for display. Replays ignore notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureNote {
    /// Names an object. A later note replaces the name.
    Name {
        /// The id of the object.
        on: ObjectId,
        /// The name of the object.
        text: String,
    },
    /// Begins a marker region (like `glPushDebugGroup`). Regions nest; the end of the frame ends all regions.
    Begin(String),
    /// Ends the innermost marker region.
    End,
    /// An ActionScript call stack, the innermost function first. Later calls refer to the stack by its number; a later
    /// stack with the same number replaces the stack.
    Stack {
        /// The number by which calls refer to the stack.
        number: u32,
        /// The names of the stack's functions, innermost first.
        functions: Vec<String>,
    },
}

const NAME: &str = "name";
const BEGIN: &str = "begin";
const END: &str = "end";
const STACK: &str = "stack";

impl CaptureNote {
    pub(crate) fn read(
        kind: &str,
        values: &mut JsonObject<'_>,
        objects: &KnownObjects,
    ) -> Result<Self, BoxedKeyError> {
        Ok(match kind {
            NAME => {
                let on = take("note", values, "on")?;
                if objects.kind(on).is_none() {
                    return Err(wrong("note", "on", KeyError::UnknownObject(on)));
                }
                CaptureNote::Name { on, text: take("note", values, "text")? }
            }
            BEGIN => CaptureNote::Begin(take("note", values, "text")?),
            END => CaptureNote::End,
            STACK => CaptureNote::Stack {
                number: take("note", values, "number")?,
                functions: take("note", values, "functions")?,
            },
            kind => return Err(unknown(kind, [NAME, BEGIN, END, STACK].into_iter())),
        })
    }

    pub(crate) fn to_json(&self) -> Json<'_> {
        let mut values = JsonObject::default();
        let mut kind = |kind| values.push("note", "", Json::text(kind));
        match self {
            CaptureNote::Name { on, text } => {
                kind(NAME);
                on.append("on", &mut values);
                text.append("text", &mut values);
            }
            CaptureNote::Begin(text) => {
                kind(BEGIN);
                text.append("text", &mut values);
            }
            CaptureNote::End => kind(END),
            CaptureNote::Stack { number, functions } => {
                kind(STACK);
                number.append("number", &mut values);
                values.push("functions", "", functions.to_json());
            }
        }
        Json::Object(values)
    }

    /// Returns the object that the note names.
    pub fn object(&self) -> Option<ObjectId> {
        if let CaptureNote::Name { on, .. } = self { Some(*on) } else { None }
    }

    /// Returns whether the note affects only its own frame.
    pub fn ends_with_frame(&self) -> bool {
        match self {
            CaptureNote::Begin(_) | CaptureNote::End => true,
            CaptureNote::Name { .. } | CaptureNote::Stack { .. } => false,
        }
    }

    /// Returns the size of the note's strings in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            CaptureNote::Name { text, .. } | CaptureNote::Begin(text) => text.len(),
            CaptureNote::End => 0,
            CaptureNote::Stack { functions, .. } => functions.iter().map(String::len).sum(),
        }
    }
}
