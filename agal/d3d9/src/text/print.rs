//! Instructions as text, in the style of Microsoft's compiler (d3d9-shaders.md section 2).

use std::fmt::{self, Write as _};

use super::number::float_text;
use crate::opcode::{Flow, Kind, Literal, Opcode};
use crate::operand::{Component, Dest, Index, Modifiers, SHIFTS, Source, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::File;
use crate::version::Version;

/// The instruction as text, as far as text can express it: [`super::line`] checks whether that is complete.
pub(super) fn readable_text(instruction: &Instruction, version: Version) -> String {
    let mut text = String::new();
    // Writing to a string doesn't fail.
    let _ = Printer { version }.instruction(&mut text, instruction);
    text
}

struct Printer {
    version: Version,
}

impl Printer {
    fn instruction(&self, f: &mut String, instruction: &Instruction) -> fmt::Result {
        if instruction.is_co_issued() {
            f.push('+');
        }
        if let Some(predicate) = instruction.predicate {
            f.push('(');
            self.source(f, predicate, false)?;
            f.push_str(") ");
        }
        self.mnemonic(f, instruction)?;
        let mut before = " ";
        if let Some(dest) = instruction.dest {
            f.push_str(before);
            self.dest(f, dest, instruction.opcode)?;
            before = ", ";
        }
        for source in instruction.sources() {
            f.push_str(before);
            self.source(f, *source, self.wants_selector(instruction.opcode))?;
            before = ", ";
        }
        if let Kind::Def(literal) = instruction.opcode.kind() {
            for word in instruction.literals() {
                f.push_str(before);
                match literal {
                    Literal::Float => f.push_str(&float_text(f32::from_bits(*word))),
                    Literal::Integer => write!(f, "{}", word.cast_signed())?,
                    Literal::Boolean => f.push_str(if *word == 0 { "false" } else { "true" }),
                }
            }
        }
        Ok(())
    }

    /// Whether an identity swizzle must be printed: without one, scalar opcodes of vertex shaders read x (rule 28).
    fn wants_selector(&self, opcode: Opcode) -> bool {
        super::reads_x_by_default(opcode, self.version)
    }

    fn mnemonic(&self, f: &mut String, instruction: &Instruction) -> fmt::Result {
        let opcode = instruction.opcode;
        match opcode {
            Opcode::Tex if self.version.has_lengths() => {
                f.push_str(instruction.load().map_or("texld", |load| load.name()));
            }
            _ => f.push_str(opcode.name(self.version)),
        }
        if opcode.compares()
            && let Some(comparison) = instruction.comparison()
        {
            f.push('_');
            f.push_str(comparison.name());
        }
        if opcode == Opcode::Dcl {
            self.declaration(f, instruction)?;
        }
        let Some(dest) = instruction.dest else {
            return Ok(());
        };
        let shifts = SHIFTS.iter();
        if let Some((_, name)) = shifts.into_iter().find(|(bits, _)| *bits == dest.shift_bits()) {
            f.push('_');
            f.push_str(name);
        }
        for (bit, name) in Modifiers::NAMES {
            if dest.modifiers().has(bit) {
                f.push('_');
                f.push_str(name);
            }
        }
        Ok(())
    }

    /// Prints a declaration suffix such as `_2d` or `_texcoord1`.
    fn declaration(&self, f: &mut String, instruction: &Instruction) -> fmt::Result {
        let declaration = instruction.declaration();
        let Some(register) = instruction.dest_register(self.version) else {
            return Ok(());
        };
        if register.file == File::Sampler {
            if let Some(dimension) = declaration.dimension() {
                write!(f, "_{}", dimension.name())?;
            }
        } else if super::declares_usage(register.file, self.version)
            && let Some(usage) = declaration.usage()
        {
            write!(f, "_{}", usage.name())?;
            match declaration.usage_index() {
                0 => {}
                index => write!(f, "{index}")?,
            }
        }
        Ok(())
    }

    fn dest(&self, f: &mut String, dest: Dest, opcode: Opcode) -> fmt::Result {
        let register = dest.register(self.version);
        match register {
            Some(register) => write!(f, "{register}")?,
            None => write!(f, "?{}", dest.kind())?,
        }
        if dest.is_relative() {
            self.index(f, dest.index(self.version))?;
        }
        let literal = matches!(opcode.kind(), Kind::Def(_));
        if dest.mask() != WriteMask::ALL && !literal {
            f.push('.');
            f.extend(dest.mask().iter().map(Component::letter));
        }
        Ok(())
    }

    fn source(&self, f: &mut String, source: Source, selector: bool) -> fmt::Result {
        let modifier = source.modifier();
        let (before, after) = modifier.map_or(("?", ""), |modifier| modifier.text());
        f.push_str(before);
        match source.register(self.version) {
            Some(register) => write!(f, "{register}")?,
            None => write!(f, "?{}", source.kind())?,
        }
        if source.is_relative() {
            self.index(f, source.index(self.version))?;
        }
        f.push_str(after);
        let swizzle = source.swizzle();
        if swizzle.is_scalar() {
            f.push('.');
            f.push(swizzle.get(Component::X).letter());
        } else if swizzle != Swizzle::IDENTITY || selector {
            f.push('.');
            f.extend(swizzle.lanes().map(Component::letter));
        }
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "as the other parts of an operand")]
    fn index(&self, f: &mut String, index: Option<Index>) -> fmt::Result {
        match index {
            Some(Index::Address(component)) => write!(f, "[a0.{}]", component.letter()),
            Some(Index::Loop) => f.write_str("[aL]"),
            None => f.write_str("[?]"),
        }
    }
}

/// Whether an instruction opens a block, and whether it closes one: for indentation.
pub(super) fn nesting(opcode: Opcode) -> (bool, bool) {
    match opcode.kind() {
        Kind::Flow(Flow::If | Flow::IfCompare | Flow::Loop | Flow::Rep) => (true, false),
        Kind::Flow(Flow::Else) => (true, true),
        Kind::Flow(Flow::EndIf | Flow::EndLoop | Flow::EndRep) => (false, true),
        _ => (false, false),
    }
}

/// The declaration of a constant, such as `float4 tint` or `float4x4 bones[4]`.
pub(super) fn parameter(constant: &crate::ctab::Constant) -> String {
    let elements =
        if constant.elements > 1 { format!("[{}]", constant.elements) } else { String::new() };
    format!("{} {}{elements};", constant.kind, constant.name)
}
