//! Loads the shaders and tables in `../shared`.

use std::fs;

use agal::{Endian, Program, Stage};

use crate::needs::{folder, stem};

/// A compiled shader of Microsoft's compiler.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) listing: Option<String>,
}

/// Returns all shared shaders, sorted by name.
pub(crate) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(folder("d3d9")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            samples.push(Sample {
                name: stem(&path),
                bytes: fs::read(&path).unwrap(),
                listing: fs::read_to_string(path.with_extension("asm")).ok(),
            });
        }
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(samples.len() >= 144);
    samples
}

/// Returns the rows of a table without its comments and header.
pub(crate) fn rows(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder("reference").join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    lines.skip(1).map(cells).collect()
}

/// Returns the file name and contents of every AGAL program of the Flash games.
pub(crate) fn programs() -> Vec<(String, Program)> {
    let mut programs = Vec::new();
    for entry in fs::read_dir(folder("agal")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let stage = match name.split('.').nth(1) {
            Some("vsh") => Stage::Vertex,
            Some("fsh") => Stage::Fragment,
            _ => continue,
        };
        let bytes = fs::read(&path).unwrap();
        let program = Program::decode(&bytes, Endian::Little, stage).unwrap();
        programs.push((name, program));
    }
    programs
}
