//! Properties of the translated GLSL: shared registers, indices, comments. The test suite `shared` compiles GLSL.

use agal_core::glsl::Dialect;
use d3d9::D3d9Program;
use d3d9::glsl::{D3d9GlslOptions, DIALECTS, GlslError, emit, emit_pair};
use d3d9::register::ShaderFile;
use d3d9::text::assemble;

use crate::programs::SHARED_INPUTS;

fn glsl(program: &D3d9Program) -> String {
    let target = D3d9GlslOptions { comments: true, ..D3d9GlslOptions::new(Dialect::Glsl300Es) };
    emit(program, &target).unwrap_or_else(|error| panic!("{error}"))
}

fn position(text: &str, line: &str) -> usize {
    let found = text.lines().position(|own| own == line);
    found.unwrap_or_else(|| panic!("{line}: {text}"))
}

/// Different shaders that compute the same position produce the same depth, in every version and dialect.
/// [d3d9.glsl.position]
#[test]
fn positions_are_invariant() {
    for (text, invariant) in [
        ("vs_1_1\ndcl_position v0\nmov oPos, v0", true),
        ("vs_2_0\ndcl_position v0\nmov oPos, v0", true),
        ("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0", true),
        ("ps_1_1\nmov r0, c0", false),
        ("ps_3_0\nmov oC0, c0", false),
    ] {
        for dialect in DIALECTS {
            let glsl = emit(&assemble(text).unwrap(), &D3d9GlslOptions::new(dialect)).unwrap();
            let found = glsl.matches("\ninvariant gl_Position;\n").count();
            assert_eq!(found, usize::from(invariant), "{glsl}");
        }
    }
}

/// Subroutines share all registers, so registers and indexed inputs are global variables.
#[test]
fn subroutines_reach_indexed_inputs() {
    let text = glsl(&assemble(SHARED_INPUTS).unwrap());
    assert!(position(&text, "vec4 v[17];") < position(&text, "void l0(int aL);"));
    assert!(position(&text, "vec4 r0 = vec4(0.0);") < position(&text, "void l0(int aL);"));
}

/// Out-of-range indices access an extra array element: reads give 0, and writes have no effect.
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

/// Returns a pixel shader with a subroutine and its result in r0.
fn pixel(body: &str, subroutine: &str) -> D3d9Program {
    let head =
        "ps_3_0\ndefi i0, 3, 0, 1, 0\ndcl_texcoord v0\ndcl_2d s0\nmov r0, v0\nsetp_gt p0, v0, c0";
    assemble(&format!("{head}\n{body}\nmov oC0, r0\nret\nlabel l0\n{subroutine}\nret")).unwrap()
}

