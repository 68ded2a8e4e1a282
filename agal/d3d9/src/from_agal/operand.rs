//! Source and destination operands before encoding.

use agal::sampler::{Dimension as AgalDimension, Sampler};
use agal_core::{Component, Swizzle, WriteMask};

use crate::operand::{Dest, Dimension, Index, Modifier, Modifiers, Source};
use crate::register::{File, Register};

pub(super) fn dimension(sampler: &Sampler) -> Dimension {
    match sampler.dimension {
        AgalDimension::TwoD => Dimension::TwoD,
        AgalDimension::Cube => Dimension::Cube,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operand {
    pub(super) register: Register,
    pub(super) index: Option<Index>,
    pub(super) swizzle: Swizzle,
    pub(super) modifier: Modifier,
}

impl Operand {
    pub(super) fn new(register: Register) -> Operand {
        Operand { register, index: None, swizzle: Swizzle::IDENTITY, modifier: Modifier::None }
    }
    pub(super) fn swizzled(self, swizzle: Swizzle) -> Operand {
        Operand { swizzle, ..self }
    }
    pub(super) fn component(self, component: Component) -> Operand {
        self.swizzled(Swizzle::new([component; 4]))
    }
    /// Returns the operand with the component of one lane replicated to all lanes.
    pub(super) fn lane(self, lane: Component) -> Operand {
        self.component(self.swizzle.get(lane))
    }
    pub(super) fn negated(self) -> Operand {
        Operand { modifier: Modifier::Negate, ..self }
    }
    /// Returns whether a read port limits the operand's register file to one register per instruction.
    pub(super) fn has_port(self) -> bool {
        matches!(self.register.file, File::Const | File::Input | File::Texture)
    }
    /// Returns whether both operands need the same read port for different registers.
    pub(super) fn conflicts_on_port(self, other: Operand) -> bool {
        let same = (self.register, self.index) == (other.register, other.index);
        self.has_port() && self.register.file == other.register.file && !same
    }
    pub(super) fn word(self) -> Source {
        let source = Source::new(self.register, self.swizzle).with_modifier(self.modifier);
        self.index.map_or(source, |index| source.indexed(Some(index.word())))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Destination {
    pub(super) register: Register,
    pub(super) mask: WriteMask,
    pub(super) saturate: bool,
}

impl Destination {
    pub(super) fn new(register: Register, mask: WriteMask) -> Destination {
        Destination { register, mask, saturate: false }
    }
    pub(super) fn with_mask(self, mask: WriteMask) -> Destination {
        Destination { mask, ..self }
    }
    /// Returns whether the target is also a source. Writing the target in several steps would then overwrite a source.
    pub(super) fn is_read(self, sources: &[Operand]) -> bool {
        sources.iter().any(|source| source.register == self.register)
    }
    /// Returns the destination; for a depth output with a full mask, because depth is written from one component.
    pub(super) fn fitting(self) -> Destination {
        if self.register.file == File::Depth { self.with_mask(WriteMask::ALL) } else { self }
    }
    pub(super) fn word(self) -> Dest {
        let modifiers = if self.saturate { Modifiers::SATURATE } else { 0 };
        Dest::new(self.register, self.mask).with_modifiers(modifiers)
    }
}
