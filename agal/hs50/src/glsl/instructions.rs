//! Translates the instructions of a phase.

use agal_core::{Component, Swizzle, WriteMask};

use super::phase::{HullEmitter, call};
use super::text::{filled, immediate};
use super::{Dialect, declared_size, outputs};
use crate::formula::alu::alu;
use crate::formula::double::double;
use crate::hull::register::PhaseKind;
use crate::names::GlobalFlag;
use crate::tokens::opcode::{Category, HullOpcode, Type};
use crate::tokens::operand::{Components, HullOperand, OperandKind, OperandModifiers};
use crate::tokens::program::HullInstruction;
use crate::words::length;

/// The error names what GLSL lacks.
pub(super) type GlslResult<T = String> = Result<T, String>;

impl HullEmitter<'_> {
    pub(super) fn instruction(&mut self, instruction: &HullInstruction) -> GlslResult<()> {
        let opcode = instruction.opcode();
        if opcode.category() == Category::Flow {
            self.flow(instruction);
            return Ok(());
        }
        if double(opcode).is_some() {
            return self.double(instruction);
        }
        let results = if let Some(row) = alu(opcode) {
            let sources = self.sources(instruction);
            let formulas = row.glsl.iter().zip(opcode.destinations());
            let results = formulas.map(|(formula, kind)| {
                let text = filled(formula, &sources, "ivec4");
                self.result(instruction, text, *kind)
            });
            results.collect()
        } else if let HullOpcode::Dp2 | HullOpcode::Dp3 | HullOpcode::Dp4 = opcode {
            let [a, b] = [0, 1].map(|number| self.source(instruction, number));
            let text = format!("hs_{}(uintBitsToFloat({a}), uintBitsToFloat({b}))", opcode.name());
            vec![self.result(instruction, text, Type::F)]
        } else {
            let text = self.look_up(instruction)?;
            vec![if instruction.saturates() { saturated(&text) } else { text }]
        };
        self.results(instruction, &results);
        Ok(())
    }

    /// Returns the result of a formula as `uvec4`. Assigns float expressions that must not be reordered to a `precise`
    /// variable.
    fn result(&mut self, instruction: &HullInstruction, mut text: String, kind: Type) -> String {
        let loose = self.hull.flags.contains(&GlobalFlag::RefactoringAllowed);
        if kind == Type::F && (!loose || !instruction.precise().is_empty()) {
            text = self.variable("precise vec4", "p", &text);
        }
        match (kind, instruction.saturates()) {
            (Type::F, false) => format!("floatBitsToUint({text})"),
            (Type::F, true) => format!("floatBitsToUint(hs_sat({text}))"),
            (Type::A, true) => saturated(&text),
            (Type::B, _) => format!("(uvec4(0u) - uvec4({text}))"),
            (Type::I, _) => format!("uvec4({text})"),
            _ => text,
        }
    }

    /// Assigns a value to a new variable, so that the expression isn't duplicated. Returns the variable's name.
    pub(super) fn variable(&mut self, kind: &str, letter: &str, value: &str) -> String {
        let name = format!("{letter}{}", self.variables);
        self.variables = self.variables.saturating_add(1);
        self.lines.line(format_args!("{kind} {name} = {value};"));
        name
    }

    fn results(&mut self, instruction: &HullInstruction, results: &[String]) {
        let wanted = instruction.destinations().iter().zip(results);
        let wanted = wanted.filter(|(dest, _)| dest.kind() != OperandKind::Null);
        let wanted: Vec<_> = wanted.collect();
        match wanted[..] {
            [(dest, text)] => self.write(dest, text),
            [] => {}
            _ => {
                // Evaluates all results before writing any, because a destination may also be a source.
                self.lines.open("{");
                for (number, (_, text)) in wanted.iter().enumerate() {
                    self.lines.line(format_args!("uvec4 t{number} = {text};"));
                }
                for (number, (dest, _)) in wanted.iter().enumerate() {
                    self.write(dest, &format!("t{number}"));
                }
                self.lines.close();
            }
        }
    }

    fn write(&mut self, dest: &HullOperand, text: &str) {
        let (mask, value) = match dest.mask() {
            WriteMask::ALL => (String::new(), text.to_owned()),
            mask => (format!(".{mask}"), format!("({text}).{mask}")),
        };
        let Some((name, count)) = self.array(dest) else {
            let register = dest.fixed(0).unwrap_or(0);
            return self.lines.line(format_args!("{}r{register}{mask} = {value};", self.prefix));
        };
        match dest.last_fixed() {
            Some(index) if index < count => {
                self.lines.line(format_args!("{name}[{index}]{mask} = {value};"));
            }
            // The index is past the end of the array, so the write is dropped.
            Some(_) => {}
            None if count == 0 => {}
            None => {
                let index = self.index(dest, dest.indices.len().saturating_sub(1));
                self.lines.line(format_args!(
                    "{{ uint i = {index}; if (i < {count}u) {name}[min(i, {count}u - 1u)]{mask} = {value}; }}"
                ));
            }
        }
    }

    /// Returns the name and length of the register's array; `None` for registers outside of arrays.
    fn array(&self, operand: &HullOperand) -> Option<(String, u32)> {
        use OperandKind as Kind;
        let (hull, number) = (self.hull, operand.fixed(0).unwrap_or(0));
        Some(match operand.kind() {
            Kind::Output if self.phase.id.kind == PhaseKind::ControlPoint => {
                ("vocp[gl_InvocationID].e".to_owned(), outputs(hull))
            }
            Kind::Output => ("P".to_owned(), hull.patch_registers),
            Kind::IndexableTemp => {
                let length = self.phase.indexable.get(&number).map_or(0, |temp| temp.length);
                (format!("{}x{number}", self.prefix), length)
            }
            Kind::ConstantBuffer => {
                let size = hull.binding(operand).map_or(0, |buffer| declared_size(buffer.size));
                (format!("cb{number}"), size)
            }
            Kind::ImmediateConstantBuffer => ("icb".to_owned(), length(hull.constants.len())),
            _ => return None,
        })
    }

    pub(super) fn index(&mut self, operand: &HullOperand, axis: usize) -> String {
        let Some(index) = operand.indices.get(axis) else { return "0u".to_owned() };
        let value = index.relative().map(|relative| self.scalar(relative, Type::I));
        match (value, index.offset().unwrap_or(0)) {
            (None, offset) => format!("{offset}u"),
            (Some(value), 0) => value,
            (Some(value), offset) => format!("({value} + {offset}u)"),
        }
    }

    /// Returns the first component that a source reads, as a `uint` expression.
    fn scalar(&mut self, operand: &HullOperand, kind: Type) -> String {
        format!("{}.x", self.operand(operand, kind))
    }

    pub(super) fn sources(&mut self, instruction: &HullInstruction) -> Vec<String> {
        (0..instruction.sources().len()).map(|number| self.source(instruction, number)).collect()
    }

    /// Returns a source with its swizzle and modifiers, as a `uvec4` expression.
    pub(super) fn source(&mut self, instruction: &HullInstruction, number: usize) -> String {
        let kind = instruction.opcode().sources().get(number);
        match (instruction.sources().get(number), kind) {
            (Some(operand), Some(kind)) => self.operand(operand, *kind),
            _ => "uvec4(0u)".to_owned(),
        }
    }

    fn operand(&mut self, operand: &HullOperand, kind: Type) -> String {
        let text = match operand.kind() {
            OperandKind::Immediate32 | OperandKind::Immediate64 => immediate(&operand.values),
            _ => {
                let (text, scalar) = self.register(operand);
                match operand.components() {
                    _ if scalar => text,
                    Components::Mask(_) | Components::Swizzle(Swizzle::IDENTITY) => text,
                    _ => format!("{text}.{}", swizzle(operand)),
                }
            }
        };
        let OperandModifiers { abs, neg } = operand.modifier();
        match (kind, abs, neg) {
            (_, false, false) => text,
            // Source modifiers of doubles are applied later, after packing to `double`.
            (Type::D, ..) => text,
            (Type::I | Type::U, _, true) => format!("(uvec4(0u) - {text})"),
            (Type::I | Type::U, _, false) => text,
            (_, true, false) => format!("({text} & 0x7fffffffu)"),
            (_, false, true) => format!("({text} ^ 0x80000000u)"),
            (_, true, true) => format!("({text} | 0x80000000u)"),
        }
    }

    /// Returns a register as a `uvec4` expression, and whether the expression replicates a scalar.
    fn register(&mut self, operand: &HullOperand) -> (String, bool) {
        use OperandKind as Kind;
        let (hull, fixed) = (self.hull, operand.last_fixed());
        let last = operand.indices.len().saturating_sub(1);
        let zero = || "uvec4(0u)".to_owned();
        let text = match operand.kind() {
            Kind::Temp => format!("{}r{}", self.prefix, operand.fixed(0).unwrap_or(0)),
            Kind::Input | Kind::InputControlPoint => {
                self.point(operand, ["vicp", "hs_in"], hull.input_points, hull.input_registers)
            }
            Kind::OutputControlPoint => {
                self.point(operand, ["vocp", "hs_out"], hull.output_points, outputs(hull))
            }
            Kind::PatchConstant => match fixed {
                Some(register) if register < hull.patch_registers => format!("P[{register}]"),
                _ if hull.patch_registers == 0 => zero(),
                _ => format!("hs_pc({})", self.index(operand, last)),
            },
            Kind::PrimitiveId => return ("uvec4(gl_PrimitiveID)".to_owned(), true),
            Kind::OutputControlPointId => return ("uvec4(gl_InvocationID)".to_owned(), true),
            Kind::ForkInstanceId | Kind::JoinInstanceId => {
                return ("uvec4(instance)".to_owned(), true);
            }
            // Dynamic indices past the end of an array read 0.
            _ => match (self.array(operand), fixed) {
                (None, _) => return (zero(), true),
                (Some((name, count)), Some(index)) if index < count => format!("{name}[{index}]"),
                (Some((name, count)), None) if count > 0 => {
                    let index = self.index(operand, last);
                    let i = self.variable("uint", "i", &index);
                    format!("({i} < {count}u ? {name}[min({i}, {count}u - 1u)] : uvec4(0u))")
                }
                _ => zero(),
            },
        };
        (text, false)
    }

    /// Returns a control point's register. Dynamic indices use a function that checks bounds.
    fn point(
        &mut self,
        operand: &HullOperand,
        [array, function]: [&str; 2],
        points: u32,
        registers: u32,
    ) -> String {
        match (operand.fixed(0), operand.last_fixed()) {
            (Some(vertex), Some(element)) if vertex < points && element < registers => {
                format!("{array}[{vertex}].e[{element}]")
            }
            _ if registers == 0 || points == 0 => "uvec4(0u)".to_owned(),
            _ => {
                let vertex = self.index(operand, 0);
                let element = self.index(operand, operand.indices.len().saturating_sub(1));
                format!("{function}({vertex}, {element})")
            }
        }
    }

    fn flow(&mut self, instruction: &HullInstruction) {
        use HullOpcode::*;
        let opcode = instruction.opcode();
        let first = instruction.operands.first();
        let value = match (opcode, first) {
            (Call | Label | Case, _) | (_, None) => "0u".to_owned(),
            (_, Some(operand)) => self.scalar(operand, Type::U),
        };
        let relation = if instruction.tests_non_zero() { "!=" } else { "==" };
        let test =
            if opcode.is_test() { format!("if ({value} {relation} 0u) ") } else { String::new() };
        match opcode {
            If => self.lines.open(format_args!("{test}{{")),
            Else => {
                self.lines.else_block();
                self.lines.push('\n');
            }
            Endif | Endloop => self.lines.close(),
            Loop => self.lines.open("while (true) {"),
            Switch => {
                self.switches.push(false);
                self.lines.open(format_args!("switch ({value}) {{"));
            }
            Case => {
                let value = first.and_then(|operand| operand.values.first());
                self.lines.line(format_args!("case {:#x}u:", value.copied().unwrap_or(0)));
            }
            Default => {
                if let Some(default) = self.switches.last_mut() {
                    *default = true;
                }
                self.lines.line("default:");
            }
            Endswitch => {
                // In GLSL, a label must be followed by a statement.
                if self.switches.pop() != Some(true) {
                    self.lines.line("default:");
                }
                self.lines.line("break;");
                self.lines.close();
            }
            Break | Breakc => self.lines.line(format_args!("{test}break;")),
            Continue | Continuec => self.lines.line(format_args!("{test}continue;")),
            Ret | Retc => self.lines.line(format_args!("{test}return;")),
            Call | Callc => {
                let call = call(self.phase, instruction);
                self.lines.line(format_args!("{test}{call}"));
            }
            _ => {}
        }
    }

    fn double(&mut self, instruction: &HullInstruction) -> GlslResult<()> {
        let opcode = instruction.opcode();
        let Some(row) = double(opcode).filter(|_| self.dialect != Dialect::Glsl320Es) else {
            return Err(format!("{} in GLSL {}", opcode.name(), self.dialect.name()));
        };
        let kind = opcode.destinations().first().copied().unwrap_or(Type::D);
        let Some(dest) = instruction.destinations().first() else { return Ok(()) };
        let mut lanes = dest.mask().iter().map(Component::letter);
        self.lines.open("{");
        self.lines.line("uvec4 t0 = uvec4(0u);");
        for (pair, lane) in [("xy", "x"), ("zw", "y")] {
            let sources = 0..instruction.sources().len();
            let sources = sources.map(|number| self.pair(instruction, number, pair, lane));
            let sources: Vec<String> = sources.collect();
            let mut text = filled(row.glsl, &sources, "int");
            if instruction.saturates() {
                text = format!("hs_dsat({text})");
            }
            if kind == Type::D {
                self.lines.line(format_args!("t0.{pair} = unpackDouble2x32({text});"));
            } else if let Some(lane) = lanes.next() {
                self.lines.line(&match kind {
                    Type::B => format!("t0.{lane} = {text} ? 0xffffffffu : 0u;"),
                    Type::F => format!("t0.{lane} = floatBitsToUint({text});"),
                    _ => format!("t0.{lane} = uint({text});"),
                });
            }
        }
        self.write(dest, "t0");
        self.lines.close();
        Ok(())
    }

    /// Returns a source of a double instruction: two components as `double`, or one 32-bit component as `uint`.
    fn pair(&mut self, one: &HullInstruction, source: usize, pair: &str, lane: &str) -> String {
        let text = self.source(one, source);
        if one.opcode().sources().get(source) != Some(&Type::D) {
            return format!("{text}.{lane}");
        }
        let packed = format!("packDouble2x32({text}.{pair})");
        let modifier = one.sources().get(source).map(HullOperand::modifier);
        let OperandModifiers { abs, neg } = modifier.unwrap_or_default();
        let packed = if abs { format!("abs({packed})") } else { packed };
        if neg { format!("(-{packed})") } else { packed }
    }
}

fn saturated(text: &str) -> String {
    format!("floatBitsToUint(hs_sat(uintBitsToFloat({text})))")
}

pub(super) fn swizzle(operand: &HullOperand) -> String {
    operand.swizzle().lanes().iter().map(|component| component.letter()).collect()
}
