//! Direct3D 11 shaders in DXBC containers. Only hull shaders can be validated, run, translated and drawn.

mod describe;
mod running;

use agal::glsl::Dialect;
use hs50::check::{CheckOptions, HullFinding, HullReport, Severity, ValidHull, check};
use hs50::container::{Checksum, DxbcContainer};
use hs50::glsl::{HullGlslOptions as GlslOptions, HullTextureUse, TessLevels, emit};
use hs50::program::ProgramVersion;
use hs50::shader::HullProgramShader;
use hs50::text::{HullListing, assemble, instruction, listing};
use molehill_replay::image::{RgbaImage, encode_png};
use molehill_testing::probe::hull::{TessellationContext, interpret, picture};
use serde_json::{Value, json};

use super::options::{CheckArguments, Dis, DrawArguments, Glsl, ReadOptions, Run, target_of};
use super::refusal::{ProgramFindings, ShaderRefusal, UnsupportedOption, refused};
use super::{ProgramResult, ShaderForm, ShaderLanguage, ShaderSource};
use crate::cli::input::InputContent;
use crate::cli::{CommandFailure, with};

pub(super) use describe::Registers;

pub(super) struct HullShader {
    /// The DXBC container that was read or assembled.
    container: DxbcContainer,
    shader: HullProgramShader,
}

impl HullShader {
    fn version(&self) -> ProgramVersion {
        self.shader.program.version
    }

    fn report(&self, options: CheckOptions) -> Result<HullReport, ShaderRefusal> {
        check(&self.shader, options).map_err(|error| UnsupportedOption::from(error).into())
    }

    fn part(&self) -> ProgramResult {
        let version = self.version();
        ProgramResult {
            what: format!("{version}, {} instructions", self.shader.program.instructions.len()),
            ending: "dxbc",
            bytes: self.shader.to_container().bytes().to_vec(),
            json: json!({ "stage": version.kind.name(), "version": version.to_string() }),
            ..ProgramResult::default()
        }
    }

    /// Returns a command's result: a text, and a JSON object to which the stage is added.
    fn answered(&self, text: String, json: Value) -> ProgramResult {
        let json = with(json, [("stage", self.version().kind.name().into())]);
        ProgramResult { bytes: text.into_bytes(), json, ..self.part() }
    }

    fn findings(&self, report: &HullReport) -> ProgramFindings {
        let all = report.findings.iter();
        ProgramFindings {
            refused: all.clone().any(|finding| finding.severity == Severity::Error),
            text: all
                .clone()
                .map(|finding| format!("{finding}{}", self.line_of(finding)))
                .collect(),
            json: all.map(finding_json).collect(),
        }
    }

    /// Returns a line with the instruction that a diagnostic is about, or an empty string.
    fn line_of(&self, finding: &HullFinding) -> String {
        let program = &self.shader.program;
        let index = finding.location.instruction_index;
        let found = index.and_then(|index| Some((index, program.instructions.get(index)?)));
        found.map_or_else(String::new, |(index, found)| {
            let text = instruction(found, program.version);
            format!("\n  {index}: {}", text.lines().next().unwrap_or_default())
        })
    }

    fn hull(&self) -> Result<ValidHull, ShaderRefusal> {
        let report = self.report(CheckOptions::default())?;
        report.valid().map_err(|report| ShaderRefusal::Refused(self.findings(&report)))
    }
}

fn finding_json(finding: &HullFinding) -> Value {
    let (phase, count) = (finding.location.phase, finding.location.count);
    json!({
        "severity": finding.severity.name(), "rule": finding.rule.name(), "statement": finding.rule.statement(),
        "phase": phase.map(|phase| phase.kind.name()), "phaseNumber": phase.map(|phase| phase.number),
        "instruction": finding.location.instruction_index, "register": finding.location.register,
        "count": count.map(|(count, _)| count), "limit": count.map(|(_, limit)| limit), "message": finding.message,
    })
}

