//! Translates AGAL to Direct3D 9 tokens, like Flash Player on Windows as far as is known ([d3d9.from_agal.model]).
//!
//! Each opcode of AGAL 1 to 3 becomes one or several instructions. Operands that the shader model doesn't allow are
//! first copied to scratch registers. Sampler state has no encoding in tokens and is returned separately. The result
//! passes [`check()`] and computes the same bits as AGAL, with few exceptions ([d3d9.from_agal.edges]).
//!
//! | AGAL | vs_2_x | ps_2_x | vs_3_0 | ps_3_0 |
//! |---|---|---|---|---|
//! | attribute `va<n>` | `v<n>`, usage texcoord n | | the same | |
//! | varying `v<n>` | `oT<n>` | `t<n>` | `o<n+1>`, usage texcoord n | `v<n>`, usage texcoord n |
//! | constants | `c<n>` | `c<n>` | `c<n>` | `c<n>` |
//! | output | `oPos` | `oC0` | `o0`, usage position | `oC0`… |
//! | depth | | `oDepth` | | `oDepth` |
//! | sampler | | `s<n>` | `s<n>` | `s<n>` |

mod builder;
mod flow;
mod glsl;
mod lower;
mod native;
mod operand;
mod sample;
mod unset;

use agal::errors::ErrorKind;
use agal::opcode::AgalOpcode as Agal;
use agal::sampler::SamplerOp;
use agal::{LinkedPair, Profile, Stage, ValidProgram};

use crate::check::{Caps, D3d9Finding, check};
use crate::program::D3d9Program;
use crate::register::{D3d9Register, ShaderFile};
use crate::slots::Slots;
use crate::texture_order::TextureOrder;
use crate::version::ShaderVersion;

use builder::D3d9Builder;

pub use glsl::{EmitError, emit, emit_translated};
pub use native::{native_limits, program_native_limits};

agal_core::table! {
    /// A shader model to which AGAL is translated.
    pub enum Model {
        /// Returns the name without the stage, such as `2_0`.
        name: &'static str => from_name(&str),
    }
    V20 "2_0";
    /// Shader model 2_x with all optional capabilities.
    V2x "2_x";
    V30 "3_0";
}

impl Model {
    /// Returns the lowest model for a profile: ps_2_0 for `baselineConstrained` ([d3d9.from_agal.model]), and ps_2_0
    /// without its limits for `baseline`. Conditionals and derivatives need a higher model.
    pub fn of(profile: Profile) -> Model {
        match profile {
            Profile::BaselineConstrained | Profile::Baseline | Profile::BaselineExtended => {
                Model::V20
            }
            Profile::StandardConstrained => Model::V2x,
            Profile::Standard | Profile::StandardExtended | Profile::Enhanced => Model::V30,
        }
    }

    /// Returns the shader version for a stage.
    pub fn version(self, stage: Stage) -> ShaderVersion {
        match (self, stage) {
            (Model::V20, Stage::Vertex) => ShaderVersion::Vs20,
            (Model::V20, Stage::Fragment) => ShaderVersion::Ps20,
            (Model::V2x, Stage::Vertex) => ShaderVersion::Vs2x,
            (Model::V2x, Stage::Fragment) => ShaderVersion::Ps2x,
            (Model::V30, Stage::Vertex) => ShaderVersion::Vs30,
            (Model::V30, Stage::Fragment) => ShaderVersion::Ps30,
        }
    }
}

agal_core::table! {
    /// A resource that shader versions limit.
    pub enum ResourceLimit {
        /// Returns a description of the resource, such as `arithmetic instructions`.
        name: &'static str,
        /// Returns Flash Player's error if the limit is exceeded ([d3d9.native.limits]).
        error: ErrorKind,
    }
    Instructions "instructions", ErrorKind::NativeInstructions;
    Arithmetic "arithmetic instructions", ErrorKind::NativeAlu;
    Texture "texture instructions", ErrorKind::NativeTexture;
    Constants "constants", ErrorKind::NativeConstants;
    Temporaries "temporaries", ErrorKind::NativeTemporaries;
    Varyings "varyings", ErrorKind::NativeVaryings;
    DependentReads "levels of dependent texture reads", ErrorKind::NativeIndirectTexture;
}

