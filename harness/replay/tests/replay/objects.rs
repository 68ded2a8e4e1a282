//! Tests of objects that are disposed or could not be created, and of the report's errors.

use super::{
    Counters, STAGE, bind, configure, create_vertex_buffer, dispose, frame, play, play_with,
    request, upload,
};
use context3d::ErrorCode;
use molehill_replay::{CallOutcome, ReplayError, ReplayErrorKind, ReplayOptions};

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
        .filter(|(_, outcome)| *outcome == CallOutcome::OnNull)
        .map(|(line, _)| *line)
        .collect();
    assert_eq!(on_null, [4, 6]);
    // Three calls use an object that is null: an upload, a binding and a disposal.
    assert_eq!((played.report.consequential, played.report.disagreements), (3, 1));
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
    assert_eq!(played.report.errors.by_code.get(&ErrorCode::Disposed), Some(&1));
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
    // A disposed object can be bound without an error, as in Flash.
    assert_eq!(played.log.raised, [(8, 3694)]);
}

#[test]
fn agreement_with_the_recording_is_counted() {
    for (rest, disagreements) in
        [("", 0), (r#","throws":3671"#, 0), (r#","throws":3670"#, 1), (r#","result":5"#, 1)]
    {
        let played = play(&[request(1, 0, 2), create_vertex_buffer(2, 0, rest)]);
        assert_eq!(played.report.disagreements, disagreements, "{rest}");
    }
    for (rest, disagreements) in [(r#","result":5"#, 0), ("", 1), (r#","throws":3671"#, 1)] {
        let played = play(&[request(1, 0, 2), create_vertex_buffer(2, 1, rest)]);
        assert_eq!(played.report.disagreements, disagreements, "{rest}");
    }
}

/// If a capture records errors, every call's result is known; otherwise only those of calls that create objects.
#[test]
fn recorded_errors_are_compared_as_far_as_they_are_told() {
    let create = |rest: &str| create_vertex_buffer(2, 0, rest);
    for (lines, complete, errors, differing) in [
        (vec![create("")], false, 2, 0),
        (vec![create(r#","throws":3671"#)], false, 2, 0),
        (vec![create(r#","result":5"#)], false, 2, 1),
        (vec![create(r#","throws":3671"#), create("")], false, 3, 1),
        (vec![create("")], true, 2, 1),
        (vec![configure(2), create(""), configure(2)], false, 2, 0),
        (vec![configure(2), create(r#","throws":3670"#), configure(2)], false, 4, 1),
    ] {
        let played = play(&[vec![request(1, 0, 2)], lines.clone()].concat());
        let (tally, texts) = played.report.recorded_errors(complete);
        assert_eq!((tally.errors, tally.differing), (errors, differing), "{lines:?}");
        assert_eq!(texts.len() as u64, differing, "{texts:?}");
    }
}

#[test]
fn strict_ends_at_the_first_error() {
    let lines = [request(1, 0, 2), frame(0), create_vertex_buffer(2, 0, ""), frame(1)];
    let played = play_with(
        Counters::default(),
        ReplayOptions { strict: true, ..ReplayOptions::default() },
        &lines,
    );
    let error = played.result.unwrap_err();
    assert!(
        matches!(
            error,
            ReplayError {
                at: Some(molehill_capture::CapturePosition { line: 4, call: 2 }),
                kind: ReplayErrorKind::Strict("createVertexBuffer", _),
            }
        ),
        "{error}"
    );
    assert!(
        error
            .located("c")
            .starts_with("c:4: call 2: createVertexBuffer: ArgumentError: Error #3671: ")
    );
    assert_eq!((played.log.raised, played.report.errors.total), (vec![(4, 3671)], 1));
    assert_eq!(played.log.last, Some((0, STAGE)));
}

/// A video frame's event doesn't complete an asynchronous upload of another texture.
#[test]
fn an_event_is_that_of_its_texture() {
    let create = |kind: &str, rest: &str, id: u64| {
        format!(r#"{{"call":"create{kind}","on":2{rest},"result":{id}}}"#)
    };
    let texture = r#","width":1,"height":1,"format":"bgra","optimizeForRenderToTexture":false,"streamingLevels":0"#;
    let upload = r#"{"call":"uploadFromByteArrayAsync","on":5,"dataB64":"AAAAAA==","byteArrayOffset":0,"miplevel":0}"#;
    let ready = |id: u64| format!(r#"{{"event":"textureReady","on":{id}}}"#);
    let played = play(&[
        request(1, 0, 2),
        create("Texture", texture, 5),
        create("VideoTexture", "", 6),
        upload.to_owned(),
        ready(6),
        upload.to_owned(),
        ready(5),
        upload.to_owned(),
    ]);
    // The second upload begins before the first has ended [context3d.error.2004.uploading].
    assert_eq!(played.log.raised, [(7, 2004)]);
}

/// [context3d.back_buffer.software]
#[test]
fn a_context_in_software_has_its_limits() {
    let wide = configure(2).replace(r#""width":32"#, r#""width":4096"#);
    let software = request(1, 0, 2).replace("auto", "software");
    let played = play(&[software, wide.clone()]);
    assert_eq!(played.log.raised, [(3, 3780)]);
    assert_eq!(play(&[request(1, 0, 2), wide]).log.raised, []);
}
