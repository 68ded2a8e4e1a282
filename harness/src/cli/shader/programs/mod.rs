//! Implements the shader commands for AGAL programs and pairs.

mod running;

use std::collections::BTreeSet;

use agal::asm::{self, AgalListing, AsmErrorKind, disassemble};
use agal::glsl::{Dialect, GlslOptions, GlslPair, emit};
use agal::register::RegisterFile;
use agal::sampler::SamplerOp;
use agal::{
    AgalError, Endian, LinkedPair, Program, Rules, Stage, ValidProgram, link, link_alone, validate,
    wgsl,
};
use d3d9::from_agal::{
    Model, ResourceLimit, Translation, allowed, native_limits, program_native_limits, translate,
};
use serde_json::{Value, json};

use super::options::{CheckArguments, Dis, Glsl, ReadOptions, RulesArgument, Run, Wgsl};
use super::refusal::{ProgramFindings, ShaderRefusal, refused, text_error};
use super::{ProgramResult, ShaderForm, ShaderLanguage, ShaderSource, glsl, linked};
use crate::cli::input::{InputContent, to_hex};
use crate::cli::{CommandFailure, output, with};

/// An AGAL program, and the argument of `Program3D.upload` for which it is checked.
struct UploadCandidate {
    role: Stage,
    bytes: Vec<u8>,
    /// The decoded program, or its encoding error.
    program: Result<Program, AgalError>,
    warnings: Vec<Value>,
}

/// One or two AGAL programs from one input, or a pair from two inputs.
pub(super) struct ProgramInput(Vec<UploadCandidate>);

/// Returns Flash's error message and the line of the token: `Error #3647 (Error): AGAL validation failed: …`
fn finding(error: &AgalError, program: Option<&Program>) -> ProgramFindings {
    let (number, class, message) = (error.number(), error.class().name(), error.message());
    let mut text = format!("Error #{number} ({class}): {message}");
    let index = error.token().and_then(|token| usize::try_from(token).ok()?.checked_sub(1));
    let line = program.zip(index).and_then(|(program, index)| {
        let instruction = program.instructions().get(index)?;
        Some(asm::readable_text(instruction, program.stage()).to_string())
    });
    if let (Some(token), Some(line)) = (error.token(), &line) {
        text += &format!("\n  token {token}: {line}");
    }
    let json = json!({
        "severity": "error", "number": number, "class": class, "message": message, "token": error.token(),
        "line": line,
    });
    ProgramFindings { refused: true, text: vec![text], json: vec![json] }
}

impl UploadCandidate {
    /// Validates the AGAL program, and checks that its stage is that of its `upload` argument.
    fn valid(&self, rules: &Rules) -> Result<ValidProgram, AgalError> {
        let valid = validate(self.program.clone()?, self.role, rules)?;
        valid.check_position(self.role)?;
        Ok(valid)
    }

    /// Describes the AGAL program: `vertex program, AGAL 1, 2 tokens`.
    fn part(&self, error: Option<&AgalError>) -> ProgramResult {
        let program = self.program.as_ref().ok();
        let mut findings =
            ProgramFindings { json: self.warnings.clone(), ..ProgramFindings::default() };
        error.iter().for_each(|error| findings.join(&finding(error, program)));
        let (version, tokens) =
            (program.map(Program::header_version), program.map(Program::token_count));
        let size = match version.zip(tokens) {
            Some((version, 1)) => format!("AGAL {version}, 1 token"),
            Some((version, tokens)) => format!("AGAL {version}, {tokens} tokens"),
            None => format!("{} bytes", self.bytes.len()),
        };
        let ending = match self.role {
            Stage::Vertex => "vsh.agal",
            Stage::Fragment => "fsh.agal",
        };
        ProgramResult {
            what: format!("{} program, {size}", self.role),
            ending,
            bytes: self.bytes.clone(),
            findings,
            json: json!({ "stage": self.role.name(), "version": version, "tokens": tokens }),
        }
    }

    fn list(&self, options: &Dis) -> ProgramResult {
        let shown = disassemble(&self.bytes, Some(self.role), &options.rules.rules());
        let text = AgalListing { numbers: options.numbers, ..shown.listing() }.to_string();
        let program = &shown.program;
        let body = self.bytes.get(agal::binary::HEADER_SIZE..).unwrap_or_default();
        let (bytes, _) = body.as_chunks::<{ agal::binary::TOKEN_SIZE }>();
        let tokens = (1u32..).zip(program.instructions()).zip(bytes);
        let tokens = tokens.map(|((number, instruction), bytes)| {
            let text = asm::readable_text(instruction, program.stage()).to_string();
            json!({ "token": number, "text": text, "hex": to_hex(bytes) })
        });
        let list = options.numbers.then(|| tokens.collect::<Vec<_>>());
        let mut part = self.part(shown.fault.as_ref()).with_text("listing", text);
        part.json["lossless"] = shown.is_lossless().into();
        part.json["list"] = list.into();
        part
    }
}

