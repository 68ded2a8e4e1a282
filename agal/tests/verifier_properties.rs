//! Tests the verifier with any upload: no panic, an error from the table of errors, the error of the first invalid
//! token, and linear time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use agal::binary::{HEADER_SIZE, TOKEN_SIZE};
use agal::glsl::{ClipDepth, Dialect, GlslOptions, emit};
use agal::operand::{Dest, SecondOperand, SourceOperand, Swizzle, WriteMask};
use agal::sampler::SamplerOperand;
use agal::{
    AgalError, AgalInstruction, AgalVersion, Endian, Profile, Program, Rules, Stage, asm, upload,
    validate,
};
use proptest::collection::vec;
use proptest::prelude::*;

const VERTEX: &str = "m44 vt0, va0, vc[va1.x+4]
nrm vt1.xyz, va2
sge vt1.w, va2, vc9
mov op, vt0
mov v0, vt1.xyww
mov v1.xy, va3
mov v1.zw, vc1";

const FRAGMENT: &str = "tex ft0, v0, fs0 <2d,linear,repeat,miplinear>
kil ft0.w
tex ft1, ft0, fs1 <cube,clamp>
pow ft1.xyz, ft1, fc2.w
mul oc, ft0, v1";

/// Vertex program of an AGAL 2 pair with conditionals and several outputs.
const VERTEX_2: &str = "mov vt0, va0
ifg va1.x, vc0.x
mov vt0.xyz, va1
els
mov v0.xyz, va2
eif
mov v0, vt0
mov op, va0";

const FRAGMENT_2: &str = "ddx ft0, v0
ine v0.x, fc1.y
tex ft0, v0.zw, fs9 <2d>
eif
mov fo0, ft0
mov fo1, v0
mov od.x, v0";

fn rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(Profile::ALL).prop_map(|profile| Rules { profile })
}

fn endian() -> impl Strategy<Value = Endian> {
    prop_oneof![9 => Just(Endian::Little), 1 => Just(Endian::Big)]
}

/// Generates the bytes of a legal program with some changes, which pass many checks of the verifier.
fn damaged(text: &'static str, stage: Stage, version: u32) -> impl Strategy<Value = Vec<u8>> {
    let bytes = asm::assemble(text, stage, version).unwrap().encode();
    let at = prop_oneof![1 => 0..HEADER_SIZE, 12 => HEADER_SIZE..bytes.len()];
    let byte = prop_oneof![any::<u8>(), 0u8..16];
    vec((at, byte), 0..4).prop_map(move |changes| {
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes
    })
}

fn pair() -> impl Strategy<Value = [Vec<u8>; 2]> {
    let (v, f) = (Stage::Vertex, Stage::Fragment);
    let any = || vec(any::<u8>(), 0..100);
    prop_oneof![
        (any(), any()),
        (damaged(VERTEX, v, 1), damaged(FRAGMENT, f, 1)),
        (damaged(VERTEX_2, v, 2), damaged(FRAGMENT_2, f, 2)),
        (damaged(VERTEX, v, 4), damaged(FRAGMENT_2, f, 4)),
    ]
    .prop_map(|(vertex, fragment)| [vertex, fragment])
}

/// Checks properties that hold for every error.
fn check_error(error: &AgalError, tokens: usize) -> Result<(), TestCaseError> {
    prop_assert!(error.kind().raised_by().is_this_crate(), "{error}");
    prop_assert!(!error.message().contains('%'), "{error}");
    if let Some(token) = error.token() {
        prop_assert!(token >= 1 && usize::try_from(token).unwrap() <= tokens);
    }
    Ok(())
}

