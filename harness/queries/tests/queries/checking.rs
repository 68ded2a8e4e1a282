//! Tests the errors that error checking would raise for draws, and draws that are never presented.

use std::io::Cursor;

use molehill_analysis::scan::RejectedDraws;
use molehill_analysis::warnings::{Warning, WarningKind};
use molehill_analysis::{Capture, Inspector};
use molehill_capture::data::{BitmapTargetData, OptionalParameter};
use molehill_capture::objects::VertexBufferId;
use molehill_capture::{Call, CaptureReader, CaptureRecord, Form};
use molehill_queries::info::inspect;
use molehill_queries::info_text::report_text;

use crate::scene::{CONTEXT, VERTICES, frame, name, on, opening, scene, scissor};

/// Number of draws in a frame of [`scene`].
const DRAWS: u64 = 6;

/// Returns the scene with additional calls before frame 1.
fn with(more: Vec<CaptureRecord>) -> Inspector {
    let records = opening().into_iter().chain(frame(0)).chain(more).chain(frame(1));
    Inspector::new(Capture::new(scene(0).header().clone(), records))
}

fn of(warnings: &[Warning], kind: WarningKind) -> Vec<&Warning> {
    warnings.iter().filter(|warning| warning.kind == kind).collect()
}

/// Returns a call that binds a vertex stream which the program doesn't read.
fn unread() -> CaptureRecord {
    let buffer = Some(VertexBufferId(VERTICES));
    let format = name("float2");
    on(CONTEXT, Call::SetVertexBufferAt { index: 1, buffer, buffer_offset: 0, format }, None)
}

#[test]
fn a_draw_that_is_made_tells_what_checking_would_raise() {
    const TEXT: &str = "drawn, but error checking would raise 3607: Stream 1 is set but not used by the current vertex \
                        program.";
    let mut inspector = with(vec![unread()]);
    assert!(of(&inspector.draws(0).unwrap().warnings, WarningKind::Unchecked).is_empty());
    let report = inspector.draws(1).unwrap();
    let found = of(&report.warnings, WarningKind::Unchecked);
    let all = found.iter().all(|it| it.error == Some(3607) && it.text == TEXT);
    assert!(all && found.len() as u64 == DRAWS, "{found:?}");
    // The text has a single line for all draws with the same error.
    assert_eq!(report.text(false).matches(TEXT).count(), 1, "{}", report.text(false));
    let call = found[0].call;
    let state = inspector.state(call).unwrap();
    assert_eq!(state.unchecked.as_deref(), Some(TEXT));
    assert!(state.to_string().contains(TEXT));
    // Draws that error checking would reject are counted, but are not an anomaly.
    let scan = inspector.frame_scan(0, 1).unwrap();
    assert_eq!(scan.outliers, []);
    assert_eq!(scan.refused, [RejectedDraws { error: 3607, draws: DRAWS, call, frame: 1 }]);
    let line = format!("would reject with 3607: {DRAWS}, the first is call {call} of frame 1");
    assert!(scan.to_string().contains(&line), "{scan}");
}

#[test]
fn a_dropped_draw_tells_why_and_what_checking_would_raise() {
    let scissors = scissor(Some([90.0, 4.0, 8.0, 8.0]));
    let outside = "3706: Scissor rectangle is set but does not intersect the framebuffer.";
    for (more, text) in [
        (vec![scissors.clone()], format!("skipped: error checking would raise {outside}")),
        (
            vec![scissors, unread()],
            format!(
                "skipped for {outside}; error checking would raise 3607: Stream 1 is set but not used by the current \
                 vertex program."
            ),
        ),
    ] {
        let mut inspector = with(more);
        let report = inspector.draws(1).unwrap();
        let found = of(&report.warnings, WarningKind::FailedCall);
        assert!(!found.is_empty() && found.iter().all(|it| it.text == text), "{found:?}");
        let scan = inspector.frame_scan(0, 1).unwrap();
        assert!(scan.outliers.iter().any(|it| it.reason.contains(&text)), "{scan}");
    }
}

#[test]
fn with_error_checking_errors_are_raised() {
    let checking = on(CONTEXT, Call::SetErrorChecking { value: true }, None);
    let mut inspector = with(vec![unread(), checking]);
    let warnings = inspector.draws(1).unwrap().warnings;
    assert!(of(&warnings, WarningKind::Unchecked).is_empty());
    let raised = of(&warnings, WarningKind::FailedCall);
    let all = raised.iter().all(|it| it.error == Some(3607));
    assert!(all && raised.len() as u64 == DRAWS, "{raised:?}");
    // All results name a failed call `failedCall`.
    assert_eq!(serde_json::to_value(raised[0]).unwrap()["kind"], "failedCall");
    let line = inspector.dump(raised[0].call..=raised[0].call).unwrap().remove(0);
    assert_eq!(serde_json::to_value(line).unwrap()["failure"], raised[0].text);
}

/// Returns the scene with each `present` replaced by `call`, or deleted without a call.
fn presenting(call: Option<&Call>) -> Capture {
    let records = opening().into_iter().chain((0..3).flat_map(frame));
    let records = records.filter_map(|record| match record {
        CaptureRecord::Call(line) if line.call == Call::Present {} => {
            Some(on(line.on, call?.clone(), None))
        }
        record => Some(record),
    });
    Capture::new(scene(0).header().clone(), records.collect::<Vec<_>>())
}

#[test]
fn draws_that_are_never_presented_are_a_finding() {
    let read = Call::DrawToBitmapData {
        destination: Some(BitmapTargetData {
            width: 4,
            height: 4,
            transparent: true,
            disposed: false,
        }),
        source_rect: OptionalParameter(None),
        dest_point: OptionalParameter(None),
    };
    let text = "none of 18 draws was presented: no present has succeeded\n";
    for (call, said) in [(None, true), (Some(&Call::Present {}), false), (Some(&read), false)] {
        let capture = presenting(call);
        let bytes = capture.write(Vec::new(), Form::Lines).unwrap();
        let mut reader = CaptureReader::new(Cursor::new(bytes)).unwrap();
        let (info, _) = inspect(&mut reader);
        assert_eq!(report_text("c", &info.report, "").contains(text), said, "{call:?}");
        let mut inspector = Inspector::new(capture);
        let scan = inspector.frame_scan(0, 2).unwrap();
        let frame = inspector.draws(1).unwrap().warnings;
        let frame = of(&frame, WarningKind::NotPresented);
        if said {
            let reasons: Vec<_> = scan.outliers.iter().map(|it| (it.frame, &*it.reason)).collect();
            let text = |draws| {
                format!(
                    "none of {draws} draws was presented: no present of context#2 has succeeded"
                )
            };
            assert_eq!(reasons, [(0, &*text(18))]);
            let texts: Vec<_> = frame.iter().map(|it| it.text.clone()).collect();
            assert_eq!(texts, [text(12)]);
        } else {
            assert!(scan.outliers.is_empty() && frame.is_empty(), "{call:?}: {scan}");
        }
    }
}
