//! One instruction to one statement or a few.

use super::source::vector;
use super::{Emitter, GlslError, flow};
use crate::opcode::{Formula, Kind, Opcode};
use crate::operand::WriteMask;
use crate::program::Instruction;
use crate::reads;
use crate::register::File;

impl Emitter<'_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), GlslError> {
        let mask = reads::written(instruction);
        let target = instruction.target(self.version);
        let address = target.is_some_and(|register| register.file == File::Address);
        let text = |emitter: &Self, place: usize, lanes: WriteMask| {
            emitter.source(instruction.source(place), lanes)
        };
        match instruction.opcode.kind() {
            Kind::Dcl | Kind::Def(_) | Kind::Nop | Kind::Meta => {}
            Kind::Mova => self.address(instruction, mask),
            _ if address => self.address(instruction, mask),
            Kind::Flow(flow) => self.flow(instruction, flow),
            Kind::Texture(texture) if self.version.major() == 1 => {
                self.texture_1(instruction, texture)
            }
            Kind::Texture(texture) => self.texture(instruction, texture)?,
            Kind::Phase => {
                for register in self
                    .used
                    .registers
                    .of(File::Temp)
                    .take_while(|r| r.number < 6)
                {
                    self.line(format_args!("{register}.w = 0.0;"));
                }
            }
            Kind::Map(formula) => {
                let value = self.formula(formula, instruction, mask);
                self.assign(instruction, mask, &value);
            }
            Kind::Cnd => self.cnd(instruction, mask),
            Kind::Derivative { vertical } => {
                // y grows downwards, as in surfaces whose top row is first.
                let function = if vertical { "dFdy" } else { "dFdx" };
                let value = self.call(function, instruction, 1, mask);
                self.assign(instruction, mask, &value);
            }
            Kind::Sgn => {
                let value = self.call("sign", instruction, 1, mask);
                self.assign(instruction, mask, &value);
            }
            Kind::Scalar(formula) => {
                let value = self.formula(formula, instruction, WriteMask::first(1));
                self.assign_scalar(instruction, mask, &value);
            }
            Kind::Dot(width) => {
                let value = self.call("dot", instruction, 2, WriteMask::first(width));
                self.assign_scalar(instruction, mask, &value);
            }
            Kind::Dp2Add => {
                let two = WriteMask::first(2);
                let mut value = self.call("dot", instruction, 2, two);
                value.push_str(" + ");
                self.put_source(&mut value, instruction.source(2), WriteMask::first(1));
                self.assign_scalar(instruction, mask, &value);
            }
            Kind::Matrix { width, .. } => {
                let lanes = WriteMask::first(width);
                let a = text(self, 0, lanes);
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
                self.assign(instruction, mask, &value);
            }
            Kind::Cross => {
                let three = WriteMask::first(3);
                let value = self.call("cross", instruction, 2, three);
                if mask == three {
                    self.assign(instruction, mask, &value);
                } else {
                    self.assign_masked(instruction, mask, &format!("vec4({value}, 0.0)"));
                }
            }
            Kind::Normalize => {
                let value = self.call("d3d9_nrm", instruction, 1, WriteMask::ALL);
                self.assign_masked(instruction, mask, &value);
            }
            Kind::Lit => {
                let whole = text(self, 0, WriteMask::ALL);
                let value = format!("d3d9_lit({whole}.x, {whole}.y, {whole}.w)");
                self.assign_masked(instruction, mask, &value);
            }
            Kind::Dst => {
                let (a, b) = (text(self, 0, WriteMask::ALL), text(self, 1, WriteMask::ALL));
                let value = format!("vec4(1.0, {a}.y * {b}.y, {a}.z, {b}.w)");
                self.assign_masked(instruction, mask, &value);
            }
            Kind::SinCos => {
                let angle = text(self, 0, WriteMask::first(1));
                let value = format!("vec4(cos({angle}), sin({angle}), 0.0, 0.0)");
                self.assign_masked(instruction, mask, &value);
            }
            Kind::ExpPartial => {
                let x = text(self, 0, WriteMask::first(1));
                if self.version.major() == 1 {
                    let value = format!("vec4(exp2(floor({x})), fract({x}), exp2({x}), 1.0)");
                    self.assign_masked(instruction, mask, &value);
                } else {
                    self.assign_scalar(instruction, mask, &format!("exp2({x})"));
                }
            }
            Kind::Bem => self.bem(instruction, mask),
            Kind::Setp => self.setp(instruction, mask),
        }
        Ok(())
    }

    fn formula(&self, formula: Formula, instruction: &Instruction, lanes: WriteMask) -> String {
        let template = if lanes.len() == 1 {
            formula.scalar()
        } else {
            formula.vector()
        };
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

    /// Against one half; ps_1_1 to ps_1_3 take the first source where it is co-issued (d3d9-shaders.md section 5.5).
    fn cnd(&mut self, instruction: &Instruction, mask: WriteMask) {
        let [a, b, c] = [0, 1, 2].map(|place| self.source(instruction.source(place), mask));
        let value = if instruction.is_co_issued() && self.version.is_ps_1_1_to_1_3() {
            b
        } else if mask.len() == 1 {
            format!("{a} > 0.5 ? {b} : {c}")
        } else {
            let vector = vector(mask.len());
            format!("mix({c}, {b}, greaterThan({a}, {vector}(0.5)))")
        };
        self.assign(instruction, mask, &value);
    }

    /// d3d9-shaders.md section 5.2.
    fn address(&mut self, instruction: &Instruction, mask: WriteMask) {
        let value = self.source(instruction.source(0), mask);
        let function = match self.version.major() {
            1 => "floor",
            _ => "roundEven",
        };
        let kinds = ["int", "int", "ivec2", "ivec3", "ivec4"];
        let kind = kinds.get(mask.len()).copied();
        let value = format!("{}({function}({value}))", kind.unwrap_or("ivec4"));
        // Of integers GLSL ES 3.00 has no `mix`.
        match instruction.predicate {
            None => self.assign(instruction, mask, &value),
            Some(predicate) => {
                for component in mask.iter() {
                    let one = WriteMask::EMPTY.with(component);
                    let flag = self.predicate(predicate, one);
                    let value = self.source(instruction.source(0), one);
                    let letter = component.letter();
                    self.line(format_args!(
                        "if ({flag}) a0.{letter} = int({function}({value}));"
                    ));
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
