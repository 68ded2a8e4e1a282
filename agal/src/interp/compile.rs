//! Compiles a [`ValidProgram`] to a [`Kernel`]: registers become slots, conditionals jumps.

use super::State;
use super::state::slot;
use crate::ir::{Action, Address, Read, Write};
use crate::isa::opcode::{Binary, Block, Lookup, Opcode, Relation, Unary};
use crate::isa::operand::{Component, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Sampler;
use crate::isa::version::Stage;
use crate::validate::ValidProgram;

/// A compiled program. Can be shared between threads; each needs its own [`State`].
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(super) stage: Stage,
    pub(super) steps: Vec<Op>,
    /// Slots that are set to zero at the start of a run: temporaries and outputs. Rows of a matrix may be read that were
    /// never written.
    pub(super) cleared: Vec<u16>,
    /// The constants that are read without an index. They get slots too.
    pub(super) constants: Vec<u16>,
    /// The largest constant that an index can reach.
    pub(super) last_constant: u16,
}

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) token: u32,
    pub(super) opcode: Opcode,
    pub(super) kind: Kind,
}

/// The operation of a token.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Unary(Unary, Target, Source),
    /// For a matrix, the second source is the first of consecutive rows.
    Binary(Binary, Target, Source, Source),
    Sample(Target, Source, Sampler, Lookup),
    Kill(Source),
    /// The last value is the matching `els` or `eif`, the target if no lane takes the branch.
    If(Relation, Source, Source, usize),
    /// The matching `eif`, the target if no lane takes this branch.
    Else(usize),
    End,
}

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) slot: u16,
    pub(super) file: RegisterFile,
    pub(super) number: u16,
    pub(super) mask: WriteMask,
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) place: Place,
    pub(super) swizzle: [u8; 4],
}

/// The location of a source.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Slot(u16),
    /// A constant with relative addressing; the index is in a slot.
    Indexed {
        index: u16,
        component: u8,
        offset: i16,
    },
}

impl Kernel {
    /// Compiles a program.
    pub fn new(program: &ValidProgram) -> Kernel {
        let steps = program.steps();
        let mut ops: Vec<Op> = Vec::with_capacity(steps.len());
        let (mut cleared, mut constants) = (Vec::new(), Vec::new());
        // Tokens that open a block whose end is not known yet.
        let mut open: Vec<usize> = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            let mut clear = |slot| {
                if !cleared.contains(&slot) {
                    cleared.push(slot);
                }
            };
            if let Some(dest) = step.action.dest().and_then(target) {
                clear(dest.slot);
            }
            step.action.for_each_read(|address, _| {
                if let Address::Direct(file @ RegisterFile::Temporary, number) = address
                    && let Some(slot) = slot(file, number)
                {
                    clear(slot);
                }
            });
            let mut constant = |number| {
                if !constants.contains(&number) {
                    constants.push(number);
                }
            };
            let Some(kind) = kind(&step.action, &mut constant) else {
                continue; // never in a valid program
            };
            match &kind {
                Kind::If(..) => open.push(place),
                Kind::Else(_) => {
                    close(&mut ops, open.pop(), place);
                    open.push(place);
                }
                Kind::End => close(&mut ops, open.pop(), place),
                _ => {}
            }
            ops.push(Op { token: step.token, opcode: step.opcode, kind });
        }
        Kernel {
            stage: program.program().stage(),
            steps: ops,
            cleared,
            constants,
            last_constant: program.usage().constants.saturating_sub(1),
        }
    }

    /// The kind of program.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether it has a token that discards lanes (`kil`).
    pub fn discards(&self) -> bool {
        let mut ops = self.steps.iter();
        ops.any(|op| matches!(op.kind, Kind::Kill(_)))
    }

    /// New registers for runs of this program.
    pub fn state(&self) -> State {
        State::new()
    }
}

/// Sets the end of the block in the token that opened it.
fn close(ops: &mut [Op], opener: Option<usize>, end: usize) {
    if let Some(opener) = opener.and_then(|opener| ops.get_mut(opener))
        && let Kind::If(.., target) | Kind::Else(target) = &mut opener.kind
    {
        *target = end;
    }
}

/// Passes the constants that it reads to `constant`.
fn kind(action: &Action, constant: &mut impl FnMut(u16)) -> Option<Kind> {
    let mut source = |read: &Read, rows: u16| source(read, rows, constant);
    Some(match action {
        Action::Block(Block::Else) => Kind::Else(0),
        Action::Block(Block::End) => Kind::End,
        Action::Kill(a) => Kind::Kill(source(a, 1)?),
        Action::If(relation, a, b) => Kind::If(*relation, source(a, 1)?, source(b, 1)?, 0),
        Action::Unary(op, dest, a) => Kind::Unary(*op, target(*dest)?, source(a, 1)?),
        Action::Binary(op, dest, a, b) => {
            let rows = op.rows().max(1).into();
            Kind::Binary(*op, target(*dest)?, source(a, 1)?, source(b, rows)?)
        }
        Action::Sample(lookup, dest, a, sampler) => {
            Kind::Sample(target(*dest)?, source(a, 1)?, *sampler, *lookup)
        }
    })
}

fn target(dest: Write) -> Option<Target> {
    Some(Target {
        slot: slot(dest.file, dest.number)?,
        file: dest.file,
        number: dest.number,
        mask: dest.mask,
    })
}

fn source(read: &Read, rows: u16, constant: &mut impl FnMut(u16)) -> Option<Source> {
    let mut place = |file, number: u16, rows: u16| {
        if file == RegisterFile::Constant {
            (number..number.saturating_add(rows)).for_each(&mut *constant);
        }
        slot(file, number)
    };
    let place = match read.address {
        Address::Direct(file, number) => Place::Slot(place(file, number, rows)?),
        Address::Indirect { file, number, component, offset } => Place::Indexed {
            index: place(file, number, 1)?,
            component: component.bits(),
            offset: offset.into(),
        },
    };
    Some(Source { place, swizzle: read.swizzle.lanes().map(Component::bits) })
}
