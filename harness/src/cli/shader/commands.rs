//! The commands of `molehill shader` that answer for inputs.

use std::path::Path;

use d3d9::from_agal::Model;
use serde_json::Value;

use super::Part;
use super::answer::Answers;
use super::files::OutArguments;
use super::options::{self, target_of};
use super::source::Inputs;
use crate::cli::{Failure, Status, named};

/// A command with options of its own.
#[derive(clap::Args)]
pub(in crate::cli) struct Command<O: clap::Args> {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    options: O,
}

impl Command<OutArguments> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let answers = self
            .inputs
            .answers(|_, shader| Ok(shader.programs().into_iter().map(Part::with_hex).collect()));
        self.options.write(&answers?)
    }
}

/// Translates AGAL to Direct3D 9 tokens, as Flash did on Windows
#[derive(clap::Args)]
pub(in crate::cli) struct Convert {
    #[command(flatten)]
    inputs: Inputs,
    /// The shader model
    #[arg(long, default_value = "2_0", value_parser = named(Model::ALL, Model::name))]
    model: Model,
    #[command(flatten)]
    out: OutArguments,
}

impl Convert {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let answers = self.inputs.answers(|_, shader| {
            Ok(shader.convert(self.model)?.into_iter().map(Part::with_hex).collect())
        });
        self.out.write(&answers?)
    }
}

impl Command<()> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let answers = self.inputs.answers(|origin, shader| {
            let described = |part: Part| {
                let text = format!("{}: {}\n{}", origin.name, part.what, outline(&part.json, "  "));
                Part { bytes: text.into_bytes(), ..part }
            };
            Ok(shader.info()?.into_iter().map(described).collect())
        });
        answers?.print_texts(false)
    }
}

/// Returns a line for each member of an object, and a further line for each item of a list.
fn outline(json: &Value, indent: &str) -> String {
    let flat = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name} {value}"));
            members.collect::<Vec<_>>().join(", ").replace('"', "")
        }
        value => value.to_string(),
    };
    let member = |(name, value): (&String, &Value)| match value {
        Value::Object(_) => format!("{indent}{name}:\n{}", outline(value, &format!("{indent}  "))),
        Value::Array(items) => {
            let items = items.iter().map(|item| format!("{indent}  {}\n", flat(item)));
            format!("{indent}{name}:\n{}", items.collect::<String>())
        }
        value => format!("{indent}{name}: {}\n", flat(value)),
    };
    json.as_object().into_iter().flatten().map(member).collect()
}

impl Command<options::Dis> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command { inputs, options } = self;
        inputs.answers(|_, shader| Ok(shader.list(&options)))?.print_texts(true)
    }
}

impl Command<options::Check> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        self.answers()?.print_verdicts()
    }

    pub(super) fn answers(&self) -> Result<Answers, Failure> {
        self.inputs.answers(|_, shader| shader.check(&self.options))
    }
}

impl Command<options::Glsl> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command { inputs, options } = self;
        let answers = inputs.answers(|_, shader| {
            shader.glsl(&options, target_of(shader.language(), options.target)?)
        })?;
        // GLSL ES 3.00 requires `#version` in the first line, so a single shader has no title.
        translated(answers, options.out.as_deref())
    }
}

impl Command<options::Wgsl> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command { inputs, options } = self;
        translated(inputs.answers(|_, shader| shader.wgsl(&options))?, options.out.as_deref())
    }
}

/// Prints shaders, or writes them to a path.
fn translated(answers: Answers, out: Option<&Path>) -> Result<Status, Failure> {
    let Some(out) = out else { return answers.print_texts(true) };
    answers.write_files(out, Vec::clone)?;
    answers.print_written()
}

impl Command<options::Run> {
    pub(super) fn run(mut self) -> Result<Status, Failure> {
        let values = self.inputs.take_values();
        let Command { inputs, options } = self;
        let answers = inputs.answers(|_, shader| shader.run(&options, &values))?;
        if answers.list.len() > 1 {
            let reason = "several programs that are not a vertex and a fragment program";
            return Err(Failure(reason.to_owned()));
        }
        answers.print_texts(false)
    }
}

impl Command<options::Draw> {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command { inputs, options } = self;
        let mut answers = inputs.answers(|_, shader| Ok(vec![shader.draw(&options)?]))?;
        answers.write_files(&options.out, Vec::clone)?;
        for part in answers.list.iter_mut().flat_map(|answer| &mut answer.parts) {
            part.bytes = format!("{}: {}\n", options.out.display(), part.what).into_bytes();
        }
        answers.print_texts(false)
    }
}
