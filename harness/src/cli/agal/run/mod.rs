//! `molehill agal run`

mod show;
mod values;

use std::path::{Path, PathBuf};

use agal::interp::{Images, Kernel, LANES, State};
use agal::register::RegisterFile;
use agal::{Program, Stage, ValidProgram};
use serde_json::{Value, json};

use super::arguments::{Reading, RulesArguments};
use super::input;
use super::program::{Group, group, paired};
use super::verdict::check_group;
use crate::cli::{Failure, Format, Status, output};
use values::Values;

/// Runs a program or a pair on given inputs
#[derive(clap::Args)]
pub(in crate::cli) struct Run {
    /// A program; - for standard input
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Values of registers, and the other file of a pair
    #[arg(value_name = "REGISTER=VALUE", allow_negative_numbers = true)]
    values: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    rules: RulesArguments,
    /// Show the result of every token
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    format: Format,
}

impl Run {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let (texts, others): (Vec<_>, Vec<_>) = self.values.iter().partition(|it| is_value(it));
        let group = self.programs(&others)?;
        let verdict = check_group(&group, &self.rules.rules());
        let complaints = verdict.complaints();
        if !complaints.is_empty() {
            output::tell(&complaints.join("\n"));
            return Ok(Status::Mismatch);
        }
        let results = if let Some(Ok(pair)) = &verdict.linked {
            let (first, second) = Values::of_pair(&texts)?;
            let vertex = RunResult::of(pair.vertex(), &first, None, self.trace)?;
            let before = Some(&vertex.state);
            let fragment = RunResult::of(pair.fragment(), &second, before, self.trace)?;
            vec![vertex, fragment]
        } else {
            let mut valid = verdict.programs.iter();
            match valid.find_map(|program| program.valid.as_ref().ok()) {
                Some(valid) => vec![RunResult::of(valid, &texts, None, self.trace)?],
                // A rejected program is reported as a complaint.
                None => Vec::new(),
            }
        };
        let list: Vec<Value> = results.iter().map(|result| result.json(self.trace)).collect();
        let answer = match list.as_slice() {
            [one] => one.clone(),
            several => json!({ "programs": several }),
        };
        self.format.print(&answer, || results.iter().map(RunResult::text).collect())
    }

    fn programs(&self, others: &[&String]) -> Result<Group, Failure> {
        let paths = [self.program.clone()].into_iter().chain(others.iter().map(PathBuf::from));
        let groups = paths.map(|path| {
            group(&input::read_one(&path, self.reading.format)?, &self.reading.defaults())
        });
        let mut groups = paired(groups.collect::<Result<Vec<_>, _>>()?);
        match (groups.pop(), groups.is_empty()) {
            (Some(group), true) => Ok(group),
            _ => Err(Failure(
                "several programs that are not a vertex and a fragment program".to_owned(),
            )),
        }
    }
}

/// Whether an argument is a value, not the name of the pair's other file.
fn is_value(text: &str) -> bool {
    text.contains('=') || !Path::new(text).is_file()
}

struct RunResult<'a> {
    program: &'a Program,
    state: State,
    trace: show::Trace<'a>,
}

impl<'a> RunResult<'a> {
    /// Runs a program, with the varyings of the one before it.
    fn of(
        valid: &'a ValidProgram,
        values: &[&String],
        before: Option<&State>,
        trace: bool,
    ) -> Result<Self, Failure> {
        let program = valid.program();
        let (stage, version) = (program.stage(), program.agal_version());
        let kernel = Kernel::new(valid);
        let mut state = kernel.state();
        let values = Values::parse(valid, values, &mut state)?;
        if let Some(before) = before {
            let count = RegisterFile::Varying.version_count(stage, version);
            let all = (0..count.unwrap_or(0)).flat_map(|n| (0..LANES).map(move |l| (n, l)));
            for (number, lane) in all {
                state.set_varying(number, lane, before.varying(number, lane));
            }
        }
        let none = &[][..];
        let textures = match stage {
            Stage::Vertex => Images { vertex: &values.images, fragment: none },
            Stage::Fragment => Images { vertex: none, fragment: &values.images },
        };
        let mut steps = show::Trace::new(program);
        if trace {
            kernel.run_with(&mut state, &values.constants, &textures, &mut steps);
        } else {
            kernel.run(&mut state, &values.constants, &textures);
        }
        Ok(RunResult { program, state, trace: steps })
    }

    fn text(&self) -> String {
        let results = show::results(self.program, &self.state);
        self.trace.text.clone() + &show::text(&results, self.state.alive())
    }

    fn json(&self, trace: bool) -> Value {
        json!({
            "stage": self.program.stage().name(),
            "registers": show::json(&show::results(self.program, &self.state)),
            "discarded": self.state.alive().map(|alive| !alive), "trace": trace.then_some(&self.trace.list),
        })
    }
}
