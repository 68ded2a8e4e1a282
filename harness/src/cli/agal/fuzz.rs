//! `molehill agal fuzz`

use std::path::PathBuf;
use std::time::Duration;

use agal::{Dialect, Stage, Version};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use crate::cli::progress::{Done, Progress};
use crate::cli::{Failure as CliFailure, Status, json_argument, output};
use molehill_conform::differential::{
    Failure, FuzzOptions, Fuzzer, OpcodeProgram, Tally, inputs, opcode_programs,
};

const AFTER_HELP: &str = "\
Examples:
  molehill agal fuzz --seconds 60
      random programs for a minute, from seed 0 on
  molehill agal fuzz --seed 4711 --count 1
      one pair only
  molehill agal fuzz --exhaustive --target 330
      every opcode with every write mask, swizzle and kind of register
  GALLIUM_DRIVER=softpipe MESA_SHADER_CACHE_DISABLE=true molehill agal fuzz --seconds 3600
      Mesa's interpreter instead of its compiler: about fifty times as many programs a second

Every program runs in the interpreter and, translated to each dialect of GLSL, on the driver. The driver's results must be
within the error bounds of the opcodes. Results that AGAL or GLSL leave undefined (NaN, division by a zero of either sign,
...) are counted, not checked. A pair that differs is reduced and written as an .agal file, with its inputs and the
differences as comments: to the folder of --out, else to standard output.

Exit status: 0 if nothing differs, 1 if something does, 2 if there is no driver.";

/// Number of failures after which it ends by default.
const MAX_FAILURES: &str = "10";
/// Seeds of the inputs of each program, and whether they have infinities and NaN.
const PROGRAM_INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];

fn number(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("N")
        .value_parser(value_parser!(u64))
        .help(help)
}

pub(super) fn command() -> Command {
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.name());
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random programs")
        .after_help(AFTER_HELP)
        .arg(number(
            "seconds",
            "Run for this time [default: 10 without --count]",
        ))
        .arg(number("count", "Stop after this many pairs"))
        .arg(number("seed", "Seed of the first pair; later ones count up").default_value("0"))
        .arg(
            number("max-tokens", "Largest number of tokens of a program")
                .default_value("48")
                .value_parser(value_parser!(u16).range(1..=2048)),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .value_name("N")
                .action(ArgAction::Append)
                .value_parser(value_parser!(u32).range(1..=4))
                .help("AGAL version, repeatable [default: all]"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("DIALECT")
                .action(ArgAction::Append)
                .value_parser(clap::builder::PossibleValuesParser::new(dialects))
                .help("Dialect of GLSL, repeatable [default: all]"),
        )
        .arg(
            Arg::new("exhaustive")
                .long("exhaustive")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["seconds", "count", "seed", "max-tokens", "version"])
                .help("Test every opcode, mask and kind of register instead of random programs"),
        )
        .arg(number("max-failures", "Stop after this many failures").default_value(MAX_FAILURES))
        .arg(output::argument("DIR", "Folder for pairs that differ"))
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, CliFailure> {
    let options = options(matches);
    let fuzzer = Fuzzer::new(options).map_err(|error| CliFailure(error.to_string()))?;
    let mut campaign = Campaign::new(matches, fuzzer)?;
    if matches.get_flag("exhaustive") {
        campaign.exhaust()?;
    } else {
        campaign.randomly(matches)?;
    }
    campaign.progress.finish();
    campaign.tell(matches.get_flag("json"))?;
    match campaign.failures.is_empty() {
        true => Ok(Status::Success),
        false => Ok(Status::Mismatch),
    }
}

fn options(matches: &ArgMatches) -> FuzzOptions {
    let mut options = FuzzOptions::default();
    if let Some(seed) = matches.get_one::<u64>("seed") {
        options.seed = *seed;
    }
    if let Some(most) = matches.get_one::<u16>("max-tokens") {
        options.max_tokens = usize::from(*most);
    }
    if let Some(numbers) = matches.get_many::<u32>("version") {
        options.versions = numbers.filter_map(|n| Version::from_number(*n)).collect();
    }
    if let Some(names) = matches.get_many::<String>("target") {
        options.dialects = names.filter_map(|name| Dialect::from_name(name)).collect();
    }
    options
}

/// Progress of a run, and the destination of failures.
struct Campaign {
    fuzzer: Fuzzer,
    out: Option<PathBuf>,
    json: bool,
    max_failures: u64,
    tally: Tally,
    pairs: u64,
    failures: Vec<(Failure, Option<PathBuf>)>,
    progress: Progress,
}

