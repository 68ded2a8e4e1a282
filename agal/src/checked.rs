//! Instructions whose every field has been resolved: what the validator makes and the emitter reads. There is no public
//! way to make one, so the emitter needs no error path.

use crate::opcode::{Binary, Block, Lookup, Lower, Opcode, Relation, Unary};
use crate::operand::{Component, Swizzle, WriteMask};
use crate::register::RegisterFile;
use crate::sampler::Sampler;

/// One instruction with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Number of the token, from 1.
    pub(crate) token: u32,
    /// The opcode's row.
    pub(crate) opcode: Opcode,
    /// What it does.
    pub(crate) action: Action,
}

/// An operand shape with its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// `els`, `eif`.
    Block(Block),
    /// `kil`.
    Kill(Read),
    /// `ife` and its kin.
    If(Relation, Read, Read),
    /// One source.
    Unary(Unary, Write, Read),
    /// Two sources.
    Binary(Binary, Write, Read, Read),
    /// A texture read.
    Sample(Lookup, Write, Read, Sampler),
}

/// A destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// One that the stage may write.
    pub(crate) file: RegisterFile,
    /// In bounds.
    pub(crate) number: u16,
    /// Not empty.
    pub(crate) mask: WriteMask,
}

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Where from.
    pub(crate) address: Address,
    /// Which components.
    pub(crate) swizzle: Swizzle,
}

/// Where a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A register that the stage may read, in bounds.
    Direct(RegisterFile, u16),
    /// `constant[int(index) + offset]`, the index being an attribute, constant, temporary or `iid`.
    Indirect {
        /// File of the index register.
        file: RegisterFile,
        /// Number of the index register.
        number: u16,
        /// Its component.
        component: Component,
        /// Added to it.
        offset: u8,
    },
}

impl Action {
    /// The destination, if the opcode has one.
    pub(crate) fn dest(&self) -> Option<Write> {
        match self {
            Action::Block(_) | Action::Kill(_) | Action::If(..) => None,
            Action::Unary(_, dest, _)
            | Action::Binary(_, dest, _, _)
            | Action::Sample(_, dest, _, _) => Some(*dest),
        }
    }

    /// Every ordinary source, with the number of consecutive registers that it names.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (Read, u8)> {
        let (first, second) = match *self {
            Action::Block(_) => (None, None),
            Action::Kill(a) | Action::Unary(_, _, a) | Action::Sample(_, _, a, _) => {
                (Some((a, 1)), None)
            }
            Action::If(_, a, b) => (Some((a, 1)), Some((b, 1))),
            Action::Binary(op, _, a, b) => (Some((a, 1)), Some((b, op.rows()))),
        };
        first.into_iter().chain(second)
    }

    /// Does it look at neighbouring fragments?
    pub(crate) fn takes_derivatives(&self) -> bool {
        matches!(
            self,
            Action::Sample(Lookup::Implicit, ..) | Action::Unary(Unary::Derivative(_), ..)
        )
    }
}

/// How many conditionals are open around each step: the step's `if`, `els` and `eif` count as outside.
pub(crate) fn with_depth(steps: &[Step]) -> impl Iterator<Item = (usize, &Step)> {
    steps.iter().scan(0usize, |depth, step| {
        let inner = *depth;
        Some(match step.opcode.lower() {
            Lower::If(_) => {
                *depth = inner.saturating_add(1);
                (inner, step)
            }
            Lower::Block(Block::Else) => (inner.saturating_sub(1), step),
            Lower::Block(Block::End) => {
                *depth = inner.saturating_sub(1);
                (*depth, step)
            }
            _ => (inner, step),
        })
    })
}
