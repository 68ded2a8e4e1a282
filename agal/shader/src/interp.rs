//! The interface that all interpreters share: texture reads, and observers of a run.

use std::fmt::Debug;

use crate::operand::WriteMask;

pub use crate::lanes::{LANES, LaneRegister, LaneValues};

/// A shader language with an interpreter: the types that textures and observers see.
pub trait Language: Copy + Debug {
    /// The sampler operand of a texture read.
    type Sampler: SamplerRegister;
    /// The file and number of a register.
    type Register: Copy + Debug;
    /// An arithmetic instruction or a texture read, with the values of its operands.
    type Computation<'a>;
    /// The result of a texture read from a sampler register without a texture.
    const UNBOUND: [f32; 4];
}

/// The sampler register that a texture read uses.
pub trait SamplerRegister: Copy + Debug {
    /// Returns the number of the sampler register.
    fn number(&self) -> u16;
    /// Returns the number of faces of the textures that the sampler reads: 1, or 6 for a cube map. 0 means a volume,
    /// for which no image exists.
    fn faces(&self) -> u8;
}

/// The operands of a texture read in every lane.
#[derive(Clone, Copy, Debug)]
pub struct TextureLookup<'a, L: Language> {
    /// The sampler that the instruction reads.
    pub sampler: &'a L::Sampler,
    /// The coordinates: x and y for 2D; x, y and z for a cube map. For a projected read, the coordinates are already
    /// divided by w.
    pub coordinates: &'a LaneRegister,
    /// The way in which the level of detail is computed.
    pub level: DetailLevel<'a>,
}

/// The level of detail of a texture read.
#[derive(Clone, Copy, Debug)]
pub enum DetailLevel<'a> {
    /// The level is computed from the differences between lanes, plus this bias.
    Implicit(LaneValues),
    /// The level is given for each lane.
    Exactly(LaneValues),
    /// The level is computed from explicit derivatives along x and y.
    Gradients(&'a LaneRegister, &'a LaneRegister),
}

/// The textures of a run, by sampler register.
pub trait TextureSampling<L: Language> {
    /// Reads a texture in every lane. Coordinates are valid in all lanes, even in discarded or inactive lanes, so that
    /// differences between lanes are defined.
    fn read(&self, lookup: &TextureLookup<'_, L>) -> LaneRegister;
}

/// A set of textures without a texture: every read returns [`Language::UNBOUND`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl<L: Language> TextureSampling<L> for NoTextures {
    fn read(&self, _: &TextureLookup<'_, L>) -> LaneRegister {
        LaneRegister::splat(L::UNBOUND)
    }
}

/// An observer of the instructions that an interpreter executes. The unit type observes nothing.
pub trait RunObserver<L: Language> {
    /// True if the interpreter calls [`RunObserver::step`].
    const STEPS: bool = true;

    /// True if the interpreter also calls [`RunObserver::computed`] for arithmetic.
    const OPERANDS: bool = true;

    /// Called with the result of an instruction, before saturation and write mask. An observer may change the result,
    /// to measure the effect of errors.
    fn computed(&mut self, _operation: &L::Computation<'_>, _value: &mut LaneRegister) {}

    /// Called for an `if` of AGAL, with its sources and the lanes that take the branch, which may be changed.
    fn branches(&mut self, _sources: [&LaneValues; 2], _taken: &mut [bool; LANES]) {}

    /// Called after each executed instruction. Branches that no lane takes are not executed.
    fn step(&mut self, _step: &TraceStep<L>) {}
}

impl<L: Language> RunObserver<L> for () {
    const STEPS: bool = false;
    const OPERANDS: bool = false;
}

/// An executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct TraceStep<L: Language> {
    /// The 1-based index of the instruction; for AGAL, of the token.
    pub instruction: u32,
    /// The register that the instruction wrote, if any.
    pub written: Option<RegisterWrite<L>>,
    /// The lanes that execute the current branch.
    pub active: [bool; LANES],
    /// The lanes that have not been discarded.
    pub alive: [bool; LANES],
}

/// The value of a register after an instruction has written it.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite<L: Language> {
    /// The written register.
    pub register: L::Register,
    /// The written components.
    pub mask: WriteMask,
    /// The value of all four components. Integers and booleans are converted to floats.
    pub value: LaneRegister,
}
