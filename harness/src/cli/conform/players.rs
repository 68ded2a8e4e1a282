//! `molehill conform --swf` and `--results`: cases in Flash players.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::{Value, json};

use super::Conform;
use super::reports::{prepare, tell_of_earlier};
use crate::cli::output::{self, Failure, Status};
use molehill_conform::case::Case;
use molehill_conform::glob::Selection;
use molehill_conform::players::{self, PlayerFiles};
use molehill_conform::report::RESULTS;
use molehill_conform::results::{Results, RunSettings, write};
use molehill_swf::results::{Line, parse};

/// Cases in a file.
const CASES: usize = 100;
const MANIFEST: &str = "manifest.json";
const README: &str = include_str!("../../help/players.txt");

/// Writes cases as SWF files with the text that they should print, their pictures, and a manifest.
pub(super) fn write_files(cases: &[Case], folder: &Path, each: bool) -> Result<Status, Failure> {
    let written = players::files(cases, if each { 1 } else { CASES })?;
    let pictures = folder.join("pictures");
    output::make_folder(folder)?;
    output::make_folder(&pictures)?;
    let mut rows = Vec::new();
    let mut bytes = 0;
    for file in &written.files {
        let path = |end| folder.join(format!("{}.{end}", file.name));
        output::write(&path("swf"), &file.converted.swf)?;
        output::write(&path("txt"), file.converted.expected_text())?;
        bytes += file.converted.swf.len();
        for case in &file.cases {
            let mut names = Vec::new();
            let images = players::expected_pictures(case).map_err(Failure::of(&case.name))?;
            for (number, image) in images.iter().enumerate() {
                let name = format!("{}-{number}.png", case.name);
                output::write_picture(&pictures.join(&name), image)?;
                names.push(name);
            }
            rows.push(row(case, &file.name, &names));
        }
    }
    let PlayerFiles { files, left_out } = written;
    let count = rows.len();
    let why = |(case, why): &(&Case, String)| json!({ "name": case.name, "kind": case.body.kind(), "why": why });
    let left_out: Vec<Value> = left_out.iter().map(why).collect();
    let manifest = json!({ "cases": rows, "leftOut": left_out });
    output::write(&folder.join(MANIFEST), format!("{manifest:#}\n"))?;
    output::write(&folder.join("README.txt"), README)?;
    output::print(&format!(
        "{}: {count} cases in {} files, {bytes} bytes; {} cases are left out, see {MANIFEST}\n",
        folder.display(),
        files.len(),
        left_out.len()
    ))?;
    Ok(Status::Success)
}

fn row(case: &Case, file: &str, pictures: &[String]) -> Value {
    json!({
        "name": case.name, "file": format!("{file}.swf"), "kind": case.body.kind(),
        "profile": case.setup.profile.name(), "swfVersion": case.setup.swf_version,
        "source": case.source, "pictures": pictures,
    })
}

impl Conform {
    /// Judges what files printed in a player. The results are those of a run.
    pub(super) fn judge(&self, cases: &[Case]) -> Result<Status, Failure> {
        let by_name: HashMap<&str, &Case> =
            cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let mut outcomes = Vec::new();
        let mut driver = None;
        for path in &self.results {
            let log = parse(&read(path)?);
            driver = driver.or_else(|| {
                log.iter().find_map(|line| match line {
                    Line::Property(name, value) if name == "driverInfo" => Some(value.clone()),
                    _ => None,
                })
            });
            for (name, lines, ended) in players::cases_of_log(&log) {
                // Left out by --filter, if it is a case.
                if let Some(case) = by_name.get(name) {
                    outcomes.push(players::judge(case, lines, ended));
                }
            }
        }
        if outcomes.is_empty() {
            return Err(Failure("the logs have none of the cases".to_owned()));
        }
        let head = RunSettings {
            backend: "Flash player".to_owned(),
            oracle: "reference".to_owned(),
            driver: driver.unwrap_or_default(),
            profile: None,
            selection: Selection::default(),
            cases: outcomes.len(),
            shard: (1, 1),
        };
        let mut results = Results { head, outcomes };
        results.sort();
        let baseline = self.reports.baseline()?;
        let _lock = self.out.as_deref().map(prepare).transpose()?;
        if let Some(out) = &self.out {
            let path = out.join(RESULTS);
            tell_of_earlier(&path, "");
            write(&path, &results)?;
        }
        self.reports.finish(&results, self.out.as_deref(), baseline)
    }
}

/// The text of a log, which may have been written in any encoding.
fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(path).map_err(Failure::of(path.display()))?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
