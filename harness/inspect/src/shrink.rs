//! Simplifies the calls of a capture: programs, textures, counts.

use std::sync::Arc;

use agal_generate::Pair;
use context3d::agal::{Endian, Program, Rules, Stage};
use molehill_capture::data::{Bitmap, ByteArray};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::capture::Entry;
use crate::minimize::Search;

/// Most tests for one pair of programs.
const PROGRAM_ATTEMPTS: usize = 100;

/// Tries smaller variants of every call.
pub(crate) fn shrink(search: &mut Search<'_>) {
    for index in 0..search.records.len() {
        let Some(record) = search.records.get(index).cloned() else {
            continue;
        };
        let Entry::Call(line) = &record else {
            continue;
        };
        match &line.call {
            Call::ProgramUpload { .. } => programs(search, index, line),
            Call::CreateTexture { .. } => {
                if let Some(id) = line.result {
                    while halve_texture(search, id) {}
                }
            }
            call => {
                // Each success may make another variant possible.
                let mut call = call.clone();
                while let Some(smaller) = smaller(&call)
                    .into_iter()
                    .find(|smaller| replace(search, index, smaller.clone()))
                {
                    call = smaller;
                }
            }
        }
    }
}

/// Tries the capture with another call in a record. Returns whether it was accepted.
fn replace(search: &mut Search<'_>, index: usize, call: Call) -> bool {
    let mut records = search.records.clone();
    if let Some(record) = records.get_mut(index)
        && let Entry::Call(line) = record
    {
        let line = CallLine { call, ..CallLine::clone(line) };
        *record = Entry::Call(Arc::new(line));
    }
    search.take(records)
}

/// Simpler variants of a call, the simplest first.
fn smaller(call: &Call) -> Vec<Call> {
    let fewer = |count: i32| match count {
        count if count < 0 => vec![1, 2, 4, 16, 64],
        count if count > 1 => vec![1, count / 2, count - 1],
        _ => Vec::new(),
    };
    let plain = |bitmap: &Bitmap| {
        let white = vec![255; bitmap.bgra.len()];
        (bitmap.bgra != white).then(|| Bitmap { bgra: white, ..bitmap.clone() })
    };
    match call {
        Call::DrawTriangles { num_triangles, .. } => {
            let with = |count| {
                let mut call = call.clone();
                if let Call::DrawTriangles { num_triangles, .. } = &mut call {
                    *num_triangles = count;
                }
                call
            };
            fewer(*num_triangles).into_iter().map(with).collect()
        }
        Call::DrawTrianglesInstanced { num_instances, .. } => {
            let with = |count| {
                let mut call = call.clone();
                if let Call::DrawTrianglesInstanced { num_instances, .. } = &mut call {
                    *num_instances = count;
                }
                call
            };
            fewer(*num_instances).into_iter().map(with).collect()
        }
        Call::TextureUploadFromBitmapData { source: Some(source), side, miplevel } => {
            let plain = plain(source).map(|source| Call::TextureUploadFromBitmapData {
                source: Some(source),
                side: *side,
                miplevel: *miplevel,
            });
            plain.into_iter().collect()
        }
        Call::ConfigureBackBuffer {
            anti_alias: 1..,
            width,
            height,
            enable_depth_and_stencil,
            wants_best_resolution,
            wants_best_resolution_on_browser_zoom,
        } => vec![Call::ConfigureBackBuffer {
            anti_alias: 0,
            width: *width,
            height: *height,
            enable_depth_and_stencil: *enable_depth_and_stencil,
            wants_best_resolution: *wants_best_resolution,
            wants_best_resolution_on_browser_zoom: *wants_best_resolution_on_browser_zoom,
        }],
        _ => Vec::new(),
    }
}

/// Halves both sides of a texture that is filled from bitmaps. Level 0 keeps its upper left quarter; other levels move
/// up by one.
fn halve_texture(search: &mut Search<'_>, id: ObjectId) -> bool {
    let mut halved = 0;
    let half = |side: i32| if side > 1 { side / 2 } else { side };
    let records = search.records.iter().map(|record| {
        let Entry::Call(line) = record else {
            return record.clone();
        };
        if line.on != id && line.result != Some(id) {
            return record.clone();
        }
        let mut line = CallLine::clone(line);
        match &mut line.call {
            Call::CreateTexture { width, height, .. } if line.result.is_some() => {
                halved += i32::from(*width > 1 || *height > 1);
                (*width, *height) = (half(*width), half(*height));
            }
            Call::TextureUploadFromBitmapData { source, miplevel, .. } => {
                match (miplevel.0.unwrap_or(0), source) {
                    (0, Some(source)) => *source = quarter(source),
                    // Moves up by one level.
                    (level, _) => miplevel.0 = Some(level.saturating_sub(1)),
                }
            }
            _ => {}
        }
        Entry::Call(Arc::new(line))
    });
    let records = records.collect();
    halved > 0 && search.take(records)
}

/// The upper left quarter of a bitmap.
fn quarter(bitmap: &Bitmap) -> Bitmap {
    let mut shape = bitmap.shape;
    let row = (shape.width as usize).saturating_mul(4).max(4);
    shape.width = shape.width.div_ceil(2);
    shape.height = shape.height.div_ceil(2);
    let rows = bitmap.bgra.chunks(row).take(shape.height as usize);
    let bytes = (shape.width as usize).saturating_mul(4);
    let bgra = rows.flat_map(|row| row.iter().take(bytes).copied());
    Bitmap { bgra: bgra.collect(), shape }
}

/// Simplifies a pair of programs, as long as it links.
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
    agal_generate::shrink(&pair, PROGRAM_ATTEMPTS, |pair| {
        let bytes = |program: &Program| ByteArray::from(program.encode());
        replace(
            search,
            index,
            Call::ProgramUpload {
                vertex_program: bytes(pair.vertex().program()),
                fragment_program: bytes(pair.fragment().program()),
            },
        )
    });
}