type LinkResult = Option<Result<LinkedPair, AgalError>>;

impl ProgramInput {
    fn assembled(
        source: &ShaderSource,
        text: &str,
        options: &asm::AssembleOptions,
    ) -> Result<Self, ShaderRefusal> {
        let (wanted, name) = (options.stage, &source.origin.name);
        let known_stage = wanted.or(source.stage);
        let failed = |reason: &str| Err(CommandFailure::of(name)(reason).into());
        let sections =
            match (asm::AssembleOptions { stage: known_stage, ..*options }).sections(text) {
                Ok(sections) => sections,
                Err(errors) => {
                    let unclaimed = matches!(errors.first().kind, AsmErrorKind::MissingSection(_));
                    if known_stage.is_none() && unclaimed {
                        return failed("the stage of the program is unknown; name it with --stage");
                    }
                    return Err(ShaderRefusal::of_text(name, &errors));
                }
            };
        for warning in &sections.warnings {
            output::tell(&warning.in_file(name).to_string());
        }
        let mut warnings =
            sections.warnings.iter().map(|warning| text_error(warning, "warning")).collect();
        let programs = [sections.vertex, sections.fragment].into_iter().flatten();
        let programs =
            programs.filter(|program| wanted.is_none_or(|stage| stage == program.stage()));
        let candidates = programs.map(|program| UploadCandidate {
            role: program.stage(),
            bytes: program.encode(),
            program: Ok(program),
            warnings: std::mem::take(&mut warnings),
        });
        let candidates: Vec<UploadCandidate> = candidates.collect();
        match (candidates.is_empty(), wanted) {
            (false, _) => Ok(ProgramInput(candidates)),
            (true, None) => failed("the text has no program"),
            (true, Some(stage)) => failed(&format!("the text has no {stage} program")),
        }
    }

    /// Validates the programs, and links two valid programs.
    fn validated(&self, rules: &Rules) -> (Vec<Result<ValidProgram, AgalError>>, LinkResult) {
        let single = self.0.len() == 1;
        let valid = |candidate: &UploadCandidate| {
            let valid = candidate.valid(rules)?;
            // For a pair, the hardware limits are checked after linking.
            if single {
                program_native_limits(&valid)?;
            }
            Ok(valid)
        };
        let programs: Vec<_> = self.0.iter().map(valid).collect();
        let linked = match programs.as_slice() {
            [Ok(vertex), Ok(fragment)] => {
                let pair = link(vertex.clone(), fragment.clone());
                Some(pair.and_then(|pair| native_limits(&pair).map(|_| pair)))
            }
            _ => None,
        };
        (programs, linked)
    }

    fn verdicts(
        &self,
        (programs, pair): &(Vec<Result<ValidProgram, AgalError>>, LinkResult),
    ) -> Vec<ProgramResult> {
        let both = self.0.iter().zip(programs);
        let parts = both.map(|(candidate, valid)| candidate.part(valid.as_ref().err()));
        let pair = pair.iter();
        let pair = pair.map(|pair| linked(pair.as_ref().err().map(|error| finding(error, None))));
        parts.chain(pair).collect()
    }

    /// Returns the valid programs and their pair. If a program is invalid, returns all diagnostics.
    fn accepted(
        &self,
        rules: &Rules,
    ) -> Result<(Vec<ValidProgram>, Option<LinkedPair>), ShaderRefusal> {
        let validated = self.validated(rules);
        let mut findings = ProgramFindings::default();
        self.verdicts(&validated).iter().for_each(|part| findings.join(&part.findings));
        let (programs, linked) = validated;
        match (programs.into_iter().collect(), linked.transpose()) {
            (Ok(programs), Ok(linked)) => Ok((programs, linked)),
            _ => Err(ShaderRefusal::Refused(findings)),
        }
    }

    /// Returns the valid pair. A single program is linked with a minimal partner, and its stage is returned too.
    fn completed(
        &self,
        rules: &RulesArgument,
    ) -> Result<Option<(LinkedPair, Option<Stage>)>, ShaderRefusal> {
        let (programs, pair) = self.accepted(&rules.rules())?;
        Ok(match (pair, programs.into_iter().next()) {
            (Some(pair), _) => Some((pair, None)),
            (None, Some(valid)) => {
                let stage = valid.program().stage();
                let alone = link_alone(valid);
                Some((
                    alone.map_err(|error| ShaderRefusal::Refused(finding(&error, None)))?,
                    Some(stage),
                ))
            }
            (None, None) => None,
        })
    }
}

impl ShaderLanguage for ProgramInput {
    fn read(source: &ShaderSource, reading: &ReadOptions) -> Result<Self, ShaderRefusal> {
        let assembler = reading.assembler();
        let bytes = match &source.content {
            InputContent::Text(text) => return ProgramInput::assembled(source, text, &assembler),
            InputContent::Bytes(bytes) => bytes.clone(),
        };
        let kind = bytes.get(6).copied().and_then(Stage::from_code);
        let role = assembler.stage.or(source.stage).or(kind).unwrap_or(Stage::Vertex);
        let program = Program::decode(&bytes, Endian::Little, role);
        Ok(ProgramInput(vec![UploadCandidate { role, bytes, program, warnings: Vec::new() }]))
    }

