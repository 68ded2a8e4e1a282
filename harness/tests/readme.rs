//! Checks the README and the pages next to it: links have targets, and the tool accepts the commands.

use std::path::{Path, PathBuf};
use std::process::Command;

use molehill_conform::facts;

const PAGES: [&str; 11] = [
    "README.md",
    "agal/d3d9/README.md",
    "agal/hs50/README.md",
    "context3d/EVENTS.md",
    "context3d/OPEN-QUESTIONS.md",
    "context3d/PLUGIN.md",
    "harness/CONFORMANCE.md",
    "harness/PERFORMANCE.md",
    "harness/WORKING.md",
    "harness/captures/SYMPTOMS.md",
    "harness/capture/FORMAT.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

#[test]
fn links_lead_to_files() {
    let mut links = 0;
    let reference = facts::PAGES.iter().map(|(page, _)| *page);
    for page in PAGES.into_iter().chain(reference) {
        let text = read(page);
        let folder = root().join(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if link.starts_with("https://") {
                // Molehill has no public website yet.
                assert!(!link.contains("molehill"), "{page}: {link}");
            } else if !file.is_empty() {
                assert!(folder.with_file_name("").join(file).exists(), "{page}: {link}");
                links += 1;
            }
        }
    }
    assert!(links > 20, "{links}");
    assert!(read("README.md").lines().count() <= 130);
}

/// Returns the code lines of a page that begin with `molehill`.
fn commands(page: &str) -> Vec<String> {
    let text = read(page);
    let line = |line: &str| line.trim_start().strip_prefix("molehill ").map(str::to_owned);
    text.lines().filter_map(line).collect()
}

#[test]
fn the_tool_knows_the_commands() {
    let mut tried = 0;
    for page in PAGES {
        for line in commands(page) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_name = |word: &&&str| {
                word.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-|".contains(&byte)
                }) && !word.starts_with('-')
            };
            let names: Vec<&str> = words.iter().take_while(is_name).take(2).copied().collect();
            // The command line `molehill FILE` runs the hidden command `show`.
            let file = Some(&"show").filter(|_| words.first() == Some(&"FILE"));
            let Some(name) = names.first().or(file) else { panic!("{page}: {line}") };
            let nested = *name == "shader";
            let options = words
                .iter()
                .take_while(|word| **word != "…" && !line.contains(&format!("{word}  ")));
            let options: Vec<&str> = options
                .filter(|word| word.starts_with("--"))
                .map(|word| word.trim_end_matches(';'))
                .collect();
            let children: Vec<&str> = match names.get(1).filter(|_| nested) {
                Some(children) => children.split('|').collect(),
                None => vec![""],
            };
            for child in children {
                let path = [name, child];
                let mut help = Command::new(env!("CARGO_BIN_EXE_molehill"));
                help.args(path.iter().filter(|word| !word.is_empty())).arg("--help");
                let output = help.output().expect("the tool runs");
                assert!(output.status.success(), "{page}: {line}");
                let help = String::from_utf8_lossy(&output.stdout);
                for option in &options {
                    assert!(help.contains(option), "{page}: {line}: {option}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}
