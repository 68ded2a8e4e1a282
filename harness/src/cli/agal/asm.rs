//! `molehill agal asm`

use agal::Stage;
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::inputs;
use super::input::EXTENSIONS;
use super::program::{Candidate, Group, groups};
use crate::cli::binary::{self, Digits};
use crate::cli::input::to_hex;
use crate::cli::outcome::with;
use crate::cli::{Failure, Status, arguments, output};

const AFTER_HELP: &str = "\
Examples:
  molehill agal asm blur.agal -o blur.bin
  molehill agal asm --stage fragment --agal 2 --hex < blur.txt
  molehill agal asm pair.agal -o programs
      a pair, several files or a folder: --out is a folder
  molehill agal asm pair.agal --stage vertex -o vertex.bin
      one program of a pair
  molehill agal asm blur.bin --base64
      converts the format of bytecode

A single program is written to standard output as bytes, or as hex on a terminal. All errors of a text are printed to
standard error as FILE:LINE:COLUMN, with the line and the nearest valid word. Programs are not validated: see
\"molehill agal check\". Lines with .token and .bytes (see \"molehill agal dis --help\") give any bytes.

Exit status: 0; 1 if a text has errors (nothing of it is written); 2 if the input can't be used.";

const DIGITS: Digits = ("hex", |bytes| to_hex(bytes) + "\n");

pub(super) fn command() -> Command {
    Command::new("asm")
        .about("Assembles text to bytecode")
        .after_help(AFTER_HELP)
        .args(inputs())
        .args(binary::arguments(DIGITS, "Write hexadecimal digits, one line per program"))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let mut status = Status::Success;
    let mut made = Vec::new();
    for group in &groups {
        match &group.programs {
            Ok(programs) => made.extend(programs.iter().map(|program| file(group, program))),
            Err(errors) => {
                status = Status::Mismatch;
                output::tell(&errors.in_file(&group.name).to_string());
            }
        }
    }
    let several = groups.len() > 1 || made.len() > 1;
    let is_file = |extension: &str| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
    binary::write(matches, DIGITS, several, is_file, made)?;
    if matches.get_flag("json") {
        output::print_json(&json(&groups))?;
    }
    Ok(status)
}

fn file(group: &Group, program: &Candidate) -> (String, Vec<u8>) {
    let kind = match program.role {
        Stage::Vertex => "vsh",
        Stage::Fragment => "fsh",
    };
    let name = format!("{}.{kind}.agal", group.stem);
    (name, program.bytes.clone())
}

fn json(groups: &[Group]) -> Value {
    let one = |program: &Candidate| {
        with(
            program.json(),
            [("size", program.bytes.len().into()), ("hex", to_hex(&program.bytes).into())],
        )
    };
    let group = |group: &Group| group.json(group.programs.iter().flatten().map(one).collect());
    json!({ "inputs": groups.iter().map(group).collect::<Vec<_>>() })
}
