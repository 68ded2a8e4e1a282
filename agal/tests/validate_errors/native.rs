//! Native limits of the constrained profile: the cost model and its limits.

use agal::{NativeCost, Profile, Rules, Stage, asm, validate};

use super::case::{fragment, vertex};

fn cost(stage: Stage, text: &str) -> NativeCost {
    let program = asm::assemble(text, stage, 1).unwrap_or_else(|error| panic!("{error}"));
    let valid = validate(program, stage, &Rules::NEWEST);
    let valid = valid.unwrap_or_else(|error| panic!("{text}: {error}"));
    valid.native_cost().expect("AGAL 1 has a cost")
}

/// Arithmetic slots of one token.
fn alu(stage: Stage, token: &str) -> u32 {
    cost(stage, token).alu
}

#[test]
fn opcodes_cost_what_shader_model_2_needs() {
    use Stage::{Fragment, Vertex};
    for (token, slots) in [
        ("mul vt0, va0, vc0", 1),
        // Copies and modifiers are part of other instructions; vs_2_0 has no saturation.
        ("mov vt0, va0", 0),
        ("neg vt0, va0", 0),
        ("add vt0, va0, va1", 1),
        // A scalar instruction for each different component that the mask keeps.
        ("rcp vt0, va0", 4),
        ("rcp vt0, va0.x", 1),
        ("rcp vt0.xy, va0", 2),
        ("sqt vt0.xy, va0", 4),
        ("div vt0, va0, va1", 5),
        ("div vt0, va0, va1.w", 2),
        ("pow vt0, va0.x, va1.y", 3),
        ("pow vt0.xy, va0, va1.y", 5),
        ("nrm vt0.xyz, va0", 3),
        ("sin vt0, va0", 8),
        ("crs vt0.xyz, va0, va1", 2),
        ("dp4 vt0, va0, va1", 1),
        ("sat vt0, va0", 2),
        ("sge vt0, va0, va1", 1),
        ("seq vt0, va0, va1", 3),
        // One dot product for each row that is written.
        ("m44 vt0, va0, vc0", 4),
        ("m44 vt0.xw, va0, vc0", 2),
        ("m33 vt0.xyz, va0, vc0", 3),
        ("m34 vt0.xyz, va0, vc0", 3),
    ] {
        assert_eq!(alu(Vertex, token), slots, "{token}");
    }
    for (token, slots) in [
        // No predicates: a difference and a comparison with zero (agal.md section 5).
        ("sge ft0, v0, v1", 2),
        ("slt ft0, v0, v1", 2),
        ("sne ft0, v0, v1", 3),
        ("sat ft0, v0", 0),
        ("tex ft0, v0, fs0", 0),
        ("kil v0.x", 0),
    ] {
        assert_eq!(alu(Fragment, token), slots, "{token}");
    }
    let both = cost(Fragment, "tex ft0, v0, fs0\nkil ft0.w\nabs oc, ft0");
    assert_eq!((both.alu, both.texture, both.instructions()), (1, 2, 3));
}

#[test]
fn registers_are_counted() {
    let registers = |stage, text: &str| {
        let cost = cost(stage, text);
        (cost.constants, cost.temporaries, cost.varyings)
    };
    let fragment = "sin ft0, v0\nsge ft1, v3, fc4\nmov oc, ft0";
    assert_eq!(registers(Stage::Fragment, fragment), (5 + 4, 2 + 2, 2));
    let vertex = "mov vt0, va0\nm44 op, vt0, vc[va1.x]\nmov v0.xy, va0\nmov v0.zw, va0";
    assert_eq!(registers(Stage::Vertex, vertex), (128, 1 + 1, 1));
}

/// Reads chained through arithmetic, by component; a coordinate that depends on no texture is free.
#[test]
fn dependent_reads_are_the_longest_chain() {
    let chain = |text: &str| cost(Stage::Fragment, text).dependent_reads;
    for (text, reads) in [
        ("tex ft0, v0, fs0\ntex ft1, v1, fs0", 0),
        ("mul ft0, v0, fc0\ntex ft1, ft0, fs0", 0),
        ("tex ft0, v0, fs0\ntex ft1, ft0, fs0", 1),
        (
            "tex ft0, v0, fs0\nadd ft0, ft0, v0\ntex ft1, ft0, fs0\ntex ft1, ft1, fs0",
            2,
        ),
        // Only the components that are read count.
        ("tex ft0.z, v0, fs0\nmov ft0.xy, v0\ntex ft1, ft0, fs0", 0),
        (
            "tex ft0.z, v0, fs0\nmov ft0.xy, v0\ntex ft1, ft0, fs1 <cube>",
            1,
        ),
        (
            "tex ft0.x, v0, fs0\nmov ft0.yzw, v0\ndp3 ft1, ft0, fc0\ntex ft1, ft1, fs0",
            1,
        ),
        // A new value ends the chain.
        ("tex ft0, v0, fs0\nmov ft0, v0\ntex ft1, ft0, fs0", 0),
        (
            "mov ft0, v0\nmov ft1, v0\ntex ft2, v0, fs0\nm33 ft3.xyz, v0, ft0\ntex ft1, ft3, fs0",
            1,
        ),
    ] {
        assert_eq!(chain(text), reads, "{text}");
    }
}

#[test]
fn the_limits_hold_in_baseline_constrained_alone() {
    let over = || fragment(1, &("abs ft0, v0\n".repeat(65) + "mov oc, ft0"));
    for profile in Profile::ALL {
        let allowed = profile != Profile::BaselineConstrained;
        assert_eq!(over().on(profile).upload().is_ok(), allowed);
    }
}

#[test]
fn the_limits_themselves_are_allowed() {
    let reads = |count: usize| "tex ft0, v0, fs0\n".repeat(count) + "mov oc, ft0";
    let chained = "tex ft0, ft0, fs0\n".repeat(4);
    for case in [
        fragment(1, &("abs ft0, v0\n".repeat(64) + "mov oc, ft0")),
        fragment(1, &reads(32)),
        fragment(1, &format!("tex ft0, v0, fs0\n{chained}mov oc, ft0")),
        vertex(1, &"m44 op, va0, vc0\n".repeat(64)),
    ] {
        let text = (case.vertex.clone(), case.fragment.clone());
        let result = case.on(Profile::BaselineConstrained).upload();
        assert!(result.is_ok(), "{text:?}: {:?}", result.err());
    }
}
