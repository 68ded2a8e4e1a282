//! Calls per second through the API on a backend that only counts.

use context3d::backend::NullBackend;
use context3d::enums::{
    BlendFactor, BufferUsage, EnumArg, ProgramType, TextureFormat, VertexFormat,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Context3D, ContextOptions, ErrorCode, ObjectHandle, Profile, Reply};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const VERTEX: &str = "m44 op, va0, vc0\nmul v0, va1, vc4\nmov v1, va2";
const FRAGMENT: &str = "tex ft0, v1, fs0 <2d,linear,clamp,mipnone>\nmul oc, ft0, v0";

struct Scene {
    context: Context3D<NullBackend>,
    program: ObjectHandle<ProgramKey>,
    texture: ObjectHandle<TextureKey>,
    vertices: ObjectHandle<VertexBufferKey>,
    indices: ObjectHandle<IndexBufferKey>,
}

/// A scene with a batch of textured, tinted quads, as in a sprite engine.
fn scene() -> Scene {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(NullBackend::counting(), options);
    let mut build = || -> Result<_, context3d::Error> {
        context.configure_back_buffer(640, 480, 0, false, false, false)?;
        let program = context.create_program()?;
        let vertex = agal_bytes(VERTEX, agal::Stage::Vertex);
        let fragment = agal_bytes(FRAGMENT, agal::Stage::Fragment);
        context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
        let texture = context.create_texture(64, 64, TextureFormat::Bgra, false, 0)?;
        context.texture_upload_from_byte_array(texture, Some(&[0; 64 * 64 * 4]), 0, None, 0)?;
        let vertices = context.create_vertex_buffer(4, 8, BufferUsage::StaticDraw)?;
        context.vertex_buffer_upload_from_byte_array(vertices, Some(&[0; 4 * 8 * 4]), 0, 0, 4)?;
        let indices = context.create_index_buffer(6, BufferUsage::StaticDraw)?;
        context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2, 1, 3, 2]), 0, 6)?;
        Ok((program, texture, vertices, indices))
    };
    let (program, texture, vertices, indices) = build().expect("the scene is legal");
    Scene { context, program, texture, vertices, indices }
}

fn agal_bytes(source: &str, stage: agal::Stage) -> Vec<u8> {
    agal::asm::assemble(source, stage, 1).expect("the source is legal").encode()
}

fn sprite(scene: &mut Scene, matrix: &[f64; 16]) -> Result<Reply, context3d::Error> {
    let Scene { context, program, texture, vertices, indices } = scene;
    context.set_program(Some(*program))?;
    context.set_texture_at(0, Some(*texture))?;
    context.set_blend_factors(BlendFactor::One, BlendFactor::OneMinusSourceAlpha)?;
    context.set_vertex_buffer_at(0, Some(*vertices), 0, VertexFormat::Float2)?;
    context.set_vertex_buffer_at(1, Some(*vertices), 2, VertexFormat::Float4)?;
    context.set_vertex_buffer_at(2, Some(*vertices), 6, VertexFormat::Float2)?;
    context.set_program_constants_from_matrix(ProgramType::Vertex, 0, Some(matrix), true)?;
    context.set_program_constants_from_vector(ProgramType::Vertex, 4, Some(&[1.0; 4]), -1)?;
    context.draw_triangles(Some(*indices), 0, 2)
}

/// Presents after every thousand draws, because Flash allows 32768 draws per frame.
fn next_frame(scene: &mut Scene, draws: &mut u32) {
    if draws.is_multiple_of(1000) {
        scene.context.present().expect("legal");
        scene.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX).expect("legal");
    }
    *draws = draws.wrapping_add(1);
}

fn draws(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("context3d");
    let mut scene = scene();
    let mut matrix = [0.0; 16];
    group.throughput(Throughput::Elements(9));
    group.bench_function("sprite: 8 setters and a draw", |bencher| {
        let mut draws = 0u32;
        bencher.iter(|| {
            next_frame(&mut scene, &mut draws);
            matrix[12] = f64::from(draws);
            let reply = sprite(&mut scene, &matrix).expect("legal");
            assert_eq!(reply, Reply::Done);
        });
    });
    group.throughput(Throughput::Elements(1));
    for (name, program, reply) in [
        ("draw alone", Some(scene.program), Reply::Done),
        ("draw that is dropped", None, Reply::Skipped(ErrorCode::NoProgram)),
    ] {
        scene.context.set_program(program).expect("legal");
        group.bench_function(name, |bencher| {
            let mut draws = 0u32;
            bencher.iter(|| {
                next_frame(&mut scene, &mut draws);
                let drawn = scene.context.draw_triangles(Some(scene.indices), 0, 2);
                assert_eq!(drawn, Ok(reply.clone()));
            });
        });
    }
    group.bench_function("name to enumeration", |bencher| {
        bencher.iter(|| {
            EnumArg::<BlendFactor>::parse(std::hint::black_box(Some("oneMinusSourceAlpha")))
        });
    });
    group.finish();
}

criterion_group!(benches, draws);
criterion_main!(benches);
