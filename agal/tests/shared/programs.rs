//! Tests the programs of Flash games (`shared/agal`, beside the repository). Players accepted all these programs, so
//! each program must decode, encode to the same bytes, pass the verifier, print, assemble and translate to GLSL.

use std::fs;
use std::path::Path;

use agal::glsl::{COMPLETE, GlslOptions, emit};
use agal::interp::{CompiledProgram, LANES, SamplerImages, TexelImage};
use agal::sampler::Dimension;
use agal::{Endian, Profile, Program, Rules, Stage, asm, validate, wgsl};
use libtest_mimic::Trial;

use crate::common::{shared, valid, with_partner};
use crate::{naga, needs};

type Test = (&'static str, fn(&Path, Stage, &[u8]));

const TESTS: [Test; 6] = [
    ("decode_and_encode_are_inverse", decode_and_encode_are_inverse),
    ("printed_text_assembles_to_the_same_bytes", printed_text_assembles_to_the_same_bytes),
    ("passes_and_becomes_glsl", passes_and_becomes_glsl),
    ("becomes_valid_wgsl", becomes_valid_wgsl),
    ("runs_in_the_interpreter", runs_in_the_interpreter),
    ("passes_under_the_weakest_profile", passes_under_the_weakest_profile),
];

/// Programs that need more than the weakest profile of their version: the error in that profile, and the weakest
/// profile that accepts them.
const NEED_MORE: [(&str, u16, Profile); 10] = [
    // The programs with error 3661 use eight temporaries, but baselineConstrained has seven
    // ([agal.register.temporaries]).
    ("10698afa6bfc", 3661, Profile::Baseline),
    ("173ab8f7c0fb", 3661, Profile::Baseline),
    ("180cb8dd5d8a", 3661, Profile::Baseline),
    ("2da9e4c3ecd6", 3661, Profile::Baseline),
    ("46d2ab990605", 3661, Profile::Baseline),
    ("47773e570645", 3661, Profile::Baseline),
    ("4e42ac955096", 3661, Profile::Baseline),
    ("6aed68777e98", 3661, Profile::Baseline),
    ("6e78b5e26ca7", 3661, Profile::Baseline),
    ("85d83c3f1a56", 3661, Profile::Baseline),
];

pub(crate) fn trials() -> Vec<Trial> {
    needs::shared("agal", |_| {
        let mut trials = Vec::new();
        for (path, stage) in shared() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            for (test, run) in TESTS {
                let trial = format!("{name}::{test}");
                let path = path.clone();
                trials.push(Trial::test(trial, move || {
                    run(&path, stage, &fs::read(&path)?);
                    Ok(())
                }));
            }
        }
        trials
    })
}

fn decode_and_encode_are_inverse(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = Program::decode(bytes, Endian::Little, stage).unwrap();
    assert_eq!(program.encode(), bytes, "{}", path.display());
    assert_eq!(program.stage(), stage, "{}", path.display());
    assert_eq!(program.trailing(), [0u8; 0], "{}", path.display());
}

fn printed_text_assembles_to_the_same_bytes(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = Program::decode(bytes, Endian::Little, stage).unwrap();
    let text = program.to_string();
    let back = asm::assemble(&text, stage, program.header_version());
    let back = back.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(back.encode(), bytes, "{}\n{text}", path.display());
}

/// Checks a program under the weakest profile of its version, which has the fewest registers.
fn passes_under_the_weakest_profile(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = Program::decode(bytes, Endian::Little, stage).unwrap();
    let version = program.version();
    let mut profiles = Profile::ALL.iter().copied();
    let profile = profiles.find(|profile| profile.max_version() >= version);
    let rules = Rules { profile: profile.unwrap() };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let checked = validate(program.clone(), stage, &rules);
    let reason = NEED_MORE.iter().find(|(file, ..)| name.starts_with(file));
    match (checked, reason) {
        (Ok(_), None) => {}
        (Ok(_), Some(_)) => panic!("{name} needs no more than {}", rules.profile),
        (Err(error), None) => panic!("{name}: {error}\n{program}"),
        (Err(error), Some((_, number, profile))) => {
            assert_eq!(error.number(), *number, "{name}: {error}");
            let rules = Rules { profile: *profile };
            assert!(validate(program, stage, &rules).is_ok());
        }
    }
}

/// Checks the GLSL of a program and a generated partner, because the programs of a pair are stored separately.
fn passes_and_becomes_glsl(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = valid(path, stage, bytes);
    let pair = with_partner(path, program);
    for dialect in COMPLETE {
        let target = GlslOptions { comments: true, ..GlslOptions::new(dialect) };
        let glsl = emit(&pair, &target).unwrap();
        let shader = match stage {
            Stage::Vertex => &glsl.vertex,
            Stage::Fragment => &glsl.fragment,
        };
        // Each token has a line, even if it has no effect, so no token is dropped silently.
        let lines = shader.lines().filter(|line| line.contains("// "));
        let tokens = (bytes.len() - agal::binary::HEADER_SIZE) / agal::binary::TOKEN_SIZE;
        assert_eq!(lines.count(), tokens, "{}\n{shader}", path.display());
    }
}

/// Checks the WGSL module of a program and a generated partner.
fn becomes_valid_wgsl(path: &Path, stage: Stage, bytes: &[u8]) {
    let pair = with_partner(path, valid(path, stage, bytes));
    let module = wgsl::emit_module(&pair, &wgsl::WgslOptions::default());
    naga::check(&module).unwrap_or_else(|error| panic!("{}: {error}\n{module}", path.display()));
}

/// Runs a program with the same values in all attributes and varyings. Finite outputs show that no register that
/// affects an output is missing.
fn runs_in_the_interpreter(path: &Path, stage: Stage, bytes: &[u8]) {
    let compiled = CompiledProgram::new(&valid(path, stage, bytes));
    let mut state = compiled.state();
    for register in 0..16u16 {
        for lane in 0..LANES {
            let value = [0.25, 0.5, 0.75, 1.0];
            state.set_attribute(register, lane, value);
            state.set_varying(register, lane, value);
        }
    }
    let white = [Dimension::TwoD, Dimension::Cube]
        .map(|dimension| vec![Some(TexelImage::constant(dimension.faces(), [1.0; 4])); 16]);
    for images in &white {
        let images = SamplerImages(images);
        compiled.run(&mut state, &[[0.5; 4]; 250], &images);
        let output = match stage {
            Stage::Vertex => state.position(0),
            Stage::Fragment => state.color(0, 0),
        };
        assert!(output.iter().all(|c| !c.is_nan()), "{}", path.display());
    }
}
