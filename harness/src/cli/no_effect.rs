//! Rejects options that have no effect in combination with others, where clap's `requires` and `conflicts_with` can't.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// A condition on another option, which is identified by its id.
#[derive(Clone, Copy)]
enum OptionCondition {
    With(&'static str),
    Without(&'static str),
    /// The option in the first field has the value in the second field, explicitly or by default.
    Is(&'static str, &'static str),
}
use OptionCondition::{Is, With, Without};

/// A rule: commands, some of their options, and the conditions under which these options have no effect.
type EffectRule = (&'static [&'static str], &'static [&'static str], &'static [OptionCondition]);

const TOLERANCE: &[&str] = &["tolerance", "max_outliers"];
const GL: &[&str] = &["gles", "shaders", "workaround"];
const REFERENCE: &[&str] = &["threads", "samples"];
const DRAWING: &[&str] =
    &["gles", "shaders", "float_rules", "workaround", "threads", "samples", "no_blocks"];

const RULES: &[EffectRule] = &[
    (&["replay"], TOLERANCE, &[Without("expect")]),
    (&["replay", "time", "diff", "check", "minimize"], GL, &[Is("kind", "reference")]),
    (&["replay", "time", "pixel"], REFERENCE, &[Is("kind", "gl")]),
    (&["replay", "time", "pixel"], DRAWING, &[Is("kind", "wgpu")]),
    (&["diff"], REFERENCE, &[Is("kind", "gl"), With("other")]),
    (&["diff"], REFERENCE, &[Is("kind", "gl"), With("edit")]),
    (&["minimize"], REFERENCE, &[Is("kind", "gl"), With("expect")]),
    (&["check"], GL, &[Is("kind", "wgpu")]),
    (&["pixel"], DRAWING, &[Is("kind", "reference")]),
    (&["convert"], &["json"], &[Is("out", "-")]),
    (
        &["shader asm", "shader convert"],
        &["hex", "words", "base64"],
        &[With("json"), Without("out")],
    ),
    (&["shader fuzz"], &["thin"], &[Without("exhaustive"), Without("pairs")]),
    (&["shader fuzz"], &["length", "version"], &[With("pairs")]),
    (&["shader fuzz"], &["length", "version"], &[With("triples")]),
];

/// Returns a message about the first given option that has no effect. `words` is the command as the user types it.
pub(super) fn find(command: &Command, matches: &ArgMatches, words: &str) -> Option<String> {
    if let Some((name, inner)) = matches.subcommand() {
        let words = format!("{words} {name}");
        return find(command.find_subcommand(name)?, inner, words.trim_start());
    }
    let given = |option: &str| matches.value_source(option) == Some(ValueSource::CommandLine);
    let holds = |when: &OptionCondition| match *when {
        With(option) => given(option),
        Without(option) => !given(option),
        Is(option, value) => {
            matches.get_raw(option).is_some_and(|mut values| values.any(|it| it == value))
        }
    };
    let name = |option: &str| {
        let argument = command.get_arguments().find(|argument| argument.get_id() == option);
        let long = argument.and_then(Arg::get_long).map(|long| format!("--{long}"));
        long.unwrap_or_else(|| option.to_uppercase())
    };
    let rules = RULES
        .iter()
        .filter(|(commands, _, when)| commands.contains(&words) && when.iter().all(holds));
    let mut found = rules.flat_map(|(_, options, when)| options.iter().map(move |it| (*it, *when)));
    let (option, when) = found.find(|(option, _)| given(option))?;
    let when = when.iter().map(|when| match *when {
        With(other) => format!("with {}", name(other)),
        Without(other) => format!("without {}", name(other)),
        Is(other, value) => format!("with {} {value}", name(other)),
    });
    let when = when.collect::<Vec<_>>().join(" and ");
    Some(format!("{} has no effect {when}", name(option)))
}

#[cfg(test)]
#[path = "../../tests/unit/no_effect.rs"]
mod tests;
