//! Tests the assembler: its bytes equal those of Adobe's assembler, and errors have their positions.

use agal::asm::{AsmErrorKind, AssembleOptions, MAX_ERRORS, assemble};
use agal::sampler::SamplerField;
use agal::{Stage, operand::SecondOperand};

/// Returns a program's bytes: a header, and tokens given in hexadecimal.
fn bytes(version: u8, kind: u8, tokens: &[&str]) -> Vec<u8> {
    let header = [0xa0, version, 0, 0, 0, 0xa1, kind];
    let hex = tokens.iter().flat_map(|token| token.split(' '));
    let tokens = hex.map(|byte| u8::from_str_radix(byte, 16).unwrap());
    header.into_iter().chain(tokens).collect()
}

/// [agal.text.m44] [agal.program.header] [agal.program.endian] [agal.token.layout]
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

/// [agal.text.tex]
#[test]
fn texture_read() {
    let text = "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>";
    let program = assemble(text, Stage::Fragment, 1).unwrap();
    let expected =
        bytes(1, 1, &["28 00 00 00 00 00 0F 02 00 00 00 E4 04 00 00 00 00 00 00 00 05 00 00 10"]);
    assert_eq!(program.encode(), expected);
}

/// [agal.text.indirect] [agal.indirect.form]
#[test]
fn relative_source() {
    let program = assemble("m34 vt0.xyz, va0, vc[va1.x+4]", Stage::Vertex, 1).unwrap();
    let encoded = program.encode();
    assert_eq!(encoded[encoded.len() - 8..], [1, 0, 4, 0xe4, 1, 0, 0, 0x80]);
}

/// [agal.text.lines] [agal.text.operands] [agal.text.swizzle] [agal.text.mask] [agal.text.names]
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
        [instruction] => match instruction.source2() {
            SecondOperand::Sampler(sampler) => *sampler,
            SecondOperand::Source(_) => panic!("no sampler"),
        },
        other => panic!("{other:?}"),
    }
}

/// [agal.text.options] [agal.text.bias] [agal.sampler.bits] [agal.sampler.plain] [agal.sampler.format]
#[test]
fn sampler_options() {
    assert_eq!(sampler(""), sampler("<2d, nearest clamp nomip rgba>"));
    let full =
        sampler("<cube,anisotropic4x,repeat_u_clamp_v,mipnearest,dxt5,centroid,single,-1.5>");
    let fields = SamplerField::ALL.iter().map(|field| full.get(*field));
    assert_eq!(fields.collect::<Vec<_>>(), [2, 1, 3, 3, 1, 3]);
    assert_eq!((full.bias, full.number, full.file), (-12, 3, 5));
    assert_eq!(sampler("<linear,nearest>"), sampler("<nearest>"));
    assert_eq!(sampler("<0.9>").bias, 7);
}

#[track_caller]
fn error(text: &str, stage: Stage, version: u32) -> (AsmErrorKind, u32, u32) {
    let errors = assemble(text, stage, version).unwrap_err();
    let error = errors.first();
    (error.kind.clone(), error.line, error.column)
}

