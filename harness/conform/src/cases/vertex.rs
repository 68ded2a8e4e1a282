//! Vertex and index buffers: formats, offsets, partial uploads.

mod short;

use context3d::Profile;
use context3d::enums::{FlashName, VertexFormat};

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{CELLS, by_cell, byte, cells, corners, pick};
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_capture::objects::{IndexBufferId, VertexBufferId};
use molehill_replay::record::RecordError;

const STREAMS: &str = "[context3d.stream.bind] [context3d.stream.missing] [context3d.stream.bytes4]; \
                       captures float1_index, triangle_bytes4";

const BUFFERS: &str = "[context3d.vertex_buffer.part] [context3d.vertex_buffer.bytes]";
const NUMBERS: &str = "[context3d.vertex_buffer.part] [context3d.vertex_buffer.numbers]";
const INDICES: &str = "[context3d.index_buffer.part] [context3d.index_buffer.low_bits]";

/// Words of an attribute in this format; the position's 3 words come before it.
fn words(format: VertexFormat) -> usize {
    match format {
        VertexFormat::Float1 | VertexFormat::Bytes4 => 1,
        VertexFormat::Float2 => 2,
        VertexFormat::Float3 => 3,
        VertexFormat::Float4 => 4,
    }
}

/// The bytes of an attribute for a corner, padded to a number of words.
fn value(format: VertexFormat, corner: u8) -> Vec<u8> {
    match format {
        VertexFormat::Bytes4 => vec![corner * 85, 255 - corner * 51, 51 + corner * 20, 200],
        _ => [0.2, 0.4, 0.6, 0.8]
            .into_iter()
            .take(words(format))
            .flat_map(|part: f32| (part + f32::from(corner) * 0.05).to_le_bytes())
            .collect(),
    }
}

