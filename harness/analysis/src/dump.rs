//! Calls and objects as text, and the device memory of objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;

use molehill_capture::data::ByteArray;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};
use serde::Serialize;

use crate::calls::{is_dispose, is_draw, object_bytes, payload};
use crate::edit::pattern::{CallPattern, with_draws};
use crate::error::{InspectError, Result};
use crate::evidence::CensusReport;
use crate::evidence::census::Census;
use crate::inspector::Inspector;
use crate::names::{DATA, SIDES, arguments};
use crate::notes::CallSite;
use crate::number::{ComponentNumber, text};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DumpLine {
    pub call: usize,
    pub line: u64,
    pub frame: u32,
    pub pass: u32,
    /// The receiver of the call, such as `context#2`.
    pub on: String,
    /// The name of the method or property in ActionScript.
    pub name: &'static str,
    pub arguments: Vec<(&'static str, String)>,
    /// The object that the call creates, with its size or format.
    pub result: Option<String>,
    /// The reason why the call had no effect, such as an error or a skipped draw; `None` for a successful call.
    pub failure: Option<String>,
    /// The call's bulk data: a row per vertex, triangle or register; empty unless requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Vec<ComponentNumber>>,
    #[serde(flatten)]
    pub call_site: CallSite,
}

impl fmt::Display for DumpLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DumpLine { call, frame, pass, on, name, .. } = self;
        let arguments = arguments(&self.arguments);
        write!(f, "{call:6}  {frame}.{pass}  {on}.{name}({arguments})")?;
        if let Some(result) = &self.result {
            write!(f, " -> {result}")?;
        }
        write!(f, "{}", self.call_site)?;
        self.failure.iter().try_for_each(|failure| write!(f, "  ! {failure}"))?;
        let mut rows = self.data.iter().enumerate();
        rows.try_for_each(|(at, row)| write!(f, "\n{at:14}: {}", text(row)))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectUse {
    /// The object's name with its size or format: `texture#7 "512×512 bgra"`.
    pub object: String,
    /// Total bytes of all uploads to the object.
    pub bytes: u64,
    /// The 1-based index of the call that created or first named the object; 0 if no call did.
    pub created: usize,
    pub uploads: usize,
    /// Number of calls with the object as an argument, such as calls that bind it, render to it, or draw with it.
    pub uses: usize,
    /// Number of draws while the object was bound. [`Inspector::state`] shows whether the programs read the object.
    pub draws: usize,
    pub last: usize,
    /// The call that disposed of the object, if any.
    pub disposed: Option<usize>,
}

impl ObjectUse {
    fn called(&mut self, call: usize, line: &CallLine) {
        let payload = payload(&line.call);
        self.uploads += usize::from(payload.is_some());
        self.bytes += payload.unwrap_or(0);
        self.disposed = self.disposed.or(is_dispose(&line.call).then_some(call));
    }
}

impl Inspector {
    pub fn dump(&self, calls: RangeInclusive<usize>) -> Result<Vec<DumpLine>> {
        if calls.is_empty() {
            return Err(InspectError::EmptyRange);
        }
        self.capture().record_index(*calls.end())?;
        calls.map(|call| self.line(call)).collect()
    }

    pub fn line(&self, call: usize) -> Result<DumpLine> {
        let capture = self.capture();
        let (number, line) = capture.call(call)?;
        let status = self.call_status(call)?;
        Ok(DumpLine {
            call,
            line: number,
            frame: capture.frame_of(call).map_or(0, |frame| frame.number),
            pass: status.pass,
            on: capture.name(line.on),
            name: line.call.name(),
            arguments: self.described(&line),
            data: Vec::new(),
            result: line.result.map(|id| capture.title(id)),
            failure: status.failure(),
            call_site: capture.call_site(call, &line),
        })
    }

    /// Returns the arguments as text, with bulk data last, and with the names of cube faces.
    fn described(&self, line: &CallLine) -> Vec<(&'static str, String)> {
        let capture = self.capture();
        let is_cube = |id: ObjectId| capture.kind(id) == Some(ObjectKind::CubeTexture);
        let cube = is_cube(line.on) || line.call.objects().iter().any(|(_, id)| is_cube(*id));
        let mut all = line.call.arguments(&|id| capture.name(id));
        for (name, value) in &mut all {
            let side = value.parse().ok().and_then(|side: usize| SIDES.get(side));
            if let Some(side) = side.filter(|_| cube && matches!(*name, "side" | "surfaceSelector"))
            {
                *value += &format!(" ({side})");
            }
        }
        all.sort_by_key(|(_, value)| value.chars().count() >= DATA);
        all
    }

    /// Adds all values of a call's bulk data to its dump line.
    pub fn add_data(&self, line: &mut DumpLine) -> Result<()> {
        let (_, call) = self.capture().call(line.call)?;
        let stride = match self.capture().creation(call.on).map(|it| it.call.clone()) {
            Some(
                Call::CreateVertexBuffer { data32_per_vertex, .. }
                | Call::CreateVertexBufferForInstances { data32_per_vertex, .. },
            ) => usize::try_from(data32_per_vertex).unwrap_or(1),
            _ => 4,
        };
        line.data = rows(&call.call, stride.max(1));
        Ok(())
    }

    /// Returns how often each argument value occurs in the matching calls.
    pub fn census(&self, pattern: &CallPattern) -> Result<CensusReport> {
        let capture = self.capture();
        let chosen: BTreeSet<usize> = pattern.matching(capture)?.into_iter().collect();
        let mut census = Census::default();
        with_draws(capture, pattern.calls.clone(), &mut |number, draw| {
            if chosen.contains(&number) {
                let draw = draw.map(|draw| (draw.program, draw.place));
                census.add(number, &capture.call(number)?.1.call, draw);
            }
            Ok(())
        })?;
        Ok(census.report(capture))
    }

    pub fn objects(&self) -> Result<Vec<ObjectUse>> {
        let capture = self.capture();
        let titled = capture.objects().iter().map(|(id, object)| {
            let (created, object) = (object.created, capture.title(*id));
            (*id, ObjectUse { object, created, ..ObjectUse::default() })
        });
        let mut uses: BTreeMap<ObjectId, ObjectUse> = titled.collect();
        let dry_run = self.dry_run(capture.record_count())?;
        for call in 1..=capture.call_count() {
            let (_, line) = capture.call(call)?;
            let named: Vec<ObjectId> = line.call.objects().iter().map(|(_, id)| *id).collect();
            let mut each = |ids: &[ObjectId], count: &dyn Fn(&mut ObjectUse)| {
                for id in ids {
                    uses.get_mut(id).into_iter().for_each(count);
                }
            };
            each(&named, &|used| used.last = call);
            each(&[line.on], &|used| used.last = call);
            if !dry_run.get(call).succeeded() {
                continue;
            }
            each(&[line.on], &|used| used.called(call, &line));
            each(&named, &|used| used.uses += 1);
            if is_draw(&line.call) {
                let bound = dry_run.writes.bound(line.on, call).map(|(.., id)| id);
                let mut with: Vec<ObjectId> = bound.chain(named).collect();
                with.sort_unstable();
                with.dedup();
                each(&with, &|used| used.draws += 1);
            }
        }
        Ok(uses.into_values().collect())
    }
}

/// Returns the values of a call's bulk data: rows of vertices with `stride` values, of registers, or of triangles.
/// Returns no rows for uploads of images and programs.
fn rows(call: &Call, stride: usize) -> Vec<Vec<ComponentNumber>> {
    #[expect(clippy::cast_possible_truncation, reason = "devices have these floats")]
    let floats = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
    let bytes = |data: &ByteArray, offset: i64| {
        let bytes = data.0.as_ref().map_or(&[][..], |data| &data.bytes);
        bytes.get(usize::try_from(offset).unwrap_or(0)..).unwrap_or_default().to_vec()
    };
    let words = |data: &ByteArray, offset: i64| {
        let bytes = bytes(data, offset);
        bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect::<Vec<f32>>()
    };
    let (values, width): (Vec<f32>, usize) = match call {
        Call::VertexBufferUploadFromVector { data: Some(data), .. } => (floats(&data.0), stride),
        Call::SetProgramConstantsFromVector { data: Some(data), .. } => (floats(&data.0), 4),
        Call::VertexBufferUploadFromFloatVector { data: Some(data), .. } => {
            (data.0.clone(), stride)
        }
        Call::SetProgramConstantsFromFloatVector { data: Some(data), .. } => (data.0.clone(), 4),
        Call::VertexBufferUploadFromByteArray { data, byte_array_offset, .. } => {
            (words(data, (*byte_array_offset).into()), stride)
        }
        Call::SetProgramConstantsFromByteArray { data, byte_array_offset, .. } => {
            (words(data, (*byte_array_offset).into()), 4)
        }
        Call::SetProgramConstantsFromMatrix { matrix: Some(matrix), .. } => {
            (floats(&matrix.0[..]), 4)
        }
        #[expect(clippy::cast_precision_loss, reason = "indices have 16 bits")]
        Call::IndexBufferUploadFromVector { data: Some(data), .. } => {
            (data.0.iter().map(|index| *index as f32).collect(), 3)
        }
        Call::IndexBufferUploadFromByteArray { data, byte_array_offset, .. } => {
            let bytes = bytes(data, (*byte_array_offset).into());
            let indices = bytes.as_chunks::<2>().0.iter();
            (indices.map(|index| f32::from(u16::from_le_bytes(*index))).collect(), 3)
        }
        _ => return Vec::new(),
    };
    values.chunks(width).map(|row| row.iter().copied().map(ComponentNumber).collect()).collect()
}

/// Tracks the total device memory of all objects during a capture.
#[derive(Default)]
pub struct MemoryUse {
    calls: usize,
    objects: BTreeMap<ObjectId, u64>,
}

impl MemoryUse {
    /// Returns the total bytes of all objects before the call `end`, which must never decrease.
    pub fn at(&mut self, inspector: &Inspector, end: usize) -> Result<u64> {
        for call in self.calls + 1..end {
            let (_, line) = inspector.capture().call(call)?;
            let bytes = object_bytes(&line.call).filter(|_| line.throws.is_none());
            if let Some(bytes) = bytes {
                self.objects.insert(line.result.unwrap_or(line.on), bytes);
            } else if is_dispose(&line.call) {
                self.objects.remove(&line.on);
            }
        }
        self.calls = self.calls.max(end.saturating_sub(1));
        Ok(self.objects.values().fold(0, |sum, bytes| sum.saturating_add(*bytes)))
    }
}
