//! Where GLSL has what: registers that subroutines share, indices, comments. Whether it is GLSL at all is for `shared`.

use d3d9::Program;
use d3d9::glsl::{Target, emit, emit_pair};
use d3d9::text::assemble;
use shader_core::glsl::Dialect;

use crate::programs::SHARED_INPUTS;

fn glsl(program: &Program) -> String {
    let target = Target { comments: true, ..Target::new(Dialect::Glsl300Es) };
    emit(program, &target).unwrap_or_else(|error| panic!("{error}"))
}

fn position(text: &str, line: &str) -> usize {
    let found = text.lines().position(|own| own == line);
    found.unwrap_or_else(|| panic!("{line}: {text}"))
}

/// Subroutines share all registers, also inputs that are indexed: they are global.
#[test]
fn subroutines_reach_indexed_inputs() {
    let text = glsl(&assemble(SHARED_INPUTS).unwrap());
    assert!(position(&text, "vec4 v[17];") < position(&text, "void l0(int aL);"));
    assert!(position(&text, "vec4 r0 = vec4(0.0);") < position(&text, "void l0(int aL);"));
}

/// Reads beyond the registers give 0 and writes are dropped: both reach one more element, which no register is.
#[test]
fn indices_stay_within() {
    let text = glsl(&assemble(SHARED_INPUTS).unwrap());
    position(&text, "    o[d3d9_at(a0.x + 1, 12)] = r0; // mov o1[a0.x], r0");
    position(&text, "    r0 = v[d3d9_at(a0.x, 16)]; // mov r0, v0[a0.x]");
    position(&text, "    a0.x = d3d9_address(v0.yyyy).x; // mova a0.x, v0.y");
    let text = glsl(
        &assemble(
            "ps_3_0\ndefi i0, 3, 0, 1, 0\ndcl_texcoord v0\nloop aL, i0\nmov oC0, v[aL+8]\nendloop",
        )
        .unwrap(),
    );
    position(&text, "        oC0 = v[d3d9_at(aL + 8, 10)]; // mov oC0, v8[aL]");
}

/// [d3d9.linkage.missing]
#[test]
fn what_is_left_out_is_zero() {
    let text = glsl(&assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0.xy, v0").unwrap());
    assert!(
        position(&text, "    vec4 oT0 = vec4(0.0);") < position(&text, "    vary_texcoord0 = oT0;")
    );
}

/// [d3d9.raster.face]
#[test]
fn faces_have_a_sign() {
    let text = glsl(&assemble("ps_3_0\ndcl vFace\nmov oC0, vFace.x").unwrap());
    assert!(text.contains("vFace = vec4(gl_FrontFacing ? 1.0 : -1.0);"), "{text}");
}

/// A constant table as compilers write it, with one constant of this name in c0.
fn table(name: &str) -> Vec<u32> {
    const HEAD: u32 = 28;
    // Creator and target are empty strings within the head; one entry of 20 bytes, its type of 16, its name.
    let (entry, kind, text) = (HEAD, HEAD + 20, HEAD + 36);
    let mut words = vec![0x4241_5443, 28, 8, 0xfffe_0300, 1, entry, 0, 8];
    words.extend([text, 2, 1, kind, 0]);
    words.extend([1 | 3 << 16, 1 | 4 << 16, 1, 0]);
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
    words
}

/// Names are the compiler's input: they neither look like code nor continue their line.
#[test]
fn names_are_only_comments() {
    for name in ["void light", "last\\", "void l0(int aL);"] {
        let mut words = assemble(SHARED_INPUTS).unwrap().to_words();
        let table = table(name);
        let head = u32::try_from(table.len()).unwrap() << 16 | 0xfffe;
        words.splice(1..1, [head].into_iter().chain(table));
        let text = glsl(&Program::from_words(&words).unwrap());
        let comment = text.lines().find(|line| line.starts_with("// vc[0]: float4 "));
        assert!(comment.is_some_and(|line| line.contains(name.trim_end_matches('\\'))), "{text}");
        assert!(text.lines().all(|line| !line.ends_with('\\')), "{text}");
        assert!(position(&text, "vec4 r0 = vec4(0.0);") < position(&text, "void l0(int aL);"));
        assert!(position(&text, "uniform vec4 vc[1];") < position(&text, "vec4 r0 = vec4(0.0);"));
    }
}

/// Whole registers that the vertex shader does not write are outputs too, or the pair would not link
/// [d3d9.linkage.missing].
#[test]
fn unwritten_registers_are_zero() {
    let vs = assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT1, v0").unwrap();
    let ps = assemble("ps_2_0\ndcl t0\ndcl t1\nmov r0, t0\nadd r0, r0, t1\nmov oC0, r0").unwrap();
    let target = Target { fog: true, ..Target::new(Dialect::Glsl330) };
    let (vertex, pixel) = emit_pair(&vs, &ps, &target).unwrap();
    for name in ["vary_texcoord0", "vary_texcoord1", "vary_fog0"] {
        assert!(pixel.contains(&format!("in vec4 {name};")), "{pixel}");
        assert_eq!(vertex.matches(&format!("out vec4 {name};")).count(), 1, "{vertex}");
    }
    assert!(vertex.contains("vary_texcoord0 = vec4(0.0);\n"), "{vertex}");
    assert!(vertex.contains("vary_fog0 = vec4(0.0);\n"), "{vertex}");
}
