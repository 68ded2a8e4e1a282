//! Compares results of the interpreter with values calculated from the reference.

use d3d9::check::{Caps, check};
use d3d9::interp::{
    CompiledShader, D3d9Inputs, D3d9Lookup, D3d9RunError, D3d9State, D3d9TraceStep, Direct3D9,
    LaneRegister, MAX_STEPS, NoTextures, RunObserver, TextureSampling, TextureStage,
};
use d3d9::register::ShaderFile;
use d3d9::text::assemble;
use proptest::prelude::*;

/// Textures whose texels contain the coordinates and the sampler index.
struct Echo;

impl TextureSampling<Direct3D9> for Echo {
    fn read(&self, lookup: &D3d9Lookup<'_>) -> LaneRegister {
        let [x, y, z, _] = lookup.coordinates.0;
        LaneRegister([x, y, z, [f32::from(lookup.sampler.number); 4]])
    }
}

fn run_with(text: &str, inputs: &D3d9Inputs<'_>, set: impl Fn(&mut D3d9State)) -> D3d9State {
    let compiled = CompiledShader::new(&assemble(text).unwrap_or_else(|e| panic!("{e}"))).unwrap();
    let mut state = compiled.state();
    set(&mut state);
    compiled.run(&mut state, inputs, &Echo, MAX_STEPS, &mut ()).unwrap();
    state
}

/// Returns `oC0` of lane 0; all lanes have c0 = (1, 2, 3, 4), c1 = (-1, 0.5, 0, 8), v0 = (0.5, -2, 0, 3).
fn ps(version: &str, body: &str) -> [f32; 4] {
    let declarations = if version == "ps_3_0" { "dcl_texcoord v0\n" } else { "dcl t0\n" };
    let text = format!("{version}\n{declarations}dcl_2d s3\ndcl_cube s4\n{body}");
    let floats = [[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 0.0, 8.0]];
    let inputs = D3d9Inputs {
        floats: &floats,
        integers: &[[3, 2, 5, 0], [0; 4], [2, 0, 1, 0]],
        booleans: &[true, false],
        ..D3d9Inputs::default()
    };
    let state = run_with(&text, &inputs, |state| {
        for lane in 0..4 {
            state.set(ShaderFile::Input.at(0), lane, [0.5, -2.0, 0.0, 3.0]);
            state.set(ShaderFile::Texture.at(0), lane, [0.5, -2.0, 0.0, 3.0]);
        }
    });
    state.lane(ShaderFile::Color.at(0), 0)
}

/// Tests the results of arithmetic instructions: [d3d9.value.rsq] [d3d9.value.nrm] [d3d9.value.min] [d3d9.value.frc]
/// [d3d9.value.matrix] [d3d9.value.crs] [d3d9.value.sincos] [d3d9.value.saturate] [d3d9.value.order]
/// [d3d9.value.arithmetic] [d3d9.value.scalar] [d3d9.value.dot] [d3d9.value.choice] [d3d9.value.lrp].
#[test]
fn arithmetic() {
    for (body, expected) in rows! {
        "mov r0, v0\nadd r0, r0, c0", [1.5, 0.0, 3.0, 7.0];
        "mov r0, v0\nnop\nmul r0, r0, c0", [0.5, -4.0, 0.0, 12.0];
        "sub r0, c0, v0", [0.5, 4.0, 3.0, 1.0];
        "mad r0, c0, v0, c0.x", [1.5, -3.0, 1.0, 13.0];
        "rcp r0, v0.x", [2.0; 4];
        "rsq r0, c0.w", [0.5; 4];
        "dp3 r0, c0, v0", [-3.5; 4];
        "dp4 r0, c0, v0", [8.5; 4];
        "min r0, c1, v0", [-1.0, -2.0, 0.0, 3.0];
        "max r0, c1, v0", [0.5, 0.5, 0.0, 8.0];
        "exp r0, c0.z", [8.0; 4];
        "log r0, c1.w", [3.0; 4];
        "pow r0, v0.y, c0.y", [4.0; 4];
        "lrp r0, v0.x, c0, c1", [0.0, 1.25, 1.5, 6.0];
        "frc r0, v0", [0.5, 0.0, 0.0, 0.0];
        "abs r0, v0", [0.5, 2.0, 0.0, 3.0];
        "cmp r0, v0, c0, c1", [1.0, 0.5, 3.0, 4.0];
        "dp2add r0, c0, v0, c0.w", [0.5; 4];
        "mov r0, c0\nnrm r1, v0\nmov r0.xyz, r1", [0.5 / 4.25f32.sqrt(), -2.0 / 4.25f32.sqrt(), 0.0, 4.0];
        "mov r0, c1.z\nnrm r1, r0\nmov r0, r1", [0.0; 4];
        "mov r0, c0\ncrs r1.xyz, c0, v0\nmov r0.xyz, r1", [6.0, 1.5, -3.0, 4.0];
        "mov r0, c0\nsincos r0.xy, c1.z", [1.0, 0.0, 3.0, 4.0];
        "mov_sat r0, v0", [0.5, 0.0, 0.0, 1.0];
        "mov r0, -v0_abs", [-0.5, -2.0, -0.0, -3.0];
        "mov r0, c0\nmov r0.yw, v0.wzyx", [1.0, 0.0, 3.0, 0.5];
        "m4x3 r0.xyz, v0, c0\nmov r0.w, c0.w", [8.5, 22.5, 0.0, 4.0];
        "m3x2 r0.xy, v0, c0\nmov r0.zw, c0", [-3.5, -1.5, 3.0, 4.0];
        "dsx r0, v0", [0.0; 4];
        // `cmp` treats NaN as less than zero ([d3d9.value.compare]); the NaN is infinity times zero.
        "def c9, 1e38, 0, 0, 0\nmul r1, c9.x, c9.x\nmul r1, r1, c1.z\ncmp r0, r1, c0, c1", [-1.0, 0.5, 0.0, 8.0];
    } {
        let text = format!("{body}\nmov oC0, r0");
        assert_eq!(ps("ps_3_0", &text), expected, "{body}");
    }
}

