//! `molehill agal` from a user's view: output, written files and exit status. The programs are the repository's own.

mod check;
mod running;
mod text;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::run;

/// Header and tokens of [agal.text.m44].
const VERTEX: &str = "m44 op, va0, vc0\nmov v0, va1\n";
const VERTEX_HEX: &str = "a001000000a100180000000000 0f03 000000e40000000000 0000e401000000\
                          000000000000 0f04 010000e400000000 0000000000000000";

fn vertex_hex() -> String {
    VERTEX_HEX.replace(' ', "")
}

/// The repository's programs, each a pair.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../agal/tests/programs")
}

fn folder(name: &str) -> PathBuf {
    run::folder(&format!("agal/{name}"))
}

/// Runs `molehill agal` in a folder with something on standard input.
fn agal_with(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    run::run_with(folder, &[&["agal"], arguments].concat(), input)
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
        assert!(help.contains("Examples:\n  molehill agal"), "{help}");
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
        assert!(printed.contains("use --stage"), "{command}: {printed}");
        let printed = complaint(&agal_with(&here, &[command, "-", "--format", "hex"], b"xyz"), 2);
        assert!(printed.contains("not hexadecimal"), "{command}: {printed}");
        let large = vec![b' '; (16 << 20) + 1];
        let printed = complaint(&agal_with(&here, &[command, "-"], &large), 2);
        assert!(printed.contains("larger than 16 MiB"), "{command}: {printed}");
    }
    assert!(complaint(&agal(&here, &["check", "empty"]), 2).contains("no files with"));
    assert!(complaint(&agal(&here, &[]), 2).contains("Usage"));
}

/// Each command says what the others' files are, and who reads them.
#[test]
fn programs_of_another_kind_are_named() {
    const AGAL: &str = "this is AGAL bytecode; \"molehill agal\" reads it";
    const SHADER: &str = "this is a Direct3D 9 shader (ps_2_0); \"molehill d3d9\" reads it";
    const DXBC: &str =
        "this is a DXBC container (Direct3D 10 or later); \"molehill hs50\" reads it";
    const EFFECT: &str = "this is a Direct3D 9 effect (fx_2_0); extract its shaders first";
    let here = folder("another_kind");
    for (name, bytes) in [
        ("a.agalbin", &[0xa0, 1, 0, 0, 0, 0xa1, 1][..]),
        ("a.bin", &[0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0]),
        ("a.hex", b"0xFFFF0200, 0x0000FFFF"),
        ("a.dxbc", b"DXBC\x01\0\0\0"),
        ("a.fxo", &[1, 9, 0xff, 0xfe, 0, 0, 0, 0]),
    ] {
        fs::write(here.join(name), bytes).unwrap();
    }
    let printed = |arguments: &[&str]| {
        let command = run::run(&here, arguments);
        assert_ne!(command.status.code(), Some(0), "{arguments:?}");
        String::from_utf8(command.stderr).unwrap()
    };
    for command in ["asm", "dis", "check", "glsl", "run"] {
        for (file, what) in
            [("a.bin", SHADER), ("a.hex", SHADER), ("a.dxbc", DXBC), ("a.fxo", EFFECT)]
        {
            let expected = format!("molehill: {file}: {what}\n");
            assert_eq!(printed(&["agal", command, file]), expected, "{command}");
        }
    }
    for (arguments, what) in [
        (["d3d9", "dis", "a.agalbin"], AGAL),
        (["d3d9", "dis", "a.dxbc"], DXBC),
        (["d3d9", "glsl", "a.fxo"], EFFECT),
        (["d3d9", "from-agal", "a.bin"], SHADER),
        (["d3d9", "from-agal", "a.dxbc"], DXBC),
        (["hs50", "dis", "a.agalbin"], AGAL),
        (["hs50", "info", "a.hex"], SHADER),
        (["hs50", "check", "a.fxo"], EFFECT),
    ] {
        let printed = printed(&arguments);
        assert!(printed.contains(what), "{arguments:?}: {printed}");
    }
    // `--format` says that it is AGAL, and in a folder Flash would read it as such.
    for arguments in [&["check", "a.bin", "--format", "raw"][..], &["check", "."]] {
        let output = agal(&here, arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}