impl Campaign {
    fn new(matches: &ArgMatches, fuzzer: Fuzzer) -> Result<Self, CliFailure> {
        let out = matches.get_one::<PathBuf>("out").cloned();
        if let Some(out) = &out {
            output::make_folder(out)?;
        }
        Ok(Campaign {
            fuzzer,
            out,
            json: matches.get_flag("json"),
            max_failures: matches.get_one("max-failures").copied().unwrap_or(1),
            tally: Tally::default(),
            pairs: 0,
            failures: Vec::new(),
            progress: Progress::new(),
        })
    }

    fn randomly(&mut self, matches: &ArgMatches) -> Result<(), CliFailure> {
        let count = matches.get_one::<u64>("count").copied();
        let seconds = matches.get_one::<u64>("seconds").copied();
        let seconds = seconds.or(count.is_none().then_some(10));
        let end = seconds.map(Duration::from_secs);
        while !self.is_over()
            && count.is_none_or(|count| self.pairs < count)
            && end.is_none_or(|end| self.progress.elapsed() < end)
        {
            let result = self.fuzzer.step();
            self.keep(result)?;
        }
        Ok(())
    }

    fn exhaust(&mut self) -> Result<(), CliFailure> {
        for stage in [Stage::Vertex, Stage::Fragment] {
            for program in opcode_programs(stage, 1) {
                self.opcode_program(&program)?;
                if self.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn opcode_program(&mut self, program: &OpcodeProgram) -> Result<(), CliFailure> {
        let seeds = PROGRAM_INPUTS.into_iter();
        let inputs = seeds.filter_map(|(seed, special)| inputs(program, seed, special));
        let result = self
            .fuzzer
            .check(&program.pair, &[program.stage], inputs.collect(), 0);
        self.keep(result)
    }

    fn is_over(&self) -> bool {
        u64::try_from(self.failures.len()).unwrap_or(u64::MAX) >= self.max_failures
    }

    fn keep(
        &mut self,
        result: Result<
            Result<Tally, Box<Failure>>,
            molehill_conform::differential::ProgramRunError,
        >,
    ) -> Result<(), CliFailure> {
        self.pairs += 1;
        match result.map_err(|error| CliFailure(error.to_string()))? {
            Ok(tally) => self.tally.add(tally),
            Err(failure) => {
                let path = self.show(&failure)?;
                self.failures.push((*failure, path));
            }
        }
        let (programs, differ) = (self.tally.programs, self.failures.len());
        self.progress.update(|| Done {
            what: format!("{programs} programs agree, {differ} pairs differ"),
            done: self.pairs,
            total: None,
        });
        Ok(())
    }

    /// Writes a failure to a file and prints the path, or prints it if there is no folder.
    fn show(&self, failure: &Failure) -> Result<Option<PathBuf>, CliFailure> {
        let name = format!("differs-{}-{}.agal", failure.seed, self.pairs);
        let path = self.out.as_ref().map(|out| out.join(name));
        let text = match &path {
            Some(path) => {
                output::write(path, failure.to_string())?;
                format!("{}: {}\n", path.display(), failure.reason)
            }
            None => format!("{failure}\n"),
        };
        // JSON has all of them at the end.
        if !self.json {
            self.progress.suspend(|| output::print(&text))?;
        }
        Ok(path)
    }

    fn tell(&self, as_json: bool) -> Result<(), CliFailure> {
        let Tally {
            programs,
            judged,
            open,
            missing,
        } = self.tally;
        let driver = self.fuzzer.renderer().unwrap_or("no driver");
        let seconds = self.progress.elapsed().as_secs_f64();
        if as_json {
            let failures: Vec<_> = self
                .failures
                .iter()
                .map(|(failure, path)| {
                    json!({
                        "seed": failure.seed,
                        "file": path.as_ref().map(|path| path.display().to_string()),
                        "text": path.is_none().then(|| failure.to_string()),
                        "reason": failure.reason.to_string(),
                    })
                })
                .collect();
            return output::print_json(&json!({
                "driver": driver,
                "pairs": self.pairs,
                "programs": programs,
                "judged": judged,
                "open": open,
                "missing": missing,
                "failures": failures,
                "seconds": seconds,
            }));
        }
        output::print(&format!(
            "{driver}: {} pairs, {programs} programs agree in {judged} numbers ({open} left open, {missing} programs \
             beyond a dialect), {} pairs differ, {seconds:.1} s\n",
            self.pairs,
            self.failures.len()
        ))
    }
}