/// [agal.text.opcode] [agal.text.bad_line] [agal.text.letters] [agal.text.relative] [agal.text.relative_offset]
/// [agal.text.relative_number] [agal.text.limits] [agal.text.versions]
#[test]
fn errors_have_their_place() {
    use AsmErrorKind::*;
    let fragment = |text| error(text, Stage::Fragment, 1);
    let vertex = |text| error(text, Stage::Vertex, 1);
    let name = String::from;
    assert_eq!(fragment("mov oc, fc0\n  mvo oc, fc0"), (UnknownOpcode(name("mvo")), 2, 3));
    assert_eq!(fragment("MOV oc, fc0"), (UnknownOpcode(name("MOV")), 1, 1));
    assert_eq!(fragment("§"), (UnknownOpcode(name("§")), 1, 1));
    assert_eq!(fragment("ddx ft0, v0"), (OpcodeNeedsVersion { name: "ddx", version: 2 }, 1, 1));
    let stage = "vertex";
    assert_eq!(vertex("kil vt0.x"), (OpcodeNotInStage { name: "kil", stage }, 1, 1));
    for (text, found) in [("mov oc", 1), ("mov oc, v0, v1", 3), ("mov", 0)] {
        let name = "mov";
        let expected = 2;
        let kind = OperandCount { name, expected, found };
        assert_eq!(fragment(text), (kind, 1, 1));
    }
    assert_eq!(fragment("mov oc, xy0"), (UnknownRegister(name("xy0")), 1, 9));
    let register = name("va0");
    let stage = "fragment";
    assert_eq!(fragment("mov oc, va0"), (RegisterNotInStage { register, stage }, 1, 9));
    let register = name("iid");
    let version = 3;
    assert_eq!(vertex("mov vt0, iid.x"), (RegisterNeedsVersion { register, version }, 1, 10));
    assert_eq!(fragment("mov oc, [x]"), (UnknownRegister(name("[x]")), 1, 9));
    let register = name("fc28");
    let range = RegisterOutOfRange { register, count: 28 };
    assert_eq!(fragment("mov oc, fc28"), (range, 1, 9));
    let register = name("ft99999999999999999999");
    let range = RegisterOutOfRange { register, count: 8 };
    assert_eq!(fragment("mov ft99999999999999999999, v0"), (range, 1, 5));
    assert_eq!(fragment("mov oc, v0.xr"), (BadComponents(name("xr")), 1, 11));
    assert_eq!(fragment("mov oc.xyzwx, v0"), (BadComponents(name("xyzwx")), 1, 7));
    assert_eq!(fragment("mov oc, fc[v0.x]"), (RelativeNotAllowed, 1, 11));
    assert_eq!(vertex("mov vt[va0.x], va0"), (RelativeNotAllowed, 1, 7));
    assert_eq!(vertex("mov vt0, vc3[va0.x]"), (RelativeNotAllowed, 1, 10));
    assert_eq!(vertex("mov vt0, vc[va0]"), (IndexComponent, 1, 16));
    assert_eq!(vertex("mov vt0, vc[va0.x+256]"), (OffsetOutOfRange(name("256")), 1, 19));
    assert_eq!(vertex("mov vt0, vc[va0.x-129]"), (OffsetOutOfRange(name("129")), 1, 19));
    assert_eq!(vertex("mov vt0, vc[va0.x+4"), (Expected("`]`"), 1, 20));
    assert_eq!(fragment("tex ft0, v0, fs0 <16>"), (BiasOutOfRange(name("16")), 1, 19));
    assert_eq!(fragment("tex ft0, v0, fs0 <2d"), (Expected("a sampler option or `>`"), 1, 21));
    assert_eq!(fragment("tex ft0, v0, fs0 <2d> x"), (Expected("the end of the line"), 1, 23));
    assert_eq!(fragment("mov oc, v0 <2d>"), (OptionsNotAllowed("mov"), 1, 12));
    assert_eq!(error("mov oc, v0", Stage::Fragment, 5), (UnknownVersion(name("5")), 1, 1));
}

/// An unknown option resets the bias to 0, as in Adobe's assembler, if it follows another bias but not if it precedes
/// one. [agal.text.unknown_option]
#[test]
fn unknown_options_are_warnings() {
    let assembled = |options: &str| {
        let text = format!("// fragment\nmov ft1, v0\ntex ft0, v0, fs3 {options}");
        AssembleOptions::default().sections(&text).unwrap().warnings
    };
    for (options, read, columns) in [
        // The first sampler options are from a listing of Genome2D, a library of released games.
        ("< 2d,norepeat,linear,mipnone,clamp,dxt5 >", "<2d,linear,clamp,dxt5>", vec![23]),
        ("<2d,liner>", "<2d>", vec![22]),
        ("<2d,nan,inf>", "<2d>", vec![22, 26]),
        ("<-1.5,1.2.3>", "<>", vec![24]),
        ("<typo,-1.5>", "<-1.5>", vec![19]),
        ("<2d,linear>", "<2d,linear>", vec![]),
    ] {
        assert_eq!(sampler(options), sampler(read), "{options}");
        let warnings = assembled(options);
        let places: Vec<_> =
            warnings.iter().map(|warning| (warning.line, warning.column)).collect();
        let columns: Vec<_> = columns.into_iter().map(|column| (3, column)).collect();
        assert_eq!(places, columns, "{options}");
    }
    let shown = assembled("<2d,liner>").first().unwrap().to_string();
    let message =
        "warning: unknown sampler option `liner`, read as a bias of 0; did you mean `linear`?";
    assert!(shown.starts_with(&format!("3:22: {message}\n")), "{shown}");
    assert_eq!(assembled(&format!("<{}>", "x ".repeat(100_000))).len(), MAX_ERRORS);
}

