//! Makes the buffers of a capture smaller: fewer indices, and only the vertices that indices refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use context3d::agal::Endian;
use molehill_capture::data::{ByteArray, Bytes, Floats, Numbers, Uints};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::capture::Entry;
use crate::minimize::Search;

/// Tries smaller index buffers, then removes the vertices that no index refers to.
pub(crate) fn shrink_buffers(search: &mut Search<'_>) {
    let created = search.records.iter().filter_map(|entry| match entry {
        Entry::Call(line) => Some((line.result?, count_of(line)?)),
        _ => None,
    });
    let created: Vec<(ObjectId, usize)> = created.collect();
    for (id, mut count) in created {
        // First cuts indices at the end, as many at once as possible, then at the start.
        for from_start in [false, true] {
            let kept = |fewer: usize, count: usize| match from_start {
                false => 0..fewer,
                true => count - fewer..count,
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

/// The number of indices of the buffer that a call creates; `None` for other calls.
fn count_of(line: &CallLine) -> Option<usize> {
    match line.call {
        Call::CreateIndexBuffer { num_indices, .. } => usize::try_from(num_indices).ok(),
        _ => None,
    }
}

/// Tries the capture with some calls changed. `change` returns the new call, `Some(None)` to remove it, or `None` to
/// keep it as it is. Returns whether the result still shows the fault and was accepted.
fn rewrite(search: &mut Search<'_>, change: impl Fn(&CallLine) -> Option<Option<Call>>) -> bool {
    let records = search.records.iter().filter_map(|entry| {
        let Entry::Call(line) = entry else {
            return Some(entry.clone());
        };
        match change(line) {
            None => Some(entry.clone()),
            Some(call) => {
                let line = CallLine::clone(line);
                call.map(|call| Entry::Call(Arc::new(CallLine { call, ..line })))
            }
        }
    });
    let records = records.collect();
    search.take(records)
}

/// Cuts an index buffer to a range of its indices, and moves the first index of its draws accordingly.
fn cut_indices(search: &mut Search<'_>, id: ObjectId, kept: Range<usize>) -> bool {
    let earlier = number(kept.start);
    rewrite(search, |line| match &line.call {
        Call::CreateIndexBuffer { buffer_usage, .. } if line.result == Some(id) => {
            Some(Some(Call::CreateIndexBuffer {
                num_indices: number(kept.len()),
                buffer_usage: buffer_usage.clone(),
            }))
        }
        Call::DrawTriangles { index_buffer: Some(buffer), first_index, num_triangles }
            if buffer.0 == id && earlier > 0 =>
        {
            Some(Some(Call::DrawTriangles {
                index_buffer: Some(*buffer),
                first_index: first_index.saturating_sub(earlier).max(0),
                num_triangles: *num_triangles,
            }))
        }
        call if line.on == id => {
            let (start, indices) = indices(call)?;
            let end = (start + indices.len()).min(kept.end);
            let first = start.max(kept.start);
            let indices = indices.get(first - start..end.saturating_sub(start));
            let indices = indices.filter(|indices| !indices.is_empty());
            Some(indices.map(|indices| upload_indices(first - kept.start, indices)))
        }
        _ => None,
    })
}

/// Removes the vertices that no index refers to, from all buffers at once.
fn compact(search: &mut Search<'_>) -> bool {
    let calls = || {
        search.records.iter().filter_map(|entry| match entry {
            Entry::Call(line) => Some(line),
            _ => None,
        })
    };
    let uploads = calls().filter_map(|line| indices(&line.call));
    let used: BTreeSet<u32> = uploads.flat_map(|(_, indices)| indices).collect();
    let used: Vec<u32> = used.into_iter().collect();
    let rank = |old: usize| used.partition_point(|one| (*one as usize) < old);
    let strides = calls().filter_map(|line| match line.call {
        Call::CreateVertexBuffer { data32_per_vertex, .. } => {
            Some((line.result?, usize::try_from(data32_per_vertex).ok()?))
        }
        _ => None,
    });
    let strides: BTreeMap<ObjectId, usize> = strides.collect();
    let change = |line: &CallLine| match &line.call {
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage } => {
            Some(Some(Call::CreateVertexBuffer {
                num_vertices: number(rank(usize::try_from(*num_vertices).ok()?).max(1)),
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
    let change = |line: &CallLine| change(line).filter(|new| new.as_ref() != Some(&line.call));
    rewrite(search, change)
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The first position and the indices of an index buffer upload; `None` for other calls and invalid arguments.
fn indices(call: &Call) -> Option<(usize, Vec<u32>)> {
    let size = |value: i32| usize::try_from(value).ok();
    match call {
        Call::IndexBufferUploadFromVector { data: Some(Uints(all)), start_offset, count } => {
            Some((size(*start_offset)?, all.get(..size(*count)?)?.to_vec()))
        }
        Call::IndexBufferUploadFromByteArray {
            data: ByteArray(Some(Bytes { bytes, endian })),
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
        start_offset: number(start),
        count: number(indices.len()),
    }
}

/// A vertex upload with only the used vertices (`used` is sorted), of `stride` 32-bit values each. `Some(None)` if it
/// has no used vertex; `None` for other calls and invalid arguments.
fn vertices(call: &Call, stride: usize, used: &[u32]) -> Option<Option<Call>> {
    let size = |value: i32| usize::try_from(value).ok();
    let (start, count) = match call {
        Call::VertexBufferUploadFromVector { start_vertex, num_vertices, .. }
        | Call::VertexBufferUploadFromFloatVector { start_vertex, num_vertices, .. }
        | Call::VertexBufferUploadFromByteArray { start_vertex, num_vertices, .. } => {
            (size(*start_vertex)?, size(*num_vertices)?)
        }
        _ => return None,
    };
    let kept: Vec<usize> = used.iter().map(|old| *old as usize).collect();
    let first = kept.partition_point(|old| *old < start);
    let end = kept.partition_point(|old| *old < start + count);
    let kept = kept.get(first..end)?;
    if kept.is_empty() {
        return Some(None);
    }
    let (start_vertex, num_vertices) = (number(first), number(kept.len()));
    let row = |old: &usize, size: usize| (old - start) * size..(old - start + 1) * size;
    Some(Some(match call {
        Call::VertexBufferUploadFromVector { data: Some(Numbers(all)), .. } => {
            let rows = kept.iter().map(|old| all.get(row(old, stride)));
            Call::VertexBufferUploadFromVector {
                data: Some(Numbers(rows.collect::<Option<Vec<_>>>()?.concat())),
                start_vertex,
                num_vertices,
            }
        }
        Call::VertexBufferUploadFromFloatVector { data: Some(Floats(all)), .. } => {
            let rows = kept.iter().map(|old| all.get(row(old, stride)));
            Call::VertexBufferUploadFromFloatVector {
                data: Some(Floats(rows.collect::<Option<Vec<_>>>()?.concat())),
                start_vertex,
                num_vertices,
            }
        }
        Call::VertexBufferUploadFromByteArray {
            data: ByteArray(Some(Bytes { bytes, endian })),
            byte_array_offset,
            ..
        } => {
            let bytes = bytes.get(size(*byte_array_offset)?..)?;
            let rows = kept.iter().map(|old| bytes.get(row(old, stride * 4)));
            Call::VertexBufferUploadFromByteArray {
                data: ByteArray(Some(Bytes {
                    bytes: rows.collect::<Option<Vec<_>>>()?.concat(),
                    endian: *endian,
                })),
                byte_array_offset: 0,
                start_vertex,
                num_vertices,
            }
        }
        _ => return None,
    }))
}
