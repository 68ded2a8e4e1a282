//! Searches for a smaller capture: deletes calls, simplifies programs, textures and counts, then shrinks index and
//! vertex buffers.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use agal::generate::ProgramPair;
use context3d::agal::{Endian, Program, Rules, Stage};
use molehill_capture::data::{BitmapData, ByteArray, ByteArrayData, Floats, Numbers, Uints};
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, CaptureHeader};

use crate::calls::{integer, is_upload};
use crate::capture::{Capture, CaptureEntry};

const PROGRAM_ATTEMPTS: usize = 100;

pub(crate) fn shrink(search: &mut ShrinkSearch<'_>) {
    for index in 0..search.records.len() {
        let Some(CaptureEntry::Call(line)) = search.records.get(index).cloned() else { continue };
        match &line.call {
            Call::ProgramUpload { .. } => programs(search, index, &line),
            Call::CreateTexture { .. } => {
                if let Some(id) = line.result {
                    while halve_texture(search, id) {}
                }
            }
            call => {
                // After each accepted simplification, tries the simpler variants of the new call.
                let mut call = call.clone();
                let mut accepted = |smaller: &Call| replace(search, index, smaller.clone());
                while let Some(smaller) = smaller(&call).into_iter().find(&mut accepted) {
                    call = smaller;
                }
            }
        }
    }
}

/// Tests the capture with a record's call replaced. Returns whether the search accepted the change.
fn replace(search: &mut ShrinkSearch<'_>, index: usize, call: Call) -> bool {
    let mut records = search.records.clone();
    if let Some(CaptureEntry::Call(line)) = records.get_mut(index) {
        *line = with_call(line, call);
    }
    search.take(records)
}

/// Returns simpler variants of a call, simplest first.
fn smaller(call: &Call) -> Vec<Call> {
    let values = match call {
        Call::DrawTriangles { num_triangles: count, .. }
        | Call::DrawTrianglesInstanced { num_instances: count, .. } => match *count {
            ..0 => vec![1, 2, 4, 16, 64],
            0 | 1 => Vec::new(),
            2.. => vec![1, count / 2, count - 1],
        },
        Call::ConfigureBackBuffer { anti_alias: 1.., .. } => vec![0],
        Call::TextureUploadFromBitmapData { source: Some(source), .. }
            if source.bgra.iter().any(|byte| *byte != 255) =>
        {
            vec![255]
        }
        _ => Vec::new(),
    };
    let with = |value| {
        let mut call = call.clone();
        match &mut call {
            Call::DrawTriangles { num_triangles: number, .. }
            | Call::DrawTrianglesInstanced { num_instances: number, .. }
            | Call::ConfigureBackBuffer { anti_alias: number, .. } => *number = value,
            Call::TextureUploadFromBitmapData { source: Some(source), .. } => {
                Arc::make_mut(&mut source.bgra).fill(255);
            }
            _ => {}
        }
        call
    };
    values.into_iter().map(with).collect()
}

/// Halves the width and height of a texture that is uploaded from bitmaps. Crops mip level 0 to its upper left quarter,
/// and shifts the other levels by one.
fn halve_texture(search: &mut ShrinkSearch<'_>, id: ObjectId) -> bool {
    let half = |side: i32| if side > 1 { side / 2 } else { side };
    let large = |line: &CallLine| match &line.call {
        Call::CreateTexture { width, height, .. } => {
            line.result == Some(id) && (*width > 1 || *height > 1)
        }
        _ => false,
    };
    if !search.records.iter().any(|entry| matches!(entry, CaptureEntry::Call(line) if large(line)))
    {
        return false;
    }
    search.rewrite(|line| {
        let mut call = line.call.clone();
        match &mut call {
            Call::CreateTexture { width, height, .. } if line.result == Some(id) => {
                (*width, *height) = (half(*width), half(*height));
            }
            Call::TextureUploadFromBitmapData { source, miplevel, .. } if line.on == id => {
                match (miplevel.0.unwrap_or(0), source) {
                    (0, Some(source)) => *source = quarter(source),
                    (level, _) => miplevel.0 = Some(level.saturating_sub(1)),
                }
            }
            _ => return None,
        }
        Some(Some(call))
    })
}

