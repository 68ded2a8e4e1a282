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
        let dest = instruction
            .dest
            .and_then(|dest| dest.register(self.version));
        let address = dest.is_some_and(|register| register.file == File::Address);
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
                for number in super::declare::bits(self.used.temps & 0x3f) {
                    self.line(&format!("r{number}.w = 0.0;"));
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
                let value = text(self, 0, mask);
                self.assign(instruction, mask, &format!("{function}({value})"));
            }
            Kind::Sgn => {
                let value = text(self, 0, mask);
                self.assign(instruction, mask, &format!("sign({value})"));
            }
            Kind::Scalar(formula) => {
                let value = self.formula(formula, instruction, WriteMask::first(1));
                self.assign_scalar(instruction, mask, &value);
            }
            Kind::Dot(width) => {
                let lanes = WriteMask::first(width);
                let value = format!("dot({}, {})", text(self, 0, lanes), text(self, 1, lanes));
                self.assign_scalar(instruction, mask, &value);
            }
            Kind::Dp2Add => {
                let two = WriteMask::first(2);
                let (a, b) = (text(self, 0, two), text(self, 1, two));
                let c = text(self, 2, WriteMask::first(1));
                self.assign_scalar(instruction, mask, &format!("dot({a}, {b}) + {c}"));
            }
            Kind::Matrix { width, .. } => {
                let lanes = WriteMask::first(width);
                let a = text(self, 0, lanes);
                let rows = mask.iter().map(|row| {
                    let b = self.row(instruction.source(1), lanes, row.bits().into());
                    format!("dot({a}, {b})")
                });
                let rows: Vec<String> = rows.collect();
                let value = format!("{}({})", vector(rows.len()), rows.join(", "));
                self.assign(instruction, mask, &value);
            }
            Kind::Cross => {
                let three = WriteMask::first(3);
                let value = format!("cross({}, {})", text(self, 0, three), text(self, 1, three));
                let value = if mask == three {
                    value
                } else {
                    format!("vec4({value}, 0.0)")
                };
                if mask == three {
                    self.assign(instruction, mask, &value);
                } else {
                    self.assign_masked(instruction, mask, &value);
                }
            }
            Kind::Normalize => {
                let value = format!("d3d9_nrm({})", text(self, 0, WriteMask::ALL));
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
        let mut text = template.replace("$v", vector(lanes.len()));
        for (place, name) in ["$a", "$b", "$c"].into_iter().enumerate() {
            if text.contains(name) {
                text = text.replace(name, &self.source(instruction.source(place), lanes));
            }
        }
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
        let function = if self.version.major() == 1 {
            "floor"
        } else {
            "roundEven"
        };
        let kind = ["int", "int", "ivec2", "ivec3", "ivec4"]
            .get(mask.len())
            .copied();
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
                    self.line(&format!(
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
