//! `molehill agal fuzz`

use agal::glsl::{DIALECTS, Dialect};
use agal::{Stage, Version};
use clap::{ArgAction, ArgMatches, Command, value_parser};

use crate::cli::arguments::{all_chosen, number, option};
use crate::cli::campaign::{self, Campaign, target};
use crate::cli::{Failure as CliFailure, Status};
use molehill_conform::differential::{
    Failure, FuzzOptions, Fuzzer, OpcodeProgram, inputs, opcode_programs, sequence_inputs,
};

const AFTER_HELP: &str = "\
Examples:
  molehill agal fuzz --seconds 60
      random programs for a minute, from seed 0 on
  molehill agal fuzz --seed 4711 --count 1
      one pair only
  molehill agal fuzz --exhaustive --target 330
      every opcode with every write mask, swizzle and kind of register
  molehill agal fuzz --pairs
      every opcode after every other one, in all dialects
  molehill agal fuzz --triples --seed 1000 --count 5000
      5000 programs of random triples of opcodes
  GALLIUM_DRIVER=softpipe MESA_SHADER_CACHE_DISABLE=true molehill agal fuzz --seconds 3600
      Mesa's interpreter instead of its compiler: about fifty times as many programs per second

Every program runs in the interpreter and, translated to each dialect of GLSL, on the driver. The driver's results must be
within the error bounds of the opcodes. Results that AGAL or GLSL leave undefined (NaN, division by a zero of either sign,
...) are counted, not checked. A pair that differs is reduced and written as an .agal file, with its inputs and the
differences as comments: to the folder of --out, else to standard output.

Exit status: 0; 1 if something differs; 2 if there is no driver.";

/// Seeds of the inputs that each program runs on, and whether they have infinities and NaN.
const PROGRAM_INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];

pub(super) fn command() -> Command {
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random programs")
        .after_help(AFTER_HELP)
        .args(campaign::arguments())
        .args(campaign::exhaustive())
        .args(campaign::sequences())
        .arg(
            number("max-tokens", "Maximum number of tokens of a program")
                .default_value("48")
                .value_parser(value_parser!(u16).range(1..=2048))
                .conflicts_with("exhaustive"),
        )
        .arg(
            option("version", "N", "AGAL version; repeatable [default: all]")
                .action(ArgAction::Append)
                .value_parser(value_parser!(u32).range(1..=4))
                .conflicts_with("exhaustive"),
        )
        .arg(target(&DIALECTS))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, CliFailure> {
    let options = options(matches);
    let mut fuzzer = Fuzzer::new(options)?;
    let mut campaign = Campaign::<Failure>::new(matches)?;
    let mut check = |program: OpcodeProgram, inputs| {
        campaign.keep(fuzzer.check(&program.pair, &[program.stage], inputs, 0))?;
        Ok::<_, CliFailure>(campaign.is_over())
    };
    if let Some(programs) = campaign::sequence_programs(matches, usize::MAX) {
        for program in programs {
            let inputs = sequence_inputs(&program);
            if check(program, inputs)? {
                break;
            }
        }
    } else if matches.get_flag("exhaustive") {
        let stages = [Stage::Vertex, Stage::Fragment].into_iter();
        let thin = campaign::thin(matches);
        for program in stages.flat_map(|stage| opcode_programs(stage, thin)) {
            let seeds = PROGRAM_INPUTS.into_iter();
            let inputs = seeds.filter_map(|(seed, special)| inputs(&program, seed, special));
            let inputs = inputs.collect();
            if check(program, inputs)? {
                break;
            }
        }
    } else {
        campaign.repeat(|_| fuzzer.step())?;
    }
    campaign.finish(fuzzer.renderer().unwrap_or("no driver"))
}

fn options(matches: &ArgMatches) -> FuzzOptions {
    let mut options = FuzzOptions { seed: campaign::seed(matches), ..FuzzOptions::default() };
    if let Some(most) = matches.get_one::<u16>("max-tokens") {
        options.max_tokens = usize::from(*most);
    }
    if let Some(numbers) = matches.get_many::<u32>("version") {
        options.versions = numbers.filter_map(|n| Version::from_number(*n)).collect();
    }
    if let Some(dialects) = all_chosen(matches, "target", Dialect::from_name) {
        options.dialects = dialects;
    }
    options
}