fn quarter(bitmap: &BitmapData) -> BitmapData {
    let mut shape = bitmap.shape;
    let row = (shape.width as usize).saturating_mul(4).max(4);
    shape.width = shape.width.div_ceil(2);
    shape.height = shape.height.div_ceil(2);
    let rows = bitmap.bgra.chunks(row).take(shape.height as usize);
    let bytes = (shape.width as usize).saturating_mul(4);
    let bgra = rows.flat_map(|row| row.iter().take(bytes).copied());
    BitmapData { bgra: Arc::new(bgra.collect()), shape }
}

fn programs(search: &mut ShrinkSearch<'_>, index: usize, line: &CallLine) {
    let Call::ProgramUpload {
        vertex_program: ByteArray(Some(vertex)),
        fragment_program: ByteArray(Some(fragment)),
    } = &line.call
    else {
        return;
    };
    let decode = |bytes: &[u8], stage| Program::decode(bytes, Endian::Little, stage);
    let (Ok(vertex), Ok(fragment)) =
        (decode(&vertex.bytes, Stage::Vertex), decode(&fragment.bytes, Stage::Fragment))
    else {
        return;
    };
    let pair = ProgramPair { vertex, fragment, rules: Rules::NEWEST };
    if pair.link().is_err() {
        return;
    }
    agal::generate::shrink(&pair, PROGRAM_ATTEMPTS, |pair| {
        let bytes = |program: &Program| ByteArray::from(program.encode());
        let vertex_program = bytes(pair.vertex().program());
        let fragment_program = bytes(pair.fragment().program());
        replace(search, index, Call::ProgramUpload { vertex_program, fragment_program })
    });
}

/// Shrinks index buffers, then removes the vertices that no index refers to.
pub(crate) fn shrink_buffers(search: &mut ShrinkSearch<'_>) {
    let created = |line: &CallLine| match line.call {
        Call::CreateIndexBuffer { num_indices, .. } => Some((line.result?, size(num_indices)?)),
        _ => None,
    };
    let created: Vec<(ObjectId, usize)> = calls(search).filter_map(created).collect();
    for (id, mut count) in created {
        // First removes indices from the end, in the largest possible blocks, then from the start.
        for from_start in [false, true] {
            let kept = |fewer: usize, count: usize| {
                if from_start { count - fewer..count } else { 0..fewer }
            };
            let fewer = |count: usize| [3, count / 6 * 3, count / 4 * 3, count.saturating_sub(3)];
            while let Some(fewer) = fewer(count).into_iter().find(|fewer| {
                (3..count).contains(fewer) && cut_indices(search, id, kept(*fewer, count))
            }) {
                count = fewer;
            }
        }
    }
    compact(search);
}

fn calls<'s>(search: &'s ShrinkSearch<'_>) -> impl Iterator<Item = &'s CallLine> {
    search.records.iter().filter_map(CaptureEntry::call)
}

/// Reduces an index buffer to a range of its indices, and adjusts the first index of the draws that use it.
fn cut_indices(search: &mut ShrinkSearch<'_>, id: ObjectId, kept: Range<usize>) -> bool {
    let earlier = integer(kept.start);
    search.rewrite(|line| {
        let mut changed = line.call.clone();
        match &mut changed {
            Call::CreateIndexBuffer { num_indices, .. } if line.result == Some(id) => {
                *num_indices = integer(kept.len());
            }
            Call::DrawTriangles { index_buffer: Some(buffer), first_index, .. }
                if buffer.0 == id && earlier > 0 =>
            {
                *first_index = first_index.saturating_sub(earlier).max(0);
            }
            call if line.on == id => {
                let (start, indices) = indices(call)?;
                let end = (start + indices.len()).min(kept.end);
                let first = start.max(kept.start);
                let indices = indices.get(first - start..end.saturating_sub(start));
                let indices = indices.filter(|indices| !indices.is_empty());
                return Some(indices.map(|all| upload_indices(first - kept.start, all)));
            }
            _ => return None,
        }
        Some(Some(changed))
    })
}

