//! Pixel tests, like `pixels.rs`, for fetches: vertex formats, textures, cubes, levels, several outputs, instances.

use crate::common::APIS;
use crate::common::scene::{
    BLACK, BLUE, Corners, FULL, GREEN, PASS, RED, Scene, TEXTURED, VARYING, VERTEX, WHITE,
};
use context3d::enums::{BufferUsage, CompareMode, EnumArg, TextureFormat, VertexFormat};
use context3d::{Invocation, Reply};

const R: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const G: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

/// Components that a vertex format lacks are those of (0, 0, 0, 1) [context3d.stream.missing].
#[test]
fn vertex_formats() {
    let corners = [[-1.0f32, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
    let half = 128;
    let cases = [
        (VertexFormat::Float1, [half, 0, 0, 255]),
        (VertexFormat::Float2, [half, 64, 0, 255]),
        (VertexFormat::Float3, [half, 64, 255, 255]),
        (VertexFormat::Float4, [half, 64, 255, 32]),
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        let indices = scene.indices(&[0, 1, 2, 0, 2, 3]);
        let floats: Vec<f32> = corners
            .iter()
            .flat_map(|[x, y]| [*x, *y, 128.0 / 255.0, 64.0 / 255.0, 1.0, 32.0 / 255.0])
            .collect();
        let vertices = scene.vertices(&floats, 6);
        scene.stream(0, vertices, 0, VertexFormat::Float2);
        for (format, expected) in cases {
            scene.stream(1, vertices, 2, format);
            scene.draw(indices);
            let what = format!("{api}, {format:?}");
            scene.picture().expect((5, 5), expected, &what);
        }
        // Four unsigned bytes in memory order, divided by 255.
        let bytes: Vec<u8> = corners
            .iter()
            .flat_map(|[x, y]| [x.to_le_bytes(), y.to_le_bytes(), [10, 130, 255, 200]])
            .flatten()
            .collect();
        let vertices = scene.vertex_bytes(&bytes, 3);
        scene.stream(0, vertices, 0, VertexFormat::Float2);
        scene.stream(1, vertices, 2, VertexFormat::Bytes4);
        scene.draw(indices);
        scene.picture().expect((5, 5), [10, 130, 255, 200], "bytes4");
    }
}

/// An upload of fewer vertices than the buffer has keeps the remaining vertices.
#[test]
fn partial_vertex_upload() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        let vertex = |x: f32, y: f32, color: [f32; 4]| {
            let mut floats = vec![x, y, 0.5];
            floats.extend(color);
            floats
        };
        let corners = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
        let floats: Vec<f32> = corners.iter().flat_map(|(x, y)| vertex(*x, *y, R)).collect();
        let buffer = scene.vertices(&floats, VERTEX);
        scene.stream(0, buffer, 0, VertexFormat::Float3);
        scene.stream(1, buffer, 3, VertexFormat::Float4);
        let indices = scene.indices(&[0, 1, 2]);
        scene.draw(indices);
        scene.picture().expect((60, 2), RED, "before");
        scene.picture().expect((2, 60), BLACK, "outside");
        // The third vertex moves to the bottom left and turns green; the others don't change.
        let bytes: Vec<u8> = vertex(-1.0, -1.0, G).iter().flat_map(|f| f.to_le_bytes()).collect();
        scene.call(Invocation::VertexBufferUploadFromByteArray {
            buffer,
            data: Some(&bytes),
            byte_array_offset: 0,
            start_vertex: 2,
            num_vertices: 1,
        });
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.draw(indices);
        let picture = scene.picture();
        let [red, green, ..] = picture.at(0, 62);
        assert!(green > 230 && red < 25, "{api}: the moved vertex is green");
        picture.expect((60, 60), BLACK, "no longer covered");
        assert!(picture.at(2, 0)[0] > 200, "{api}: the first vertex is red");
    }
}

