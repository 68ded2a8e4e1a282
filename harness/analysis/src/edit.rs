//! Changes to a capture: programs, constants, state, pictures, and any other call. The capture itself stays as it is;
//! [`apply`] makes another one, which shares the unchanged calls.
//!
//! As text, a change is a JSON object on a line of its own. `call` is the number of a call in the unchanged capture:
//!
//! | line | change |
//! |---|---|
//! | `{"call": 9, "fragment": "mov oc, v0"}` | the program of an upload, as AGAL; also `vertex`, or both |
//! | `{"call": 9, "fragmentFile": "new.agal"}` | the same from a file; also `vertexFile` |
//! | `{"call": 57, "constant": "fc0", "values": [1, 0, 0, 1]}` | sets registers before the call |
//! | `{"call": 57, "with": {"sourceFactor": "one"}}` | other arguments of the call, as in the JSON Lines form |
//! | `{"call": 57, "insert": {"call": "setCulling", "triangleFaceToCull": "none"}}` | a call before it; `on` defaults to its receiver |
//! | `{"call": 57, "delete": true}` | leaves the call out |
//! | `{"call": 31, "png": "other.png"}` | the picture of a texture's upload, of the same size; an ATF file becomes `bgra` |

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Write};
use std::sync::Arc;

use context3d::agal::asm::{AsmErrors, Listing, assemble};
use context3d::agal::{Endian, Program, Stage};
use context3d::enums::ProgramType;
use molehill_capture::data::{ByteArray, Numbers};
use molehill_capture::objects::ObjectKind;
use molehill_capture::{Call, CallLine, EVENT_VERSION, Form, Reader, Record, Writer};
use molehill_replay::image::{Image, decode_png};
use serde_json::{Map, Value};

use crate::capture::{Capture, Entry};
use crate::restore::initial;
use crate::upload::replaced_upload;

/// A change at a call of the unchanged capture. Those of one call apply in their order.
#[derive(Clone, Debug)]
pub struct Edit {
    pub call: usize,
    pub change: Change,
}

#[derive(Clone, Debug)]
pub enum Change {
    Delete,
    /// A call before this one, as a record of the JSON Lines form. Without `on`, on the same receiver.
    Insert(Map<String, Value>),
    /// Keys of the call's record with other values.
    With(Map<String, Value>),
    /// AGAL texts for an upload of a program; `None` keeps that program.
    Program {
        vertex: Option<String>,
        fragment: Option<String>,
    },
    /// Sets constants before the call: four values a register, from register `first` on.
    Constant {
        stage: Stage,
        first: u16,
        values: Vec<f64>,
    },
    /// The picture of a texture's upload.
    Picture(Image),
}

/// Why a change can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {edit}: {message}")]
pub struct EditError {
    /// Number of the change, from 1.
    pub edit: usize,
    pub message: String,
    /// The errors of the AGAL text with their lines, if it has any.
    pub agal: Option<AsmErrors>,
}

impl EditError {
    fn new(edit: usize, message: impl ToString) -> EditError {
        EditError { edit, message: message.to_string(), agal: None }
    }
}

type Result<T, E = EditError> = std::result::Result<T, E>;

/// Reads changes from their text: see [the module](self). `read` reads the files that they name.
/// Errors: invalid JSON, unknown keys, a file that can't be read, and a picture that is not a PNG.
pub fn parse(text: &str, read: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>) -> Result<Vec<Edit>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let edits = lines.enumerate().map(|(index, line)| {
        let value = serde_json::from_str(line).map_err(|error| EditError::new(index + 1, error))?;
        parse_value(value, read).map_err(|message| EditError::new(index + 1, message))
    });
    edits.collect()
}

