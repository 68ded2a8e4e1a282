//! The reports of a run.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::json;

use super::arguments::{self, Requirement};
use crate::cli::{Failure, Status, output};
use molehill_conform::device::Device;
use molehill_conform::report::{
    Column, Totals, comparable, differences, differing, html, junit, slowest, summary,
};
use molehill_conform::results::Results;
use molehill_conform::{SuiteOptions, Verdict, glob};

/// The HTML report.
const PAGE: &str = "index.html";

/// Writes the reports if there is a folder for them, and prints the result of the run.
pub(super) fn finish(
    results: Results,
    out: Option<&Path>,
    baseline: Option<Results>,
    matches: &ArgMatches,
) -> Result<Status, Failure> {
    let mut columns = Vec::new();
    if let Some(baseline) = baseline {
        let results = comparable(baseline, &results);
        columns.push(Column { name: "baseline".to_owned(), results });
    }
    columns.push(Column { name: "this run".to_owned(), results: results.clone() });
    let changes = differing(&columns);
    if let Some(out) = out {
        output::write(&out.join("junit.xml"), junit(&results))?;
        output::write(&out.join(PAGE), html(&columns))?;
    }
    let totals = Totals::of(&results.outcomes);
    if matches.get_flag("json") {
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
        let slow = matches.get_one::<u16>("slow").map_or(0, |count| usize::from(*count));
        output::print(&(differences(&changes) + &slowest(&results, slow) + &summary(&results)))?;
        output::print(&match out {
            Some(out) => format!("report: {}\n", out.join(PAGE).display()),
            None => "no report written (use --out DIR)\n".to_owned(),
        })?;
    }
    let required = matches.get_many::<Requirement>("require").into_iter().flatten();
    let short = required.filter_map(|(area, least)| {
        let of_area = results.outcomes.iter().filter(|outcome| glob::matches(area, &outcome.name));
        let passed = of_area.filter(|outcome| outcome.verdict == Verdict::Pass).count();
        (passed < *least).then(|| format!("{area}: {passed} cases pass, {least} are required"))
    });
    let short: Vec<String> = short.collect();
    short.iter().for_each(|text| output::complain(text));
    // Another part of a run may have the cases that this device supports.
    let whole = results.head.shard == (1, 1);
    let status = status(&totals, whole);
    Ok(if short.is_empty() { status } else { Status::Mismatch })
}

/// `molehill conform compare`
pub(super) fn compare(matches: &ArgMatches) -> Result<Status, Failure> {
    let runs = matches.get_many::<String>("runs").into_iter().flatten();
    let mut columns = Vec::new();
    for run in runs {
        columns.extend(Column::read(run)?);
    }
    let differing = differing(&columns);
    if let Some(out) = arguments::out(matches) {
        output::make_folder(out)?;
        output::write(&out.join(PAGE), html(&columns))?;
    }
    let row = |Column { name, results }: &Column| {
        let totals = Totals::of(&results.outcomes).describe();
        format!("{name}: {} ({}): {totals}\n", results.head.driver, results.head.backend)
    };
    output::give(
        matches,
        || {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            json!({ "runs": names, "differing": differing })
        },
        || columns.iter().map(row).collect::<String>() + &differences(&differing),
    )?;
    if !matches.get_flag("stale") {
        return Ok(Status::Success);
    }
    let mut options = SuiteOptions::new(Device::Gl);
    options.known_failures = matches.get_one::<PathBuf>("known-failures").cloned();
    let known = options.expectations()?;
    let runs: Vec<Results> = columns.into_iter().map(|column| column.results).collect();
    let stale = known.without_use(&runs);
    stale.iter().for_each(|row| output::complain(&format!("known failures: stale: {row}")));
    Ok(Status::of(stale.is_empty()))
}

/// The status of a run. One that tested nothing is no success, and says so.
pub(in crate::cli) fn status(totals: &Totals, whole: bool) -> Status {
    let nothing = whole && totals.tested_nothing();
    if nothing {
        output::complain(&format!("nothing was tested: {}", totals.describe()));
    }
    Status::of(totals.failing() == 0 && !nothing)
}
