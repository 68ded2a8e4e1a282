//! `molehill shader`: one set of commands for every shader language.
//!
//! A language has a row in [`Language`] and a module that implements [`ShaderLanguage`].

mod answer;
mod commands;
mod files;
mod fuzz;
mod hull;
mod options;
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

use super::input::{Content, to_hex};
use super::{subcommands, with};
use answer::{Answer, Answers, Origin};
use commands::Command;
pub(super) use files::EXTENSIONS;
use options::Reading;
use refusal::{Findings, Refusal, Unsupported};

subcommands! {
    Shader {
        /// Assembles text to bytes
        Asm(Command<files::OutArguments>),
        /// Disassembles to text that assembles to the same bytes
        Dis(Command<options::Dis>),
        /// Checks programs and pairs: AGAL as Flash does, shaders against the rules and limits of their versions
        Check(Command<options::Check>),
        /// Translates to GLSL
        Glsl(Command<options::Glsl>),
        /// Translates AGAL to WGSL
        Wgsl(Command<options::Wgsl>),
        /// Runs a program or a pair on given inputs
        Run(Command<options::Run>),
        Convert(commands::Convert),
        /// Describes programs; of containers, shows chunks, signatures, tessellator state and phases
        Info(Command<()>),
        /// Draws a hull shader's patch as tessellated by the driver: wireframe and control points
        Draw(Command<options::Draw>),
        Registers(hull::Registers),
        Fuzz(fuzz::Fuzz),
    }
}

agal_core::table! {
    pub enum Language {
        /// The name on the command line and in JSON.
        name: &'static str,
        /// The programs, in words for messages.
        title: &'static str,
        /// The versions of GLSL that programs are translated to; the first one is the default.
        targets: &'static [Dialect],
    }
    Agal "agal", "AGAL programs", &agal::glsl::DIALECTS;
    /// Tokens of Direct3D 8 and 9: vs_1_1 to ps_3_sw.
    D3d9 "d3d9", "Direct3D 9 shaders", &d3d9::glsl::DIALECTS;
    /// DXBC containers. Only hs_5_0 can be checked, run and translated.
    Hs50 "hs50", "hull shaders", &hs50::glsl::DIALECTS;
}

/// An input whose language is known.
struct Source {
    origin: Origin,
    language: Language,
    /// The kind of program in the file's name.
    stage: Option<Stage>,
    content: Content,
}

/// A part of an answer: a program with its bytes, or the result of a command for the program.
#[derive(Default)]
struct Part {
    /// The program in words: `vertex program, AGAL 1, 2 tokens`.
    what: String,
    /// The ending of a file with the bytes.
    ending: &'static str,
    bytes: Vec<u8>,
    findings: Findings,
    json: Value,
}

impl Part {
    /// Replaces the bytes by a text, which the JSON has by this name.
    fn with_text(self, name: &'static str, text: String) -> Part {
        let json = with(self.json, [(name, text.as_str().into())]);
        Part { bytes: text.into_bytes(), json, ..self }
    }

    /// Adds the bytes to the JSON.
    fn with_hex(mut self) -> Part {
        self.json["size"] = self.bytes.len().into();
        self.json["hex"] = to_hex(&self.bytes).into();
        self
    }
}

/// The programs of one input in one language: a pair, or a single program.
trait ShaderLanguage {
    /// Reads an input.
    fn read(source: &Source, reading: &Reading) -> Result<Self, Refusal>
    where
        Self: Sized;

    /// Joins two inputs to a pair, or returns both.
    fn pair(self, other: Self) -> Result<Self, [Self; 2]>
    where
        Self: Sized,
    {
        Err([self, other])
    }

    fn language(&self) -> Language;

    fn programs(&self) -> Vec<Part>;

    /// Returns the programs with everything known about them in their JSON.
    fn info(&self) -> Result<Vec<Part>, Refusal> {
        Ok(self.programs())
    }

    fn list(&self, options: &options::Dis) -> Vec<Part>;

    /// Returns each program with its findings, and the pair with those of its link.
    fn check(&self, options: &options::Check) -> Result<Vec<Part>, Refusal>;

    fn glsl(&self, options: &options::Glsl, target: Dialect) -> Result<Vec<Part>, Refusal>;

    /// Translates AGAL to WGSL.
    fn wgsl(&self, _options: &options::Wgsl) -> Result<Vec<Part>, Refusal> {
        let (language, able) = (self.language(), Language::Agal);
        Err(Unsupported::Command { language, command: "translated to WGSL", able }.into())
    }

    fn run(&self, options: &options::Run, values: &[String]) -> Result<Vec<Part>, Refusal>;

    /// Draws a patch: returns the bytes of a PNG file.
    fn draw(&self, _options: &options::Draw) -> Result<Part, Refusal> {
        let (language, able) = (self.language(), Language::Hs50);
        Err(Unsupported::Command { language, command: "drawn", able }.into())
    }

    /// Translates AGAL to Direct3D 9 tokens.
    fn convert(&self, _model: Model) -> Result<Vec<Part>, Refusal> {
        let (language, able) = (self.language(), Language::Agal);
        Err(Unsupported::Command { language, command: "converted", able }.into())
    }
}

/// Reads the programs of a file, whose language is found from its content. Returns their kind, and what is known of them.
/// Errors: the file is no shader; the reason, if it is certain.
pub(super) fn recognised(path: &Path) -> Result<(&'static str, Vec<String>), Option<String>> {
    let command = Command::<options::Check>::augment_args(clap::Command::new("check"));
    let arguments = [OsStr::new("check"), OsStr::new("--"), path.as_os_str()];
    let matches =
        command.try_get_matches_from(arguments).map_err(|error| Some(error.to_string()))?;
    let command = Command::<options::Check>::from_arg_matches(&matches);
    let command = command.map_err(|error| Some(error.to_string()))?;
    let Answers { list, .. } = command.answers().map_err(|_| None)?;
    let Some(Answer { origin, parts, findings, .. }) = list.into_iter().next() else {
        return Err(None);
    };
    let language = origin.language.ok_or(None)?;
    if parts.is_empty() && !source::begins_as_program(path) {
        return Err(None);
    }
    let facts = parts.into_iter().map(|part| part.what);
    Ok((language.title(), facts.chain(findings.text.into_iter().take(3)).collect()))
}

/// Returns the part of a pair: the finding about its link.
fn linked(finding: Option<Findings>) -> Part {
    let (what, findings) = ("linked".to_owned(), finding.unwrap_or_default());
    Part { what, findings, json: json!({ "stage": "pair" }), ..Part::default() }
}

/// Returns the part of a vertex or a fragment shader.
fn glsl(stage: Stage, shader: String) -> Part {
    let ending = match stage {
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
    };
    let (what, json) = (stage.name().to_owned(), json!({ "stage": stage.name() }));
    Part { what, ending, json, ..Part::default() }.with_text("glsl", shader)
}
