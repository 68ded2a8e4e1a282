//! Tests linear varyings, textures and rejected inputs of the probe.

mod common;

use common::{
    Register, bits, each_dialect, flat, fragment, fragment_only, linear, on, open, pair, vertex,
};
use context3d::agal::glsl::Dialect;
use context3d::agal::sampler::Dimension;
use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter, WrapMode};
use context3d::packets::SamplerState;
use molehill_testing::probe::texture::{DriverTexture, ProbeImage, SamplerBinding, TexelData};
use molehill_testing::probe::{
    Flavor, FragmentRun, Interpolation, LinearVarying, MAX_INVOCATIONS, ShaderRunError,
    ShaderRunner, VertexRun,
};

const WIDE: [LinearVarying; 2] = [
    LinearVarying {
        origin: [10.0, -3.0, 0.5, 0.0],
        dx: [1.0, 0.25, 0.0, -2.0],
        dy: [64.0, -0.5, 0.125, 0.0],
    },
    LinearVarying { origin: [1.0; 4], dx: [0.0; 4], dy: [0.0; 4] },
];

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

/// Returns mip levels of a single colour each: every component of level n is n.
fn levels(side: u32) -> Vec<Vec<Register>> {
    (0u8..)
        .zip(std::iter::successors(Some(side), |side| (*side > 1).then_some(side / 2)))
        .map(|(level, side)| {
            let texels = usize::try_from(side * side).expect("fits");
            vec![[f32::from(level); 4]; texels]
        })
        .collect()
}

fn mipped(probe: &mut ShaderRunner) -> DriverTexture {
    let levels = levels(16);
    let levels: Vec<_> = levels.iter().map(Vec::as_slice).collect();
    let image = ProbeImage {
        dimension: Dimension::TwoD,
        width: 16,
        height: 16,
        texels: TexelData::Floats(&levels),
    };
    probe.texture(&image).expect("a texture")
}

#[test]
fn texture_reads_take_the_level_that_slope_and_bias_ask_for() {
    // Columns: texels per pixel, bias in eighths of a level, expected level.
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
        let bindings = [None, None, Some(SamplerBinding { texture: &texture, state: None })];
        for (step, bias, level) in CASES {
            let bias = f32::from(bias) / 8.0;
            let text = format!("tex oc, v0, fs2 <2d,repeat,linear,miplinear,{bias}>");
            let plane = LinearVarying {
                origin: [0.0; 4],
                dx: [step / 16.0, 0.0, 0.0, 0.0],
                dy: [0.0, step / 16.0, 0.0, 0.0],
            };
            let planes = [plane; 2];
            let run = FragmentRun { textures: &bindings, ..linear(8, 8, &planes) };
            let results = fragment(probe, dialect, &fragment_only(1, &text), &run);
            for value in results.color(0).expect("a colour").as_flattened() {
                assert!((value - level).abs() < 0.01, "{dialect} {step} {bias}: {value}");
            }
        }
    });
}

