//! Arguments of commands: the common forms, and access to their values.

use std::path::PathBuf;

use agal::glsl::ClipDepth;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use context3d::Profile;

/// `--name`
pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// `--name VALUE`
pub(super) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// `--name PATH`
pub(super) fn path(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(PathBuf))
}

/// `--name N`
pub(super) fn number(name: &'static str, help: &'static str) -> Arg {
    option(name, "N", help).value_parser(value_parser!(u64))
}

/// `--name VALUE`, with a fixed set of values.
pub(super) fn choice(
    name: &'static str,
    value: &'static str,
    names: impl IntoIterator<Item = &'static str>,
    help: &'static str,
) -> Arg {
    option(name, value, help).value_parser(PossibleValuesParser::new(names))
}

/// A positional argument for one input file.
pub(super) fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

/// A positional argument for files or folders.
pub(super) fn files(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    file(name, help).value_name(value).num_args(0..)
}

/// `REGISTER=VALUE`
pub(super) fn values(help: &'static str) -> Arg {
    Arg::new("values")
        .value_name("REGISTER=VALUE")
        .num_args(0..)
        .allow_negative_numbers(true)
        .help(help)
}

/// `--json`
pub(super) fn json() -> Arg {
    flag("json", "Print one JSON object instead of text")
}

/// `--profile`
pub(super) fn profile() -> Arg {
    let help = "Profile of every context [default: the recorded one]";
    choice("profile", "PROFILE", Profile::ALL.iter().map(|profile| profile.name()), help)
}

/// Names of clip spaces.
const CLIPS: [(&str, ClipDepth); 2] =
    [("minus-one-to-one", ClipDepth::MinusOneToOne), ("zero-to-one", ClipDepth::ZeroToOne)];

/// `--clip`
pub(super) fn clip() -> Arg {
    let help = "Depth range to which the driver clips";
    choice("clip", "RANGE", CLIPS.map(|(name, _)| name), help).default_value(CLIPS[0].0)
}

/// The range of `--clip`.
pub(super) fn clip_of(matches: &ArgMatches) -> ClipDepth {
    let named = |text: &str| CLIPS.iter().find(|(name, _)| *name == text);
    chosen(matches, "clip", named).map_or(ClipDepth::MinusOneToOne, |(_, clip)| *clip)
}

/// The value with the given name, if the option is present.
pub(super) fn chosen<T>(
    matches: &ArgMatches,
    name: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    matches.get_one::<String>(name).and_then(|text| named(text))
}

/// The values with the given names; `None` if the option is absent.
pub(super) fn all_chosen<T>(
    matches: &ArgMatches,
    name: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let given = matches.get_many::<String>(name)?;
    Some(given.filter_map(|text| named(text)).collect())
}

/// The path of a required argument, or of one with a default.
pub(super) fn path_of(matches: &ArgMatches, name: &str) -> PathBuf {
    matches.get_one(name).cloned().unwrap_or_default()
}

/// The profile of `--profile`.
pub(super) fn profile_of(matches: &ArgMatches) -> Option<Profile> {
    chosen(matches, "profile", Profile::from_name)
}