/// [agal.text.m43]
#[test]
fn m43_is_m34() {
    let of = |name: &str| assemble(&format!("{name} vt0.xyz, va0, vc0"), Stage::Vertex, 1);
    assert_eq!(of("m43").unwrap(), of("m34").unwrap());
    assert_eq!(of("m43").unwrap().to_string(), of("m34").unwrap().to_string());
    assert_eq!(of("m42").unwrap_err().first().suggestion.as_deref(), Some("m44"));
}

#[test]
fn the_line_is_shown_with_a_caret() {
    let error = assemble("// ä\n\tmov\toc, ä0", Stage::Fragment, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:10: unknown register `ä0`\n    \tmov\toc, ä0\n    \t   \t    ^"
    );
}

/// The limit of 4096 lines in Adobe's assembler is not applied, so every decoded program has a text that assembles. The
/// verifier checks the player's limit (3629). [agal.text.length]
#[test]
fn length_is_not_the_assemblers_business() {
    let text = "mov oc, v0\n".repeat(5000);
    let program = assemble(&text, Stage::Fragment, 1).unwrap();
    assert_eq!(program.token_count(), 5000);
}

/// The assembler continues after an error, up to a maximum number of errors.
#[test]
fn every_line_has_its_error() {
    let errors = assemble("mvo oc, v0\nmov oc, v0\n\ntexx ft0", Stage::Fragment, 1).unwrap_err();
    let places: Vec<_> = errors.iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(places, [(1, 1), (4, 1)]);
    assert!(!errors.is_truncated());
    assert_eq!(
        errors.in_file("a.agal").to_string(),
        "a.agal:1:1: unknown opcode `mvo`; did you mean `mov`?\n    mvo oc, v0\n    ^\n\
         a.agal:4:1: unknown opcode `texx`; did you mean `tex`?\n    texx ft0\n    ^"
    );
    let errors = assemble(&"?\n".repeat(100_000), Stage::Fragment, 1).unwrap_err();
    assert_eq!(errors.iter().count(), MAX_ERRORS);
    assert!(errors.is_truncated());
    let errors = AssembleOptions::default().sections(&"// version: 9\n".repeat(100)).unwrap_err();
    assert_eq!(errors.iter().count(), MAX_ERRORS);
}

#[test]
fn the_nearest_valid_word_is_named() {
    let meant = |text: &str, stage| {
        let options =
            AssembleOptions { stage: Some(stage), version: 2, ..AssembleOptions::default() };
        match options.sections(text) {
            Ok(sections) => sections.warnings.first().unwrap().suggestion.clone(),
            Err(errors) => errors.first().suggestion.clone(),
        }
    };
    let fragment = |text| meant(text, Stage::Fragment);
    for (text, word) in [
        ("MOV oc, v0", Some("mov")),
        ("texld ft0, v0, fs0", Some("tex")),
        ("wxyz ft0, v0", None),
        ("mov oc, ftt3", Some("ft3")),
        ("mov oc, V1", Some("v1")),
        ("mov oc, vc3.x", Some("fc3")),
        ("mov oc, r1", None),
        ("mov oc, v0.rgb", Some(".xyz")),
        ("mov oc, v0.q", None),
        ("tex ft0, v0, fs0 <2D>", Some("2d")),
        ("tex ft0, v0, fs0 <trilinear>", Some("miplinear")),
        ("tex ft0, v0, fs0 <mipmaps>", None),
        (".tokn 0x0", Some(".token")),
    ] {
        let found = fragment(text);
        assert_eq!(found.as_deref(), word, "{text}");
    }
    assert_eq!(meant("mov vt0, iid", Stage::Vertex), None);
}

