//! Writes a self-contained HTML page: `page.html`, with the results as JSON and as a text summary.

use std::collections::BTreeSet;

use context3d::Profile;
use serde_json::{Map, Value, json};

use super::columns::{ReportColumn, differing};
use super::summary::summary;
use crate::facts::{coverage, facts_of};
use crate::verdict::{CaseOutcome, Verdict};

const PAGE: &str = include_str!("page.html");
const DATA: &str = "@DATA@";
const SUMMARY: &str = "@SUMMARY@";
/// The maximum size of all attachments in bytes, so that a browser can open the page even if all cases fail.
const MAX_ATTACHMENTS: usize = 48 << 20;

/// Returns the HTML page for one run, or for several runs as columns.
pub fn html(columns: &[ReportColumn]) -> String {
    let data = data(columns).to_string();
    // In JSON, '<' occurs only in strings. Escape '<' so that no string can end the `<script>` element.
    let data = data.replace('<', "\\u003c");
    let (head, rest) = PAGE.split_once(SUMMARY).unwrap_or((PAGE, ""));
    let summaries: String = columns.iter().map(|column| summary(&column.results)).collect();
    let summary = summaries.replace('&', "&amp;").replace('<', "&lt;");
    format!("{head}<pre>{summary}</pre>{}", rest.replacen(DATA, &data, 1))
}

fn data(columns: &[ReportColumn]) -> Value {
    let (mut kinds, mut sources) = (Vec::new(), Vec::new());
    let mut profiles: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    let mut details = Map::new();
    let mut quota = MAX_ATTACHMENTS;
    let by_name: Vec<_> = columns.iter().map(ReportColumn::by_name).collect();
    let names: BTreeSet<&str> = by_name.iter().flat_map(|column| column.keys().copied()).collect();
    let differing = differing(columns);
    let mut cases = Vec::new();
    let mut cited = Map::new();
    for name in names {
        let outcomes: Vec<Option<&CaseOutcome>> =
            by_name.iter().map(|column| column.get(name).copied()).collect();
        let Some(newest) = outcomes.iter().flatten().next_back() else { continue };
        let verdict = |outcome: &Option<&CaseOutcome>| {
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
            let facts = facts_of(&newest.source);
            cited.extend(facts.map(|f| (f.id.clone(), json!([f.grade, f.text]))));
            details.insert(name.to_owned(), Value::Object(reported));
        }
    }
    let run = |ReportColumn { name, results }: &ReportColumn| {
        let head = &results.head;
        json!({
            "name": name,
            "backend": head.backend,
            "oracle": head.oracle,
            "driver": head.driver,
            "evidence": results.evidence().to_string(),
            "profile": head.profile,
            "cases": head.cases.len(),
            "selection": head.selection,
        })
    };
    let verdict = |verdict: &Verdict| json!({ "name": verdict.name(), "fails": verdict.fails() });
    let newest = columns.last().map_or(&[][..], |column| &column.results.outcomes);
    json!({
        "reference": coverage(newest),
        "facts": cited,
        "runs": columns.iter().map(run).collect::<Vec<_>>(),
        "verdicts": Verdict::ALL.iter().map(verdict).collect::<Vec<_>>(),
        "kinds": kinds,
        "sources": sources,
        "profiles": profiles,
        "cases": cases,
        "details": details,
    })
}

fn position<'a>(words: &mut Vec<&'a str>, word: &'a str) -> usize {
    words.iter().position(|known| *known == word).unwrap_or_else(|| {
        words.push(word);
        words.len() - 1
    })
}

fn detail(outcome: &CaseOutcome, quota: &mut usize) -> Value {
    let mut detail = Map::new();
    detail.insert("reasons".to_owned(), json!(outcome.reasons));
    let evidence = outcome.evidence.as_ref().map(ToString::to_string);
    detail.insert("evidence".to_owned(), json!(evidence));
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
