//! Conditionals and `kil`.

use super::{Emitter, names};
use crate::ir::Read;
use crate::isa::opcode::Relation;
use crate::isa::operand::WriteMask;

/// `kil` and the `if` opcodes read one component (3703).
const SCALAR: u8 = 1;

impl Emitter<'_> {
    pub(super) fn open(&mut self, relation: Relation, a: &Read, b: &Read) {
        self.out.indent();
        self.out.push_str("if (");
        self.relation(relation, WriteMask::first(SCALAR), a, b);
        self.out.push_str(") {");
        self.out.depth = self.out.depth.saturating_add(1);
    }

    pub(super) fn kill(&mut self, a: &Read) {
        self.out.indent();
        self.out.push_str("if (");
        self.source(a, WriteMask::first(SCALAR));
        self.out.push_str(" < 0.0) ");
        if self.liveness.late_kill {
            self.out.put(&[names::KILLED, " = true;"]);
        } else {
            self.out.push_str("discard;");
        }
    }
}
