//! Answers about AGAL: the verdict with Flash's errors, and the translations.

use agal::asm::{AgalListing, AssembleOptions, disassemble};
use agal::glsl::{self, DIALECTS, GlslPair};
use agal::{
    AgalError, Endian, LinkedPair, Program, Stage, ValidProgram, link, link_alone, validate, wgsl,
};
use d3d9::from_agal::{Model, native_limits, program_native_limits, translate};

use crate::answer::{Panel, PlayAnswer, Problem, TitledText};
use crate::run::run;
use crate::settings::PageSettings;
use crate::source::{PlaySource, hex};
use crate::tokens::listed;

const LANGUAGE: &str = "AGAL";

/// A program, or its decoding error, with its argument position in `Program3D.upload`.
struct ProgramCandidate {
    /// The program's index in the source, if the source is bytes.
    index: usize,
    role: Stage,
    bytes: Vec<u8>,
    /// The decoded program, or the error of its encoding.
    program: Result<Program, AgalError>,
    /// For each token, its line in the text.
    lines: Vec<u32>,
}

impl ProgramCandidate {
    /// Decodes bytes as a program of the stage that their header gives.
    fn read((index, bytes): (usize, &&[u8])) -> ProgramCandidate {
        let kind = bytes.get(6).copied().and_then(Stage::from_code);
        let role = kind.unwrap_or(Stage::Vertex);
        let program = Program::decode(bytes, Endian::Little, role);
        ProgramCandidate { index, role, bytes: bytes.to_vec(), program, lines: Vec::new() }
    }

    /// Returns the validated program. A pair's native limits are checked after linking.
    fn valid(&self, settings: &PageSettings, single: bool) -> Result<ValidProgram, AgalError> {
        let valid = validate(self.program.clone()?, self.role, &settings.rules)?;
        if single {
            program_native_limits(&valid)?;
        }
        Ok(valid)
    }

    /// Returns a description of the program: `vertex program, AGAL 1, 2 tokens`.
    fn title(&self) -> String {
        let role = self.role;
        match &self.program {
            Ok(program) => {
                let (version, count) = (program.header_version(), program.token_count());
                let plural = if count == 1 { "" } else { "s" };
                format!("{role} program, AGAL {version}, {count} token{plural}")
            }
            Err(_) => format!("{role} program, {} bytes", self.bytes.len()),
        }
    }

    /// Returns Flash's error in the program as a problem for the page.
    fn problem(&self, error: &AgalError) -> Problem {
        let token = error.token().and_then(|token| usize::try_from(token).ok()?.checked_sub(1));
        let line = token.and_then(|token| self.lines.get(token));
        Problem::of_flash(self.index, error, line.copied())
    }

    /// Returns text that assembles to the program's bytes; `None` if the header is invalid.
    fn text(&self, settings: &PageSettings) -> Option<String> {
        let shown = disassemble(&self.bytes, Some(self.role), &settings.rules);
        shown.is_lossless().then(|| AgalListing { fault: None, ..shown.listing() }.to_string())
    }

    /// Returns the program's listing and its bytes in hexadecimal.
    fn listing(&self, settings: &PageSettings) -> [TitledText; 2] {
        let shown = disassemble(&self.bytes, Some(self.role), &settings.rules);
        let text = AgalListing { numbers: true, ..shown.listing() }.to_string();
        let (header, token) = (agal::binary::HEADER_SIZE, agal::binary::TOKEN_SIZE);
        [
            TitledText { title: self.title(), text },
            TitledText {
                title: format!("{} bytes", self.bytes.len()),
                text: hex(&self.bytes, header, token, 4),
            },
        ]
    }
}

/// Reads the programs of a source, vertex first, and warnings; or the answer for a text with errors.
fn candidates(
    source: &PlaySource<'_>,
    settings: &PageSettings,
) -> Result<(Vec<ProgramCandidate>, Vec<Problem>), Box<PlayAnswer>> {
    let text = match source {
        PlaySource::Text(text) => text,
        PlaySource::Bytes(programs) => {
            let mut programs: Vec<_> =
                programs.iter().enumerate().map(ProgramCandidate::read).collect();
            programs.sort_by_key(|candidate| candidate.role.code());
            return Ok((programs, Vec::new()));
        }
    };
    let options =
        AssembleOptions { version: settings.version.number(), ..AssembleOptions::default() };
    let sections = options
        .sections(text)
        .map_err(|errors| Box::new(PlayAnswer::of_text(LANGUAGE, &errors)))?;
    let warnings = sections.warnings.iter();
    let warnings = warnings.map(|warning| Problem::of_text("warning", warning)).collect();
    let [unlabelled, vertex, fragment] = token_lines(text);
    let programs = [(sections.vertex, vertex), (sections.fragment, fragment)].into_iter();
    let programs = programs.filter_map(|(program, mut lines)| {
        let program = program?;
        if program.token_count() > lines.len() {
            lines.splice(..0, unlabelled.iter().copied());
        }
        let (role, bytes) = (program.stage(), program.encode());
        Some(ProgramCandidate { index: 0, role, bytes, program: Ok(program), lines })
    });
    Ok((programs.collect(), warnings))
}

