//! Subroutines: execution, translation to GLSL, and errors that the checker reports.

use hs50::check::{CheckOptions, check};
use hs50::interp::{HullInputs, run};
use hs50::shader::HullProgramShader;
use hs50::text::{HullListing, assemble, listing};

/// A fork phase that calls two subroutines, one of them nested, and writes `r0` to its patch constant.
const CODE: &str = "mov r0.x, l(1)\ncall label0\ncallc_z r0.y, label1\ncallc_nz r0.x, label1\nmov o2.xyzw, r0.xyzw\nret \n\
    label label0\niadd r0.x, r0.x, l(1)\ncall label1\nret \nlabel label1\niadd r0.x, r0.x, l(2)\nif_nz l(0)\nret \nendif \n\
    iadd r0.z, r0.z, l(1)\nret \n";

fn shader(code: &str) -> HullProgramShader {
    let text = format!(
        "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n// SV_TessFactor 1 x 1 LINEDET float x\n\
         // DATA 0 xyzw 2 NONE uint xyzw\nhs_5_0\nhs_decls \ndcl_input_control_point_count 1\n\
         dcl_output_control_point_count 0\ndcl_tessellator_domain domain_isoline\n\
         dcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\n\
         hs_fork_phase \ndcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\n\
         mov o0.x, l(1.000000)\nmov o1.x, l(1.000000)\nret \n\
         hs_fork_phase \ndcl_output o2.xyzw\ndcl_temps 1\n{code}"
    );
    assemble(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn errors(code: &str) -> String {
    let report = check(&shader(code), CheckOptions::default()).unwrap();
    let findings = report.findings.iter().map(ToString::to_string);
    findings.collect::<Vec<_>>().join("; ")
}

/// [hs50.opcode.subroutines]
#[test]
fn calls_return() {
    let shader = shader(CODE);
    let text = listing(&shader, HullListing { signatures: true, exact: true });
    assert_eq!(assemble(&text).unwrap().program, shader.program, "{text}");
    let hull = check(&shader, CheckOptions::default()).unwrap().valid().unwrap();
    let inputs = HullInputs { control_points: &[Vec::new()], primitive_id: 0, resources: &() };
    let outcome = run(&hull, &inputs, hs50::interp::RunOptions::default(), &mut |_| {}).unwrap();
    // `r0.x` starts at 1. The call of label0 adds 1 + 2 to `r0.x`, and each direct call of label1 adds 2.
    assert_eq!(outcome.patch_constants[2], [8, 0, 3, 0]);
    assert_eq!(outcome.notes, []);
    let glsl = hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()).unwrap().control;
    for line in [
        "uvec4 fork1_r0;",
        "void fork1_label1(uint instance);",
        "    fork1_label0(instance);",
        "void fork1_label0(uint instance) {",
    ] {
        assert!(glsl.lines().any(|own| own == line), "{line}: {glsl}");
    }
}

#[test]
fn what_can_not_be_called_is_refused() {
    for (code, message) in [
        ("call label1\nret \n", "the phase has no label1"),
        ("label label0\nret \n", "label0 must follow a ret"),
        ("ret \nlabel label0\nret \nlabel label0\nret \n", "label0 is defined twice"),
        ("call label0\nret \nlabel label0\ncall label0\nret \n", "deep or recurse"),
        (
            "ret \nlabel label0\ncall label1\nret \nlabel label1\ncall label0\nret \n",
            "deep or recurse",
        ),
        ("if_nz l(1)\nret \nlabel label0\nendif \nret \n", "label is inside if"),
    ] {
        let told = errors(code);
        assert!(told.contains(message), "{code}: {told}");
    }
}
