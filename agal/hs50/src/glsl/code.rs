//! Translates the code of a phase.

use shader_core::Component;
use shader_core::glsl::Dialect;

use super::phase::called;
use super::{Emitter, declared_size};
use crate::alu::alu;
use crate::double::double;
use crate::hull::Phase;
use crate::names::GlobalFlag;
use crate::opcode::{Category, Opcode, Type};
use crate::operand::{Components, Modifier, Operand, OperandKind, letters};
use crate::program::Instruction;
use crate::register::PhaseKind;

/// What can't be translated; the caller adds the location.
pub(super) type Lack = String;

impl Emitter<'_> {
    pub(super) fn instruction(
        &mut self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
    ) -> Result<(), Lack> {
        let opcode = instruction.opcode();
        if opcode.info().category == Category::Flow {
            self.flow(lines, phase, instruction);
            return Ok(());
        }
        if let Some(row) = alu(opcode) {
            let sources = 0..instruction.sources().len();
            let sources = sources.map(|n| self.source(lines, phase, instruction, n));
            let sources: Vec<String> = sources.collect();
            let types = opcode.info().destinations;
            let templates = row.glsl.iter().zip(types);
            let results = templates.map(|(template, kind)| {
                let text = fill(template, &sources, "uvec4");
                self.result(lines, instruction, &text, *kind)
            });
            let results: Vec<String> = results.collect();
            self.results(lines, phase, instruction, &results);
        } else if double(opcode).is_some() {
            self.double(lines, phase, instruction)?;
        } else if let Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 = opcode {
            let [a, b] = [0, 1].map(|n| self.source(lines, phase, instruction, n));
            let text = format!("hs_{}(uintBitsToFloat({a}), uintBitsToFloat({b}))", opcode.name());
            let text = self.result(lines, instruction, &text, Type::F);
            self.results(lines, phase, instruction, &[text]);
        } else {
            let text = self.look_up(lines, phase, instruction)?;
            let text = match instruction.saturates() {
                true => format!("floatBitsToUint(hs_sat(uintBitsToFloat({text})))"),
                false => text,
            };
            self.results(lines, phase, instruction, &[text]);
        }
        Ok(())
    }

    /// The result of a formula as `uvec4`. Floats that must not be refactored go through a `precise` variable.
    fn result(
        &self,
        lines: &mut Lines,
        instruction: &Instruction,
        text: &str,
        kind: Type,
    ) -> String {
        let loose = self.hull.flags.contains(&GlobalFlag::RefactoringAllowed);
        let mut text = text.to_owned();
        if kind == Type::F && (!loose || instruction.precise() != 0) {
            text = lines.variable("precise vec4", "p", &text);
        }
        match (kind, instruction.saturates()) {
            (Type::F, false) => format!("floatBitsToUint({text})"),
            (Type::F, true) => format!("floatBitsToUint(hs_sat({text}))"),
            (Type::A, true) => format!("floatBitsToUint(hs_sat(uintBitsToFloat({text})))"),
            (Type::B, _) => format!("(uvec4(0u) - uvec4({text}))"),
            (Type::I, _) => format!("uvec4({text})"),
            _ => text,
        }
    }

    fn results(
        &self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
        results: &[String],
    ) {
        let wanted = instruction.destinations().iter().zip(results);
        let wanted = wanted.filter(|(dest, _)| dest.kind() != OperandKind::Null);
        let wanted: Vec<_> = wanted.collect();
        match wanted[..] {
            [(dest, text)] => self.write(lines, phase, dest, text),
            [] => {}
            _ => {
                // Evaluates all results before the first write, because destinations may also be sources.
                lines.line("{");
                lines.depth += 1;
                for (number, (_, text)) in wanted.iter().enumerate() {
                    lines.line(&format!("uvec4 t{number} = {text};"));
                }
                for (number, (dest, _)) in wanted.iter().enumerate() {
                    self.write(lines, phase, dest, &format!("t{number}"));
                }
                lines.close();
            }
        }
    }

    fn write(&self, lines: &mut Lines, phase: &Phase, dest: &Operand, text: &str) {
        let mask = match dest.mask() {
            15 => String::new(),
            mask => format!(".{}", letters(mask)),
        };
        let masked = match mask.as_str() {
            "" => text.to_owned(),
            mask => format!("({text}){mask}"),
        };
        let Some((name, count)) = self.array(phase, dest) else {
            let register = dest.fixed(0).unwrap_or(0);
            let register = format!("{}r{register}", self.prefix);
            return lines.line(&format!("{register}{mask} = {masked};"));
        };
        match dest.indices.last().and_then(|index| index.fixed()) {
            Some(place) if place < count => {
                lines.line(&format!("{name}[{place}]{mask} = {masked};"))
            }
            // Writes beyond the end of an array are dropped.
            Some(_) => {}
            None if count == 0 => {}
            None => {
                let last = dest.indices.len().saturating_sub(1);
                let index = self.index(lines, phase, dest, last);
                lines.line(&format!(
                    "{{ uint i = {index}; if (i < {count}u) {name}[min(i, {count}u - 1u)]{mask} = {masked}; }}"
                ));
            }
        }
    }

    /// The name and the length of the array that contains a register; `None` for other registers.
    fn array(&self, phase: &Phase, operand: &Operand) -> Option<(String, u32)> {
        use OperandKind as Kind;
        let (hull, number) = (self.hull, operand.fixed(0).unwrap_or(0));
        Some(match operand.kind() {
            Kind::Output if phase.id.kind == PhaseKind::ControlPoint => {
                ("vocp[gl_InvocationID].e".to_owned(), super::outputs(hull))
            }
            Kind::Output => ("P".to_owned(), hull.patch_registers),
            Kind::IndexableTemp => {
                let length = phase.indexable.get(&number).map_or(0, |temp| temp.length);
                (format!("{}x{number}", self.prefix), length)
            }
            Kind::ConstantBuffer => {
                let size = hull.buffer(number).map(|buffer| declared_size(buffer.size));
                (format!("cb{number}"), size.unwrap_or(0))
            }
            Kind::ImmediateConstantBuffer => {
                ("icb".to_owned(), crate::words::length(hull.constants.len()))
            }
            _ => return None,
        })
    }

    /// An index as `uint`.
    fn index(&self, lines: &mut Lines, phase: &Phase, operand: &Operand, place: usize) -> String {
        let Some(index) = operand.indices.get(place) else {
            return "0u".to_owned();
        };
        let value = index.relative();
        let value = value.map(|one| self.scalar(lines, phase, one, Type::I));
        match (value, index.offset().unwrap_or(0)) {
            (None, offset) => format!("{offset}u"),
            (Some(value), 0) => value,
            (Some(value), offset) => format!("({value} + {offset}u)"),
        }
    }

    /// The first component that a source reads, as `uint`.
    fn scalar(&self, lines: &mut Lines, phase: &Phase, operand: &Operand, kind: Type) -> String {
        format!("{}.x", self.operand(lines, phase, operand, kind))
    }

    /// A source as `uvec4` with its swizzle and modifiers.
    pub(super) fn source(
        &self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
        place: usize,
    ) -> String {
        match (instruction.sources().get(place), instruction.opcode().info().sources.get(place)) {
            (Some(operand), Some(kind)) => self.operand(lines, phase, operand, *kind),
            _ => "uvec4(0u)".to_owned(),
        }
    }

    fn operand(&self, lines: &mut Lines, phase: &Phase, operand: &Operand, kind: Type) -> String {
        let text = match operand.kind() {
            OperandKind::Immediate32 | OperandKind::Immediate64 => immediate(&operand.values),
            _ => {
                let (text, scalar) = self.register(lines, phase, operand);
                match operand.components() {
                    _ if scalar => text,
                    Components::Mask(_) | Components::Swizzle([0, 1, 2, 3]) => text,
                    _ => format!("{text}.{}", operand.swizzle_letters()),
                }
            }
        };
        let Modifier { abs, neg } = operand.modifier();
        match (kind, abs, neg) {
            (_, false, false) => text,
            // Modifiers of doubles are applied where they are packed.
            (Type::D, ..) => text,
            (Type::I | Type::U, _, true) => format!("(uvec4(0u) - {text})"),
            (Type::I | Type::U, _, false) => text,
            (_, true, false) => format!("({text} & 0x7fffffffu)"),
            (_, false, true) => format!("({text} ^ 0x80000000u)"),
            (_, true, true) => format!("({text} | 0x80000000u)"),
        }
    }

    /// A register as `uvec4`, and whether the expression is a scalar broadcast.
    fn register(&self, lines: &mut Lines, phase: &Phase, operand: &Operand) -> (String, bool) {
        use OperandKind as Kind;
        let hull = self.hull;
        let last = operand.indices.len().saturating_sub(1);
        let fixed = operand.indices.last().and_then(|index| index.fixed());
        let index = |lines: &mut Lines| self.index(lines, phase, operand, last);
        if let Some((name, count)) = self.array(phase, operand) {
            // Reads beyond the end of an array give 0.
            let text = match fixed {
                Some(place) if place < count => format!("{name}[{place}]"),
                None if count > 0 => {
                    let index = index(lines);
                    let index = lines.variable("uint", "i", &index);
                    format!(
                        "({index} < {count}u ? {name}[min({index}, {count}u - 1u)] : uvec4(0u))"
                    )
                }
                _ => "uvec4(0u)".to_owned(),
            };
            return (text, false);
        }
        let mut point = |name: &str, function: &str, points: u32, registers: u32| match (
            operand.fixed(0),
            fixed,
        ) {
            (Some(vertex), Some(element)) if vertex < points && element < registers => {
                format!("{name}[{vertex}].e[{element}]")
            }
            _ if registers == 0 || points == 0 => "uvec4(0u)".to_owned(),
            _ => {
                let vertex = self.index(lines, phase, operand, 0);
                format!("{function}({vertex}, {})", index(lines))
            }
        };
        let text = match operand.kind() {
            Kind::Temp => format!("{}r{}", self.prefix, operand.fixed(0).unwrap_or(0)),
            Kind::Input | Kind::InputControlPoint => {
                point("vicp", "hs_in", hull.input_points, hull.input_registers)
            }
            Kind::OutputControlPoint => {
                point("vocp", "hs_out", hull.output_points, super::outputs(hull))
            }
            Kind::PatchConstant => match fixed {
                Some(register) if register < hull.patch_registers => format!("P[{register}]"),
                _ if hull.patch_registers == 0 => "uvec4(0u)".to_owned(),
                _ => format!("hs_pc({})", index(lines)),
            },
            Kind::PrimitiveId => return ("uvec4(gl_PrimitiveID)".to_owned(), true),
            Kind::OutputControlPointId => return ("uvec4(gl_InvocationID)".to_owned(), true),
            Kind::ForkInstanceId | Kind::JoinInstanceId => {
                return ("uvec4(instance)".to_owned(), true);
            }
            _ => return ("uvec4(0u)".to_owned(), true),
        };
        (text, false)
    }

    fn flow(&self, lines: &mut Lines, phase: &Phase, instruction: &Instruction) {
        use Opcode::*;
        let first = instruction.operands.first();
        let value = |lines: &mut Lines| match first {
            Some(operand) => self.scalar(lines, phase, operand, Type::U),
            None => "0u".to_owned(),
        };
        let relation = if instruction.tests_non_zero() { "!=" } else { "==" };
        let test = |lines: &mut Lines| format!("if ({} {relation} 0u)", value(lines));
        match instruction.opcode() {
            If => {
                let test = test(lines);
                lines.open(&format!("{test} {{"));
            }
            Else => {
                lines.depth -= 1;
                lines.open("} else {");
            }
            Endif | Endloop => lines.close(),
            Loop => lines.open("while (true) {"),
            Switch => {
                let value = value(lines);
                lines.switches.push(false);
                lines.open(&format!("switch ({value}) {{"));
            }
            Case => {
                let value = first.and_then(|operand| operand.values.first());
                lines.line(&format!("case {:#x}u:", value.copied().unwrap_or(0)));
            }
            Default => {
                if let Some(default) = lines.switches.last_mut() {
                    *default = true;
                }
                lines.line("default:");
            }
            Endswitch => {
                // GLSL requires a statement after a label.
                if lines.switches.pop() != Some(true) {
                    lines.line("default:");
                }
                lines.line("break;");
                lines.close();
            }
            Break => lines.line("break;"),
            Breakc => lines.tested(test, "break;"),
            Continue => lines.line("continue;"),
            Continuec => lines.tested(test, "continue;"),
            Ret => lines.line("return;"),
            Retc => lines.tested(test, "return;"),
            Call => lines.line(&called(phase, instruction)),
            Callc => lines.tested(test, &called(phase, instruction)),
            _ => {}
        }
    }

    fn double(
        &mut self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
    ) -> Result<(), Lack> {
        let opcode = instruction.opcode();
        let Some(row) = double(opcode).filter(|_| self.dialect != Dialect::Glsl320Es) else {
            return Err(format!("{} in GLSL {}", opcode.name(), self.dialect.name()));
        };
        let kinds = opcode.info().destinations;
        let kind = kinds.first().copied().unwrap_or(Type::D);
        let mask = instruction.destinations().first().map_or(0, Operand::mask);
        let mut lanes = letters(mask).iter().map(Component::letter);
        lines.line("{");
        lines.depth += 1;
        lines.line("uvec4 t0 = uvec4(0u);");
        for (number, pair) in ["xy", "zw"].into_iter().enumerate() {
            let sources = 0..instruction.sources().len();
            let sources = sources.map(|n| self.pair(lines, phase, instruction, n, number));
            let sources: Vec<String> = sources.collect();
            let mut text = fill(row.glsl, &sources, "uint");
            if instruction.saturates() {
                text = format!("hs_dsat({text})");
            }
            if kind == Type::D {
                lines.line(&format!("t0.{pair} = unpackDouble2x32({text});"));
            } else if let Some(lane) = lanes.next() {
                lines.line(&match kind {
                    Type::B => format!("t0.{lane} = {text} ? 0xffffffffu : 0u;"),
                    Type::F => format!("t0.{lane} = floatBitsToUint({text});"),
                    _ => format!("t0.{lane} = uint({text});"),
                });
            }
        }
        if let Some(dest) = instruction.destinations().first() {
            self.write(lines, phase, dest, "t0");
        }
        lines.close();
        Ok(())
    }

    /// One pair of a source: as `double`, or as `uint` for a 32-bit source.
    fn pair(
        &self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
        place: usize,
        pair: usize,
    ) -> String {
        let text = self.source(lines, phase, instruction, place);
        if instruction.opcode().info().sources.get(place) != Some(&Type::D) {
            return format!("{text}.{}", if pair == 0 { "x" } else { "y" });
        }
        let half = if pair == 0 { "xy" } else { "zw" };
        let mut packed = format!("packDouble2x32({text}.{half})");
        let modifier = instruction.sources().get(place).map(Operand::modifier);
        let Modifier { abs, neg } = modifier.unwrap_or_default();
        if abs {
            packed = format!("abs({packed})");
        }
        if neg {
            packed = format!("(-{packed})");
        }
        packed
    }
}

