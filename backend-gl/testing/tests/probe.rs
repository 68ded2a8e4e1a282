//! Tests that the probe passes inputs to outputs bit for bit in every dialect.

mod common;

use std::path::Path;

use common::{Register, bits, each_dialect, flat, fragment, fragment_only, on, pair, vertex};
use context3d::agal::glsl::{ClipDepth, DIALECTS, GlslOptions, PairFeature, Support, emit};
use context3d::agal::{Rules, Stage, asm, link, validate};
use molehill_testing::probe::{Flavor, FragmentRun, ShaderRunError, Varyings, VertexRun};

#[test]
fn every_dialect_has_a_flavor() {
    for dialect in &DIALECTS {
        assert!(Flavor::of(*dialect).dialects().contains(dialect));
    }
}

/// All kinds of floats except subnormal numbers, which drivers may flush, and NaN payloads.
const AWKWARD: [Register; 6] = [
    [0.0, -0.0, 1.0, -1.0],
    [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN],
    [f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1.0 / 3.0, -2.0 / 3.0],
    [16_777_215.0, 16_777_216.0, 0.1, -1e-30],
    [f32::EPSILON, 1.0 + f32::EPSILON, 255.0, -0.0],
    [3.0e38, -3.0e-38, 123.456, -0.0],
];

const SWIZZLES: [&str; 8] = ["xyzw", "wzyx", "xxxx", "wwww", "yxwz", "zwxy", "yyzz", "zyxw"];

/// A fragment program that reads all varyings of AGAL 1.
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

/// Returns every write mask as letters, such as `xz`, and as written components.
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
                assert_eq!(results.position(i).map(bits), Some(bits(*old)), "{dialect}");
                for (n, swizzle) in (0..).zip(SWIZZLES) {
                    let wanted = merged(*old, swizzled(*new, swizzle), lanes);
                    let got = results.varying(i, n).expect("a varying");
                    assert_eq!(bits(got), bits(wanted), "{dialect} {mask} {swizzle} {got:?}");
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
                        assert_eq!(bits(got), bits(wanted), "{dialect} {mask} {swizzle} {got:?}");
                    }
                }
            }
        }
    });
}

#[test]
fn sums_and_products_are_rounded_once_in_both_stages() {
    let a = [[1.0 / 3.0, 1e30, -7.25, 0.1], [3.0, f32::INFINITY, -0.0, 16_777_216.0]];
    let b = [[3.0, 1e30, 0.1, 0.2], [f32::EPSILON, 2.0, -5.0, 1.0]];
    let each = |op: fn(f32, f32) -> f32, i: usize| -> Register {
        std::array::from_fn(|lane| op(a[i][lane], b[i][lane]))
    };
    each_dialect(|probe, dialect| {
        let text = "mov op, va0\nadd v0, va0, va1\nmul v1, va0, va1";
        let pair = pair(1, text, "add oc, v0, v1");
        let results = vertex(probe, dialect, &pair, &on(&[&a, &b], &[]));
        for i in 0..a.len() {
            assert_eq!(results.varying(i, 0), Some(each(|a, b| a + b, i)));
            assert_eq!(results.varying(i, 1), Some(each(|a, b| a * b, i)));
            assert_eq!(results.varying(i, 2), None);
        }
        assert_eq!(results.position(a.len()), None);
        for (text, op) in [
            ("add oc, v0, v1", (|a, b| a + b) as fn(f32, f32) -> f32),
            ("mul oc, v0, v1", |a, b| a * b),
        ] {
            let results = fragment(probe, dialect, &fragment_only(1, text), &flat(&[&a, &b], &[]));
            for i in 0..a.len() {
                assert_eq!(results.color(0).expect("a colour")[i], each(op, i));
                assert!(results.is_kept(i));
            }
            assert_eq!((results.color(1), results.depth()), (None, None));
        }
    });
}

