//! Arithmetic with zeros, infinities and NaN under the float rules of Direct3D 9 and of IEEE 754: interpreter and GLSL.

use agal::interp::TexelImage;
use agal::sampler::{Dimension, Filter, Mip, SamplerFormat, SamplerOp, Wrap};
use agal_core::glsl::Dialect;
use d3d9::float::FloatRules::{self, Direct3D9, Ieee};
use d3d9::glsl::{D3d9GlslOptions, emit};
use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, NoTextures, SamplerImages};
use d3d9::register::ShaderFile;
use d3d9::text::assemble;

const LARGEST: f32 = f32::MAX;
const INFINITY: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Runs a vertex shader with c0 = (0, -0, infinity, NaN) and c1 = (1, -1, 128, 2); returns x of the position.
fn computed(version: &str, body: &str, rules: FloatRules) -> f32 {
    let program = assemble(&format!("{version}\n{body}\nmov oPos, r0")).unwrap();
    let compiled = CompiledShader::new(&program).unwrap().with_float_rules(rules);
    let mut state = compiled.state();
    let floats = [[0.0, -0.0, INFINITY, NAN], [1.0, -1.0, 128.0, 2.0]];
    let inputs = D3d9Inputs { floats: &floats, ..D3d9Inputs::default() };
    compiled.run(&mut state, &inputs, &NoTextures, MAX_STEPS, &mut ()).unwrap();
    state.lane(ShaderFile::Position.at(0), 0)[0]
}

/// [d3d9.value.zero] [d3d9.value.rsq] [d3d9.value.nrm] [agal.float.zero_times] [d3d9.value.min] [d3d9.value.compare]
/// [d3d9.value.lit] [d3d9.value.expp] [d3d9.value.logp] [agal.float.rules] [agal.float.sums]
#[test]
fn results_at_the_edges() {
    for (body, limited, ieee) in rows! {
        "rcp r0, c0.x", LARGEST, INFINITY;
        "rcp r0, c0.y", -LARGEST, -INFINITY;
        "rcp r0, c0.z", 0.0, 0.0;
        "rcp r0, c0.w", -LARGEST, NAN;
        "rsq r0, c0.x", LARGEST, INFINITY;
        "rsq r0, c0.z", 0.0, 0.0;
        "rsq r0, c0.w", LARGEST, NAN;
        "log r0, c0.x", -LARGEST, -INFINITY;
        "log r0, c0.z", LARGEST, INFINITY;
        "log r0, c0.w", -LARGEST, NAN;
        "logp r0, c0.x", -LARGEST, -INFINITY;
        "exp r0, c1.z", LARGEST, INFINITY;
        "exp r0, -c0.z", 0.0, 0.0;
        "exp r0, c0.w", LARGEST, NAN;
        "expp r0, c1.z", LARGEST, INFINITY;
        "pow r0, c0.x, c0.x", 1.0, 1.0;
        "pow r0, c0.z, c0.x", 1.0, 1.0;
        "pow r0, c0.x, c1.y", LARGEST, INFINITY;
        "pow r0, c0.x, c1.x", 0.0, 0.0;
        "pow r0, c1.z, c1.z", LARGEST, INFINITY;
        "nrm r0, c0.x", 0.0, 0.0;
        "mov r1, c0.zxxx\nnrm r0.xyz, r1", NAN, NAN;
        // The w component of `nrm` may overflow.
        "mov r1, c0.x\nmov r1.w, c1.w\nnrm r0, r1\nmov r0, r0.w", LARGEST, 0.0;
        "lit r0, c0.xzxx\nmov r0, r0.z", 0.0, 0.0;
        "mov r1, c1.xxxw\nmov r1.y, c0.z\nlit r0, r1\nmov r0, r0.z", LARGEST, INFINITY;
        "rcp r1, c0.x\nmul r0, r1, c0.x", 0.0, NAN;
        "rcp r1, c0.x\nmul r0, r1, c1.w", LARGEST, INFINITY;
        // Interpolates between the largest float and its negative with factor 0.
        "rcp r1, c0.x\nlrp r0, c0.x, -r1, r1", LARGEST, NAN;
        // The results of sums and products are also clamped after a branch that isn't taken, and in the next iteration
        // of a loop.
        "rcp r1, c0.x\nif b0\nmov r1, c1.x\nendif\nmul r0, r1, c1.w", LARGEST, INFINITY;
        "rcp r1, c0.x\nif b0\nmov r1, c0.z\nelse\nmov r1, c0.z\nendif\nmul r0, r1, c1.w", INFINITY, INFINITY;
        "defi i0, 2, 0, 0, 0\nmov r1, c1.x\nrep i0\nmul r0, r1, c1.w\nrcp r1, c0.x\nendrep", LARGEST, INFINITY;
        "mul r0, c0.x, c0.z", NAN, NAN;
        "min r0, c0.w, c1.x", 1.0, 1.0;
        "min r0, c1.x, c0.w", NAN, NAN;
        "max r0, c0.w, c1.x", 1.0, 1.0;
        "max r0, c1.x, c0.w", NAN, NAN;
        "slt r0, c0.w, c1.x", 0.0, 0.0;
        "sge r0, c0.w, c1.x", 0.0, 0.0;
    } {
        for (rules, expected) in [(Direct3D9, limited), (Ieee, ieee)] {
            let found = computed("vs_2_0", body, rules);
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{body} by {rules}: {found}, not {expected}");
        }
    }
    let kept = "setp_lt p0, c0.x, c0.x\nrcp r1, c0.x\n(p0) mov r1, c1.x\nmul r0, r1, c1.w";
    assert_eq!(computed("vs_2_x", kept, Direct3D9), LARGEST);
    let partial = "expp r1, c1.z\nmov r0, r1.z";
    assert_eq!(computed("vs_1_1", partial, Direct3D9), LARGEST);
    assert_eq!(computed("vs_1_1", partial, Ieee), INFINITY);
}

