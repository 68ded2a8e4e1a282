//! Declarations: their syntax, printing and parsing.

use std::fmt::{self, Write};

use shader_core::text::{Cursor, nearest};

use super::cursor::Steps;
use super::error::{AsmError, AsmErrorKind};
use super::instruction::{declared_types, named};
use super::operand::{Style, write_operand, write_value};
use super::parse::{Parser, Role, unknown};
use crate::names::{
    Dimension, Domain, GlobalFlag, Interpolation, OutputPrimitive, Partitioning, SamplerMode,
    SystemName,
};
use crate::opcode::{Opcode, Type};
use crate::operand::Operand;
use crate::program::Instruction;

/// A part of a declaration's syntax.
#[derive(Clone, Copy)]
enum Part {
    Text(&'static str),
    Register,
    /// The next word after the operands.
    Word,
    /// The next word, as a float.
    Factor,
    /// The next word, as a system value.
    System,
    /// The next word, as the length of a range; the old SDK prints the last register instead: `o[0], o[3]`.
    Range,
    /// `[4]`: the size of a constant buffer in shader model 5.1, the next word.
    Size,
    /// `, space=1`: the register space in shader model 5.1, the next word.
    Space,
    /// A six-bit field of the token.
    Count,
    /// A field of the token with this many bits, printed by name.
    Named(u32, &'static [(u32, &'static str)]),
    /// The access mode of a constant buffer.
    Access,
    /// The interpolation of a pixel shader input, unless undefined.
    Interpolation,
    Flags,
}

/// Access modes of a constant buffer, by the bit of the token.
const ACCESS: [&str; 2] = ["immediateIndexed", "dynamicIndexed"];

/// The parts after a declaration's name; `None` if it has no text form, or the opcode alone doesn't give the name.
fn parts(opcode: Opcode) -> Option<&'static [Part]> {
    use Opcode::*;
    use Part::*;
    Some(match opcode {
        DclInput | DclOutput => &[Register],
        DclInputSgv | DclInputSiv | DclOutputSgv | DclOutputSiv => &[Register, Text(", "), System],
        DclInputPs => &[Part::Interpolation, Register],
        DclInputPsSgv | DclInputPsSiv => &[Part::Interpolation, Register, Text(", "), System],
        DclIndexrange => &[Register, Range],
        DclTemps | DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => &[Word],
        DclIndexableTemp => &[Text("x"), Word, Text("["), Word, Text("], "), Word],
        DclConstantbuffer => &[Register, Size, Text(", "), Access, Space],
        DclSampler => &[Register, Text(", "), Named(4, SamplerMode::NAMES), Space],
        DclResourceRaw | DclUavRaw => &[Register, Space],
        DclResourceStructured | DclUavStructured => &[Register, Text(", "), Word, Space],
        DclGlobalFlags => &[Flags],
        DclInputControlPointCount | DclOutputControlPointCount => &[Count],
        DclTessellatorDomain => &[Named(2, Domain::NAMES)],
        DclTessellatorPartitioning => &[Named(3, Partitioning::NAMES)],
        DclTessellatorOutputPrimitive => &[Named(3, OutputPrimitive::NAMES)],
        DclHsMaxTessfactor => &[Factor],
        _ => return None,
    })
}

/// The custom data class of the immediate constant buffer.
pub(crate) const CONSTANTS: u32 = 3;
/// The name of an immediate constant buffer.
const CONSTANTS_NAME: &str = "dcl_immediateConstantBuffer";

/// Prints a declaration. Returns false if it has no text form.
pub(super) fn declaration(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    match instruction.opcode() {
        Opcode::Customdata => constants(out, instruction, style),
        Opcode::DclResource | Opcode::DclUavTyped => typed(out, instruction, style),
        opcode => match parts(opcode) {
            Some(parts) => print(out, instruction, parts, style),
            None => Ok(false),
        },
    }
}

