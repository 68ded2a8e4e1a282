//! Answers about hull shaders of Direct3D 11. Shaders of shader model 5 that aren't hull shaders are only listed.

use hs50::check::{CheckOptions, HullFinding, check};
use hs50::container::Checksum;
use hs50::glsl::{self, DIALECTS, TessLevels};
use hs50::shader::HullProgramShader;
use hs50::text::{HullListing, assemble, instruction, listing};

use crate::answer::{Panel, PlayAnswer, Problem, TitledText};
use crate::settings::PageSettings;
use crate::source::PlaySource;

const LANGUAGE: &str = "Direct3D 11 hull shaders";

pub(crate) fn answer(source: &PlaySource<'_>, settings: &PageSettings) -> PlayAnswer {
    let shader = match source {
        PlaySource::Text(text) => match assemble(text) {
            Ok(shader) => shader,
            Err(errors) => return PlayAnswer::of_text(LANGUAGE, &errors).only_agal(LANGUAGE),
        },
        PlaySource::Bytes(programs) => {
            let bytes = programs.first().map(|bytes| bytes.to_vec()).unwrap_or_default();
            match HullProgramShader::read(bytes, Checksum::Ignore) {
                Ok(shader) => shader,
                Err(error) => return PlayAnswer::refused(LANGUAGE, Problem::error(error)),
            }
        }
    };
    let mut answer = PlayAnswer::new(LANGUAGE).only_agal(LANGUAGE);
    let version = shader.program.version;
    let title = format!("{version}, {} instructions", shader.program.instructions.len());
    answer.programs = vec![title.clone()];
    if let PlaySource::Bytes(_) = source {
        answer.text = Some(listing(&shader, HullListing { signatures: true, exact: true }));
    }
    let options = HullListing { signatures: true, exact: false };
    answer.listing = Ok(vec![TitledText { title, text: listing(&shader, options) }]);
    answer.glsl = match check(&shader, CheckOptions::default()) {
        Err(error) => Err(error.to_string()),
        Ok(report) => {
            let found = report.findings.iter().map(|finding| problem(&shader, finding));
            answer.problems = found.collect();
            report.valid().map_err(|_| "The shader has errors.".to_owned()).and_then(|hull| {
                let dialect = settings.dialect_of(&DIALECTS);
                to_glsl(&hull, glsl::HullGlslOptions { dialect, levels: TessLevels::Program })
            })
        }
    };
    answer
}

fn to_glsl(hull: &hs50::check::ValidHull, options: glsl::HullGlslOptions) -> Panel {
    let made = glsl::emit(hull, options).map_err(|error| error.to_string())?;
    let evaluation = format!("{}\n", made.evaluation_layout);
    Ok(vec![
        TitledText { title: "tessellation control shader".to_owned(), text: made.control },
        TitledText { title: "layout of the evaluation shader".to_owned(), text: evaluation },
    ])
}

/// Returns a checker's finding as a problem, with the text of its instruction.
fn problem(shader: &HullProgramShader, finding: &HullFinding) -> Problem {
    let program = &shader.program;
    let index = finding.location.instruction_index;
    let found = index.and_then(|index| program.instructions.get(index));
    let text = found.map(|found| instruction(found, program.version));
    let line = text.as_ref().and_then(|text| text.lines().next()).unwrap_or_default();
    let at = if line.is_empty() { String::new() } else { format!(" (in `{line}`)") };
    let severity = finding.severity.name();
    Problem { severity, ..Problem::error(format!("{finding}{at}")) }
}
