//! Direct3D 9 shaders from files, folders and standard input.

use std::path::Path;

use ::d3d9::{Program, text};
use clap::{Arg, ArgMatches};

use crate::cli::input::{self, Content, Reader, is_program, recognise, refuse_others};
use crate::cli::outcome::Outcome;
use crate::cli::{Failure, capture};

/// Extensions of the files that are read from a folder.
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
pub(super) fn argument() -> Arg {
    input::argument("Shaders or folders of them; - for standard input [default: -]")
}

/// Reads the argument.
///
/// # Errors
/// A file that can't be read or is too large.
pub(super) fn read(matches: &ArgMatches) -> Result<Vec<Input>, Failure> {
    let (paths, _) = input::paths(matches, &EXTENSIONS)?;
    paths.iter().map(|path| one(path)).collect()
}

/// The outcomes of a command on every shader; an input that is no shader is refused.
pub(super) fn outcomes(
    inputs: &[Input],
    mut of: impl FnMut(&Input, &Program) -> Outcome,
) -> Vec<Outcome> {
    let one = |input: &Input| match &input.shader {
        Ok(program) => of(input, program),
        Err(error) => Outcome::refused(&input.name, error),
    };
    inputs.iter().map(one).collect()
}

/// Reads one file, or standard input for `-`.
pub(super) fn one(path: &Path) -> Result<Input, Failure> {
    let name = capture::name(path);
    Ok(Input {
        shader: shader(input::bytes(path)?, &name),
        stem: input::stem(path, "shader").to_owned(),
        name,
    })
}

/// The rule of the help text.
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
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told() {
        let wrong = |bytes: &[u8]| shader(bytes.to_vec(), "x").unwrap_err();
        assert!(wrong(b"DXBC\0\0\0\0").contains("DXBC"));
        assert!(wrong(&[0xa0, 1, 0, 0, 0, 0xa1, 0]).contains("molehill agal"));
        assert!(
            wrong(b"ps_2_0\nmvo r0")
                .contains("x:2:1: unknown instruction `mvo`; did you mean `mov`?")
        );
        assert!(wrong(b"").contains("no bytes") || wrong(b"").contains("a version"));
    }
}