fn print(
    out: &mut String,
    instruction: &Instruction,
    parts: &[Part],
    style: Style,
) -> Result<bool, fmt::Error> {
    write!(out, "{} ", instruction.opcode().name())?;
    let mut words = instruction.extra.iter().copied();
    let mut word = || words.next().unwrap_or(0);
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Register => register(out, instruction, style)?,
            Part::Word => write!(out, "{}", word())?,
            Part::Range => write!(out, " {}", word())?,
            Part::Size if style.minor > 0 => write!(out, "[{}]", word())?,
            Part::Space if style.minor > 0 => write!(out, ", space={}", word())?,
            Part::Size | Part::Space => {}
            Part::Factor => {
                let (minor, exact) = (0, true);
                out.push_str("l(");
                write_value(out, word(), Type::F, Style { minor, exact })?;
                out.push(')');
            }
            Part::System => {
                let value = word() & 0xffff;
                let name = SystemName::from_token(value).map(SystemName::name);
                out.push_str(&named(name, value));
            }
            Part::Count => write!(out, "{}", instruction.control(11, 6))?,
            Part::Named(bits, names) => {
                let code = instruction.control(11, *bits);
                match names.iter().find(|(known, _)| *known == code) {
                    Some((_, name)) => out.push_str(name),
                    None => return Ok(false),
                }
            }
            Part::Access => {
                let [immediate, dynamic] = ACCESS;
                let is_dynamic = instruction.control(11, 1) != 0;
                out.push_str(if is_dynamic { dynamic } else { immediate });
            }
            Part::Interpolation => {
                let code = instruction.control(11, 4);
                match Interpolation::from_code(code) {
                    Some(mode) => write!(out, "{} ", mode.name())?,
                    None if code != 0 => return Ok(false),
                    None => {}
                }
            }
            Part::Flags => {
                let flags: Vec<_> = instruction.global_flags().map(GlobalFlag::name).collect();
                out.push_str(&flags.join(" | "));
            }
        }
    }
    Ok(true)
}

fn register(out: &mut String, instruction: &Instruction, style: Style) -> fmt::Result {
    let operand = instruction.register();
    operand.map_or(Ok(()), |operand| write_operand(out, operand, Type::R, style))
}

/// Prints a typed resource, whose dimension is part of the name.
fn typed(out: &mut String, instruction: &Instruction, style: Style) -> Result<bool, fmt::Error> {
    let Some(dimension) = Dimension::from_code(instruction.control(11, 5)) else {
        return Ok(false);
    };
    write!(out, "{}_{}", instruction.opcode().name(), dimension.name())?;
    if is_multisampled(dimension) {
        write!(out, "({})", instruction.control(16, 7))?;
    }
    let extra = |place: usize| instruction.extra.get(place).copied().unwrap_or(0);
    write!(out, " {} ", declared_types(extra(0)))?;
    register(out, instruction, style)?;
    if style.minor > 0 {
        write!(out, ", space={}", extra(1))?;
    }
    Ok(true)
}

fn is_multisampled(dimension: Dimension) -> bool {
    matches!(dimension, Dimension::Texture2dMs | Dimension::Texture2dMsArray)
}

fn constants(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    let (rows, rest) = instruction.extra.as_chunks::<4>();
    if instruction.control(11, 21) != CONSTANTS || rows.is_empty() || !rest.is_empty() {
        return Ok(false);
    }
    let mut before = "";
    write!(out, "{CONSTANTS_NAME} {{ ")?;
    for row in rows {
        out.push_str(before);
        let mut separator = "{ ";
        for value in row {
            out.push_str(separator);
            write_value(out, *value, Type::A, style)?;
            separator = ", ";
        }
        out.push('}');
        before = ",\n                              ";
    }
    out.push_str(" }");
    Ok(true)
}

