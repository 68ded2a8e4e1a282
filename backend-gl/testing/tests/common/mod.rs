//! Test helpers: programs, probes and inputs.

#![allow(dead_code, reason = "each test file uses a part of it")]

use context3d::agal::glsl::{DIALECTS, Dialect};
use context3d::agal::{LinkedPair, Rules, Stage, asm, link, validate};
use molehill_testing::probe::{
    Flavor, FragmentResults, FragmentRun, Interpolation, LinearVarying, ShaderRunner, Varyings,
    VertexResults, VertexRun,
};

pub(crate) type Register = [f32; 4];

pub(crate) fn pair(version: u32, vertex: &str, fragment: &str) -> LinkedPair {
    let check = |text, stage| {
        let program = asm::assemble(text, stage, version).expect("assembles");
        validate(program, stage, &Rules::NEWEST).expect("is valid")
    };
    link(check(vertex, Stage::Vertex), check(fragment, Stage::Fragment)).expect("links")
}

/// Opens a probe. Fails the test, rather than skip it, if the machine can't create a context.
pub(crate) fn open(flavor: Flavor) -> ShaderRunner {
    match ShaderRunner::open(flavor) {
        Ok(probe) => probe,
        Err(error) => panic!("{flavor}: {error}\nharness/setup.sh installs a software EGL"),
    }
}

/// Calls `body` for every dialect with a probe that compiles it.
pub(crate) fn each_dialect(body: impl Fn(&mut ShaderRunner, Dialect)) {
    for flavor in Flavor::ALL {
        let mut probe = open(*flavor);
        for dialect in flavor.dialects().iter().filter(|dialect| DIALECTS.contains(dialect)) {
            assert_eq!(Flavor::of(*dialect), *flavor);
            body(&mut probe, *dialect);
        }
    }
}

pub(crate) fn vertex(
    probe: &mut ShaderRunner,
    dialect: Dialect,
    pair: &LinkedPair,
    run: &VertexRun<'_>,
) -> VertexResults {
    let program = probe
        .vertex_program(pair, dialect)
        .unwrap_or_else(|error| panic!("{dialect}: {error}\n{}", pair.vertex().program()));
    probe.run_vertex(&program, run).expect("runs")
}

pub(crate) fn fragment(
    probe: &mut ShaderRunner,
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

pub(crate) fn bits(value: Register) -> [u32; 4] {
    value.map(f32::to_bits)
}

/// Creates the inputs of a run with a few vertices and without textures.
pub(crate) fn on<'a>(attributes: &'a [&'a [Register]], constants: &'a [Register]) -> VertexRun<'a> {
    VertexRun {
        vertices: attributes.first().map_or(1, |values| values.len()),
        instances: 1,
        attributes,
        constants,
        textures: &[],
    }
}

pub(crate) fn flat<'a>(
    registers: &'a [&'a [Register]],
    constants: &'a [Register],
) -> FragmentRun<'a> {
    FragmentRun {
        varyings: Varyings::Flat {
            pixels: registers.first().map_or(1, |values| values.len()),
            registers,
        },
        constants,
        textures: &[],
    }
}

/// Links a pair whose vertex program only copies attributes to `v0` and `v1`.
pub(crate) fn fragment_only(version: u32, text: &str) -> LinkedPair {
    pair(version, "mov op, va0\nmov v0, va0\nmov v1, va1", text)
}

pub(crate) fn linear<'a>(
    width: u16,
    height: u16,
    registers: &'a [LinearVarying],
) -> FragmentRun<'a> {
    FragmentRun {
        varyings: Varyings::Linear { width, height, registers },
        constants: &[],
        textures: &[],
    }
}
