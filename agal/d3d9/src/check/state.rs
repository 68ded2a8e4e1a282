//! What a shader has declared and written so far.

use std::collections::BTreeMap;

use crate::operand::{Declaration, Dimension, Usage, WriteMask};
use crate::register::{File, Register, SLOTS};
use crate::version::Version;

/// Components that have been written, by register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written([u8; SLOTS]);

impl Default for Written {
    fn default() -> Written {
        Written([0; SLOTS])
    }
}

impl Written {
    pub(crate) fn get(&self, register: Register) -> WriteMask {
        let bits = register.slot().and_then(|slot| self.0.get(slot));
        WriteMask::from_bits(bits.copied().unwrap_or(0))
    }
    pub(crate) fn add(&mut self, register: Register, mask: WriteMask) {
        if let Some(bits) = register.slot().and_then(|slot| self.0.get_mut(slot)) {
            *bits |= mask.bits();
        }
    }
    pub(crate) fn set(&mut self, register: Register, mask: WriteMask) {
        if let Some(bits) = register.slot().and_then(|slot| self.0.get_mut(slot)) {
            *bits = mask.bits();
        }
    }
    /// What was written on one way or the other.
    pub(crate) fn union(&mut self, other: &Written) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
    /// What was written on both ways.
    pub(crate) fn intersect(&mut self, other: &Written) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
    /// Everything: the way ends here, so nothing behind it is read.
    pub(crate) fn fill(&mut self) {
        self.0.fill(0xf);
    }
}

/// A declared input or output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interface {
    pub(super) register: Register,
    pub(super) mask: WriteMask,
    pub(super) usage: Option<(Usage, u8)>,
}

/// What `dcl` and `def` said.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) interface: Vec<Interface>,
    samplers: [Option<Option<Dimension>>; 16],
    /// By number: the last definition counts.
    pub(super) floats: BTreeMap<u16, [u32; 4]>,
    pub(super) integers: BTreeMap<u16, [i32; 4]>,
}

impl Declared {
    /// The kind of texture that a sampler is declared for.
    pub(super) fn sampler(&self, number: u16) -> Option<Dimension> {
        self.samplers.get(usize::from(number)).copied().flatten()?
    }
    pub(super) fn has_sampler(&self, number: u16) -> bool {
        let sampler = self.samplers.get(usize::from(number));
        sampler.is_some_and(Option::is_some)
    }
    /// False: it is declared already.
    pub(super) fn add_sampler(&mut self, number: u16, declaration: Declaration) -> bool {
        match self.samplers.get_mut(usize::from(number)) {
            Some(place) => place.replace(declaration.dimension()).is_none(),
            None => true,
        }
    }
    /// The declared components of a register; `None`: it isn't declared.
    pub(super) fn mask(&self, register: Register) -> Option<WriteMask> {
        let same = self.interface.iter().filter(|one| one.register == register);
        same.map(|one| one.mask).reduce(WriteMask::union)
    }
    /// Is anything of a file declared?
    pub(super) fn has_file(&self, file: File) -> bool {
        self.interface.iter().any(|one| one.register.file == file)
    }
}

/// Files whose registers have a declaration with a mask.
pub(super) fn is_interface(file: File, version: Version) -> bool {
    file != File::Sampler && file.cell(version).is_some_and(|cell| cell.declared)
}
