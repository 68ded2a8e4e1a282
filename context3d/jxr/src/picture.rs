//! The input limits and the output of the decoder.

/// The maximum size of images that are decoded.
///
/// Memory is allocated after this check: at most 4 bytes per sample of the image, rounded up to multiples of 16 pixels;
/// the image itself; and one more plane if chroma is subsampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JxrLimits {
    /// Maximum width in pixels.
    pub width: u32,
    /// Maximum height in pixels.
    pub height: u32,
}

/// The layout of [`DecodedImage::samples`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    /// Format 24bppRGB: bytes R, G, B.
    Rgb24,
    /// Format 24bppBGR: bytes B, G, R.
    Bgr24,
    /// Format 32bppBGRA: bytes B, G, R, A; colours aren't premultiplied.
    Bgra32,
    /// 16bppBGR565: a 16-bit value with 5, 6 and 5 bits, as given to the encoder. The file doesn't specify whether red
    /// or blue is in the low bits.
    Bgr565,
    /// 16bppBGR555: like [`Self::Bgr565`], but with 5, 5 and 5 bits and a clear top bit.
    Bgr555,
    /// 8bppGray: one byte.
    Gray8,
}

/// The codestream's description of its samples: `OUTPUT_CLR_FMT` and `OUTPUT_BITDEPTH` (T.832 8.3.23, 8.3.24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleFormat {
    /// The colour format: 0 for gray, 7 for RGB.
    pub(super) colour: u32,
    /// The bit depth: 1 for 8 bits, 8 for 555, 10 for 565.
    pub(super) depth: u32,
}

/// The formats: last byte of the GUID (T.832 Table A.6), values in the codestream, bytes per pixel.
macro_rules! formats {
    ($($format:ident $guid:literal $colour:literal $depth:literal $bytes:literal,)*) => {
        impl PixelFormat {
            /// Every format, in the order of their GUIDs.
            pub const ALL: &'static [Self] = &[$(Self::$format),*];

            pub(super) fn from_guid(guid: &[u8; 16]) -> Option<Self> {
                let [base @ .., last] = guid;
                match last {
                    $($guid if *base == GUID => Some(Self::$format),)*
                    _ => None,
                }
            }

            /// Returns the colour format and the bit depth that the codestream must declare for this pixel format.
            pub(super) const fn coded(self) -> SampleFormat {
                match self {
                    $(Self::$format => SampleFormat { colour: $colour, depth: $depth },)*
                }
            }

            /// Returns the number of bytes per pixel.
            #[must_use]
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$format => $bytes,)*
                }
            }
        }
    };
}

/// The common first 15 bytes of the GUIDs.
const GUID: [u8; 15] =
    [0x24, 0xc3, 0xdd, 0x6f, 0x03, 0x4e, 0xfe, 0x4b, 0xb1, 0x85, 0x3d, 0x77, 0x76, 0x8d, 0xc9];

formats! {
    Gray8  0x08 0 1 1,
    Bgr555 0x09 7 8 2,
    Bgr565 0x0a 7 10 2,
    Bgr24  0x0c 7 1 3,
    Rgb24  0x0d 7 1 3,
    Bgra32 0x0f 7 1 4,
}

impl PixelFormat {
    /// Returns whether pixels have an alpha sample.
    #[must_use]
    pub const fn has_alpha(self) -> bool {
        matches!(self, Self::Bgra32)
    }
}

/// The samples of an image, in rows from the top, without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Samples {
    /// The pixels of formats with 8 bits per channel, as bytes.
    Bytes(Vec<u8>),
    /// The 16-bit values of [`PixelFormat::Bgr565`] and [`PixelFormat::Bgr555`].
    Words(Vec<u16>),
}

/// The decoded image with its size and pixel format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedImage {
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// The format of the samples.
    pub format: PixelFormat,
    /// The `width * height` pixels.
    pub samples: Samples,
}
