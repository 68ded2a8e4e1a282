//! Instructions and declarations as text.

use std::fmt::{self, Write};

use super::operand::{Style, write_operand, write_value};
use crate::names::{
    Dimension, Domain, Interpolation, OutputPrimitive, Partitioning, ReturnType, SamplerMode,
    SystemName,
};
use crate::opcode::{Category, Opcode, Type};
use crate::operand::{LETTERS, Operand};
use crate::program::{ExtendedOpcode, Instruction, ProgramVersion};

/// An instruction in fxc's words, without indentation; what a listing has no words for is `.words` and its words.
pub fn instruction(instruction: &Instruction, version: ProgramVersion) -> String {
    text(
        instruction,
        Style {
            minor: version.minor,
            exact: false,
        },
    )
}

pub(super) fn text(instruction: &Instruction, style: Style) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    match write_instruction(&mut out, instruction, style) {
        Ok(true) => out,
        Ok(false) | Err(_) => raw(instruction),
    }
}

/// The instruction as its words.
pub(super) fn raw(instruction: &Instruction) -> String {
    let words = instruction.to_words();
    let words = words.iter().map(|word| format!(" {word:#010x}"));
    std::iter::once(".words".to_owned()).chain(words).collect()
}

/// A name by its number, or the number.
fn named(name: Option<&str>, number: u32) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}

/// False if there are no words for it.
fn write_instruction(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    let opcode = instruction.opcode();
    match opcode.info().category {
        Category::Declaration | Category::CustomData => {
            return declaration(out, instruction, style);
        }
        _ if opcode == Opcode::Fcall => return Ok(false),
        _ => {}
    }
    out.push_str(opcode.name());
    suffixes(out, instruction)?;
    let operands = operands(instruction, style)?;
    if opcode.operand_count() == 0 {
        out.push(' ');
    } else {
        write!(out, " {operands}")?;
    }
    Ok(true)
}

fn operands(instruction: &Instruction, style: Style) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let typed = instruction
        .operands
        .iter()
        .zip(instruction.opcode().types());
    for (place, (operand, kind)) in typed.enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        write_operand(&mut out, operand, kind, style)?;
    }
    Ok(out)
}

/// `_sync` flags by their bit, in the order that they are printed.
pub(super) const SYNC_FLAGS: [(u32, &str); 4] =
    [(14, "_uglobal"), (13, "_ugroup"), (12, "_g"), (11, "_t")];
/// What resinfo and sampleinfo return, by the field's number.
pub(super) const INFO_RETURNS: [(u32, &str); 2] = [(1, "_rcpFloat"), (2, "_uint")];
/// The number of `_uint` where sampleinfo has it.
pub(super) const SAMPLEINFO_UINT: u32 = 1;

fn suffixes(out: &mut String, instruction: &Instruction) -> fmt::Result {
    let opcode = instruction.opcode();
    if instruction.is_test() {
        out.push_str(if instruction.tests_non_zero() {
            "_nz"
        } else {
            "_z"
        });
    }
    if opcode == Opcode::Sync {
        let set = SYNC_FLAGS
            .into_iter()
            .filter(|(bit, _)| instruction.control(*bit, 1) != 0);
        out.extend(set.map(|(_, flag)| flag));
    }
    if instruction.saturates() {
        out.push_str("_sat");
    }
    let mut groups = String::new();
    for extension in instruction.extensions() {
        match extension {
            ExtendedOpcode::Offsets([u, v, w]) => {
                out.push_str("_aoffimmi");
                write!(groups, "({u},{v},{w})")?;
            }
            ExtendedOpcode::Resource(dimension, stride) => {
                out.push_str("_indexable");
                let known = Dimension::from_code(dimension);
                let name = named(known.map(Dimension::name), dimension);
                match known {
                    Some(Dimension::StructuredBuffer) => {
                        write!(groups, "({name}, stride={stride})")?
                    }
                    _ => write!(groups, "({name})")?,
                }
            }
            ExtendedOpcode::ReturnTypes(types) => groups.push_str(&return_types(types)),
            ExtendedOpcode::Other(_) => {}
        }
    }
    out.push_str(&groups);
    match opcode {
        Opcode::Resinfo => {
            let kind = instruction.control(11, 2);
            out.extend(
                INFO_RETURNS
                    .into_iter()
                    .filter(|(code, _)| *code == kind)
                    .map(|(_, name)| name),
            );
        }
        Opcode::Sampleinfo if instruction.control(11, 2) == SAMPLEINFO_UINT => {
            out.push_str("_uint")
        }
        _ => {}
    }
    match instruction.precise() {
        0 => {}
        15 => out.push_str(" [precise]"),
        mask => {
            let letters = (0u32..)
                .zip(LETTERS)
                .filter(|(bit, _)| mask >> bit & 1 != 0);
            let letters: String = letters.map(|(_, letter)| letter).collect();
            write!(out, " [precise({letters})]")?;
        }
    }
    Ok(())
}

fn return_types(types: [u32; 4]) -> String {
    let names = types.map(|code| named(ReturnType::from_code(code).map(ReturnType::name), code));
    format!("({})", names.join(","))
}

/// The four types of a declaration's word.
fn declared_types(word: u32) -> String {
    return_types([0, 4, 8, 12].map(|shift| word >> shift & 15))
}

