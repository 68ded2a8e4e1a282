//! The probe: what goes in comes out, bit for bit, in every dialect.

use backend_gl::probe::{
    Binding, Flavor, FragmentResults, FragmentRun, Image, Interpolation, MAX_INVOCATIONS, Plane,
    Probe, ProbeError, Texels, Texture, Varyings, VertexResults, VertexRun,
};
use context3d::agal::{
    Dialect, Dimension, Feature, LinkedPair, Rules, Stage, Support, asm, link, validate,
};
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

#[test]
fn every_dialect_has_a_flavor() {
    for dialect in Dialect::ALL {
        assert!(Flavor::of(*dialect).dialects().contains(dialect));
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
        .unwrap_or_else(|error| panic!("{dialect}: {error}\n{}", pair.vertex().program()));
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
        .unwrap_or_else(|error| panic!("{dialect}: {error}\n{}", pair.fragment().program()));
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
                assert_eq!(results.position(i).map(bits), Some(bits(*old)), "{dialect}");
                for (n, swizzle) in (0..).zip(SWIZZLES) {
                    let wanted = merged(*old, swizzled(*new, swizzle), lanes);
                    let got = results.varying(i, n).expect("a varying");
                    assert_eq!(
                        bits(got),
                        bits(wanted),
                        "{dialect} {mask} {swizzle} {got:?}"
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
                            "{dialect} {mask} {swizzle} {got:?}"
                        );
                    }
                }
            }
        }
    });
}

/// One vertex, or a few, without textures.
fn on<'a>(attributes: &'a [&'a [Register]], constants: &'a [Register]) -> VertexRun<'a> {
    VertexRun {
        vertices: attributes.first().map_or(1, |values| values.len()),
        instances: 1,
        attributes,
        constants,
        textures: &[],
    }
}

fn flat<'a>(registers: &'a [&'a [Register]], constants: &'a [Register]) -> FragmentRun<'a> {
    FragmentRun {
        varyings: Varyings::Flat {
            pixels: registers.first().map_or(1, |values| values.len()),
            registers,
        },
        constants,
        textures: &[],
    }
}

/// A pair whose vertex program only hands on `v0` and `v1`.
fn fragment_only(version: u32, text: &str) -> LinkedPair {
    pair(version, "mov op, va0\nmov v0, va0\nmov v1, va1", text)
}

#[test]
fn sums_and_products_are_rounded_once_in_both_stages() {
    let a = [
        [1.0 / 3.0, 1e30, -7.25, 0.1],
        [3.0, f32::INFINITY, -0.0, 16_777_216.0],
    ];
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
            let results = fragment(
                probe,
                dialect,
                &fragment_only(1, text),
                &flat(&[&a, &b], &[]),
            );
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
    let constants: Vec<Register> = (0..128u16)
        .map(|n| [f32::from(n), -0.0, 0.5, 1e-30])
        .collect();
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
        // What isn't given is 0, also after a run in which it was.
        let program = probe.vertex_program(&pair, dialect).expect("compiles");
        for (given, wanted) in [(&constants[..], 3.0), (&constants[..3], 0.0)] {
            let results = probe
                .run_vertex(&program, &on(&[&index], given))
                .expect("runs");
            assert_eq!(results.position(0).expect("a position")[0], wanted);
        }
        let ones = [[1.0; 4]];
        let ones: [&[Register]; 2] = [&ones, &ones];
        let run = flat(&ones, &constants);
        let results = fragment(probe, dialect, &pair, &run);
        assert_eq!(
            results.color(0).expect("a colour")[0],
            [29.0, 2.0, 2.5, 2.0]
        );
    });
}

