//! A small scene with known results.

use context3d::agal::{Stage, asm};
use context3d::enums::FlashName;
use molehill_analysis::{Capture, CaptureLimits};
use molehill_capture::data::{ByteArray, Enum, Numbers, OptionalParameter, Uints};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, VertexBufferId};
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureReader, CaptureRecord};

pub(crate) const SIDE: u32 = 32;
pub(crate) const STAGE: ObjectId = ObjectId(1);
pub(crate) const CONTEXT: ObjectId = ObjectId(2);
pub(crate) const PROGRAM: ObjectId = ObjectId(3);
pub(crate) const VERTICES: ObjectId = ObjectId(4);
pub(crate) const INDICES: ObjectId = ObjectId(5);

pub(crate) fn on(on: ObjectId, call: Call, result: Option<ObjectId>) -> CaptureRecord {
    CaptureRecord::Call(CallLine { result, ..CallLine::new(on, call) })
}

pub(crate) fn name<T: FlashName>(text: &str) -> Enum<T> {
    Enum::parse(Some(text))
}

pub(crate) fn agal(text: &str, stage: Stage) -> ByteArray {
    ByteArray::from(asm::assemble(text, stage, 1).unwrap().encode())
}

/// Returns calls that create a context, a program, and a quad that covers the whole stage.
pub(crate) fn opening() -> Vec<CaptureRecord> {
    let usage = || name("staticDraw");
    vec![
        on(
            STAGE,
            Call::RequestContext3D {
                stage3d_index: 0,
                render_mode: OptionalParameter(Some(name("auto"))),
                profile: OptionalParameter(Some(Some("baseline".to_owned()))),
                profiles: OptionalParameter(None),
            },
            Some(CONTEXT),
        ),
        on(
            CONTEXT,
            Call::ConfigureBackBuffer {
                width: 32,
                height: 32,
                anti_alias: 0,
                enable_depth_and_stencil: true,
                wants_best_resolution: false,
                wants_best_resolution_on_browser_zoom: false,
            },
            None,
        ),
        on(CONTEXT, Call::CreateProgram {}, Some(PROGRAM)),
        on(
            PROGRAM,
            Call::ProgramUpload {
                vertex_program: agal("mul vt0, va0, vc0\nadd op, vt0, vc1", Stage::Vertex),
                fragment_program: agal("mov ft0, fc0\nmov oc, ft0", Stage::Fragment),
            },
            None,
        ),
        on(
            CONTEXT,
            Call::CreateVertexBuffer {
                num_vertices: 4,
                data32_per_vertex: 2,
                buffer_usage: usage(),
            },
            Some(VERTICES),
        ),
        on(
            VERTICES,
            Call::VertexBufferUploadFromVector {
                data: Some(Numbers(vec![-1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0])),
                start_vertex: 0,
                num_vertices: 4,
            },
            None,
        ),
        on(
            CONTEXT,
            Call::CreateIndexBuffer { num_indices: 6, buffer_usage: usage() },
            Some(INDICES),
        ),
        on(
            INDICES,
            Call::IndexBufferUploadFromVector {
                data: Some(Uints(vec![0, 1, 2, 0, 2, 3])),
                start_offset: 0,
                count: 6,
            },
            None,
        ),
        on(CONTEXT, Call::SetProgram { program: Some(ProgramId(PROGRAM)) }, None),
        on(
            CONTEXT,
            Call::SetVertexBufferAt {
                index: 0,
                buffer: Some(VertexBufferId(VERTICES)),
                buffer_offset: 0,
                format: name("float2"),
            },
            None,
        ),
        on(CONTEXT, Call::SetDepthTest { depth_mask: true, pass_compare_mode: name("less") }, None),
    ]
}

/// Returns calls that set the vertex and fragment constants and draw the quad.
pub(crate) fn draw(scale: [f64; 2], offset: [f64; 3], color: [f64; 3]) -> Vec<CaptureRecord> {
    let constants = |kind: &str, first_register, values: Vec<f64>| {
        on(
            CONTEXT,
            Call::SetProgramConstantsFromVector {
                program_type: name(kind),
                first_register,
                data: Some(Numbers(values)),
                num_registers: -1,
            },
            None,
        )
    };
    let ([sx, sy], [x, y, z], [red, green, blue]) = (scale, offset, color);
    vec![
        constants("vertex", 0, vec![sx, sy, 1.0, 1.0, x, y, z, 0.0]),
        constants("fragment", 0, vec![red, green, blue, 1.0]),
        on(
            CONTEXT,
            Call::DrawTriangles {
                index_buffer: Some(IndexBufferId(INDICES)),
                first_index: 0,
                num_triangles: -1,
            },
            None,
        ),
    ]
}

pub(crate) fn culling(face: &str) -> CaptureRecord {
    on(CONTEXT, Call::SetCulling { triangle_face_to_cull: name(face) }, None)
}

pub(crate) fn scissor(rectangle: Option<[f64; 4]>) -> CaptureRecord {
    let rectangle = rectangle.map(|[x, y, width, height]| context3d::arguments::Rectangle {
        x,
        y,
        width,
        height,
    });
    on(CONTEXT, Call::SetScissorRectangle { rectangle }, None)
}

/// Returns a frame: a clear and six quads. A red quad covers the stage, and a nearer green quad its left half. The
/// other quads: a blue quad between red and green, an off-screen quad, a culled quad, and a white quad that is clipped
/// to 8×8 pixels.
pub(crate) fn frame(number: u32) -> Vec<CaptureRecord> {
    let all = [1.0, 1.0];
    let mut records = vec![
        on(
            CONTEXT,
            Call::Clear {
                red: 0.2,
                green: 0.2,
                blue: 0.2,
                alpha: 1.0,
                depth: 1.0,
                stencil: 0,
                mask: 7,
            },
            None,
        ),
        culling("none"),
    ];
    records.extend(draw(all, [0.0, 0.0, 0.9], [1.0, 0.0, 0.0]));
    records.extend(draw([0.5, 1.0], [-0.5, 0.0, 0.5], [0.0, 1.0, 0.0]));
    records.extend(draw(all, [0.0, 0.0, 0.7], [0.0, 0.0, 1.0]));
    records.extend(draw(all, [5.0, 0.0, 0.1], [1.0, 1.0, 0.0]));
    records.push(culling("frontAndBack"));
    records.extend(draw(all, [0.0, 0.0, 0.1], [1.0, 1.0, 0.0]));
    records.push(culling("none"));
    records.push(scissor(Some([0.0, 0.0, 8.0, 8.0])));
    records.extend(draw(all, [0.0, 0.0, 0.1], [1.0, 1.0, 1.0]));
    records.push(scissor(None));
    records.push(on(CONTEXT, Call::Present {}, None));
    records.push(CaptureRecord::Frame(number));
    records
}

pub(crate) fn scene(frames: u32) -> Capture {
    let header = CaptureHeader {
        title: "scene".to_owned(),
        swf_version: 30,
        stage_width: SIDE,
        stage_height: SIDE,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let records = opening().into_iter().chain((0..frames).flat_map(frame));
    Capture::new(header, records)
}

/// The last draw of frame 1 of [`scene`].
pub(crate) const LAST: usize = 59;

/// Returns the first frames of the demo.
pub(crate) fn knot() -> Capture {
    let bytes: &[u8] = include_bytes!("../../../captures/knot.s3d.jsonl");
    let limits = CaptureLimits { last_frame: Some(1), ..CaptureLimits::default() };
    Capture::read(&mut CaptureReader::new(bytes).unwrap(), limits).unwrap()
}