/// [d3d9.flow.loop] [d3d9.flow.break] [d3d9.flow.predicate] [d3d9.flow.if] [d3d9.flow.call] [d3d9.flow.setp]
#[test]
fn flow() {
    for (body, expected) in rows! {
        "if b0\nmov r0, c0\nelse\nmov r0, c1\nendif", [1.0, 2.0, 3.0, 4.0];
        "if !b0\nmov r0, c0\nelse\nmov r0, c1\nendif", [-1.0, 0.5, 0.0, 8.0];
        "mov r0, c0\nif b1\nmov r0, c1\nendif", [1.0, 2.0, 3.0, 4.0];
        "mov r0, c1\nif_lt v0.y, c1.z\nmov r0.x, c0.w\nendif", [4.0, 0.5, 0.0, 8.0];
        "mov r0, c1.z\nrep i0\nadd r0, r0, c0\nendrep", [3.0, 6.0, 9.0, 12.0];
        "mov r0, c0\nrep i1\nadd r0, r0, c0\nendrep", [1.0, 2.0, 3.0, 4.0];
        "mov r0, c1.z\nrep i0\nadd r0, r0, c0\nbreak_ge r0.x, c0.y\nendrep", [2.0, 4.0, 6.0, 8.0];
        "mov r0, c1.z\nrep i0\nif_gt r0.x, c0.x\nbreak\nendif\nadd r0, r0, c0\nendrep", [2.0, 4.0, 6.0, 8.0];
        "mov r0, c1.z\nrep i0\nrep i2\nadd r0, r0, c0\nendrep\nendrep", [6.0, 12.0, 18.0, 24.0];
        "setp_gt p0, v0, c1\nmov r0, c1\n(p0) mov r0, c0", [1.0, 0.5, 0.0, 8.0];
        "setp_gt p0, v0, c1\nmov r0, c1\n(!p0) mov r0, c0", [-1.0, 2.0, 3.0, 4.0];
        "setp_gt p0, v0, c1\nmov r0, c1\n(p0.x) mov r0, c0", [1.0, 2.0, 3.0, 4.0];
        "setp_gt p0, v0, c1\nmov r0, c1\nif !p0.y\nmov r0, c0\nendif", [1.0, 2.0, 3.0, 4.0];
        "mov r0, c1.z\nrep i0\nrep i0\nadd r0, r0, c0\nbreak\nendrep\nendrep", [3.0, 6.0, 9.0, 12.0];
        "setp_gt p0, v0, c1\nmov r0, c1.z\nrep i0\nadd r0, r0, c0\nbreakp !p0.y\nendrep", [1.0, 2.0, 3.0, 4.0];
        "setp_gt p0, c0, c1\nsetp_gt p0.yz, v0.yxzw, c1.xyyw\nmov r0, c1\n(p0) mov r0, c0", [1.0, 0.5, 0.0, 8.0];
        "mov r0, c1.z\ncall l0\ncall l0\ncallnz l0, b1\ncallnz l0, b0", [3.0, 6.0, 9.0, 12.0];
    } {
        let calls = if body.contains("call") { "ret\nlabel l0\nadd r0, r0, c0\nret" } else { "" };
        let text = format!("{body}\nmov oC0, r0\n{calls}");
        assert_eq!(ps("ps_3_0", &text), expected, "{body}");
    }
    // aL starts at i0.y and is incremented by i0.z: c2, c7, c12; c12 doesn't exist.
    let text = "vs_3_0\ndcl_position v0\nloop aL, i0\nadd r0, r0, c0[aL]\nendloop\nmov o0, r0";
    let floats: Vec<[f32; 4]> = (0..10u8).map(|n| [f32::from(n); 4]).collect();
    let inputs = D3d9Inputs { floats: &floats, integers: &[[3, 2, 5, 0]], ..D3d9Inputs::default() };
    assert_eq!(run_with(text, &inputs, |_| ()).lane(ShaderFile::Output.at(0), 0), [9.0; 4]);
}

