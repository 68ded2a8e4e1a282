//! `molehill agal dis`

use agal::asm::{Disassembly, disassemble, readable_text};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::{inputs, rules, rules_of};
use super::program::{Candidate, groups};
use crate::cli::arguments::{self, flag};
use crate::cli::input::to_hex;
use crate::cli::outcome::{self, Outcome, title, with};
use crate::cli::{Failure, Status};

const AFTER_HELP: &str = "\
Examples:
  molehill agal dis shader.bin
  molehill agal dis --numbers --profile baseline damaged.bin
  molehill agal dis vertex.bin fragment.bin > pair.agal
  molehill agal dis shader.bin | molehill agal asm | cmp - shader.bin

With a valid header, the text always assembles to the same bytes. Tokens that Adobe's syntax can't express (unknown
opcodes, reserved bits, empty masks, registers that the version lacks) are written as directives, with their readable
part in a comment; numbers are hexadecimal:
  .token  and six little-endian 32-bit words: one token of 24 bytes
  .bytes  and up to 23 bytes: an incomplete last token
  .header and up to 7 bytes: an invalid header; such text does not assemble
Flash's first error is a comment below its token, or at the top.

Exit status: 0; 1 if Flash rejects any program; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("dis")
        .about("Disassembles bytecode to text that assembles to the same bytes")
        .after_help(AFTER_HELP)
        .args(inputs())
        .args(rules())
        .arg(flag("numbers", "Add each token's number as a comment"))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let rules = rules_of(matches);
    let numbers = matches.get_flag("numbers");
    let mut wrong = false;
    let outcomes = groups.iter().map(|group| {
        let (mut text, mut programs) = (String::new(), Vec::new());
        if groups.len() > 1 {
            text += &title("file: ", &group.name);
        }
        for candidate in group.programs.iter().flatten() {
            let shown = disassemble(&candidate.bytes, Some(candidate.role), &rules);
            wrong |= shown.fault().is_some();
            let listing = match numbers {
                true => shown.listing().with_numbers().to_string(),
                false => shown.listing().to_string(),
            };
            text += &listing;
            let json = program_json(candidate, &shown, numbers);
            programs.push(with(json, [("listing", listing.into())]));
        }
        Outcome { json: group.json(programs), text, refusal: group.text_errors() }
    });
    let outcomes = outcomes.collect();
    let status = outcome::print(matches, json!({}), outcomes)?;
    Ok(if wrong { Status::Mismatch } else { status })
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
