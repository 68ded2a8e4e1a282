//! Checks the interpreter against values computed by hand.
#![allow(clippy::unwrap_used, reason = "tests")]

use agal::float::FloatRules;
use agal::interp::{
    AgalLanguage, AgalState, AgalTraceStep, CompiledProgram, NoTextures, RunObserver,
    SamplerImages, TexelImage, TextureSampling,
};
use agal::opcode::AgalOpcode;
use agal::sampler::Dimension;
use agal::{Rules, Stage, asm, validate};

fn compiled(text: &str, stage: Stage, version: u32) -> CompiledProgram {
    let program = asm::assemble(text, stage, version).unwrap();
    CompiledProgram::new(&validate(program, stage, &Rules::NEWEST).unwrap())
}

/// Runs a fragment program with `v0` by lane, and constants from `fc0` on. Returns the colour by lane.
fn fragment(text: &str, lanes: [[f32; 4]; 4], constants: &[[f32; 4]]) -> [[f32; 4]; 4] {
    colors(&shade(text, lanes, constants, &NoTextures))
}

fn shade(
    text: &str,
    lanes: [[f32; 4]; 4],
    constants: &[[f32; 4]],
    textures: &impl TextureSampling<AgalLanguage>,
) -> AgalState {
    run(&compiled(text, Stage::Fragment, 2), lanes, constants, textures)
}

fn run(
    compiled: &CompiledProgram,
    lanes: [[f32; 4]; 4],
    constants: &[[f32; 4]],
    textures: &impl TextureSampling<AgalLanguage>,
) -> AgalState {
    let mut state = compiled.state();
    for (lane, value) in lanes.into_iter().enumerate() {
        state.set_varying(0, lane, value);
    }
    compiled.run(&mut state, constants, textures);
    state
}

fn colors(state: &AgalState) -> [[f32; 4]; 4] {
    [0, 1, 2, 3].map(|lane| state.color(0, lane))
}

/// Returns an opcode's result for the sources `v0` and `fc0` in one lane, in all allowed components.
fn op(opcode: &str, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    op_by(FloatRules::default(), opcode, a, b)
}

fn op_by(rules: FloatRules, opcode: &str, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let info = AgalOpcode::from_name(opcode).unwrap();
    let mask = if info.signature().masks_w() { ".xyz" } else { "" };
    let second = if info.signature().sources() == 2 { ", fc0" } else { "" };
    let text = format!("mov ft0, fc4\n{opcode} ft0{mask}, v0{second}\nmov oc, ft0");
    let rows = [b, [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.25], [1.0; 4], [0.0; 4]];
    let compiled = compiled(&text, Stage::Fragment, 2).with_float_rules(rules);
    colors(&run(&compiled, [a; 4], &rows, &NoTextures))[0]
}

const A: [f32; 4] = [1.5, -2.0, 0.25, 4.0];
const B: [f32; 4] = [2.0, -2.0, 8.0, -1.0];