/// Lanes diverge, and `texkill` discards lanes with a negative tested component. [d3d9.texkill.components]
/// [d3d9.gradient.quad]
#[test]
fn lanes_differ() {
    let text = "ps_3_0\ndcl_texcoord v0\ndef c0, 0, 1, 2, 3\nmov r0, c0.x\nif_ge v0.x, c0.y\nrep i0\nadd r0, r0, c0.y\nbreak_gt r0.x, v0.x\nendrep\nelse\nmov r0, c0.w\nendif\ntexkill v0\nmov oC0, r0\ndsx r1, v0\ndsy r2, v0\nmov oC1.xy, r1\nmov oC1.zw, r2";
    let inputs = D3d9Inputs { integers: &[[8, 0, 0, 0]], ..D3d9Inputs::default() };
    let state = run_with(text, &inputs, |state| {
        for (lane, x) in [-1.0, 1.0, 2.5, 20.0].into_iter().enumerate() {
            state.set(ShaderFile::Input.at(0), lane, [x; 4]);
        }
    });
    assert_eq!(
        [0, 1, 2, 3].map(|lane| state.lane(ShaderFile::Color.at(0), lane)[0]),
        [3.0, 2.0, 3.0, 8.0]
    );
    assert_eq!(state.alive(), [false, true, true, true]);
    assert_eq!(state.lane(ShaderFile::Color.at(1), 3), [17.5, 17.5, 19.0, 19.0]);
}

/// [d3d9.texture.swizzle] [d3d9.texture.level] [d3d9.texture.unbound] [d3d9.texture.load]
#[test]
fn textures() {
    for (body, expected) in rows! {
        "texld r0, v0, s3", [0.5, -2.0, 0.0, 3.0];
        "texldp r0, v0, s3", [0.5 / 3.0, -2.0 / 3.0, 0.0, 3.0];
        "texldl r0, v0, s4", [0.5, -2.0, 0.0, 4.0];
        "texld r0, v0.yxzw, s3.wzyx", [3.0, 0.0, 0.5, -2.0];
        "texldd r0, v0, s4, v0, v0", [0.5, -2.0, 0.0, 4.0];
    } {
        assert_eq!(ps("ps_3_0", &format!("{body}\nmov oC0, r0")), expected, "{body}");
    }
    let compiled = CompiledShader::new(
        &assemble("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0").unwrap(),
    )
    .unwrap();
    let mut state = compiled.state();
    compiled.run(&mut state, &D3d9Inputs::default(), &NoTextures, MAX_STEPS, &mut ()).unwrap();
    assert_eq!(state.lane(ShaderFile::Color.at(0), 0), [0.0, 0.0, 0.0, 1.0]);
}

