//! Arguments that several subcommands have.

use agal::asm::{Defaults, Options};
use agal::{Profile, Rules, Stage, Version};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::input::{FORMATS, Format};
use crate::cli::input;

/// The options' values for one program of a pair.
pub(super) const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// A flag.
pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// The inputs and their options.
pub(super) fn inputs() -> [Arg; 5] {
    [
        input::argument("Programs, pairs or folders of them; - for standard input [default: -]"),
        format(),
        stage(),
        version(),
        ignore_limits(),
    ]
}

/// `--format`
pub(super) fn format() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(FORMATS.map(|(name, _)| name)))
        .help("Format of the input [default: detected]")
}

/// `--stage`
pub(super) fn stage() -> Arg {
    Arg::new("stage")
        .long("stage")
        .value_name("STAGE")
        .value_parser(PossibleValuesParser::new(STAGES.map(Stage::name)))
        .help("Kind of program (argument of Program3D.upload); selects one of a pair")
}

/// `--agal`
pub(super) fn version() -> Arg {
    let versions = Version::ALL.iter().map(|version| match version {
        Version::V1 => "1",
        Version::V2 => "2",
        Version::V3 => "3",
        Version::V4 => "4",
    });
    Arg::new("agal")
        .long("agal")
        .value_name("VERSION")
        .value_parser(PossibleValuesParser::new(versions))
        .help("AGAL version of a text without a version comment [default: 1]")
}

/// `--ignore-limits`
pub(super) fn ignore_limits() -> Arg {
    flag(
        "ignore-limits",
        "Allow register numbers up to 1023 in every version",
    )
}

/// The rules for validating programs.
pub(super) fn rules() -> [Arg; 2] {
    [
        Arg::new("profile")
            .long("profile")
            .value_name("PROFILE")
            .value_parser(PossibleValuesParser::new(Profile::ALL.map(Profile::name)))
            .default_value(Rules::NEWEST.profile.name())
            .help("Profile of the Context3D"),
        Arg::new("swf")
            .long("swf")
            .value_name("N")
            .value_parser(value_parser!(u32))
            .help("SWF version of the program that uploads them [default: the newest]"),
    ]
}

pub(super) fn format_of(matches: &ArgMatches) -> Option<Format> {
    let name = matches.get_one::<String>("format")?;
    let row = FORMATS.iter().find(|(format, _)| format == name);
    row.map(|(_, format)| *format)
}

pub(super) fn stage_of(matches: &ArgMatches) -> Option<Stage> {
    let name = matches.get_one::<String>("stage")?;
    STAGES.into_iter().find(|stage| stage.name() == name)
}

pub(super) fn rules_of(matches: &ArgMatches) -> Rules {
    let profile = matches.get_one::<String>("profile");
    let profile = profile.and_then(|name| Profile::from_name(name));
    let swf = matches.get_one::<u32>("swf").copied();
    Rules {
        profile: profile.unwrap_or(Rules::NEWEST.profile),
        swf_version: swf.unwrap_or(Rules::NEWEST.swf_version),
    }
}

/// The assembler's defaults, for what a text doesn't specify.
pub(super) fn defaults_of(matches: &ArgMatches) -> Defaults {
    let number = matches.get_one::<String>("agal");
    let number = number.and_then(|number| number.parse().ok());
    Defaults {
        stage: stage_of(matches),
        version: number.and_then(Version::from_number),
        options: Options {
            ignore_limits: matches.get_flag("ignore-limits"),
        },
    }
}