/// Removes the vertices that no index refers to from all vertex buffers at once.
fn compact(search: &mut ShrinkSearch<'_>) -> bool {
    let uploads = calls(search).filter_map(|line| indices(&line.call));
    let sorted: BTreeSet<u32> = uploads.flat_map(|(_, indices)| indices).collect();
    let used = Vec::from_iter(sorted);
    let rank = |old: usize| used.partition_point(|one| (*one as usize) < old);
    let stride = |line: &CallLine| match line.call {
        Call::CreateVertexBuffer { data32_per_vertex: stride, .. } => {
            Some((line.result?, size(stride)?))
        }
        _ => None,
    };
    let strides: BTreeMap<ObjectId, usize> = calls(search).filter_map(stride).collect();
    let changed = |line: &CallLine| match &line.call {
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage } => {
            Some(Some(Call::CreateVertexBuffer {
                num_vertices: integer(rank(usize::try_from(*num_vertices).ok()?).max(1)),
                data32_per_vertex: *data32_per_vertex,
                buffer_usage: buffer_usage.clone(),
            }))
        }
        call => {
            if let Some((start, indices)) = indices(call) {
                let indices = indices.iter().map(|old| rank(*old as usize));
                let indices: Vec<u32> = indices.filter_map(|new| u32::try_from(new).ok()).collect();
                return Some(Some(upload_indices(start, &indices)));
            }
            let stride = *strides.get(&line.on)?;
            vertices(call, stride, &used)
        }
    };
    search.rewrite(|line| changed(line).filter(|new| new.as_ref() != Some(&line.call)))
}

fn size(value: i32) -> Option<usize> {
    usize::try_from(value).ok()
}

/// Returns the start offset and the indices of an upload, or `None` for other calls or invalid arguments.
fn indices(call: &Call) -> Option<(usize, Vec<u32>)> {
    match call {
        Call::IndexBufferUploadFromVector { data: Some(Uints(all)), start_offset, count } => {
            Some((size(*start_offset)?, all.get(..size(*count)?)?.to_vec()))
        }
        Call::IndexBufferUploadFromByteArray {
            data: ByteArray(Some(ByteArrayData { bytes, endian })),
            byte_array_offset,
            start_offset,
            count,
        } => {
            let bytes = bytes.get(size(*byte_array_offset)?..)?;
            let all = bytes.as_chunks::<2>().0.get(..size(*count)?)?;
            let value = |bytes: &[u8; 2]| match endian {
                Endian::Little => u16::from_le_bytes(*bytes),
                Endian::Big => u16::from_be_bytes(*bytes),
            };
            let all = all.iter().map(|bytes| value(bytes).into()).collect();
            Some((size(*start_offset)?, all))
        }
        _ => None,
    }
}

fn upload_indices(start: usize, indices: &[u32]) -> Call {
    Call::IndexBufferUploadFromVector {
        data: Some(Uints(indices.to_vec())),
        start_offset: integer(start),
        count: integer(indices.len()),
    }
}

