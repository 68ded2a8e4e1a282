//! Writes the reports of `molehill conform`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::{CommandFailure, CommandStatus, OutputFormat, UntestedArguments, output};
use molehill_conform::facts::coverage;
use molehill_conform::report::{
    ReportColumn, Totals, captures, comparable, differences, differing, html, junit, slowest,
    summary,
};
use molehill_conform::results::ConformResults;
use molehill_conform::{CaseOutcome, Verdict, names};
use molehill_replay::files::Lock;
use molehill_replay::table::aligned;

pub(super) const PAGE: &str = "index.html";

/// A name pattern, and the minimum number of matching cases that must pass.
type Requirement = (String, usize);

fn requirement(text: &str) -> Result<Requirement, String> {
    let (area, count) = text.split_once('=').ok_or("must be AREA=N")?;
    let count = count.parse().map_err(|_| "N must be a non-negative integer".to_owned())?;
    Ok((area.to_owned(), count))
}

#[derive(clap::Args)]
pub(super) struct ReportArguments {
    /// results.jsonl of an earlier run, to compare with and to estimate times
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Fail if fewer than N cases below AREA pass; repeatable
    #[arg(long, value_name = "AREA=N", value_parser = requirement)]
    require: Vec<Requirement>,
    /// Print the N slowest cases
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = 0)]
    slow: u16,
    #[command(flatten)]
    untested: UntestedArguments,
    #[command(flatten)]
    pub(super) format: OutputFormat,
}

/// Creates and locks the folder for a run's reports.
pub(super) fn prepare(out: &Path) -> Result<Lock, CommandFailure> {
    output::make_folder(out)?;
    let lock = Lock::take(out).map_err(CommandFailure::of(out.display()))?;
    let busy = "another run is writing into this folder; use another folder";
    lock.ok_or_else(|| CommandFailure::of(out.display())(busy))
}

/// Prints a warning if the results of an earlier run will be replaced.
pub(super) fn tell_of_earlier(path: &Path, hint: &str) {
    if path.is_file() {
        let earlier = ConformResults::read(path).map_or(0, |results| results.outcomes.len());
        let path = path.display();
        output::tell(&format!(
            "{path}: replacing the results of an earlier run ({earlier} cases){hint}"
        ));
    }
}

impl ReportArguments {
    /// Reads the results of the earlier run that `--baseline` names. Returns an error if an area that `--require` names
    /// contains no case.
    pub(super) fn baseline(
        &self,
        cases: &BTreeSet<String>,
    ) -> Result<Option<ConformResults>, CommandFailure> {
        let areas = self.require.iter().map(|(area, _)| area);
        names::check(cases, "--require", areas).map_err(CommandFailure)?;
        Ok(self.baseline.as_ref().map(|path| ConformResults::read(path)).transpose()?)
    }

    /// Changes the verdict of a case that is not tested, if `--allow-untested` is given.
    pub(super) fn allow_untested(&self, outcome: &mut CaseOutcome) {
        if self.untested.allows() {
            outcome.allow_untested();
        }
    }

    /// Prints the result of a run and writes its reports. `left_out` is the number of cases that need another renderer.
    pub(super) fn finish(
        &self,
        results: &ConformResults,
        out: Option<&Path>,
        baseline: Option<ConformResults>,
        left_out: usize,
    ) -> Result<CommandStatus, CommandFailure> {
        let mut columns = Vec::new();
        if let Some(baseline) = baseline {
            let results = comparable(baseline, results);
            columns.push(ReportColumn { name: "baseline".to_owned(), results });
        }
        columns.push(ReportColumn { name: "this run".to_owned(), results: results.clone() });
        let changes = differing(&columns);
        if let Some(out) = out {
            output::write(&out.join("junit.xml"), junit(results))?;
            output::write(&out.join(PAGE), html(&columns))?;
        }
        let totals = Totals::of(&results.outcomes);
        let count = |verdict: &Verdict| (verdict.key(), totals.count(*verdict));
        let evidence = results.evidence();
        let answer = json!({
            "renderer": evidence.tested.to_string(), "evidence": evidence,
            "driver": results.head.driver, "backend": results.head.backend, "cases": results.head.cases.len(),
            "ran": results.outcomes.len(), "leftOut": left_out,
            "verdicts": Verdict::ALL.iter().map(count).collect::<Value>(),
            "changed": changes.len(), "reference": coverage(&results.outcomes),
            "captures": captures::json(results),
        });
        self.format.print(&answer, || {
            let report = out.map(|out| format!("report: {}\n", out.join(PAGE).display()));
            let report = report.unwrap_or("no report written (--out DIR writes one)\n".to_owned());
            let left_out = match left_out {
                0 => String::new(),
                cases => format!("{cases} cases that need another renderer are left out\n"),
            };
            let summary = summary(results);
            let (first, rest) = summary.split_once('\n').unwrap_or_default();
            [first, "\n"]
                .into_iter()
                .map(str::to_owned)
                .chain(aligned(&captures::table(results), "<<>>>>>>>>"))
                .chain([captures::not_presented(results), differences(&changes)])
                .chain([slowest(results, self.slow.into()), rest.to_owned(), left_out, report])
                .collect()
        })?;
        let status = self.untested.conclude(results.conclusion());
        Ok(if self.enough_pass(results) { status } else { CommandStatus::Mismatch })
    }

    /// Returns whether the minimum number of cases of each `--require` option passes. Prints areas with too few passes.
    fn enough_pass(&self, results: &ConformResults) -> bool {
        let mut enough = true;
        for (area, least) in &self.require {
            let outcomes = results.outcomes.iter();
            let of_area = outcomes.filter(|outcome| names::matches(area, &outcome.name));
            let passed = of_area.filter(|outcome| outcome.verdict == Verdict::Pass).count();
            if passed < *least {
                output::complain(&format!("{area}: {passed} cases pass, {least} are required"));
                enough = false;
            }
        }
        enough
    }
}