    /// Combines a vertex and a fragment program to a pair.
    fn pair(mut self, mut other: Self) -> Result<Self, [Self; 2]> {
        match (self.0.as_slice(), other.0.as_slice()) {
            ([one], [two]) if one.role != two.role => {
                self.0.append(&mut other.0);
                self.0.sort_by_key(|candidate| candidate.role.code());
                Ok(self)
            }
            _ => Err([self, other]),
        }
    }

    fn language(&self) -> ShaderForm {
        ShaderForm::Agal
    }

    fn programs(&self) -> Vec<ProgramResult> {
        self.0.iter().map(|candidate| candidate.part(None)).collect()
    }

    fn list(&self, options: &Dis) -> Vec<ProgramResult> {
        self.0.iter().map(|candidate| candidate.list(options)).collect()
    }

    fn check(&self, options: &CheckArguments) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        Ok(self.verdicts(&self.validated(&options.rules.rules())))
    }

    fn glsl(&self, options: &Glsl, dialect: Dialect) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let target = GlslOptions {
            clip_depth: options.clip(),
            position_bias: context3d::packets::POSITION_BIAS,
            comments: options.comments,
            float_rules: options.floats.rules(),
            ..GlslOptions::new(dialect)
        };
        let Some((pair, single)) = self.completed(&options.rules)? else { return Ok(Vec::new()) };
        let GlslPair { vertex, fragment } = emit(&pair, &target).map_err(refused)?;
        let both = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)].into_iter();
        let wanted = both.filter(|(stage, _)| single.is_none_or(|only| only == *stage));
        Ok(wanted.map(|(stage, shader)| glsl(stage, shader)).collect())
    }

    fn wgsl(&self, options: &Wgsl) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let (comments, float_rules) = (options.comments, options.floats.rules());
        let target = wgsl::WgslOptions { comments, float_rules, ..wgsl::WgslOptions::default() };
        let Some((pair, single)) = self.completed(&options.rules)? else { return Ok(Vec::new()) };
        let module = match single {
            None => wgsl::emit_module(&pair, &target),
            Some(Stage::Vertex) => wgsl::emit(&pair, &target).vertex,
            Some(Stage::Fragment) => wgsl::emit(&pair, &target).fragment,
        };
        let what = single.map_or("pair", Stage::name);
        let (what, json) = (what.to_owned(), json!({ "stage": what }));
        let part = ProgramResult { what, ending: "wgsl", json, ..ProgramResult::default() };
        Ok(vec![part.with_text("wgsl", module)])
    }

    fn run(&self, options: &Run, values: &[String]) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let (programs, pair) = self.accepted(&options.rules.rules())?;
        Ok(running::run(&programs, pair.as_ref(), values, options)?)
    }

    fn convert(&self, model: Model) -> Result<Vec<ProgramResult>, ShaderRefusal> {
        let one = |candidate: &UploadCandidate| {
            let valid = candidate.valid(&Rules::NEWEST).map_err(|error| {
                ShaderRefusal::Refused(finding(&error, candidate.program.as_ref().ok()))
            })?;
            Ok(translated(&translate(&valid, model).map_err(refused)?))
        };
        self.0.iter().map(one).collect()
    }
}

/// Describes a translation to tokens: the use of each limit, and the sampler states, which tokens can't express.
fn translated(made: &Translation) -> ProgramResult {
    let limits = ResourceLimit::ALL.iter().map(|limit| {
        let allowed = allowed(made.program.version, *limit);
        json!({ "limit": limit.name(), "found": made.counts.get(*limit), "allowed": allowed })
    });
    let sampler = |sampler: &SamplerOp| {
        json!({
            "sampler": sampler.register, "wrap": format!("{:?}", sampler.wrap),
            "filter": format!("{:?}", sampler.filter), "mip": format!("{:?}", sampler.mip),
            "lodBias": f32::from(sampler.lod_bias) / 8.0,
        })
    };
    let part = super::tokens::part(&made.program);
    let members = [
        ("listing", made.program.listing().to_string().into()),
        ("limits", limits.collect::<Vec<_>>().into()),
        ("samplers", made.samplers.iter().flatten().map(sampler).collect::<Vec<_>>().into()),
    ];
    ProgramResult { json: with(part.json, members), ..part }
}

/// Returns the registers of one type that a program writes.
fn written(program: &Program, file: RegisterFile) -> BTreeSet<u16> {
    let instructions = program.instructions().iter();
    let writing = instructions.filter(|instruction| {
        let opcode = instruction.opcode();
        opcode.is_some_and(|opcode| opcode.signature().has_dest())
            && instruction.dest.register_file() == Some(file)
    });
    writing.map(|instruction| instruction.dest.number).collect()
}
