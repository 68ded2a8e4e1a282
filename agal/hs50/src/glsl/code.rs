//! The code of a phase.

use super::phase::called;
use super::{Emitter, Target, declared_size};
use crate::alu::alu;
use crate::double::double;
use crate::hull::Phase;
use crate::names::GlobalFlag;
use crate::opcode::{Category, Opcode, Type};
use crate::operand::{Components, LETTERS, Modifier, Operand, OperandKind};
use crate::program::Instruction;
use crate::register::PhaseKind;

/// What the translation lacks, without its place.
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
            let sources: Vec<String> = (0..instruction.sources().len())
                .map(|n| self.source(phase, instruction, n))
                .collect();
            let types = opcode.info().destinations;
            let templates = row.glsl.iter().zip(types);
            let results: Vec<String> = templates
                .map(|(template, kind)| {
                    let text = fill(template, &sources, "uvec4");
                    self.result(lines, instruction, &text, *kind)
                })
                .collect();
            self.results(lines, phase, instruction, &results);
        } else if double(opcode).is_some() {
            self.double(lines, phase, instruction)?;
        } else if let Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 = opcode {
            let [a, b] = [0, 1].map(|n| self.source(phase, instruction, n));
            let text = format!(
                "hs_{}(uintBitsToFloat({a}), uintBitsToFloat({b}))",
                opcode.name()
            );
            let text = self.result(lines, instruction, &text, Type::F);
            self.results(lines, phase, instruction, &[text]);
        } else {
            let text = self.look_up(phase, instruction)?;
            let text = match instruction.saturates() {
                true => format!("floatBitsToUint(hs_sat(uintBitsToFloat({text})))"),
                false => text,
            };
            self.results(lines, phase, instruction, &[text]);
        }
        Ok(())
    }

    /// A formula as `uvec4`. Floats that may not be refactored go by a `precise` variable.
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
            let name = format!("p{}", lines.precise);
            lines.precise = lines.precise.saturating_add(1);
            lines.line(&format!("precise vec4 {name} = {text};"));
            text = name;
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
        let wanted: Vec<_> = instruction
            .destinations()
            .iter()
            .zip(results)
            .filter(|(dest, _)| dest.kind() != OperandKind::Null)
            .collect();
        match wanted[..] {
            [(dest, text)] => self.write(lines, phase, dest, text),
            [] => {}
            _ => {
                // All sources are read before anything is written.
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
        let mask = letters(dest.mask());
        let masked = if mask == ".xyzw" {
            text.to_owned()
        } else {
            format!("({text}){mask}")
        };
        let mask = if mask == ".xyzw" { "" } else { mask.as_str() };
        let control_point = phase.id.kind == PhaseKind::ControlPoint;
        let array = match dest.kind() {
            OperandKind::Output if control_point => (
                "vocp[gl_InvocationID].e".to_owned(),
                super::outputs(self.hull),
            ),
            OperandKind::Output => ("P".to_owned(), self.hull.patch_registers),
            OperandKind::IndexableTemp => {
                let number = dest.fixed(0).unwrap_or(0);
                (
                    format!("{}x{number}", self.prefix),
                    phase.indexable.get(&number).map_or(0, |temp| temp.length),
                )
            }
            _ => {
                let register = dest.fixed(0).unwrap_or(0);
                let register = format!("{}r{register}", self.prefix);
                return lines.line(&format!("{register}{mask} = {masked};"));
            }
        };
        let (name, count) = array;
        match dest.indices.last().and_then(|index| index.fixed()) {
            Some(place) if place < count => {
                lines.line(&format!("{name}[{place}]{mask} = {masked};"))
            }
            // Beyond the array nothing is written.
            Some(_) => {}
            None if count == 0 => {}
            None => {
                let index = self.index(phase, dest, dest.indices.len().saturating_sub(1));
                lines.line(&format!(
                    "{{ uint i = {index}; if (i < {count}u) {name}[min(i, {count}u - 1u)]{mask} = {masked}; }}"
                ));
            }
        }
    }

    /// An index as a `uint`.
    fn index(&self, phase: &Phase, operand: &Operand, place: usize) -> String {
        let Some(index) = operand.indices.get(place) else {
            return "0u".to_owned();
        };
        let offset = index.offset().unwrap_or(0);
        let Some(relative) = index.relative() else {
            return format!("{offset}u");
        };
        let value = self.scalar(phase, relative, Type::I);
        if offset == 0 {
            value
        } else {
            format!("({value} + {offset}u)")
        }
    }

    /// The first component that a source reads, as a `uint`.
    pub(super) fn scalar(&self, phase: &Phase, operand: &Operand, kind: Type) -> String {
        format!("{}.x", self.operand(phase, operand, kind))
    }

    /// A source as a `uvec4`, its swizzle and modifiers applied.
    pub(super) fn source(&self, phase: &Phase, instruction: &Instruction, place: usize) -> String {
        match (
            instruction.sources().get(place),
            instruction.opcode().info().sources.get(place),
        ) {
            (Some(operand), Some(kind)) => self.operand(phase, operand, *kind),
            _ => "uvec4(0u)".to_owned(),
        }
    }

    fn operand(&self, phase: &Phase, operand: &Operand, kind: Type) -> String {
        let text = match operand.kind() {
            OperandKind::Immediate32 | OperandKind::Immediate64 => immediate(&operand.values),
            _ => {
                let (text, scalar) = self.register(phase, operand);
                let swizzle = operand
                    .swizzle()
                    .map(|c| LETTERS.get(usize::from(c)).copied().unwrap_or('x'));
                match operand.components() {
                    _ if scalar => text,
                    Components::Mask(_) | Components::Swizzle([0, 1, 2, 3]) => text,
                    _ => format!("{text}.{}", swizzle.iter().collect::<String>()),
                }
            }
        };
        let Modifier { abs, neg } = operand.modifier();
        match (kind, abs, neg) {
            (_, false, false) => text,
            // Pairs are changed where they are packed.
            (Type::D, ..) => text,
            (Type::I | Type::U, _, true) => format!("(uvec4(0u) - {text})"),
            (Type::I | Type::U, _, false) => text,
            (_, true, false) => format!("({text} & 0x7fffffffu)"),
            (_, false, true) => format!("({text} ^ 0x80000000u)"),
            (_, true, true) => format!("({text} | 0x80000000u)"),
        }
    }

    /// A register as a `uvec4`, and whether all its components are the same.
    fn register(&self, phase: &Phase, operand: &Operand) -> (String, bool) {
        use OperandKind as Kind;
        let hull = self.hull;
        let last = operand.indices.len().saturating_sub(1);
        let fixed = operand.indices.last().and_then(|index| index.fixed());
        let index = || self.index(phase, operand, last);
        let vector = |text: String| (text, false);
        // Beyond an array 0 is read.
        let array = |name: &str, count: u32| match fixed {
            Some(place) if place < count => format!("{name}[{place}]"),
            None if count > 0 => {
                let index = index();
                format!("({index} < {count}u ? {name}[min({index}, {count}u - 1u)] : uvec4(0u))")
            }
            _ => "uvec4(0u)".to_owned(),
        };
        let point = |name: &str, function: &str, points: u32, registers: u32| match (
            operand.fixed(0),
            fixed,
        ) {
            (Some(vertex), Some(element)) if vertex < points && element < registers => {
                format!("{name}[{vertex}].e[{element}]")
            }
            _ if registers == 0 || points == 0 => "uvec4(0u)".to_owned(),
            _ => format!("{function}({}, {})", self.index(phase, operand, 0), index()),
        };
        match operand.kind() {
            Kind::Temp => {
                let register = operand.fixed(0).unwrap_or(0);
                let register = format!("{}r{register}", self.prefix);
                vector(register)
            }
            Kind::IndexableTemp => {
                let number = operand.fixed(0).unwrap_or(0);
                vector(array(
                    &format!("{}x{number}", self.prefix),
                    phase.indexable.get(&number).map_or(0, |temp| temp.length),
                ))
            }
            Kind::Input | Kind::InputControlPoint => vector(point(
                "vicp",
                "hs_in",
                hull.input_points,
                hull.input_registers,
            )),
            Kind::OutputControlPoint => vector(point(
                "vocp",
                "hs_out",
                hull.output_points,
                super::outputs(hull),
            )),
            Kind::PatchConstant => vector(match fixed {
                Some(register) if register < hull.patch_registers => format!("P[{register}]"),
                _ if hull.patch_registers == 0 => "uvec4(0u)".to_owned(),
                _ => format!("hs_pc({})", index()),
            }),
            Kind::ConstantBuffer => {
                let slot = operand.fixed(0).unwrap_or(0);
                let size = hull
                    .buffer(slot)
                    .map_or(0, |buffer| declared_size(buffer.size));
                vector(array(&format!("cb{slot}"), size))
            }
            Kind::ImmediateConstantBuffer => {
                vector(array("icb", crate::words::length(hull.constants.len())))
            }
            Kind::PrimitiveId => ("uvec4(gl_PrimitiveID)".to_owned(), true),
            Kind::OutputControlPointId => ("uvec4(gl_InvocationID)".to_owned(), true),
            Kind::ForkInstanceId | Kind::JoinInstanceId => ("uvec4(instance)".to_owned(), true),
            _ => ("uvec4(0u)".to_owned(), true),
        }
    }

    fn flow(&self, lines: &mut Lines, phase: &Phase, instruction: &Instruction) {
        use Opcode::*;
        let value = || {
            instruction
                .operands
                .first()
                .map_or("0u".to_owned(), |operand| {
                    self.scalar(phase, operand, Type::U)
                })
        };
        let relation = if instruction.tests_non_zero() {
            "!="
        } else {
            "=="
        };
        let test = || format!("if ({} {relation} 0u)", value());
        match instruction.opcode() {
            If => lines.open(&format!("{} {{", test())),
            Else => {
                lines.depth -= 1;
                lines.open("} else {");
            }
            Endif | Endloop => lines.close(),
            Loop => lines.open("while (true) {"),
            Switch => {
                lines.switches.push(false);
                lines.open(&format!("switch ({}) {{", value()));
            }
            Case => {
                let value = instruction
                    .operands
                    .first()
                    .and_then(|operand| operand.values.first());
                lines.line(&format!("case {:#x}u:", value.copied().unwrap_or(0)));
            }
            Default => {
                if let Some(default) = lines.switches.last_mut() {
                    *default = true;
                }
                lines.line("default:");
            }
            Endswitch => {
                // A label needs a statement behind it.
                if lines.switches.pop() != Some(true) {
                    lines.line("default:");
                }
                lines.line("break;");
                lines.close();
            }
            Break => lines.line("break;"),
            Breakc => lines.line(&format!("{} break;", test())),
            Continue => lines.line("continue;"),
            Continuec => lines.line(&format!("{} continue;", test())),
            Ret => lines.line("return;"),
            Retc => lines.line(&format!("{} return;", test())),
            Call => lines.line(&called(phase, instruction)),
            Callc => lines.line(&format!("{} {}", test(), called(phase, instruction))),
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
        let Some(row) = double(opcode).filter(|_| self.target != Target::Es320) else {
            return Err(format!("{} in GLSL {}", opcode.name(), self.target.name()));
        };
        let kind = opcode
            .info()
            .destinations
            .first()
            .copied()
            .unwrap_or(Type::D);
        let mask = instruction.destinations().first().map_or(0, Operand::mask);
        let mut lanes = LETTERS
            .iter()
            .enumerate()
            .filter(|(bit, _)| mask >> bit & 1 != 0)
            .map(|(_, letter)| letter);
        lines.line("{");
        lines.depth += 1;
        lines.line("uvec4 t0 = uvec4(0u);");
        for (number, pair) in ["xy", "zw"].into_iter().enumerate() {
            let sources =
                (0..instruction.sources().len()).map(|n| self.pair(phase, instruction, n, number));
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

    /// A source of a pair: a `double`, or the `uint` of a 32-bit source.
    fn pair(&self, phase: &Phase, instruction: &Instruction, place: usize, pair: usize) -> String {
        let text = self.source(phase, instruction, place);
        if instruction.opcode().info().sources.get(place) != Some(&Type::D) {
            return format!("{text}.{}", if pair == 0 { "x" } else { "y" });
        }
        let packed = format!(
            "packDouble2x32({text}.{})",
            if pair == 0 { "xy" } else { "zw" }
        );
        let modifier = instruction
            .sources()
            .get(place)
            .map(Operand::modifier)
            .unwrap_or_default();
        let packed = if modifier.abs {
            format!("abs({packed})")
        } else {
            packed
        };
        if modifier.neg {
            format!("(-{packed})")
        } else {
            packed
        }
    }
}

fn immediate(values: &[u32]) -> String {
    match values {
        [one] => format!("uvec4({one:#x}u)"),
        [low, high] => format!("uvec4({low:#x}u, {high:#x}u, {low:#x}u, {high:#x}u)"),
        [x, y, z, w] => format!("uvec4({x:#x}u, {y:#x}u, {z:#x}u, {w:#x}u)"),
        _ => "uvec4(0u)".to_owned(),
    }
}

/// A formula with its sources. `whole` is the type of the sources' texts: `uvec4`, or `uint` of pairs.
fn fill(template: &str, sources: &[String], whole: &str) -> String {
    let signed = if whole == "uint" { "int" } else { "ivec4" };
    sources
        .iter()
        .enumerate()
        .fold(template.to_owned(), |text, (number, source)| {
            text.replace(&format!("{{U{number}}}"), source)
                .replace(&format!("{{D{number}}}"), source)
                .replace(
                    &format!("{{F{number}}}"),
                    &format!("uintBitsToFloat({source})"),
                )
                .replace(&format!("{{I{number}}}"), &format!("{signed}({source})"))
        })
}

/// `.xy`
pub(super) fn letters(mask: u8) -> String {
    let letters = LETTERS
        .iter()
        .enumerate()
        .filter(|(bit, _)| mask >> bit & 1 != 0);
    std::iter::once(&'.')
        .chain(letters.map(|(_, letter)| letter))
        .collect()
}

/// Lines with their indentation.
pub(super) struct Lines {
    depth: usize,
    /// Has each open switch a default?
    switches: Vec<bool>,
    /// Precise variables that were named so far.
    precise: usize,
    pub(super) text: String,
}

impl Lines {
    /// None yet, of a function.
    pub(super) fn new() -> Lines {
        Lines {
            depth: 1,
            switches: Vec::new(),
            precise: 0,
            text: String::new(),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
        self.text.push_str(text);
        self.text.push('\n');
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
