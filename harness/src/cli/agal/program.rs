//! Converts inputs to programs: texts are assembled, bytes are decoded.

use agal::asm::{AsmError, AsmErrors, Defaults, assemble_text, stage_of};
use agal::{AgalError, Endian, Program, Rules, Stage, ValidProgram, asm, validate};
use serde_json::{Value, json};

use super::arguments::Inputs;
use super::input::{self, Input};
use crate::cli::input::Content;
use crate::cli::{Failure, output, with};

/// A program with its argument position in `Program3D.upload`.
pub(super) struct Candidate {
    pub(super) role: Stage,
    pub(super) bytes: Vec<u8>,
    /// The program, or the error of its form.
    pub(super) program: Result<Program, AgalError>,
}

/// The programs of one input, or a pair from two inputs.
pub(super) struct Group {
    pub(super) name: String,
    /// Name for output files.
    pub(super) stem: String,
    /// One or two programs, or the errors of the text.
    pub(super) programs: Result<Vec<Candidate>, AsmErrors>,
    pub(super) warnings: Vec<AsmError>,
}

pub(super) fn groups(inputs: &Inputs) -> Result<Vec<Group>, Failure> {
    let (list, folder) = input::read(inputs)?;
    let defaults = inputs.reading.defaults();
    let groups = list.iter().map(|input| group(input, &defaults));
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    Ok(if folder { groups } else { paired(groups) })
}

/// Joins two single programs of different kinds to a pair.
pub(super) fn paired(mut groups: Vec<Group>) -> Vec<Group> {
    let roles: Vec<Stage> = groups.iter().filter_map(Group::only).collect();
    if groups.len() != 2 || roles.len() != 2 || roles.first() == roles.last() {
        return groups;
    }
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let (name, stem) = (names.join(" + "), groups[0].stem.clone());
    let warnings =
        groups.iter_mut().flat_map(|group| std::mem::take(&mut group.warnings)).collect();
    let programs = groups.drain(..).filter_map(|group| group.programs.ok());
    let mut programs: Vec<Candidate> = programs.flatten().collect();
    programs.sort_by_key(|candidate| candidate.role.code());
    vec![Group { name, stem, programs: Ok(programs), warnings }]
}

impl Group {
    pub(super) fn text_errors(&self) -> Option<String> {
        let errors = self.programs.as_ref().err()?;
        Some(errors.in_file(&self.name).to_string())
    }

    pub(super) fn json(&self, programs: Vec<Value>) -> Value {
        let wrong = self.programs.as_ref().err().map(text_errors_json);
        let warnings: Vec<Value> = self.warnings.iter().map(text_error_json).collect();
        json!({ "name": self.name, "programs": programs, "text": wrong, "warnings": warnings })
    }

    fn only(&self) -> Option<Stage> {
        match self.programs.as_deref() {
            Ok([candidate]) => Some(candidate.role),
            _ => None,
        }
    }
}

/// Reads an input, and prints the warnings of its text.
pub(super) fn group(input: &Input, defaults: &Defaults) -> Result<Group, Failure> {
    let mut warnings = Vec::new();
    let programs = match &input.content {
        Content::Bytes(bytes) => {
            let kind = bytes.get(6).copied().and_then(Stage::from_code);
            let role = defaults.stage.or(input.stage).or(kind);
            let role = role.unwrap_or(Stage::Vertex);
            Ok(vec![Candidate {
                role,
                bytes: bytes.clone(),
                program: Program::decode(bytes, Endian::Little, role),
            }])
        }
        Content::Text(text) => assembled(input, text, defaults, &mut warnings)?,
    };
    for warning in &warnings {
        output::tell(&warning.in_file(&input.name).to_string());
    }
    Ok(Group { name: input.name.clone(), stem: input.stem.clone(), programs, warnings })
}

fn assembled(
    input: &Input,
    text: &str,
    defaults: &Defaults,
    warnings: &mut Vec<AsmError>,
) -> Result<Result<Vec<Candidate>, AsmErrors>, Failure> {
    let wanted = defaults.stage;
    let known_stage = wanted.or(input.stage).or_else(|| stage_of(text));
    let sections = match assemble_text(text, &Defaults { stage: known_stage, ..*defaults }) {
        Ok(sections) => sections,
        Err(errors) if known_stage.is_none() && is_unclaimed(&errors) => {
            return Err(Failure(format!(
                "{}: the kind of program is unknown; use --stage",
                input.name
            )));
        }
        Err(errors) => return Ok(Err(errors)),
    };
    *warnings = sections.warnings;
    let programs = [sections.vertex, sections.fragment].into_iter().flatten();
    let programs = programs.filter(|program| wanted.is_none_or(|stage| stage == program.stage()));
    let candidates: Vec<Candidate> = programs
        .map(|program| Candidate {
            role: program.stage(),
            bytes: program.encode(),
            program: Ok(program),
        })
        .collect();
    if candidates.is_empty() {
        let what = wanted.map_or(String::new(), |stage| format!("{stage} "));
        return Err(Failure(format!("{}: no {what}program", input.name)));
    }
    Ok(Ok(candidates))
}

fn is_unclaimed(errors: &AsmErrors) -> bool {
    matches!(errors.first().kind, asm::AsmErrorKind::MissingSection(_))
}

impl Candidate {
    /// The validated program, which is of the kind that its position wants.
    pub(super) fn valid(&self, rules: &Rules) -> Result<ValidProgram, AgalError> {
        let valid = validate(self.program.clone()?, self.role, rules)?;
        valid.check_position(self.role)?;
        Ok(valid)
    }

    /// `vertex program, AGAL 1, 2 tokens`
    pub(super) fn describe(&self) -> String {
        match &self.program {
            Ok(program) => {
                let (version, tokens) = (program.version(), program.token_count());
                let s = if tokens == 1 { "" } else { "s" };
                format!("{} program, AGAL {version}, {tokens} token{s}", self.role)
            }
            Err(_) => format!("{} program, {} bytes", self.role, self.bytes.len()),
        }
    }

    pub(super) fn line(&self, error: &AgalError) -> Option<String> {
        let program = self.program.as_ref().ok()?;
        let index = usize::try_from(error.token()?).ok()?.checked_sub(1)?;
        let instruction = program.instructions().get(index)?;
        Some(asm::readable_text(instruction, program.stage()).to_string())
    }

    pub(super) fn error_json(&self, error: &AgalError) -> Value {
        with(error_json(error), [("line", self.line(error).into())])
    }

    pub(super) fn json(&self) -> Value {
        let program = self.program.as_ref().ok();
        json!({
            "stage": self.role.name(), "version": program.map(Program::version),
            "tokens": program.map(Program::token_count),
        })
    }
}

/// `Error #3647 (Error): AGAL validation failed: …`
pub(super) fn complaint(error: &AgalError) -> String {
    let (number, class) = (error.number(), error.class().name());
    format!("Error #{number} ({class}): {}", error.message())
}

pub(super) fn error_json(error: &AgalError) -> Value {
    let (number, class) = (error.number(), error.class().name());
    json!({ "number": number, "class": class, "message": error.message(), "token": error.token() })
}

fn text_errors_json(errors: &AsmErrors) -> Value {
    let errors_json: Vec<Value> = errors.iter().map(text_error_json).collect();
    json!({ "errors": errors_json, "cut": errors.is_truncated() })
}

fn text_error_json(error: &AsmError) -> Value {
    json!({
        "line": error.line, "column": error.column, "message": error.kind.to_string(),
        "suggestion": error.suggestion, "source": error.source_line,
    })
}
