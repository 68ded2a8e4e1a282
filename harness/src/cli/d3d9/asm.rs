//! `molehill d3d9 asm`

use ::d3d9::Program;
use clap::{ArgMatches, Command};
use serde_json::json;

use super::input;
use crate::cli::binary::{self, Digits};
use crate::cli::outcome::{self, Outcome};
use crate::cli::{Failure, Status, arguments};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 asm shader.txt --out shader.bin
  molehill d3d9 asm --words < shader.txt
  molehill d3d9 asm shader.bin --base64
      converts the format of tokens

All errors are printed as FILE:LINE:COLUMN, with the line and the nearest valid word. The shader is not validated: see
\"molehill d3d9 check\".

Exit status: 0; 1 if a text has errors (nothing of it is written); 2 if the input can't be used.";

/// Writes tokens as hexadecimal words.
const WORDS: Digits = ("words", |bytes| {
    let (words, _) = bytes.as_chunks::<4>();
    let lines = words.chunks(8).map(|line| {
        let words = line.iter().map(|word| format!("0x{:08X}", u32::from_le_bytes(*word)));
        words.collect::<Vec<_>>().join(", ")
    });
    lines.collect::<Vec<_>>().join(",\n") + "\n"
});

pub(super) fn command() -> Command {
    Command::new("asm")
        .about("Assembles text to tokens")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .args(out_arguments())
        .arg(arguments::json())
}

/// The options for the output of tokens.
pub(super) fn out_arguments() -> [clap::Arg; 3] {
    binary::arguments(WORDS, "Write hexadecimal words, as in a C array")
}

/// Writes shaders to a file, a folder or standard output.
pub(super) fn write(made: &[(String, &Program)], matches: &ArgMatches) -> Result<(), Failure> {
    let files = made.iter();
    let files = files.map(|(stem, program)| (format!("{stem}.bin"), program.encode()));
    binary::write(matches, WORDS, made.len() > 1, |_| false, files.collect())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let outcomes = input::outcomes(&inputs, |input, program| Outcome {
        json: json!({
            "name": input.name,
            "version": program.version.name(),
            "words": program.to_words(),
        }),
        ..Outcome::default()
    });
    let made = inputs.iter().filter_map(|input| {
        let program = input.shader.as_ref().ok()?;
        Some((input.stem.clone(), program))
    });
    let status = outcome::print(matches, json!({}), outcomes)?;
    write(&made.collect::<Vec<_>>(), matches)?;
    Ok(status)
}