/// Returns a vertex upload reduced to the vertices in `used`, which is sorted. `stride` counts 32-bit values per
/// vertex. If no vertex is used, returns `Some(None)`. If `call` isn't a vertex upload or has invalid arguments,
/// returns `None`.
fn vertices(call: &Call, stride: usize, used: &[u32]) -> Option<Option<Call>> {
    let select = |start: &mut i32, count: &mut i32| {
        let (first, end) = (size(*start)?, size(*start)? + size(*count)?);
        let from = used.partition_point(|old| (*old as usize) < first);
        let to = used.partition_point(|old| (*old as usize) < end);
        (*start, *count) = (integer(from), integer(to - from));
        Some(used.get(from..to)?.iter().map(|old| *old as usize - first).collect::<Vec<_>>())
    };
    let mut call = call.clone();
    let kept = match &mut call {
        Call::VertexBufferUploadFromVector { data, start_vertex, num_vertices } => {
            let Numbers(all) = data.as_mut()?;
            rows(all, &select(start_vertex, num_vertices)?, stride)?
        }
        Call::VertexBufferUploadFromFloatVector { data, start_vertex, num_vertices } => {
            let Floats(all) = data.as_mut()?;
            rows(all, &select(start_vertex, num_vertices)?, stride)?
        }
        Call::VertexBufferUploadFromByteArray {
            data: ByteArray(Some(ByteArrayData { bytes, .. })),
            byte_array_offset,
            start_vertex,
            num_vertices,
        } => {
            bytes.drain(..size(*byte_array_offset)?.min(bytes.len()));
            *byte_array_offset = 0;
            rows(bytes, &select(start_vertex, num_vertices)?, stride * 4)?
        }
        _ => return None,
    };
    Some((kept > 0).then_some(call))
}

/// Removes all rows except `kept`. A row is a group of `size` consecutive values. Returns the new row count, or `None`
/// if `values` lacks a row of `kept`.
fn rows<T: Clone>(values: &mut Vec<T>, kept: &[usize], size: usize) -> Option<usize> {
    let rows = kept.iter().map(|row| values.get(row * size..(row + 1) * size));
    *values = rows.collect::<Option<Vec<_>>>()?.concat();
    Some(kept.len())
}

/// The result of testing whether a capture reproduces the bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionTest {
    Shows,
    Gone,
    /// The capture can't be tested, for example because the driver fails, so the search rejects the capture.
    Unknown,
    /// Ends the search with the smallest capture so far.
    Stop,
}

pub(crate) struct ShrinkSearch<'s> {
    pub(crate) header: CaptureHeader,
    pub(crate) records: Vec<CaptureEntry>,
    /// Number of remaining tests. [`ReductionTest::Stop`] sets the number of tests to 0.
    pub(crate) left: usize,
    pub(crate) attempts: usize,
    pub(crate) unknown: usize,
    pub(crate) test: &'s mut dyn FnMut(&Capture) -> ReductionTest,
}

impl ShrinkSearch<'_> {
    /// Tests a capture of these records, and accepts the records if the capture reproduces the bug. Returns whether the
    /// search accepted the records. If the records are unchanged or no tests remain, returns false without a test.
    pub(crate) fn take(&mut self, records: Vec<CaptureEntry>) -> bool {
        if self.left == 0 || records.len() == self.records.len() && records == self.records {
            return false;
        }
        (self.left, self.attempts) = (self.left - 1, self.attempts + 1);
        let candidate = Capture::new(self.header.clone(), records.iter().cloned());
        let answer = (self.test)(&candidate);
        match answer {
            ReductionTest::Shows => self.records = records,
            ReductionTest::Gone => {}
            ReductionTest::Unknown => self.unknown += 1,
            ReductionTest::Stop => self.left = 0,
        }
        answer == ReductionTest::Shows
    }

    /// Tests the capture with changed calls. `change` returns a new call, `Some(None)` to delete the call, or `None` to
    /// leave the call unchanged. Returns whether the search accepted the changed capture.
    pub(crate) fn rewrite(
        &mut self,
        mut change: impl FnMut(&CallLine) -> Option<Option<Call>>,
    ) -> bool {
        let records = self.records.iter().filter_map(|entry| {
            let changed = entry.call().and_then(|line| Some((line, change(line)?)));
            match changed {
                None => Some(entry.clone()),
                Some((line, call)) => call.map(|call| CaptureEntry::Call(with_call(line, call))),
            }
        });
        let records = records.collect();
        self.take(records)
    }

    /// Deletes all records after the last frame that the bug needs, by binary search.
    pub(crate) fn cut_tail(&mut self) {
        let is_end = |record: &CaptureEntry| matches!(record, CaptureEntry::Frame(_));
        let last = self.records.iter().enumerate().filter(|(_, record)| is_end(record));
        let ends: Vec<usize> = last.map(|(index, _)| index + 1).collect();
        let (mut low, mut high) = (0, ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let end = ends.get(middle).copied().unwrap_or(self.records.len());
            let part = self.records.get(..end).unwrap_or_default().to_vec();
            if self.take(part) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }

    /// Deletes runs of units, long runs first, until no unit can be deleted. A unit is a list of record indices.
    pub(crate) fn delete(&mut self, units: fn(&[CaptureEntry]) -> Vec<Vec<usize>>) {
        let mut length = units(&self.records).len().div_ceil(2).max(1);
        while self.left > 0 {
            let mut smaller = false;
            let mut end = units(&self.records).len();
            // Removes calls from the end of the capture first, because later calls depend on earlier calls.
            while end > 0 && self.left > 0 {
                let start = end.saturating_sub(length);
                let all = units(&self.records);
                let run = all.get(start..end.min(all.len())).unwrap_or_default();
                let gone: HashSet<usize> = run.iter().flatten().copied().collect();
                smaller |= !gone.is_empty() && self.take(without(&self.records, &gone));
                end = start.min(units(&self.records).len());
            }
            if length > 1 {
                length = length.div_ceil(2);
            } else if !smaller {
                return;
            }
        }
    }
}

