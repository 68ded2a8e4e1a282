//! Tests annotations from memory and from a file: object names, marker regions and call stacks.

use std::io::Cursor;

use molehill_analysis::{Capture, CaptureLimits, Inspector, trim};
use molehill_capture::{CaptureNote, CaptureReader, CaptureRecord, Form};

use super::scene::{PROGRAM, VERTICES, draw, frame, opening, scene};

fn noted(frames: u32) -> Capture {
    let begin = |text: &str| CaptureRecord::Note(CaptureNote::Begin(text.to_owned()));
    let name =
        |on, text: &str| CaptureRecord::Note(CaptureNote::Name { on, text: text.to_owned() });
    let functions = vec!["Main/draw()".to_owned(), "Main/run()".to_owned()];
    let mut records = opening();
    records.extend([name(VERTICES, "old"), name(VERTICES, "quad\n2"), name(PROGRAM, "flat")]);
    records.push(CaptureRecord::Note(CaptureNote::End));
    records.push(CaptureRecord::Note(CaptureNote::Stack { number: 9, functions }));
    for number in 0..frames {
        records.extend([begin("World"), begin("Sky")]);
        for mut record in draw([1.0; 2], [0.0; 3], [1.0; 3]) {
            if let CaptureRecord::Call(line) = &mut record {
                line.stack = Some(9);
            }
            records.push(record);
        }
        records.push(CaptureRecord::Note(CaptureNote::End));
        records.extend(draw([1.0; 2], [0.0; 3], [1.0; 3]));
        // The end of the frame closes the marker region that is still open.
        records.extend(frame(number));
        records.extend(draw([1.0; 2], [0.0; 3], [1.0; 3]));
    }
    Capture::new(scene(1).header().clone(), records)
}

fn answers(capture: Capture) -> (String, String) {
    let mut inspector = Inspector::new(capture);
    let report = inspector.draws(1).unwrap();
    let state = inspector.state(report.passes[0].draws[1].call).unwrap().to_string();
    (report.text(true), state)
}

#[test]
fn notes_are_shown_from_memory_and_from_a_file() {
    let capture = noted(2);
    let file = capture.write(Vec::new(), Form::Binary).unwrap();
    let read = || CaptureReader::seekable(Cursor::new(file.clone())).unwrap();
    assert_eq!(read().version(), 3);
    let (text, state) = answers(capture);
    let from_file = Capture::open(read(), CaptureLimits::default()).unwrap();
    assert_eq!(answers(from_file), (text.clone(), state.clone()));

    let draws: Vec<&str> = text.lines().filter(|line| line.contains(" triangles")).collect();
    let ends = ["", "  [World > Sky]  at Main/draw()", "  [World]", "  [World]"];
    for (draw, end) in draws.iter().zip(ends) {
        assert!(draw.contains("program#3 \"flat\": 2 triangles"), "{draw}");
        let told = draw.find("  [").map_or("", |start| &draw[start..]);
        assert_eq!(told, end, "{text}");
    }
    assert!(draws.len() > ends.len(), "{text}");
    assert!(state.contains("  [World > Sky]  at Main/draw()\n    at Main/run()\n"), "{state}");
    assert!(state.contains("vertices#4 \"quad 2, 4 vertices of 2\""), "{state}");

    // A trimmed capture contains the annotations of its objects and calls, and has the same results.
    let mut whole = Inspector::new(noted(3));
    let part = trim(&mut whole, 1, 1).unwrap().capture;
    let bytes = part.write(Vec::new(), Form::Lines).unwrap();
    let lines = String::from_utf8(bytes.clone()).unwrap();
    assert_eq!(lines.matches("\"note\":\"stack\"").count(), 1, "{lines}");
    let part = Capture::read(
        &mut CaptureReader::new(Cursor::new(bytes)).unwrap(),
        CaptureLimits::default(),
    );
    let (text, _) = answers(part.unwrap());
    for end in &ends[1..] {
        assert!(text.lines().any(|line| line.ends_with(end)), "{text}");
    }
    assert!(text.contains("program#3 \"flat\""), "{text}");
}

/// JSON contains marker regions under `markers` and call stacks under `stack`, and omits both keys without annotations.
#[test]
fn notes_are_in_json() {
    let mut inspector = Inspector::new(noted(1));
    let report = serde_json::to_value(inspector.draws(0).unwrap()).unwrap();
    let draws = report["passes"][0]["draws"].as_array().unwrap();
    assert_eq!(draws[0]["markers"], serde_json::json!(["World", "Sky"]));
    assert_eq!(draws[0]["stack"], serde_json::json!(["Main/draw()", "Main/run()"]));
    assert_eq!(draws[1]["markers"], serde_json::json!(["World"]));
    assert!(draws[1].get("stack").is_none(), "{report}");
}
