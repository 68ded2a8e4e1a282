//! Tests the GLSL interface, and reads outside of textures, which are undefined in GLSL and 0 in Direct3D.

use hs50::check::{CheckOptions, check};
use hs50::interp::{HullInputs, HullResources, RunOptions, TextureSample, run};
use hs50::text::assemble;

/// Returns the translation of an `ld` from a texture with this dimension.
fn load(dimension: &str) -> String {
    let text = format!(
        "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n// SV_TessFactor 1 x 1 LINEDET float x\n\
         hs_5_0\nhs_decls \ndcl_input_control_point_count 1\ndcl_output_control_point_count 0\n\
         dcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\n\
         dcl_tessellator_output_primitive output_line\ndcl_globalFlags refactoringAllowed\n\
         dcl_resource_{dimension} (uint,uint,uint,uint) t0\nhs_fork_phase \n\
         dcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_temps 1\n\
         mov o0.x, l(1.000000)\nmov o1.x, l(1.000000)\nmov r0.xyzw, l(0,0,0,0)\nld r0.xyzw, r0.xyzw, t0.xyzw\nret \n"
    );
    let shader = assemble(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let report = check(&shader, CheckOptions::default()).unwrap();
    let hull = report.valid().unwrap_or_else(|report| panic!("{:?}", report.findings));
    hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()).unwrap().control
}

/// The translation checks the upper bound of each coordinate. Mip levels halve all axes except the layer.
/// [hs50.value.beyond] [hs50.gl.reads]
#[test]
fn loads_are_bounded_on_every_axis() {
    for (dimension, size) in [
        ("texture1d", "int(textureSize(t0, 0)) >> int(l1)"),
        ("texture2d", "ivec2(textureSize(t0, 0)) >> ivec2(l1, l1)"),
        ("texture3d", "ivec3(textureSize(t0, 0)) >> ivec3(l1, l1, l1)"),
        ("texture1darray", "ivec2(textureSize(t0, 0)) >> ivec2(l1, 0)"),
        ("texture2darray", "ivec3(textureSize(t0, 0)) >> ivec3(l1, l1, 0)"),
    ] {
        let text = load(dimension);
        assert!(text.contains(size), "{dimension}: {text}");
        assert!(text.contains("lessThan(p2, ") || text.contains("p2 < s3"), "{text}");
    }
}

/// Resources whose values encode the registers that were read.
struct Names;

impl HullResources for Names {
    fn word(&self, slot: u32, word: u32) -> Option<u32> {
        Some(100 * slot + word)
    }
    fn texel(&self, slot: u32, _: [i32; 4], _: u32) -> [u32; 4] {
        [200 + slot; 4]
    }
    fn sample(&self, request: &TextureSample) -> [u32; 4] {
        [1000 * request.sampler + request.resource; 4]
    }
}

/// Dynamic indices select among the declared t# and s#. Undeclared registers read as 0 and record an
/// undefined-behaviour diagnostic. [hs50.resource.chosen]
#[test]
fn registers_choose_resources() {
    let shader = assemble(include_str!("programs/chosen.hs50")).unwrap();
    let report = check(&shader, CheckOptions::default()).unwrap();
    assert_eq!(report.findings, []);
    let hull = report.valid().unwrap();
    for (primitive_id, expected, undeclared) in [
        // For index 0, the shader reads buffer t1, loads t0, samples t0 with s-2, and samples t4 with s0.
        (0, [101, 200, 0, 4], vec!["s[r0.x + -2] at 4294967294"]),
        (2, [301, 0, 0, 2004], vec!["t[r0.x + 0] at 2", "t[r0.x + 0] at 2"]),
        (4, [0, 204, 2004, 0], vec!["t[r0.x + 1] at 5", "s[r0.x + 0] at 4"]),
        (6, [701, 0, 0, 0], vec!["t[r0.x + 0] at 6", "t[r0.x + 0] at 6", "s[r0.x + 0] at 6"]),
    ] {
        let control_points = vec![Vec::new()];
        let inputs =
            HullInputs { control_points: &control_points, primitive_id, resources: &Names };
        let outcome = run(&hull, &inputs, RunOptions::default(), &mut |_| {}).unwrap();
        assert_eq!(outcome.patch_constants[2], expected, "{primitive_id}");
        let notes: Vec<_> = outcome.notes.iter().map(|note| note.message.as_str()).collect();
        let undeclared: Vec<_> =
            undeclared.iter().map(|at| format!("{at} is not declared, so it reads as 0")).collect();
        assert_eq!(notes, undeclared, "{primitive_id}");
    }
    let text = hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()).unwrap().control;
    for choice in [
        "uint i0 = (r0.xxxx.x + 1u);",
        "(i0 == 7u ? uvec4(",
        "(i0 == 3u ? uvec4(",
        "(i0 == 1u ? uvec4(",
        "textureLod(t4_s2, ",
        "textureLod(t0_s0, ",
        " == 4u && i",
    ] {
        assert!(text.contains(choice), "{choice}: {text}");
    }
    assert!(!text.contains("i0 == 0u"), "a texture is no buffer: {text}");
}

/// GLSL needs a read for each selectable resource, so the translation rejects a read that can select too many
/// resources. [hs50.resource.chosen]
#[test]
fn choices_are_limited() {
    let choices = |samplers: u32| {
        let declared = (3..samplers + 1).map(|n| format!("dcl_sampler s{n}, mode_default\n"));
        let text = include_str!("programs/chosen.hs50");
        let all = declared.collect::<String>() + "dcl_resource_raw t1\n";
        let shader = assemble(&text.replace("dcl_resource_raw t1\n", &all)).unwrap();
        let hull = check(&shader, CheckOptions::default()).unwrap().valid().unwrap();
        hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()).map(drop)
    };
    assert_eq!(choices(8), Ok(()));
    let message = "a choice between more than 16 t# and s# is not supported";
    assert!(choices(9).unwrap_err().to_string().ends_with(message));
}

/// All outputs from which a domain shader may compute positions are invariant, in both dialects. [hs50.gl.invariant]
#[test]
fn outputs_are_invariant() {
    let shader = assemble(include_str!("programs/whole.hs50")).unwrap();
    let hull = check(&shader, CheckOptions::default()).unwrap().valid().unwrap();
    for dialect in hs50::glsl::DIALECTS {
        let options = hs50::glsl::HullGlslOptions { dialect, ..Default::default() };
        let text = hs50::glsl::emit(&hull, options).unwrap().control;
        for line in [
            "invariant gl_TessLevelOuter;",
            "invariant gl_TessLevelInner;",
            "out HsOut { invariant uvec4 e[2]; } vocp[];",
            "patch out HsPatch { invariant uvec4 c[8]; } pc;",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}: {text}");
        }
    }
}
