//! Generates valid programs from bytes, for fuzzing and differential tests.
//!
//! [`PairGenerator`] and [`GenerateOptions`] turn bytes, as an [`Unstructured`], into a [`ProgramPair`] that always
//! passes [`validate`] and [`link`], and [`PairInputs`] for running it. [`shrink`] reduces a pair that fails a test.
//!
//! Every choice is taken from the tables of opcodes, register files and sampler fields, so new rows are generated
//! automatically. Equal bytes always give an equal pair. If the bytes run out, programs are shorter.
mod exhaustive;
mod inputs;
mod operand;
mod program;
mod random;
mod sequences;
mod shrink;
mod state;

use std::fmt;

pub use arbitrary;
use arbitrary::{Arbitrary, Result, Unstructured, Unstructured as Bytes};

pub use exhaustive::{OpcodeProgram, Topic, all_inputs, inputs, opcode_programs, topics};
pub use inputs::{InputTexture, MipTexels, PairInputs};
pub use random::{Random, seed_bytes};
pub use sequences::{
    ProgramSequence, opcode_pairs, opcode_triple, sequence_inputs, sequence_programs,
};
pub use shrink::shrink;

use crate::opcode::{AgalOpcode, OpcodeSignature, SampleLevel, Unary};
use crate::operand::{SourceOperand, Swizzle};
use crate::register::RegisterFile;
use crate::{
    AgalError, AgalVersion, LinkedPair, Profile, Program, Rules, Stage, ValidProgram, link,
    validate,
};
use program::ProgramBuilder;

/// Optional features of generated programs. Features that the version or profile lacks are never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorFeatures {
    /// Texture reads in fragment programs (`tex`).
    pub textures: bool,
    /// Texture reads in vertex programs.
    pub vertex_textures: bool,
    /// The opcodes `ddx` and `ddy`, which compute derivatives.
    pub derivatives: bool,
    /// Conditionals: the four `if` opcodes, `els` and `eif`.
    pub conditionals: bool,
    /// Indirect reads of constants, such as `vc[va0.x+4]`.
    pub indirect: bool,
    /// The opcode `kil`, which discards a pixel.
    pub kill: bool,
    /// The depth output of fragment programs.
    pub depth: bool,
    /// Colour outputs after the first.
    pub targets: bool,
    /// The register `iid`, the instance id.
    pub instance_id: bool,
}

impl GeneratorFeatures {
    /// All features.
    pub const ALL: GeneratorFeatures = GeneratorFeatures::all(true);
    /// No features: programs have only arithmetic.
    pub const NONE: GeneratorFeatures = GeneratorFeatures::all(false);

    const fn all(on: bool) -> GeneratorFeatures {
        GeneratorFeatures {
            textures: on,
            vertex_textures: on,
            derivatives: on,
            conditionals: on,
            indirect: on,
            kill: on,
            depth: on,
            targets: on,
            instance_id: on,
        }
    }

    fn allow(&self, signature: OpcodeSignature) -> bool {
        match signature {
            OpcodeSignature::Block(_) | OpcodeSignature::If(_) => self.conditionals,
            OpcodeSignature::Kill => self.kill,
            OpcodeSignature::Unary(Unary::Derivative(_)) => self.derivatives,
            OpcodeSignature::Sample(SampleLevel::Implicit) => self.textures,
            OpcodeSignature::Sample(SampleLevel::LevelZero) => self.vertex_textures,
            OpcodeSignature::Unary(_) | OpcodeSignature::Binary(_) => true,
        }
    }
}

/// The properties of generated programs.
#[derive(Clone, Copy, Debug)]
pub struct GenerateOptions {
    /// The AGAL version of both programs, limited to the newest version of the profile.
    pub version: AgalVersion,
    /// The profile whose limits the programs fulfil.
    pub profile: Profile,
    /// The maximum number of tokens in a program, clamped to 1 and the version's limit.
    pub max_tokens: usize,
    /// The features that generated programs may use.
    pub features: GeneratorFeatures,
    /// Checks the native limits of profiles that have them: `d3d9::from_agal::program_native_limits`, or a function
    /// that accepts every program.
    pub native_limits: fn(&ValidProgram) -> std::result::Result<(), AgalError>,
}

impl GenerateOptions {
    /// Returns options for a version with all features, the strongest profile, and the maximum program length.
    pub fn new(version: AgalVersion) -> GenerateOptions {
        GenerateOptions {
            version,
            profile: Profile::Enhanced,
            max_tokens: version.max_tokens(),
            features: GeneratorFeatures::ALL,
            native_limits: |_| Ok(()),
        }
    }

    /// Returns the validation rules that generated pairs fulfil.
    pub fn rules(&self) -> Rules {
        Rules { profile: self.profile }
    }

    fn effective_version(&self) -> AgalVersion {
        self.version.min(self.profile.max_version())
    }

    fn opcodes(&self, stage: Stage) -> Vec<AgalOpcode> {
        let version = self.effective_version();
        let known = AgalOpcode::ALL.iter().copied().filter(|opcode| {
            opcode.since().is_some_and(|since| since <= version)
                && opcode.stages().allows(stage)
                && self.features.allow(opcode.signature())
        });
        known.collect()
    }