#[test]
fn every_instance_has_its_number() {
    let pair = pair(3, "mov op, va0\nadd v0, va0, iid.x", "mov oc, v0");
    let places = [[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]];
    let attributes: [&[Register]; 1] = [&places];
    each_dialect(|probe, dialect| {
        if let Err(ProbeError::Feature(missing)) = probe.vertex_program(&pair, dialect) {
            assert_eq!(missing.feature, Feature::InstanceId);
            assert_eq!(dialect.support(missing.feature), Support::Missing);
            return;
        }
        let run = VertexRun {
            instances: 3,
            ..on(&attributes, &[])
        };
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
    let kill: Vec<Register> = [0.0, -0.0, -1.0, 1.0, f32::NEG_INFINITY, -1e-30, 5.0]
        .map(|x| [x, 0.0, 0.0, 0.0])
        .to_vec();
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
        // Without `kil` the stencil of the run before must not show.
        let results = fragment(probe, dialect, &plain, &flat(&[&kill, &color], &[]));
        assert_eq!(results.color(0), Some(&color[..]));
        assert!((0..7).all(|i| results.is_kept(i)));
    });
}

#[test]
fn four_outputs_and_a_depth_at_once() {
    let pair = fragment_only(
        2,
        "mov fo0, v0\nmov fo1, v1\nadd fo2, v0, v1\nmov fo3, fc0\nmov od.x, v0.x",
    );
    let fewer = fragment_only(2, "mov fo0, v0\nmov fo1, v1");
    let a: Vec<Register> = (0..1000u16)
        .map(|n| [f32::from(n) / 1000.0, 2.0, -3.0, 4.0])
        .collect();
    let b: Vec<Register> = (0..1000u16)
        .map(|n| [1.0, f32::from(n), 1e20, 0.5])
        .collect();
    let constants = [[9.0, 8.0, 7.0, 6.0]];
    let registers: [&[Register]; 2] = [&a, &b];
    each_dialect(|probe, dialect| {
        let run = flat(&registers, &constants);
        let results = fragment(probe, dialect, &pair, &run);
        assert_eq!(results.color(0), Some(&a[..]));
        assert_eq!(results.color(1), Some(&b[..]));
        let sum = |i: usize| std::array::from_fn(|lane| a[i][lane] + b[i][lane]);
        assert!((0..1000).all(|i| results.color(2).expect("fo2")[i] == sum(i)));
        assert_eq!(results.color(3), Some(&[constants[0]; 1000][..]));
        assert!(
            results
                .depth()
                .expect("od")
                .iter()
                .zip(&a)
                .all(|(depth, a)| *depth == a[0])
        );
        let results = fragment(probe, dialect, &fewer, &run);
        assert_eq!(results.color(0), Some(&a[..]));
        assert_eq!(results.color(1), Some(&b[..]));
        assert_eq!((results.color(2), results.color(3)), (None, None));
    });
}

const WIDE: [Plane; 2] = [
    Plane {
        origin: [10.0, -3.0, 0.5, 0.0],
        dx: [1.0, 0.25, 0.0, -2.0],
        dy: [64.0, -0.5, 0.125, 0.0],
    },
    Plane {
        origin: [1.0; 4],
        dx: [0.0; 4],
        dy: [0.0; 4],
    },
];

fn linear<'a>(width: u16, height: u16, registers: &'a [Plane]) -> FragmentRun<'a> {
    FragmentRun {
        varyings: Varyings::Linear {
            width,
            height,
            registers,
        },
        constants: &[],
        textures: &[],
    }
}

#[test]
fn planes_have_slopes_and_rows_go_down() {
    let pair = fragment_only(2, "mov fo0, v0\nddx fo1, v0\nddy fo2, v0\nddx fo3, v1");
    each_dialect(|probe, dialect| {
        for (width, height) in [(2, 2), (8, 16), (256, 256)] {
            let results = fragment(probe, dialect, &pair, &linear(width, height, &WIDE));
            let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let color = |n| results.color(n).expect("an output");
            assert_eq!(color(0).len(), usize::from(width) * usize::from(height));
            for (i, (x, y)) in pixels.enumerate() {
                assert_eq!(color(0)[i], WIDE[0].at(x, y), "{dialect} {x} {y}");
                assert_eq!(color(1)[i], WIDE[0].dx);
                assert_eq!(color(2)[i], WIDE[0].dy);
                assert_eq!(color(3)[i], [0.0; 4]);
            }
        }
    });
}

