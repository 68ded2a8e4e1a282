//! `molehill d3d9 asm` and `dis`

use std::path::PathBuf;

use ::d3d9::Program;
use ::d3d9::slots::Slots;
use serde_json::{Value, json};

use super::input::{Inputs, results};
use crate::cli::program_files::{self, Form};
use crate::cli::{Failure, InputResult, Status, per_input, title};

/// Assembles text to tokens
#[derive(clap::Args)]
pub(in crate::cli) struct Asm {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    out: OutArguments,
}

/// The options for the output of tokens.
#[derive(clap::Args)]
pub(super) struct OutArguments {
    /// File for one program, folder for several
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write hexadecimal words, as in a C array
    #[arg(long, conflicts_with = "base64")]
    words: bool,
    /// Write base64, one line per program
    #[arg(long)]
    base64: bool,
}

fn words(bytes: &[u8]) -> String {
    let (words, _) = bytes.as_chunks::<4>();
    let lines = words.chunks(8).map(|line| {
        let words = line.iter().map(|word| format!("0x{:08X}", u32::from_le_bytes(*word)));
        words.collect::<Vec<_>>().join(", ")
    });
    lines.collect::<Vec<_>>().join(",\n") + "\n"
}

impl OutArguments {
    pub(super) fn write(&self, made: &[(String, &Program)], json: bool) -> Result<(), Failure> {
        let form = Form { base64: self.base64, is_digits: self.words, digits: ("words", words) };
        let files = made.iter().map(|(stem, program)| (format!("{stem}.bin"), program.encode()));
        let out = self.out.as_deref();
        program_files::write(out, form, json, made.len() > 1, |_| false, files.collect())
    }
}

impl Asm {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inputs = self.inputs.read()?;
        let results = results(&inputs, |input, program| {
            let (version, words) = (program.version.name(), program.to_words());
            let json = json!({ "name": input.name, "version": version, "words": words });
            InputResult { json, ..InputResult::default() }
        });
        let made = inputs.iter().filter_map(|input| {
            let program = input.shader.as_ref().ok()?;
            Some((input.stem.clone(), program))
        });
        let status = per_input::print(self.inputs.output, json!({}), results)?;
        self.out.write(&made.collect::<Vec<_>>(), self.inputs.output.json)?;
        Ok(status)
    }
}

/// Disassembles tokens to text that assembles to the same words
#[derive(clap::Args)]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    inputs: Inputs,
    /// Omit the words of comments
    #[arg(long)]
    no_comments: bool,
}

pub(super) fn slots_json(slots: &Slots) -> Value {
    json!({ "texture": slots.texture, "arithmetic": slots.arithmetic })
}

impl Dis {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inputs = self.inputs.read()?;
        let results = results(&inputs, |input, program| {
            let listing = program.listing();
            let listing = if self.no_comments { listing.without_comment_words() } else { listing };
            let (listing, slots) = (listing.to_string(), slots_json(&program.slots()));
            let title = (inputs.len() > 1).then(|| title("file: ", &input.name));
            let text = title.unwrap_or_default() + &listing;
            let version = program.version.name();
            let json = json!({ "name": input.name, "version": version, "listing": listing, "slots": slots });
            InputResult { text, json, refusal: None }
        });
        per_input::print(self.inputs.output, json!({}), results)
    }
}
