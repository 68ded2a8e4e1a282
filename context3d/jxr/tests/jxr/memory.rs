//! Memory and time limits of decoding.

use allocation_counter::measure;
use jpeg_xr::{JxrErrorKind, JxrLimits, decode};

use crate::{Fixture, fixtures};

/// Maximum bytes per pixel: three colour planes and two alpha planes with four bytes per sample, and the pixel itself.
const PIXEL: u64 = 5 * 4 + 4;

/// Bytes per macroblock column, for the two rows that the prediction needs.
const COLUMN: u64 = 2 * 4 * 96;

/// Additional memory in bytes: adaptive models, and lists of tiles and packets.
const BESIDES: u64 = 64 << 10;

/// Returns the number of pixels in the macroblocks of an image.
fn macroblocks(width: u32, height: u32) -> u64 {
    u64::from(width.div_ceil(16)) * u64::from(height.div_ceil(16)) * 256
}

/// Returns the maximum memory for an image of this size.
fn most(width: u32, height: u32) -> u64 {
    macroblocks(width, height) * PIXEL + u64::from(width.div_ceil(16)) * COLUMN + BESIDES
}

/// Returns the offset of the codestream.
fn start(bytes: &[u8]) -> usize {
    let mut windows = bytes.windows(8);
    windows.position(|window| window == b"WMPHOTO\0").unwrap()
}

/// Returns a fixture with another size in its header, and with other data.
fn resized(fixture: &Fixture, side: u16, data: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut bytes = fixture.bytes.clone();
    let start = start(&bytes);
    // The 16-bit width and height, minus one, follow four bytes of flags.
    let field = (side - 1).to_be_bytes();
    bytes[start + 12..start + 16].copy_from_slice(&[field, field].concat());
    bytes.truncate(start + 64);
    bytes.extend(data);
    bytes
}

#[test]
fn pictures_take_what_their_size_says() {
    for Fixture { name, width, height, bytes, .. } in fixtures() {
        let limits = JxrLimits { width, height };
        let info = measure(|| assert!(decode(&bytes, &limits).is_ok()));
        assert!(info.bytes_max <= most(width, height), "{name}: {info:?}");
        assert_eq!(info.bytes_current, 0, "{name}");
    }
}

/// Random data for a hundredth of the declared size: decoding ends at the end of the data.
#[test]
fn little_data_ends_early() {
    const SIDE: u16 = 1024;
    let limits = JxrLimits { width: SIDE.into(), height: SIDE.into() };
    let noise = |seed: u32| {
        (0..).scan(seed, |state: &mut u32, _: u32| {
            *state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            Some((*state >> 24).to_le_bytes()[0])
        })
    };
    let (mut damaged, mut truncated) = (0, 0);
    for (fixture, seed) in fixtures().iter().zip(1..) {
        let length = usize::from(SIDE) * usize::from(SIDE) / 100;
        for bytes in [
            resized(fixture, SIDE, std::iter::repeat_n(0, length)),
            resized(fixture, SIDE, std::iter::repeat_n(0xff, length)),
            resized(fixture, SIDE, noise(seed).take(length)),
        ] {
            let mut result = None;
            let info = measure(|| result = decode(&bytes, &limits).err());
            let name = &fixture.name;
            assert!(info.bytes_max <= most(SIDE.into(), SIDE.into()), "{name}: {info:?}");
            let error = result.unwrap_or_else(|| panic!("{name} is whole"));
            // The size of the data, plus the maximum size of a macroblock, in bits.
            let most = (bytes.len() as u64 + 4 * 256 * 8) * 8;
            assert!(error.bit <= most, "{name}: {error}");
            match error.kind {
                JxrErrorKind::Truncated => truncated += 1,
                _ => damaged += 1,
            }
        }
    }
    assert!(damaged > 20 && truncated > 20, "{damaged} and {truncated}");
}

/// Large sizes without data allocate no memory.
#[test]
fn claims_take_nothing() {
    const LARGE: JxrLimits = JxrLimits { width: 1 << 16, height: 1 << 16 };
    for fixture in fixtures() {
        let bytes = resized(&fixture, u16::MAX, std::iter::empty());
        for limits in [LARGE, JxrLimits { width: 4096, height: 4096 }] {
            let info = measure(|| assert!(decode(&bytes, &limits).is_err()));
            assert!(info.bytes_max <= BESIDES, "{}: {info:?}", fixture.name);
        }
    }
}

/// Found by fuzzing: thousands of tiles were decoded after the end of the data.
#[test]
fn tiles_without_data_end_at_once() {
    let mut bytes = fixtures().remove(0).bytes;
    let start = start(&bytes);
    // The tiling flag is the first bit after the version. The numbers of tile columns and rows follow the size.
    bytes[start + 9] |= 0x80;
    bytes.truncate(start + 16);
    bytes.extend([0xff; 3]);
    let limits = JxrLimits { width: 256, height: 256 };
    let mut result = None;
    let info = measure(|| result = decode(&bytes, &limits).err());
    let error = result.unwrap_or_else(|| panic!("it is whole"));
    assert_eq!(error.kind, JxrErrorKind::Truncated);
    assert!(error.bit <= bytes.len() as u64 * 8 + 16, "{error}");
    assert!(info.bytes_max <= 256, "{info:?}");
}
