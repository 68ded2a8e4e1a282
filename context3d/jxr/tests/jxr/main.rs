//! Compares the JPEG-XR decoder with the results of the C reference library, and tests damaged files.

mod any_bytes;
mod memory;
mod pattern;

use std::path::{Path, PathBuf};

use jpeg_xr::{JxrError, JxrErrorKind, JxrLimits, PixelFormat, decode};
use proptest::prelude::*;

use crate::any_bytes::any_bytes;
use crate::pattern::{NAMES, flat, fnv, pattern};

/// Limits that exceed every fixture's size.
const LIMITS: JxrLimits = JxrLimits { width: 256, height: 256 };

/// A fixture, as described in a line of `expected.tsv`.
struct Fixture {
    name: String,
    format: PixelFormat,
    width: u32,
    height: u32,
    lossless: bool,
    hash: u64,
    bytes: Vec<u8>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jxr/fixtures")
}

fn fixtures() -> Vec<Fixture> {
    let table = std::fs::read_to_string(folder().join("expected.tsv")).unwrap();
    let fixture = |line: &str| {
        let [name, format, width, height, lossless, hash] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        Fixture {
            name: name.to_owned(),
            format: NAMES.iter().find(|(name, _)| *name == format).unwrap().1,
            width: width.parse().unwrap(),
            height: height.parse().unwrap(),
            lossless: lossless == "lossless",
            hash: u64::from_str_radix(hash, 16).unwrap(),
            bytes: std::fs::read(folder().join(format!("{name}.jxr"))).unwrap(),
        }
    };
    let fixtures: Vec<Fixture> = table.lines().map(fixture).collect();
    assert!(fixtures.len() > 50);
    fixtures
}

/// [atf.jxr.exact] [atf.jxr.tools] [atf.jxr.container]
#[test]
fn fixtures_decode_to_the_samples_of_the_reference() {
    for fixture in fixtures() {
        let Fixture { name, format, width, height, .. } = &fixture;
        let picture = decode(&fixture.bytes, &LIMITS).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            (picture.format, picture.width, picture.height),
            (*format, *width, *height),
            "{name}"
        );
        let samples = flat(picture);
        let original = pattern(*format, *width, *height);
        assert_eq!(fixture.lossless, samples == original, "{name}");
        assert_eq!(fnv(&samples), fixture.hash, "{name}");
    }
}

#[test]
fn the_table_names_every_fixture() {
    let files = std::fs::read_dir(folder()).unwrap().flatten();
    let pictures = files.filter(|file| file.path().extension().is_some_and(|end| end == "jxr"));
    assert_eq!(pictures.count(), fixtures().len());
}

#[test]
fn pictures_beyond_the_limits_are_refused() {
    for fixture in fixtures() {
        let Fixture { name, width, height, bytes, .. } = &fixture;
        let exact = JxrLimits { width: *width, height: *height };
        assert!(decode(bytes, &exact).is_ok(), "{name}");
        for limits in
            [JxrLimits { width: width - 1, ..exact }, JxrLimits { height: height - 1, ..exact }]
        {
            let error = decode(bytes, &limits).unwrap_err();
            assert_eq!(error.kind, JxrErrorKind::TooLarge(*width, *height), "{name}");
        }
    }
}

#[test]
fn a_size_without_data_takes_no_memory() {
    let mut bytes = fixtures().remove(0).bytes;
    let start = bytes.windows(8).position(|window| window == b"WMPHOTO\0").unwrap();
    // The 16-bit width and height follow four bytes of flags.
    bytes[start + 12..start + 16].fill(0xff);
    let limits = JxrLimits { width: 65536, height: 65536 };
    let error = decode(&bytes, &limits).unwrap_err();
    assert_eq!(error.kind, JxrErrorKind::Truncated);
    let error = decode(&bytes, &LIMITS).unwrap_err();
    assert_eq!(error.kind, JxrErrorKind::TooLarge(65536, 65536));
}

