//! A scene with a program that samples a texture and a cube texture, in two frames of four draws.

use context3d::agal::Stage;
use context3d::agal::cube::unproject;
use molehill_analysis::Capture;
use molehill_capture::data::{ByteArray, CubeSide, Matrix, MipLevel, Numbers, Uints};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_capture::{Call, CaptureRecord};

use crate::scene::{
    CONTEXT, INDICES, PROGRAM, VERTICES, agal, culling, frame, name, on, opening, scene,
};

const TEXTURE: ObjectId = ObjectId(6);
const OTHER: ObjectId = ObjectId(7);
const CUBE: ObjectId = ObjectId(8);
pub(crate) const TEXELS: u32 = 8;
pub(crate) const FRAGMENT: &str =
    "tex ft0, v0, fs0 <2d,clamp,nearest>\ntex ft1, v1, fs1 <cube,clamp,nearest>\nmul oc, ft0, ft1";

fn upload(on_object: ObjectId, side: Option<u32>, data: Vec<u8>) -> CaptureRecord {
    let call = Call::TextureUploadFromByteArray {
        data: ByteArray::from(data),
        byte_array_offset: 0,
        side: CubeSide(side),
        miplevel: MipLevel(Some(0)),
    };
    on(on_object, call, None)
}

/// Returns calls that create two premultiplied textures, and a cube texture with a smooth colour gradient.
fn textures() -> Vec<CaptureRecord> {
    let (format, streaming_levels, optimize) = (|| name("bgra"), 0, false);
    let mut records = Vec::new();
    for (texture, value) in [(TEXTURE, 64), (OTHER, 96)] {
        let create = Call::CreateTexture {
            width: TEXELS as i32,
            height: TEXELS as i32,
            format: format(),
            optimize_for_render_to_texture: optimize,
            streaming_levels,
        };
        records.push(on(CONTEXT, create, Some(texture)));
        records.push(upload(texture, None, vec![value; (TEXELS * TEXELS * 4) as usize]));
    }
    let create = Call::CreateCubeTexture {
        size: TEXELS as i32,
        format: format(),
        optimize_for_render_to_texture: optimize,
        streaming_levels,
    };
    records.push(on(CONTEXT, create, Some(CUBE)));
    let place = |at: u32| (at as f32 + 0.5) / TEXELS as f32 * 2.0 - 1.0;
    for side in 0..6u8 {
        let texels = (0..TEXELS).flat_map(|y| (0..TEXELS).map(move |x| [place(x), place(y)]));
        let data = texels.flat_map(|texel| {
            #[expect(clippy::cast_possible_truncation, reason = "0 to 254")]
            let [x, y, z] = unproject(side, texel).map(|it| ((it + 1.0) * 127.0) as u8);
            [z, y, x, 255]
        });
        records.push(upload(CUBE, Some(side.into()), data.collect()));
    }
    records
}

fn bind(sampler: i32, texture: ObjectId) -> CaptureRecord {
    on(CONTEXT, Call::SetTextureAt { sampler, texture: Some(TextureId(texture)) }, None)
}

/// Returns calls that create vertices with texture coordinates and ten quads' indices, and set the state.
fn mesh() -> Vec<CaptureRecord> {
    let usage = || name("staticDraw");
    let corner = |x: f64, y: f64| [x, y, 0.0, (x + 1.0) / 2.0, (1.0 - y) / 2.0];
    let corners = [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)];
    let stream = |index, buffer_offset, format: &str| {
        let (buffer, format) = (Some(VertexBufferId(VERTICES)), name(format));
        on(CONTEXT, Call::SetVertexBufferAt { index, buffer, buffer_offset, format }, None)
    };
    let vertices =
        Call::CreateVertexBuffer { num_vertices: 4, data32_per_vertex: 5, buffer_usage: usage() };
    let data = Some(Numbers(corners.concat()));
    let filled = Call::VertexBufferUploadFromVector { data, start_vertex: 0, num_vertices: 4 };
    let indices = Call::CreateIndexBuffer { num_indices: 60, buffer_usage: usage() };
    let data = Some(Uints([0, 1, 2, 0, 2, 3].repeat(10)));
    let listed = Call::IndexBufferUploadFromVector { data, start_offset: 0, count: 60 };
    let (source_factor, destination_factor) = (name("one"), name("oneMinusSourceAlpha"));
    #[rustfmt::skip]
    let moved = [1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.25, 0.0, 0.5, 1.0];
    let matrix = Call::SetProgramConstantsFromMatrix {
        program_type: name("vertex"),
        first_register: 0,
        matrix: Some(Matrix(Box::new(moved))),
        transposed_matrix: true,
    };
    vec![
        on(CONTEXT, vertices, Some(VERTICES)),
        on(VERTICES, filled, None),
        on(CONTEXT, indices, Some(INDICES)),
        on(INDICES, listed, None),
        on(CONTEXT, Call::SetProgram { program: Some(ProgramId(PROGRAM)) }, None),
        stream(0, 0, "float3"),
        stream(1, 3, "float2"),
        on(CONTEXT, Call::SetBlendFactors { source_factor, destination_factor }, None),
        on(CONTEXT, matrix, None),
        bind(1, CUBE),
    ]
}

/// Returns a frame with a clear and four draws, the last of which uses another texture.
fn drawn(number: u32) -> Vec<CaptureRecord> {
    let mut records = vec![frame(0).swap_remove(0)];
    for texture in [TEXTURE, TEXTURE, TEXTURE, OTHER] {
        let index_buffer = Some(IndexBufferId(INDICES));
        let draw = Call::DrawTriangles { index_buffer, first_index: 0, num_triangles: -1 };
        records.extend([culling("none"), bind(0, texture), on(CONTEXT, draw, None)]);
    }
    records.extend([on(CONTEXT, Call::Present {}, None), CaptureRecord::Frame(number)]);
    records
}

pub(crate) fn room() -> Capture {
    let mut records: Vec<CaptureRecord> = opening().into_iter().take(3).collect();
    let vertex = "m44 op, va0, vc0\nmov v0, va1\nmov v1, va0";
    let programs = Call::ProgramUpload {
        vertex_program: agal(vertex, Stage::Vertex),
        fragment_program: agal(FRAGMENT, Stage::Fragment),
    };
    records.push(on(PROGRAM, programs, None));
    records.extend(textures().into_iter().chain(mesh()).chain((0..2).flat_map(drawn)));
    Capture::new(scene(0).header().clone(), records)
}