/// Reads one change. Errors: as [`parse`], as a message.
pub fn parse_value(
    value: Value,
    read: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<Edit, String> {
    let Value::Object(mut keys) = value else { return Err("a change is a JSON object".to_owned()) };
    let call = keys.remove("call").and_then(|call| usize::try_from(call.as_u64()?).ok());
    let call = call.ok_or("\"call\" must be the number of a call")?;
    let mut file = |name: &str| read(name).map_err(|error| format!("{name}: {error}"));
    let mut program = |keys: &mut Map<String, Value>, name: &str| {
        if let Some(path) = text(keys, &format!("{name}File"))? {
            let text = String::from_utf8(file(&path)?);
            return text.map(Some).map_err(|_| format!("{path}: not a text"));
        }
        text(keys, name)
    };
    let (vertex, fragment) = (program(&mut keys, "vertex")?, program(&mut keys, "fragment")?);
    let change = if vertex.is_some() || fragment.is_some() {
        Change::Program { vertex, fragment }
    } else if let Some(register) = text(&mut keys, "constant")? {
        constant(&register, keys.remove("values"))?
    } else if let Some(path) = text(&mut keys, "png")? {
        let picture = decode_png(&file(&path)?);
        Change::Picture(picture.map_err(|error| format!("{path}: {error}"))?)
    } else if let Some(Value::Object(call)) = keys.remove("insert") {
        Change::Insert(call)
    } else if let Some(Value::Object(arguments)) = keys.remove("with") {
        Change::With(arguments)
    } else if keys.remove("delete") == Some(Value::Bool(true)) {
        Change::Delete
    } else {
        let keys = r#""vertex", "fragment", "constant", "with", "insert", "delete" and "png""#;
        return Err(format!("expected one of {keys}"));
    };
    match keys.keys().next() {
        Some(key) => Err(format!("unknown key {key:?}")),
        None => Ok(Edit { call, change }),
    }
}

fn text(keys: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match keys.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name:?} must be a text")),
    }
}

/// The stage and the number of `vc4` or `fc0`.
fn register(text: &str) -> Option<(Stage, u16)> {
    let (letter, number) = text.split_at_checked(2)?;
    let stage = match letter {
        "vc" => Stage::Vertex,
        "fc" => Stage::Fragment,
        _ => return None,
    };
    Some((stage, number.parse().ok()?))
}

/// `vc4` or `fc0`, and its values.
fn constant(name: &str, values: Option<Value>) -> Result<Change, String> {
    let wrong = || format!("{name:?} is not a register such as vc4 or fc0");
    let (stage, first) = register(name).ok_or_else(wrong)?;
    let number = |value: &Value| match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_f64(),
    };
    let values = values.as_ref().and_then(Value::as_array);
    let values = values.and_then(|all| all.iter().map(number).collect::<Option<Vec<f64>>>());
    let values = values.filter(|values| !values.is_empty() && values.len().is_multiple_of(4));
    let values = values.ok_or("\"values\" must be a list of four numbers for each register")?;
    Ok(Change::Constant { stage, first, values })
}

/// What a change can begin with, for a person who then alters it.
#[derive(Clone, Copy, Debug)]
pub enum Draft<'a> {
    /// The program of an upload.
    Program(usize, Stage),
    /// The picture of an upload.
    Picture(usize),
    /// The arguments of a call.
    Call(usize),
    /// A value at a call, by its name and text in [`StateReport`](crate::state::StateReport), and the call that set it.
    Value(usize, (&'a str, &'a str), Option<usize>),
}

