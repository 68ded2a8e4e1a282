//! Tests `molehill shader` on hull shaders: output, written files, and exit status.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::run::{folder, run_with, skipped};

fn molehill(arguments: &[&str], input: &[u8]) -> Output {
    run_with(Path::new("."), &[&["shader"], arguments].concat(), input)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the standard output of a command, which must succeed.
fn printed(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = molehill(arguments, input);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
    output.stdout
}

fn json(arguments: &[&str], input: &[u8]) -> serde_json::Value {
    serde_json::from_slice(&printed(arguments, input)).unwrap()
}

/// A hull shader that doubles its control points, and divides every edge of a quad by a buffer's value.
pub(crate) const SHADER: &str = "\
// Patch Constant signature:
// SV_TessFactor 0 x 0 QUADEDGE float x
// SV_TessFactor 1 x 1 QUADEDGE float x
// SV_TessFactor 2 x 2 QUADEDGE float x
// SV_TessFactor 3 x 3 QUADEDGE float x
// SV_InsideTessFactor 0 x 4 QUADINT float x
// SV_InsideTessFactor 1 x 5 QUADINT float x
//
// Input signature:
// POSITION 0 xyzw 0 NONE float xyzw
//
// Output signature:
// POSITION 0 xyzw 0 NONE float xyzw
hs_5_0
hs_decls 
dcl_input_control_point_count 4
dcl_output_control_point_count 4
dcl_tessellator_domain domain_quad
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
dcl_constantbuffer CB0[1], immediateIndexed
dcl_resource_texture2d (float,float,float,float) t0
hs_control_point_phase 
dcl_input vOutputControlPointID
dcl_input v[4][0].xyzw
dcl_output o0.xyzw
dcl_temps 1
mov r0.x, vOutputControlPointID
add o0.xyzw, v[r0.x + 0][0].xyzw, v[r0.x + 0][0].xyzw
ret 
hs_fork_phase 
dcl_hs_fork_phase_instance_count 4
dcl_input vForkInstanceID
dcl_output_siv o0.x, finalQuadUeq0EdgeTessFactor
dcl_output_siv o1.x, finalQuadVeq0EdgeTessFactor
dcl_output_siv o2.x, finalQuadUeq1EdgeTessFactor
dcl_output_siv o3.x, finalQuadVeq1EdgeTessFactor
dcl_temps 1
dcl_indexrange o0.x 4
mov r0.x, vForkInstanceID.x
mov o[r0.x + 0].x, cb0[0].x
ret 
hs_fork_phase 
dcl_output_siv o4.x, finalQuadUInsideTessFactor
dcl_output_siv o5.x, finalQuadVInsideTessFactor
dcl_temps 1
ld_indexable(texture2d)(float,float,float,float) r0.xyzw, l(0, 0, 0, 0), t0.xyzw
mov o4.x, l(2.000000)
add o5.x, r0.x, l(2.000000)
ret 
";

const PATCH: &str = "{\"points\": [[[-1, -1, 0, 1]], [[1, -1, 0, 1]], [[-1, 1, 0, 1]], [[1, 1, 0, 1]]], \
                     \"cb\": {\"0\": [[3, 0, 0, 0]]}}";

#[test]
fn a_listing_becomes_a_container_and_comes_back() {
    let folder = folder("hs50/round");
    let path = folder.join("shader.dxbc");
    let path = path.to_str().unwrap();
    printed(&["asm", "-o", path], SHADER.as_bytes());
    let bytes = fs::read(path).unwrap();
    assert!(bytes.starts_with(b"DXBC"));
    let exact = printed(&["dis", "--exact", path], b"");
    let base64 = printed(&["asm", "--base64"], &exact);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    for written in [&bytes, &base64, hex.as_bytes()] {
        let info = json(&["info", "--json"], written)["inputs"][0]["programs"][0].clone();
        assert_eq!(info["checksumRight"], true);
        assert_eq!(info["hull"]["domain"], "domain_quad");
        assert_eq!(info["hull"]["phases"].as_array().unwrap().len(), 3);
        assert_eq!(printed(&["dis", "--exact"], written), exact);
    }
    let plain = text(&printed(&["dis", "--no-signatures", path], b""));
    assert!(plain.starts_with("hs_5_0\nhs_decls \n"), "{plain}");
    let shown = text(&printed(&["info", path], b""));
    for what in
        ["tag SHEX, offset ", "inputPoints: 4", "name finalQuadUInsideTessFactor, register 4"]
    {
        assert!(shown.contains(what), "{what}: {shown}");
    }
}

#[test]
fn rules_that_are_broken_are_named() {
    let sound = text(&printed(&["check"], SHADER.as_bytes()));
    assert!(sound.contains(" instructions: accepted\n"), "{sound}");
    let broken =
        SHADER.replace("dcl_input_control_point_count 4", "dcl_input_control_point_count 3");
    let output = molehill(&["check", "--json"], broken.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = value["inputs"][0]["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|one| one["severity"] == "error" && one["phase"] == "control_point")
    );
    // The tool neither runs nor translates an invalid shader.
    for command in ["run", "glsl"] {
        let output = molehill(&[command], broken.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(!output.stderr.is_empty());
    }
    let folder = folder("hs50/check");
    fs::write(folder.join("broken.hs50"), &broken).unwrap();
    fs::write(folder.join("sound.hs50"), SHADER).unwrap();
    fs::write(folder.join("junk.dxbc"), b"DXBC\0").unwrap();
    let output = molehill(&["check", folder.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.ends_with("3 inputs: 1 accepted, 2 refused\n"), "{shown}");
}

#[test]
fn the_register_model_is_a_table() {
    let all = json(&["registers", "--json"], b"");
    let fork = json(&["registers", "--phase", "fork", "--json"], b"");
    let (all, fork) = (all["registers"].as_array().unwrap(), fork["registers"].as_array().unwrap());
    assert!(fork.len() < all.len() && fork.iter().all(|row| row["phase"] == "fork"));
    assert!(fork.iter().any(|row| row["assembly"].as_str().unwrap().starts_with("vicp")));
    let table = text(&printed(&["registers"], b""));
    assert_eq!(table.lines().count(), all.len() + 1);
    assert_eq!(molehill(&["registers", "--phase", "spoon"], b"").status.code(), Some(2));
}

#[test]
fn a_patch_is_run() {
    let folder = folder("hs50/run");
    let patch = folder.join("points.json");
    fs::write(&patch, PATCH).unwrap();
    let patch = patch.to_str().unwrap();
    let ran = json(&["run", "--patch", patch, "--json"], SHADER.as_bytes());
    let ran = &ran["inputs"][0]["programs"][0];
    assert_eq!(ran["edges"], serde_json::json!(["3", "3", "3", "3"]));
    assert_eq!(ran["insides"], serde_json::json!(["2", "2"]));
    assert_eq!(ran["controlPoints"][0][0][0], "0xc0000000");
    let traced = text(&printed(&["run", "--patch", patch, "--trace"], SHADER.as_bytes()));
    for what in ["vForkInstanceID.x  r0.x", "instance 3\n", "finalQuadVeq1EdgeTessFactor = 3\n"] {
        assert!(traced.contains(what), "{what}: {traced}");
    }
    for (patch, what) in [
        ("{\"points\": 3}", "invalid type: integer `3`, expected a sequence at line 1 column 12"),
        ("{\"cb\": {\"x\": []}}", "expected key to be a number in quotes"),
        ("{\"cb\": {\"0\": [[\"spoon\"]]}}", "is not a value"),
        ("{\"t\": {\"0\": \"no-such.png\"}}", "t0: no-such.png: "),
        ("{\"s\": {\"0\": \"fluffy\"}}", "s0: unknown sampler option \"fluffy\""),
        (
            "{\"spoon\": 1}",
            "unknown field `spoon`, expected one of `points`, `primitive`, `cb`, `t`, `s`",
        ),
        ("[]", "must be a JSON object"),
        ("{", "EOF"),
    ] {
        let path = folder.join("bad.json");
        fs::write(&path, patch).unwrap();
        let output = molehill(&["run", "--patch", path.to_str().unwrap()], SHADER.as_bytes());
        assert_eq!(output.status.code(), Some(2), "{patch}");
        let shown = text(&output.stderr);
        assert!(shown.contains(what), "{patch}: {shown}");
    }
}

#[test]
fn control_shaders_are_written_in_both_dialects() {
    let plain = text(&printed(&["glsl"], SHADER.as_bytes()));
    assert!(plain.starts_with("#version 400"), "{plain}");
    assert!(plain.contains("// evaluation shader: layout(quads, equal_spacing, ccw) in;"));
    let es = json(&["glsl", "--target", "320es", "--json"], SHADER.as_bytes());
    let es = &es["inputs"][0]["programs"][0];
    assert!(es["glsl"].as_str().unwrap().starts_with("#version 320 es"));
    assert_eq!(es["textures"], serde_json::json!(["t0"]));
}

/// If the driver doesn't support tessellation, the message says so.
#[test]
fn a_patch_is_drawn_and_programs_are_compared() {
    let folder = folder("hs50/draw");
    let (patch, picture) = (folder.join("points.json"), folder.join("patch.png"));
    fs::write(&patch, PATCH).unwrap();
    let (patch, out) = (patch.to_str().unwrap(), picture.to_str().unwrap());
    let size = ["--size", "64"];
    let drawn =
        molehill(&[&["draw", "--patch", patch, "-o", out][..], &size].concat(), SHADER.as_bytes());
    let fuzzed = ["fuzz", "--language", "hs50", "--exhaustive", "--thin", "40", "--out"];
    let fuzzed = molehill(&[&fuzzed[..], &[folder.to_str().unwrap()]].concat(), b"");
    let codes = (drawn.status.code(), fuzzed.status.code());
    let shown = text(&[drawn.stderr, fuzzed.stderr].concat());
    match codes {
        (Some(0), Some(0)) => {
            assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));
            let found = text(&fuzzed.stdout);
            assert!(
                found.contains(" with the interpreter of hull shaders: 2 programs, "),
                "{found}"
            );
        }
        (Some(2), Some(2)) => skipped(&shown),
        codes => panic!("{codes:?}: {shown}"),
    }
}

/// In a folder, shaders of other stages are skipped; a folder without hull shaders is an error.
#[test]
fn a_folder_without_a_hull_shader_is_not_tested() {
    let folder = folder("hs50/skipped");
    fs::write(folder.join("v.hs50"), "vs_5_0\ndcl_input v0.xyzw\nret \n").unwrap();
    let path = folder.to_str().unwrap();
    for command in ["check", "glsl", "run"] {
        let output = molehill(&[command, path], b"");
        assert_eq!(output.status.code(), Some(2), "{command}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains("not tested: no input has"), "{command}");
    }
    fs::write(folder.join("h.hs50"), SHADER).unwrap();
    let output = molehill(&["check", path], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.ends_with("2 inputs: 1 accepted, 0 refused, 1 not checked\n"), "{shown}");
}

#[test]
fn what_is_no_hull_shader_is_told() {
    let mut wrong_sum = molehill(&["asm", "--base64"], SHADER.as_bytes()).stdout;
    // Change the first letter of the checksum, which follows the magic number.
    wrong_sum[10] = if wrong_sum[10] == b'A' { b'B' } else { b'A' };
    let typo = SHADER.replace("mov o4.x", "mvo o4.x");
    let vertex = "vs_5_0\ndcl_input v0.xyzw\nret \n";
    for (command, input, status, what) in [
        ("dis", &b"DXBC\0\0"[..], 1, "standard input: "),
        ("check", &wrong_sum, 1, "checksum"),
        ("asm", typo.as_bytes(), 1, "unknown opcode `mvo`; did you mean `mov`?"),
        ("run", vertex.as_bytes(), 2, "vs_5_0"),
        ("glsl", vertex.as_bytes(), 2, "vs_5_0"),
        ("check", vertex.as_bytes(), 2, "vs_5_0"),
    ] {
        let output = molehill(&[command], input);
        let shown = text(&output.stderr) + &text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{command}: {shown}");
        assert!(shown.contains(what), "{command}: {what}: {shown}");
    }
    // The error message shows the position of the typo with a caret.
    let shown = text(&molehill(&["asm"], typo.as_bytes()).stderr);
    assert!(shown.contains("standard input:48:1: ") && shown.ends_with("\n    ^\n"), "{shown}");
    let ignored = molehill(&["info", "--ignore-checksum"], &wrong_sum);
    assert!(text(&ignored.stdout).contains("checksumRight: false"));
    let missing = molehill(&["dis", "no/such.dxbc"], b"");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("no/such.dxbc"));
}
