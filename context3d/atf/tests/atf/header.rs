//! Tests of ATF headers.

use atf::{Atf, AtfError, AtfFormat, AtfHeader};
use molehill_testing::atf_files::AtfSpec;

const OLD: [u8; 10] = [b'A', b'T', b'F', 0, 0, 4, 0x82, 3, 3, 4];

/// Reads headers with and without a version. [atf.header.old] [atf.header.new] [atf.header.limits] [atf.format.byte]
#[test]
fn old_and_new_headers() {
    let header = AtfHeader::read(&OLD).unwrap();
    assert_eq!((header.version, header.format, header.cube), (0, AtfFormat::Compressed, true));
    assert_eq!((header.width, header.height, header.count), (8, 8, 4));
    assert_eq!((header.flags, header.length), (0, 10));
    let new = [b'A', b'T', b'F', 0, 0, 0, 0xff, 3, 0, 0, 0, 4, 0x05, 4, 2, 1];
    let header = AtfHeader::read(&new).unwrap();
    assert_eq!((header.version, header.swf_version()), (3, 29));
    assert_eq!((header.width, header.height, header.cube), (16, 4, false));
    assert_eq!(header.length, 16);
    for length in 0..16u64 {
        let short = AtfHeader::read(&new[..usize::try_from(length).unwrap()]);
        assert!(
            matches!(short, Err(AtfError::Truncated { needed, have }) if have == length && needed > have),
            "{length}: {short:?}"
        );
    }
    for version in [0, 4, 0xff] {
        let mut unknown = new;
        unknown[7] = version;
        assert_eq!(AtfHeader::read(&unknown), Err(AtfError::Version(version)));
    }
    for (field, beyond) in [(6, 0x06), (7, 13), (8, 13), (9, 14), (9, 0)] {
        let mut wrong = OLD;
        wrong[field] = beyond;
        let error = AtfHeader::read(&wrong).unwrap_err();
        assert!(
            matches!(error, AtfError::Format(6) | AtfError::Header { .. }),
            "byte {field}: {error}"
        );
    }
    assert_eq!(AtfHeader::read(b"PNG0123456"), Err(AtfError::NotAtf));
}

/// [atf.header.flags]
#[test]
fn flags_leave_levels() {
    let mut new = [b'A', b'T', b'F', 0, 0, 0, 0xff, 2, 0, 0, 0, 4, 0x03, 3, 3, 4];
    for (flags, levels) in [(0, 4), (1, 1), (3, 1), (2, 1), (4, 2), (6, 3), (0x7e, 4)] {
        new[5] = flags;
        let header = AtfHeader::read(&new).unwrap();
        assert_eq!((header.count, header.levels()), (4, levels), "{flags}");
    }
}

/// Checks the number of records per level, by format and version. [atf.record.counts] [atf.record.counts_3]
/// [atf.record.lossy] [atf.format.unknown]
#[test]
fn records_by_version() {
    for (code, older, newer) in [
        (0x00, 1, 1),
        (0x01, 1, 1),
        (0x02, 8, 11),
        (0x03, 3, 4),
        (0x04, 10, 16),
        (0x05, 3, 4),
        (0x0c, 8, 12),
        (0x0d, 10, 17),
    ] {
        let format = AtfFormat::ALL.iter().copied().find(|format| format.code() == code).unwrap();
        for version in 0..=3 {
            let expected = if version < 3 { older } else { newer };
            let bytes = AtfSpec { version, format, ..AtfSpec::raw((2, 2), 1) }
                .write(|_, _| vec![Vec::new(); expected]);
            let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
            assert_eq!(image.records().len(), expected, "{code:#x} in version {version}");
        }
    }
    for code in (0x06..=0x0b).chain(0x0e..=0x7f) {
        let mut unknown = OLD;
        unknown[6] = code;
        assert_eq!(AtfHeader::read(&unknown), Err(AtfError::Format(code)));
    }
}
