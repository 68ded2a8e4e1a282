//! Tests round trips and robustness on generated inputs: any bytes, any tokens, legal programs and any text.

use agal::asm::{AssembleOptions, assemble};
use agal::binary::{HEADER_SIZE, TOKEN_SIZE};
use agal::glsl::{COMPLETE, DIALECTS, Dialect, GlslOptions, emit};
use agal::opcode::{AgalOpcode, OpcodeSignature};
use agal::operand::{Component, Dest, SecondOperand, SourceOperand, Swizzle, WriteMask};
use agal::register::RegisterFile;
use agal::sampler::{OPTIONS, SamplerOperand};
use agal::{AgalInstruction, Endian, Program, Rules, Stage, ValidProgram, link, validate};
use proptest::collection::vec;
use proptest::prelude::*;

fn target(dialect: Dialect) -> GlslOptions {
    GlslOptions { comments: true, ..GlslOptions::new(dialect) }
}

fn stage() -> impl Strategy<Value = Stage> {
    prop_oneof![Just(Stage::Vertex), Just(Stage::Fragment)]
}

/// Generates a valid header followed by arbitrary bytes.
fn program_bytes() -> impl Strategy<Value = Vec<u8>> {
    let body = vec(any::<u8>(), TOKEN_SIZE..20 * TOKEN_SIZE);
    (1u8..=4, 0u8..=1, body).prop_map(|(version, kind, body)| {
        let header = [0xa0, version, 0, 0, 0, 0xa1, kind];
        header.into_iter().chain(body).collect()
    })
}

/// Generates tokens with nearly legal fields, so that they pass the verifier's first checks.
fn near_legal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let token = (0u8..0x30, any::<[u8; 20]>(), any::<[bool; 20]>());
    (1u8..=4, 0u8..=1, vec(token, 1..30)).prop_map(|(version, kind, tokens)| {
        let mut bytes = vec![0xa0, version, 0, 0, 0, 0xa1, kind];
        for (code, operands, kept) in tokens {
            bytes.extend([code, 0, 0, 0]);
            let small = operands.iter().zip(kept);
            bytes.extend(small.map(|(byte, kept)| if kept { byte & 0x0f } else { 0 }));
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_decode_or_are_refused(bytes in vec(any::<u8>(), 0..100), stage in stage()) {
        if let Ok(program) = Program::decode(&bytes, Endian::Little, stage) {
            prop_assert_eq!(program.encode(), bytes);
        }
    }

    #[test]
    fn any_tokens_come_back(bytes in prop_oneof![program_bytes(), near_legal_bytes()]) {
        let program = Program::decode(&bytes, Endian::Little, Stage::Vertex).unwrap();
        prop_assert_eq!(program.encode(), bytes.clone());
        prop_assert_eq!(program.token_count(), (bytes.len() - HEADER_SIZE) / TOKEN_SIZE);
        // Every token has a text that assembles to the same token.
        let text = program.to_string();
        let back = assemble(&text, program.stage(), program.header_version());
        let back = back.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back.encode(), bytes, "{}", text);
        let role = program.stage();
        if let Ok(valid) = validate(program, role, &Rules::NEWEST) {
            check_emission(valid)?;
        }
    }

    #[test]
    fn legal_programs_pass_print_and_become_glsl(program in legal()) {
        let text = program.to_string();
        let back = assemble(&text, program.stage(), program.header_version());
        let back = back.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back.encode(), program.encode(), "{}", text);
        let role = program.stage();
        let valid = validate(program, role, &Rules::NEWEST);
        let valid = valid.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        check_emission(valid)?;
    }

    #[test]
    fn any_text_assembles_or_is_refused(text in ".{0,200}", stage in stage(), version in 0u32..6) {
        let _ = assemble(&text, stage, version);
        let _ = AssembleOptions::default().pair(&text);
    }

    #[test]
    fn near_legal_text_assembles_or_is_refused(words in vec(word(), 0..40), stage in stage()) {
        let text = words.concat();
        if let Err(errors) = assemble(&text, stage, 3) {
            for error in errors.iter() {
                let line = text.split(['\n', '\r']).nth(error.line as usize - 1);
                prop_assert_eq!(line, Some(error.source_line.as_str()));
                prop_assert!(error.column as usize <= error.source_line.chars().count() + 1);
            }
        }
    }
}

