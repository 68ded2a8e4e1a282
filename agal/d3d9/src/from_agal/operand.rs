//! Source and destination operands before encoding.

use agal::sampler::{Dimension as AgalDimension, SamplerOp};
use agal_core::{Component, Swizzle, WriteMask};

use crate::operand::{AddressIndex, Dest, Dimension, ResultModifiers, Source, SourceModifier};
use crate::register::{D3d9Register, ShaderFile};

pub(super) fn dimension(sampler: &SamplerOp) -> Dimension {
    match sampler.dimension {
        AgalDimension::TwoD => Dimension::TwoD,
        AgalDimension::Cube => Dimension::Cube,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AgalOperand {
    pub(super) register: D3d9Register,
    pub(super) index: Option<AddressIndex>,
    pub(super) swizzle: Swizzle,
    pub(super) modifier: SourceModifier,
}

impl AgalOperand {
    pub(super) fn new(register: D3d9Register) -> AgalOperand {
        AgalOperand {
            register,
            index: None,
            swizzle: Swizzle::IDENTITY,
            modifier: SourceModifier::None,
        }
    }
    pub(super) fn swizzled(self, swizzle: Swizzle) -> AgalOperand {
        AgalOperand { swizzle, ..self }
    }
    pub(super) fn component(self, component: Component) -> AgalOperand {
        self.swizzled(Swizzle::new([component; 4]))
    }
    /// Returns the operand with the component of one lane replicated to all lanes.
    pub(super) fn lane(self, lane: Component) -> AgalOperand {
        self.component(self.swizzle.get(lane))
    }
    pub(super) fn negated(self) -> AgalOperand {
        AgalOperand { modifier: SourceModifier::Negate, ..self }
    }
    /// Returns whether a read port limits the operand's register file to one register per instruction.
    pub(super) fn has_port(self) -> bool {
        matches!(self.register.file, ShaderFile::Const | ShaderFile::Input | ShaderFile::Texture)
    }
    /// Returns whether both operands need the same read port for different registers.
    pub(super) fn conflicts_on_port(self, other: AgalOperand) -> bool {
        let same = (self.register, self.index) == (other.register, other.index);
        self.has_port() && self.register.file == other.register.file && !same
    }
    pub(super) fn word(self) -> Source {
        let source = Source::new(self.register, self.swizzle).with_modifier(self.modifier);
        self.index.map_or(source, |index| source.indexed(Some(index.word())))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AgalTarget {
    pub(super) register: D3d9Register,
    pub(super) mask: WriteMask,
    pub(super) saturate: bool,
}

impl AgalTarget {
    pub(super) fn new(register: D3d9Register, mask: WriteMask) -> AgalTarget {
        AgalTarget { register, mask, saturate: false }
    }
    pub(super) fn with_mask(self, mask: WriteMask) -> AgalTarget {
        AgalTarget { mask, ..self }
    }
    /// Returns whether the target is also a source. Writing the target in several steps would then overwrite a source.
    pub(super) fn is_read(self, sources: &[AgalOperand]) -> bool {
        sources.iter().any(|source| source.register == self.register)
    }
    /// Returns the destination, with the full write mask if the destination is the depth output, which has a single
    /// component.
    pub(super) fn fitting(self) -> AgalTarget {
        if self.register.file == ShaderFile::Depth { self.with_mask(WriteMask::ALL) } else { self }
    }
    pub(super) fn word(self) -> Dest {
        let modifiers = if self.saturate { ResultModifiers::SATURATE } else { 0 };
        Dest::new(self.register, self.mask).with_modifiers(modifiers)
    }
}
