//! Direct3D 9 shaders from files, folders and standard input.

use std::path::{Path, PathBuf};

use ::d3d9::{Program, text};

use crate::cli::capture_argument::name as name_of;
use crate::cli::input::{self, Content, Reader, is_program, recognise, refuse_others};
use crate::cli::{Failure, Format, InputResult};

const EXTENSIONS: [&str; 11] =
    ["bin", "vso", "pso", "o", "fxc", "hex", "b64", "asm", "vsh", "psh", "txt"];

/// One file: its name, and the shader or an error message.
pub(super) struct Input {
    pub(super) name: String,
    /// The file's name without extensions, for output files.
    pub(super) stem: String,
    pub(super) shader: Result<Program, String>,
}

/// The argument that names files.
#[derive(clap::Args)]
pub(super) struct Inputs {
    /// Shaders or folders of them; - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) output: Format,
}

impl Inputs {
    pub(super) fn read(&self) -> Result<Vec<Input>, Failure> {
        let (paths, _) = input::paths(&self.files, &EXTENSIONS)?;
        paths.iter().map(|path| one(path)).collect()
    }
}

/// The results of a command on every shader; an input that is no shader is refused.
pub(super) fn results(
    inputs: &[Input],
    mut of: impl FnMut(&Input, &Program) -> InputResult,
) -> Vec<InputResult> {
    let one = |input: &Input| match &input.shader {
        Ok(program) => of(input, program),
        Err(error) => InputResult::refused(&input.name, error),
    };
    inputs.iter().map(one).collect()
}

/// Reads one file, or standard input for `-`.
pub(super) fn one(path: &Path) -> Result<Input, Failure> {
    let name = name_of(path);
    Ok(Input {
        shader: shader(input::bytes(path)?, &name),
        stem: input::stem(path, "shader").to_owned(),
        name,
    })
}

fn shader(bytes: Vec<u8>, name: &str) -> Result<Program, String> {
    match recognise(bytes, is_program) {
        Content::Bytes(bytes) => {
            let ours = refuse_others(&bytes, Reader::D3d9);
            ours.and_then(|()| Program::decode(&bytes).map_err(|error| error.to_string()))
                .map_err(|reason| format!("{name}: {reason}"))
        }
        Content::Text(text) => {
            text::assemble(&text).map_err(|errors| errors.in_file(name).to_string())
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/d3d9_input.rs"]
mod tests;
