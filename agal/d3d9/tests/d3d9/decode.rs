//! Arbitrary dwords survive decoding and encoding; files of other formats are recognized.

use d3d9::{D3d9Program, DecodeError, FileKind, ShaderVersion, StreamItem, file_kind};
use proptest::prelude::*;

/// Returns random dwords, many of which are plausible tokens.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        (0u32..100, 0u32..16, 0u32..8)
            .prop_map(|(op, len, control)| op | len << 24 | control << 16),
        (any::<u32>()).prop_map(|word| word | 0x8000_0000),
        (0u32..8).prop_map(|len| 0xfffe | len << 16),
        Just(0x0000_ffff),
        Just(0x0000_fffd),
    ]
}

proptest! {
    #[test]
    fn words_come_back(version in 0..ShaderVersion::ALL.len(), body in prop::collection::vec(word(), 0..64)) {
        let mut words = vec![ShaderVersion::ALL[version].word()];
        words.extend(body);
        let program = D3d9Program::from_words(&words).unwrap();
        prop_assert_eq!(program.to_words(), words.clone());
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let again = D3d9Program::decode(&bytes).unwrap();
        prop_assert_eq!(&again, &program);
        prop_assert_eq!(again.encode(), bytes);
        program.constant_table();
    }

    #[test]
    fn any_bytes_are_told(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Err(error) = D3d9Program::decode(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// A constant table with random fields never causes a read past the end of the comment.
    #[test]
    fn constant_tables_may_lie(body in prop::collection::vec(prop_oneof![0u32..64, any::<u32>()], 0..40)) {
        let mut comment = vec![u32::from_le_bytes(*b"CTAB")];
        comment.extend(body);
        if let Some(table) = d3d9::ctab::ConstantTable::read(&comment) {
            prop_assert!(table.constants.len() <= 40 * 4);
        }
    }
}

/// [d3d9.stream.words] [d3d9.stream.old]
#[test]
fn what_is_no_shader_is_named() {
    let message = |bytes: &[u8]| D3d9Program::decode(bytes).unwrap_err().to_string();
    assert_eq!(message(&[]), "the file is empty");
    assert!(message(b"DXBC....").contains("DXBC container"));
    assert!(message(&[0x01, 0x09, 0xff, 0xfe, 0, 0, 0, 0]).contains("effect"));
    assert!(message(&[0xa0, 1, 0, 0, 0, 0xa1, 0]).contains("AGAL"));
    assert!(message(&[0, 1, 0xfe, 0xff]).starts_with("vs_1_0 is not a Direct3D 9 shader version"));
    assert!(message(&[0, 4, 0xff, 0xff]).starts_with("ps_4_0 is not a Direct3D 9 shader version"));
    assert!(message(b"// text").contains("74202F2F"));
    assert_eq!(file_kind(&[0, 2, 0xff, 0xff]), FileKind::Shader(ShaderVersion::Ps20));
    let cut = [0, 2, 0xff, 0xff, 0xff];
    assert_eq!(D3d9Program::decode(&cut), Err(DecodeError::PartialWord { length: 5 }));
}

/// [d3d9.stream.robust]
#[test]
fn lengths_that_lie_are_kept() {
    // The comment's length exceeds the stream.
    let words = [0xffff_0200, 0x0010_fffe, 1, 2];
    let program = D3d9Program::from_words(&words).unwrap();
    assert_eq!(program.items, [StreamItem::Malformed(words[1..].to_vec())]);
    assert!(!program.ended);
    // The length field is 0, so the operands become malformed dwords.
    let words = [0xffff_0200, 0x0000_0001, 0x800f_0000, 0x80e4_0001, 0xffff];
    let program = D3d9Program::from_words(&words).unwrap();
    assert_eq!(program.items.len(), 2);
    assert_eq!(program.to_words(), words);
    // The length field exceeds the operands of `mov`.
    let words = [0xffff_0200, 0x0300_0001, 0x800f_0000, 0x80e4_0001, 0x80e4_0002, 0xffff];
    let program = D3d9Program::from_words(&words).unwrap();
    let (_, mov) = program.instructions().next().unwrap();
    assert_eq!((mov.sources().len(), mov.surplus.as_slice()), (1, &[0x80e4_0002][..]));
    // The index dword of a relative source is missing.
    let words = [0xfffe_0300, 0x0200_0001, 0x800f_0000, 0xa0e4_2000, 0xffff];
    let program = D3d9Program::from_words(&words).unwrap();
    let (_, mov) = program.instructions().next().unwrap();
    assert_eq!(mov.source(0).index, None);
    assert_eq!(program.to_words(), words);
    // A dword follows the end token.
    let words = [0xffff_0200, 0xffff, 7];
    assert_eq!(D3d9Program::from_words(&words).unwrap().trailing, [7]);
}
