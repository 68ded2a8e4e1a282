//! Captures against a backend that shows how often it presented.

use std::cell::Cell;
use std::io::Cursor;
use std::rc::Rc;

use context3d::packets::Packet;
use context3d::{Backend, BackendCaps, BackendError, Surface};

use super::backend::IdleFactory;
use super::*;
use crate::image::Image;
use crate::trace::{CallLine, Reader};

/// Each of its pixels is red as many times as it presented, green by the number of the backend.
struct Counter {
    caps: BackendCaps,
    number: u8,
    size: (u32, u32),
    presents: u8,
    alive: Rc<Cell<i32>>,
    fails: bool,
}

impl Backend for Counter {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match packet {
            Packet::ConfigureBackBuffer(buffer) => self.size = (buffer.width, buffer.height),
            Packet::Present if self.fails => return Err(BackendError::Lost),
            Packet::Present => self.presents += 1,
            _ => {}
        }
        Ok(())
    }

    fn read_pixels(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        if surface != Surface::Front || self.presents == 0 {
            return Ok((0, 0));
        }
        for _ in 0..self.size.0 * self.size.1 {
            out.extend([self.presents, self.number, 0, 0]);
        }
        Ok(self.size)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

#[derive(Default)]
struct Counters {
    made: u8,
    alive: Rc<Cell<i32>>,
    fail: bool,
}

impl BackendFactory for Counters {
    type Backend = Counter;

    fn create(&mut self) -> Result<Counter, BackendError> {
        self.made += 1;
        self.alive.set(self.alive.get() + 1);
        Ok(Counter {
            caps: IdleFactory.create()?.caps().clone(),
            number: self.made,
            size: (0, 0),
            presents: 0,
            alive: Rc::clone(&self.alive),
            fails: self.fail,
        })
    }
}

/// Keeps everything.
#[derive(Default)]
struct Log {
    outcomes: Vec<(u64, Outcome)>,
    frames: Vec<(u32, [u8; 4])>,
    last: Option<(u32, [u8; 4])>,
    wants_frames: bool,
    raised: Vec<(u64, u16)>,
}

fn corner(image: &Image) -> [u8; 4] {
    image.pixel(0, 0).unwrap()
}

impl Observer for Log {
    fn wants(&mut self, _frame: u32) -> bool {
        self.wants_frames
    }

    fn frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        self.frames.push((frame, corner(image)));
        Ok(())
    }

    fn wants_last(&self) -> bool {
        true
    }

    fn last_frame(&mut self, frame: u32, image: Image) -> Result<(), String> {
        self.last = Some((frame, corner(&image)));
        Ok(())
    }

    fn called(&mut self, line: u64, _call: &CallLine, outcome: &Outcome) -> Result<(), String> {
        if *outcome != Outcome::Done {
            self.outcomes.push((line, outcome.clone()));
        }
        Ok(())
    }

    fn raised(&mut self, raised: &Raised) -> Result<(), String> {
        self.raised.push((raised.line, raised.error.number()));
        Ok(())
    }
}

/// The stage's colour.
const STAGE: [u8; 4] = [9, 9, 9, 255];

const HEADER: &str = r##"{"stage3dCapture":1,"title":"t","swfVersion":30,"stageWidth":40,"stageHeight":40,"stageColor":"#090909"}"##;

fn request(stage: u64, index: u32, result: u64) -> String {
    format!(
        r#"{{"call":"requestContext3D","on":{stage},"stage3DIndex":{index},"context3DRenderMode":"auto","profile":"baseline","result":{result}}}"#
    )
}

fn configure(context: u64) -> String {
    format!(
        r#"{{"call":"configureBackBuffer","on":{context},"width":32,"height":32,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}}"#
    )
}

fn clear(context: u64) -> String {
    format!(
        r#"{{"call":"clear","on":{context},"red":0.0,"green":0.0,"blue":0.0,"alpha":1.0,"depth":1.0,"stencil":0,"mask":7}}"#
    )
}