/// Returns the line of each token of a text: first for tokens outside of sections, then for those of each stage.
fn token_lines(text: &str) -> [Vec<u32>; 3] {
    let mut lines = [Vec::new(), Vec::new(), Vec::new()];
    let mut section = None;
    for (number, line) in (1u32..).zip(text.trim_start_matches('\u{feff}').split('\n')) {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("//").map(str::trim) {
            section = Stage::ALL.iter().copied().find(|it| it.name() == comment).or(section);
        } else if !line.is_empty() && !line.starts_with(".bytes") {
            let [unlabelled, vertex, fragment] = &mut lines;
            match section {
                Some(Stage::Vertex) => vertex.push(number),
                Some(Stage::Fragment) => fragment.push(number),
                None => unlabelled.push(number),
            }
        }
    }
    lines
}

pub(crate) fn answer(source: &PlaySource<'_>, settings: &PageSettings) -> PlayAnswer {
    let (candidates, problems) = match candidates(source, settings) {
        Ok(read) => read,
        Err(answer) => return *answer,
    };
    let mut answer = PlayAnswer { problems, ..PlayAnswer::new(LANGUAGE) };
    answer.programs = candidates.iter().map(ProgramCandidate::title).collect();
    answer.listing = Ok(candidates.iter().flat_map(|it| it.listing(settings)).collect());
    if let PlaySource::Bytes(_) = source {
        answer.text = candidates.iter().map(|candidate| candidate.text(settings)).collect();
    }
    let mut programs = Vec::new();
    for candidate in &candidates {
        match candidate.valid(settings, candidates.len() == 1) {
            Ok(valid) => programs.push(valid),
            Err(error) => answer.problems.push(candidate.problem(&error)),
        }
    }
    if programs.len() < candidates.len() {
        return answer;
    }
    let Some(first) = programs.first() else {
        answer.problems.push(Problem::error("the text has no instruction"));
        return answer;
    };
    let (pair, single) = match linked(first, programs.get(1)) {
        Ok(linked) => linked,
        Err(error) => {
            answer.problems.push(Problem::of_flash(0, &error, None));
            return answer;
        }
    };
    answer.glsl = to_glsl(&pair, single, settings);
    answer.wgsl = Ok(to_wgsl(&pair, single, settings));
    answer.d3d9 = to_d3d9(&programs, settings.model);
    let lines: Vec<_> = candidates.into_iter().map(|candidate| candidate.lines).collect();
    (answer.inputs, answer.steps) = run(&programs, &lines, settings);
    answer
}

/// Links a pair, or a single program with a partner. Returns the linked pair and, for a single program, the program's
/// stage. Two programs of the same stage don't link.
fn linked(
    first: &ValidProgram,
    second: Option<&ValidProgram>,
) -> Result<(LinkedPair, Option<Stage>), AgalError> {
    match second {
        None => Ok((link_alone(first.clone())?, Some(first.program().stage()))),
        Some(second) => {
            let pair = link(first.clone(), second.clone())?;
            native_limits(&pair)?;
            Ok((pair, None))
        }
    }
}

/// Returns the texts of both stages; for a single program, only the text of its stage.
fn of_stages(texts: [String; 2], single: Option<Stage>) -> Vec<TitledText> {
    let all = Stage::ALL.iter().zip(texts);
    let wanted = all.filter(|(stage, _)| single.is_none_or(|only| only == **stage));
    wanted.map(|(stage, text)| TitledText { title: format!("{stage} shader"), text }).collect()
}

fn to_glsl(pair: &LinkedPair, single: Option<Stage>, settings: &PageSettings) -> Panel {
    let (comments, float_rules) = (settings.comments, settings.float_rules);
    let dialect = settings.dialect_of(&DIALECTS);
    let target = glsl::GlslOptions { comments, float_rules, ..glsl::GlslOptions::new(dialect) };
    let GlslPair { vertex, fragment } =
        glsl::emit(pair, &target).map_err(|error| error.to_string())?;
    Ok(of_stages([vertex, fragment], single))
}

fn to_wgsl(pair: &LinkedPair, single: Option<Stage>, settings: &PageSettings) -> Vec<TitledText> {
    let (comments, float_rules) = (settings.comments, settings.float_rules);
    let target = wgsl::WgslOptions { comments, float_rules, ..wgsl::WgslOptions::default() };
    if single.is_none() {
        let text = wgsl::emit_module(pair, &target);
        return vec![TitledText { title: "module of both stages".to_owned(), text }];
    }
    let wgsl::WgslPair { vertex, fragment } = wgsl::emit(pair, &target);
    of_stages([vertex, fragment], single)
}

/// Translates each program to a shader model. Without a chosen model, uses the lowest one that supports all programs.
fn to_d3d9(programs: &[ValidProgram], model: Option<Model>) -> Panel {
    let models = model.as_ref().map_or(Model::ALL, std::slice::from_ref);
    let mut reason = String::new();
    for model in models {
        let translated = programs.iter().map(|program| translate(program, *model));
        match translated.collect::<Result<Vec<_>, _>>() {
            Ok(all) => return Ok(all.iter().flat_map(|made| listed(&made.program)).collect()),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason)
}
