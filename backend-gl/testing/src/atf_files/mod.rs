//! ATF files with known texels, in every version, format, size and encoding, with different content in each face, level
//! and block (square of 16×16 texels if a level is one image).
//!
//! The files test readers, drivers and players. Files and texels are computed only from the specification.
//!
//! ```
//! use molehill_testing::atf_files::samples;
//! use atf::Atf;
//! use atf::TexelLayout;
//!
//! // Every way to hold a 16×8 texture with all its levels.
//! for sample in samples(false, (4, 3), 5) {
//!     let file = sample.bytes();
//!     let first = Atf::open(&file)?.images().next();
//!     let Some(texels) = first.transpose()?.and_then(|image| image.texels(TexelLayout::Bgra8).transpose()) else {
//!         continue;
//!     };
//!     let [b, g, r, a] = texels?[..4] else { continue };
//!     let mut pairs = [r, g, b, a].into_iter().zip(sample.expected(0, 0)[0]);
//!     assert!(pairs.all(|(is, should)| is.abs_diff(should) <= sample.tolerance()), "{}", sample.name());
//! }
//! # Ok::<(), atf::AtfError>(())
//! ```

mod file;
pub mod fuzzing;
pub mod jxr;
mod level;
pub mod pvrtc;

pub use file::{AtfSpec, dxt1, dxt5, lzma};

use atf::{AtfFormat, LevelEncoding};
use jxr::SQUARE;
use level::AtfLevel;

/// Maximum log2 of width and height [atf.header.limits].
const MAX_LOG: u8 = 12;

/// An ATF file with one encoding: the records of all other encodings of its format are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtfSample {
    file: AtfSpec,
    encoding: LevelEncoding,
}

/// Returns the encodings of a format with their number of records, in order [atf.record.counts].
///
/// The table is written independently of the ATF reader, to test the reader.
pub fn groups(format: AtfFormat, version: u8) -> Vec<(LevelEncoding, usize)> {
    use LevelEncoding::{
        Dxt1, Dxt5, Etc1, Etc1Alpha, Etc2, Etc2Alpha, JpegXr, Pvrtc, PvrtcAlpha, Undocumented,
    };
    let (mut groups, newer) = match format {
        AtfFormat::Rgb888 | AtfFormat::Rgba8888 => (vec![(JpegXr, 1)], None),
        AtfFormat::Compressed => (vec![(Dxt1, 2), (Pvrtc, 3), (Etc1, 3)], Some((Etc2, 3))),
        AtfFormat::RawCompressed => (vec![(Dxt1, 1), (Pvrtc, 1), (Etc1, 1)], Some((Etc2, 1))),
        AtfFormat::CompressedAlpha => {
            (vec![(Dxt5, 4), (PvrtcAlpha, 3), (Etc1Alpha, 3)], Some((Etc2Alpha, 6)))
        }
        AtfFormat::RawCompressedAlpha => {
            (vec![(Dxt5, 1), (PvrtcAlpha, 1), (Etc1Alpha, 1)], Some((Etc2Alpha, 1)))
        }
        AtfFormat::CompressedLossy if version == 3 => (vec![(Dxt1, 2), (Undocumented, 10)], None),
        AtfFormat::CompressedLossy => (vec![(Dxt1, 2), (Pvrtc, 3), (Etc1, 3)], None),
        AtfFormat::CompressedAlphaLossy if version == 3 => {
            (vec![(Dxt5, 4), (Undocumented, 13)], None)
        }
        AtfFormat::CompressedAlphaLossy => (vec![(Dxt5, 4), (PvrtcAlpha, 3), (Etc1Alpha, 3)], None),
    };
    groups.extend(newer.filter(|_| version == 3));
    groups
}

/// Returns all files of a size (log2 of width and height, number of levels): versions 0 to 3, each format, each
/// encoding.
pub fn samples(cube: bool, log: (u8, u8), count: u8) -> Vec<AtfSample> {
    let mut samples = Vec::new();
    for version in 0..=3 {
        for format in AtfFormat::ALL.iter().copied() {
            let file = AtfSpec { version, format, cube, log, count, flags: 0 };
            let encodings = groups(format, version).into_iter();
            samples.extend(encodings.filter_map(|(encoding, _)| AtfSample::new(file, encoding)));
        }
    }
    samples
}

