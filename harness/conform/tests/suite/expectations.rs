//! Tests of the list of known failures.

use molehill_conform::device::{ConformDevice, ShaderRoute};
use molehill_conform::{CaseSet, Expectations, SuiteOptions};

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
        known.known(case, device, ShaderRoute::Agal, driver).any().map(str::to_owned)
    };
    let translated = known.known("d", ConformDevice::Gl, ShaderRoute::D3d9, "");
    assert_eq!((translated.any(), reason("d", ConformDevice::Gl, "")), (Some("t"), None));
    assert_eq!(reason("a.b", ConformDevice::Gles, "Mesa 22.3.6 llvmpipe").as_deref(), Some("r"));
    assert_eq!(reason("a.b", ConformDevice::Gl, "Mesa 22.3.6 llvmpipe"), None);
    for other in ["Mesa 22.3.6 softpipe", "Mesa 22.30 llvmpipe", "Mesa 25.0 llvmpipe"] {
        assert_eq!(reason("a.b", ConformDevice::Gles, other), None, "{other}");
    }
    assert_eq!(reason("b.c", ConformDevice::Gl, "").as_deref(), Some("s"));
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
}

/// The error message about an unknown key contains its line.
#[test]
fn a_misspelled_key_is_named() {
    let wrong = "[{\"cases\":\"a\",\n\"failure\":\"f\",\"raeson\":\"r\"}]";
    let message = Expectations::parse(wrong).unwrap_err();
    assert_eq!(message, "line 2: unknown key \"raeson\", did you mean \"reason\"?");
    // The list of known failures must be an array, not an object.
    assert!(Expectations::parse(r#"{"a.b":"needs ATF"}"#).is_err());
}

#[test]
fn every_row_of_the_projects_list_names_a_case() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/expectations.json");
    let options = |known_failures: &str, case_set| SuiteOptions {
        case_set,
        known_failures: Some(known_failures.into()),
        ..SuiteOptions::new(ConformDevice::Gl)
    };
    for case_set in [CaseSet::Suite, CaseSet::Mutants] {
        let options = options(file, case_set);
        options.known(&options.cases().unwrap()).unwrap();
    }
}

#[test]
fn another_failure_is_not_known() {
    let text = r#"[{"cases":"a","failure":["9 pixels","iid"],"reason":"r"},
        {"cases":"a","verdict":"not supported","failure":"wireframe","reason":"s"}]"#;
    let known = Expectations::parse(text).unwrap();
    let known = known.known("a", ConformDevice::Gl, ShaderRoute::Agal, "");
    assert_eq!(known.of_failures(&failures(&["9 pixels differ", "no iid"])), Some("r"));
    assert_eq!(known.of_failures(&failures(&["9 pixels differ", "error 3600"])), None);
    assert_eq!(known.of_failures(&failures(&["wireframe"])), None);
    assert_eq!((known.of_missing("wireframe"), known.of_missing("iid")), (Some("s"), None));
}

/// The list of known failures always names captures with their area, even if a run names them by their folders.
#[test]
fn captures_have_one_name_in_lists() {
    let text = r#"[{"cases":"capture.a_b","failure":"f","reason":"r"}]"#;
    let mut known = Expectations::parse(text).unwrap();
    let reason = |known: &Expectations, case: &str| {
        known.known(case, ConformDevice::Gl, ShaderRoute::Agal, "").any().map(str::to_owned)
    };
    let names = ["capture.a_b", "a.b", "a.b.c"];
    assert_eq!(names.map(|name| reason(&known, name).is_some()), [true, false, false]);
    known.of_captures = true;
    assert_eq!(names.map(|name| reason(&known, name).is_some()), [false, true, false]);
}