/// Links the program with a generated partner and translates the pair. Skips programs that can't be linked.
fn check_emission(valid: ValidProgram) -> Result<(), TestCaseError> {
    let version = valid.program().header_version();
    let stage = valid.program().stage();
    let tokens = valid.program().token_count();
    let (partner_stage, partner) = match stage {
        Stage::Vertex => (Stage::Fragment, "mov oc, v0"),
        Stage::Fragment => (
            Stage::Vertex,
            "mov op, va0\nmov v0, va0\nmov v1, va0\nmov v2, va0\nmov v3, va0\nmov v4, va0\nmov v5, va0\nmov v6, va0\nmov v7, va0",
        ),
    };
    let partner = assemble(partner, partner_stage, version).unwrap();
    let partner = validate(partner, partner_stage, &Rules::NEWEST).unwrap();
    let linked = match stage {
        Stage::Vertex => link(valid, partner),
        Stage::Fragment => link(partner, valid),
    };
    if let Ok(pair) = linked {
        for dialect in &DIALECTS {
            let glsl = match emit(&pair, &target(*dialect)) {
                Ok(glsl) => glsl,
                Err(missing) => {
                    prop_assert!(!COMPLETE.contains(dialect), "{missing}");
                    prop_assert!(missing.feature.is_used_by(&pair), "{missing}");
                    continue;
                }
            };
            for shader in [&glsl.vertex, &glsl.fragment] {
                let count = |letter| shader.matches(letter).count();
                prop_assert_eq!(count('('), count(')'));
                prop_assert_eq!(count('{'), count('}'));
            }
            prop_assert!(glsl.vertex.len() + glsl.fragment.len() < 2000 + 600 * (tokens + 9));
        }
    }
    Ok(())
}

/// Generates text from the words of AGAL.
fn word() -> impl Strategy<Value = String> {
    let opcode =
        prop::sample::select(AgalOpcode::ALL).prop_map(|opcode| format!("\n{} ", opcode.name()));
    let option = prop::sample::select(OPTIONS).prop_map(|option| format!("{},", option.name));
    let piece = prop::sample::select(vec![
        "va0", "vc[", "vt1", "ft0", "fc3", "op", "oc", "v1", "fs0 <", ">", "]", "+4", ".x", ".xyz",
        ", ", " ", "\n", "//", "-1.5", "\t", "é", "9999999",
    ]);
    prop_oneof![opcode, option, piece.prop_map(str::to_owned)]
}

/// Random choices for one token of a legal program. Numbers are taken modulo the available count.
#[derive(Clone, Debug)]
struct Seed {
    opcode: AgalOpcode,
    mask: u8,
    temporary: u16,
    sources: [(u8, u16, u8); 2],
    sampler: u16,
}

fn seed() -> impl Strategy<Value = Seed> {
    let source = || (any::<u8>(), any::<u16>(), any::<u8>());
    (prop::sample::select(AgalOpcode::ALL), 1u8..16, 0u16..8, [source(), source()], 0u16..8)
        .prop_map(|(opcode, mask, temporary, sources, sampler)| Seed {
            opcode,
            mask,
            temporary,
            sources,
            sampler,
        })
}

/// Generates a legal program: it writes temporaries first and outputs last, and each token between follows the rules.
fn legal() -> impl Strategy<Value = Program> {
    (stage(), vec(seed(), 0..60)).prop_map(|(stage, seeds)| {
        let input = match stage {
            Stage::Vertex => RegisterFile::Attribute,
            Stage::Fragment => RegisterFile::Varying,
        };
        let mov = |dest: (RegisterFile, u16), source: (RegisterFile, u16)| {
            let (dest, source) = (to(dest, WriteMask::ALL), from(source, Swizzle::IDENTITY));
            let none = SecondOperand::Source(SourceOperand::default());
            AgalInstruction::new(AgalOpcode::Mov.code(), dest, source, none)
        };
        let temporary = |n| (RegisterFile::Temporary, n);
        let mut code: Vec<AgalInstruction> =
            (0..8).map(|n| mov(temporary(n), (input, n))).collect();
        code.extend(seeds.iter().filter_map(|seed| seed.token(stage, input)));
        code.push(mov((RegisterFile::Output, 0), temporary(0)));
        if stage == Stage::Vertex {
            code.push(mov((RegisterFile::Varying, 0), temporary(1)));
        }
        let version = agal::AgalVersion::V2;
        Program::new(version, stage, code)
    })
}

