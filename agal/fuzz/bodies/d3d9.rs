//! Checks properties of Direct3D 9 shaders and assembly for arbitrary input: the bodies of the fuzz targets.
#![allow(dead_code, reason = "each user runs some of them")]
#![expect(
    clippy::panic,
    reason = "a broken promise has to stop the fuzzer with what is known of it"
)]

use agal::generate::ProgramPair;
use agal::generate::arbitrary::{Arbitrary, Unstructured};
use agal::glsl::Dialect;
use agal::{Endian, Rules, Stage, validate};
use d3d9::check::{Caps, Severity, check};
use d3d9::from_agal::{Model, TranslateError, translate};
use d3d9::glsl::{D3d9GlslOptions, GlslError, emit};
use d3d9::interp::{CompiledShader, D3d9Inputs, NoTextures};
use d3d9::{D3d9Program, ShaderVersion, text};

/// Any bytes after a version word decode to a program that encodes to the same bytes, or are rejected.
pub(crate) fn decode(data: &[u8]) {
    with_versions(data, |bytes| {
        if let Ok(program) = D3d9Program::decode(bytes) {
            assert!(program.encode() == bytes, "other bytes come back");
            let _ = program.listing().to_string();
        }
    });
}

/// Any text is rejected, or assembles to a program that prints as text with the same words.
pub(crate) fn assemble(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    for version in ShaderVersion::ALL {
        for source in [format!("{}\n{source}", version.name()), source.to_string()] {
            let Ok(program) = text::assemble(&source) else {
                continue;
            };
            let listing = program.listing().to_string();
            match text::assemble(&listing) {
                Ok(again) => assert!(
                    again.encode() == program.encode(),
                    "other words come back:\n{source}\n{listing}"
                ),
                Err(error) => panic!("{error}\n{source}\n{listing}"),
            }
        }
    }
}

/// Any program that decodes can be checked; a valid program is translated to GLSL and runs for a bounded number of
/// steps.
pub(crate) fn check_any(data: &[u8]) {
    with_versions(data, |bytes| {
        let Ok(program) = D3d9Program::decode(bytes) else {
            return;
        };
        let report = check(&program, &Caps::MAX);
        assert!(report.findings.len() <= d3d9::check::MAX_FINDINGS);
        let wrong = |finding: &d3d9::check::D3d9Finding| finding.severity == Severity::Error;
        let valid = !report.findings.iter().any(wrong);
        match emit(&program, &D3d9GlslOptions::new(Dialect::Glsl330)) {
            Ok(_) | Err(GlslError::Unsupported { .. } | GlslError::Constants { .. }) => {}
            Err(error) => assert!(!valid, "{error}\n{}", program.listing()),
        }
        let steps = 1000;
        if let Ok(compiled) = CompiledShader::new(&program) {
            let mut state = compiled.state();
            let inputs = D3d9Inputs::default();
            // Reaching the step limit is not an error in this test.
            let _ = compiled.run(&mut state, &inputs, &NoTextures, steps, &mut ());
        } else {
            assert!(!valid, "{}", program.listing());
        }
    });
}

/// Any valid AGAL is translated to a valid shader, or is rejected because the shader model can't express it.
pub(crate) fn from_agal(data: &[u8]) {
    let mut programs: Vec<agal::Program> = Vec::new();
    for stage in [Stage::Vertex, Stage::Fragment] {
        programs.extend(agal::Program::decode(data, Endian::Little, stage));
    }
    if let Ok(pair) = ProgramPair::arbitrary(&mut Unstructured::new(data)) {
        programs.extend([pair.vertex, pair.fragment]);
    }
    for program in programs {
        let stage = program.stage();
        let Ok(valid) = validate(program, stage, &Rules::NEWEST) else {
            continue;
        };
        for model in Model::ALL {
            if let Err(error @ TranslateError::Invalid(_)) = translate(&valid, *model) {
                panic!("{}: {error}\n{}", model.name(), valid.program());
            }
        }
    }
}

/// Runs a check on the bytes, and again with the first byte replaced by the version word that this byte selects.
fn with_versions(data: &[u8], run: impl Fn(&[u8])) {
    run(data);
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let place = usize::from(*first) % ShaderVersion::ALL.len();
    if let Some(version) = ShaderVersion::ALL.get(place) {
        run(&[&version.word().to_le_bytes(), rest].concat());
    }
}
