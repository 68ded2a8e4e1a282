//! Generates AGAL programs with every opcode, write mask and kind of source register, and with covering swizzles.

use arbitrary::Unstructured;

use super::{PairInputs, ProgramPair, Random, seed_bytes};
use crate::opcode::{AgalOpcode, BinaryOp, BlockEnd, OpcodeSignature};
use crate::operand::{Component, WriteMask};
use crate::{Rules, Stage, asm};

/// A set of swizzles that select every component at every position, replicated and mixed.
const SWIZZLES: [&str; 8] = ["xyzw", "xxxx", "yyyy", "zzzz", "wwww", "wzyx", "yzwx", "zwxy"];

/// Returns the swizzles in turn.
pub(super) fn turned_swizzle(turn: usize) -> &'static str {
    SWIZZLES.get(turn % SWIZZLES.len()).copied().unwrap_or("xyzw")
}

/// The AGAL version, which has every tested opcode except `tld`.
const VERSION: u32 = 2;
/// The number of input registers, which can also be read as a matrix's rows.
const ROWS: usize = 4;
/// The index of the first constant that initializes a destination. Source operands use the constants below this index.
const START: usize = 10;
const BYTES: usize = 1 << 14;

/// The kind of register that a source operand reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    Input,
    Temporary,
    Constant,
    /// An indirectly addressed constant, which only vertex programs can read.
    Indexed,
}

const KINDS: [SourceKind; 4] =
    [SourceKind::Input, SourceKind::Temporary, SourceKind::Constant, SourceKind::Indexed];

/// Returns the first letter of register names of a stage: `v` or `f`.
fn letter(stage: Stage) -> char {
    match stage {
        Stage::Vertex => 'v',
        Stage::Fragment => 'f',
    }
}

impl SourceKind {
    pub(super) fn text(self, stage: Stage, number: usize) -> String {
        let letter = letter(stage);
        match self {
            SourceKind::Input if stage == Stage::Fragment => format!("v{number}"),
            SourceKind::Input => format!("va{number}"),
            SourceKind::Temporary => format!("{letter}t{number}"),
            SourceKind::Constant => format!("{letter}c{number}"),
            // The input values are small, so the index stays within the constant registers.
            SourceKind::Indexed => format!("vc[va5.x+{number}]"),
        }
    }

    fn is_constant(self) -> bool {
        matches!(self, SourceKind::Constant | SourceKind::Indexed)
    }
}

/// Assembly source that computes one result in a temporary register.
#[derive(Clone)]
pub(super) struct Snippet {
    pub(super) opcode: AgalOpcode,
    pub(super) label: String,
    /// The assembly source, with `{d}` for the destination register and `{s}` for a sampler.
    pub(super) text: String,
}

/// A pair of programs that tests an opcode.
#[derive(Clone, Debug)]
pub struct OpcodeProgram {
    /// The tested opcode.
    pub opcode: AgalOpcode,
    /// The stage of the program with the opcode.
    pub stage: Stage,
    /// The vertex and the fragment program. The program of the other stage is only needed for linking.
    pub pair: ProgramPair,
}

/// Returns programs with every opcode of a stage. Generates only every `thin`-th instruction.
pub fn opcode_programs(stage: Stage, thin: usize) -> Vec<OpcodeProgram> {
    let mut programs = Vec::new();
    for &opcode in AgalOpcode::ALL {
        let all = all_snippets(opcode, stage);
        let thinned: Vec<Snippet> = all.into_iter().step_by(thin.max(1)).collect();
        for some in thinned.chunks(capacity(opcode, stage)) {
            programs.extend(opcode_program(some, stage, VERSION));
        }
    }
    programs
}

fn all_snippets(opcode: AgalOpcode, stage: Stage) -> Vec<Snippet> {
    let runs = opcode.since().is_some_and(|since| since.number() <= VERSION);
    if !runs || !opcode.stages().allows(stage) {
        return Vec::new();
    }
    match opcode.signature() {
        OpcodeSignature::Block(BlockEnd::Else | BlockEnd::End) => Vec::new(), // snippets of `if`s have them
        OpcodeSignature::Sample(_) => samples(opcode),
        _ => snippets(opcode, stage),
    }
}

/// Returns the maximum number of snippets in one program.
fn capacity(opcode: AgalOpcode, stage: Stage) -> usize {
    match (stage, opcode.signature()) {
        // A discarded pixel has no results, so `kil` needs a program of its own.
        (_, OpcodeSignature::Kill) => 1,
        (Stage::Vertex, _) => 10,
        (Stage::Fragment, _) => 4,
    }
}

/// Programs that test one opcode with one write mask or one sampler.
#[derive(Clone)]
pub struct Topic {
    /// The tested opcode.
    pub opcode: AgalOpcode,
    /// The stage of the programs with the opcode.
    pub stage: Stage,
    /// The name of the topic, such as `mask_xz` or `2d.clamp.linear.mipnone.unbiased`.
    pub label: String,
    snippets: Vec<Snippet>,
}

