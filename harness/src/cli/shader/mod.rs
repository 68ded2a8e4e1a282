//! `molehill shader`: one set of commands for every shader language.
//!
//! Each language has an entry in [`ShaderForm`] and a module that implements [`ShaderLanguage`].

mod commands;
mod files;
mod fuzz;
mod hull;
mod options;
mod outcome;
mod patch;
mod programs;
mod refusal;
mod results;
mod source;
mod tokens;
mod values;

use std::ffi::OsStr;
use std::path::Path;

use agal::Stage;
use agal::glsl::Dialect;
use clap::{Args as _, FromArgMatches as _};
use d3d9::from_agal::Model;
use serde_json::{Value, json};

use super::input::{InputContent, to_hex};
use super::{subcommands, with};
use commands::{ShaderCommand, ToTokens};
pub(super) use files::EXTENSIONS;
use options::ReadOptions;
use outcome::{InputResult, ProgramOrigin, ShaderResults};
use refusal::{ProgramFindings, ShaderRefusal, UnsupportedOption};

subcommands! {
    Shader {
        /// Assembles text to bytes
        Asm(ShaderCommand<files::OutArguments>),
        /// Disassembles to text that assembles to the same bytes
        Dis(ShaderCommand<options::Dis>),
        /// Validates programs and pairs: AGAL like Flash, other shaders against the rules and limits of their versions
        Check(ShaderCommand<options::CheckArguments>),
        /// Translates to GLSL
        Glsl(ShaderCommand<options::Glsl>),
        /// Translates AGAL to WGSL
        Wgsl(ShaderCommand<options::Wgsl>),
        /// Runs a program or a pair on given inputs
        Run(ShaderCommand<options::Run>),
        Convert(ToTokens),
        /// Describes programs, and the chunks, signatures, tessellator state and phases of containers
        Info(ShaderCommand<()>),
        /// Draws a hull shader's patch as the driver tessellates it: wireframe and control points
        Draw(ShaderCommand<options::DrawArguments>),
        Registers(hull::Registers),
        Fuzz(fuzz::Fuzz),
    }
}

agal_core::table! {
    pub enum ShaderForm {
        /// The language's name on the command line and in JSON.
        name: &'static str,
        /// The name of the language's programs in messages.
        title: &'static str,
        /// The GLSL dialects to which the language's programs can be translated. The first dialect is the default.
        targets: &'static [Dialect],
    }
    Agal "agal", "AGAL programs", &agal::glsl::DIALECTS;
    /// Tokens of Direct3D 8 and 9: vs_1_1 to ps_3_sw.
    D3d9 "d3d9", "Direct3D 9 shaders", &d3d9::glsl::DIALECTS;
    /// Direct3D 11 shaders in DXBC containers. Only hull shaders (hs_5_0) can be validated, run and translated.
    Hs50 "hs50", "hull shaders", &hs50::glsl::DIALECTS;
}

/// An input file with a shader whose language is known.
struct ShaderSource {
    origin: ProgramOrigin,
    language: ShaderForm,
    /// The shader stage, if the file's name contains it.
    stage: Option<Stage>,
    content: InputContent,
}

/// A command's result for one program of an input, such as the program's bytes.
#[derive(Default)]
struct ProgramResult {
    /// A description of the program: `vertex program, AGAL 1, 2 tokens`.
    what: String,
    /// The extension of the file for the program's bytes; empty for a result about a pair's link.
    ending: &'static str,
    bytes: Vec<u8>,
    findings: ProgramFindings,
    json: Value,
}

impl ProgramResult {
    /// Replaces the program's bytes with a text. Adds the text to the result's JSON under the key `name`.
    fn with_text(self, name: &'static str, text: String) -> ProgramResult {
        let json = with(self.json, [(name, text.as_str().into())]);
        ProgramResult { bytes: text.into_bytes(), json, ..self }
    }

