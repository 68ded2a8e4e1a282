//! Tests of generated Direct3D 9 shaders.

use std::collections::BTreeSet;

use d3d9::ShaderVersion;
use d3d9::check::{Caps, check};
use d3d9::generate::{exhaustive, is_tested};
use d3d9::opcode::{D3d9Opcode, FlowControl, Operation};

/// Returns whether an instruction occurs only in generated shaders with control-flow blocks.
fn is_of_blocks(opcode: D3d9Opcode) -> bool {
    match opcode.operation() {
        Operation::Flow(flow) => !matches!(
            flow,
            FlowControl::Call | FlowControl::CallNz | FlowControl::Ret | FlowControl::Label
        ),
        _ => false,
    }
}

/// Every generated shader is valid, and together they contain every opcode.
#[test]
fn every_opcode_comes_up() {
    for version in ShaderVersion::ALL.iter().filter(|version| !version.is_software()) {
        let mut seen = BTreeSet::new();
        for program in exhaustive(*version, 17) {
            assert!(check(&program, &Caps::MAX).is_valid(), "{}", program.listing());
            seen.extend(program.instructions().map(|(_, one)| one.opcode.code()));
        }
        let wanted = D3d9Opcode::ALL.iter().filter(|opcode| {
            is_tested(**opcode, *version) || is_of_blocks(**opcode) && opcode.exists_in(*version)
        });
        let missing: Vec<&str> = wanted
            .filter(|opcode| !seen.contains(&opcode.code()))
            .map(|opcode| opcode.name(*version))
            .collect();
        // In ps_1_4, `texkill` is missing, because it would have to precede the instructions of the frame.
        let late = *version == ShaderVersion::Ps14 && missing == ["texkill"];
        assert!(missing.is_empty() || late, "{version}: {missing:?}");
    }
}