/// [agal.text.operands] [agal.text.options]: separators between operands, and between options, have no effect.
#[test]
fn separators_are_irrelevant() {
    let bytes = |text: &str| assemble(text, Stage::Fragment, 1).unwrap().encode();
    let plain = bytes("tex ft0, v0, fs0 <2d,linear>");
    for text in [
        "tex ft0 v0 fs0 <2d linear>;",
        "tex(ft0,, v0; fs0)<2d|linear|>",
        "\ttex:ft0=v0,fs0,<,2d, linear,> ; // <cube>",
    ] {
        assert_eq!(bytes(text), plain, "{text}");
    }
    // Separators that could be arithmetic operators are errors.
    for text in ["mov oc, -v0", "mul ft0, v0 * fc0", "mov oc, v0 + v1"] {
        assert!(assemble(text, Stage::Fragment, 1).is_err(), "{text}");
    }
}

/// [agal.text.names] [agal.text.number]: every register can be written with each of its names.
#[test]
fn register_names() {
    let same = |stage, pairs: &[(&str, &str)]| {
        for (alias, plain) in pairs {
            let bytes = |text: &str| assemble(text, stage, 4).map(|program| program.encode());
            let plain = bytes(plain);
            assert!(plain.is_ok(), "{alias}: {plain:?}");
            assert_eq!(bytes(alias), plain, "{alias}");
        }
    };
    same(
        Stage::Vertex,
        &[
            ("mov vo, va", "mov op, va0"),
            ("mov vi1, va1", "mov v1, va1"),
            ("mov i1, va1", "mov v1, va1"),
            ("mov fi1, va1", "mov v1, va1"),
            ("mov vt0, iid.x", "mov vt0, iid0.xxxx"),
            ("mov vt0, vc[iid.x]", "mov vt0, vc0[iid0.x+0].xyzw"),
            ("mov vt0, vc[ va0.x + 4 ]", "mov vt0, vc[va0.x+4]"),
            ("tld vt0, va0, vs3 <2d>", "tld vt0 va0 vs3"),
        ],
    );
    same(
        Stage::Fragment,
        &[
            ("mov fo, vi0", "mov oc, v0"),
            ("mov fo3, i0", "mov oc3, v0"),
            ("mov fd.x, fi0.xx", "mov od0.xx, v.xxxx"),
            ("mov ft, fc", "mov ft0, fc0"),
        ],
    );
}

#[test]
fn directives() {
    use AsmErrorKind::*;
    let text =
        "mov oc, v0\n.token 0x0 0x30f0000, 0xe4000000 0x4 0x0 0x0 // the same\n.bytes 0x28 0x0";
    let encoded = assemble(text, Stage::Fragment, 1).unwrap().encode();
    assert_eq!(encoded[7..31], encoded[31..55]);
    assert_eq!(encoded[55..], [0x28, 0]);

    let fragment = |text: &str| error(text, Stage::Fragment, 1);
    let count = |name, least, most, found| NumberCount { name, least, most, found };
    let number = |text: &str, bits| BadNumber { text: text.to_owned(), bits };
    assert_eq!(fragment(".token"), (count(".token", 6, 6, 0), 1, 1));
    assert_eq!(fragment(".token 0x0 0x1"), (count(".token", 6, 6, 2), 1, 1));
    assert_eq!(fragment(&format!(".token{}", " 0x0".repeat(7))), (count(".token", 6, 6, 7), 1, 1));
    assert_eq!(fragment(".bytes"), (count(".bytes", 1, 23, 0), 1, 1));
    assert_eq!(
        fragment(&format!(".bytes{}", " 0x0".repeat(24))),
        (count(".bytes", 1, 23, 24), 1, 1)
    );
    for text in ["0x123456789", "12", "0x", "0xg", "0x-1", "0X1", "<0x1>"] {
        let (kind, line, column) = fragment(&format!(".token {text}"));
        let shown = if text.starts_with('<') { "<" } else { text };
        assert_eq!((kind, line, column), (number(shown, 32), 1, 8));
    }
    assert_eq!(fragment(" .bytes 0x100"), (number("0x100", 8), 1, 9));
    assert_eq!(fragment(".bytes 0x1\nmov oc, v0"), (AfterTheLastToken, 2, 1));
    assert_eq!(fragment(".header 0xa0"), (BrokenHeader, 1, 1));
    assert_eq!(fragment(".xyz"), (UnknownDirective(".xyz".into()), 1, 1));
}

