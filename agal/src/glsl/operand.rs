//! Sources and destinations as GLSL text.

use super::{Emitter, words};
use crate::ir::{Address, Read, Write};
use crate::isa::operand::{Component, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;

const INDEX_NAME: &str = "agal_index";

impl Emitter<'_> {
    pub(super) fn dest(&mut self, dest: &Write) {
        self.register(dest.file, dest.number);
        // The depth output is a scalar, and its mask is always x (3756).
        if dest.file != RegisterFile::DepthOutput {
            self.out.components(dest.mask);
        }
    }

    /// Writes a source with its swizzle: the components that `lanes` read, in order. A write mask selects lanes without
    /// moving them ([agal.dest.mask]).
    pub(super) fn source(&mut self, read: &Read, lanes: WriteMask) {
        self.row(read, Component::X, lanes);
    }

    pub(super) fn row(&mut self, read: &Read, row: Component, lanes: WriteMask) {
        match read.row(row).address {
            Address::Direct(file, number) => self.register(file, number),
            Address::Indirect { file, number, component, offset } => {
                let offset = i16::from(offset) + i16::from(row.bits());
                self.indexed(file, number, component, offset);
            }
        }
        if lanes != WriteMask::ALL || read.swizzle != Swizzle::IDENTITY {
            self.out.selector(read.swizzle, lanes);
        }
    }

    /// `vc[index + offset]`; see [`Emitter::index_helper`].
    fn indexed(&mut self, file: RegisterFile, number: u16, component: Component, offset: i16) {
        self.out.put(&["vc[", INDEX_NAME, "("]);
        self.register(file, number);
        let component = WriteMask::EMPTY.with(component);
        self.out.components(component);
        let sign = if offset < 0 { ", -" } else { ", " };
        self.out.numbered(sign, offset.unsigned_abs().into());
        self.out.push_str(")]");
    }

    /// The helper for indices: rounded, then clamped to the bank, so that no value reads outside it
    /// ([agal.indirect.rounding] [agal.indirect.outside]).
    pub(super) fn index_helper(&mut self) {
        let [modern, old] = words::INDEX;
        let ([statements, whole], [open, zero, end]) = if self.dialect.integers() {
            (modern, ["clamp(", ", 0, ", ")"])
        } else {
            (old, ["int(clamp(float(", "), 0.0, ", ".0))"])
        };
        self.out.put(&["int ", INDEX_NAME, "(float index, int offset) {\n"]);
        self.out.put(&[statements, "    return ", open, whole, " + offset"]);
        let last = self.pair.interface().vertex_constants.saturating_sub(1);
        self.out.numbered(zero, last.into());
        self.out.put(&[end, ";\n}\n"]);
    }
}