impl Draft<'_> {
    /// A change that leaves everything as it is; a picture's has no file yet. Errors: a value that can't be changed, a
    /// program that can't be decoded, and a capture that can't be read.
    pub fn change(self, capture: &Capture) -> Result<Map<String, Value>, String> {
        let line = |call: usize| -> Result<Arc<CallLine>, String> {
            Ok(capture.call(call).map_err(|error| error.to_string())?.1)
        };
        let keys = |call: usize, line: &CallLine, without: &[&str]| -> Result<Value, String> {
            let mut keys =
                Editing { capture, number: 1, call }.keys(line).map_err(|it| it.message)?;
            keys.retain(|key, _| !without.contains(&key.as_str()));
            Ok(keys.into())
        };
        let mut values = Value::Null;
        let (call, key, value) = match self {
            Draft::Program(at, stage) => (at, stage.name(), listing(&*line(at)?, stage)?.into()),
            Draft::Picture(call) => (call, "png", "".into()),
            Draft::Call(at) => {
                (at, "with", keys(at, &*line(at)?, &["call", "on", "result", "stack"])?)
            }
            Draft::Value(at, (name, text), _) if register(name).is_some() => {
                let number = |word: &str| {
                    let value = word.parse().ok().filter(|value: &f64| value.is_finite());
                    value.map_or(word.into(), Value::from)
                };
                values = text.split(", ").map(number).collect();
                (at, "constant", name.into())
            }
            Draft::Value(at, _, Some(origin)) => {
                (at, "insert", keys(origin, &*line(origin)?, &["on", "stack"])?)
            }
            Draft::Value(at, (name, _), None) => {
                let first = initial(name).ok_or_else(|| format!("{name} can't be changed"))?;
                (at, "insert", keys(at, &CallLine::new(line(at)?.on, first), &["on"])?)
            }
        };
        let change = [("call", call.into()), (key, value), ("values", values)];
        let change = change.into_iter().filter(|(_, value)| !value.is_null());
        Ok(change.map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

/// The AGAL of a program's upload.
fn listing(line: &CallLine, stage: Stage) -> Result<String, String> {
    let Call::ProgramUpload { vertex_program, fragment_program } = &line.call else {
        return Err("the call uploads no program".to_owned());
    };
    let bytes = if stage == Stage::Vertex { vertex_program } else { fragment_program };
    let bytes = bytes.0.as_ref().ok_or("there is no program")?;
    let program = Program::decode(&bytes.bytes, bytes.endian, stage);
    Ok(Listing::new(&program.map_err(|error| error.to_string())?).to_string())
}

fn writer(capture: &Capture) -> io::Result<Writer<Vec<u8>>> {
    Writer::with_form(Vec::new(), capture.header(), Form::Lines, EVENT_VERSION)
}

/// Returns a call as a record of the JSON Lines form. Errors: a call without such a record.
pub(crate) fn record(capture: &Capture, line: &CallLine) -> io::Result<Map<String, Value>> {
    let mut writer = writer(capture)?;
    writer.call(line)?;
    let bytes = writer.finish()?;
    let last = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    Ok(serde_json::from_slice(last.unwrap_or_default())?)
}

/// Checks a change without making the capture. Errors: as [`apply`].
pub fn check(capture: &Capture, edit: &Edit) -> Result<()> {
    let line = capture.call(edit.call).map_err(|error| EditError::new(1, error))?.1;
    Editing { capture, number: 1, call: edit.call }.make(&edit.change, &mut Changed::from(&*line))
}

/// Makes the changed capture. Its calls are all in memory.
/// Errors: a call that the capture lacks, a change that its call doesn't allow, an invalid call, and AGAL's errors.
pub fn apply(capture: &Capture, edits: &[Edit]) -> Result<Capture> {
    let mut changed: BTreeMap<usize, Changed> = BTreeMap::new();
    for (index, edit) in edits.iter().enumerate() {
        let change = Editing { capture, number: index + 1, call: edit.call };
        let record = capture.record_index(edit.call).map_err(|error| change.error(error))?;
        let line = capture.call(edit.call).map_err(|error| change.error(error))?.1;
        change.make(&edit.change, changed.entry(record).or_insert_with(|| (&*line).into()))?;
        if let Change::Picture(_) = edit.change
            && line.call.atf_file().is_some()
            && let Some((record, created)) = change.uncompressed(&line)?
        {
            changed.insert(record, Changed::from(&created));
        }
    }
    let mut entries = Vec::new();
    for (index, record) in capture.records(0..capture.record_count()).enumerate() {
        let (_, entry) = record.map_err(|error| EditError::new(0, error))?;
        match changed.remove(&index) {
            Some(Changed { before, calls }) => entries
                .extend(before.into_iter().chain(calls).map(|line| Entry::Call(Arc::new(line)))),
            None => entries.push(entry),
        }
    }
    Ok(Capture::new(capture.header().clone(), entries))
}

/// The calls in place of a record.
struct Changed {
    before: Vec<CallLine>,
    calls: Vec<CallLine>,
}

impl From<&CallLine> for Changed {
    fn from(line: &CallLine) -> Changed {
        Changed { before: Vec::new(), calls: vec![line.clone()] }
    }
}

/// A change that is being made, with its number.
struct Editing<'a> {
    capture: &'a Capture,
    number: usize,
    call: usize,
}

impl Editing<'_> {
    fn error(&self, message: impl ToString) -> EditError {
        EditError::new(self.number, message)
    }

    fn make(&self, change: &Change, changed: &mut Changed) -> Result<()> {
        let Changed { before, calls } = changed;
        let Some(line) = calls.first_mut() else {
            return Err(self.error(format!("call {} is deleted", self.call)));
        };
        match change {
            Change::Delete => calls.clear(),
            Change::Insert(call) => {
                let mut call = call.clone();
                call.entry("on").or_insert(line.on.0.into());
                before.push(self.read(&call)?);
            }
            Change::With(arguments) => {
                let mut call = self.keys(line)?;
                call.extend(arguments.clone());
                *line = self.read(&call)?;
            }
            Change::Program { vertex, fragment } => {
                let Call::ProgramUpload { vertex_program, fragment_program } = &mut line.call
                else {
                    return Err(self.error(format!("call {} doesn't upload a program", self.call)));
                };
                let programs = [vertex_program, fragment_program];
                let texts = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)];
                for ((text, stage), program) in texts.into_iter().zip(programs) {
                    if let Some(text) = text {
                        *program = self.assembled(text, stage, program)?;
                    }
                }
            }
            Change::Constant { stage, first, values } => {
                let kind = self.capture.objects().get(&line.on).map(|object| object.kind);
                if kind != Some(ObjectKind::Context3D) {
                    return Err(self.error(format!("call {} is not on a context", self.call)));
                }
                let program_type = match stage {
                    Stage::Vertex => ProgramType::Vertex,
                    Stage::Fragment => ProgramType::Fragment,
                };
                let call = Call::SetProgramConstantsFromVector {
                    program_type: program_type.into(),
                    first_register: (*first).into(),
                    num_registers: i32::try_from(values.len() / 4).unwrap_or(i32::MAX),
                    data: Some(Numbers(values.clone())),
                };
                before.push(CallLine::new(line.on, call));
            }
            Change::Picture(image) => {
                let uploads = replaced_upload(self.capture, line, image);
                let uploads = uploads.map_err(|message| self.error(message))?;
                let with = |call| CallLine { call, ..line.clone() };
                *calls = uploads.into_iter().map(with).collect();
            }
        }
        Ok(())
    }

    /// The program of a text, in the version of the program that it replaces.
    fn assembled(&self, text: &str, stage: Stage, old: &ByteArray) -> Result<ByteArray> {
        let bytes = old.0.as_ref();
        let endian = bytes.map_or(Endian::Little, |bytes| bytes.endian);
        let old = bytes.and_then(|bytes| Program::decode(&bytes.bytes, endian, stage).ok());
        let version = old.map_or(1, |program| program.version());
        let program = assemble(text, stage, version);
        let program = program.map_err(|errors| EditError {
            agal: Some(errors.clone()),
            ..self.error(format!("the {} program, {errors}", stage.name()))
        })?;
        Ok(ByteArray::from(program.encode()))
    }

    fn keys(&self, line: &CallLine) -> Result<Map<String, Value>> {
        record(self.capture, line).map_err(|error| self.error(error))
    }

    /// Reads a call from its record, after the calls that create its objects.
    fn read(&self, call: &Map<String, Value>) -> Result<CallLine> {
        let failed = |error: io::Error| self.error(error);
        let created = self.capture.objects().values().map(|object| object.created);
        let created: BTreeSet<usize> = created.filter(|it| (1..self.call).contains(it)).collect();
        let mut writer = writer(self.capture).map_err(failed)?;
        for number in created {
            let line = self.capture.call(number).map_err(|error| self.error(error))?.1;
            writer.call(&line).map_err(failed)?;
        }
        let mut bytes = writer.finish().map_err(failed)?;
        writeln!(bytes, "{}", Value::Object(call.clone())).map_err(failed)?;
        let reader = Reader::new(Cursor::new(bytes));
        let mut found = None;
        for record in reader.map_err(|error| self.error(error.kind))? {
            found = Some(record.map_err(|error| self.error(error.kind))?.1);
        }
        let Some(Record::Call(line)) = found else {
            return Err(self.error("the record is not a call"));
        };
        // The order of bytes is written only where it is unusual.
        let (known, order) = (self.keys(&line)?, |key: &String| key.ends_with("Endian"));
        match call.keys().find(|key| !known.contains_key(*key) && !order(key)) {
            Some(key) => Err(self.error(format!("{} has no key {key:?}", line.call.name()))),
            None => Ok(line),
        }
    }

    /// The record that creates an upload's texture, with the format `bgra`.
    fn uncompressed(&self, line: &CallLine) -> Result<Option<(usize, CallLine)>> {
        let failed = |error: crate::InspectError| self.error(error);
        let Some(object) = self.capture.objects().get(&line.on) else { return Ok(None) };
        let record = self.capture.record_index(object.created).map_err(failed)?;
        let created = self.capture.call(object.created).map_err(failed)?.1;
        let mut keys = self.keys(&created)?;
        keys.insert("format".to_owned(), "bgra".into());
        let change = Editing { call: object.created, ..*self };
        Ok(Some((record, change.read(&keys)?)))
    }
}
