//! Tests child processes that crash, hang, or use too much memory.

use std::time::Duration;

use molehill_conform::device::ConformDevice;
use molehill_conform::pool::CasePool;
use molehill_conform::{SuiteError, SuiteOptions, Verdict, self_test};

/// A shell script that acts as a child process: it performs the action in each case's name, and then reports a pass.
/// Like a real child process, the script begins each report on a new line, after any output of a driver.
const CHILD: &str = r#"
    read options; echo; echo '{"ready":"d"}'
    while read name; do
        case "$name" in
            self.abort) kill -ABRT $$;;
            self.exit) exit 7;;
            self.fail) memory=$(head -c 400000000 /dev/zero | tr '\0' m);;
            self.hang) exec sleep 60;;
            self.known) yes warning | head -c 3000000 >&2; yes warning | head -c 3000000;;
            self.pass.04) printf {; head -c 70000000 /dev/zero | tr '\0' x;;
            self.unexpected) yes warning | head -c 3000000 >&2; exit 9;;
            self.panic) head -c 3000000 /dev/zero | tr '\0' x;;
        esac
        evidence=',"evidence":{"tested":"formula","oracles":[{"oracle":"storedImages","images":1}]}'
        [ "$name" != self.pass.01 ] || evidence=
        echo
        echo "{\"name\":\"$name\",\"kind\":\"calls\",\"profile\":\"baseline\",\"verdict\":\"pass\",\"seconds\":0$evidence}"
    done
"#;

/// Runs test cases in a shell script, whose `$0` is an empty folder. Returns each case's verdict, first reason and log.
fn run(name: &str, begin: &str, start: u64, cases: &[&str]) -> Vec<(Verdict, String, String)> {
    let folder = std::env::temp_dir().join(format!("molehill-{name}-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let pool = CasePool {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), (begin.to_owned() + CHILD).into(), folder.clone().into()],
        options: SuiteOptions::new(ConformDevice::Null),
        jobs: 1,
        timeout: Duration::from_secs(3),
        start: Duration::from_secs(start),
        memory: 100 << 20,
    };
    assert_eq!(pool.driver().unwrap(), "d");
    let all = self_test::cases();
    let case = |name: &&str| all.iter().find(|case| case.name == *name).unwrap().clone();
    let mut outcomes = Vec::new();
    let ran = pool.run::<SuiteError>(&cases.iter().map(case).collect::<Vec<_>>(), |outcome| {
        let reason = outcome.reasons.first().cloned().unwrap_or_default();
        let texts = outcome.attachments.texts.values().map(|text| text.to_string());
        outcomes.push((outcome.verdict, reason, texts.collect()));
        Ok(())
    });
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(ran, Ok(()));
    outcomes
}

/// The second child process hangs before its device is open, the third dies, and the others return results.
#[test]
fn a_child_that_does_not_start_costs_one_case() {
    let begin = r#"
        if mkdir "$0/1" 2>/dev/null; then :
        elif mkdir "$0/2" 2>/dev/null; then exec sleep 60
        elif mkdir "$0/3" 2>/dev/null; then exit 9
        fi
    "#;
    let cases = ["self.pass.00", "self.pass.04", "self.pass.02", "self.pass.03"];
    let outcomes = run("start", begin, 1, &cases);
    let verdicts: Vec<Verdict> = outcomes.iter().map(|(verdict, ..)| *verdict).collect();
    assert_eq!(verdicts, [Verdict::Timeout, Verdict::Crash, Verdict::Pass, Verdict::Pass]);
    assert_eq!(outcomes[0].1, "no child process for the case started within 1 s");
    assert_eq!(outcomes[1].1, "starting: the process died: exit status: 9");
}

/// Starting a child process may take longer than the time limit of a case.
#[test]
fn what_a_driver_does_in_a_case_costs_only_that_case() {
    let begin = "mkdir \"$0/slow\" 2>/dev/null && sleep 4\n";
    let table = [
        ("self.abort", Verdict::Crash, "the process died: signal: 6 (SIGABRT)", ""),
        ("self.exit", Verdict::Crash, "the process died: exit status: 7", ""),
        ("self.fail", Verdict::Crash, "the process used more than 100 MiB of memory", ""),
        ("self.hang", Verdict::Timeout, "no result within 3 s", ""),
        ("self.known", Verdict::Pass, "", ""),
        ("self.panic", Verdict::Pass, "", ""),
        (
            "self.pass.04",
            Verdict::Crash,
            "the result is too large (70000002 bytes, at most 67108864)",
            "",
        ),
        ("self.unexpected", Verdict::Crash, "the process died: exit status: 9", "warning"),
        ("self.pass.00", Verdict::Pass, "", ""),
        ("self.pass.01", Verdict::NotTested, "not tested: no result was compared", ""),
    ];
    let outcomes = run("cases", begin, 30, &table.map(|(case, ..)| case));
    for ((case, verdict, reason, said), outcome) in table.into_iter().zip(outcomes) {
        let (found, why, log) = outcome;
        // The operating system may append a message about a core dump.
        let same = why.starts_with(reason) && why.is_empty() == reason.is_empty();
        assert!(found == verdict && same, "{case}: {found:?} {why}: {log}");
        assert!(log.contains(said) && log.len() < 10_000, "{case}: {}", log.len());
    }
}