#[test]
fn texts_say_what_they_are() {
    let options = AssembleOptions::default();
    let sections = options.sections("// version: 2\n// fragment\nmov oc, fc63").unwrap();
    assert_eq!((sections.version.number(), sections.vertex), (2, None));
    assert_eq!(sections.fragment.map(|program| program.token_count()), Some(1));
    // A section contains the instructions after its comment; earlier instructions get the default stage.
    let fragment = AssembleOptions { stage: Some(Stage::Fragment), ..options };
    let sections = fragment.sections("mov oc, fc0\n// vertex\nmov op, va0").unwrap();
    assert_eq!(sections.version.number(), 1);
    assert!(sections.vertex.is_some() && sections.fragment.is_some());

    let kind = |text: &str| {
        let errors = options.sections(text).unwrap_err();
        (errors.first().kind.clone(), errors.first().line)
    };
    let vertex = "// version: 1\n// vertex\nmov op, va0\n";
    let twice = format!("{vertex}// fragment\nmov oc, fc0\n{vertex}");
    assert_eq!(kind(&twice), (AsmErrorKind::DuplicateSection("vertex"), 7));
    let later = format!("{vertex}// version: 2\n// fragment\nmov oc, fc0\n");
    assert_eq!(kind(&later), (AsmErrorKind::LateVersion, 4));
    let same = later.replace("version: 2", "version: 1");
    assert!(options.sections(&same).is_ok());

    // Without sections, the first register that only one stage has determines the stage.
    let stage = |text: &str| options.assemble(text).map(|program| program.stage());
    assert_eq!(stage("// va0\nmul ft0, v0, v1\nmov oc, fc0 // va0"), Ok(Stage::Fragment));
    assert_eq!(stage("m44 op,va0,vc0"), Ok(Stage::Vertex));
    assert_eq!(stage("mov v0, vc[va0.x]"), Ok(Stage::Vertex));
    assert_eq!(kind("mov v0, i1\nmov v1, i1"), (AsmErrorKind::MissingSection("vertex"), 1));
    assert!(options.sections("mov oc, fc0").unwrap().fragment.is_some());
}

#[test]
fn pairs() {
    let text = "// about\n// version: 2\n// vertex\nmov op, va0 // vertex\n// fragment\n// note\nmov oc, fc0\n";
    let pair = |text: &str| AssembleOptions::default().pair(text);
    let (vertex, fragment) = pair(text).unwrap();
    let version = fragment.header_version();
    assert_eq!((vertex.stage(), fragment.stage(), version), (Stage::Vertex, Stage::Fragment, 2));
    assert_eq!((vertex.token_count(), fragment.token_count()), (1, 1));
    let (vertex, _) = pair("// vertex\n// fragment\n").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(vertex.header_version(), 1);

    let kind = |text: &str| {
        let errors = pair(text).unwrap_err();
        (errors.first().kind.clone(), errors.first().line)
    };
    use AsmErrorKind::*;
    assert_eq!(kind("// vertex\nmov op, va0"), (MissingSection("fragment"), 1));
    assert_eq!(kind("\nmov v0, v1"), (MissingSection("vertex"), 2));
    assert_eq!(kind("\nmov op, va0"), (MissingSection("fragment"), 1));
    assert_eq!(kind("\n// version: 5\n"), (UnknownVersion("5".into()), 2));
    let text = "// vertex\nmov op, va0\n// fragment\nmov oc, va0\n";
    let (register, stage) = ("va0".into(), "fragment");
    assert_eq!(kind(text), (RegisterNotInStage { register, stage }, 4));
}
