//! Runs the tool's commands as a user types them. Each file in `cmd`, and the page of symptoms, contains commands with
//! their expected output.

use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const SYMPTOMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/symptoms");

#[test]
fn commands_print_what_the_pages_show() {
    // The commands of the page of symptoms run in the repository's folder.
    std::env::set_current_dir(ROOT).expect("the repository");
    let cases = trycmd::TestCases::new();
    cases.case("harness/tests/cmd/*.trycmd").case("harness/captures/SYMPTOMS.md");
}

/// Each capture of a symptom is the demo, or a part of it, with the edits in a file next to it. `UPDATE=1` writes it.
#[test]
fn the_captures_of_symptoms_are_made_by_their_changes() {
    let page = fs::read_to_string(format!("{SYMPTOMS}/../SYMPTOMS.md")).expect("the page");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symptoms");
    fs::create_dir_all(&folder).expect("a folder");
    let make = |name: &str, from: &str, command: &[&str]| {
        let (edits, made) =
            (format!("{SYMPTOMS}/{name}.edits"), folder.join(name).with_extension("s3d.zst"));
        let mut tool = Command::new(env!("CARGO_BIN_EXE_molehill"));
        tool.args([command[0], from, "--edit", &edits]).args(&command[1..]).arg("-o").arg(&made);
        let output = tool.output().expect("the tool runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let there = format!("{SYMPTOMS}/{name}.s3d.zst");
        if std::env::var_os("UPDATE").is_some() {
            fs::copy(&made, &there).expect("a copy");
        }
        assert!(
            fs::read(made).expect("a capture") == fs::read(&there).expect("a capture"),
            "{there}"
        );
        there
    };
    let scene =
        make("scene", &format!("{SYMPTOMS}/../knot.s3d.jsonl"), &["trim", "--frames", "0-5"]);
    let mut symptoms = 0;
    for entry in fs::read_dir(SYMPTOMS).expect("a folder") {
        let file = entry.expect("a file").file_name().into_string().expect("UTF-8");
        let Some(name) = file.strip_suffix(".edits").filter(|name| *name != "scene") else {
            continue;
        };
        make(name, &scene, &["convert"]);
        assert!(page.contains(&format!("harness/captures/symptoms/{name}.s3d.zst")), "{name}");
        symptoms += 1;
    }
    assert_eq!(symptoms, page.matches("```console").count());
}
