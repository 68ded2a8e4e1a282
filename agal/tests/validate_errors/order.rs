//! Flash raises only the first error: tests programs and pairs with two errors.
//!
//! Recorded from players (agal-errors.md, "What real-player output proves"): the order of the forms of a program,
//! opcode before operands, operand by operand, bounds before permission, 3639 before 3647. All other order is ours
//! (unverified).

use agal::operand::WriteMask;
use agal::{AgalError, Endian, Instruction, LinkedPair, Profile, Rules, Stage, upload};

use super::case::{Case, FRAGMENT, VERTEX, edited, fragment, source2, vertex, within};

/// A change to a token, the number that it raises, and a word of the message.
type Fault = (fn(&mut Instruction), u16, &'static str);

/// Each error alone raises its number; of two, the earlier in the list is raised.
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

fn second(instruction: &mut Instruction) -> &mut agal::operand::Source {
    source2(std::slice::from_mut(instruction))
}

fn sampler(instruction: &mut Instruction) -> &mut agal::sampler::SamplerOperand {
    instruction.sampler_mut().expect("a sampler")
}

#[test]
fn within_a_token() {
    let faults: [Fault; 13] = [
        (|token| token.set_code(0xff), 3620, "255"),
        (|token| token.dest.reserved = 1, 3654, "destination operand"),
        (|token| token.dest.file = 9, 3655, "destination operand"),
        (|token| token.dest.number = 99, 3661, "destination operand"),
        (
            |token| token.dest.mask = WriteMask::EMPTY,
            3653,
            "destination operand",
        ),
        (|token| token.source1.reserved = 1, 3654, "source operand 1"),
        (|token| token.source1.file = 9, 3655, "source operand 1"),
        (
            |token| token.source1.index_file = 1,
            3643,
            "source operand 1",
        ),
        (|token| token.source1.number = 99, 3658, "source operand 1"),
        (|token| second(token).reserved = 1, 3654, "source operand 2"),
        (|token| second(token).file = 9, 3655, "source operand 2"),
        (|token| second(token).offset = 1, 3643, "source operand 2"),
        (|token| second(token).number = 99, 3658, "source operand 2"),
    ];
    in_order(
        Stage::Vertex,
        || vertex(1, "add vt0, va0, va1\nmov op, vt0"),
        &faults,
    );
}

#[test]
fn within_an_indirect_operand() {
    let faults: [Fault; 5] = [
        (
            |token| token.source1.reserved = 0x100,
            3654,
            "source operand 1",
        ),
        (|token| token.source1.file = 2, 3640, "source operand 1"),
        (
            |token| token.source1.index_file = 4,
            3642,
            "source operand 1",
        ),
        (|token| token.source1.number = 8, 3658, "source operand 1"),
        (|token| second(token).number = 1, 3636, "source operand 2"),
    ];
    in_order(Stage::Vertex, || vertex(1, "mov op, vc[va0.x+4]"), &faults);
}

#[test]
fn within_a_texture_read() {
    let faults: [Fault; 11] = [
        (
            |token| token.dest.mask = WriteMask::EMPTY,
            3653,
            "destination operand",
        ),
        (|token| token.source1.file = 2, 3647, "source operand 1"),
        (|token| sampler(token).file = 1, 3693, "source operand 2"),
        (
            |token| sampler(token).reserved = 1,
            3654,
            "source operand 2",
        ),
        (|token| sampler(token).number = 8, 3656, "source operand 2"),
        (|token| sampler(token).dimension = 3, 3664, "dimension 3"),
        (
            |token| sampler(token).filter = 7,
            3665,
            "filter mode in sampler: 7",
        ),
        (|token| sampler(token).mip = 4, 3666, "mode in sampler: 4"),
        (|token| sampler(token).wrap = 5, 3667, "mode in sampler: 5"),
        (|token| sampler(token).special = 9, 3668, "sampler: 9"),
        (|token| sampler(token).format = 4, 3654, "source operand 2"),
    ];
    in_order(Stage::Fragment, || fragment(1, "tex oc, v0, fs0"), &faults);
}

#[test]
fn bounds_come_before_permission_and_permission_before_the_mask() {
    // The depth register of AGAL 1, as a player reports it.
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
    // An opcode's stage is checked before its version, and both before its operands.
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
    case.edit(Stage::Fragment, |code| code[0].source1.indirect = true)
        .raises(3639, 1);
}

#[test]
fn operands_then_both_sources_then_conditionals_then_outputs() {
    // 3647 before 3703 before 3625.
    fragment(2, "ife ft0, ft0\nmov ft1, v0\neif\nmov oc, v0").raises(3647, 1);
    fragment(2, "ife fc0, fc0\nmov ft1, v0\neif\nmov oc, v0").raises(3703, 1);
    fragment(2, "ife fc0.x, fc0.x\nmov ft1, v0\neif\nmov oc, v0").raises(3625, 1);
    // 3625 before 3751, 3751 before 3701, 3701 before 3744.
    within("add oc.x, fc0, fc1").raises(3625, 3);
    within("mov oc.x, v0").raises(3751, 3);
    fragment(1, "mov oc, v0\nmov oc.x, v0").raises(3701, 2);
    // 3758 before 3624.
    let open = "ifg v0.x, v1.y\n".repeat(4);
    fragment(2, &format!("{open}ifg v0.x, v0.x")).raises(3758, 5);
    // 3696 before 3741.
    fragment(
        2,
        "tex ft0, v0, fs0\nife v0.x, v1.x\ntex ft0, ft0, fs0 <linear>",
    )
    .raises(3696, 3);
}

#[test]
fn an_earlier_token_comes_before_a_later_one_and_all_before_the_end() {
    fragment(1, "mov oc.x, v0\nmov ft99, v0").raises(3701, 1);
    fragment(2, "ife v0.x, v1.x\nmov fo1, v0\nmov oc, oc").raises(3751, 2);
    // 3739 before 3775, 3775 before 3634.
    fragment(2, "mov fo1, v0\nife v0.x, v1.x\nmov ft0, v0").raises(3739, 0);
    fragment(2, "mov fo1, v0").raises(3775, 0);
}

/// A change to the bytes of a program, and the number that it raises.
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
        (|bytes| bytes[1] = 2, 3617),
        (|bytes| bytes[5] = 0, 3618),
        (|bytes| bytes[6] = 2, 3619),
        (|bytes| bytes.resize(7 + 201 * 24, 0xff), 3629),
        (|bytes| bytes[7] = 0xff, 3620),
    ];
    // A SWF of that age doesn't have AGAL 2.
    let rules = Rules {
        profile: Profile::Enhanced,
        swf_version: 13,
    };
    let plain = Case::new(1, VERTEX, FRAGMENT).program(Stage::Vertex);
    for (at, (first, number)) in faults.iter().enumerate() {
        for (second, _) in &faults[at..] {
            let mut bytes = plain.clone();
            second(&mut bytes);
            first(&mut bytes);
            let error = upload_vertex(&bytes, Endian::Little, &rules).unwrap_err();
            assert_eq!(error.number(), *number, "{error}");
            // The byte order is checked before everything except the empty array.
            let error = upload_vertex(&bytes, Endian::Big, &rules).unwrap_err();
            assert_eq!(error.number(), if bytes.is_empty() { 3615 } else { 3612 });
        }
    }
}

