//! The answer of a command for each of its inputs, and the exit status that follows.

use serde_json::{Value, json};

use super::refusal::{Findings, Refusal};
use super::{Language, Part};
use crate::cli::{Failure, Format, Status, output, with};
use molehill_replay::table::aligned;

/// The file of an input.
pub(super) struct Origin {
    /// The name for messages.
    pub(super) name: String,
    /// The file's name up to its first dot, for output files.
    pub(super) stem: String,
    /// `None` if the file can't be read.
    pub(super) language: Option<Language>,
}

/// The answer for one input: its parts, and all findings. An input whose language lacks the command is skipped.
pub(super) struct Answer {
    pub(super) origin: Origin,
    pub(super) parts: Vec<Part>,
    pub(super) findings: Findings,
    skipped: bool,
}

/// The answers for all inputs.
pub(super) struct Answers {
    pub(super) list: Vec<Answer>,
    pub(super) format: Format,
}

impl Answer {
    /// Takes the parts, or why there are none. Outside of a folder, this ends the command unless the input is refused.
    pub(super) fn new(
        origin: Origin,
        parts: Result<Vec<Part>, Refusal>,
        folder: bool,
    ) -> Result<Answer, Failure> {
        let mut findings = Findings::default();
        let (parts, skipped) = match parts {
            Ok(parts) => {
                parts.iter().for_each(|part| findings.join(&part.findings));
                (parts, false)
            }
            Err(Refusal::Refused(found)) => {
                findings = found;
                (Vec::new(), false)
            }
            Err(Refusal::Unsupported(why)) if folder => {
                findings = Findings::one(why);
                (Vec::new(), true)
            }
            Err(Refusal::Failed(Failure(why))) if folder => {
                findings = Findings::one(why);
                (Vec::new(), false)
            }
            Err(Refusal::Unsupported(why)) => return Err(Failure::of(&origin.name)(why)),
            Err(Refusal::Failed(failure)) => return Err(failure),
        };
        Ok(Answer { origin, parts, findings, skipped })
    }

    fn word(&self) -> &'static str {
        if self.skipped { "not checked" } else { self.findings.word() }
    }

    fn json(&self) -> Value {
        let part =
            |part: &Part| with(part.json.clone(), [("accepted", (!part.findings.refused).into())]);
        json!({
            "name": self.origin.name, "language": self.origin.language.map(Language::name),
            "accepted": !self.findings.refused, "programs": self.parts.iter().map(part).collect::<Vec<_>>(),
            "findings": self.findings.json,
        })
    }
}

impl Answers {
    /// Returns the numbers of accepted, refused and skipped inputs.
    fn counts(&self) -> [usize; 3] {
        ["accepted", "refused", "not checked"]
            .map(|word| self.list.iter().filter(|answer| answer.word() == word).count())
    }

    /// Prints the answers as JSON, or a text. Returns 1 if an input is refused, and 2 if all inputs are skipped.
    fn print(&self, text: impl FnOnce() -> String) -> Result<Status, Failure> {
        let [accepted, refused, skipped] = self.counts();
        let inputs: Vec<Value> = self.list.iter().map(Answer::json).collect();
        let json = json!({ "inputs": inputs, "accepted": accepted, "refused": refused });
        self.format.print(&json, text)?;
        if skipped == self.list.len() {
            output::complain("not tested: no input is of a language that has this command");
            return Ok(Status::Untested);
        }
        Ok(Status::of(refused == 0))
    }

    /// Prints to standard error why inputs have no parts.
    fn complain(&self) {
        for answer in self.list.iter().filter(|answer| answer.parts.is_empty()) {
            let (name, reasons) = (&answer.origin.name, answer.findings.text.join("\n"));
            let located = reasons.starts_with(&format!("{name}:"));
            output::tell(&if located { reasons } else { format!("{name}: {reasons}") });
        }
    }

    /// Prints what `write` has written to files: nothing but the JSON.
    pub(super) fn print_written(&self) -> Result<Status, Failure> {
        self.complain();
        self.print(String::new)
    }

    /// Prints the texts of all parts. With `titled`, each of several parts comes after a comment that names it.
    pub(super) fn print_texts(&self, titled: bool) -> Result<Status, Failure> {
        self.complain();
        let parts =
            self.list.iter().flat_map(|answer| answer.parts.iter().map(move |part| (answer, part)));
        let titled = titled && parts.clone().count() > 1;
        self.print(|| {
            let mut text = String::new();
            for (answer, part) in parts {
                if titled {
                    let name = answer.origin.name.replace(['\n', '\r', '\\'], " ");
                    text += &format!("// {name}: {}\n", part.what);
                }
                text += &String::from_utf8_lossy(&part.bytes);
            }
            text
        })
    }

    /// Prints the verdict on every part of a single input, or a table with a line for each input.
    pub(super) fn print_verdicts(&self) -> Result<Status, Failure> {
        self.print(|| match self.list.as_slice() {
            [answer] => {
                let name = &answer.origin.name;
                let line =
                    |part: &Part| format!("{name}: {}: {}\n", part.what, part.findings.word());
                let findings = answer.findings.text.iter().map(|finding| format!("{finding}\n"));
                answer.parts.iter().map(line).chain(findings).collect()
            }
            _ => self.table(),
        })
    }

    /// Returns a line for each input, followed by its findings, and the numbers of all.
    fn table(&self) -> String {
        let cells = |answer: &Answer| {
            // The link of a pair is no program, and has no file.
            let programs = answer.parts.iter().filter(|part| !part.ending.is_empty());
            let programs: Vec<&str> = programs.map(|part| part.what.as_str()).collect();
            vec![answer.word().to_owned(), answer.origin.name.clone(), programs.join(" + ")]
        };
        let mut text = String::new();
        let lines = aligned(&self.list.iter().map(cells).collect::<Vec<_>>(), "");
        for (line, answer) in lines.iter().zip(&self.list) {
            text += line;
            for finding in &answer.findings.text {
                text += &format!("    {}\n", finding.replace('\n', "\n    "));
            }
        }
        let ([accepted, refused, skipped], count) = (self.counts(), self.list.len());
        text += &format!("\n{count} inputs: {accepted} accepted, {refused} refused");
        text + &if skipped > 0 { format!(", {skipped} not checked\n") } else { "\n".to_owned() }
    }
}
