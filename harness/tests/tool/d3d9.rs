//! Tests `molehill shader` on Direct3D 9 shaders.

use std::path::Path;
use std::process::Output;

use crate::run::run_with;

fn molehill(arguments: &[&str], input: &[u8]) -> Output {
    run_with(Path::new("."), &[&["shader"], arguments].concat(), input)
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
fn damaged_tokens_are_refused() {
    let output = molehill(&["dis"], &[0, 2, 0xff, 0xff, 1]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the file is truncated"), "{}", text(&output.stderr));
}

/// Register values have AGAL's syntax: missing components are 0, 0, 0, 1, and several constants are consecutive.
#[test]
fn values_are_those_of_agal() {
    let shader = "ps_2_0\nadd r0, c0, c1\nmov oC0, r0\n".replace("c0, c1", "c0, c0");
    let output = molehill(&["run", "-", "c0=0.5"], shader.as_bytes());
    assert_eq!(text(&output.stdout), "oC0 = 1, 0, 0, 2\n", "{output:?}");
    let shader = "ps_2_0\nmov r0, c1\nmov oC0, r0\n";
    let output = molehill(&["run", "-", "c0=1,2/3,4,5,6"], shader.as_bytes());
    assert_eq!(text(&output.stdout), "oC0 = 3, 4, 5, 6\n", "{output:?}");
}
