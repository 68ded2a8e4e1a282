//! Time, memory and text of any shader are bounded by its size: numbers that are too large, and many of everything.

use std::fmt::Write;
use std::time::{Duration, Instant};

use hs50::check::{MAX_FINDINGS, Options, Report, check};
use hs50::container::Checksum;
use hs50::shader::Shader;
use hs50::signature::Element;
use hs50::text::assemble;

/// Repetitions of what is declared or written many times.
const MANY: u32 = 300_000;
/// Time for a check of that many; what compares each with each other takes minutes in a build for tests.
const TIME: Duration = Duration::from_secs(10);

/// Isolines whose fork phase has these declarations, after `r0`, and this code.
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

fn shader(declarations: &str, code: &str) -> Shader {
    assemble(&text(declarations, code)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn checked(shader: &Shader) -> Report {
    check(shader, Options::default()).unwrap()
}

fn glsl(shader: &Shader) -> String {
    let hull = checked(shader).valid();
    let hull = hull.unwrap_or_else(|report| panic!("{:?}", report.findings));
    hs50::glsl::emit(&hull, hs50::glsl::Options::default()).unwrap().control
}

/// A signature may claim any register; blocks and arrays have as many elements as the highest one.
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
            let read = Shader::read(bytes, Checksum::Verify).unwrap();
            assert_eq!(read, whole);
            let report = checked(&read);
            let messages: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            let expected = format!(
                "of the {title} signature is in register {register}, past the last one, 31"
            );
            assert!(messages.len() == 1 && messages[0].ends_with(&expected), "{messages:?}");
            let hull = report.hull();
            let registers = [hull.input_registers, hull.output_registers, hull.patch_registers];
            assert!(registers.iter().all(|registers| *registers <= 32));
            assert!(report.valid().is_err());
        }
    }
}

/// Elements without a register, such as system values of other stages, are none.
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

/// An index within an index takes a variable: the text grows by as much for each.
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
    // The variable is there before the statement that needs it.
    let text = nested(2, "mov r0.x, INDEX\n");
    for line in [
        "    uint i0 = (r0.xxxx.x + 1u);",
        "    uint i1 = ((i0 < 4u ? x0[min(i0, 4u - 1u)] : uvec4(0u)).xxxx.x + 1u);",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
}

/// Words of buffers are read by an address that is computed once.
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

/// A line for each number.
fn lines(line: impl Fn(u32) -> String) -> String {
    (0..MANY).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", line(number));
        text
    })
}

#[test]
fn many_of_everything_are_checked_in_time() {
    let cases = lines(|number| format!("case l({number})"));
    for (what, declarations, code) in [
        ("ranges", lines(|number| format!("dcl_indexrange o{number}.x 1")), String::new()),
        (
            "overlapping ranges",
            lines(|number| format!("dcl_indexrange o{number}.x 2")),
            String::new(),
        ),
        ("cases", String::new(), format!("switch r0.x\n{cases}break \nendswitch \n")),
        ("outputs", lines(|number| format!("dcl_output o{}.x", number + 2)), String::new()),
        ("outputs again", lines(|_| "dcl_output o2.x".to_owned()), String::new()),
        ("arrays", lines(|number| format!("dcl_indexableTemp x{number}[1], 4")), String::new()),
        (
            "inputs",
            lines(|_| "dcl_input vicp[1][0].x".to_owned()),
            lines(|_| "mov r0.x, vicp[0][0].x".to_owned()),
        ),
        ("phases", String::new(), "ret \n".to_owned() + &lines(|_| "hs_fork_phase ".to_owned())),
        ("blocks", String::new(), lines(|_| "if_nz r0.x".to_owned())),
        (
            "labels",
            String::new(),
            "ret \n".to_owned() + &lines(|number| format!("label label{number}\nret ")),
        ),
    ] {
        let shader = shader(&declarations, &code);
        let start = Instant::now();
        let report = checked(&shader);
        let (findings, took) = (report.findings.len(), start.elapsed());
        eprintln!("{what}: {findings} findings in {took:?}");
        assert!(findings <= MAX_FINDINGS, "{what}");
        assert!(took < TIME, "{what}: {took:?}");
    }
}

/// Each of many values leads to its case.
#[test]
fn a_switch_finds_its_case_in_time() {
    use hs50::interp::{Inputs, RunError, run};
    let cases = lines(|number| format!("case l({number})"));
    let code =
        format!("loop \nswitch l(-1)\n{cases}break \ndefault \nbreak \nendswitch \nendloop \n");
    let hull = checked(&shader("", &code)).valid().unwrap();
    let inputs = Inputs { control_points: &[Vec::new()], primitive_id: 0, resources: &() };
    let start = Instant::now();
    let options = hs50::interp::Options { max_steps: 2_000_000, ..Default::default() };
    assert_eq!(run(&hull, &inputs, options, &mut |_| {}), Err(RunError::Steps(2_000_000)));
    assert!(start.elapsed() < TIME, "{:?}", start.elapsed());
}