/// `mova` rounds to nearest, vs_1_1 rounds down, and indices past the last constant give 0. [d3d9.address.mova]
/// [d3d9.address.vs_1_1] [d3d9.address.outside]
#[test]
fn addresses() {
    let floats: Vec<[f32; 4]> = (0..10u8).map(|n| [f32::from(n); 4]).collect();
    let inputs = D3d9Inputs { floats: &floats, ..D3d9Inputs::default() };
    for (version, write, index, expected) in rows! {
        "vs_2_0", "mova", 2.5, 4.0;
        "vs_2_0", "mova", 3.5, 6.0;
        "vs_2_0", "mova", -1.4, 1.0;
        "vs_2_0", "mova", -3.0, 0.0;
        "vs_2_0", "mova", 9.0, 0.0;
        "vs_1_1", "mov", 2.9, 4.0;
        "vs_1_1", "mov", -0.5, 1.0;
    } {
        let text = format!("{version}\ndcl_position v0\n{write} a0.x, v0.x\nmov oPos, c2[a0.x]");
        let state =
            run_with(&text, &inputs, |state| state.set(ShaderFile::Input.at(0), 0, [index; 4]));
        assert_eq!(state.lane(ShaderFile::Position.at(0), 0), [expected; 4], "{version} {index}");
    }
}

/// Reads outside of the declared `v#` give 0, writes outside of `o#` are dropped, and NaN indices access no register.
/// [d3d9.address.other]
#[test]
fn indices_reach_only_registers() {
    for (index, read, written) in rows! {
        0.0, 0.5, [7.0, 0.0];
        1.0, 0.25, [0.0, 7.0];
        -1.0, 0.0, [0.0, 0.0];
        2.0, 0.0, [0.0, 0.0];
        15.0, 0.0, [0.0, 0.0];
        1.0e30, 0.0, [0.0, 0.0];
        -1.0e30, 0.0, [0.0, 0.0];
        f32::NAN, 0.0, [0.0, 0.0];
    } {
        let text = "vs_3_0\ndef c0, 7, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n\
            dcl_texcoord o1\ndcl_texcoord1 o2\nmov o0, v0\nmova a0.x, v0.y\nmov o0.x, v0[a0.x].x\n\
            mov o1[a0.x].x, c0.x";
        let state = run_with(text, &D3d9Inputs::default(), |state| {
            state.set(ShaderFile::Input.at(0), 0, [0.5, index, 0.0, 0.0]);
            state.set(ShaderFile::Input.at(1), 0, [0.25, 0.0, 0.0, 0.0]);
            // Input 2 isn't declared, so reads of it give 0.
            state.set(ShaderFile::Input.at(2), 0, [9.0; 4]);
        });
        let x = |number| state.lane(ShaderFile::Output.at(number), 0)[0];
        assert_eq!([x(1), x(2)], written, "{index}");
        // Index -1 accesses o0.
        assert_eq!(x(0), if index == -1.0 { 7.0 } else { read }, "{index}");
    }
}

/// [d3d9.value.lit] [d3d9.value.dst] [d3d9.value.expp] [d3d9.value.logp] [d3d9.linkage.clamp] [d3d9.value.sgn]
/// [d3d9.value.choice]
#[test]
fn vertex_only() {
    let v0 = [0.5, 2.0, -1.0, 3.0];
    for (body, expected) in rows! {
        "lit r0, v0", [1.0, 0.5, 8.0, 1.0];
        "dst r0, v0, v0", [1.0, 4.0, -1.0, 3.0];
        "slt r0, v0, v0.yxwz", [1.0, 0.0, 1.0, 0.0];
        "sge r0, v0, v0.x", [1.0, 1.0, 0.0, 1.0];
        "sgn r0, v0, r1, r2", [1.0, 1.0, -1.0, 1.0];
        "def c9, 0, 0, 0, 0\nsgn r0, c9, r1, r2", [0.0; 4];
        "expp r0, v0.y", [4.0; 4];
        "logp r0, v0.y", [1.0; 4];
    } {
        let text = format!("vs_2_0\ndcl_position v0\n{body}\nmov oPos, r0");
        let state = run_with(&text, &D3d9Inputs::default(), |state| {
            state.set(ShaderFile::Input.at(0), 0, v0)
        });
        assert_eq!(state.lane(ShaderFile::Position.at(0), 0), expected, "{body}");
    }
    let text = "vs_1_1\ndcl_position v0\nexpp oPos, v0.w\nmov oD0, v0\nmov oFog, v0.y";
    let state = run_with(text, &D3d9Inputs::default(), |state| {
        state.set(ShaderFile::Input.at(0), 0, [0.0, 0.0, 0.0, 2.5])
    });
    assert_eq!(state.lane(ShaderFile::Position.at(0), 0), [4.0, 0.5, 2.5f32.exp2(), 1.0]);
    assert_eq!(state.lane(ShaderFile::ColorVarying.at(0), 0), [0.0, 0.0, 0.0, 1.0]);
}

