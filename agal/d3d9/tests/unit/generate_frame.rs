use super::*;

/// The frame without tested instructions is a valid shader.
#[test]
fn frames_are_valid() {
    for version in ShaderVersion::ALL.iter().filter(|version| !version.is_software()) {
        for phase in [false, true] {
            let text = head(*version, phase);
            assert!(text::assemble(&text).is_ok(), "{text}");
            let start = start(*version, phase);
            let end = end(*version, &start);
            let program = assembled(*version, &[&start, &end]);
            let report = check(&program, &Caps::MAX);
            assert!(report.is_valid(), "{:?}\n{}", report.findings, program.listing());
        }
    }
}
