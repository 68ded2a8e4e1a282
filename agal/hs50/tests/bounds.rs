//! The memory usage and output size for any shader are bounded by the shader's size. Tests large numbers and many
//! declarations. `harness/tests/growth.rs` tests the growth of run time.

use hs50::check::{CheckOptions, HullReport, MAX_FINDINGS, check};
use hs50::container::Checksum;
use hs50::shader::HullProgramShader;
use hs50::signature::Element;
use hs50::text::assemble;

/// Returns an isoline hull shader whose fork phase has these declarations (in addition to `r0`) and this code.
fn text(declarations: &str, code: &str) -> String {
    format!(
        "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n// SV_TessFactor 1 x 1 LINEDET float x\n\
         hs_5_0\nhs_decls \ndcl_input_control_point_count 1\n\
         dcl_output_control_point_count 0\ndcl_tessellator_domain domain_isoline\n\
         dcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\n\
         dcl_globalFlags refactoringAllowed\nhs_fork_phase \ndcl_output_siv o0.x, finalLineDensityTessFactor\n\
         dcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_temps 1\n{declarations}\
         mov o0.x, l(1.000000)\nmov o1.x, l(1.000000)\nmov r0.xyzw, l(0,0,0,0)\n{code}ret \n"
    )
}

fn shader(declarations: &str, code: &str) -> HullProgramShader {
    assemble(&text(declarations, code)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn checked(shader: &HullProgramShader) -> HullReport {
    check(shader, CheckOptions::default()).unwrap()
}

fn glsl(shader: &HullProgramShader) -> String {
    let hull = checked(shader).valid();
    let hull = hull.unwrap_or_else(|report| panic!("{:?}", report.findings));
    hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()).unwrap().control
}

/// A signature may contain any register number; GLSL blocks and arrays have as many elements as the highest one.
#[test]
fn signature_registers_are_limited() {
    for (number, title) in ["input", "output", "patch constant"].into_iter().enumerate() {
        for register in [32, 3_000_000, u32::MAX - 1] {
            let mut whole = shader("", "");
            let element = Element {
                name: "FOO".to_owned(),
                component_type: 3,
                register,
                mask: 1,
                ..Element::default()
            };
            let patch = whole.patch_constant.as_mut().unwrap();
            let signatures = [&mut whole.input, &mut whole.output, patch];
            signatures[number].elements.push(element);
            let bytes = whole.to_container().bytes().to_vec();
            assert!(bytes.len() < 1024);
            let read = HullProgramShader::read(bytes, Checksum::Verify).unwrap();
            assert_eq!(read, whole);
            let report = checked(&read);
            let messages: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            let expected = format!(
                "of the {title} signature is in register {register}, past the last one, 31"
            );
            assert!(messages.len() == 1 && messages[0].ends_with(&expected), "{messages:?}");
            let hull = &report.facts;
            let registers = [hull.input_registers, hull.output_registers, hull.patch_registers];
            assert!(registers.iter().all(|registers| *registers <= 32));
            assert!(report.valid().is_err());
        }
    }
}

/// Signature elements without a register, such as system values of other stages, are not declared in GLSL.
#[test]
fn elements_need_no_register() {
    let mut whole = shader("", "");
    whole.input.elements.push(Element {
        name: "SV_PrimitiveID".to_owned(),
        register: hs50::signature::NO_REGISTER,
        ..Element::default()
    });
    assert_eq!(checked(&whole).findings, []);
}

/// Nested indices use variables, so the code grows linearly with the nesting depth.
#[test]
fn nested_indices_add_up() {
    let nested = |depth: usize, code: &str| {
        let index = (0..depth).fold("r0.x".to_owned(), |inner, _| format!("x0[{inner} + 1].x"));
        glsl(&shader(
            "dcl_indexableTemp x0[4], 4\n",
            &format!("mov x0[0].xyzw, r0.xyzw\n{}", code.replace("INDEX", &index)),
        ))
    };
    for code in [
        "mov r0.x, INDEX\n",
        "mov x0[INDEX + 0].x, INDEX\n",
        "if_nz INDEX\nendif \n",
        "switch INDEX\ndefault \nbreak \nendswitch \n",
        "loop \nbreakc_nz INDEX\nendloop \n",
    ] {
        let lengths: Vec<usize> = (1..8).map(|depth| nested(depth, code).len()).collect();
        for pair in lengths.windows(2) {
            assert!(pair[1] - pair[0] < 400, "{code}: {lengths:?}\n{}", nested(2, code));
        }
    }
    // The variable is declared before the statement that reads it.
    let text = nested(2, "mov r0.x, INDEX\n");
    for line in [
        "    uint i0 = (r0.xxxx.x + 1u);",
        "    uint i1 = ((i0 < 4u ? x0[min(i0, 4u - 1u)] : uvec4(0u)).xxxx.x + 1u);",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
}

#[test]
fn addresses_are_computed_once() {
    let lengths = [1, 2].map(|count| {
        let address = (0..count).fold("r0.x".to_owned(), |inner, _| format!("x0[{inner} + 1].x"));
        let code = format!("ld_structured r0.xyzw, {address}, {address}, t0.xyzw\n");
        let declarations = "dcl_indexableTemp x0[4], 4\nmov x0[0].xyzw, l(0,0,0,0)\n";
        let text = text(declarations, &code);
        let text = text.replace("hs_fork_phase", "dcl_resource_structured t0, 16\nhs_fork_phase");
        glsl(&assemble(&text).unwrap_or_else(|errors| panic!("{errors}"))).len()
    });
    assert!(lengths[1] - lengths[0] < 800, "{lengths:?}");
}

#[test]
fn findings_are_limited() {
    for code in ["mov r1.x, l(0)\n", "if_nz r0.x\n", "label label0\nret \n"] {
        let report = checked(&shader("", &code.repeat(10 * MAX_FINDINGS)));
        assert!((1..=MAX_FINDINGS).contains(&report.findings.len()), "{code}");
    }
}
