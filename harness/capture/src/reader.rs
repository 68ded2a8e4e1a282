//! Reads the lines of a capture as calls.

use std::io::Read;
use std::path::Path;

use super::call::{CALLS, Call};
use super::error::{CaptureError, CaptureErrorKind, KeyError, nearest};
use super::foreign;
use super::header::Header;
use super::json::{Json, Object, parse};
use super::objects::{ObjectId, ObjectKind, Objects};
use super::source::Lines;
use super::value::{Field, Optional};

/// One line after the header.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A call.
    Call(CallLine),
    /// The end of an SWF frame, counted from 0.
    Frame(u32),
}

/// A call with its receiver, result and other metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct CallLine {
    /// The receiver.
    pub on: ObjectId,
    /// The call with its arguments.
    pub call: Call,
    /// The object that it created.
    pub result: Option<ObjectId>,
    /// Number of the Flash error that it raised in the recording player.
    pub throws: Option<u16>,
    /// Seconds since the start of the recording.
    pub time: Option<f64>,
}

/// Reads a capture line by line. The iterator returns each record with the number of its line, and ends after an error.
pub struct Reader {
    lines: Lines,
    header: Header,
    objects: Objects,
    last_frame: Option<u32>,
    failed: bool,
}

impl Reader {
    /// Opens a capture, plain or zstd; `-` is standard input.
    ///
    /// # Errors
    /// The file can't be read, or its first line is not a valid header.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        Self::from_lines(Lines::open(path)?)
    }

    /// Reads a capture, plain or zstd, from any source.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(source: impl Read + 'static) -> Result<Self, CaptureError> {
        let lines = Lines::new(source);
        Self::from_lines(lines.map_err(|error| CaptureError {
            line: 0,
            kind: CaptureErrorKind::Io(error),
        })?)
    }

    fn from_lines(mut lines: Lines) -> Result<Self, CaptureError> {
        let header = match lines.next() {
            Ok(Some(line)) => read_json(line).and_then(|json| Header::read(&json)),
            Ok(None) => Err(CaptureErrorKind::NoHeader),
            Err(kind) => Err(kind),
        };
        let header = header.map_err(|kind| match foreign::kind(lines.line()) {
            Some(what) => CaptureError {
                line: 0,
                kind: CaptureErrorKind::Foreign(what),
            },
            None => CaptureError {
                line: lines.number().max(1),
                kind,
            },
        })?;
        Ok(Reader {
            lines,
            header,
            objects: Objects::default(),
            last_frame: None,
            failed: false,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the last line read.
    pub fn line_bytes(&self) -> usize {
        self.lines.line().len()
    }

    fn record(&mut self) -> Result<Option<Record>, CaptureErrorKind> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let Json::Object(object) = read_json(line)? else {
            return Err(CaptureErrorKind::NotAnObject);
        };
        match (object.get("call"), object.get("frame")) {
            (Some(Json::Text(name)), _) => read_call(name, &object, &mut self.objects)
                .map(Record::Call)
                .map(Some),
            (Some(_), _) => Err(fault(
                "line",
                "call",
                KeyError::WrongType {
                    expected: "a string",
                },
            )),
            (None, Some(_)) => {
                let frame = key("frame", &object, "frame")?;
                if let Some(after) = self.last_frame.filter(|after| *after >= frame) {
                    return Err(CaptureErrorKind::FrameOrder { frame, after });
                }
                self.last_frame = Some(frame);
                Ok(Some(Record::Frame(frame)))
            }
            (None, None) => Err(CaptureErrorKind::NeitherCallNorFrame),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<(u64, Record), CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        match self.record() {
            Ok(record) => record.map(|record| Ok((self.lines.number(), record))),
            Err(kind) => {
                self.failed = true;
                Some(Err(CaptureError {
                    line: self.lines.number(),
                    kind,
                }))
            }
        }
    }
}

/// Number of frames in a capture, for progress displays; calls are not parsed. `None` if unknown, as for standard
/// input.
pub fn count_frames(path: &Path) -> Option<u64> {
    /// Longer lines are calls.
    const LONGEST: usize = 256;
    if !path.is_file() {
        return None;
    }
    let mut lines = Lines::open(path).ok()?;
    let mut frames = 0;
    while let Some(line) = lines.next().ok()? {
        if line.len() <= LONGEST
            && let Ok(Json::Object(object)) = read_json(line)
        {
            frames += u64::from(object.get("frame").is_some() && object.get("call").is_none());
        }
    }
    Some(frames)
}

fn read_json(line: &[u8]) -> Result<Json<'_>, CaptureErrorKind> {
    parse(line).map_err(|error| {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = text.strip_suffix(&place).unwrap_or(&text).to_owned();
        CaptureErrorKind::Json {
            column: error.column(),
            reason,
        }
    })
}

fn read_call(
    name: &str,
    object: &Object<'_>,
    objects: &mut Objects,
) -> Result<CallLine, CaptureErrorKind> {
    let Some(place) = CALLS
        .iter()
        .find(|info| info.name == name)
        .map(|info| info.name)
    else {
        let names = CALLS.iter().map(|info| info.name);
        return Err(CaptureErrorKind::UnknownCall {
            name: shortened(name),
            nearest: nearest(name, names),
        });
    };
    let on: ObjectId = key(place, object, "on")?;
    let kind = match objects.kind(on) {
        Some(kind) => kind,
        // "A Stage3D's id appears first where the program first calls it" (FORMAT.md).
        None if CALLS
            .iter()
            .any(|info| info.receivers == [ObjectKind::Stage3D] && info.name == name) =>
        {
            objects.add_stage3d(on)?;
            ObjectKind::Stage3D
        }
        None => return Err(fault(place, "on", KeyError::UnknownObject(on))),
    };
    let Some(call) = Call::read(kind, name, object) else {
        return Err(CaptureErrorKind::WrongReceiver {
            call: place,
            on,
            is: kind,
        });
    };
    let call = call?;
    let result = match call.creates() {
        Some(_) => key::<Optional<Option<ObjectId>>>(place, object, "result")?
            .0
            .flatten(),
        None => None,
    };
    objects.check(on, &call, result)?;
    let throws = key::<Optional<Option<u16>>>(place, object, "throws")?
        .0
        .flatten();
    let time = key::<Optional<Option<f64>>>(place, object, "time")?
        .0
        .flatten();
    Ok(CallLine {
        on,
        call,
        result,
        throws,
        time,
    })
}

fn key<T: Field>(
    place: &'static str,
    object: &Object<'_>,
    name: &'static str,
) -> Result<T, CaptureErrorKind> {
    T::read(object, name).map_err(|error| fault(place, name, error))
}

fn fault(place: &'static str, key: &str, fault: KeyError) -> CaptureErrorKind {
    CaptureErrorKind::Key {
        place,
        key: key.to_owned(),
        fault,
    }
}

/// Shortens a name for a message: names in a file may be megabytes.
fn shortened(name: &str) -> String {
    const MOST: usize = 60;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
