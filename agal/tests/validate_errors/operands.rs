//! Tests errors of registers, destinations, sources and samplers.

use agal::operand::{Swizzle, WriteMask};
use agal::{AgalInstruction, Profile, Stage};

use super::case::{Case, FRAGMENT, VERTEX, edited, fragment, sampled, source2, vertex};

/// [agal.check.dest_count] [agal.dest.bits]
#[test]
fn destinations() {
    let dest = |edit: fn(&mut [AgalInstruction])| edited(Stage::Vertex, edit);
    dest(|code| code[0].dest.reserved = 1).raises(3654, 1);
    // The reserved bits above the type belong to the type.
    dest(|code| code[0].dest.reserved = 0x10).raises(3655, 1);
    let error = dest(|code| code[0].dest.file = 8).raises(3655, 1);
    assert!(error.message().contains("destination operand"), "{error}");
    dest(|code| code[1].dest.mask = WriteMask::EMPTY).raises(3653, 2);
    // In both stages, the bounds of a constant as destination are those of vertex programs.
    fragment(1, "mov fc127, v0\nmov oc, v0").raises(3652, 1);
    fragment(1, "mov fc128, v0\nmov oc, v0").raises(3659, 1);
    fragment(1, "mov fs0, v0\nmov oc, v0").raises(3649, 1);
    vertex(1, "mov vs0, va0\nmov op, va0").raises(3649, 1);
    fragment(1, "mov v0, v1\nmov oc, v0").raises(3650, 1);
    vertex(1, "mov va0, va1\nmov op, va0").raises(3651, 1);
    vertex(1, "mov vc0, va1\nmov op, va0").raises(3652, 1);
    vertex(3, "mov iid, va1\nmov op, va0").raises(3786, 1);
    vertex(1, "mov iid, va1\nmov op, va0").raises(3789, 1);
    for text in ["nrm vt0, va0", "crs vt0.xw, va0, va1", "m33 vt0, va0, vc0", "m34 vt0.w, va0, vc0"]
    {
        vertex(1, &format!("{text}\nmov op, va0")).raises(3628, 1);
    }
    fragment(1, "kil v0.x\nmov oc, v0")
        .edit(Stage::Fragment, |code| code[0].dest.number = 1)
        .raises(3627, 1);
}

/// [agal.register.counts] [agal.register.counts_4] [agal.matrix.files] [agal.depth.version_1] [agal.output.read]
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
    // All rows of a matrix must exist. m44 has four rows, the other opcodes three.
    vertex(1, "m44 op, va0, vc125").raises(3659, 1);
    vertex(1, "m34 vt0.xyz, va0, vc126\nmov op, va0").raises(3659, 1);
    assert!(vertex(1, "m44 op, va0, vc124").upload().is_ok());
    assert!(vertex(1, "m34 vt0.xyz, va0, vc125\nmov op, va0").upload().is_ok());
    // Under AGAL 1, the depth register is out of bounds, which is checked before permission (player output).
    fragment(1, "mov od.x, v0\nmov oc, v0").raises(3749, 1);
    fragment(1, "mov oc, od").raises(3749, 1);
    fragment(2, "mov od1.x, v0\nmov oc, v0").raises(3749, 1);
}

/// [agal.register.profile] [agal.register.temporaries] [agal.version.lower]
#[test]
fn profiles_lower_the_bounds() {
    let in_profile = |profile, case: Case| Case { profile, ..case };
    let seven = || fragment(1, "mov ft7, v0\nmov oc, ft7");
    // Players reported error 3661 for register 7 in baselineConstrained ([agal.register.temporaries]).
    in_profile(Profile::BaselineConstrained, seven()).raises(3661, 1);
    let vertex_seven = vertex(1, "mov vt7, va0\nmov op, vt7");
    in_profile(Profile::BaselineConstrained, vertex_seven).raises(3661, 1);
    assert!(in_profile(Profile::Baseline, seven()).upload().is_ok());
    let standard = Profile::StandardConstrained;
    in_profile(standard, vertex(2, "mov v8, va0\nmov op, va0")).raises(3657, 1);
    in_profile(standard, fragment(2, "tex oc, v0, fs8")).raises(3656, 1);
    in_profile(standard, fragment(2, "mov fo1, v0\nmov fo0, v0")).raises(3660, 1);
    in_profile(standard, fragment(2, "mov od.x, v0\nmov oc, v0")).raises(3749, 1);
}

