//! STUB of the public surface, to be replaced by the real modules (same names and signatures).
#![allow(missing_docs, reason = "stub")]
mod error;
pub use error::{AgalError, ErrorClass};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    Vertex,
    Fragment,
}

/// Weakest first; `Ord` follows that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    BaselineConstrained,
    Baseline,
    BaselineExtended,
    StandardConstrained,
    Standard,
    StandardExtended,
    Enhanced,
}
impl Profile {
    pub const ALL: [Profile; 7] = [
        Profile::BaselineConstrained,
        Profile::Baseline,
        Profile::BaselineExtended,
        Profile::StandardConstrained,
        Profile::Standard,
        Profile::StandardExtended,
        Profile::Enhanced,
    ];
    pub fn name(self) -> &'static str {
        ""
    } // "baselineConstrained" ...
    pub fn from_name(_name: &str) -> Option<Profile> {
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    Little,
    Big,
}

/// What the program is judged against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub profile: Profile,
    pub swf_version: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program; // typed, lossless: decode then encode gives the same bytes
impl Program {
    /// `role` is the argument position in `Program3D.upload`.
    pub fn decode(_bytes: &[u8], _endian: Endian, _role: Stage) -> Result<Program, AgalError> {
        Ok(Program)
    }
    pub fn encode(&self) -> Vec<u8> {
        Vec::new()
    }
    pub fn version(&self) -> u32 {
        1
    }
    pub fn token_count(&self) -> usize {
        0
    }
}
#[derive(Clone, Debug, PartialEq)]
pub struct ValidProgram(());
pub fn validate(
    _program: Program,
    _role: Stage,
    _rules: &Rules,
) -> Result<ValidProgram, AgalError> {
    Ok(ValidProgram(()))
}
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedPair(());
pub fn link(_vertex: ValidProgram, _fragment: ValidProgram) -> Result<LinkedPair, AgalError> {
    Ok(LinkedPair(()))
}
/// decode + validate + link in Flash's order (vertex first).
pub fn upload(
    _vertex: (&[u8], Endian),
    _fragment: (&[u8], Endian),
    _rules: &Rules,
) -> Result<LinkedPair, AgalError> {
    Ok(LinkedPair(()))
}
impl LinkedPair {
    pub fn interface(&self) -> &Interface {
        const I: &Interface = &Interface {
            attributes: 0,
            vertex_constants: 0,
            fragment_constants: 0,
            varyings: 0,
            samplers: [None; 16],
            vertex_samplers: [None; 4],
            color_outputs: 1,
            depth_output: false,
            instance_id: false,
        };
        I
    }
    pub fn version(&self) -> u32 {
        1
    }
    pub fn vertex_tokens(&self) -> usize {
        0
    }
    pub fn fragment_tokens(&self) -> usize {
        0
    }
}

/// What a linked pair reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Bit n: attribute `va<n>` is read.
    pub attributes: u16,
    /// Registers `vc0..vc<n-1>` are declared in GLSL as `uniform vec4 vc[n]`; 0 = none. The whole bank if addressed indirectly.
    pub vertex_constants: u16,
    /// The same for `fc`.
    pub fragment_constants: u16,
    /// Bit n: varying `v<n>` is read by the fragment program.
    pub varyings: u16,
    /// Sampler `fs<n>` with the fields its AGAL gives.
    pub samplers: [Option<Sampler>; 16],
    /// Sampler `vs<n>` (AGAL 4).
    pub vertex_samplers: [Option<Sampler>; 4],
    /// Bit n: colour output n is written.
    pub color_outputs: u8,
    /// `od` is written.
    pub depth_output: bool,
    /// `iid` is read.
    pub instance_id: bool,
}

/// The sampler operand of tex/tld, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    pub register: u16,
    /// In eighths of a level.
    pub lod_bias: i8,
    pub format: SamplerFormat,
    pub dimension: Dimension,
    pub centroid: bool,
    pub single: bool,
    pub ignore_sampler: bool,
    pub wrap: Wrap,
    pub mip: Mip,
    pub filter: Filter,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerFormat {
    Rgba,
    Compressed,
    CompressedAlpha,
    Video,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    TwoD,
    Cube,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    Clamp,
    Repeat,
    ClampURepeatV,
    RepeatUClampV,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mip {
    None,
    Nearest,
    Linear,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    Nearest,
    Linear,
    Anisotropic2x,
    Anisotropic4x,
    Anisotropic8x,
    Anisotropic16x,
}

/// A GLSL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    Glsl330,
    Glsl300Es,
}
/// How the host's clip space is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipDepth {
    /// The driver clips z to 0..w (`GL_ZERO_TO_ONE`): position passes through.
    ZeroToOne,
    /// The driver clips z to -w..w: the shader ends with `z = 2z - w`.
    MinusOneToOne,
}
/// What the emitter must know of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub dialect: Dialect,
    pub clip_depth: ClipDepth,
    /// trailing comment with the AGAL on each line
    pub comments: bool,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslPair {
    pub vertex: String,
    pub fragment: String,
}
/// Cannot fail: everything that could was refused by `validate` and `link`.
pub fn emit(_pair: &LinkedPair, _target: &Target) -> GlslPair {
    GlslPair {
        vertex: String::new(),
        fragment: String::new(),
    }
}
