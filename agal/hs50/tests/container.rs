//! Tests containers and their checksum.

use hs50::checksum;
use hs50::container::{Checksum, ContainerError, DxbcContainer, Tag};

fn container() -> DxbcContainer {
    DxbcContainer::from_chunks([(Tag::SHEX, &[1, 2, 3, 4][..]), (Tag(*b"PRIV"), &[])])
}

/// [hs50.container.header] [hs50.container.order]
#[test]
fn what_is_built_is_read() {
    let built = container();
    let read = DxbcContainer::read(built.bytes().to_vec(), Checksum::Verify);
    assert_eq!(read.as_ref(), Ok(&built));
    assert_eq!(built.chunks().len(), 2);
    assert_eq!(built.program().map(|chunk| chunk.data), Ok(&[1, 2, 3, 4][..]));
}

#[test]
fn what_the_header_states_is_compared() {
    let changed = |offset: usize, word: u32, sum| {
        let mut bytes = container().bytes().to_vec();
        bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
        DxbcContainer::read(bytes, sum).unwrap_err().to_string()
    };
    let ignored = |offset, word| changed(offset, word, Checksum::Ignore);
    assert_eq!(ignored(0, 0), "not a shader container: it does not begin with DXBC");
    assert_eq!(ignored(20, 2), "container version 2 is not supported: only 1 is");
    assert_eq!(ignored(24, 64), "the header says 64 bytes, but there are 60");
    assert_eq!(ignored(28, 8), "the container needs 64 bytes, but has 60");
    for offset in [0, 41, 56, 60, u32::MAX] {
        let expected = format!(
            "chunk 1 at byte {offset} is not inside the container or not aligned to 4 bytes"
        );
        assert_eq!(ignored(36, offset), expected);
    }
    let message = changed(4, 0, Checksum::Verify);
    assert!(message.starts_with("the checksum is 00000000"), "{message}");
    let short = DxbcContainer::read(b"DXBC".to_vec(), Checksum::Ignore);
    assert_eq!(short, Err(ContainerError::Short { found: 4, needed: 32 }));
}

/// [hs50.container.program]
#[test]
fn there_is_one_program() {
    let none = DxbcContainer::from_chunks([]);
    assert_eq!(none.program(), Err(ContainerError::Missing("SHEX")));
    let two = DxbcContainer::from_chunks([(Tag::SHEX, &[][..]), (Tag::SHDR, &[])]);
    assert_eq!(two.program(), Err(ContainerError::DuplicateChunk(Tag::SHDR)));
}

/// The checksum excludes the first 20 bytes: magic and checksum. [hs50.checksum.sum]
#[test]
fn every_byte_and_the_length_count() {
    let bytes: Vec<u8> = (0..200).collect();
    for length in 20..bytes.len() {
        let whole = &bytes[..length];
        assert_ne!(checksum(whole), checksum(&bytes[..=length]));
        for offset in 20..length {
            let mut changed = whole.to_vec();
            changed[offset] ^= 1;
            assert_ne!(checksum(whole), checksum(&changed), "{offset} of {length}");
        }
    }
}
