//! Generates all pairs, and random triples, of AGAL opcodes; each opcode reads the result of the previous one.

use std::collections::BTreeMap;

use super::exhaustive::{
    OpcodeProgram, Snippet, SourceKind, change_values, inputs, opcode_program, turned_swizzle,
};
use super::{PairInputs, Random};
use crate::Stage;
use crate::opcode::{AgalOpcode, BinaryOp, BlockEnd, OpcodeSignature};
use crate::operand::{Component, WriteMask};

/// The number of ways to pass a value between two opcodes; see [`ProgramSequence::line`].
const VARIANTS: usize = 4;
/// The smallest and largest magnitude of inputs, which avoid zeros, and infinities after a few operations.
const MAGNITUDES: (f32, f32) = (0.25, 4.0);
/// The index of the temporary register that passes a value to the next opcode, if it isn't the result register.
const BETWEEN: usize = 20;

/// A sequence of opcodes, each of which reads the result of the previous one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSequence {
    /// The opcodes in order.
    pub opcodes: Vec<AgalOpcode>,
    /// The stage of the programs with the sequence.
    pub stage: Stage,
    variant: usize,
}

/// Returns the opcodes that exist for a stage in any version of AGAL.
fn opcodes(stage: Stage) -> Vec<AgalOpcode> {
    let exists = |op: &AgalOpcode| op.since().is_some() && op.stages().allows(stage);
    AgalOpcode::ALL.iter().copied().filter(exists).collect()
}

/// Returns every ordered pair of opcodes, in every variant and both shader stages.
pub fn opcode_pairs() -> Vec<ProgramSequence> {
    let mut pairs = Vec::new();
    for stage in [Stage::Vertex, Stage::Fragment] {
        let all = opcodes(stage);
        for (first, second) in all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))) {
            let one = |variant| ProgramSequence { opcodes: vec![first, second], stage, variant };
            pairs.extend((0..VARIANTS).map(one));
        }
    }
    pairs
}

/// Returns a random sequence of three opcodes, which depends only on the seed.
pub fn opcode_triple(seed: u64) -> ProgramSequence {
    let mut random = Random::new(seed);
    let stage = if random.chance(50) { Stage::Vertex } else { Stage::Fragment };
    let all = opcodes(stage);
    let opcodes = (0..3).filter_map(|_| random.pick(&all).copied()).collect();
    ProgramSequence { opcodes, stage, variant: random.below(60) as usize }
}

/// Returns AGAL programs with up to `capacity` sequences each. Sequences that the verifier rejects are omitted.
pub fn sequence_programs(sequences: &[ProgramSequence], capacity: usize) -> Vec<OpcodeProgram> {
    let mut programs = Vec::new();
    let mut waiting: BTreeMap<(Stage, usize), Vec<Snippet>> = BTreeMap::new();
    for sequence in sequences {
        let Some(snippet) = sequence.snippet() else { continue };
        let (stage, capacity) = (sequence.stage, sequence.capacity().min(capacity));
        let some = waiting.entry((stage, capacity)).or_default();
        some.push(snippet);
        if some.len() >= capacity {
            programs.extend(opcode_program(&std::mem::take(some), stage, VERSION));
        }
    }
    let rest = waiting.into_iter();
    programs.extend(rest.filter_map(|((stage, _), some)| opcode_program(&some, stage, VERSION)));
    programs
}

/// The only AGAL version with every opcode.
const VERSION: u32 = 4;

/// Returns two sets of random inputs without zeros and extremes, and one set of edge cases.
pub fn sequence_inputs(program: &OpcodeProgram) -> Vec<PairInputs> {
    let sets = [(1, false), (2, false), (3, true)].into_iter();
    let sets = sets.filter_map(|(seed, special)| {
        let mut made = inputs(program, seed, special)?;
        if !special {
            let (low, high) = MAGNITUDES;
            change_values(&mut made, |value| value.abs().clamp(low, high).copysign(value));
        }
        for value in made.varyings_dx.iter_mut().chain(&mut made.varyings_dy).flatten() {
            *value /= 16.0; // never crosses zero within the grid
        }
        Some(made)
    });
    sets.collect()
}

impl ProgramSequence {
    /// Returns the maximum number of copies of this opcode sequence in one program.
    fn capacity(&self) -> usize {
        // A discarded pixel has no results, so a sequence with `kil` needs a program of its own.
        if self.opcodes.contains(&AgalOpcode::Kil) {
            1
        } else if self.stage == Stage::Fragment || self.opcodes.contains(&AgalOpcode::Tld) {
            4 // colour outputs; vertex samplers
        } else {
            10
        }
    }

