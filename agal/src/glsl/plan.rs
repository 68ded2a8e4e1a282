//! What is known of a program before its first line is written: which statements anybody needs, and which registers may
//! be read before they were written. One pass over the steps, last to first; AGAL has no loops.

use super::is_hoisted;
use crate::checked::{Action, Address, Step};
use crate::opcode::{Block, Unary};
use crate::operand::WriteMask;
use crate::register::{Masks, RegisterFile};
use crate::validate::ValidProgram;

/// The result. Bit n of a set is register n.
#[derive(Default)]
pub(super) struct Plan {
    /// Of each step: does an output, a varying that is read or a `kil` depend on it?
    live: Vec<bool>,
    /// How many of them are, and how many registers they read.
    statements: usize,
    reads: usize,
    /// Attributes that are read.
    attributes: u16,
    /// Temporaries that are written.
    pub(super) temporaries: u32,
    /// Those that a path through the program reads before it wrote them.
    pub(super) zeroed: u32,
    /// Varyings that a path through the program leaves unwritten.
    pub(super) zeroed_varyings: u32,
    /// `nrm` is used.
    pub(super) normalizes: bool,
    /// A constant is addressed indirectly.
    pub(super) indexes: bool,
    /// A texture is read in a conditional.
    pub(super) hoists: bool,
    /// A `kil` stands before something that looks at neighbouring fragments.
    pub(super) late_kill: bool,
}

impl Plan {
    /// `varyings` are those that a vertex program hands on.
    pub(super) fn of(program: &ValidProgram, varyings: u16) -> Plan {
        let steps = program.steps();
        let mut plan = Plan {
            live: vec![true; steps.len()],
            ..Plan::default()
        };
        let mut wanted = Wanted::at_the_end(varyings);
        // Of each conditional: what is wanted after it, and what its other branch wants.
        let mut open: Vec<(Wanted, Wanted)> = Vec::new();
        // Does anything further down look at neighbouring fragments?
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
                Action::Kill(_) => plan.late_kill |= derivatives,
                _ => {}
            }
            if !plan.keeps(step, &mut wanted, varyings) {
                if let Some(live) = plan.live.get_mut(index) {
                    *live = false;
                }
                continue;
            }
            let hoisted = is_hoisted(open.len(), step);
            plan.hoists |= hoisted;
            // Hoisted reads stand before every `kil`.
            derivatives |= step.action.takes_derivatives() && !hoisted;
            plan.normalizes |= matches!(step.action, Action::Unary(Unary::Normalize, ..));
            plan.statements += 1;
            step.action.for_each_read(|address, components| {
                plan.reads += 1;
                plan.indexes |= matches!(address, Address::Indirect { .. });
                plan.attributes |= attribute(address);
                let (number, components) = temporary(address, components);
                wanted.temporaries.add(number, components);
            });
        }
        // What is still wanted in front of the first statement.
        plan.zeroed = wanted.temporaries.registers();
        plan.zeroed_varyings = wanted.varyings.registers();
        plan
    }

    /// Is the statement at this index written?
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.live.get(index).copied().unwrap_or(false)
    }

    /// About how many bytes the text will have, rather more than fewer: text that outgrows its buffer is copied, and of
    /// the largest programs every page of a buffer that is not needed costs.
    pub(super) fn size(&self, comments: bool) -> usize {
        let statements = 20 * self.statements + 18 * self.reads;
        512 + statements + if comments { 64 * self.live.len() } else { 0 }
    }

    /// Will the result of a step be read? If so, nothing before it has to provide what it writes. A statement is kept whole
    /// or not at all.
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

/// The attributes on which an output or one of these varyings of a vertex program depends.
pub(crate) fn live_attributes(program: &ValidProgram, varyings: u16) -> u16 {
    Plan::of(program, varyings).attributes
}

/// The attribute that a source reads, be it as an index, as a set.
fn attribute(address: Address) -> u16 {
    match address {
        Address::Direct(RegisterFile::Attribute, number)
        | Address::Indirect {
            file: RegisterFile::Attribute,
            number,
            ..
        } => 1u16.checked_shl(number.into()).unwrap_or(0),
        Address::Direct(..) | Address::Indirect { .. } => 0,
    }
}

/// The temporary of which a source reads some components, be it as an index; no component where it reads none.
fn temporary(address: Address, components: WriteMask) -> (u16, WriteMask) {
    let (file, number, components) = match address {
        Address::Direct(file, number) => (file, number, components),
        Address::Indirect {
            file,
            number,
            component,
            ..
        } => (file, number, WriteMask::EMPTY.with(component)),
    };
    match file {
        RegisterFile::Temporary => (number, components),
        _ => (number, WriteMask::EMPTY),
    }
}

fn bit(number: u16) -> u32 {
    1u32.checked_shl(number.into()).unwrap_or(0)
}

/// What the statements further down read before they write it, on some path.
#[derive(Clone, Copy)]
struct Wanted {
    temporaries: Masks,
    varyings: Masks,
}

impl Wanted {
    /// Behind the last statement: the varyings that are handed on.
    fn at_the_end(varyings: u16) -> Wanted {
        let mut wanted = Wanted {
            temporaries: Masks::default(),
            varyings: Masks::default(),
        };
        for number in super::bits(varyings.into()) {
            wanted.varyings.add(number, WriteMask::ALL);
        }
        wanted
    }

    /// Adds what another path wants.
    fn join(&mut self, other: &Wanted) {
        self.temporaries.join(other.temporaries);
        self.varyings.join(other.varyings);
    }
}

#[cfg(test)]
mod tests;
