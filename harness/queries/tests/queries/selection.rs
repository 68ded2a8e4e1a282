//! Tests the selection of frames and calls, and the frame that is shown by default.

use molehill_analysis::{Capture, FrameSelection, Inspector};
use molehill_capture::CaptureRecord;
use molehill_queries::question::question;
use serde_json::{Map, Value, json};

use crate::scene::{culling, frame, opening, scene};

fn read(text: &str) -> FrameSelection {
    text.parse().unwrap()
}

/// Returns a capture with frames 0 to 4; frame 3 culls its first draws.
fn broken() -> Capture {
    let mut records: Vec<CaptureRecord> = opening();
    for number in 0..5 {
        let mut frame = frame(number);
        if number == 3 {
            frame.insert(2, culling("frontAndBack"));
        }
        records.extend(frame);
    }
    records.push(culling("none"));
    Capture::new(scene(1).header().clone(), records)
}

#[test]
fn reads_words_numbers_and_ranges() {
    assert_eq!((read("all"), read("last")), (FrameSelection::All, FrameSelection::Last));
    let some = read("0,5,10-20,4294967295");
    assert_eq!(some, FrameSelection::Ranges(vec![0..=0, 5..=5, 10..=20, u32::MAX..=u32::MAX]));
    assert_eq!(some.to_string(), "0,5,10-20,4294967295");
    let among: Vec<u32> = (0..30).filter(|frame| some.contains(*frame)).collect();
    assert_eq!(among, [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    assert!(FrameSelection::All.contains(7) && !FrameSelection::Last.contains(7));
    assert_eq!((some.end(), FrameSelection::Last.end()), (Some(u32::MAX), None));
    for text in ["", "first", "1,", "-1", "1-", "+1", "4294967296", "5-3", "1 2", "1--2", "All"] {
        let refused = text.parse::<FrameSelection>().unwrap_err();
        assert!(refused.ends_with("expected 3, 10-20, 0,5,10-20, all or last"), "{refused}");
    }
}

#[test]
fn selects_frames_and_calls_of_a_capture() {
    let capture = broken();
    // The calls after the last frame end form frame 5.
    let frames = |text: &str| {
        let frames = read(text).frames(&capture).map_err(|error| error.to_string())?;
        Ok(frames.iter().map(|frame| frame.number).collect::<Vec<_>>())
    };
    let missing = |frame| Err(format!("no frame {frame}: the capture has frames 0 to 5"));
    assert_eq!(frames("all"), Ok(vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(frames("last"), Ok(vec![5]));
    assert_eq!(frames("4,0-1,1"), Ok(vec![0, 1, 4]));
    assert_eq!((frames("9"), frames("4-7")), (missing(9), missing(7)));
    let several = |text| format!("{text} selects several; select only one, such as 3 or last");
    let one = |text: &str| read(text).frame(&capture).map_err(|error| error.to_string());
    assert_eq!((one("3"), one("last")), (Ok(3), Ok(5)));
    assert_eq!((one("1-2"), one("all")), (Err(several("1-2")), Err(several("all"))));
    let span = |text: &str| read(text).span(&capture).map_err(|error| error.to_string());
    assert_eq!((span("1-3"), span("all")), (Ok((1, 3)), Ok((0, 5))));
    assert_eq!(span("1,3"), Err("1,3 has gaps; expected one range, such as 10-20".to_owned()));
    let last = capture.call_count();
    assert_eq!(read("2,5-6").calls(&capture).unwrap(), [2..=2, 5..=6]);
    assert_eq!(read("all").calls(&capture).unwrap(), [1..=last]);
    assert_eq!(read("last").call(&capture).unwrap(), last);
    assert!(read("0").call(&capture).is_err() && read("1-999").calls(&capture).is_err());
}

#[test]
fn the_place_that_stands_out_is_shown_without_a_frame() {
    let mut inspector = Inspector::new(broken());
    let place = inspector.stands_out().unwrap();
    assert_eq!(place.frame, 3);
    let reason = place.reason.clone().unwrap();
    assert!(reason.starts_with("it stands out: draw "), "{reason}");
    let ask = |inspector: &mut Inspector, name: &str, parameters: &Value| {
        let parameters: Map<String, Value> = parameters.as_object().unwrap().clone();
        question(name).unwrap().ask(inspector, &parameters, None, None).unwrap()
    };
    let call = format!("call {} of frame 3 is shown, because it stands out", place.call.unwrap());
    for (name, start) in [
        ("draws", "frame 3 is shown, because it stands out: draw "),
        ("cost", "frame 3 is shown, because it stands out: draw "),
        ("state", &call),
        ("histogram", &call),
    ] {
        let answer = ask(&mut inspector, name, &json!({}));
        assert!(answer.text.starts_with(start), "{name}: {}", answer.text);
        assert_eq!(answer.json["chosen"]["frame"], 3, "{name}");
    }
    for frames in [json!({ "frame": 3 }), json!({ "frames": "3" })] {
        let named = ask(&mut inspector, "draws", &frames);
        assert!(named.json["chosen"].is_null() && named.json["frame"] == 3, "{}", named.text);
    }
    let last = ask(&mut inspector, "draws", &json!({ "frame": "last" }));
    assert_eq!(last.json["frame"], 5);
    let listed = ask(&mut inspector, "draws", &json!({ "frames": "0,2-3" }));
    let rows = listed.json["frames"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| &row["frame"]).collect::<Vec<_>>(), [0, 2, 3]);
    // Without an anomaly, the default is the frame of the first draw. Without draws, the default is the first frame.
    let plain = Inspector::new(scene(2)).stands_out().unwrap();
    let reason = "no frame stands out, and it has the first draw";
    assert_eq!((plain.frame, plain.reason.as_deref()), (0, Some(reason)));
    let header = scene(1).header().clone();
    let empty: Vec<CaptureRecord> =
        opening().into_iter().chain([CaptureRecord::Frame(0)]).collect();
    let empty = Inspector::new(Capture::new(header.clone(), empty)).stands_out().unwrap();
    assert_eq!((empty.frame, empty.call), (0, None));
    assert!(
        Inspector::new(Capture::new(header, Vec::<CaptureRecord>::new())).stands_out().is_err()
    );
}
