//! The commands of `molehill shader` that give a result for each input.

use std::path::Path;

use d3d9::from_agal::Model;
use serde_json::Value;

use super::ProgramResult;
use super::files::OutArguments;
use super::options::{self, target_of};
use super::outcome::ShaderResults;
use super::source::CommandInputs;
use crate::cli::{CommandFailure, CommandStatus, named};

/// A command that has its own options, in addition to the options for inputs.
#[derive(clap::Args)]
pub(in crate::cli) struct ShaderCommand<O: clap::Args> {
    #[command(flatten)]
    inputs: CommandInputs,
    #[command(flatten)]
    options: O,
}

impl ShaderCommand<OutArguments> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let results = self.inputs.results(|_, shader| {
            Ok(shader.programs().into_iter().map(ProgramResult::with_hex).collect())
        });
        self.options.write(&results?)
    }
}

/// Translates AGAL to Direct3D 9 tokens, like Flash on Windows
#[derive(clap::Args)]
pub(in crate::cli) struct ToTokens {
    #[command(flatten)]
    inputs: CommandInputs,
    /// The shader model
    #[arg(long, default_value = "2_0", value_parser = named(Model::ALL, Model::name))]
    model: Model,
    #[command(flatten)]
    out: OutArguments,
}

impl ToTokens {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let results = self.inputs.results(|_, shader| {
            Ok(shader.convert(self.model)?.into_iter().map(ProgramResult::with_hex).collect())
        });
        self.out.write(&results?)
    }
}

impl ShaderCommand<()> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let results = self.inputs.results(|origin, shader| {
            let described = |part: ProgramResult| {
                let text = format!("{}: {}\n{}", origin.name, part.what, outline(&part.json, "  "));
                ProgramResult { bytes: text.into_bytes(), ..part }
            };
            Ok(shader.info()?.into_iter().map(described).collect())
        });
        results?.print_texts(false)
    }
}

/// Formats JSON as text, with one line for each member of an object and each item of a list.
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

impl ShaderCommand<options::Dis> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let ShaderCommand { inputs, options } = self;
        inputs.results(|_, shader| Ok(shader.list(&options)))?.print_texts(true)
    }
}

impl ShaderCommand<options::CheckArguments> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        self.results()?.print_verdicts()
    }

    pub(super) fn results(&self) -> Result<ShaderResults, CommandFailure> {
        self.inputs.results(|_, shader| shader.check(&self.options))
    }
}

impl ShaderCommand<options::Glsl> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let ShaderCommand { inputs, options } = self;
        let results = inputs.results(|_, shader| {
            shader.glsl(&options, target_of(shader.language(), options.target)?)
        })?;
        // The output for a single shader has no title, because GLSL ES 3.00 requires `#version` in the first line.
        translated(results, options.out.as_deref())
    }
}

impl ShaderCommand<options::Wgsl> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let ShaderCommand { inputs, options } = self;
        translated(inputs.results(|_, shader| shader.wgsl(&options))?, options.out.as_deref())
    }
}

/// Prints translated shaders, or writes them to a path if one is given.
fn translated(results: ShaderResults, out: Option<&Path>) -> Result<CommandStatus, CommandFailure> {
    let Some(out) = out else { return results.print_texts(true) };
    results.write_files(out, Vec::clone)?;
    results.print_written()
}

impl ShaderCommand<options::Run> {
    pub(super) fn run(mut self) -> Result<CommandStatus, CommandFailure> {
        let values = self.inputs.take_values();
        let ShaderCommand { inputs, options } = self;
        let results = inputs.results(|_, shader| shader.run(&options, &values))?;
        if results.list.len() > 1 {
            let reason =
                "several programs can run together only as a vertex and a fragment program";
            return Err(CommandFailure(reason.to_owned()));
        }
        results.print_texts(false)
    }
}

impl ShaderCommand<options::DrawArguments> {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let ShaderCommand { inputs, options } = self;
        let mut results = inputs.results(|_, shader| Ok(vec![shader.draw(&options)?]))?;
        results.write_files(&options.out, Vec::clone)?;
        for part in results.list.iter_mut().flat_map(|result| &mut result.parts) {
            part.bytes = format!("{}: {}\n", options.out.display(), part.what).into_bytes();
        }
        results.print_texts(false)
    }
}