#[test]
fn constants_are_found_by_number_and_by_address() {
    let constants: Vec<Register> = (0..128u16).map(|n| [f32::from(n), -0.0, 0.5, 1e-30]).collect();
    let pair = pair(
        1,
        "mov op, vc3\nmov v0, vc[va0.x+2]\nmov v1, vc[va0.w]",
        "add ft0, v0, v1\nmov ft0, ft0\nadd oc, ft0, fc27",
    );
    let index = [[0.0, 9.0, 9.0, 127.0], [5.0, 9.0, 9.0, 1.0]];
    each_dialect(|probe, dialect| {
        let results = vertex(probe, dialect, &pair, &on(&[&index], &constants));
        for (i, index) in index.iter().enumerate() {
            assert_eq!(results.position(i).map(bits), Some(bits(constants[3])));
            for (n, number) in [(0, index[0] + 2.0), (1, index[3])] {
                let got = results.varying(i, n).expect("a varying");
                assert_eq!(bits(got), bits([number, -0.0, 0.5, 1e-30]));
            }
        }
        // Missing constants are 0, also after an earlier run has set them.
        let program = probe.vertex_program(&pair, dialect).expect("compiles");
        for (given, wanted) in [(&constants[..], 3.0), (&constants[..3], 0.0)] {
            let results = probe.run_vertex(&program, &on(&[&index], given)).expect("runs");
            assert_eq!(results.position(0).expect("a position")[0], wanted);
        }
        let ones = [[1.0; 4]];
        let ones: [&[Register]; 2] = [&ones, &ones];
        let run = flat(&ones, &constants);
        let results = fragment(probe, dialect, &pair, &run);
        assert_eq!(results.color(0).expect("a colour")[0], [29.0, 2.0, 2.5, 2.0]);
    });
}

#[test]
fn every_instance_has_its_number() {
    let pair = pair(3, "mov op, va0\nadd v0, va0, iid.x", "mov oc, v0");
    let places = [[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]];
    let attributes: [&[Register]; 1] = [&places];
    each_dialect(|probe, dialect| {
        if let Err(ShaderRunError::Feature(missing)) = probe.vertex_program(&pair, dialect) {
            assert_eq!(missing.feature, PairFeature::InstanceId);
            assert_eq!(missing.feature.support(dialect), Support::Missing);
            return;
        }
        let run = VertexRun { instances: 3, ..on(&attributes, &[]) };
        let results = vertex(probe, dialect, &pair, &run);
        assert_eq!(results.len(), 6);
        for instance in 0..3u8 {
            for (i, place) in places.iter().enumerate() {
                let got = results.varying(usize::from(instance) * 2 + i, 0);
                assert_eq!(got, Some(place.map(|x| x + f32::from(instance))));
            }
        }
    });
}

#[test]
fn a_program_that_reads_nothing_runs_too() {
    each_dialect(|probe, dialect| {
        let pair = pair(1, "mov op, vc1", "mov oc, fc1");
        let constants = [[0.0; 4], [1.0, 2.0, 3.0, 4.0]];
        let results = vertex(probe, dialect, &pair, &on(&[], &constants));
        assert_eq!(results.position(0), Some(constants[1]));
        let results = fragment(probe, dialect, &pair, &flat(&[], &constants));
        assert_eq!(results.color(0), Some(&constants[1..]));
    });
}

#[test]
fn killed_pixels_are_known_whatever_they_wrote() {
    let pair = fragment_only(2, "mov oc, v1\nmov od.x, v1.y\nkil v0.x");
    let plain = fragment_only(2, "mov oc, v1\nmov od.x, v1.y");
    let kill: Vec<Register> =
        [0.0, -0.0, -1.0, 1.0, f32::NEG_INFINITY, -1e-30, 5.0].map(|x| [x, 0.0, 0.0, 0.0]).to_vec();
    let color = [[0.25, 0.75, 0.0, 0.0]; 7];
    let kept = [true, true, false, true, false, false, true];
    each_dialect(|probe, dialect| {
        let results = fragment(probe, dialect, &pair, &flat(&[&kill, &color], &[]));
        for (i, kept) in kept.into_iter().enumerate() {
            assert_eq!(results.is_kept(i), kept, "{dialect} {i}");
            let wanted = if kept { color[i] } else { [0.0; 4] };
            assert_eq!(results.color(0).expect("a colour")[i], wanted);
            assert_eq!(results.depth().expect("depth")[i], wanted[1]);
        }
        assert!(!results.is_kept(7));
        // Without `kil`, the stencil values of the previous run must have no effect.
        let results = fragment(probe, dialect, &plain, &flat(&[&kill, &color], &[]));
        assert_eq!(results.color(0), Some(&color[..]));
        assert!((0..7).all(|i| results.is_kept(i)));
    });
}

