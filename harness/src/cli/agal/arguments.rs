//! Arguments shared by several subcommands.

use agal::asm::{Defaults, Options};
use agal::{Profile, Rules, Stage, Version};
use clap::{Arg, ArgMatches, value_parser};

use super::input::{FORMATS, Format};
use crate::cli::arguments::{choice, chosen, flag, option, profile_of};
use crate::cli::input;

/// The options' values for one program of a pair.
const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// The inputs and their options.
pub(super) fn inputs() -> impl Iterator<Item = Arg> {
    let help = "Programs, pairs or folders of them; - for standard input [default: -]";
    [input::argument(help)].into_iter().chain(reading())
}

/// The options that say how an input is read.
pub(super) fn reading() -> [Arg; 4] {
    let version = |version: &Version| match version {
        Version::V1 => "1",
        Version::V2 => "2",
        Version::V3 => "3",
        Version::V4 => "4",
    };
    [
        choice(
            "format",
            "FORMAT",
            FORMATS.map(|(name, _)| name),
            "Format of the input [default: detected]",
        ),
        choice(
            "stage",
            "STAGE",
            STAGES.map(Stage::name),
            "Kind of program (argument of Program3D.upload); selects one of a pair",
        ),
        choice(
            "agal",
            "VERSION",
            Version::ALL.iter().map(version),
            "AGAL version of a text without a version comment [default: 1]",
        ),
        flag("ignore-limits", "Allow register numbers up to 1023 in every version"),
    ]
}

/// The rules for validating programs.
pub(super) fn rules() -> [Arg; 2] {
    let names = Profile::ALL.iter().map(|profile| profile.name());
    let swf = "SWF version of the program that uploads them [default: the newest]";
    [
        choice("profile", "PROFILE", names, "Profile of the Context3D")
            .default_value(Rules::NEWEST.profile.name()),
        option("swf", "N", swf).value_parser(value_parser!(u32)),
    ]
}

pub(super) fn format_of(matches: &ArgMatches) -> Option<Format> {
    let named = |name: &str| FORMATS.into_iter().find(|(format, _)| *format == name);
    chosen(matches, "format", named).map(|(_, format)| format)
}

pub(super) fn stage_of(matches: &ArgMatches) -> Option<Stage> {
    let named = |name: &str| STAGES.into_iter().find(|stage| stage.name() == name);
    chosen(matches, "stage", named)
}

pub(super) fn rules_of(matches: &ArgMatches) -> Rules {
    let swf = matches.get_one::<u32>("swf").copied();
    Rules {
        profile: profile_of(matches).unwrap_or(Rules::NEWEST.profile),
        swf_version: swf.unwrap_or(Rules::NEWEST.swf_version),
    }
}

/// The assembler's defaults for properties that a text doesn't specify.
pub(super) fn defaults_of(matches: &ArgMatches) -> Defaults {
    Defaults {
        stage: stage_of(matches),
        version: chosen(matches, "agal", |number| Version::from_number(number.parse().ok()?)),
        options: Options { ignore_limits: matches.get_flag("ignore-limits") },
    }
}
