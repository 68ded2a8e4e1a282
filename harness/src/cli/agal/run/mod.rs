//! `molehill agal run`

mod show;
mod values;

use std::path::{Path, PathBuf};

use agal::interp::{Images, Kernel, LANES, State};
use agal::register::RegisterFile;
use agal::{Program, Stage, ValidProgram};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::{defaults_of, format_of, reading, rules, rules_of};
use super::input;
use super::program::{Group, group, paired};
use super::verdict::check_group;
use crate::cli::arguments::{self, file, flag, path_of};
use crate::cli::{Failure, Status, output};
use values::Values;

const AFTER_HELP: &str = "\
Examples:
  molehill agal run light.vsh.agal va0=1,2,3 vc0=1,0,0,0/0,1,0,0/0,0,1,0/0,0,0,1
  molehill agal run --stage fragment blur.agal v0=0.25,0.5 fc0=0.1 fs0=picture.png --trace
  molehill agal run edge.agal v0=0,0/1,0/0,1/1,1
  molehill agal run pair.agal va0=0,0/1,0/0,1/1,1 vc0=1 fc0=0.5
  molehill agal run light.vsh.agal light.fsh.agal va0=1,2,3
      a pair: the vertex program, and the fragment program on its varyings

In a pair, each of the four invocations of the fragment program gets the varyings of the same invocation of the vertex
program; there is no triangle, and nothing is interpolated.

Values of registers:
  va0=1,2,3,4  one to four components; missing ones are those of 0,0,0,1. nan and inf are allowed
  v0=0/1/0/1   attributes, varyings and iid: a value for each of the four parallel invocations; in a fragment program they
               are the pixels of a square: top left, top right, bottom left, bottom right
  vc4=1/2/3    constants: this one and the following ones
  iid=7        the instance number
  fs0=1,0,0,1  samplers: one colour (red, green, blue, alpha)
  fs0=a.png    or a picture, without mip levels; for a cube six squares from top to bottom: +x, -x, +y, -y, +z, -z
All other registers are zero. Values of unused registers are allowed.

Prints the output registers: op and the varyings of a vertex program, the colours and the depth of a fragment program. If
the four invocations differ, one line for each.

Exit status: 0; 1 if Flash rejects a program or a pair; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("run")
        .about("Runs a program or a pair on given inputs")
        .after_help(AFTER_HELP)
        .arg(file("program", "A program; - for standard input").required(true))
        .arg(arguments::values("Values of registers, and the other file of a pair"))
        .args(reading())
        .args(rules())
        .arg(flag("trace", "Show the result of every token"))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let texts = matches.get_many::<String>("values").into_iter().flatten();
    let (texts, others): (Vec<&String>, Vec<&String>) = texts.partition(|text| is_value(text));
    let group = programs(matches, &others)?;
    let verdict = check_group(&group, &rules_of(matches));
    let complaints = verdict.complaints();
    if !complaints.is_empty() {
        output::tell(&complaints.join("\n"));
        return Ok(Status::Mismatch);
    }
    let trace = matches.get_flag("trace");
    let ran = if let Some(Ok(pair)) = &verdict.linked {
        let [first, second] = Values::parse_pair(pair, &texts)?;
        let vertex = Ran::of(pair.vertex(), &first, None, trace);
        let fragment = Ran::of(pair.fragment(), &second, Some(&vertex.state), trace);
        vec![vertex, fragment]
    } else {
        let mut valid = verdict.programs.iter();
        match valid.find_map(|program| program.valid.as_ref().ok()) {
            Some(valid) => {
                let values = Values::parse(valid, texts.into_iter())?;
                vec![Ran::of(valid, &values, None, trace)]
            }
            // A rejected program is reported as a complaint.
            None => Vec::new(),
        }
    };
    let json = || {
        let list: Vec<Value> = ran.iter().map(|ran| ran.json(trace)).collect();
        match list.as_slice() {
            [one] => one.clone(),
            several => json!({ "programs": several }),
        }
    };
    output::give(matches, json, || ran.iter().map(Ran::text).collect())?;
    Ok(Status::Success)
}

/// Whether an argument is a value, not the name of the pair's other file.
fn is_value(text: &str) -> bool {
    text.contains('=') || !Path::new(text).is_file()
}

/// The program, or the pair.
fn programs(matches: &ArgMatches, others: &[&String]) -> Result<Group, Failure> {
    let first = path_of(matches, "program");
    let paths = [first].into_iter().chain(others.iter().map(PathBuf::from));
    let groups = paths.map(|path| {
        let input = input::read_one(&path, format_of(matches))?;
        group(&input, &defaults_of(matches))
    });
    let mut groups = paired(groups.collect::<Result<Vec<_>, _>>()?);
    match (groups.pop(), groups.is_empty()) {
        (Some(group), true) => Ok(group),
        _ => {
            let reason = "several programs that are not a pair (a vertex and a fragment program)";
            Err(Failure(reason.to_owned()))
        }
    }
}

/// A program after its run.
struct Ran<'a> {
    program: &'a Program,
    state: State,
    trace: show::Trace<'a>,
}

impl<'a> Ran<'a> {
    /// Runs a program, with the varyings of the one before it.
    fn of(valid: &'a ValidProgram, values: &Values, before: Option<&State>, trace: bool) -> Self {
        let program = valid.program();
        let (stage, version) = (program.stage(), program.agal_version());
        let kernel = Kernel::new(valid);
        let mut state = kernel.state();
        values.set(&mut state);
        if let Some(before) = before {
            let count = RegisterFile::Varying.version_count(stage, version);
            for (number, lane) in
                (0..count.unwrap_or(0)).flat_map(|n| (0..LANES).map(move |l| (n, l)))
            {
                state.set_varying(number, lane, before.varying(number, lane));
            }
        }
        let none = &[][..];
        let textures = match stage {
            Stage::Vertex => Images { vertex: &values.images, fragment: none },
            Stage::Fragment => Images { vertex: none, fragment: &values.images },
        };
        let mut steps = show::Trace::new(program);
        match trace {
            true => kernel.run_with(&mut state, &values.constants, &textures, &mut steps),
            false => kernel.run(&mut state, &values.constants, &textures),
        }
        Ran { program, state, trace: steps }
    }

    fn text(&self) -> String {
        let results = show::results(self.program, &self.state);
        self.trace.text().to_owned() + &show::text(&results, self.state.alive())
    }

    fn json(&self, trace: bool) -> Value {
        json!({
            "stage": self.program.stage().name(),
            "registers": show::json(&show::results(self.program, &self.state)),
            "discarded": self.state.alive().map(|alive| !alive),
            "trace": trace.then(|| self.trace.json()),
        })
    }
}
