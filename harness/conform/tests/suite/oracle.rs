//! Tests runs with a wrong oracle, or without an oracle.

use molehill_conform::case::Case;
use molehill_conform::device::ConformDevice;
use molehill_conform::mutations::Mutation;
use molehill_conform::{Expectations, Runner, RunnerSettings, Verdict, cases};

/// The name of a scene whose expected image an oracle draws.
const WRAP: &str = "texture.wrap.linear.mipnone.repeat.by_state";
/// The name of a mutation that makes this scene fail.
const IGNORED: &str = "wrap-ignored";
/// The name of a scene whose expected image is computed without an oracle.
const ATF: &str = "texture.atf.raw_dxt1.v0";
/// The name of a scene that OpenGL ES doesn't support.
const WIREFRAME: &str = "api.fill_mode.wireframe.flat";

struct Judged {
    verdict: Verdict,
    reason: String,
}

fn judged(name: &str, devices: [ConformDevice; 2], mutation: Option<&str>, known: &str) -> Judged {
    let all = cases::all();
    let case: &Case = all.iter().find(|case| case.name == name).expect("a case");
    let [device, oracle] = devices;
    let mut runner = Runner::new(RunnerSettings {
        mutation: mutation.map(|name| Mutation::named(name).expect("a mutation")),
        oracle: Some(oracle),
        known: Expectations::parse(known).expect("a list"),
        ..RunnerSettings::new(device)
    })
    .expect("an EGL; harness/setup.sh installs one");
    let outcome = runner.run(case);
    Judged {
        verdict: outcome.verdict,
        reason: outcome.reasons.first().cloned().unwrap_or_default(),
    }
}

#[test]
fn a_failure_of_the_oracle_is_known_too() {
    const LIST: &str =
        r#"[{"cases":"*","failure":"pixels differ","backend":"reference","reason":"so it is"}]"#;
    let devices = [ConformDevice::Gl, ConformDevice::Reference];
    let found = judged(WRAP, devices, Some(IGNORED), LIST);
    assert_eq!(found.verdict, Verdict::KnownFailure);
    assert_eq!(found.reason, "the oracle is wrong: so it is");
    let found = judged(WRAP, devices, None, LIST);
    assert_eq!(found.verdict, Verdict::UnexpectedPass, "{}", found.reason);
    // This scene has computed expected images, so it needs no oracle.
    assert_eq!(judged(ATF, devices, None, LIST).verdict, Verdict::Pass);
}

#[test]
fn where_both_are_wrong_they_may_agree() {
    const LIST: &str = r#"[{"cases":"*","failure":"pixels differ","reason":"so it is"}]"#;
    let devices = [ConformDevice::Gl, ConformDevice::Reference];
    assert_eq!(judged(WRAP, devices, None, LIST).verdict, Verdict::Pass);
    let found = judged(WRAP, devices, Some(IGNORED), LIST);
    assert_eq!((found.verdict, found.reason.as_str()), (Verdict::KnownFailure, "so it is"));
}

#[test]
fn what_the_oracle_can_not_draw_is_missing() {
    for (devices, expected) in [
        ([ConformDevice::Gl, ConformDevice::Gles], Verdict::MissingFeature),
        ([ConformDevice::Gles, ConformDevice::Gl], Verdict::MissingFeature),
        ([ConformDevice::Gl, ConformDevice::Reference], Verdict::Pass),
    ] {
        let found = judged(WIREFRAME, devices, None, "[]");
        assert_eq!(found.verdict, expected, "{devices:?}: {}", found.reason);
    }
}

/// A scene is not tested if the tested device is the oracle, or if there is no oracle.
#[test]
fn a_device_is_no_oracle_of_itself() {
    let both = |device| [device, device];
    for (name, devices, mutation, expected) in [
        (WRAP, both(ConformDevice::Reference), None, Verdict::NotTested),
        (WRAP, both(ConformDevice::Gl), None, Verdict::NotTested),
        // The mutation makes the tested device different from the oracle, so the case is tested.
        (WRAP, both(ConformDevice::Gl), Some(IGNORED), Verdict::Fail),
        (WRAP, [ConformDevice::Gles, ConformDevice::Gl], None, Verdict::Pass),
        (ATF, both(ConformDevice::Reference), None, Verdict::Pass),
    ] {
        let found = judged(name, devices, mutation, "[]");
        assert_eq!(found.verdict, expected, "{name} {devices:?}: {}", found.reason);
    }
}