#[test]
fn four_outputs_and_a_depth_at_once() {
    let pair =
        fragment_only(2, "mov fo0, v0\nmov fo1, v1\nadd fo2, v0, v1\nmov fo3, fc0\nmov od.x, v0.x");
    let fewer = fragment_only(2, "mov fo0, v0\nmov fo1, v1");
    let a: Vec<Register> = (0..1000u16).map(|n| [f32::from(n) / 1000.0, 2.0, -3.0, 4.0]).collect();
    let b: Vec<Register> = (0..1000u16).map(|n| [1.0, f32::from(n), 1e20, 0.5]).collect();
    let constants = [[9.0, 8.0, 7.0, 6.0]];
    let registers: [&[Register]; 2] = [&a, &b];
    each_dialect(|probe, dialect| {
        let run = flat(&registers, &constants);
        let results = fragment(probe, dialect, &pair, &run);
        // `assert_eq!` would print thousands of numbers.
        assert!(results.color(0) == Some(&a[..]), "{dialect}");
        assert!(results.color(1) == Some(&b[..]), "{dialect}");
        let sum = |i: usize| std::array::from_fn(|lane| a[i][lane] + b[i][lane]);
        assert!((0..1000).all(|i| results.color(2).expect("fo2")[i] == sum(i)));
        assert!(results.color(3) == Some(&[constants[0]; 1000][..]), "{dialect}");
        assert!(results.depth().expect("od").iter().zip(&a).all(|(depth, a)| *depth == a[0]));
        let results = fragment(probe, dialect, &fewer, &run);
        assert!(results.color(0) == Some(&a[..]), "{dialect}");
        assert!(results.color(1) == Some(&b[..]), "{dialect}");
        assert_eq!((results.color(2), results.color(3)), (None, None));
    });
}

/// Links both shaders as for a draw: agal's snapshot programs, in every dialect that supports them.
#[test]
fn every_snapshot_program_links_in_every_dialect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agal/tests/programs");
    let entries = std::fs::read_dir(&folder).expect("agal's programs are beside this crate");
    let pairs: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("a folder entry").path();
            let text = std::fs::read_to_string(&path).expect("readable");
            let (vertex, fragment) =
                asm::AssembleOptions::default().pair(&text).expect("assembles");
            let check = |program, role| validate(program, role, &Rules::NEWEST).expect("is valid");
            let vertex = check(vertex, Stage::Vertex);
            let fragment = check(fragment, Stage::Fragment);
            (path, link(vertex, fragment).expect("links"))
        })
        .collect();
    assert!(!pairs.is_empty(), "no programs in {}", folder.display());
    each_dialect(|probe, dialect| {
        for (path, pair) in &pairs {
            for clip_depth in [ClipDepth::ZeroToOne, ClipDepth::MinusOneToOne] {
                let target =
                    GlslOptions { clip_depth, comments: true, ..GlslOptions::new(dialect) };
                match emit(pair, &target) {
                    Ok(glsl) => probe.link_glsl(&glsl, dialect).unwrap_or_else(|error| {
                        panic!("{dialect}, {}: {error}\n{}", path.display(), glsl.vertex)
                    }),
                    Err(missing) => {
                        assert_eq!(missing.feature.support(dialect), Support::Missing);
                    }
                }
            }
        }
    });
}
