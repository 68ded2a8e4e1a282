//! Tests runs in shards, and a repeated run.

use super::*;

/// Returns the results of a run without times.
fn timeless(path: &Path) -> ConformResults {
    let mut results = ConformResults::read(path).unwrap();
    results.outcomes.iter_mut().for_each(|outcome| outcome.seconds = 0.0);
    results
}

#[test]
fn four_shards_merged_are_one_whole_run() {
    let folder = folder("shards");
    let run = |more: &[&str]| {
        let mut arguments = vec!["--backend", "reference", "--oracle", "reference"];
        arguments.extend([
            "--filter",
            "api.error",
            "--filter",
            "api.scissor",
            "--filter",
            "agal.random.version_1",
        ]);
        arguments.extend(more);
        let output = conform(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    };
    run(&["--out", "whole"]);
    let mut sizes = Vec::new();
    for (shard, out) in [("1/4", "part-1"), ("2/4", "part-2"), ("3/4", "part-3"), ("4/4", "part-4")]
    {
        run(&["--shard", shard, "--out", out, "--baseline", "whole/results.jsonl"]);
        sizes.push(
            ConformResults::read(&folder.join(out).join("results.jsonl")).unwrap().outcomes.len(),
        );
    }
    let whole = timeless(&folder.join("whole/results.jsonl"));
    assert!(whole.outcomes.len() > 400 && sizes.iter().all(|size| *size > 0), "{sizes:?}");
    let merge = [
        "merge",
        "part-3",
        "part-1",
        "part-4",
        "part-2",
        "--out",
        "merged",
        "--baseline",
        "whole/results.jsonl",
    ];
    let output = conform(&folder, &merge);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(!text(&output).contains("changed:"), "{}", text(&output));
    assert_eq!(timeless(&folder.join("merged/results.jsonl")), whole);
    for file in ["junit.xml", "index.html"] {
        assert!(folder.join("merged").join(file).is_file(), "{file}");
    }
    // A missing shard makes the run incomplete, and a duplicate shard is an error.
    assert_eq!(
        conform(&folder, &["merge", "part-1", "part-2", "-o", "partial"]).status.code(),
        Some(1)
    );
    assert_eq!(
        conform(&folder, &["merge", "part-1", "part-1", "-o", "partial"]).status.code(),
        Some(2)
    );
}

#[test]
fn shards_and_lists_are_the_same_every_time() {
    let folder = folder("list");
    let list = |arguments: &[&str]| text(&conform(&folder, arguments));
    let all = list(&["list"]);
    assert_eq!(all, list(&["list"]));
    assert!(all.lines().count() >= 3000);
    let mut parts: Vec<String> = (1..=3)
        .flat_map(|part| {
            list(&["list", "--shard", &format!("{part}/3")])
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    parts.sort();
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!(parts, lines);
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "1/99999"] {
        assert_eq!(conform(&folder, &["list", "--shard", wrong]).status.code(), Some(2), "{wrong}");
    }
    assert_eq!(conform(&folder, &["--filter", "no.such.case"]).status.code(), Some(2));
}
