//! The reasons why a program is rejected, or why a command has no result for an input.

use std::fmt::Display;

use agal::glsl::Dialect;
use agal_core::text::{TextError, TextErrors};
use serde_json::{Value, json};
use thiserror::Error;

use super::ShaderForm;
use crate::cli::CommandFailure;

/// The diagnostics of a program, as text and as JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramFindings {
    /// True if the program is rejected, because one of the diagnostics is an error.
    pub(super) refused: bool,
    pub(super) text: Vec<String>,
    pub(super) json: Vec<Value>,
}

/// The reason why a command has no result for an input.
#[derive(Debug)]
pub(super) enum ShaderRefusal {
    /// The input violates rules of its shader language, so the exit status is 1.
    Refused(ProgramFindings),
    /// The command doesn't support the shader language, so the exit status is 2.
    Unsupported(UnsupportedOption),
    /// The command failed without a rejected input or an unsupported option, so the exit status is 2.
    Failed(CommandFailure),
}

/// A command or an option that doesn't support a shader language.
#[derive(Debug, Error)]
pub(super) enum UnsupportedOption {
    #[error("{} can't be {command}; {} can", .language.title(), .able.title())]
    Command { language: ShaderForm, command: &'static str, able: ShaderForm },
    #[error("{} have no option {option}", .language.title())]
    Option { language: ShaderForm, option: String },
    #[error("{} are not translated to {target}; use {}", .language.title(), targets(*.language))]
    Target { language: ShaderForm, target: Dialect },
    #[error(transparent)]
    NotHull(#[from] hs50::check::NotHullError),
    #[error("two Direct3D 9 shaders can't run together; choose one")]
    Pair,
}

fn targets(language: ShaderForm) -> String {
    language.targets().iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
}

impl From<UnsupportedOption> for ShaderRefusal {
    fn from(error: UnsupportedOption) -> Self {
        ShaderRefusal::Unsupported(error)
    }
}

impl From<CommandFailure> for ShaderRefusal {
    fn from(failure: CommandFailure) -> Self {
        ShaderRefusal::Failed(failure)
    }
}

/// Returns the rejection of a program for one reason, for use with `map_err`.
pub(super) fn refused(error: impl Display) -> ShaderRefusal {
    ShaderRefusal::Refused(ProgramFindings::one(error))
}

impl ProgramFindings {
    /// Returns diagnostics with a single error.
    pub(super) fn one(error: impl Display) -> ProgramFindings {
        let text = error.to_string();
        let json = json!({ "severity": "error", "message": text });
        ProgramFindings { refused: true, text: vec![text], json: vec![json] }
    }

    pub(super) fn word(&self) -> &'static str {
        if self.refused { "refused" } else { "accepted" }
    }

    pub(super) fn join(&mut self, other: &ProgramFindings) {
        self.refused |= other.refused;
        self.text.extend_from_slice(&other.text);
        self.json.extend_from_slice(&other.json);
    }
}

impl ShaderRefusal {
    /// Returns the rejection of assembly source with its errors.
    pub(super) fn of_text<K: Display>(name: &str, errors: &TextErrors<K>) -> ShaderRefusal {
        let json = errors.iter().map(|error| text_error(error, "error")).collect();
        let text = vec![errors.in_file(name).to_string()];
        ShaderRefusal::Refused(ProgramFindings { refused: true, text, json })
    }
}

/// Returns an error or a warning about assembly source as JSON.
pub(super) fn text_error<K: Display>(error: &TextError<K>, severity: &str) -> Value {
    json!({
        "severity": severity, "line": error.line, "column": error.column, "message": error.kind.to_string(),
        "suggestion": error.suggestion, "source": error.source_line,
    })
}
