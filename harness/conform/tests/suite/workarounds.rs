//! Forces each workaround on a driver that doesn't need it: the affected cases still pass, or lack a feature that the
//! workaround removes. In large areas, evenly spaced cases run; `MOLEHILL_WORKAROUNDS_ALL=1` runs all cases.

use std::collections::BTreeMap;

use backend_gl::workarounds::{Workaround, Workarounds};
use molehill_conform::case::Case;
use molehill_conform::device::{ConformDevice, RendererOptions};
use molehill_conform::{Expectations, Runner, RunnerSettings, Verdict, cases, names};

/// If a workaround affects more test cases than this number, only a sample of them runs.
const MANY: usize = 24;

/// The test cases that each OpenGL workaround affects.
const TOUCHED: &[(&str, &[&str])] = &[
    ("clip-depth-in-shader", &["api.depth", "api.clip"]),
    ("swap-bgra-on-cpu", &["texture.format", "texture.upload"]),
    ("expand-4444-on-cpu", &["texture.format", "rtt.format"]),
    ("rgb8-for-565", &["texture.format", "rtt.format"]),
    ("rgb8-for-opaque", &["texture.format", "texture.atf"]),
    ("narrow-strides", &["vertex.format", "vertex.stream"]),
    ("bind-indices-first", &["vertex.index"]),
    ("wide-indices", &["vertex.index"]),
    ("read-half-as-float", &["rtt.half_float", "rtt.format"]),
    ("decode-dxt-on-cpu", &["texture.atf"]),
    ("decode-etc2-on-cpu", &["texture.atf"]),
    ("share-upload-unit", &["texture.unit", "texture.vertex"]),
    ("store-levels", &["texture.upload", "texture.mip", "rtt.mips"]),
    ("no-anisotropy", &["texture.filter"]),
    ("one-sample", &["api.antialias", "api.back_buffer", "rtt.mrt"]),
    ("no-half-float-targets", &["rtt.half_float", "rtt.format"]),
    ("attribute-pointers", &["vertex.format", "vertex.stream", "api.instancing"]),
    ("no-wireframe", &["api.fill_mode", "api.culling"]),
    ("decode-srgb-in-shader", &["api.back_buffer"]),
    ("mesa-wireframe-faces", &["api.fill_mode", "api.culling"]),
];

fn runner(device: ConformDevice, workarounds: Workarounds) -> Runner {
    Runner::new(RunnerSettings {
        renderer: RendererOptions { workarounds, ..RendererOptions::default() },
        known: Expectations::built_in().expect("the project's list"),
        ..RunnerSettings::new(device)
    })
    .expect("an EGL; harness/setup.sh installs one")
}

fn touched<'a>(cases: &'a [Case], patterns: &'a [&str]) -> impl Iterator<Item = &'a Case> {
    let matches = |case: &&Case| patterns.iter().any(|p| names::matches(p, &case.name));
    cases.iter().filter(matches)
}

/// Runs the cases of every workaround on a device.
fn check(device: ConformDevice) {
    let names: Vec<_> = Workaround::all().map(Workaround::name).collect();
    let listed: Vec<_> = TOUCHED.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed, "every row has cases");
    let cases = cases::all();
    let all = std::env::var_os("MOLEHILL_WORKAROUNDS_ALL").is_some();
    for (name, patterns) in TOUCHED {
        let forced = Workarounds::default().force(name, true);
        let mut runner = runner(device, forced.expect("a row's name"));
        let mut verdicts: BTreeMap<Verdict, u32> = BTreeMap::new();
        let step = if all { 1 } else { (touched(&cases, patterns).count() / MANY).max(1) };
        for case in touched(&cases, patterns).step_by(step) {
            let outcome = runner.run(case);
            let what = (device.name(), name, &outcome.name, &outcome.reasons);
            let lacks = outcome.verdict == Verdict::MissingFeature;
            assert!(lacks || !outcome.verdict.fails(), "{what:?}");
            *verdicts.entry(outcome.verdict).or_default() += 1;
        }
        println!("{} {name}: {verdicts:?}", device.name());
        assert!(verdicts.contains_key(&Verdict::Pass), "{name}: no case");
    }
}

#[test]
fn every_workaround_is_correct_where_opengl_does_not_need_it() {
    check(ConformDevice::Gl);
}

#[test]
fn every_workaround_is_correct_where_opengl_es_does_not_need_it() {
    check(ConformDevice::Gles);
}
