//! A decoded shader, which preserves all dwords, even invalid ones.

use crate::opcode::{CompareOp, D3d9Opcode, Load, Operation};
use crate::operand::{DclPayload, Dest, Source, WriteMask};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

/// A shader's token stream. After a known version, any dwords can be decoded and encoded without loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct D3d9Program {
    /// The shader version, from the first dword.
    pub version: ShaderVersion,
    /// The instructions and comments, in stream order.
    pub items: Vec<StreamItem>,
    /// True if the stream contains an end token.
    pub ended: bool,
    /// The dwords after the end token.
    pub trailing: Vec<u32>,
}

/// An item of a token stream: an instruction, a comment or malformed dwords.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamItem {
    /// An instruction with its operands.
    Instruction(D3d9Instruction),
    /// The dwords of a comment, without its comment token.
    Comment(Vec<u32>),
    /// Dwords that form no instruction, up to the next possible instruction token.
    Malformed(Vec<u32>),
}

/// The maximum number of sources per instruction.
pub const MAX_SOURCES: usize = 4;

/// Maximum number of open blocks that are tracked; no shader version allows more. The limit bounds the checker's work,
/// because many instructions affect all open blocks.
pub(crate) const MAX_BLOCKS: usize = 64;

/// An instruction with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct D3d9Instruction {
    /// The opcode, decoded from the token.
    pub opcode: D3d9Opcode,
    /// The instruction token; its low 16 bits contain the opcode.
    pub token: u32,
    /// The destination operand; `None` if the instruction has no destination.
    pub dest: Option<Dest>,
    /// The predicate operand, which follows the destination in the stream.
    pub predicate: Option<Source>,
    sources: [Source; MAX_SOURCES],
    source_count: u8,
    literals: [u32; 4],
    literal_count: u8,
    /// Surplus dwords: the length field exceeds the number of operands.
    pub surplus: Vec<u32>,
}

const CO_ISSUE: u32 = 1 << 30;
const PREDICATED: u32 = 1 << 28;

impl D3d9Instruction {
    /// Creates an instruction without operands; the length field is 0.
    pub fn new(opcode: D3d9Opcode) -> D3d9Instruction {
        D3d9Instruction {
            opcode,
            token: opcode.code().into(),
            dest: None,
            predicate: None,
            sources: [Source::from_word(0); MAX_SOURCES],
            source_count: 0,
            literals: [0; 4],
            literal_count: 0,
            surplus: Vec::new(),
        }
    }

    /// Returns the source operands.
    pub fn sources(&self) -> &[Source] {
        self.sources.get(..self.source_count.into()).unwrap_or(&[])
    }
    /// Returns the source at an index, or `r0` if the source is missing.
    pub fn source(&self, index: usize) -> Source {
        let source = self.sources().get(index).copied();
        source.unwrap_or(Source::from_word(0x80e4_0000))
    }
    /// Returns the registers of all sources; skips register types that the version lacks.
    pub fn registers(&self, version: ShaderVersion) -> impl Iterator<Item = D3d9Register> {
        let sources = self.sources().iter();
        sources.filter_map(move |source| source.register(version))
    }
    /// Returns the destination's register, or `None` if the version lacks the register type.
    #[inline]
    pub fn dest_register(&self, version: ShaderVersion) -> Option<D3d9Register> {
        self.dest?.register(version)
    }
    /// Returns the write mask, or all components if the instruction has no destination.
    pub fn mask(&self) -> WriteMask {
        self.dest.map_or(WriteMask::ALL, |dest| dest.mask())
    }
    /// Returns the index of the sampler register that the instruction reads.
    pub(crate) fn sampler(&self, version: ShaderVersion) -> Option<u16> {
        let mut registers = self
            .registers(version)
            .filter(|_| matches!(self.opcode.operation(), Operation::Texture(_)));
        Some(registers.find(|register| register.file == ShaderFile::Sampler)?.number)
    }
    /// Returns whether a source is the predicate register, as a condition of flow control.
    pub(crate) fn tests_predicate(&self, version: ShaderVersion) -> bool {
        self.registers(version).any(|register| register.file == ShaderFile::Predicate)
    }
    /// Adds a source; returns false if there are already four.
    pub fn push_source(&mut self, source: Source) -> bool {
        push(&mut self.sources, &mut self.source_count, source)
    }
    /// Returns the literals of `def`, `defi` and `defb`, and the payload of `dcl`.
    pub fn literals(&self) -> &[u32] {
        let literals = self.literals.get(..self.literal_count.into());
        literals.unwrap_or(&[])
    }
    /// Adds a literal; returns false if there are already four.
    pub fn push_literal(&mut self, literal: u32) -> bool {
        push(&mut self.literals, &mut self.literal_count, literal)
    }
    /// Returns the four floats of a `def`.
    pub fn floats(&self) -> [f32; 4] {
        self.literals.map(f32::from_bits)
    }
    /// Returns the four integers of a `defi`.
    pub fn integers(&self) -> [i32; 4] {
        self.literals.map(u32::cast_signed)
    }
    /// Returns the boolean of a `defb`.
    pub fn boolean(&self) -> bool {
        self.literals().first().is_some_and(|word| *word != 0)
    }
    /// Returns the payload of a `dcl`.
    pub fn declaration(&self) -> DclPayload {
        let [payload, ..] = self.literals;
        DclPayload(payload)
    }
    /// Returns bits 16 to 23 of the instruction token: comparison or `texld` variant.
    pub fn control(&self) -> u8 {
        self.token.to_le_bytes()[2]
    }
    /// Returns the comparison of an `if`, `break` or `setp`.
    pub fn comparison(&self) -> Option<CompareOp> {
        CompareOp::from_code(self.control() & 7)
    }
    /// Returns the variant of a `texld`.
    pub fn load(&self) -> Option<Load> {
        Load::from_code(self.control() & 3)
    }
    /// Returns bits 24 to 27, which in models 2 and 3 hold the number of operand dwords.
    pub fn length(&self) -> u8 {
        self.token.to_le_bytes()[3] & 0xf
    }
    /// Returns whether the instruction is co-issued with the previous instruction (ps_1_x).
    pub fn is_co_issued(&self) -> bool {
        self.token & CO_ISSUE != 0
    }
    /// Returns whether the instruction has a predicate.
    pub fn is_predicated(&self) -> bool {
        self.token & PREDICATED != 0
    }
    /// Returns bits 29 and 31, which must be 0.
    pub fn reserved(&self) -> u32 {
        self.token & 0xa000_0000
    }

