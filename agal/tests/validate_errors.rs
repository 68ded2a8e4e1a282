//! One wrong program for each error number that the verifier and the linker raise, and the order in which they do.
//!
//! A case is two texts and a change to the bytes that no text can express. Numbers and triggers: agal-errors.md.

use std::collections::BTreeSet;

use agal::asm::{Options, assemble_with};
use agal::{
    AgalError, Endian, ErrorClass, ErrorKind, Instruction, Profile, Program, Rules, Stage, Version,
    operand::{Operand2, Swizzle, WriteMask},
    sampler::SamplerOperand,
    upload,
};

const VERTEX: &str = "mov op, va0\nmov v0, va1";
const FRAGMENT: &str = "mov oc, v0";

type Edit = Box<dyn Fn(&mut [Instruction])>;

/// A pair of programs that is legal but for one thing.
struct Case {
    version: u32,
    profile: Profile,
    vertex: String,
    fragment: String,
    edit: Option<(Stage, Edit)>,
}

impl Case {
    fn new(version: u32, vertex: &str, fragment: &str) -> Case {
        Case {
            version,
            profile: Profile::Enhanced,
            vertex: vertex.to_owned(),
            fragment: fragment.to_owned(),
            edit: None,
        }
    }

    fn edit(mut self, stage: Stage, edit: impl Fn(&mut [Instruction]) + 'static) -> Case {
        self.edit = Some((stage, Box::new(edit)));
        self
    }

    fn program(&self, stage: Stage) -> Vec<u8> {
        let text = match stage {
            Stage::Vertex => &self.vertex,
            Stage::Fragment => &self.fragment,
        };
        let options = Options {
            ignore_limits: true,
        };
        let mut program = assemble_with(text, stage, self.version, options)
            .unwrap_or_else(|error| panic!("{error}"));
        if let Some((edited, edit)) = &self.edit
            && *edited == stage
        {
            edit(program.instructions_mut());
        }
        program.encode()
    }

    fn upload(&self) -> Result<agal::LinkedPair, AgalError> {
        let rules = Rules {
            profile: self.profile,
            swf_version: u32::MAX,
        };
        let (vertex, fragment) = (self.program(Stage::Vertex), self.program(Stage::Fragment));
        upload(
            (&vertex, Endian::Little),
            (&fragment, Endian::Little),
            &rules,
        )
    }

    #[track_caller]
    fn raises(self, number: u16, token: u32) -> AgalError {
        let error = match self.upload() {
            Ok(_) => panic!(
                "#{number} is not raised:\n{}\n--\n{}",
                self.vertex, self.fragment
            ),
            Err(error) => error,
        };
        assert_eq!(error.number(), number, "{error}");
        assert_eq!(error.token().unwrap_or(0), token, "{error}");
        assert_eq!(error.class(), ErrorClass::Error);
        assert!(!error.message().contains('%'), "{error}");
        error
    }
}

/// A fragment program beside a plain vertex program.
fn fragment(version: u32, text: &str) -> Case {
    Case::new(version, "mov op, va0\nmov v0, va1\nmov v1, va2", text)
}

/// A vertex program beside a plain fragment program.
fn vertex(version: u32, text: &str) -> Case {
    Case::new(version, text, "mov oc, fc0")
}

/// The pair of `VERTEX` and `FRAGMENT`, one of them changed.
fn edited(stage: Stage, edit: impl Fn(&mut [Instruction]) + 'static) -> Case {
    Case::new(1, VERTEX, FRAGMENT).edit(stage, edit)
}

/// A program with one texture read, its sampler changed.
fn sampled(edit: impl Fn(&mut SamplerOperand) + 'static) -> Case {
    let case = fragment(1, "tex oc, v0, fs0 <2d>");
    case.edit(Stage::Fragment, move |code| match &mut code[0].source2 {
        Operand2::Sampler(sampler) => edit(sampler),
        Operand2::Source(_) => panic!("no sampler"),
    })
}

fn source2(instructions: &mut [Instruction]) -> &mut agal::operand::Source {
    match &mut instructions[0].source2 {
        Operand2::Source(source) => source,
        Operand2::Sampler(_) => panic!("a sampler"),
    }
}

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

