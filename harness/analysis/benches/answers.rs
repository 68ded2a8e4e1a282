//! Measures the time of queries: `cargo bench -p molehill-analysis -- [CAPTURE...]`. Without an argument, measures
//! queries about the demo capture and about a frame of 30,000 small draws.
//!
//! All queries concern the last complete frame. A fresh inspector answers `state`, `draws`, `pixel` and the page of a
//! draw, then the page of another draw.

use std::path::Path;
use std::time::{Duration, Instant};

use context3d::agal::{Stage, asm};
use context3d::enums::{BufferUsage, ProgramType, VertexFormat};
use molehill_analysis::{Capture, CaptureLimits, Inspector};
use molehill_capture::data::{ByteArray, Enum, Numbers, OptionalParameter, Uints};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, VertexBufferId};
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord};

/// Flash allows 32,768 draws between two `present` calls.
const DRAWS: usize = 30_000;

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed(), done)
}

/// Executes all queries that the inspector's window makes for a draw.
fn page(inspector: &mut Inspector, call: usize) {
    inspector.state(call).expect("the draw has a context");
    inspector.draw_pictures(call).expect("it draws");
    inspector.textures(call).expect("the draw has a context");
    inspector.mesh(call).expect("it draws");
}

fn measure(name: &str, open: &dyn Fn() -> Capture) {
    let (opened, capture) = timed(open);
    let Some(frame) = capture.frames().iter().rev().find(|frame| frame.ended) else {
        return println!("{name}: no frames");
    };
    let (number, calls) = (frame.number, frame.calls.clone());
    let header = capture.header();
    let middle = (header.stage_width / 2, header.stage_height / 2);
    let whole = capture.call_count();
    let inspector = Inspector::new(capture);
    let (first, passes) = timed(|| inspector.passes(number).expect("the frame is there"));
    let draws: Vec<usize> = passes.into_iter().flat_map(|pass| pass.draws).collect();
    let (Some(last), Some(other)) = (draws.last(), draws.get(draws.len() / 3)) else {
        return println!("{name}: frame {number} draws nothing");
    };
    let ms = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1000.0);
    let again = || Inspector::new(std::sync::Arc::clone(inspector.capture()));
    let fresh = |work: &mut dyn FnMut(&mut Inspector)| {
        let mut inspector = again();
        ms(timed(|| work(&mut inspector)).0)
    };
    let cells = [
        ms(opened),
        ms(first),
        fresh(&mut |inspector| drop(inspector.state(*last))),
        fresh(&mut |inspector| drop(inspector.draws(number))),
        fresh(&mut |inspector| drop(inspector.pixel(number, middle))),
        fresh(&mut |inspector| page(inspector, *last)),
    ];
    let mut used = again();
    used.draws(number).expect("the frame is there");
    let next = [
        ms(timed(|| drop(used.state(*other))).0),
        ms(timed(|| drop(used.pixel(number, middle))).0),
        ms(timed(|| page(&mut used, *other)).0),
    ];
    let (calls, draws) = (calls.len(), draws.len());
    println!(
        "| {name} | {whole} | {number}: {calls} calls, {draws} draws | {} | {} |",
        cells.join(" | "),
        next.join(" | ")
    );
}

fn read(path: &Path, frames: Option<u32>) -> Capture {
    let reader = CaptureReader::open(path).expect("a capture");
    let limits = CaptureLimits { last_frame: frames, ..CaptureLimits::default() };
    Capture::open(reader, limits).expect("a capture")
}

