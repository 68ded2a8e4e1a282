//! Runs the shell lines of the files for CI systems with the real tool. In place of the CI system, the test creates a
//! folder for each machine, and moves files between the folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use molehill_conform::results::ConformResults;
use serde_json::Value;

use crate::run::{self, stderr, stdout};

const GITHUB: &str = "harness/ci/github-actions.yml";
const KUBERNETES: &str = "harness/ci/kubernetes.yml";
/// The environment variable with additional options, and the options that select the test's cases.
const OPTIONS: (&str, &str) = ("OPTIONS", "--filter api.error.36*");
/// The options for a renderer that needs no driver.
const DEVICE: (&str, &str) = ("OPTIONS", "--backend reference --filter api.error.36*");
/// GitHub's shell for `shell: bash`.
const BASH: [&str; 6] = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Parses the documents of a YAML file.
fn documents(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(repository().join(path)).expect(path);
    serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the shell scripts of a workflow: `run` of each step of each job.
fn scripts(path: &str) -> Vec<String> {
    let documents = documents(path);
    let [workflow] = documents.as_slice() else { panic!("{path}: {}", documents.len()) };
    let jobs = workflow["jobs"].as_object().expect("jobs").values();
    let steps = jobs.flat_map(|job| job["steps"].as_array().expect("steps"));
    steps.filter_map(|step| step.get("run")?.as_str()).map(str::to_owned).collect()
}

/// Returns the only script of a workflow that contains `part`.
fn script(path: &str, part: &str) -> String {
    let mut found = scripts(path);
    found.retain(|script| script.contains(part));
    assert_eq!(found.len(), 1, "{part}: {found:?}");
    found.remove(0)
}

fn shell(folder: &Path, shell: &[&str], script: &str, variables: &[(&str, &str)]) -> Output {
    let (program, arguments) = shell.split_first().expect("a shell");
    let tool = Path::new(env!("CARGO_BIN_EXE_molehill")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command.args(arguments).arg("-c").arg(script).current_dir(folder).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", tool.display())).env_remove("RUST_LOG");
    command.env(OPTIONS.0, OPTIONS.1).envs(variables.iter().copied()).output().expect("a shell")
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}{}", stdout(output), stderr(output));
}

/// Creates a folder like the checkout on a CI machine, with a link to the built tool.
fn machine(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder.join("target/release")).expect("a folder");
    let tool = folder.join("target/release/molehill");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_molehill"), tool).expect("a link");
    folder.to_owned()
}

/// Returns the verdicts of a run by the names of cases.
fn verdicts(folder: &Path) -> Vec<(String, String)> {
    let results = ConformResults::read(&folder.join("results.jsonl")).expect("results");
    assert!(results.outcomes.len() > 20, "{}", results.outcomes.len());
    let verdict = |it: molehill_conform::CaseOutcome| (it.name, it.verdict.name().to_owned());
    results.outcomes.into_iter().map(verdict).collect()
}

