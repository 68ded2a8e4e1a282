//! Measures Molehill's own cost: scenes and captures, on OpenGL, on OpenGL functions that do nothing, on a backend that
//! only counts packets, and on the reference renderer.
//!
//! Each time is compared with its floor, a lower bound: the OpenGL calls that reach the driver, recorded at the loader
//! and issued again from a flat list in the same process. Runs of the compared variants alternate, and the median is
//! reported. Times are processor time of the calling thread, which other work on the machine disturbs little; times of
//! the reference renderer are wall time, because worker threads do the work.
//!
//! `cargo bench -p overhead -- --help` explains the arguments; paths are relative to `harness/benches`.

mod capture;
mod content;
mod counts;
mod lanes;
mod report;
mod row;
mod scene;
mod unfiltered;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, value_parser};
use molehill_replay::folder::capture_in;
use molehill_replay::table::aligned;
use serde_json::Value;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::Error;
use context3d::backend::{Backend as _, BackendError};

use capture::{Recorded, capture};
use report::Report;
use row::Row;
use scene::{Scene, scene};

/// The backend whose cost is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Target {
    /// OpenGL.
    #[default]
    Gl,
    /// OpenGL ES.
    Gles,
    /// OpenGL functions that do nothing.
    Noop,
    /// A backend that only counts packets.
    Null,
    /// The reference renderer.
    Reference,
    /// wgpu on a software renderer.
    Wgpu,
}

impl Target {
    /// All targets, with their names.
    pub(crate) const NAMES: [(Target, &'static str); 6] = [
        (Target::Gl, "gl"),
        (Target::Gles, "gles"),
        (Target::Noop, "noop"),
        (Target::Null, "null"),
        (Target::Reference, "reference"),
        (Target::Wgpu, "wgpu"),
    ];

    pub(crate) fn from_name(name: &str) -> Option<Target> {
        let row = Target::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(target, _)| *target)
    }

    pub(crate) fn name(self) -> &'static str {
        let row = Target::NAMES.iter().find(|(target, _)| *target == self);
        row.map_or("", |(_, name)| name)
    }
}

/// Returns a description of the target for people; the driver's own for OpenGL.
///
/// # Errors
/// OpenGL can't be opened.
pub(crate) fn driver(target: Target) -> Result<String, Failed> {
    let open = |api| Ok(Offscreen::open(api)?.description().to_owned());
    match target {
        Target::Gl => open(Api::OpenGl),
        Target::Gles => open(Api::Gles),
        Target::Noop => Ok("OpenGL functions that do nothing".to_owned()),
        Target::Null => Ok("a backend that only counts packets".to_owned()),
        Target::Reference => Ok("reference renderer".to_owned()),
        Target::Wgpu => Ok(wgpu_backend()?.caps().driver_info.clone()),
    }
}

/// Creates a wgpu backend.
///
/// # Errors
/// There is no adapter.
#[cfg(feature = "wgpu")]
pub(crate) fn wgpu_backend() -> Result<backend_wgpu::WgpuBackend, Failed> {
    let opened = backend_wgpu::open(backend_wgpu::AdapterSelector::Software);
    let opened = opened.map_err(|error| Failed(error.to_string()))?;
    Ok(backend_wgpu::WgpuBackend::new(&opened.share())?)
}

#[cfg(not(feature = "wgpu"))]
pub(crate) fn wgpu_backend() -> Result<context3d::backend::NullBackend, Failed> {
    Err(Failed("this benchmark was built without wgpu; add --features wgpu".to_owned()))
}

