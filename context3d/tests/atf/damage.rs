//! Damaged files: errors, never a panic, and no more memory than a level's size.

use context3d::atf::{Atf, AtfFormat};
use context3d::packets::TexelLayout;
use proptest::prelude::*;

use crate::sample::groups;
use crate::writer::{File, dxt1, lzma};

/// What must hold for any bytes.
fn read_all(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(atf) = Atf::open(bytes) else {
        return Ok(());
    };
    let header = atf.header();
    prop_assert!(header.width <= 4096 && header.height <= 4096 && header.count <= 13);
    let mut images = 0;
    for image in atf.images() {
        images += 1;
        let Ok(image) = image else { break };
        prop_assert!(image.side < header.faces() && image.level < header.levels());
        for layout in [TexelLayout::Bgra8, TexelLayout::Dxt1, TexelLayout::Dxt5] {
            if let Ok(Some(texels)) = image.texels(layout) {
                prop_assert_eq!(texels.len(), layout.bytes(image.width, image.height));
            }
        }
    }
    prop_assert!(images <= 78);
    Ok(())
}

/// A file of any shape with records that are right in part.
fn sample(version: u8, format: AtfFormat, cube: bool) -> Vec<u8> {
    let file = File {
        version,
        format,
        cube,
        log: (3, 3),
        count: 4,
        flags: 0,
    };
    let groups = groups(format, version);
    let count = groups.iter().map(|(_, records)| records).sum();
    file.write(|_, level| {
        let blocks = file.blocks(level);
        let record = match format {
            AtfFormat::Rgb888 | AtfFormat::Rgba8888 => b"II\xbc\x01\x08\0\0\0\0\0".to_vec(),
            AtfFormat::RawCompressed | AtfFormat::RawCompressedAlpha => {
                dxt1(0x1357).repeat(blocks * 2)
            }
            _ => lzma(&vec![0x5a; blocks * 4]),
        };
        vec![record; count]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes)?;
        let mut file = b"ATF".to_vec();
        file.extend(&bytes);
        read_all(&file)?;
    }

    #[test]
    fn changed_files(
        version in 0u8..=3,
        format in prop::sample::select(AtfFormat::ALL),
        cube in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = sample(version, format, cube);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if cut {
            bytes.truncate(length.index(bytes.len()));
        }
        read_all(&bytes)?;
    }
}

/// Every prefix of a file fails cleanly, and none but the whole is whole.
#[test]
fn every_prefix() {
    let file = File::raw((3, 3), 4);
    let whole =
        file.write(|_, level| vec![dxt1(0xabcd).repeat(file.blocks(level)), vec![], vec![]]);
    for length in 0..whole.len() {
        let Ok(atf) = Atf::open(&whole[..length]) else {
            continue;
        };
        assert!(atf.check_length().is_err());
        let images: Vec<_> = atf.images().collect();
        assert!(images.last().is_some_and(Result::is_err), "{length}");
        // What comes before the damage is there.
        assert!(images.iter().rev().skip(1).all(Result::is_ok), "{length}");
    }
}

/// A small file that says it is large takes no memory: its records are not as long as the level needs.
#[test]
fn bombs_are_refused_by_size() {
    for format in [
        AtfFormat::RawCompressed,
        AtfFormat::Compressed,
        AtfFormat::Rgba8888,
    ] {
        let file = File {
            version: 2,
            format,
            log: (12, 12),
            ..File::raw((12, 12), 1)
        };
        let records = match format {
            AtfFormat::RawCompressed => 3,
            AtfFormat::Compressed => 8,
            _ => 1,
        };
        // LZMA of 16 MiB of zeros, four times what the level has.
        let record = match format {
            AtfFormat::Compressed => lzma(&vec![0; 1 << 24]),
            _ => vec![0; 100],
        };
        let bytes = file.write(|_, _| {
            let mut list = vec![Vec::new(); records];
            list[0].clone_from(&record);
            list
        });
        let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
        assert!(image.texels(TexelLayout::Bgra8).is_err(), "{format:?}");
    }
}
