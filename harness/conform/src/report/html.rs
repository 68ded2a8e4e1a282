//! A self-contained HTML page: the template is in this folder; the results are inserted as JSON, and as a summary for
//! browsers without scripts.

use std::collections::BTreeSet;

use context3d::Profile;
use serde_json::{Map, Value, json};

use super::columns::{Column, differing};
use super::junit::escape;
use super::summary::summary;
use crate::verdict::{Outcome, Verdict};

const PAGE: &str = include_str!("page.html");
/// Placeholder of the results.
const PLACE: &str = "@DATA@";
/// Placeholder of the text for browsers without scripts.
const SUMMARY: &str = "@SUMMARY@";
/// Maximum bytes of all attachments, so that a browser can open the page even if everything fails.
const MAX_ATTACHMENTS: usize = 48 << 20;

/// The page as text: one run, or several as columns.
pub fn html(columns: &[Column]) -> String {
    let data = data(columns).to_string();
    // JSON needs '<' only in strings, where it can be escaped: no text ends the script.
    let data = data.replace('<', "\\u003c");
    let (head, rest) = PAGE.split_once(SUMMARY).unwrap_or((PAGE, ""));
    let summaries: String = columns.iter().map(|column| summary(&column.results)).collect();
    let summary = escape(&summaries);
    format!("{head}<pre>{summary}</pre>{}", rest.replacen(PLACE, &data, 1))
}

fn data(columns: &[Column]) -> Value {
    let (mut kinds, mut sources) = (Vec::new(), Vec::new());
    let mut profiles: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    let mut details = Map::new();
    let mut quota = MAX_ATTACHMENTS;
    let by_name: Vec<_> = columns.iter().map(Column::by_name).collect();
    let names: BTreeSet<&str> = by_name.iter().flat_map(|column| column.keys().copied()).collect();
    let differing = differing(columns);
    let mut cases = Vec::new();
    for name in names {
        let outcomes: Vec<Option<&Outcome>> =
            by_name.iter().map(|column| column.get(name).copied()).collect();
        let Some(newest) = outcomes.iter().flatten().next_back() else {
            continue;
        };
        let verdict = |outcome: &Option<&Outcome>| {
            let verdict = outcome.map(|outcome| outcome.verdict);
            Verdict::ALL.iter().position(|known| Some(*known) == verdict)
        };
        let mut row = vec![
            json!(name),
            json!(outcomes.iter().map(verdict).collect::<Vec<_>>()),
            json!(position(&mut kinds, &newest.kind)),
            json!(position(&mut profiles, &newest.profile)),
            json!((newest.seconds * 1e3).round()),
            json!(position(&mut sources, &newest.source)),
        ];
        row.extend(differing.get(name).map(|_| json!(1)));
        cases.push(Value::Array(row));
        let reported = outcomes.iter().enumerate().filter_map(|(at, outcome)| {
            let outcome = outcome.filter(|outcome| outcome.verdict != Verdict::Pass)?;
            Some((at.to_string(), detail(outcome, &mut quota)))
        });
        let reported: Map<String, Value> = reported.collect();
        if !reported.is_empty() {
            details.insert(name.to_owned(), Value::Object(reported));
        }
    }
    let run = |Column { name, results }: &Column| {
        let head = &results.head;
        json!({
            "name": name,
            "backend": head.backend,
            "oracle": head.oracle,
            "driver": head.driver,
            "profile": head.profile,
            "cases": head.cases,
            "selection": head.selection,
        })
    };
    let verdict = |verdict: &Verdict| json!({ "name": verdict.name(), "fails": verdict.fails() });
    json!({
        "runs": columns.iter().map(run).collect::<Vec<_>>(),
        "verdicts": Verdict::ALL.iter().map(verdict).collect::<Vec<_>>(),
        "kinds": kinds,
        "sources": sources,
        "profiles": profiles,
        "cases": cases,
        "details": details,
    })
}

/// The index of a word in a list; adds it if needed.
fn position<'a>(words: &mut Vec<&'a str>, word: &'a str) -> usize {
    match words.iter().position(|known| *known == word) {
        Some(position) => position,
        None => {
            words.push(word);
            words.len() - 1
        }
    }
}

fn detail(outcome: &Outcome, quota: &mut usize) -> Value {
    let mut detail = Map::new();
    detail.insert("reasons".to_owned(), json!(outcome.reasons));
    for (key, list) in
        [("texts", &outcome.attachments.texts), ("pictures", &outcome.attachments.pictures)]
    {
        let bytes: usize = list.values().filter_map(Value::as_str).map(str::len).sum();
        if !list.is_empty() && bytes <= *quota {
            *quota -= bytes;
            detail.insert(key.to_owned(), Value::Object(list.clone()));
        }
    }
    Value::Object(detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachments::Attachments;
    use crate::results::{Results, RunSettings};

    fn run(name: &str, count: usize, verdict: Verdict) -> Column {
        let outcome = |number| Outcome {
            name: format!("area.of_a_usual_length.something_else.case_{number}"),
            kind: "scene".to_owned(),
            profile: "standardConstrained".to_owned(),
            source: "context3d.md section 6, blend".to_owned(),
            verdict,
            reasons: match verdict {
                Verdict::Pass => Vec::new(),
                _ => vec!["</script><b>".to_owned()],
            },
            seconds: 0.123_456,
            hash: Some("0123456789abcdef".to_owned()),
            capture: None,
            attachments: Attachments::default(),
        };
        let results = Results {
            head: RunSettings {
                backend: "gl".to_owned(),
                oracle: "reference".to_owned(),
                driver: "d".to_owned(),
                profile: None,
                selection: Default::default(),
                cases: count,
                shard: (1, 1),
            },
            outcomes: (0..count).map(outcome).collect(),
        };
        Column { name: name.to_owned(), results }
    }

    #[test]
    fn thousands_of_passing_cases_stay_small() {
        let page = html(&[run("a", 5000, Verdict::Pass)]);
        assert!(page.len() < 1 << 20, "{} bytes", page.len());
        assert!(!page.contains(PLACE) && !page.contains(SUMMARY) && !page.contains("http"));
        assert!(page.contains("<noscript><pre>d (gl)&#10;  area  5000 pass"));
    }

    #[test]
    fn no_text_ends_the_script() {
        let page = html(&[run("a", 1, Verdict::Fail)]);
        assert_eq!(page.matches("</script>").count(), 2);
        let data = page.split("id=\"data\">").nth(1).unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let name = data["cases"][0][0].as_str().unwrap();
        assert_eq!(data["details"][name]["0"]["reasons"][0], "</script><b>");
    }

    #[test]
    fn columns_keep_what_only_one_has() {
        let columns = [run("old", 2, Verdict::Pass), run("new", 1, Verdict::Fail)];
        let data = data(&columns);
        let [pass, fail] = [Verdict::Pass, Verdict::Fail]
            .map(|verdict| Verdict::ALL.iter().position(|known| *known == verdict));
        assert_eq!(data["cases"][0][1], json!([pass, fail]));
        assert_eq!(data["cases"][1][1], json!([pass, null]));
        assert_eq!((&data["cases"][0][6], &data["runs"][1]["name"]), (&json!(1), &json!("new")));
        let differing = differing(&columns);
        let what: Vec<&str> = differing.values().map(String::as_str).collect();
        assert_eq!(what, ["pass -> fail", "pass -> absent"]);
    }
}
