//! Overflows: the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]). One
//! pass over the steps, first to last; AGAL has no loops.

use crate::ir::{Action, Address, Step};
use crate::isa::opcode::{Binary, BinaryFormula, Block, Unary, UnaryFormula};
use crate::isa::operand::{Component, WriteMask};
use crate::isa::register::{Masks, RegisterFile};
use crate::version::Stage;

/// The effect of an opcode on the numbers that depend on a limited result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The result is limited, and so are the sums and products of it.
    Starts,
    /// A sum, component by component: beside the largest float, any usual number is too small to overflow.
    Sum,
    /// A product, component by component.
    Product,
    /// A sum of products, of which every component depends on all.
    Products,
    /// One of the operands, or a function of it that can't overflow.
    Keeps,
    /// A small number.
    Ends,
}

impl Effect {
    fn of(action: &Action, stage: Stage) -> Effect {
        match action {
            Action::Unary(Unary::Formula(formula), ..) => match formula {
                // `sqt` is `rcp` of `rsq` in Direct3D 9 ([agal.native.sqt]).
                UnaryFormula::Rcp
                | UnaryFormula::Rsq
                | UnaryFormula::Sqt
                | UnaryFormula::Log
                | UnaryFormula::Exp => Effect::Starts,
                UnaryFormula::Mov | UnaryFormula::Abs | UnaryFormula::Neg => Effect::Keeps,
                // `sat` is `max` and `min` in vs_2_x ([d3d9.from_agal.edges]).
                UnaryFormula::Sat if stage == Stage::Vertex => Effect::Keeps,
                UnaryFormula::Sat
                | UnaryFormula::Frc
                | UnaryFormula::Sin
                | UnaryFormula::Cos
                | UnaryFormula::Sgn => Effect::Ends,
            },
            Action::Unary(Unary::Derivative(_), ..) => Effect::Sum,
            Action::Binary(Binary::Formula(formula), ..) => match formula {
                BinaryFormula::Div | BinaryFormula::Pow => Effect::Starts,
                BinaryFormula::Add | BinaryFormula::Sub => Effect::Sum,
                BinaryFormula::Mul => Effect::Product,
                BinaryFormula::Min | BinaryFormula::Max => Effect::Keeps,
            },
            Action::Binary(Binary::Dot(_) | Binary::Cross | Binary::Matrix { .. }, ..) => {
                Effect::Products
            }
            Action::Unary(Unary::Normalize, ..)
            | Action::Binary(Binary::Compare(_), ..)
            | Action::Sample(..)
            | Action::Block(_)
            | Action::Kill(_)
            | Action::If(..) => Effect::Ends,
        }
    }
}

/// Sets [`Step::limited`] of every sum and product that depends on a result of `rcp` and the like.
pub(crate) fn mark(steps: &mut [Step], stage: Stage) {
    // Components of temporaries that depend on a limited result.
    let mut limited = Masks::default();
    // For each open conditional: those before it, after `els` those at the end of the first branch.
    let mut open: Vec<Masks> = Vec::new();
    for step in steps {
        match step.action {
            Action::If(..) => open.push(limited),
            Action::Block(Block::Else) => {
                if let Some(other) = open.last_mut() {
                    std::mem::swap(other, &mut limited);
                }
            }
            Action::Block(Block::End) => limited.join(open.pop().unwrap_or_default()),
            Action::Kill(_) | Action::Unary(..) | Action::Binary(..) | Action::Sample(..) => {}
        }
        let Some(dest) = step.action.dest() else {
            continue;
        };
        let effect = Effect::of(&step.action, stage);
        let [any, all] = components(&step.action, dest.mask, limited);
        let result = match effect {
            Effect::Starts => dest.mask,
            Effect::Sum | Effect::Product | Effect::Keeps => any,
            Effect::Products if reads(&step.action, limited) => dest.mask,
            Effect::Products | Effect::Ends => WriteMask::EMPTY,
        };
        step.limited = match effect {
            Effect::Sum => !all.is_empty(),
            Effect::Product | Effect::Products => !result.is_empty(),
            Effect::Starts | Effect::Keeps | Effect::Ends => false,
        };
        if dest.file == RegisterFile::Temporary {
            limited.remove(dest.number, dest.mask);
            limited.add(dest.number, result);
        }
    }
}

/// The components of a temporary that are in the set; none of other registers.
fn of(address: Address, limited: Masks) -> WriteMask {
    match address {
        Address::Direct(RegisterFile::Temporary, number) => limited.get(number),
        Address::Direct(..) | Address::Indirect { .. } => WriteMask::EMPTY,
    }
}

/// The components of a result for which any source is in the set, and those for which all are.
fn components(action: &Action, mask: WriteMask, limited: Masks) -> [WriteMask; 2] {
    let [mut any, mut all] = [WriteMask::EMPTY, mask];
    for (read, _) in action.sources() {
        let set = of(read.address, limited);
        let depends = |component: &Component| set.contains(read.swizzle.get(*component));
        let depending = mask.iter().filter(depends).fold(WriteMask::EMPTY, WriteMask::with);
        any = any.union(depending);
        all = all.intersection(depending);
    }
    [any, all]
}

/// Returns whether the set has any component that is read.
fn reads(action: &Action, limited: Masks) -> bool {
    let mut found = false;
    action.for_each_read(|address, read| {
        found |= !of(address, limited).intersection(read).is_empty();
    });
    found
}
