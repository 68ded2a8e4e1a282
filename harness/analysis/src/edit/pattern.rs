//! Changes of all calls that match a pattern, in place of one change for each call.
//!
//! The keys of a pattern stand in a change instead of `call`:
//!
//! | key | matches |
//! |---|---|
//! | `"match": "setBlendFactors"` | calls with this name |
//! | `"where": {"sourceFactor": "one"}` | calls with these arguments, as in the JSON Lines form |
//! | `"program": 9` | calls before a draw with this program, up to the draw before it |
//! | `"object": 5` | calls on this object, and those that name it |
//! | `"frame": "last"` | calls of these frames: `last`, `all`, a number or a range like `10-20`; without it, of all |

use std::collections::BTreeMap;

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use serde_json::{Map, Value};

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::edit::record;
use crate::error::Result;
use crate::selection::Selection;

/// The calls that a change is for.
struct Pattern {
    name: String,
    arguments: Map<String, Value>,
    program: Option<ObjectId>,
    object: Option<ObjectId>,
    frames: (u32, u32),
}

/// Returns a change for each call that a change's pattern matches; the change itself if it has none. Errors: keys with
/// values of another type, frames that the capture lacks, and a pattern that matches no call.
pub(crate) fn expanded(capture: &Capture, change: Value) -> Result<Vec<Value>> {
    let Value::Object(mut keys) = change else { return Ok(vec![change]) };
    if !keys.contains_key("match") {
        return Ok(vec![keys.into()]);
    }
    let pattern = Pattern::take(capture, &mut keys)?;
    let calls = pattern.calls(capture)?;
    if calls.is_empty() {
        return Err(format!("no call matches the pattern of {}", pattern.name).into());
    }
    let with_call = |call: usize| {
        let mut keys = keys.clone();
        keys.insert("call".to_owned(), call.into());
        Value::Object(keys)
    };
    Ok(calls.into_iter().map(with_call).collect())
}

impl Pattern {
    fn take(capture: &Capture, keys: &mut Map<String, Value>) -> Result<Pattern> {
        let mut id = |key: &str| match keys.remove(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(id) => Ok(Some(ObjectId(id))),
                None => Err(format!("\"{key}\" must be the number of an object, not {value}")),
            },
        };
        let (program, object) = (id("program")?, id("object")?);
        let name = match keys.remove("match") {
            Some(Value::String(name)) => name,
            other => {
                let found = other.unwrap_or_default();
                return Err(format!("\"match\" must be the name of a call, not {found}").into());
            }
        };
        let arguments = match keys.remove("where") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(other) => {
                return Err(
                    format!("\"where\" must be an object with arguments, not {other}").into()
                );
            }
        };
        let which = match keys.remove("frame") {
            None => "all".to_owned(),
            Some(Value::String(which)) => which,
            Some(number) => number.to_string(),
        };
        let frames = which.parse::<Selection>()?.span(capture)?;
        Ok(Pattern { name, arguments, program, object, frames })
    }

    /// Returns the numbers of the calls that match.
    fn calls(&self, capture: &Capture) -> Result<Vec<usize>> {
        let (first, last) = self.frames;
        let (first, last) = (capture.frame(first)?.calls.start, capture.frame(last)?.calls.end);
        let mut matched = Vec::new();
        // The matching calls of each context since its last draw, and its program.
        let mut waiting: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
        let mut programs: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
        for number in 1..last {
            let (_, line) = capture.call(number)?;
            if let Call::SetProgram { program: Some(program) } = &line.call {
                programs.insert(line.on, program.0);
            }
            if number >= first && self.matches(capture, &line)? {
                match self.program {
                    Some(_) => waiting.entry(line.on).or_default().push(number),
                    None => matched.push(number),
                }
            }
            if is_draw(&line.call) {
                let used = waiting.remove(&line.on).unwrap_or_default();
                let is_drawn = programs.get(&line.on).copied() == self.program;
                matched.extend(used.into_iter().filter(|_| is_drawn));
            }
        }
        Ok(matched)
    }

    fn matches(&self, capture: &Capture, line: &CallLine) -> Result<bool> {
        let names = |id| line.on == id || line.call.objects().iter().any(|(_, named)| *named == id);
        if line.call.name() != self.name || !self.object.is_none_or(names) {
            return Ok(false);
        }
        if self.arguments.is_empty() {
            return Ok(true);
        }
        let record = record(capture, line).map_err(|error| error.to_string())?;
        Ok(self.arguments.iter().all(|(key, value)| record.get(key) == Some(value)))
    }
}