/// Tests the orientation of cube faces by (direction, side, texel), where texel 0 is at the top left. The rule is
/// Direct3D's [context3d.cube.rows]: looking at +X, up is +Y and right is −Z, and so on. [context3d.cube.sides]
#[test]
fn cube_faces_are_right_side_out() {
    // For each side: the directions of the face, of its right edge, and of its top edge.
    let faces: [[[f32; 3]; 3]; 6] = [
        [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        let created = scene.call(Invocation::CreateCubeTexture {
            size: 2,
            format: EnumArg::Is(TextureFormat::Bgra),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        });
        let Reply::Texture(cube) = created else {
            panic!("no cube");
        };
        for side in 0..6u8 {
            let texels: Vec<u8> =
                (0..4u8).flat_map(|texel| [200, texel * 60, side * 40, 255]).collect();
            scene.texels(cube, Some(side.into()), 0, &texels);
            scene.texels(cube, Some(side.into()), 1, &[0; 4]);
        }
        scene.bind_texture(0, Some(cube));
        scene.program(PASS, "tex ft0, v0, fs0 <cube,nearest,clamp,nomip>\nmov oc, ft0");
        let mut quads = Vec::new();
        let mut expected = Vec::new();
        for (side, [out, right, up]) in (0u8..).zip(faces) {
            for texel in 0..4u8 {
                let sign = |bit: u8| if texel & bit == 0 { -0.5f32 } else { 0.5 };
                let (to_right, to_top) = (sign(1), -sign(2));
                let direction: [f32; 4] = std::array::from_fn(|axis| {
                    let at = |v: [f32; 3]| v.get(axis).copied().unwrap_or(0.0);
                    at(out) + at(right) * to_right + at(up) * to_top
                });
                // Each texel is drawn as a cell of 8×8 pixels.
                let (column, row) = (u32::from(texel), u32::from(side));
                let left = column as f32 / 4.0 - 1.0;
                let top = 1.0 - row as f32 / 4.0;
                let cell: Corners = [left, top, left + 0.25, top - 0.25];
                quads.push((cell, 0.5, [direction; 4]));
                let color = [side * 40, texel * 60, 200, 255];
                expected.push(((column * 8 + 4, row * 8 + 4), color));
            }
        }
        scene.quads(&quads);
        let picture = scene.picture();
        for (at, color) in expected {
            picture.expect(at, color, "cube texel");
        }
    }
}

/// Texels in 565, 4444 and half-float formats are stored bit for bit.
#[test]
fn packed_and_half_float_textures() {
    let cases: [(TextureFormat, &[u8], [u8; 4]); 4] = [
        (TextureFormat::Bgra, &[10, 20, 30, 40], [30, 20, 10, 40]),
        (TextureFormat::BgrPacked565, &[0x00, 0xFC], [255, 130, 0, 255]),
        (TextureFormat::BgraPacked4444, &[0x34, 0x12], [34, 51, 68, 17]),
        // The texel's value: 0.5, 0.25, 1.0, 1.0.
        (
            TextureFormat::RgbaHalfFloat,
            &[0x00, 0x38, 0x00, 0x34, 0x00, 0x3C, 0x00, 0x3C],
            [128, 64, 255, 255],
        ),
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, TEXTURED);
        for (format, texel, expected) in cases {
            let texture = scene.texture(2, format);
            scene.texels(texture, None, 0, &texel.repeat(4));
            scene.bind_texture(0, Some(texture));
            scene.picture_quad(FULL);
            let what = format!("{api}, {format:?}");
            scene.picture().expect((5, 5), expected, &what);
        }
    }
}

/// The mip level depends on the size on the screen, and the bias shifts it.
#[test]
fn mip_levels_and_bias() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let texture = scene.texture(64, TextureFormat::Bgra);
        let colors: [[u8; 4]; 7] = [
            [0, 0, 255, 255],
            [0, 255, 0, 255],
            [255, 0, 0, 255],
            [255; 4],
            [0; 4],
            [0; 4],
            [0; 4],
        ];
        for (level, color) in (0u32..).zip(colors) {
            let side = 64usize >> level;
            scene.texels(texture, None, level, &color.repeat(side * side));
        }
        scene.bind_texture(0, Some(texture));
        // 64 texels on 28 pixels give a level of detail of 1.2, far from the thresholds between mip levels, which
        // drivers round differently.
        let small = [-1.0, 1.0, -0.125, 0.125];
        let cases = [
            ("<2d,nearest,clamp,mipnearest>", FULL, RED),
            ("<2d,nearest,clamp,mipnearest>", small, GREEN),
            ("<2d,nearest,clamp,mipnearest,1.25>", FULL, GREEN),
            ("<2d,nearest,clamp,mipnearest,2>", small, WHITE),
            ("<2d,nearest,clamp,mipnearest,-1>", small, RED),
            ("<2d,linear,clamp,nomip>", small, RED),
            ("<2d,linear,clamp,miplinear,0.5>", FULL, [128, 128, 0, 255]),
        ];
        for (options, corners, expected) in cases {
            scene.program(PASS, &format!("tex ft0, v0, fs0 {options}\nmov oc, ft0"));
            scene.picture_quad(corners);
            let what = format!("{api}, {options}, {corners:?}");
            scene.picture().expect((20, 20), expected, &what);
        }
    }
}

