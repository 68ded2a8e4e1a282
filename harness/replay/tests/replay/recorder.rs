//! Tests a program that is written against the recorder's API.

use std::io::Cursor;

use context3d::backend::NullFactory;
use context3d::enums::{BufferUsage, RenderMode};
use molehill_capture::data::Optional;
use molehill_capture::{Call, Header, Reader, Record};
use molehill_replay::record::{RecordError, Recorder};
use molehill_replay::{Observer, Options, Replayer, run};

fn request() -> Call {
    Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: Optional(Some(RenderMode::Auto.into())),
        profile: Optional(Some(Some("baseline".to_owned()))),
        profiles: Optional(None),
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
impl Observer for Nothing {}

#[test]
fn what_is_recorded_replays_the_same() {
    let header = Header {
        title: "t".to_owned(),
        swf_version: 30,
        stage_width: 8,
        stage_height: 8,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let mut recorder = Recorder::new(Vec::new(), &header, NullFactory).unwrap();
    let stage3d = Recorder::<Vec<u8>, NullFactory>::STAGE3D;
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

    let mut reader = Reader::new(Cursor::new(text.clone())).unwrap();
    let mut replayer = Replayer::new(&header, NullFactory, Options::default());
    run(&mut reader, &mut replayer, &mut Nothing).unwrap();
    let report = replayer.report();
    assert_eq!((report.calls, report.frames, report.disagreements), (5, 1, 0));
    assert_eq!(report.errors.numbers, [3671]);

    let records = Reader::new(Cursor::new(text)).unwrap().map(|item| item.unwrap().1);
    let calls: Vec<(Option<u64>, Option<u16>)> = records
        .filter_map(|record| match record {
            Record::Call(line) => Some((line.result.map(|id| id.0), line.throws)),
            Record::Frame(_) | Record::Event(_) | Record::Note(_) => None,
        })
        .collect();
    assert_eq!(
        calls,
        [(Some(2), None), (None, Some(3671)), (Some(3), None), (None, None), (None, None)]
    );
}
