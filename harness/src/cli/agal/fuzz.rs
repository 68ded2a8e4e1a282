//! `molehill agal fuzz`

use agal::glsl::Dialect;
use agal::{Stage, Version};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::cli::campaign::{self, Campaign};
use crate::cli::{Failure as CliFailure, Status};
use molehill_conform::differential::{Failure, FuzzOptions, Fuzzer, inputs, opcode_programs};

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

/// Seeds of the inputs that each program runs on, and whether they have infinities and NaN.
const PROGRAM_INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];

pub(super) fn command() -> Command {
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.name());
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random programs")
        .after_help(AFTER_HELP)
        .args(campaign::arguments())
        .arg(
            campaign::number("max-tokens", "Tokens of a program, at most")
                .default_value("48")
                .value_parser(value_parser!(u16).range(1..=2048))
                .conflicts_with("exhaustive"),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .value_name("N")
                .action(ArgAction::Append)
                .value_parser(value_parser!(u32).range(1..=4))
                .conflicts_with("exhaustive")
                .help("AGAL version, may be given again [default: all]"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("DIALECT")
                .action(ArgAction::Append)
                .value_parser(clap::builder::PossibleValuesParser::new(dialects))
                .help("Dialect of GLSL, repeatable [default: all]"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, CliFailure> {
    let options = options(matches);
    let mut fuzzer = Fuzzer::new(options).map_err(|error| CliFailure(error.to_string()))?;
    let mut campaign = Campaign::<Failure>::new(matches)?;
    if matches.get_flag("exhaustive") {
        let stages = [Stage::Vertex, Stage::Fragment].into_iter();
        for program in stages.flat_map(|stage| opcode_programs(stage, 1)) {
            if campaign.is_over() {
                break;
            }
            let seeds = PROGRAM_INPUTS.into_iter();
            let inputs = seeds.filter_map(|(seed, special)| inputs(&program, seed, special));
            let result = fuzzer.check(&program.pair, &[program.stage], inputs.collect(), 0);
            campaign.keep(result)?;
        }
    } else {
        while !campaign.is_over() {
            let result = fuzzer.step();
            campaign.keep(result)?;
        }
    }
    campaign.finish(fuzzer.renderer().unwrap_or("no driver"))
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
