//! Translates flow control instructions.

use super::D3d9Emitter;
use crate::opcode::FlowControl;
use crate::operand::{SourceModifier, WriteMask};
use crate::program::D3d9Instruction;
use crate::register::ShaderFile;

impl D3d9Emitter<'_> {
    pub(super) fn flow(&mut self, instruction: &D3d9Instruction, flow: FlowControl) {
        let n = self.code.depth;
        match flow {
            FlowControl::If | FlowControl::IfCompare => {
                let condition = self.condition(instruction, 0);
                self.code.open(format_args!("if ({condition}) {{"));
            }
            FlowControl::Else => {
                self.code.else_block();
                self.code.push('\n');
            }
            FlowControl::Rep => {
                let count = self.integer(instruction.source(0).number());
                self.code.open(format_args!("for (int n{n} = {count}.x; n{n} > 0; --n{n}) {{"));
            }
            FlowControl::Loop => {
                let count = self.integer(instruction.source(1).number());
                // `break` leaves the loop without incrementing `aL` ([d3d9.flow.break]).
                self.code.open(format_args!(
                    "for (int n{n} = {count}.x, aL = {count}.y; n{n} > 0; --n{n}, aL += {count}.z) {{"
                ));
                self.counters = self.counters.saturating_add(1);
            }
            FlowControl::EndIf | FlowControl::EndRep => self.code.close(),
            FlowControl::EndLoop => {
                self.counters = self.counters.saturating_sub(1);
                self.code.close();
            }
            FlowControl::Break => self.line("break;"),
            FlowControl::BreakCompare | FlowControl::BreakPredicate => {
                let condition = self.condition(instruction, 0);
                self.line(format_args!("if ({condition}) break;"));
            }
            FlowControl::Call | FlowControl::CallNz => {
                let label = instruction.source(0).number();
                let counter = if self.counters > 0 || self.in_function { "aL" } else { "0" };
                let condition = match flow {
                    FlowControl::CallNz => format!("if ({}) ", self.condition(instruction, 1)),
                    _ => String::new(),
                };
                self.line(format_args!("{condition}l{label}({counter});"));
            }
            FlowControl::Label => {
                let label = instruction.source(0).number();
                self.code.open(format_args!("void l{label}(int aL) {{"));
            }
            FlowControl::Ret if self.in_function => self.code.close(),
            FlowControl::Ret => {}
        }
    }

    fn integer(&self, number: u16) -> String {
        let own = self.declared.integers.contains_key(&number);
        if own { format!("i{number}") } else { format!("{}i[{number}]", self.prefix()) }
    }

    fn condition(&self, instruction: &D3d9Instruction, index: usize) -> String {
        let compares = instruction.opcode.compares();
        if let Some(comparison) = instruction.comparison().filter(|_| compares) {
            let x = |index: usize| self.source(instruction.source(index), WriteMask::first(1));
            return format!("{} {} {}", x(0), comparison.operator(), x(1));
        }
        let source = instruction.source(index);
        let register = source.register(self.version);
        let Some(register) = register.filter(|register| register.file == ShaderFile::Boolean)
        else {
            return self.predicate(source, WriteMask::first(1));
        };
        let not = if source.modifier() == Some(SourceModifier::Not) { "!" } else { "" };
        match self.declared.booleans.get(&register.number) {
            Some(value) => format!("{not}{value}"),
            None => format!("{not}{}b[{}]", self.prefix(), register.number),
        }
    }
}
