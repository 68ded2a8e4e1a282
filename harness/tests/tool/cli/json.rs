//! Tests the JSON output of every command: one object, with keys in camelCase.

use std::fs;

use serde_json::Value;

use super::{KNOT, capture, folder, stderr, stdout};
use crate::run::run_with;

const AGAL: &str = "mov ft0, v0\nmov oc, ft0\n";
const TOKENS: &str = "ps_2_0\nmov r0, c0\nmov oC0, r0\n";

/// Objects whose keys are data: names of calls, classes, opcodes, registers and devices, or error numbers.
const DATA: &[&str] = &[
    "calls",
    "features",
    "opcodes",
    "objects",
    "byNumber",
    "skippedDraws",
    "unsupported",
    "vertexFormats",
    "uploadedAs",
    "registers",
];

/// The arguments of each command, and its standard input.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["replay", "c"], ""),
    (&["info", "c"], ""),
    (&["info", KNOT], ""),
    (&["objects", KNOT], ""),
    (&["info", "below"], ""),
    (&["dump", KNOT, "--calls", "1-20"], ""),
    (&["state", KNOT, "--call", "40"], ""),
    (&["draws", KNOT, "--frame", "0"], ""),
    (&["draws", KNOT, "--frames", "0-1"], ""),
    (&["state", KNOT, "--call", "307", "--vertex", "0", "--step"], ""),
    (&["histogram", KNOT, "--call", "307"], ""),
    (&["time", KNOT, "--frame", "0", "--backend", "reference"], ""),
    (&["pixel", KNOT, "--frame", "0", "--at", "120,80"], ""),
    (&["trim", KNOT, "--frames", "0", "-o", "part.s3d"], ""),
    (&["diff", "c", "c"], ""),
    (&["diff", "c", "d"], ""),
    (&["replay", "c", "--hash"], ""),
    (&["convert", "c", "-o", "c.s3d"], ""),
    (&["convert", KNOT, "-o", "knot.swf"], ""),
    (&["minimize", "c", "--while", "true #", "-o", "small.s3d"], ""),
    (&["conform", "list", "--filter", "api.scissor"], ""),
    (
        &[
            "conform",
            "--self-test",
            "--backend",
            "null",
            "--filter",
            "self.pass",
            "--filter",
            "self.known",
        ],
        "",
    ),
    (&["shader", "asm", "-"], AGAL),
    (&["shader", "dis", "-"], AGAL),
    (&["shader", "check", "-"], AGAL),
    (&["shader", "fuzz", "--language", "d3d9", "--from-agal", "--count", "3"], ""),
    (&["shader", "glsl", "-"], AGAL),
    (&["shader", "wgsl", "-"], AGAL),
    (&["shader", "run", "-", "v0=1,2,3,4", "--trace"], AGAL),
    (&["shader", "asm", "-"], TOKENS),
    (&["shader", "dis", "-"], TOKENS),
    (&["shader", "check", "-"], TOKENS),
    (&["shader", "glsl", "-"], TOKENS),
    (&["shader", "run", "-"], TOKENS),
    (&["shader", "convert", "-"], AGAL),
    (&["shader", "info", "-"], crate::hs50::SHADER),
    (&["shader", "dis", "-"], crate::hs50::SHADER),
    (&["shader", "asm", "-"], crate::hs50::SHADER),
    (&["shader", "check", "-"], crate::hs50::SHADER),
    (&["shader", "glsl", "-"], crate::hs50::SHADER),
    (&["shader", "run", "-", "--trace"], crate::hs50::SHADER),
    (&["shader", "registers"], ""),
    (&["atf", KNOT], ""),
    (&["doctor"], ""),
];

fn keys(value: &Value, parent: &str, wrong: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let camel = key.starts_with(|letter: char| letter.is_ascii_lowercase())
                    && key.chars().all(|letter| letter.is_ascii_alphanumeric());
                if !camel && !DATA.contains(&parent) {
                    wrong.push(format!("{parent}.{key}"));
                }
                keys(value, key, wrong);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, parent, wrong)),
        _ => {}
    }
}

#[test]
fn every_command_prints_one_object_in_camel_case() {
    let folder = folder("json");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    fs::create_dir(folder.join("below")).unwrap();
    for name in ["a", "b"] {
        let name = format!("below/{name}.s3d.jsonl");
        fs::write(folder.join(name), capture(2, "")).unwrap();
    }
    fs::write(folder.join("d"), capture(3, "nonsense")).unwrap();
    let mut wrong = Vec::new();
    for (arguments, input) in COMMANDS {
        let output = run_with(&folder, &[arguments, &["--json"][..]].concat(), input.as_bytes());
        let mut found = Vec::new();
        match serde_json::from_slice::<Value>(&output.stdout) {
            Ok(value @ Value::Object(_)) => keys(&value, "", &mut found),
            Ok(_) => found.push("not an object".to_owned()),
            Err(error) => found.push(format!("{error}: {}{}", stdout(&output), stderr(&output))),
        }
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", arguments.join(" "))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
