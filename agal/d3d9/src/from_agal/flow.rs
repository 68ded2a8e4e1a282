//! Translates AGAL conditionals.

use agal::opcode::{Block, Opcode as Agal, Relation};
use agal_core::{Component, WriteMask};

use super::builder::Builder;
use super::operand::Operand;
use super::{TranslateError, Translated};
use crate::opcode::{Comparison, Opcode};
use crate::version::Version;

pub(super) fn comparison(relation: Relation) -> Comparison {
    match relation {
        Relation::Equal => Comparison::Equal,
        Relation::NotEqual => Comparison::NotEqual,
        Relation::GreaterOrEqual => Comparison::GreaterEqual,
        Relation::Greater => Comparison::Greater,
        Relation::Less => Comparison::Less,
    }
}

impl Builder<'_> {
    /// Returns an error for model 2_0, which lacks dynamic conditionals.
    fn has_conditionals(&self, opcode: Agal) -> Translated {
        if matches!(self.version, Version::Vs20 | Version::Ps20) {
            return Err(self.cannot(opcode));
        }
        Ok(())
    }

    pub(super) fn cannot(&self, opcode: Agal) -> TranslateError {
        TranslateError::Opcode { token: self.token, opcode, version: self.version }
    }

    pub(super) fn open(
        &mut self,
        opcode: Agal,
        relation: Relation,
        operands: [Operand; 2],
    ) -> Translated {
        self.has_conditionals(opcode)?;
        let sources = self.legal_for(Opcode::IfC, WriteMask::first(1), operands);
        // A copied source has all four components, but the comparison needs a scalar.
        let sources = sources.map(|source| source.lane(Component::X));
        self.add(Opcode::IfC, comparison(relation).code(), None, &sources);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    pub(super) fn block(&mut self, opcode: Agal, block: Block) -> Translated {
        self.has_conditionals(opcode)?;
        match block {
            Block::Else => self.add(Opcode::Else, 0, None, &[]),
            Block::End => {
                self.add(Opcode::EndIf, 0, None, &[]);
                self.depth = self.depth.saturating_sub(1);
            }
        }
        Ok(())
    }
}