impl AtfSample {
    /// Creates a file with one encoding. Returns `None` for an encoding that the format doesn't have in this version,
    /// for an encoding without a documented conversion from records to texels (ETC2 in parts, the records of lossy
    /// version 3 files except DXT), and for sizes above 4096.
    pub fn new(file: AtfSpec, encoding: LevelEncoding) -> Option<Self> {
        let mut groups = groups(file.format, file.version).into_iter();
        let (_, records) = groups.find(|(found, _)| *found == encoding)?;
        let known = match encoding {
            LevelEncoding::Etc2 | LevelEncoding::Etc2Alpha => records == 1,
            LevelEncoding::Undocumented => false,
            _ => true,
        };
        let (width, height) = file.log;
        (known && width.max(height) <= MAX_LOG).then_some(AtfSample { file, encoding })
    }

    pub fn file(&self) -> &AtfSpec {
        &self.file
    }

    pub fn encoding(&self) -> LevelEncoding {
        self.encoding
    }

    pub fn name(&self) -> String {
        let AtfSpec { version, format, cube, .. } = self.file;
        let cube = if cube { ", cube" } else { "" };
        format!("version {version}, {}{cube}, {}", format.title(), self.encoding.name())
    }

    /// Returns the maximum difference per channel. DXT end points are exact within 1; interpolated colours may differ
    /// by another 3% of the distance (Direct3D's rule for BC1 and BC3), here at most 75. Only DXT has a tolerance.
    pub fn tolerance(&self) -> u8 {
        match self.encoding {
            LevelEncoding::Dxt1 | LevelEncoding::Dxt5 => 1 + 3,
            _ => 0,
        }
    }

