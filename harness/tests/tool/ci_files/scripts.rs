//! Shell scripts of YAML files, and a place to run them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::run;

/// GitHub's default shell.
pub(crate) const GITHUB_SHELL: [&str; 3] = ["bash", "-e", "-c"];

/// The shell scripts of a YAML file, in order: the text after `run:` or, for Kubernetes, the only `- |` of `args:`.
/// Supports only the YAML of these files: a text in its line, or a block that ends at a smaller indentation.
pub(crate) fn scripts(yaml: &str) -> Vec<String> {
    let lines: Vec<&str> = yaml.lines().collect();
    let mut scripts = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        let is_block = text == "run: |" || text == "- run: |" || text == "- |";
        if is_block {
            let inner = |line: &str| line.len() - line.trim_start().len();
            let block = lines[number + 1..].iter();
            let block: Vec<&str> = block
                .copied()
                .take_while(|line| line.trim().is_empty() || inner(line) > indent)
                .collect();
            let margin = block.first().map_or(0, |line| inner(line));
            let lines = block.iter().map(|line| line.get(margin..).unwrap_or(""));
            scripts.push(lines.map(|line| format!("{line}\n")).collect());
        } else if let Some((_, script)) = text.split_once("run: ") {
            scripts.push(format!("{script}\n"));
        }
    }
    scripts
}

/// The only script that contains this text.
pub(crate) fn script(yaml: &str, part: &str) -> String {
    let mut found = scripts(yaml);
    found.retain(|script| script.contains(part));
    assert_eq!(found.len(), 1, "{part}: {found:?}");
    found.remove(0)
}

pub(crate) fn folder(name: &str) -> PathBuf {
    run::folder(&format!("ci-{name}"))
}

/// Writes a script that can be run.
pub(crate) fn executable(path: &Path, script: &str) {
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    // Written by another process: if this one had the file open while another test starts a program, that program would
    // inherit it, and a file that is open for writing can't be run ("text file busy").
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod +x \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = writer.stdin.take().expect("an input");
    input.write_all(script.as_bytes()).expect("written");
    drop(input);
    assert!(writer.wait().expect("a shell").success());
}

pub(crate) fn shell(
    folder: &Path,
    shell: &[&str],
    script: &str,
    environment: &[(&str, &str)],
) -> Output {
    let (program, arguments) = shell.split_first().expect("a shell");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new(program)
        .args(arguments)
        .arg(script)
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env_remove("RUST_LOG")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

#[track_caller]
pub(crate) fn succeeds(output: &Output) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{errors}");
}