/// Levels of one colour each: level n is n in every component.
fn levels(side: u32) -> Vec<Vec<Register>> {
    (0u8..)
        .zip(std::iter::successors(Some(side), |side| {
            (*side > 1).then_some(side / 2)
        }))
        .map(|(level, side)| {
            let texels = usize::try_from(side * side).expect("fits");
            vec![[f32::from(level); 4]; texels]
        })
        .collect()
}

fn mipped(probe: &mut Probe) -> Texture {
    let levels = levels(16);
    let levels: Vec<_> = levels.iter().map(Vec::as_slice).collect();
    let image = Image {
        dimension: Dimension::TwoD,
        width: 16,
        height: 16,
        texels: Texels::Floats(&levels),
    };
    probe.texture(&image).expect("a texture")
}

#[test]
fn texture_reads_take_the_level_that_slope_and_bias_ask_for() {
    // (texels a pixel, bias in eighths of a level, level)
    const CASES: [(f32, i8, f32); 6] = [
        (1.0, 0, 0.0),
        (2.0, 0, 1.0),
        (4.0, 0, 2.0),
        (4.0, 8, 3.0),
        (4.0, -8, 1.0),
        (1.0, 16, 2.0),
    ];
    each_dialect(|probe, dialect| {
        let texture = mipped(probe);
        let bindings = [
            None,
            None,
            Some(Binding {
                texture: &texture,
                state: None,
            }),
        ];
        for (step, bias, level) in CASES {
            let bias = f32::from(bias) / 8.0;
            let text = format!("tex oc, v0, fs2 <2d,repeat,linear,miplinear,{bias}>");
            let plane = Plane {
                origin: [0.0; 4],
                dx: [step / 16.0, 0.0, 0.0, 0.0],
                dy: [0.0, step / 16.0, 0.0, 0.0],
            };
            let planes = [plane; 2];
            let run = FragmentRun {
                textures: &bindings,
                ..linear(8, 8, &planes)
            };
            let results = fragment(probe, dialect, &fragment_only(1, &text), &run);
            for value in results.color(0).expect("a colour").as_flattened() {
                assert!(
                    (value - level).abs() < 0.01,
                    "{dialect} {step} {bias}: {value}"
                );
            }
        }
    });
}

#[test]
fn sampler_state_is_the_programs_or_the_callers() {
    let texels = [
        [1.0, 0.0, -0.0, 7.0],
        [2.0, 0.0, 0.0, 8.0],
        [3.0; 4],
        [4.0; 4],
    ];
    let state = |wrap| SamplerState {
        wrap,
        filter: TextureFilter::Nearest,
        mip: MipFilter::None,
    };
    // Right of the texture: clamped it is the right column, repeated the left one. The first row is the top one, v = 0.
    let places = [[1.25, 0.25, 0.0, 0.0], [1.25, 0.75, 0.0, 0.0]];
    let registers: [&[Register]; 2] = [&places, &places];
    let clamped = [texels[1], texels[3]];
    let repeated = [texels[0], texels[2]];
    each_dialect(|probe, dialect| {
        let image = Image {
            dimension: Dimension::TwoD,
            width: 2,
            height: 2,
            texels: Texels::Floats(&[&texels]),
        };
        let texture = probe.texture(&image).expect("a texture");
        for (options, state, wanted) in [
            ("clamp", None, clamped),
            ("repeat", None, repeated),
            ("clamp", Some(state(WrapMode::Repeat)), repeated),
            (
                "clamp,ignoresampler",
                Some(state(WrapMode::Repeat)),
                repeated,
            ),
        ] {
            let text = format!("tex oc, v0, fs0 <2d,nearest,mipnone,{options}>");
            let bindings = [Some(Binding {
                texture: &texture,
                state,
            })];
            let run = FragmentRun {
                textures: &bindings,
                ..flat(&registers, &[])
            };
            let results = fragment(probe, dialect, &fragment_only(1, &text), &run);
            let got = results.color(0).expect("a colour");
            for (got, wanted) in got.iter().zip(wanted) {
                assert_eq!(bits(*got), bits(wanted), "{dialect} {options}");
            }
        }
    });
}

