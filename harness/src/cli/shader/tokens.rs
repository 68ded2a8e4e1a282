//! Implements the shader commands for Direct3D 9 shaders.

use agal::glsl::Dialect;
use agal::interp::TexelImage;
use agal::sampler::{Dimension, Filter, Mip, SamplerOp, Wrap};
use d3d9::check::{Caps, check};
use d3d9::glsl::{D3d9GlslOptions, PositionTransform, emit, emit_pair, link};
use d3d9::interp::{CompiledShader, D3d9Inputs, D3d9State, MAX_STEPS, SamplerImages};
use d3d9::operand::WriteMask;
use d3d9::register::{D3d9Register, ShaderFile};
use d3d9::{D3d9Program, Stage, text};
use molehill_testing::probe::hull::SAMPLER;
use serde_json::json;

use super::options::{CheckArguments, Dis, Glsl, ReadOptions, Run};
use super::refusal::{ProgramFindings, ShaderRefusal, UnsupportedOption, refused};
use super::results::{RegisterValue, StepPrinter, ran};
use super::values::{assignment, constants, each, floats, texture, vector};
use super::{ProgramResult, ShaderForm, ShaderLanguage, ShaderSource, glsl, linked};
use crate::cli::CommandFailure;
use crate::cli::input::InputContent;

/// A Direct3D 9 shader, or a vertex and a pixel shader in this order.
pub(super) struct Tokens(Vec<D3d9Program>);

pub(super) fn part(program: &D3d9Program) -> ProgramResult {
    let (stage, slots) = (program.version.stage(), program.slots());
    let ending = match stage {
        Stage::Vertex => "vso",
        Stage::Fragment => "pso",
    };
    let json = json!({
        "stage": stage.name(), "version": program.version.name(),
        "slots": { "texture": slots.texture, "arithmetic": slots.arithmetic },
    });
    let what = format!("{}, {slots}", program.version);
    ProgramResult {
        what,
        ending,
        bytes: program.encode(),
        findings: ProgramFindings::default(),
        json,
    }
}

impl ShaderLanguage for Tokens {
    fn read(source: &ShaderSource, _: &ReadOptions) -> Result<Self, ShaderRefusal> {
        Ok(Tokens(vec![match &source.content {
            InputContent::Bytes(bytes) => D3d9Program::decode(bytes).map_err(refused)?,
            InputContent::Text(text) => text::assemble(text)
                .map_err(|errors| ShaderRefusal::of_text(&source.origin.name, &errors))?,
        }]))
    }

    fn pair(mut self, mut other: Self) -> Result<Self, [Self; 2]> {
        let stage = |tokens: &Tokens| tokens.0.first().map(|program| program.version.stage());
        if stage(&self) == stage(&other) {
            return Err([self, other]);
        }
        self.0.append(&mut other.0);
        self.0.sort_by_key(|program| program.version.stage() == Stage::Fragment);
        Ok(self)
    }

    fn language(&self) -> ShaderForm {
        ShaderForm::D3d9
    }

    fn programs(&self) -> Vec<ProgramResult> {
        self.0.iter().map(part).collect()
    }

    fn list(&self, options: &Dis) -> Vec<ProgramResult> {
        let one = |program: &D3d9Program| {
            let listing = program.listing();
            let listing =
                if options.no_comments { listing.without_comment_words() } else { listing };
            part(program).with_text("listing", listing.to_string())
        };
        self.0.iter().map(one).collect()
    }

