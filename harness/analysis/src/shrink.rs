//! Simplifies the calls of a capture: programs, textures and counts; then buffers, with fewer indices and only the
//! vertices that they refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use agal::generate::Pair;
use context3d::agal::{Endian, Program, Rules, Stage};
use molehill_capture::data::{Bitmap, ByteArray, Bytes, Floats, Numbers, Uints};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::capture::Entry;
use crate::search::{Search, with_call};

const PROGRAM_ATTEMPTS: usize = 100;

pub(crate) fn shrink(search: &mut Search<'_>) {
    for index in 0..search.records.len() {
        let Some(Entry::Call(line)) = search.records.get(index).cloned() else { continue };
        match &line.call {
            Call::ProgramUpload { .. } => programs(search, index, &line),
            Call::CreateTexture { .. } => {
                if let Some(id) = line.result {
                    while halve_texture(search, id) {}
                }
            }
            call => {
                // Each success may make another variant possible.
                let mut call = call.clone();
                let mut accepted = |smaller: &Call| replace(search, index, smaller.clone());
                while let Some(smaller) = smaller(&call).into_iter().find(&mut accepted) {
                    call = smaller;
                }
            }
        }
    }
}

/// Tries the capture with another call in a record. Returns whether it was accepted.
fn replace(search: &mut Search<'_>, index: usize, call: Call) -> bool {
    let mut records = search.records.clone();
    if let Some(Entry::Call(line)) = records.get_mut(index) {
        *line = with_call(line, call);
    }
    search.take(records)
}

/// Simpler variants of a call, the simplest first.
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

/// Halves both sides of a texture that is filled from bitmaps. Level 0 keeps its upper left quarter; other levels move
/// up by one.
fn halve_texture(search: &mut Search<'_>, id: ObjectId) -> bool {
    let half = |side: i32| if side > 1 { side / 2 } else { side };
    let large = |line: &CallLine| match &line.call {
        Call::CreateTexture { width, height, .. } => {
            line.result == Some(id) && (*width > 1 || *height > 1)
        }
        _ => false,
    };
    if !search.records.iter().any(|entry| matches!(entry, Entry::Call(line) if large(line))) {
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

fn quarter(bitmap: &Bitmap) -> Bitmap {
    let mut shape = bitmap.shape;
    let row = (shape.width as usize).saturating_mul(4).max(4);
    shape.width = shape.width.div_ceil(2);
    shape.height = shape.height.div_ceil(2);
    let rows = bitmap.bgra.chunks(row).take(shape.height as usize);
    let bytes = (shape.width as usize).saturating_mul(4);
    let bgra = rows.flat_map(|row| row.iter().take(bytes).copied());
    Bitmap { bgra: Arc::new(bgra.collect()), shape }
}

fn programs(search: &mut Search<'_>, index: usize, line: &CallLine) {
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
    let pair = Pair { vertex, fragment, rules: Rules::NEWEST };
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

/// Tries smaller index buffers, then removes the vertices that no index refers to.
pub(crate) fn shrink_buffers(search: &mut Search<'_>) {
    let created = calls(search).filter_map(|line| match line.call {
        Call::CreateIndexBuffer { num_indices, .. } => Some((line.result?, size(num_indices)?)),
        _ => None,
    });
    let created: Vec<(ObjectId, usize)> = created.collect();
    for (id, mut count) in created {
        // First cuts indices at the end, as many at once as possible, then at the start.
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

fn calls<'s>(search: &'s Search<'_>) -> impl Iterator<Item = &'s CallLine> {
    search.records.iter().filter_map(Entry::call)
}

/// Cuts an index buffer to a range of its indices, and moves the first index of its draws accordingly.
fn cut_indices(search: &mut Search<'_>, id: ObjectId, kept: Range<usize>) -> bool {
    let earlier = number(kept.start);
    search.rewrite(|line| {
        let mut changed = line.call.clone();
        match &mut changed {
            Call::CreateIndexBuffer { num_indices, .. } if line.result == Some(id) => {
                *num_indices = number(kept.len());
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

/// Removes the vertices that no index refers to, from all buffers at once.
fn compact(search: &mut Search<'_>) -> bool {
    let uploads = calls(search).filter_map(|line| indices(&line.call));
    let used: BTreeSet<u32> = uploads.flat_map(|(_, indices)| indices).collect();
    let used: Vec<u32> = used.into_iter().collect();
    let rank = |old: usize| used.partition_point(|one| (*one as usize) < old);
    let strides = calls(search).filter_map(|line| match line.call {
        Call::CreateVertexBuffer { data32_per_vertex: stride, .. } => {
            Some((line.result?, size(stride)?))
        }
        _ => None,
    });
    let strides: BTreeMap<ObjectId, usize> = strides.collect();
    let changed = |line: &CallLine| match &line.call {
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
    search.rewrite(|line| changed(line).filter(|new| new.as_ref() != Some(&line.call)))
}

fn size(value: i32) -> Option<usize> {
    usize::try_from(value).ok()
}

pub(crate) fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The first position and the indices of an index buffer upload; `None` for other calls and invalid arguments.
fn indices(call: &Call) -> Option<(usize, Vec<u32>)> {
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
    let select = |start: &mut i32, count: &mut i32| {
        let (first, end) = (size(*start)?, size(*start)? + size(*count)?);
        let from = used.partition_point(|old| (*old as usize) < first);
        let to = used.partition_point(|old| (*old as usize) < end);
        (*start, *count) = (number(from), number(to - from));
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
            data: ByteArray(Some(Bytes { bytes, .. })),
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

/// Keeps only these rows of `size` values each. Returns how many; `None` if one is missing.
fn rows<T: Clone>(values: &mut Vec<T>, kept: &[usize], size: usize) -> Option<usize> {
    let rows = kept.iter().map(|row| values.get(row * size..(row + 1) * size));
    *values = rows.collect::<Option<Vec<_>>>()?.concat();
    Some(kept.len())
}