fn present(context: u64) -> String {
    format!(r#"{{"call":"present","on":{context}}}"#)
}

fn frame(number: u32) -> String {
    format!(r#"{{"frame":{number}}}"#)
}

/// `vertices` of 0 is error 3671 (context3d-errors.md).
fn create_vertex_buffer(context: u64, vertices: i32, rest: &str) -> String {
    format!(
        r#"{{"call":"createVertexBuffer","on":{context},"numVertices":{vertices},"data32PerVertex":1,"bufferUsage":"staticDraw"{rest}}}"#
    )
}

fn upload(buffer: u64) -> String {
    format!(
        r#"{{"call":"uploadFromVector","on":{buffer},"dataF64B64":"AAAAAAAAAAA=","startVertex":0,"numVertices":1}}"#
    )
}

fn bind(context: u64, buffer: u64) -> String {
    format!(
        r#"{{"call":"setVertexBufferAt","on":{context},"index":0,"buffer":{buffer},"bufferOffset":0,"format":"float1"}}"#
    )
}

fn dispose(object: u64) -> String {
    format!(r#"{{"call":"dispose","on":{object}}}"#)
}

struct Played {
    log: Log,
    report: Report,
    made: u8,
    alive: i32,
    result: Result<(), ReplayError>,
}

fn play_with(factory: Counters, options: Options, lines: &[String]) -> Played {
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    let mut reader = Reader::new(Cursor::new(text.into_bytes())).unwrap();
    let mut replayer = Replayer::new(&reader.header().clone(), factory, options);
    let mut log = Log {
        wants_frames: true,
        ..Log::default()
    };
    let result = run(&mut reader, &mut replayer, &mut log);
    let (made, alive) = (replayer.factory().made, replayer.factory().alive.get());
    Played {
        log,
        report: replayer.report().clone(),
        made,
        alive,
        result,
    }
}

fn play(lines: &[String]) -> Played {
    let played = play_with(Counters::default(), Options::default(), lines);
    if let Err(error) = &played.result {
        panic!("{error}");
    }
    played
}

#[test]
fn an_overtaken_request_needs_no_device() {
    let played = play(&[
        request(1, 0, 2),
        request(1, 0, 3),
        configure(3),
        clear(3),
        present(3),
        frame(0),
    ]);
    assert_eq!((played.made, played.report.contexts), (1, 1));
    assert_eq!(played.log.frames, [(0, [1, 1, 0, 255])]);
}

#[test]
fn only_what_was_presented_shows() {
    let played = play(&[
        frame(0),
        request(1, 0, 2),
        frame(1),
        configure(2),
        clear(2),
        frame(2),
        present(2),
        frame(3),
        clear(2),
        frame(4),
        present(2),
    ]);
    let first = [1, 1, 0, 255];
    assert_eq!(
        played.log.frames,
        [(0, STAGE), (1, STAGE), (2, STAGE), (3, first), (4, first)]
    );
    // What was presented after the last frame is not in it.
    assert_eq!(played.log.last, Some((4, first)));
    assert_eq!((played.report.frames, played.report.calls), (5, 6));
}

#[test]
fn a_new_context_takes_the_place_of_the_old_one() {
    let old = |lines: &[String]| {
        [
            vec![request(1, 0, 2), configure(2), clear(2), present(2)],
            lines.to_vec(),
        ]
        .concat()
    };
    let played = play(&old(&[
        request(1, 0, 3),
        clear(2),
        present(2),
        frame(0),
        configure(3),
        frame(1),
        clear(2),
        clear(3),
        present(3),
        frame(2),
    ]));
    // The old one works until the new one is used; then it is disposed (error 3694).
    assert_eq!(played.log.raised, [(12, 3694)]);
    assert_eq!(
        played.log.frames,
        [(0, [2, 1, 0, 255]), (1, STAGE), (2, [1, 2, 0, 255])]
    );
    assert_eq!((played.made, played.alive), (2, 1));
}

#[test]
fn a_disposed_context_shows_nothing_and_holds_no_device() {
    let played = play(&[
        request(1, 0, 2),
        configure(2),
        clear(2),
        present(2),
        frame(0),
        dispose(2),
        frame(1),
        present(2),
        create_vertex_buffer(2, 1, ""),
    ]);
    assert_eq!(played.log.frames, [(0, [1, 1, 0, 255]), (1, STAGE)]);
    assert_eq!(played.log.raised, [(9, 3694), (10, 3694)]);
    assert_eq!(played.alive, 0);
    let played = play(&[
        request(1, 0, 2),
        configure(2),
        clear(2),
        present(2),
        frame(0),
        dispose(2),
    ]);
    assert_eq!(played.log.last, Some((0, [1, 1, 0, 255])));
}

#[test]
fn stages_lie_in_the_order_of_their_indices() {
    let visible =
        |stage: u64, value: bool| format!(r#"{{"call":"visible","on":{stage},"value":{value}}}"#);
    let x = |stage: u64, value: f64| format!(r#"{{"call":"x","on":{stage},"value":{value:?}}}"#);
    let shown = |context| [configure(context), clear(context), present(context)];
    let mut lines = vec![request(1, 3, 10), request(2, 0, 20)];
    lines.extend(shown(10));
    lines.extend(shown(20));
    lines.extend([
        frame(0),
        visible(1, false),
        frame(1),
        x(2, 5.0),
        frame(2),
        visible(1, true),
        frame(3),
    ]);
    let played = play(&lines);
    let (upper, lower) = ([1, 1, 0, 255], [1, 2, 0, 255]);
    assert_eq!(
        played.log.frames,
        [(0, upper), (1, lower), (2, STAGE), (3, upper)]
    );
    assert_eq!((played.made, played.alive), (2, 2));
}

#[test]
fn what_could_not_be_created_is_null() {
    let played = play(&[
        request(1, 0, 2),
        create_vertex_buffer(2, 0, r#","result":5"#),
        upload(5),
        bind(2, 5),
        dispose(5),
        create_vertex_buffer(2, 1, r#","result":6"#),
        upload(6),
    ]);
    assert_eq!(played.log.raised, [(3, 3671)]);
    let on_null: Vec<u64> = played
        .log
        .outcomes
        .iter()
        .filter(|(_, outcome)| *outcome == Outcome::OnNull)
        .map(|(line, _)| *line)
        .collect();
    assert_eq!(on_null, [4, 6]);
    // The two, and the null that was bound.
    assert_eq!(
        (played.report.consequential, played.report.disagreements),
        (3, 1)
    );
}

#[test]
fn a_disposed_object_raises_flashs_error() {
    let played = play(&[
        request(1, 0, 2),
        create_vertex_buffer(2, 1, r#","result":5"#),
        dispose(5),
        upload(5),
        dispose(5),
        create_vertex_buffer(2, 1, r#","result":6"#),
        upload(6),
    ]);
    assert_eq!(played.log.raised, [(5, 3694)]);
    assert_eq!(played.report.errors.by_number.get(&3694), Some(&1));
}

#[test]
fn an_object_of_a_lost_context_is_disposed() {
    let played = play(&[
        request(1, 0, 2),
        create_vertex_buffer(2, 1, r#","result":5"#),
        request(1, 0, 3),
        create_vertex_buffer(3, 1, r#","result":6"#),
        bind(3, 6),
        bind(3, 5),
        upload(5),
    ]);
    assert_eq!(played.log.raised, [(7, 3694), (8, 3694)]);
}

#[test]
fn agreement_with_the_recording_is_counted() {
    for (rest, disagreements) in [
        ("", 0),
        (r#","throws":3671"#, 0),
        (r#","throws":3670"#, 1),
        (r#","result":5"#, 1),
    ] {
        let played = play(&[request(1, 0, 2), create_vertex_buffer(2, 0, rest)]);
        assert_eq!(played.report.disagreements, disagreements, "{rest}");
    }
    for (rest, disagreements) in [(r#","result":5"#, 0), ("", 1), (r#","throws":3671"#, 1)] {
        let played = play(&[request(1, 0, 2), create_vertex_buffer(2, 1, rest)]);
        assert_eq!(played.report.disagreements, disagreements, "{rest}");
    }
}

#[test]
fn strict_ends_at_the_first_error() {
    let lines = [
        request(1, 0, 2),
        frame(0),
        create_vertex_buffer(2, 0, ""),
        frame(1),
    ];
    let played = play_with(Counters::default(), Options { strict: true }, &lines);
    let error = played.result.unwrap_err();
    assert!(
        matches!(
            error,
            ReplayError::Strict {
                line: 4,
                call: "createVertexBuffer",
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .located("c")
            .starts_with("c:4: createVertexBuffer: ArgumentError: Error #3671: ")
    );
    assert_eq!(
        (played.log.raised, played.report.errors.total),
        (vec![(4, 3671)], 1)
    );
    assert_eq!(played.log.last, Some((0, STAGE)));
}

#[test]
fn a_lost_device_ends_the_replay() {
    let factory = Counters {
        fail: true,
        ..Counters::default()
    };
    let lines = [
        request(1, 0, 2),
        configure(2),
        clear(2),
        frame(0),
        present(2),
        frame(1),
    ];
    let played = play_with(factory, Options::default(), &lines);
    let error = played.result.unwrap_err();
    assert_eq!(
        error.located("c"),
        "c:6: present: the graphics device was lost"
    );
    assert_eq!(played.log.frames, [(0, STAGE)]);
}

#[test]
fn no_device_is_an_error_of_the_first_call() {
    let text = format!("{HEADER}\n{}\n{}\n", request(1, 0, 2), present(2));
    let mut reader = Reader::new(Cursor::new(text.into_bytes())).unwrap();
    let none = || -> Result<Idle, BackendError> { Err(BackendError::Driver("no EGL".to_owned())) };
    let mut replayer = Replayer::new(&reader.header().clone(), none, Options::default());
    let error = run(&mut reader, &mut replayer, &mut Log::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: no device to draw on: graphics driver: no EGL"
    );
}

#[test]
fn kept_errors_are_bounded() {
    let mut errors = Errors::default();
    let played = play(&[request(1, 0, 2), create_vertex_buffer(2, 0, "")]);
    let raised = played.report.errors.kept.first().unwrap().clone();
    for _ in 0..MAX_KEPT_NUMBERS + 5 {
        errors.add(raised.clone());
    }
    assert_eq!(errors.total, MAX_KEPT_NUMBERS as u64 + 5);
    assert_eq!(
        (errors.kept.len(), errors.numbers.len()),
        (MAX_KEPT_ERRORS, MAX_KEPT_NUMBERS)
    );
}
