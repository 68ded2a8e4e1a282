//! Tests that recordings replay with the same results: two contexts on two Stage3Ds, their positions, and events.

use std::io::Cursor;

use context3d::backend::{NullBackend, NullFactory};
use context3d::enums::{BufferUsage, EnumArg, TextureFormat};
use context3d::{Context3D, ContextOptions, Error, ErrorCode, Invocation, Profile, Reply};
use molehill_capture::objects::ObjectKind;
use molehill_capture::{
    CaptureHeader, CaptureRecord, CaptureRecorder, ContextRequest, EventRecord, Form,
    RecordedContext,
};

use molehill_capture::CaptureReader;
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

struct Nothing;
impl ReplayObserver for Nothing {}

fn header() -> CaptureHeader {
    CaptureHeader {
        title: "two".to_owned(),
        swf_version: 40,
        stage_width: 64,
        stage_height: 64,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    }
}

/// A host's context, with its recorder.
struct Recorded {
    context: Context3D<NullBackend>,
    name: RecordedContext,
}

impl Recorded {
    fn new(recorder: &mut CaptureRecorder<Vec<u8>>, index: u32, profile: Profile) -> Self {
        let options = ContextOptions { profile, swf_version: 40 };
        Recorded {
            context: Context3D::new(NullBackend::new(), options),
            name: recorder.context(index, "auto", profile),
        }
    }

    fn execute(
        &mut self,
        recorder: &mut CaptureRecorder<Vec<u8>>,
        command: &Invocation<'_>,
    ) -> Option<Reply> {
        let result = self.context.execute(command);
        recorder.call(self.name, command, &result);
        result.ok()
    }
}

#[test]
fn two_contexts_on_two_stages_and_their_events() {
    let mut captures = Vec::new();
    for form in [Form::Lines, Form::Binary] {
        let mut recorder = CaptureRecorder::with_form(Vec::new(), &header(), form, u64::MAX);
        let mut first = Recorded::new(&mut recorder, 0, Profile::Baseline);
        let mut second = Recorded::new(&mut recorder, 2, Profile::Standard);
        recorder.set_x(2, 30.0);
        recorder.set_y(2, -4.5);
        recorder.set_visible(0, false);
        let request = ContextRequest { profile: Some("nonsense"), ..ContextRequest::default() };
        let Error::Flash(error) = ErrorCode::NullParameter.into() else {
            panic!("an error of Flash");
        };
        recorder.refused(1, &request, Some(&error), None);
        for number in 0..4 {
            let host = if number % 2 == 0 { &mut first } else { &mut second };
            host.execute(
                &mut recorder,
                &Invocation::CreateVertexBuffer {
                    num_vertices: number,
                    data32_per_vertex: 3,
                    buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
                },
            );
        }
        let texture = second.execute(
            &mut recorder,
            &Invocation::CreateTexture {
                width: 1,
                height: 1,
                format: EnumArg::Is(TextureFormat::Bgra),
                optimize_for_render_to_texture: false,
                streaming_levels: 0,
            },
        );
        let Some(Reply::Texture(texture)) = texture else { panic!("a texture") };
        second.execute(
            &mut recorder,
            &Invocation::TextureUploadFromByteArrayAsync {
                texture,
                data: Some(&[1, 2, 3, 4]),
                byte_array_offset: 0,
                side: None,
                miplevel: 0,
            },
        );
        let event = second.context.take_texture_event().unwrap();
        recorder.event(&event);
        recorder.end_frame();
        captures.push(recorder.finish().unwrap());
    }
    let read = |capture: &Vec<u8>| -> Vec<CaptureRecord> {
        let reader = CaptureReader::new(Cursor::new(capture.clone())).unwrap();
        reader.map(|item| item.unwrap().1).collect()
    };
    let records = read(&captures[0]);
    assert_eq!(read(&captures[1]), records);
    let made = |kind| {
        records
            .iter()
            .filter(|record| match record {
                CaptureRecord::Call(line) => {
                    line.result.is_some() && line.call.creates() == Some(kind)
                }
                CaptureRecord::Frame(_) | CaptureRecord::Event(_) | CaptureRecord::Note(_) => false,
            })
            .count()
    };
    assert_eq!((made(ObjectKind::Context3D), made(ObjectKind::VertexBuffer3D)), (2, 3));
    let thrown: Vec<u16> = records
        .iter()
        .filter_map(|record| match record {
            CaptureRecord::Call(line) => line.throws,
            CaptureRecord::Frame(_) | CaptureRecord::Event(_) | CaptureRecord::Note(_) => None,
        })
        .collect();
    assert_eq!(thrown, [ErrorCode::NullParameter.number(), ErrorCode::BufferEmpty.number()]);
    let Some(CaptureRecord::Event(event)) = records.get(records.len() - 2) else {
        panic!("an event")
    };
    assert_eq!(event.event, EventRecord::TextureReady);

    for capture in captures {
        let mut reader = CaptureReader::new(Cursor::new(capture)).unwrap();
        let mut replayer = Replayer::new(&header(), NullFactory, ReplayOptions::default());
        run(&mut reader, &mut replayer, &mut Nothing).unwrap();
        let report = replayer.report();
        assert_eq!((report.contexts, report.frames), (2, 1));
        // The replay of the request with an unknown profile raises a different error from the recorded error.
        assert!(report.disagreements <= 1, "{}", report.disagreements);
    }
}
