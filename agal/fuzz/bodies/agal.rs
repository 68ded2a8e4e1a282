//! Checks properties of AGAL for arbitrary bytes: the bodies of the fuzz targets, as ordinary functions.
//!
//! Each function takes bytes from a fuzzer, and panics if a property fails. libFuzzer's targets call it without bound;
//! tests call it for a bounded number of inputs.
#![allow(dead_code, reason = "each user runs some of them")]
#![expect(
    clippy::panic,
    reason = "a broken promise has to stop the fuzzer with what is known of it"
)]

use agal::generate::ProgramPair;
use agal::generate::arbitrary::{Arbitrary, Unstructured};

use agal::binary::TOKEN_SIZE;
use agal::glsl::{ClipDepth, DIALECTS, GlslOptions, Support, emit};
use agal::interp::{CompiledProgram, NoTextures};
use agal::{AgalError, AgalVersion, Endian, LinkedPair, Program, Rules, Stage, asm, validate};

const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// Any bytes are rejected with an error, or decode to a program that encodes to the same bytes.
pub(crate) fn decode(data: &[u8]) {
    for role in STAGES {
        for endian in [Endian::Little, Endian::Big] {
            match Program::decode(data, endian, role) {
                Ok(program) => {
                    assert!(program.encode() == data, "{role}: other bytes come back");
                    assert!(program.token_count() <= data.len() / TOKEN_SIZE);
                    assert!(program.trailing().len() < TOKEN_SIZE);
                    print(&program);
                }
                Err(error) => check_error(&error, 0),
            }
        }
        check_listing(data, role);
    }
}

/// The listing of any bytes assembles to the same bytes, or reports that it is not lossless.
fn check_listing(data: &[u8], role: Stage) {
    let shown = asm::disassemble(data, Some(role), &Rules::NEWEST);
    let text = asm::AgalListing { numbers: true, ..shown.listing() }.to_string();
    assert!(text.len() <= 2048 + 64 * data.len());
    let back = asm::AssembleOptions::default().sections(&text);
    let back = back.ok().and_then(|back| back.vertex.or(back.fragment));
    if shown.is_lossless() {
        assert!(back.is_some_and(|back| back.encode() == data), "{text}");
    } else {
        assert!(back.is_none() && shown.fault.is_some(), "{text}");
    }
}

/// Any program is validated and run, or rejected with an error that names one of the program's tokens. The result
/// depends only on the program and the rules.
///
/// Reads a program from the input; if the input isn't a program, the input seeds a generated pair and changes to the
/// pair.
pub(crate) fn validate_any(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let programs = match Program::decode(data, Endian::Little, Stage::Vertex) {
        Ok(program) => vec![program],
        Err(_) => damaged(&mut u),
    };
    let profiles = agal::Profile::ALL.iter().copied();
    for rules in profiles.map(|profile| Rules { profile }) {
        for program in &programs {
            for role in STAGES {
                let result = validate(program.clone(), role, &rules);
                assert!(validate(program.clone(), role, &rules) == result);
                match result {
                    Ok(valid) => {
                        assert!(valid.program() == program);
                        let compiled = CompiledProgram::new(&valid);
                        compiled.run(&mut compiled.state(), &[], &NoTextures);
                    }
                    Err(error) => check_error(&error, program.token_count()),
                }
            }
        }
        if let [vertex, fragment] = programs.as_slice() {
            let pair = ProgramPair { vertex: vertex.clone(), fragment: fragment.clone(), rules };
            // Every pair that links can be translated.
            if let Ok(linked) = pair.link() {
                emit_all(&linked);
            }
        }
    }
}

/// Returns a generated pair of programs with some changed bytes.
fn damaged(u: &mut Unstructured<'_>) -> Vec<Program> {
    let count = u.int_in_range(1..=4usize).unwrap_or(1);
    let changes: Vec<(u16, u8)> = (0..count).filter_map(|_| u.arbitrary().ok()).collect();
    let Ok(pair) = ProgramPair::arbitrary(u) else {
        return Vec::new();
    };
    let mut programs = vec![pair.vertex, pair.fragment];
    for (place, value) in changes {
        let which = usize::from(place & 1);
        let Some(program) = programs.get_mut(which) else {
            continue;
        };
        let mut bytes = program.encode();
        let place = usize::from(place >> 1) % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(place) {
            *byte = value;
        }
        // Damaged headers are skipped here, because `decode` tests them.
        if let Ok(changed) = Program::decode(&bytes, Endian::Little, program.stage()) {
            *program = changed;
        }
    }
    programs
}

