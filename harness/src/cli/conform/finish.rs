//! The reports of a run whose results are on the disk.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::RESULTS;
use crate::cli::{Failure, Status, output};
use molehill_conform::Verdict;
use molehill_conform::report::{Totals, changes, html, junit, summary};
use molehill_conform::results::Results;

/// Writes the reports and says what came of it.
pub(super) fn finish(
    out: &Path,
    baseline: Option<&Results>,
    as_json: bool,
) -> Result<Status, Failure> {
    let results = Results::read(&out.join(RESULTS))?;
    let changes = baseline
        .map(|baseline| changes(&results, baseline))
        .unwrap_or_default();
    let write = |name: &str, text: String| {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| Failure(format!("{}: {error}", path.display())))
    };
    write("junit.xml", junit(&results))?;
    write("index.html", html(&results, &changes))?;
    let totals = Totals::of(&results.outcomes);
    if as_json {
        let counts = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.name().to_owned(), totals.count(*verdict).into()));
        output::print_json(&json!({
            "driver": results.head.driver,
            "backend": results.head.backend,
            "cases": results.head.cases,
            "ran": results.outcomes.len(),
            "verdicts": counts.collect::<serde_json::Map<_, _>>(),
            "changed": changes.len(),
        }))?;
    } else {
        output::print(&summary(&results, &changes))?;
        output::print(&format!("{}\n", out.display()))?;
    }
    Ok(match totals.failing() {
        0 => Status::Success,
        _ => Status::Mismatch,
    })
}
