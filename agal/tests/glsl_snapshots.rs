//! Every `programs/*.agal` becomes GLSL for each target and is compared with `snapshots/<name>@<target>.snap`.
//!
//! To bless a change: `INSTA_UPDATE=always cargo test -p agal --test glsl_snapshots`, then read the difference. That the
//! shaders compile is shown by backend-gl on a driver.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agal::{
    ClipDepth, Dialect, LinkedPair, Rules, Stage, Target, asm, emit, link, opcode::Opcode, validate,
};

const TARGETS: [(&str, Target); 2] = [
    (
        "glsl330",
        Target {
            dialect: Dialect::Glsl330,
            clip_depth: ClipDepth::ZeroToOne,
            comments: true,
        },
    ),
    (
        "glsl300es",
        Target {
            dialect: Dialect::Glsl300Es,
            clip_depth: ClipDepth::MinusOneToOne,
            comments: false,
        },
    ),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// Name and text of every program, sorted.
fn programs() -> Vec<(String, String)> {
    let mut programs: Vec<_> = fs::read_dir(folder("programs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "agal")
        })
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    programs.sort();
    assert!(!programs.is_empty());
    programs
}

fn pair(name: &str, text: &str) -> LinkedPair {
    let (vertex, fragment, _) =
        asm::assemble_pair(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let vertex = validate(vertex, Stage::Vertex, &Rules::NEWEST);
    let fragment = validate(fragment, Stage::Fragment, &Rules::NEWEST);
    let vertex = vertex.unwrap_or_else(|error| panic!("{name}: {error}"));
    let fragment = fragment.unwrap_or_else(|error| panic!("{name}: {error}"));
    link(vertex, fragment).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn glsl_is_as_read() {
    for (name, text) in programs() {
        let pair = pair(&name, &text);
        for (suffix, target) in &TARGETS {
            let glsl = emit(&pair, target);
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_suffix(*suffix);
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| {
                let shaders = format!("{}\n{}", glsl.vertex, glsl.fragment);
                insta::assert_snapshot!(name.as_str(), shaders);
            });
        }
    }
    no_snapshot_is_left_over();
}

fn no_snapshot_is_left_over() {
    let wanted: BTreeSet<String> = programs()
        .into_iter()
        .flat_map(|(name, _)| TARGETS.map(|(suffix, _)| format!("{name}@{suffix}.snap")))
        .collect();
    let found: BTreeSet<String> = fs::read_dir(folder("snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, wanted);
}

/// A new row of the opcode table needs a golden.
#[test]
fn every_opcode_has_a_golden() {
    let mut seen = BTreeSet::new();
    for (name, text) in programs() {
        let pair = pair(&name, &text);
        for program in [pair.vertex(), pair.fragment()] {
            let codes = program.program().instructions().iter();
            seen.extend(codes.map(|instruction| instruction.code));
        }
    }
    for opcode in Opcode::ALL {
        if opcode.info().since.is_some() {
            assert!(seen.contains(&opcode.code()), "{}", opcode.name());
        }
    }
}

/// The golden's programs also come back from their printed text.
#[test]
fn printed_text_assembles_to_the_same_bytes() {
    for (name, text) in programs() {
        let (vertex, fragment, version) = asm::assemble_pair(&text).unwrap();
        for program in [vertex, fragment] {
            let printed = program.to_string();
            let back = asm::assemble(&printed, program.stage(), version)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(back.encode(), program.encode(), "{name}");
        }
    }
}
