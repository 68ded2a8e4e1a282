//! Sources and destinations as GLSL text.

use std::fmt::Write as _;

use super::{Emitter, put};
use crate::checked::{Address, Read, Write};
use crate::operand::{Component, WriteMask};
use crate::register::RegisterFile;

impl Emitter<'_> {
    /// The left side of an assignment.
    pub(super) fn dest(&mut self, dest: &Write) {
        self.register(dest.file, dest.number);
        // The depth output is a scalar, and its mask is always x (3756).
        if dest.file != RegisterFile::DepthOutput {
            self.components(dest.mask);
        }
    }

    /// A source through its swizzle: the components that `lanes` read, in their order. A write mask selects lanes, it
    /// does not move them (agal.md section 6, 1).
    pub(super) fn source(&mut self, read: &Read, lanes: WriteMask) {
        self.row(read, 0, lanes);
    }

    /// The same of a register `row` places further.
    pub(super) fn row(&mut self, read: &Read, row: u8, lanes: WriteMask) {
        match read.address {
            Address::Direct(file, number) => {
                self.register(file, number.saturating_add(row.into()));
            }
            Address::Indirect {
                file,
                number,
                component,
                offset,
            } => self.indexed(file, number, component, u16::from(offset) + u16::from(row)),
        }
        let identity = lanes == WriteMask::ALL
            && Component::ALL
                .into_iter()
                .all(|lane| read.swizzle.get(lane) == lane);
        if !identity {
            self.out.push('.');
            let letters = lanes.iter().map(|lane| read.swizzle.get(lane).letter());
            self.out.extend(letters);
        }
    }

    /// `vc[index + offset]`. The index is truncated toward zero (capture float1_index has whole numbers only, so
    /// rounding is unverified) and kept inside the bank, so that no value reads beyond it (agal.md section 2.2).
    fn indexed(&mut self, file: RegisterFile, number: u16, component: Component, offset: u16) {
        self.out.push_str("vc[clamp(int(");
        self.register(file, number);
        put!(self.out, ".{})", component.letter());
        if offset != 0 {
            put!(self.out, " + {offset}");
        }
        let last = self.pair.interface().vertex_constants.saturating_sub(1);
        put!(self.out, ", 0, {last})]");
    }
}
