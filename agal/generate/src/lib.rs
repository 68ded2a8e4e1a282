//! Valid programs from bytes: what fuzzing and the differential tests feed on.
//!
//! Goes in: bytes, as an [`Unstructured`], and [`Options`]. Comes out: a [`Pair`] that passes [`validate`] and [`link`]
//! by construction, and [`Inputs`] to run it on. [`shrink`] makes a pair that fails some test small.
//!
//! Every choice is drawn from the tables of opcodes, register files and sampler fields, so a new row is generated as soon
//! as it is there. The same bytes always give the same pair; bytes that run out give a shorter program, never an error.

pub mod fuzzing;
mod inputs;
mod operand;
mod program;
mod shrink;
mod state;
pub mod tokens;

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};

pub use inputs::{Inputs, Level, Texture};
pub use shrink::shrink;

use agal::AgalError;
use agal::Program;
use agal::opcode::{Lookup, Lowering, Opcode, Unary};
use agal::register::RegisterFile;
use agal::validate;
use agal::{LinkedPair, link};
use agal::{Profile, Rules, Stage, Version};
use program::Builder;

/// What generated programs may use, beyond arithmetic. What the version or the profile lacks is left out whatever is set
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// `tex`.
    pub textures: bool,
    /// `tld`.
    pub vertex_textures: bool,
    /// `ddx`, `ddy`.
    pub derivatives: bool,
    /// `ife` and its kin, `els`, `eif`.
    pub conditionals: bool,
    /// `vc[va0.x+4]`.
    pub indirect: bool,
    /// `kil`.
    pub kill: bool,
    /// Writes to `od`.
    pub depth: bool,
    /// Colour outputs beyond the first.
    pub targets: bool,
    /// Reads of `iid`.
    pub instance_id: bool,
    /// Reads of what only one branch of a conditional wrote, which is legal (agal.md section 3.2, unverified).
    pub unset_reads: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Features = Features {
        textures: true,
        vertex_textures: true,
        derivatives: true,
        conditionals: true,
        indirect: true,
        kill: true,
        depth: true,
        targets: true,
        instance_id: true,
        unset_reads: true,
    };
    /// Arithmetic alone.
    pub const NONE: Features = Features {
        textures: false,
        vertex_textures: false,
        derivatives: false,
        conditionals: false,
        indirect: false,
        kill: false,
        depth: false,
        targets: false,
        instance_id: false,
        unset_reads: false,
    };

    fn allow(&self, lower: Lowering) -> bool {
        match lower {
            Lowering::Block(_) | Lowering::If(_) => self.conditionals,
            Lowering::Kill => self.kill,
            Lowering::Unary(Unary::Derivative(_)) => self.derivatives,
            Lowering::Sample(Lookup::Implicit) => self.textures,
            Lowering::Sample(Lookup::LevelZero) => self.vertex_textures,
            Lowering::Unary(_) | Lowering::Binary(_) => true,
        }
    }
}

/// What is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The AGAL version of both programs; the profile's newest where that is older.
    pub version: Version,
    /// The profile that the pair is legal in.
    pub profile: Profile,
    /// The most tokens in a program, 1 to the version's limit; other values are taken to the nearest of these.
    pub max_tokens: usize,
    /// What the programs may use.
    pub features: Features,
}

impl Options {
    /// Everything that a version has, in a profile that has everything, up to its longest programs.
    pub fn new(version: Version) -> Options {
        Options {
            version,
            profile: Profile::Enhanced,
            max_tokens: version.max_tokens(),
            features: Features::ALL,
        }
    }

    /// The rules that the pairs obey.
    pub fn rules(&self) -> Rules {
        Rules {
            profile: self.profile,
            ..Rules::NEWEST
        }
    }

    fn effective_version(&self) -> Version {
        self.version.min(self.profile.max_version())
    }

    /// The opcodes that programs of a kind may use.
    fn opcodes(&self, stage: Stage) -> Vec<Opcode> {
        let version = self.effective_version();
        let known = Opcode::ALL.iter().copied().filter(|opcode| {
            let info = opcode.info();
            info.since.is_some_and(|since| since <= version)
                && info.stages.allows(stage)
                && self.features.allow(info.lowering)
        });
        known.collect()
    }

