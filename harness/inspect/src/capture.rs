//! A capture in memory, with an index of its calls, frames and objects.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, CaptureError, Header, Reader, Record, Writer};

use crate::error::InspectError;

/// What is read of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last frame; later calls are not read.
    pub last_frame: Option<u32>,
    /// Most bytes of lines.
    pub bytes: u64,
}

impl Default for Limits {
    /// The whole capture, up to 4 GiB.
    fn default() -> Self {
        Limits {
            last_frame: None,
            bytes: 4 << 30,
        }
    }
}

/// Some calls that end with an SWF frame; the last ones may lack the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The capture's number; of calls behind the last frame, one more.
    pub number: u32,
    /// Numbers of its calls.
    pub calls: Range<usize>,
    /// Whether the capture says that it ends.
    pub ended: bool,
    /// Its records, with the one that ends it.
    pub records: Range<usize>,
}

/// An object of the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its class.
    pub kind: ObjectKind,
    /// What it was created as: `512×512 bgra`.
    pub shape: String,
    /// The call that created it, or first named it; 0 for none.
    pub created: usize,
}

/// The calls of a capture.
#[derive(Clone, Debug)]
pub struct Capture {
    header: Header,
    /// Shared by captures that are made from this one.
    records: Vec<(u64, Arc<Record>)>,
    /// By call: its record.
    calls: Vec<usize>,
    frames: Vec<Frame>,
    objects: BTreeMap<ObjectId, Object>,
    /// Of the lines that were read.
    bytes: u64,
    /// Why reading ended early.
    failure: Option<String>,
}

impl Capture {
    /// Reads a capture. An invalid line ends it: see [`Capture::failure`].
    ///
    /// # Errors
    /// [`InspectError::TooLarge`], and [`InspectError::Capture`] if there is nothing before the invalid line.
    pub fn read(reader: &mut Reader, limits: Limits) -> Result<Capture, InspectError> {
        let header = reader.header().clone();
        let (mut records, mut bytes) = (Vec::new(), 0u64);
        let mut failed: Option<CaptureError> = None;
        while let Some(record) = reader.next() {
            bytes = bytes.saturating_add(reader.line_bytes() as u64);
            if bytes > limits.bytes {
                return Err(InspectError::TooLarge(limits.bytes));
            }
            match record {
                Ok((line, record)) => records.push((line, Arc::new(record))),
                Err(error) => failed = Some(error),
            }
            if let (Some(last), Some((_, record))) = (limits.last_frame, records.last())
                && matches!(**record, Record::Frame(frame) if frame >= last)
            {
                break;
            }
        }
        match failed {
            Some(error) if records.is_empty() => Err(InspectError::Capture(error)),
            failed => {
                let mut capture = Capture::index(header, records);
                capture.bytes = bytes;
                capture.failure = failed.map(|error| error.to_string());
                Ok(capture)
            }
        }
    }

    /// A capture of these lines, which are numbered anew.
    pub fn new(
        header: Header,
        records: impl IntoIterator<Item = impl Into<Arc<Record>>>,
    ) -> Capture {
        let records = records.into_iter().map(Into::into);
        Capture::index(header, (2..).zip(records).collect())
    }

    fn index(header: Header, records: Vec<(u64, Arc<Record>)>) -> Capture {
        let mut capture = Capture {
            header,
            calls: Vec::new(),
            frames: Vec::new(),
            objects: BTreeMap::new(),
            bytes: 0,
            failure: None,
            records: Vec::new(),
        };
        let (mut first_call, mut first_record, mut next) = (1, 0, 0);
        for (place, (_, record)) in records.iter().enumerate() {
            match &**record {
                Record::Call(line) => {
                    capture.calls.push(place);
                    capture.note_objects(line);
                }
                Record::Event(_) => {}
                Record::Frame(number) => {
                    capture.frames.push(Frame {
                        number: *number,
                        calls: first_call..capture.calls.len() + 1,
                        ended: true,
                        records: first_record..place + 1,
                    });
                    (first_call, first_record) = (capture.calls.len() + 1, place + 1);
                    next = number.saturating_add(1);
                }
            }
        }
        if first_record < records.len() {
            capture.frames.push(Frame {
                number: next,
                calls: first_call..capture.calls.len() + 1,
                ended: false,
                records: first_record..records.len(),
            });
        }
        capture.records = records;
        capture
    }

