//! Tests of contexts: creation, images, and disposal.

use context3d::backend::NullBackend;

use super::{
    Counters, HEADER, Log, STAGE, clear, configure, create_vertex_buffer, dispose, frame, play,
    play_for, play_with, present, request,
};
use context3d::backend::BackendError;
use molehill_capture::CaptureReader;
use molehill_replay::{ReplayOptions, Replayer, run};
use std::io::Cursor;

#[test]
fn an_overtaken_request_needs_no_device() {
    let played =
        play(&[request(1, 0, 2), request(1, 0, 3), configure(3), clear(3), present(3), frame(0)]);
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
    assert_eq!(played.log.frames, [(0, STAGE), (1, STAGE), (2, STAGE), (3, first), (4, first)]);
    // The last frame doesn't include an image that is presented after its end.
    assert_eq!(played.log.last, Some((4, first)));
    assert_eq!((played.report.frames, played.report.calls), (5, 6));
}

/// If only the last frame is requested, the stage is read once, even if the capture continues after it.
#[test]
fn the_last_frame_is_the_only_one_that_is_read() {
    let head = vec![request(1, 0, 2), configure(2), clear(2), present(2)];
    let frames = (0..20).flat_map(|number| [clear(2), present(2), frame(number)]);
    let rest = vec![clear(2), present(2), clear(2)];
    let lines: Vec<String> = head.into_iter().chain(frames).chain(rest).collect();
    let last = |options, lines: &[String]| play_for(Counters::default(), options, lines, false);
    let played = last(ReplayOptions::default(), &lines);
    assert!(played.result.is_ok());
    assert_eq!(played.log.last, Some((19, [21, 1, 0, 255])));
    assert_eq!(played.reads, 1);
    // The image of a frame is still read if an invalid line follows it.
    let faulty = [&lines[..], &["nonsense".to_owned()]].concat();
    let played = last(ReplayOptions::default(), &faulty);
    assert!(played.result.is_err());
    assert_eq!(played.log.last, Some((19, [21, 1, 0, 255])));
    // The image is also read if an error ends a strict replay.
    let mut strict = lines;
    strict.insert(4 + 3 * 10 + 2, create_vertex_buffer(2, 0, r#","result":3"#));
    let options = ReplayOptions { strict: true, ..ReplayOptions::default() };
    let played = last(options, &strict);
    assert!(played.result.is_err());
    assert_eq!(played.log.last, Some((9, [11, 1, 0, 255])));
}

#[test]
fn a_new_context_takes_the_place_of_the_old_one() {
    let old = |lines: &[String]| {
        [vec![request(1, 0, 2), configure(2), clear(2), present(2)], lines.to_vec()].concat()
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
    // The old context works until the new one is used; then the old context is disposed (error 3694).
    assert_eq!(played.log.raised, [(12, 3694)]);
    assert_eq!(played.log.frames, [(0, [2, 1, 0, 255]), (1, STAGE), (2, [1, 2, 0, 255])]);
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
    let played =
        play(&[request(1, 0, 2), configure(2), clear(2), present(2), frame(0), dispose(2)]);
    assert_eq!(played.log.last, Some((0, [1, 1, 0, 255])));
}

/// [context3d.stage3d.order] [context3d.stage3d.visible]
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
    assert_eq!(played.log.frames, [(0, upper), (1, lower), (2, STAGE), (3, upper)]);
    assert_eq!((played.made, played.alive), (2, 2));
}

#[test]
fn refused_requests_raise_flashs_error() {
    let request =
        |rest: &str| format!(r#"{{"call":"requestContext3D","on":1,"stage3DIndex":0,{rest}}}"#);
    for (rest, raised, disagreements) in [
        (r#""profile":"best","throws":2008"#, Some(2008), 0),
        (r#""profile":"baseline","context3DRenderMode":"fast""#, Some(2008), 0),
        (r#""profile":"baseline","context3DRenderMode":"auto","throws":2008"#, Some(2008), 0),
        (r#""profiles":[]"#, Some(2008), 0),
        (r#""profiles":["baseline","best"],"throws":2008"#, Some(2008), 0),
        (r#""profiles":["baseline"],"profile":"baseline","result":2"#, None, 0),
        (r#""profiles":[],"profile":"baseline","result":2"#, Some(2008), 1),
        (r#""profile":"baseline""#, None, 0),
    ] {
        let played = play(&[request(rest)]);
        let numbers: Vec<u16> = played.log.raised.iter().map(|(_, number)| *number).collect();
        assert_eq!(numbers, Vec::from_iter(raised), "{rest}");
        assert_eq!((played.report.disagreements, played.made), (disagreements, 0), "{rest}");
    }
}

#[test]
fn a_lost_device_ends_the_replay() {
    let factory = Counters { fail: true, ..Counters::default() };
    let lines = [request(1, 0, 2), configure(2), clear(2), frame(0), present(2), frame(1)];
    let played = play_with(factory, ReplayOptions::default(), &lines);
    let error = played.result.unwrap_err();
    assert_eq!(error.located("c"), "c:6: call 4: present: the graphics device was lost");
    assert_eq!(played.log.frames, [(0, STAGE)]);
}

#[test]
fn no_device_is_an_error_of_the_first_call() {
    let text = format!("{HEADER}\n{}\n{}\n", request(1, 0, 2), present(2));
    let mut reader = CaptureReader::new(Cursor::new(text.into_bytes())).unwrap();
    let none =
        || -> Result<NullBackend, BackendError> { Err(BackendError::Driver("no EGL".to_owned())) };
    let mut replayer = Replayer::new(&reader.header().clone(), none, ReplayOptions::default());
    let error = run(&mut reader, &mut replayer, &mut Log::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3 (call 2): no device could be opened: graphics driver: no EGL"
    );
}
