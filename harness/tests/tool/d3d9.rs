//! `molehill d3d9` from outside.

use std::path::Path;
use std::process::Output;

use crate::run::run_with;

fn molehill(arguments: &[&str], input: &[u8]) -> Output {
    run_with(Path::new("."), &[&["d3d9"], arguments].concat(), input)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const SHADER: &str = "ps_2_0\ndef c1, 0.5, 0, 0, 1\ndcl t0\nmul r0, t0, c1.x\nmov oC0, r0\n";

/// Text to words and back, checked, translated and run.
#[test]
fn a_shader_goes_all_ways() {
    let tokens = molehill(&["asm"], SHADER.as_bytes());
    assert_eq!(tokens.status.code(), Some(0));
    assert!(tokens.stdout.starts_with(&[0, 2, 0xff, 0xff]));
    let words = molehill(&["asm", "--words"], &tokens.stdout);
    assert!(text(&words.stdout).starts_with("0xFFFF0200, 0x05000051"));
    for input in [&tokens.stdout, &words.stdout] {
        let listing = text(&molehill(&["dis"], input).stdout);
        assert!(listing.contains("    mul r0, t0, c1.x\n"), "{listing}");
        assert!(listing.ends_with("// approximately 2 instruction slots used\n"));
    }
    let checked = molehill(&["check"], &tokens.stdout);
    assert_eq!(checked.status.code(), Some(0));
    let glsl = text(&molehill(&["glsl"], &tokens.stdout).stdout);
    assert!(glsl.contains("r0 = t0 * c1.xxxx;"), "{glsl}");
    let ran = text(&molehill(&["run", "-", "t0=1,2,3,4"], &tokens.stdout).stdout);
    assert_eq!(ran, "oC0 = 0.5,1,1.5,2\n");
}

#[test]
fn what_is_wrong_is_told() {
    let refused = molehill(&["check", "--json"], b"ps_2_0\nadd r0, c0, c1\nmov oC0, r0\n");
    assert_eq!(refused.status.code(), Some(1));
    let json = text(&refused.stdout);
    assert!(json.contains("\"rule\": 15") && json.contains("reads 2 different c#"), "{json}");
    let typo = molehill(&["asm"], b"ps_2_0\nmvo r0, c0\n");
    assert_eq!(typo.status.code(), Some(1));
    assert!(
        text(&typo.stderr)
            .contains("standard input:2:1: unknown instruction `mvo`; did you mean `mov`?")
    );
    for (input, what) in [
        (&b"DXBC\0\0\0\0"[..], "DXBC container"),
        (&[0x01, 0x09, 0xff, 0xfe, 0, 0, 0, 0], "effect"),
        (&[0xa0, 1, 0, 0, 0, 0xa1, 0], "molehill d3d9 from-agal"),
        (&[0, 2, 0xff, 0xff, 1], "the file is truncated"),
    ] {
        let output = molehill(&["dis"], input);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(what), "{}", text(&output.stderr));
    }
}

#[test]
fn agal_becomes_tokens() {
    let program = b"// fragment\ntex ft0, v0, fs0 <2d,linear>\nmul ft0, ft0, fc0\nmov oc, ft0\n";
    let tokens = molehill(&["from-agal", "--model", "2_0"], program);
    let listing = text(&molehill(&["dis"], &tokens.stdout).stdout);
    assert!(listing.contains("texld r0, t0, s0"), "{listing}");
    let conditional = b"// version: 2\n// fragment\nmov ft0, v0\nifg v0.x, fc0.x\nmov ft0, fc1\neif\nmov oc, ft0\n";
    let refused = molehill(&["from-agal", "--model", "2_0"], conditional);
    assert_eq!(refused.status.code(), Some(1));
}