impl ShaderLanguage for HullShader {
    fn read(source: &ShaderSource, reading: &ReadOptions) -> Result<Self, ShaderRefusal> {
        let bytes = match &source.content {
            InputContent::Bytes(bytes) => bytes.clone(),
            InputContent::Text(text) => {
                let shader = assemble(text)
                    .map_err(|errors| ShaderRefusal::of_text(&source.origin.name, &errors))?;
                return Ok(HullShader { container: shader.to_container(), shader });
            }
        };
        let sum = if reading.ignore_checksum { Checksum::Ignore } else { Checksum::Verify };
        let container = DxbcContainer::read(bytes, sum).map_err(refused)?;
        let shader = HullProgramShader::from_container(&container).map_err(refused)?;
        Ok(HullShader { container, shader })
    }

    fn language(&self) -> ShaderForm {
        ShaderForm::Hs50
    }

    fn programs(&self) -> Vec<ProgramResult> {
        vec![self.part()]
    }

    fn info(&self) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        Ok(vec![self.answered(String::new(), describe::json(self)?)])
    }

    fn list(&self, options: &Dis) -> Vec<ProgramResult> {
        let options = HullListing { signatures: !options.no_signatures, exact: options.exact };
        vec![self.part().with_text("listing", listing(&self.shader, options))]
    }

    fn check(&self, options: &CheckArguments) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let report =
            self.report(CheckOptions { any_instance_count: options.any_instance_count })?;
        Ok(vec![ProgramResult { findings: self.findings(&report), ..self.part() }])
    }

    fn glsl(&self, _: &Glsl, dialect: Dialect) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let options = GlslOptions { dialect, levels: TessLevels::Program };
        let glsl = emit(&self.hull()?, options).map_err(refused)?;
        // Append the layout at the end, because GLSL requires the version in the first line.
        let layout = glsl.evaluation_layout.as_str();
        let control = format!("{}// evaluation shader: {layout}\n", glsl.control);
        let textures: Vec<_> = glsl.textures.iter().map(HullTextureUse::name).collect();
        let json =
            json!({ "evaluationLayout": layout, "textures": textures, "buffers": glsl.buffers });
        let part = self.answered(String::new(), json).with_text("glsl", control);
        Ok(vec![ProgramResult { what: "control".to_owned(), ending: "tesc", ..part }])
    }

    fn run(&self, options: &Run, _: &[String]) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let hull = self.hull()?;
        let patch = options.patch.read(&hull)?;
        let ran = running::run(&self.shader, &hull, &patch, options.trace);
        let (text, json) = ran.map_err(refused)?;
        Ok(vec![self.answered(text, json)])
    }

    fn draw(&self, options: &DrawArguments) -> Result<ProgramResult, ShaderRefusal> {
        let hull = self.hull()?;
        let patch = options.patch.read(&hull)?;
        let (patches, bound) = ([patch.points], &patch.bound);
        let outcomes = interpret(&hull, &patches, bound).map_err(refused)?;
        let target = target_of(ShaderForm::Hs50, options.target)?;
        let mut context = TessellationContext::open(target).map_err(CommandFailure::from)?;
        let vertices = context.tessellate(&hull, &patches, bound).map_err(CommandFailure::from)?;
        let captured = context.capture(&hull, &patches, bound).map_err(CommandFailure::from)?;
        let points = captured.first().map(|captured| &captured.control_points);
        // If the shader outputs no control points, draw the input control points.
        let points = points.filter(|points| points.iter().any(|point| !point.is_empty()));
        let points = points.unwrap_or(&patches[0]);
        let pixels = picture::draw(&hull, points, &vertices, options.size);
        let picture = RgbaImage::from_rgba(options.size, options.size, pixels);
        let picture =
            picture.ok_or_else(|| CommandFailure("the image has the wrong size".to_owned()))?;
        let tessellation = outcomes.first().map(|outcome| format!("{:?}", outcome.tessellation));
        let (tessellation, driver) = (tessellation.unwrap_or_default(), context.renderer());
        let count = vertices.len();
        let json = json!({
            "driver": driver, "vertices": count, "controlPoints": points.len(), "tessellation": tessellation,
        });
        Ok(ProgramResult {
            what: format!("{count} vertices by {driver}, {tessellation}"),
            ending: "png",
            bytes: encode_png(&picture).map_err(CommandFailure::from)?,
            ..self.answered(String::new(), json)
        })
    }
}
