//! What is known of cases.

use molehill_conform::device::{Device, Shaders};
use molehill_conform::{Expectations, cases};

fn failures(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn rows_hold_for_some_devices_and_versions() {
    let text = r#"[{"cases":"a.*","failure":"f","reason":"r","backend":"gles","driver":"llvm","versions":["Mesa 22.3"]},
        {"cases":["x","b"],"failure":"f","reason":"s"},
        {"cases":"d","failure":"f","reason":"t","shaders":"d3d9"}]"#;
    let known = Expectations::parse(text).unwrap();
    let reason = |case: &str, device, driver: &str| {
        known.known(case, device, Shaders::Agal, driver).any().map(str::to_owned)
    };
    let translated = known.known("d", Device::Gl, Shaders::D3d9, "");
    assert_eq!((translated.any(), reason("d", Device::Gl, "")), (Some("t"), None));
    assert_eq!(reason("a.b", Device::Gles, "Mesa 22.3.6 llvmpipe").as_deref(), Some("r"));
    assert_eq!(reason("a.b", Device::Gl, "Mesa 22.3.6 llvmpipe"), None);
    for other in ["Mesa 22.3.6 softpipe", "Mesa 22.30 llvmpipe", "Mesa 25.0 llvmpipe"] {
        assert_eq!(reason("a.b", Device::Gles, other), None, "{other}");
    }
    assert_eq!(reason("b.c", Device::Gl, "").as_deref(), Some("s"));
}

#[test]
fn rows_that_say_too_little_are_refused() {
    for wrong in [
        r#"[{"cases":"a","failure":"f"}]"#,
        r#"[{"cases":"a","reason":"r"}]"#,
        r#"[{"cases":"a","failure":" ","reason":"r"}]"#,
        r#"[{"cases":[],"failure":"f","reason":"r"}]"#,
        r#"[{"cases":["a", ""],"failure":"f","reason":"r"}]"#,
        r#"[{"cases":"a","failure":"f","reason":" "}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","backend":"x"}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","shaders":"x"}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","driver":"x"}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","versions":["1"]}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","verdict":"crash"}]"#,
        r#"[{"cases":"a","failure":"f","reason":"r","drivers":"x"}]"#,
        "3",
    ] {
        assert!(Expectations::parse(wrong).is_err(), "{wrong}");
    }
    let built_in = Expectations::built_in().unwrap();
    let all = [cases::all(), cases::mutants()].concat();
    assert_eq!(built_in.without_case(all.iter()), [""; 0]);
    let stale = Expectations::parse(r#"[{"cases":"api.no_such","failure":"f","reason":"r"}]"#);
    assert_eq!(stale.unwrap().without_case(all.iter()), ["api.no_such"]);
}

#[test]
fn another_failure_is_not_known() {
    let text = r#"[{"cases":"a","failure":["9 pixels","iid"],"reason":"r"},
        {"cases":"a","verdict":"not supported","failure":"wireframe","reason":"s"}]"#;
    let known = Expectations::parse(text).unwrap();
    let known = known.known("a", Device::Gl, Shaders::Agal, "");
    assert_eq!(known.of_failures(&failures(&["9 pixels differ", "no iid"])), Some("r"));
    assert_eq!(known.of_failures(&failures(&["9 pixels differ", "error 3600"])), None);
    assert_eq!(known.of_failures(&failures(&["wireframe"])), None);
    assert_eq!((known.of_missing("wireframe"), known.of_missing("iid")), (Some("s"), None));
}

#[test]
fn an_object_lists_captures() {
    let known = Expectations::parse(r#"{"a.b":"needs ATF"}"#).unwrap();
    let reason = |case: &str| {
        let known = known.known(case, Device::Gl, Shaders::Agal, "");
        known.of_failures(&failures(&["any"])).map(str::to_owned)
    };
    assert_eq!(reason("a.b").as_deref(), Some("needs ATF"));
    assert_eq!(reason("capture.a_b").as_deref(), Some("needs ATF"));
    assert_eq!((reason("b"), reason("a.b.c")), (None, None));
    for text in [r#"{"a":""}"#, r#"{"a":" "}"#, r#"{"a":1}"#, "{"] {
        assert!(Expectations::parse(text).is_err(), "{text}");
    }
}
