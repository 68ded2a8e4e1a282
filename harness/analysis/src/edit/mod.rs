//! Edits of a capture: programs, constants, state, images, and any other call. [`apply`] returns an edited copy, which
//! shares the unchanged calls.
//!
//! The text form of an edit is a line with a JSON object. `call` is a call's number in the unedited capture. A
//! [`pattern`] instead of `call` edits many calls:
//!
//! | line | change |
//! |---|---|
//! | `{"call": 9, "fragment": "mov oc, v0"}` | the program of an upload, as AGAL; also `vertex`, or both |
//! | `{"call": 9, "fragmentFile": "new.agal"}` | the same from a file; also `vertexFile` |
//! | `{"call": 57, "constant": "fc0", "values": [1, 0, 0, 1]}` | sets registers before the call |
//! | `{"call": 57, "with": {"sourceFactor": "one"}}` | other arguments of the call, as in the JSON Lines format |
//! | `{"call": 57, "insert": {"call": "setCulling", "triangleFaceToCull": "none"}}` | a call before it; `on` defaults to its receiver |
//! | `{"call": 57, "delete": true}` | leaves the call out |
//! | `{"call": 31, "with": {"side": "+y"}}` | a face of a cube by its name: `+x`, `-x`, `+y`, `-y`, `+z` or `-z` |
//! | `{"call": 31, "png": "other.png"}` | the picture of a texture's upload, of the same size; an ATF file becomes `bgra` |

mod draft;
pub mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Write};
use std::sync::Arc;

use context3d::agal::asm::{AgalListing, AsmErrors, assemble};
use context3d::agal::{Program, Stage};
use molehill_capture::data::{
    BitmapData, BitmapTargetData, ByteArray, CubeSide, MipLevel, Numbers,
};
use molehill_capture::objects::ObjectKind;
use molehill_capture::{
    Call, CallLine, CaptureReader, CaptureRecord, CaptureWriter, EVENT_VERSION, Form,
};
use molehill_replay::image::{RgbaImage, decode_png};
use serde_json::{Map, Value};

use crate::calls::{integer, texture};
use crate::capture::{Capture, CaptureEntry};
use crate::names::SIDES;
use crate::state_items::{StateItem, StateSlot};

pub use draft::Draft;

/// An edit at a call of the unedited capture. Several edits of one call are applied in order.
#[derive(Clone, Debug)]
pub struct CaptureEdit {
    pub call: usize,
    pub change: EditChange,
}

#[derive(Clone, Debug)]
pub enum EditChange {
    Delete,
    /// Inserts a call, given as a JSON Lines record, before the edited call. If the record lacks `on`, the inserted
    /// call has the receiver of the edited call.
    Insert(Map<String, Value>),
    /// Replaces values of the call's JSON Lines record, by key.
    With(Map<String, Value>),
    /// Replaces an uploaded program by AGAL source. A shader whose source is `None` is unchanged.
    Program {
        vertex: Option<String>,
        fragment: Option<String>,
    },
    /// Sets constants before the call, starting at register `first`, with four values per register.
    Constant {
        stage: Stage,
        first: u16,
        values: Vec<f64>,
    },
    Picture(RgbaImage),
}

/// The error of an edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {edit}: {message}")]
pub struct EditError {
    /// The 1-based index of the edit.
    pub edit: usize,
    pub message: String,
    /// The errors in the AGAL source, with their lines.
    pub agal: Option<AsmErrors>,
}

impl EditError {
    fn new(edit: usize, reason: impl Into<Reason>) -> EditError {
        let reason = reason.into();
        let agal = reason.downcast_ref().map(|EditedAgalError { errors, .. }| errors.clone());
        EditError { edit, message: reason.to_string(), agal }
    }
}

type Reason = Box<dyn std::error::Error>;

#[derive(Debug, thiserror::Error)]
#[error("the {} program, {errors}", stage.name())]
struct EditedAgalError {
    stage: Stage,
    errors: AsmErrors,
}

type EditResult<T, E = EditError> = std::result::Result<T, E>;

