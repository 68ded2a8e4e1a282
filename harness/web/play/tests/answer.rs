//! Tests the playground's answers: verdicts with lines, translations, steps, and sources that are not programs.

use molehill_playground::{
    MAX_SOURCE, PageSettings, PlayAnswer, PlaySource, SettingLists, answer, play,
};

const PAIR: &str = "\
// a comment
// version: 2
// vertex
m44 op, va0, vc0

mov v0, va1 // the coordinates
// fragment
tex ft0, v0, fs0 <2d,linear>
ife ft0.x, fc0.x
    div ft0, ft0, fc1
eif
mov oc, ft0
";

fn of_text(text: &str, settings: &str) -> PlayAnswer {
    answer(&PlaySource::Text(text), &PageSettings::read(settings))
}

/// Returns the texts of a panel as one string.
fn joined(panel: &molehill_playground::Panel) -> String {
    let texts = panel.as_ref().expect("the panel has texts").iter();
    texts.map(|it| format!("{}\n{}\n", it.title, it.text)).collect()
}

#[test]
fn a_pair_is_translated_and_run() {
    let answer = of_text(PAIR, "fc0=1\nfc1=0,0,0,0\ndialect=300es\n");
    assert_eq!(answer.problems, []);
    assert_eq!(
        answer.programs,
        ["vertex program, AGAL 2, 2 tokens", "fragment program, AGAL 2, 5 tokens"]
    );
    assert!(joined(&answer.listing).contains("m44 op, va0, vc0"));
    assert!(joined(&answer.glsl).contains("fragment shader\n#version 300 es"));
    assert!(joined(&answer.wgsl).contains("@fragment"));
    // Conditionals of a fragment program need a model above ps_2_0.
    assert!(joined(&answer.d3d9).contains("ps_2_x"));
    assert!(of_text(PAIR, "model=2_0").d3d9.is_err_and(|reason| reason.contains("ife")));

    let names: Vec<_> = answer.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["va0", "va1", "vc0", "vc1", "vc2", "vc3", "fc0", "fc1", "fs0"]);
    let lines: Vec<_> = answer.steps.iter().map(|step| step.line.expect("a line")).collect();
    assert_eq!(lines, [4, 6, 8, 9, 10, 11, 12]);
    let last = answer.steps.last().expect("a step");
    assert_eq!((last.register.as_deref(), last.mask.as_str()), (Some("oc"), "xyzw"));
    assert_eq!(answer.steps[4].active, [false, true, true, false], "white and red texels");
}

/// A single program is translated to a shader of its stage only.
#[test]
fn a_single_program_is_translated() {
    let vertex = of_text("mov op, va0\nmov v3, va1", "");
    let titles = |panel: &molehill_playground::Panel| -> Vec<String> {
        panel.as_ref().expect("texts").iter().map(|text| text.title.clone()).collect()
    };
    assert_eq!(titles(&vertex.glsl), ["vertex shader"]);
    assert!(joined(&vertex.glsl).contains("out vec4 v3;"));
    let fragment = of_text("mov oc, v7", "");
    assert_eq!(
        (titles(&fragment.glsl), titles(&fragment.wgsl)),
        (vec!["fragment shader".to_owned()], vec!["fragment shader".to_owned()])
    );
}

#[test]
fn nan_and_infinities_are_shown() {
    let text = "rcp ft0, v0\nmov ft1, fc1\nmov oc, ft0";
    let answer = of_text(text, "v0=0\nfc1=NaN,-inf,-0,1e38\nfloats=ieee");
    let value = |step: usize| answer.steps[step].value.as_ref().expect("a value")[0].join(" ");
    assert_eq!((value(0).as_str(), value(1).as_str()), ("inf inf inf 1.0", "NaN -inf -0.0 1e38"));
}

/// Flash's error has the line of its token; errors of the assembler also have columns.
#[test]
fn errors_have_lines() {
    let flash = of_text(
        "// vertex\nmov op, va0\n\n// fragment\n// the constant is written\nmov ft0, ft1\nmov oc, ft0",
        "",
    );
    let [problem] = &flash.problems[..] else { panic!("{:?}", flash.problems) };
    assert_eq!((problem.number, problem.line), (Some(3647), Some(6)), "{}", problem.message);
    assert!(problem.message.starts_with("Error #3647 (Error): AGAL validation failed"));
    assert!(flash.glsl.is_err() && flash.listing.is_ok());

    let text = of_text("// vertex\nmov op, va0\nmvo v0, va1", "");
    let [problem] = &text.problems[..] else { panic!("{:?}", text.problems) };
    assert_eq!((problem.line, problem.column), (Some(3), Some(1)));
    assert_eq!(problem.message, "unknown opcode `mvo`; did you mean `mov`?");

    let linked = of_text("// vertex\nmov op, va0\n// fragment\nmov oc, v0", "");
    assert_eq!(linked.problems[0].number, Some(3632));
    let profile = of_text(PAIR, "profile=baseline");
    assert_eq!(profile.problems[0].number, Some(3725));
}

