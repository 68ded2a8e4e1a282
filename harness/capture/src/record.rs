//! Reads a record from its fields.

use super::call::{CALLS, Call, CallInfo, Rows};
use super::error::{CaptureErrorKind, KeyError, nearest};
use super::fields::{Fields, Text};
use super::header::EVENT_VERSION;
use super::json::Json;
use super::objects::{ObjectId, ObjectKind, Objects};
use super::reader::{CallLine, ERROR, Event, EventLine, Record, TEXTURE_READY};
use super::value::{Field, Optional};

/// Reads a record of a capture in `version`. If the fields are not complete, the result is not valid. A valid record is
/// added to `objects`.
pub(super) fn read_record(
    fields: &mut impl Fields,
    objects: &mut Objects,
    version: u32,
) -> Result<Record, Box<CaptureErrorKind>> {
    if let Some(rows) = text(fields, "call", rows)? {
        return read_call(rows?, fields, objects).map(Record::Call);
    }
    if let Some(frame) = key::<Optional<u32>>("frame", fields, "frame")?.0 {
        if let Some(after) = objects.last_frame.filter(|after| *after >= frame) {
            return Err(CaptureErrorKind::FrameOrder { frame, after }.into());
        }
        if fields.is_complete() {
            objects.last_frame = Some(frame);
        }
        return Ok(Record::Frame(frame));
    }
    match text(fields, "event", |name| name.as_str().to_owned())? {
        Some(name) if version >= EVENT_VERSION => {
            read_event(&name, fields, objects).map(Record::Event)
        }
        _ => Err(CaptureErrorKind::NeitherCallNorFrame.into()),
    }
}

/// Reads the string that tells what a record is.
#[inline]
fn text<T>(
    fields: &mut impl Fields,
    name: &'static str,
    read: impl FnOnce(Text<'_>) -> T,
) -> Result<Option<T>, Box<CaptureErrorKind>> {
    if !fields.find(name, "") {
        return Ok(None);
    }
    if let Some(text) = fields.text() {
        return Ok(Some(read(text)));
    }
    let text = fields.value(|value| match value {
        Json::Text(text) => Some(read(Text::Plain(text))),
        _ => None,
    });
    let expected = "a string";
    let wrong_type = || fault("line", name, KeyError::WrongType { expected });
    text.flatten().ok_or_else(wrong_type).map(Some)
}

/// The rows of the calls with this name.
#[inline]
fn rows(name: Text<'_>) -> Result<Rows, Box<CaptureErrorKind>> {
    match name.rows() {
        [] => Err(unknown_call(name.as_str())),
        rows => Ok(rows),
    }
}

#[cold]
fn unknown_call(name: &str) -> Box<CaptureErrorKind> {
    let nearest = nearest(name, CALLS.iter().map(|info| info.name));
    let name = shortened(name);
    CaptureErrorKind::UnknownCall { name, nearest }.into()
}

fn read_call(
    rows: Rows,
    fields: &mut impl Fields,
    objects: &mut Objects,
) -> Result<CallLine, Box<CaptureErrorKind>> {
    let place = rows.first().map_or("", |(_, info)| info.name);
    let on: ObjectId = key(place, fields, "on")?;
    let kind = match objects.kind(on) {
        Some(kind) => kind,
        // "A Stage3D's id appears first where the program first calls it" (FORMAT.md).
        None if rows.iter().any(|(_, info)| info.receivers == [ObjectKind::Stage3D]) => {
            objects.add_stage3d(on)?;
            ObjectKind::Stage3D
        }
        None => return Err(fault(place, "on", KeyError::UnknownObject(on))),
    };
    let has = |(_, info): &&(usize, &CallInfo)| info.receivers.contains(&kind);
    let Some((row, info)) = rows.iter().find(has) else {
        return Err(CaptureErrorKind::WrongReceiver { call: place, on, is: kind }.into());
    };
    let call = Call::read(*row, kind, fields)?;
    let result = match info.creates {
        Some(_) => key::<Optional<Option<ObjectId>>>(place, fields, "result")?.0.flatten(),
        None => None,
    };
    let throws = key::<Optional<Option<u16>>>(place, fields, "throws");
    let time = key::<Optional<Option<f64>>>(place, fields, "time");
    let complete = fields.is_complete();
    if complete {
        objects.check(on, &call, result)?;
    }
    let (throws, time) = (throws?.0.flatten(), time?.0.flatten());
    if complete && let Some((id, kind)) = result.zip(info.creates) {
        objects.add(id, kind);
    }
    Ok(CallLine { on, call, result, throws, time })
}

fn read_event(
    name: &str,
    fields: &mut impl Fields,
    objects: &Objects,
) -> Result<EventLine, Box<CaptureErrorKind>> {
    // In the order in which they are written: other orders take longer to read.
    let on = key("event", fields, "on")?;
    let event = match name {
        TEXTURE_READY => Event::TextureReady,
        ERROR => Event::Error(key("event", fields, "throws")?),
        name => {
            return Err(CaptureErrorKind::UnknownCall {
                name: shortened(name),
                nearest: nearest(name, [TEXTURE_READY, ERROR].into_iter()),
            }
            .into());
        }
    };
    if objects.kind(on).is_none() {
        return Err(fault("event", "on", KeyError::UnknownObject(on)));
    }
    let time = key::<Optional<f64>>("event", fields, "time")?.0;
    Ok(EventLine { on, event, time })
}

#[inline]
fn key<T: Field>(
    place: &'static str,
    fields: &mut impl Fields,
    name: &'static str,
) -> Result<T, Box<CaptureErrorKind>> {
    T::read(fields, name).map_err(|error| fault(place, name, *error))
}

#[cold]
fn fault(place: &'static str, key: &str, fault: KeyError) -> Box<CaptureErrorKind> {
    let key = key.to_owned();
    CaptureErrorKind::Key { place, key, fault }.into()
}

/// Shortens a name for a message: names in a file may have megabytes.
fn shortened(name: &str) -> String {
    const MOST: usize = 60;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
