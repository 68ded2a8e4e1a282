//! Assembles a whole text: its lines and section comments. Reports all errors.

use super::directive::{self, LineItem};
use super::error::{AsmError, AsmErrorKind, AsmErrors};
use super::lex;
use super::parse::Assembler;
use crate::isa::register::RegisterFile;
use crate::program::Program;
use crate::token::AgalInstruction;
use crate::version::{AgalVersion, Stage};
use agal_core::text::{ErrorList, TextCursor};

/// Properties of programs that their text may not specify.
///
/// ```
/// use agal::asm::AssembleOptions;
///
/// let text = "// version: 2\n// vertex\nm44 op, va0, vc0\n// fragment\nmov oc, fc0";
/// let (vertex, fragment) = AssembleOptions::default().pair(text)?;
/// assert_eq!((vertex.token_count(), fragment.header_version()), (1, 2));
/// # Ok::<(), agal::asm::AsmErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssembleOptions {
    /// The stage of instructions outside of sections. `None` selects the stage of the first register that only one
    /// stage has (`va`, `vc`, `vt`, `op`, `vs` and `iid`, or `fc`, `ft`, `fs`, `oc` and `od`, and their aliases). If no
    /// instruction names a register of a single stage, assembly fails; `.token` lines name no registers.
    pub stage: Option<Stage>,
    /// The AGAL version number in the header; the default is 1.
    pub version: u32,
    /// True to allow register numbers up to 1023 in every version.
    pub ignore_limits: bool,
}

impl Default for AssembleOptions {
    fn default() -> AssembleOptions {
        AssembleOptions { stage: None, version: AgalVersion::V1.number(), ignore_limits: false }
    }
}

/// The programs of a text: one program, or both of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    /// The AGAL version of the programs.
    pub version: AgalVersion,
    /// The vertex program, if the text has one.
    pub vertex: Option<Program>,
    /// The fragment program, if the text has one.
    pub fragment: Option<Program>,
    /// Unknown sampler options, at most [`MAX_ERRORS`](super::MAX_ERRORS).
    pub warnings: Vec<AsmError>,
}

/// Assembles one program of this stage and version, like [`AssembleOptions::assemble`].
///
/// # Errors
/// Returns all errors of the text, up to [`MAX_ERRORS`](super::MAX_ERRORS), each with its position.
pub fn assemble(text: &str, stage: Stage, version: u32) -> Result<Program, AsmErrors> {
    AssembleOptions { stage: Some(stage), version, ..AssembleOptions::default() }.assemble(text)
}

impl AssembleOptions {
    /// Assembles one program. Each line has one instruction, `//` starts a comment, and sampler options stand in
    /// `<…>`. Only [`AssembleOptions::sections`] returns warnings.
    ///
    /// # Errors
    /// Returns all errors of the text, up to [`MAX_ERRORS`](super::MAX_ERRORS), each with its position.
    pub fn assemble(&self, text: &str) -> Result<Program, AsmErrors> {
        let mut reader = self.reader(text)?;
        reader.read();
        let stage = reader.stage.unwrap_or(Stage::Vertex);
        let part = std::mem::take(reader.part(stage));
        reader.errors.into_result(part.program(reader.version, stage))
    }

    /// Assembles a text whose comments specify the programs.
    ///
    /// ```text
    /// // anything
    /// // version: 2
    /// // vertex
    /// m44 op, va0, vc0
    /// // fragment
    /// mov oc, fc0
    /// ```
    ///
    /// The comment lines `// vertex` and `// fragment` start sections. `// version: N`, before the first section and
    /// instruction, sets the AGAL version. Other comments are ignored. Without these comments, the options apply.
    ///
    /// # Errors
    /// Returns all errors with their positions; lines are counted over the whole text. An unknown version, a version
    /// after the start, a repeated section, and an instruction without a stage are errors too.
    pub fn sections(&self, text: &str) -> Result<Sections, AsmErrors> {
        let mut reader = self.reader(text)?;
        reader.has_sections = true;
        reader.read();
        reader.finish()
    }

    /// Assembles a text with both programs, like [`AssembleOptions::sections`]. The vertex program comes first.
    ///
    /// # Errors
    /// Returns the errors of [`AssembleOptions::sections`]. A missing section is an error too.
    pub fn pair(&self, text: &str) -> Result<(Program, Program), AsmErrors> {
        let sections = self.sections(text)?;
        let missing = |stage: Stage| {
            let kind = AsmErrorKind::MissingSection(stage.name());
            AsmError::new(kind, 1, 1, first_line(text))
        };
        let vertex = sections.vertex.ok_or_else(|| missing(Stage::Vertex))?;
        let fragment = sections.fragment.ok_or_else(|| missing(Stage::Fragment))?;
        Ok((vertex, fragment))
    }

    fn reader<'a>(&self, text: &'a str) -> Result<SourceReader<'a>, AsmErrors> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some(version) = AgalVersion::of_header(self.version) else {
            let kind = AsmErrorKind::UnknownVersion(self.version.to_string());
            return Err(AsmError::new(kind, 1, 1, first_line(text)).into());
        };
        Ok(SourceReader {
            text,
            version: (version, self.version),
            ignore_limits: self.ignore_limits,
            stage: self.stage,
            has_sections: false,
            begun: false,
            vertex: None,
            fragment: None,
            errors: ErrorList::default(),
            warnings: Vec::new(),
        })
    }
}