fn glsl(text: &str, rules: FloatRules) -> String {
    let target = D3d9GlslOptions { float_rules: rules, ..D3d9GlslOptions::new(Dialect::Glsl330) };
    emit(&assemble(text).unwrap(), &target).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// [agal.float.rules] [agal.float.sums] [d3d9.value.quotient]
#[test]
fn the_largest_float_is_the_limit_in_glsl() {
    let vertex = "vs_2_0\ndcl_position v0\n@\nmov oPos, r0.x";
    let pixel = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\n@\nmov oC0, r0";
    for (frame, body, limited, ieee) in rows! {
        vertex, "rcp r0, v0.x", "vec4(clamp(1.0 / v0.x, -M, M));", "vec4(1.0 / v0.x);";
        vertex, "rsq r0.x, v0.x", "min(inversesqrt(abs(v0.x)), M);", " inversesqrt(abs(v0.x));";
        vertex, "log r0.x, v0.x", "clamp(log2(abs(v0.x)), -M, M);", " log2(abs(v0.x));";
        vertex, "logp r0.x, v0.x", "clamp(log2(abs(v0.x)), -M, M);", " log2(abs(v0.x));";
        vertex, "exp r0.x, v0.x", "min(exp2(v0.x), M);", " exp2(v0.x);";
        vertex, "expp r0.x, v0.x", "min(exp2(v0.x), M);", " exp2(v0.x);";
        "vs_1_1\ndcl_position v0\n@\nmov oPos, r0.x", "expp r0, v0.x",
            "vec4(min(exp2(floor(v0.x)), M), fract(v0.x), min(exp2(v0.x), M), 1.0);",
            "vec4(exp2(floor(v0.x)), fract(v0.x), exp2(v0.x), 1.0);";
        vertex, "pow r0, v0.x, v0.y", "return min(exp2(clamp(log2(abs(a)), -M, M) * b), M);",
            "return b == 0.0 ? 1.0 : pow(abs(a), b);";
        vertex, "lit r0, v0", "return min(exp2(clamp(log2(abs(a)), -M, M) * b), M);",
            "return b == 0.0 ? 1.0 : pow(abs(a), b);";
        vertex, "rcp r0.x, v0.x\nmul r0.x, r0.x, v0.y", " clamp(r0.x * v0.y, -M, M);", " r0.x * v0.y;";
        vertex, "rcp r0.x, v0.x\nlrp r0.x, r0.x, v0.y, v0.z",
            "clamp(v0.z + r0.x * clamp((v0.y - v0.z), -M, M), -M, M);", "= v0.z + r0.x * (v0.y - v0.z);";
        vertex, "nrm r0, v0", "return v * min(inversesqrt(d), M);",
            "return d > 0.0 ? v * inversesqrt(d) : vec4(0.0);";
        pixel, "texldp r0, v0, s0", "texture(ps0, clamp(v0.xy * clamp(1.0 / v0.w, -M, M), -M, M));",
            "texture(ps0, v0.xy / v0.w);";
        "ps_1_4\n@\nmov r0, r5.x", "texcrd r5.xy, t0_dw.xyww",
            "(clamp(t0 * clamp(1.0 / t0.w, -M, M), -M, M))", "(t0 / t0.w)";
        "ps_1_4\ntexcrd r5.xyz, t0\nphase\n@\nmov r0, c0", "texdepth r5",
            "r5.y == 0.0 ? 1.0 : clamp(r5.x * clamp(1.0 / r5.y, -M, M), -M, M)", "1.0 : r5.x / r5.y";
    } {
        for (rules, part) in [(Direct3D9, limited), (Ieee, ieee)] {
            let part = part.replace('M', "3.4028234e38");
            let text = glsl(&frame.replace('@', body), rules);
            assert!(text.contains(&part), "{part}: {text}");
        }
    }
}

/// [d3d9.raster.depth]
#[test]
fn depth_is_limited_where_it_is_drawn() {
    let text = "ps_2_0\ndef c0, 2, 0, 0, 0\nmov r0, c0\nmov oC0, r0\nmov oDepth, r0.x";
    assert!(glsl(text, Direct3D9).contains("gl_FragDepth = clamp(oDepth.x, 0.0, 1.0);"));
    let compiled = CompiledShader::new(&assemble(text).unwrap()).unwrap();
    let mut state = compiled.state();
    compiled.run(&mut state, &D3d9Inputs::default(), &NoTextures, MAX_STEPS, &mut ()).unwrap();
    assert_eq!(state.lane(ShaderFile::Depth.at(0), 0)[0], 2.0);
}

/// [d3d9.texture.nan]
#[test]
fn a_coordinate_may_be_no_number() {
    let text = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0";
    let compiled = CompiledShader::new(&assemble(text).unwrap()).unwrap();
    let texels = [1.0, 2.0, 3.0, 4.0].map(|level| [level; 4]).to_vec();
    let image = TexelImage::new(Dimension::TwoD.faces(), (2, 2), vec![texels]).unwrap();
    for (filter, y, expected) in rows! {
        Filter::Nearest, 0.25, 1.0;
        Filter::Nearest, 0.75, 3.0;
        Filter::Linear, 0.25, NAN;
    } {
        let sampler = SamplerOp {
            register: 0,
            lod_bias: 0,
            format: SamplerFormat::Rgba,
            dimension: Dimension::TwoD,
            centroid: false,
            single: false,
            ignore_sampler: false,
            wrap: Wrap::Clamp,
            mip: Mip::None,
            filter,
        };
        let mut state = compiled.state();
        state.set(ShaderFile::Texture.at(0), 0, [NAN, y, 0.0, 0.0]);
        let textures = [Some((image.clone(), sampler))];
        compiled
            .run(&mut state, &D3d9Inputs::default(), &SamplerImages(&textures), MAX_STEPS, &mut ())
            .unwrap();
        let [found, ..] = state.lane(ShaderFile::Color.at(0), 0);
        assert!(found == expected || found.is_nan() && expected.is_nan(), "{y}: {found}");
        // A cube image can't be bound to a sampler of 2D textures.
        let cube = [Some((TexelImage::constant(Dimension::Cube.faces(), [0.5; 4]), sampler))];
        compiled
            .run(&mut state, &D3d9Inputs::default(), &SamplerImages(&cube), MAX_STEPS, &mut ())
            .unwrap();
        assert_eq!(state.lane(ShaderFile::Color.at(0), 0), [0.0, 0.0, 0.0, 1.0]);
    }
}