impl<'a> Parser<'_, 'a> {
    /// Parses a declaration, if the name is one.
    pub(super) fn declaration(
        &mut self,
        name: &'a str,
        start: Cursor<'a>,
    ) -> Result<Option<Instruction>, AsmError> {
        if name == CONSTANTS_NAME {
            return self.constants().map(Some);
        }
        for (prefix, opcode) in
            [("dcl_resource_", Opcode::DclResource), ("dcl_uav_typed_", Opcode::DclUavTyped)]
        {
            let dimension = name.strip_prefix(prefix).and_then(Dimension::from_name);
            let typed = dimension
                .filter(|d| !matches!(d, Dimension::RawBuffer | Dimension::StructuredBuffer));
            if let Some(dimension) = typed {
                return self.typed(opcode, dimension).map(Some);
            }
        }
        // Spellings of the old SDK (hs-5-0.md, R30).
        let name = match name {
            "dcl_output_sv" => "dcl_output_siv",
            "dcl_indexRange" => "dcl_indexrange",
            name => name,
        };
        let Some(opcode) = Opcode::from_name(name).filter(|opcode| opcode.is_declaration()) else {
            return Ok(None);
        };
        let mut instruction = Instruction::new(opcode);
        let parts = parts(opcode).ok_or_else(|| unknown(name, start))?;
        for part in parts {
            self.part(*part, &mut instruction)?;
        }
        Ok(Some(instruction))
    }

    fn part(&mut self, part: Part, instruction: &mut Instruction) -> Result<(), AsmError> {
        match part {
            Part::Text(text) => self.cursor.expect(text.trim_end())?,
            Part::Register => {
                let operand = self.operand(Type::R, Role::Declared, 0)?;
                instruction.operands.push(operand);
            }
            Part::Word => instruction.extra.push(self.cursor.number()?),
            Part::Factor => {
                self.cursor.blank();
                self.cursor.expect("l")?;
                let values = self.list("(", ")", |parser| parser.value(Type::F))?;
                instruction.extra.extend(values.first());
            }
            Part::System => {
                let names = SystemName::ALL.iter();
                let names = names.map(|name| (name.token(), name.name()));
                let code = self.coded(&names.collect::<Vec<_>>())?;
                instruction.extra.push(code);
            }
            Part::Range => self.index_range(instruction)?,
            Part::Size if self.version.minor > 0 => match self.size {
                Some(size) => instruction.extra.push(size),
                None => {
                    return self.fail(AsmErrorKind::Expected("the size of the constant buffer"));
                }
            },
            Part::Space if self.version.minor > 0 => {
                self.cursor.expect(",")?;
                self.cursor.expect("space=")?;
                instruction.extra.push(self.cursor.number()?);
            }
            Part::Size | Part::Space => {}
            Part::Count => {
                let before = *self.cursor;
                match self.cursor.number()? {
                    count @ 0..=63 => instruction.set_control(11, count),
                    _ => return Err(before.error(AsmErrorKind::Expected("a count from 0 to 63"))),
                }
            }
            Part::Named(_, names) => instruction.set_control(11, self.coded(names)?),
            Part::Access => return self.access(instruction),
            Part::Interpolation => self.interpolation(instruction),
            Part::Flags => {
                while !self.cursor.at_line_end() {
                    let bit = self.coded(GlobalFlag::NAMES)?;
                    instruction.set_control(bit, 1);
                    self.cursor.blank();
                    if !self.cursor.take("|") {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn access(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        self.cursor.blank();
        let before = *self.cursor;
        let word = self.cursor.name();
        let wrong = || before.error(AsmErrorKind::Word(word.to_owned()));
        let place = ACCESS.iter().position(|known| *known == word);
        let place = place.ok_or_else(|| wrong().suggest(nearest(word, ACCESS)))?;
        instruction.set_control(11, u32::from(place == 1));
        Ok(())
    }

    fn interpolation(&mut self, instruction: &mut Instruction) {
        self.cursor.blank();
        let rest = self.cursor.rest();
        let next = |name: &str| rest.starts_with(&format!("{name} "));
        // Some names are prefixes of others: takes the longest.
        let here = Interpolation::ALL.iter().filter(|mode| next(mode.name()));
        if let Some(mode) = here.max_by_key(|mode| mode.name().len()) {
            self.cursor.take(mode.name());
            instruction.set_control(11, mode.code());
        }
    }

    fn index_range(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        self.cursor.blank();
        if !self.cursor.take(",") {
            instruction.extra.push(self.cursor.number()?);
            return Ok(());
        }
        let last = self.operand(Type::R, Role::Declared, 0)?;
        let number = |operand: Option<&Operand>| operand?.indices.last()?.fixed();
        match (number(instruction.register()), number(Some(&last))) {
            (Some(first), Some(last)) if last >= first => {
                let count = last.saturating_sub(first).saturating_add(1);
                instruction.extra.push(count);
                Ok(())
            }
            _ => self.fail(AsmErrorKind::Expected("the range's last register")),
        }
    }

    fn typed(&mut self, opcode: Opcode, dimension: Dimension) -> Result<Instruction, AsmError> {
        let mut instruction = Instruction::new(opcode);
        instruction.set_control(11, dimension.code());
        if is_multisampled(dimension) {
            self.cursor.expect("(")?;
            let samples = self.cursor.number()?;
            instruction.set_control(16, samples & 0x7f);
            self.cursor.expect(")")?;
        }
        let types = self.return_types()?;
        let types = types.iter().rev();
        self.part(Part::Register, &mut instruction)?;
        let word = types.fold(0, |word, kind| word << 4 | (kind & 15));
        instruction.extra.push(word);
        self.part(Part::Space, &mut instruction)?;
        Ok(instruction)
    }

    /// Parses the immediate constant buffer, which spans several lines.
    fn constants(&mut self) -> Result<Instruction, AsmError> {
        let mut instruction = Instruction::new(Opcode::Customdata);
        instruction.set_control(11, CONSTANTS);
        self.cursor.expect("{")?;
        loop {
            self.cursor.space();
            let before = *self.cursor;
            let row = self.list("{", "}", |parser| parser.value(Type::A))?;
            if row.len() != 4 {
                return Err(before.error(AsmErrorKind::ValueCount(row.len())));
            }
            instruction.extra.extend(row);
            self.cursor.space();
            if !self.cursor.take(",") {
                break;
            }
        }
        self.cursor.expect("}")?;
        Ok(instruction)
    }
}
