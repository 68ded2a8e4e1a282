//! Tests of the HTML report.

use molehill_conform::facts;
use molehill_conform::report::{ReportColumn, differing, html, junit, summary};
use molehill_conform::results::{ConformResults, RunSettings};
use molehill_conform::{Attachments, CaseOutcome, Verdict};
use serde_json::{Value, json};

fn run(name: &str, count: usize, verdict: Verdict) -> ReportColumn {
    let outcome = |number| CaseOutcome {
        name: format!("area.of_a_usual_length.something_else.case_{number}"),
        kind: "scene".to_owned(),
        profile: "standardConstrained".to_owned(),
        source: "[context3d.blend.equation]".to_owned(),
        verdict,
        reasons: match verdict {
            Verdict::Pass => Vec::new(),
            _ => vec!["</script><b>".to_owned()],
        },
        evidence: None,
        seconds: 0.123_456,
        hash: Some("0123456789abcdef".to_owned()),
        capture: None,
        attachments: Attachments::default(),
    };
    let outcomes: Vec<CaseOutcome> = (0..count).map(outcome).collect();
    let names = outcomes.iter().map(|outcome| outcome.name.clone()).collect();
    let head = RunSettings::new("gl", "reference", "d".to_owned(), names);
    let results = ConformResults { head, outcomes };
    ReportColumn { name: name.to_owned(), results }
}

/// Returns the results as JSON, which the HTML page contains.
fn data(page: &str) -> Value {
    let data = page.split("id=\"data\">").nth(1).unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn thousands_of_passing_cases_stay_small() {
    let page = html(&[run("a", 5000, Verdict::Pass)]);
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(!page.contains("@DATA@") && !page.contains("@SUMMARY@") && !page.contains("http"));
    assert!(page.contains("<noscript><pre>gl (d) with nothing\n  area  5000 pass"));
}

#[test]
fn no_text_ends_the_script() {
    let page = html(&[run("a", 1, Verdict::Fail)]);
    assert_eq!(page.matches("</script>").count(), 2);
    let data = data(&page);
    let name = data["cases"][0][0].as_str().unwrap();
    assert_eq!(data["details"][name]["0"]["reasons"][0], "</script><b>");
}

#[test]
fn a_run_shows_the_facts_that_its_cases_cite() {
    let [first, second, ..] = facts::all() else { panic!("no facts") };
    let mut column = run("a", 3, Verdict::Pass);
    let cited = format!("[{}] [{}]", first.id, second.id);
    let sources = [cited, format!("[{}]; triangle", second.id), "triangle".to_owned()];
    for (outcome, source) in column.results.outcomes.iter_mut().zip(sources) {
        outcome.source = source;
    }
    column.results.outcomes[1].verdict = Verdict::Fail;
    let page = facts::coverage(&column.results.outcomes)[0];
    assert_eq!((page.page, page.shown, page.failing), (first.page, 1, 1));
    let text = summary(&column.results);
    let told = format!("\n    [{}] {}: {}\n", second.id, second.grade, second.text);
    assert!(
        text.contains(&told) && text.contains("\nshown facts of the reference: agal "),
        "{text}"
    );
    let data = data(&html(&[column]));
    assert_eq!(
        (&data["reference"][0]["shown"], &data["facts"][&second.id][0]),
        (&json!(1), &json!(second.grade))
    );
    assert!(data["facts"].get(&first.id).is_none());
}

#[test]
fn columns_keep_what_only_one_has() {
    let columns = [run("old", 2, Verdict::Pass), run("new", 1, Verdict::Fail)];
    let data = data(&html(&columns));
    let [pass, fail] = [Verdict::Pass, Verdict::Fail]
        .map(|verdict| Verdict::ALL.iter().position(|known| *known == verdict));
    assert_eq!(data["cases"][0][1], json!([pass, fail]));
    assert_eq!(data["cases"][1][1], json!([pass, null]));
    assert_eq!((&data["cases"][0][6], &data["runs"][1]["name"]), (&json!(1), &json!("new")));
    let differing = differing(&columns);
    let what: Vec<&str> = differing.values().map(String::as_str).collect();
    assert_eq!(what, ["pass -> fail", "pass -> absent"]);
}

#[test]
fn text_is_escaped_for_junit() {
    let mut results = run("one", 2, Verdict::Fail).results;
    results.outcomes[0].reasons = vec!["a<\"&\u{0}\u{1b}[31m\u{7}\n>".to_owned()];
    // A results file may contain any number as a run time.
    results.outcomes[1].seconds = f64::MAX;
    let xml = junit(&results);
    assert!(xml.contains("<failure message=\"fail: a&lt;&quot;&amp;\n&gt;\"/>"), "{xml}");
}
