//! Instructions and declarations as text.

use std::fmt::{self, Write};

use super::declare::declaration;
use super::operand::{Style, write_operand};
use crate::names::{Dimension, ReturnType};
use crate::opcode::Opcode;
use crate::operand::letters;
use crate::program::{ExtendedOpcode, Instruction, ProgramVersion};

/// An instruction as fxc prints it, without indentation; instructions without a text form are printed as `.words`.
pub fn instruction(instruction: &Instruction, version: ProgramVersion) -> String {
    let (minor, exact) = (version.minor, false);
    text(instruction, Style { minor, exact })
}

pub(super) fn text(instruction: &Instruction, style: Style) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    match write_instruction(&mut out, instruction, style) {
        Ok(true) => out,
        Ok(false) | Err(_) => raw(instruction),
    }
}

/// The instruction as `.words`.
pub(super) fn raw(instruction: &Instruction) -> String {
    let words = instruction.to_words();
    let words = words.iter().map(|word| format!(" {word:#010x}"));
    std::iter::once(".words".to_owned()).chain(words).collect()
}

/// The name of a number if there is one, otherwise the number.
pub(super) fn named(name: Option<&str>, number: u32) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}

/// Returns false if the instruction has no text form.
fn write_instruction(
    out: &mut String,
    instruction: &Instruction,
    style: Style,
) -> Result<bool, fmt::Error> {
    let opcode = instruction.opcode();
    if opcode.is_declaration() {
        return declaration(out, instruction, style);
    }
    if opcode == Opcode::Fcall {
        return Ok(false);
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
    let types = instruction.opcode().types();
    let typed = instruction.operands.iter().zip(types);
    for (place, (operand, kind)) in typed.enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        write_operand(&mut out, operand, kind, style)?;
    }
    Ok(out)
}

/// `_sync` flags by bit, in print order.
pub(super) const SYNC_FLAGS: [(u32, &str); 4] =
    [(14, "_uglobal"), (13, "_ugroup"), (12, "_g"), (11, "_t")];
/// Return type suffixes of `resinfo`, by the field's value.
pub(super) const INFO_RETURNS: [(u32, &str); 2] = [(1, "_rcpFloat"), (2, "_uint")];
/// The field's value for `_uint` in `sampleinfo`.
pub(super) const SAMPLEINFO_UINT: u32 = 1;

fn suffixes(out: &mut String, instruction: &Instruction) -> fmt::Result {
    let opcode = instruction.opcode();
    if instruction.is_test() {
        let non_zero = instruction.tests_non_zero();
        out.push_str(if non_zero { "_nz" } else { "_z" });
    }
    if opcode == Opcode::Sync {
        let flags = SYNC_FLAGS.into_iter();
        let set = flags.filter(|(bit, _)| instruction.control(*bit, 1) != 0);
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
            let returns = INFO_RETURNS.into_iter().filter(|(code, _)| *code == kind);
            out.extend(returns.map(|(_, name)| name));
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
            let mask = mask.to_le_bytes()[0];
            write!(out, " [precise({})]", letters(mask))?;
        }
    }
    Ok(())
}

fn return_types(types: [u32; 4]) -> String {
    let names = types.map(|code| named(ReturnType::from_code(code).map(ReturnType::name), code));
    format!("({})", names.join(","))
}

/// The four return types in a declaration's word.
pub(super) fn declared_types(word: u32) -> String {
    return_types([0, 4, 8, 12].map(|shift| word >> shift & 15))
}
