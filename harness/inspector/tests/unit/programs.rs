//! Tests the assignment of GLSL lines to AGAL instructions.

use super::{names, tokens};

#[test]
fn lines_of_glsl_know_their_token() {
    let glsl = "#version 330\nvoid main() {\n    vec4 ft0 = vec4(0.0);\n    if (x) // ifg\n    {\n    ft0 = a; // mov\n    // unused: mov\n    oc = ft0; // mov\n}\n";
    assert_eq!(tokens(glsl), [0, 0, 0, 1, 2, 2, 3, 4, 0]);
}

#[test]
fn a_register_is_not_another_ones_beginning() {
    assert!(names("mov ft0, fc1", "fc1"));
    assert!(!names("mov ft0, fc12", "fc1"));
}