/// The resources that a translated program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceCounts {
    /// Instruction slots, as counted by Microsoft's compiler.
    pub slots: Slots,
    /// Constant registers, including literals: the highest index plus 1.
    pub constants: u32,
    /// Temporary registers: the highest index plus 1.
    pub temporaries: u32,
    /// Varying registers that are read or written: the highest index plus 1.
    pub varyings: u32,
    /// Levels of dependent texture reads; 1 if no texture coordinate comes from a temporary.
    pub levels: u32,
}

impl ResourceCounts {
    /// Returns how much of a resource the program uses.
    pub fn get(&self, limit: ResourceLimit) -> u32 {
        match limit {
            ResourceLimit::Instructions => self.slots.total(),
            ResourceLimit::Arithmetic => self.slots.arithmetic,
            ResourceLimit::Texture => self.slots.texture,
            ResourceLimit::Constants => self.constants,
            ResourceLimit::Temporaries => self.temporaries,
            ResourceLimit::Varyings => self.varyings,
            ResourceLimit::DependentReads => self.levels,
        }
    }
    /// Returns the first resource whose limit is exceeded, with the required amount and the version's limit.
    fn first_over(&self, version: ShaderVersion) -> Option<(ResourceLimit, u32, u32)> {
        ResourceLimit::ALL.iter().find_map(|limit| {
            let found = self.get(*limit);
            let allowed = allowed(version, *limit).filter(|allowed| found > *allowed)?;
            Some((*limit, found, allowed))
        })
    }
}

/// Returns a version's limit of a resource ([d3d9.slots.version] [d3d9.native.limits]), or `None` if there is no limit.
pub fn allowed(version: ShaderVersion, limit: ResourceLimit) -> Option<u32> {
    let count = |file: ShaderFile| file.info(version).map(|info| u32::from(info.count));
    match (limit, version) {
        (ResourceLimit::Instructions, ShaderVersion::Vs20 | ShaderVersion::Vs2x) => Some(256),
        // The total limit of 96 follows from the limits of 64 arithmetic and 32 texture slots.
        (ResourceLimit::Instructions, ShaderVersion::Ps20) => None,
        (ResourceLimit::Instructions, ShaderVersion::Ps2x) => Some(512),
        (ResourceLimit::Instructions, _) => Some(32768),
        (ResourceLimit::Arithmetic, ShaderVersion::Ps20) => Some(64),
        (ResourceLimit::Texture, ShaderVersion::Ps20) => Some(32),
        (ResourceLimit::DependentReads, ShaderVersion::Ps20) => Some(crate::MAX_ORDER + 1),
        (ResourceLimit::Arithmetic | ResourceLimit::Texture | ResourceLimit::DependentReads, _) => {
            None
        }
        (ResourceLimit::Constants, _) => count(ShaderFile::Const),
        (ResourceLimit::Temporaries, _) => count(ShaderFile::Temp),
        (ResourceLimit::Varyings, version) => count(match (version.stage(), version.major()) {
            (Stage::Vertex, 3) => return Some(10),
            (Stage::Vertex, _) => ShaderFile::TexCoordVarying,
            (Stage::Fragment, 3) => ShaderFile::Input,
            (Stage::Fragment, _) => ShaderFile::Texture,
        }),
    }
}

agal_core::errors! {
    /// The reasons why a program can't be translated to a model. Token indices are 1-based.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum TranslateError {
        Limit { limit: ResourceLimit, found: u32, allowed: u32, version: ShaderVersion } =
            "{found} {}: {version} allows {allowed}" [limit.name()];
        Opcode { token: u32, opcode: Agal, version: ShaderVersion } =
            "token {token}: {version} has no instruction for `{}`" [opcode.name()];
        InstanceId = "Direct3D 9 has no instance id (`iid`)";
        Token(u32) = "token {0} is not valid AGAL";
        /// The translated shader breaks a rule, which indicates a bug in the translator.
        Invalid(D3d9Finding) = "the translation is not valid: {0}";
    }
}

