//! `molehill d3d9 fuzz`

use std::convert::Infallible;

use agal::glsl::Dialect;
use clap::{ArgAction, ArgMatches, Command, value_parser};
use d3d9::Version;

use crate::cli::arguments::{all_chosen, choice, flag, number};
use crate::cli::campaign::{self, Campaign};
use crate::cli::{Failure as CliFailure, Status};
use molehill_conform::differential::{
    Failure, TokenFailure, TokenFuzzer, TokenOptions, TranslationFuzzer, exhaustive,
    sequence_inputs,
};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 fuzz --seconds 60
      random shaders of every version for a minute, from seed 0 on
  molehill d3d9 fuzz --seed 4711 --count 1
      one shader only
  molehill d3d9 fuzz --exhaustive --version ps_2_0 --target 330
      every opcode with every write mask, swizzles and modifiers
  molehill d3d9 fuzz --from-agal --count 10000
      compares random AGAL programs with their translations to every possible model, each in its own interpreter
  molehill d3d9 fuzz --from-agal --pairs
      the same for every AGAL opcode after every other one
  GALLIUM_DRIVER=softpipe MESA_SHADER_CACHE_DISABLE=true molehill d3d9 fuzz --seconds 3600
      Mesa's interpreter instead of its compiler: about fifty times as many shaders per second

Every shader runs in the interpreter and, translated to each dialect of GLSL, on the driver. The driver's results must
be within the error bounds of the instructions. Results near the limits of floats, or undefined in GLSL, are counted, not
compared. A shader that differs is reduced and written as assembly, with the differences as comments: to the folder of
--out, else to standard output.

Exit status: 0; 1 if something differs; 2 if there is no driver.";

pub(super) fn command() -> Command {
    let versions = TokenOptions::default().versions;
    let versions = versions.iter().map(|version| version.name());
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random shaders")
        .after_help(AFTER_HELP)
        .args(campaign::arguments())
        .args(campaign::exhaustive())
        .args(campaign::sequences().map(|sequence| sequence.requires("from-agal")))
        .arg(
            number("instructions", "Maximum number of instructions of a shader")
                .default_value("24")
                .value_parser(value_parser!(u16).range(1..=200)),
        )
        .arg(
            choice(
                "version",
                "VERSION",
                versions.collect::<Vec<_>>(),
                "Shader version; repeatable [default: all]",
            )
            .action(ArgAction::Append),
        )
        .arg(campaign::target(&TokenOptions::default().dialects))
        .arg(
            flag(
                "from-agal",
                "Compare random AGAL programs with their translations; needs no driver",
            )
            .conflicts_with_all(["exhaustive", "version", "target"]),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, CliFailure> {
    if matches.get_flag("from-agal") {
        let mut fuzzer = TranslationFuzzer::new(campaign::seed(matches));
        let mut campaign = Campaign::<Failure>::new(matches)?;
        match campaign::sequence_programs(matches, 1) {
            Some(programs) => {
                for program in programs {
                    for inputs in sequence_inputs(&program) {
                        let result = TranslationFuzzer::check(&program.pair, &inputs, 0);
                        campaign.keep(Ok::<_, Infallible>(result))?;
                    }
                    if campaign.is_over() {
                        break;
                    }
                }
            }
            None => campaign.repeat(|_| Ok::<_, Infallible>(fuzzer.step()))?,
        }
        return campaign.finish("interpreters");
    }
    let mut fuzzer = TokenFuzzer::new(options(matches))?;
    let mut campaign = Campaign::<TokenFailure>::new(matches)?;
    if matches.get_flag("exhaustive") {
        let thin = campaign::thin(matches);
        let versions = fuzzer.options().versions.clone();
        let all = versions.iter().flat_map(|version| exhaustive(*version, thin));
        for program in all {
            if campaign.is_over() {
                break;
            }
            let result = fuzzer.check(&program, 0);
            campaign.keep(result)?;
        }
    } else {
        campaign.repeat(|_| fuzzer.step())?;
    }
    campaign.finish(fuzzer.renderer().unwrap_or("no driver"))
}

fn options(matches: &ArgMatches) -> TokenOptions {
    let mut options = TokenOptions { seed: campaign::seed(matches), ..TokenOptions::default() };
    if let Some(most) = matches.get_one::<u16>("instructions") {
        options.instructions = usize::from(*most);
    }
    if let Some(versions) = all_chosen(matches, "version", Version::from_name) {
        options.versions = versions;
    }
    if let Some(dialects) = all_chosen(matches, "target", Dialect::from_name) {
        options.dialects = dialects;
    }
    options
}
