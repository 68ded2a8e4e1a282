//! The results of a shader command for its inputs, and the resulting exit status.

use serde_json::{Value, json};

use super::refusal::{ProgramFindings, ShaderRefusal};
use super::{ProgramResult, ShaderForm};
use crate::cli::{CommandFailure, CommandStatus, OutputFormat, output, with};
use molehill_replay::table::aligned;

pub(super) struct ProgramOrigin {
    pub(super) name: String,
    /// The input file's name up to its first dot, for the names of output files.
    pub(super) stem: String,
    /// The shader language of the input, or `None` if the file can't be read.
    pub(super) language: Option<ShaderForm>,
}

/// The result for one input: its programs, and all diagnostics. Unsupported languages are skipped.
pub(super) struct InputResult {
    pub(super) origin: ProgramOrigin,
    pub(super) parts: Vec<ProgramResult>,
    pub(super) findings: ProgramFindings,
    skipped: bool,
}

pub(super) struct ShaderResults {
    pub(super) list: Vec<InputResult>,
    pub(super) format: OutputFormat,
}

impl InputResult {
    /// Creates the result of an input from its programs, or from the reason why the command has none. Rejected source
    /// is always a result. For an input that isn't from a folder, any other reason is an error.
    pub(super) fn new(
        origin: ProgramOrigin,
        parts: Result<Vec<ProgramResult>, ShaderRefusal>,
        folder: bool,
    ) -> Result<InputResult, CommandFailure> {
        let rejected = |findings| (Vec::new(), findings, false);
        let (parts, findings, skipped) = match parts {
            Ok(parts) => {
                let mut findings = ProgramFindings::default();
                parts.iter().for_each(|part| findings.join(&part.findings));
                (parts, findings, false)
            }
            Err(ShaderRefusal::Refused(findings)) => rejected(findings),
            Err(ShaderRefusal::Failed(CommandFailure(why))) if folder => {
                rejected(ProgramFindings::one(why))
            }
            Err(ShaderRefusal::Unsupported(why)) if folder => {
                (Vec::new(), ProgramFindings::one(why), true)
            }
            Err(ShaderRefusal::Unsupported(why)) => {
                return Err(CommandFailure::of(&origin.name)(why));
            }
            Err(ShaderRefusal::Failed(failure)) => return Err(failure),
        };
        Ok(InputResult { origin, parts, findings, skipped })
    }

    fn word(&self) -> &'static str {
        if self.skipped { "not checked" } else { self.findings.word() }
    }

    fn json(&self) -> Value {
        let part = |part: &ProgramResult| {
            with(part.json.clone(), [("accepted", (!part.findings.refused).into())])
        };
        json!({
            "name": self.origin.name, "language": self.origin.language.map(ShaderForm::name),
            "accepted": !self.findings.refused, "programs": self.parts.iter().map(part).collect::<Vec<_>>(),
            "findings": self.findings.json,
        })
    }
}

impl ShaderResults {
    /// Returns the numbers of accepted, rejected and skipped inputs.
    fn counts(&self) -> [usize; 3] {
        ["accepted", "refused", "not checked"]
            .map(|word| self.list.iter().filter(|result| result.word() == word).count())
    }

    /// Prints the results as JSON, or the text. The exit status is 1 if an input is rejected, 2 if all are skipped.
    fn print(&self, text: impl FnOnce() -> String) -> Result<CommandStatus, CommandFailure> {
        let [accepted, refused, skipped] = self.counts();
        let inputs: Vec<Value> = self.list.iter().map(InputResult::json).collect();
        let json = json!({ "inputs": inputs, "accepted": accepted, "refused": refused });
        self.format.print(&json, text)?;
        if skipped == self.list.len() {
            output::complain("not tested: no input has a language with this command");
            return Ok(CommandStatus::Untested);
        }
        Ok(CommandStatus::of(refused == 0))
    }

    /// Prints to standard error the reasons why inputs have no result.
    fn complain(&self) {
        for result in self.list.iter().filter(|result| result.parts.is_empty()) {
            let (name, reasons) = (&result.origin.name, result.findings.text.join("\n"));
            let located = reasons.starts_with(&format!("{name}:"));
            output::tell(&if located { reasons } else { format!("{name}: {reasons}") });
        }
    }

    /// Prints the results of a command that writes files, if JSON is requested.
    pub(super) fn print_written(&self) -> Result<CommandStatus, CommandFailure> {
        self.complain();
        self.print(String::new)
    }

    /// Prints the texts of all programs. If `titled` is true, a comment names each of several programs.
    pub(super) fn print_texts(&self, titled: bool) -> Result<CommandStatus, CommandFailure> {
        self.complain();
        let parts =
            self.list.iter().flat_map(|result| result.parts.iter().map(move |part| (result, part)));
        let titled = titled && parts.clone().count() > 1;
        self.print(|| {
            let mut text = String::new();
            for (result, part) in parts {
                if titled {
                    let name = result.origin.name.replace(['\n', '\r', '\\'], " ");
                    text += &format!("// {name}: {}\n", part.what);
                }
                text += &String::from_utf8_lossy(&part.bytes);
            }
            text
        })
    }

    /// Prints the verdict on each program of a single input, or a table with a line for each of several inputs.
    pub(super) fn print_verdicts(&self) -> Result<CommandStatus, CommandFailure> {
        self.print(|| match self.list.as_slice() {
            [InputResult { origin: ProgramOrigin { name, .. }, parts, findings, .. }] => {
                let lines = parts
                    .iter()
                    .map(|part| format!("{name}: {}: {}\n", part.what, part.findings.word()));
                lines.chain(findings.text.iter().map(|finding| format!("{finding}\n"))).collect()
            }
            _ => self.table(),
        })
    }

    /// Returns a table with a line for each input, followed by its diagnostics, and the total counts.
    fn table(&self) -> String {
        let cells = |result: &InputResult| {
            // Leave out results about the link of a pair, because their extension is empty.
            let programs = result.parts.iter().filter(|part| !part.ending.is_empty());
            let programs: Vec<&str> = programs.map(|part| part.what.as_str()).collect();
            vec![result.word().to_owned(), result.origin.name.clone(), programs.join(" + ")]
        };
        let mut text = String::new();
        let lines = aligned(&self.list.iter().map(cells).collect::<Vec<_>>(), "");
        for (line, result) in lines.iter().zip(&self.list) {
            text += line;
            for finding in &result.findings.text {
                text += &format!("    {}\n", finding.replace('\n', "\n    "));
            }
        }
        let ([accepted, refused, skipped], count) = (self.counts(), self.list.len());
        text += &format!("\n{count} inputs: {accepted} accepted, {refused} refused");
        text + &if skipped > 0 { format!(", {skipped} not checked\n") } else { "\n".to_owned() }
    }
}
