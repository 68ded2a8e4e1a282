//! Flash's result for a program or a pair.

use agal::{AgalError, LinkedPair, Rules, Stage, ValidProgram, link};
use d3d9::from_agal::{native_limits, program_native_limits};
use serde_json::{Value, json};

use super::program::{Candidate, Group, complaint, error_json};
use crate::cli::with;

pub(super) struct CheckedProgram<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) valid: Result<ValidProgram, AgalError>,
}

pub(super) struct Verdict<'a> {
    pub(super) group: &'a Group,
    /// Each program; empty if the text is not valid AGAL.
    pub(super) programs: Vec<CheckedProgram<'a>>,
    /// The pair, if both programs are accepted.
    pub(super) linked: Option<Result<LinkedPair, AgalError>>,
}

/// Validates the programs of a group, and links them if there are two valid ones.
pub(super) fn check_group<'a>(group: &'a Group, rules: &Rules) -> Verdict<'a> {
    let programs = group.programs.iter().flatten();
    let programs: Vec<CheckedProgram<'_>> = programs
        .map(|candidate| CheckedProgram { candidate, valid: candidate.valid(rules) })
        .map(|program| match group.programs.as_deref() {
            // The native limits of a pair are checked after linking.
            Ok([_]) => program.counted(),
            _ => program,
        })
        .collect();
    let valid = |stage: Stage| {
        let program = programs.iter().find(|program| program.candidate.role == stage)?;
        program.valid.as_ref().ok().cloned()
    };
    let linked = valid(Stage::Vertex).zip(valid(Stage::Fragment)).map(|(vertex, fragment)| {
        let pair = link(vertex, fragment)?;
        native_limits(&pair)?;
        Ok(pair)
    });
    Verdict { group, programs, linked }
}

impl CheckedProgram<'_> {
    /// The same, additionally checked against the native limits.
    fn counted(self) -> Self {
        let valid = self.valid.and_then(|valid| {
            program_native_limits(&valid)?;
            Ok(valid)
        });
        CheckedProgram { valid, ..self }
    }

    fn json(&self) -> Value {
        let error = self.valid.as_ref().err();
        with(
            self.candidate.json(),
            [
                ("accepted", error.is_none().into()),
                ("error", error.map(|error| self.candidate.error_json(error)).into()),
            ],
        )
    }

    /// Why Flash rejects the program, and the token's line.
    pub(super) fn complaint(&self) -> Option<String> {
        let error = self.valid.as_ref().err()?;
        let mut text = complaint(error);
        if let (Some(token), Some(line)) = (error.token(), self.candidate.line(error)) {
            text += &format!("\n  token {token}: {line}");
        }
        Some(text)
    }
}

impl Verdict<'_> {
    /// Whether `Program3D.upload` would accept the group, as far as its behaviour is known.
    pub(super) fn is_accepted(&self) -> bool {
        self.group.programs.is_ok()
            && self.programs.iter().all(|program| program.valid.is_ok())
            && !matches!(self.linked, Some(Err(_)))
    }

    pub(super) fn complaints(&self) -> Vec<String> {
        let programs = self.programs.iter().filter_map(CheckedProgram::complaint);
        let linked = self.linked.as_ref().and_then(|linked| linked.as_ref().err());
        self.group.text_errors().into_iter().chain(programs).chain(linked.map(complaint)).collect()
    }

    pub(super) fn json(&self) -> Value {
        let linked = self.linked.as_ref().map(|linked| {
            let error = linked.as_ref().err();
            json!({ "accepted": error.is_none(), "error": error.map(error_json) })
        });
        let programs = self.programs.iter().map(CheckedProgram::json).collect();
        with(
            self.group.json(programs),
            [("accepted", self.is_accepted().into()), ("link", linked.into())],
        )
    }
}
