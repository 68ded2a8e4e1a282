//! The headers of a codestream (T.832 8.3 to 8.5).

use super::bits::BitReader;
use super::error::{JxrError, JxrErrorKind};
use super::picture::{JxrLimits, SampleFormat};
use super::quant::{BandSet, ChannelSteps, MAX_CHANNELS, PlaneSteps, read_steps};

/// Colour format of a plane: `INTERNAL_CLR_FMT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Luma,
    Yuv420,
    Yuv422,
    Yuv444,
}

impl Colour {
    /// Returns whether chroma channels have fewer blocks than luma.
    pub(super) const fn subsampled(self) -> bool {
        matches!(self, Self::Yuv420 | Self::Yuv422)
    }

    pub(super) const fn has_chroma(self) -> bool {
        !matches!(self, Self::Luma)
    }

    pub(super) const fn channels(self) -> usize {
        if self.has_chroma() { MAX_CHANNELS } else { 1 }
    }

    /// Returns the width and height of a macroblock of a channel, in blocks of 4 by 4.
    pub(super) const fn blocks(self, channel: usize) -> (usize, usize) {
        match self {
            Self::Yuv420 if channel > 0 => (2, 2),
            Self::Yuv422 if channel > 0 => (2, 4),
            _ => (4, 4),
        }
    }
}

/// The bands in the codestream, in the order of `BANDS_PRESENT`: a larger value means fewer bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bands {
    All,
    NoFlexbits,
    NoHighpass,
    DcOnly,
}

