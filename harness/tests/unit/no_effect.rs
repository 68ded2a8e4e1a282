//! Tests of the table of options that have no effect.

use super::*;

/// Returns the clap command that `words` name, such as `conform swf`.
fn find_command(words: &str) -> Command {
    let command = super::super::command(true);
    words.split(' ').fold(command, |command, word| {
        command.find_subcommand(word).unwrap_or_else(|| panic!("{words} is a command")).clone()
    })
}

#[test]
fn every_row_names_options_of_its_command() {
    let of_commands =
        |rule: &'static EffectRule| rule.0.iter().map(move |words| (words, rule.1, rule.2));
    for (words, options, when) in RULES.iter().flat_map(of_commands) {
        let command = find_command(words);
        let others = when.iter().map(|when| match *when {
            With(other) | Without(other) | Is(other, _) => other,
        });
        for option in options.iter().copied().chain(others) {
            let mut there = command.get_arguments();
            assert!(there.any(|argument| argument.get_id() == option), "{words}: {option}");
        }
    }
}
