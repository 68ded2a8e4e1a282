//! Runs the fuzz targets on a bounded number of inputs; `agal/fuzz` runs the same targets without bound.

#[path = "common/fuzzing.rs"]
mod bodies;

use std::path::{Path, PathBuf};

use bodies::{checker, container, text, tokens};
use hs50::check::{CheckOptions, Severity, check};
use hs50::generate::{GROUPS, programs};
use hs50::shader::HullProgramShader;
use hs50::text::assemble;
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the number of test cases per property; overridden by `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns a shader index and a few modifications. With many modifications, most containers would be rejected early.
fn changes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..24)
}

/// Returns dwords that are plausible program tokens.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let length = (0u32..4, 0u32..0x100).prop_map(|(length, opcode)| opcode | 0x0100_0000 << length);
    let operand = (0u32..40, 0u32..0x1000).prop_map(|(kind, low)| kind << 12 | low);
    let word = prop_oneof![length, operand, 0u32..8, any::<u32>()];
    vec(word, 0..40).prop_map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn containers_hold(bytes in changes()) {
        container(&bytes);
    }

    #[test]
    fn containers_hold_for_any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        container(&[b"DXBC", bytes.as_slice()].concat());
    }

    #[test]
    fn tokens_hold(bytes in prop_oneof![words(), changes(), vec(any::<u8>(), 0..200)]) {
        tokens(&bytes);
    }

    #[test]
    fn text_holds(bytes in prop_oneof![changes(), vec(any::<u8>(), 0..200), ".{0,200}".prop_map(String::into_bytes)]) {
        text(&bytes);
    }

    #[test]
    fn the_checker_holds(bytes in vec(any::<u8>(), 2..40)) {
        checker(&bytes);
    }
}

#[test]
fn generated_programs_break_no_rule() {
    let programs = programs();
    for program in &programs {
        let text = &program.text;
        let shader = assemble(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let report = check(&shader, CheckOptions::default()).unwrap();
        let errors = report.findings.iter().filter(|it| it.severity == Severity::Error);
        let errors: Vec<String> = errors.map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
    }
    for group in GROUPS {
        assert!(programs.iter().any(|program| program.group == group), "{group}");
    }
}

/// If this environment variable names a folder, seeds are written there instead of being compared with existing seeds.
const SEEDS: &str = "MOLEHILL_SEEDS";

/// Returns seed containers for the fuzz target, because random bytes rarely form a valid container.
fn seeds() -> Vec<(&'static str, HullProgramShader)> {
    let parse = |text: &str| assemble(text).unwrap_or_else(|errors| panic!("{errors}"));
    let whole = parse(include_str!("programs/whole.hs50"));
    let flow = parse(include_str!("programs/flow.hs50"));
    let mut far = flow.clone();
    far.output.elements[0].register = 3_000_000;
    vec![("whole", whole), ("flow", flow), ("far_register", far)]
}

#[test]
fn seeds_hold() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/hull_container");
    let written = std::env::var_os(SEEDS).map(PathBuf::from);
    for (name, shader) in seeds() {
        let bytes = shader.to_container().bytes().to_vec();
        container(&bytes);
        let file = format!("{name}.dxbc");
        match &written {
            Some(folder) => std::fs::write(folder.join(file), bytes).unwrap(),
            None => assert!(std::fs::read(own.join(&file)).unwrap() == bytes, "{file}"),
        }
    }
}

#[test]
fn immediates_have_values() {
    for text in ["mov r0.x, |l|", "mov r0.x, d", "mov r0.x, l.x"] {
        let errors = assemble(&format!("hs_5_0\nhs_decls \ndcl_temps 1\n{text}\n")).unwrap_err();
        assert!(errors.to_string().contains("expected `(` and values"), "{errors}");
    }
}
