//! Reads beyond a texture: what GLSL leaves undefined gives 0 in Direct3D.

use hs50::check::{Options, check};
use hs50::text::assemble;

/// The translation of an `ld` from a texture of this dimension.
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
    let report = check(&shader, Options::default()).unwrap();
    let hull = report.valid().unwrap_or_else(|report| panic!("{:?}", report.findings));
    hs50::glsl::emit(&hull, hs50::glsl::Options::default()).unwrap().control
}

/// Every coordinate has an upper bound; levels halve all of them but the layer.
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
