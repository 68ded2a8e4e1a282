use std::collections::BTreeMap;

use super::*;

/// Every generated program assembles and validates.
#[test]
fn every_opcode_has_all_its_programs() {
    for (stage, room) in [(Stage::Vertex, 10), (Stage::Fragment, 4)] {
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        for program in opcode_programs(stage, 1) {
            *found.entry(program.opcode.code()).or_default() += 1;
        }
        for &opcode in AgalOpcode::ALL {
            let runs = opcode.since().is_some_and(|since| since.number() <= VERSION);
            let skipped = matches!(opcode.signature(), OpcodeSignature::Block(_));
            if !runs || skipped || !opcode.stages().allows(stage) {
                assert!(!found.contains_key(&opcode.code()), "{}", opcode.name());
                continue;
            }
            let (wanted, room) = match opcode.signature() {
                OpcodeSignature::Sample(_) => (samples(opcode).len(), room),
                OpcodeSignature::Kill => (snippets(opcode, stage).len(), 1),
                _ => (snippets(opcode, stage).len(), room),
            };
            let made = found.get(&opcode.code()).copied().unwrap_or(0);
            assert_eq!(made, wanted.div_ceil(room), "{} {stage}", opcode.name());
            assert!(wanted > 7);
        }
    }
}
