//! The programs that Flash games uploaded (`shared/agal`, beside the repository): every one was accepted by a player, so
//! every one must decode, come back byte for byte, pass the verifier, print, assemble and become GLSL.

use std::fs;
use std::path::{Path, PathBuf};

use agal::{
    ClipDepth, Dialect, Endian, LinkedPair, Program, Rules, Stage, Target, ValidProgram, asm, emit,
    link, validate,
};

/// Every program with its kind by file name; `None` where the captures are not there.
fn programs() -> Option<Vec<(PathBuf, Stage, Vec<u8>)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/agal");
    if !folder.is_dir() {
        assert!(
            std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_none(),
            "{} is missing",
            folder.display()
        );
        println!("skipped: no shared captures");
        return None;
    }
    let mut programs = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let stage = match name {
            _ if name.ends_with(".vsh.agal") => Stage::Vertex,
            _ if name.ends_with(".fsh.agal") => Stage::Fragment,
            _ => continue,
        };
        let bytes = fs::read(&path).unwrap();
        programs.push((path, stage, bytes));
    }
    programs.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    assert!(!programs.is_empty());
    Some(programs)
}

fn valid(path: &Path, stage: Stage, bytes: &[u8]) -> ValidProgram {
    let program = Program::decode(bytes, Endian::Little, stage);
    let program = program.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Under which profile each ran is not recorded; the strongest has every register.
    let text = program.to_string();
    validate(program, stage, &Rules::NEWEST)
        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", path.display()))
}

#[test]
fn decode_and_encode_are_inverse() {
    for (path, stage, bytes) in programs().unwrap_or_default() {
        let program = Program::decode(&bytes, Endian::Little, stage).unwrap();
        assert_eq!(program.encode(), bytes, "{}", path.display());
        assert_eq!(program.stage(), stage, "{}", path.display());
        assert_eq!(program.trailing(), [0u8; 0], "{}", path.display());
    }
}

#[test]
fn printed_text_assembles_to_the_same_bytes() {
    for (path, stage, bytes) in programs().unwrap_or_default() {
        let program = Program::decode(&bytes, Endian::Little, stage).unwrap();
        let text = program.to_string();
        let back = asm::assemble(&text, stage, program.version());
        let back = back.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(back.encode(), bytes, "{}\n{text}", path.display());
    }
}

/// The halves lie there unpaired, so each gets a partner made for it.
#[test]
fn every_program_passes_and_becomes_glsl() {
    for (path, stage, bytes) in programs().unwrap_or_default() {
        let program = valid(&path, stage, &bytes);
        let pair = with_partner(&path, program);
        for dialect in [Dialect::Glsl330, Dialect::Glsl300Es] {
            let target = Target {
                dialect,
                clip_depth: ClipDepth::ZeroToOne,
                comments: false,
            };
            let glsl = emit(&pair, &target);
            let shader = match stage {
                Stage::Vertex => &glsl.vertex,
                Stage::Fragment => &glsl.fragment,
            };
            // Nothing is dropped without trace: a statement for every token, but for varyings that nobody reads.
            let statements = shader.lines().filter(|line| line.starts_with("    "));
            let tokens = (bytes.len() - agal::HEADER_SIZE) / agal::TOKEN_SIZE;
            assert!(statements.count() >= tokens, "{}\n{shader}", path.display());
        }
    }
}

fn with_partner(path: &Path, program: ValidProgram) -> LinkedPair {
    let version = program.program().version();
    let (stage, partner) = match program.program().stage() {
        Stage::Vertex => (Stage::Fragment, reads_what_is_written(&program)),
        Stage::Fragment => {
            let varyings = if version == 1 { 8 } else { 10 };
            let writes = (0..varyings).map(|n| format!("mov v{n}, va0\n"));
            (
                Stage::Vertex,
                "mov op, va0\n".to_owned() + &writes.collect::<String>(),
            )
        }
    };
    let partner = asm::assemble(&partner, stage, version).unwrap();
    let partner = validate(partner, stage, &Rules::NEWEST).unwrap();
    let linked = match stage {
        Stage::Fragment => link(program, partner),
        Stage::Vertex => link(partner, program),
    };
    linked.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A fragment program that reads every varying of a vertex program.
fn reads_what_is_written(vertex: &ValidProgram) -> String {
    let text = vertex.program().to_string();
    let written = |n: &u32| {
        let name = format!("v{n}");
        text.lines().any(|line| {
            let dest = line.split_whitespace().nth(1).unwrap_or_default();
            dest.trim_end_matches(',').split('.').next() == Some(name.as_str())
        })
    };
    let reads = (0..10)
        .filter(written)
        .map(|n| format!("add ft0, ft0, v{n}\n"));
    format!("mov ft0, fc0\n{}mov oc, ft0", reads.collect::<String>())
}