#[test]
fn the_header_against_role_profile_and_length() {
    let header = |edit: fn(&mut Vec<u8>), profile| {
        let mut bytes = Case::new(1, VERTEX, FRAGMENT).program(Stage::Vertex);
        edit(&mut bytes);
        let rules = Rules {
            profile,
            swf_version: u32::MAX,
        };
        upload_vertex(&bytes, Endian::Little, &rules)
            .unwrap_err()
            .number()
    };
    let role_and_profile: fn(&mut Vec<u8>) = |bytes| {
        bytes[1] = 2;
        bytes[6] = 1;
    };
    assert_eq!(header(role_and_profile, Profile::Baseline), 3631);
    let profile_and_length: fn(&mut Vec<u8>) = |bytes| {
        bytes[1] = 2;
        bytes.resize(7 + 1025 * 24, 0xff);
    };
    assert_eq!(header(profile_and_length, Profile::Baseline), 3725);
    assert_eq!(header(profile_and_length, Profile::Standard), 3629);
}

/// All checks of the vertex program, then of the fragment program, then of the pair.
#[test]
fn across_the_programs_of_a_pair() {
    let wrong_vertex = "mov op, vt0";
    let wrong_fragment = "mov oc, oc";
    let silent = "mov vt0, va0";
    Case::new(1, wrong_vertex, wrong_fragment).raises(3647, 1);
    Case::new(1, silent, wrong_fragment).raises(3646, 1);
    // Not even AGAL, but checked second.
    let vertex = Case::new(1, wrong_vertex, FRAGMENT).program(Stage::Vertex);
    let second = upload(
        (&vertex, Endian::Little),
        (&[1], Endian::Big),
        &Rules::NEWEST,
    );
    assert_eq!(second.unwrap_err().number(), 3647);
    let vertex = Case::new(1, silent, FRAGMENT).program(Stage::Vertex);
    let second = upload(
        (&vertex, Endian::Little),
        (&[1], Endian::Big),
        &Rules::NEWEST,
    );
    assert_eq!(second.unwrap_err().number(), 3612);
}

#[test]
fn across_linkage() {
    // 3757 before 3635 before 3634 before the varyings, those by number.
    let vertex = Case::new(2, "mov vt0, va0", FRAGMENT).program(Stage::Vertex);
    let fragment = Case::new(1, VERTEX, "mov ft0, v0").program(Stage::Fragment);
    let pair = upload(
        (&vertex, Endian::Little),
        (&fragment, Endian::Little),
        &Rules::NEWEST,
    );
    assert_eq!(pair.unwrap_err().number(), 3757);
    Case::new(1, "mov vt0, va0", "mov ft0, v0").raises(3635, 0);
    Case::new(1, "mov op, va0", "mov ft0, v0").raises(3634, 0);
    Case::new(1, "mov op, va0\nmov v1.x, va0", "add oc, v0, v1").raises(3632, 0);
    Case::new(1, "mov op, va0\nmov v0.x, va0", "add oc, v0, v1").raises(3633, 0);
}
