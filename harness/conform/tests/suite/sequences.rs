//! Compares sequences of AGAL opcodes with their translation to Direct3D 9 tokens.

use agal::generate::{opcode_pairs, sequence_inputs, sequence_programs};
use agal::opcode::{AgalOpcode, OpcodeSignature};
use molehill_conform::differential::{FuzzOptions, Fuzzer, ProgramRunner};
use molehill_replay::evidence::ResultTally;

/// Each pair has a program, except those that the verifier rejects: empty branches, two `els` of one `if`, and
/// derivatives inside conditionals (errors 3748, 3752, 3751).
#[test]
fn every_legal_pair_has_programs() {
    let kind = |opcode: &AgalOpcode| match opcode.signature() {
        OpcodeSignature::If(_) => "if",
        OpcodeSignature::Block(_) | OpcodeSignature::Unary(agal::opcode::Unary::Derivative(_)) => {
            opcode.name()
        }
        _ => "",
    };
    let mut made = 0;
    for pair in opcode_pairs() {
        let [first, second] = &pair.opcodes[..] else { panic!("{pair:?}") };
        let refused = matches!(
            (kind(first), kind(second)),
            ("if" | "els", "els" | "eif" | "ddx" | "ddy") | ("ddx" | "ddy", "els" | "eif")
        );
        assert_eq!(
            sequence_programs(std::slice::from_ref(&pair), 1).is_empty(),
            refused,
            "{pair:?}"
        );
        made += usize::from(!refused);
    }
    assert!(made > 2 * 4 * 35 * 35, "{made}");
}

fn translations() -> Fuzzer {
    Fuzzer::with_runner(ProgramRunner::translations(), FuzzOptions::translations(0))
}

#[test]
fn random_programs_agree() {
    let mut fuzzer = translations();
    let mut tally = ResultTally::default();
    for _ in 0..600 {
        match fuzzer.step().expect("it needs no driver") {
            Ok(held) => tally.add(held),
            Err(failure) => panic!("{failure}"),
        }
    }
    assert!(tally.programs > 500 && tally.values > 20_000, "{tally:?}");
}

/// For each pair of AGAL opcodes, the checker accepts the tokens, and the results are equal, unless a compiler may fuse
/// instructions [agal.float.joined].
#[test]
fn pairs_of_opcodes_agree() {
    let (mut fuzzer, mut tally) = (translations(), ResultTally::default());
    for program in sequence_programs(&opcode_pairs(), 1) {
        let checked = fuzzer.check(&program.pair, &[program.stage], sequence_inputs(&program), 0);
        match checked.expect("it needs no driver") {
            Ok(held) => tally.add(held),
            Err(failure) => panic!("{failure}"),
        }
    }
    // One of the three sets of inputs consists of edge cases.
    assert!(tally.programs > 20_000 && tally.undefined < tally.values / 8, "{tally:?}");
}
