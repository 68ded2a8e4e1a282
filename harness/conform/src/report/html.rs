//! A self-contained HTML page: the template is in this folder; the results are inserted as JSON, and as a summary for
//! browsers without scripts.

use std::collections::BTreeMap;

use context3d::Profile;
use serde_json::{Map, Value, json};

use super::baseline::Change;
use super::junit::escape;
use super::summary::summary;
use crate::results::Results;
use crate::verdict::{Outcome, Verdict};

const PAGE: &str = include_str!("page.html");
/// Placeholder of the results.
const PLACE: &str = "@DATA@";
/// Placeholder of the text for browsers without scripts.
const SUMMARY: &str = "@SUMMARY@";
/// Maximum bytes of all attachments, so that a browser can open the page even if everything fails.
const MAX_ATTACHMENTS: usize = 48 << 20;

/// The page as text.
pub fn html(results: &Results, changes: &BTreeMap<String, Change>) -> String {
    let data = data(results, changes).to_string();
    // JSON needs '<' only in strings, where it can be escaped: no text ends the script.
    let data = data.replace('<', "\\u003c");
    let (head, rest) = PAGE.split_once(SUMMARY).unwrap_or((PAGE, ""));
    let summary = escape(&summary(results, changes));
    format!("{head}<pre>{summary}</pre>{}", rest.replacen(PLACE, &data, 1))
}

fn data(results: &Results, changes: &BTreeMap<String, Change>) -> Value {
    let (mut kinds, mut sources) = (Vec::new(), Vec::new());
    let mut profiles: Vec<&str> = Profile::ALL.map(Profile::name).to_vec();
    let mut details = Map::new();
    let mut quota = MAX_ATTACHMENTS;
    let mut cases = Vec::new();
    for outcome in &results.outcomes {
        let verdict = Verdict::ALL.iter().position(|verdict| *verdict == outcome.verdict);
        let mut row = vec![
            json!(outcome.name),
            json!(verdict),
            json!(position(&mut kinds, &outcome.kind)),
            json!(position(&mut profiles, &outcome.profile)),
            json!((outcome.seconds * 1e3).round()),
            json!(position(&mut sources, &outcome.source)),
        ];
        row.extend(changes.get(&outcome.name).map(|change| json!(change.describe())));
        cases.push(Value::Array(row));
        if outcome.verdict != Verdict::Pass {
            details.insert(outcome.name.clone(), detail(outcome, &mut quota));
        }
    }
    let gone = changes
        .iter()
        .filter(|(_, change)| matches!(change, Change::Gone(_)))
        .map(|(name, change)| json!([name, change.describe()]));
    let gone: Vec<Value> = gone.collect();
    let head = &results.head;
    let verdicts = Verdict::ALL.iter();
    let verdicts: Vec<Value> = verdicts
        .map(|verdict| json!({ "name": verdict.name(), "fails": verdict.fails() }))
        .collect();
    json!({
        "head": {
            "backend": head.backend,
            "oracle": head.oracle,
            "driver": head.driver,
            "profile": head.profile,
            "cases": head.cases,
        },
        "verdicts": verdicts,
        "kinds": kinds,
        "sources": sources,
        "profiles": profiles,
        "cases": cases,
        "details": details,
        "gone": gone,
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
    use crate::results::RunSettings;

    fn results(count: usize, verdict: Verdict) -> Results {
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
        Results {
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
        }
    }

    #[test]
    fn thousands_of_passing_cases_stay_small() {
        let page = html(&results(5000, Verdict::Pass), &BTreeMap::new());
        assert!(page.len() < 1 << 20, "{} bytes", page.len());
        assert!(!page.contains(PLACE) && !page.contains(SUMMARY) && !page.contains("http"));
        assert!(page.contains("<noscript><pre>d (gl)&#10;  area  5000 pass"));
    }

    #[test]
    fn no_text_ends_the_script() {
        let page = html(&results(1, Verdict::Fail), &BTreeMap::new());
        assert_eq!(page.matches("</script>").count(), 2);
        let data = page.split("id=\"data\">").nth(1).unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let name = data["cases"][0][0].as_str().unwrap();
        assert_eq!(data["details"][name]["reasons"][0], "</script><b>");
    }
}
