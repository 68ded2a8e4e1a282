//! Reads shader programs from files, folders and standard input, and detects their language from the content.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use agal::Stage;
use agal::opcode::AgalOpcode;
use d3d9::FileKind;
use hs50::program::ProgramVersion;

use super::files::EXTENSIONS;
use super::hull::HullShader;
use super::options::{ReadOptions, RestrictedOptions};
use super::outcome::{InputResult, ProgramOrigin, ShaderResults};
use super::programs::ProgramInput;
use super::refusal::ShaderRefusal;
use super::tokens::Tokens;
use super::{ProgramResult, ShaderForm, ShaderLanguage, ShaderSource};
use crate::cli::capture_argument::name;
use crate::cli::input::{self, InputContent};
use crate::cli::{CommandFailure, OutputFormat, choice, named};

/// A function that decodes the bytes of an input.
type Decode = fn(Vec<u8>) -> Result<InputContent, String>;

const FORMATS: [(Decode, &str); 4] = [
    (|bytes| String::from_utf8(bytes).map(InputContent::Text).map_err(|it| it.to_string()), "text"),
    (|bytes| Ok(InputContent::Bytes(bytes)), "raw"),
    (|bytes| written(&bytes, input::from_hex).ok_or("not hexadecimal".to_owned()), "hex"),
    (|bytes| written(&bytes, input::from_base64).ok_or("not base64".to_owned()), "base64"),
];

fn written(bytes: &[u8], decode: fn(&str) -> Option<Vec<u8>>) -> Option<InputContent> {
    std::str::from_utf8(bytes).ok().and_then(decode).map(InputContent::Bytes)
}

/// The arguments of each command with inputs: the programs, reading options, and the output format.
#[derive(clap::Args)]
pub(super) struct CommandInputs {
    #[command(flatten)]
    given: RestrictedOptions,
    /// Programs, pairs or folders of them; - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Language of the input [default: found from the content]
    #[arg(long, value_parser = named(ShaderForm::ALL, ShaderForm::name))]
    language: Option<ShaderForm>,
    /// Format of the input [default: found from the content]
    #[arg(long, value_parser = choice(FORMATS))]
    format: Option<Decode>,
    #[command(flatten)]
    reading: ReadOptions,
    #[command(flatten)]
    output: OutputFormat,
}

/// An input with its shader programs, or with the reason why it can't be read.
type ShaderInput<L> = (ProgramOrigin, Result<L, ShaderRefusal>);

impl CommandInputs {
    /// Calls the function `of` for each input, and returns the results. Two inputs of the same language may form a
    /// pair. In a folder, unreadable files and unsupported languages are skipped; otherwise they are errors.
    pub(super) fn results(
        &self,
        mut of: impl FnMut(
            &ProgramOrigin,
            &dyn ShaderLanguage,
        ) -> Result<Vec<ProgramResult>, ShaderRefusal>,
    ) -> Result<ShaderResults, CommandFailure> {
        let (paths, folder) = input::paths(&self.files, &EXTENSIONS)?;
        let pair = !folder && paths.len() == 2;
        let mut list = Vec::new();
        for paths in paths.chunks(if pair { 2 } else { 1 }) {
            let sources = paths.iter().map(|path| self.source(path)).collect::<Result<_, _>>();
            let units = match sources {
                Ok(sources) => self.units(sources),
                Err(failure) => {
                    vec![(origin(&paths[0], None), Err(ShaderRefusal::Failed(failure)))]
                }
            };
            for (origin, shader) in units {
                let parts = shader.and_then(|shader| of(&origin, &*shader));
                list.push(InputResult::new(origin, parts, folder)?);
            }
        }
        Ok(ShaderResults { list, format: self.output })
    }

    /// Removes register values from the arguments and returns them.
    pub(super) fn take_values(&mut self) -> Vec<String> {
        let all = std::mem::take(&mut self.files).into_iter().enumerate();
        let (values, files): (Vec<_>, Vec<_>) = all.partition(|(number, argument)| {
            let text = argument.to_string_lossy();
            text.contains('=') || *number > 0 && text != "-" && !argument.is_file()
        });
        self.files = files.into_iter().map(|(_, path)| path).collect();
        if !values.is_empty() {
            self.given.values();
        }
        values.into_iter().map(|(_, value)| value.to_string_lossy().into_owned()).collect()
    }

    /// Reads one input file, or standard input for `-`, and detects its language.
    fn source(&self, path: &Path) -> Result<ShaderSource, CommandFailure> {
        let bytes = input::bytes(path)?;
        let read = self.format.unwrap_or(|bytes| Ok(input::recognise(bytes)));
        let found = read(bytes).and_then(|content| {
            let language = match (self.language, &content) {
                (Some(language), _) => language,
                (None, InputContent::Bytes(bytes)) => language_of_bytes(bytes)?,
                (None, InputContent::Text(text)) => language_of_text(text),
            };
            Ok((language, content))
        });
        let (language, content) = found.map_err(|reason| input::failure(path, reason))?;
        let file = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        let stage = file.split('.').skip(1).find_map(stage);
        Ok(ShaderSource { origin: origin(path, Some(language)), language, stage, content })
    }

