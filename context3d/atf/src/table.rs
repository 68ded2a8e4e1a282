//! The table of ATF formats, with the records of a level in each format [atf.format.codes] [atf.record.counts].

use crate::block::BlockCodec;
use crate::layout::TexelLayout;

macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident $title:literal $layout:expr, $blocks:expr, $alpha:literal;)+) => {
        /// The encoding of a level. A file may contain several encodings of an image; players choose one by platform.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum LevelEncoding {
            $($(#[$doc])* $name),+
        }

        impl LevelEncoding {
            /// Returns a short name for display.
            pub fn name(self) -> &'static str {
                match self { $(LevelEncoding::$name => $title),+ }
            }

            /// Returns the layout in which a driver may support the encoding unchanged.
            pub fn layout(self) -> Option<TexelLayout> {
                match self { $(LevelEncoding::$name => $layout),+ }
            }

            pub(super) fn blocks(self) -> Option<BlockCodec> {
                match self { $(LevelEncoding::$name => $blocks),+ }
            }

            /// Returns whether the alpha channel is used.
            pub(super) fn has_alpha(self) -> bool {
                match self { $(LevelEncoding::$name => $alpha),+ }
            }
        }
    };
}

// Name and title; the layout in which drivers support it, the codec of its blocks, and whether its alpha is used. ETC1
// with separate alpha would require two textures; the backend has no layout for PVRTC.
encodings! {
    /// A JPEG-XR image.
    JpegXr "JPEG-XR" None, None, true;
    /// DXT1 blocks, opaque.
    Dxt1 "DXT1" Some(TexelLayout::Dxt1), Some(BlockCodec::Dxt1), false;
    /// DXT5 blocks.
    Dxt5 "DXT5" Some(TexelLayout::Dxt5), Some(BlockCodec::Dxt5), true;
    /// ETC2 blocks, opaque.
    Etc2 "ETC2" Some(TexelLayout::Etc2), Some(BlockCodec::Etc), false;
    /// ETC2 blocks with EAC alpha.
    Etc2Alpha "ETC2 with EAC alpha" Some(TexelLayout::Etc2Eac), Some(BlockCodec::EtcEac), true;
    /// ETC1 blocks, opaque.
    Etc1 "ETC1" Some(TexelLayout::Etc2), Some(BlockCodec::Etc), false;
    /// ETC1 colour blocks, followed by equally many ETC1 blocks whose green channel is the alpha.
    Etc1Alpha "ETC1 with ETC1 alpha" None, Some(BlockCodec::EtcTwice), true;
    /// PVRTC with four bits per texel, opaque.
    Pvrtc "PVRTC" None, Some(BlockCodec::Pvrtc), false;
    /// PVRTC with four bits per texel.
    PvrtcAlpha "PVRTC" None, Some(BlockCodec::Pvrtc), true;
    /// Undocumented records of the lossy formats, which no known player needs.
    Undocumented "undocumented" None, None, false;
}

impl LevelEncoding {
    /// The encodings, best first. DXT precedes other blocks, because Flash uses it on desktops and drivers support it;
    /// ETC2 has every mode of ETC1; PVRTC blurs over block borders.
    pub const BY_QUALITY: [LevelEncoding; 9] = [
        LevelEncoding::JpegXr,
        LevelEncoding::Dxt1,
        LevelEncoding::Dxt5,
        LevelEncoding::Etc2,
        LevelEncoding::Etc2Alpha,
        LevelEncoding::Etc1,
        LevelEncoding::Etc1Alpha,
        LevelEncoding::Pvrtc,
        LevelEncoding::PvrtcAlpha,
    ];
}

/// The texture format of Stage3D that accepts a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureClass {
    /// `Context3DTextureFormat.BGRA`
    Bgra,
    /// `Context3DTextureFormat.COMPRESSED`
    Compressed,
    /// `Context3DTextureFormat.COMPRESSED_ALPHA`
    CompressedAlpha,
}

/// Consecutive records of a level that have the same encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelGroup {
    /// The encoding of the records.
    pub encoding: LevelEncoding,
    /// The number of records.
    pub records: usize,
}

macro_rules! formats {
    ($($code:literal $name:ident $texture:ident $title:literal:
        [$($encoding:ident $records:literal),+], [$($newer:ident $more:literal),+];)+) => {
        /// A format code: bits 0 to 6 of a header's format byte.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AtfFormat {
            $(#[doc = concat!("Code ", $code, ": ", $title, ".")] $name),+
        }

        impl AtfFormat {
            /// All formats, by code.
            pub const ALL: &'static [AtfFormat] = &[$(AtfFormat::$name),+];

            /// Returns bits 0 to 6 of the format byte.
            pub fn code(self) -> u8 {
                match self { $(AtfFormat::$name => $code),+ }
            }

            /// Returns the name of the format for messages, such as "raw compressed".
            pub fn title(self) -> &'static str {
                match self { $(AtfFormat::$name => $title),+ }
            }

            /// Returns the texture format that accepts the file.
            pub fn texture(self) -> TextureClass {
                match self { $(AtfFormat::$name => TextureClass::$texture),+ }
            }

            /// Returns the records of one level, in order.
            pub fn groups(self, version: u8) -> &'static [LevelGroup] {
                match (self, version) {
                    $((AtfFormat::$name, ..NEWER) => {
                        &[$(LevelGroup { encoding: LevelEncoding::$encoding, records: $records }),+]
                    }
                    (AtfFormat::$name, _) => {
                        &[$(LevelGroup { encoding: LevelEncoding::$newer, records: $more }),+]
                    })+
                }
            }
        }
    };
}

/// The first ATF version with ETC2.
const NEWER: u8 = 3;

// Code, name, texture format and title; then the records per level: those of versions 0 to 2, and those of version 3.
formats! {
    0x00 Rgb888 Bgra "RGB888": [JpegXr 1], [JpegXr 1];
    0x01 Rgba8888 Bgra "RGBA8888": [JpegXr 1], [JpegXr 1];
    0x02 Compressed Compressed "compressed":
        [Dxt1 2, Pvrtc 3, Etc1 3], [Dxt1 2, Pvrtc 3, Etc1 3, Etc2 3];
    0x03 RawCompressed Compressed "raw compressed":
        [Dxt1 1, Pvrtc 1, Etc1 1], [Dxt1 1, Pvrtc 1, Etc1 1, Etc2 1];
    0x04 CompressedAlpha CompressedAlpha "compressed with alpha":
        [Dxt5 4, PvrtcAlpha 3, Etc1Alpha 3], [Dxt5 4, PvrtcAlpha 3, Etc1Alpha 3, Etc2Alpha 6];
    0x05 RawCompressedAlpha CompressedAlpha "raw compressed with alpha":
        [Dxt5 1, PvrtcAlpha 1, Etc1Alpha 1], [Dxt5 1, PvrtcAlpha 1, Etc1Alpha 1, Etc2Alpha 1];
    // No source shows how many records of the lossy formats follow the DXT records [atf.record.lossy].
    0x0c CompressedLossy Compressed "compressed, lossy":
        [Dxt1 2, Pvrtc 3, Etc1 3], [Dxt1 2, Undocumented 10];
    0x0d CompressedAlphaLossy CompressedAlpha "compressed with alpha, lossy":
        [Dxt5 4, PvrtcAlpha 3, Etc1Alpha 3], [Dxt5 4, Undocumented 13];
}

impl AtfFormat {
    pub(super) fn from_code(code: u8) -> Option<Self> {
        let formats = AtfFormat::ALL.iter();
        formats.copied().find(|format| format.code() == code)
    }
}
