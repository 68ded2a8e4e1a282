//! Checks Direct3D 9 shaders and translates them for the playground's panels.

use d3d9::check::{Caps, check};
use d3d9::glsl::{D3d9GlslOptions, DIALECTS, emit, emit_pair};
use d3d9::{Program, Stage, text};

use crate::answer::{Answer, Panel, Problem, Text};
use crate::settings::Settings;
use crate::source::{Source, code_lines, hex};

const LANGUAGE: &str = "Direct3D 9";

pub(crate) fn answer(source: &Source<'_>, settings: &Settings) -> Answer {
    let programs = match source {
        Source::Text(text) => match text::assemble(text) {
            Ok(program) => vec![program],
            Err(errors) => return Answer::of_text(LANGUAGE, &errors).only_agal(LANGUAGE),
        },
        Source::Bytes(programs) => {
            let programs = programs.iter().map(|bytes| Program::decode(bytes));
            match programs.collect::<Result<Vec<_>, _>>() {
                Ok(mut programs) => {
                    programs.sort_by_key(|program| program.version.stage() == Stage::Fragment);
                    programs
                }
                Err(error) => return Answer::refused(LANGUAGE, Problem::error(error)),
            }
        }
    };
    let mut answer = Answer::new(LANGUAGE).only_agal(LANGUAGE);
    answer.programs = programs.iter().map(title).collect();
    let lines = instruction_lines(source);
    for finding in programs.iter().flat_map(|program| check(program, &Caps::MAX).findings) {
        let number = finding.location.0.and_then(|number| usize::try_from(number).ok());
        let line = number.and_then(|number| lines.get(number.checked_sub(1)?).copied());
        let severity = finding.severity.name();
        answer.problems.push(Problem { severity, line, ..Problem::error(&finding) });
    }
    if let (Source::Bytes(_), [program]) = (source, programs.as_slice()) {
        answer.text = Some(program.listing().to_string());
    }
    answer.listing = Ok(programs.iter().flat_map(listed).collect());
    answer.glsl = to_glsl(&programs, settings);
    answer
}

fn title(program: &Program) -> String {
    format!("{}, {}", program.version, program.slots())
}

/// Returns a shader's listing and its bytes in hexadecimal.
pub(crate) fn listed(program: &Program) -> [Text; 2] {
    let bytes = program.encode();
    let words = Text { title: format!("{} bytes", bytes.len()), text: hex(&bytes, 4, 32, 4) };
    [Text { title: title(program), text: program.listing().to_string() }, words]
}

fn to_glsl(programs: &[Program], settings: &Settings) -> Panel {
    let (comments, float_rules) = (settings.comments, settings.float_rules);
    let target = D3d9GlslOptions::new(settings.dialect_of(&DIALECTS));
    let target = D3d9GlslOptions { comments, float_rules, ..target };
    let shaders = match programs {
        [vertex, pixel] => emit_pair(vertex, pixel, &target).map(|(one, two)| vec![one, two]),
        programs => programs.iter().map(|program| emit(program, &target)).collect(),
    };
    let shaders = programs.iter().zip(shaders.map_err(|error| error.to_string())?);
    let text = |(program, text): (&Program, String)| Text {
        title: format!("{} shader", program.version.stage().name()),
        text,
    };
    Ok(shaders.map(text).collect())
}

/// Returns the line of each instruction in a text; an empty list if the text has block comments.
fn instruction_lines(source: &Source<'_>) -> Vec<u32> {
    match source {
        Source::Text(text) if !text.contains("/*") => {
            let code = code_lines(text).filter(|(_, code)| !code.starts_with('.'));
            code.map(|(line, _)| line).skip(1).collect()
        }
        Source::Text(_) | Source::Bytes(_) => Vec::new(),
    }
}
