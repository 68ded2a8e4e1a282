//! `molehill d3d9 dis`

use ::d3d9::slots::SlotModel;
use ::d3d9::slots::Slots;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::input;
use crate::cli::arguments::{self, choice, flag};
use crate::cli::outcome::{self, Outcome, title};
use crate::cli::{Failure, Status};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 dis shader.bin
  molehill d3d9 dis shader.bin | molehill d3d9 asm | cmp - shader.bin

The listing is that of Microsoft's compiler. Words without assembly syntax are written as .words; lines that begin
with //@ have the words of comments, for the assembler (--no-comments omits them).

Exit status: 0; 1 if an input is not a shader; 2 if it can't be read.";

pub(super) fn command() -> Command {
    Command::new("dis")
        .about("Disassembles tokens to text that assembles to the same words")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(flag("no-comments", "Omit the words of comments"))
        .arg(slots_argument())
        .arg(arguments::json())
}

/// `--slots`
pub(super) fn slots_argument() -> Arg {
    let help = "Counting of slots: as in the compiler's listings, or by the documentation's tables";
    choice("slots", "MODEL", ["listing", "table"], help).default_value("listing")
}

pub(super) fn slots(matches: &ArgMatches) -> SlotModel {
    match matches.get_one::<String>("slots").map(String::as_str) {
        Some("table") => SlotModel::Table { no_texture_limit: false },
        _ => SlotModel::DEFAULT,
    }
}

/// The slots of a shader as JSON.
pub(super) fn slots_json(slots: &Slots) -> Value {
    json!({ "texture": slots.texture, "arithmetic": slots.arithmetic })
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let model = slots(matches);
    let outcomes = input::outcomes(&inputs, |input, program| {
        let mut listing = program.listing().with_slots(model);
        if matches.get_flag("no-comments") {
            listing = listing.without_comment_words();
        }
        let listing = listing.to_string();
        let title = (inputs.len() > 1).then(|| title("file: ", &input.name));
        Outcome {
            text: title.unwrap_or_default() + &listing,
            json: json!({
                "name": input.name,
                "version": program.version.name(),
                "listing": listing,
                "slots": slots_json(&program.slots(model)),
            }),
            refusal: None,
        }
    });
    outcome::print(matches, json!({}), outcomes)
}