/// [agal.source.bits] [agal.source.direct] [agal.scalar.1] [agal.token.unused] [agal.register.types]
/// [agal.error.3625] [agal.error.3625_alone]
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
    // Two constant sources raise 3625, also if a source is indirect or a matrix.
    fragment(1, "add oc, fc0, fc1").raises(3625, 1);
    for text in [
        "m44 op, vc0, vc4",
        "add op, vc[va0.x], vc1",
        "add op, vc[va0.x], vc[va1.x]",
        "m44 op, vc0, vc[va1.x]",
    ] {
        vertex(1, text).raises(3625, 1);
    }
    // Only `mov` accepts a constant as its single source.
    for name in ["rcp", "frc", "sqt", "rsq", "log", "exp", "sin", "cos", "abs", "neg", "sat", "nrm"]
    {
        for source in ["vc0", "vc[va0.x]"] {
            let text = format!("mov op, va0\n{name} vt0.xyz, {source}");
            vertex(1, &text).raises(3625, 2);
        }
    }
    fragment(1, "kil fc0.x\nmov oc, v0").raises(3625, 1);
    fragment(2, "ddx ft0, fc0\nmov oc, v0").raises(3625, 1);
    assert!(vertex(1, "mov op, vc[va0.x]").upload().is_ok());
}

/// [agal.temporary.written] [agal.temporary.selectors] [agal.temporary.rows]
#[test]
fn temporaries() {
    fragment(1, "mov oc, ft0").raises(3647, 1);
    vertex(1, "m44 op, va0, vt0").raises(3647, 1);
    fragment(1, "mov ft0.xyz, v0\nmov oc, ft0").raises(3648, 2);
    fragment(1, "mov ft0.xy, v0\nmov oc, ft0.xyxz").raises(3648, 2);
    vertex(1, "mov vt0.xyz, va0\nm44 op, vt0, vc0").raises(3648, 2);
    // All four components of a swizzle must be written, even if the opcode or mask reads fewer.
    for (wrong, right) in [
        ("mov ft1.xyz, ft0", "mov ft1.xyz, ft0.xyz"),
        ("dp3 ft1.xyz, ft0, v0", "dp3 ft1.xyz, ft0.xyz, v0"),
        ("nrm ft1.xyz, ft0", "nrm ft1.xyz, ft0.xyz"),
        ("tex ft1, ft0, fs0 <2d>", "tex ft1, ft0.xy, fs0 <2d>"),
        ("m33 ft1.xyz, ft0, fc0", "m33 ft1.xyz, ft0.xyz, fc0"),
        ("m33 ft1.xyz, v0, ft0", "m33 ft1.xyz, v0, fc0"),
    ] {
        let program = |line| fragment(1, &format!("mov ft0.xyz, v0\n{line}\nmov oc, v0"));
        program(wrong).raises(3648, 2);
        let result = program(right).upload();
        assert!(result.is_ok(), "{right}: {:?}", result.err());
    }
    let scalar = "mov ft0.w, v0\nkil ft0.w\nmov oc, v0";
    assert!(fragment(1, scalar).upload().is_ok());
    // Only the first row of a matrix must have been written.
    let rows = "mov vt0, va0\nmov vt1.xyz, va0\n";
    let matrix = |at| format!("{rows}m44 vt4, va0, vt{at}\nmov op, va0");
    assert!(vertex(1, &matrix(0)).upload().is_ok());
    vertex(1, &matrix(1)).raises(3648, 3);
    vertex(1, &matrix(2)).raises(3647, 3);
}

/// [agal.temporary.branches]: both branches must write a component.
#[test]
fn branches() {
    let read = |inside: &str, component: &str| {
        let text = format!("mov ft0.x, v0\nife v0.x, v1.x\n{inside}\neif");
        fragment(2, &format!("{text}\nmov ft1, ft0.{component}\nmov oc, v0"))
    };
    let one = "mov ft0.yz, v0";
    let both = "mov ft0.yz, v0\nels\nmov ft0.zw, v0";
    let nested = "mov ft0.z, v0\nels\nifg v0.x, v1.x\nmov ft0.z, v0\nels\nmov ft0.z, v1\neif";
    let inner = "mov ft0.z, v0\nels\nifg v0.x, v1.x\nmov ft0.z, v0\neif";
    for (inside, component, token) in [
        (one, "x", 0),
        (one, "y", 5),
        (both, "x", 0),
        (both, "y", 7),
        (both, "z", 0),
        (both, "w", 7),
        (nested, "z", 0),
        (inner, "z", 9),
        // The second branch can't read components that only the first branch wrote.
        ("mov ft0.y, v0\nels\nmov ft0.z, ft0.y", "x", 5),
        ("mov ft0.y, v0\nmov ft0.z, ft0.y", "x", 0),
    ] {
        match token {
            0 => assert!(read(inside, component).upload().is_ok(), "{inside}"),
            token => drop(read(inside, component).raises(3648, token)),
        }
    }
    let branch = "ife v0.x, v1.x\nmov ft0, v0\neif\nmov oc, ft0";
    fragment(2, branch).raises(3647, 4);
}

