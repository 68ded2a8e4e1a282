//! Prints one instruction as text.

use std::fmt::{self, Write as _};

use crate::isa::opcode::{AgalOpcode, OpcodeSignature};
use crate::isa::operand::{Component, Dest, SecondOperand, SourceOperand, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{SamplerField, SamplerOperand, SamplerOption};
use crate::token::AgalInstruction;
use crate::version::Stage;

/// Returns an instruction as text; `None` if the text would lose some of the instruction's bits.
pub(crate) fn instruction_text(instruction: &AgalInstruction, stage: Stage) -> Option<String> {
    let printer = Printer::of(instruction, stage);
    printer.notes.is_empty().then_some(printer.text)
}

/// Returns an instruction for display: its assembly source and, in brackets, properties that the source can't express,
/// such as reserved bits. If no property is in brackets, the source assembles to a token equal to the instruction. The
/// returned text has at most a few hundred characters.
pub fn readable_text(instruction: &AgalInstruction, stage: Stage) -> impl fmt::Display {
    let printer = Printer::of(instruction, stage);
    fmt::from_fn(move |f| write!(f, "{printer}"))
}

pub(super) struct Printer {
    text: String,
    notes: Vec<String>,
    stage: Stage,
    separator: &'static str,
}

const DEST: &str = "destination";
const SOURCES: [&str; 2] = ["source 1", "source 2"];
const RESERVED: &str = "reserved bits";

impl fmt::Display for Printer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        let mut separator = if self.text.is_empty() { "(" } else { " (" };
        for note in &self.notes {
            write!(f, "{separator}{note}")?;
            separator = ", ";
        }
        if self.notes.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

/// Appends formatted text. Writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{
        let _ = write!($printer.text, $($arg)*);
    }};
}

impl Printer {
    pub(super) fn of(instruction: &AgalInstruction, stage: Stage) -> Printer {
        let mut printer = Printer { text: String::new(), notes: Vec::new(), stage, separator: " " };
        match instruction.opcode() {
            Some(opcode) => printer.instruction(instruction, opcode),
            None => printer.notes.push(format!("unknown opcode {:#04x}", instruction.code())),
        }
        printer
    }

    pub(super) fn exact(&self) -> Option<&str> {
        self.notes.is_empty().then_some(&self.text)
    }

    fn instruction(&mut self, instruction: &AgalInstruction, opcode: AgalOpcode) {
        let signature = opcode.signature();
        self.text.push_str(opcode.name());
        if signature.has_dest() {
            self.dest(&instruction.dest);
        } else if instruction.dest != Dest::default() {
            self.unused(DEST);
        }
        if signature.sources() >= 1 {
            self.source(SOURCES[0], &instruction.source1);
        } else if instruction.source1 != SourceOperand::default() {
            self.unused(SOURCES[0]);
        }
        match instruction.source2() {
            SecondOperand::Sampler(two) => self.sampler(two),
            SecondOperand::Source(two) if signature.sources() >= 2 => self.source(SOURCES[1], two),
            SecondOperand::Source(two) if *two != SourceOperand::default() => {
                self.unused(SOURCES[1]);
            }
            SecondOperand::Source(_) => {}
        }
    }

    fn unused(&mut self, operand: &str) {
        self.notes.push(format!("the unused {operand} is not zero"));
    }

    fn separate(&mut self) {
        self.text.push_str(self.separator);
        self.separator = ", ";
    }

    /// Records nonzero bits of a field that text can't express.
    fn zero(&mut self, operand: &'static str, what: &'static str, bits: u32) {
        if bits != 0 {
            self.notes.push(format!("{operand}: {what} {bits:#x}"));
        }
    }

    /// Prints a register. If this stage doesn't have the register, prints its name in the other stage.
    fn register(&mut self, file: u8, number: u16) {
        let Some(row) = RegisterFile::from_code(file) else {
            self.notes.push(format!("unknown register type {file}"));
            put!(self, "type{file}_{number}");
            return;
        };
        if row.name(self.stage).is_none() {
            self.notes.push(format!("no such register in {} programs", self.stage));
        }
        let here = row.text(self.stage, number);
        if let Some(text) = here.or_else(|| row.text(self.stage.other(), number)) {
            self.text.push_str(&text);
        }
    }