/// Texels beyond the edges repeat or clamp, separately for each axis.
#[test]
fn wrap_modes() {
    let texels = [
        0, 0, 255, 255, 0, 255, 0, 255, // red, green
        255, 0, 0, 255, 255, 255, 255, 255, // blue, white
    ];
    // The texel that coordinates (1.25, 1.25) read.
    let cases = [
        ("clamp", WHITE),
        ("repeat", RED),
        ("clamp_u_repeat_v", GREEN),
        ("repeat_u_clamp_v", BLUE),
    ];
    for api in APIS {
        let mut scene = Scene::new(api);
        let texture = scene.texture(2, TextureFormat::Bgra);
        scene.texels(texture, None, 0, &texels);
        scene.bind_texture(0, Some(texture));
        for (wrap, expected) in cases {
            let fragment = format!("tex ft0, v0, fs0 <2d,nearest,{wrap},nomip>\nmov oc, ft0");
            scene.program(PASS, &fragment);
            scene.quad(FULL, 0.5, [1.25, 1.25, 0.0, 0.0]);
            let what = format!("{api}, {wrap}");
            scene.picture().expect((5, 5), expected, &what);
        }
    }
}

/// Several colour outputs write to separate textures, and a clear fills all of them.
#[test]
fn several_color_outputs() {
    for api in APIS {
        for anti_alias in [0, 4] {
            let mut scene = Scene::new(api);
            let textures = [0, 1, 2].map(|_| scene.texture(64, TextureFormat::Bgra));
            for (output, texture) in (0..).zip(textures) {
                scene.call(Invocation::SetRenderToTexture {
                    texture: Some(texture),
                    enable_depth_and_stencil: true,
                    anti_alias,
                    surface_selector: 0,
                    color_output_index: output,
                });
            }
            scene.clear([0.0, 0.0, 1.0, 1.0]);
            let fragment = "mov ft0, v0\nmov fo0, ft0\nmov fo1, v0.yxzw\nmov fo2, v0.xxxw";
            scene.program_of(2, PASS, fragment);
            scene.quad([-1.0, 1.0, 0.0, 0.0], 0.5, R);
            scene.back_buffer();
            for (texture, color) in textures.into_iter().zip([RED, GREEN, WHITE]) {
                let picture = scene.read_texture(texture);
                picture.expect((16, 16), color, "drawn");
                picture.expect((48, 48), BLUE, "cleared");
            }
        }
    }
}

/// The depth output replaces the depth of the triangle.
#[test]
fn depth_output() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program_of(2, PASS, "mov fd.x, v0.w\nmov ft0, v0\nmov ft0.w, v0.y\nmov oc, ft0");
        scene.depth(true, CompareMode::Less);
        // Draw at z = 0.9 with depth output 0.2, then at z = 0.1 with depth output 0.3.
        scene.quad(FULL, 0.9, [1.0, 0.0, 0.0, 0.2]);
        scene.quad(FULL, 0.1, [0.0, 1.0, 0.0, 0.3]);
        scene.picture().expect((5, 5), [255, 0, 0, 0], "depth 0.2");
    }
}

/// Instance streams advance every n instances, and the instance id counts instances.
#[test]
fn instances() {
    for api in APIS {
        let mut scene = Scene::new(api);
        // A cell at the top left is moved right by the instance's offset, and down by the instance id.
        let vertex = "mov vt0, va0\nmov vt1.x, iid.x\nmul vt1.x, vt1.x, vc0.y\n\
            add vt0.x, vt0.x, va2.x\nsub vt0.y, vt0.y, vt1.x\nmov op, vt0\nmov v0, va1";
        scene.program_of(3, vertex, VARYING);
        scene.constants(context3d::enums::ProgramType::Vertex, 0, &[0.0, 0.5, 0.0, 0.0]);
        let corners = [[-1.0, 1.0], [-0.5, 1.0], [-0.5, 0.5], [-1.0, 0.5]];
        let floats: Vec<f32> =
            corners.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0, 0.0, 0.0, 1.0]).collect();
        let vertices = scene.vertices(&floats, VERTEX);
        scene.stream(0, vertices, 0, VertexFormat::Float3);
        scene.stream(1, vertices, 3, VertexFormat::Float4);
        let created = scene.call(Invocation::CreateVertexBufferForInstances {
            num_vertices: 2,
            data32_per_vertex: 1,
            instances_per_element: 2,
            buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
        });
        let Reply::VertexBuffer(offsets) = created else {
            panic!("no buffer");
        };
        let bytes: Vec<u8> = [0.0f32, 1.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        scene.call(Invocation::VertexBufferUploadFromByteArray {
            buffer: offsets,
            data: Some(&bytes),
            byte_array_offset: 0,
            start_vertex: 0,
            num_vertices: 2,
        });
        scene.stream(2, offsets, 0, VertexFormat::Float1);
        let indices = scene.indices(&[0, 1, 2, 0, 2, 3]);
        scene.call(Invocation::DrawTrianglesInstanced {
            index_buffer: Some(indices),
            num_instances: 4,
            first_index: 0,
            num_triangles: -1,
        });
        let picture = scene.picture();
        for (row, columns) in [(8, [RED, BLACK]), (24, [RED, BLACK]), (40, [BLACK, RED])] {
            picture.expect((8, row), columns[0], "left");
            picture.expect((40, row), columns[1], "right");
        }
        // A plain draw with vertex streams of the instanced draw must not keep the divisor.
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.program(PASS, VARYING);
        scene.call(Invocation::SetVertexBufferAt {
            index: 2,
            buffer: None,
            buffer_offset: 0,
            format: EnumArg::Is(VertexFormat::Float1),
        });
        scene.draw(indices);
        scene.picture().expect((8, 8), RED, "plain draw");
    }
}