    /// How many registers a file has that programs of a kind may name.
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

impl<'a> Arbitrary<'a> for Options {
    /// Any version in any profile that has it, with every feature.
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Options> {
        let profile = *u.choose(&Profile::ALL)?;
        let version = *u.choose(Version::ALL)?;
        Ok(Options {
            profile,
            ..Options::new(version.min(profile.max_version()))
        })
    }
}

/// A vertex and a fragment program, with the rules that they were made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The vertex program.
    pub vertex: Program,
    /// The fragment program.
    pub fragment: Program,
    /// What the pair is judged against.
    pub rules: Rules,
}

impl Pair {
    /// Validates and links. A generated pair always passes.
    ///
    /// # Errors
    /// Flash's first error, for a pair that was made or changed by hand.
    pub fn link(&self) -> std::result::Result<LinkedPair, AgalError> {
        let vertex = validate(self.vertex.clone(), Stage::Vertex, &self.rules)?;
        let fragment = validate(self.fragment.clone(), Stage::Fragment, &self.rules)?;
        link(vertex, fragment)
    }

    /// Tokens in both programs together.
    pub fn token_count(&self) -> usize {
        self.vertex.token_count() + self.fragment.token_count()
    }
}

impl fmt::Display for Pair {
    /// The text that [`asm::assemble_pair`](agal::asm::assemble_pair) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// version: {}", self.vertex.version())?;
        for program in [&self.vertex, &self.fragment] {
            write!(f, "// {}\n{program}", program.stage())?;
        }
        Ok(())
    }
}

impl<'a> Arbitrary<'a> for Pair {
    /// A pair of any [`Options`].
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Pair> {
        Generator::new(Options::arbitrary(u)?).pair(u)
    }
}

/// Makes pairs.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    options: Options,
}

impl Generator {
    /// A generator of pairs with these options.
    pub fn new(options: Options) -> Generator {
        Generator { options }
    }

    /// The next pair: 1 token to the most allowed in each program, every length class being as likely.
    ///
    /// # Errors
    /// None of its own: running out of bytes ends the programs early.
    pub fn pair(&self, u: &mut Unstructured<'_>) -> Result<Pair> {
        let most = self.most_tokens();
        let vertex = size(u, most)?;
        let fragment = size(u, most)?;
        self.build(u, vertex, fragment)
    }

    /// A pair of exactly these numbers of tokens, as far as the bytes reach (about 24 a token) and the version allows;
    /// 0 counts as 1.
    ///
    /// # Errors
    /// None of its own, as [`Generator::pair`].
    pub fn pair_of(
        &self,
        u: &mut Unstructured<'_>,
        vertex: usize,
        fragment: usize,
    ) -> Result<Pair> {
        let most = self.most_tokens();
        self.build(u, vertex.clamp(1, most), fragment.clamp(1, most))
    }

    fn most_tokens(&self) -> usize {
        let most = self.options.effective_version().max_tokens();
        self.options.max_tokens.clamp(1, most)
    }

    fn build(&self, u: &mut Unstructured<'_>, vertex: usize, fragment: usize) -> Result<Pair> {
        // The position needs one token of the vertex program, each varying one more.
        let varyings = self.varyings(u, vertex.saturating_sub(1))?;
        let (fragment, read) = Builder::fragment(&self.options, fragment, varyings).finish(u)?;
        let (vertex, _) = Builder::vertex(&self.options, vertex, read).finish(u)?;
        Ok(Pair {
            vertex,
            fragment,
            rules: self.options.rules(),
        })
    }

    /// Bit n: the fragment program may read varying n.
    fn varyings(&self, u: &mut Unstructured<'_>, most: usize) -> Result<u16> {
        let count = self.options.count(RegisterFile::Varying, Stage::Fragment);
        let wanted: u16 = if u.ratio(1, 2)? {
            u16::MAX
        } else {
            u.arbitrary()?
        };
        let numbers = (0..count).filter(|n| wanted & bit(*n) != 0);
        Ok(numbers.take(most).fold(0, |set, n| set | bit(n)))
    }
}

fn bit(number: u16) -> u16 {
    1u16.checked_shl(number.into()).unwrap_or(0)
}

/// A program's length: small, middling, large and largest are as likely as each other.
fn size(u: &mut Unstructured<'_>, most: usize) -> Result<usize> {
    let ceiling = *u.choose(&[8, 2, 32, 128, usize::MAX])?;
    let ceiling = most.min(ceiling);
    if ceiling == most && u.ratio(1, 2)? {
        return Ok(most);
    }
    u.int_in_range(1..=ceiling)
}

/// `length` bytes that follow from a seed (SplitMix64): food for [`Unstructured`] where nothing else chooses it.
pub fn seed_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(length).collect()
}
