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

#[test]
fn tokens_and_words_are_the_same_shader() {
    let tokens = molehill(&["asm"], SHADER.as_bytes());
    assert_eq!(tokens.status.code(), Some(0));
    assert!(tokens.stdout.starts_with(&[0, 2, 0xff, 0xff]));
    let words = molehill(&["asm", "--words"], &tokens.stdout);
    let [from_tokens, from_words] =
        [&tokens.stdout, &words.stdout].map(|input| text(&molehill(&["dis"], input).stdout));
    assert!(from_tokens == from_words && from_tokens.contains("    mul r0, t0, c1.x\n"));
}

#[test]
fn bytes_of_another_kind_are_named() {
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