    fn dest(&mut self, dest: &Dest) {
        self.separate();
        self.register(dest.file, dest.number);
        if dest.mask.is_empty() {
            self.notes.push("empty write mask".to_owned());
        } else if dest.mask != WriteMask::ALL {
            self.text.push('.');
            self.text.extend(dest.mask.iter().map(Component::letter));
        }
        self.zero(DEST, RESERVED, dest.reserved.into());
    }

    fn source(&mut self, operand: &'static str, source: &SourceOperand) {
        self.separate();
        if source.indirect {
            let bank = RegisterFile::Constant;
            if source.file != bank.code() || self.stage != Stage::Vertex {
                self.notes.push("indirect, but not into vertex constants".to_owned());
            }
            let name = source.register_file().and_then(|file| file.name(self.stage));
            put!(self, "{}[", name.unwrap_or("?"));
            self.register(source.index_file, source.number);
            let component = Component::from_bits(source.index_component).letter();
            put!(self, ".{component}");
            if source.offset != 0 {
                put!(self, "{:+}", source.offset);
            }
            self.text.push(']');
        } else {
            self.register(source.file, source.number);
            self.zero(operand, "offset", source.offset.cast_unsigned().into());
            self.zero(operand, "index register type", source.index_file.into());
            self.zero(operand, "index component", source.index_component.into());
        }
        self.swizzle(source.swizzle);
        self.zero(operand, RESERVED, source.reserved);
    }

    /// Prints the shortest suffix for a swizzle: the assembler repeats the last letter.
    fn swizzle(&mut self, swizzle: Swizzle) {
        if swizzle == Swizzle::IDENTITY {
            return;
        }
        let lanes = swizzle.lanes();
        let [.., last] = lanes;
        // The index of the last lane that reads another component than lane w.
        let own = lanes.iter().rposition(|lane| *lane != last);
        let shown = own.map_or(1, |lane| lane.saturating_add(2));
        self.text.push('.');
        let letters = lanes.iter().take(shown).map(|lane| lane.letter());
        self.text.extend(letters);
    }

    fn sampler(&mut self, sampler: &SamplerOperand) {
        self.separate();
        if sampler.file != RegisterFile::Sampler.code() {
            self.notes.push("not a sampler register".to_owned());
        }
        self.register(sampler.file, sampler.number);
        let mut separator = " <";
        let mut word = |printer: &mut Printer, field: SamplerField, bits: u8| {
            let Some(word) = SamplerOption::text(field, bits) else {
                printer.notes.push(format!("unknown sampler {field:?} {bits}"));
                return;
            };
            printer.text.push_str(separator);
            printer.text.push_str(word);
            separator = ",";
        };
        for field in
            [SamplerField::Dimension, SamplerField::Filter, SamplerField::Wrap, SamplerField::Mip]
        {
            word(self, field, sampler.get(field));
        }
        if sampler.format != 0 {
            word(self, SamplerField::SamplerFormat, sampler.format);
        }
        for bit in [1u8, 2, 4, 8] {
            if sampler.special & bit != 0 {
                word(self, SamplerField::Special, bit);
            }
        }
        if sampler.bias != 0 {
            put!(self, "{separator}{}", f32::from(sampler.bias) / 8.0);
            separator = ",";
        }
        if separator == "," {
            self.text.push('>');
        }
        self.zero(SOURCES[1], RESERVED, sampler.reserved.into());
    }
}

/// Returns two flags: whether the instruction ends a branch of a conditional, and whether it starts a branch.
pub(super) fn branches(instruction: &AgalInstruction) -> (bool, bool) {
    use crate::isa::opcode::BlockEnd;
    let signature = instruction.opcode().map(AgalOpcode::signature);
    (
        matches!(signature, Some(OpcodeSignature::Block(_))),
        matches!(signature, Some(OpcodeSignature::If(_) | OpcodeSignature::Block(BlockEnd::Else))),
    )
}
