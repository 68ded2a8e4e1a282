//! The files of the corpus: random images that the C encoder encodes with random settings.
//!
//! The corpus omits features that the C library itself doesn't support:
//!
//! - Trimmed flexbits with interleaved alpha: the decoder can't read the encoder's files.
//! - Lossless subsampled chroma in scaled arithmetic with interleaved alpha: the encoder doesn't scale alpha, and the
//!   decoder aborts.
//! - Two levels of overlap with subsampled chroma, if the image or a hard tile is one macroblock wide: the encoder
//!   rejects it.
//! - 16-bit pixels (5-6-5 and 5-5-5) without chroma: the decoder returns uninitialised memory.
//! - Overlap with hard tiles, if a tile row starts at or below a y equal to the image's width: the library swaps rows
//!   and columns, and the decoder filters past the end of its buffers. (A lossless image then differs from the
//!   original; our decoder's output doesn't.)
//! - Areas of images with tiles or without overlap, and areas one macroblock wide: the transcoder crashes or writes
//!   damaged files.

use std::fmt;

use jpeg_xr::PixelFormat;

use crate::picture::Content;
use crate::random::Random;
use crate::reference::{self, EncoderSettings, MAX_TILES};

/// The formats, in the order of `formats` in `reference.c`.
pub(crate) const FORMATS: [PixelFormat; 6] = [
    PixelFormat::Gray8,
    PixelFormat::Bgr555,
    PixelFormat::Bgr565,
    PixelFormat::Bgr24,
    PixelFormat::Rgb24,
    PixelFormat::Bgra32,
];

/// Bits of [`EncoderSettings::mode`]: separate quantisers by tile for DC, LP and HP; own quantisers of LP and HP.
const TILE_DC: u32 = 1;
const TILE_LP: u32 = 2;
const TILE_HP: u32 = 4;
pub(crate) const OWN_LP: u32 = 0x200;
pub(crate) const OWN_HP: u32 = 0x400;

/// A feature of cases: its name, and whether a case has it.
type Feature = (&'static str, fn(&Case) -> bool);

/// All features that the corpus must contain.
pub(crate) const FEATURES: [Feature; 35] = [
    ("8bppGray", |case| case.format() == PixelFormat::Gray8),
    ("16bppBGR555", |case| case.format() == PixelFormat::Bgr555),
    ("16bppBGR565", |case| case.format() == PixelFormat::Bgr565),
    ("24bppBGR", |case| case.format() == PixelFormat::Bgr24),
    ("24bppRGB", |case| case.format() == PixelFormat::Rgb24),
    ("32bppBGRA", |case| case.format() == PixelFormat::Bgra32),
    ("luma alone of colours", |case| case.settings.colour == 0 && case.settings.format != 0),
    ("4:2:0", |case| case.settings.colour == 1),
    ("4:2:2", |case| case.settings.colour == 2),
    ("4:4:4", |case| case.settings.colour == 3),
    ("no overlap", |case| case.settings.overlap == 0),
    ("overlap of one level", |case| case.settings.overlap == 1),
    ("overlap of two levels", |case| case.settings.overlap == 2),
    ("spatial order", |case| case.settings.frequency == 0),
    ("frequency order", |case| case.settings.frequency != 0),
    ("no flexbits", |case| case.settings.bands == 1),
    ("no HP", |case| case.settings.bands == 2),
    ("DC alone", |case| case.settings.bands == 3),
    ("trimmed flexbits", |case| case.settings.trim > 0),
    ("planar alpha", |case| case.settings.alpha == 2),
    ("interleaved alpha", |case| case.settings.alpha == 3),
    ("soft tiles", |case| case.tiled() && case.settings.hard_tiles == 0),
    ("hard tiles", |case| case.tiled() && case.settings.hard_tiles != 0),
    ("one step", |case| case.settings.steps == [case.settings.steps[0]; 10]),
    ("steps by band and channel", |case| case.settings.steps != [case.settings.steps[0]; 10]),
    ("without loss", Case::lossless),
    ("DC steps by tile", |case| case.mode(TILE_DC)),
    ("LP steps by macroblock", |case| case.mode(TILE_LP)),
    ("HP steps by macroblock", |case| case.mode(TILE_HP)),
    ("LP takes over DC's steps", |case| case.follows(OWN_LP)),
    ("HP takes over LP's steps", |case| case.follows(OWN_HP)),
    ("a window", |case| case.cut.is_some()),
    ("more than 255 macroblocks long", Case::long),
    ("whole macroblocks", |case| !case.odd()),
    ("parts of macroblocks", Case::odd),
];

/// A file of the corpus before it is encoded.
pub(crate) struct Case {
    pub(crate) settings: EncoderSettings,
    pub(crate) content: Content,
    /// The area cut out of the encoded image (left, top, width, height); true for packets in frequency order.
    pub(crate) cut: Option<([u32; 4], bool)>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, cut {:?}, {:?}", self.content, self.cut, self.settings)
    }
}

