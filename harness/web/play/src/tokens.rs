//! Checks Direct3D 9 shaders and translates them for the playground's panels.

use d3d9::check::{Caps, check};
use d3d9::glsl::{D3d9GlslOptions, DIALECTS, emit, emit_pair};
use d3d9::{D3d9Program, Stage, text};

use crate::answer::{Panel, PlayAnswer, Problem, TitledText};
use crate::settings::PageSettings;
use crate::source::{PlaySource, code_lines, hex};

const LANGUAGE: &str = "Direct3D 9";

pub(crate) fn answer(source: &PlaySource<'_>, settings: &PageSettings) -> PlayAnswer {
    let programs = match source {
        PlaySource::Text(text) => match text::assemble(text) {
            Ok(program) => vec![program],
            Err(errors) => return PlayAnswer::of_text(LANGUAGE, &errors).only_agal(LANGUAGE),
        },
        PlaySource::Bytes(programs) => {
            let programs = programs.iter().map(|bytes| D3d9Program::decode(bytes));
            match programs.collect::<Result<Vec<_>, _>>() {
                Ok(mut programs) => {
                    programs.sort_by_key(|program| program.version.stage() == Stage::Fragment);
                    programs
                }
                Err(error) => return PlayAnswer::refused(LANGUAGE, Problem::error(error)),
            }
        }
    };
    let mut answer = PlayAnswer::new(LANGUAGE).only_agal(LANGUAGE);
    answer.programs = programs.iter().map(title).collect();
    let lines = instruction_lines(source);
    for finding in programs.iter().flat_map(|program| check(program, &Caps::MAX).findings) {
        let number = finding.location.0.and_then(|number| usize::try_from(number).ok());
        let line = number.and_then(|number| lines.get(number.checked_sub(1)?).copied());
        let severity = finding.severity.name();
        answer.problems.push(Problem { severity, line, ..Problem::error(&finding) });
    }
    if let (PlaySource::Bytes(_), [program]) = (source, programs.as_slice()) {
        answer.text = Some(program.listing().to_string());
    }
    answer.listing = Ok(programs.iter().flat_map(listed).collect());
    answer.glsl = to_glsl(&programs, settings);
    answer
}

fn title(program: &D3d9Program) -> String {
    format!("{}, {}", program.version, program.slots())
}

/// Returns a shader's listing and its bytes in hexadecimal.
pub(crate) fn listed(program: &D3d9Program) -> [TitledText; 2] {
    let bytes = program.encode();
    let words = TitledText { title: format!("{} bytes", bytes.len()), text: hex(&bytes, 4, 32, 4) };
    [TitledText { title: title(program), text: program.listing().to_string() }, words]
}

fn to_glsl(programs: &[D3d9Program], settings: &PageSettings) -> Panel {
    let (comments, float_rules) = (settings.comments, settings.float_rules);
    let target = D3d9GlslOptions::new(settings.dialect_of(&DIALECTS));
    let target = D3d9GlslOptions { comments, float_rules, ..target };
    let shaders = match programs {
        [vertex, pixel] => emit_pair(vertex, pixel, &target).map(|(one, two)| vec![one, two]),
        programs => programs.iter().map(|program| emit(program, &target)).collect(),
    };
    let shaders = programs.iter().zip(shaders.map_err(|error| error.to_string())?);
    let text = |(program, text): (&D3d9Program, String)| TitledText {
        title: format!("{} shader", program.version.stage().name()),
        text,
    };
    Ok(shaders.map(text).collect())
}

/// Returns the line of each instruction in a text; an empty list if the text has block comments.
fn instruction_lines(source: &PlaySource<'_>) -> Vec<u32> {
    match source {
        PlaySource::Text(text) if !text.contains("/*") => {
            let code = code_lines(text).filter(|(_, code)| !code.starts_with('.'));
            code.map(|(line, _)| line).skip(1).collect()
        }
        PlaySource::Text(_) | PlaySource::Bytes(_) => Vec::new(),
    }
}
