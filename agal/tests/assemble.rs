//! The assembler: bytes as Adobe's writes them, and errors that show their place.

use agal::asm::{AsmErrorKind, assemble, assemble_pair};
use agal::sampler::Field;
use agal::{Instruction, Stage, operand::Operand2};

/// Header and the tokens given in hex.
fn bytes(version: u8, kind: u8, tokens: &[&str]) -> Vec<u8> {
    let header = [0xa0, version, 0, 0, 0, 0xa1, kind];
    let hex = tokens.iter().flat_map(|token| token.split(' '));
    let tokens = hex.map(|byte| u8::from_str_radix(byte, 16).unwrap());
    header.into_iter().chain(tokens).collect()
}

/// agal-assembly.md section 8.1.
#[test]
fn transform_and_colour() {
    let program = assemble("m44 op, va0, vc0\nmov v0, va1", Stage::Vertex, 1).unwrap();
    let expected = bytes(
        1,
        0,
        &[
            "18 00 00 00 00 00 0F 03 00 00 00 E4 00 00 00 00 00 00 00 E4 01 00 00 00",
            "00 00 00 00 00 00 0F 04 01 00 00 E4 00 00 00 00 00 00 00 00 00 00 00 00",
        ],
    );
    assert_eq!(program.encode(), expected);
}

/// agal-assembly.md section 8.2.
#[test]
fn texture_read() {
    let text = "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>";
    let program = assemble(text, Stage::Fragment, 1).unwrap();
    let expected = bytes(
        1,
        1,
        &["28 00 00 00 00 00 0F 02 00 00 00 E4 04 00 00 00 00 00 00 00 05 00 00 10"],
    );
    assert_eq!(program.encode(), expected);
}

/// agal-assembly.md section 8.4.
#[test]
fn relative_source() {
    let program = assemble("m34 vt0.xyz, va0, vc[va1.x+4]", Stage::Vertex, 1).unwrap();
    let encoded = program.encode();
    assert_eq!(encoded[encoded.len() - 8..], [1, 0, 4, 0xe4, 1, 0, 0, 0x80]);
}

/// agal-assembly.md section 2: separators, comments, short suffixes, masks in any order, register aliases.
#[test]
fn forms_of_the_same_program() {
    let one = |text: &str| assemble(text, Stage::Fragment, 2).unwrap().encode();
    let plain = one("mul ft0.xyz, ft1.xyyy, v0\nmov fo0, ft0\nmov od.x, ft0.x");
    assert_eq!(
        one(
            "  mul ft0.zyxx ft1.xy,vi0 // comment, <linear>\r\n\n\x0bmov oc, ft0.xyzw\x0cmov fd.x ft0.x"
        ),
        plain
    );
}

fn sampler(options: &str) -> agal::sampler::SamplerOperand {
    let text = format!("tex ft0, v0, fs3 {options}");
    let program = assemble(&text, Stage::Fragment, 1).unwrap();
    match program.instructions() {
        [
            Instruction {
                source2: Operand2::Sampler(sampler),
                ..
            },
        ] => *sampler,
        other => panic!("{other:?}"),
    }
}

/// agal-assembly.md section 5.
#[test]
fn sampler_options() {
    assert_eq!(sampler(""), sampler("<2d, nearest clamp nomip rgba>"));
    let full =
        sampler("<cube,anisotropic4x,repeat_u_clamp_v,mipnearest,dxt5,centroid,single,-1.5>");
    let fields = Field::ALL.iter().map(|field| full.get(*field));
    assert_eq!(fields.collect::<Vec<_>>(), [2, 1, 3, 3, 1, 3]);
    assert_eq!((full.bias, full.number, full.file), (-12, 3, 5));
    assert_eq!(sampler("<linear,nearest>"), sampler("<nearest>"));
    assert_eq!(sampler("<0.9>").bias, 7);
}

#[track_caller]
fn error(text: &str, stage: Stage, version: u32) -> (AsmErrorKind, u32, u32) {
    let error = assemble(text, stage, version).unwrap_err();
    (error.kind().clone(), error.line(), error.column())
}