/// Returns the stage of the first register that only one stage has.
fn stage_of(text: &str) -> Option<Stage> {
    let only = |stage: Stage, other: Stage, name: &str| {
        RegisterFile::from_name(name, stage).is_some()
            && RegisterFile::from_name(name, other).is_none()
    };
    for (_, line) in numbered(text) {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        for word in code.split(|c: char| !c.is_ascii_alphanumeric()) {
            let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if only(Stage::Vertex, Stage::Fragment, name) {
                return Some(Stage::Vertex);
            }
            if only(Stage::Fragment, Stage::Vertex, name) {
                return Some(Stage::Fragment);
            }
        }
    }
    None
}

#[derive(Default)]
struct Section {
    instructions: Vec<AgalInstruction>,
    trailing: Vec<u8>,
}

impl Section {
    fn program(self, (version, number): (AgalVersion, u32), stage: Stage) -> Program {
        let program = Program::new(version, stage, self.instructions);
        program.with_number(number).with_trailing(&self.trailing)
    }
}

struct SourceReader<'a> {
    text: &'a str,
    version: (AgalVersion, u32),
    ignore_limits: bool,
    stage: Option<Stage>,
    /// True if the text has comments that start sections.
    has_sections: bool,
    /// True after a section or an instruction, when the version can't change any more.
    begun: bool,
    vertex: Option<Section>,
    fragment: Option<Section>,
    errors: ErrorList<AsmErrorKind>,
    warnings: Vec<AsmError>,
}

impl SourceReader<'_> {
    fn read(&mut self) {
        for (number, line) in numbered(self.text) {
            let comment = line.trim().strip_prefix("//").map(str::trim);
            let read = match comment {
                Some(comment) if self.has_sections => self.comment(comment, line, number),
                Some(_) => Ok(()),
                None => self.code(lex::line(line, number)),
            };
            if let Err(error) = read
                && !self.errors.push(error)
            {
                return;
            }
        }
    }

    /// Parses a comment line, which may start a section or set the AGAL version.
    fn comment(&mut self, comment: &str, line: &str, number: u32) -> Result<(), AsmError> {
        let mut stages = [Stage::Vertex, Stage::Fragment].into_iter();
        let error = |kind| AsmError::new(kind, number, 1, line);
        if let Some(stage) = stages.find(|stage| stage.name() == comment) {
            self.stage = Some(stage);
            self.begun = true;
            // A second section of the same stage is an error.
            let part = self.part(stage);
            if !part.instructions.is_empty() || !part.trailing.is_empty() {
                return Err(error(AsmErrorKind::DuplicateSection(stage.name())));
            }
        } else if let Some(value) = comment.strip_prefix("version:").map(str::trim) {
            let number = value.parse().ok();
            let known = number.and_then(AgalVersion::of_header).zip(number);
            match known {
                Some(version) if !self.begun => self.version = version,
                Some(version) if version != self.version => {
                    return Err(error(AsmErrorKind::LateVersion));
                }
                None if !self.begun => {
                    return Err(error(AsmErrorKind::UnknownVersion(value.to_owned())));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn code(&mut self, line: TextCursor<'_>) -> Result<(), AsmError> {
        if line.is_empty() {
            return Ok(());
        }
        self.begun = true;
        let Some(stage) = self.stage.or_else(|| stage_of(self.text)) else {
            // To report the error only once, later lines are read as if a section had started.
            self.stage = Some(Stage::Vertex);
            // Directives don't depend on the stage, so their errors come first.
            if line.peek() == Some('.') {
                directive::parse(line)?;
            }
            return Err(line.error(AsmErrorKind::MissingSection(Stage::Vertex.name())));
        };
        self.stage = Some(stage);
        let (version, ignore_limits) = (self.version.0, self.ignore_limits);
        let assembler = Assembler { stage, version, ignore_limits };
        let item = assembler.line(line, &mut self.warnings)?;
        let part = self.part(stage);
        if !part.trailing.is_empty() {
            return Err(line.error(AsmErrorKind::AfterTheLastToken));
        }
        match item {
            Some(LineItem::Instruction(instruction)) => part.instructions.push(instruction),
            Some(LineItem::Trailing(bytes)) => part.trailing = bytes,
            None => {}
        }
        Ok(())
    }

    fn part(&mut self, stage: Stage) -> &mut Section {
        let part = match stage {
            Stage::Vertex => &mut self.vertex,
            Stage::Fragment => &mut self.fragment,
        };
        part.get_or_insert_default()
    }

    fn finish(self) -> Result<Sections, AsmErrors> {
        let version = self.version;
        let made = |part: Option<Section>, stage| part.map(|part| part.program(version, stage));
        self.errors.into_result(Sections {
            version: version.0,
            vertex: made(self.vertex, Stage::Vertex),
            fragment: made(self.fragment, Stage::Fragment),
            warnings: self.warnings,
        })
    }
}

/// Splits a text into numbered lines at any vertical white space ([agal.text.lines]); CR LF is one line end.
fn numbered(source: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = source
        .split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split(['\r', '\x0b', '\x0c']));
    let mut number = 0u32;
    lines.map(move |line| {
        number = number.saturating_add(1);
        (number, line)
    })
}

fn first_line(source: &str) -> &str {
    numbered(source).next().map_or("", |(_, line)| line)
}