/// Parses edits from text: see [the module](self). `read` opens the files that the edits name. Errors: invalid JSON,
/// unknown keys, a pattern without matches, an unreadable file, and an image that is not a PNG.
pub fn parse(
    capture: &Capture,
    text: &str,
    read: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> EditResult<Vec<CaptureEdit>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let values = (1..).zip(lines).map(|(number, line)| {
        serde_json::from_str(line).map_err(|error| EditError::new(number, error))
    });
    parse_values(capture, values.collect::<EditResult<_>>()?, read)
}

/// Parses edits from JSON objects. Errors: those of [`parse`].
pub fn parse_values(
    capture: &Capture,
    values: Vec<Value>,
    read: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> EditResult<Vec<CaptureEdit>> {
    let mut edits = Vec::new();
    for (number, value) in (1..).zip(values) {
        let changes = pattern::expanded(capture, value);
        for change in changes.map_err(|error| EditError::new(number, error))? {
            edits.push(parse_value(change, read).map_err(|it| EditError::new(number, it))?);
        }
    }
    Ok(edits)
}

/// Parses a single edit. Errors: those of [`parse`], as a message.
pub fn parse_value(
    value: Value,
    read: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> EditResult<CaptureEdit, String> {
    let Value::Object(mut keys) = value else {
        return Err("an edit must be a JSON object".to_owned());
    };
    let call = keys.remove("call").and_then(|call| usize::try_from(call.as_u64()?).ok());
    let call = call.ok_or("\"call\" must be the number of a call")?;
    let mut file = |name: &str| read(name).map_err(|error| format!("{name}: {error}"));
    let mut program = |keys: &mut Map<String, Value>, name: &str| {
        if let Some(path) = text(keys, &format!("{name}File"))? {
            let text = String::from_utf8(file(&path)?);
            return text.map(Some).map_err(|_| format!("{path}: the file must be UTF-8 text"));
        }
        text(keys, name)
    };
    let (vertex, fragment) = (program(&mut keys, "vertex")?, program(&mut keys, "fragment")?);
    let change = if vertex.is_some() || fragment.is_some() {
        EditChange::Program { vertex, fragment }
    } else if let Some(register) = text(&mut keys, "constant")? {
        constant(&register, keys.remove("values"))?
    } else if let Some(path) = text(&mut keys, "png")? {
        let picture = decode_png(&file(&path)?);
        EditChange::Picture(picture.map_err(|error| format!("{path}: {error}"))?)
    } else if let Some(Value::Object(call)) = keys.remove("insert") {
        EditChange::Insert(call)
    } else if let Some(Value::Object(arguments)) = keys.remove("with") {
        EditChange::With(arguments)
    } else if keys.remove("delete") == Some(Value::Bool(true)) {
        EditChange::Delete
    } else {
        let keys = r#""vertex", "fragment", "constant", "with", "insert", "delete" and "png""#;
        return Err(format!("expected one of {keys}"));
    };
    match keys.keys().next() {
        Some(key) => Err(format!("unknown key {key:?}")),
        None => Ok(CaptureEdit { call, change }),
    }
}

fn text(keys: &mut Map<String, Value>, name: &str) -> EditResult<Option<String>, String> {
    match keys.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name:?} must be a string")),
    }
}

fn named_faces(keys: &mut Map<String, Value>) {
    for key in ["side", "surfaceSelector"] {
        if let Some(value) = keys.get_mut(key)
            && let Some(side) = SIDES.iter().position(|name| *value == **name)
        {
            *value = side.into();
        }
    }
}

/// Parses the stage and index of a constant register such as `vc4` or `fc0`.
fn register(text: &str) -> Option<(Stage, u16)> {
    let StateSlot { item, index } = StateSlot::from_name(text)?;
    let banks = [
        (StateItem::VertexConstants, Stage::Vertex),
        (StateItem::FragmentConstants, Stage::Fragment),
    ];
    let (_, stage) = banks.into_iter().find(|(bank, _)| *bank == item)?;
    Some((stage, u16::try_from(index).ok()?))
}

/// Parses a constant register such as `vc4` or `fc0`, and its values.
fn constant(name: &str, values: Option<Value>) -> EditResult<EditChange, String> {
    let wrong = || format!("{name:?} is not a constant register, such as vc4 or fc0");
    let (stage, first) = register(name).ok_or_else(wrong)?;
    let number = |value: &Value| match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_f64(),
    };
    let list = values.as_ref().and_then(Value::as_array);
    let numbers = list.and_then(|all| all.iter().map(number).collect::<Option<Vec<f64>>>());
    let registers = numbers.filter(|all| !all.is_empty() && all.len().is_multiple_of(4));
    let values = registers.ok_or("\"values\" must be a list of four numbers for each register")?;
    Ok(EditChange::Constant { stage, first, values })
}

