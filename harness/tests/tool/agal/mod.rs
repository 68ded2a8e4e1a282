//! Tests `molehill shader` on the AGAL programs in `agal/tests/programs`: output, written files and exit status.

mod check;
mod running;
mod text;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::run;

/// A vertex program whose bytecode is given in [agal.text.m44].
const VERTEX: &str = "m44 op, va0, vc0\nmov v0, va1\n";
const VERTEX_HEX: &str = "a001000000a100180000000000 0f03 000000e40000000000 0000e401000000\
                          000000000000 0f04 010000e400000000 0000000000000000";

fn vertex_hex() -> String {
    VERTEX_HEX.replace(' ', "")
}

/// Returns the folder of the repository's programs, each a pair.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../agal/tests/programs")
}

fn folder(name: &str) -> PathBuf {
    run::folder(&format!("agal/{name}"))
}

/// Runs `molehill shader` in a folder, with standard input.
fn agal_with(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    run::run_with(folder, &[&["shader"], arguments].concat(), input)
}

fn agal(folder: &Path, arguments: &[&str]) -> Output {
    agal_with(folder, arguments, b"")
}

#[track_caller]
fn text(output: &Output, status: i32) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{complaint}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn complaint(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn json(output: &Output, status: i32) -> serde_json::Value {
    serde_json::from_str(&text(output, status)).unwrap()
}

#[test]
fn help_teaches() {
    let here = folder("help");
    for command in ["asm", "dis", "check", "glsl", "run"] {
        let help = text(&agal(&here, &[command, "--help"]), 0);
        assert!(help.contains("Examples:\n  molehill shader"), "{help}");
        assert!(help.contains("Exit status: 0") && help.contains("--json"), "{help}");
    }
    assert!(text(&agal(&here, &["--help"]), 0).contains("base64"));
}

#[test]
fn bad_input_is_exit_status_2() {
    let here = folder("bad");
    fs::create_dir(here.join("empty")).unwrap();
    for command in ["asm", "dis", "check", "glsl", "run"] {
        let printed = complaint(&agal_with(&here, &[command, "-"], b"sat v0, v1"), 2);
        assert!(printed.contains("with --stage"), "{command}: {printed}");
        let printed = complaint(&agal_with(&here, &[command, "-", "--format", "hex"], b"xyz"), 2);
        assert!(printed.contains("not hexadecimal"), "{command}: {printed}");
        let large = vec![b' '; (16 << 20) + 1];
        let printed = complaint(&agal_with(&here, &[command, "-"], &large), 2);
        assert!(printed.contains("larger than 16 MiB"), "{command}: {printed}");
    }
    assert!(complaint(&agal(&here, &["check", "empty"]), 2).contains("no files with"));
    assert!(complaint(&agal(&here, &[]), 2).contains("Usage"));
}

/// The content of an input determines its shader language. Unknown content is an error without `--language`.
#[test]
fn the_language_is_found() {
    let here = folder("language");
    let fragment = agal_with(&here, &["asm"], b"mov oc, v0").stdout;
    let words = b"0xFFFF0200, 0x0200001F, 0x80000000, 0xB00F0000, 0x02000001, 0x800F0800, 0xB0E40000, 0x0000FFFF";
    for (name, bytes, language) in [
        ("a.bin", &fragment[..], "agal"),
        ("b.hex", words, "d3d9"),
        ("c.agal", b"// fragment\nmov oc, v0", "agal"),
        ("d.asm", b"// by hand\nps_2_0\ndcl t0\nmov oC0, t0", "d3d9"),
        ("e.hs50", crate::hs50::SHADER.as_bytes(), "hs50"),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        for command in ["asm", "dis", "check", "glsl", "info"] {
            let answer = json(&agal(&here, &[command, name, "--json"]), 0);
            let input = &answer["inputs"][0];
            assert_eq!(input["language"], language, "{command} {name}");
            assert_eq!(input["accepted"], true, "{command} {name}: {answer}");
            assert!(input["programs"][0]["stage"].is_string(), "{command} {name}: {answer}");
            assert_eq!((&answer["accepted"], &answer["refused"]), (&1.into(), &0.into()));
        }
    }
    // A folder may contain shaders in all languages.
    let table = text(&agal(&here, &["check", "."]), 0);
    assert!(table.ends_with("\n5 inputs: 5 accepted, 0 refused\n"), "{table}");
    for (name, bytes, what) in [
        ("a.png", &b"\x89PNG\r\n\x1a\n\0"[..], "not a shader: neither AGAL bytecode"),
        ("a.fxo", &[1, 9, 0xff, 0xfe, 0, 0, 0, 0], "effect (fx_2_0); extract its shaders first"),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        for command in ["asm", "dis", "check", "glsl", "run", "info"] {
            let output = agal(&here, &[command, name]);
            assert!(complaint(&output, 2).contains(what), "{command}: {output:?}");
            assert!(output.stdout.is_empty(), "{command}: {output:?}");
            let forced = agal(&here, &[command, name, "--language", "d3d9"]);
            assert_eq!(forced.status.code(), Some(1), "{command}: {forced:?}");
        }
    }
    // Bytecode of another language is rejected, and the message names that language.
    let forced = agal(&here, &["dis", "a.bin", "--language", "d3d9"]);
    assert!(complaint(&forced, 1).contains("this is AGAL bytecode"), "{forced:?}");
}

/// A command or an option that a language doesn't support is an error that names both.
#[test]
fn languages_have_what_they_have() {
    let here = folder("lacks");
    fs::write(here.join("v.agal"), VERTEX).unwrap();
    fs::write(here.join("f.agal"), "mov oc, v0").unwrap();
    fs::write(here.join("p.asm"), "ps_2_0\ndcl t0\nmov oC0, t0").unwrap();
    fs::write(here.join("v.asm"), "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0").unwrap();
    fs::write(here.join("h.hs50"), crate::hs50::SHADER).unwrap();
    for (arguments, what) in [
        (
            &["draw", "v.agal", "-o", "x.png"][..],
            "v.agal: AGAL programs can't be drawn; hull shaders can",
        ),
        (&["draw", "p.asm", "-o", "x.png"], "p.asm: Direct3D 9 shaders can't be drawn"),
        (&["convert", "p.asm"], "Direct3D 9 shaders can't be converted; AGAL programs can"),
        (&["convert", "h.hs50"], "hull shaders can't be converted; AGAL programs can"),
        (&["glsl", "v.agal", "--target", "400"], "not translated to GLSL 400; use 330, 150, 300es"),
        (&["glsl", "h.hs50", "--target", "330"], "not translated to GLSL 330; use 400, 320es"),
        (&["glsl", "h.hs50", "--clip", "zero-to-one"], "hull shaders have no option --clip"),
        (&["check", "v.agal", "--caps", "2_b"], "AGAL programs have no option --caps"),
        (&["check", "p.asm", "--profile", "baseline"], "shaders have no option --profile"),
        (&["asm", "p.asm", "--stage", "vertex"], "shaders have no option --stage"),
        (&["dis", "p.asm", "--numbers"], "shaders have no option --numbers"),
        (&["run", "v.agal", "--steps", "9"], "AGAL programs have no option --steps"),
        (&["run", "h.hs50", "v0=1"], "hull shaders have no option REGISTER=VALUE"),
        (&["run", "p.asm", "v.asm"], "two Direct3D 9 shaders can't run together"),
        (&["fuzz", "--language", "hs50", "--pairs"], "hull shaders have no option --pairs"),
        (&["fuzz", "--version", "ps_2_0"], "AGAL programs have no version ps_2_0"),
        (&["fuzz", "--language", "d3d9", "--length", "9"], "shaders have no option --length"),
        (&["fuzz", "--language", "d3d9"], "--language d3d9 needs --exhaustive or --from-agal"),
        (&["fuzz", "--language", "hs50"], "--language hs50 needs --exhaustive"),
    ] {
        let printed = complaint(&agal(&here, arguments), 2);
        assert!(printed.contains(what), "{arguments:?}: {printed}");
    }
    assert!(!here.join("x.png").exists());
    // A vertex and a pixel shader form a pair in every language that links shaders.
    let pair = text(&agal(&here, &["check", "p.asm", "v.asm"]), 0);
    assert!(pair.ends_with("p.asm + v.asm: linked: accepted\n"), "{pair}");
}
