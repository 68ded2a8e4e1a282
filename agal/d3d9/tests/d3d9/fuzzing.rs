//! Runs the fuzz targets on a bounded number of inputs: random bytes, plausible instruction tokens, and text from words
//! of the assembly language. `agal/fuzz` runs the targets on an unlimited number of inputs.

#[path = "../../../fuzz/bodies/d3d9.rs"]
mod bodies;

use bodies::{assemble, check_any, decode, from_agal};
use d3d9::opcode::D3d9Opcode;
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns a byte that selects the version, followed by dwords that are mostly instruction tokens and operands.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let opcode = (prop::sample::select(D3d9Opcode::ALL), 0u32..6)
        .prop_map(|(opcode, length)| u32::from(opcode.code()) | length << 24);
    let operand = (0u32..8, 0u32..4, 0u32..256, 0u32..4).prop_map(|(kind, number, bits, high)| {
        0x8000_0000 | kind << 28 | number | bits << 16 | high << 11
    });
    let word = prop_oneof![opcode, operand.clone(), operand, any::<u32>()];
    (any::<u8>(), vec(word, 0..40)).prop_map(|(version, words)| {
        let bytes = words.into_iter().flat_map(u32::to_le_bytes);
        std::iter::once(version).chain(bytes).collect()
    })
}

fn text() -> impl Strategy<Value = String> {
    let opcode = prop::sample::select(D3d9Opcode::ALL)
        .prop_map(|opcode| format!("\n{} ", opcode.mnemonic()));
    const PIECES: [&str; 24] = [
        "r0", "r1.xy", "-c2", "v0", "t0.x", "s0", "oC0", "oPos", "_sat", "_x2", ", ", ", ", ".w",
        "[a0.x+1]", "_abs", "1-r0", "p0", "(p0) ", "+", "i0", "b0", "l0", "0.5", "-1e30",
    ];
    let piece = prop_oneof![opcode, prop::sample::select(&PIECES[..]).prop_map(str::to_owned)];
    vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn decode_holds(any in vec(any::<u8>(), 0..300), words in words()) {
        decode(&any);
        decode(&words);
    }

    #[test]
    fn check_holds(any in vec(any::<u8>(), 0..300), words in words()) {
        check_any(&any);
        check_any(&words);
    }

    #[test]
    fn from_agal_holds(any in vec(any::<u8>(), 0..600)) {
        from_agal(&any);
    }

    #[test]
    fn assemble_holds(any in vec(any::<u8>(), 0..300), text in text()) {
        assemble(&any);
        assemble(text.as_bytes());
    }
}
