//! The packet of a draw contains the current fixed-function state.

use context3d::arguments::Rectangle;
use context3d::backend::NullBackend;
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, FillMode, ProgramType, StencilAction, TextureFormat,
    TriangleFace, VertexFormat,
};
use context3d::packets::{Packet, Raster, Scissor, StencilFace, Stream};
use context3d::{Context3D, Error, ErrorCode, Invocation, Profile, Reply};

use crate::common::{Rig, SIDE, legal};

const ALWAYS: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// The initial state [context3d.state.initial]. The initial depth test is only inferred [context3d.state.depth].
const INITIAL: Raster = Raster {
    cull: TriangleFace::None,
    blend: (BlendFactor::One, BlendFactor::Zero),
    color_mask: [true; 4],
    depth_write: true,
    depth_compare: CompareMode::Less,
    stencil_front: ALWAYS,
    stencil_back: ALWAYS,
    stencil_reference: 0,
    stencil_read_mask: 255,
    stencil_write_mask: 255,
    fill: FillMode::Solid,
};

#[test]
fn a_fresh_context_draws_with_the_initial_state() {
    let mut rig = Rig::baseline();
    let draw = rig.drawn();
    assert_eq!(draw.state.raster, INITIAL);
    let range = (draw.first_index, draw.index_count, draw.instances);
    assert_eq!(range, (0, 6, 1));
    assert_eq!(draw.index_buffer, rig.indices.key());
    assert_eq!(Some(draw.state.program), rig.context.bound_device_program());
    let stream = Stream {
        buffer: rig.vertices.key(),
        offset: 0,
        stride: 16,
        format: VertexFormat::Float4,
        divisor: 0,
    };
    assert_eq!(draw.streams[0], Some(stream));
    assert!(draw.streams[1..].iter().all(Option::is_none));
    assert!(draw.textures.iter().all(Option::is_none));
}

#[test]
fn fixed_function_state_lands_in_the_packet() {
    let mut rig = Rig::baseline();
    let context = &mut rig.context;
    legal(context.set_blend_factors(BlendFactor::SourceAlpha, BlendFactor::DestinationColor));
    legal(context.set_color_mask(true, false, true, false));
    legal(context.set_culling(TriangleFace::Back));
    legal(context.set_depth_test(false, CompareMode::Greater));
    legal(context.set_stencil_actions(
        TriangleFace::Front,
        CompareMode::Equal,
        StencilAction::Invert,
        StencilAction::Zero,
        StencilAction::Set,
    ));
    // Stencil values are truncated to 8 bits: "Low 8 bits used."
    legal(context.set_stencil_reference_value(0x1ab, 0xf0f, u32::MAX));
    legal(context.execute(&Invocation::SetFillMode { fill_mode: FillMode::Wireframe.into() }));
    let expected = Raster {
        cull: TriangleFace::Back,
        blend: (BlendFactor::SourceAlpha, BlendFactor::DestinationColor),
        color_mask: [true, false, true, false],
        depth_write: false,
        depth_compare: CompareMode::Greater,
        stencil_front: StencilFace {
            compare: CompareMode::Equal,
            both_pass: StencilAction::Invert,
            depth_fail: StencilAction::Zero,
            stencil_fail: StencilAction::Set,
        },
        // A stencil call for the front faces doesn't change the state of back faces.
        stencil_back: ALWAYS,
        stencil_reference: 0xab,
        stencil_read_mask: 0x0f,
        stencil_write_mask: 0xff,
        fill: FillMode::Wireframe,
    };
    assert_eq!(rig.drawn().state.raster, expected);
    // "State is kept across present(), setRenderToTexture and program changes."
    legal(rig.context.present());
    let target = rig.texture();
    legal(rig.context.set_render_to_texture(Some(target), true, 0, 0, 0));
    legal(rig.context.set_program(Some(rig.program)));
    assert_eq!(rig.drawn().state.raster, expected);
}

/// A call that changes state between two draws.
type Change<'a> = &'a dyn Fn(&mut Context3D<NullBackend>) -> Result<(), Error>;

/// Setting a state to its current value keeps the state's id; every change creates a new id.
#[test]
fn the_id_of_a_state_stays_while_nothing_changes() {
    let mut rig = Rig::baseline();
    let mut id = rig.drawn().state.id;
    let (vertices, program) = (rig.vertices, rig.program);
    let target = rig.target(SIDE, TextureFormat::Bgra);
    let buffer = legal(rig.context.create_vertex_buffer(4, 4, BufferUsage::StaticDraw));
    let steps: [(&str, bool, Change<'_>); 9] = [
        ("the same culling", false, &|context| context.set_culling(TriangleFace::None)),
        ("culling", true, &|context| context.set_culling(TriangleFace::Back)),
        ("the same program", false, &|context| context.set_program(Some(program))),
        ("a scissor", false, &|context| {
            let (x, y, width, height) = (0.0, 0.0, 8.0, 8.0);
            context.set_scissor_rectangle(Some(Rectangle { x, y, width, height }))
        }),
        ("a target with the same outputs", false, &|context| {
            context.set_render_to_texture(Some(target), false, 0, 0, 0)
        }),
        ("another buffer", false, &|context| {
            context.set_vertex_buffer_at(0, Some(buffer), 0, VertexFormat::Float4)
        }),
        ("a format", true, &|context| {
            context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float3)
        }),
        ("the same format", false, &|context| {
            context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float3)
        }),
        ("the culling before", true, &|context| context.set_culling(TriangleFace::None)),
    ];
    for (what, changes, set) in steps {
        legal(set(&mut rig.context));
        let new = rig.drawn().state.id;
        assert_eq!(new != id, changes, "{what}");
        id = new;
    }
    rig.use_program(("mov op, va0", "mov oc, fc1"), 1);
    assert_ne!(rig.drawn().state.id, id);
}