/// A frame of many small draws, each with its own position and colour, as in a game with sprites.
fn many(path: &Path) -> Capture {
    let header = CaptureReader::open(path).expect("the demo").header().clone();
    let mut records = Vec::new();
    let mut call = |on: u64, call: Call, result: Option<u64>| {
        let result = result.map(ObjectId);
        records.push(CaptureRecord::Call(CallLine { result, ..CallLine::new(ObjectId(on), call) }));
    };
    let agal = |text: &str, stage| {
        let program = asm::assemble(text, stage, 1).expect("it is valid");
        ByteArray::from(program.encode())
    };
    let request = Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: OptionalParameter(None),
        profile: OptionalParameter(Some(Some("standard".to_owned()))),
        profiles: OptionalParameter(None),
    };
    call(1, request, Some(2));
    let back_buffer = Call::ConfigureBackBuffer {
        width: header.stage_width.cast_signed(),
        height: header.stage_height.cast_signed(),
        anti_alias: 4,
        enable_depth_and_stencil: true,
        wants_best_resolution: false,
        wants_best_resolution_on_browser_zoom: false,
    };
    call(2, back_buffer, None);
    call(2, Call::CreateProgram {}, Some(3));
    let program = Call::ProgramUpload {
        vertex_program: agal("mul vt0, va0, vc0\nadd op, vt0, vc1", Stage::Vertex),
        fragment_program: agal("mov oc, fc0", Stage::Fragment),
    };
    call(3, program, None);
    let (num_vertices, buffer_usage) = (4, Enum::Is(BufferUsage::StaticDraw));
    let create = Call::CreateVertexBuffer {
        num_vertices,
        data32_per_vertex: 2,
        buffer_usage: buffer_usage.clone(),
    };
    call(2, create, Some(4));
    let data = Some(Numbers(vec![-1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0]));
    let upload = Call::VertexBufferUploadFromVector { data, start_vertex: 0, num_vertices };
    call(4, upload, None);
    let create = Call::CreateIndexBuffer { num_indices: 6, buffer_usage };
    call(2, create, Some(5));
    let upload = Call::IndexBufferUploadFromVector {
        data: Some(Uints(vec![0, 1, 2, 0, 2, 3])),
        start_offset: 0,
        count: 6,
    };
    call(5, upload, None);
    let program = Some(ProgramId(ObjectId(3)));
    call(2, Call::SetProgram { program }, None);
    let stream = Call::SetVertexBufferAt {
        index: 0,
        buffer: Some(VertexBufferId(ObjectId(4))),
        buffer_offset: 0,
        format: VertexFormat::Float2.into(),
    };
    call(2, stream, None);
    let clear = Call::Clear {
        red: 0.0,
        green: 0.0,
        blue: 0.0,
        alpha: 1.0,
        depth: 1.0,
        stencil: 0,
        mask: 7,
    };
    call(2, clear, None);
    for draw in 0..DRAWS {
        let part = |of: usize| f64::from(u16::try_from(draw * 7 % of).unwrap_or(0)) / of as f64;
        for (kind, values) in [
            (
                ProgramType::Vertex,
                vec![
                    0.02,
                    0.03,
                    1.0,
                    1.0,
                    part(997) * 2.0 - 1.0,
                    part(1009) * 2.0 - 1.0,
                    part(1013),
                    0.0,
                ],
            ),
            (ProgramType::Fragment, vec![part(13), part(11), part(7), 1.0]),
        ] {
            let constants = Call::SetProgramConstantsFromVector {
                program_type: kind.into(),
                first_register: 0,
                data: Some(Numbers(values)),
                num_registers: -1,
            };
            call(2, constants, None);
        }
        let draw = Call::DrawTriangles {
            index_buffer: Some(IndexBufferId(ObjectId(5))),
            first_index: 0,
            num_triangles: -1,
        };
        call(2, draw, None);
    }
    call(2, Call::Present {}, None);
    records.push(CaptureRecord::Frame(0));
    Capture::new(header, records)
}

fn main() {
    println!(
        "| capture | calls | last frame | open | passes | state | draws | pixel | page | next state | next pixel | next page |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let demo = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/knot.s3d.jsonl"));
    let files: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if files.is_empty() {
        measure("demo, 41 frames", &|| read(demo, Some(40)));
        measure("demo", &|| read(demo, None));
        measure("30,000 draws", &|| many(demo));
    }
    for file in &files {
        let path = Path::new(file);
        let folder = path.parent().and_then(Path::file_name);
        measure(&folder.unwrap_or_default().to_string_lossy(), &|| read(path, None));
    }
}
