//! The frame of the commands that compare random programs: time limit, counts, failures, progress.

use std::error::Error;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use clap::value_parser;
use serde_json::json;

use super::{Failure as CliFailure, Format, Progress, Status, output};
use molehill_conform::differential::{
    self, Failure, OpcodeProgram, Tally, TokenFailure, opcode_pairs, opcode_triple,
};
use molehill_testing::probe::hull::HullFailure;

/// Number of triples whose sequences share programs.
const BATCH: usize = 64;

/// The options of every fuzz run.
#[derive(clap::Args)]
pub(super) struct FuzzArguments {
    /// Time limit in seconds [default: 10 without --count]
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Number of programs
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Seed of the first program; each further one has the next number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Maximum number of failures
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_failures: u64,
    /// Folder for failures
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// The chosen values, or all.
pub(super) fn chosen<T: Clone>(values: &[T], all: Vec<T>) -> Vec<T> {
    if values.is_empty() { all } else { values.to_vec() }
}

/// Programs that are not random.
#[derive(clap::Args)]
pub(super) struct SystematicArguments {
    /// Test every opcode, mask, swizzle, and modifier or kind of register instead of random programs
    #[arg(long, conflicts_with_all = ["seconds", "count", "seed"])]
    pub(super) exhaustive: bool,
    /// With --exhaustive or --pairs: test only every Nth instruction or pair
    #[arg(long, value_name = "N", default_value = "1", conflicts_with_all = ["count", "seconds"],
        value_parser = value_parser!(u16).range(1..))]
    thin: u16,
    /// Test every ordered pair of opcodes, the second reading what the first wrote
    #[arg(long, conflicts_with_all = ["seconds", "count", "seed", "exhaustive", "triples"])]
    pairs: bool,
    /// Test random triples of opcodes, several to a program
    #[arg(long, conflicts_with = "exhaustive")]
    triples: bool,
}

impl SystematicArguments {
    pub(super) fn thin(&self) -> usize {
        self.thin.into()
    }

    /// The programs of `--pairs` or `--triples`, with at most `room` sequences each; `None` without these options.
    pub(super) fn sequences(
        &self,
        seed: u64,
        room: usize,
    ) -> Option<Box<dyn Iterator<Item = OpcodeProgram>>> {
        if self.pairs {
            let pairs: Vec<_> = opcode_pairs().into_iter().step_by(self.thin()).collect();
            return Some(Box::new(differential::sequence_programs(&pairs, room).into_iter()));
        }
        let batches = (seed..).step_by(BATCH).flat_map(move |first| {
            let triples: Vec<_> = (first..).take(BATCH).map(opcode_triple).collect();
            differential::sequence_programs(&triples, room)
        });
        self.triples.then(|| Box::new(batches) as Box<dyn Iterator<Item = _>>)
    }
}

pub(super) trait FuzzFailure: Display {
    /// The compared objects, in the plural.
    const WHAT: &'static str;
    const ENDING: &'static str;
    fn seed(&self) -> u64;
    fn reason(&self) -> &dyn Display;
}

macro_rules! found {
    ($($failure:ident: $what:literal, $ending:literal;)+) => {$(
        impl FuzzFailure for $failure {
            const WHAT: &'static str = $what;
            const ENDING: &'static str = $ending;
            fn seed(&self) -> u64 {
                self.seed
            }
            fn reason(&self) -> &dyn Display {
                &self.reason
            }
        }
    )+};
}

found! {
    Failure: "pairs", "agal";
    TokenFailure: "shaders", "asm";
    HullFailure: "hull shaders", "hs50";
}

/// The state of a run: limits, counts and failures.
pub(super) struct FuzzRun<F> {
    out: Option<PathBuf>,
    format: Format,
    max_failures: u64,
    count: Option<u64>,
    end: Option<Duration>,
    tally: Tally,
    made: u64,
    failures: Vec<(F, Option<PathBuf>)>,
    progress: Progress,
}

