//! Edits of all calls that match a pattern.
//!
//! An edit contains the keys of a pattern instead of `call`:
//!
//! | key | matches |
//! |---|---|
//! | `"match": "setBlendFactors"` | calls with this name |
//! | `"where": {"sourceFactor": "one"}` | calls with these arguments, as in the JSON Lines form |
//! | `"where": {"bufferOffset": "2-5"}` | calls with an argument in this range; a list matches any of its values |
//! | `"program": 9` | calls before a draw with this program, up to the draw before it |
//! | `"object": 5` | calls on this object, and those that name or create it |
//! | `"frame": "last"` | calls of these frames: `last`, `all`, a number or a range like `10-20`; without it, of all |

use std::collections::BTreeMap;
use std::ops::Range;

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use serde_json::{Map, Value};

use super::named_faces;
use crate::calls::is_draw;
use crate::capture::Capture;
use crate::edit::record;
use crate::error::Result;
use crate::selection::FrameSelection;

/// The filter of a pattern: the properties of the calls that it matches.
#[derive(Default)]
pub struct CallPattern {
    pub name: Option<String>,
    pub arguments: Map<String, Value>,
    pub program: Option<ObjectId>,
    pub object: Option<ObjectId>,
    pub calls: Range<usize>,
}

/// Expands an edit into one edit per matching call. An edit without a pattern is returned unchanged. Errors: keys of
/// the wrong type, frames that don't exist, and a pattern without matches.
pub(crate) fn expanded(capture: &Capture, change: Value) -> Result<Vec<Value>> {
    let Value::Object(mut keys) = change else { return Ok(vec![change]) };
    if !keys.contains_key("match") {
        return Ok(vec![keys.into()]);
    }
    let pattern = CallPattern::take(capture, &mut keys)?;
    let calls = pattern.matching(capture)?;
    if calls.is_empty() {
        let name = pattern.name.unwrap_or_default();
        return Err(format!("no call matches the pattern of {name}").into());
    }
    let with_call = |call: usize| {
        let mut keys = keys.clone();
        keys.insert("call".to_owned(), call.into());
        Value::Object(keys)
    };
    Ok(calls.into_iter().map(with_call).collect())
}

impl CallPattern {
    fn take(capture: &Capture, keys: &mut Map<String, Value>) -> Result<CallPattern> {
        let mut id = |key: &str| match keys.remove(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(id) => Ok(Some(ObjectId(id))),
                None => Err(format!("\"{key}\" must be the id of an object, not {value}")),
            },
        };
        let (program, object) = (id("program")?, id("object")?);
        let name = match keys.remove("match") {
            Some(Value::String(name)) => Some(name),
            other => {
                let found = other.unwrap_or_default();
                return Err(format!("\"match\" must be the name of a call, not {found}").into());
            }
        };
        let mut arguments = match keys.remove("where") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(other) => {
                return Err(
                    format!("\"where\" must be an object with arguments, not {other}").into()
                );
            }
        };
        named_faces(&mut arguments);
        let which = match keys.remove("frame") {
            None => "all".to_owned(),
            Some(Value::String(which)) => which,
            Some(number) => number.to_string(),
        };
        let (first, last) = which.parse::<FrameSelection>()?.span(capture)?;
        let calls = capture.frame(first)?.calls.start..capture.frame(last)?.calls.end;
        Ok(CallPattern { name, arguments, program, object, calls })
    }

    pub fn matching(&self, capture: &Capture) -> Result<Vec<usize>> {
        let mut matched = Vec::new();
        let mut see = |number: usize, draw: Option<NextDraw>| -> Result<()> {
            let program = draw.map(|draw| draw.program);
            if self.program.is_some() && self.program != program {
                return Ok(());
            }
            if self.matches(capture, &capture.call(number)?.1)? {
                matched.push(number);
            }
            Ok(())
        };
        match self.program {
            Some(_) => with_draws(capture, self.calls.clone(), &mut see)?,
            None => self.calls.clone().try_for_each(|number| see(number, None))?,
        }
        matched.sort_unstable();
        Ok(matched)
    }

    fn matches(&self, capture: &Capture, line: &CallLine) -> Result<bool> {
        let names = |id| {
            let mut named = line.call.objects().into_iter().map(|(_, id)| id).chain(line.result);
            line.on == id || named.any(|named| named == id)
        };
        let is_named = self.name.as_ref().is_none_or(|name| line.call.name() == name);
        if !is_named || !self.object.is_none_or(names) {
            return Ok(false);
        }
        if self.arguments.is_empty() {
            return Ok(true);
        }
        let record = record(capture, line).map_err(|error| error.to_string())?;
        Ok(self.arguments.iter().all(|(key, value)| fits(record.get(key), value)))
    }
}

/// Returns whether an argument equals a value, lies in a range, or equals any value of a list.
fn fits(found: Option<&Value>, wanted: &Value) -> bool {
    let number = found.and_then(Value::as_f64);
    found == Some(wanted)
        || match wanted {
            Value::Array(any) => any.iter().any(|one| fits(found, one)),
            Value::String(text) => {
                let range = number.and_then(|number| Some((number, range(text)?)));
                range.is_some_and(|(number, (first, last))| (first..=last).contains(&number))
            }
            _ => false,
        }
}

/// Parses the first and last number of a range, such as `2-5` or `-1-0.5`.
fn range(text: &str) -> Option<(f64, f64)> {
    let dash = text.char_indices().skip(1).find(|(_, letter)| *letter == '-')?.0;
    let (first, last) = text.split_at_checked(dash)?;
    Some((first.trim().parse().ok()?, last.get(1..)?.trim().parse().ok()?))
}

/// The draw in the call's context that follows the call.
#[derive(Clone, Copy)]
pub(crate) struct NextDraw {
    pub(crate) program: ObjectId,
    pub(crate) place: usize,
}

/// Passes each call of a range to `see`, with the next draw in the call's context.
pub(crate) fn with_draws(
    capture: &Capture,
    calls: Range<usize>,
    see: &mut dyn FnMut(usize, Option<NextDraw>) -> Result<()>,
) -> Result<()> {
    // For each context, the calls since its last draw, and the bound program.
    let mut waiting: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
    let mut programs: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    let (mut frame, mut place) = (0..0, 0);
    for number in 1..calls.end {
        let (_, line) = capture.call(number)?;
        if let Call::SetProgram { program: Some(program) } = &line.call {
            programs.insert(line.on, program.0);
        }
        if !calls.contains(&number) {
            continue;
        }
        let context = capture.context_of(line.on);
        waiting.entry(context).or_default().push(number);
        if !is_draw(&line.call) {
            continue;
        }
        if !frame.contains(&number) {
            frame = capture.frame_of(number).map_or(0..0, |it| it.calls.clone());
            place = 0;
        }
        place += 1;
        let draw = programs.get(&line.on).map(|program| NextDraw { program: *program, place });
        for call in waiting.remove(&context).unwrap_or_default() {
            see(call, draw)?;
        }
    }
    waiting.into_values().flatten().try_for_each(|call| see(call, None))
}
