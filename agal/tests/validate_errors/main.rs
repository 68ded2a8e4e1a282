//! Tests an invalid program for each error number of the verifier and the linker, and the order of errors.
//!
//! A case is the assembly source of a pair, and optionally a change to the bytes. The reference lists the error numbers
//! and their conditions, beginning with the fact [agal.message.class].

mod case;
mod operands;
mod order;
mod witness;
mod witness_form;
mod witness_operands;

use agal::errors::{Grade, InferredError};
use agal::{AgalVersion, Endian, Profile, Rules, Stage, upload};

use case::{Case, FRAGMENT, VERTEX, edited, fragment, vertex, within};

#[test]
fn the_unchanged_programs_are_legal() {
    for case in [
        Case::new(1, VERTEX, FRAGMENT),
        fragment(1, FRAGMENT),
        vertex(1, VERTEX),
        fragment(1, "tex oc, v0, fs0 <2d>"),
    ] {
        case.upload().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// [agal.error.3620] [agal.error.3621] [agal.error.3622] [agal.error.3726] [agal.error.3803] [agal.error.3805]
/// [agal.sgn.1] [agal.ted.1] [agal.opcode.last]
#[test]
fn opcodes() {
    let error = edited(Stage::Fragment, |code| code[0].set_code(0xff)).raises(3620, 1);
    // A player's message printed the opcode in decimal ([agal.message.opcode_number]).
    assert_eq!(
        error.message(),
        "AGAL validation failed: Invalid opcode, value out of range: 255 at token 1 of fragment program."
    );
    edited(Stage::Fragment, |code| code[0].set_code(0x2f)).raises(3620, 1);
    // The tested opcodes are the gaps in the opcode table, and the two opcodes that no player runs.
    for code in [0x22, 0x23, 0x24, 0x25, 0x26, 0x2b] {
        edited(Stage::Vertex, move |program| program[1].set_code(code)).raises(3621, 2);
    }
    edited(Stage::Vertex, |code| code[0].set_code(0x28)).raises(3622, 1);
    edited(Stage::Fragment, |code| code[0].set_code(0x2e)).raises(3803, 1);
    edited(Stage::Vertex, |code| code[0].set_code(0x2e)).raises(3805, 1);
    edited(Stage::Fragment, |code| code[0].set_code(0x1a)).raises(3726, 1);
}

/// [agal.program.kind] [agal.version.tokens] [agal.version.tokens_4] [agal.check.count]
#[test]
fn headers() {
    let type_byte = |which: Stage, byte: u8| {
        let mut programs = [Stage::Vertex, Stage::Fragment]
            .map(|stage| Case::new(1, "mov op, vc0", "mov oc, fc0").program(stage));
        programs[usize::from(which.code())][6] = byte;
        let [vertex, fragment] = programs;
        upload((&vertex, Endian::Little), (&fragment, Endian::Little), &Rules::NEWEST).unwrap_err()
    };
    assert_eq!(type_byte(Stage::Vertex, 1).number(), 3631);
    assert_eq!(type_byte(Stage::Fragment, 0).number(), 3630);

    let mut case = Case::new(2, VERTEX, FRAGMENT);
    case.profile = Profile::BaselineExtended;
    let error = case.raises(3725, 0);
    assert!(error.message().contains("(2)"), "{error}");

    let long = "mov vt0, va0\n".repeat(199);
    let error = vertex(1, &format!("{long}mov op, va0\nmov v0, va0")).raises(3629, 0);
    assert!(error.message().contains("(201) for vertex"), "{error}");
    assert!(vertex(1, &format!("{long}mov op, va0")).upload().is_ok());
    for version in AgalVersion::ALL {
        let most = version.max_tokens();
        let text = format!("{}mov op, va0", "mov vt0, va0\n".repeat(most));
        let error = vertex(version.number(), &text).raises(3629, 0);
        // Tokens are counted while they are read, so the message is the same for any longer program.
        let longer = format!("{text}\nmov op, va0\nmov op, vt99");
        assert_eq!(vertex(version.number(), &longer).raises(3629, 0), error);
        assert!(error.message().contains(&format!("({})", most + 1)));
    }
}

/// [agal.version.zero] [agal.version.zero_later] [agal.program.trailing]
#[test]
fn version_0_and_a_cut_off_token() {
    let mut vertex = Case::new(1, VERTEX, FRAGMENT).program(Stage::Vertex);
    let fragment = Case::new(1, VERTEX, FRAGMENT).program(Stage::Fragment);
    vertex[1] = 0;
    vertex.extend([0xff; 23]);
    let pair =
        upload((&vertex, Endian::Little), (&fragment, Endian::Little), &Rules::NEWEST).unwrap();
    assert_eq!((pair.version().number(), pair.vertex().program().token_count()), (1, 2));
    let program = pair.vertex().program();
    assert_eq!((program.header_version(), program.encode()), (0, vertex.clone()));
    let shown = agal::asm::disassemble(&vertex, None, &Rules::NEWEST);
    let listing = shown.listing().to_string();
    let back = agal::asm::AssembleOptions::default().sections(&listing);
    assert_eq!(back.unwrap().vertex.as_ref(), Some(program), "{listing}");
    // Only header number 0 stands for AGAL 1.
    vertex[4] = 1;
    let newer = upload((&vertex, Endian::Little), (&fragment, Endian::Little), &Rules::NEWEST);
    assert_eq!(newer.unwrap_err().number(), 3617);
}

/// Tests the number and the grade of certainty of each inferred error. [agal.error.3625_alone]
#[test]
fn inferred_errors() {
    for inferred in InferredError::ALL {
        let (case, token, grade) = match inferred {
            InferredError::LoneConstant => (fragment(1, "kil fc0.x\nmov oc, v0"), 1, Grade::Open),
            InferredError::NotImplemented => {
                let sgn = edited(Stage::Vertex, |code| code[0].set_code(0x2b));
                (sgn, 1, Grade::Measured)
            }
            InferredError::TokenCount => {
                let long = vertex(1, &"mov op, va0\n".repeat(300));
                (long, 0, Grade::Measured)
            }
        };
        case.raises(inferred.kind().number(), token);
        assert_eq!(inferred.grade(), grade);
    }
}

/// [agal.version.swf] [agal.version.profile] [agal.message.version]
#[test]
fn the_profile_decides_which_versions_are_accepted() {
    for (version, weakest) in [
        (1, Profile::BaselineConstrained),
        (2, Profile::StandardConstrained),
        (3, Profile::StandardExtended),
        (4, Profile::Enhanced),
    ] {
        let case = Case::new(version, VERTEX, FRAGMENT);
        let (vertex, fragment) = (case.program(Stage::Vertex), case.program(Stage::Fragment));
        for profile in Profile::ALL.iter().copied() {
            let rules = Rules { profile };
            let done = upload((&vertex, Endian::Little), (&fragment, Endian::Little), &rules);
            let number = done.err().map(|error| error.number());
            assert_eq!(number, (profile < weakest).then_some(3725), "{version} in {profile}");
        }
    }
    let mut newer = Case::new(4, VERTEX, FRAGMENT).program(Stage::Vertex);
    newer[1] = 5;
    let error = upload((&newer, Endian::Little), (&[], Endian::Little), &Rules::NEWEST);
    let error = error.unwrap_err();
    assert!(
        error.number() == 3617 && error.message().ends_with("Current version is 4."),
        "{error}"
    );
}

/// [agal.nesting.four] [agal.nesting.five] [agal.flow.tex] [agal.check.later]
#[test]
fn conditionals() {
    fragment(2, "eif\nmov oc, v0").raises(3623, 1);
    fragment(2, "els\nmov oc, v0").raises(3752, 1);
    within("mov ft0, v1\nels\nmov ft0, v0\nels\nmov ft0, v0").raises(3752, 6);
    let error = fragment(2, "mov oc, v0\nife v0.x, v1.x\nmov ft0, v0").raises(3739, 0);
    assert!(error.message().ends_with("of fragment program."), "{error}");
    let nested = |depth: usize| {
        let open = "ifg v0.x, v1.y\n".repeat(depth);
        let close = "\neif".repeat(depth);
        fragment(2, &format!("mov ft0, v0\n{open}mov ft0, v1{close}\nmov oc, ft0"))
    };
    nested(5).raises(3624, 6);
    assert!(nested(4).upload().is_ok());
    fragment(2, "ife v0.x, v1.x\neif\nmov oc, v0").raises(3748, 2);
    within("els\nmov ft0, v0").raises(3748, 3);
    within("mov ft0, v0\nels").raises(3748, 5);
    within("ddx ft0, v0").raises(3742, 3);
    within("ddy ft0, v0").raises(3742, 3);
    within("tex ft0, ft0, fs0").raises(3741, 3);
    assert!(within("tex ft0, v1.zw, fs0").upload().is_ok());
    within("mov fo1, v0").raises(3751, 3);
    within("mov od.x, v0").raises(3751, 3);
    fragment(2, "ine v0.x, v0.x\nmov ft0, v0\neif\nmov oc, v0").raises(3758, 1);
    assert!(within("mov ft0, v1").upload().is_ok());
}

/// [agal.output.color] [agal.output.position] [agal.output.colors] [agal.error.3744]
#[test]
fn outputs() {
    fragment(1, "mov oc.xyz, v0").raises(3701, 1);
    fragment(2, "mov oc, v0\nmov oc, v1").raises(3744, 2);
    // Adobe's verifier for AGAL 1 doesn't check whether a colour is written twice.
    assert!(fragment(1, "mov oc, v0\nmov oc, v1").upload().is_ok());
    fragment(2, "mov od.xy, v0\nmov oc, v0").raises(3756, 1);
    fragment(2, "mov od.y, v0\nmov oc, v0").raises(3756, 1);
    fragment(2, "mov fo0, v0\nmov fo2, v0").raises(3775, 0);
    fragment(1, "mov ft0, v0").raises(3634, 0);
    fragment(2, "mov od.x, v0").raises(3634, 0);
    vertex(1, "mov v0, va0").raises(3635, 0);
    vertex(1, "mov op.xyz, va0").raises(3635, 0);
    assert!(vertex(1, "mov op.xyz, va0\nmov op.w, vc0").upload().is_ok());
}

/// [agal.link.varyings] [agal.link.reads] [agal.varying.unread] [agal.error.3757]
#[test]
fn linkage() {
    let error =
        Case::new(1, "mov op, va0\nmov v1, va0", "mov ft0, v1\nadd oc, v0, ft0").raises(3632, 0);
    assert_eq!(
        error.message(),
        "AGAL linkage: Varying 0 is read in the fragment shader but not written to by the vertex shader."
    );
    for (number, text) in [
        (3632, "mov oc, v3"),
        (3632, "mov ft0, v0\nmul ft0, ft0, v3.w\nmov oc, ft0"),
        // All four components of a swizzle count, even those outside the write mask; so do all rows of a matrix.
        (3632, "mov ft0, v0\nmov ft0.x, v3\nmov oc, ft0"),
        (3632, "mov ft0, v0\nm44 ft0.x, ft0, v1\nmov oc, ft0"),
        (3633, "mov ft0, v0\nmov ft0.x, v3.xyzz\nmov oc, ft0"),
        // An incomplete varying is an error even if it is never read.
        (3633, "mov oc, v0"),
    ] {
        let others = "mov v0, va0\nmov v1, va0\nmov v2, va0\nmov v4, va0";
        let vertex = format!("mov op, va0\nmov v3.xyz, va0\n{others}");
        let error = Case::new(1, &vertex, text).raises(number, 0);
        assert!(error.message().contains("Varying 3 "), "{error}");
    }
    assert!(
        Case::new(1, "mov op, va0\nmov v0.xy, va0\nmov v0.zw, va0", "mov oc, v0").upload().is_ok()
    );
    // A varying that is written but not read is accepted (player output).
    assert!(Case::new(1, "mov op, vc0\nmov v0, va0", "mov oc, fc0").upload().is_ok());

    let mixed = Case::new(1, VERTEX, FRAGMENT);
    let newer = Case::new(2, VERTEX, FRAGMENT);
    let (vertex, fragment) = (mixed.program(Stage::Vertex), newer.program(Stage::Fragment));
    let error = upload((&vertex, Endian::Little), (&fragment, Endian::Little), &Rules::NEWEST);
    assert_eq!(error.unwrap_err().number(), 3757);
}