impl<F: FuzzFailure> FuzzRun<F> {
    /// Starts a run that has no time limit of its own if its programs end by themselves.
    pub(super) fn new(
        arguments: FuzzArguments,
        systematic: Option<&SystematicArguments>,
    ) -> Result<Self, CliFailure> {
        let FuzzArguments { seconds, count, max_failures, out, format, .. } = arguments;
        if let Some(out) = &out {
            output::make_folder(out)?;
        }
        let finite = count.is_some()
            || systematic.is_some_and(|programs| programs.exhaustive || programs.pairs);
        Ok(FuzzRun {
            out,
            format,
            max_failures,
            count,
            end: seconds.or((!finite).then_some(10)).map(Duration::from_secs),
            tally: Tally::default(),
            made: 0,
            failures: Vec::new(),
            progress: Progress::new(),
        })
    }

    /// Whether a limit is reached: failures, count or time.
    fn is_over(&self) -> bool {
        u64::try_from(self.failures.len()).unwrap_or(u64::MAX) >= self.max_failures
            || self.count.is_some_and(|count| self.made >= count)
            || self.end.is_some_and(|end| self.progress.elapsed() >= end)
    }

    /// Calls `step` with each item until the run is over.
    pub(super) fn each<T, E: Error>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut step: impl FnMut(T) -> Result<Result<Tally, Box<F>>, E>,
    ) -> Result<(), CliFailure> {
        let mut items = items.into_iter();
        while !self.is_over()
            && let Some(item) = items.next()
        {
            self.keep(step(item))?;
        }
        Ok(())
    }

    fn keep<E: Error>(
        &mut self,
        result: Result<Result<Tally, Box<F>>, E>,
    ) -> Result<(), CliFailure> {
        self.made += 1;
        match result? {
            Ok(tally) => self.tally.add(tally),
            Err(failure) => {
                let path = self.show(&failure)?;
                self.failures.push((*failure, path));
            }
        }
        let (programs, differ) = (self.tally.programs, self.failures.len());
        let what = || format!("{programs} programs agree, {differ} {} differ", F::WHAT);
        self.progress.update(|| (what(), self.made, None));
        Ok(())
    }

    /// Writes a failure to the folder and returns its path, or prints it if there is no folder.
    fn show(&self, failure: &F) -> Result<Option<PathBuf>, CliFailure> {
        let name = format!("differs-{}-{}.{}", failure.seed(), self.made, F::ENDING);
        let path = self.out.as_ref().map(|out| out.join(name));
        let text = match &path {
            Some(path) => {
                output::write(path, failure.to_string())?;
                format!("{}: {}\n", path.display(), failure.reason())
            }
            None => format!("{failure}\n"),
        };
        // JSON output lists all failures at the end.
        if !self.format.json {
            self.progress.suspend(|| output::print(&text))?;
        }
        Ok(path)
    }

    pub(super) fn finish(mut self, driver: &str) -> Result<Status, CliFailure> {
        self.progress.finish();
        let Tally { programs, compared, undefined, missing } = self.tally;
        let (seconds, made, differ) =
            (self.progress.elapsed().as_secs_f64(), self.made, self.failures.len());
        let failures = self.failures.iter().map(|(failure, path)| {
            json!({
                "seed": failure.seed(), "file": path.as_ref().map(|path| path.display().to_string()),
                "text": path.is_none().then(|| failure.to_string()), "reason": failure.reason().to_string(),
            })
        });
        let answer = json!({
            "driver": driver, "made": made, "programs": programs, "compared": compared, "open": undefined,
            "missing": missing, "failures": failures.collect::<Vec<_>>(), "seconds": seconds,
        });
        let what = F::WHAT;
        self.format.print(&answer, || {
            format!(
                "{driver}: {made} {what}, {programs} programs agree in {compared} numbers ({undefined} not compared, \
                 {missing} programs unsupported by a dialect or model), {differ} {what} differ, {seconds:.1} s\n"
            )
        })?;
        Ok(Status::of(differ == 0))
    }
}
