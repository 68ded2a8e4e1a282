//! Translates each instruction to one or a few statements.

use super::source::vector;
use super::{Emitter, GlslError, flow};
use crate::opcode::{Formula, Kind, Opcode};
use crate::operand::WriteMask;
use crate::program::Instruction;
use crate::reads;
use crate::register::File;

/// The value of an instruction as GLSL.
enum Value {
    /// A value with as many components as the mask.
    Masked(String),
    /// A scalar for all components.
    One(String),
    /// A `vec4`, from which the mask selects.
    Four(String),
}

impl Emitter<'_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), GlslError> {
        let mask = reads::written(instruction);
        let target = instruction.dest_register(self.version);
        if target.is_some_and(|register| register.file == File::Address) {
            self.address(instruction, mask);
            return Ok(());
        }
        match self.value(instruction, mask) {
            Some(Value::Masked(value)) => self.assign(instruction, mask, &value),
            Some(Value::One(value)) => self.assign_scalar(instruction, mask, &value),
            Some(Value::Four(value)) => self.assign_masked(instruction, mask, &value),
            None => return self.special(instruction, mask),
        }
        Ok(())
    }

    /// Emits an instruction that does more than compute a value.
    fn special(&mut self, instruction: &Instruction, mask: WriteMask) -> Result<(), GlslError> {
        match instruction.opcode.kind() {
            Kind::Mova => self.address(instruction, mask),
            Kind::Flow(flow) => self.flow(instruction, flow),
            Kind::Texture(texture) => match self.version.major() {
                1 => self.texture_1(instruction, texture),
                _ => self.texture(instruction, texture)?,
            },
            Kind::Phase => {
                let temps = self.used.registers.of(File::Temp);
                for register in temps.take_while(|register| register.number < 6) {
                    self.line(format_args!("{register}.w = 0.0;"));
                }
            }
            Kind::Bem => self.bem(instruction, mask),
            Kind::Setp => self.setp(instruction, mask),
            Kind::Dcl | Kind::Def(_) | Kind::Nop | Kind::Meta => {}
            Kind::Map(_) | Kind::Cnd | Kind::Derivative { .. } | Kind::Sgn | Kind::Scalar(_) => {}
            Kind::Dot(_) | Kind::Dp2Add | Kind::Matrix { .. } | Kind::Cross | Kind::Normalize => {}
            Kind::Lit | Kind::Dst | Kind::SinCos | Kind::ExpPartial => {}
        }
        Ok(())
    }

    /// The value of an arithmetic instruction; `None` for other instructions.
    fn value(&self, instruction: &Instruction, mask: WriteMask) -> Option<Value> {
        let first = WriteMask::first;
        let text = |place: usize, lanes| self.source(instruction.source(place), lanes);
        let call = |function, count, lanes| self.call(function, instruction, count, lanes);
        Some(match instruction.opcode.kind() {
            Kind::Map(formula) => Value::Masked(self.formula(formula, instruction, mask)),
            Kind::Cnd => Value::Masked(self.cnd(instruction, mask)),
            // Window y points down, because surfaces are stored top row first.
            Kind::Derivative { vertical: true } => Value::Masked(call("dFdy", 1, mask)),
            Kind::Derivative { vertical: false } => Value::Masked(call("dFdx", 1, mask)),
            Kind::Sgn => Value::Masked(call("sign", 1, mask)),
            Kind::Scalar(formula) => Value::One(self.formula(formula, instruction, first(1))),
            Kind::Dot(width) => Value::One(call("dot", 2, first(width))),
            Kind::Dp2Add => {
                let (product, more) = (call("dot", 2, first(2)), text(2, first(1)));
                Value::One(format!("{product} + {more}"))
            }
            Kind::Matrix { width, .. } => {
                let lanes = first(width);
                let a = text(0, lanes);
                let mut value = String::with_capacity(128);
                value.push_str(vector(mask.len()));
                let mut before = "(";
                for row in mask.iter() {
                    value.extend([before, "dot(", &a, ", "]);
                    self.put_row(&mut value, instruction.source(1), lanes, row.bits().into());
                    value.push(')');
                    before = ", ";
                }
                value.push(')');
                Value::Masked(value)
            }
            Kind::Cross if mask == first(3) => Value::Masked(call("cross", 2, mask)),
            Kind::Cross => Value::Four(format!("vec4({}, 0.0)", call("cross", 2, first(3)))),
            Kind::Normalize => Value::Four(call("d3d9_nrm", 1, WriteMask::ALL)),
            Kind::Lit => {
                let a = text(0, WriteMask::ALL);
                Value::Four(format!("d3d9_lit({a}.x, {a}.y, {a}.w)"))
            }
            Kind::Dst => {
                let [a, b] = [0, 1].map(|place| text(place, WriteMask::ALL));
                Value::Four(format!("vec4(1.0, {a}.y * {b}.y, {a}.z, {b}.w)"))
            }
            Kind::SinCos => {
                let angle = text(0, first(1));
                Value::Four(format!("vec4(cos({angle}), sin({angle}), 0.0, 0.0)"))
            }
            Kind::ExpPartial if self.version.major() == 1 => {
                let x = text(0, first(1));
                Value::Four(format!("vec4(exp2(floor({x})), fract({x}), exp2({x}), 1.0)"))
            }
            Kind::ExpPartial => Value::One(call("exp2", 1, first(1))),
            Kind::Mova | Kind::Flow(_) | Kind::Texture(_) | Kind::Phase | Kind::Bem => return None,
            Kind::Setp | Kind::Dcl | Kind::Def(_) | Kind::Nop | Kind::Meta => return None,
        })
    }

    fn formula(&self, formula: Formula, instruction: &Instruction, lanes: WriteMask) -> String {
        let template = if lanes.len() == 1 { formula.scalar() } else { formula.vector() };
        let mut text = String::with_capacity(64);
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('$') {
            text.push_str(before);
            let mut letters = behind.chars();
            let mut source = |place| self.put_source(&mut text, instruction.source(place), lanes);
            match letters.next() {
                Some('a') => source(0),
                Some('b') => source(1),
                Some('c') => source(2),
                _ => text.push_str(vector(lanes.len())),
            }
            rest = letters.as_str();
        }
        text.push_str(rest);
        text
    }

    /// Compares with 0.5; a co-issued `cnd` of ps_1_1 to ps_1_3 takes its first source (d3d9-shaders.md section 5.5).
    fn cnd(&self, instruction: &Instruction, mask: WriteMask) -> String {
        let [a, b, c] = [0, 1, 2].map(|place| self.source(instruction.source(place), mask));
        if instruction.is_co_issued() && self.version.is_ps_1_1_to_1_3() {
            b
        } else if mask.len() == 1 {
            format!("{a} > 0.5 ? {b} : {c}")
        } else {
            let vector = vector(mask.len());
            format!("mix({c}, {b}, greaterThan({a}, {vector}(0.5)))")
        }
    }

    /// Writes the address register (d3d9-shaders.md section 5.2).
    fn address(&mut self, instruction: &Instruction, mask: WriteMask) {
        let value = self.source(instruction.source(0), WriteMask::ALL);
        let value = format!("d3d9_address({value})");
        // GLSL ES 3.00 has no `mix` for integers.
        match instruction.predicate {
            None => self.assign_masked(instruction, mask, &value),
            Some(predicate) => {
                for component in mask.iter() {
                    let one = WriteMask::EMPTY.with(component);
                    let flag = self.predicate(predicate, one);
                    let letter = component.letter();
                    self.line(format_args!("if ({flag}) a0.{letter} = {value}.{letter};"));
                }
            }
        }
    }

    fn setp(&mut self, instruction: &Instruction, mask: WriteMask) {
        let Some(comparison) = instruction.comparison() else {
            return;
        };
        let [a, b] = [0, 1].map(|place| self.source(instruction.source(place), mask));
        let value = if mask.len() == 1 {
            flow::compared(comparison, &a, &b)
        } else {
            format!("{}({a}, {b})", comparison.function())
        };
        debug_assert_eq!(instruction.opcode, Opcode::Setp);
        self.assign(instruction, mask, &value);
    }
}
