//! Features that can be decoded, printed and checked, but neither executed nor translated.

use thiserror::Error;

use super::Hull;
use crate::tokens::opcode::{Category, HullOpcode};
use crate::tokens::operand::OperandKind;
use crate::tokens::program::HullInstruction;

/// A feature that the interpreter and the translation to GLSL don't support.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("instruction {instruction_index}: {what} is not supported")]
pub struct UnsupportedFeature {
    /// The index of the instruction in the program.
    pub instruction_index: usize,
    /// A description of the feature.
    pub what: String,
}

/// Returns an error for the first feature that the interpreter and the translation to GLSL don't support.
pub(crate) fn check(hull: &Hull) -> Result<(), UnsupportedFeature> {
    let mut code = hull.phases.iter().flat_map(|phase| &phase.code);
    let found = code.find_map(|statement| {
        let what = unsupported(hull, &statement.instruction)?;
        Some(UnsupportedFeature { instruction_index: statement.instruction_index, what })
    });
    found.map_or(Ok(()), Err)
}

fn unsupported(hull: &Hull, instruction: &HullInstruction) -> Option<String> {
    use HullOpcode::{Fcall, Ldms, Sampleinfo, Samplepos};
    use OperandKind::{ConstantBuffer, Resource, Sampler};
    let opcode = instruction.opcode();
    if opcode == Fcall {
        return Some("the interface call fcall".to_owned());
    }
    let other = matches!(opcode.category(), Category::Debug | Category::Uav);
    if other || matches!(opcode, Samplepos | Sampleinfo | Ldms) {
        return Some(opcode.name().to_owned());
    }
    instruction.operands.iter().find_map(|operand| {
        let kind = operand.kind();
        let is_binding = matches!(kind, ConstantBuffer | Resource | Sampler);
        if is_binding && hull.binding(operand).is_some_and(|binding| binding.ranged) {
            return Some(format!("a range of {}# of shader model 5.1", kind.name()));
        }
        None
    })
}