    fn level(&self, face: u8, level: u8) -> AtfLevel {
        let (width, height) = self.file.size(level);
        let pvrtc = matches!(self.encoding, LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha);
        let blocks = |side: u32| if pvrtc { side.max(8) } else { side }.div_ceil(4);
        AtfLevel {
            face: face.into(),
            level: level.into(),
            width,
            height,
            across: blocks(width),
            down: blocks(height),
            planes: if self.encoding == LevelEncoding::Etc1Alpha { 2 } else { 1 },
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.file.write(|face, level| self.records(face, level))
    }

    /// Returns the records of a level of a face, in the file's order of faces.
    pub fn records(&self, face: u8, level: u8) -> Vec<Vec<u8>> {
        let groups = groups(self.file.format, self.file.version).into_iter();
        let records = groups.flat_map(|(encoding, records)| {
            if encoding != self.encoding {
                return vec![Vec::new(); records];
            }
            let level = self.level(face, level);
            let found = if records == 1 { vec![self.whole(level)] } else { self.parts(level) };
            debug_assert_eq!(found.len(), records);
            found
        });
        records.collect()
    }

    fn whole(&self, level: AtfLevel) -> Vec<u8> {
        let size = (level.width, level.height);
        let colors = level.pairs(|x, y| level.word565(x, y));
        let colors: Vec<[u8; 4]> = colors.iter().map(|(a, b)| pair(*a, *b)).collect();
        let indices = level.indices::<4>(2, |x, y| level.index(x, y));
        let colors = colors.iter().zip(&indices).map(|(ends, bits)| [*ends, *bits].concat());
        match self.encoding {
            LevelEncoding::JpegXr if self.file.format == AtfFormat::Rgb888 => {
                jxr::bgr(size, |x, y| {
                    let [b, g, r, _] = level.color(x, y);
                    [b, g, r]
                })
            }
            LevelEncoding::JpegXr => jxr::bgra(size, |x, y| level.color(x, y)),
            LevelEncoding::Dxt1 => colors.flatten().collect(),
            LevelEncoding::Dxt5 => {
                let alphas = level.pairs(|x, y| level.gray(x, y)).into_iter();
                let bits = level.indices::<6>(3, |x, y| level.alpha_index(x, y));
                let alphas = alphas.zip(bits);
                let blocks = alphas.zip(colors);
                let blocks =
                    blocks.map(|(((a, b), bits), colors)| [&[a, b], &bits[..], &colors].concat());
                blocks.flatten().collect()
            }
            LevelEncoding::Etc1 | LevelEncoding::Etc2 => level.etc_blocks(0).concat(),
            LevelEncoding::Etc1Alpha => {
                [level.etc_blocks(0), level.etc_blocks(1)].concat().concat()
            }
            // With an EAC multiplier of 0, the base is every texel's alpha.
            LevelEncoding::Etc2Alpha => {
                let blocks = level.etc_blocks(0).into_iter();
                let alpha = level.gray(0, 0);
                blocks.flat_map(|block| [[alpha, 0, 0, 0, 0, 0, 0, 0], block]).flatten().collect()
            }
            LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => self.pvrtc(level).1.concat(),
            LevelEncoding::Undocumented => Vec::new(),
        }
    }

    fn parts(&self, level: AtfLevel) -> Vec<Vec<u8>> {
        let size = (level.across, level.down * 2 * level.planes);
        // `jxr` and `Level` divide an image into equal squares: a square's first pixel gives its base colour.
        let at = |square: u32| square * SQUARE;
        let colors = jxr::words565(size, |x, y| level.base565(at(x), at(y)));
        let words555 = || jxr::words555(size, |x, y| level.base555(at(x), at(y)));
        let indices = level.indices::<4>(2, |x, y| level.index(x, y)).concat();
        match self.encoding {
            LevelEncoding::Dxt1 => vec![lzma(&indices), colors],
            LevelEncoding::Dxt5 => {
                let bits = level.indices::<6>(3, |x, y| level.alpha_index(x, y)).concat();
                let alphas = jxr::gray(size, |x, y| level.base_gray(at(x), at(y)));
                vec![lzma(&bits), alphas, lzma(&indices), colors]
            }
            LevelEncoding::Etc1 | LevelEncoding::Etc1Alpha => {
                let blocks: Vec<_> =
                    (0..level.planes).flat_map(|plane| level.etc_blocks(plane)).collect();
                let top: Vec<u8> = blocks.iter().map(|block| block[3]).collect();
                let bottom: Vec<u8> = blocks.iter().flat_map(|block| block[4..].to_vec()).collect();
                vec![lzma(&top), lzma(&bottom), words555()]
            }
            LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => {
                let (top, blocks) = self.pvrtc(level);
                let bottom: Vec<u8> = blocks.iter().flat_map(|block| block[..4].to_vec()).collect();
                vec![lzma(&top), lzma(&bottom), words555()]
            }
            // `AtfSample::new` rejects formats that store the parts of blocks of any other encoding separately.
            _ => Vec::new(),
        }
    }

    /// Returns R, G, B, A of each texel of a level of a face, in the file's order of faces.
    pub fn expected(&self, face: u8, level: u8) -> Vec<[u8; 4]> {
        let level = self.level(face, level);
        let is_pvrtc = matches!(self.encoding, LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha);
        let pvrtc = is_pvrtc.then(|| {
            pvrtc::decode(&self.pvrtc(level).1, level.width as usize, level.height as usize)
        });
        let pvrtc = pvrtc.unwrap_or_default();
        let places = (0..level.height).flat_map(|y| (0..level.width).map(move |x| (x, y)));
        let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
        let texel = |(x, y): (u32, u32)| match self.encoding {
            LevelEncoding::JpegXr => {
                let [b, g, r, a] = level.color(x / SQUARE, y / SQUARE);
                let opaque = self.file.format == AtfFormat::Rgb888;
                [r, g, b, if opaque { 255 } else { a }]
            }
            LevelEncoding::Dxt1 => opaque(level.dxt(x, y, true)),
            LevelEncoding::Dxt5 => {
                let [r, g, b] = level.dxt(x, y, false);
                [r, g, b, level.dxt_alpha(x, y)]
            }
            LevelEncoding::Etc1 | LevelEncoding::Etc2 => opaque(level.etc(x, y, 0)),
            LevelEncoding::Etc1Alpha => {
                let ([r, g, b], [_, a, _]) = (level.etc(x, y, 0), level.etc(x, y, 1));
                [r, g, b, a]
            }
            LevelEncoding::Etc2Alpha => {
                let [r, g, b] = level.etc(x, y, 0);
                [r, g, b, level.gray(0, 0)]
            }
            LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => {
                let [b, g, r, a] = pvrtc[(y * level.width + x) as usize];
                [r, g, b, if self.encoding == LevelEncoding::Pvrtc { 255 } else { a }]
            }
            // `AtfSample::new` rejects the encoding `Undocumented`.
            LevelEncoding::Undocumented => [0; 4],
        };
        places.map(texel).collect()
    }

    /// Returns the blocks of PVRTC in their order, and the top byte of each.
    fn pvrtc(&self, level: AtfLevel) -> (Vec<u8>, Vec<[u8; 8]>) {
        level.pvrtc(self.encoding == LevelEncoding::PvrtcAlpha).into_iter().unzip()
    }
}

fn pair(first: u16, second: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (first.to_le_bytes(), second.to_le_bytes());
    [a, b, c, d]
}