#[test]
fn opcodes() {
    let error = edited(Stage::Fragment, |code| code[0].code = 0xff).raises(3620, 1);
    // "printed in decimal" is a player's (agal-errors.md).
    assert_eq!(
        error.message(),
        "AGAL validation failed: Invalid opcode, value out of range: 255 at token 1 of fragment program."
    );
    edited(Stage::Fragment, |code| code[0].code = 0x2f).raises(3620, 1);
    // All values between the rows, and the two rows that no player runs.
    for code in [0x22, 0x23, 0x24, 0x25, 0x26, 0x2b] {
        edited(Stage::Vertex, move |program| program[1].code = code).raises(3621, 2);
    }
    edited(Stage::Vertex, |code| code[0].code = 0x28).raises(3622, 1);
    edited(Stage::Fragment, |code| code[0].code = 0x2e).raises(3803, 1);
    edited(Stage::Vertex, |code| code[0].code = 0x2e).raises(3805, 1);
    edited(Stage::Fragment, |code| code[0].code = 0x1a).raises(3726, 1);
}

#[test]
fn headers() {
    let type_byte = |which: Stage, byte: u8| {
        let mut programs = [Stage::Vertex, Stage::Fragment]
            .map(|stage| Case::new(1, VERTEX, FRAGMENT).program(stage));
        programs[usize::from(which.code())][6] = byte;
        let [vertex, fragment] = programs;
        upload(
            (&vertex, Endian::Little),
            (&fragment, Endian::Little),
            &Rules::NEWEST,
        )
        .unwrap_err()
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
    for version in Version::ALL {
        let most = "mov vt0, va0\n".repeat(version.max_tokens());
        let text = format!("{most}mov op, va0");
        vertex(version.number(), &text).raises(3629, 0);
    }
}

/// profiles.md, "Availability".
#[test]
fn versions_need_their_swf() {
    for (version, swf) in [(1, 13), (2, 25), (3, 28), (4, 37)] {
        let case = Case::new(version, VERTEX, FRAGMENT);
        let upload = |swf_version| {
            let rules = Rules {
                profile: Profile::Enhanced,
                swf_version,
            };
            let (vertex, fragment) = (case.program(Stage::Vertex), case.program(Stage::Fragment));
            upload(
                (&vertex, Endian::Little),
                (&fragment, Endian::Little),
                &rules,
            )
        };
        assert!(upload(swf).is_ok());
        if version > 1 {
            let error = upload(swf - 1).unwrap_err();
            assert_eq!(error.number(), 3617);
            let end = format!("Current version is {}.", version - 1);
            assert!(error.message().ends_with(&end), "{error}");
        }
    }
}

#[test]
fn destinations() {
    let dest = |edit: fn(&mut [Instruction])| edited(Stage::Vertex, edit);
    dest(|code| code[0].dest.reserved = 0x10).raises(3654, 1);
    dest(|code| code[0].dest.reserved = 1).raises(3654, 1);
    let error = dest(|code| code[0].dest.file = 8).raises(3655, 1);
    assert!(error.message().contains("destination operand"), "{error}");
    dest(|code| code[1].dest.mask = WriteMask::EMPTY).raises(3653, 2);
    fragment(1, "mov fs0, v0\nmov oc, v0").raises(3649, 1);
    vertex(1, "mov vs0, va0\nmov op, va0").raises(3649, 1);
    fragment(1, "mov v0, v1\nmov oc, v0").raises(3650, 1);
    vertex(1, "mov va0, va1\nmov op, va0").raises(3651, 1);
    vertex(1, "mov vc0, va1\nmov op, va0").raises(3652, 1);
    vertex(3, "mov iid, va1\nmov op, va0").raises(3786, 1);
    vertex(1, "mov iid, va1\nmov op, va0").raises(3789, 1);
    for text in [
        "nrm vt0, va0",
        "crs vt0.xw, va0, va1",
        "m33 vt0, va0, vc0",
        "m34 vt0.w, va0, vc0",
    ] {
        vertex(1, &format!("{text}\nmov op, va0")).raises(3628, 1);
    }
    fragment(1, "kil v0.x\nmov oc, v0")
        .edit(Stage::Fragment, |code| code[0].dest.number = 1)
        .raises(3627, 1);
}

#[test]
fn bounds() {
    vertex(1, "mov v8, va0\nmov op, va0").raises(3657, 1);
    vertex(1, "mov op, va8").raises(3658, 1);
    vertex(2, "mov op, va8").raises(3658, 1);
    vertex(1, "mov op, vc128").raises(3659, 1);
    vertex(2, "mov op, vc250").raises(3659, 1);
    fragment(1, "mov oc, fc28").raises(3659, 1);
    fragment(2, "mov oc, fc64").raises(3659, 1);
    fragment(3, "mov oc, fc200").raises(3659, 1);
    vertex(1, "mov op1, va0").raises(3660, 1);
    fragment(1, "mov fo1, v0").raises(3660, 1);
    fragment(2, "mov fo4, v0").raises(3660, 1);
    fragment(1, "mov ft8, v0\nmov oc, v0").raises(3661, 1);
    fragment(2, "mov ft26, v0\nmov oc, v0").raises(3661, 1);
    fragment(1, "tex oc, v0, fs8").raises(3656, 1);
    fragment(2, "tex oc, v0, fs16").raises(3656, 1);
    vertex(4, "tld op, va0, vs4").raises(3656, 1);
    // All rows of a matrix must be there; m44 has four, the others three.
    vertex(1, "m44 op, va0, vc125").raises(3659, 1);
    vertex(1, "m34 vt0.xyz, va0, vc126\nmov op, va0").raises(3659, 1);
    assert!(vertex(1, "m44 op, va0, vc124").upload().is_ok());
    assert!(
        vertex(1, "m34 vt0.xyz, va0, vc125\nmov op, va0")
            .upload()
            .is_ok()
    );
    // The depth register of AGAL 1 is out of bounds before it is unreadable (player output).
    fragment(1, "mov od.x, v0\nmov oc, v0").raises(3749, 1);
    fragment(1, "mov oc, od").raises(3749, 1);
    fragment(2, "mov od1.x, v0\nmov oc, v0").raises(3749, 1);
}

/// profiles.md, "Shader limits".
#[test]
fn profiles_lower_the_bounds() {
    let in_profile = |profile, case: Case| Case { profile, ..case };
    let seven = || fragment(1, "mov ft7, v0\nmov oc, ft7");
    // Real players reported it (profiles.md, "Choosing for the temporaries").
    in_profile(Profile::BaselineConstrained, seven()).raises(3661, 1);
    assert!(in_profile(Profile::Baseline, seven()).upload().is_ok());
    let standard = Profile::StandardConstrained;
    in_profile(standard, vertex(2, "mov v8, va0\nmov op, va0")).raises(3657, 1);
    in_profile(standard, fragment(2, "tex oc, v0, fs8")).raises(3656, 1);
    in_profile(standard, fragment(2, "mov fo1, v0\nmov fo0, v0")).raises(3660, 1);
    in_profile(standard, fragment(2, "mov od.x, v0\nmov oc, v0")).raises(3749, 1);
}

#[test]
fn sources() {
    for bit in [1u32, 0x10, 0x100, 0x10_0000] {
        edited(Stage::Vertex, move |code| code[0].source1.reserved = bit).raises(3654, 1);
    }
    edited(Stage::Vertex, |code| code[0].source1.file = 15).raises(3655, 1);
    let error = edited(Stage::Vertex, |code| source2(code).number = 1).raises(3636, 1);
    assert!(error.message().contains("source operand 2"), "{error}");
    edited(Stage::Vertex, |code| code[0].source1.offset = 1).raises(3643, 1);
    edited(Stage::Vertex, |code| code[0].source1.index_file = 2).raises(3643, 1);
    edited(Stage::Vertex, |code| code[0].source1.index_component = 3).raises(3643, 1);
    vertex(1, "mov op, vs0").raises(3637, 1);
    vertex(4, "mov op, vs0").raises(3638, 1);
    let error = fragment(1, "add ft0, v0, fs0\nmov oc, ft0").raises(3638, 1);
    assert!(error.message().contains("source operand 2"), "{error}");
    vertex(1, "mov op, v0").raises(3644, 1);
    edited(Stage::Fragment, |code| code[0].source1.file = 0).raises(3645, 1);
    fragment(1, "mov oc, oc").raises(3646, 1);
    vertex(1, "mov op, op").raises(3646, 1);
    fragment(2, "mov oc, od").raises(3646, 1);
    edited(Stage::Fragment, |code| code[0].source1.file = 7).raises(3789, 1);
    Case::new(3, VERTEX, FRAGMENT)
        .edit(Stage::Fragment, |code| code[0].source1.file = 7)
        .raises(3788, 1);
    Case::new(2, VERTEX, FRAGMENT)
        .edit(Stage::Vertex, |code| code[0].source1.file = 6)
        .raises(3750, 1);
    vertex(1, "mov op, iid").raises(3789, 1);
    let matrix = vertex(1, "m44 op, va0, vc0");
    let swizzled = matrix.edit(Stage::Vertex, |code| {
        source2(code).swizzle = Swizzle::from_bits(0);
    });
    swizzled.raises(3689, 1);
    fragment(1, "kil v0.xy\nmov oc, v0").raises(3703, 1);
    fragment(2, "ife v0, v1.x\nmov ft0, v0\neif\nmov oc, v0").raises(3703, 1);
    fragment(2, "ife v0.x, v1\nmov ft0, v0\neif\nmov oc, v0").raises(3703, 1);
    fragment(1, "add oc, fc0, fc1").raises(3625, 1);
    vertex(1, "m44 op, vc0, vc4").raises(3625, 1);
}

#[test]
fn temporaries() {
    fragment(1, "mov oc, ft0").raises(3647, 1);
    vertex(1, "m44 op, va0, vt0").raises(3647, 1);
    fragment(1, "mov ft0.xyz, v0\nmov oc, ft0").raises(3648, 2);
    fragment(1, "mov ft0.xy, v0\nmov oc, ft0.xyxz").raises(3648, 2);
    vertex(1, "mov vt0.xyz, va0\nm44 op, vt0, vc0").raises(3648, 2);
    let rows = "mov vt0, va0\nmov vt1, va0\nmov vt2.xyz, va0\n";
    vertex(1, &format!("{rows}m34 vt3.xyz, va0, vt0\nmov op, va0")).raises(3648, 4);
    // Components that the opcode or the mask leaves out need not have been written.
    for text in [
        "mov ft0.xyz, v0\nmov ft1.xyz, ft0\nmov ft1.w, v0\nmov oc, ft1",
        "mov ft0.xyz, v0\ndp3 ft1, ft0, v0\nmov oc, ft1",
        "mov ft0.xyz, v0\nnrm ft1.xyz, ft0\nmov ft1.w, v0\nmov oc, ft1",
        "mov ft0.xy, v0\ntex oc, ft0, fs0 <2d>",
        "mov ft0.xyz, v0\ntex oc, ft0, fs0 <cube>",
        "mov ft0.xyz, v0\nm33 ft1.xyz, ft0, fc0\nmov ft1.w, v0\nmov oc, ft1",
        "mov ft0.w, v0\nkil ft0.w\nmov oc, v0",
    ] {
        let result = fragment(1, text).upload();
        assert!(result.is_ok(), "{text}: {:?}", result.err());
    }
    fragment(1, "mov ft0.xy, v0\ntex oc, ft0, fs0 <cube>").raises(3648, 2);
    // A write in one branch counts from there on (agal.md section 3.2, unverified).
    let branch = "ife v0.x, v1.x\nmov ft0, v0\neif\nmov oc, ft0";
    assert!(fragment(2, branch).upload().is_ok());
}

#[test]
fn indirect_addressing() {
    let with = |stage, case: Case| case.edit(stage, |code| code[0].source1.indirect = true);
    with(Stage::Fragment, fragment(1, "mov oc, fc0")).raises(3639, 1);
    // Before "temporary read without being written" (player output).
    with(Stage::Fragment, fragment(1, "mov oc, ft0")).raises(3639, 1);
    let error = with(Stage::Vertex, vertex(1, "mov op, va0")).raises(3640, 1);
    assert!(error.message().contains("source operand 1"), "{error}");
    let indexed = vertex(1, "mov op, vc[va0.x]");
    let wrong = indexed.edit(Stage::Vertex, |code| code[0].source1.index_file = 4);
    wrong.raises(3642, 1);
    vertex(1, "mov op, vc[iid.x]").raises(3642, 1);
    assert!(vertex(3, "mov op, vc[iid.x]").upload().is_ok());
    vertex(1, "mov op, vc[va8.x]").raises(3658, 1);
    vertex(1, "mov op, vc[vt0.x]").raises(3647, 1);
    vertex(1, "mov vt0.y, va0\nmov op, vc[vt0.x]").raises(3648, 2);
    vertex(1, "add op, vc[va0.x], vc[va1.x]").raises(3626, 1);
    vertex(4, "tld op, vc[va0.x], vs0").raises(3641, 1);
    // Accepted by players: an attribute as index; here beside a constant and into a matrix too.
    for text in [
        "mov op, vc[va0.x+255]",
        "add op, vc[va0.x], vc1",
        "m44 op, va0, vc[va1.x]",
    ] {
        assert!(vertex(1, text).upload().is_ok(), "{text}");
    }
}

#[test]
fn samplers() {
    sampled(|sampler| sampler.file = 1).raises(3693, 1);
    sampled(|sampler| sampler.reserved = 0x100).raises(3654, 1);
    sampled(|sampler| sampler.reserved = 1).raises(3654, 1);
    sampled(|sampler| sampler.format = 4).raises(3654, 1);
    let error = sampled(|sampler| sampler.dimension = 2).raises(3664, 1);
    assert!(error.message().contains("dimension 2 for"), "{error}");
    sampled(|sampler| sampler.filter = 6).raises(3665, 1);
    sampled(|sampler| sampler.mip = 3).raises(3666, 1);
    sampled(|sampler| sampler.wrap = 4).raises(3667, 1);
    sampled(|sampler| sampler.special = 8).raises(3668, 1);
    fragment(1, "tex oc, v0, fs0 <cube,repeat>").raises(3662, 1);
    assert!(
        fragment(1, "tex oc, v0, fs0 <cube,clamp,nomip>")
            .upload()
            .is_ok()
    );
    vertex(4, "tld op, va0, vs0 <anisotropic2x>").raises(3804, 1);
    // The token of the second use (player output).
    let twice = |options| format!("tex ft0, v0, fs0 <2d>\ntex ft1, v0, fs0 {options}\nmov oc, ft0");
    for options in [
        "<linear>",
        "<repeat>",
        "<miplinear>",
        "<0.125>",
        "<single>",
        "<dxt1>",
        "<cube>",
    ] {
        fragment(1, &twice(options)).raises(3696, 2);
    }
    assert!(fragment(1, &twice("<2d>")).upload().is_ok());
}

/// A conditional around `inside`, in a fragment program.
fn within(inside: &str) -> Case {
    let text = format!("mov ft0, v0\nife v0.x, v1.x\n{inside}\neif\nmov oc, ft0");
    fragment(2, &text)
}

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
        fragment(
            2,
            &format!("mov ft0, v0\n{open}mov ft0, v1{close}\nmov oc, ft0"),
        )
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

#[test]
fn outputs() {
    fragment(1, "mov oc.xyz, v0").raises(3701, 1);
    fragment(1, "mov oc, v0\nmov oc, v1").raises(3744, 2);
    fragment(2, "mov od.xy, v0\nmov oc, v0").raises(3756, 1);
    fragment(2, "mov od.y, v0\nmov oc, v0").raises(3756, 1);
    fragment(2, "mov fo0, v0\nmov fo2, v0").raises(3775, 0);
    fragment(1, "mov ft0, v0").raises(3634, 0);
    fragment(2, "mov od.x, v0").raises(3634, 0);
    vertex(1, "mov v0, va0").raises(3635, 0);
    vertex(1, "mov op.xyz, va0").raises(3635, 0);
    assert!(vertex(1, "mov op.xyz, va0\nmov op.w, vc0").upload().is_ok());
}

#[test]
fn linkage() {
    let error = Case::new(
        1,
        "mov op, va0\nmov v1, va0",
        "mov ft0, v1\nadd oc, v0, ft0",
    )
    .raises(3632, 0);
    assert_eq!(
        error.message(),
        "AGAL linkage: Varying 0 is read in the fragment shader but not written to by the vertex shader."
    );
    let error = Case::new(1, "mov op, va0\nmov v3.xyz, va0", "mov oc, v3").raises(3633, 0);
    assert!(error.message().contains("Varying 3 "), "{error}");
    assert!(
        Case::new(
            1,
            "mov op, va0\nmov v0.xy, va0\nmov v0.zw, va0",
            "mov oc, v0"
        )
        .upload()
        .is_ok()
    );
    // Written and never read is accepted (player output).
    assert!(
        Case::new(1, "mov op, vc0\nmov v0, va0", "mov oc, fc0")
            .upload()
            .is_ok()
    );

    let mixed = Case::new(1, VERTEX, FRAGMENT);
    let newer = Case::new(2, VERTEX, FRAGMENT);
    let (vertex, fragment) = (mixed.program(Stage::Vertex), newer.program(Stage::Fragment));
    let error = upload(
        (&vertex, Endian::Little),
        (&fragment, Endian::Little),
        &Rules::NEWEST,
    );
    assert_eq!(error.unwrap_err().number(), 3757);
}

/// agal-errors.md, "What real-player output proves": opcode, destination, source 1, source 2, then the program's end;
/// the vertex program before the fragment program.
#[test]
fn the_first_error_wins() {
    type Wrong = (fn(&mut [Instruction]), u16);
    let wrong: [Wrong; 4] = [
        (|code| code[0].code = 0xff, 3620),
        (|code| code[0].dest.file = 9, 3655),
        (|code| code[0].source1.reserved = 1, 3654),
        (|code| source2(code).number = 5, 3636),
    ];
    for (index, (_, number)) in wrong.iter().enumerate() {
        let mut programs = [Stage::Vertex, Stage::Fragment].map(|stage| {
            let bytes = Case::new(1, VERTEX, "add oc, ft0, v5").program(stage);
            Program::decode(&bytes, Endian::Little, stage).unwrap()
        });
        for (edit, _) in &wrong[index..] {
            edit(programs[0].instructions_mut());
        }
        let [vertex, fragment] = programs.map(|program| program.encode());
        let error = upload(
            (&vertex, Endian::Little),
            (&fragment, Endian::Little),
            &Rules::NEWEST,
        );
        assert_eq!(error.unwrap_err().number(), *number);
    }
    // A fragment program that is not even AGAL comes after any error of the vertex program.
    let vertex = vertex(1, "mov op, vt0").program(Stage::Vertex);
    let error = upload(
        (&vertex, Endian::Little),
        (&[1], Endian::Big),
        &Rules::NEWEST,
    );
    assert_eq!(error.unwrap_err().number(), 3647);
}

/// Rows of the table that this crate cannot raise: with the reason.
const NOT_RAISED: [(ErrorKind, &str); 15] = [
    (ErrorKind::NativeCompilation, "the driver's"),
    (ErrorKind::NativeCompilationOpenGl, "the driver's"),
    (
        ErrorKind::NativeInstructions,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeAlu,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeTexture,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeConstants,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeTemporaries,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeVaryings,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::NativeIndirectTexture,
        "limits of the native code of one player",
    ),
    (
        ErrorKind::CubeMustMip,
        "shipping content breaks it (agal.md section 2.3)",
    ),
    (ErrorKind::TedWithBias, "ted is 3621"),
    (ErrorKind::TedWithoutMip, "ted is 3621"),
    (ErrorKind::ColorIndex, "3660 comes first"),
    (ErrorKind::BigEndian, "form: tests of decode"),
    (ErrorKind::SizeBelowMinimum, "form: tests of decode"),
];

/// Every row of the table has a test here, in decode, or a reason.
#[test]
fn every_number_is_accounted_for() {
    let tests = include_str!("validate_errors.rs");
    let form = include_str!("../src/decode.rs");
    let excused: BTreeSet<u16> = NOT_RAISED.iter().map(|(kind, _)| kind.number()).collect();
    for kind in ErrorKind::ALL {
        let number = kind.number();
        let raised = [format!("raises({number},"), format!("number(), {number})")];
        let tested = raised.iter().any(|text| tests.contains(text))
            || form.contains(&format!("({number}, "));
        // The four of `the_first_error_wins` are raised elsewhere as well.
        assert!(tested || excused.contains(&number), "#{number} has no test");
    }
}