/// [agal.mov.1] [agal.add.1] [agal.sub.1] [agal.mul.1] [agal.div.1] [agal.rcp.1] [agal.min.1] [agal.max.1]
/// [agal.frc.1] [agal.sqt.1] [agal.rsq.1] [agal.pow.1] [agal.log.1] [agal.exp.1] [agal.nrm.1] [agal.sin.1]
/// [agal.cos.1] [agal.crs.1] [agal.dp3.1] [agal.dp4.1] [agal.abs.1] [agal.neg.1] [agal.sat.1] [agal.sge.1]
/// [agal.slt.1] [agal.seq.1] [agal.sne.1] [agal.m33.1] [agal.m34.1] [agal.m44.1] [agal.matrix.rows]
/// [agal.operand.replicate]
#[test]
fn arithmetic() {
    for (opcode, expected) in [
        ("mov", A),
        ("add", [3.5, -4.0, 8.25, 3.0]),
        ("sub", [-0.5, 0.0, -7.75, 5.0]),
        ("mul", [3.0, 4.0, 2.0, -4.0]),
        ("div", [0.75, 1.0, 0.03125, -4.0]),
        ("rcp", [1.0 / 1.5, -0.5, 4.0, 0.25]),
        ("min", [1.5, -2.0, 0.25, -1.0]),
        ("max", [2.0, -2.0, 8.0, 4.0]),
        ("frc", [0.5, 0.0, 0.25, 0.0]),
        ("sqt", [1.5f32.sqrt(), 2.0f32.sqrt(), 0.5, 2.0]),
        ("rsq", [1.0 / 1.5f32.sqrt(), 1.0 / 2.0f32.sqrt(), 2.0, 0.5]),
        ("pow", [2.25, 0.25, 0.25f32.powi(8), 0.25]),
        ("log", [1.5f32.log2(), 1.0, -2.0, 2.0]),
        ("exp", [1.5f32.exp2(), 0.25, 0.25f32.exp2(), 16.0]),
        ("sin", A.map(f32::sin)),
        ("cos", A.map(f32::cos)),
        ("abs", [1.5, 2.0, 0.25, 4.0]),
        ("neg", [-1.5, 2.0, -0.25, -4.0]),
        ("sat", [1.0, 0.0, 0.25, 1.0]),
        ("crs", [-2.0 * 8.0 - 0.25 * -2.0, 0.25 * 2.0 - 1.5 * 8.0, 1.5 * -2.0 - -2.0 * 2.0, 0.0]),
        ("dp3", [9.0; 4]),
        ("dp4", [5.0; 4]),
        ("m33", [9.0, -2.0, 0.25, 0.0]),
        ("m34", [5.0, 0.0, 1.25, 0.0]),
        ("m44", [5.0, 0.0, 1.25, 3.75]),
        ("sge", [0.0, 1.0, 0.0, 1.0]),
        ("slt", [1.0, 0.0, 1.0, 0.0]),
        ("seq", [0.0, 1.0, 0.0, 0.0]),
        ("sne", [1.0, 0.0, 1.0, 1.0]),
    ] {
        assert_eq!(op(opcode, A, B), expected, "{opcode}");
    }
    let [x, y, z, w] = op("nrm", [2.0, 3.0, 6.0, 100.0], B);
    for (got, wanted) in [(x, 2.0 / 7.0), (y, 3.0 / 7.0), (z, 6.0 / 7.0), (w, 0.0)] {
        assert!((got - wanted).abs() < 1e-6);
    }
}