/// Generates a token with any fields, including values that no bytes decode to.
fn instruction() -> impl Strategy<Value = AgalInstruction> {
    let dest = (any::<u16>(), any::<u8>(), any::<u8>(), any::<u8>());
    let dest = dest.prop_map(|(number, mask, file, reserved)| Dest {
        number: number % 40,
        mask: WriteMask::from_bits(mask),
        file: file % 20,
        reserved: reserved / 250,
    });
    let source = || {
        let numbers = (any::<u16>(), any::<u8>(), any::<u8>(), any::<u32>());
        let files = (any::<u8>(), any::<u8>(), any::<u8>(), any::<bool>());
        (numbers, files).prop_map(|((number, offset, swizzle, reserved), files)| SourceOperand {
            number: number % 40,
            offset: i8::from(offset > 250),
            swizzle: Swizzle::from_bits(swizzle),
            file: files.0 % 20,
            index_file: files.1 % 20 / 18,
            index_component: files.2 / 250,
            indirect: files.3,
            reserved: reserved / (u32::MAX / 2),
        })
    };
    let sampler = any::<[u8; 8]>().prop_map(|bytes| SamplerOperand {
        number: u16::from(bytes[0] % 20),
        bias: i8::from_le_bytes([bytes[1]]),
        file: 5 + bytes[2] / 250,
        reserved: u16::from(bytes[3] / 250),
        format: bytes[4] % 8,
        dimension: bytes[5] % 3,
        wrap: bytes[6],
        filter: bytes[7] % 8,
        ..SamplerOperand::default()
    });
    let source2 = prop_oneof![
        source().prop_map(SecondOperand::Source),
        sampler.prop_map(SecondOperand::Sampler)
    ];
    (0u32..0x31, dest, source(), source2).prop_map(|(code, dest, source1, source2)| {
        AgalInstruction::new(code, dest, source1, source2)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pair_is_linked_or_refused(bytes in pair(), order in (endian(), endian()), rules in rules()) {
        let [vertex, fragment] = &bytes;
        let tokens = vertex.len().max(fragment.len()) / TOKEN_SIZE;
        match upload((vertex, order.0), (fragment, order.1), &rules) {
            Err(error) => check_error(&error, tokens)?,
            Ok(pair) => {
                for dialect in [Dialect::Glsl330, Dialect::Glsl300Es] {
                    let clip_depth = ClipDepth::MinusOneToOne;
                    let glsl = emit(&pair, &GlslOptions { clip_depth, comments: true, ..GlslOptions::new(dialect) });
                    prop_assert!(glsl.is_ok_and(|glsl| glsl.vertex.contains("gl_Position")));
                }
            }
        }
    }

    /// Tokens after the invalid token don't affect the reported error.
    #[test]
    fn the_error_is_the_first(bytes in pair(), rules in rules()) {
        for (bytes, stage) in bytes.iter().zip([Stage::Vertex, Stage::Fragment]) {
            let decode = |bytes: &[u8]| Program::decode(bytes, Endian::Little, stage);
            let Ok(program) = decode(bytes) else {
                continue;
            };
            let Err(error) = validate(program, stage, &rules) else {
                continue;
            };
            check_error(&error, bytes.len() / TOKEN_SIZE)?;
            let Some(token) = error.token() else {
                continue;
            };
            let end = HEADER_SIZE + TOKEN_SIZE * usize::try_from(token).unwrap();
            let first = decode(&bytes[..end]).unwrap();
            prop_assert_eq!(validate(first, stage, &rules).unwrap_err(), error);
        }
    }

    #[test]
    fn programs_made_by_hand_are_accepted_or_refused(
        code in vec(instruction(), 0..6),
        version in prop::sample::select(AgalVersion::ALL),
        vertex: bool,
        rules in rules(),
    ) {
        let stage = if vertex { Stage::Vertex } else { Stage::Fragment };
        let tokens = code.len();
        match validate(Program::new(version, stage, code), stage, &rules) {
            Err(error) => check_error(&error, tokens)?,
            Ok(_) => prop_assert!(tokens > 0),
        }
    }
}

/// The unchanged programs are legal, so that some of the changed programs pass all checks.
#[test]
fn the_undamaged_programs_are_linked() {
    for (vertex, fragment, version) in
        [(VERTEX, FRAGMENT, 1), (VERTEX_2, FRAGMENT_2, 2), (VERTEX, FRAGMENT_2, 4)]
    {
        let vertex = asm::assemble(vertex, Stage::Vertex, version).unwrap().encode();
        let fragment = asm::assemble(fragment, Stage::Fragment, version).unwrap().encode();
        let (vertex, fragment) = ((&*vertex, Endian::Little), (&*fragment, Endian::Little));
        let linked = upload(vertex, fragment, &Rules::NEWEST);
        assert!(linked.is_ok(), "{:?}", linked.err());
    }
}

/// Returns the shortest of several measured times of a validation.
fn time(text: &str, tokens: usize, stage: Stage) -> Duration {
    let text: String = text.lines().cycle().take(tokens).map(|line| format!("{line}\n")).collect();
    let program = asm::assemble(&text, stage, 3).unwrap();
    assert_eq!(program.token_count(), tokens);
    let runs = (0..25).map(|_| {
        let program = program.clone();
        let start = Instant::now();
        let result = black_box(validate(program, stage, &Rules::NEWEST));
        let spent = start.elapsed();
        assert!(result.is_ok(), "{:?}", result.err());
        spent
    });
    runs.min().unwrap_or_default()
}

/// 2048 tokens take eight times as long as 256, or 64 times with a quadratic check. The bound on this factor tolerates
/// a busy machine.
#[test]
fn time_is_linear_up_to_the_longest_program() {
    let (v, f) = (Stage::Vertex, Stage::Fragment);
    for (name, text, stage) in [
        ("moves", "mov vt0, va0", v),
        ("temporaries", "mov vt0, va0\nmov vt1, vt0\nmov vt25, vt1\nadd vt0, vt25, vt1", v),
        ("matrices", "m44 vt0, va0, vc[va1.x]\nm44 vt1, va0, vc4", v),
        ("samplers", "tex ft0, v0, fs0\ntex ft1, v1, fs15\nkil ft0.x\nddx ft1, ft1", f),
        (
            "conditionals",
            "ifg v0.x, v1.x\nifl v0.x, v1.x\nmov ft0, v0\nels\nmov ft0, v1\neif\nmov ft1, v0\neif",
            f,
        ),
    ] {
        let (short, long) = (time(text, 256, stage), time(text, 2048, stage));
        println!("{name}: {:.1} ns a token", long.as_secs_f64() * 1e9 / 2048.0);
        assert!(long < short * 24, "{name}: {short:?} for 256, {long:?} for 2048");
    }
}
