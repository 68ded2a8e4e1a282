//! The frame of the commands that compare random programs: time limit, counts, failures, progress.

use std::error::Error;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use agal::glsl::Dialect;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::json;

use super::arguments::{self, choice, flag, number};
use super::progress::{Done, Progress};
use super::{Failure as CliFailure, Status, output};
use backend_gl_probe::hull::HullFailure;
use molehill_conform::differential::{
    self, Failure, OpcodeProgram, Tally, TokenFailure, opcode_pairs, opcode_triple,
};

/// Default number of failures after which a campaign ends.
const MAX_FAILURES: &str = "10";
/// Number of triples whose sequences share programs.
const BATCH: usize = 64;

/// The options of every campaign.
pub(super) fn arguments() -> [Arg; 6] {
    [
        number("seconds", "Time limit in seconds [default: 10 without --count]"),
        number("count", "Number of programs"),
        number("seed", "Seed of the first program; each further one has the next number")
            .default_value("0"),
        number("max-failures", "Maximum number of failures").default_value(MAX_FAILURES),
        output::argument("DIR", "Folder for failures"),
        arguments::json(),
    ]
}

/// `--exhaustive` and `--thin`
pub(super) fn exhaustive() -> [Arg; 2] {
    let help = "Test every opcode, mask, swizzle, and modifier or kind of register instead of random programs";
    [
        flag("exhaustive", help).conflicts_with_all(["seconds", "count", "seed"]),
        number("thin", "With --exhaustive or --pairs: test only every Nth instruction or pair")
            .default_value("1")
            .value_parser(value_parser!(u16).range(1..))
            .conflicts_with_all(["count", "seconds"]),
    ]
}

/// `--pairs` and `--triples`
pub(super) fn sequences() -> [Arg; 2] {
    [
        flag(
            "pairs",
            "Test every ordered pair of opcodes, the second reading what the first wrote",
        )
        .conflicts_with_all(["seconds", "count", "seed", "exhaustive", "triples"]),
        flag("triples", "Test random triples of opcodes, several to a program")
            .conflicts_with("exhaustive"),
    ]
}

/// The programs of `--pairs` or `--triples`, with at most `room` sequences each; `None` without these options.
pub(super) fn sequence_programs(
    matches: &ArgMatches,
    room: usize,
) -> Option<Box<dyn Iterator<Item = OpcodeProgram>>> {
    if matches.get_flag("pairs") {
        let pairs: Vec<_> = opcode_pairs().into_iter().step_by(thin(matches)).collect();
        return Some(Box::new(differential::sequence_programs(&pairs, room).into_iter()));
    }
    let batches = (seed(matches)..).step_by(BATCH).flat_map(move |first| {
        let triples: Vec<_> = (first..).take(BATCH).map(opcode_triple).collect();
        differential::sequence_programs(&triples, room)
    });
    matches.get_flag("triples").then(|| Box::new(batches) as Box<dyn Iterator<Item = _>>)
}

/// `--thin`
pub(super) fn thin(matches: &ArgMatches) -> usize {
    matches.get_one::<u16>("thin").copied().unwrap_or(1).into()
}

/// `--target`
pub(super) fn target(dialects: &[Dialect]) -> Arg {
    let names = dialects.iter().map(|dialect| dialect.name());
    let help = "Dialect of GLSL; repeatable [default: all]";
    choice("target", "DIALECT", names.collect::<Vec<_>>(), help).action(ArgAction::Append)
}

/// `--seed`
pub(super) fn seed(matches: &ArgMatches) -> u64 {
    matches.get_one("seed").copied().unwrap_or(0)
}

/// A failure that a campaign finds.
pub(super) trait CampaignFailure: Display {
    /// The compared objects, in the plural.
    const WHAT: &'static str;
    /// Extension of a failure's file.
    const ENDING: &'static str;
    fn seed(&self) -> u64;
    fn reason(&self) -> &dyn Display;
}

