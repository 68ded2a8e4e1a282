//! Simplifies the calls of a capture: programs, textures, counts.

use std::sync::Arc;

use agal::generate::Pair;
use context3d::agal::{Endian, Program, Rules, Stage};
use molehill_capture::data::{Bitmap, ByteArray};
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