/// The reason why a measurement failed.
#[derive(Debug)]
pub(crate) struct Failed(pub String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

macro_rules! failures {
    ($($error:ty),+) => {$(
        impl From<$error> for Failed {
            fn from(error: $error) -> Self {
                Failed(error.to_string())
            }
        }
    )+};
}

failures!(
    Error,
    BackendError,
    backend_gl::offscreen::OffscreenError,
    molehill_testing::trace::CallMismatch
);

/// Measures Molehill's overhead over the same OpenGL calls
#[derive(Parser)]
#[command(name = "overhead", after_help = include_str!("help.txt"))]
struct Arguments {
    /// Captures, or folders of them
    #[arg(value_name = "CAPTURE")]
    captures: Vec<PathBuf>,
    /// Scene; repeatable [default: all, if there is no capture]
    #[arg(long = "scene", value_name = "NAME[:DRAWS[:OBJECTS]]", value_parser = str::parse::<Scene>)]
    scenes: Vec<Scene>,
    /// gl, gles, noop (OpenGL functions that do nothing), null (a backend that only counts packets), reference, wgpu
    #[arg(long = "backend", value_name = "WHICH", default_value = "gl", value_parser = target)]
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
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// The flag `--bench`, which `cargo bench` passes.
    #[arg(long, hide = true)]
    bench: bool,
}

fn target(name: &str) -> Result<Target, String> {
    let names = Target::NAMES.map(|(_, name)| name).join(", ");
    Target::from_name(name).ok_or_else(|| format!("expected one of {names}"))
}

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Failed(why)) => {
            eprintln!("overhead: {why}");
            ExitCode::from(2)
        }
    }
}

impl Arguments {
    /// Runs the measurements. Returns false if the captures' call counts differ from the table `counts`.
    fn run(mut self) -> Result<bool, Failed> {
        let captures = self.captures()?;
        if let Some(table) = &self.counts {
            return self.count(&captures, table);
        }
        if self.scenes.is_empty() && captures.is_empty() {
            self.scenes = Scene::all().collect();
        }
        let baseline = self.baseline.as_ref().map(|path| read(path)).transpose()?;
        let baseline: Option<Value> = baseline
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| Failed(error.to_string()))?;
        let (target, rounds) = (self.target, self.rounds.into());
        let scenes = self.scenes.iter().map(|of| scene(of, target, rounds));
        let captures = captures
            .iter()
            .map(|(name, path)| capture(&Recorded::read(path)?, name, target, rounds));
        let rows = scenes.chain(captures).collect::<Result<_, _>>()?;
        let report = Report { target, driver: driver(target)?, rounds, rows };
        if self.json {
            println!("{}", report.json());
        } else {
            let lines = aligned(&report.lines(baseline.as_ref()), "").concat();
            println!("{}\n\n{lines}{}", report.title(), report.notes());
        }
        Ok(true)
    }

    /// Returns the captures with their names. An argument is a capture file, a folder with a capture, or a folder of
    /// such folders.
    fn captures(&self) -> Result<Vec<(String, PathBuf)>, Failed> {
        let mut found = Vec::new();
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in &self.captures {
            let failed = |error: &dyn fmt::Display| Failed(format!("{}: {error}", path.display()));
            if !path.is_dir() {
                found.push((name(path), path.clone()));
            } else if let Some(capture) = capture_in(path) {
                found.push((name(path), capture));
            } else {
                let before = found.len();
                for entry in fs::read_dir(path).map_err(|error| failed(&error))? {
                    let folder = entry.map_err(|error| failed(&error))?.path();
                    found.extend(capture_in(&folder).map(|capture| (name(&folder), capture)));
                }
                if found.len() == before {
                    return Err(failed(&"no captures"));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Compares the counts of captures with a table, or writes the table.
    fn count(&self, captures: &[(String, PathBuf)], table: &Path) -> Result<bool, Failed> {
        let rows = captures.iter().map(|(name, path)| Recorded::read(path)?.count(name));
        let rows: Vec<Row> = rows.collect::<Result<_, Failed>>()?;
        if self.update {
            let failed = |error| Failed(format!("{}: {error}", table.display()));
            fs::write(table, counts::table(&rows)).map_err(failed)?;
            return Ok(true);
        }
        let differences = counts::differences(&rows, &read(table)?);
        differences.iter().for_each(|difference| println!("{difference}"));
        println!("{} captures, {} differ", rows.len(), differences.len());
        Ok(differences.is_empty())
    }
}

fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed(format!("{}: {error}", path.display())))
}