/// Returns the AGAL of an uploaded program; `numbers` adds instruction numbers. Errors: a call that uploads no program,
/// and invalid bytecode.
pub(crate) fn listing(call: &Call, stage: Stage, numbers: bool) -> EditResult<String, String> {
    let Call::ProgramUpload { vertex_program, fragment_program } = call else {
        return Err("the call doesn't upload a program".to_owned());
    };
    let upload = if stage == Stage::Vertex { vertex_program } else { fragment_program };
    let bytes = upload.0.as_ref().ok_or("the program of the call is null")?;
    let decoded = Program::decode(&bytes.bytes, bytes.endian, stage);
    let program = decoded.map_err(|error| error.to_string())?;
    Ok(AgalListing { numbers, ..AgalListing::new(&program) }.to_string())
}

fn writer(capture: &Capture) -> io::Result<CaptureWriter<Vec<u8>>> {
    CaptureWriter::with_form(Vec::new(), capture.header(), Form::Lines, EVENT_VERSION)
}

/// Returns a call as a JSON Lines record. Errors: a call that can't be written as a record.
pub fn record(capture: &Capture, line: &CallLine) -> io::Result<Map<String, Value>> {
    let mut writer = writer(capture)?;
    writer.call(line)?;
    let bytes = writer.finish()?;
    let last = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    Ok(serde_json::from_slice(last.unwrap_or_default())?)
}

/// Checks an edit without creating the edited capture. Errors: those of [`apply`].
pub fn check(capture: &Capture, edit: &CaptureEdit) -> EditResult<()> {
    let made = change(capture, edit, &mut BTreeMap::new());
    made.map_err(|reason| EditError::new(1, reason))
}

/// Creates the edited capture, with all its calls in memory. Errors: a call that doesn't exist, an edit that doesn't
/// apply to its call, an invalid call, and AGAL errors.
pub fn apply(capture: &Capture, edits: &[CaptureEdit]) -> EditResult<Capture> {
    let mut changed = BTreeMap::new();
    for (number, edit) in (1..).zip(edits) {
        let made = change(capture, edit, &mut changed);
        made.map_err(|reason| EditError::new(number, reason))?;
    }
    let mut entries = Vec::new();
    for (index, record) in capture.records(0..capture.record_count()).enumerate() {
        let (_, entry) = record.map_err(|error| EditError::new(0, error))?;
        match changed.remove(&index) {
            Some(RecordReplacement { before, calls }) => entries.extend(
                before.into_iter().chain(calls).map(|line| CaptureEntry::Call(Arc::new(line))),
            ),
            None => entries.push(entry),
        }
    }
    Ok(Capture::new(capture.header().clone(), entries))
}

/// Applies an edit. `changed` maps the indices of edited records to the calls that replace them.
fn change(
    capture: &Capture,
    edit: &CaptureEdit,
    changed: &mut BTreeMap<usize, RecordReplacement>,
) -> EditResult<(), Reason> {
    let change = CallEditor { capture, call: edit.call };
    let (record, line) = (capture.record_index(edit.call)?, capture.call(edit.call)?.1);
    change.make(&edit.change, changed.entry(record).or_insert_with(|| (&*line).into()))?;
    if let (EditChange::Picture(_), Some(_)) = (&edit.change, line.call.atf_file()) {
        changed.extend(change.uncompressed(&line)?);
    }
    Ok(())
}

struct RecordReplacement {
    before: Vec<CallLine>,
    calls: Vec<CallLine>,
}

impl From<&CallLine> for RecordReplacement {
    fn from(line: &CallLine) -> RecordReplacement {
        RecordReplacement { before: Vec::new(), calls: vec![line.clone()] }
    }
}

struct CallEditor<'a> {
    capture: &'a Capture,
    call: usize,
}

