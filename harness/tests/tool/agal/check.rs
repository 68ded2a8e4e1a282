//! Tests the verification of programs, and the GLSL of accepted programs.

use std::fs;

use super::{VERTEX, agal, agal_with, complaint, folder, json, programs, text};

#[test]
fn the_position_of_bytecode_decides_its_kind() {
    let here = folder("check");
    let bytes = agal_with(&here, &["asm"], VERTEX.as_bytes()).stdout;
    assert!(text(&agal_with(&here, &["check"], &bytes), 0).ends_with("2 tokens: accepted\n"));
    let printed = agal_with(&here, &["check", "--stage", "fragment"], &bytes);
    assert!(text(&printed, 1).contains("Error #3630 (Error): "));
    fs::write(here.join("b.fsh.agal"), &bytes).unwrap();
    assert!(text(&agal(&here, &["check", "b.fsh.agal"]), 1).contains("Error #3630 (Error): "));
    let printed = agal_with(&here, &["check", "--format", "raw", "--language", "agal"], b"");
    assert!(text(&printed, 1).contains("Error #3615 (ArgumentError): "));
}

#[test]
fn check_counts_a_folder() {
    let here = folder("table");
    let source = programs();
    let count = fs::read_dir(&source).unwrap().count();
    let printed = text(&agal(&here, &["check", source.to_str().unwrap()]), 0);
    assert!(
        printed.ends_with(&format!("\n{count} inputs: {count} accepted, 0 refused\n")),
        "{printed}"
    );
    fs::create_dir(here.join("below")).unwrap();
    fs::write(here.join("below/bad.hex"), "a0 09").unwrap();
    fs::write(here.join("good.agal"), VERTEX).unwrap();
    fs::write(here.join("README.txt"), "no program").unwrap();
    let printed = text(&agal(&here, &["check", "."]), 1);
    assert!(printed.contains("\naccepted  ./good.agal "), "{printed}");
    assert!(
        printed.starts_with(
            "refused   ./below/bad.hex  vertex program, 2 bytes\n    Error #3615 (Error): "
        ),
        "{printed}"
    );
    assert!(printed.ends_with("\n2 inputs: 1 accepted, 1 refused\n"), "{printed}");
}

#[test]
fn glsl_of_pairs_and_of_programs_alone() {
    let here = folder("glsl");
    fs::write(here.join("v.agal"), VERTEX).unwrap();
    fs::write(here.join("f.agal"), "mul ft0, v0, fc0.x\nmov oc, ft0").unwrap();
    let pair = text(&agal(&here, &["glsl", "v.agal", "f.agal"]), 0);
    let (vertex, fragment) = pair.split_once("// v.agal + f.agal: fragment\n").unwrap();
    assert!(vertex.starts_with("// v.agal + f.agal: vertex\n#version 330 core\n"), "{pair}");
    assert!(vertex.contains("v0 = va1") && fragment.contains("fc[0]"), "{pair}");
    // A shader alone has the same GLSL as in its pair, because its partner matches.
    assert_eq!(text(&agal(&here, &["glsl", "f.agal"]), 0), fragment);
    let alone = text(&agal(&here, &["glsl", "v.agal"]), 0);
    assert_eq!(format!("// v.agal + f.agal: vertex\n{alone}"), vertex);
    let commented = text(&agal(&here, &["glsl", "--comments", "f.agal"]), 0);
    assert!(commented.contains("mul ft0, v0, fc0.x"), "{commented}");
    let clipped = text(&agal(&here, &["glsl", "--clip", "zero-to-one", "v.agal"]), 0);
    assert!(alone.contains("2.0 * op.z - op.w") && !clipped.contains("2.0 * op.z"), "{clipped}");
    assert_eq!(text(&agal(&here, &["glsl", "v.agal", "f.agal", "--out", "made"]), 0), "");
    assert_eq!(fs::read_to_string(here.join("made/v.frag")).unwrap(), fragment);
    let twice = agal(&here, &["glsl", "f.agal", "./f.agal", "--out", "made"]);
    assert!(complaint(&twice, 2).contains("f.frag: two programs have this name"));
    let printed = json(&agal(&here, &["glsl", "f.agal", "--json"]), 0);
    assert_eq!(printed["inputs"][0]["programs"][0]["glsl"], fragment);
    // A program that Flash rejects is translated neither alone nor in a pair.
    let refused = agal_with(&here, &["glsl"], b"mov oc, ft0");
    assert!(complaint(&refused, 1).contains("Error #3647"));
    let refused = agal_with(&here, &["glsl"], b"mov op.xyz, va0");
    assert!(complaint(&refused, 1).contains("Error #3635"));
}

#[test]
fn glsl_of_every_target() {
    let here = folder("targets");
    for dialect in &agal::glsl::DIALECTS {
        let name = dialect.name();
        let shader = agal_with(&here, &["glsl", "--target", name], VERTEX.as_bytes());
        let shader = text(&shader, 0);
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        assert!(shader.starts_with(&format!("#version {digits}")), "{shader}");
    }
    assert!(complaint(&agal(&here, &["glsl", "--target", "999"]), 2).contains("330"));
}
