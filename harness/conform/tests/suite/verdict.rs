//! Lines of results.

use molehill_conform::capture_case::CaptureResult;
use molehill_conform::{Attachments, Outcome, Verdict};
use serde_json::json;

#[test]
fn a_line_is_read_as_it_was_written() {
    for verdict in Verdict::ALL {
        let mut outcome = Outcome {
            name: "a.b".to_owned(),
            kind: "scene".to_owned(),
            profile: "baseline".to_owned(),
            source: "[agal.mov.1]".to_owned(),
            verdict: *verdict,
            reasons: vec!["\"because\"\n".to_owned()],
            seconds: 0.125,
            hash: Some("0123".to_owned()),
            capture: Some(CaptureResult::default()),
            attachments: Attachments::default(),
        };
        let texts = &mut outcome.attachments.texts;
        texts.insert("calls".to_owned(), "clear()".into());
        texts.insert("AGAL".to_owned(), "mov oc, v0".into());
        let pictures = &mut outcome.attachments.pictures;
        pictures.insert("actual".to_owned(), "AAAA".into());
        let text = json!(outcome).to_string();
        assert!(text.contains(&format!("\"verdict\":\"{}\"", verdict.name())));
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
    assert!(serde_json::from_value::<Outcome>(json!({"name": "a"})).is_err());
}
