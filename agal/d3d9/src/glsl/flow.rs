//! Translates flow control instructions.

use super::Emitter;
use crate::opcode::Flow;
use crate::operand::{Modifier, WriteMask};
use crate::program::Instruction;
use crate::register::File;

impl Emitter<'_> {
    pub(super) fn flow(&mut self, instruction: &Instruction, flow: Flow) {
        let n = self.code.depth;
        match flow {
            Flow::If | Flow::IfCompare => {
                let condition = self.condition(instruction, 0);
                self.code.open(format_args!("if ({condition}) {{"));
            }
            Flow::Else => {
                self.code.else_block();
                self.code.push('\n');
            }
            Flow::Rep => {
                let count = self.integer(instruction.source(0).number());
                self.code.open(format_args!("for (int n{n} = {count}.x; n{n} > 0; --n{n}) {{"));
            }
            Flow::Loop => {
                let count = self.integer(instruction.source(1).number());
                // `break` leaves the loop without incrementing `aL` ([d3d9.flow.break]).
                self.code.open(format_args!(
                    "for (int n{n} = {count}.x, aL = {count}.y; n{n} > 0; --n{n}, aL += {count}.z) {{"
                ));
                self.counters = self.counters.saturating_add(1);
            }
            Flow::EndIf | Flow::EndRep => self.code.close(),
            Flow::EndLoop => {
                self.counters = self.counters.saturating_sub(1);
                self.code.close();
            }
            Flow::Break => self.line("break;"),
            Flow::BreakCompare | Flow::BreakPredicate => {
                let condition = self.condition(instruction, 0);
                self.line(format_args!("if ({condition}) break;"));
            }
            Flow::Call | Flow::CallNz => {
                let label = instruction.source(0).number();
                let counter = if self.counters > 0 || self.in_function { "aL" } else { "0" };
                let condition = match flow {
                    Flow::CallNz => format!("if ({}) ", self.condition(instruction, 1)),
                    _ => String::new(),
                };
                self.line(format_args!("{condition}l{label}({counter});"));
            }
            Flow::Label => {
                let label = instruction.source(0).number();
                self.code.open(format_args!("void l{label}(int aL) {{"));
            }
            Flow::Ret if self.in_function => self.code.close(),
            Flow::Ret => {}
        }
    }

    fn integer(&self, number: u16) -> String {
        let own = self.declared.integers.contains_key(&number);
        if own { format!("i{number}") } else { format!("{}i[{number}]", self.prefix()) }
    }

    fn condition(&self, instruction: &Instruction, index: usize) -> String {
        let compares = instruction.opcode.compares();
        if let Some(comparison) = instruction.comparison().filter(|_| compares) {
            let x = |index: usize| self.source(instruction.source(index), WriteMask::first(1));
            return format!("{} {} {}", x(0), comparison.operator(), x(1));
        }
        let source = instruction.source(index);
        let register = source.register(self.version);
        let Some(register) = register.filter(|register| register.file == File::Boolean) else {
            return self.predicate(source, WriteMask::first(1));
        };
        let not = if source.modifier() == Some(Modifier::Not) { "!" } else { "" };
        match self.declared.booleans.get(&register.number) {
            Some(value) => format!("{not}{value}"),
            None => format!("{not}{}b[{}]", self.prefix(), register.number),
        }
    }
}