/// GLSL leaves derivatives in dynamic flow control undefined, so they are hoisted. Derivatives in uniform flow control
/// stay in place. [d3d9.gradient.flow] [d3d9.rule.57]
#[test]
fn derivatives_come_before_dynamic_flow_control() {
    let read = "texld r0, v0, s0";
    for (body, subroutine, derivative, first) in [
        ("if_gt v0.x, c0.x\n@\nendif", "", "texture(ps0, v0.xy)", true),
        ("if p0.x\nmov r0, v0\nelse\n@\nendif", "", "texture(ps0, v0.xy)", true),
        ("if_gt v0.x, c0.x\nif b0\n@\nendif\nendif", "", "texture(ps0, v0.xy)", true),
        ("rep i0\n@\nbreak_gt r0.x, v0.x\nendrep", "", "texture(ps0, v0.xy)", true),
        ("rep i0\nif p0.x\nbreak\nendif\n@\nendrep", "", "texture(ps0, v0.xy)", true),
        ("if_gt v0.x, c0.x\ncall l0\nendif", "@", "texture(ps0, v0.xy)", true),
        ("callnz l0, p0.x", "@", "texture(ps0, v0.xy)", true),
        ("rep i0\ncall l0\nbreakp p0.x\nendrep", "@", "texture(ps0, v0.xy)", true),
        ("if_gt v0.x, c0.x\ntexldb r0, v0, s0\nendif", "", "texture(ps0, v0.xy, v0.w)", true),
        ("if_gt v0.x, c0.x\ndsx r0.x, -v0.y\nendif", "", "dFdx((-v0.yyyy))", true),
        ("if_gt v0.x, c0.x\ndsy r0, v0\nendif", "", "dFdy(v0)", true),
        ("@", "", "texture(ps0, v0.xy)", false),
        ("if b0\n@\nendif", "", "texture(ps0, v0.xy)", false),
        ("rep i0\nif b0\nbreak\nendif\n@\nendrep", "", "texture(ps0, v0.xy)", false),
        ("rep i0\nbreakp p0.x\nendrep\n@", "", "texture(ps0, v0.xy)", false),
        ("if b0\ncall l0\nendif", "@", "texture(ps0, v0.xy)", false),
        ("if_gt v0.x, c0.x\ntexldl r0, v0, s0\nendif", "", "textureLod(ps0, v0.xy, v0.w)", false),
    ] {
        let text = glsl(&pixel(&body.replace('@', read), &subroutine.replace('@', read)));
        assert_eq!(text.matches(derivative).count(), 1, "{text}");
        let hoisted = text.lines().find(|line| line.contains(derivative)).unwrap();
        assert_eq!(hoisted.starts_with("    hoisted"), first, "{body}\n{text}");
    }
    let indexed = "loop aL, i0\nif_gt v0.x, c0.x\ntexld r0, v0[aL], s0\nendif\nendloop";
    let error = emit(&pixel(indexed, ""), &D3d9GlslOptions::new(Dialect::Glsl330)).unwrap_err();
    let what = "a derivative of an indexed register in dynamic flow control";
    assert_eq!(error, GlslError::Unsupported { instruction: 8, what });
}

/// Constants of software versions are rejected if the uniform arrays are too small, and translated if the arrays are
/// large enough. [d3d9.glsl.constants]
#[test]
fn constants_of_software_versions_are_refused() {
    let emitted = |version: &str, body: &str, vertex_constants: u16| {
        let vertex = "dcl_position v0\nmova a0.x, v0.x\nmov oPos, v0";
        let head = if version.starts_with("vs") { vertex } else { "mov r0, c0\nmov oC0, r0" };
        let text = format!("{version}\ndef c300, 1, 2, 3, 4\ndefi i20, 1, 0, 0, 0\n{head}\n{body}");
        let target = D3d9GlslOptions { vertex_constants, ..D3d9GlslOptions::new(Dialect::Glsl330) };
        emit(&assemble(&text).unwrap(), &target).map(drop)
    };
    for (version, body, register) in [
        ("vs_2_sw", "mov r0, c[a0.x+8000]", Some((ShaderFile::Const, 8191, 256))),
        ("vs_2_sw", "mov r0, c[a0.x]", Some((ShaderFile::Const, 8191, 256))),
        ("vs_2_sw", "add r0, v0, c8191", Some((ShaderFile::Const, 8191, 256))),
        ("vs_2_sw", "m4x4 r0, v0, c253", Some((ShaderFile::Const, 256, 256))),
        ("vs_2_sw", "rep i16\nendrep", Some((ShaderFile::Integer, 16, 16))),
        ("vs_2_sw", "if b2047\nendif", Some((ShaderFile::Boolean, 2047, 16))),
        ("vs_2_sw", "add r0, v0, c255\nrep i15\nif b15\nendif\nendrep", None),
        ("vs_2_sw", "add r0, v0, c300\nrep i20\nendrep", None),
        ("ps_3_sw", "add r0, r0, c224", Some((ShaderFile::Const, 224, 224))),
        ("ps_2_sw", "add r0, r0, c223", None),
    ] {
        // The 1-based index of the rejected instruction, after `def`, `defi` and the instructions of `head`.
        let instruction = if version.starts_with("vs") { 6 } else { 5 };
        let refused = register.map(|(file, number, count)| {
            let register = file.at(number);
            Err(GlslError::Constants { instruction, register, count })
        });
        assert_eq!(emitted(version, body, 16), refused.unwrap_or(Ok(())), "{version} {body}");
    }
    assert_eq!(emitted("vs_2_sw", "mov r0, c[a0.x+8000]", 8192), Ok(()));
}