fn to((file, number): (RegisterFile, u16), mask: WriteMask) -> Dest {
    Dest { number, mask, file: file.code(), reserved: 0 }
}

fn from((file, number): (RegisterFile, u16), swizzle: Swizzle) -> SourceOperand {
    SourceOperand { number, swizzle, file: file.code(), ..SourceOperand::default() }
}

impl Seed {
    fn token(&self, stage: Stage, input: RegisterFile) -> Option<AgalInstruction> {
        let info = self.opcode;
        let known = info.since().is_some_and(|since| since <= agal::AgalVersion::V2);
        if !known || !info.stages().allows(stage) {
            return None;
        }
        let signature = info.signature();
        let [one, two] = self.sources;
        let mut mask = WriteMask::from_bits(self.mask);
        if signature.masks_w() {
            mask = WriteMask::from_bits((self.mask & 7).max(1));
        }
        let rows = match signature {
            OpcodeSignature::Binary(op) => u16::from(op.rows()),
            _ => 1,
        };
        let scalar = matches!(signature, OpcodeSignature::Kill);
        let source2 = match signature {
            // This generator omits conditionals, which separate tests cover.
            OpcodeSignature::If(_) | OpcodeSignature::Block(_) => return None,
            OpcodeSignature::Kill | OpcodeSignature::Unary(_) => {
                SecondOperand::Source(SourceOperand::default())
            }
            OpcodeSignature::Sample(_) => SecondOperand::Sampler(self.sampler()),
            OpcodeSignature::Binary(_) => SecondOperand::Source(self.second(two, rows, stage)),
        };
        let dest = if signature.has_dest() {
            to((RegisterFile::Temporary, self.temporary), mask)
        } else {
            Dest::default()
        };
        Some(AgalInstruction::new(info.code(), dest, first(one, input, scalar), source2))
    }

    /// Returns a constant, which is direct or, in vertex programs, perhaps indirect. A matrix has no swizzle.
    fn second(
        &self,
        (kind, number, swizzle): (u8, u16, u8),
        rows: u16,
        stage: Stage,
    ) -> SourceOperand {
        let swizzle = if rows > 1 { Swizzle::IDENTITY } else { Swizzle::from_bits(swizzle) };
        let mut source = from((RegisterFile::Constant, number % (64 - rows)), swizzle);
        if stage == Stage::Vertex && kind & 1 != 0 {
            source.indirect = true;
            source.number = number % 8;
            source.offset = kind.cast_signed();
            source.index_component = kind >> 6;
            source.index_file =
                [RegisterFile::Attribute, RegisterFile::Constant, RegisterFile::Temporary]
                    [usize::from(kind >> 1) % 3]
                    .code();
        }
        source
    }

    fn sampler(&self) -> SamplerOperand {
        let number = self.sampler;
        // All operands of one sampler register must have equal fields, so the fields are made from the register's number.
        let [same, _] = number.to_le_bytes();
        SamplerOperand {
            number,
            bias: i8::from_le_bytes([same.wrapping_mul(29)]),
            file: RegisterFile::Sampler.code(),
            reserved: 0,
            format: same % 4,
            dimension: same % 2,
            special: same,
            wrap: if same.is_multiple_of(2) { same / 2 % 4 } else { 0 },
            mip: same % 3,
            filter: same % 6,
        }
    }
}

fn first(
    (kind, number, swizzle): (u8, u16, u8),
    input: RegisterFile,
    scalar: bool,
) -> SourceOperand {
    let file = if kind & 1 == 0 { RegisterFile::Temporary } else { input };
    let swizzle = if scalar {
        Swizzle::new([Component::from_bits(swizzle); 4])
    } else {
        Swizzle::from_bits(swizzle)
    };
    from((file, number % 8), swizzle)
}
