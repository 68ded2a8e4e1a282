//! Tests each limit in each profile: the limit is allowed, and exceeding it by one raises an error.
//!
//! Source: `REFERENCE-textures.md`, "Profiles" and "Limits of all profiles", whose values are repeated here.

mod frame;
mod objects;
mod sizes;

use context3d::backend::NullBackend;
use context3d::internals::{ProfileLimits, RegisterCounts};
use context3d::{Context3D, ContextOptions, Error, Profile};

use crate::common::assemble;

type Context = Context3D<NullBackend>;

/// Tests a limit in one profile, given the expected value.
type Check = fn(Profile, u64);

/// A limit of `ProfileLimits` or `RegisterCounts`: its name, its value in each profile, and its test.
struct Row(&'static str, [u64; 7], Check);

const MB: u64 = 1 << 20;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Order: baselineConstrained, baseline, baselineExtended, standardConstrained, standard, standardExtended, enhanced
    Row("simultaneous_contexts", [1,      4,        4,        4,        4,        4,        4], frame::contexts),
    Row("software_renderer",   [1,        1,        0,        0,        0,        0,        0], frame::software),
    Row("max_texture_2d",      [2048,     2048,     4096,     4096,     4096,     4096,     4096], sizes::texture),
    Row("max_texture_rectangle", [0,      2048,     4096,     4096,     4096,     4096,     4096], sizes::rectangle),
    Row("max_texture_cube",    [1024,     1024,     1024,     1024,     1024,     1024,     1024], sizes::cube),
    Row("half_float_textures", [0,        0,        0,        1,        1,        1,        1], sizes::half_float),
    Row("instanced_drawing",   [0,        0,        0,        0,        0,        1,        1], sizes::instances),
    Row("texture_memory",      [512*MB,   512*MB,   512*MB,   512*MB,   512*MB,   2048*MB,  2048*MB], objects::texture_memory),
    Row("cube_memory",         [256*MB; 7], objects::cube_memory),
    Row("vertex_buffer_memory", [256*MB; 7], objects::vertex_buffer_memory),
    Row("index_buffer_memory", [128*MB; 7], objects::index_buffer_memory),
    Row("program_memory",      [16*MB; 7], objects::program_memory),
    Row("resources_per_kind",  [4096; 7], objects::count),
    Row("video_textures",      [4; 7], objects::videos),
    Row("draws_per_present",   [32768; 7], frame::draws),
    Row("data32_per_vertex",   [64; 7], sizes::values),
    // The documentation of vertex buffers allows 65535 vertices, but the error's condition is "> 65536".
    Row("vertices_per_buffer", [65536; 7], sizes::vertices),
    Row("indices_per_buffer",  [983039; 7], sizes::indices),
    Row("min_back_buffer",     [32; 7], sizes::smallest_back_buffer),
    Row("max_back_buffer_software", [2048; 7], sizes::largest_in_software),
    Row("attributes",          [8,        8,        8,        8,        8,        16,       16], sizes::streams),
    Row("vertex_constants",    [128,      128,      128,      250,      250,      250,      250], sizes::vertex_constants),
    Row("fragment_constants",  [28,       28,       28,       64,       64,       200,      200], sizes::fragment_constants),
    Row("samplers",            [8,        8,        8,        8,        16,       16,       16], sizes::samplers),
    Row("color_outputs",       [1,        1,        1,        1,        4,        4,        4], sizes::color_outputs),
];

/// Returns the library's limits in one profile. New limits must be added here.
fn library(profile: Profile) -> Vec<(&'static str, u64)> {
    let RegisterCounts {
        attributes,
        vertex_constants,
        fragment_constants,
        samplers,
        color_outputs,
    } = RegisterCounts::of(profile);
    let registers = [
        ("attributes", attributes),
        ("vertex_constants", vertex_constants),
        ("fragment_constants", fragment_constants),
        ("samplers", samplers),
        ("color_outputs", color_outputs),
    ];
    let registers = registers.map(|(name, count)| (name, count as u64));
    ProfileLimits::of(profile).rows().chain(registers).collect()
}

#[test]
fn the_table_is_the_reference() {
    for (column, profile) in Profile::ALL.iter().enumerate() {
        let mut rows: Vec<_> = ROWS.iter().map(|row| (row.0, row.1[column])).collect();
        let mut library = library(*profile);
        rows.sort_unstable();
        library.sort_unstable();
        assert_eq!(rows, library, "{profile:?}");
    }
}

#[test]
fn every_limit_in_every_profile() {
    for Row(name, values, check) in ROWS {
        for (profile, value) in Profile::ALL.iter().zip(values) {
            let checked = std::panic::catch_unwind(|| check(*profile, *value));
            assert!(checked.is_ok(), "{name} in {profile:?}");
        }
    }
}

fn context(profile: Profile) -> Context {
    let swf_version = 50;
    let backend = NullBackend::counting();
    Context3D::new(backend, ContextOptions { profile, swf_version })
}

#[track_caller]
fn raises<T: std::fmt::Debug>(number: u16, result: Result<T, Error>) {
    match result {
        Err(Error::Flash(error)) => assert_eq!(error.number(), number, "{error}"),
        other => panic!("{number} expected, got {other:?}"),
    }
}

/// Checks that a call succeeds if the Boolean limit is true, and raises an error otherwise.
#[track_caller]
fn allowed_if<T: std::fmt::Debug>(allowed: u64, number: u16, result: Result<T, Error>) {
    match allowed {
        1 => assert!(result.is_ok(), "{result:?}"),
        _ => raises(number, result),
    }
}

fn int(number: u64) -> i32 {
    i32::try_from(number).expect("small")
}

/// [agal.register.profile] [agal.register.temporaries] [agal.version.lower]
#[test]
fn registers_by_profile() {
    let rows: Vec<_> = Profile::ALL
        .iter()
        .map(|&profile| {
            let r = RegisterCounts::of(profile);
            [r.attributes, r.vertex_constants, r.fragment_constants, r.samplers, r.color_outputs]
        })
        .collect();
    let (baseline, extended) = ([8, 128, 28, 8, 1], [16, 250, 200, 16, 4]);
    let (constrained, standard) = ([8, 250, 64, 8, 1], [8, 250, 64, 16, 4]);
    assert_eq!(rows, [baseline, baseline, baseline, constrained, standard, extended, extended]);
}
