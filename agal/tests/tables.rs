//! Tests the tables of the instruction set and of the errors, and the encoding of a program.

use agal::binary::{MAGIC, TYPE_IDENTIFIER};
use agal::errors::{ErrorClass, ErrorKind};
use agal::glsl::{COMPLETE, DIALECTS, PairFeature, Support};
use agal::opcode::{AgalOpcode, LAST_CODE};
use agal::register::{MAX_TRACKED, RegisterFile};
use agal::sampler::{OPTIONS, SamplerOption};
use agal::{AgalVersion, Endian, Program, Rules, Stage, asm, validate};

#[test]
fn rows_are_sorted_and_names_unique() {
    let codes: Vec<u32> = AgalOpcode::ALL.iter().map(|op| op.code()).collect();
    assert!(codes.is_sorted_by(|a, b| a < b));
    assert_eq!(codes.last(), Some(&LAST_CODE));
    for op in AgalOpcode::ALL {
        assert_eq!(AgalOpcode::from_code(op.code()), Some(*op));
        assert_eq!(AgalOpcode::from_name(op.name()), Some(*op));
        assert_eq!(op.name().len(), 3);
    }
}

#[test]
fn codes_are_the_keys() {
    for (code, file) in (0u8..).zip(RegisterFile::ALL) {
        assert_eq!(file.code(), code);
        assert_eq!(RegisterFile::from_code(code), Some(*file));
    }
    assert_eq!(RegisterFile::from_code(8), None);
}

#[test]
fn names_are_unique_in_a_stage() {
    for stage in [Stage::Vertex, Stage::Fragment] {
        let all = RegisterFile::ALL.iter();
        let mut names: Vec<_> = all.flat_map(|file| file.view(stage).names).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

#[test]
fn tracked_files_fit() {
    for file in RegisterFile::ALL {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let most = file.view(stage).counts.into_iter().flatten().max();
            if *file != RegisterFile::Constant {
                assert!(usize::from(most.unwrap_or(0)) <= MAX_TRACKED);
            }
        }
    }
}

/// [agal.register.profile] [agal.register.temporaries] [agal.version.lower]
#[test]
fn the_smaller_of_version_and_profile_counts() {
    use agal::Profile::*;
    let count = |file: RegisterFile, stage, version, profile| file.count(stage, version, profile);
    let (v, f) = (Stage::Vertex, Stage::Fragment);
    assert_eq!(count(RegisterFile::Temporary, f, AgalVersion::V1, BaselineConstrained), Some(7));
    assert_eq!(count(RegisterFile::Temporary, f, AgalVersion::V1, Baseline), Some(8));
    assert_eq!(count(RegisterFile::Temporary, v, AgalVersion::V1, Enhanced), Some(8));
    assert_eq!(count(RegisterFile::Varying, v, AgalVersion::V2, StandardConstrained), Some(8));
    assert_eq!(count(RegisterFile::Varying, v, AgalVersion::V2, Standard), Some(10));
    assert_eq!(count(RegisterFile::Constant, f, AgalVersion::V3, StandardExtended), Some(200));
    assert_eq!(count(RegisterFile::DepthOutput, f, AgalVersion::V1, Standard), Some(0));
    assert_eq!(count(RegisterFile::Sampler, v, AgalVersion::V3, Enhanced), None);
    assert_eq!(count(RegisterFile::Sampler, v, AgalVersion::V4, Enhanced), Some(4));
}

#[test]
fn names_are_unique() {
    for option in OPTIONS {
        assert_eq!(SamplerOption::from_name(option.name), Some(option));
        let printed = SamplerOption::text(option.field, option.bits).unwrap();
        let back = SamplerOption::from_name(printed).unwrap();
        assert_eq!((back.field, back.bits), (option.field, option.bits));
    }
}

fn number(bytes: &[u8], endian: Endian) -> (u16, ErrorClass) {
    let error = Program::decode(bytes, endian, Stage::Vertex).unwrap_err();
    (error.number(), error.class())
}

/// [agal.check.form] [agal.program.minimum]
#[test]
fn form_errors_come_in_flash_order() {
    use agal::Endian::{Big, Little};
    use agal::errors::ErrorClass::{ArgumentError, Error};
    assert_eq!(number(&[], Big), (3615, ArgumentError));
    assert_eq!(number(&[], Little), (3615, ArgumentError));
    assert_eq!(number(&[0], Big), (3612, ArgumentError));
    assert_eq!(number(&[0xa0, 9, 0, 0, 0, 0xa1, 9], Little), (3615, Error));
    let mut bytes = [0u8; 31];
    assert_eq!(number(&bytes, Little), (3616, Error));
    bytes[0] = MAGIC;
    bytes[1] = 5;
    assert_eq!(number(&bytes, Little), (3617, Error));
    bytes[1] = 0;
    bytes[6] = 7;
    assert_eq!(number(&bytes, Little), (3618, Error));
    bytes[5] = TYPE_IDENTIFIER;
    assert_eq!(number(&bytes, Little), (3619, Error));
    bytes[6] = 1;
    assert!(Program::decode(&bytes, Little, Stage::Vertex).is_ok());
    assert_eq!(number(&bytes[..30], Little), (3615, Error));
}

#[test]
fn the_empty_program_names_no_kind() {
    let error = Program::decode(&[], Endian::Little, Stage::Vertex).unwrap_err();
    assert_eq!(
        error.message(),
        "AGAL validation failed: Program size below minimum length for  program."
    );
}

#[test]
fn messages_are_filled_in_as_flash_does() {
    let error = |text: &str, stage| {
        let program = asm::assemble(text, stage, 1).unwrap();
        validate(program, stage, &Rules::NEWEST).unwrap_err()
    };
    let sampler = error("mov ft0, v0\nmov ft0, fs0", Stage::Fragment);
    assert_eq!((sampler.number(), sampler.token()), (3638, Some(2)));
    assert_eq!(
        sampler.message(),
        "AGAL validation failed: Sampler register only allowed as second operand in texture instructions for source operand 1 at token 2 of fragment program."
    );
    let both = error(&("mov vt0, va0\n".repeat(6) + "add vt0, vc0, vc1"), Stage::Vertex);
    assert!(both.message().ends_with("at token 7 of vertex program."), "{both}");
}

#[test]
fn numbers_are_sorted_and_unique() {
    let numbers: Vec<u16> = ErrorKind::ALL.iter().map(|kind| kind.number()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

/// Every dialect that isn't in `COMPLETE` lacks a feature of AGAL or needs an extension.
#[test]
fn complete_is_complete() {
    for dialect in DIALECTS {
        let native = |feature: &PairFeature| feature.support(dialect) == Support::Native;
        assert_eq!(COMPLETE.contains(&dialect), PairFeature::ALL.iter().all(native), "{dialect}");
    }
}