/// `Context3D` rejects indices and vertices beyond their buffers; the image doesn't change, and GL reports no error.
#[test]
fn ranges_outside_never_reach_gl() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.quad(FULL, 0.5, G);
        let short = scene.indices(&[0, 1, 2]);
        let wild = scene.indices(&[0, 1, 60000]);
        let draw = |index_buffer, first_index, num_triangles| Invocation::DrawTriangles {
            index_buffer: Some(index_buffer),
            first_index,
            num_triangles,
        };
        let calls = [draw(short, 0, 2), draw(short, 3, 1), draw(short, -3, 1), draw(wild, 0, 1)];
        for command in calls {
            // The draw is rejected or skipped, but never executed.
            let reply = scene.context.execute(&command);
            assert!(!matches!(reply, Ok(Reply::Done)), "{api}: {command:?}: {reply:?}");
        }
        scene.picture().expect((5, 5), GREEN, "unchanged");
    }
}

/// `Context3D` rejects draws of programs that read an unbound texture or stream.
#[test]
fn missing_inputs_never_reach_gl() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, VARYING);
        scene.quad(FULL, 0.5, G);
        scene.program(PASS, TEXTURED);
        let indices = scene.indices(&[0, 1, 2]);
        let command = Invocation::DrawTriangles {
            index_buffer: Some(indices),
            first_index: 0,
            num_triangles: 1,
        };
        for step in 0..2 {
            if step == 1 {
                scene.program(PASS, VARYING);
                scene.call(Invocation::SetVertexBufferAt {
                    index: 1,
                    buffer: None,
                    buffer_offset: 0,
                    format: EnumArg::Is(VertexFormat::Float4),
                });
            }
            let reply = scene.context.execute(&command);
            assert!(!matches!(reply, Ok(Reply::Done)), "{api}, {step}: {reply:?}");
        }
        scene.picture().expect((5, 5), GREEN, "unchanged");
    }
}

/// If a disposed buffer or texture is replaced by a new object, the old binding is not reused.
#[test]
fn reused_names_are_bound_anew() {
    for api in APIS {
        let mut scene = Scene::new(api);
        scene.program(PASS, TEXTURED);
        for color in [[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255]] {
            let texture = scene.texture(2, TextureFormat::Bgra);
            scene.texels(texture, None, 0, &color.repeat(4));
            scene.bind_texture(0, Some(texture));
            scene.picture_quad(FULL);
            let [blue, green, red, alpha] = color;
            scene.picture().expect((5, 5), [red, green, blue, alpha], "new texture");
            scene.call(Invocation::TextureDispose { texture });
        }
        scene.bind_texture(0, None);
        scene.program(PASS, VARYING);
        for (color, expected) in [(R, RED), (G, GREEN)] {
            let floats: Vec<f32> = [[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]
                .iter()
                .flat_map(|[x, y]| [*x, *y, 0.5, color[0], color[1], color[2], color[3]])
                .collect();
            let buffer = scene.vertices(&floats, VERTEX);
            scene.stream(0, buffer, 0, VertexFormat::Float3);
            scene.stream(1, buffer, 3, VertexFormat::Float4);
            let indices = scene.indices(&[0, 1, 2]);
            scene.draw(indices);
            scene.picture().expect((60, 5), expected, "new buffers");
            scene.call(Invocation::VertexBufferDispose { buffer });
            scene.call(Invocation::IndexBufferDispose { buffer: indices });
        }
    }
}
