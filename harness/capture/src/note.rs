//! Notes: annotations that the host adds to a capture, such as object names, marker regions and call stacks.

use crate::error::KeyError;
use crate::json::{Json, Object};
use crate::keys::{Fault, take, unknown, wrong};
use crate::known_objects::KnownObjects;
use crate::object::ObjectId;
use crate::value::{Field, Value};

/// An annotation in a capture, for display. Replays ignore notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
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

impl Note {
    pub(crate) fn read(
        kind: &str,
        values: &mut Object<'_>,
        objects: &KnownObjects,
    ) -> Result<Self, Fault> {
        Ok(match kind {
            NAME => {
                let on = take("note", values, "on")?;
                if objects.kind(on).is_none() {
                    return Err(wrong("note", "on", KeyError::UnknownObject(on)));
                }
                Note::Name { on, text: take("note", values, "text")? }
            }
            BEGIN => Note::Begin(take("note", values, "text")?),
            END => Note::End,
            STACK => Note::Stack {
                number: take("note", values, "number")?,
                functions: take("note", values, "functions")?,
            },
            kind => return Err(unknown(kind, [NAME, BEGIN, END, STACK].into_iter())),
        })
    }

    pub(crate) fn to_json(&self) -> Json<'_> {
        let mut values = Object::default();
        let mut kind = |kind| values.push("note", "", Json::text(kind));
        match self {
            Note::Name { on, text } => {
                kind(NAME);
                on.append("on", &mut values);
                text.append("text", &mut values);
            }
            Note::Begin(text) => {
                kind(BEGIN);
                text.append("text", &mut values);
            }
            Note::End => kind(END),
            Note::Stack { number, functions } => {
                kind(STACK);
                number.append("number", &mut values);
                values.push("functions", "", functions.to_json());
            }
        }
        Json::Object(values)
    }

    /// Returns the object that the note names.
    pub fn object(&self) -> Option<ObjectId> {
        if let Note::Name { on, .. } = self { Some(*on) } else { None }
    }

    /// Returns whether the note affects only its own frame.
    pub fn ends_with_frame(&self) -> bool {
        match self {
            Note::Begin(_) | Note::End => true,
            Note::Name { .. } | Note::Stack { .. } => false,
        }
    }

    /// Returns the size of the note's strings in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Note::Name { text, .. } | Note::Begin(text) => text.len(),
            Note::End => 0,
            Note::Stack { functions, .. } => functions.iter().map(String::len).sum(),
        }
    }
}
