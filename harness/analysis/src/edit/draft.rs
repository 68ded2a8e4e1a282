//! Drafts of edits: edits that initially change nothing, for a user to alter.

use context3d::agal::Stage;
use molehill_capture::CallLine;
use serde_json::{Map, Value};

use super::{Reason, listing, record, register};
use crate::capture::Capture;
use crate::state_items::initial;

/// The call or value for which a draft is created.
#[derive(Clone, Copy, Debug)]
pub enum Draft<'a> {
    Program(usize, Stage),
    Picture(usize),
    Call(usize),
    /// A value at a call: its name and text in [`StateReport`](crate::state::StateReport), and the call that set it.
    Value(usize, (&'a str, &'a str), Option<usize>),
}

impl Draft<'_> {
    /// Returns an edit that changes nothing. For an image, the caller must add the image file to the edit. Errors: a
    /// value that can't be edited, a program that can't be decoded, or a capture that can't be read.
    pub fn change(self, capture: &Capture) -> Result<Map<String, Value>, String> {
        self.keys(capture).map_err(|reason| reason.to_string())
    }

    fn keys(self, capture: &Capture) -> Result<Map<String, Value>, Reason> {
        let line = |call: usize| capture.call(call).map(|(_, line)| line);
        let keys = |line: &CallLine, without: &[&str]| -> Result<Value, Reason> {
            let mut keys = record(capture, line)?;
            keys.retain(|key, _| !without.contains(&key.as_str()));
            Ok(keys.into())
        };
        let mut values = Value::Null;
        let (call, key, value) = match self {
            Draft::Program(at, stage) => {
                (at, stage.name(), listing(&line(at)?.call, stage, false)?.into())
            }
            Draft::Picture(call) => (call, "png", "".into()),
            Draft::Call(at) => (at, "with", keys(&*line(at)?, &["call", "on", "result", "stack"])?),
            Draft::Value(at, (name, text), _) if register(name).is_some() => {
                let number = |word: &str| {
                    let value = word.parse().ok().filter(|value: &f64| value.is_finite());
                    value.map_or(word.into(), Value::from)
                };
                values = text.split(", ").map(number).collect();
                (at, "constant", name.into())
            }
            Draft::Value(at, _, Some(origin)) => {
                (at, "insert", keys(&*line(origin)?, &["on", "stack"])?)
            }
            Draft::Value(at, (name, _), None) => {
                let first = initial(name).ok_or_else(|| format!("{name} can't be changed"))?;
                (at, "insert", keys(&CallLine::new(line(at)?.on, first), &["on"])?)
            }
        };
        let keys = [("call", call.into()), (key, value), ("values", values)].into_iter();
        let given = keys.filter(|(_, value)| !value.is_null());
        Ok(given.map(|(key, value)| (key.to_owned(), value)).collect())
    }
}