    /// Returns the number of registers of a register file that programs of a stage may use.
    fn count(&self, file: RegisterFile, stage: Stage) -> u16 {
        let wanted = match file {
            RegisterFile::InstanceId => self.features.instance_id,
            RegisterFile::DepthOutput => self.features.depth,
            _ => true,
        };
        let count = file.count(stage, self.effective_version(), self.profile);
        count.filter(|_| wanted).unwrap_or(0)
    }
}

impl<'a> Arbitrary<'a> for GenerateOptions {
    /// Generates options with any version, any profile that supports the version, and all features.
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<GenerateOptions> {
        let profile = *u.choose(Profile::ALL)?;
        let version = *u.choose(AgalVersion::ALL)?;
        Ok(GenerateOptions { profile, ..GenerateOptions::new(version.min(profile.max_version())) })
    }
}

/// A generated pair of programs, which is valid and links under the pair's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPair {
    /// The vertex program.
    pub vertex: Program,
    /// The fragment program.
    pub fragment: Program,
    /// The validation rules of the pair.
    pub rules: Rules,
}

impl ProgramPair {
    /// Validates and links the pair. A generated pair is always valid. If the caller changed the pair, the result may
    /// be the error that Flash raises.
    pub fn link(&self) -> std::result::Result<LinkedPair, AgalError> {
        let vertex = validate(self.vertex.clone(), Stage::Vertex, &self.rules)?;
        let fragment = validate(self.fragment.clone(), Stage::Fragment, &self.rules)?;
        link(vertex, fragment)
    }

    /// Returns the total number of tokens in both programs.
    pub fn token_count(&self) -> usize {
        self.vertex.token_count() + self.fragment.token_count()
    }
}

impl fmt::Display for ProgramPair {
    /// Writes both programs as text for [`AssembleOptions::pair`](crate::asm::AssembleOptions::pair).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// version: {}", self.vertex.header_version())?;
        for program in [&self.vertex, &self.fragment] {
            write!(f, "// {}\n{program}", program.stage())?;
        }
        Ok(())
    }
}

impl<'a> Arbitrary<'a> for ProgramPair {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<ProgramPair> {
        PairGenerator::new(GenerateOptions::arbitrary(u)?).pair(u)
    }
}

/// A generator of valid pairs.
#[derive(Clone, Copy, Debug)]
pub struct PairGenerator {
    options: GenerateOptions,
}

impl PairGenerator {
    /// Creates a generator of pairs with these properties.
    pub fn new(options: GenerateOptions) -> PairGenerator {
        PairGenerator { options }
    }

    /// Generates a pair. Each program has 1 token to the maximum; all length classes are equally likely. If the bytes
    /// run out, programs are shorter.
    pub fn pair(&self, u: &mut Bytes<'_>) -> Result<ProgramPair> {
        let most = self.max_tokens();
        let vertex = size(u, most)?;
        let fragment = size(u, most)?;
        self.build(u, vertex, fragment)
    }

    /// Generates a pair with these numbers of tokens, as far as the bytes (about 24 per token) and the version allow. 0
    /// counts as 1.
    pub fn pair_of(
        &self,
        u: &mut Bytes<'_>,
        vertex: usize,
        fragment: usize,
    ) -> Result<ProgramPair> {
        let most = self.max_tokens();
        self.build(u, vertex.clamp(1, most), fragment.clamp(1, most))
    }

    fn max_tokens(&self) -> usize {
        let most = self.options.effective_version().max_tokens();
        self.options.max_tokens.clamp(1, most)
    }

    fn build(&self, u: &mut Bytes<'_>, vertex: usize, fragment: usize) -> Result<ProgramPair> {
        // A vertex program needs one token for the position, and one for each varying.
        let varyings = self.varyings(u, vertex.saturating_sub(1))?;
        let (fragment, read) =
            ProgramBuilder::fragment(&self.options, fragment, varyings).finish(u)?;
        let (vertex, _) = ProgramBuilder::vertex(&self.options, vertex, read).finish(u)?;
        Ok(ProgramPair { vertex, fragment, rules: self.options.rules() })
    }

    /// Chooses the varyings that the fragment program may read, as bits.
    fn varyings(&self, u: &mut Bytes<'_>, most: usize) -> Result<u16> {
        let count = self.options.count(RegisterFile::Varying, Stage::Fragment);
        let wanted: u16 = if u.ratio(1, 2)? { u16::MAX } else { u.arbitrary()? };
        let numbers = (0..count).filter(|n| wanted & bit(*n) != 0);
        Ok(numbers.take(most).fold(0, |set, n| set | bit(n)))
    }
}

/// Returns constant register 0 as a source.
fn constant() -> SourceOperand {
    let file = RegisterFile::Constant.code();
    SourceOperand { swizzle: Swizzle::IDENTITY, file, ..SourceOperand::default() }
}

fn bit(number: u16) -> u16 {
    1u16.checked_shl(number.into()).unwrap_or(0)
}

/// Chooses a program's length. Small, medium, large and maximum lengths are equally likely.
fn size(u: &mut Bytes<'_>, most: usize) -> Result<usize> {
    let ceiling = *u.choose(&[8, 2, 32, 128, usize::MAX])?;
    let ceiling = most.min(ceiling);
    if ceiling == most && u.ratio(1, 2)? {
        return Ok(most);
    }
    u.int_in_range(1..=ceiling)
}