impl CallEditor<'_> {
    fn make(&self, change: &EditChange, changed: &mut RecordReplacement) -> EditResult<(), Reason> {
        let (RecordReplacement { before, calls }, number) = (changed, self.call);
        let line = calls
            .first_mut()
            .ok_or_else(|| format!("call {number} is deleted by an earlier edit"))?;
        match change {
            EditChange::Delete => calls.clear(),
            EditChange::Insert(call) => {
                let mut call = call.clone();
                call.entry("on").or_insert(line.on.0.into());
                before.push(self.read(&call)?);
            }
            EditChange::With(arguments) => {
                let mut call = record(self.capture, line)?;
                call.extend(arguments.clone());
                *line = self.read(&call)?;
            }
            EditChange::Program { vertex, fragment } => {
                let Call::ProgramUpload { vertex_program, fragment_program } = &mut line.call
                else {
                    return Err(format!("call {number} doesn't upload a program").into());
                };
                let programs = [vertex_program, fragment_program];
                let texts = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)];
                for ((text, stage), program) in texts.into_iter().zip(programs) {
                    if let Some(text) = text {
                        *program = assembled(text, stage, program)?;
                    }
                }
            }
            EditChange::Constant { stage, first, values } => {
                if self.capture.kind(line.on) != Some(ObjectKind::Context3D) {
                    return Err(format!("call {number} is not a call of a Context3D").into());
                }
                let call = Call::SetProgramConstantsFromVector {
                    program_type: (*stage).into(),
                    first_register: (*first).into(),
                    num_registers: integer(values.len() / 4),
                    data: Some(Numbers(values.clone())),
                };
                before.push(CallLine::new(line.on, call));
            }
            EditChange::Picture(image) => {
                let uploads = replaced_upload(self.capture, line, image)?;
                let with = |call| CallLine { call, ..line.clone() };
                *calls = uploads.into_iter().map(with).collect();
            }
        }
        Ok(())
    }

    /// Parses a call from its record. First reads the calls that create the record's objects, because the reader
    /// rejects unknown objects.
    fn read(&self, call: &Map<String, Value>) -> EditResult<CallLine, Reason> {
        let mut call = call.clone();
        named_faces(&mut call);
        let all = self.capture.objects().values().map(|object| object.created);
        let created: BTreeSet<usize> = all.filter(|it| (1..self.call).contains(it)).collect();
        let mut writer = writer(self.capture)?;
        for number in created {
            writer.call(&self.capture.call(number)?.1)?;
        }
        let mut bytes = writer.finish()?;
        writeln!(bytes, "{}", Value::Object(call.clone()))?;
        let mut found = None;
        for record in CaptureReader::new(Cursor::new(bytes)).map_err(|error| error.kind)? {
            found = Some(record.map_err(|error| error.kind)?.1);
        }
        let Some(CaptureRecord::Call(line)) = found else {
            return Err("the edited record is not a call".into());
        };
        // A record omits the default byte order, so the search for unknown keys ignores `Endian` keys.
        let (known, order) = (record(self.capture, &line)?, |key: &String| key.ends_with("Endian"));
        match call.keys().find(|key| !known.contains_key(*key) && !order(key)) {
            Some(key) => Err(format!("{} has no key {key:?}", line.call.name()).into()),
            None => Ok(line),
        }
    }

    /// Returns the call that creates the texture, changed to the format `bgra`, and the index of its record.
    fn uncompressed(
        &self,
        line: &CallLine,
    ) -> EditResult<Option<(usize, RecordReplacement)>, Reason> {
        let Some(object) = self.capture.objects().get(&line.on) else { return Ok(None) };
        let index = self.capture.record_index(object.created)?;
        let mut keys = record(self.capture, &self.capture.call(object.created)?.1)?;
        keys.insert("format".to_owned(), "bgra".into());
        let change = CallEditor { call: object.created, ..*self };
        Ok(Some((index, RecordReplacement::from(&change.read(&keys)?))))
    }
}

/// Assembles a program for the same AGAL version as the program that it replaces.
fn assembled(text: &str, stage: Stage, old: &ByteArray) -> EditResult<ByteArray, EditedAgalError> {
    let bytes = old.0.as_ref();
    let old = bytes.and_then(|bytes| Program::decode(&bytes.bytes, bytes.endian, stage).ok());
    let version = old.map_or(1, |program| program.header_version());
    let program =
        assemble(text, stage, version).map_err(|errors| EditedAgalError { stage, errors })?;
    Ok(ByteArray::from(program.encode()))
}