/// Runs all cases in one process, without shards.
fn whole(folder: &Path) -> Vec<(String, String)> {
    succeeds(&shell(folder, &["sh"], "molehill conform $OPTIONS --out whole", &[DEVICE]));
    verdicts(&folder.join("whole"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    fs::copy(from, to).expect("a copy");
}

#[test]
fn a_lost_shard_of_github_is_run_again_and_merged() {
    let folder = run::folder("ci-github");
    let whole = whole(&folder);
    let with = |part: &str, shard: &str| {
        let script = script(GITHUB, part).replace("${{ matrix.backend }}", "reference");
        let script = script.replace("${{ matrix.shard }}", shard);
        assert!(!script.contains("${{"), "{script}");
        script
    };
    let report = machine(&folder.join("report"));
    let shard = |number: &str| {
        let machine = machine(&folder.join(format!("shard-{number}")));
        succeeds(&shell(&machine, &BASH, &with("--shard", number), &[]));
        let part = report.join(format!("parts/part-reference-{number}/results.jsonl"));
        copy(&machine.join("conform/results.jsonl"), &part);
        fs::remove_dir_all(machine).expect("a folder");
    };
    ["1", "2", "4"].into_iter().for_each(shard);
    let merge = || shell(&report, &BASH, &with("conform merge", ""), &[]);
    let lost = merge();
    assert_eq!(lost.status.code(), Some(1), "{}{}", stdout(&lost), stderr(&lost));
    assert!(stdout(&lost).contains("have not run"), "{}", stdout(&lost));
    shard("3");
    succeeds(&merge());
    assert_eq!(verdicts(&report.join("report")), whole);
    // The next run uses the times of this run, and finds no difference.
    succeeds(&shell(&report, &BASH, &with("cp report", ""), &[]));
    let again = merge();
    succeeds(&again);
    assert!(!stdout(&again).contains("changed:"), "{}", stdout(&again));
}

/// A failing case fails the merge, and a run that can't start fails its shard.
#[test]
fn a_failing_case_fails_the_merge_of_github() {
    let folder = run::folder("ci-failing");
    let script = script(GITHUB, "--shard").replace("${{ matrix.backend }}", "reference");
    let script = script.replace("${{ matrix.shard }}/4", "1/1");
    let machine = machine(&folder.join("machine"));
    let failing = [(OPTIONS.0, "--self-test --filter self.fail --filter self.pass")];
    let shard = shell(&machine, &BASH, &script, &failing);
    succeeds(&shard);
    assert!(stdout(&shard).contains("1 fail"), "{}", stdout(&shard));
    let merge =
        shell(&machine, &BASH, "target/release/molehill conform merge conform --out r", &[]);
    assert_eq!(merge.status.code(), Some(1), "{}", stderr(&merge));
    let nothing = shell(&machine, &BASH, &script, &[(OPTIONS.0, "--filter no.such.case")]);
    assert!(!nothing.status.success());
}

#[test]
fn a_lost_pod_of_kubernetes_is_run_again_and_merged() {
    let folder = run::folder("ci-kubernetes");
    let whole = whole(&folder);
    let documents = documents(KUBERNETES);
    let job = documents.iter().find(|it| it["kind"] == "Job").expect("a job");
    let pods = job["spec"]["completions"].as_u64().expect("a number of pods");
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["command"], serde_json::json!(["sh", "-c"]));
    let run = container["args"][0].as_str().expect("a script");
    assert!(run.contains(&format!("$part/{pods}\"")), "{run}");
    // The test folder represents the mounted volume, and four pods run.
    let run = run.replace("/results", "volume").replace(&format!("$part/{pods}"), "$part/4");
    fs::create_dir_all(folder.join("volume")).expect("a folder");
    let pod = |index: &str| {
        succeeds(&shell(&folder, &["sh"], &run, &[DEVICE, ("JOB_COMPLETION_INDEX", index)]));
    };
    ["0", "1", "2", "3"].into_iter().for_each(pod);
    // A restarted pod has no cases left to run.
    let part = folder.join("volume/part-2");
    let before = fs::read(part.join("results.jsonl")).expect("a part");
    pod("1");
    assert_eq!(fs::read(part.join("results.jsonl")).expect("a part"), before);
    // Run the command in the file's first comment.
    let text = fs::read_to_string(repository().join(KUBERNETES)).expect("a file");
    let line = text.lines().find_map(|line| line.strip_prefix("#   molehill conform merge "));
    let line = line.and_then(|line| line.split(" #").next()).expect("a line that merges");
    let line = format!("molehill conform merge {line}").replace("/results", "volume");
    let merge = || shell(&folder, &["sh"], &line, &[]);
    fs::remove_dir_all(&part).expect("a part");
    let lost = merge();
    assert_eq!(lost.status.code(), Some(1), "{}{}", stdout(&lost), stderr(&lost));
    pod("1");
    succeeds(&merge());
    assert_eq!(verdicts(&folder.join("report")), whole);
}

#[test]
fn a_shell_reads_every_script() {
    let folder = run::folder("ci-syntax");
    for path in [
        GITHUB,
        ".github/workflows/ci.yml",
        ".github/workflows/nightly.yml",
        ".github/workflows/release.yml",
    ] {
        let scripts = scripts(path);
        assert!(!scripts.is_empty(), "{path}");
        for script in scripts {
            // GitHub replaces its expressions before the shell runs.
            let script = script.replace("${{", "").replace("}}", "");
            succeeds(&shell(&folder, &["bash", "-n"], &script, &[]));
        }
    }
    assert!(!shell(&folder, &["sh", "-n"], "if true; then", &[]).status.success());
}

#[test]
fn only_the_tag_of_the_version_is_released() {
    let check = script(".github/workflows/release.yml", "the tag is");
    let run = |tag: &str| shell(&repository(), &BASH, &check, &[("GITHUB_REF_NAME", tag)]);
    succeeds(&run(&format!("v{}", env!("CARGO_PKG_VERSION"))));
    let refused = run("v9.9.9");
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("v9.9.9"));
}

#[test]
fn the_demo_is_drawn_without_a_driver() {
    let folder = machine(&run::folder("ci-drawn"));
    std::os::unix::fs::symlink(repository().join("harness"), folder.join("harness"))
        .expect("a link");
    succeeds(&shell(&folder, &BASH, &script(".github/workflows/ci.yml", "knot.png"), &[]));
}
