//! Runs the shell scripts of `harness/ci`, shard by shard, then the merge, whose report must equal a whole run's. The
//! work of GitHub and Kubernetes, moving files, is done here; `molehill` is a script that runs the real one on few
//! cases.

use std::fs;
use std::path::Path;

use molehill_conform::results::Results;

use super::scripts::{GITHUB_SHELL, executable, folder, script, shell, succeeds};

pub(crate) const GITHUB: &str = include_str!("../../../ci/github-actions.yml");
pub(crate) const KUBERNETES: &str = include_str!("../../../ci/kubernetes.yml");
/// Cases that the scripts run, on the reference renderer.
const CASES: &str =
    "--backend reference --oracle reference --filter api.scissor --filter api.blend.one";

/// A `molehill` that runs few cases, at a path.
fn molehill(path: &Path) {
    let real = env!("CARGO_BIN_EXE_molehill");
    // The file's own options come last, except for the device: CI without OpenGL runs this, too.
    let script = format!(
        "#!/bin/sh\nset -e\ncase $2 in\nmerge) exec '{real}' \"$@\" ;;\nesac\n[ \"$1\" = conform ]\nshift\n\
         [ \"$1\" != --backend ] || shift 2\nexec '{real}' conform {CASES} \"$@\"\n"
    );
    executable(path, &script);
}

/// The results of a whole run, without times.
fn whole(folder: &Path) -> Results {
    let text = "molehill conform --out whole";
    succeeds(&shell(folder, &["sh", "-c"], text, &[]));
    timeless(&folder.join("whole/results.jsonl"))
}

fn timeless(path: &Path) -> Results {
    let mut results = Results::read(path).expect("results");
    assert!(results.outcomes.len() > 20);
    results.outcomes.iter_mut().for_each(|outcome| outcome.seconds = 0.0);
    results
}

#[test]
fn the_workflow_of_github_shards_and_merges() {
    let folder = folder("github");
    molehill(&folder.join("bin/molehill"));
    let whole = whole(&folder);
    let with = |script: &str, shard: &str| {
        let script = script.replace("${{ matrix.backend }}", "reference");
        let script = script.replace("${{ matrix.shard }}", shard);
        assert!(!script.contains("${{"), "{script}");
        script
    };
    let (run, join, keep) =
        (script(GITHUB, "--shard"), script(GITHUB, "conform merge"), script(GITHUB, "cp report"));
    // The second run has a baseline from the first.
    for time in ["first", "second"] {
        let report = folder.join(time);
        for shard in ["1", "2", "3", "4"] {
            // Each job has its own machine and the cache.
            let machine = folder.join(format!("{time}-{shard}"));
            molehill(&machine.join("target/release/molehill"));
            copy(&folder.join("baseline/results.jsonl"), &machine.join("baseline/results.jsonl"));
            succeeds(&shell(&machine, &GITHUB_SHELL, &with(&run, shard), &[]));
            let part = format!("parts/part-reference-{shard}/results.jsonl");
            copy(&machine.join("conform/results.jsonl"), &report.join(part));
        }
        molehill(&report.join("target/release/molehill"));
        copy(&folder.join("baseline/results.jsonl"), &report.join("baseline/results.jsonl"));
        let output = shell(&report, &GITHUB_SHELL, &with(&join, ""), &[]);
        succeeds(&output);
        assert!(!String::from_utf8_lossy(&output.stdout).contains("changed:"));
        assert_eq!(timeless(&report.join("report/results.jsonl")), whole);
        succeeds(&shell(&report, &GITHUB_SHELL, &with(&keep, ""), &[]));
        copy(&report.join("baseline/results.jsonl"), &folder.join("baseline/results.jsonl"));
    }
    // A failing case is reported by the report, not by the shard.
    let machine = folder.join("failing");
    molehill(&machine.join("target/release/molehill"));
    let failing = with(&run, "1").replace("--out", "--mutation scissor-ignored --out");
    let all = failing.replace("--shard 1/4", "");
    assert_ne!(failing, all);
    succeeds(&shell(&machine, &GITHUB_SHELL, &all, &[]));
    let failing = Results::read(&machine.join("conform/results.jsonl")).expect("results");
    assert_ne!(failing.outcomes, whole.outcomes);
    // A run that can't start fails the shard.
    let nothing = with(&run, "1").replace("--out", "--filter no.such.case --exclude '*' --out");
    assert!(!shell(&machine, &GITHUB_SHELL, &nothing, &[]).status.success());
}

/// Copies a file that may be missing.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).expect("a copy");
    }
}

#[test]
fn the_job_of_kubernetes_shards_and_merges() {
    let folder = folder("kubernetes");
    molehill(&folder.join("bin/molehill"));
    let whole = whole(&folder);
    let completions = KUBERNETES
        .lines()
        .find_map(|line| line.trim().strip_prefix("completions: "))
        .expect("a number of pods");
    let run = script(KUBERNETES, "--shard");
    assert!(run.contains(&format!("$part/{completions}\"")));
    // The volume is mounted here; four pods run.
    let run = run.replace("/results", "volume").replace(&format!("$part/{completions}"), "$part/4");
    fs::create_dir_all(folder.join("volume")).expect("a folder");
    let pod = |index: &str| {
        let output = shell(&folder, &["sh", "-c"], &run, &[("JOB_COMPLETION_INDEX", index)]);
        succeeds(&output);
    };
    for index in ["0", "1", "2", "3"] {
        pod(index);
    }
    // A restarted pod has nothing left to do.
    let part = folder.join("volume/part-2/results.jsonl");
    let before = fs::read(&part).expect("a part");
    pod("1");
    assert_eq!(fs::read(&part).expect("a part"), before);
    // The line in the file's head.
    let merge = KUBERNETES
        .lines()
        .find_map(|line| line.strip_prefix("#   molehill conform merge "))
        .and_then(|line| line.split(" #").next())
        .expect("a line that merges");
    let merge = format!("molehill conform merge {merge}").replace("/results", "volume");
    succeeds(&shell(&folder, &["sh", "-c"], &merge, &[]));
    assert_eq!(timeless(&folder.join("report/results.jsonl")), whole);
}
