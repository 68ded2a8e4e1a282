//! Translates each instruction to one or a few statements.

use std::borrow::Cow;

use agal_core::float::ResultLimit;
use agal_core::output::{fill, source_index};

use super::D3d9Emitter;
use super::source::vector;
use crate::dataflow;
use crate::opcode::{Formula, Operation};
use crate::operand::WriteMask;
use crate::program::D3d9Instruction;
use crate::register::ShaderFile;

/// Returns the GLSL template of `dsx` or `dsy`. Surfaces are stored top row first, so GLSL's y also points down.
fn derivative(vertical: bool) -> &'static str {
    if vertical { "dFdy($a)" } else { "dFdx($a)" }
}

/// A result whose error is the feature that GLSL lacks.
pub(super) type FeatureResult<T = ()> = Result<T, &'static str>;

#[derive(Clone, Copy)]
enum InstructionValue {
    /// The expression has as many components as the write mask.
    Masked,
    One,
    /// The expression is a `vec4` computed from these source lanes; the write mask selects from it.
    Four(WriteMask),
}

impl D3d9Emitter<'_> {
    /// Emits an instruction. Fails if GLSL can't express the instruction.
    pub(super) fn instruction(
        &mut self,
        number: u32,
        instruction: &D3d9Instruction,
    ) -> FeatureResult {
        let mask = dataflow::written(instruction);
        let target = instruction.dest_register(self.version);
        match instruction.opcode.operation() {
            Operation::Flow(flow) => self.flow(instruction, flow),
            Operation::Texture(texture) if self.version.major() == 1 => {
                self.texture_1(instruction, texture);
            }
            Operation::Texture(texture) => return self.texture(number, instruction, texture),
            Operation::Phase => self.phase(),
            Operation::Dcl | Operation::Def(_) | Operation::Nop | Operation::Meta => {}
            Operation::Mova => self.address(instruction, mask),
            _ if target.is_some_and(|register| register.file == ShaderFile::Address) => {
                self.address(instruction, mask);
            }
            Operation::Matrix { width, .. } => {
                self.matrix(instruction, mask, WriteMask::first(width))
            }
            Operation::Bem => self.bem(instruction, mask),
            Operation::Derivative { .. } if self.hoisted.contains(&number) => {
                self.assign_masked(instruction, mask, &format!("hoisted{number}"));
            }
            kind => self.arithmetic(kind, instruction, mask),
        }
        Ok(())
    }

    fn arithmetic(&mut self, kind: Operation, instruction: &D3d9Instruction, mask: WriteMask) {
        let (value, template) = self.formula(kind, instruction, mask);
        let text = self.expanded(&template, instruction, mask, value);
        match value {
            InstructionValue::One if mask.len() > 1 => {
                self.assign(instruction, mask, &format!("{}({text})", vector(mask.len())));
            }
            InstructionValue::One | InstructionValue::Masked => {
                self.assign(instruction, mask, &text)
            }
            InstructionValue::Four(_) => self.assign_masked(instruction, mask, &text),
        }
    }

    /// Returns the GLSL template of an arithmetic instruction.
    fn formula(
        &self,
        kind: Operation,
        instruction: &D3d9Instruction,
        mask: WriteMask,
    ) -> (InstructionValue, Cow<'static, str>) {
        use InstructionValue::{Four, Masked, One};
        let one = mask.len() == 1;
        let [x, xyz, all] = [1, 3, 4].map(WriteMask::first);
        // A co-issued `cnd` of ps_1_1 to ps_1_3 always selects its first source ([d3d9.ps1.cnd]).
        let paired = instruction.is_co_issued() && self.version.is_ps_1_1_to_1_3();
        let (value, template) = match kind {
            Operation::Map(Formula::Lrp) if self.is_limited => {
                let difference = self.limited(ResultLimit::Both, "($b - $c)".to_owned());
                return (Masked, format!("$c + $a * {difference}").into());
            }
            Operation::Map(formula) => {
                (Masked, if one { formula.scalar() } else { formula.vector() })
            }
            Operation::Cnd if paired => (Masked, "$b"),
            Operation::Cnd if one => (Masked, "$a > 0.5 ? $b : $c"),
            Operation::Cnd => (Masked, "mix($c, $b, greaterThan($a, $v(0.5)))"),
            Operation::Derivative { vertical } => (Masked, derivative(vertical)),
            Operation::Sgn => (Masked, "sign($a)"),
            Operation::Setp => return (Masked, self.compared(instruction, one).into()),
            Operation::Scalar(_) => return (One, self.scalar_function(kind).into()),
            Operation::ExpPartial if self.version.major() == 1 => {
                return (Four(x), self.scalar_function(kind).into());
            }
            Operation::ExpPartial => return (One, self.scalar_function(kind).into()),
            Operation::Dot(_) => (One, "dot($a, $b)"),
            Operation::Dp2Add => (One, "dot($a, $b) + $c"),
            Operation::Cross if mask == xyz => (Masked, "cross($a, $b)"),
            Operation::Cross => (Four(xyz), "vec4(cross($a, $b), 0.0)"),
            Operation::Normalize => (Four(all), "d3d9_nrm($a)"),
            Operation::Lit => (Four(all), "d3d9_lit($a.x, $a.y, $a.w)"),
            Operation::Dst => (Four(all), "vec4(1.0, $a.y * $b.y, $a.z, $b.w)"),
            Operation::SinCos => (Four(x), "vec4(cos($a), sin($a), 0.0, 0.0)"),
            Operation::Flow(_)
            | Operation::Texture(_)
            | Operation::Phase
            | Operation::Dcl
            | Operation::Def(_) => (One, ""),
            Operation::Nop
            | Operation::Meta
            | Operation::Mova
            | Operation::Matrix { .. }
            | Operation::Bem => (One, ""),
        };
        (value, template.into())
    }

    /// Returns the GLSL template of a `setp` comparison.
    fn compared(&self, instruction: &D3d9Instruction, one: bool) -> String {
        let compared = instruction.comparison().map(|comparison| {
            let (operator, function) = (comparison.operator(), comparison.function());
            if one { format!("$a {operator} $b") } else { format!("{function}($a, $b)") }
        });
        compared.unwrap_or_default()
    }

    fn phase(&mut self) {
        let temps = self.used.registers.of(ShaderFile::Temp);
        for register in temps.take_while(|register| register.number < 6) {
            self.line(format_args!("{register}.w = 0.0;"));
        }
    }

    /// Returns the `vec4` result of an instruction that takes derivatives of an input or a constant.
    pub(super) fn derivatives(&self, instruction: &D3d9Instruction) -> FeatureResult<String> {
        let source = instruction.source(0);
        let first = source.register(self.version);
        if source.is_relative() || first.is_some_and(|first| first.file == ShaderFile::Temp) {
            return Err("a derivative of an indexed register in dynamic flow control");
        }
        match instruction.opcode.operation() {
            Operation::Texture(texture) => self.lookup(instruction, texture),
            Operation::Derivative { vertical } => {
                let all = WriteMask::ALL;
                Ok(self.expanded(
                    derivative(vertical),
                    instruction,
                    all,
                    InstructionValue::Four(all),
                ))
            }
            _ => Ok("vec4(0.0)".to_owned()),
        }
    }

    /// Expands a GLSL template: `$a`, `$b`, `$c` become the sources, `$v` the result type.
    fn expanded(
        &self,
        template: &str,
        one: &D3d9Instruction,
        mask: WriteMask,
        value: InstructionValue,
    ) -> String {
        fill(template, |name| {
            if name == "v" {
                return vector(mask.len()).to_owned();
            }
            let index = source_index(name);
            let lanes = match value {
                InstructionValue::Four(lanes) => lanes,
                InstructionValue::Masked | InstructionValue::One => {
                    dataflow::lanes(one, index, self.version, None)
                }
            };
            self.source(one.source(index), lanes)
        })
    }

    fn matrix(&mut self, instruction: &D3d9Instruction, mask: WriteMask, lanes: WriteMask) {
        let [a, rows] = [0, 1].map(|index| instruction.source(index));
        let a = self.source(a, lanes);
        let row = |row: u8| format!("dot({a}, {})", self.row(rows, lanes, row.into()));
        let products: Vec<String> = mask.iter().map(|component| row(component.bits())).collect();
        let value = format!("{}({})", vector(mask.len()), products.join(", "));
        self.assign(instruction, mask, &value);
    }

    fn address(&mut self, instruction: &D3d9Instruction, mask: WriteMask) {
        let value = self.source(instruction.source(0), WriteMask::ALL);
        let value = format!("d3d9_address({value})");
        let Some(predicate) = instruction.predicate else {
            return self.assign_masked(instruction, mask, &value);
        };
        // Assigns each component separately, because GLSL ES 3.00 has no `mix` for integers.
        for component in mask.iter() {
            let flag = self.predicate(predicate, WriteMask::EMPTY.with(component));
            let letter = component.letter();
            self.line(format_args!("if ({flag}) a0.{letter} = {value}.{letter};"));
        }
    }
}