/// A full quad with its value in a format at a given word; unused words are garbage.
fn formatted(s: &mut SceneBuilder, format: VertexFormat, padding: usize, fragment: &str) -> Done {
    let stride = 3 + padding + words(format) + 1;
    let mut bytes = Vec::new();
    for (corner, [x, y]) in (0u8..).zip([[-1.0f32, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) {
        let mut vertex: Vec<u8> = [x, y, 0.5].iter().flat_map(|f| f.to_le_bytes()).collect();
        vertex.extend(std::iter::repeat_n(0xA5, padding * 4));
        vertex.extend(value(format, corner));
        vertex.resize(stride * 4, 0x5A);
        bytes.extend(vertex);
    }
    let (vertices, indices) =
        (s.vertices_of_bytes(bytes, stride)?, s.indices(&[0, 1, 2, 1, 3, 2])?);
    s.program(PASS, fragment)?;
    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
    let offset = i32::try_from(3 + padding).unwrap_or(0);
    s.set_vertex_buffer_at(1, vertices, offset, format.name())?;
    s.draw_triangles(indices, 0, -1)
}

fn formats(cases: &mut Cases) {
    let tolerance = Tolerance::channel(1, "a channel may be rounded either way");
    for (format, name) in VertexFormat::NAMES {
        for padding in [0usize, 1, 2, 5] {
            let name = format!("vertex.format.{name}.offset_{padding}");
            cases
                .within(tolerance)
                .scene(name, STREAMS, move |s| formatted(s, *format, padding, VARYING));
        }
        // "Missing components come from (0,0,0,1)": each component by itself as grey.
        for component in ["x", "y", "z", "w"] {
            let fragment = format!("mov ft0, v0.{component}\nmov oc, ft0");
            let name = format!("vertex.format.{name}.component_{component}");
            cases
                .within(tolerance)
                .scene(name, STREAMS, move |s| formatted(s, *format, 0, &fragment));
        }
    }
}

/// The position in every format, and the effect of missing components.
fn positions(cases: &mut Cases) {
    for (format, count) in [("float1", 1usize), ("float2", 2), ("float3", 3), ("float4", 4)] {
        cases.scene(format!("vertex.position.{format}"), STREAMS, move |s| {
            let mut floats = Vec::new();
            for [x, y] in [[-0.5f32, 0.75], [0.75, 0.75], [-0.5, -0.25], [0.75, -0.25]] {
                floats.extend([x * 2.0, y * 2.0, 1.0, 2.0].into_iter().take(count));
            }
            let (vertices, indices) =
                (s.vertices(&floats, count)?, s.indices(&[0, 1, 2, 1, 3, 2])?);
            s.program("mov op, va0\nmov v0, va0", "mov oc, fc0")?;
            s.constants("fragment", 0, &[[1.0, 0.4, 0.2, 1.0]])?;
            s.set_vertex_buffer_at(0, vertices, 0, format)?;
            s.draw_triangles(indices, 0, -1)?;
            // float1 draws nothing visible, so this quad makes the case show something.
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([0.0, 28.0, 4.0, 32.0], 0.5, pick(5))])
        });
    }
    // Each row of the matrix counts all four components: the quad moves to the right half.
    let moved = cases.scene("vertex.position.moved_by_a_matrix", STREAMS, |s| {
        s.program("m44 op, va0, vc0\nmov v0, va1", VARYING)?;
        let rows = [
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        s.constants("vertex", 0, &rows)?;
        s.quads(&[Quad::flat(FULL, 0.5, pick(3))])
    });
    moved.expects_pictures(|| {
        vec![by_cell(
            |column, _| if column < CELLS / 2 { [0, 0, 0, 255] } else { pick(3).map(byte) },
        )]
    });
    for w in [0.25f32, 0.5, 1.0, 3.0, -1.0, 0.0] {
        let name = format!("vertex.position.w_{}", w.to_string().replace(['.', '-'], "_"));
        cases.scene(name, "[context3d.clip.volume]", move |s| {
            let mut floats = Vec::new();
            for [x, y] in [[-0.5f32, 0.5], [0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]] {
                floats.extend([x * w, y * w, w * 0.5, w]);
            }
            let (vertices, indices) = (s.vertices(&floats, 4)?, s.indices(&[0, 1, 2, 1, 3, 2])?);
            s.program("mov op, va0", "mov oc, fc0")?;
            s.constants("fragment", 0, &[[0.2, 1.0, 0.4, 1.0]])?;
            s.set_vertex_buffer_at(0, vertices, 0, "float4")?;
            s.draw_triangles(indices, 0, -1)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([0.0, 28.0, 4.0, 32.0], 0.5, pick(5))])
        });
    }
}

fn streams(cases: &mut Cases) {
    registers(cases);
    cases.within(Tolerance::channel(2, "a sum of rounded numbers")).scene(
        "vertex.stream.all_eight",
        STREAMS,
        |s| {
            let sum: String = (2..8).map(|n| format!("add vt0, vt0, va{n}\n")).collect();
            s.program(
                &format!("mov op, va0\nmov vt0, va1\n{sum}mul vt0, vt0, vc0\nmov v0, vt0"),
                VARYING,
            )?;
            s.constants("vertex", 0, &[[1.0 / 7.0; 4]])?;
            for register in 1..8u8 {
                let values: Vec<f32> = (0..4u8)
                    .flat_map(|corner| {
                        [f32::from(register) / 7.0, f32::from(corner) / 3.0, 0.5, 1.0]
                    })
                    .collect();
                let buffer = s.vertices(&values, 4)?;
                s.set_vertex_buffer_at(register.into(), buffer, 0, "float4")?;
            }
            let (vertices, indices) = s.mesh(&[Quad::flat(FULL, 0.5, [0.0; 4])])?;
            s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
            s.draw_triangles(indices, 0, -1)
        },
    );
    cases.scene("vertex.stream.overlapping", "[context3d.stream.overlap]", |s| {
        // "Overlapping attributes are legal": the value overlaps the position.
        s.program(PASS, VARYING)?;
        let (vertices, indices) = s.mesh(&[Quad::flat(FULL, 0.4, [0.8, 0.6, 0.2, 1.0])])?;
        s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
        s.set_vertex_buffer_at(1, vertices, 2, "float4")?;
        s.draw_triangles(indices, 0, -1)
    });
    cases.scene("vertex.stream.rebound_between_draws", STREAMS, |s| {
        s.program(PASS, VARYING)?;
        for n in 0..CELLS {
            s.quads(&[Quad::flat(corners(n, CELLS - 1 - n), 0.5, pick(n))])?;
        }
        Ok(())
    });
}

