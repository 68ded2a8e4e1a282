//! Tests that float rules clamp sums and products of clamped results, too ([agal.float.sums]).
#![allow(clippy::unwrap_used, reason = "tests")]

use agal::float::FloatRules::{self, Direct3D9, Ieee};
use agal::interp::{CompiledProgram, NoTextures};
use agal::{Rules, Stage, asm, validate};

const INF: f32 = f32::INFINITY;
const MAX: f32 = f32::MAX;

fn compiled(text: &str, stage: Stage) -> CompiledProgram {
    let program = asm::assemble(text, stage, 2).unwrap();
    CompiledProgram::new(&validate(program, stage, &Rules::NEWEST).unwrap())
}

/// Returns component x of the colour, with v0 = (0, 2, MAX, infinity).
fn computed(text: &str, rules: FloatRules) -> f32 {
    let compiled =
        compiled(&format!("{text}\nmov oc, ft0"), Stage::Fragment).with_float_rules(rules);
    let mut state = compiled.state();
    for lane in 0..4 {
        state.set_varying(0, lane, [0.0, 2.0, MAX, INF]);
    }
    compiled.run(&mut state, &[[0.0; 4]; 4], &NoTextures);
    state.color(0, 0)[0]
}

/// The result under Direct3D 9's rules, then under IEEE's. [agal.float.sums] [agal.div.zero] [agal.float.zero_times]
#[test]
fn what_depends_on_a_limited_result_is_limited() {
    const NAN: f32 = f32::NAN;
    let large = "rcp ft0, v0.x";
    for (text, direct3d9, ieee) in [
        ("div ft0, v0.y, v0.x\nmul ft0, ft0, v0.y\nmul ft0, ft0, v0.x", 0.0, NAN),
        ("@\nmul ft0, ft0, v0.y", MAX, INF),
        ("@\nadd ft0, ft0, ft0", MAX, INF),
        ("@\nneg ft1, ft0\nsub ft0, ft1, ft0", -MAX, -INF),
        ("@\ndp3 ft0, ft0, v0.y", MAX, INF),
        ("@\ndp4 ft0, v0.y, ft0", MAX, INF),
        ("@\nmov ft1, v0.y\nm44 ft0, ft1, ft0", MAX, INF),
        (
            "mov ft0.xyz, v0.y\nrcp ft0.y, v0.x\ncrs ft1.xyz, ft0.xyz, v0.y\nmov ft0, ft1.x",
            MAX,
            INF,
        ),
        ("sqt ft0, v0.z\nmul ft0, ft0, v0.z", MAX, INF),
        ("log ft0, v0.x\nabs ft0, ft0\nmin ft0, v0.z, ft0\nmul ft0, ft0, ft0", MAX, INF),
        // The following sums and products may be infinite, because no factor, or not every summand, depends on a
        // clamped result.
        ("mul ft0, v0.z, v0.y", INF, INF),
        ("@\nadd ft0, ft0, v0.w", INF, INF),
        ("@\nmov ft0, v0\nmul ft0, ft0.z, v0.y", INF, INF),
        ("@\nmov ft0.x, v0.z\nmul ft0.x, ft0.x, v0.y", INF, INF),
        ("@\nsat ft0, ft0\nmul ft0, ft0, v0.w", INF, INF),
        ("@\nfrc ft0, v0.x\nadd ft0, ft0, v0.w", INF, INF),
        ("@\nsge ft0, ft0, v0.x\nmul ft0, ft0, v0.w", INF, INF),
        ("nrm ft0.xyz, v0.y\nmov ft0.w, v0.x\nmul ft0, ft0, v0.w", INF, INF),
        // A register depends on a clamped result if either branch writes such a result. If both branches write a
        // register, the register's earlier value doesn't count.
        ("mov ft0, v0.z\nife v0.x, v0.y\n@\neif\nmul ft0, ft0, v0.y", MAX, INF),
        ("mov ft0, v0.z\nine v0.x, v0.y\nmov ft0, ft0\nels\n@\neif\nmul ft0, ft0, v0.y", MAX, INF),
        ("@\nife v0.x, v0.y\nmov ft0, v0.z\nels\nmov ft0, v0.z\neif\nmul ft0, ft0, v0.y", INF, INF),
    ] {
        let text = text.replace('@', large);
        for (rules, expected) in [(Direct3D9, direct3d9), (Ieee, ieee)] {
            let found = computed(&text, rules);
            let same = found == expected || found.is_nan() && expected.is_nan();
            assert!(same, "{text} by {rules}: {found}, not {expected}");
        }
    }
}

/// The clipping of a line at a plane divides by zero if the line is parallel to the plane; the line must still be
/// drawn. [agal.float.sums] [agal.div.zero]
#[test]
fn a_level_line_has_a_position() {
    let text = include_str!("programs/segments.agal");
    let (_, text) = text.split_once("// vertex\n").unwrap();
    let (text, _) = text.split_once("// fragment\n").unwrap();
    let compiled = compiled(text, Stage::Vertex);
    let mut state = compiled.state();
    for lane in 0..4 {
        state.set_attribute(0, lane, [-37.5, -25.0, 150.0, 1.0]);
        state.set_attribute(1, lane, [37.5, -25.0, 150.0, 1.0]);
        state.set_attribute(2, lane, [0.0, 0.0, 1.0, 0.0]);
    }
    let mut constants = [[0.0; 4]; 8];
    constants[1] = [20.0, 0.0, 1.0, 0.0];
    for (row, constant) in constants[4..].iter_mut().enumerate() {
        constant[row] = 1.0;
    }
    compiled.run(&mut state, &constants, &NoTextures);
    assert_eq!(state.position(0), [-37.5, -25.0, 150.0, 1.0]);
}