    fn with_hex(mut self) -> ProgramResult {
        self.json["size"] = self.bytes.len().into();
        self.json["hex"] = to_hex(&self.bytes).into();
        self
    }
}

/// The programs of one input in one language: a pair, or a single program.
trait ShaderLanguage {
    fn read(source: &ShaderSource, reading: &ReadOptions) -> Result<Self, ShaderRefusal>
    where
        Self: Sized;

    /// Combines two inputs to a pair of programs. If the two inputs can't be a pair, returns both as the error.
    fn pair(self, other: Self) -> Result<Self, [Self; 2]>
    where
        Self: Sized,
    {
        Err([self, other])
    }

    fn language(&self) -> ShaderForm;

    fn programs(&self) -> Vec<ProgramResult>;

    /// Returns the programs with all their known properties as JSON.
    fn info(&self) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        Ok(self.programs())
    }

    fn list(&self, options: &options::Dis) -> Vec<ProgramResult>;

    /// Returns the validation results of each program and of the link of a pair.
    fn check(&self, options: &options::CheckArguments)
    -> Result<Vec<ProgramResult>, ShaderRefusal>;

    fn glsl(
        &self,
        options: &options::Glsl,
        target: Dialect,
    ) -> Result<Vec<ProgramResult>, ShaderRefusal>;

    fn wgsl(&self, _options: &options::Wgsl) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let (language, able) = (self.language(), ShaderForm::Agal);
        Err(UnsupportedOption::Command { language, command: "translated to WGSL", able }.into())
    }

    fn run(
        &self,
        options: &options::Run,
        values: &[String],
    ) -> Result<Vec<ProgramResult>, ShaderRefusal>;

    fn draw(&self, _options: &options::DrawArguments) -> Result<ProgramResult, ShaderRefusal> {
        let (language, able) = (self.language(), ShaderForm::Hs50);
        Err(UnsupportedOption::Command { language, command: "drawn", able }.into())
    }

    fn convert(&self, _model: Model) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let (language, able) = (self.language(), ShaderForm::Agal);
        Err(UnsupportedOption::Command { language, command: "converted", able }.into())
    }
}

/// Reads the programs of a file, whose language is found from the content. Returns the name of the language, and a
/// description of the programs. The error says why the file is no shader, if the reason is known.
pub(super) fn recognised(path: &Path) -> Result<(&'static str, Vec<String>), Option<String>> {
    let command =
        ShaderCommand::<options::CheckArguments>::augment_args(clap::Command::new("check"));
    let arguments = [OsStr::new("check"), OsStr::new("--"), path.as_os_str()];
    let matches =
        command.try_get_matches_from(arguments).map_err(|error| Some(error.to_string()))?;
    let command = ShaderCommand::<options::CheckArguments>::from_arg_matches(&matches);
    let command = command.map_err(|error| Some(error.to_string()))?;
    let ShaderResults { list, .. } = command.results().map_err(|_| None)?;
    let Some(InputResult { origin, parts, findings, .. }) = list.into_iter().next() else {
        return Err(None);
    };
    let language = origin.language.ok_or(None)?;
    if parts.is_empty() && !source::begins_as_program(path) {
        return Err(None);
    }
    let facts = parts.into_iter().map(|part| part.what);
    Ok((language.title(), facts.chain(findings.text.into_iter().take(3)).collect()))
}

/// Returns the result of linking a pair of programs.
fn linked(finding: Option<ProgramFindings>) -> ProgramResult {
    let (what, findings) = ("linked".to_owned(), finding.unwrap_or_default());
    ProgramResult { what, findings, json: json!({ "stage": "pair" }), ..ProgramResult::default() }
}

fn glsl(stage: Stage, shader: String) -> ProgramResult {
    let ending = match stage {
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
    };
    let (what, json) = (stage.name().to_owned(), json!({ "stage": stage.name() }));
    ProgramResult { what, ending, json, ..ProgramResult::default() }.with_text("glsl", shader)
}