fn registers(cases: &mut Cases) {
    // Each attribute register alone, from its own buffer.
    for register in 1..8i32 {
        cases.scene(format!("vertex.stream.{register}"), STREAMS, move |s| {
            s.program(&format!("mov op, va0\nmov v0, va{register}"), VARYING)?;
            let (vertices, indices) =
                s.mesh(&cells(|_, _| 0.5, |column, row| pick(column + row * 3)))?;
            s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
            s.set_vertex_buffer_at(register, vertices, 3, "float4")?;
            s.draw_triangles(indices, 0, -1)
        });
    }
    for register in 8..16i32 {
        cases
            .scene(format!("vertex.stream.{register}"), "[context3d.profile.slots]", move |s| {
                s.program_of(3, &format!("mov op, va0\nmov v0, va{register}"), VARYING)?;
                let (vertices, indices) =
                    s.mesh(&cells(|_, _| 0.5, |column, row| pick(column + row * 3)))?;
                s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                s.set_vertex_buffer_at(register, vertices, 3, "float4")?;
                s.draw_triangles(indices, 0, -1)
            })
            .profile(Profile::StandardExtended);
    }
}

/// Buffers with a quad for each cell of the first row.
pub(super) fn row(s: &mut SceneBuilder) -> Result<(VertexBufferId, IndexBufferId), RecordError> {
    s.program(PASS, VARYING)?;
    let quads: Vec<Quad> =
        (0..CELLS).map(|n| Quad::flat(corners(n, n), 0.5, pick(n + 1))).collect();
    let (vertices, indices) = s.mesh(&quads)?;
    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
    s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
    Ok((vertices, indices))
}

/// The bytes of a flat quad's vertices, in the layout of [`SceneBuilder::mesh`].
fn quad_bytes(column: u16, row: u16, color: [f32; 4]) -> Vec<u8> {
    let [left, top, right, bottom] = corners(column, row).map(|coordinate| coordinate / 16.0 - 1.0);
    [(left, -top), (right, -top), (left, -bottom), (right, -bottom)]
        .into_iter()
        .flat_map(|(x, y)| [x, y, 0.5].into_iter().chain(color))
        .flat_map(|float| float.to_le_bytes())
        .collect()
}

fn vertex_uploads(cases: &mut Cases) {
    for first in [0i32, 1, 3, 6, 7] {
        for offset in [0i32, 4, 9] {
            let name = format!("vertex.upload.quad_{first}.byte_offset_{offset}");
            cases.scene(name, BUFFERS, move |s| {
                let (vertices, indices) = row(s)?;
                let mut bytes = vec![0xEE; usize::try_from(offset).unwrap_or(0)];
                bytes.extend(quad_bytes(
                    7 - u16::try_from(first).unwrap_or(0),
                    0,
                    [1.0, 0.0, 1.0, 1.0],
                ));
                s.vertex_buffer_upload_from_byte_array(vertices, bytes, offset, first * 4, 4)?;
                s.draw_triangles(indices, 0, -1)
            });
        }
    }
    cases.scene("vertex.upload.between_draws", "[context3d.vertex_buffer.between]", |s| {
        let (vertices, indices) = row(s)?;
        s.draw_triangles(indices, 0, 8)?;
        s.vertex_buffer_upload_from_byte_array(
            vertices,
            quad_bytes(0, 7, [0.0, 1.0, 0.0, 1.0]),
            0,
            0,
            4,
        )?;
        s.draw_triangles(indices, 0, 2)?;
        s.vertex_buffer_upload_from_byte_array(
            vertices,
            quad_bytes(1, 7, [0.0, 0.0, 1.0, 1.0]),
            0,
            0,
            4,
        )?;
        s.draw_triangles(indices, 0, 2)
    });
    cases.scene("vertex.upload.never", "[context3d.error.3608.unchecked]", |s| {
        // "Zeros otherwise": triangles without area draw nothing.
        let (_, indices) = row(s)?;
        s.draw_triangles(indices, 0, -1)?;
        let empty = s.create_vertex_buffer(32, 7, "staticDraw")?;
        s.set_vertex_buffer_at(0, empty, 0, "float3")?;
        s.draw_triangles(indices, 0, -1)
    });
    vector_upload(cases);
}

