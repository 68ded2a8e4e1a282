//! Streams that are too short for the draw, without error checking: data past the end reads as zero.

use context3d::enums::{FlashName, VertexFormat};

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{Done, PASS, Quad, SceneBuilder};
use crate::tolerance::Tolerance;
use molehill_capture::objects::{IndexBufferId, VertexBufferId};
use molehill_replay::record::RecordError;

const SOURCE: &str = "[context3d.error.3609.unchecked]; capture demo_hammerc_SpaceWar_3609";
/// Shows zeros and ones in every component.
const SHOWN: &str = "mul ft0, v0, fc0\nadd oc, ft0, fc1";

/// Two quads side by side.
const LEFT: [f32; 4] = [1.0, 2.0, 15.0, 30.0];
const RIGHT: [f32; 4] = [17.0, 2.0, 31.0, 30.0];

pub(super) fn add(cases: &mut Cases) {
    for (format, name) in VertexFormat::NAMES {
        // The first vertex of the second quad is at the end of the buffer, or past it.
        for offset in 0..4i32 {
            let name = format!("vertex.short.{name}.offset_{offset}");
            cases.within(Tolerance::ROUNDING).scene(name, SOURCE, move |s| {
                let indices = two_quads(s)?;
                let values = values(s, 5, 4)?;
                s.set_vertex_buffer_at(1, values, offset, format.name())?;
                s.draw_triangles(indices, 0, -1)
            });
        }
    }
    let mut scene = |name, recipe: fn(&mut SceneBuilder) -> Done| {
        cases.within(Tolerance::ROUNDING).scene(format!("vertex.short.{name}"), SOURCE, recipe);
    };
    scene("position", |s| {
        let indices = two_quads(s)?;
        // Two corners of the second quad are in the middle.
        let (positions, _) = s.mesh(&[Quad::flat(LEFT, 0.5, [1.0; 4])])?;
        s.set_vertex_buffer_at(0, positions, 0, "float3")?;
        let values = values(s, 8, 4)?;
        s.set_vertex_buffer_at(1, values, 0, "float4")?;
        s.index_buffer_upload_from_vector(indices, vec![0, 4, 1], 6, 3)?;
        s.draw_triangles(indices, 0, -1)
    });
    scene("far_beyond", |s| {
        let indices = two_quads(s)?;
        let values = values(s, 4, 4)?;
        s.set_vertex_buffer_at(1, values, i32::MAX, "float2")?;
        s.index_buffer_upload_from_vector(indices, vec![3], 11, 1)?;
        s.draw_triangles(indices, 0, -1)
    });
    scene("unread_varying", |s| {
        let indices = two_quads(s)?;
        let (enough, few) = (values(s, 8, 4)?, values(s, 1, 4)?);
        s.program("mov op, va0\nmov v0, va1\nadd vt0, va2, va1\nmov v1, vt0", SHOWN)?;
        s.set_vertex_buffer_at(1, enough, 0, "float4")?;
        s.set_vertex_buffer_at(2, few, 0, "float4")?;
        s.draw_triangles(indices, 0, -1)
    });
    scene("uploaded_between_draws", |s| {
        let indices = two_quads(s)?;
        let values = values(s, 5, 4)?;
        s.set_vertex_buffer_at(1, values, 0, "float4")?;
        s.draw_triangles(indices, 0, -1)?;
        s.present()?;
        s.clear([0.0; 4])?;
        let byte = |n: u8| 0x3f00_0000u32 | u32::from(n) << 16;
        let bytes: Vec<u8> = (0..16u8).flat_map(|n| byte(n).to_le_bytes()).collect();
        s.vertex_buffer_upload_from_byte_array(values, bytes, 0, 1, 4)?;
        s.draw_triangles(indices, 0, -1)
    });
    scene("of_two_attributes", |s| {
        let indices = two_quads(s)?;
        let values = values(s, 5, 6)?;
        s.program("mov op, va0\nadd vt0, va1, va2\nmov v0, vt0", SHOWN)?;
        s.set_vertex_buffer_at(1, values, 0, "float4")?;
        s.set_vertex_buffer_at(2, values, 3, "float3")?;
        s.draw_triangles(indices, 0, -1)
    });
    scene("in_many_buffers", many);
}

/// The memory that a backend uses for such streams is bounded: the largest vertices, in many buffers.
fn many(s: &mut SceneBuilder) -> Done {
    let indices = two_quads(s)?;
    let buffers = (0..12).map(|_| values(s, 5, 64)).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..2 {
        for (buffer, row) in buffers.iter().zip(0u8..) {
            s.set_vertex_buffer_at(1, *buffer, i32::from(row), "float4")?;
            s.set_scissor_rectangle(Some([0.0, f64::from(row) * 2.0 + 4.0, 32.0, 2.0]))?;
            s.draw_triangles(indices, 0, -1)?;
        }
    }
    Ok(())
}

/// Two quads in `va0`, a program that shows `va1`, and the indices.
fn two_quads(s: &mut SceneBuilder) -> Result<IndexBufferId, RecordError> {
    let (positions, indices) =
        s.mesh(&[Quad::flat(LEFT, 0.5, [1.0; 4]), Quad::flat(RIGHT, 0.5, [1.0; 4])])?;
    s.program(PASS, SHOWN)?;
    s.constants("fragment", 0, &[[0.03, 0.04, 0.05, 0.02]])?;
    s.constants("fragment", 1, &[[0.01, 0.02, 0.03, 0.04]])?;
    s.set_vertex_buffer_at(0, positions, 0, "float3")?;
    Ok(indices)
}

/// Vertices of `words` words, all small numbers above zero.
fn values(s: &mut SceneBuilder, vertices: u16, words: u16) -> Result<VertexBufferId, RecordError> {
    let count = vertices * words;
    let floats: Vec<f32> = (0..count).map(|n| 1.0 + f32::from(n % 7) * 0.5).collect();
    s.vertices(&floats, words.into())
}