fn side(random: &mut Random) -> u32 {
    match random.below(10) {
        0..2 => random.within(1, 17),
        2..6 => random.within(1, 90),
        6..9 => random.within(1, 6) * 16,
        _ => random.within(90, 300),
    }
}

/// Divides `total` macroblocks among 1 to 5 tiles. Returns the number of tiles and their sizes.
fn tiles(total: u32, random: &mut Random) -> (u32, [u32; MAX_TILES]) {
    let count = random.within(1, total.min(5));
    let mut sizes = [0; MAX_TILES];
    let mut left = total;
    for (at, size) in sizes.iter_mut().enumerate().take(count as usize) {
        let after = count - 1 - u32::try_from(at).unwrap_or(0);
        *size = if after == 0 { left } else { random.within(1, left - after) };
        left -= *size;
    }
    (count, sizes)
}

impl Case {
    pub(crate) fn new(random: &mut Random) -> Self {
        let format = random.below(6);
        let pixels = FORMATS[format as usize];
        let (mut width, mut height) = (side(random), side(random));
        if random.once_in(100) {
            // Sizes that require the long form of the header.
            let sides = [(random.within(4081, 4200), height), (width, random.within(4081, 4200))];
            (width, height) = random.pick(&sides);
        }
        let (across, down) = (width.div_ceil(16), height.div_ceil(16));
        let colour = match pixels {
            PixelFormat::Gray8 => 0,
            PixelFormat::Bgr555 | PixelFormat::Bgr565 => random.pick(&[1, 2, 3, 3]),
            _ => random.pick(&[0, 1, 2, 3, 3, 3]),
        };
        let subsampled = colour == 1 || colour == 2;
        let alpha = if pixels.has_alpha() { random.pick(&[0, 2, 2, 2, 3, 3, 3]) } else { 0 };
        let (mut columns, mut rows) = ((1, [0; MAX_TILES]), (1, [0; MAX_TILES]));
        if random.once_in(2) {
            (columns, rows) = (tiles(across, random), tiles(down, random));
        }
        let mut settings = EncoderSettings {
            width,
            height,
            format,
            colour,
            overlap: random.below(3),
            frequency: random.below(2),
            progressive: random.below(2),
            bands: random.pick(&[0, 0, 0, 0, 0, 1, 2, 3]),
            alpha,
            trim: if alpha != 3 && random.once_in(4) { random.within(1, 15) } else { 0 },
            hard_tiles: random.below(2),
            unscaled: u32::from(random.once_in(4)),
            steps: steps(random),
            columns: columns.0,
            rows: rows.0,
            column_widths: columns.1,
            row_heights: rows.1,
            seed: random.within(1, 1 << 30),
            ..EncoderSettings::default()
        };
        if subsampled && across < 2 {
            settings.overlap = settings.overlap.min(1);
        }
        if hard_tiles_are_wrong(&settings) {
            settings.hard_tiles = 0;
        }
        if random.once_in(3) {
            requantise(&mut settings, random);
        } else if alpha == 3 && subsampled && settings.steps[0] == 1 {
            settings.unscaled = 1;
        }
        let cut = random.once_in(4).then(|| cut(&settings, random)).flatten();
        let content = random.pick(&Content::ALL);
        Self { settings, content, cut }
    }

