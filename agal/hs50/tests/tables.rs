//! Tests tables: opcodes, system value names, and the tessellator's conversion of factors.

use hs50::interp::{TessellationLevels, segments, tessellation};
use hs50::names::{Domain, Partitioning, SystemName};
use hs50::opcode::HullOpcode;

#[test]
fn rows_are_sorted_and_names_unique() {
    let mut numbers = HullOpcode::ALL.iter().map(|opcode| opcode.number());
    assert!(numbers.by_ref().is_sorted_by(|a, b| a < b));
    for opcode in HullOpcode::ALL {
        assert_eq!(HullOpcode::from_number(opcode.number()), Some(*opcode));
        assert_eq!(HullOpcode::from_name(opcode.name()), Some(*opcode));
    }
}

#[test]
fn signatures_and_tokens_name_the_same() {
    // [hs50.signature.names] [hs50.signature.isoline]
    for (value, index, token) in [
        (0, 0, None),
        (1, 3, Some(1)),
        (11, 3, Some(14)),
        (11, 4, None),
        (12, 1, Some(16)),
        (13, 2, Some(19)),
        (14, 0, Some(20)),
        (15, 1, Some(21)),
        (16, 0, Some(22)),
    ] {
        let found = SystemName::from_signature(value, index).map(SystemName::token);
        assert_eq!(found, token, "{value} {index}");
    }
}

/// Tests the number of segments for each tessellation factor, as measured on llvmpipe. [hs50.tessellator.cull]
/// [hs50.tessellator.edges]
#[test]
fn factors_give_segments_as_measured() {
    const FACTORS: [f32; 13] =
        [0.0, -1.0, f32::NAN, 0.5, 1.0, 1.2, 2.0, 2.5, 3.1, 63.5, 64.0, 100.0, f32::INFINITY];
    let rows = [
        (Partitioning::Integer, [1, 1, 2, 2, 3, 4, 64, 64, 64, 64]),
        (Partitioning::FractionalOdd, [1, 1, 3, 3, 3, 5, 63, 63, 63, 63]),
        (Partitioning::FractionalEven, [2, 2, 2, 2, 4, 4, 64, 64, 64, 64]),
    ];
    for (partitioning, expected) in rows {
        let found = FACTORS.map(|factor| {
            match tessellation((Domain::Tri, partitioning), &[factor, 1.0, 1.0], &[1.0]) {
                TessellationLevels::Culled => 0,
                TessellationLevels::Tessellated { edges, .. } => segments(partitioning, edges[0]),
            }
        });
        assert_eq!(found[..3], [0; 3]);
        assert_eq!(found[3..], expected);
    }
}

/// [hs50.tessellator.insides] [hs50.tessellator.density]
#[test]
fn insides_never_cull_and_the_density_is_whole() {
    let odd = Partitioning::FractionalOdd;
    let converted = |domain, edges: &[f32], insides: &[f32]| match tessellation(
        (domain, odd),
        edges,
        insides,
    ) {
        TessellationLevels::Culled => panic!("{edges:?}"),
        TessellationLevels::Tessellated { edges, insides } => (edges, insides),
    };
    let tri = |edges: [f32; 3], inside| converted(Domain::Tri, &edges, &[inside]);
    assert_eq!(tri([1.0; 3], f32::NAN), (vec![1.0; 3], vec![1.0]));
    // The minimum inside factor, unless all factors are 1.
    let least = 1.0 + 1.0 / 65_536.0;
    assert_eq!(tri([1.0, 3.0, 1.0], 0.0), (vec![1.0, 3.0, 1.0], vec![least]));
    assert_eq!(converted(Domain::Isoline, &[2.5, 2.5], &[]), (vec![3.0, 2.5], vec![]));
}