#[test]
fn cubes_of_bytes_have_six_sides() {
    let sides: [[[u8; 4]; 1]; 6] = [0u8, 51, 102, 153, 204, 255].map(|n| [[n, 255 - n, 0, 255]]);
    let images: Vec<&[[u8; 4]]> = sides.iter().map(|side| &side[..]).collect();
    let directions = [
        [1.0, 0.1, 0.1, 0.0],
        [-1.0, 0.1, 0.1, 0.0],
        [0.1, 1.0, 0.1, 0.0],
        [0.1, -1.0, 0.1, 0.0],
        [0.1, 0.1, 1.0, 0.0],
        [0.1, 0.1, -1.0, 0.0],
    ];
    let registers: [&[Register]; 2] = [&directions, &directions];
    let pair = fragment_only(1, "tex oc, v0, fs0 <cube,nearest,mipnone,clamp>");
    each_dialect(|probe, dialect| {
        let image = Image {
            dimension: Dimension::Cube,
            width: 1,
            height: 1,
            texels: Texels::Bytes(&images),
        };
        let texture = probe.texture(&image).expect("a texture");
        let bindings = [Some(Binding {
            texture: &texture,
            state: None,
        })];
        let run = FragmentRun {
            textures: &bindings,
            ..flat(&registers, &[])
        };
        let results = fragment(probe, dialect, &pair, &run);
        for (got, side) in results.color(0).expect("a colour").iter().zip(sides) {
            for (got, byte) in got.iter().zip(side[0]) {
                assert!(
                    (got - f32::from(byte) / 255.0).abs() < 1e-6,
                    "{dialect} {got}"
                );
            }
        }
    });
}

#[test]
fn a_vertex_program_reads_textures() {
    let texels = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    let pair = pair(
        4,
        "mov op, va0\ntld vt0, va0, vs1 <2d,nearest,mipnone,clamp>\nmov v0, vt0",
        "mov oc, v0",
    );
    let places = [[0.25, 0.5, 0.0, 0.0], [0.75, 0.5, 0.0, 0.0]];
    let attributes: [&[Register]; 1] = [&places];
    each_dialect(|probe, dialect| {
        let image = Image {
            dimension: Dimension::TwoD,
            width: 2,
            height: 1,
            texels: Texels::Floats(&[&texels]),
        };
        let texture = probe.texture(&image).expect("a texture");
        let bindings = [
            None,
            Some(Binding {
                texture: &texture,
                state: None,
            }),
        ];
        let run = VertexRun {
            textures: &bindings,
            ..on(&attributes, &[])
        };
        let results = vertex(probe, dialect, &pair, &run);
        for (i, texel) in texels.into_iter().enumerate() {
            assert_eq!(results.varying(i, 0), Some(texel), "{dialect}");
        }
    });
}

