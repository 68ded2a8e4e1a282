//! Statements: assignments with masks, conditionals, `kil`.

use super::{Emitter, expression};
use crate::asm;
use crate::ir::{Action, Read, Step, Write};
use crate::isa::opcode::{Block, Relation};
use crate::isa::operand::{Component, WriteMask};
use crate::isa::register::RegisterFile;

/// `kil` and the `if` opcodes read one component (3703).
const SCALAR: WriteMask = WriteMask::first(1);

impl Emitter<'_> {
    pub(super) fn statements(&mut self) {
        let program = self.program;
        for (step, token) in program.steps().iter().zip(program.program().instructions()) {
            match &step.action {
                Action::Block(Block::Else) => self.out.else_block(),
                Action::Block(Block::End) => self.out.end_block("}"),
                Action::If(relation, a, b) => self.open(*relation, a, b),
                Action::Kill(a) => self.kill(a),
                Action::Unary(_, dest, _)
                | Action::Binary(_, dest, _, _)
                | Action::Sample(_, dest, _, _) => self.assignment(step, dest),
            }
            if self.target.comments {
                // The exact text of a valid instruction.
                let text = asm::instruction_text(token, self.stage).unwrap_or_default();
                self.out.put(&[" // ", &text]);
            }
            self.out.push('\n');
        }
    }

    /// Writes an assignment. WGSL assigns one component or all: other masks compose the register, or, if they have
    /// gaps, name the result first.
    fn assignment(&mut self, step: &Step, dest: &Write) {
        self.out.indent();
        let mask = dest.mask;
        if dest.file == RegisterFile::DepthOutput || mask == WriteMask::ALL || mask.len() == 1 {
            self.register(dest.file, dest.number);
            // The depth output is a scalar, and its mask is always x (3756).
            if dest.file != RegisterFile::DepthOutput {
                self.out.components(mask);
            }
            self.out.push_str(" = ");
            self.value(step, mask);
            self.out.push(';');
        } else if let Some([before, after]) = around(mask) {
            self.register(dest.file, dest.number);
            self.out.push_str(" = vec4f(");
            self.kept(dest, before, ["", ", "]);
            self.value(step, mask);
            self.kept(dest, after, [", ", ""]);
            self.out.push_str(");");
        } else {
            self.out.numbered("let t", step.token);
            self.out.push_str(" = ");
            self.value(step, mask);
            self.out.push(';');
            for (lane, component) in Component::ALL.into_iter().zip(mask.iter()) {
                self.out.push(' ');
                self.register(dest.file, dest.number);
                self.out.components(WriteMask::EMPTY.with(component));
                self.out.numbered(" = t", step.token);
                self.out.components(WriteMask::EMPTY.with(lane));
                self.out.push(';');
            }
        }
    }

    /// Writes components of a destination that an assignment keeps.
    fn kept(&mut self, dest: &Write, components: WriteMask, [before, after]: [&str; 2]) {
        if !components.is_empty() {
            self.out.push_str(before);
            self.register(dest.file, dest.number);
            self.out.components(components);
            self.out.push_str(after);
        }
    }

    fn open(&mut self, relation: Relation, a: &Read, b: &Read) {
        self.out.indent();
        self.out.push_str("if ");
        self.relation(relation, SCALAR, a, b);
        self.out.push_str(" {");
        self.out.depth = self.out.depth.saturating_add(1);
    }

    fn kill(&mut self, a: &Read) {
        self.out.indent();
        self.out.push_str("if ");
        self.source(a, SCALAR);
        if self.liveness.late_kill {
            self.out.put(&[" < 0.0 { ", expression::KILLED, " = true; }"]);
        } else {
            self.out.push_str(" < 0.0 { discard; }");
        }
    }
}

/// Returns the components below and above a mask without gaps.
fn around(mask: WriteMask) -> Option<[WriteMask; 2]> {
    let below = mask.bits().trailing_zeros();
    let lowest = (1u8.checked_shl(below)?).checked_sub(1)?;
    let after = WriteMask::ALL.without(WriteMask::from_bits(mask.bits() | lowest));
    let filled = mask.bits() | lowest;
    (filled & filled.checked_add(1)? == 0).then_some([WriteMask::from_bits(lowest), after])
}
