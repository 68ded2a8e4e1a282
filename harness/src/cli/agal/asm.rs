//! `molehill agal asm`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::{flag, inputs};
use super::input::{EXTENSIONS, to_base64, to_hex};
use super::out;
use super::program::{Candidate, Group, groups, text_errors_json, with};
use crate::cli::{Failure, Status, json_argument, output};

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

pub(super) fn command() -> Command {
    Command::new("asm")
        .about("Assembles text to bytecode")
        .after_help(AFTER_HELP)
        .args(inputs())
        .arg(output::argument(
            "PATH",
            "File for one program, folder for several",
        ))
        .arg(flag("hex", "Write hexadecimal digits, one line per program").conflicts_with("base64"))
        .arg(flag("base64", "Write base64, one line per program"))
        .arg(json_argument())
}

/// The output format of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Raw,
    Hex,
    Base64,
}

impl Written {
    fn bytes(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Written::Raw => bytes.to_vec(),
            Written::Hex => (to_hex(bytes) + "\n").into_bytes(),
            Written::Base64 => (to_base64(bytes) + "\n").into_bytes(),
        }
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let mut status = Status::Success;
    let mut made: Vec<(&Group, &Candidate)> = Vec::new();
    for group in &groups {
        match &group.programs {
            Ok(programs) => made.extend(programs.iter().map(|program| (group, program))),
            Err(errors) => {
                status = Status::Mismatch;
                output::tell(&errors.in_file(&group.name).to_string());
            }
        }
    }
    let several = groups.len() > 1 || made.len() > 1;
    let mut written = match (matches.get_flag("hex"), matches.get_flag("base64")) {
        (true, _) => Written::Hex,
        (_, true) => Written::Base64,
        _ => Written::Raw,
    };
    let out = matches.get_one::<PathBuf>("out");
    if let Some(out) = out {
        let named = |(group, program): &(&Group, &Candidate)| {
            let kind = match program.role {
                agal::Stage::Vertex => "vsh",
                agal::Stage::Fragment => "fsh",
            };
            let name = format!("{}.{kind}.agal", group.stem);
            (name, written.bytes(&program.bytes))
        };
        let files: Vec<_> = made.iter().map(named).collect();
        let is_file = |extension: &str| {
            !several || EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
        };
        out::write(out, is_file, &files)?;
    }
    if matches.get_flag("json") {
        output::print_json(&json(&groups))?;
    } else if out.is_none() {
        if written == Written::Raw && several {
            let reason = "several programs need --out DIR, --hex or --base64";
            return Err(Failure(reason.to_owned()));
        }
        if written == Written::Raw && io::stdout().is_terminal() {
            written = Written::Hex;
        }
        for (_, program) in made {
            output::print_bytes(&written.bytes(&program.bytes))?;
        }
    }
    Ok(status)
}

fn json(groups: &[Group]) -> Value {
    let one = |program: &Candidate| {
        with(
            program.json(),
            [
                ("size", program.bytes.len().into()),
                ("hex", to_hex(&program.bytes).into()),
            ],
        )
    };
    let group = |group: &Group| {
        let (programs, wrong) = match &group.programs {
            Ok(programs) => (programs.iter().map(one).collect(), Value::Null),
            Err(errors) => (Vec::new(), text_errors_json(errors)),
        };
        json!({ "name": group.name, "programs": programs, "text": wrong })
    };
    json!({ "inputs": groups.iter().map(group).collect::<Vec<_>>() })
}
