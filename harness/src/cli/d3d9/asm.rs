//! `molehill d3d9 asm`

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use ::d3d9::Program;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::dis::flag;
use super::input;
use crate::cli::input::to_base64;
use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 asm shader.txt --out shader.bin
  molehill d3d9 asm --words < shader.txt
  molehill d3d9 asm shader.bin --base64
      tokens are an input like any other: this changes their format

Everything that is wrong with a text is told as FILE:LINE:COLUMN, with the line and the nearest valid word. Whether the
shader is legal is not looked at: see \"molehill d3d9 check\".

Exit status: 0, 1 if a text is no shader (nothing of it is written), 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("asm")
        .about("Assembles text to tokens")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .args(out_arguments())
        .arg(json_argument())
}

/// Where tokens go, and how.
pub(super) fn out_arguments() -> [Arg; 3] {
    [
        Arg::new("out")
            .long("out")
            .short('o')
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help("File for one shader, folder for several"),
        flag("words", "Write words in hexadecimal, as of a C array").conflicts_with("base64"),
        flag("base64", "Write base64, a line a shader"),
    ]
}

/// A shader as it was asked for.
fn written(program: &Program, matches: &ArgMatches, terminal: bool) -> Vec<u8> {
    if matches.get_flag("base64") {
        return (to_base64(&program.encode()) + "\n").into_bytes();
    }
    if matches.get_flag("words") || terminal {
        return words_text(program).into_bytes();
    }
    program.encode()
}

pub(super) fn words_text(program: &Program) -> String {
    let words = program.to_words();
    let lines = words.chunks(8).map(|line| {
        let words: Vec<String> = line.iter().map(|word| format!("0x{word:08X}")).collect();
        words.join(", ")
    });
    lines.collect::<Vec<_>>().join(",\n") + "\n"
}

/// Writes shaders to a file, a folder or standard output.
pub(super) fn write(made: &[(String, &Program)], matches: &ArgMatches) -> Result<(), Failure> {
    let failed = |path: &Path, error: io::Error| Failure(format!("{}: {error}", path.display()));
    match (matches.get_one::<PathBuf>("out"), made) {
        (Some(out), [(_, program)]) => {
            fs::write(out, written(program, matches, false)).map_err(|e| failed(out, e))?;
        }
        (Some(out), several) => {
            fs::create_dir_all(out).map_err(|e| failed(out, e))?;
            for (stem, program) in several {
                let path = out.join(format!("{stem}.bin"));
                fs::write(&path, written(program, matches, false)).map_err(|e| failed(&path, e))?;
            }
        }
        (None, made) => {
            let raw = !matches.get_flag("words") && !matches.get_flag("base64");
            if raw && made.len() > 1 {
                let reason = "several shaders: --out DIR, --words or --base64 keeps them apart";
                return Err(Failure(reason.to_owned()));
            }
            let terminal = raw && io::stdout().is_terminal();
            for (_, program) in made {
                output::print_bytes(&written(program, matches, terminal))?;
            }
        }
    }
    Ok(())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let mut status = Status::Success;
    let (mut made, mut list) = (Vec::new(), Vec::new());
    for input in &inputs {
        match &input.shader {
            Ok(program) => {
                made.push((input.stem.clone(), program));
                list.push(json!({
                    "name": input.name,
                    "version": program.version.name(),
                    "words": program.to_words(),
                }));
            }
            Err(error) => {
                status = Status::Mismatch;
                output::tell(error);
                list.push(json!({ "name": input.name, "error": error }));
            }
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "inputs": list }))?;
        if matches.get_one::<PathBuf>("out").is_none() {
            return Ok(status);
        }
    }
    if !made.is_empty() {
        write(&made, matches)?;
    }
    Ok(status)
}
