//! What is read, listed and checked, but neither run nor translated.

use crate::hull::Hull;
use crate::opcode::{Category, Opcode};
use crate::operand::OperandKind;
use crate::program::Instruction;

/// Something in a shader that can't be run or translated, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The instruction's place in the program.
    pub place: usize,
    /// What it is.
    pub what: String,
}

agal::messages! { Unsupported {
    Self { place, what } => "instruction {place}: {what} is not supported";
} }

/// The first thing that neither the interpreter nor the translation takes.
pub(crate) fn check(hull: &Hull) -> Result<(), Unsupported> {
    for phase in &hull.phases {
        for (instruction, place) in phase.code.iter().zip(&phase.places) {
            if let Some(what) = unsupported(hull, instruction) {
                return Err(Unsupported {
                    place: *place,
                    what,
                });
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
        let slot = operand.fixed(0);
        let (ranged, dynamic) = match operand.kind() {
            OperandKind::ConstantBuffer => (
                slot.and_then(|slot| hull.buffer(slot))
                    .is_some_and(|b| b.ranged),
                false,
            ),
            OperandKind::Resource => (
                slot.and_then(|slot| hull.resource(slot))
                    .is_some_and(|r| r.ranged),
                slot.is_none(),
            ),
            OperandKind::Sampler => (
                slot.and_then(|slot| hull.sampler(slot))
                    .is_some_and(|s| s.ranged),
                slot.is_none(),
            ),
            _ => (false, false),
        };
        if ranged {
            return Some(format!(
                "a range of {}# of shader model 5.1",
                operand.kind().name()
            ));
        }
        if dynamic {
            return Some(format!("{}# chosen by a register", operand.kind().name()));
        }
    }
    None
}
