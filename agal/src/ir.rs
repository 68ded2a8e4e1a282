//! Instructions with resolved fields: made by the validator and read by the emitter. They can't be made publicly, so
//! the emitter needs no error path.

use crate::isa::opcode::{Binary, Block, Lookup, Opcode, Relation, Shape, Unary};
use crate::isa::operand::{Component, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Sampler;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) token: u32,
    pub(crate) opcode: Opcode,
    pub(crate) action: Action,
    /// The step is a sum or product that Direct3D 9's float rules limit; [`overflow`](crate::overflow) sets this.
    pub(crate) limited: bool,
}

// A program has one step per token. Larger steps take more memory, and each new page of memory takes time.
const _: () = assert!(size_of::<Step>() <= 32);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    Block(Block),
    Kill(Read),
    /// The four `if` opcodes.
    If(Relation, Read, Read),
    Unary(Unary, Write, Read),
    Binary(Binary, Write, Read, Read),
    Sample(Lookup, Write, Read, Sampler),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// A register file that the stage may write.
    pub(crate) file: RegisterFile,
    /// In bounds.
    pub(crate) number: u16,
    /// Not empty.
    pub(crate) mask: WriteMask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) address: Address,
    pub(crate) swizzle: Swizzle,
}

impl Read {
    /// Row `row` of the matrix that starts here. For an indirect one, the row is added to the computed index.
    pub(crate) fn row(&self, row: Component) -> Read {
        let address = match self.address {
            Address::Direct(file, number) => {
                Address::Direct(file, number.saturating_add(row.bits().into()))
            }
            indirect @ Address::Indirect { .. } => indirect,
        };
        Read { address, ..*self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A register that the stage may read, in bounds.
    Direct(RegisterFile, u16),
    /// `constant[int(index) + offset]`; the index is an attribute, constant, temporary or `iid`.
    Indirect { file: RegisterFile, number: u16, component: Component, offset: i8 },
}

impl Action {
    pub(crate) fn dest(&self) -> Option<Write> {
        match self {
            Action::Block(_) | Action::Kill(_) | Action::If(..) => None,
            Action::Unary(_, dest, _)
            | Action::Binary(_, dest, _, _)
            | Action::Sample(_, dest, _, _) => Some(*dest),
        }
    }

    /// The ordinary sources, each with its number of consecutive registers.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&Read, u8)> {
        let (a, b) = match self {
            Action::Block(_) => (None, None),
            Action::Kill(a) | Action::Unary(_, _, a) | Action::Sample(_, _, a, _) => {
                (Some((a, 1)), None)
            }
            Action::If(_, a, b) => (Some((a, 1)), Some((b, 1))),
            Action::Binary(op, _, a, b) => (Some((a, 1)), Some((b, op.rows()))),
        };
        a.into_iter().chain(b)
    }

    /// Visits every ordinary source with the components that are read (of an indirect one: those of the constant); for
    /// a matrix, every row that the mask keeps.
    pub(crate) fn for_each_read(&self, mut visit: impl FnMut(Address, WriteMask)) {
        let mut read = |read: &Read, lanes| visit(read.address, read.swizzle.selected(lanes));
        // `kil` and the `if`s read one component (3703).
        let scalar = WriteMask::first(1);
        match self {
            Action::Block(_) => {}
            Action::Kill(a) => read(a, scalar),
            Action::If(_, a, b) => {
                read(a, scalar);
                read(b, scalar);
            }
            Action::Unary(op, dest, a) => read(a, op.reads().lanes(dest.mask)),
            Action::Binary(op, dest, a, b) => {
                let lanes = op.reads().lanes(dest.mask);
                read(a, lanes);
                if let Binary::Matrix { .. } = op {
                    for row in dest.mask.iter() {
                        read(&b.row(row), lanes);
                    }
                } else {
                    read(b, lanes);
                }
            }
            Action::Sample(_, _, a, sampler) => {
                read(a, WriteMask::first(sampler.dimension.coordinates()));
            }
        }
    }

    pub(crate) fn takes_derivatives(&self) -> bool {
        matches!(
            self,
            Action::Sample(Lookup::Implicit, ..) | Action::Unary(Unary::Derivative(_), ..)
        )
    }
}

/// The number of open conditionals around each step; the step's own `if`, `els` and `eif` don't count.
pub(crate) fn with_depth(steps: &[Step]) -> impl Iterator<Item = (usize, &Step)> {
    steps.iter().scan(0usize, |depth, step| {
        let inner = *depth;
        Some(match step.opcode.shape() {
            Shape::If(_) => {
                *depth = inner.saturating_add(1);
                (inner, step)
            }
            Shape::Block(Block::Else) => (inner.saturating_sub(1), step),
            Shape::Block(Block::End) => {
                *depth = inner.saturating_sub(1);
                (*depth, step)
            }
            _ => (inner, step),
        })
    })
}