/// The interpreter reaches the precision that the opcode pages promise. [d3d9.value.precision] [d3d9.value.lit_error]
#[test]
fn results_are_as_precise_as_promised() {
    let inputs: Vec<f32> = (1..200u8).map(|n| f32::from(n) * 0.173).collect();
    for x in inputs {
        let wide = f64::from(x);
        for (body, exact, bits) in [
            ("exp r0, v0.x", wide.exp2(), 21),
            ("log r0, v0.x", wide.log2(), 21),
            ("pow r0, v0.x, v0.y", wide.powf(1.75), 15),
            ("expp r0, v0.x", wide.exp2(), 10),
            ("logp r0, v0.x", wide.log2(), 10),
            ("lit r0, v0\nmov r0, r0.z", wide.powf(1.75), 8),
        ] {
            let text = format!("vs_2_0\ndcl_position v0\n{body}\nmov oPos, r0");
            // The swizzle gives `lit` a positive x and the exponent 1.75 in w.
            let (y, swizzled) = (1.75, body.replace("lit r0, v0", "lit r0, v0.xxyy"));
            let text = text.replace(body, &swizzled);
            let set =
                |state: &mut D3d9State| state.set(ShaderFile::Input.at(0), 0, [x, y, 0.0, 0.0]);
            let found = f64::from(
                run_with(&text, &D3d9Inputs::default(), set).lane(ShaderFile::Position.at(0), 0)[0],
            );
            let error = (found - exact).abs() / exact.abs().max(1.0);
            assert!(error <= 0.5f64.powi(bits), "{body} of {x}: {found}, {exact}");
        }
    }
}

/// [d3d9.ps1.range] [d3d9.ps1.texcoord] [d3d9.ps1.bem] [d3d9.ps1.matrix] [d3d9.ps1.dp3] [d3d9.ps1.phase]
#[test]
fn model_1() {
    let stage = TextureStage {
        matrix: [2.0, 3.0, 4.0, 5.0],
        luminance: [0.5, 0.25],
        ..TextureStage::default()
    };
    let inputs = D3d9Inputs {
        floats: &[[0.25, 0.5, -3.0, 0.75], [0.0, 0.0, 1.0, 0.0]],
        stages: [stage; 8],
        ..D3d9Inputs::default()
    };
    for (version, body, expected) in rows! {
        "ps_1_1", "mov r0, c0", [0.25, 0.5, 0.0, 0.75];
        "ps_1_1", "texcoord t0\nmov r0, t0", [0.5, 0.25, 1.0, 1.0];
        "ps_1_1", "tex t0\nmov r0, t0_bias", [0.0, 0.0, 1.0, 0.0];
        "ps_1_1", "tex t0\nmov_x2 r0, t0", [1.0, 0.5, 1.0, 0.0];
        "ps_1_1", "tex t0\nmov_d2 r0, 1-t0", [0.25, 0.375, 0.0, 0.5];
        // u' = 0.125 + 2 * 0.5 + 4 * 0.25, v' = 0.25 + 3 * 0.5 + 5 * 0.25; c0.x scales both to a tenth.
        "ps_1_1", "tex t0\ntexbem t1, t0\nmul r0, t1, c0.x", [0.53125, 0.75, 0.125, 0.25];
        "ps_1_1", "tex t0\ntexreg2ar t1, t0\nmov r0, t1", [0.0, 0.5, 0.0, 1.0];
        "ps_1_1", "tex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2", [1.0, 0.0, 0.0, 1.0];
        "ps_1_2", "tex t0\ntexdp3 t1, t0\nmul r0, t1, c0.x", [0.28125; 4];
        // Only the texture of stage 3 is read, with the matrix product ([d3d9.ps1.stage]); `texm3x3` reads no texture.
        "ps_1_1", "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmul_d2 r0, t3, c0.x",
            [0.140625, 0.0, 0.0, 0.375];
        "ps_1_2", "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmul_d2 r0, t3, c0.x",
            [0.140625, 0.0, 0.0, 0.125];
        "ps_1_1", "mov r0, c0\ncnd r0, r0.a, c1, c0", [0.0, 0.0, 1.0, 0.0];
        "ps_1_1", "mov r0, v0\ncnd r0, r0.a, c1, c0", [0.25, 0.5, 0.0, 0.75];
        // The result shift precedes saturation: [d3d9.dest.order]
        "ps_1_1", "add_d2_sat r0, c0, c0", [0.25, 0.5, 0.0, 0.75];
        // A co-issued `cnd` ignores the value that it tests: [d3d9.ps1.cnd]
        "ps_1_1", "mov r0, v0\nmov r0.w, v0.w\n+cnd r0.xyz, r0.a, c1, c0", [0.0, 0.0, 1.0, 0.5];
        "ps_1_4", "mov r0, c0\ncnd r0, r0, c1, c0", [0.25, 0.5, 0.0, 0.0];
        "ps_1_4", "texld r1, t0\nphase\ntexcrd r0.xyz, t0\nmov r0.w, c0.w", [0.5, 0.25, 1.0, 0.75];
        "ps_1_4", "texcrd r0.xyz, t0\nphase\nmov r0.w, c0.x", [0.5, 0.25, 1.0, 0.25];
    } {
        let text = format!("{version}\n{body}");
        let state = run_with(&text, &inputs, |state| {
            for lane in 0..4 {
                state.set(ShaderFile::Texture.at(0), lane, [0.5, 0.25, 2.0, 4.0]);
                state.set(ShaderFile::Texture.at(1), lane, [0.125, 0.25, 0.5, 1.0]);
                state.set(ShaderFile::Texture.at(2), lane, [-1.0, 0.0, 0.0, 1.0]);
                state.set(ShaderFile::Input.at(0), lane, [0.0, 0.0, 0.0, 0.5]);
            }
        });
        assert_eq!(state.lane(ShaderFile::Color.at(0), 0), expected, "{version} {body}");
    }
}

