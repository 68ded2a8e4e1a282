//! Tests a program that is written against the recorder's API.

use std::io::Cursor;

use context3d::backend::NullFactory;
use context3d::enums::{BufferUsage, RenderMode};
use molehill_capture::data::OptionalParameter;
use molehill_capture::{Call, CaptureHeader, CaptureReader, CaptureRecord};
use molehill_replay::record::{CallWriter, RecordError};
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

fn request() -> Call {
    Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: OptionalParameter(Some(RenderMode::Auto.into())),
        profile: OptionalParameter(Some(Some("baseline".to_owned()))),
        profiles: OptionalParameter(None),
    }
}

fn create(num_vertices: i32) -> Call {
    Call::CreateVertexBuffer {
        num_vertices,
        data32_per_vertex: 1,
        buffer_usage: BufferUsage::StaticDraw.into(),
    }
}

struct Nothing;
impl ReplayObserver for Nothing {}

#[test]
fn what_is_recorded_replays_the_same() {
    let header = CaptureHeader {
        title: "t".to_owned(),
        swf_version: 30,
        stage_width: 8,
        stage_height: 8,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let mut recorder = CallWriter::new(Vec::new(), &header, NullFactory).unwrap();
    let stage3d = CallWriter::<Vec<u8>, NullFactory>::STAGE3D;
    let context = recorder.create(stage3d, request()).unwrap();
    let error = recorder.create(context, create(0)).unwrap_err();
    assert!(matches!(error, RecordError::Flash(error) if error.number() == 3671));
    let buffer = recorder.create(context, create(1)).unwrap();
    assert_eq!(recorder.call(buffer, Call::VertexBufferDispose {}).unwrap(), None);
    assert!(matches!(
        recorder.create(context, Call::SetRenderToBackBuffer {}),
        Err(RecordError::Io(_))
    ));
    recorder.end_frame().unwrap();
    let text = recorder.finish().unwrap();

    let mut reader = CaptureReader::new(Cursor::new(text.clone())).unwrap();
    let mut replayer = Replayer::new(&header, NullFactory, ReplayOptions::default());
    run(&mut reader, &mut replayer, &mut Nothing).unwrap();
    let report = replayer.report();
    assert_eq!((report.calls, report.frames, report.disagreements), (5, 1, 0));
    assert_eq!(report.errors.numbers, [3671]);

    let records = CaptureReader::new(Cursor::new(text)).unwrap().map(|item| item.unwrap().1);
    let calls: Vec<(Option<u64>, Option<u16>)> = records
        .filter_map(|record| match record {
            CaptureRecord::Call(line) => Some((line.result.map(|id| id.0), line.throws)),
            CaptureRecord::Frame(_) | CaptureRecord::Event(_) | CaptureRecord::Note(_) => None,
        })
        .collect();
    assert_eq!(
        calls,
        [(Some(2), None), (None, Some(3671)), (Some(3), None), (None, None), (None, None)]
    );
}
