//! Overflow analysis: finds the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]).
//! AGAL has no loops, so one forward pass is enough.

use agal_core::overflow::OverflowEffect;

use crate::ir::{Address, IrInstruction, IrOperation};
use crate::isa::opcode::{BinaryOp, BlockEnd, Unary, UnaryFormula};
use crate::isa::operand::WriteMask;
use crate::isa::register::{Masks, RegisterFile};
use crate::version::Stage;

fn effect(action: &IrOperation, stage: Stage) -> OverflowEffect {
    match action {
        // In vs_2_x, `sat` is computed as `max` and `min` ([d3d9.from_agal.edges]).
        IrOperation::Unary(Unary::Formula(UnaryFormula::Sat), ..) if stage == Stage::Vertex => {
            OverflowEffect::Keeps(0)
        }
        IrOperation::Unary(Unary::Formula(formula), ..) => formula.overflow(),
        IrOperation::Unary(Unary::Derivative(_), ..) => OverflowEffect::Sum,
        IrOperation::Binary(BinaryOp::Formula(formula), ..) => formula.overflow(),
        IrOperation::Binary(BinaryOp::Dot(_) | BinaryOp::Cross | BinaryOp::Matrix { .. }, ..) => {
            OverflowEffect::Products
        }
        IrOperation::Unary(Unary::Normalize, ..)
        | IrOperation::Binary(BinaryOp::Compare(_), ..)
        | IrOperation::Sample(..)
        | IrOperation::Block(_)
        | IrOperation::Kill(_)
        | IrOperation::If(..) => OverflowEffect::Ends,
    }
}

/// Sets [`IrInstruction::limited`] of every sum and product that depends on the result of `rcp` or a similar opcode.
pub(crate) fn mark(steps: &mut [IrInstruction], stage: Stage) {
    // The components of temporaries that depend on the result of `rcp` or a similar opcode.
    let mut limited = Masks::default();
    // For each open conditional: the value of `limited` before the conditional or, after `els`, at the end of the first
    // branch.
    let mut open: Vec<Masks> = Vec::new();
    for step in steps {
        match step.action {
            IrOperation::If(..) => open.push(limited),
            IrOperation::Block(BlockEnd::Else) => {
                if let Some(other) = open.last_mut() {
                    std::mem::swap(other, &mut limited);
                }
            }
            IrOperation::Block(BlockEnd::End) => limited.join(open.pop().unwrap_or_default()),
            IrOperation::Kill(_)
            | IrOperation::Unary(..)
            | IrOperation::Binary(..)
            | IrOperation::Sample(..) => {}
        }
        let Some(dest) = step.action.dest() else { continue };
        let action = &step.action;
        let depends = |index: usize| match action.sources().nth(index) {
            Some((read, _)) => {
                let set = of(read.address, limited);
                dest.mask.filter(|component| set.contains(read.swizzle.get(component)))
            }
            None => WriteMask::EMPTY,
        };
        let effect = effect(action, stage);
        let sources = action.sources().count();
        let (result, is_limited) =
            effect.result(dest.mask, sources, depends, || reads(action, limited));
        step.limited = is_limited;
        if dest.file == RegisterFile::Temporary {
            limited.remove(dest.number, dest.mask);
            limited.add(dest.number, result);
        }
    }
}

/// Returns the components of a temporary that are in the set; other registers have no components in it.
fn of(address: Address, limited: Masks) -> WriteMask {
    match address {
        Address::Direct(RegisterFile::Temporary, number) => limited.get(number),
        Address::Direct(..) | Address::Indirect { .. } => WriteMask::EMPTY,
    }
}

/// Returns whether the operation reads any component in the set.
fn reads(action: &IrOperation, limited: Masks) -> bool {
    let mut found = false;
    action.for_each_read(|address, read| {
        found |= !of(address, limited).intersection(read).is_empty();
    });
    found
}
