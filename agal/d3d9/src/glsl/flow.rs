//! Flow control.

use super::Emitter;
use crate::opcode::{Comparison, Flow};
use crate::operand::{Modifier, Source, WriteMask};
use crate::program::Instruction;
use crate::register::File;

impl Emitter<'_> {
    pub(super) fn flow(&mut self, instruction: &Instruction, flow: Flow) {
        match flow {
            Flow::If | Flow::IfCompare => {
                let condition = self.condition(instruction, 0);
                self.open(format_args!("if ({condition}) {{"));
            }
            Flow::Else => {
                self.depth = self.depth.saturating_sub(1);
                self.open("} else {");
            }
            Flow::Rep => {
                let count = self.integer(instruction.source(0).number());
                let n = self.depth;
                self.open(format_args!("for (int n{n} = {count}.x; n{n} > 0; --n{n}) {{"));
            }
            Flow::Loop => {
                let count = self.integer(instruction.source(1).number());
                let n = self.depth;
                // `break` leaves without adding the step to `aL` (d3d9-shaders.md section 5.3).
                self.open(format_args!(
                    "for (int n{n} = {count}.x, aL = {count}.y; n{n} > 0; --n{n}, aL += {count}.z) {{"
                ));
                self.counters = self.counters.saturating_add(1);
            }
            Flow::EndIf | Flow::EndRep => self.close(),
            Flow::EndLoop => {
                self.counters = self.counters.saturating_sub(1);
                self.close();
            }
            Flow::Break => self.line("break;"),
            Flow::BreakCompare | Flow::BreakPredicate => {
                let condition = self.condition(instruction, 0);
                self.line(format_args!("if ({condition}) break;"));
            }
            Flow::Call | Flow::CallNz => {
                let label = instruction.source(0).number();
                let within = self.counters > 0 || self.in_function;
                let counter = if within { "aL" } else { "0" };
                let call = format!("l{label}({counter});");
                if flow == Flow::CallNz {
                    let condition = self.condition(instruction, 1);
                    self.line(format_args!("if ({condition}) {call}"));
                } else {
                    self.line(&call);
                }
            }
            Flow::Ret if self.in_function => self.out.push_str("}\n"),
            Flow::Ret | Flow::Label => {}
        }
    }

    fn open(&mut self, text: impl std::fmt::Display) {
        self.line(text);
        self.depth = self.depth.saturating_add(1);
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1).max(1);
        self.line("}");
    }

    fn integer(&self, number: u16) -> String {
        if self.used.own_integers.contains_key(&number) {
            format!("i{number}")
        } else {
            format!("{}i[{number}]", self.prefix())
        }
    }

    fn boolean(&self, number: u16) -> String {
        match self.used.own_booleans.get(&number) {
            Some(value) => value.to_string(),
            None => format!("{}b[{number}]", self.prefix()),
        }
    }

    fn condition(&self, instruction: &Instruction, place: usize) -> String {
        let source: Source = instruction.source(place);
        let compares = instruction.opcode.compares();
        if let Some(comparison) = instruction.comparison().filter(|_| compares) {
            let [a, b] = [0, 1].map(|place| self.scalar(instruction.source(place)));
            return compared(comparison, &a, &b);
        }
        let register = source.register(self.version);
        match register.filter(|register| register.file == File::Boolean) {
            Some(register) => {
                let value = self.boolean(register.number);
                match source.modifier() {
                    Some(Modifier::Not) => format!("!{value}"),
                    _ => value,
                }
            }
            None => self.predicate(source, WriteMask::first(1)),
        }
    }
}

pub(super) fn compared(comparison: Comparison, a: &str, b: &str) -> String {
    format!("{a} {} {b}", comparison.operator())
}