#[test]
fn every_shorter_file_is_an_error() {
    for fixture in fixtures() {
        let Fixture { name, bytes, .. } = &fixture;
        let step = 1 + bytes.len() / 50;
        // The last bytes of a file may be padding.
        for length in (0..bytes.len().saturating_sub(64)).step_by(step) {
            let result = decode(&bytes[..length], &LIMITS);
            let error = result.expect_err(&format!("{name} of {length} bytes"));
            assert!(error.bit <= bytes.len() as u64 * 8 + 4096, "{name}: {error}");
        }
    }
}

/// The channels of the codestream don't match the pixel format of the file.
#[test]
fn channels_that_do_not_fit_are_named() {
    // Fixture, last byte of the format's GUID, the codestream's colour format and bit depth, and the message.
    for (name, guid, coded, what) in [
        ("lossless_rgb", 0x08, 0x01, "gray with chroma"),
        ("luma_only_rgb", 0x0a, 0x7a, "words without chroma"),
    ] {
        let fixture = fixtures().into_iter().find(|fixture| fixture.name == name);
        let mut bytes = fixture.unwrap().bytes;
        let at = |part: &[u8]| {
            let mut windows = bytes.windows(part.len());
            windows.position(|window| window == part).unwrap()
        };
        let (format, start) = (at(&[0x24, 0xc3, 0xdd, 0x6f]), at(b"WMPHOTO\0"));
        bytes[format + 15] = guid;
        bytes[start + 11] = coded;
        let kind = decode(&bytes, &LIMITS).map_err(|error| error.kind);
        assert_eq!(kind, Err(JxrErrorKind::Unsupported(what)));
    }
}

/// [atf.jxr.missing]
#[test]
fn what_the_decoder_lacks_is_named() {
    let original = fixtures().remove(0).bytes;
    let start = original.windows(8).position(|window| window == b"WMPHOTO\0").unwrap();
    let edited = |at: usize, byte: u8| {
        let mut bytes = original.clone();
        bytes[at] = byte;
        decode(&bytes, &LIMITS).map_err(|JxrError { kind, .. }| kind)
    };
    let unsupported = |what| Err(JxrErrorKind::Unsupported(what));
    assert_eq!(edited(0, b'M'), Err(JxrErrorKind::NotJpegXr));
    assert_eq!(edited(start, b'V'), Err(JxrErrorKind::NotJpegXr));
    assert_eq!(edited(start + 8, 0x10), unsupported("HD Photo codestream"));
    assert_eq!(edited(start + 8, 0x21), unsupported("codestream version"));
    // The internal colour format is in the first three bits of the plane header.
    assert_eq!(edited(start + 16, 0x80), unsupported("CMYK"));
    assert_eq!(edited(start + 16, 0xc0), unsupported("separate channels"));
    let guid = original.windows(4).position(|window| *window == [0x24, 0xc3, 0xdd, 0x6f]).unwrap();
    let Err(JxrErrorKind::PixelFormat(found)) = edited(guid + 15, 0x1c) else {
        panic!("32bppCMYK is not refused");
    };
    assert_eq!(found[15], 0x1c);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_do_no_harm(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut fixtures = fixtures();
        let mut bytes = fixtures.swap_remove(which.index(fixtures.len())).bytes;
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        any_bytes(&bytes);
    }

    #[test]
    fn damaged_headers_do_no_harm(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((0..60usize, any::<u8>()), 1..6),
    ) {
        let mut fixtures = fixtures();
        let mut bytes = fixtures.swap_remove(which.index(fixtures.len())).bytes;
        let start = bytes.windows(8).position(|window| window == b"WMPHOTO\0").unwrap();
        for (at, byte) in damage {
            if let Some(to) = bytes.get_mut(start + 8 + at) {
                *to = byte;
            }
        }
        any_bytes(&bytes);
    }

    #[test]
    fn any_coefficients_do_no_harm(
        which in any::<prop::sample::Index>(),
        tail in prop::collection::vec(any::<u8>(), 0..4096),
    ) {
        let mut fixtures = fixtures();
        let mut bytes = fixtures.swap_remove(which.index(fixtures.len())).bytes;
        let start = bytes.windows(8).position(|window| window == b"WMPHOTO\0").unwrap();
        bytes.truncate(start + 64);
        bytes.extend(tail);
        any_bytes(&bytes);
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        any_bytes(&bytes);
    }
}
