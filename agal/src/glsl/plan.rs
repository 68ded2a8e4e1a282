//! What is known of a program before its first line is written: which statements anybody needs, and which registers may
//! be read before they were written. Two passes over the steps; AGAL has no loops.

use super::is_hoisted;
use crate::checked::{Action, Address, Step, with_depth};
use crate::opcode::{Block, Unary};
use crate::operand::WriteMask;
use crate::register::{MAX_TRACKED, RegisterFile};
use crate::validate::ValidProgram;

/// The result. Bit n of a set is register n.
pub(super) struct Plan {
    /// Of each step: does an output, a varying that is read or a `kil` depend on it?
    live: Vec<bool>,
    /// Temporaries that are written.
    pub(super) temporaries: u32,
    /// Those that a path through the program reads before it wrote them.
    pub(super) zeroed: u32,
    /// Varyings that a path through the program leaves unwritten.
    pub(super) zeroed_varyings: u16,
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
            live: liveness(steps, varyings),
            temporaries: 0,
            zeroed: 0,
            zeroed_varyings: 0,
            normalizes: false,
            indexes: false,
            hoists: false,
            late_kill: false,
        };
        plan.survey(steps);
        plan.initialisers(steps, varyings);
        plan
    }

    /// Is the statement at this index written?
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.live.get(index).copied().unwrap_or(false)
    }

    fn survey(&mut self, steps: &[Step]) {
        let mut killed = false;
        for ((depth, step), live) in with_depth(steps).zip(&self.live) {
            if !live {
                continue;
            }
            let hoisted = is_hoisted(depth, step);
            self.hoists |= hoisted;
            match step.action {
                Action::Kill(_) => killed = true,
                Action::Unary(Unary::Normalize, ..) => self.normalizes = true,
                // Hoisted reads stand before every `kil`.
                _ => self.late_kill |= killed && step.action.takes_derivatives() && !hoisted,
            }
        }
    }

    fn initialisers(&mut self, steps: &[Step], varyings: u16) {
        let mut written = Written::default();
        let mut open: Vec<(Written, Option<Written>)> = Vec::new();
        for (step, live) in steps.iter().zip(&self.live) {
            if !live {
                continue;
            }
            step.action.for_each_read(|address, components| {
                self.indexes |= matches!(address, Address::Indirect { .. });
                if let Some((number, components)) = temporary(address, components)
                    && !written.temporaries.get(number).contains_all(components)
                {
                    self.zeroed |= bit(number);
                }
            });
            if let Some(dest) = step.action.dest() {
                match dest.file {
                    RegisterFile::Temporary => {
                        self.temporaries |= bit(dest.number);
                        written.temporaries.add(dest.number, dest.mask);
                    }
                    RegisterFile::Varying => written.varyings.add(dest.number, dest.mask),
                    _ => {}
                }
            }
            match step.action {
                Action::If(..) => open.push((written.clone(), None)),
                Action::Block(Block::Else) => {
                    if let Some((before, then)) = open.last_mut() {
                        *then = Some(std::mem::replace(&mut written, before.clone()));
                    }
                }
                Action::Block(Block::End) => {
                    if let Some((before, then)) = open.pop() {
                        written.keep(&then.unwrap_or(before));
                    }
                }
                _ => {}
            }
        }
        for number in super::bits(varyings.into()) {
            if written.varyings.get(number) != WriteMask::ALL {
                self.zeroed_varyings |= 1u16.checked_shl(number.into()).unwrap_or(0);
            }
        }
    }
}

/// Of each step, last to first: will its result be read? A statement is kept whole or not at all.
fn liveness(steps: &[Step], varyings: u16) -> Vec<bool> {
    let mut live = vec![true; steps.len()];
    let mut wanted = Masks::default();
    // Of each conditional: what is wanted after it, and what its other branch wants.
    let mut open: Vec<(Masks, Masks)> = Vec::new();
    for (step, live) in steps.iter().zip(&mut live).rev() {
        if let Some(dest) = step.action.dest() {
            *live = match dest.file {
                RegisterFile::Temporary => wanted.remove(dest.number, dest.mask),
                RegisterFile::Varying => u32::from(varyings) & bit(dest.number) != 0,
                _ => true,
            };
        }
        match step.action {
            Action::Block(Block::End) => open.push((wanted.clone(), wanted.clone())),
            Action::Block(Block::Else) => {
                if let Some((after, other)) = open.last_mut() {
                    *other = std::mem::replace(&mut wanted, after.clone());
                }
            }
            Action::If(..) => {
                if let Some((_, other)) = open.pop() {
                    wanted.join(&other);
                }
            }
            _ => {}
        }
        if *live {
            step.action.for_each_read(|address, components| {
                if let Some((number, components)) = temporary(address, components) {
                    wanted.add(number, components);
                }
            });
        }
    }
    live
}

/// The temporary that is read, be it as an index.
fn temporary(address: Address, components: WriteMask) -> Option<(u16, WriteMask)> {
    match address {
        Address::Direct(RegisterFile::Temporary, number) => Some((number, components)),
        Address::Indirect {
            file: RegisterFile::Temporary,
            number,
            component,
            ..
        } => Some((number, WriteMask::EMPTY.with(component))),
        _ => None,
    }
}

fn bit(number: u16) -> u32 {
    1u32.checked_shl(number.into()).unwrap_or(0)
}

/// Components that have been written on every path.
#[derive(Clone, Default)]
struct Written {
    temporaries: Masks,
    varyings: Masks,
}

impl Written {
    /// Keeps what another path wrote too.
    fn keep(&mut self, other: &Written) {
        self.temporaries.keep(&other.temporaries);
        self.varyings.keep(&other.varyings);
    }
}

/// Some components of each register of a file.
#[derive(Clone, Default)]
struct Masks([WriteMask; MAX_TRACKED]);

impl Masks {
    fn get(&self, number: u16) -> WriteMask {
        self.0.get(usize::from(number)).copied().unwrap_or_default()
    }
    fn add(&mut self, number: u16, components: WriteMask) {
        if let Some(mask) = self.0.get_mut(usize::from(number)) {
            *mask = mask.union(components);
        }
    }
    /// Whether any of the components was there.
    fn remove(&mut self, number: u16, components: WriteMask) -> bool {
        let Some(mask) = self.0.get_mut(usize::from(number)) else {
            return false;
        };
        let before = *mask;
        *mask = WriteMask::from_bits(before.bits() & !components.bits());
        *mask != before
    }
    fn join(&mut self, other: &Masks) {
        for (mask, other) in self.0.iter_mut().zip(other.0) {
            *mask = mask.union(other);
        }
    }
    fn keep(&mut self, other: &Masks) {
        for (mask, other) in self.0.iter_mut().zip(other.0) {
            *mask = WriteMask::from_bits(mask.bits() & other.bits());
        }
    }
}

#[cfg(test)]
mod tests;
