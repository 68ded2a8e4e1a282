//! `molehill bench`

use std::fs;
use std::path::{Path, PathBuf};

use clap::value_parser;
use serde_json::Value;

use super::arguments::choice;
use super::output::{self, Failure, Format, Status};
use super::table::aligned;
use molehill_bench::{Failed, Recorded, Report, Row, Scene, Target, counts, driver};
use molehill_conform::capture_case::capture_in;

/// Measures Molehill's overhead over the same OpenGL calls
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/bench.txt"))]
pub(super) struct Bench {
    /// Captures, or folders of them
    #[arg(value_name = "CAPTURE")]
    captures: Vec<PathBuf>,
    /// Scene; repeatable [default: all, if there is no capture]
    #[arg(long = "scene", value_name = "NAME[:DRAWS[:OBJECTS]]", value_parser = str::parse::<Scene>)]
    scenes: Vec<Scene>,
    /// gl, gles, noop (OpenGL functions that do nothing), null (packets are only counted), reference
    #[arg(long = "backend", value_name = "WHICH", default_value = "gl", value_parser = choice(Target::NAMES))]
    target: Target,
    /// Number of runs of each variant
    #[arg(long = "loop", value_name = "N", default_value = "9", value_parser = value_parser!(u16).range(1..))]
    rounds: u16,
    /// Compare with the --json output of an earlier run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Compare the captures' counts with this table
    #[arg(long, value_name = "FILE", requires = "captures")]
    counts: Option<PathBuf>,
    /// Write the table instead of comparing
    #[arg(long, requires = "counts")]
    update: bool,
    #[command(flatten)]
    format: Format,
}

impl Bench {
    pub(super) fn run(mut self) -> Result<Status, Failure> {
        let captures = self.captures()?;
        if let Some(table) = &self.counts {
            return self.count(&captures, table);
        }
        if self.scenes.is_empty() && captures.is_empty() {
            self.scenes = Scene::all().collect();
        }
        let baseline = self.baseline.as_ref().map(|path| read(path)).transpose()?;
        let (target, rounds) = (self.target, self.rounds.into());
        let scenes = self.scenes.iter().map(|scene| molehill_bench::scene(scene, target, rounds));
        let captures = captures.iter().map(|(name, path)| {
            molehill_bench::capture(&Recorded::read(path)?, name, target, rounds)
        });
        let rows = scenes.chain(captures).collect::<Result<_, _>>()?;
        let report = Report { target, driver: driver(target)?, rounds, rows };
        self.format.print(&report.json(), || {
            let lines = aligned(&report.lines(baseline.as_ref())).concat();
            format!("{}\n\n{lines}{}", report.title(), report.notes())
        })
    }

    /// The captures with their names: files, and those in folders or one folder deeper.
    fn captures(&self) -> Result<Vec<(String, PathBuf)>, Failure> {
        let mut found = Vec::new();
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in &self.captures {
            if !path.is_dir() {
                found.push((name(path), path.clone()));
            } else if let Some(capture) = capture_in(path) {
                found.push((name(path), capture));
            } else {
                let entries = fs::read_dir(path).map_err(Failure::of(path.display()))?;
                let before = found.len();
                let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
                found.extend(
                    folders.filter_map(|folder| Some((name(&folder), capture_in(&folder)?))),
                );
                if found.len() == before {
                    return Err(Failure::of(path.display())("no captures"));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Compares the counts, which don't depend on the machine, with a table; or writes the table.
    fn count(&self, captures: &[(String, PathBuf)], table: &Path) -> Result<Status, Failure> {
        let rows = captures.iter().map(|(name, path)| Recorded::read(path)?.count(name));
        let rows: Vec<Row> = rows.collect::<Result<_, Failed>>()?;
        if self.update {
            output::write(table, counts::table(&rows))?;
            return Ok(Status::Success);
        }
        let expected = fs::read_to_string(table).map_err(Failure::of(table.display()))?;
        let differences = counts::differences(&rows, &expected);
        let lines: String =
            differences.iter().map(|difference| format!("{difference}\n")).collect();
        output::print(&format!("{lines}{} captures, {} differ\n", rows.len(), differences.len()))?;
        Ok(Status::of(differences.is_empty()))
    }
}

fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read(path).map_err(Failure::of(path.display()))?;
    serde_json::from_slice(&text).map_err(Failure::of(path.display()))
}