/// [d3d9.texture.states] [d3d9.def.boolean]
#[test]
fn biases_scale_gradients_and_words_are_booleans() {
    let text = "ps_3_0\ndcl_texcoord v0\ndcl_2d s1\n.words 0x0200002F 0xE00F0800 0x80000000\nmov r0, v0\n\
        if b0\ntexldd r0, v0, s1, v0, v0\nendif\nmov oC0, r0";
    let mut target = D3d9GlslOptions::new(Dialect::Glsl330);
    target.lod_bias[1] = 1.0;
    let text = emit(&assemble(text).unwrap(), &target).unwrap();
    assert!(text.contains("textureGrad(ps1, v0.xy, v0.xy * 2.0, v0.xy * 2.0)"), "{text}");
    assert!(text.contains("if (true) {"), "{text}");
}

/// Returns a constant table in the compiler's format, with one constant of the given name in c0.
fn table(name: &str) -> Vec<u32> {
    const HEAD: u32 = 28;
    // Creator and target are empty strings in the header. The entry of a constant has 20 bytes, the type description
    // has 16 bytes, and the name follows.
    let (entry, kind, text) = (HEAD, HEAD + 20, HEAD + 36);
    let mut words = vec![0x4241_5443, 28, 8, 0xfffe_0300, 1, entry, 0, 8];
    words.extend([text, 2, 1, kind, 0]);
    words.extend([1 | 3 << 16, 1 | 4 << 16, 1, 0]);
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
    words
}

/// Constant names come from the file: in comments, they must not look like code or continue the line.
#[test]
fn names_are_only_comments() {
    for name in ["void light", "last\\", "void l0(int aL);"] {
        let mut words = assemble(SHARED_INPUTS).unwrap().to_words();
        let table = table(name);
        let head = u32::try_from(table.len()).unwrap() << 16 | 0xfffe;
        words.splice(1..1, [head].into_iter().chain(table));
        let text = glsl(&D3d9Program::from_words(&words).unwrap());
        let comment = text.lines().find(|line| line.starts_with("// vc[0]: float4 "));
        assert!(comment.is_some_and(|line| line.contains(name.trim_end_matches('\\'))), "{text}");
        assert!(text.lines().all(|line| !line.ends_with('\\')), "{text}");
        assert!(position(&text, "vec4 r0 = vec4(0.0);") < position(&text, "void l0(int aL);"));
        assert!(position(&text, "uniform vec4 vc[1];") < position(&text, "vec4 r0 = vec4(0.0);"));
    }
}

/// Registers that only the pixel shader uses become outputs of the vertex shader, because GLSL requires matching
/// interfaces [d3d9.linkage.missing].
#[test]
fn unwritten_registers_are_zero() {
    let vs = assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT1, v0").unwrap();
    let ps = assemble("ps_2_0\ndcl t0\ndcl t1\nmov r0, t0\nadd r0, r0, t1\nmov oC0, r0").unwrap();
    let target = D3d9GlslOptions { fog: true, ..D3d9GlslOptions::new(Dialect::Glsl330) };
    let (vertex, pixel) = emit_pair(&vs, &ps, &target).unwrap();
    for name in ["vary_texcoord0", "vary_texcoord1", "vary_fog0"] {
        assert!(pixel.contains(&format!("in vec4 {name};")), "{pixel}");
        assert_eq!(vertex.matches(&format!("out vec4 {name};")).count(), 1, "{vertex}");
    }
    assert!(vertex.contains("vary_texcoord0 = vec4(0.0);\n"), "{vertex}");
    assert!(vertex.contains("vary_fog0 = vec4(0.0);\n"), "{vertex}");
}
