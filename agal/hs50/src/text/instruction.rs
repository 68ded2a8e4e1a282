//! Prints instructions and declarations.

use agal_core::WriteMask;

use super::declare::declaration;
use super::operand::{INFO_RETURNS, SAMPLEINFO_UINT, Style, named, operand, return_types};
use crate::names::Dimension;
use crate::tokens::opcode::HullOpcode;
use crate::tokens::program::{ExtendedOpcode, HullInstruction, ProgramVersion, field};

/// Returns an instruction in fxc's format, without indentation. Instructions without a text form are printed as
/// `.words`.
pub fn instruction(instruction: &HullInstruction, version: ProgramVersion) -> String {
    let (minor, exact) = (version.minor, false);
    text(instruction, Style { minor, exact })
}

pub(super) fn text(instruction: &HullInstruction, style: Style) -> String {
    let opcode = instruction.opcode();
    if opcode.is_declaration() {
        return declaration(instruction, style).unwrap_or_else(|| raw(instruction));
    }
    if opcode == HullOpcode::Fcall {
        return raw(instruction);
    }
    let operands = instruction.operands.iter().zip(opcode.types());
    let operands = operands.map(|(one, kind)| operand(one, kind, style));
    let operands = operands.collect::<Vec<_>>().join(", ");
    format!("{}{} {operands}", opcode.name(), suffixes(instruction))
}

pub(super) fn raw(instruction: &HullInstruction) -> String {
    let words = instruction.to_words();
    let words = words.iter().map(|word| format!(" {word:#010x}"));
    std::iter::once(".words".to_owned()).chain(words).collect()
}

/// The bits and suffixes of `sync` flags, in print order.
const SYNC_FLAGS: [(u32, &str); 4] = [(14, "_uglobal"), (13, "_ugroup"), (12, "_g"), (11, "_t")];

fn suffixes(instruction: &HullInstruction) -> String {
    let opcode = instruction.opcode();
    let mut text = String::new();
    if opcode.is_test() {
        text += if instruction.tests_non_zero() { "_nz" } else { "_z" };
    }
    if opcode == HullOpcode::Sync {
        let set = SYNC_FLAGS.iter().filter(|(bit, _)| instruction.control(*bit, 1) != 0);
        text.extend(set.map(|(_, flag)| *flag));
    }
    if instruction.saturates() {
        text += "_sat";
    }
    let mut groups = String::new();
    for extension in instruction.extensions() {
        match extension {
            ExtendedOpcode::Offsets([u, v, w]) => {
                text += "_aoffimmi";
                groups += &format!("({u},{v},{w})");
            }
            ExtendedOpcode::Resource(dimension, stride) => {
                text += "_indexable";
                let known = Dimension::from_code(dimension);
                let name = named(known.map(Dimension::name), dimension);
                groups += &match known {
                    Some(Dimension::StructuredBuffer) => format!("({name}, stride={stride})"),
                    _ => format!("({name})"),
                };
            }
            ExtendedOpcode::ReturnTypes(types) => groups += &return_types(types),
            ExtendedOpcode::Other(_) => {}
        }
    }
    text += &groups;
    let returned = instruction.control(field::VALUE, 2);
    let info = INFO_RETURNS.iter().find(|(code, _)| *code == returned);
    match opcode {
        HullOpcode::Resinfo => text += info.map_or("", |(_, name)| name),
        HullOpcode::Sampleinfo if returned == SAMPLEINFO_UINT => text += "_uint",
        _ => {}
    }
    match instruction.precise() {
        WriteMask::EMPTY => text,
        WriteMask::ALL => text + " [precise]",
        mask => format!("{text} [precise({mask})]"),
    }
}