/// Edge cases with equal results under all float rules. [agal.sqt.negative] [agal.neg.zero] [agal.abs.lowering]
/// [agal.sat.nan] [agal.native.sat] [agal.frc.round_up] [agal.compare.nan] [agal.kil.zero] [agal.ife.1] [agal.ine.1]
/// [agal.ifg.1] [agal.ifl.1]
#[test]
fn edges() {
    const INF: f32 = f32::INFINITY;
    let nan = [f32::NAN; 4];
    assert_eq!(op("sqt", [-4.0, 0.0, INF, 1.0], B), [2.0, 0.0, INF, 1.0]);
    // `neg` is computed as 0 - x, which loses the sign of zero.
    let neg = op("neg", [0.0, -0.0, 1.0, -INF], B);
    assert_eq!(neg.map(f32::to_bits), [0.0, 0.0, -1.0, INF].map(f32::to_bits));
    assert_eq!(op("sat", [f32::NAN, -0.0, INF, -INF], B), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(op("frc", [-0.25, -3.0, 2.75, -1e-10], B), [0.75, 0.0, 0.75, 1.0]);
    for (opcode, expected) in [("sge", 0.0), ("slt", 0.0), ("seq", 0.0), ("sne", 1.0)] {
        assert_eq!(op(opcode, nan, B), [expected; 4], "{opcode}");
    }
    for (opcode, taken) in [("ife", 0.0), ("ine", 1.0), ("ifg", 0.0), ("ifl", 0.0)] {
        let text =
            format!("mov ft0, fc0.xxxx\n{opcode} v0.x, fc0.x\nmov ft0, fc0.yyyy\neif\nmov oc, ft0");
        let color = fragment(&text, [nan; 4], &[[0.0, 1.0, 0.0, 0.0]]);
        assert_eq!(color, [[taken; 4]; 4], "{opcode}");
    }
    let state = shade("kil v0.x\nmov oc, v0", [nan, [-0.0; 4], A, [-1.0; 4]], &[], &NoTextures);
    assert_eq!(state.alive(), [true, true, true, false]);
}

/// Opcodes whose results depend on the float rules: the results under Direct3D 9's rules, then under IEEE's.
/// [agal.float.rules] [agal.rcp.zero] [agal.div.zero] [agal.div.lowering] [agal.log.zero] [agal.exp.overflow]
/// [agal.pow.negative] [agal.pow.zero] [agal.nrm.zero] [agal.min.nan] [agal.float.nan] [agal.float.zero_times]
#[test]
fn float_rules() {
    const INF: f32 = f32::INFINITY;
    const MAX: f32 = f32::MAX;
    const NAN: f32 = f32::NAN;
    const TINY: f32 = 1e-40;
    type Row = (&'static str, [f32; 4], [f32; 4], [f32; 4], [f32; 4]);
    let rows: [Row; 18] = [
        ("rcp", [0.0, -0.0, INF, NAN], B, [MAX, -MAX, 0.0, -MAX], [INF, -INF, 0.0, NAN]),
        (
            "rcp",
            [TINY, -TINY, MAX, 4.0],
            B,
            [MAX, -MAX, 1.0 / MAX, 0.25],
            [INF, -INF, 1.0 / MAX, 0.25],
        ),
        ("rsq", [0.0, -4.0, INF, NAN], B, [MAX, 0.5, 0.0, MAX], [INF, 0.5, 0.0, NAN]),
        ("div", [0.0, 1.0, -1.0, 2.0], [0.0; 4], [0.0, MAX, -MAX, MAX], [NAN, INF, -INF, INF]),
        (
            "div",
            [NAN, 6.0, INF, 0.0],
            [2.0, 2.0, 2.0, NAN],
            [-MAX, 3.0, MAX, -0.0],
            [NAN, 3.0, INF, NAN],
        ),
        ("log", [0.0, -8.0, INF, NAN], B, [-MAX, 3.0, MAX, -MAX], [-INF, 3.0, INF, NAN]),
        ("exp", [128.0, -INF, INF, NAN], B, [MAX, 0.0, MAX, MAX], [INF, 0.0, INF, NAN]),
        (
            "pow",
            [-3.0, 0.0, 2.0, 4.0],
            [2.0, 2.0, -1.0, 0.5],
            [9.0, 0.0, 0.5, 2.0],
            [9.0, 0.0, 0.5, 2.0],
        ),
        ("pow", [0.0, INF, NAN, 1.0], [0.0; 4], [1.0; 4], [1.0; 4]),
        ("pow", [0.0, -0.0, INF, 2.0], [-1.0, -2.0, 1.0, 200.0], [MAX; 4], [INF; 4]),
        (
            "pow",
            [1.0, 0.5, 2.0, 2.0],
            [INF, INF, -INF, NAN],
            [MAX, 0.0, 0.0, MAX],
            [1.0, 0.0, 0.0, NAN],
        ),
        ("nrm", [0.0; 4], B, [0.0; 4], [0.0; 4]),
        ("nrm", [0.0, -1e30, 0.0, 0.0], B, [0.0; 4], [0.0; 4]),
        ("nrm", [NAN, 1.0, 0.0, 0.0], B, [NAN, MAX, 0.0, 0.0], [0.0; 4]),
        (
            "min",
            [NAN, 1.0, NAN, -1.0],
            [1.0, NAN, NAN, -2.0],
            [1.0, NAN, NAN, -2.0],
            [1.0, NAN, NAN, -2.0],
        ),
        (
            "max",
            [NAN, 1.0, NAN, -1.0],
            [1.0, NAN, NAN, -2.0],
            [1.0, NAN, NAN, -1.0],
            [1.0, NAN, NAN, -1.0],
        ),
        (
            "mul",
            [0.0, INF, MAX, 0.0],
            [INF, 0.0, 0.0, MAX],
            [NAN, NAN, 0.0, 0.0],
            [NAN, NAN, 0.0, 0.0],
        ),
        ("dp3", [0.0, INF, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [NAN; 4], [NAN; 4]),
    ];
    for (opcode, a, b, direct3d9, ieee) in rows {
        for (rules, wanted) in [(FloatRules::Direct3D9, direct3d9), (FloatRules::Ieee, ieee)] {
            let found = op_by(rules, opcode, a, b);
            for (found, wanted) in found.into_iter().zip(wanted) {
                let same = found == wanted || found.is_nan() && wanted.is_nan();
                assert!(same, "{rules}: {opcode} {a:?} {b:?}: {found}, not {wanted}");
            }
        }
    }
    // Users reported these cases: a light with radius 0, a zero normal, and a division by zero alpha.
    let text = "rcp ft0, v0\nmul ft0, ft0, v0\nmov oc, ft0";
    assert_eq!(fragment(text, [[0.0; 4]; 4], &[])[0], [0.0; 4]);
}

/// [agal.dest.mask] [agal.source.swizzle] [agal.operand.alias]
#[test]
fn masks_and_swizzles() {
    // `mov ft0.y, v0` copies component y, not x ([agal.dest.mask]).
    let color = fragment("mov ft0, fc0\nmov ft0.yw, v0.zyxw\nmov oc, ft0", [A; 4], &[B]);
    assert_eq!(color[0], [2.0, -2.0, 8.0, 4.0]);
    // If a destination is also a source, all components are read before any is written.
    let rows =
        [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
    let color = fragment("mov ft0, v0\nm44 ft0, ft0, fc0\nmov oc, ft0.wzyx", [A; 4], &rows);
    assert_eq!(color[0], [0.25, 4.0, 1.5, -2.0]);
}

/// [agal.indirect.rounding] [agal.indirect.outside] [agal.indirect.offset]
#[test]
fn indices_are_rounded_and_stay_in_the_bank() {
    let constants: Vec<[f32; 4]> = (0..128u8).map(|n| [f32::from(n); 4]).collect();
    for (offset, indices, read) in [
        ("+2", [0.0, 1.6, -1e9, f32::INFINITY], [2.0, 4.0, 0.0, 127.0]),
        // NaN reads the first constant of the bank, because clamping turns NaN into the lower bound.
        ("+5", [f32::NAN, f32::NEG_INFINITY, 0.0, 1.0], [0.0, 0.0, 5.0, 6.0]),
        // Halves are rounded to the even integer. The offset is signed, so 255 is -1.
        ("+0", [0.5, 1.5, 2.5, -0.5], [0.0, 2.0, 2.0, 0.0]),
        ("+255", [3.0, 0.0, 1.4, 127.0], [2.0, 0.0, 0.0, 126.0]),
        ("-128", [130.0, 127.0, 255.0, 300.0], [2.0, 0.0, 127.0, 127.0]),
    ] {
        let text = format!("mov v0, vc[va0.y{offset}]\nmov op, va0");
        let compiled = compiled(&text, Stage::Vertex, 1);
        let mut state = compiled.state();
        for (lane, index) in indices.into_iter().enumerate() {
            state.set_attribute(0, lane, [9.0, index, 9.0, 9.0]);
        }
        compiled.run(&mut state, &constants, &NoTextures);
        let found = [0, 1, 2, 3].map(|lane| state.varying(0, lane)[0]);
        assert_eq!(found, read, "{text}");
    }
}

/// For a matrix in temporaries, only the first row must be written. Unwritten rows of the matrix are 0, even if an
/// earlier program wrote the same registers. [agal.temporary.rows_value]
#[test]
fn unwritten_rows_are_zero() {
    let mut state = compiled("mov ft0, v0\nmov ft1, v0\nmov oc, ft1", Stage::Fragment, 1).state();
    for text in ["mov ft0, v0\nmov ft1, v0\nmov oc, ft1", "mov ft0, v0\nm44 oc, v0, ft0"] {
        let compiled = compiled(text, Stage::Fragment, 1);
        (0..4).for_each(|lane| state.set_varying(0, lane, [1.0, 2.0, 0.0, 0.0]));
        compiled.run(&mut state, &[], &NoTextures);
    }
    assert_eq!(colors(&state), [[5.0, 0.0, 0.0, 0.0]; 4]);
}

/// [agal.iid.x] [agal.iid.others] [agal.indirect.instance_id]
#[test]
fn instance_ids() {
    let compiled = compiled("mov v0, iid\nmov op, vc[iid.x+1]", Stage::Vertex, 3);
    let mut state = compiled.state();
    state.set_instance(2, 7);
    compiled.run(&mut state, &[[0.0; 4]; 9], &NoTextures);
    assert_eq!(state.varying(0, 2), [7.0, 0.0, 0.0, 1.0]);
    assert_eq!(state.varying(0, 0), [0.0, 0.0, 0.0, 1.0]);
}

const NESTED: &str = "mov ft0, fc0.xxxx
ifg v0.x, fc0.x
  ifl v0.y, fc0.x
    mov ft0, fc0.yyyy
  els
    mov ft0.xy, fc0.zzzz
  eif
  add ft0.w, ft0.x, fc0.w
els
  neg ft0.x, v0.x
  kil v0.z
eif
mov oc, ft0";

/// [agal.els.1] [agal.eif.1] [agal.kil.1]
#[test]
fn lanes_take_their_own_branches() {
    let lanes = [
        [1.0, -1.0, -5.0, 0.0],
        [1.0, 1.0, -5.0, 0.0],
        [-3.0, -1.0, -5.0, 0.0],
        [-4.0, 1.0, 5.0, 0.0],
    ];
    let state = shade(NESTED, lanes, &[[0.0, 10.0, 20.0, 0.5]], &NoTextures);
    assert_eq!(
        colors(&state),
        [
            [10.0, 10.0, 10.0, 10.5],
            [20.0, 20.0, 0.0, 20.5],
            [3.0, 0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0, 0.0]
        ]
    );
    assert_eq!(state.alive(), [true, true, false, true]);
}

/// [agal.ddx.1] [agal.ddy.1] [agal.ddy.sign]
#[test]
fn differences_are_taken_in_the_quad() {
    let lanes = [[1.0; 4], [3.0; 4], [8.0; 4], [16.0; 4]];
    let both = "ddx ft0, v0\nddy ft1, v0\nmov ft0.zw, ft1.zw\nmov oc, ft0";
    assert_eq!(
        fragment(both, lanes, &[]),
        [
            [2.0, 2.0, 7.0, 7.0],
            [2.0, 2.0, 13.0, 13.0],
            [8.0, 8.0, 7.0, 7.0],
            [8.0, 8.0, 13.0, 13.0]
        ]
    );
}

struct Tokens(Vec<(u32, [bool; 4])>);

impl RunObserver<AgalLanguage> for Tokens {
    fn step(&mut self, step: &AgalTraceStep) {
        self.0.push((step.instruction, step.active));
        if let Some(written) = step.written {
            assert!(!written.mask.is_empty());
        }
    }
}

#[test]
fn monitors_see_every_token_that_runs() {
    let compiled = compiled(NESTED, Stage::Fragment, 2);
    let mut state = compiled.state();
    for lane in 0..4 {
        state.set_varying(0, lane, [1.0, -1.0, 0.0, 0.0]);
    }
    let mut tokens = Tokens(Vec::new());
    compiled.run_with(&mut state, &[], &NoTextures, &mut tokens);
    let numbers: Vec<u32> = tokens.0.iter().map(|(token, _)| *token).collect();
    // Both `els` are executed, but the branches after them are skipped.
    assert_eq!(numbers, [1, 2, 3, 4, 5, 7, 8, 9, 12, 13]);
    assert_eq!(tokens.0[4].1, [false; 4]);
    assert_eq!(tokens.0[6].1, [true; 4]);
}

/// Returns the texels of a mip level with one colour.
fn level(side: usize, faces: usize, value: f32) -> Vec<[f32; 4]> {
    vec![[value, 0.0, 0.0, 1.0]; side * side * faces]
}

/// Reads an 8×8 texture whose mip levels have the values 0 to 3, at coordinates `step` texels apart.
fn mipped(options: &str, step: f32) -> f32 {
    let levels = vec![level(8, 1, 0.0), level(4, 1, 1.0), level(2, 1, 2.0), level(1, 1, 3.0)];
    let image = TexelImage::new(Dimension::TwoD.faces(), (8, 8), levels).unwrap();
    let images = SamplerImages(&[Some(image)]);
    let text = format!("tex ft0, v0, fs0 <2d,{options}>\nmov oc, ft0");
    let at = |x, y| [x * step / 8.0, y * step / 8.0, 0.0, 0.0];
    let lanes = [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(1.0, 1.0)];
    colors(&shade(&text, lanes, &[], &images))[0][0]
}

/// Tests the level of detail by mip mode, derivatives and bias. [agal.tex.1] [agal.tex.level] [agal.sampler.bias]
/// [agal.sampler.ignore]
#[test]
fn levels_of_detail() {
    for (options, step, value) in [
        ("linear,mipnone", 4.0, 0.0),
        ("linear,miplinear", 0.25, 0.0),
        ("linear,miplinear", 2.0, 1.0),
        ("nearest,miplinear", 2.0f32.powf(1.5), 1.5),
        ("linear,miplinear", 1000.0, 3.0),
        ("linear,miplinear,1.5", 1.0, 1.5),
        ("linear,miplinear,-1", 4.0, 1.0),
        // The nearest mip level is read; halves are rounded up [context3d.sampler.mipnearest].
        ("linear,mipnearest", 2.0f32.powf(0.49), 0.0),
        ("linear,mipnearest,0.5", 1.0, 1.0),
        ("linear,mipnearest", 2.0f32.powf(0.51), 1.0),
        ("linear,mipnearest,-0.5", 4.0, 2.0),
        ("linear,mipnearest,0.5", 4.0, 3.0),
        ("linear,mipnearest", 1000.0, 3.0),
        // With `ignoresampler`, the interpreter uses the operand's fields, because it has no sampler state.
        ("linear,mipnearest,ignoresampler,0.5", 1.0, 1.0),
    ] {
        let read = mipped(options, step);
        assert!((read - value).abs() < 1e-5, "{options} {step}: {read}");
    }
}

#[test]
fn wraps_and_filters() {
    let texels = vec![(0..4u8).map(|n| [f32::from(n), 0.0, 0.0, 1.0]).collect()];
    let image = TexelImage::new(Dimension::TwoD.faces(), (2, 2), texels).unwrap();
    let images = SamplerImages(&[Some(image)]);
    let read = |options: &str, u: f32, v: f32| {
        let text = format!("tex ft0, v0, fs0 <2d,nomip,{options}>\nmov oc, ft0");
        colors(&shade(&text, [[u, v, 0.0, 0.0]; 4], &[], &images))[0][0]
    };
    assert_eq!(read("nearest,clamp", 0.4, 0.9), 2.0);
    assert_eq!(read("nearest,clamp", 7.0, -1.0), 1.0);
    assert_eq!(read("nearest,repeat", 1.6, -0.9), 1.0);
    assert_eq!(read("nearest,clamp_u_repeat_v", 1.6, 1.2), 1.0);
    assert_eq!(read("nearest,repeat_u_clamp_v", 1.2, 1.6), 2.0);
    assert_eq!(read("linear,clamp", 0.5, 0.5), 1.5);
    assert_eq!(read("linear,clamp", 0.0, 0.0), 0.0);
    assert_eq!(read("linear,repeat", 0.0, 0.25), 0.5);
}

/// [agal.tex.coordinates]
#[test]
fn cubes() {
    let side = 4;
    let texels: Vec<[f32; 4]> =
        (0..6u8).flat_map(|face| vec![[f32::from(face), 0.0, 0.0, 1.0]; side * side]).collect();
    let image = TexelImage::new(Dimension::Cube.faces(), (4, 4), vec![texels]).unwrap();
    let images = SamplerImages(&[Some(image)]);
    let read = |filter: &str, [x, y, z]: [f32; 3]| {
        let text = format!("tex ft0, v0, fs0 <cube,{filter},clamp,nomip>\nmov oc, ft0");
        colors(&shade(&text, [[x, y, z, 0.0]; 4], &[], &images))[0][0]
    };
    for (face, direction) in [
        [5.0, 1.0, -2.0],
        [-5.0, 1.0, -2.0],
        [1.0, 5.0, 2.0],
        [1.0, -5.0, 2.0],
        [-3.0, 1.0, 5.0],
        [0.0, 0.0, -5.0],
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(read("nearest", direction), f32::from(u8::try_from(face).unwrap()));
    }
    // Filters read across the edge of a face: +x and +y are averaged at an edge, three faces in a corner.
    assert_eq!(read("linear", [1.0, 1.0, 0.0]), 1.0);
    let corner = read("linear", [1.0, 1.0, 1.0]);
    assert!((corner - 2.0).abs() < 1e-6, "{corner}");
}