#[test]
fn sampler_state_is_the_programs_or_the_callers() {
    let texels = [[1.0, 0.0, -0.0, 7.0], [2.0, 0.0, 0.0, 8.0], [3.0; 4], [4.0; 4]];
    let state = |wrap| SamplerState { wrap, filter: TextureFilter::Nearest, mip: MipFilter::None };
    // Right of the texture, clamping reads the right column, repeating the left one. The first row is the top, v = 0.
    let places = [[1.25, 0.25, 0.0, 0.0], [1.25, 0.75, 0.0, 0.0]];
    let registers: [&[Register]; 2] = [&places, &places];
    let clamped = [texels[1], texels[3]];
    let repeated = [texels[0], texels[2]];
    each_dialect(|probe, dialect| {
        let image = ProbeImage {
            dimension: Dimension::TwoD,
            width: 2,
            height: 2,
            texels: TexelData::Floats(&[&texels]),
        };
        let texture = probe.texture(&image).expect("a texture");
        for (options, state, wanted) in [
            ("clamp", None, clamped),
            ("repeat", None, repeated),
            ("clamp", Some(state(WrapMode::Repeat)), repeated),
            ("clamp,ignoresampler", Some(state(WrapMode::Repeat)), repeated),
        ] {
            let text = format!("tex oc, v0, fs0 <2d,nearest,mipnone,{options}>");
            let bindings = [Some(SamplerBinding { texture: &texture, state })];
            let run = FragmentRun { textures: &bindings, ..flat(&registers, &[]) };
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
        let image = ProbeImage {
            dimension: Dimension::Cube,
            width: 1,
            height: 1,
            texels: TexelData::Bytes(&images),
        };
        let texture = probe.texture(&image).expect("a texture");
        let bindings = [Some(SamplerBinding { texture: &texture, state: None })];
        let run = FragmentRun { textures: &bindings, ..flat(&registers, &[]) };
        let results = fragment(probe, dialect, &pair, &run);
        for (got, side) in results.color(0).expect("a colour").iter().zip(sides) {
            for (got, byte) in got.iter().zip(side[0]) {
                assert!((got - f32::from(byte) / 255.0).abs() < 1e-6, "{dialect} {got}");
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
        let image = ProbeImage {
            dimension: Dimension::TwoD,
            width: 2,
            height: 1,
            texels: TexelData::Floats(&[&texels]),
        };
        let texture = probe.texture(&image).expect("a texture");
        let bindings = [None, Some(SamplerBinding { texture: &texture, state: None })];
        let run = VertexRun { textures: &bindings, ..on(&attributes, &[]) };
        let results = vertex(probe, dialect, &pair, &run);
        for (i, texel) in texels.into_iter().enumerate() {
            assert_eq!(results.varying(i, 0), Some(texel), "{dialect}");
        }
    });
}

#[track_caller]
fn refused<T>(result: Result<T, ShaderRunError>, part: &str) {
    match result {
        Err(ShaderRunError::Input(why)) => assert!(why.contains(part), "{why}"),
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
    let fragment = probe.fragment_program(&pair, dialect, Interpolation::Flat).expect("compiles");
    refused(probe.run_vertex(&vertex, &on(&[&one], &[])), "attribute 1 has 0");
    let run = |vertices, instances| VertexRun { vertices, instances, ..on(&two, &[]) };
    refused(probe.run_vertex(&vertex, &run(2, 1)), "attribute 0 has 1 values");
    refused(probe.run_vertex(&vertex, &run(1, MAX_INVOCATIONS + 1)), "more than");
    refused(probe.run_vertex(&vertex, &run(usize::MAX, 0)), "more than");
    let nothing = probe.run_vertex(&vertex, &run(0, 5)).expect("nothing to do");
    assert!(nothing.is_empty());

    refused(probe.run_fragment(&fragment, &flat(&[&one, &one], &[])), "no texture");
    refused(probe.run_fragment(&fragment, &linear(8, 8, &WIDE)), "other mode");
    let levels = [&one[..], &one, &one, &one, &one, &one];
    let image = |dimension, width, images| ProbeImage {
        dimension,
        width,
        height: 1,
        texels: TexelData::Floats(images),
    };
    refused(probe.texture(&image(Dimension::Cube, 1, &levels[..5])), "5 images for 6 sides");
    refused(probe.texture(&image(Dimension::TwoD, 2, &levels[..1])), "1 texels");
    refused(probe.texture(&image(Dimension::TwoD, 1, &[])), "0 images");
    let cube = probe.texture(&image(Dimension::Cube, 1, &levels)).expect("a cube");
    let bindings = [Some(SamplerBinding { texture: &cube, state: None })];
    let run = FragmentRun { textures: &bindings, ..flat(&two, &[]) };
    refused(probe.run_fragment(&fragment, &run), "isn't of the kind");
    refused(probe.run_fragment(&fragment, &flat(&[&one], &[])), "no texture");

    let straight = fragment_only(1, "add oc, v0, v1");
    let straight =
        probe.fragment_program(&straight, dialect, Interpolation::Linear).expect("compiles");
    for (width, height) in [(0, 2), (3, 2), (2, 258), (u16::MAX, 2)] {
        refused(probe.run_fragment(&straight, &linear(width, height, &WIDE)), "sides must be even");
    }
    refused(probe.run_fragment(&straight, &linear(2, 2, &WIDE[..1])), "varying 1");
    // A rejected run leaves the probe unchanged.
    assert!(probe.run_fragment(&straight, &linear(2, 2, &WIDE)).is_ok());
}

#[test]
fn what_the_driver_refuses_is_an_error_with_its_log() {
    let mut probe = open(Flavor::Core);
    let pair = fragment_only(1, "add oc, v0, v1");
    let interface = pair.interface();
    match probe.vertex_glsl("#version 330 core\nvoid main() { oops }", Dialect::Glsl330, interface)
    {
        Err(ShaderRunError::Backend(BackendError::CompileFailed { stage, log, .. })) => {
            assert_eq!(stage, "vertex");
            assert!(!log.is_empty());
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("compiled"),
    }
    let wrong = probe.vertex_program(&pair, Dialect::Glsl300Es);
    assert_eq!(wrong.err(), Some(ShaderRunError::Dialect(Flavor::Core, Dialect::Glsl300Es)));
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
            probe.fragment_program(&pair, dialect, Interpolation::Flat).expect("compiles")
        })
        .collect();
    for _ in 0..2 {
        for (probe, program) in probes.iter_mut().zip(&programs) {
            let results = probe.run_fragment(program, &flat(&[&one, &one], &[])).expect("runs");
            assert_eq!(results.color(0), Some(&[[2.0; 4]][..]));
        }
    }
    refused(probes[2].run_fragment(&programs[0], &flat(&[&one, &one], &[])), "another probe");
    drop(probes.remove(0));
    drop(programs);
    let texture = mipped(&mut probes[1]);
    drop(probes);
    drop(texture);
}
