//! Declarations and written components so far.

use std::collections::BTreeMap;

use crate::operand::{Declaration, Dimension, Usage, WriteMask};
use crate::register::{File, Register, SLOTS};
use crate::version::Version;

/// The components written, by register.
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
    /// Adds the components written on either of two paths.
    pub(crate) fn union(&mut self, other: &Written) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
    /// Keeps the components written on both of two paths.
    pub(crate) fn intersect(&mut self, other: &Written) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
    /// Marks everything as written: the path ends here, so nothing after it is read.
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

/// The contents of `dcl` and `def` instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) interface: Vec<Interface>,
    samplers: [Option<Option<Dimension>>; 16],
    /// Defined float constants by register number; the last definition counts.
    pub(super) floats: BTreeMap<u16, [u32; 4]>,
    pub(super) integers: BTreeMap<u16, [i32; 4]>,
}

impl Declared {
    /// The texture dimension that a sampler is declared with.
    pub(super) fn sampler(&self, number: u16) -> Option<Dimension> {
        self.samplers.get(usize::from(number)).copied().flatten()?
    }
    pub(super) fn has_sampler(&self, number: u16) -> bool {
        let sampler = self.samplers.get(usize::from(number));
        sampler.is_some_and(Option::is_some)
    }
    /// Declares a sampler. Returns false if it was declared before.
    pub(super) fn add_sampler(&mut self, number: u16, declaration: Declaration) -> bool {
        match self.samplers.get_mut(usize::from(number)) {
            Some(place) => place.replace(declaration.dimension()).is_none(),
            None => true,
        }
    }
    /// The declared components of a register; `None` if it isn't declared.
    pub(super) fn mask(&self, register: Register) -> Option<WriteMask> {
        let same = self.interface.iter().filter(|one| one.register == register);
        same.map(|one| one.mask).reduce(WriteMask::union)
    }
    /// Whether any register of a file is declared.
    pub(super) fn has_file(&self, file: File) -> bool {
        self.interface.iter().any(|one| one.register.file == file)
    }
}

/// Whether registers of a file are declared with a write mask.
pub(super) fn is_interface(file: File, version: Version) -> bool {
    file != File::Sampler && file.info(version).is_some_and(|info| info.declared)
}
