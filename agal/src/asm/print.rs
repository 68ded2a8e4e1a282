//! [`Program`] to text that assembles to the same bytes.

use std::fmt::{self, Write as _};

use crate::opcode::{Block, Lower, Opcode};
use crate::operand::{Component, Dest, Operand2, Source, Swizzle, WriteMask};
use crate::program::{Instruction, Program};
use crate::register::RegisterFile;
use crate::sampler::{Field, SamplerOperand, SamplerOption};
use crate::token;
use crate::version::Stage;

impl fmt::Display for Program {
    /// The mini-assembler text, one instruction a line. A token that has no text (unknown opcode, reserved bits, a field
    /// that should be zero) and the bytes after the last token become comments with their bytes in hex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut depth = 0usize;
        for (token, instruction) in (1u32..).zip(self.instructions()) {
            let Some(text) = instruction_text(instruction, self.stage()) else {
                write!(f, "// token {token} has no text:")?;
                hex(f, &token::pack(instruction))?;
                continue;
            };
            let lower = instruction.opcode().map(Opcode::lower);
            if matches!(lower, Some(Lower::Block(_))) {
                depth = depth.saturating_sub(1);
            }
            // Deeper than any legal program's nesting is not worth a wider margin.
            for _ in 0..depth.min(8) {
                f.write_str("    ")?;
            }
            writeln!(f, "{text}")?;
            if matches!(lower, Some(Lower::If(_) | Lower::Block(Block::Else))) {
                depth = depth.saturating_add(1);
            }
        }
        if !self.trailing().is_empty() {
            f.write_str("// after the last token:")?;
            hex(f, self.trailing())?;
        }
        Ok(())
    }
}

fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for byte in bytes {
        write!(f, " {byte:02x}")?;
    }
    writeln!(f)
}

/// One instruction as text; `None` where some of its bits would be lost.
pub(crate) fn instruction_text(instruction: &Instruction, stage: Stage) -> Option<String> {
    let opcode = instruction.opcode()?;
    let lower = opcode.lower();
    let mut text = opcode.name().to_owned();
    let mut separator = " ";
    let mut operand = |part: String| {
        text.push_str(separator);
        text.push_str(&part);
        separator = ", ";
    };
    if lower.has_dest() {
        operand(dest(&instruction.dest, stage)?);
    } else if instruction.dest != Dest::default() {
        return None;
    }
    if lower.sources() >= 1 {
        operand(source(&instruction.source1, stage)?);
    } else if instruction.source1 != Source::default() {
        return None;
    }
    match (&instruction.source2, lower.sources()) {
        (Operand2::Sampler(two), 2) if lower.has_sampler() => operand(sampler(two, stage)?),
        (Operand2::Source(two), 2) if !lower.has_sampler() => operand(source(two, stage)?),
        (Operand2::Source(two), 0 | 1) if *two == Source::default() => {}
        _ => return None,
    }
    Some(text)
}

fn dest(dest: &Dest, stage: Stage) -> Option<String> {
    if dest.reserved != 0 || dest.mask.is_empty() {
        return None;
    }
    let mut text = dest.register_file()?.text(stage, dest.number)?;
    if dest.mask != WriteMask::ALL {
        text.push('.');
        text.extend(dest.mask.iter().map(Component::letter));
    }
    Some(text)
}

fn source(source: &Source, stage: Stage) -> Option<String> {
    let file = source.register_file()?;
    if source.reserved != 0 {
        return None;
    }
    let mut text;
    if source.indirect {
        if file != RegisterFile::Constant || stage != Stage::Vertex {
            return None;
        }
        let index = source.index_register_file()?.text(stage, source.number)?;
        let component = Component::from_bits(source.index_component).letter();
        text = format!("vc[{index}.{component}");
        if source.offset != 0 {
            let _ = write!(text, "+{}", source.offset);
        }
        text.push(']');
    } else {
        if source.offset != 0 || source.index_file != 0 || source.index_component != 0 {
            return None;
        }
        text = file.text(stage, source.number)?;
    }
    text.push_str(&swizzle(source.swizzle));
    Some(text)
}

/// The shortest suffix that means the swizzle: the last letter repeats.
fn swizzle(swizzle: Swizzle) -> String {
    if swizzle == Swizzle::IDENTITY {
        return String::new();
    }
    let mut letters: Vec<char> = swizzle.lanes().map(Component::letter).to_vec();
    while let [.., before, last] = letters.as_slice()
        && before == last
    {
        letters.pop();
    }
    std::iter::once('.').chain(letters).collect()
}

fn sampler(sampler: &SamplerOperand, stage: Stage) -> Option<String> {
    let file = RegisterFile::Sampler;
    if sampler.reserved != 0 || sampler.file != file.info().code {
        return None;
    }
    let mut words = Vec::new();
    for field in [Field::Dimension, Field::Filter, Field::Wrap, Field::Mip] {
        words.push(SamplerOption::text(field, sampler.get(field))?.to_owned());
    }
    if sampler.format != 0 {
        let word = SamplerOption::text(Field::SamplerFormat, sampler.format)?;
        words.push(word.to_owned());
    }
    for bit in [1u8, 2, 4, 8] {
        if sampler.special & bit != 0 {
            words.push(SamplerOption::text(Field::Special, bit)?.to_owned());
        }
    }
    if sampler.bias != 0 {
        words.push(format!("{}", f32::from(sampler.bias) / 8.0));
    }
    let register = file.text(stage, sampler.number)?;
    Some(format!("{register} <{}>", words.join(",")))
}
