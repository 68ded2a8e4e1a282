//! The order of a call's checks: each test begins with a call with several errors, and corrects them one by one.

use context3d::arguments::{BitmapTarget, Rectangle};
use context3d::enums::{BufferUsage, EnumArg, ProgramType, RenderMode, TextureFormat};
use context3d::{Error, Profile, Stage3D};

use crate::common::{Rig, TEXTURED, legal};

#[track_caller]
fn number<T: std::fmt::Debug>(result: Result<T, Error>) -> u16 {
    match result {
        Err(Error::Flash(error)) => error.number(),
        other => panic!("{other:?}"),
    }
}

/// [context3d.order.draw] [context3d.order.index_before_streams]
#[test]
fn draws() {
    let mut rig = Rig::baseline();
    rig.use_program(TEXTURED, 1);
    let (program, vertices, indices) = (rig.program, rig.vertices, rig.indices);
    let texture = rig.texture();
    let context = &mut rig.context;
    let outside = Rectangle { x: 99.0, y: 0.0, width: 1.0, height: 1.0 };
    legal(context.set_error_checking(true));
    legal(context.set_scissor_rectangle(Some(outside)));
    legal(context.set_vertex_buffer_at(0, None, 0, EnumArg::Unknown("?")));
    legal(context.set_program(None));
    legal(context.present());
    assert_eq!(number(context.draw_triangles(None, -1, 9)), 2007);
    assert_eq!(number(context.draw_triangles(Some(indices), -1, 9)), 3692);
    legal(context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    assert_eq!(number(context.draw_triangles(Some(indices), -1, 9)), 3600);
    legal(context.set_program(Some(program)));
    assert_eq!(number(context.draw_triangles(Some(indices), -1, 9)), 3602);
    assert_eq!(number(context.draw_triangles(Some(indices), 0, 9)), 3603);
    assert_eq!(number(context.draw_triangles(Some(indices), 0, -1)), 3663);
    legal(context.set_texture_at(0, Some(texture)));
    assert_eq!(number(context.draw_triangles(Some(indices), 0, -1)), 3611);
    let float4 = context3d::enums::VertexFormat::Float4;
    legal(context.set_vertex_buffer_at(0, Some(vertices), 0, float4));
    assert_eq!(number(context.draw_triangles(Some(indices), 0, -1)), 3706);
}

/// [context3d.order.buffer]
#[test]
fn buffers() {
    let mut context = Rig::new(Profile::StandardExtended, 50).context;
    let (bad, good) = (EnumArg::Unknown("?"), EnumArg::Is(BufferUsage::StaticDraw));
    assert_eq!(number(context.create_vertex_buffer_for_instances(0, 65, 0, bad)), 3784);
    assert_eq!(number(context.create_vertex_buffer_for_instances(0, 65, 1, bad)), 2008);
    assert_eq!(number(context.create_vertex_buffer(0, 65, good)), 3671);
    assert_eq!(number(context.create_vertex_buffer(0x10001, 0, good)), 3670);
    assert_eq!(number(context.create_index_buffer(0, bad)), 2008);
}

/// [context3d.order.texture]
#[test]
fn textures() {
    let mut context = Rig::baseline().context;
    let (half, compressed) = (TextureFormat::RgbaHalfFloat, TextureFormat::Compressed);
    assert_eq!(number(context.create_texture(0, 3, EnumArg::Unknown("?"), false, 9)), 2008);
    assert_eq!(number(context.create_texture(0, 3, half, false, 9)), 3759);
    assert_eq!(number(context.create_texture(0, 3, compressed, false, 9)), 3681);
    assert_eq!(number(context.create_texture(3, 4096, compressed, false, 9)), 3682);
    assert_eq!(number(context.create_texture(2, 4096, compressed, false, 9)), 3683);
    assert_eq!(number(context.create_texture(2, 8, compressed, false, 9)), 3745);
    assert_eq!(number(context.create_texture(8, 8, compressed, false, 9)), 3711);
    assert_eq!(number(context.create_rectangle_texture(0, 4096, half, false)), 3759);
    assert_eq!(number(context.create_rectangle_texture(0, 4096, compressed, false)), 3762);
    assert_eq!(number(context.create_rectangle_texture(0, 4096, TextureFormat::Bgra, false)), 3681);
}

/// [context3d.order.constants]
#[test]
fn constants() {
    let mut context = Rig::baseline().context;
    let (bad, good) = (EnumArg::Unknown("?"), EnumArg::Is(ProgramType::Vertex));
    let mut set = |kind, data| number(context.set_program_constants_from_vector(kind, -1, data, 2));
    assert_eq!(set(bad, None), 2008);
    assert_eq!(set(good, None), 2007);
    assert_eq!(set(good, Some(&[0.0; 7])), 3669);
    assert_eq!(set(good, Some(&[0.0; 8])), 2006);
}

/// [context3d.order.target]
#[test]
fn targets() {
    let mut rig = Rig::baseline();
    let disposed = rig.texture();
    legal(rig.context.texture_dispose(disposed));
    let plain = rig.texture();
    let context = &mut rig.context;
    let compressed = TextureFormat::Compressed;
    let compressed = legal(context.create_texture(16, 16, compressed, false, 2));
    let streaming = legal(context.create_texture(16, 16, TextureFormat::Bgra, false, 2));
    let mut set =
        |texture, output| number(context.set_render_to_texture(Some(texture), false, 0, 9, output));
    assert_eq!(set(disposed, 4), 3770);
    assert_eq!(set(disposed, 1), 3779);
    assert_eq!(set(disposed, 0), 3694);
    assert_eq!(set(compressed, 0), 3746);
    assert_eq!(set(streaming, 0), 3712);
    assert_eq!(set(plain, 0), 3771);
}

/// [context3d.order.request]
#[test]
fn requests() {
    let mut stage = Stage3D::new();
    let (auto, software) = (EnumArg::Is(RenderMode::Auto), EnumArg::Is(RenderMode::Software));
    assert_eq!(number(stage.request(EnumArg::Unknown("?"), None, false)), 2008);
    assert_eq!(number(stage.request(software, None, false)), 2007);
    legal(stage.request(auto, Some("baseline"), true));
    assert_eq!(number(stage.request(software, Some("baseline"), false)), 3688);
    assert_eq!(number(stage.request(software, Some("baseline"), true)), 2004);
}

/// [context3d.order.bitmap]
#[test]
fn bitmaps() {
    let options = Rig::baseline().context.options();
    let mut context = context3d::Context3D::new(context3d::backend::NullBackend::new(), options);
    legal(context.set_error_checking(true));
    let target = |side| Some(BitmapTarget { width: side, height: side, transparent: true });
    let nowhere = Some([f64::NAN; 2]);
    assert_eq!(number(context.draw_to_bitmap_data(None, None, nowhere)), 2007);
    assert_eq!(number(context.draw_to_bitmap_data(target(0), None, nowhere)), 2015);
    assert_eq!(number(context.draw_to_bitmap_data(target(8), None, nowhere)), 3698);
    legal(context.configure_back_buffer(32, 32, 0, false, false, false));
    assert_eq!(number(context.draw_to_bitmap_data(target(8), None, nowhere)), 3692);
    legal(context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    assert_eq!(number(context.draw_to_bitmap_data(target(8), None, nowhere)), 3802);
}
