//! Tests uploads between the draws of one render pass. Each draw must read the last upload that precedes it.

use backend_wgpu::{AdapterSelector, WgpuBackend, open};
use context3d::agal::{Stage, asm};
use context3d::backend::{Backend as _, ReadSurface};
use context3d::enums::{BufferUsage, ProgramType, TextureFormat, VertexFormat};
use context3d::{Context3D, ContextOptions, Error, ObjectHandle, Profile, keys};

const SIDE: i32 = 64;
const COLUMNS: usize = 4;

/// The resource that changes between draws.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// The vertex positions of the columns, uploaded in one call.
    Vertices,
    /// The vertex positions of the columns, uploaded in two calls.
    VerticesInParts,
    Indices,
    IndicesInParts,
    /// The colour in a texture.
    Texels,
    /// The colour in a constant register.
    Constants,
}

struct Scene {
    context: Context3D<WgpuBackend>,
    vertices: ObjectHandle<keys::VertexBufferKey>,
    indices: ObjectHandle<keys::IndexBufferKey>,
    texture: ObjectHandle<keys::TextureKey>,
}

/// Returns the corners of a column; columns are numbered from the left.
fn column(number: usize) -> [f64; 8] {
    let [left, right] = [number, number + 1].map(|edge| edge as f64 / COLUMNS as f64 * 2.0 - 1.0);
    [left, 1.0, right, 1.0, left, -1.0, right, -1.0]
}

fn color(number: usize) -> [u8; 4] {
    let level = u8::try_from(number * 60 + 40).expect("a byte");
    [level, 255 - level, 7, 255]
}

fn scene() -> Result<Scene, Error> {
    let device =
        open(AdapterSelector::Software).expect("a software adapter, such as lavapipe").share();
    let backend = WgpuBackend::new(&device).expect("a backend");
    let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
    let mut context = Context3D::new(backend, options);
    context.configure_back_buffer(SIDE, SIDE, 0, true, false, false)?;
    let assemble = |text, stage| asm::assemble(text, stage, 1).expect("AGAL").encode();
    let vertex = assemble("mov op, va0\nmov v0, va0", Stage::Vertex);
    let text = "tex ft0, v0, fs0 <2d,nearest,clamp>\nmul oc, ft0, fc0";
    let fragment = assemble(text, Stage::Fragment);
    let program = context.create_program()?;
    context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
    context.set_program(Some(program))?;
    let count = i32::try_from(COLUMNS * 4).expect("a number");
    let vertices = context.create_vertex_buffer(count, 2, BufferUsage::StaticDraw)?;
    let all: Vec<f64> = (0..COLUMNS).flat_map(column).collect();
    context.vertex_buffer_upload_from_vector(vertices, Some(&all), 0, count)?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    let indices = context.create_index_buffer(6, BufferUsage::StaticDraw)?;
    context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2, 2, 1, 3]), 0, 6)?;
    let texture = context.create_texture(1, 1, TextureFormat::Bgra, false, 0)?;
    context.texture_upload_from_byte_array(texture, Some(&[255; 4]), 0, None, 0)?;
    context.set_texture_at(0, Some(texture))?;
    context.set_program_constants_from_vector(ProgramType::Fragment, 0, Some(&[1.0; 4]), -1)?;
    context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX)?;
    Ok(Scene { context, vertices, indices, texture })
}

fn draw(scene: &mut Scene, number: usize, change: Change) -> Result<(), Error> {
    let Scene { context, vertices, indices, texture } = scene;
    let first = u32::try_from(number * 4).expect("a number");
    let index: Vec<u32> = [0, 1, 2, 2, 1, 3].iter().map(|index| index + first).collect();
    let [red, green, blue, alpha] = color(number);
    let corners = column(number);
    match change {
        Change::Vertices => {
            let all = corners.repeat(COLUMNS);
            let count = i32::try_from(COLUMNS * 4).expect("a number");
            context.vertex_buffer_upload_from_vector(*vertices, Some(&all), 0, count)?;
        }
        Change::VerticesInParts => {
            context.vertex_buffer_upload_from_vector(*vertices, Some(&corners[..4]), 0, 2)?;
            context.vertex_buffer_upload_from_vector(*vertices, Some(&corners[4..]), 2, 2)?;
        }
        Change::Indices | Change::Texels | Change::Constants => {
            context.index_buffer_upload_from_vector(*indices, Some(&index), 0, 6)?;
        }
        Change::IndicesInParts => {
            context.index_buffer_upload_from_vector(*indices, Some(&index[..3]), 0, 3)?;
            context.index_buffer_upload_from_vector(*indices, Some(&index[3..]), 3, 3)?;
        }
    }
    if change == Change::Texels {
        let texel = [blue, green, red, alpha];
        context.texture_upload_from_byte_array(*texture, Some(&texel), 0, None, 0)?;
    } else {
        let values = [red, green, blue, alpha].map(|value| f64::from(value) / 255.0);
        context.set_program_constants_from_vector(ProgramType::Fragment, 0, Some(&values), -1)?;
    }
    context.draw_triangles(Some(*indices), 0, -1)?;
    Ok(())
}

#[test]
fn each_draw_reads_what_was_uploaded_before_it() {
    let changes = [
        Change::Vertices,
        Change::VerticesInParts,
        Change::Indices,
        Change::IndicesInParts,
        Change::Texels,
        Change::Constants,
    ];
    for change in changes {
        let mut scene = scene().expect("a scene");
        for number in 0..COLUMNS {
            draw(&mut scene, number, change).expect("a draw");
        }
        let mut pixels = Vec::new();
        let backend = scene.context.backend_mut();
        backend.read_pixels(ReadSurface::BackBuffer, &mut pixels).expect("a read");
        for number in 0..COLUMNS {
            let row = &pixels.as_chunks::<4>().0[..64];
            let pixel = row[64 / COLUMNS * number + 64 / COLUMNS / 2];
            assert_eq!(pixel, color(number), "{change:?}, column {number}");
        }
    }
}

/// The upload of the second draw's texels submits the first draw; the upload to the target follows both draws.
#[test]
fn an_upload_to_a_target_comes_after_its_draws() {
    let mut scene = scene().expect("a scene");
    let target = scene.context.create_rectangle_texture(SIDE, SIDE, TextureFormat::Bgra, true);
    let target = target.expect("a texture");
    scene.context.set_render_to_texture(Some(target), false, 0, 0, 0).expect("a target");
    scene.context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX).expect("a clear");
    for _ in 0..2 {
        draw(&mut scene, 0, Change::Texels).expect("a draw");
    }
    let Scene { mut context, indices, .. } = scene;
    context.set_render_to_back_buffer().expect("a target");
    let texels = [1, 2, 3, 255].repeat(64 * 64);
    context.texture_upload_from_byte_array(target, Some(&texels), 0, None, 0).expect("an upload");
    context.set_texture_at(0, Some(target)).expect("a texture");
    context.draw_triangles(Some(indices), 0, -1).expect("a draw");
    let mut pixels = Vec::new();
    context.backend_mut().read_pixels(ReadSurface::BackBuffer, &mut pixels).expect("a read");
    assert_eq!(pixels[..4], [3, 2, 1, 255]);
}