/// Returns a deletion unit per frame: its records without creations, uploads and `configureBackBuffer`.
pub(crate) fn frames(records: &[CaptureEntry]) -> Vec<Vec<usize>> {
    let mut frames = vec![Vec::new()];
    for (index, record) in records.iter().enumerate() {
        let lasting = |call: &Call| {
            call.creates().is_some()
                || is_upload(call)
                || matches!(call, Call::ConfigureBackBuffer { .. })
        };
        if let Some(frame) = frames.last_mut()
            && !matches!(record, CaptureEntry::Call(line) if lasting(&line.call))
        {
            frame.push(index);
        }
        if matches!(record, CaptureEntry::Frame(_)) {
            frames.push(Vec::new());
        }
    }
    frames.retain(|frame| !frame.is_empty());
    frames
}

/// Returns a deletion unit for each call that `wanted` selects, each frame end, each event and each annotation.
pub(crate) fn each(records: &[CaptureEntry], wanted: fn(&Call) -> bool) -> Vec<Vec<usize>> {
    let is = |record: &CaptureEntry| record.call().is_none_or(|line| wanted(&line.call));
    let some = records.iter().enumerate().filter(|(_, record)| is(record));
    some.map(|(index, _)| vec![index]).collect()
}

/// Removes the records in `gone`, and all records that refer to objects which these records create.
fn without(records: &[CaptureEntry], gone: &HashSet<usize>) -> Vec<CaptureEntry> {
    let mut there: HashSet<ObjectId> = HashSet::new();
    let kept = records.iter().enumerate().filter(|(index, record)| {
        let line = match record {
            CaptureEntry::Call(line) => line,
            CaptureEntry::Frame(_) => return !gone.contains(index),
            CaptureEntry::Event(event) => {
                return there.contains(&event.on) && !gone.contains(index);
            }
            CaptureEntry::Note(note) => {
                let known = note.object().is_none_or(|on| there.contains(&on));
                return known && !gone.contains(index);
            }
        };
        let on_stage = line.call.info().receivers == [ObjectKind::Stage3D];
        let known = (on_stage || there.contains(&line.on))
            && line.call.objects().iter().all(|(_, id)| there.contains(id));
        let kept = known && !gone.contains(index);
        there.extend(line.result.filter(|_| kept));
        kept
    });
    kept.map(|(_, record)| record.clone()).collect()
}

pub(crate) fn with_call(line: &CallLine, call: Call) -> Arc<CallLine> {
    Arc::new(CallLine { call, ..line.clone() })
}
