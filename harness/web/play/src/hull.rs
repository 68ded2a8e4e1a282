//! Answers about hull shaders of Direct3D 11. Other shaders of shader model 5 are only listed.

use hs50::check::{Finding, Options, check};
use hs50::container::Checksum;
use hs50::glsl::{self, DIALECTS, TessLevels};
use hs50::shader::Shader;
use hs50::text::{Listing, assemble, instruction, listing};

use crate::answer::{Answer, Panel, Problem, Text};
use crate::settings::Settings;
use crate::source::Source;

const LANGUAGE: &str = "Direct3D 11 hull shaders";

pub(crate) fn answer(source: &Source<'_>, settings: &Settings) -> Answer {
    let shader = match source {
        Source::Text(text) => match assemble(text) {
            Ok(shader) => shader,
            Err(errors) => return Answer::of_text(LANGUAGE, &errors).only_agal(LANGUAGE),
        },
        Source::Bytes(programs) => {
            let bytes = programs.first().map(|bytes| bytes.to_vec()).unwrap_or_default();
            match Shader::read(bytes, Checksum::Ignore) {
                Ok(shader) => shader,
                Err(error) => return Answer::refused(LANGUAGE, Problem::error(error)),
            }
        }
    };
    let mut answer = Answer::new(LANGUAGE).only_agal(LANGUAGE);
    let version = shader.program.version;
    let title = format!("{version}, {} instructions", shader.program.instructions.len());
    answer.programs = vec![title.clone()];
    if let Source::Bytes(_) = source {
        answer.text = Some(listing(&shader, Listing { signatures: true, exact: true }));
    }
    let options = Listing { signatures: true, exact: false };
    answer.listing = Ok(vec![Text { title, text: listing(&shader, options) }]);
    answer.glsl = match check(&shader, Options::default()) {
        Err(error) => Err(error.to_string()),
        Ok(report) => {
            let found = report.findings.iter().map(|finding| problem(&shader, finding));
            answer.problems = found.collect();
            report.valid().map_err(|_| "The shader has errors.".to_owned()).and_then(|hull| {
                let dialect = settings.dialect_of(&DIALECTS);
                to_glsl(&hull, glsl::Options { dialect, levels: TessLevels::Program })
            })
        }
    };
    answer
}

fn to_glsl(hull: &hs50::check::ValidHull, options: glsl::Options) -> Panel {
    let made = glsl::emit(hull, options).map_err(|error| error.to_string())?;
    let evaluation = format!("{}\n", made.evaluation_layout);
    Ok(vec![
        Text { title: "tessellation control shader".to_owned(), text: made.control },
        Text { title: "layout of the evaluation shader".to_owned(), text: evaluation },
    ])
}

/// Returns a checker's finding as a problem, with the text of its instruction.
fn problem(shader: &Shader, finding: &Finding) -> Problem {
    let program = &shader.program;
    let index = finding.location.instruction_index;
    let found = index.and_then(|index| program.instructions.get(index));
    let text = found.map(|found| instruction(found, program.version));
    let line = text.as_ref().and_then(|text| text.lines().next()).unwrap_or_default();
    let at = if line.is_empty() { String::new() } else { format!(" (in `{line}`)") };
    let severity = finding.severity.name();
    Problem { severity, ..Problem::error(format!("{finding}{at}")) }
}
