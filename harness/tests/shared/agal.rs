//! Runs `molehill shader` on the AGAL programs of Flash games.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::run::{folder, run, run_with, stderr};

fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks every AGAL program that a game uploaded.
pub(crate) fn real_programs(shared: &Path) {
    let here = folder("agal/shared");
    let path = shared.to_str().unwrap();
    let printed = json(&run(&here, &["shader", "check", path, "--json"]));
    let count = printed["inputs"].as_array().map_or(0, Vec::len);
    assert!(count > 0, "nothing in {path}");
    assert_eq!(printed["accepted"], count);
    let shown = json(&run(&here, &["shader", "dis", path, "--json"]));
    for input in shown["inputs"].as_array().unwrap() {
        let listing = input["programs"][0]["listing"].as_str().unwrap();
        let back = run_with(&here, &["shader", "asm"], listing.as_bytes());
        let name = input["name"].as_str().unwrap();
        assert_eq!(back.stdout, fs::read(name).unwrap(), "{name}\n{listing}");
    }
    for dialect in &agal::glsl::DIALECTS {
        let output = run(&here, &["shader", "glsl", path, "--json", "--target", dialect.name()]);
        let printed = json(&output);
        for input in printed["inputs"].as_array().unwrap() {
            let shaders = input["programs"].as_array().unwrap();
            let is_shader = |shader: &serde_json::Value| {
                shader["glsl"].as_str().unwrap().contains("void main()")
            };
            assert!(shaders.iter().all(is_shader));
            assert_eq!(shaders.len(), 1, "{input}");
        }
    }
}