    fn note_objects(&mut self, line: &CallLine) {
        let created = self.calls.len();
        let is_stage = line.call.info().receivers == [ObjectKind::Stage3D];
        if is_stage {
            self.objects.entry(line.on).or_insert(Object {
                kind: ObjectKind::Stage3D,
                shape: String::new(),
                created,
            });
        }
        if let (Some(id), Some(kind)) = (line.result, line.call.creates()) {
            let shape = shape(&line.call);
            let object = Object {
                kind,
                shape,
                created,
            };
            self.objects.insert(id, object);
        }
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the lines that were read; 0 if the capture was made from records.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Why reading ended early: an invalid line.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The number of calls, and so the number of the last one.
    pub fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// All objects by id.
    pub fn objects(&self) -> &BTreeMap<ObjectId, Object> {
        &self.objects
    }

    /// A call with its line in the file.
    ///
    /// # Errors
    /// [`InspectError::NoCall`]
    pub fn call(&self, call: usize) -> Result<(u64, &CallLine), InspectError> {
        let place = self.place(call)?;
        match self.records.get(place) {
            Some((line, record)) => match &**record {
                Record::Call(call) => Ok((*line, call)),
                Record::Frame(_) | Record::Event(_) => Err(self.no_call(call)),
            },
            None => Err(self.no_call(call)),
        }
    }

    /// A frame.
    ///
    /// # Errors
    /// [`InspectError::NoFrame`]
    pub fn frame(&self, number: u32) -> Result<&Frame, InspectError> {
        let found = self.frames.iter().find(|frame| frame.number == number);
        let ends = self.frames.first().zip(self.frames.last());
        found.ok_or(InspectError::NoFrame {
            frame: number,
            there: ends.map(|(first, last)| (first.number, last.number)),
        })
    }

    /// The frame of a call.
    pub fn frame_of(&self, call: usize) -> Option<&Frame> {
        let after = self.frames.partition_point(|frame| frame.calls.end <= call);
        self.frames.get(after)
    }

    /// All records with their lines.
    pub fn records(&self) -> &[(u64, Arc<Record>)] {
        &self.records
    }

    /// The place of a call among [`Capture::records`].
    ///
    /// # Errors
    /// [`InspectError::NoCall`]
    pub fn place(&self, call: usize) -> Result<usize, InspectError> {
        let place = call.checked_sub(1).and_then(|call| self.calls.get(call));
        place.copied().ok_or_else(|| self.no_call(call))
    }

    /// Some calls, none if the range is empty.
    pub(crate) fn calls(
        &self,
        range: RangeInclusive<usize>,
    ) -> Result<RangeInclusive<usize>, InspectError> {
        if range.is_empty() {
            return Err(InspectError::EmptyRange);
        }
        self.place(*range.start())?;
        self.place(*range.end())?;
        Ok(range)
    }

    fn no_call(&self, call: usize) -> InspectError {
        InspectError::NoCall {
            call,
            last: self.calls.len(),
        }
    }

    /// A short name of an object: `texture#7`.
    pub fn name(&self, id: ObjectId) -> String {
        let kind = self.objects.get(&id).map(|object| object.kind);
        let word = match kind {
            None => "object",
            Some(ObjectKind::Stage3D) => "stage3d",
            Some(ObjectKind::Context3D) => "context",
            Some(ObjectKind::VertexBuffer3D) => "vertices",
            Some(ObjectKind::IndexBuffer3D) => "indices",
            Some(ObjectKind::Program3D) => "program",
            Some(ObjectKind::Texture) => "texture",
            Some(ObjectKind::RectangleTexture) => "rectangle",
            Some(ObjectKind::CubeTexture) => "cube",
            Some(ObjectKind::VideoTexture) => "video",
        };
        format!("{word}#{id}")
    }

    /// The name with what the object was created as: `texture#7 "512×512 bgra"`.
    pub fn title(&self, id: ObjectId) -> String {
        let shape = self.objects.get(&id).map(|object| object.shape.as_str());
        match shape {
            None | Some("") => self.name(id),
            Some(shape) => format!("{} \"{shape}\"", self.name(id)),
        }
    }

    /// The capture as JSON Lines.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write<W: std::io::Write>(&self, output: W) -> std::io::Result<W> {
        let mut writer = Writer::new(output, &self.header)?;
        for (_, record) in &self.records {
            writer.write(record)?;
        }
        writer.finish()
    }
}

/// What a call creates.
fn shape(call: &Call) -> String {
    let format = |format: &Option<String>| {
        let text = format.as_deref().unwrap_or("null");
        text.chars().take(30).collect::<String>()
    };
    match call {
        Call::CreateTexture {
            width,
            height,
            format: kind,
            ..
        }
        | Call::CreateRectangleTexture {
            width,
            height,
            format: kind,
            ..
        } => format!("{width}×{height} {}", format(kind)),
        Call::CreateCubeTexture {
            size, format: kind, ..
        } => format!("{size}×{size} {}", format(kind)),
        Call::CreateVertexBuffer {
            num_vertices,
            data32_per_vertex,
            ..
        } => format!("{num_vertices} vertices of {data32_per_vertex}"),
        Call::CreateVertexBufferForInstances {
            num_vertices,
            data32_per_vertex,
            instances_per_element,
            ..
        } => format!(
            "{num_vertices} elements of {data32_per_vertex} for {instances_per_element} instances"
        ),
        Call::CreateIndexBuffer { num_indices, .. } => format!("{num_indices} indices"),
        Call::RequestContext3D { profile, .. } => {
            let profile = profile.0.as_ref().and_then(Option::as_deref);
            profile.unwrap_or_default().chars().take(30).collect()
        }
        _ => String::new(),
    }
}