    fn units(&self, sources: Vec<ShaderSource>) -> Vec<ShaderInput<Box<dyn ShaderLanguage>>> {
        match sources.as_slice() {
            [one, two] if one.language != two.language => {
                sources.into_iter().flat_map(|source| self.units(vec![source])).collect()
            }
            [one, ..] => match one.language {
                ShaderForm::Agal => self.read::<ProgramInput>(sources),
                ShaderForm::D3d9 => self.read::<Tokens>(sources),
                ShaderForm::Hs50 => self.read::<HullShader>(sources),
            },
            [] => Vec::new(),
        }
    }

    fn read<L: ShaderLanguage + 'static>(
        &self,
        sources: Vec<ShaderSource>,
    ) -> Vec<ShaderInput<Box<dyn ShaderLanguage>>> {
        let one = |source: ShaderSource| {
            let known = self.given.check(source.language);
            let shader =
                known.map_err(ShaderRefusal::from).and_then(|()| L::read(&source, &self.reading));
            (source.origin, shader)
        };
        let read: Vec<ShaderInput<L>> = sources.into_iter().map(one).collect();
        let units = match <[ShaderInput<L>; 2]>::try_from(read) {
            Ok([(one, Ok(first)), (two, Ok(second))]) => match first.pair(second) {
                Ok(pair) => {
                    let name = format!("{} + {}", one.name, two.name);
                    vec![(ProgramOrigin { name, ..one }, Ok(pair))]
                }
                Err([first, second]) => vec![(one, Ok(first)), (two, Ok(second))],
            },
            Ok(both) => both.into(),
            Err(read) => read,
        };
        let boxed = |shader| Box::new(shader) as Box<dyn ShaderLanguage>;
        units.into_iter().map(|(origin, shader)| (origin, shader.map(boxed))).collect()
    }
}

fn origin(path: &Path, language: Option<ShaderForm>) -> ProgramOrigin {
    ProgramOrigin { name: name(path), stem: input::stem(path, "shader").to_owned(), language }
}

/// Returns the shader stage that a dot-separated component of a file's name stands for.
fn stage(part: &str) -> Option<Stage> {
    match part.to_ascii_lowercase().as_str() {
        "vsh" | "vert" | "vertex" => Some(Stage::Vertex),
        "fsh" | "frag" | "fragment" => Some(Stage::Fragment),
        _ => None,
    }
}

/// Detects the shader language of a binary input from its first bytes.
fn language_of_bytes(bytes: &[u8]) -> Result<ShaderForm, String> {
    match d3d9::file_kind(bytes) {
        FileKind::Agal => Ok(ShaderForm::Agal),
        FileKind::Shader(_) | FileKind::OtherVersion(_) => Ok(ShaderForm::D3d9),
        FileKind::Dxbc => Ok(ShaderForm::Hs50),
        FileKind::Effect => {
            Err("this is a Direct3D 9 effect (fx_2_0); extract its shaders first".to_owned())
        }
        FileKind::Unknown if input::is_agal(bytes) => Ok(ShaderForm::Agal),
        FileKind::Unknown => {
            Err("not a shader: neither AGAL bytecode, Direct3D 9 tokens nor a DXBC \
            container; --language reads a damaged shader"
                .to_owned())
        }
    }
}

/// Detects the shader language of assembly source from the version in the first line of code; the default is AGAL.
fn language_of_text(text: &str) -> ShaderForm {
    let word = first_word(text);
    if d3d9::ShaderVersion::from_name(&word).is_some() {
        ShaderForm::D3d9
    } else if ProgramVersion::from_name(&word).is_some() {
        ShaderForm::Hs50
    } else {
        ShaderForm::Agal
    }
}

/// Returns the first word of assembly source after comments, in lower case.
fn first_word(text: &str) -> String {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut code =
        lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with(';'));
    let word = code.next().and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    word.to_ascii_lowercase()
}

/// Returns whether a file seems to be a shader, perhaps with errors: known bytes, or text that begins like one.
pub(super) fn begins_as_program(path: &Path) -> bool {
    let Ok(bytes) = input::bytes(path) else { return false };
    match input::recognise(bytes) {
        InputContent::Bytes(bytes) => language_of_bytes(&bytes).is_ok(),
        InputContent::Text(text) => {
            let is_opcode = AgalOpcode::from_name(&first_word(&text)).is_some();
            is_opcode || language_of_text(&text) != ShaderForm::Agal
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/shader_source.rs"]
mod tests;
