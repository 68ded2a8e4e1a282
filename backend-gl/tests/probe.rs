//! The probe: what goes in comes out, bit for bit, in every dialect.

use backend_gl::probe::{
    Binding, Flavor, FragmentResults, FragmentRun, Image, Interpolation, MAX_INVOCATIONS, Plane,
    Probe, ProbeError, Texels, Texture, Varyings, VertexResults, VertexRun,
};
use context3d::agal::{Dialect, Dimension, LinkedPair, Rules, Stage, asm, link, validate};
use context3d::packets::SamplerState;
use context3d::{BackendError, MipFilter, TextureFilter, WrapMode};

type Register = [f32; 4];

fn pair(version: u32, vertex: &str, fragment: &str) -> LinkedPair {
    let check = |text, stage| {
        let program = asm::assemble(text, stage, version).expect("assembles");
        validate(program, stage, &Rules::NEWEST).expect("is valid")
    };
    link(
        check(vertex, Stage::Vertex),
        check(fragment, Stage::Fragment),
    )
    .expect("links")
}

/// A machine without a context fails the test: a skipped one proves nothing.
fn open(flavor: Flavor) -> Probe {
    match Probe::open(flavor) {
        Ok(probe) => probe,
        Err(error) => panic!("{flavor}: {error}\nharness/setup.sh installs a software EGL"),
    }
}

/// Calls `body` for every dialect with a probe that compiles it.
fn each_dialect(body: impl Fn(&mut Probe, Dialect)) {
    for flavor in Flavor::ALL {
        let mut probe = open(*flavor);
        for dialect in flavor.dialects() {
            assert_eq!(Flavor::of(*dialect), *flavor);
            body(&mut probe, *dialect);
        }
    }
}

fn vertex(
    probe: &mut Probe,
    dialect: Dialect,
    pair: &LinkedPair,
    run: &VertexRun<'_>,
) -> VertexResults {
    let program = probe
        .vertex_program(pair, dialect)
        .unwrap_or_else(|error| panic!("{dialect:?}: {error}\n{}", pair.vertex().program()));
    probe.run_vertex(&program, run).expect("runs")
}

fn fragment(
    probe: &mut Probe,
    dialect: Dialect,
    pair: &LinkedPair,
    run: &FragmentRun<'_>,
) -> FragmentResults {
    let mode = match run.varyings {
        Varyings::Flat { .. } => Interpolation::Flat,
        Varyings::Linear { .. } => Interpolation::Linear,
    };
    let program = probe
        .fragment_program(pair, dialect, mode)
        .unwrap_or_else(|error| panic!("{dialect:?}: {error}\n{}", pair.fragment().program()));
    probe.run_fragment(&program, run).expect("runs")
}

fn bits(value: Register) -> [u32; 4] {
    value.map(f32::to_bits)
}

/// Everything but subnormal numbers, which drivers may flush, and the payload of NaN.
const AWKWARD: [Register; 6] = [
    [0.0, -0.0, 1.0, -1.0],
    [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN],
    [f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1.0 / 3.0, -2.0 / 3.0],
    [16_777_215.0, 16_777_216.0, 0.1, -1e-30],
    [f32::EPSILON, 1.0 + f32::EPSILON, 255.0, -0.0],
    [3.0e38, -3.0e-38, 123.456, -0.0],
];

const SWIZZLES: [&str; 8] = [
    "xyzw", "wzyx", "xxxx", "wwww", "yxwz", "zwxy", "yyzz", "zyxw",
];

/// A fragment program that keeps all varyings of AGAL 1 alive.
const READS_ALL: &str = "
    add ft0, v0, v1
    add ft1, v2, v3
    add ft2, v4, v5
    add ft3, v6, v7
    mov oc, ft0
";

fn swizzled(value: Register, swizzle: &str) -> Register {
    let mut letters = swizzle.bytes();
    std::array::from_fn(|_| {
        let letter = letters.next().expect("four letters");
        value[b"xyzw".iter().position(|l| *l == letter).expect("a letter")]
    })
}

/// Every write mask, each with eight swizzles: the text that moves `from` to `to`'s lanes, and the lanes.
fn masks() -> impl Iterator<Item = (String, [bool; 4])> {
    (1u8..16).map(|mask| {
        let lanes = std::array::from_fn(|lane| mask & (1 << lane) != 0);
        let letters = "xyzw".chars().zip(lanes).filter(|(_, on)| *on);
        (letters.map(|(letter, _)| letter).collect(), lanes)
    })
}

fn merged(old: Register, new: Register, lanes: [bool; 4]) -> Register {
    std::array::from_fn(|lane| if lanes[lane] { new[lane] } else { old[lane] })
}

#[test]
fn vertex_moves_are_exact() {
    let backwards: Vec<_> = AWKWARD.iter().rev().copied().collect();
    each_dialect(|probe, dialect| {
        for (mask, lanes) in masks() {
            let mut text = String::from("mov op, va1\n");
            for (n, swizzle) in SWIZZLES.iter().enumerate() {
                text += &format!("mov vt0, va1\nmov vt0.{mask}, va0.{swizzle}\nmov v{n}, vt0\n");
            }
            let pair = pair(1, &text, READS_ALL);
            let run = VertexRun {
                vertices: AWKWARD.len(),
                instances: 1,
                attributes: &[&AWKWARD, &backwards],
                constants: &[],
                textures: &[],
            };
            let results = vertex(probe, dialect, &pair, &run);
            assert_eq!(results.len(), AWKWARD.len());
            for (i, (new, old)) in AWKWARD.iter().zip(&backwards).enumerate() {
                assert_eq!(
                    results.position(i).map(bits),
                    Some(bits(*old)),
                    "{dialect:?}"
                );
                for (n, swizzle) in (0..).zip(SWIZZLES) {
                    let wanted = merged(*old, swizzled(*new, swizzle), lanes);
                    let got = results.varying(i, n).expect("a varying");
                    assert_eq!(
                        bits(got),
                        bits(wanted),
                        "{dialect:?} {mask} {swizzle} {got:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn fragment_moves_are_exact() {
    let backwards: Vec<_> = AWKWARD.iter().rev().copied().collect();
    each_dialect(|probe, dialect| {
        for (mask, lanes) in masks() {
            for four in SWIZZLES.chunks(4) {
                let mut text = String::new();
                for (n, swizzle) in four.iter().enumerate() {
                    text += &format!("mov ft0, v1\nmov ft0.{mask}, v0.{swizzle}\nmov fo{n}, ft0\n");
                }
                let pair = pair(2, "mov op, va0\nmov v0, va0\nmov v1, va0", &text);
                let run = FragmentRun {
                    varyings: Varyings::Flat {
                        pixels: AWKWARD.len(),
                        registers: &[&AWKWARD, &backwards],
                    },
                    constants: &[],
                    textures: &[],
                };
                let results = fragment(probe, dialect, &pair, &run);
                for (i, (new, old)) in AWKWARD.iter().zip(&backwards).enumerate() {
                    for (n, swizzle) in four.iter().enumerate() {
                        let wanted = merged(*old, swizzled(*new, swizzle), lanes);
                        let got = results.color(n).expect("an output")[i];
                        assert_eq!(
                            bits(got),
                            bits(wanted),
                            "{dialect:?} {mask} {swizzle} {got:?}"
                        );
                    }
                }
            }
        }
    });
}
