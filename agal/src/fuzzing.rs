//! What must hold for any bytes: the bodies of the fuzz targets, as ordinary functions (feature `arbitrary`).
//!
//! Each takes bytes as a fuzzer gives them and panics where something does not hold; otherwise it returns. `fuzz/` hands
//! them to libFuzzer, `tests/fuzzing.rs` runs them on a bounded number of inputs.
#![expect(
    clippy::panic,
    reason = "a broken promise has to stop the fuzzer with what is known of it"
)]

use arbitrary::{Arbitrary, Unstructured};

use crate::asm;
use crate::decode::Endian;
use crate::error::AgalError;
use crate::generate::Pair;
use crate::glsl::{ClipDepth, Dialect, Target, emit};
use crate::link::LinkedPair;
use crate::program::{Instruction, Program};
use crate::token::TOKEN_SIZE;
use crate::validate::validate;
use crate::version::{Rules, Stage, Version};

const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];

/// Any bytes decode to a program that encodes to the same bytes, or are refused with an error.
pub fn decode(data: &[u8]) {
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
    }
}

/// Any program passes or is refused with an error that names one of its tokens, under any rules, and always the same.
///
/// The input is a program; or, where it does not begin like one, what a generated pair and some changes to it follow from.
pub fn validate_any(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let programs = match Program::decode(data, Endian::Little, Stage::Vertex) {
        Ok(program) => vec![program],
        Err(_) => damaged(&mut u),
    };
    let profiles = crate::Profile::ALL.into_iter();
    for rules in profiles.map(|profile| Rules {
        profile,
        ..Rules::NEWEST
    }) {
        for program in &programs {
            for role in STAGES {
                let result = validate(program.clone(), role, &rules);
                assert!(validate(program.clone(), role, &rules) == result);
                match result {
                    Ok(valid) => assert!(valid.program() == program),
                    Err(error) => check_error(&error, program.token_count()),
                }
            }
        }
        if let [vertex, fragment] = programs.as_slice() {
            let pair = Pair {
                vertex: vertex.clone(),
                fragment: fragment.clone(),
                rules,
            };
            // Whatever links can be emitted.
            if let Ok(linked) = pair.link() {
                emit_all(&linked);
            }
        }
    }
}

/// A generated pair, some of whose bytes are others.
fn damaged(u: &mut Unstructured<'_>) -> Vec<Program> {
    let count = u.int_in_range(1..=4usize).unwrap_or(1);
    let changes: Vec<(u16, u8)> = (0..count).filter_map(|_| u.arbitrary().ok()).collect();
    let Ok(pair) = Pair::arbitrary(u) else {
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
        // A damaged header is the business of `decode`.
        if let Ok(changed) = Program::decode(&bytes, Endian::Little, program.stage()) {
            *program = changed;
        }
    }
    programs
}

/// Any text becomes a program whose text becomes the same program, or is refused with an error that names a place in it.
pub fn assemble(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for stage in STAGES {
        for version in Version::ALL {
            match asm::assemble(&text, stage, version.number()) {
                Ok(program) => {
                    assert!(program.token_count() <= asm::MAX_INSTRUCTIONS);
                    assert!(
                        Program::decode(&program.encode(), Endian::Little, stage).is_ok()
                            || program.token_count() == 0
                    );
                    print(&program);
                }
                Err(error) => check_place(&error, &text),
            }
        }
    }
    if let Err(error) = asm::assemble_pair(&text) {
        check_place(&error, &text);
    }
}

/// Every generated pair is valid, survives bytes and text unchanged, and can be emitted.
pub fn round_trip(data: &[u8]) {
    let Ok(pair) = Pair::arbitrary(&mut Unstructured::new(data)) else {
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
        match asm::assemble(&text, stage, program.version()) {
            Ok(back) => assert!(back.encode() == bytes, "other bytes come back\n{text}"),
            Err(error) => panic!("{error}\n{text}"),
        }
    }
    match asm::assemble_pair(&pair.to_string()) {
        Ok((vertex, fragment, version)) => {
            assert!(
                vertex == pair.vertex
                    && fragment == pair.fragment
                    && version == pair.vertex.version()
            );
        }
        Err(error) => panic!("{error}\n{pair}"),
    }
}

/// Every generated pair becomes GLSL in every dialect that has what it needs, well formed and no longer than its tokens
/// account for.
pub fn emit_any(data: &[u8]) {
    let Ok(pair) = Pair::arbitrary(&mut Unstructured::new(data)) else {
        return;
    };
    match pair.link() {
        Ok(linked) => emit_all(&linked),
        Err(error) => panic!("{error}\n{pair}"),
    }
}

/// Prints a program; the text of a token that has one means that token, unless the assembler knows no such register.
fn print(program: &Program) {
    let text = program.to_string();
    assert!(text.len() <= 256 * (program.token_count() + 1));
    let stage = program.stage();
    for instruction in program.instructions() {
        let Some(text) = asm::instruction_text(instruction, stage) else {
            continue;
        };
        if let Ok(back) = asm::assemble(&text, stage, program.version()) {
            let same = |one: &Instruction| one == instruction;
            assert!(back.instructions().iter().all(same), "{text}");
            assert!(back.token_count() == 1, "{text}");
        }
    }
}

fn emit_all(pair: &LinkedPair) {
    let tokens = pair.vertex_tokens() + pair.fragment_tokens();
    for dialect in Dialect::ALL.iter().copied() {
        for clip_depth in [ClipDepth::ZeroToOne, ClipDepth::MinusOneToOne] {
            for comments in [false, true] {
                let target = Target {
                    dialect,
                    clip_depth,
                    comments,
                };
                let glsl = match emit(pair, &target) {
                    Ok(glsl) => glsl,
                    Err(error) => {
                        assert!(!Dialect::COMPLETE.contains(&dialect), "{error}");
                        assert!(error.feature.is_used_by(pair), "{error}");
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
        assert!(
            token >= 1 && token as usize <= tokens,
            "token {token} of {tokens}: {error}"
        );
    }
}

fn check_place(error: &asm::AsmError, text: &str) {
    let line = error.source_line();
    assert!(error.line() >= 1 && error.column() >= 1, "{error}");
    assert!(
        error.column() as usize <= line.chars().count() + 1,
        "{error}"
    );
    assert!(text.contains(line), "{error}");
    assert!(error.to_string().contains(line), "{error}");
}
