//! Runs the bodies of the fuzz targets on a bounded number of inputs: arbitrary bytes, seeded bytes of every length
//! class, and text of the language's words. The fuzz targets in `fuzz/` run without a limit on the number of inputs.

#[path = "../fuzz/bodies/agal.rs"]
mod bodies;

use agal::generate::{ProgramPair, seed_bytes};
use agal::opcode::AgalOpcode;
use agal::sampler::OPTIONS;
use arbitrary::{Arbitrary, Unstructured};
use bodies::{assemble, decode, emit_any, round_trip, validate_any};
use proptest::collection::vec;
use proptest::prelude::*;

/// Generates input bytes for the program generator: a few random bytes, or many bytes from a seed.
fn food() -> impl Strategy<Value = Vec<u8>> {
    let seeded = (any::<u64>(), 0usize..4096);
    prop_oneof![
        vec(any::<u8>(), 0..300),
        seeded.prop_map(|(seed, length)| seed_bytes(seed, length)),
    ]
}

/// Generates the bytes of a program, truncated and changed.
fn program() -> impl Strategy<Value = Vec<u8>> {
    let changed = (food(), any::<u16>(), any::<u8>(), any::<bool>());
    changed.prop_map(|(food, place, value, cut)| {
        let pair = ProgramPair::arbitrary(&mut Unstructured::new(&food));
        let mut bytes = pair.expect("bytes that run out are no error").fragment.encode();
        let place = usize::from(place) % bytes.len();
        bytes[place] = value;
        if cut {
            bytes.truncate(place);
        }
        bytes
    })
}

/// Generates text from the words of AGAL.
fn text() -> impl Strategy<Value = String> {
    let opcode =
        prop::sample::select(AgalOpcode::ALL).prop_map(|opcode| format!("\n{} ", opcode.name()));
    let option = prop::sample::select(OPTIONS).prop_map(|option| format!("{},", option.name));
    let piece = prop::sample::select(vec![
        "va0",
        "vc[",
        "vt1",
        "ft0",
        "fc3",
        "op",
        "oc",
        "v1",
        "fs0 <",
        ">",
        "]",
        "+4",
        ".x",
        ".xyz",
        ", ",
        " ",
        "\n",
        "//",
        "// vertex\n",
        "// fragment\n",
        "// version: 2\n",
        "-1.5",
        "\t",
        "é",
        "9999999",
    ]);
    vec(prop_oneof![opcode, option, piece.prop_map(str::to_owned)], 0..40)
        .prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decode_holds(bytes in prop_oneof![vec(any::<u8>(), 0..200), program()]) {
        decode(&bytes);
    }

    #[test]
    fn assemble_holds(text in prop_oneof![text(), ".{0,200}"]) {
        assemble(text.as_bytes());
    }

    #[test]
    fn assemble_holds_for_any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        assemble(&bytes);
    }

    #[test]
    fn round_trip_holds(bytes in food()) {
        round_trip(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn validate_holds(bytes in prop_oneof![food(), program()]) {
        validate_any(&bytes);
    }

    #[test]
    fn emit_holds(bytes in food()) {
        emit_any(&bytes);
    }
}