/// False if there are no words for it.
fn declaration(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    use Opcode::*;
    let opcode = instruction.opcode();
    let name = opcode.name();
    let extra = |place: usize| instruction.extra.get(place).copied().unwrap_or(0);
    let register = match instruction.register() {
        Some(operand) => operand_text(operand, style)?,
        None => String::new(),
    };
    // Shader model 5.1 ends bindings with their space.
    let space = |place| match style.minor {
        0 => String::new(),
        _ => format!(", space={}", extra(place)),
    };
    match opcode {
        DclInput | DclOutput | DclResourceRaw | DclUavRaw => write!(
            out,
            "{name} {register}{}",
            match opcode {
                DclResourceRaw | DclUavRaw => space(0),
                _ => String::new(),
            }
        )?,
        DclInputSgv | DclInputSiv | DclOutputSgv | DclOutputSiv | DclInputPs | DclInputPsSgv
        | DclInputPsSiv => {
            write!(out, "{name} ")?;
            if matches!(opcode, DclInputPs | DclInputPsSgv | DclInputPsSiv) {
                let code = instruction.control(11, 4);
                match Interpolation::from_code(code) {
                    Some(mode) => write!(out, "{} ", mode.name())?,
                    None if code != 0 => return Ok(false),
                    None => {}
                }
            }
            out.push_str(&register);
            if opcode != DclInputPs {
                let value = extra(0) & 0xffff;
                write!(
                    out,
                    ", {}",
                    named(SystemName::from_token(value).map(SystemName::name), value)
                )?;
            }
        }
        DclIndexrange => write!(out, "{name} {register} {}", extra(0))?,
        DclTemps => write!(out, "{name} {}", extra(0))?,
        DclIndexableTemp => write!(out, "{name} x{}[{}], {}", extra(0), extra(1), extra(2))?,
        DclConstantbuffer => {
            let access = if instruction.control(11, 1) != 0 {
                "dynamicIndexed"
            } else {
                "immediateIndexed"
            };
            let size = match style.minor {
                0 => String::new(),
                _ => format!("[{}]", extra(0)),
            };
            write!(out, "{name} {register}{size}, {access}{}", space(1))?;
        }
        DclSampler => {
            let Some(mode) = SamplerMode::from_code(instruction.control(11, 4)) else {
                return Ok(false);
            };
            write!(out, "{name} {register}, {}{}", mode.name(), space(0))?;
        }
        DclResource | DclUavTyped => {
            let Some(dimension) = Dimension::from_code(instruction.control(11, 5)) else {
                return Ok(false);
            };
            let samples = match dimension {
                Dimension::Texture2dMs | Dimension::Texture2dMsArray => {
                    format!("({})", instruction.control(16, 7))
                }
                _ => String::new(),
            };
            let types = declared_types(extra(0));
            write!(
                out,
                "{name}_{}{samples} {types} {register}{}",
                dimension.name(),
                space(1)
            )?;
        }
        DclResourceStructured | DclUavStructured => {
            write!(out, "{name} {register}, {}{}", extra(0), space(1))?;
        }
        DclGlobalFlags => {
            let flags: Vec<_> = instruction.global_flags().map(|flag| flag.name()).collect();
            write!(out, "{name} {}", flags.join(" | "))?;
        }
        Customdata => return constants(out, instruction, style),
        _ => return hull_state(out, instruction),
    }
    Ok(true)
}

fn operand_text(operand: &Operand, style: Style) -> Result<String, fmt::Error> {
    let mut out = String::new();
    write_operand(&mut out, operand, Type::R, style)?;
    Ok(out)
}

/// The tessellator's state and the instance counts.
fn hull_state(out: &mut String, instruction: &Instruction) -> Result<bool, fmt::Error> {
    use Opcode::*;
    let opcode = instruction.opcode();
    let word = instruction.extra.first().copied().unwrap_or(0);
    let field = |bits| instruction.control(11, bits);
    let value = match opcode {
        DclInputControlPointCount | DclOutputControlPointCount => Some(field(6).to_string()),
        DclTessellatorDomain => Domain::from_code(field(2)).map(|domain| domain.name().to_owned()),
        DclTessellatorPartitioning => {
            Partitioning::from_code(field(3)).map(|p| p.name().to_owned())
        }
        DclTessellatorOutputPrimitive => {
            OutputPrimitive::from_code(field(3)).map(|p| p.name().to_owned())
        }
        DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => Some(word.to_string()),
        DclHsMaxTessfactor => {
            let mut text = String::from("l(");
            write_value(
                &mut text,
                word,
                Type::F,
                Style {
                    minor: 0,
                    exact: true,
                },
            )?;
            Some(text + ")")
        }
        _ => None,
    };
    let Some(value) = value else { return Ok(false) };
    write!(out, "{} {value}", opcode.name())?;
    Ok(true)
}

/// The class of custom data that is the immediate constant buffer.
pub(crate) const CONSTANTS: u32 = 3;
/// How an immediate constant buffer begins.
pub(super) const CONSTANTS_NAME: &str = "dcl_immediateConstantBuffer";

fn constants(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    let (rows, rest) = instruction.extra.as_chunks::<4>();
    if instruction.control(11, 21) != CONSTANTS || rows.is_empty() || !rest.is_empty() {
        return Ok(false);
    }
    write!(out, "{CONSTANTS_NAME} {{ ")?;
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            out.push_str(",\n                              ");
        }
        out.push_str("{ ");
        for (place, value) in row.iter().enumerate() {
            if place > 0 {
                out.push_str(", ");
            }
            write_value(out, *value, Type::A, style)?;
        }
        out.push('}');
    }
    out.push_str(" }");
    Ok(true)
}