#[test]
fn errors_have_their_place() {
    use AsmErrorKind::*;
    let fragment = |text| error(text, Stage::Fragment, 1);
    let vertex = |text| error(text, Stage::Vertex, 1);
    let name = String::from;
    assert_eq!(
        fragment("mov oc, fc0\n  mvo oc, fc0"),
        (UnknownOpcode(name("mvo")), 2, 3)
    );
    assert_eq!(fragment("MOV oc, fc0"), (UnknownOpcode(name("MOV")), 1, 1));
    assert_eq!(fragment("§"), (UnknownOpcode(name("§")), 1, 1));
    assert_eq!(
        fragment("ddx ft0, v0"),
        (
            OpcodeNeedsVersion {
                name: "ddx",
                version: 2
            },
            1,
            1
        )
    );
    let stage = "vertex";
    assert_eq!(
        vertex("kil vt0.x"),
        (OpcodeNotInStage { name: "kil", stage }, 1, 1)
    );
    for (text, found) in [("mov oc", 1), ("mov oc, v0, v1", 3), ("mov", 0)] {
        let name = "mov";
        let expected = 2;
        let kind = OperandCount {
            name,
            expected,
            found,
        };
        assert_eq!(fragment(text), (kind, 1, 1));
    }
    assert_eq!(
        fragment("mov oc, va0"),
        (UnknownRegister(name("va0")), 1, 9)
    );
    assert_eq!(
        fragment("mov oc, [x]"),
        (UnknownRegister(name("[x]")), 1, 9)
    );
    let register = name("fc28");
    let range = RegisterOutOfRange {
        register,
        count: 28,
    };
    assert_eq!(fragment("mov oc, fc28"), (range, 1, 9));
    let register = name("ft99999999999999999999");
    let range = RegisterOutOfRange { register, count: 8 };
    assert_eq!(fragment("mov ft99999999999999999999, v0"), (range, 1, 5));
    assert_eq!(
        fragment("mov oc, v0.xr"),
        (BadComponents(name("xr")), 1, 11)
    );
    assert_eq!(
        fragment("mov oc.xyzwx, v0"),
        (BadComponents(name("xyzwx")), 1, 7)
    );
    assert_eq!(fragment("mov oc, fc[v0.x]"), (RelativeNotAllowed, 1, 11));
    assert_eq!(vertex("mov vt[va0.x], va0"), (RelativeNotAllowed, 1, 7));
    assert_eq!(vertex("mov vt0, vc3[va0.x]"), (RelativeNotAllowed, 1, 10));
    assert_eq!(vertex("mov vt0, vc[va0]"), (IndexComponent, 1, 16));
    assert_eq!(
        vertex("mov vt0, vc[va0.x+256]"),
        (OffsetOutOfRange(name("256")), 1, 19)
    );
    assert_eq!(vertex("mov vt0, vc[va0.x+4"), (Expected("`]`"), 1, 20));
    assert_eq!(
        fragment("tex ft0, v0, fs0 <2d,liner>"),
        (UnknownOption(name("liner")), 1, 22)
    );
    assert_eq!(
        fragment("tex ft0, v0, fs0 <2d,nan>"),
        (UnknownOption(name("nan")), 1, 22)
    );
    assert_eq!(
        fragment("tex ft0, v0, fs0 <16>"),
        (BiasOutOfRange(name("16")), 1, 19)
    );
    assert_eq!(
        fragment("tex ft0, v0, fs0 <2d"),
        (Expected("a sampler option or `>`"), 1, 21)
    );
    assert_eq!(
        fragment("tex ft0, v0, fs0 <2d> x"),
        (Expected("the end of the line"), 1, 23)
    );
    assert_eq!(
        fragment("mov oc, v0 <2d>"),
        (OptionsNotAllowed("mov"), 1, 12)
    );
    assert_eq!(
        error("mov oc, v0", Stage::Fragment, 0),
        (UnknownVersion(name("0")), 1, 1)
    );
}

#[test]
fn the_line_is_shown_with_a_caret() {
    let error = assemble("// ä\n\tmov\toc, ä0", Stage::Fragment, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 10: no register `ä0` in this kind of program\n    \tmov\toc, ä0\n    \t   \t    ^"
    );
}

#[test]
fn too_many_instructions_end_early() {
    let text = "mov oc, v0\n".repeat(agal::asm::MAX_INSTRUCTIONS + 1);
    let (kind, line, _) = error(&text, Stage::Fragment, 1);
    assert_eq!(kind, AsmErrorKind::TooManyInstructions(4096));
    assert_eq!(line, 4097);
}

#[test]
fn pairs() {
    let text = "// about\n// version: 2\n// vertex\nmov op, va0 // vertex\n// fragment\n// note\nmov oc, fc0\n";
    let (vertex, fragment, version) = assemble_pair(text).unwrap();
    assert_eq!(
        (vertex.stage(), fragment.stage(), version),
        (Stage::Vertex, Stage::Fragment, 2)
    );
    assert_eq!((vertex.token_count(), fragment.token_count()), (1, 1));
    let (.., version) =
        assemble_pair("// vertex\n// fragment\n").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(version, 1);

    let kind = |text: &str| {
        let error = assemble_pair(text).unwrap_err();
        (error.kind().clone(), error.line())
    };
    use AsmErrorKind::*;
    assert_eq!(
        kind("// vertex\nmov op, va0"),
        (MissingSection("fragment"), 1)
    );
    assert_eq!(kind("\nmov op, va0"), (MissingSection("vertex"), 2));
    assert_eq!(kind("\n// version: 5\n"), (UnknownVersion("5".into()), 2));
    let text = "// vertex\nmov op, va0\n// fragment\nmov oc, va0\n";
    assert_eq!(kind(text), (UnknownRegister("va0".into()), 4));
}
