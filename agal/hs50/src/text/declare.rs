//! The syntax of declarations, which printer and parser share.

use agal_core::text::TextCursor;

use super::cursor::{at_line_end, expect, number, space};
use super::error::{HullTextErrorKind, HullTextResult};
use super::operand::{self, Style, declared_types, named};
use super::parse::{HullParser, OperandRole, unknown};
use crate::names::{
    Dimension, Domain, GlobalFlag, Interpolation, OutputPrimitive, Partitioning, SamplerMode,
    SystemName,
};
use crate::tokens::opcode::{HullOpcode, Type};
use crate::tokens::operand::HullOperand;
use crate::tokens::program::{HullInstruction, IMMEDIATE_CONSTANTS, field};

#[derive(Clone, Copy)]
enum DeclarePart {
    Text(&'static str),
    Register,
    Word,
    Factor,
    System,
    /// The next dword, a range length; the old SDK prints the range's last register instead: `o[0], o[3]`.
    Range,
    /// The next dword, the size of a constant buffer in shader model 5.1, such as `[4]`.
    Size,
    /// The next dword, the register space in shader model 5.1, such as `, space=1`.
    Space,
    /// A six-bit field of the opcode token.
    Count,
    /// A field of the opcode token with this bit width, printed as a name.
    Named(u32, &'static [(u32, &'static str)]),
    /// The interpolation mode of a pixel shader input, unless it is undefined.
    Interpolation,
    Flags,
}

const ACCESS: &[(u32, &str)] = &[(0, "immediateIndexed"), (1, "dynamicIndexed")];