/// [d3d9.ps1.depth] [d3d9.texkill.coordinate] [d3d9.texkill.components]
#[test]
fn coordinates_kill_and_divide() {
    let shade = |text: &str, coordinates: [f32; 4]| {
        run_with(text, &D3d9Inputs::default(), |state| {
            state.set(ShaderFile::Texture.at(0), 0, coordinates)
        })
    };
    for (coordinates, alive) in rows! {
        [1.0, 1.0, 1.0, -1.0], true;
        [1.0, -0.0, f32::NAN, 1.0], true;
        [1.0, 1.0, -1.0, 1.0], false;
    } {
        let state = shade("ps_1_1\ntexkill t0\nmov r0, v0", coordinates);
        assert_eq!(state.alive()[0], alive, "{coordinates:?}");
    }
    for (red, green, depth) in rows! {
        0.25, 0.5, 0.5;
        0.25, 0.0, 1.0;
    } {
        let text = "ps_1_4\ntexcrd r5.xyz, t0\nphase\ntexdepth r5\nmov r0, c0";
        let state = shade(text, [red, green, 0.0, 1.0]);
        assert_eq!(state.lane(ShaderFile::Depth.at(0), 0)[0], depth, "{red} {green}");
    }
}

/// [d3d9.ps1.specular]: the reflection doesn't depend on the normal's length.
#[test]
fn eyes_are_reflected() {
    for (last, eye) in rows! {
        "texm3x3spec t3, t0, c0", [1.0, 0.0, 0.0, 0.0];
        "texm3x3vspec t3, t0", [0.0; 4];
    } {
        let text =
            format!("ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\n{last}\nmov r0, t3");
        let inputs = D3d9Inputs { floats: &[eye], ..D3d9Inputs::default() };
        let state = run_with(&text, &inputs, |state| {
            state.set(ShaderFile::Texture.at(0), 0, [1.0, 0.0, 0.0, 1.0]);
            state.set(ShaderFile::Texture.at(1), 0, [0.5, 0.0, 0.0, 1.0]);
            state.set(ShaderFile::Texture.at(2), 0, [0.5, 0.0, 0.0, 0.0]);
        });
        assert_eq!(state.lane(ShaderFile::Color.at(0), 0), [0.0, 1.0, 0.0, 1.0], "{last}");
    }
}

