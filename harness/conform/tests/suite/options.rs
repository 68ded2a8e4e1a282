//! Tests of the options that child processes receive.

use agal::float::FloatRules;
use molehill_conform::device::{ConformDevice, RendererOptions, ShaderRoute};
use molehill_conform::{CaseSet, SuiteOptions};

/// Checks that child processes receive the same options, because other options would run another test.
#[test]
fn options_are_read_as_they_were_written() {
    let renderer = RendererOptions {
        shaders: ShaderRoute::D3d9,
        workarounds: "rgb8-for-565=off".parse().unwrap(),
        threads: std::num::NonZeroUsize::new(3),
        samples: Some(8),
        no_blocks: true,
        float_rules: FloatRules::Ieee,
    };
    assert_eq!(renderer.reference().float_rules, FloatRules::Ieee);
    assert_eq!(renderer.gl().float_rules, FloatRules::Ieee);
    let options = SuiteOptions {
        oracle: None,
        renderer,
        profile: Some(context3d::Profile::Standard),
        mutation: Some("blend-ignored".to_owned()),
        fault: Some(molehill_conform::ConformFault::NoImages),
        case_set: CaseSet::Mutants,
        folders: vec!["a".into(), "b c".into()],
        known_failures: Some("known.json".into()),
        pictures: Some("out".into()),
        ..SuiteOptions::new(ConformDevice::Gles)
    };
    let text = serde_json::to_string(&options).unwrap();
    assert!(!text.contains('\n'));
    let read: SuiteOptions = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{read:?}"), format!("{options:?}"));
    assert_eq!(
        read.settings().unwrap_err().0,
        "known.json: No such file or directory (os error 2)"
    );
    let unknown = SuiteOptions { mutation: Some("x".to_owned()), known_failures: None, ..read };
    assert_eq!(unknown.settings().unwrap_err().0, "unknown mutation \"x\"");
}