/// [context3d.stencil.faces]
#[test]
fn stencil_actions_by_face() {
    let mut rig = Rig::baseline();
    let changed = |rig: &mut Rig, face| {
        let mut set = |face, action| {
            let context = &mut rig.context;
            legal(context.set_stencil_actions(face, CompareMode::Always, action, action, action));
        };
        set(face, StencilAction::Keep);
        set(TriangleFace::FrontAndBack, StencilAction::Keep);
        set(face, StencilAction::Invert);
        let raster = rig.drawn().state.raster;
        (raster.stencil_front != ALWAYS, raster.stencil_back != ALWAYS)
    };
    assert_eq!(changed(&mut rig, TriangleFace::Front), (true, false));
    assert_eq!(changed(&mut rig, TriangleFace::Back), (false, true));
    assert_eq!(changed(&mut rig, TriangleFace::FrontAndBack), (true, true));
    // `Context3DTriangleFace.NONE`: "none is accepted, no effect".
    assert_eq!(changed(&mut rig, TriangleFace::None), (false, false));
}

fn scissor(rig: &mut Rig, [x, y, width, height]: [f64; 4]) -> Option<[u32; 4]> {
    let rectangle = Rectangle { x, y, width, height };
    legal(rig.context.set_scissor_rectangle(Some(rectangle)));
    let scissor = rig.drawn().scissor;
    scissor.map(|Scissor { x, y, width, height }| [x, y, width, height])
}

#[test]
fn the_scissor_is_clipped_to_the_target() {
    let mut rig = Rig::baseline();
    legal(rig.context.configure_back_buffer(64, 48, 0, false, false, false));
    assert_eq!(scissor(&mut rig, [32.0, 32.0, 99.0, 99.0]), Some([32, 32, 32, 16]));
    legal(rig.context.configure_back_buffer(SIDE, SIDE, 0, false, false, false));
    assert_eq!(scissor(&mut rig, [3.9, 4.2, 10.9, 5.0]), Some([3, 4, 10, 5]));
    assert_eq!(scissor(&mut rig, [-5.0, -6.0, 10.0, 10.0]), Some([0, 0, 5, 4]));
    assert_eq!(scissor(&mut rig, [60.0, 63.0, 1e300, f64::INFINITY]), Some([60, 63, 4, 1]));
    // Zero, negative and NaN sizes disable the scissor test (capture scissor_rectangle) [context3d.scissor.negative].
    for (width, height) in [(0.0, 8.0), (8.0, 0.0), (-1.0, 8.0), (f64::NAN, 8.0)] {
        assert_eq!(scissor(&mut rig, [1.0, 1.0, width, height]), None);
    }
    assert_eq!(scissor(&mut rig, [f64::NAN, 0.0, 8.0, 8.0]), Some([0, 0, 8, 8]));
    // The rectangle is kept if the target changes, and is then relative to the new target.
    let target = rig.target(4, TextureFormat::Bgra);
    legal(rig.context.set_render_to_texture(Some(target), false, 0, 0, 0));
    let of_target = rig.drawn().scissor.map(|s| (s.width, s.height));
    assert_eq!(of_target, Some((4, 4)));
    legal(rig.context.set_render_to_back_buffer());
    let of_buffer = rig.drawn().scissor.map(|s| (s.width, s.height));
    assert_eq!(of_buffer, Some((8, 8)));
    legal(rig.context.set_scissor_rectangle(None));
    assert_eq!(rig.drawn().scissor, None);
}

/// [context3d.draw.invalid]
#[test]
fn a_draw_that_is_dropped_reaches_nothing() {
    let mut rig = Rig::baseline();
    legal(rig.context.set_program_constants_from_vector(
        ProgramType::Vertex,
        0,
        Some(&[1.0; 4]),
        -1,
    ));
    legal(rig.context.set_program(None));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::NoProgram)));
    let draw = rig.context.draw_triangles(Some(rig.indices), 7, -1);
    assert_eq!(draw, Ok(Reply::Skipped(ErrorCode::NoProgram)));
    assert_eq!(rig.packets(), []);
    // A draw of no triangles or no instances sends no packet.
    let mut rig = Rig::new(Profile::StandardExtended, 50);
    assert_eq!(rig.context.draw_triangles(Some(rig.indices), 0, 0), Ok(Reply::Done));
    assert_eq!(rig.context.draw_triangles(Some(rig.indices), 4, -1), Ok(Reply::Done));
    let none = rig.context.draw_triangles_instanced(Some(rig.indices), 0, 0, -1);
    assert_eq!(none, Ok(Reply::Done));
    assert_eq!(rig.packets(), []);
}

#[test]
fn the_number_of_triangles() {
    let mut rig = Rig::baseline();
    let mut drawn = |first, triangles| {
        rig.packets();
        legal(rig.context.draw_triangles(Some(rig.indices), first, triangles));
        match rig.packets().as_slice() {
            [Packet::Draw(draw)] => (draw.first_index, draw.index_count),
            other => panic!("{other:?}"),
        }
    };
    // All complete triangles starting at `firstIndex`, which need not be a multiple of three [context3d.draw.all].
    assert_eq!(drawn(0, -1), (0, 6));
    assert_eq!(drawn(1, -1), (1, 3));
    assert_eq!(drawn(3, -1), (3, 3));
    assert_eq!(drawn(2, 1), (2, 3));
    assert_eq!(drawn(0, 1), (0, 3));
}