/// Returns the calls that upload `image` and replace the upload `line`. An ATF upload becomes one upload per mip level.
/// Errors: a call that uploads no image, and an image of another size.
pub(crate) fn replaced_upload(
    capture: &Capture,
    line: &CallLine,
    image: &RgbaImage,
) -> EditResult<Vec<Call>, String> {
    let size = |expected: (u32, u32)| {
        let found = (image.width(), image.height());
        let ((width, height), (x, y)) = (found, expected);
        let text = || format!("the image is {width}×{height}, but the upload is {x}×{y}");
        if found == expected { Ok(()) } else { Err(text()) }
    };
    let created = capture.creation(line.on);
    let shape = created.as_ref().and_then(|line| texture(&line.call));
    let level = |level: u32| {
        let (_, width, height) = shape?;
        let side = |side: i32| Some(u32::try_from(side).ok()?.checked_shr(level)?.max(1));
        side(width).zip(side(height))
    };
    let unknown = || "the texture's size is unknown".to_owned();
    let mut call = line.call.clone();
    match &mut call {
        Call::TextureUploadFromBitmapData { source: Some(source), .. }
        | Call::TextureUploadFromBitmapDataAsync { source: Some(source), .. } => {
            size((source.shape.width, source.shape.height))?;
            *source = bitmap(image);
        }
        Call::TextureUploadFromByteArray { data, byte_array_offset, miplevel, .. }
        | Call::TextureUploadFromByteArrayAsync { data, byte_array_offset, miplevel, .. } => {
            if shape.is_none_or(|(format, ..)| format != Some("bgra")) {
                return Err("only uploads to bgra textures can be replaced".to_owned());
            }
            size(level(miplevel.0.unwrap_or(0)).ok_or_else(unknown)?)?;
            (*data, *byte_array_offset) = (ByteArray::from(image.bgra()), 0);
        }
        Call::TextureUploadCompressedFromByteArray { .. } => {
            if capture.kind(line.on) == Some(ObjectKind::CubeTexture) {
                return Err("the ATF file of a cube can't be replaced".to_owned());
            }
            size(level(0).ok_or_else(unknown)?)?;
            return Ok(levels(image));
        }
        _ => return Err(format!("{} doesn't upload an image", line.call.name())),
    }
    Ok(vec![call])
}

/// Returns the uploads of an image and all its mip levels.
fn levels(image: &RgbaImage) -> Vec<Call> {
    let (mut calls, mut level) = (Vec::new(), Some(image.clone()));
    while let Some(image) = level {
        calls.push(Call::TextureUploadFromBitmapData {
            source: Some(bitmap(&image)),
            side: CubeSide(Some(0)),
            miplevel: MipLevel(u32::try_from(calls.len()).ok()),
        });
        let (width, height) = ((image.width() / 2).max(1), (image.height() / 2).max(1));
        let is_last = (image.width(), image.height()) == (1, 1);
        level = if is_last { None } else { scaled(&image, width, height) };
    }
    calls
}

fn bitmap(image: &RgbaImage) -> BitmapData {
    let (width, height) = (image.width(), image.height());
    let shape = BitmapTargetData { width, height, transparent: true, disposed: false };
    BitmapData { shape, bgra: Arc::new(image.bgra()) }
}

/// Scales an image down. Each pixel is the mean of at most 16 source pixels.
pub(crate) fn scaled(image: &RgbaImage, across: u32, down: u32) -> Option<RgbaImage> {
    let (width, height) = (image.width(), image.height());
    let mut rgba = Vec::with_capacity(across as usize * down as usize * 4);
    for (x, y) in (0..down).flat_map(|y| (0..across).map(move |x| (x, y))) {
        let mut sum = [0u32; 4];
        for part in 0..16 {
            let (right, below) = (part % 4 * 2 + 1, part / 4 * 2 + 1);
            let (x, y) = ((x * 8 + right) * width, (y * 8 + below) * height);
            let pixel = image.pixel(x / (across * 8), y / (down * 8)).unwrap_or_default();
            sum.iter_mut().zip(pixel).for_each(|(sum, it)| *sum += u32::from(it));
        }
        rgba.extend(sum.map(|sum| u8::try_from(sum / 16).unwrap_or(u8::MAX)));
    }
    RgbaImage::from_rgba(across, down, rgba)
}