/// Any text is rejected with a positioned error, or assembles to a program whose text assembles to the same program.
pub(crate) fn assemble(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for stage in STAGES {
        for version in AgalVersion::ALL {
            match asm::assemble(&text, stage, version.number()) {
                Ok(program) => {
                    assert!(
                        Program::decode(&program.encode(), Endian::Little, stage).is_ok()
                            || program.token_count() == 0
                    );
                    print(&program);
                }
                Err(errors) => check_places(&errors, &text),
            }
        }
    }
    if let Err(errors) = asm::AssembleOptions::default().pair(&text) {
        check_places(&errors, &text);
    }
}

/// Every generated pair is valid, survives round trips through bytes and text, and can be translated.
pub(crate) fn round_trip(data: &[u8]) {
    let Ok(pair) = ProgramPair::arbitrary(&mut Unstructured::new(data)) else {
        return;
    };
    if let Err(error) = pair.link() {
        panic!("{error}\n{pair}");
    }
    for program in [&pair.vertex, &pair.fragment] {
        let stage = program.stage();
        let bytes = program.encode();
        assert!(Program::decode(&bytes, Endian::Little, stage).as_ref() == Ok(program));
        let text = program.to_string();
        match asm::assemble(&text, stage, program.header_version()) {
            Ok(back) => assert!(back.encode() == bytes, "other bytes come back\n{text}"),
            Err(error) => panic!("{error}\n{text}"),
        }
    }
    match asm::AssembleOptions::default().pair(&pair.to_string()) {
        Ok((vertex, fragment)) => assert!(vertex == pair.vertex && fragment == pair.fragment),
        Err(error) => panic!("{error}\n{pair}"),
    }
}

/// Every generated pair becomes GLSL in every dialect that has its features. The GLSL is well formed, and its size is
/// bounded by the number of tokens.
pub(crate) fn emit_any(data: &[u8]) {
    let Ok(pair) = ProgramPair::arbitrary(&mut Unstructured::new(data)) else {
        return;
    };
    match pair.link() {
        Ok(linked) => emit_all(&linked),
        Err(error) => panic!("{error}\n{pair}"),
    }
}

/// Checks that the printed text of a program assembles to the same bytes.
fn print(program: &Program) {
    let text = program.to_string();
    assert!(text.len() <= 1024 * (program.token_count() + 1));
    match asm::assemble(&text, program.stage(), program.header_version()) {
        Ok(back) => assert!(back.encode() == program.encode(), "{text}"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

fn emit_all(pair: &LinkedPair) {
    let tokens = pair.vertex().program().token_count() + pair.fragment().program().token_count();
    for dialect in DIALECTS {
        for clip_depth in [ClipDepth::ZeroToOne, ClipDepth::MinusOneToOne] {
            for comments in [false, true] {
                let target = GlslOptions { clip_depth, comments, ..GlslOptions::new(dialect) };
                let glsl = match emit(pair, &target) {
                    Ok(glsl) => glsl,
                    Err(missing) => {
                        assert!(missing.feature.support(dialect) == Support::Missing);
                        assert!(missing.feature.is_used_by(pair), "{missing}");
                        continue;
                    }
                };
                for shader in [&glsl.vertex, &glsl.fragment] {
                    let count = |letter| shader.matches(letter).count();
                    assert!(count('(') == count(')'), "{shader}");
                    assert!(count('{') == count('}'), "{shader}");
                    assert!(shader.len() < 4096 + 600 * tokens, "{shader}");
                }
            }
        }
    }
}

fn check_error(error: &AgalError, tokens: usize) {
    let message = error.message();
    assert!(!message.contains('%'), "{message}");
    if let Some(token) = error.token() {
        assert!(token >= 1 && token as usize <= tokens, "token {token} of {tokens}: {error}");
    }
}

fn check_places(errors: &asm::AsmErrors, text: &str) {
    assert!(errors.iter().count() <= agal::asm::MAX_ERRORS);
    for error in errors.iter() {
        let line = &error.source_line;
        assert!(error.line >= 1 && error.column >= 1, "{error}");
        let letters = line.chars().count();
        assert!(error.column as usize <= letters + 1, "{error}");
        assert!(text.contains(line), "{error}");
        assert!(error.to_string().chars().count() <= 1024, "{error}");
    }
}
