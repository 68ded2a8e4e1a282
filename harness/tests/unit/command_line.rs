//! Tests of the command line.

use super::*;

#[test]
fn the_command_line_is_sound() {
    command(false).debug_assert();
}

#[test]
fn every_command_is_in_one_group_of_the_help() {
    let tool = command(false);
    let shown = tool.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name);
    let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
    grouped.sort_unstable();
    let mut shown: Vec<&str> = shown.collect();
    shown.sort_unstable();
    assert_eq!(grouped, shown);
}

/// Returns a command with all its subcommands.
fn with_inner(command: &Command) -> Vec<&Command> {
    std::iter::once(command).chain(command.get_subcommands().flat_map(with_inner)).collect()
}

#[test]
fn a_letter_has_one_meaning() {
    let mut meanings = std::collections::BTreeMap::new();
    let tool = command(true);
    for inner in with_inner(&tool) {
        for option in inner.get_arguments() {
            let (Some(letter), Some(long)) = (option.get_short(), option.get_long()) else {
                continue;
            };
            // An option with an alias may be spelled with or without a final `s`.
            let long = long
                .strip_suffix('s')
                .filter(|_| option.get_all_aliases().is_some())
                .unwrap_or(long);
            let known = *meanings.entry(letter).or_insert(long);
            assert_eq!(known, long, "-{letter} of {}", inner.get_name());
        }
    }
    assert_eq!(meanings.get(&'f'), Some(&"frame"));
}

/// Returns the words of a shell command, up to a pipe or a redirection.
fn words(line: &str) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (letter, quote) {
            ('|' | '<' | '>' | '&', None) => break,
            (' ', None) => words.push(std::mem::take(&mut word)),
            (letter, Some(mark)) if letter == mark => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            (letter, _) => word.push(letter),
        }
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty()).map(OsString::from).collect()
}

#[test]
fn the_examples_of_the_help_are_commands_with_files_of_the_repository() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut tested = 0;
    for line in HELP.lines() {
        let Some(example) = line.strip_prefix("  molehill ") else { continue };
        let example = example.split("   ").next().unwrap_or_default();
        let words = std::iter::once("molehill".into()).chain(words(example));
        let words = show::with_command(&command(false), words.collect());
        for word in words.iter().map(|word: &OsString| word.to_string_lossy()) {
            if word.starts_with("harness/") {
                assert!(root.join(&*word).exists(), "{word} in: {line}");
            }
        }
        let parsed = command(false).try_get_matches_from(words);
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        tested += 1;
    }
    assert!(tested > 100, "{tested}");
}
