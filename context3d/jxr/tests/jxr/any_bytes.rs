//! Decodes arbitrary bytes as a JPEG-XR file, for tests and for the fuzz target.

use jpeg_xr::{JxrErrorKind, JxrLimits, Samples, decode};

/// Maximum width and height that are decoded, because larger images only take longer.
const MAX_SIDE: u32 = 256;

/// Maximum distance of an error's position from the end of the data, in bits: a macroblock with four channels.
const MAX_BEHIND: u64 = 4 * 256 * 64;

/// Decodes arbitrary bytes as a JPEG-XR file. The result must be an image within the limits, or an error whose position
/// is at most a macroblock past the end of the data.
pub(crate) fn any_bytes(data: &[u8]) {
    let limits = JxrLimits { width: MAX_SIDE, height: MAX_SIDE };
    match decode(data, &limits) {
        Ok(picture) => {
            let (width, height) = (picture.width, picture.height);
            assert!((1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height));
            let bytes = match &picture.samples {
                Samples::Bytes(bytes) => bytes.len(),
                Samples::Words(words) => words.len() * 2,
            };
            assert!(bytes == width as usize * height as usize * picture.format.bytes());
            let smaller = JxrLimits { width: width - 1, height };
            let refused = decode(data, &smaller).map_err(|error| error.kind);
            assert!(refused == Err(JxrErrorKind::TooLarge(width, height)));
        }
        Err(error) => assert!(error.bit <= data.len() as u64 * 8 + MAX_BEHIND, "{error}"),
    }
}