/// A translated program in tokens, with the state that tokens can't encode.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The translated shader.
    pub program: D3d9Program,
    /// The sampler state for AGAL's sampler fields (`D3DSAMP_ADDRESSU` and so on), by sampler register.
    pub samplers: [Option<SamplerOp>; 16],
    /// The resources that the program uses.
    pub counts: ResourceCounts,
}

/// Translates a program; fails if it exceeds the model's limits.
pub fn translate(program: &ValidProgram, model: Model) -> Result<Translation, TranslateError> {
    let translation = translate_unlimited(program, model)?;
    let version = translation.program.version;
    if let Some((limit, found, allowed)) = translation.counts.first_over(version) {
        return Err(TranslateError::Limit { limit, found, allowed, version });
    }
    let report = check(&translation.program, &Caps::MAX);
    match report.errors().next() {
        Some(finding) => Err(TranslateError::Invalid(finding.clone())),
        None => Ok(translation),
    }
}

/// Translates a program without checking limits and rules; the counts may exceed the model's limits.
pub fn translate_unlimited(
    program: &ValidProgram,
    model: Model,
) -> Result<Translation, TranslateError> {
    let (steps, stage) = (program.steps(), program.program().stage());
    let mut builder = D3d9Builder::new(program, model.version(stage));
    builder.zero(unset::unwritten_rows(steps));
    for (step, next) in steps.iter().zip(1..) {
        if !unset::is_overwritten(step, steps.get(next..).unwrap_or_default(), stage) {
            builder.step(step)?;
        }
    }
    let (program, samplers) = builder.finish();
    let counts = count(&program);
    Ok(Translation { program, samplers, counts })
}

/// Translates both programs of a pair, the vertex program first.
pub fn translate_pair(pair: &LinkedPair, model: Model) -> Result<[Translation; 2], TranslateError> {
    Ok([translate(pair.vertex(), model)?, translate(pair.fragment(), model)?])
}

/// Translates a pair to the lowest model, starting at `first`, that can hold it. If all models fail, returns the error
/// of the highest model.
pub fn translate_lowest(
    pair: &LinkedPair,
    first: Model,
) -> Result<(Model, [Translation; 2]), TranslateError> {
    let mut last = None;
    for model in Model::ALL.iter().copied().filter(|model| *model >= first) {
        match translate_pair(pair, model) {
            Ok(both) => return Ok((model, both)),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or(TranslateError::Token(0)))
}

type TranslationResult<T = ()> = Result<T, TranslateError>;

fn count(program: &D3d9Program) -> ResourceCounts {
    let version = program.version;
    let mut counts = ResourceCounts { slots: program.slots(), ..ResourceCounts::default() };
    let mut orders = TextureOrder::default();
    for (_, instruction) in program.instructions() {
        if !version.is_vertex()
            && let Some(order) = orders.add(instruction, version)
        {
            counts.levels = counts.levels.max(order.saturating_add(1));
        }
        let target = instruction.dest_register(version).into_iter();
        for D3d9Register { file, number } in target.chain(instruction.registers(version)) {
            let needed = u32::from(number).saturating_add(1);
            let (of, needed) = match file {
                ShaderFile::Temp => (&mut counts.temporaries, needed),
                ShaderFile::Const => (&mut counts.constants, needed),
                ShaderFile::TexCoordVarying | ShaderFile::Texture => (&mut counts.varyings, needed),
                // `o0` is the position and doesn't count as a varying.
                ShaderFile::Output => (&mut counts.varyings, number.into()),
                ShaderFile::Input if !version.is_vertex() => (&mut counts.varyings, needed),
                _ => continue,
            };
            *of = needed.max(*of);
        }
    }
    counts
}
