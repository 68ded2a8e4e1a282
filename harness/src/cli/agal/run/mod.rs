//! `molehill agal run`

mod show;
mod values;

use std::path::PathBuf;

use agal::interp::{Images, Kernel};
use agal::{Stage, ValidProgram};
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::arguments::{self, defaults_of, flag, format_of, rules, rules_of};
use super::input;
use super::judge::judge;
use super::program::group;
use crate::cli::{Failure, Status, json_argument, output};
use values::Values;

const AFTER_HELP: &str = "\
Examples:
  molehill agal run light.vsh.agal va0=1,2,3 vc0=1,0,0,0/0,1,0,0/0,0,1,0/0,0,0,1
  molehill agal run --stage fragment blur.agal v0=0.25,0.5 fc0=0.1 fs0=picture.png --trace
  molehill agal run edge.agal v0=0,0/1,0/0,1/1,1

Values of registers:
  va0=1,2,3,4  one to four components; those that are missing are taken from 0,0,0,1. nan and inf are numbers too
  v0=0/1/0/1   attributes, varyings and iid: a value for each of the four invocations that run together; of a fragment
               program they are the pixels of a square: top left, top right, bottom left, bottom right
  vc4=1/2/3    constants: this one and those that follow
  iid=7        the number of the instance
  fs0=1,0,0,1  samplers: one colour (red, green, blue, alpha)
  fs0=a.png    or a picture, without mip levels; for a cube six squares below one another: +x, -x, +y, -y, +z, -z
What has no value is zero. Values of registers that the program never reads are allowed.

Shown are the registers that the program can hand on: op and the varyings of a vertex program, the colours and the depth
of a fragment program. Where the four invocations differ, a line each.

Exit status: 0, 1 if the program is one that Flash refuses, 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("run")
        .about("Runs a program on given inputs")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("program")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("A program; - for standard input"),
        )
        .arg(
            Arg::new("values")
                .value_name("REGISTER=VALUE")
                .num_args(0..)
                .allow_negative_numbers(true)
                .help("Inputs"),
        )
        .args([
            arguments::format(),
            arguments::stage(),
            arguments::version(),
            arguments::ignore_limits(),
        ])
        .args(rules())
        .arg(flag("trace", "Show what every token writes"))
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = matches.get_one::<PathBuf>("program");
    let path = path.cloned().unwrap_or_default();
    let input = input::read_one(&path, format_of(matches))?;
    let group = group(&input, &defaults_of(matches))?;
    let verdict = judge(&group, &rules_of(matches));
    let complaints = verdict.programs.first().map_or_else(
        || verdict.complaints(),
        |judged| judged.complaint().into_iter().collect(),
    );
    if verdict.programs.len() > 1 {
        let name = &group.name;
        let reason = format!("{name} holds both programs: --stage says which one to run");
        return Err(Failure(reason));
    }
    let valid = match verdict.programs.as_slice() {
        [judged] => judged.valid.as_ref().ok(),
        _ => None,
    };
    let Some(valid) = valid else {
        output::tell(&complaints.join("\n"));
        return Ok(Status::Mismatch);
    };
    let texts = matches.get_many::<String>("values");
    let values = Values::parse(valid, texts.into_iter().flatten())?;
    execute(valid, &values, matches)?;
    Ok(Status::Success)
}

fn execute(valid: &ValidProgram, values: &Values, matches: &ArgMatches) -> Result<(), Failure> {
    let program = valid.program();
    let kernel = Kernel::new(valid);
    let mut state = kernel.state();
    values.set(&mut state);
    let none = &[][..];
    let textures = match program.stage() {
        Stage::Vertex => Images {
            vertex: &values.images,
            fragment: none,
        },
        Stage::Fragment => Images {
            vertex: none,
            fragment: &values.images,
        },
    };
    let mut trace = show::Trace::new(program);
    if matches.get_flag("trace") {
        kernel.run_with(&mut state, &values.constants, &textures, &mut trace);
    } else {
        kernel.run(&mut state, &values.constants, &textures);
    }
    let results = show::results(program, &state);
    if matches.get_flag("json") {
        output::print_json(&json!({
            "stage": program.stage().name(),
            "registers": show::json(&results),
            "discarded": state.alive().map(|alive| !alive),
            "trace": matches.get_flag("trace").then(|| trace.json()),
        }))
    } else {
        output::print(&(trace.text().to_owned() + &show::text(&results, state.alive())))
    }
}