pub(super) fn immediate(values: &[u32]) -> String {
    match values {
        [one] => format!("uvec4({one:#x}u)"),
        [low, high] => format!("uvec4({low:#x}u, {high:#x}u, {low:#x}u, {high:#x}u)"),
        [x, y, z, w] => format!("uvec4({x:#x}u, {y:#x}u, {z:#x}u, {w:#x}u)"),
        _ => "uvec4(0u)".to_owned(),
    }
}

/// Inserts the sources into a formula. `whole` is the type of the source expressions: `uvec4`, or `uint` for pairs.
fn fill(template: &str, sources: &[String], whole: &str) -> String {
    let signed = if whole == "uint" { "int" } else { "ivec4" };
    sources.iter().enumerate().fold(template.to_owned(), |text, (number, source)| {
        text.replace(&format!("{{U{number}}}"), source)
            .replace(&format!("{{D{number}}}"), source)
            .replace(&format!("{{F{number}}}"), &format!("uintBitsToFloat({source})"))
            .replace(&format!("{{I{number}}}"), &format!("{signed}({source})"))
    })
}

/// Output lines with indentation.
pub(super) struct Lines {
    depth: usize,
    /// Whether each open switch has a default label.
    switches: Vec<bool>,
    /// Number of variables so far.
    variables: usize,
    pub(super) text: String,
}

impl Lines {
    /// No lines, at the indentation of a function body.
    pub(super) fn new() -> Lines {
        Lines { depth: 1, switches: Vec::new(), variables: 0, text: String::new() }
    }

    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }
    /// Keeps a value in a variable, whose name it returns: text that is used twice would double with each use.
    pub(super) fn variable(&mut self, kind: &str, letter: &str, value: &str) -> String {
        let name = format!("{letter}{}", self.variables);
        self.variables = self.variables.saturating_add(1);
        self.line(&format!("{kind} {name} = {value};"));
        name
    }
    /// A statement after its test.
    fn tested(&mut self, test: impl Fn(&mut Lines) -> String, statement: &str) {
        let test = test(self);
        self.line(&format!("{test} {statement}"));
    }
    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth = self.depth.saturating_add(1);
    }
    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }
}