/// The maximum number of [`Snippet`]s in a [`Topic`]: one for each swizzle, with alternating types of source registers.
const SNIPPETS_OF_TOPIC: usize = SWIZZLES.len();

/// Returns the topics of all opcodes of a stage.
pub fn topics(stage: Stage) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for &opcode in AgalOpcode::ALL {
        let all = all_snippets(opcode, stage);
        for some in all.chunk_by(|a, b| a.label == b.label) {
            // The list is sorted by swizzle, then by the types of source registers. Pick one entry per swizzle, with
            // alternating types.
            let kinds = (some.len() / SNIPPETS_OF_TOPIC).max(1);
            let picked = (0..SNIPPETS_OF_TOPIC.min(some.len()))
                .filter_map(|n| some.get(n * kinds + n % kinds).cloned());
            topics.push(Topic {
                opcode,
                stage,
                label: some.first().map_or_else(String::new, |s| s.label.clone()),
                snippets: picked.collect(),
            });
        }
    }
    topics
}

impl Topic {
    /// Returns the programs of the topic.
    pub fn programs(&self) -> Vec<OpcodeProgram> {
        let some = self.snippets.chunks(capacity(self.opcode, self.stage));
        some.filter_map(|some| opcode_program(some, self.stage, VERSION)).collect()
    }
}

/// The edge-case input values of [agal.float.rules].
const SPECIAL: [f32; 6] = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY];
/// Rarer edge-case input values: their sums overflow, or they are flushed to zero.
const EXTREME: [f32; 4] = [f32::MAX, f32::MIN, 1e-40, -1e-40];

/// Returns inputs for a program; with `special`, only edge cases. Returns `None` if the pair can't be linked.
pub fn inputs(program: &OpcodeProgram, seed: u64, special: bool) -> Option<PairInputs> {
    let linked = program.pair.link().ok()?;
    let bytes = seed_bytes(seed, BYTES);
    let mut source = Unstructured::new(&bytes);
    let mut made = PairInputs::new(&mut source, linked.interface(), false).ok()?;
    if special {
        let mut random = Random::new(seed);
        change_values(&mut made, |value| match random.below(10) {
            0 | 1 => random.pick(&EXTREME).copied().unwrap_or(value),
            2 => f32::NAN,
            _ => random.pick(&SPECIAL).copied().unwrap_or(value),
        });
    }
    Some(made)
}

/// Returns two sets of random inputs for a program, and one set of edge cases.
pub fn all_inputs(program: &OpcodeProgram) -> Vec<PairInputs> {
    let sets = [(1, false), (2, false), (3, true)].into_iter();
    sets.filter_map(|(seed, special)| inputs(program, seed, special)).collect()
}

/// Applies a function to the input values of all registers. The derivatives of varyings don't change.
pub(super) fn change_values(inputs: &mut PairInputs, mut change: impl FnMut(f32) -> f32) {
    let PairInputs { attributes, vertex_constants, fragment_constants, varyings, .. } = inputs;
    let banks = [attributes, vertex_constants, fragment_constants, varyings];
    banks.into_iter().flatten().flatten().for_each(|value| *value = change(*value));
}

fn snippets(opcode: AgalOpcode, stage: Stage) -> Vec<Snippet> {
    let lower = opcode.signature();
    let name = opcode.name();
    let mut snippets = Vec::new();
    let kinds =
        || KINDS.into_iter().filter(|kind| *kind != SourceKind::Indexed || stage == Stage::Vertex);
    for bits in 1..=WriteMask::ALL.bits() {
        let mask = WriteMask::from_bits(bits);
        if lower.masks_w() && mask.contains(Component::W) {
            continue;
        }
        let letters: String = mask.iter().map(Component::letter).collect();
        for (turn, swizzle) in SWIZZLES.into_iter().enumerate() {
            // The swizzle of the second source changes at another rate than the first one's.
            let other = turned_swizzle(turn * 3 + usize::from(bits));
            for (a, b) in kinds().flat_map(|a| kinds().map(move |b| (a, b))) {
                // Error 3625 rejects two constant operands, and a constant as the only operand except for `mov`.
                let alone = lower.sources() == 1 && opcode != AgalOpcode::Mov;
                if a.is_constant() && (alone || b.is_constant()) {
                    continue;
                }
                let source = a.text(stage, 0);
                let text = match lower {
                    OpcodeSignature::Unary(_) if b == SourceKind::Input => {
                        format!("{name} {{d}}.{letters}, {source}.{swizzle}")
                    }
                    OpcodeSignature::Binary(op) => {
                        let matrix = matches!(op, BinaryOp::Matrix { .. });
                        let register = b.text(stage, usize::from(!matrix));
                        let second = if matrix { "xyzw" } else { other };
                        format!("{name} {{d}}.{letters}, {source}.{swizzle}, {register}.{second}")
                    }
                    OpcodeSignature::If(_) => {
                        let second = b.text(stage, 1);
                        format!(
                            "{name} {source}.{}, {second}.{}\nmov {{d}}.{letters}, {source}.{swizzle}\nels\n\
                             mov {{d}}.{letters}, {second}.{other}\neif",
                            swizzle.get(..1).unwrap_or_default(),
                            other.get(..1).unwrap_or_default(),
                        )
                    }
                    OpcodeSignature::Kill if b == SourceKind::Input && bits < 5 => {
                        format!("kil {source}.{}", Component::from_bits(bits - 1).letter())
                    }
                    _ => continue,
                };
                let label = match lower {
                    // The write mask and the swizzle order have no effect on `kil`.
                    OpcodeSignature::Kill => format!("by_{}", text.chars().last().unwrap_or('x')),
                    _ => format!("mask_{letters}"),
                };
                snippets.push(Snippet { opcode, label, text });
            }
        }
    }
    // Several swizzles give identical code, because `kil` reads one component.
    if lower == OpcodeSignature::Kill {
        snippets.dedup_by(|a, b| a.text == b.text);
    }
    snippets
}