/// Returns the syntax after a declaration's name. Returns `None` if the declaration has no text form, or if its name
/// depends on more than the opcode.
fn parts(opcode: HullOpcode) -> Option<&'static [DeclarePart]> {
    use DeclarePart::*;
    use HullOpcode::*;
    Some(match opcode {
        DclInput | DclOutput => &[Register],
        DclInputSgv | DclInputSiv | DclOutputSgv | DclOutputSiv => &[Register, Text(", "), System],
        DclInputPs => &[DeclarePart::Interpolation, Register],
        DclInputPsSgv | DclInputPsSiv => {
            &[DeclarePart::Interpolation, Register, Text(", "), System]
        }
        DclIndexrange => &[Register, Range],
        DclTemps | DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => &[Word],
        DclIndexableTemp => &[Text("x"), Word, Text("["), Word, Text("], "), Word],
        DclConstantbuffer => &[Register, Size, Text(", "), Named(1, ACCESS), Space],
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

const CONSTANTS_NAME: &str = "dcl_immediateConstantBuffer";

/// Prints a declaration; returns `None` if it has no text form.
pub(super) fn declaration(instruction: &HullInstruction, style: Style) -> Option<String> {
    let opcode = instruction.opcode();
    match opcode {
        HullOpcode::Customdata => return constants(instruction, style),
        HullOpcode::DclResource | HullOpcode::DclUavTyped => return typed(instruction, style),
        _ => {}
    }
    let mut text = format!("{} ", opcode.name());
    let mut words = instruction.extra.iter().copied();
    let mut word = || words.next().unwrap_or(0);
    let value = |bits| instruction.control(field::VALUE, bits);
    for part in parts(opcode)? {
        text += &match *part {
            DeclarePart::Text(fixed) => fixed.to_owned(),
            DeclarePart::Register => register(instruction, style),
            DeclarePart::Word => word().to_string(),
            DeclarePart::Range => format!(" {}", word()),
            DeclarePart::Size if style.minor > 0 => format!("[{}]", word()),
            DeclarePart::Space if style.minor > 0 => format!(", space={}", word()),
            DeclarePart::Size | DeclarePart::Space => continue,
            DeclarePart::Factor => {
                format!("l({})", operand::value(word(), Type::F, Style { exact: true, ..style }))
            }
            DeclarePart::System => {
                let token = word() & 0xffff;
                named(SystemName::from_token(token).map(SystemName::name), token)
            }
            DeclarePart::Count => value(6).to_string(),
            DeclarePart::Named(bits, names) => {
                names.iter().find(|(known, _)| *known == value(bits))?.1.to_owned()
            }
            DeclarePart::Interpolation if value(4) == 0 => continue,
            DeclarePart::Interpolation => {
                Interpolation::from_code(value(4))?.name().to_owned() + " "
            }
            DeclarePart::Flags => {
                let flags = instruction.global_flags().map(GlobalFlag::name);
                flags.collect::<Vec<_>>().join(" | ")
            }
        };
    }
    Some(text)
}

fn register(instruction: &HullInstruction, style: Style) -> String {
    let register = instruction.register();
    register.map(|register| operand::operand(register, Type::R, style)).unwrap_or_default()
}

fn typed(instruction: &HullInstruction, style: Style) -> Option<String> {
    let dimension = Dimension::from_code(instruction.control(field::VALUE, 5))?;
    let mut text = format!("{}_{}", instruction.opcode().name(), dimension.name());
    if is_multisampled(dimension) {
        text += &format!("({})", instruction.control(field::SAMPLES, 7));
    }
    let types = declared_types(instruction.word(0));
    text += &format!(" {types} {}", register(instruction, style));
    if style.minor > 0 {
        text += &format!(", space={}", instruction.word(1));
    }
    Some(text)
}

fn is_multisampled(dimension: Dimension) -> bool {
    matches!(dimension, Dimension::Texture2dMs | Dimension::Texture2dMsArray)
}

fn constants(instruction: &HullInstruction, style: Style) -> Option<String> {
    let (rows, rest) = instruction.extra.as_chunks::<4>();
    let known = instruction.control(field::VALUE, 21) == IMMEDIATE_CONSTANTS;
    if !known || rows.is_empty() || !rest.is_empty() {
        return None;
    }
    let rows = rows.iter().map(|row| {
        let values = row.map(|bits| operand::value(bits, Type::A, style));
        format!("{{ {}}}", values.join(", "))
    });
    let rows = rows.collect::<Vec<_>>().join(",\n                              ");
    Some(format!("{CONSTANTS_NAME} {{ {rows} }}"))
}

impl<'a> HullParser<'_, 'a> {
    pub(super) fn declaration(
        &mut self,
        name: &'a str,
        start: TextCursor<'a>,
    ) -> HullTextResult<Option<HullInstruction>> {
        if name == CONSTANTS_NAME {
            return self.constants().map(Some);
        }
        for (prefix, opcode) in [
            ("dcl_resource_", HullOpcode::DclResource),
            ("dcl_uav_typed_", HullOpcode::DclUavTyped),
        ] {
            use Dimension::{RawBuffer, StructuredBuffer};
            let dimension = name.strip_prefix(prefix).and_then(Dimension::from_name);
            match dimension {
                Some(RawBuffer | StructuredBuffer) | None => {}
                Some(dimension) => return self.typed(opcode, dimension).map(Some),
            }
        }
        // Alternative names in the old SDK ([hs50.rule.r30]).
        let name = match name {
            "dcl_output_sv" => "dcl_output_siv",
            "dcl_indexRange" => "dcl_indexrange",
            name => name,
        };
        let Some(opcode) = HullOpcode::from_name(name).filter(|opcode| opcode.is_declaration())
        else {
            return Ok(None);
        };
        let mut instruction = HullInstruction::new(opcode);
        let parts = parts(opcode).ok_or_else(|| unknown(name, start))?;
        for part in parts {
            self.part(*part, &mut instruction)?;
        }
        Ok(Some(instruction))
    }

    fn part(&mut self, part: DeclarePart, instruction: &mut HullInstruction) -> HullTextResult {
        match part {
            DeclarePart::Text(text) => expect(self.cursor, text.trim_end())?,
            DeclarePart::Register => {
                let operand = self.operand(Type::R, OperandRole::Declared, 0)?;
                instruction.operands.push(operand);
            }
            DeclarePart::Word => instruction.extra.push(number(self.cursor)?),
            DeclarePart::Factor => {
                self.cursor.blank();
                expect(self.cursor, "l")?;
                let values = self.list("(", ")", |parser| parser.value(Type::F))?;
                instruction.extra.extend(values.first());
            }
            DeclarePart::System => {
                let names = SystemName::ALL.iter().map(|name| (name.token(), name.name()));
                instruction.extra.push(self.coded(&names.collect::<Vec<_>>())?);
            }
            DeclarePart::Range => self.index_range(instruction)?,
            DeclarePart::Size if self.version.minor > 0 => {
                let missing = HullTextErrorKind::Expected("the size of the constant buffer");
                let size = self.size.ok_or_else(|| self.cursor.error(missing))?;
                instruction.extra.push(size);
            }
            DeclarePart::Space if self.version.minor > 0 => {
                expect(self.cursor, ",")?;
                expect(self.cursor, "space=")?;
                instruction.extra.push(number(self.cursor)?);
            }
            DeclarePart::Size | DeclarePart::Space => {}
            DeclarePart::Count => {
                let before = *self.cursor;
                let count = number(self.cursor)?;
                if count > 63 {
                    return Err(before.error(HullTextErrorKind::Expected("a count from 0 to 63")));
                }
                instruction.set_control(field::VALUE, count);
            }
            DeclarePart::Named(_, names) => {
                instruction.set_control(field::VALUE, self.coded(names)?)
            }
            DeclarePart::Interpolation => self.interpolation(instruction),
            DeclarePart::Flags => {
                while !at_line_end(self.cursor) {
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

    fn interpolation(&mut self, instruction: &mut HullInstruction) {
        self.cursor.blank();
        let rest = self.cursor.rest();
        let next = |name: &str| rest.starts_with(&format!("{name} "));
        // Some names are prefixes of longer names, so the longest match wins.
        let here = Interpolation::ALL.iter().filter(|mode| next(mode.name()));
        if let Some(mode) = here.max_by_key(|mode| mode.name().len()) {
            self.cursor.take(mode.name());
            instruction.set_control(field::VALUE, mode.code());
        }
    }

    fn index_range(&mut self, instruction: &mut HullInstruction) -> HullTextResult {
        self.cursor.blank();
        if !self.cursor.take(",") {
            instruction.extra.push(number(self.cursor)?);
            return Ok(());
        }
        let last = self.operand(Type::R, OperandRole::Declared, 0)?;
        match (instruction.register().and_then(HullOperand::last_fixed), last.last_fixed()) {
            (Some(first), Some(last)) if last >= first => {
                let count = last.saturating_sub(first).saturating_add(1);
                instruction.extra.push(count);
                Ok(())
            }
            _ => self.fail(HullTextErrorKind::Expected("the range's last register")),
        }
    }

    fn typed(
        &mut self,
        opcode: HullOpcode,
        dimension: Dimension,
    ) -> HullTextResult<HullInstruction> {
        let mut instruction = HullInstruction::new(opcode);
        instruction.set_control(field::VALUE, dimension.code());
        if is_multisampled(dimension) {
            expect(self.cursor, "(")?;
            let samples = number(self.cursor)?;
            instruction.set_control(field::SAMPLES, samples & 0x7f);
            expect(self.cursor, ")")?;
        }
        let types = self.return_types()?;
        self.part(DeclarePart::Register, &mut instruction)?;
        let word = types.iter().rev().fold(0, |word, kind| word << 4 | (kind & 15));
        instruction.extra.push(word);
        self.part(DeclarePart::Space, &mut instruction)?;
        Ok(instruction)
    }

    /// Parses the immediate constant buffer, which spans several lines.
    fn constants(&mut self) -> HullTextResult<HullInstruction> {
        let mut instruction = HullInstruction::new(HullOpcode::Customdata);
        instruction.set_control(field::VALUE, IMMEDIATE_CONSTANTS);
        expect(self.cursor, "{")?;
        loop {
            space(self.cursor);
            let before = *self.cursor;
            let row = self.list("{", "}", |parser| parser.value(Type::A))?;
            if row.len() != 4 {
                return Err(before.error(HullTextErrorKind::ValueCount(row.len())));
            }
            instruction.extra.extend(row);
            space(self.cursor);
            if !self.cursor.take(",") {
                break;
            }
        }
        expect(self.cursor, "}")?;
        Ok(instruction)
    }
}