macro_rules! found {
    ($($failure:ident: $what:literal, $ending:literal;)+) => {$(
        impl CampaignFailure for $failure {
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

/// The state of a campaign: limits, counts and failures.
pub(super) struct Campaign<F> {
    out: Option<PathBuf>,
    json: bool,
    max_failures: u64,
    count: Option<u64>,
    end: Option<Duration>,
    tally: Tally,
    made: u64,
    failures: Vec<(F, Option<PathBuf>)>,
    progress: Progress,
}

impl<F: CampaignFailure> Campaign<F> {
    pub(super) fn new(matches: &ArgMatches) -> Result<Self, CliFailure> {
        let out = matches.get_one::<PathBuf>("out").cloned();
        if let Some(out) = &out {
            output::make_folder(out)?;
        }
        let count = matches.get_one::<u64>("count").copied();
        let seconds = matches.get_one::<u64>("seconds").copied();
        let whole = |name| matches.try_get_one(name).ok().flatten() == Some(&true);
        let endless = count.is_some() || whole("exhaustive") || whole("pairs");
        let seconds = seconds.or((!endless).then_some(10));
        Ok(Campaign {
            out,
            json: matches.get_flag("json"),
            max_failures: matches.get_one("max-failures").copied().unwrap_or(1),
            count,
            end: seconds.map(Duration::from_secs),
            tally: Tally::default(),
            made: 0,
            failures: Vec::new(),
            progress: Progress::new(),
        })
    }

    /// Whether a limit is reached: failures, count or time.
    pub(super) fn is_over(&self) -> bool {
        u64::try_from(self.failures.len()).unwrap_or(u64::MAX) >= self.max_failures
            || self.count.is_some_and(|count| self.made >= count)
            || self.end.is_some_and(|end| self.progress.elapsed() >= end)
    }

    /// Calls `step` with consecutive numbers from 0 until the campaign is over.
    pub(super) fn repeat<E: Error>(
        &mut self,
        mut step: impl FnMut(u64) -> Result<Result<Tally, Box<F>>, E>,
    ) -> Result<(), CliFailure> {
        while !self.is_over() {
            self.keep(step(self.made))?;
        }
        Ok(())
    }

    /// Records the result of one step.
    pub(super) fn keep<E: Error>(
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
        self.progress.update(|| Done {
            what: format!("{programs} programs agree, {differ} {} differ", F::WHAT),
            done: self.made,
            total: None,
        });
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
        if !self.json {
            self.progress.suspend(|| output::print(&text))?;
        }
        Ok(path)
    }

    /// Prints the result and returns the exit status.
    pub(super) fn finish(mut self, driver: &str) -> Result<Status, CliFailure> {
        self.progress.finish();
        let Tally { programs, compared, undefined, missing } = self.tally;
        let seconds = self.progress.elapsed().as_secs_f64();
        if self.json {
            let failures = self.failures.iter().map(|(failure, path)| {
                json!({
                    "seed": failure.seed(),
                    "file": path.as_ref().map(|path| path.display().to_string()),
                    "text": path.is_none().then(|| failure.to_string()),
                    "reason": failure.reason().to_string(),
                })
            });
            output::print_json(&json!({
                "driver": driver,
                "made": self.made,
                "programs": programs,
                "compared": compared,
                "open": undefined,
                "missing": missing,
                "failures": failures.collect::<Vec<_>>(),
                "seconds": seconds,
            }))?;
        } else {
            output::print(&format!(
                "{driver}: {} {}, {programs} programs agree in {compared} numbers ({undefined} not compared, {missing} programs \
                 unsupported by a dialect or model), {} {} differ, {seconds:.1} s\n",
                self.made,
                F::WHAT,
                self.failures.len(),
                F::WHAT,
            ))?;
        }
        Ok(Status::of(self.failures.is_empty()))
    }
}
