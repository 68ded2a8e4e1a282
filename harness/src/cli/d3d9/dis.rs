//! `molehill d3d9 dis`

use ::d3d9::slots::SlotModel;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use super::input;
use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 dis shader.bin
  molehill d3d9 dis shader.bin | molehill d3d9 asm | cmp - shader.bin

The listing is that of Microsoft's compiler. Words that its language can't say stand as .words; lines that begin with //@
hold the words of comments, for the assembler (--no-comments leaves them out).

Exit status: 0, 1 if an input is no shader, 2 if it can't be read.";

pub(super) fn command() -> Command {
    Command::new("dis")
        .about("Disassembles tokens to text that assembles to the same words")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(flag("no-comments", "Leave out the words of comments"))
        .arg(slots_argument())
        .arg(json_argument())
}

pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// `--slots`
pub(super) fn slots_argument() -> Arg {
    Arg::new("slots")
        .long("slots")
        .value_name("MODEL")
        .value_parser(["listing", "table"])
        .default_value("listing")
        .help("Count slots as the compiler does, or by the documentation's tables")
}

pub(super) fn slots(matches: &ArgMatches) -> SlotModel {
    match matches.get_one::<String>("slots").map(String::as_str) {
        Some("table") => SlotModel::Table {
            no_texture_limit: false,
        },
        _ => SlotModel::DEFAULT,
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let model = slots(matches);
    let mut status = Status::Success;
    let (mut text, mut list) = (String::new(), Vec::new());
    for input in &inputs {
        match &input.shader {
            Err(error) => {
                status = Status::Mismatch;
                output::tell(error);
                list.push(json!({ "name": input.name, "error": error }));
            }
            Ok(program) => {
                let mut listing = program.listing().with_slots(model);
                if matches.get_flag("no-comments") {
                    listing = listing.without_comment_words();
                }
                let listing = listing.to_string();
                let slots = program.slots(model);
                list.push(json!({
                    "name": input.name,
                    "version": program.version.name(),
                    "listing": listing,
                    "slots": { "texture": slots.texture, "arithmetic": slots.arithmetic },
                }));
                if inputs.len() > 1 {
                    text += &format!("// file: {}\n", input.name.replace(['\n', '\r'], " "));
                }
                text += &listing;
            }
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "inputs": list }))?;
    } else {
        output::print(&text)?;
    }
    Ok(status)
}
