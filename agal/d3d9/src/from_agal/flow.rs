//! Translates AGAL conditionals.

use agal::opcode::{AgalOpcode as Agal, BlockEnd, Relation};
use agal_core::{Component, WriteMask};

use super::builder::D3d9Builder;
use super::operand::AgalOperand;
use super::{TranslateError, TranslationResult};
use crate::opcode::{CompareOp, D3d9Opcode};
use crate::version::ShaderVersion;

pub(super) fn comparison(relation: Relation) -> CompareOp {
    match relation {
        Relation::Equal => CompareOp::Equal,
        Relation::NotEqual => CompareOp::NotEqual,
        Relation::GreaterOrEqual => CompareOp::GreaterEqual,
        Relation::Greater => CompareOp::Greater,
        Relation::Less => CompareOp::Less,
    }
}

impl D3d9Builder {
    /// Returns an error for model 2_0, which lacks dynamic conditionals.
    fn has_conditionals(&self, opcode: Agal) -> TranslationResult {
        if matches!(self.version, ShaderVersion::Vs20 | ShaderVersion::Ps20) {
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
        operands: [AgalOperand; 2],
    ) -> TranslationResult {
        self.has_conditionals(opcode)?;
        let sources = self.legal_for(D3d9Opcode::IfC, WriteMask::first(1), operands);
        // A copied source has all four components, but the comparison needs a scalar.
        let sources = sources.map(|source| source.lane(Component::X));
        self.add(D3d9Opcode::IfC, comparison(relation).code(), None, &sources);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    pub(super) fn block(&mut self, opcode: Agal, block: BlockEnd) -> TranslationResult {
        self.has_conditionals(opcode)?;
        match block {
            BlockEnd::Else => self.add(D3d9Opcode::Else, 0, None, &[]),
            BlockEnd::End => {
                self.add(D3d9Opcode::EndIf, 0, None, &[]);
                self.depth = self.depth.saturating_sub(1);
            }
        }
        Ok(())
    }
}