    /// Replaces bits 16 to 23 of the instruction token.
    pub fn set_control(&mut self, control: u8) {
        self.token = self.token & !0x00ff_0000 | u32::from(control) << 16;
    }
    /// Marks the instruction as co-issued with the previous instruction.
    pub fn set_co_issued(&mut self) {
        self.token |= CO_ISSUE;
    }
    /// Adds a predicate operand.
    pub fn set_predicate(&mut self, predicate: Source) {
        self.token |= PREDICATED;
        self.predicate = Some(predicate);
    }
    /// Sets the length field to the number of operand dwords; model 1 has no length field.
    pub fn set_length(&mut self, version: ShaderVersion) {
        if version.has_lengths() {
            let words = self.operand_words().count();
            let words = u32::try_from(words).unwrap_or(0xf).min(0xf);
            self.token = self.token & !0x0f00_0000 | words << 24;
        }
    }

    /// Returns the operand dwords in stream order ([d3d9.instruction.predicate]).
    pub fn operand_words(&self) -> impl Iterator<Item = u32> {
        let payload = self.opcode == D3d9Opcode::Dcl;
        let before = if payload { self.literals() } else { &[] };
        let behind = if payload { &[] } else { self.literals() };
        let dest = self.dest.map(|dest| (dest.word, dest.index));
        let predicate = self.predicate.map(|source| (source.word, source.index));
        let sources = self.sources().iter().map(|s| (s.word, s.index));
        let operands = dest.into_iter().chain(predicate).chain(sources);
        let words = operands.flat_map(|(word, index)| std::iter::once(word).chain(index));
        let literals = behind.iter().chain(&self.surplus).copied();
        before.iter().copied().chain(words).chain(literals)
    }
}

/// Appends an element to a fixed-size list; returns false if the list is full.
fn push<T>(list: &mut [T], count: &mut u8, one: T) -> bool {
    let free = list.get_mut(usize::from(*count));
    free.map(|free| *free = one).inspect(|()| *count += 1).is_some()
}

impl D3d9Program {
    /// Creates a shader without instructions.
    pub fn new(version: ShaderVersion) -> D3d9Program {
        D3d9Program { version, items: Vec::new(), ended: true, trailing: Vec::new() }
    }

    /// Returns the instructions with 1-based indices. Each malformed item counts as an instruction; comments don't.
    pub fn instructions(&self) -> impl Iterator<Item = (u32, &D3d9Instruction)> {
        self.numbered().filter_map(|(number, item)| match item {
            StreamItem::Instruction(instruction) => Some((number, instruction)),
            _ => None,
        })
    }

    /// Returns all items with their instruction index; comments get the index of the next instruction.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &StreamItem)> {
        let mut next = 1u32;
        self.items.iter().map(move |item| {
            let number = next;
            if !matches!(item, StreamItem::Comment(_)) {
                next = next.saturating_add(1);
            }
            (number, item)
        })
    }

    /// Returns the dwords of each comment, without its comment token.
    pub fn comments(&self) -> impl Iterator<Item = &[u32]> {
        self.items.iter().filter_map(|item| match item {
            StreamItem::Comment(words) => Some(words.as_slice()),
            _ => None,
        })
    }

    /// Appends an instruction, and sets its length field for the shader version.
    pub fn push(&mut self, mut instruction: D3d9Instruction) {
        instruction.set_length(self.version);
        self.items.push(StreamItem::Instruction(instruction));
    }
}
