//! Analysis of a program before it is written: the statements that affect an output, and the registers that may be read
//! before they are written. One pass over the steps, last to first; AGAL has no loops.

use super::is_hoisted;
use crate::ir::{Action, Address, Step};
use crate::isa::opcode::{Block, Unary};
use crate::isa::operand::WriteMask;
use crate::isa::register::{Masks, RegisterFile};
use crate::validate::ValidProgram;

/// The result. Bit n of a set is register n.
#[derive(Default)]
pub(super) struct Liveness {
    /// For each step: whether an output, a varying that is read, or a `kil` depends on it.
    steps: Vec<bool>,
    /// Attributes that are read.
    attributes: u16,
    /// Temporaries that are written.
    pub(super) temporaries: u32,
    /// Temporaries that some path through the program reads before it writes them.
    pub(super) zeroed: u32,
    /// Varyings that some path through the program leaves unwritten.
    pub(super) zeroed_varyings: u32,
    /// `nrm` is used.
    pub(super) normalizes: bool,
    /// A constant is addressed indirectly.
    pub(super) indexes: bool,
    /// A texture is read in a conditional.
    pub(super) hoists: bool,
    /// A `kil` precedes an instruction that uses derivatives.
    pub(super) late_kill: bool,
}

impl Liveness {
    /// `varyings` are those that the fragment program reads, for a vertex program.
    pub(super) fn of(program: &ValidProgram, varyings: u16) -> Liveness {
        let steps = program.steps();
        let mut live = Liveness { steps: vec![true; steps.len()], ..Liveness::default() };
        let mut wanted = Wanted::at_the_end(varyings);
        // For each open conditional: the registers read after it, and those read by its other branch.
        let mut open: Vec<(Wanted, Wanted)> = Vec::new();
        // Whether a later instruction uses derivatives.
        let mut derivatives = false;
        for (index, step) in steps.iter().enumerate().rev() {
            match step.action {
                Action::Block(Block::End) => open.push((wanted, wanted)),
                Action::Block(Block::Else) => {
                    if let Some((after, other)) = open.last_mut() {
                        *other = std::mem::replace(&mut wanted, *after);
                    }
                }
                Action::If(..) => {
                    if let Some((_, other)) = open.pop() {
                        wanted.join(&other);
                    }
                }
                Action::Kill(_) => live.late_kill |= derivatives,
                _ => {}
            }
            if !live.keeps(step, &mut wanted, varyings) {
                if let Some(live) = live.steps.get_mut(index) {
                    *live = false;
                }
                continue;
            }
            let hoisted = is_hoisted(open.len(), step);
            live.hoists |= hoisted;
            // Hoisted reads come before every `kil`.
            derivatives |= step.action.takes_derivatives() && !hoisted;
            live.normalizes |= matches!(step.action, Action::Unary(Unary::Normalize, ..));
            step.action.for_each_read(|address, components| {
                live.indexes |= matches!(address, Address::Indirect { .. });
                live.attributes |= attribute(address);
                let (number, components) = temporary(address, components);
                wanted.temporaries.add(number, components);
            });
        }
        // Registers that are read but not written from the first statement on.
        live.zeroed = wanted.temporaries.registers();
        live.zeroed_varyings = wanted.varyings.registers();
        live
    }

    /// Whether the statement at this index is written.
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.steps.get(index).copied().unwrap_or(false)
    }

    /// Whether the result of a step is read; if so, earlier steps need not provide what it writes. A statement is kept
    /// or dropped as a whole.
    fn keeps(&mut self, step: &Step, wanted: &mut Wanted, varyings: u16) -> bool {
        let Some(dest) = step.action.dest() else {
            return true;
        };
        match dest.file {
            RegisterFile::Temporary => {
                let live = wanted.temporaries.remove(dest.number, dest.mask);
                if live {
                    self.temporaries |= bit(dest.number);
                }
                live
            }
            RegisterFile::Varying => {
                wanted.varyings.remove(dest.number, dest.mask);
                u32::from(varyings) & bit(dest.number) != 0
            }
            _ => true,
        }
    }
}

/// The attributes that affect an output or one of these varyings of a vertex program.
pub(crate) fn live_attributes(program: &ValidProgram, varyings: u16) -> u16 {
    Liveness::of(program, varyings).attributes
}

/// The attribute that a source reads, also as an index, as a bit set.
fn attribute(address: Address) -> u16 {
    match address {
        Address::Direct(RegisterFile::Attribute, number)
        | Address::Indirect { file: RegisterFile::Attribute, number, .. } => {
            1u16.checked_shl(number.into()).unwrap_or(0)
        }
        Address::Direct(..) | Address::Indirect { .. } => 0,
    }
}

/// The temporary that a source reads, also as an index, with the components read; none if it reads no temporary.
fn temporary(address: Address, components: WriteMask) -> (u16, WriteMask) {
    let (file, number, components) = match address {
        Address::Direct(file, number) => (file, number, components),
        Address::Indirect { file, number, component, .. } => {
            (file, number, WriteMask::EMPTY.with(component))
        }
    };
    match file {
        RegisterFile::Temporary => (number, components),
        _ => (number, WriteMask::EMPTY),
    }
}

fn bit(number: u16) -> u32 {
    1u32.checked_shl(number.into()).unwrap_or(0)
}

/// The registers that later statements read before writing them, on some path.
#[derive(Clone, Copy)]
struct Wanted {
    temporaries: Masks,
    varyings: Masks,
}

impl Wanted {
    /// After the last statement: the varyings that the fragment program reads.
    fn at_the_end(varyings: u16) -> Wanted {
        let mut wanted = Wanted { temporaries: Masks::default(), varyings: Masks::default() };
        for number in super::bits(varyings.into()) {
            wanted.varyings.add(number, WriteMask::ALL);
        }
        wanted
    }

    /// Adds the registers of another path.
    fn join(&mut self, other: &Wanted) {
        self.temporaries.join(other.temporaries);
        self.varyings.join(other.varyings);
    }
}

#[cfg(test)]
mod tests;
