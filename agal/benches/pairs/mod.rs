//! Inputs of the benchmarks: the programs of Flash games (`shared/agal`, beside the repository), and generated pairs
//! with the maximum number of tokens of each version.

#[path = "../../tests/common/mod.rs"]
mod common;

use std::fs;

use agal::generate::{GenerateOptions, PairGenerator, ProgramPair, seed_bytes};
use agal::{AgalVersion, Rules};
use arbitrary::Unstructured;

/// The minimum number of tokens in a [`Set`], which is too large for the CPU's branch predictor to learn the programs.
const SET_TOKENS: usize = 1 << 15;

/// A named set of program pairs of one kind.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) pairs: Vec<ProgramPair>,
}

impl Set {
    /// Returns the total number of tokens in all programs.
    pub(crate) fn tokens(&self) -> usize {
        self.pairs.iter().map(ProgramPair::token_count).sum()
    }
}

/// Returns the benchmark's sets of program pairs. If the games' programs are missing, prints a message.
pub(crate) fn sets() -> Vec<Set> {
    let mut sets = Vec::new();
    let shared = shared();
    if shared.is_empty() {
        println!("skipped: no shared programs");
    } else {
        let name = "shared".to_owned();
        sets.push(Set { name, pairs: shared });
    }
    // The benchmark skips AGAL 4, whose programs may have as many tokens as AGAL 3's.
    for version in [AgalVersion::V1, AgalVersion::V2, AgalVersion::V3] {
        let tokens = version.max_tokens();
        let count = SET_TOKENS.div_ceil(2 * tokens);
        let seeds = (0u64..).take(count);
        sets.push(Set {
            name: format!("largest{tokens}"),
            pairs: seeds.map(|seed| largest(version, seed)).collect(),
        });
    }
    sets
}

fn largest(version: AgalVersion, seed: u64) -> ProgramPair {
    let tokens = version.max_tokens();
    let bytes = seed_bytes(seed, tokens * 128);
    let generator = PairGenerator::new(GenerateOptions::new(version));
    let pair = generator.pair_of(&mut Unstructured::new(&bytes), tokens, tokens);
    let pair = pair.expect("bytes that run out are no error");
    assert_eq!(pair.token_count(), 2 * tokens);
    pair
}

/// Returns each program of the games, paired with a generated program of the other stage.
fn shared() -> Vec<ProgramPair> {
    let pairs = common::shared().into_iter().map(|(path, stage)| {
        let bytes = fs::read(&path).expect("can be read");
        let linked = common::with_partner(&path, common::valid(&path, stage, &bytes));
        ProgramPair {
            vertex: linked.vertex().program().clone(),
            fragment: linked.fragment().program().clone(),
            rules: Rules::NEWEST,
        }
    });
    pairs.collect()
}
