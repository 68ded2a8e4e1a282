//! The reasons why a program is rejected, or why a command has no result for an input.

use std::fmt::Display;

use agal::glsl::Dialect;
use agal_core::text::{TextError, TextErrors};
use serde_json::{Value, json};
use thiserror::Error;

use super::Language;
use crate::cli::Failure;

/// The diagnostics of a program, as text and as JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    /// True if the program is rejected, because one of the diagnostics is an error.
    pub(super) refused: bool,
    pub(super) text: Vec<String>,
    pub(super) json: Vec<Value>,
}

/// The reason why a command has no result for an input.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The input violates rules of its shader language, so the exit status is 1.
    Refused(Findings),
    /// The command doesn't support the shader language, so the exit status is 2.
    Unsupported(Unsupported),
    /// Another error occurred, so the exit status is 2.
    Failed(Failure),
}

/// A command or an option that doesn't support a shader language.
#[derive(Debug, Error)]
pub(super) enum Unsupported {
    #[error("{} can't be {command}; {} can", .language.title(), .able.title())]
    Command { language: Language, command: &'static str, able: Language },
    #[error("{} have no option {option}", .language.title())]
    Option { language: Language, option: String },
    #[error("{} are not translated to {target}; use {}", .language.title(), targets(*.language))]
    Target { language: Language, target: Dialect },
    #[error(transparent)]
    NotHull(#[from] hs50::check::NotHull),
    #[error("two Direct3D 9 shaders can't run together; choose one")]
    Pair,
}

fn targets(language: Language) -> String {
    language.targets().iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
}

impl From<Unsupported> for Refusal {
    fn from(error: Unsupported) -> Self {
        Refusal::Unsupported(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Refusal::Failed(failure)
    }
}

/// Returns the rejection of a program for one reason, for use with `map_err`.
pub(super) fn refused(error: impl Display) -> Refusal {
    Refusal::Refused(Findings::one(error))
}

impl Findings {
    /// Returns diagnostics with a single error.
    pub(super) fn one(error: impl Display) -> Findings {
        let text = error.to_string();
        let json = json!({ "severity": "error", "message": text });
        Findings { refused: true, text: vec![text], json: vec![json] }
    }

    pub(super) fn word(&self) -> &'static str {
        if self.refused { "refused" } else { "accepted" }
    }

    pub(super) fn join(&mut self, other: &Findings) {
        self.refused |= other.refused;
        self.text.extend_from_slice(&other.text);
        self.json.extend_from_slice(&other.json);
    }
}

impl Refusal {
    /// Returns the rejection of assembly source with its errors.
    pub(super) fn of_text<K: Display>(name: &str, errors: &TextErrors<K>) -> Refusal {
        let json = errors.iter().map(|error| text_error(error, "error")).collect();
        let text = vec![errors.in_file(name).to_string()];
        Refusal::Refused(Findings { refused: true, text, json })
    }
}

/// Returns an error or a warning about assembly source as JSON.
pub(super) fn text_error<K: Display>(error: &TextError<K>, severity: &str) -> Value {
    json!({
        "severity": severity, "line": error.line, "column": error.column, "message": error.kind.to_string(),
        "suggestion": error.suggestion, "source": error.source_line,
    })
}