    fn check(&self, options: &CheckArguments) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let caps = options.caps.unwrap_or(Caps::MAX);
        let one = |program: &D3d9Program| {
            let report = check(program, &caps);
            let json = report.findings.iter().map(|finding| {
                json!({
                    "severity": finding.severity.name(), "rule": finding.rule.number(),
                    "instruction": finding.location.0, "message": finding.message,
                })
            });
            let text = report.findings.iter().map(ToString::to_string).collect();
            let findings =
                ProgramFindings { refused: !report.is_valid(), text, json: json.collect() };
            ProgramResult { findings, ..part(program) }
        };
        let mut parts: Vec<ProgramResult> = self.0.iter().map(one).collect();
        if let [vertex, pixel] = self.0.as_slice() {
            parts.push(linked(link(vertex, pixel).err().map(ProgramFindings::one)));
        }
        Ok(parts)
    }

    fn glsl(&self, options: &Glsl, dialect: Dialect) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let target = D3d9GlslOptions {
            clip_depth: options.clip(),
            position: if options.fixup {
                PositionTransform::Uniform
            } else {
                PositionTransform::Plain
            },
            fog: options.fog,
            point_size: options.point_size,
            comments: options.comments,
            float_rules: options.floats.rules(),
            ..D3d9GlslOptions::new(dialect)
        };
        let shaders = match self.0.as_slice() {
            [vertex, pixel] => {
                emit_pair(vertex, pixel, &target).map(|(vertex, pixel)| vec![vertex, pixel])
            }
            programs => programs.iter().map(|program| emit(program, &target)).collect(),
        };
        let stages = self.0.iter().map(|program| program.version.stage());
        let shaders = stages.zip(shaders.map_err(refused)?);
        Ok(shaders.map(|(stage, shader)| glsl(stage, shader)).collect())
    }

    fn run(&self, options: &Run, texts: &[String]) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let [program] = self.0.as_slice() else { return Err(UnsupportedOption::Pair.into()) };
        let compiled = CompiledShader::new(program).map_err(refused)?;
        let compiled = compiled.with_float_rules(options.floats.rules());
        let mut state = compiled.state();
        let mut values = TokenValues::default();
        for text in texts {
            values.set(text, program, &mut state).map_err(CommandFailure::of(text))?;
        }
        let inputs = D3d9Inputs {
            floats: &values.floats,
            integers: &values.integers,
            booleans: &values.booleans,
            ..D3d9Inputs::default()
        };
        let line = |number: u32| {
            let found = program.instructions().find(|(of, _)| *of == number);
            found.map_or_else(String::new, |(_, it)| it.readable_text(program.version))
        };
        let mut steps =
            StepPrinter::new(options, line, |register: &D3d9Register| register.to_string());
        let images = SamplerImages(&values.textures);
        let most = options.steps.unwrap_or(MAX_STEPS);
        compiled.run(&mut state, &inputs, &images, most, &mut steps).map_err(refused)?;
        let results = outputs(program, &state);
        Ok(vec![ran(program.version.stage(), &results, state.alive(), steps.trace)])
    }
}

#[derive(Default)]
struct TokenValues {
    floats: Vec<[f32; 4]>,
    integers: Vec<[i32; 4]>,
    booleans: Vec<bool>,
    textures: Vec<Option<(TexelImage, SamplerOp)>>,
}

impl TokenValues {
    fn set(
        &mut self,
        text: &str,
        program: &D3d9Program,
        state: &mut D3d9State,
    ) -> Result<(), String> {
        let (name, digits, value) = assignment(text)?;
        let register = text.split('=').next().unwrap_or_default();
        let version = program.version;
        let unknown = || format!("{version} has no register {register}");
        let file = ShaderFile::from_name(register, version)
            .filter(|file| !file.is_numbered())
            .or_else(|| ShaderFile::from_name(name, version))
            .ok_or_else(unknown)?;
        let count = file.info(version).map_or(0, |info| info.count.max(256));
        let index = digits.unwrap_or(0);
        if index >= count.max(1) {
            return Err(unknown());
        }
        let at = (index, count);
        match file {
            ShaderFile::Const => constants(&mut self.floats, at, value, floats)?,
            ShaderFile::Integer => {
                constants(&mut self.integers, at, value, |text| vector(text, [0; 4]))?;
            }
            ShaderFile::Boolean => {
                constants(&mut self.booleans, at, value, |text| Ok(matches!(text, "1" | "true")))?;
            }
            ShaderFile::Sampler => {
                let image = texture(value, Some(Dimension::TwoD))?;
                let textures = &mut self.textures;
                textures.resize(textures.len().max(usize::from(index) + 1), None);
                textures[usize::from(index)] = Some((image, LINEAR));
            }
            ShaderFile::Input | ShaderFile::Texture | ShaderFile::PixelPosition => {
                each(value, floats, |(lane, it)| state.set(file.at(index), lane, it))?;
            }
            ShaderFile::Face => each(value, floats, |(lane, [x, ..])| {
                state.set(file.at(index), lane, [if x >= 0.0 { 1.0 } else { -1.0 }; 4]);
            })?,
            _ => return Err(format!("{register} is not an input")),
        }
        Ok(())
    }
}

/// The sampler that shaders use for images.
const LINEAR: SamplerOp =
    SamplerOp { wrap: Wrap::Repeat, mip: Mip::None, filter: Filter::Linear, ..SAMPLER };

fn outputs(program: &D3d9Program, state: &D3d9State) -> Vec<RegisterValue> {
    let mut names: Vec<D3d9Register> = Vec::new();
    for (_, instruction) in program.instructions() {
        if let Some(index) = instruction.dest.and_then(|dest| dest.register(program.version))
            && index.file.is_output()
            && !instruction.opcode.is_declaration()
            && !names.contains(&index)
        {
            names.push(index);
        }
    }
    // In ps_1_x, register r0 is the output colour.
    if program.version.stage() == Stage::Fragment && program.version.major() == 1 {
        names.push(ShaderFile::Color.at(0));
    }
    let shown = |index: D3d9Register| {
        RegisterValue::new(index.to_string(), WriteMask::ALL, &state.register(index))
    };
    names.into_iter().map(shown).collect()
}