    /// Returns the assembly source of the sequence. Conditionals are added so that each `els` and `eif` has its `if`,
    /// and each `if` its `eif`. Returns `None` if no program can contain the sequence.
    fn snippet(&self) -> Option<Snippet> {
        let input = SourceKind::Input.text(self.stage, 1);
        let filler = format!("mov {{d}}.x, {input}.x\n");
        // The number of conditionals around the sequence, and for each open conditional whether it contains an `els`.
        let (mut around, mut open) = (0, Vec::new());
        for opcode in &self.opcodes {
            match (opcode.signature(), open.last_mut()) {
                (OpcodeSignature::If(_), _) => open.push(false),
                (OpcodeSignature::Block(BlockEnd::Else), Some(has)) if *has => return None,
                (OpcodeSignature::Block(BlockEnd::Else), Some(has)) => *has = true,
                (OpcodeSignature::Block(BlockEnd::Else), None) => {
                    around += 1;
                    open.push(true);
                }
                (OpcodeSignature::Block(BlockEnd::End), Some(_)) => drop(open.pop()),
                (OpcodeSignature::Block(BlockEnd::End), None) => around += 1,
                _ => {}
            }
        }
        let (first, last) = (*self.opcodes.first()?, *self.opcodes.last()?);
        let between = SourceKind::Temporary.text(self.stage, BETWEEN);
        let mut text = format!("mov {between}, {input}\n");
        let temporary = SourceKind::Temporary.text(self.stage, 0);
        text += &format!("ifl {temporary}.x, {input}.y\n").repeat(around);
        if matches!(first.signature(), OpcodeSignature::Block(_)) {
            text += &filler;
        }
        let mut depth = around;
        for (index, opcode) in self.opcodes.iter().enumerate() {
            text += &self.line(index, *opcode, depth > 0);
            match opcode.signature() {
                OpcodeSignature::If(_) => depth += 1,
                OpcodeSignature::Block(BlockEnd::End) => depth -= 1,
                _ => {}
            }
        }
        if matches!(
            last.signature(),
            OpcodeSignature::If(_) | OpcodeSignature::Block(BlockEnd::Else)
        ) {
            text += &filler;
        }
        text += &"eif\n".repeat(depth);
        let snippet = Snippet { opcode: last, label: String::new(), text };
        opcode_program(std::slice::from_ref(&snippet), self.stage, VERSION).map(|_| snippet)
    }

    /// Returns the assembly line of the opcode at an index. The variant determines how the line reads the previous
    /// result. Variant 0 reads all components, variant 1 reads masked components as the second source, and variant 2
    /// reads one component. Variant 3 reads a separate register as both sources.
    fn line(&self, index: usize, opcode: AgalOpcode, conditional: bool) -> String {
        let (lower, name) = (opcode.signature(), opcode.name());
        let way = self.variant % VARIANTS;
        let turn = self.opcodes.iter().fold(index * 7 + self.variant, |turn, opcode| {
            turn * 3 + AgalOpcode::ALL.iter().position(|o| o == opcode).unwrap_or(0)
        });
        let bits = match way {
            0 => 15,
            2 => 1 << (turn % 4),
            _ => (1u8..=15).cycle().nth(turn % 15).unwrap_or(15),
        };
        let mask = match WriteMask::from_bits(bits) {
            mask if lower.masks_w() => mask.without(WriteMask::from_bits(8)),
            mask => mask,
        };
        let mask = if mask.is_empty() { WriteMask::first(3) } else { mask };
        let mask: String = mask.iter().map(Component::letter).collect();
        let swizzle = |n: usize| turned_swizzle(if way == 0 { 0 } else { turn + n });
        let between = SourceKind::Temporary.text(self.stage, BETWEEN);
        let last = index + 1 == self.opcodes.len();
        let dest = if way == 3 && !last { &between } else { "{d}" };
        let read = match (way, index) {
            (2, _) => "{d}".to_owned(),
            (_, 0) => SourceKind::Temporary.text(self.stage, 0),
            (3, _) => between.clone(),
            _ => "{d}".to_owned(),
        };
        let a = format!("{read}.{}", swizzle(0));
        let kind = if turn.is_multiple_of(2) { SourceKind::Input } else { SourceKind::Constant };
        let other = match way {
            3 if index > 0 => format!("{read}.{}", swizzle(3)),
            _ => format!("{}.{}", kind.text(self.stage, 1), swizzle(3)),
        };
        let scalar = |text: &str| {
            text.chars().take(text.find('.').map_or(2, |dot| dot + 2)).collect::<String>()
        };
        match lower {
            OpcodeSignature::Block(_) => format!("{name}\n"),
            OpcodeSignature::Kill => format!("kil {}\n", scalar(&a)),
            OpcodeSignature::If(_) => format!("{name} {}, {}\n", scalar(&a), scalar(&other)),
            OpcodeSignature::Unary(_) => format!("{name} {dest}.{mask}, {a}\n"),
            OpcodeSignature::Binary(BinaryOp::Matrix { .. }) => {
                // The rows of a matrix operand are consecutive registers.
                let rows = if way == 1 { SourceKind::Temporary } else { SourceKind::Constant };
                format!("{name} {dest}.{mask}, {a}, {}\n", rows.text(self.stage, 0))
            }
            OpcodeSignature::Binary(_) if way == 1 => {
                format!("{name} {dest}.{mask}, {other}, {a}\n")
            }
            OpcodeSignature::Binary(_) => format!("{name} {dest}.{mask}, {a}, {other}\n"),
            OpcodeSignature::Sample(_) => {
                let options = match (way, self.stage) {
                    (1, _) => "cube,clamp,nearest,mipnone",
                    (3, Stage::Fragment) => "2d,repeat,linear,mipnone",
                    _ => "2d,clamp,nearest,mipnone",
                };
                // Texture coordinates must not be computed inside a conditional.
                let coordinates =
                    if conditional { SourceKind::Input.text(self.stage, 0) } else { a };
                format!("{name} {dest}.{mask}, {coordinates}, {{s}} <{options}>\n")
            }
        }
    }
}
