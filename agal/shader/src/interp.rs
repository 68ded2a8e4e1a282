//! The interface that the interpreters of the languages share: texture reads and observers of a run.

use std::fmt::Debug;

use crate::operand::WriteMask;

pub use crate::lanes::{LANES, Lanes, Register};

/// A language with an interpreter: the types that textures and observers see.
pub trait Language: Copy + Debug {
    /// A sampler that an instruction reads.
    type Sampler: SamplerRegister;
    /// The name of a register.
    type Register: Copy + Debug;
    /// An arithmetic instruction or texture read, with the values of its operands.
    type Computation<'a>;
    /// The texel of a register without a texture.
    const UNBOUND: [f32; 4];
}

/// The sampler register of a texture read.
pub trait SamplerRegister: Copy + Debug {
    /// Returns the number of the register.
    fn number(&self) -> u16;
    /// Returns the number of faces of the textures that it reads: 1, or 6 for a cube. 0 is a volume, of which no image
    /// exists.
    fn faces(&self) -> u8;
}

/// A texture read in every lane.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a, L: Language> {
    /// The sampler register.
    pub sampler: &'a L::Sampler,
    /// The coordinates: x and y for 2D, x, y and z for a cube. They are already divided by w if the instruction
    /// projects them.
    pub coordinates: &'a Register,
    /// The source of the level of detail.
    pub level: Level<'a>,
}

/// The level of detail of a texture read.
#[derive(Clone, Copy, Debug)]
pub enum Level<'a> {
    /// From the differences between lanes, plus this bias.
    Implicit(Lanes),
    /// This level in each lane.
    Exactly(Lanes),
    /// From explicit derivatives along x and y.
    Gradients(&'a Register, &'a Register),
}

/// The textures of a run, by sampler register.
pub trait Textures<L: Language> {
    /// Reads a texture in every lane. All lanes have valid coordinates, including discarded ones and those that did not
    /// take a branch, so that differences between them are defined.
    fn read(&self, lookup: &Lookup<'_, L>) -> Register;
}

/// No textures: every read returns [`Language::UNBOUND`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl<L: Language> Textures<L> for NoTextures {
    fn read(&self, _: &Lookup<'_, L>) -> Register {
        Register::splat(L::UNBOUND)
    }
}

/// Observes a run. The unit type observes nothing.
pub trait Observer<L: Language> {
    /// True if [`Observer::step`] is called.
    const STEPS: bool = true;

    /// True if [`Observer::computed`] is called for arithmetic.
    const OPERANDS: bool = true;

    /// Called with the result of an instruction before shift, saturation and mask. An observer may change the result,
    /// to measure the effect of errors.
    fn computed(&mut self, _operation: &L::Computation<'_>, _value: &mut Register) {}

    /// Called with the sources of an `if` of AGAL and the lanes that take its branch, which an observer may change.
    fn branches(&mut self, _sources: [&Lanes; 2], _taken: &mut [bool; LANES]) {}

    /// Called after each instruction, but not in branches that no lane takes.
    fn step(&mut self, _step: &TraceStep<L>) {}
}

impl<L: Language> Observer<L> for () {
    const STEPS: bool = false;
    const OPERANDS: bool = false;
}

/// An executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct TraceStep<L: Language> {
    /// The number of the instruction, from 1: the number of AGAL's token.
    pub instruction: u32,
    /// The register that the instruction has written, if it writes one.
    pub written: Option<RegisterWrite<L>>,
    /// Lanes in the current branch.
    pub active: [bool; LANES],
    /// Lanes that no instruction has discarded.
    pub alive: [bool; LANES],
}

/// A register after an instruction has written it.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite<L: Language> {
    /// The register that was written.
    pub register: L::Register,
    /// The components that were written.
    pub mask: WriteMask,
    /// The whole register. Integers and booleans are converted to floats.
    pub value: Register,
}
