//! Tests programs and pairs with two errors, of which Flash raises only the first.
//!
//! The order of checks is that of Adobe's verifier ([agal.check.token] and similar facts, [agal.link.kinds]). Players
//! confirm parts of this order ([agal.check.form] [agal.check.indirect]): encoding errors, opcode before operands,
//! bounds before permission, 3639 before 3647. For rules of later AGAL versions, Molehill chose the position in this
//! order of checks ([agal.check.later]).

use agal::operand::{Swizzle, WriteMask};
use agal::{AgalError, AgalInstruction, Endian, LinkedPair, Profile, Rules, Stage, upload};

use super::case::{Case, FRAGMENT, VERTEX, edited, fragment, source2, vertex, within};

/// A change to a token, the error number that it causes, and a word of the message.
type Fault = (fn(&mut AgalInstruction), u16, &'static str);

/// Checks that each fault alone raises its number, and that the earlier of two faults is raised.
fn in_order(stage: Stage, plain: fn() -> Case, faults: &[Fault]) {
    plain().upload().unwrap_or_else(|error| panic!("{error}"));
    for (at, (first, number, word)) in faults.iter().enumerate() {
        for (second, ..) in &faults[at..] {
            let (first, second) = (*first, *second);
            let case = plain().edit(stage, move |code| {
                first(&mut code[0]);
                second(&mut code[0]);
            });
            let error = case.raises(*number, 1);
            assert!(error.message().contains(word), "{word}: {error}");
        }
    }
}

fn second(instruction: &mut AgalInstruction) -> &mut agal::operand::SourceOperand {
    source2(std::slice::from_mut(instruction))
}

fn sampler(instruction: &mut AgalInstruction) -> &mut agal::sampler::SamplerOperand {
    instruction.sampler_mut().expect("a sampler")
}

/// [agal.check.token] [agal.check.source] [agal.check.dest] [agal.program.token_numbers] [agal.message.operand]
#[test]
fn within_a_token() {
    let faults: [Fault; 13] = [
        (|token| token.set_code(0xff), 3620, "255"),
        (|token| token.source1.reserved = 1, 3654, "source operand 1"),
        (|token| token.source1.index_file = 1, 3643, "source operand 1"),
        (|token| token.source1.file = 9, 3655, "source operand 1"),
        (|token| token.source1.number = 99, 3658, "source operand 1"),
        (|token| second(token).reserved = 1, 3654, "source operand 2"),
        (|token| second(token).offset = 1, 3643, "source operand 2"),
        (|token| second(token).file = 9, 3655, "source operand 2"),
        (|token| second(token).number = 99, 3658, "source operand 2"),
        (|token| token.dest.file = 9, 3655, "destination operand"),
        (|token| token.dest.number = 99, 3661, "destination operand"),
        (|token| token.dest.reserved = 1, 3654, "destination operand"),
        (|token| token.dest.mask = WriteMask::EMPTY, 3653, "destination operand"),
    ];
    in_order(Stage::Vertex, || vertex(1, "add vt0, va0, va1\nmov op, va0"), &faults);
}

/// [agal.check.source]
#[test]
fn within_a_scalar_operand() {
    let faults: [Fault; 6] = [
        (|token| token.source1.reserved = 1, 3654, "source operand 1"),
        (|token| token.source1.offset = 1, 3643, "source operand 1"),
        (|token| token.source1.number = 99, 3657, "source operand 1"),
        (|token| token.source1.swizzle = Swizzle::IDENTITY, 3703, "source operand 1"),
        (|token| second(token).number = 1, 3636, "source operand 2"),
        (|token| token.dest.number = 1, 3627, "kil"),
    ];
    in_order(Stage::Fragment, || fragment(1, "kil v0.x\nmov oc, v0"), &faults);
}

/// [agal.check.indirect]
#[test]
fn within_an_indirect_operand() {
    let faults: [Fault; 6] = [
        (|token| token.source1.reserved = 0x100, 3654, "source operand 1"),
        (|token| token.source1.file = 2, 3640, "source operand 1"),
        (|token| token.source1.index_file = 9, 3655, "source operand 1"),
        (|token| token.source1.number = 8, 3658, "source operand 1"),
        (|token| second(token).number = 1, 3636, "source operand 2"),
        (|token| token.dest.mask = WriteMask::EMPTY, 3653, "destination operand"),
    ];
    in_order(Stage::Vertex, || vertex(1, "mov vt0, vc[va0.x+4]\nmov op, va0"), &faults);
}

/// [agal.check.sampler] [agal.check.sampler_as_source]
#[test]
fn within_a_texture_read() {
    let faults: [Fault; 10] = [
        (|token| token.source1.file = 2, 3647, "source operand 1"),
        (|token| sampler(token).file = 1, 3693, "source operand 2"),
        (|token| sampler(token).reserved = 0x100, 3693, "source operand 2"),
        (|token| sampler(token).number = 8, 3656, "source operand 2"),
        (|token| sampler(token).dimension = 3, 3664, "dimension 3"),
        (|token| sampler(token).filter = 7, 3665, "filter mode in sampler: 7"),
        (|token| sampler(token).mip = 4, 3666, "mode in sampler: 4"),
        (|token| sampler(token).wrap = 5, 3667, "mode in sampler: 5"),
        (|token| sampler(token).special = 9, 3668, "sampler: 9"),
        (|token| token.dest.mask = WriteMask::EMPTY, 3653, "destination operand"),
    ];
    in_order(Stage::Fragment, || fragment(1, "tex ft0, v0, fs0\nmov oc, v0"), &faults);
    // A cube map must clamp; this is checked before the filter.
    let cube = fragment(1, "tex oc, v0, fs0 <cube,repeat>");
    cube.edit(Stage::Fragment, |code| sampler(&mut code[0]).filter = 7).raises(3662, 1);
    // For a sampler in a source, the order is: its number, the stage, the operand, then reserved bits.
    vertex(1, "mov op, vs8").raises(3656, 1);
    let reserved = |case: Case, stage| case.edit(stage, |code| code[0].source1.reserved = 0x100);
    reserved(vertex(1, "mov op, vs0"), Stage::Vertex).raises(3637, 1);
    reserved(fragment(1, "mov oc, fs0"), Stage::Fragment).raises(3638, 1);
}

/// [agal.check.dest]
#[test]
fn bounds_come_before_permission_and_permission_before_the_mask() {
    // A player reports error 3749 for the depth register under AGAL 1.
    fragment(1, "mov od.x, v0\nmov oc, v0").raises(3749, 1);
    fragment(1, "mov oc, od").raises(3749, 1);
    fragment(1, "mov oc, oc1").raises(3660, 1);
    fragment(1, "mov oc, oc").raises(3646, 1);
    vertex(1, "mov va9, va0\nmov op, va0").raises(3658, 1);
    edited(Stage::Vertex, |code| {
        code[0].dest.file = 1;
        code[0].dest.mask = WriteMask::EMPTY;
    })
    .raises(3652, 1);
    // The stage of an opcode is checked before its version, and both before the operands.
    edited(Stage::Vertex, |code| {
        code[0].set_code(0x1a);
        code[0].dest.file = 9;
    })
    .raises(3622, 1);
    edited(Stage::Fragment, |code| {
        code[0].set_code(0x1a);
        code[0].dest.file = 9;
    })
    .raises(3726, 1);
}

#[test]
fn an_indirect_read_in_a_fragment_program_comes_before_an_unwritten_temporary() {
    let case = fragment(1, "mov oc, ft0");
    case.edit(Stage::Fragment, |code| code[0].source1.indirect = true).raises(3639, 1);
}

/// [agal.check.token] [agal.check.later]
#[test]
fn nesting_then_sources_then_both_then_destination() {
    // Errors 3624 and 3752 precede errors of the sources.
    let open = "ifg v0.x, v1.y\n".repeat(4);
    fragment(2, &format!("{open}ifg ft0.x, ft0.x")).raises(3624, 5);
    let case = fragment(2, "els\nmov oc, v0");
    case.edit(Stage::Fragment, |code| code[0].source1.number = 1).raises(3752, 1);
    // Error 3703 precedes permission errors and 3647. Permission errors and 3647 precede 3625, and 3625 precedes 3758.
    fragment(2, "ife ft0, ft0\nmov ft1, v0\neif\nmov oc, v0").raises(3703, 1);
    fragment(2, "ife fc0, fc0\nmov ft1, v0\neif\nmov oc, v0").raises(3703, 1);
    fragment(2, "ife fc0.x, fc0.x\nmov ft1, v0\neif\nmov oc, v0").raises(3625, 1);
    let case = fragment(1, "kil v0\nmov oc, v0");
    case.edit(Stage::Fragment, |code| code[0].source1.file = 0).raises(3703, 1);
    // Errors of the second source precede error 3625, which precedes 3689, which precedes 3628.
    let case = vertex(1, "add vt0, vc0, vc1\nmov op, va0");
    case.edit(Stage::Vertex, |code| source2(code).reserved = 1).raises(3654, 1);
    vertex(1, "m33 vt0, vc0, vc4.xxxx\nmov op, va0").raises(3625, 1);
    vertex(1, "m33 vt0, va0, vc4.xxxx\nmov op, va0").raises(3689, 1);
    vertex(1, "m33 vt0, va0, vc4\nmov op, va0").raises(3628, 1);
    // Error 3636 precedes 3625 for a constant as the only source, and 3625 precedes errors of the destination.
    let lone = |edit: fn(&mut [AgalInstruction])| {
        fragment(1, "kil fc0.x\nmov oc, v0").edit(Stage::Fragment, edit)
    };
    lone(|code| source2(code).number = 1).raises(3636, 1);
    lone(|code| code[0].dest.number = 1).raises(3625, 1);
    vertex(1, "rcp vc0, vc0\nmov op, va0").raises(3625, 1);
    // Error 3639 precedes 3640. Error 3641 precedes errors of the index register.
    edited(Stage::Fragment, |code| code[0].source1.indirect = true).raises(3639, 1);
    vertex(4, "tld op, vc[vt0.x], vs0").raises(3641, 1);
    // Errors of the sampler precede those of the destination. Error 3653 precedes 3696.
    fragment(1, "tex oc.x, v0, fs8").raises(3656, 1);
    fragment(1, "tex ft0, v0, fs0\ntex oc.x, v0, fs0 <linear>").raises(3701, 2);
}

/// [agal.check.later] [agal.check.count]
#[test]
fn destination_then_conditionals_then_outputs_then_samplers_then_the_count() {
    // The order of destination errors is 3655, bounds, 3654, permission, 3701, 3653.
    edited(Stage::Fragment, |code| {
        code[0].dest.number = 1;
        code[0].dest.reserved = 1;
    })
    .raises(3660, 1);
    edited(Stage::Fragment, |code| {
        code[0].dest.file = 1;
        code[0].dest.reserved = 1;
    })
    .raises(3654, 1);
    edited(Stage::Fragment, |code| code[0].dest.mask = WriteMask::EMPTY).raises(3701, 1);
    // Error 3625 precedes 3701, 3701 and 3628 precede 3751, and 3751 precedes 3744.
    within("add oc.x, fc0, fc1").raises(3625, 3);
    within("mov oc.x, v0").raises(3701, 3);
    within("nrm fo1, v0").raises(3628, 3);
    fragment(2, "mov oc, v0\nife v0.x, v1.x\nmov oc, v1").raises(3751, 3);
    fragment(2, "mov oc, v0\nmov oc.x, v0").raises(3701, 2);
    // Error 3741 precedes 3696, and 3696 precedes 3629.
    fragment(2, "tex ft0, v0, fs0\nife v0.x, v1.x\ntex ft0, ft0, fs0 <linear>").raises(3741, 3);
    let most = "tex ft0, v0, fs0\n".repeat(200);
    fragment(1, &format!("{most}tex ft0, v0, fs0 <linear>")).raises(3696, 201);
    fragment(1, &format!("{most}tex ft0, v0, fs0")).raises(3629, 0);
    fragment(1, &format!("{most}mov ft99, v0")).raises(3661, 201);
}

#[test]
fn an_earlier_token_comes_before_a_later_one_and_all_before_the_end() {
    fragment(1, "mov oc.x, v0\nmov ft99, v0").raises(3701, 1);
    fragment(2, "ife v0.x, v1.x\nmov fo1, v0\nmov oc, oc").raises(3751, 2);
    let long = "mov ft0, v0\n".repeat(200);
    fragment(1, &format!("mov ft99, v0\n{long}")).raises(3661, 1);
    // Error 3739 precedes 3775, and 3775 precedes 3634.
    fragment(2, "mov fo1, v0\nife v0.x, v1.x\nmov ft0, v0").raises(3739, 0);
    fragment(2, "mov fo1, v0").raises(3775, 0);
}

/// A change to the bytes of a program, and the error number that it causes.
type HeaderFault = (fn(&mut Vec<u8>), u16);

fn upload_vertex(bytes: &[u8], endian: Endian, rules: &Rules) -> Result<LinkedPair, AgalError> {
    let fragment = Case::new(1, VERTEX, FRAGMENT).program(Stage::Fragment);
    upload((bytes, endian), (&fragment, Endian::Little), rules)
}

#[test]
fn the_form_of_a_program() {
    let faults: [HeaderFault; 8] = [
        (Vec::clear, 3615),
        (|bytes| bytes.truncate(30), 3615),
        (|bytes| bytes[0] = 0xb0, 3616),
        (|bytes| bytes[1] = 5, 3617),
        (|bytes| bytes[5] = 0, 3618),
        (|bytes| bytes[6] = 2, 3619),
        (|bytes| bytes[7] = 0xff, 3620),
        (|bytes| lengthen(bytes, 201), 3629),
    ];
    let rules = Rules::NEWEST;
    let plain = Case::new(1, VERTEX, FRAGMENT).program(Stage::Vertex);
    for (at, (first, number)) in faults.iter().enumerate() {
        for (second, _) in &faults[at..] {
            let mut bytes = plain.clone();
            second(&mut bytes);
            first(&mut bytes);
            let error = upload_vertex(&bytes, Endian::Little, &rules).unwrap_err();
            assert_eq!(error.number(), *number, "{error}");
            // The byte order is checked before everything except an empty array.
            let error = upload_vertex(&bytes, Endian::Big, &rules).unwrap_err();
            assert_eq!(error.number(), if bytes.is_empty() { 3615 } else { 3612 });
        }
    }
}

/// Repeats the last token until the program has `count` tokens.
fn lengthen(bytes: &mut Vec<u8>, count: usize) {
    while bytes.len() < 7 + count * 24 {
        bytes.extend_from_within(bytes.len() - 24..);
    }
}

#[test]
fn the_header_against_profile_length_and_role() {
    let header = |edit: fn(&mut Vec<u8>), profile| {
        let mut bytes = Case::new(1, VERTEX, FRAGMENT).program(Stage::Vertex);
        edit(&mut bytes);
        let rules = Rules { profile };
        upload_vertex(&bytes, Endian::Little, &rules).unwrap_err().number()
    };
    let profile_and_role: fn(&mut Vec<u8>) = |bytes| {
        bytes[1] = 2;
        bytes[6] = 1;
    };
    assert_eq!(header(profile_and_role, Profile::Baseline), 3725);
    let profile_and_length: fn(&mut Vec<u8>) = |bytes| {
        bytes[1] = 2;
        lengthen(bytes, 1025);
    };
    assert_eq!(header(profile_and_length, Profile::Baseline), 3725);
    assert_eq!(header(profile_and_length, Profile::Standard), 3629);
    // Tokens are checked by the stage in the header; the stage itself is checked at linkage.
    assert_eq!(header(|bytes| bytes[6] = 1, Profile::Baseline), 3645);
}

/// All checks of the vertex program precede those of the fragment program, which precede linkage. [agal.check.programs]
#[test]
fn across_the_programs_of_a_pair() {
    let wrong_vertex = "mov op, vt0";
    let wrong_fragment = "mov oc, oc";
    let silent = "mov vt0, va0";
    Case::new(1, wrong_vertex, wrong_fragment).raises(3647, 1);
    Case::new(1, silent, wrong_fragment).raises(3646, 1);
    // The second program isn't AGAL at all, but it is checked after the first.
    let vertex = Case::new(1, wrong_vertex, FRAGMENT).program(Stage::Vertex);
    let second = upload((&vertex, Endian::Little), (&[1], Endian::Big), &Rules::NEWEST);
    assert_eq!(second.unwrap_err().number(), 3647);
    let vertex = Case::new(1, silent, FRAGMENT).program(Stage::Vertex);
    let second = upload((&vertex, Endian::Little), (&[1], Endian::Big), &Rules::NEWEST);
    assert_eq!(second.unwrap_err().number(), 3612);
}

/// Assembles two AGAL 1 programs, replaces the type bytes in their headers by `kinds`, and uploads the pair.
fn pair(vertex: &str, fragment: &str, kinds: [u8; 2]) -> Result<LinkedPair, AgalError> {
    let case = Case::new(1, vertex, fragment);
    let mut programs = [Stage::Vertex, Stage::Fragment].map(|stage| case.program(stage));
    for (program, kind) in programs.iter_mut().zip(kinds) {
        program[6] = kind;
    }
    let [vertex, fragment] = programs.each_ref().map(|bytes| (bytes.as_slice(), Endian::Little));
    upload(vertex, fragment, &Rules::NEWEST)
}

/// [agal.link.kinds] [agal.link.versions] [agal.link.varyings] [agal.link.outputs]
#[test]
fn across_linkage() {
    // Both programs' tokens are checked first, then the fragment program's stage, then the vertex program's.
    let plain = "mov vt0, vc0";
    for (vertex, fragment, kinds, number) in [
        (plain, "mov ft0, ft1", [1, 0], 3647),
        (plain, "mov ft0, fc0", [1, 0], 3630),
        (plain, "mov ft0, fc0", [0, 0], 3630),
        (plain, "mov ft0, fc0", [1, 1], 3631),
    ] {
        assert_eq!(pair(vertex, fragment, kinds).unwrap_err().number(), number);
    }
    let vertex = Case::new(2, "mov vt0, va0", FRAGMENT).program(Stage::Vertex);
    let fragment = Case::new(1, VERTEX, "mov ft0, v0").program(Stage::Fragment);
    let versions = upload((&vertex, Endian::Little), (&fragment, Endian::Little), &Rules::NEWEST);
    assert_eq!(versions.unwrap_err().number(), 3757);
    // For each varying in order, error 3632 precedes 3633. Errors 3634 and 3635 come after the errors of all varyings.
    Case::new(1, "mov v0.x, va0", "mov ft0, v0").raises(3632, 0);
    Case::new(1, "mov v0.x, va0", "mov ft0, v0.x").raises(3633, 0);
    Case::new(1, "mov v1.x, va0", "add oc, v0, v1").raises(3632, 0);
    Case::new(1, "mov v0.x, va0", "add oc, v0.x, v1").raises(3633, 0);
    Case::new(1, "mov v0, va0", "mov ft0, v0").raises(3634, 0);
    Case::new(1, "mov v0, va0", "mov oc, v0").raises(3635, 0);
}