#[test]
fn runs_are_bounded() {
    let program = assemble("vs_3_0\ndefi i0, 255, 0, 1, 0\ndcl_position o0\nrep i0\nrep i0\nrep i0\nrep i0\nadd r0, r0, c0\nendrep\nendrep\nendrep\nendrep\nmov o0, r0").unwrap();
    let compiled = CompiledShader::new(&program).unwrap();
    let steps = 1000;
    let mut state = compiled.state();
    let ended = compiled.run(&mut state, &D3d9Inputs::default(), &NoTextures, steps, &mut ());
    assert_eq!(ended, Err(D3d9RunError::Steps(1000)));
    let program = assemble("ps_3_0\ncall l0\nret\nlabel l0\ncall l0\nret").unwrap();
    let compiled = CompiledShader::new(&program).unwrap();
    let ended = compiled.run(&mut state, &D3d9Inputs::default(), &NoTextures, steps, &mut ());
    assert_eq!(ended, Err(D3d9RunError::Depth));
    for text in [
        "ps_3_0\nelse",
        "ps_3_0\nif b0",
        "ps_3_0\ncall l0",
        "ps_3_0\nbreak",
        "ps_3_0\nif b0\nendrep",
        "ps_3_0\n.words 0x02000063",
    ] {
        assert!(CompiledShader::new(&assemble(text).unwrap()).is_err(), "{text}");
    }
}

#[test]
fn steps_are_shown() {
    #[derive(Default)]
    struct Trace(Vec<(u32, Option<String>)>);
    impl RunObserver<Direct3D9> for Trace {
        fn step(&mut self, step: &D3d9TraceStep) {
            let text = step.written.map(|it| format!("{} = {:?}", it.register, it.value.lane(0)));
            self.0.push((step.instruction, text));
        }
    }
    let compiled = CompiledShader::new(
        &assemble("ps_2_0\ndef c0, 1, 2, 3, 4\nmov r0, c0\nmov oC0, r0").unwrap(),
    )
    .unwrap();
    let mut trace = Trace::default();
    compiled
        .run(&mut compiled.state(), &D3d9Inputs::default(), &NoTextures, MAX_STEPS, &mut trace)
        .unwrap();
    assert_eq!(
        trace.0,
        [
            (2, Some("r0 = [1.0, 2.0, 3.0, 4.0]".into())),
            (3, Some("oC0 = [1.0, 2.0, 3.0, 4.0]".into()))
        ]
    );
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        (0u32..97, 0u32..5, 0u32..8).prop_map(|(op, len, control)| op | len << 24 | control << 16),
        (0u32..8, 0u32..6, 0u32..256, 0u32..2).prop_map(
            |(kind, number, swizzle, high)| 0x8000_0000
                | kind << 28
                | number
                | swizzle << 16
                | high << 11
        ),
        any::<u32>(),
    ]
}

proptest! {
    #[test]
    fn any_shader_ends(version in 0..d3d9::ShaderVersion::ALL.len(), body in prop::collection::vec(word(), 0..48)) {
        let mut words = vec![d3d9::ShaderVersion::ALL[version].word()];
        words.extend(body);
        let program = d3d9::D3d9Program::from_words(&words).unwrap();
        if let Ok(compiled) = CompiledShader::new(&program) {
            let steps = 1000;
            let inputs = D3d9Inputs { integers: &[[3, 0, 1, 0]; 16], ..D3d9Inputs::default() };
            let _ = compiled.run(&mut compiled.state(), &inputs, &Echo, steps, &mut ());
        }
    }
}

/// Blocks that nest deeper than any version allows aren't tracked, because each instruction visits all open blocks.
#[test]
fn blocks_are_nested_up_to_a_limit() {
    let findings = |text: &str| {
        let report = check(&assemble(text).unwrap(), &Caps::MAX);
        report.findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for (depth, runs) in [(64, true), (65, false), (1000, false)] {
        let text = |ends| format!("ps_3_0\n{}{}", "if b0\n".repeat(depth), "endif\n".repeat(ends));
        assert_eq!(CompiledShader::new(&assemble(&text(depth)).unwrap()).is_ok(), runs, "{depth}");
        let closed = findings(&text(depth));
        assert!(closed.iter().any(|finding| finding.contains("static conditionals")));
        assert!(!closed.iter().any(|finding| finding.contains("not closed")), "{closed:?}");
        let open = findings(&text(1));
        let last = format!("{} blocks are not closed at the end", depth - 1);
        assert!(open.iter().any(|finding| finding.contains(&last)), "{open:?}");
    }
}
