//! What the benches work on: the programs of Flash games (`shared/agal`, beside the repository), and generated pairs of
//! the most tokens that each version allows.

use std::fs;
use std::path::Path;

use agal::generate::{Generator, Options, Pair, seed_bytes};
use agal::register::RegisterFile;
use agal::{Endian, Instruction, Program, Rules, Stage, Version, asm};
use arbitrary::Unstructured;

/// Pairs of one kind.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) pairs: Vec<Pair>,
}

impl Set {
    /// Tokens in all programs together.
    pub(crate) fn tokens(&self) -> usize {
        self.pairs.iter().map(Pair::token_count).sum()
    }
}

/// Every set; the games' programs are left out, with a message, where they are not there.
pub(crate) fn sets() -> Vec<Set> {
    let mut sets = Vec::new();
    let shared = shared();
    if shared.is_empty() {
        println!("skipped: no shared programs");
    } else {
        let name = "shared".to_owned();
        sets.push(Set {
            name,
            pairs: shared,
        });
    }
    // AGAL 4 is as long as 3.
    for version in [Version::V1, Version::V2, Version::V3] {
        let tokens = version.max_tokens();
        sets.push(Set {
            name: format!("largest{tokens}"),
            pairs: (0..8).map(|seed| largest(version, seed)).collect(),
        });
    }
    sets
}

fn largest(version: Version, seed: u64) -> Pair {
    let tokens = version.max_tokens();
    let bytes = seed_bytes(seed, tokens * 128);
    let generator = Generator::new(Options::new(version));
    let pair = generator.pair_of(&mut Unstructured::new(&bytes), tokens, tokens);
    let pair = pair.expect("bytes that run out are no error");
    assert_eq!(pair.token_count(), 2 * tokens);
    pair
}

/// Each program with a partner that reads, or writes, the varyings that it writes, or reads.
fn shared() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/agal");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "agal")
        })
        .collect();
    paths.sort();
    let programs = paths.iter().map(|path| {
        let bytes = fs::read(path).expect("can be read");
        Program::decode(&bytes, Endian::Little, Stage::Vertex).expect("was accepted by a player")
    });
    programs.map(with_partner).collect()
}

fn with_partner(program: Program) -> Pair {
    let (vertex, fragment) = match program.stage() {
        Stage::Vertex => {
            let lines = varyings(&program, |token| Some((token.dest.file, token.dest.number)));
            let lines = lines.iter().map(|n| format!("add ft0, ft0, v{n}\n"));
            let text = format!("mov ft0, fc0\n{}mov oc, ft0", lines.collect::<String>());
            (program.clone(), partner(&text, Stage::Fragment, &program))
        }
        Stage::Fragment => {
            let read = |token: &Instruction| Some((token.source1.file, token.source1.number));
            let mut numbers = varyings(&program, read);
            numbers.extend(varyings(&program, |token| match token.source2 {
                agal::operand::Operand2::Source(two) => Some((two.file, two.number)),
                agal::operand::Operand2::Sampler(_) => None,
            }));
            numbers.sort_unstable();
            numbers.dedup();
            let lines = numbers.iter().map(|n| format!("\nmov v{n}, va0"));
            let text = format!("m44 op, va0, vc0{}", lines.collect::<String>());
            (partner(&text, Stage::Vertex, &program), program)
        }
    };
    Pair {
        vertex,
        fragment,
        rules: Rules::NEWEST,
    }
}

fn partner(text: &str, stage: Stage, of: &Program) -> Program {
    asm::assemble(text, stage, of.version()).expect("assembles")
}

/// The varyings among the registers that `operand` picks.
fn varyings(program: &Program, operand: impl Fn(&Instruction) -> Option<(u8, u16)>) -> Vec<u16> {
    let registers = program.instructions().iter().filter_map(operand);
    let varying = RegisterFile::Varying.info().code;
    let varyings = registers.filter_map(|(file, number)| (file == varying).then_some(number));
    let mut numbers: Vec<u16> = varyings.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