#[test]
fn bytes_are_read() {
    let program =
        agal::asm::assemble("mov oc, fc0", agal::Stage::Fragment, 1).expect("it assembles");
    let mut bytes = program.encode();
    let answer = |bytes: &[u8]| answer(&PlaySource::Bytes(vec![bytes]), &PageSettings::default());
    assert!(joined(&answer(&bytes).glsl).contains("oc = fc[0];"));
    bytes[7] = 0xff;
    let broken = answer(&bytes);
    // A problem contains the program's index in the source, where the fragment program may be first.
    let vertex =
        agal::asm::assemble("mov op, va0", agal::Stage::Vertex, 1).expect("it assembles").encode();
    let pair = molehill_playground::answer(
        &PlaySource::Bytes(vec![&bytes, &vertex]),
        &PageSettings::default(),
    );
    assert_eq!((pair.programs.len(), pair.problems[0].token), (2, Some((0, 1))));
    let text = broken.text.expect("the header is valid");
    assert_eq!(of_text(&text, "").problems[0].number, broken.problems[0].number);
    assert_eq!(broken.problems[0].token, Some((0, 1)));
    assert!(
        joined(&broken.listing).contains(&broken.problems[0].number.expect("Flash's").to_string())
    );
}

#[test]
fn other_languages_are_read() {
    let pixel = of_text("ps_2_0\n; a comment\ndcl t0\nmov r0, t0\nmov oC0, r1\n", "");
    assert_eq!(
        (pixel.language, pixel.problems[0].line),
        ("Direct3D 9", Some(5)),
        "{:?}",
        pixel.problems
    );
    let pixel = of_text("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n", "dialect=100es");
    assert!(joined(&pixel.glsl).contains("#version 330 core"));
    assert!(pixel.wgsl.is_err_and(|reason| reason.contains("Only AGAL")));
    let hull = of_text(
        "// Patch Constant signature:\n// SV_TessFactor 0 x 0 LINEDEN float x\n\
         // SV_TessFactor 1 x 1 LINEDET float x\nhs_5_0\nhs_decls\ndcl_input_control_point_count 2\n\
         dcl_output_control_point_count 2\ndcl_tessellator_domain domain_isoline\n\
         dcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\n\
         hs_fork_phase\ndcl_output_siv o0.x, finalLineDensityTessFactor\n\
         dcl_output_siv o1.x, finalLineDetailTessFactor\nmov o0.x, l(4.0)\nmov o1.x, l(8.0)\nret\n",
        "",
    );
    assert_eq!(hull.problems, []);
    assert!(joined(&hull.glsl).contains("#version 400 core"));
}

/// The settings accept every value in the page's lists; the first value is the default.
#[test]
fn choices_are_known() {
    let SettingLists { version, profile, dialect, model, floats } = SettingLists::all();
    let all = [
        ("version", version),
        ("profile", profile),
        ("dialect", dialect),
        ("model", model),
        ("floats", floats),
    ];
    for (name, values) in all {
        let read = |value: &str| format!("{:?}", PageSettings::read(&format!("{name}={value}")));
        let mut known: Vec<_> = values.iter().map(|(value, _)| read(value)).collect();
        assert_eq!(known[0], format!("{:?}", PageSettings::default()), "{name}");
        known.dedup();
        assert!(known.len() == values.len() && known.len() > 1, "{name}");
    }
}

/// Invalid input values are reported, but the program still runs.
#[test]
fn wrong_values_are_named() {
    let answer = of_text("tex oc, v0, fs0 <cube>\n", "v0=1,2,3,4,5\nfs0=1/2/3");
    let errors: Vec<_> = answer.inputs.iter().filter_map(|input| input.error.as_deref()).collect();
    assert_eq!(
        errors,
        ["a value has at most four numbers", "3 colours: a cube has 1, or 6 for its faces"]
    );
    assert_eq!(answer.steps.len(), 1);
}

/// Sources that are not programs, or are too large, get an answer with an error.
#[test]
fn anything_has_an_answer() {
    let mut seed = 1u32;
    let mut random = |length: usize| -> Vec<u8> {
        let next = |_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()[0]
        };
        (0..length).map(next).collect()
    };
    let heads: [&[u8]; 5] =
        [b"", b"\xa0\x01\0\0\0\xa1\x01", b"\xa0\x03\0\0\0\xa1\x00", b"\0\x02\xff\xff", b"DXBC"];
    for (number, head) in heads.iter().cycle().take(400).enumerate() {
        let bytes = [head, &random(number * 2)[..]].concat();
        assert!(!play("", &bytes, &[], "").is_empty());
        assert!(!play("", &bytes, &bytes, "").is_empty());
        assert!(!play(&String::from_utf8_lossy(&bytes), &[], &[], "").is_empty());
    }
    let lines = [
        ("// fragment\n", "mov ft0, fc0\n"),
        ("// version: 2\n// fragment\n", "ife fc0.x, fc1.x\n"),
        ("", "// fragment\n"),
        ("ps_3_0\n", "if b0\n"),
        ("vs_3_0\n", "rep i0\n"),
        ("hs_5_0\n", "if_nz l(1)\n"),
        ("", "<"),
        ("", "\u{1f480}"),
    ];
    for (head, line) in lines {
        let text = format!("{head}{}", line.repeat((MAX_SOURCE - head.len()) / line.len()));
        assert!(of_text(&text, "").programs.len() < 2);
    }
    assert!(of_text(&"m".repeat(MAX_SOURCE + 1), "").problems[0].message.contains("at most"));
}