    /// Creates the pixels and encodes them. Returns both.
    pub(crate) fn encode(&self, random: &mut Random) -> Result<(Vec<u8>, Vec<u8>), i64> {
        let EncoderSettings { width, height, format, alpha, .. } = self.settings;
        let format = FORMATS[format as usize];
        let pixels = self.content.paint(format, width, height, random);
        let mut file = reference::encode(&self.settings, &pixels)?;
        if let Some((part, frequency)) = self.cut {
            file = reference::cut(&file, part, frequency, alpha)?;
        }
        Ok((pixels, file))
    }

    fn format(&self) -> PixelFormat {
        FORMATS[self.settings.format as usize]
    }

    fn tiled(&self) -> bool {
        self.settings.columns * self.settings.rows > 1
    }

    fn mode(&self, bit: u32) -> bool {
        self.settings.requantise != 0 && self.settings.mode & bit != 0
    }

    fn follows(&self, own: u32) -> bool {
        self.settings.requantise != 0 && self.settings.mode & own == 0
    }

    fn long(&self) -> bool {
        self.settings.width.max(self.settings.height) > 255 * 16
    }

    fn odd(&self) -> bool {
        self.settings.width % 16 + self.settings.height % 16 != 0
    }

    /// Returns whether encoding must be lossless.
    pub(crate) fn lossless(&self) -> bool {
        let EncoderSettings { colour, format, alpha, bands, trim, steps, requantise, .. } =
            self.settings;
        let colours = if format == 0 { colour == 0 } else { colour == 3 };
        let pixels = FORMATS[format as usize];
        let channels = colours && (alpha != 0 || !pixels.has_alpha());
        let all = bands == 0 && trim == 0 && requantise == 0 && self.cut.is_none();
        channels && all && steps == [1; 10]
    }
}

/// Returns whether the library fails because it swaps the rows and columns of hard tiles.
fn hard_tiles_are_wrong(settings: &EncoderSettings) -> bool {
    let across = settings.width.div_ceil(16);
    let mut before = 0;
    let mut starts = Vec::new();
    for height in &settings.row_heights[..settings.rows as usize] {
        starts.push(before);
        before += height;
    }
    let subsampled = settings.colour == 1 || settings.colour == 2;
    let narrow = starts.windows(2).any(|pair| pair[1] - pair[0] < 2)
        || starts.last().is_some_and(|last| across < last + 2);
    let beyond = starts.contains(&across);
    settings.overlap > 0 && beyond || settings.overlap == 2 && subsampled && narrow
}

/// Chooses an area of the image, and the order of its packets.
fn cut(settings: &EncoderSettings, random: &mut Random) -> Option<([u32; 4], bool)> {
    let (left, top) = (random.below(settings.width), random.below(settings.height));
    let width = random.within(1, settings.width - left);
    let height = random.within(1, settings.height - top);
    let columns = (left + width).div_ceil(16) - left / 16;
    let possible = columns > 1 && settings.overlap > 0 && settings.columns * settings.rows == 1;
    possible.then(|| ([left, top, width, height], random.once_in(2)))
}

/// Chooses quantiser indices: lossless, all equal, or random.
fn steps(random: &mut Random) -> [u32; 10] {
    match random.below(4) {
        0 => [1; 10],
        1 => [random.within(2, 255); 10],
        2 => [0; 10].map(|_| random.within(1, 80)),
        _ => [0; 10].map(|_| random.within(1, 255)),
    }
}

/// Chooses quantisers by tile and macroblock, separate or shared by channels, or inherited from a lower band.
fn requantise(settings: &mut EncoderSettings, random: &mut Random) {
    let mut mode = random.below(8) | OWN_LP | OWN_HP;
    for band in 0..3 {
        mode |= random.below(3) << (3 + 2 * band);
    }
    // A band that inherits quantisers from a lower band is per-tile if the lower band is. At most one band inherits
    // quantisers: LP from DC, or HP from LP.
    let follow = |mode: u32, own: u32, lower: u32, tile: u32| {
        let is = u32::from(mode & lower != 0) * tile;
        mode & !own & !tile | is
    };
    match random.below(6) {
        0 => mode = follow(mode, OWN_LP, TILE_DC, TILE_LP),
        1 => mode = follow(mode, OWN_HP, TILE_LP, TILE_HP),
        _ => {}
    }
    settings.requantise = 1;
    settings.mode = mode;
    settings.scaled = random.below(2);
}
