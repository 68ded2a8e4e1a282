//! Shared inputs of tests: the programs with snapshots, and the programs of games.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use agal::{Endian, LinkedPair, Program, Rules, Stage, ValidProgram, asm, link, validate};

/// Returns the path of a folder in the tests' folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Returns the name and text of every `programs/*.agal`, sorted by name.
pub(crate) fn goldens() -> Vec<(String, String)> {
    let mut programs: Vec<_> = fs::read_dir(folder("programs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "agal"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    programs.sort();
    assert!(!programs.is_empty());
    programs
}

/// Returns the linked pair of a snapshot's text.
pub(crate) fn pair(name: &str, text: &str) -> LinkedPair {
    let pair = asm::AssembleOptions::default().pair(text);
    let (vertex, fragment) = pair.unwrap_or_else(|error| panic!("{name}: {error}"));
    let vertex = validate(vertex, Stage::Vertex, &Rules::NEWEST);
    let fragment = validate(fragment, Stage::Fragment, &Rules::NEWEST);
    let vertex = vertex.unwrap_or_else(|error| panic!("{name}: {error}"));
    let fragment = fragment.unwrap_or_else(|error| panic!("{name}: {error}"));
    link(vertex, fragment).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the games' programs, sorted, with the stage in the file name; empty if the folder is missing.
pub(crate) fn shared() -> Vec<(PathBuf, Stage)> {
    let mut programs = Vec::new();
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder = folders.map(|folder| folder.join("shared/agal")).find(|folder| folder.exists());
    for entry in folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        match name {
            _ if name.ends_with(".vsh.agal") => programs.push((entry.path(), Stage::Vertex)),
            _ if name.ends_with(".fsh.agal") => programs.push((entry.path(), Stage::Fragment)),
            _ => {}
        }
    }
    programs.sort_by(|(a, _), (b, _)| a.cmp(b));
    programs
}

/// Validates a program that a player accepted, with the newest rules, which must accept the program.
pub(crate) fn valid(path: &Path, stage: Stage, bytes: &[u8]) -> ValidProgram {
    let program = Program::decode(bytes, Endian::Little, stage);
    let program = program.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // The programs' profiles were not recorded, so the strongest profile is used, which has every register.
    let text = program.to_string();
    validate(program, stage, &Rules::NEWEST)
        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", path.display()))
}

/// Links a program with a generated partner, because the programs of a pair are stored separately.
pub(crate) fn with_partner(path: &Path, program: ValidProgram) -> LinkedPair {
    let version = program.program().header_version();
    let (stage, partner) = match program.program().stage() {
        Stage::Vertex => (Stage::Fragment, reads_what_is_written(&program)),
        Stage::Fragment => {
            let varyings = if version == 1 { 8 } else { 10 };
            let writes = (0..varyings).map(|n| format!("mov v{n}, va0\n"));
            (Stage::Vertex, "mov op, va0\n".to_owned() + &writes.collect::<String>())
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

/// Returns a fragment program that reads every varying of a vertex program.
fn reads_what_is_written(vertex: &ValidProgram) -> String {
    let text = vertex.program().to_string();
    let written = |n: &u32| {
        let name = format!("v{n}");
        text.lines().any(|line| {
            let dest = line.split_whitespace().nth(1).unwrap_or_default();
            dest.trim_end_matches(',').split('.').next() == Some(name.as_str())
        })
    };
    let reads = (0..10).filter(written).map(|n| format!("add ft0, ft0, v{n}\n"));
    format!("mov ft0, fc0\n{}mov oc, ft0", reads.collect::<String>())
}
