//! Damaged files lead to errors, never to a panic. (`memory.rs` measures the memory.)

use std::path::PathBuf;
use std::sync::LazyLock;

use atf::{Atf, AtfFormat};
use molehill_testing::atf_files::fuzzing;
use proptest::prelude::*;
use proptest::sample::Index;

use molehill_testing::atf_files::{AtfSample, AtfSpec, dxt1, groups, lzma, samples};

/// If this variable names a folder, valid files are written there, as seeds of the fuzzer.
const SEEDS: &str = "MOLEHILL_SEEDS";

/// Small files of every version, format, size and encoding.
fn good() -> Vec<AtfSample> {
    let shapes = [(false, (4, 3)), (true, (3, 3)), (false, (6, 6))];
    let files = shapes.map(|(cube, log)| samples(cube, log, 2));
    files.concat()
}

#[test]
fn good_files_hold() {
    let seeds = std::env::var_os(SEEDS).map(PathBuf::from);
    if let Some(folder) = &seeds {
        std::fs::create_dir_all(folder).unwrap();
    }
    for (number, sample) in good().iter().enumerate() {
        let bytes = sample.bytes();
        fuzzing::atf(&bytes);
        if let Some(folder) = &seeds {
            std::fs::write(folder.join(format!("{number}.atf")), bytes).unwrap();
        }
    }
}

/// Creates a file whose records are only partly valid.
fn wrong(version: u8, format: AtfFormat, cube: bool) -> Vec<u8> {
    let file = AtfSpec { version, format, cube, log: (3, 3), count: 4, flags: 0 };
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

/// The bytes of valid files.
static GOOD: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| good().iter().map(AtfSample::bytes).collect());

/// Changes some bytes of a file, and truncates it.
fn damage(bytes: &mut Vec<u8>, changes: &[(Index, u8)], cut: Option<Index>) {
    for (place, value) in changes {
        let place = place.index(bytes.len());
        bytes[place] = *value;
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

fn changes() -> impl Strategy<Value = Vec<(Index, u8)>> {
    prop::collection::vec((any::<Index>(), any::<u8>()), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzing::atf(&bytes);
        let mut file = b"ATF".to_vec();
        file.extend(&bytes);
        fuzzing::atf(&file);
    }

    #[test]
    fn damaged_good_files(
        which in any::<Index>(),
        changes in changes(),
        cut in prop::option::weighted(0.2, any::<Index>()),
    ) {
        let mut bytes = which.get(&GOOD).clone();
        damage(&mut bytes, &changes, cut);
        fuzzing::atf(&bytes);
    }

    #[test]
    fn files_with_wrong_records(
        version in 0u8..=3,
        format in prop::sample::select(AtfFormat::ALL),
        cube in any::<bool>(),
        changes in changes(),
        cut in prop::option::of(any::<Index>()),
    ) {
        let mut bytes = wrong(version, format, cube);
        damage(&mut bytes, &changes, cut);
        fuzzing::atf(&bytes);
    }

    #[test]
    fn lzma_records(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        fuzzing::lzma_record(&bytes);
    }
}

/// Every proper prefix of a file leads to an error.
#[test]
fn every_prefix() {
    let file = AtfSpec::raw((3, 3), 4);
    let whole =
        file.write(|_, level| vec![dxt1(0xabcd).repeat(file.blocks(level)), vec![], vec![]]);
    for length in 0..whole.len() {
        let Ok(atf) = Atf::open(&whole[..length]) else {
            continue;
        };
        assert!(atf.check_length().is_err());
        let images: Vec<_> = atf.images().collect();
        assert!(images.last().is_some_and(Result::is_err), "{length}");
        // Levels before the damage are readable.
        assert!(images.iter().rev().skip(1).all(Result::is_ok), "{length}");
    }
}