#[track_caller]
fn refused<T>(result: Result<T, ProbeError>, part: &str) {
    match result {
        Err(ProbeError::Input(why)) => assert!(why.contains(part), "{why}"),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let mut probe = open(Flavor::Core);
    let dialect = Dialect::Glsl330;
    let pair = fragment_only(1, "tex ft0, v0, fs0 <2d,nearest>\nadd oc, ft0, v1");
    let one = [[0.0; 4]];
    let two: [&[Register]; 2] = [&one, &one];
    let vertex = probe.vertex_program(&pair, dialect).expect("compiles");
    let fragment = probe
        .fragment_program(&pair, dialect, Interpolation::Flat)
        .expect("compiles");
    refused(
        probe.run_vertex(&vertex, &on(&[&one], &[])),
        "attribute 1 has 0",
    );
    let run = |vertices, instances| VertexRun {
        vertices,
        instances,
        ..on(&two, &[])
    };
    refused(
        probe.run_vertex(&vertex, &run(2, 1)),
        "attribute 0 has 1 values",
    );
    refused(
        probe.run_vertex(&vertex, &run(1, MAX_INVOCATIONS + 1)),
        "more than",
    );
    refused(probe.run_vertex(&vertex, &run(usize::MAX, 0)), "more than");
    let nothing = probe
        .run_vertex(&vertex, &run(0, 5))
        .expect("nothing to do");
    assert!(nothing.is_empty());

    refused(
        probe.run_fragment(&fragment, &flat(&[&one, &one], &[])),
        "no texture",
    );
    refused(
        probe.run_fragment(&fragment, &linear(8, 8, &WIDE)),
        "other mode",
    );
    let levels = [&one[..], &one, &one, &one, &one, &one];
    let image = |dimension, width, images| Image {
        dimension,
        width,
        height: 1,
        texels: Texels::Floats(images),
    };
    refused(
        probe.texture(&image(Dimension::Cube, 1, &levels[..5])),
        "5 images for 6 sides",
    );
    refused(
        probe.texture(&image(Dimension::TwoD, 2, &levels[..1])),
        "1 texels",
    );
    refused(probe.texture(&image(Dimension::TwoD, 1, &[])), "0 images");
    let cube = probe
        .texture(&image(Dimension::Cube, 1, &levels))
        .expect("a cube");
    let bindings = [Some(Binding {
        texture: &cube,
        state: None,
    })];
    let run = FragmentRun {
        textures: &bindings,
        ..flat(&two, &[])
    };
    refused(probe.run_fragment(&fragment, &run), "isn't of the kind");
    refused(
        probe.run_fragment(&fragment, &flat(&[&one], &[])),
        "no texture",
    );

    let straight = fragment_only(1, "add oc, v0, v1");
    let straight = probe
        .fragment_program(&straight, dialect, Interpolation::Linear)
        .expect("compiles");
    for (width, height) in [(0, 2), (3, 2), (2, 258), (u16::MAX, 2)] {
        refused(
            probe.run_fragment(&straight, &linear(width, height, &WIDE)),
            "sides are even",
        );
    }
    refused(
        probe.run_fragment(&straight, &linear(2, 2, &WIDE[..1])),
        "varying 1",
    );
    // A refused run leaves the probe as it was.
    assert!(probe.run_fragment(&straight, &linear(2, 2, &WIDE)).is_ok());
}

#[test]
fn what_the_driver_refuses_is_an_error_with_its_log() {
    let mut probe = open(Flavor::Core);
    let pair = fragment_only(1, "add oc, v0, v1");
    let interface = pair.interface();
    match probe.vertex_glsl(
        "#version 330 core\nvoid main() { oops }",
        Dialect::Glsl330,
        interface,
    ) {
        Err(ProbeError::Backend(BackendError::CompileFailed { stage, log, .. })) => {
            assert_eq!(stage, "vertex");
            assert!(!log.is_empty());
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("compiled"),
    }
    let wrong = probe.vertex_program(&pair, Dialect::Glsl300Es);
    assert_eq!(
        wrong.err(),
        Some(ProbeError::Dialect(Flavor::Core, Dialect::Glsl300Es))
    );
}

#[test]
fn probes_take_turns_and_their_objects_outlive_them() {
    let mut probes: Vec<_> = [Flavor::Core, Flavor::Es, Flavor::Core].map(open).into();
    let pair = fragment_only(1, "add oc, v0, v1");
    let one = [[1.0; 4]];
    let programs: Vec<_> = probes
        .iter_mut()
        .map(|probe| {
            let dialect = probe.flavor().dialects()[0];
            probe
                .fragment_program(&pair, dialect, Interpolation::Flat)
                .expect("compiles")
        })
        .collect();
    for _ in 0..2 {
        for (probe, program) in probes.iter_mut().zip(&programs) {
            let results = probe
                .run_fragment(program, &flat(&[&one, &one], &[]))
                .expect("runs");
            assert_eq!(results.color(0), Some(&[[2.0; 4]][..]));
        }
    }
    refused(
        probes[2].run_fragment(&programs[0], &flat(&[&one, &one], &[])),
        "another probe",
    );
    drop(probes.remove(0));
    drop(programs);
    let texture = mipped(&mut probes[1]);
    drop(probes);
    drop(texture);
}