impl Bands {
    /// Returns the number of packets per tile in frequency mode.
    const fn packets(self) -> usize {
        match self {
            Self::All => 4,
            Self::NoFlexbits => 3,
            Self::NoHighpass => 2,
            Self::DcOnly => 1,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct PlaneHeader {
    pub(super) colour: Colour,
    /// True if samples have three fractional bits.
    pub(super) scaled: bool,
    pub(super) bands: Bands,
    pub(super) steps: [PlaneSteps; 3],
}

/// The contents of all headers before the tiles.
#[derive(Clone, Debug)]
pub(super) struct JxrHeader {
    pub(super) flags: Flags,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Number of coded columns and rows left of and above the image.
    pub(super) left: usize,
    pub(super) top: usize,
    /// The first macroblock column and row of every tile, followed by the image's size in macroblocks.
    pub(super) columns: Vec<usize>,
    pub(super) rows: Vec<usize>,
    /// The header of the image's plane, and that of an interleaved alpha plane.
    pub(super) planes: Vec<PlaneHeader>,
    /// Offset of every packet in bytes, by tile row, tile column and band.
    pub(super) packets: Vec<usize>,
}

impl JxrHeader {
    pub(super) fn macroblocks(&self) -> (usize, usize) {
        let last = |edges: &[usize]| edges.last().copied().unwrap_or(0);
        (last(&self.columns), last(&self.rows))
    }

    pub(super) fn packets_per_tile(&self) -> usize {
        match self.planes.first() {
            Some(plane) if self.flags.frequency => plane.bands.packets(),
            _ => 1,
        }
    }
}

/// Reads the headers of the codestream at byte `at`. `coded` is the required sample format: the bit depth, and if
/// `colour_known` the colour format.
pub(super) fn read(
    bytes: &[u8],
    at: usize,
    coded: SampleFormat,
    colour_known: bool,
    limits: &JxrLimits,
) -> Result<JxrHeader, JxrError> {
    let mut r = BitReader::new(bytes, at);
    let Some(signature) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return Err(JxrErrorKind::Truncated.at(bytes.len() as u64 * 8));
    };
    if signature != b"WMPHOTO\0" {
        return Err(JxrErrorKind::NotJpegXr.at(at as u64 * 8));
    }
    r.bits(32);
    r.bits(32);
    let mut header = read_image(&mut r, coded, colour_known, limits)?;
    header.planes.push(read_plane(&mut r)?);
    if header.flags.alpha {
        let plane = read_plane(&mut r)?;
        if plane.colour != Colour::Luma {
            return Err(JxrErrorKind::Invalid("alpha plane with colour").at(r.position()));
        }
        header.planes.push(plane);
    }
    if let [image, alpha] = header.planes.as_slice()
        && (image.bands != alpha.bands || image.scaled != alpha.scaled)
    {
        let what = "alpha plane with other bands or arithmetic";
        return Err(JxrErrorKind::Unsupported(what).at(r.position()));
    }
    header.packets = read_index(bytes, &mut r, &header)?;
    Ok(header)
}

/// The flags at the start of `IMAGE_HEADER`.
#[derive(Clone, Debug)]
pub(super) struct Flags {
    pub(super) hard_tiles: bool,
    tiling: bool,
    /// True if each band of a tile has its own packet.
    pub(super) frequency: bool,
    indexed: bool,
    /// The number of overlap stages: 0 to 2.
    pub(super) overlap: u32,
    /// True if the size fields have half as many bits.
    short: bool,
    windowing: bool,
    /// True if each tile specifies its number of trimmed flexbits.
    pub(super) trim_flexbits: bool,
    stretching: bool,
    /// True if red is in the low bits of 16-bit pixels.
    pub(super) red_blue_swapped: bool,
    alpha: bool,
    said: SampleFormat,
}

fn read_flags(r: &mut BitReader<'_>) -> Result<Flags, JxrError> {
    let bit = r.position();
    if r.bits(4) != 1 {
        return Err(JxrErrorKind::Unsupported("codestream version").at(bit));
    }
    let hard_tiles = r.flag();
    if r.bits(3) != 1 {
        // HD Photo, the draft of JPEG-XR, has other overlap filters.
        return Err(JxrErrorKind::Unsupported("HD Photo codestream").at(bit));
    }
    let [tiling, frequency] = [r.flag(), r.flag()];
    r.bits(3); // The orientation is ignored, because the container has its own.
    let indexed = r.flag();
    let overlap = r.bits(2);
    let [short, _long_words, windowing, trim_flexbits] = [r.flag(), r.flag(), r.flag(), r.flag()];
    let [stretching, red_blue_swapped, _premultiplied, alpha] =
        [r.flag(), r.flag(), r.flag(), r.flag()];
    let said = SampleFormat { colour: r.bits(4), depth: r.bits(4) };
    if overlap == 3 {
        return Err(JxrErrorKind::Invalid("overlap mode").at(bit));
    }
    Ok(Flags {
        hard_tiles,
        tiling,
        frequency,
        indexed,
        overlap,
        short,
        windowing,
        trim_flexbits,
        stretching,
        red_blue_swapped,
        alpha,
        said,
    })
}

/// Reads the first macroblock of each tile column and row.
fn read_tiles(r: &mut BitReader<'_>, flags: &Flags) -> Result<[Vec<usize>; 2], JxrError> {
    let mut edges = [vec![0], vec![0]];
    if flags.tiling {
        let more = [r.bits(12), r.bits(12)];
        let bits = if flags.short { 8 } else { 16 };
        for (edges, more) in edges.iter_mut().zip(more) {
            let mut edge = 0;
            for _ in 0..more {
                edge += r.bits(bits) as usize;
                edges.push(edge);
                if r.overrun() {
                    return Err(JxrErrorKind::Truncated.at(r.position()));
                }
            }
        }
    }
    Ok(edges)
}

/// Reads the fields before the image plane header.
fn read_image(
    r: &mut BitReader<'_>,
    coded: SampleFormat,
    colour_known: bool,
    limits: &JxrLimits,
) -> Result<JxrHeader, JxrError> {
    let bit = r.position();
    let invalid = |what| JxrErrorKind::Invalid(what).at(bit);
    let flags = read_flags(r)?;
    if flags.said.depth != coded.depth || (colour_known && flags.said.colour != coded.colour) {
        return Err(invalid("pixel format and codestream disagree"));
    }

    let size_bits = if flags.short { 16 } else { 32 };
    let [width, height] = [r.bits(size_bits), r.bits(size_bits)].map(|n| n.saturating_add(1));
    // The sum of margins and size must not overflow on any platform.
    let most = i32::MAX.cast_unsigned();
    if width > limits.width.min(most) || height > limits.height.min(most) {
        return Err(JxrErrorKind::TooLarge(width, height).at(bit));
    }
    let [mut columns, mut rows] = read_tiles(r, &flags)?;
    if !flags.indexed && (flags.frequency || columns.len() + rows.len() > 2) {
        return Err(invalid("no index table"));
    }
    if flags.stretching {
        // Display widths of tiles are ignored. The data's length bounds the number of tiles.
        for _ in 0..columns.len() * rows.len() {
            r.bits(8);
            if r.overrun() {
                return Err(JxrErrorKind::Truncated.at(r.position()));
            }
        }
    }
    let margins = if flags.windowing {
        [r.bits(6), r.bits(6), r.bits(6), r.bits(6)]
    } else {
        [0, 0, height.wrapping_neg() & 15, width.wrapping_neg() & 15]
    };
    let [top, left, bottom, right] = margins.map(|margin| margin as usize);
    let (mut width, mut height) = (width as usize, height as usize);
    if (width + left + right) % 16 + (height + top + bottom) % 16 != 0 {
        // The coded size includes the margins.
        if width % 16 + height % 16 + left + top != 0 || width <= right || height <= bottom {
            return Err(invalid("window"));
        }
        (width, height) = (width - right, height - bottom);
    }
    for (edges, size) in [(&mut columns, width + left + right), (&mut rows, height + top + bottom)]
    {
        edges.push(size.div_ceil(16));
        if edges.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(invalid("tile sizes"));
        }
    }
    if r.overrun() {
        return Err(JxrErrorKind::Truncated.at(r.position()));
    }
    Ok(JxrHeader {
        flags,
        width,
        height,
        left,
        top,
        columns,
        rows,
        planes: Vec::with_capacity(2),
        packets: Vec::new(),
    })
}

fn read_plane(r: &mut BitReader<'_>) -> Result<PlaneHeader, JxrError> {
    let bit = r.position();
    let format = r.bits(3);
    let scaled = r.flag();
    let bands = match r.bits(4) {
        0 => Bands::All,
        1 => Bands::NoFlexbits,
        2 => Bands::NoHighpass,
        3 => Bands::DcOnly,
        4 => return Err(JxrErrorKind::Unsupported("isolated bands").at(bit)),
        _ => return Err(JxrErrorKind::Invalid("bands present").at(bit)),
    };
    let colour = match format {
        0 => Colour::Luma,
        1 => Colour::Yuv420,
        2 => Colour::Yuv422,
        3 => Colour::Yuv444,
        4 => return Err(JxrErrorKind::Unsupported("CMYK").at(bit)),
        6 => return Err(JxrErrorKind::Unsupported("separate channels").at(bit)),
        _ => return Err(JxrErrorKind::Invalid("internal colour format").at(bit)),
    };
    if colour.has_chroma() {
        // This byte is the position of chroma samples, or reserved in 4:4:4.
        r.bits(8);
    }
    let channels = colour.channels();
    let mut steps = [PlaneSteps::PerTile; 3];
    steps[0] = read_plane_steps(r, channels, BandSet::Dc, scaled);
    if bands < Bands::DcOnly {
        steps[1] = if r.flag() {
            PlaneSteps::Lowering
        } else {
            read_plane_steps(r, channels, BandSet::Lp, scaled)
        };
    }
    if bands < Bands::NoHighpass {
        steps[2] = if r.flag() {
            PlaneSteps::Lowering
        } else {
            read_plane_steps(r, channels, BandSet::Hp, scaled)
        };
    }
    // A band that inherits from a per-tile band is per-tile too.
    let mut lower: Option<ChannelSteps> = None;
    for step in &mut steps {
        *step = match (*step, lower) {
            (PlaneSteps::Lowering, Some(lower)) => PlaneSteps::Uniform(lower),
            (PlaneSteps::Lowering, None) => PlaneSteps::PerTile,
            (step, _) => step,
        };
        lower = match *step {
            PlaneSteps::Uniform(steps) => Some(steps),
            _ => None,
        };
    }
    r.align();
    if r.overrun() {
        return Err(JxrErrorKind::Truncated.at(r.position()));
    }
    Ok(PlaneHeader { colour, scaled, bands, steps })
}

/// Reads a band's quantiser steps if they are the same in all tiles.
fn read_plane_steps(
    r: &mut BitReader<'_>,
    channels: usize,
    band: BandSet,
    scaled: bool,
) -> PlaneSteps {
    if r.flag() {
        PlaneSteps::Uniform(read_steps(r, channels, band, scaled))
    } else {
        PlaneSteps::PerTile
    }
}

fn read_index(
    bytes: &[u8],
    r: &mut BitReader<'_>,
    header: &JxrHeader,
) -> Result<Vec<usize>, JxrError> {
    let bit = r.position();
    let tiles = (header.columns.len() - 1) * (header.rows.len() - 1);
    let count = tiles * header.packets_per_tile();
    let mut offsets = Vec::new();
    if header.flags.indexed {
        if r.bits(16) != 1 {
            return Err(JxrErrorKind::Invalid("index table").at(bit));
        }
        for _ in 0..count {
            // An escape means a packet without content. Encoders write the escape instead of an offset of 0; the
            // packet's header shows whether the packet exists.
            offsets.push(read_length(r)?.unwrap_or(0));
            if r.overrun() {
                return Err(JxrErrorKind::Truncated.at(r.position()));
            }
        }
    } else {
        offsets.push(0);
    }
    // Profile and level information precedes the first packet.
    let skipped = read_length(r)?.unwrap_or(0);
    let base = usize::try_from(r.position() / 8).unwrap_or(usize::MAX).saturating_add(skipped);
    offsets
        .into_iter()
        .map(|offset| {
            let start = base.saturating_add(offset);
            if start < bytes.len() {
                Ok(start)
            } else {
                Err(JxrErrorKind::Truncated.at(bytes.len() as u64 * 8))
            }
        })
        .collect()
}

/// Reads a length in the format `VLW_ESC`. Returns `None` for the escape codes 0xfd to 0xff, which stand for no length.
fn read_length(r: &mut BitReader<'_>) -> Result<Option<usize>, JxrError> {
    let bit = r.position();
    let first = r.bits(8);
    let length = match first {
        0..0xfb => first << 8 | r.bits(8),
        0xfb => r.bits(32),
        0xfc => {
            if r.bits(32) != 0 {
                return Err(JxrErrorKind::Truncated.at(bit));
            }
            r.bits(32)
        }
        _ => return Ok(None),
    };
    Ok(Some(usize::try_from(length).unwrap_or(usize::MAX)))
}
