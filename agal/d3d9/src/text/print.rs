//! Prints instructions in the format of Microsoft's compiler ([d3d9.text.listing]).

use super::number::float_text;
use crate::ctab::Constant;
use crate::declarations::declares_usage;
use crate::opcode::{D3d9Opcode, Literal, Operation};
use crate::operand::{
    AddressIndex, Component, Dest, ResultModifiers, SHIFTS, Source, Swizzle, WriteMask,
};
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

/// Returns the instruction as text, which may lose information. [`D3d9Instruction::text`] detects whether the text
/// lacks information about the instruction.
pub(super) fn readable_text(instruction: &D3d9Instruction, version: ShaderVersion) -> String {
    let opcode = instruction.opcode;
    let literal = match opcode.operation() {
        Operation::Def(literal) => Some(literal),
        _ => None,
    };
    let dest = instruction.dest.map(|dest| dest_text(dest, version, literal.is_some()));
    // In vertex shaders, scalar opcodes read x if a source has no swizzle (rule 28).
    let selector = opcode.reads_x_by_default(version);
    let sources = instruction.sources().iter().map(|one| source_text(*one, version, selector));
    let literals =
        instruction.literals().iter().filter_map(|word| Some(literal_text(*word, literal?)));
    let operands: Vec<String> = dest.into_iter().chain(sources).chain(literals).collect();
    let pair = if instruction.is_co_issued() { "+" } else { "" };
    let predicate = instruction.predicate.map(|one| source_text(one, version, false));
    let predicate = predicate.map_or_else(String::new, |predicate| format!("({predicate}) "));
    let space = if operands.is_empty() { "" } else { " " };
    format!("{pair}{predicate}{}{space}{}", mnemonic(instruction, version), operands.join(", "))
}

fn literal_text(word: u32, literal: Literal) -> String {
    match literal {
        Literal::Float => float_text(f32::from_bits(word)),
        Literal::Integer => word.cast_signed().to_string(),
        Literal::Boolean => (word != 0).to_string(),
    }
}

fn mnemonic(instruction: &D3d9Instruction, version: ShaderVersion) -> String {
    let opcode = instruction.opcode;
    let name = match instruction.load() {
        Some(load) if opcode == D3d9Opcode::Tex && version.has_lengths() => load.name(),
        _ => opcode.name(version),
    };
    let mut suffixes = vec![name.to_owned()];
    let comparison = instruction.comparison().filter(|_| opcode.compares());
    suffixes.extend(comparison.map(|comparison| comparison.name().to_owned()));
    if opcode == D3d9Opcode::Dcl {
        suffixes.extend(declaration(instruction, version));
    }
    if let Some(dest) = instruction.dest {
        let shift = SHIFTS.into_iter().filter(|(bits, _)| *bits == dest.shift_bits());
        let modifiers =
            ResultModifiers::NAMES.into_iter().filter(|(bit, _)| dest.modifiers().has(*bit));
        suffixes.extend(shift.chain(modifiers).map(|(_, name)| name.to_owned()));
    }
    suffixes.join("_")
}

/// Returns the suffix of a `dcl`, such as `2d` or `texcoord1`.
fn declaration(instruction: &D3d9Instruction, version: ShaderVersion) -> Option<String> {
    let declaration = instruction.declaration();
    let file = instruction.dest_register(version)?.file;
    if file == ShaderFile::Sampler {
        return Some(declaration.dimension()?.name().to_owned());
    }
    let usage = declaration.usage().filter(|_| declares_usage(file, version))?.name();
    Some(match declaration.usage_index() {
        0 => usage.to_owned(),
        index => format!("{usage}{index}"),
    })
}

fn dest_text(dest: Dest, version: ShaderVersion, literal: bool) -> String {
    let index = dest.is_relative().then(|| dest.index(version));
    let mut text = register_text(dest.register(version), dest.kind(), index);
    if dest.mask() != WriteMask::ALL && !literal {
        text.push('.');
        text.extend(dest.mask().iter().map(Component::letter));
    }
    text
}

fn source_text(source: Source, version: ShaderVersion, selector: bool) -> String {
    let (before, after) = source.modifier().map_or(("?", ""), |modifier| modifier.text());
    let index = source.is_relative().then(|| source.index(version));
    let register = register_text(source.register(version), source.kind(), index);
    let swizzle = source.swizzle();
    let letters = swizzle.lanes().into_iter().take(if swizzle.is_scalar() { 1 } else { 4 });
    let mut text = format!("{before}{register}{after}");
    if swizzle != Swizzle::IDENTITY || selector {
        text.push('.');
        text.extend(letters.map(Component::letter));
    }
    text
}

fn register_text(
    register: Option<D3d9Register>,
    kind: u8,
    index: Option<Option<AddressIndex>>,
) -> String {
    let name = register.map_or_else(|| format!("?{kind}"), |register| register.to_string());
    match index {
        None => name,
        Some(Some(AddressIndex::Address(component))) => {
            format!("{name}[a0.{}]", component.letter())
        }
        Some(Some(AddressIndex::Loop)) => format!("{name}[aL]"),
        Some(None) => format!("{name}[?]"),
    }
}

/// Returns an HLSL declaration of a constant, such as `float4 tint` or `float4x4 bones[4]`.
pub(super) fn parameter(constant: &Constant) -> String {
    let elements =
        if constant.elements > 1 { format!("[{}]", constant.elements) } else { String::new() };
    format!("{} {}{elements};", constant.kind, constant.name)
}
