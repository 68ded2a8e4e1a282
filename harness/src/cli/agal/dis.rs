//! `molehill agal dis`

use agal::asm::{Disassembly, disassemble, readable_text};
use serde_json::{Value, json};

use super::arguments::{Inputs, RulesArguments};
use super::program::{Candidate, groups};
use crate::cli::input::to_hex;
use crate::cli::output::{Failure, Status};
use crate::cli::per_input::{self, InputResult, title, with};

/// Disassembles bytecode to text that assembles to the same bytes
#[derive(clap::Args)]
#[command(after_help = include_str!("../../help/agal-dis.txt"))]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    rules: RulesArguments,
    /// Add each token's number as a comment
    #[arg(long)]
    numbers: bool,
}

impl Dis {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let groups = groups(&self.inputs)?;
        let rules = self.rules.rules();
        let mut wrong = false;
        let results = groups.iter().map(|group| {
            let several = groups.len() > 1;
            let mut text = if several { title("file: ", &group.name) } else { String::new() };
            let mut programs = Vec::new();
            for candidate in group.programs.iter().flatten() {
                let shown = disassemble(&candidate.bytes, Some(candidate.role), &rules);
                wrong |= shown.fault().is_some();
                let listing = shown.listing();
                let listing = if self.numbers { listing.with_numbers() } else { listing };
                let listing = listing.to_string();
                text += &listing;
                let json = program_json(candidate, &shown, self.numbers);
                programs.push(with(json, [("listing", listing.into())]));
            }
            InputResult { json: group.json(programs), text, refusal: group.text_errors() }
        });
        let results = results.collect();
        let status = per_input::print(self.inputs.output, json!({}), results)?;
        Ok(if wrong { Status::Mismatch } else { status })
    }
}

/// JSON of a program, besides its text.
fn program_json(candidate: &Candidate, shown: &Disassembly, numbers: bool) -> Value {
    let program = shown.program();
    let body = candidate.bytes.get(agal::binary::HEADER_SIZE..).unwrap_or_default();
    let (bytes, _) = body.as_chunks::<{ agal::binary::TOKEN_SIZE }>();
    let tokens = (1u32..).zip(program.instructions()).zip(bytes);
    let tokens = tokens.map(|((number, instruction), bytes)| {
        json!({
            "token": number,
            "text": readable_text(instruction, program.stage()).to_string(),
            "hex": to_hex(bytes),
        })
    });
    let error = shown.fault().map(|error| candidate.error_json(error));
    with(
        candidate.json(),
        [
            ("lossless", shown.is_lossless().into()),
            ("error", error.into()),
            ("list", numbers.then(|| tokens.collect::<Vec<_>>()).into()),
        ],
    )
}
