//! The reports of a run.

use std::path::Path;

use serde_json::json;

use crate::cli::{Failure, Status, output};
use molehill_conform::Verdict;
use molehill_conform::report::{Totals, changes, html, junit, summary};
use molehill_conform::results::Results;

/// The HTML report.
const PAGE: &str = "index.html";

/// Writes the reports if there is a folder for them, and prints the result of the run.
pub(super) fn finish(
    results: &Results,
    out: Option<&Path>,
    baseline: Option<&Results>,
    as_json: bool,
) -> Result<Status, Failure> {
    let changes = baseline.map(|baseline| changes(results, baseline)).unwrap_or_default();
    if let Some(out) = out {
        output::write(&out.join("junit.xml"), junit(results))?;
        output::write(&out.join(PAGE), html(results, &changes))?;
    }
    let totals = Totals::of(&results.outcomes);
    if as_json {
        let counts = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.key().to_owned(), totals.count(*verdict).into()));
        output::print_json(&json!({
            "driver": results.head.driver,
            "backend": results.head.backend,
            "cases": results.head.cases,
            "ran": results.outcomes.len(),
            "verdicts": counts.collect::<serde_json::Map<_, _>>(),
            "changed": changes.len(),
        }))?;
    } else {
        output::print(&summary(results, &changes))?;
        output::print(&match out {
            Some(out) => format!("report: {}\n", out.join(PAGE).display()),
            None => "no report written (use --out DIR)\n".to_owned(),
        })?;
    }
    // Another part of a run may have the cases that this device supports.
    let whole = results.head.shard == (1, 1);
    Ok(status(&totals, whole))
}

/// The status of a run. One that tested nothing is no success, and says so.
pub(in crate::cli) fn status(totals: &Totals, whole: bool) -> Status {
    let nothing = whole && totals.tested_nothing();
    if nothing {
        output::complain(&format!("nothing was tested: {}", totals.describe()));
    }
    Status::of(totals.failing() == 0 && !nothing)
}
