//! Features that are read, listed and checked, but neither run nor translated.

use crate::hull::Hull;
use crate::opcode::{Category, Opcode};
use crate::operand::OperandKind;
use crate::program::Instruction;

/// A feature of a shader that can't be run or translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Index of the instruction in the program.
    pub instruction_index: usize,
    /// Description of the feature.
    pub what: String,
}

shader_core::messages! { Unsupported {
    Self { instruction_index, what } => "instruction {instruction_index}: {what} is not supported";
} }

/// Finds the first feature that neither interpreter nor translation supports.
pub(crate) fn check(hull: &Hull) -> Result<(), Unsupported> {
    for phase in &hull.phases {
        for (instruction, instruction_index) in phase.code.iter().zip(&phase.instruction_indices) {
            if let Some(what) = unsupported(hull, instruction) {
                let instruction_index = *instruction_index;
                return Err(Unsupported { instruction_index, what });
            }
        }
    }
    Ok(())
}

fn unsupported(hull: &Hull, instruction: &Instruction) -> Option<String> {
    use Opcode::*;
    let opcode = instruction.opcode();
    match opcode {
        Fcall => return Some("the interface call fcall".to_owned()),
        Samplepos | Sampleinfo | Ldms => return Some(opcode.name().to_owned()),
        _ => {}
    }
    if matches!(opcode.info().category, Category::Debug | Category::Uav) {
        return Some(opcode.name().to_owned());
    }
    for operand in &instruction.operands {
        let (slot, kind) = (operand.fixed(0), operand.kind());
        let ranged = slot.is_some_and(|slot| match kind {
            OperandKind::ConstantBuffer => hull.buffer(slot).is_some_and(|one| one.ranged),
            OperandKind::Resource => hull.resource(slot).is_some_and(|one| one.ranged),
            OperandKind::Sampler => hull.sampler(slot).is_some_and(|one| one.ranged),
            _ => false,
        });
        let chosen = matches!(kind, OperandKind::Resource | OperandKind::Sampler);
        if ranged {
            return Some(format!("a range of {}# of shader model 5.1", kind.name()));
        }
        if chosen && slot.is_none() {
            return Some(format!("relative addressing of {}#", kind.name()));
        }
    }
    None
}
