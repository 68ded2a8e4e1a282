//! The answer about a source, which the page receives as JSON.

use std::fmt::Display;

use agal::AgalError;
use agal_core::text::{TextError, TextErrors};
use serde::Serialize;

use crate::run::{InputRegister, PlayStep};

/// A text with a title, as a part of a panel.
#[derive(Debug, Serialize)]
pub struct TitledText {
    /// The title, such as `vertex program, AGAL 1, 2 tokens`.
    pub title: String,
    pub text: String,
}

/// The texts of a panel, or the reason why the panel is empty.
pub type Panel = Result<Vec<TitledText>, String>;

/// An error or a warning about a source.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Problem {
    /// The severity, `error` or `warning`.
    pub severity: &'static str,
    /// The 1-based line and column in a text source.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// For a source of bytes: the index of the program, and the 1-based index of the token.
    pub token: Option<(usize, u32)>,
    /// Flash's error number, if the problem is an error of Flash.
    pub number: Option<u16>,
    pub message: String,
}

impl Problem {
    /// Creates an error without a position in the source.
    pub(crate) fn error(message: impl Display) -> Problem {
        Problem { severity: "error", message: message.to_string(), ..Problem::default() }
    }

    /// Creates a problem from an error or warning of an assembler.
    pub(crate) fn of_text<K: Display>(severity: &'static str, error: &TextError<K>) -> Problem {
        let suggestion = error.suggestion.as_ref();
        let hint = suggestion.map(|word| format!("; did you mean `{word}`?"));
        Problem {
            severity,
            line: Some(error.line),
            column: Some(error.column),
            message: format!("{}{}", error.kind, hint.unwrap_or_default()),
            ..Problem::default()
        }
    }

    /// Creates the message for Flash's error in shader `index` of the pair.
    pub(crate) fn of_flash(index: usize, error: &AgalError, line: Option<u32>) -> Problem {
        let (number, class) = (error.number(), error.class().name());
        Problem {
            line,
            token: error.token().map(|token| (index, token)),
            number: Some(number),
            ..Problem::error(format!("Error #{number} ({class}): {}", error.message()))
        }
    }
}

/// All of the playground's results about a source.
#[derive(Debug, Serialize)]
pub struct PlayAnswer {
    /// The name of the source's language.
    pub language: &'static str,
    /// A description of each program.
    pub programs: Vec<String>,
    pub problems: Vec<Problem>,
    /// Text that assembles to the bytes of the source, if the source is bytes.
    pub text: Option<String>,
    pub listing: Panel,
    pub glsl: Panel,
    pub wgsl: Panel,
    pub d3d9: Panel,
    /// The input registers of the programs, vertex program first.
    pub inputs: Vec<InputRegister>,
    pub steps: Vec<PlayStep>,
}

/// The reason for an empty panel if the source has errors.
const REFUSED: &str = "The program has errors.";

impl PlayAnswer {
    pub(crate) fn new(language: &'static str) -> PlayAnswer {
        let empty = || Err(REFUSED.to_owned());
        PlayAnswer {
            language,
            programs: Vec::new(),
            problems: Vec::new(),
            text: None,
            listing: empty(),
            glsl: empty(),
            wgsl: empty(),
            d3d9: empty(),
            inputs: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns the answer for a source with one problem.
    pub(crate) fn refused(language: &'static str, problem: Problem) -> PlayAnswer {
        PlayAnswer { problems: vec![problem], ..PlayAnswer::new(language) }
    }

    /// Returns the answer to a source whose assembly failed, with the errors as problems.
    pub(crate) fn of_text<K: Display>(
        language: &'static str,
        errors: &TextErrors<K>,
    ) -> PlayAnswer {
        let problems = errors.iter().map(|error| Problem::of_text("error", error)).collect();
        PlayAnswer { problems, ..PlayAnswer::new(language) }
    }

    /// For a source in another language, shows in the WGSL and Direct3D 9 panels that only AGAL is translated.
    pub(crate) fn only_agal(self, language: &str) -> PlayAnswer {
        let none = |what: &str| Err(format!("Only AGAL is translated to {what}, not {language}."));
        PlayAnswer { wgsl: none("WGSL"), d3d9: none("Direct3D 9 tokens"), ..self }
    }
}