fn vector_upload(cases: &mut Cases) {
    cases.scene("vertex.upload.from_vector", NUMBERS, |s| {
        let (vertices, indices) = row(s)?;
        let numbers: Vec<f64> = quad_bytes(6, 1, [1.0, 1.0, 0.0, 1.0])
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
            .collect();
        s.vertex_buffer_upload_from_vector(vertices, numbers, 8, 4)?;
        s.draw_triangles(indices, 0, -1)
    });
    cases.scene("vertex.upload.from_float_vector", NUMBERS, |s| {
        let (vertices, indices) = row(s)?;
        let bytes = quad_bytes(6, 1, [1.0, 1.0, 0.0, 1.0]);
        let floats = bytes.as_chunks::<4>().0.iter();
        let floats = floats.map(|bytes| f32::from_le_bytes(*bytes));
        s.vertex_buffer_upload_from_float_vector(vertices, floats.collect(), 8, 4)?;
        s.draw_triangles(indices, 0, -1)
    });
}

fn index_uploads(cases: &mut Cases) {
    for start in [0i32, 3, 12, 42] {
        cases.scene(format!("vertex.index.upload_at_{start}"), INDICES, move |s| {
            let (_, indices) = row(s)?;
            s.index_buffer_upload_from_vector(indices, vec![28, 29, 30, 29, 31, 30], start, 6)?;
            s.draw_triangles(indices, 0, -1)
        });
        cases.scene(format!("vertex.index.bytes_at_{start}"), INDICES, move |s| {
            let (_, indices) = row(s)?;
            let bytes: Vec<u8> = [0xFFFFu16, 24, 25, 26, 25, 27, 26]
                .iter()
                .flat_map(|index| index.to_le_bytes())
                .collect();
            s.index_buffer_upload_from_byte_array(indices, bytes, 2, start, 6)?;
            s.draw_triangles(indices, 0, -1)
        });
    }
    cases.scene("vertex.index.low_16_bits", INDICES, |s| {
        let (_, indices) = row(s)?;
        s.index_buffer_upload_from_vector(indices, vec![0x1_0010, 0xFFFF_0011, 0x2_0012], 0, 3)?;
        s.draw_triangles(indices, 0, 2)
    });
    no_restart(cases);
}

fn no_restart(cases: &mut Cases) {
    // 0xFFFF is an index like any other ("no primitive restart").
    cases.scene("vertex.index.no_restart", "[context3d.index_buffer.no_restart]", |s| {
        s.program("mov op, va0", "mov oc, fc0")?;
        s.constants("fragment", 0, &[[0.2, 0.8, 0.4, 1.0]])?;
        let buffer = s.create_vertex_buffer(65536, 3, "staticDraw")?;
        let floats = |places: &[[f32; 3]]| -> Vec<u8> {
            places.concat().iter().flat_map(|f| f.to_le_bytes()).collect()
        };
        s.vertex_buffer_upload_from_byte_array(
            buffer,
            floats(&[[-1.0, 1.0, 0.5], [1.0, 1.0, 0.5]]),
            0,
            0,
            2,
        )?;
        s.vertex_buffer_upload_from_byte_array(buffer, floats(&[[-1.0, -1.0, 0.5]]), 0, 65535, 1)?;
        let indices = s.indices(&[0, 1, 65535])?;
        s.set_vertex_buffer_at(0, buffer, 0, "float3")?;
        s.draw_triangles(indices, 0, -1)
    });
}

pub(super) fn add(cases: &mut Cases) {
    formats(cases);
    positions(cases);
    streams(cases);
    vertex_uploads(cases);
    index_uploads(cases);
    short::add(cases);
}