/// [agal.indirect.where] [agal.indirect.index] [agal.indirect.matrix] [agal.indirect.offset] [agal.iid.bounds]
/// [agal.check.indirect_bounds]
#[test]
fn indirect_addressing() {
    let with = |stage, case: Case| case.edit(stage, |code| code[0].source1.indirect = true);
    with(Stage::Fragment, fragment(1, "mov oc, fc0")).raises(3639, 1);
    // Error 3639 precedes "temporary read without being written" (player output).
    with(Stage::Fragment, fragment(1, "mov oc, ft0")).raises(3639, 1);
    let error = with(Stage::Vertex, vertex(1, "mov op, va0")).raises(3640, 1);
    assert!(error.message().contains("source operand 1"), "{error}");
    let indexed = vertex(1, "mov op, vc[va0.x]");
    let wrong = indexed.edit(Stage::Vertex, |code| code[0].source1.index_file = 4);
    wrong.raises(3642, 1);
    // The number of the index register is checked before its type.
    vertex(1, "mov op, vc[iid.x]").raises(3789, 1);
    for (file, number, error) in [(3, 0, 3642), (3, 1, 3660), (5, 8, 3656), (9, 0, 3655)] {
        let indexed = vertex(1, "mov op, vc[va0.x]");
        let wrong = indexed.edit(Stage::Vertex, move |code| {
            code[0].source1.index_file = file;
            code[0].source1.number = number;
        });
        wrong.raises(error, 1);
    }
    assert!(vertex(3, "mov op, vc[iid.x]").upload().is_ok());
    vertex(1, "mov op, vc[va8.x]").raises(3658, 1);
    vertex(1, "mov op, vc[vt0.x]").raises(3647, 1);
    vertex(1, "mov vt0.y, va0\nmov op, vc[vt0.x]").raises(3648, 2);
    vertex(4, "tld op, vc[va0.x], vs0").raises(3641, 1);
    // Players accept an attribute as index. The test also uses an attribute as the index of a matrix.
    for text in ["mov op, vc[va0.x+255]", "add op, va0, vc[va0.x-128]", "m44 op, va0, vc[va1.x]"] {
        assert!(vertex(1, text).upload().is_ok(), "{text}");
    }
}

/// [agal.sampler.type_byte] [agal.sampler.unknown_format] [agal.sampler.later_values] [agal.sampler.identical]
/// [agal.sampler.centroid] [agal.sampler.single] [agal.text.three_d]
#[test]
fn samplers() {
    sampled(|sampler| sampler.file = 1).raises(3693, 1);
    // The reserved bits above the type belong to the type. The low eight reserved bits, and the bits of the format, are
    // not checked.
    sampled(|sampler| sampler.reserved = 0x100).raises(3693, 1);
    assert!(sampled(|sampler| sampler.reserved = 0xff).upload().is_ok());
    assert!(sampled(|sampler| sampler.format = 4).upload().is_ok());
    vertex(1, "mov op, vs8").raises(3656, 1);
    let error = sampled(|sampler| sampler.dimension = 2).raises(3664, 1);
    assert!(error.message().contains("dimension 2 for"), "{error}");
    sampled(|sampler| sampler.filter = 6).raises(3665, 1);
    sampled(|sampler| sampler.mip = 3).raises(3666, 1);
    sampled(|sampler| sampler.wrap = 4).raises(3667, 1);
    sampled(|sampler| sampler.special = 8).raises(3668, 1);
    fragment(1, "tex oc, v0, fs0 <cube,repeat>").raises(3662, 1);
    assert!(fragment(1, "tex oc, v0, fs0 <cube,clamp,nomip>").upload().is_ok());
    vertex(4, "tld op, va0, vs0 <anisotropic2x>").raises(3804, 1);
    // Error 3696 has the index of the second token that uses the sampler, as in a player's output.
    let twice = |options| format!("tex ft0, v0, fs0 <2d>\ntex ft1, v0, fs0 {options}\nmov oc, ft0");
    for options in
        ["<linear>", "<repeat>", "<miplinear>", "<0.125>", "<single>", "<dxt1>", "<cube>"]
    {
        fragment(1, &twice(options)).raises(3696, 2);
    }
    assert!(fragment(1, &twice("<2d>")).upload().is_ok());
}