/// Returns snippets with texture lookups for every combination of sampler fields that affects the result.
fn samples(opcode: AgalOpcode) -> Vec<Snippet> {
    let textures =
        ["2d,clamp", "2d,repeat", "2d,clamp_u_repeat_v", "2d,repeat_u_clamp_v", "cube,clamp"];
    let filters = ["nearest", "linear", "anisotropic4x"];
    let mips = ["mipnone", "mipnearest", "miplinear"];
    let biases =
        [("", "unbiased"), (",-1.5", "bias_minus_1_5"), (",0.5", "bias_0_5"), (",2", "bias_2")];
    let with = |fields: String, more: [&str; 3]| more.map(|more| format!("{fields},{more}"));
    let fields = textures.into_iter().flat_map(|texture| with(texture.to_owned(), filters));
    let fields = fields.flat_map(|fields| with(fields, mips));
    let snippet = |fields: &str, (bias, label): (&str, &str)| Snippet {
        opcode,
        label: format!("{}.{label}", fields.replace(',', ".")),
        text: format!("{} {{d}}, v0, {{s}} <{fields}{bias}>", opcode.name()),
    };
    fields.flat_map(|fields| biases.map(|bias| snippet(&fields, bias))).collect()
}

/// Assembles a pair of programs that executes the snippets. Returns `None` if the pair is invalid.
pub(super) fn opcode_program(
    snippets: &[Snippet],
    stage: Stage,
    version: u32,
) -> Option<OpcodeProgram> {
    let letter = letter(stage);
    let mut text = String::new();
    for n in 0..ROWS {
        let (temporary, input) =
            (SourceKind::Temporary.text(stage, n), SourceKind::Input.text(stage, n));
        text += &format!("mov {temporary}, {input}\n");
    }
    let mut results = String::new();
    for (n, snippet) in snippets.iter().enumerate() {
        let dest = SourceKind::Temporary.text(stage, ROWS + n);
        let start = format!("{letter}c{}", START + n);
        let body = snippet.text.replace("{d}", &dest).replace("{s}", &format!("{letter}s{n}"));
        text += &format!("mov {dest}, {start}\n{body}\n");
        results += &match stage {
            Stage::Vertex => format!("mov v{n}, {dest}\n"),
            Stage::Fragment => format!("mov fo{n}, {dest}\n"),
        };
    }
    text += &results;
    let other = match stage {
        Stage::Vertex => {
            text += "mov op, va0\n";
            let reads = (1..snippets.len()).map(|n| format!("add ft0, ft0, v{n}\n"));
            format!("mov ft0, v0\n{}mov oc, ft0", reads.collect::<String>())
        }
        Stage::Fragment => {
            let writes = (0..ROWS).map(|n| format!("mov v{n}, va{n}\n"));
            writes.collect::<String>() + "mov op, va0"
        }
    };
    let own = asm::assemble(&text, stage, version).ok()?;
    let (vertex, fragment) = match stage {
        Stage::Vertex => (own, asm::assemble(&other, Stage::Fragment, version).ok()?),
        Stage::Fragment => (asm::assemble(&other, Stage::Vertex, version).ok()?, own),
    };
    let pair = ProgramPair { vertex, fragment, rules: Rules::NEWEST };
    let opcode = snippets.first()?.opcode;
    pair.link().ok().map(|_| OpcodeProgram { opcode, stage, pair })
}

#[cfg(test)]
#[path = "../../tests/unit/exhaustive.rs"]
mod tests;
