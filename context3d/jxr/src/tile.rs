//! Decodes the tiles of a codestream to planes of samples.

use super::bits::BitReader;
use super::coefficients::{
    HpReaders, ImpossibleSymbol, Macroblock, read_macroblock_dc, read_macroblock_hp,
    read_macroblock_lp,
};
use super::error::{JxrError, JxrErrorKind};
use super::header::{Bands, Colour, JxrHeader, PlaneHeader};
use super::model::{Models, TRANSFORM_ORDER};
use super::pattern::{predict_pattern, read_pattern};
use super::plane::{JxrPlane, OverlapGrid};
use super::predict::{NeighbourRows, predict_high};
use super::quant::{BandSet, ChannelSteps, MAX_CHANNELS, PlaneSteps, TileSteps, read_steps};
use super::transform::{inverse, inverse_chroma};

/// Overlap ends at the edges of hard tiles. For these edges, the C reference's encoder and decoder swap the positions
/// of tile rows and tile columns, so that this decoder must swap them, too. The swap has no effect on images with
/// square tiles or without overlap.
const HARD_TILES_TRANSPOSED: bool = true;

pub(super) type JxrChannels = Vec<JxrPlane>;

struct Packets<'a> {
    readers: [BitReader<'a>; 4],
    /// Indices of the bit readers for DC, LP, HP and flexbits.
    lanes: [usize; 4],
    /// Number of trimmed flexbits, which applies to all planes. The C reference's encoder also trims an interleaved
    /// alpha plane; the C reference's decoder doesn't, and so can't decode its encoder's files with alpha.
    trim: u32,
}

impl<'a> Packets<'a> {
    fn open(bytes: &'a [u8], starts: &[usize], header: &JxrHeader) -> Result<Self, JxrError> {
        let start = |at: usize| starts.get(at).or(starts.first()).copied().unwrap_or(0);
        let mut packets = Self {
            readers: [0, 1, 2, 3].map(|at| BitReader::new(bytes, start(at))),
            lanes: if header.flags.frequency { [0, 1, 2, 3] } else { [0; 4] },
            trim: 0,
        };
        for reader in packets.readers.iter_mut().take(starts.len()) {
            let bit = reader.position();
            if reader.bits(24) != 1 {
                return Err(JxrErrorKind::Invalid("packet header").at(bit));
            }
            reader.bits(8);
        }
        let has_flexbits = !header.flags.frequency || starts.len() > 3;
        if header.flags.trim_flexbits && has_flexbits {
            packets.trim = packets.reader(3).bits(4);
        }
        Ok(packets)
    }

    /// Returns the bit reader of DC (0), LP (1), HP (2) or flexbits (3).
    fn reader(&mut self, lane: usize) -> &mut BitReader<'a> {
        &mut self.readers[self.lanes[lane & 3] & 3]
    }

    fn position(&self) -> u64 {
        self.readers.iter().map(BitReader::position).max().unwrap_or(0)
    }

    fn check(&self) -> Result<(), JxrError> {
        if self.readers.iter().any(BitReader::overrun) {
            return Err(JxrErrorKind::Truncated.at(self.position()));
        }
        Ok(())
    }
}

struct Steps3 {
    dc: ChannelSteps,
    lp: TileSteps,
    hp: TileSteps,
}

/// Reads the quantiser steps of the tile header, band by band: first DC of all planes, then LP, then HP.
fn read_tile_steps(packets: &mut Packets<'_>, planes: &[PlaneHeader]) -> Vec<Steps3> {
    let unused = || TileSteps::one([1; MAX_CHANNELS]);
    let mut steps: Vec<Steps3> = planes
        .iter()
        .map(|plane| Steps3 {
            dc: match plane.steps[0] {
                PlaneSteps::Uniform(steps) => steps,
                _ => read_steps(
                    packets.reader(0),
                    plane.colour.channels(),
                    BandSet::Dc,
                    plane.scaled,
                ),
            },
            lp: unused(),
            hp: unused(),
        })
        .collect();
    for (plane, steps) in planes.iter().zip(&mut steps) {
        let r = packets.reader(1);
        steps.lp = match plane.steps[1] {
            _ if plane.bands == Bands::DcOnly => continue,
            PlaneSteps::Uniform(steps) => TileSteps::one(steps),
            _ if r.flag() => TileSteps::one(steps.dc),
            _ => TileSteps::read(r, plane.colour.channels(), BandSet::Lp, plane.scaled),
        };
    }
    for (plane, steps) in planes.iter().zip(&mut steps) {
        let r = packets.reader(2);
        steps.hp = match plane.steps[2] {
            _ if plane.bands >= Bands::NoHighpass => continue,
            PlaneSteps::Uniform(steps) => TileSteps::one(steps),
            _ if r.flag() => steps.lp.follow(),
            _ => TileSteps::read(r, plane.colour.channels(), BandSet::Hp, plane.scaled),
        };
    }
    steps
}

#[derive(Clone, Copy)]
struct TilePosition {
    /// The column in the tile, and whether this is the tile's first row.
    x: usize,
    first_row: bool,
    /// `adapt`: codes adapt after the macroblock. `forget`: scan orders reset their counts before the macroblock.
    adapt: bool,
    forget: bool,
    /// The column and row in the image.
    column: usize,
    row: usize,
}

struct TilePlane<'h> {
    header: &'h PlaneHeader,
    steps: Steps3,
    models: Models,
    around: NeighbourRows,
    mb: Macroblock,
    /// The overlap of the image, and whether the packets are in frequency order.
    overlap: u32,
    frequency: bool,
    trim: u32,
}

impl TilePlane<'_> {
    fn read(
        &mut self,
        packets: &mut Packets<'_>,
        place: TilePosition,
    ) -> Result<(), ImpossibleSymbol> {
        let &PlaneHeader { colour, bands, .. } = self.header;
        let mb = &mut self.mb;
        let models = &mut self.models;
        mb.blocks.iter_mut().for_each(|blocks| blocks.fill(0));
        mb.pattern = [0; MAX_CHANNELS];
        (mb.lp_index, mb.hp_index) = (0, 0);

        let r = packets.reader(0);
        if !self.frequency {
            mb.lp_index = self.steps.lp.read_index(r);
            mb.hp_index = self.steps.hp.read_index(r);
        }
        read_macroblock_dc(r, models, colour, mb);
        if bands == Bands::DcOnly {
            if place.adapt {
                models.adapt_dc();
            }
        } else {
            let r = packets.reader(1);
            if self.frequency {
                mb.lp_index = self.steps.lp.read_index(r);
            }
            if place.forget {
                models.reset_lp_totals();
            }
            read_macroblock_lp(r, models, colour, mb)?;
            if place.adapt {
                models.adapt_lp();
            }
        }
        self.around.predict_low(place.x, place.first_row, colour, mb);
        let lp = self.steps.lp.get(mb.lp_index).ok_or(ImpossibleSymbol)?;
        dequantise_low(colour, self.header.scaled, &self.steps.dc, lp, mb);

        if bands < Bands::NoHighpass {
            self.read_high(packets, place)?;
        }
        self.around.keep(place.x, &self.mb);
        Ok(())
    }

    fn read_high(
        &mut self,
        packets: &mut Packets<'_>,
        place: TilePosition,
    ) -> Result<(), ImpossibleSymbol> {
        let &PlaneHeader { colour, bands, .. } = self.header;
        let mb = &mut self.mb;
        let models = &mut self.models;
        if place.forget {
            models.reset_hp_totals();
        }
        let r = packets.reader(2);
        if self.steps.hp.index_bits == 0 && self.steps.hp.len() > 1 {
            mb.hp_index = mb.lp_index;
        } else if self.frequency {
            mb.hp_index = self.steps.hp.read_index(r);
        }
        let coded = read_pattern(r, models, colour);
        let patterns = mb.pattern.iter_mut().zip(coded).enumerate();
        for (channel, (pattern, coded)) in patterns.take(colour.channels()) {
            let (across, down) = colour.blocks(channel);
            // Predicts from the adjacent block in the macroblock to the left, or in the macroblock above.
            let (left, top) = match (across, down) {
                (4, _) => (5, 10),
                (_, 4) => (1, 6),
                _ => (1, 2),
            };
            let around = &self.around;
            let neighbour = match (place.x, place.first_row) {
                (0, true) => None,
                (0, false) => around.top(place.x, channel).map(|mb| mb.pattern >> top),
                _ => around.left(place.x, channel).map(|mb| mb.pattern >> left),
            };
            *pattern = predict_pattern(models, coded, across * down, channel, neighbour);
        }
        let steps = self.steps.hp.get(mb.hp_index).ok_or(ImpossibleSymbol)?;
        let mut readers = HpReaders {
            hp: packets.lanes[2],
            flex: packets.lanes[3],
            readers: &mut packets.readers,
            trim: self.trim,
            bands,
        };
        read_macroblock_hp(&mut readers, models, colour, steps, mb)?;
        predict_high(colour, mb);
        if place.adapt {
            models.adapt_hp();
        }
        Ok(())
    }

    /// Stores a macroblock in the planes: its samples, or its coefficients if overlap filters precede the transform.
    fn put(&self, place: TilePosition, planes: &mut [JxrPlane]) {
        for ((channel, plane), blocks) in planes.iter_mut().enumerate().zip(&self.mb.blocks) {
            let (across, down) = self.header.colour.blocks(channel);
            let (x, y) = (place.column * across * 4, place.row * down * 4);
            let blocks = blocks.as_chunks::<16>().0.iter();
            for (at, block) in blocks.enumerate().take(across * down) {
                let (x, y) = (x + at % across * 4, y + at / across * 4);
                if self.overlap == 2 {
                    plane.put_block(x, y, block);
                } else {
                    plane.put_block(x, y, &inverse(block));
                }
            }
        }
    }
}

/// Dequantises the DC and LP coefficients, and transforms them to the DC of every block.
fn dequantise_low(
    colour: Colour,
    scaled: bool,
    dc: &ChannelSteps,
    lp: &ChannelSteps,
    mb: &mut Macroblock,
) {
    let steps = dc.iter().zip(lp);
    for (channel, ((blocks, low), (dc, lp))) in
        mb.blocks.iter_mut().zip(&mb.low).zip(steps).enumerate()
    {
        let (across, down) = colour.blocks(channel);
        let mut low = *low;
        low[0] = low[0].wrapping_mul(*dc);
        low[1..].iter_mut().for_each(|value| *value = value.wrapping_mul(*lp));
        if across == 4 {
            let mut ordered = [0; 16];
            for (at, value) in TRANSFORM_ORDER.iter().zip(low) {
                ordered[usize::from(at & 15)] = value;
            }
            low = inverse(&ordered);
        } else {
            inverse_chroma(&mut low, down);
        }
        // In scaled arithmetic, chroma's DC and LP have one fractional bit less.
        let shift = u32::from(scaled && channel > 0);
        for (block, low) in blocks.as_chunks_mut::<16>().0.iter_mut().zip(low).take(across * down) {
            block[0] = low << shift;
        }
    }
}

/// Decodes a codestream. Returns the channels of each plane.
pub(super) fn decode(bytes: &[u8], header: &JxrHeader) -> Result<Vec<JxrChannels>, JxrError> {
    check_narrow(header)?;
    let (columns, rows) = header.macroblocks();
    // Each macroblock takes at least one bit per plane, so that shorter data is rejected before memory is allocated.
    let macroblocks = columns as u64 * rows as u64;
    let end = bytes.len() as u64 * 8;
    if macroblocks > end {
        return Err(JxrErrorKind::Truncated.at(end));
    }
    if macroblocks > isize::MAX as u64 / (4 * 256) {
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        return Err(JxrErrorKind::TooLarge(size(header.width), size(header.height)).at(0));
    }
    let mut planes: Vec<JxrChannels> = header
        .planes
        .iter()
        .map(|plane| {
            (0..plane.colour.channels())
                .map(|channel| {
                    let (across, down) = plane.colour.blocks(channel);
                    JxrPlane::new(columns * across * 4, rows * down * 4)
                })
                .collect()
        })
        .collect();
    let mut starts = header.packets.chunks(header.packets_per_tile().max(1));
    for rows in header.rows.windows(2) {
        for columns in header.columns.windows(2) {
            let packets = Packets::open(bytes, starts.next().unwrap_or(&[]), header)?;
            decode_tile(
                header,
                packets,
                (columns[0], columns[1]),
                (rows[0], rows[1]),
                &mut planes,
            )?;
        }
    }
    for (plane, channels) in header.planes.iter().zip(&mut planes) {
        overlap(header, plane, channels);
    }
    Ok(planes)
}

/// Rejects two levels of overlap for subsampled chroma if a hard tile or the image is one macroblock wide: its left and
/// right corner would be coded as differences from each other. The C reference's encoder rejects this overlap of narrow
/// images.
fn check_narrow(header: &JxrHeader) -> Result<(), JxrError> {
    let subsampled = header.planes.iter().any(|plane| plane.colour.subsampled());
    let narrow = edges(header).0.windows(2).any(|pair| pair[1] - pair[0] < 2);
    if header.flags.overlap == 2 && subsampled && narrow {
        let tool = "two levels of overlap of subsampled chroma that is one macroblock wide";
        return Err(JxrErrorKind::Unsupported(tool).at(0));
    }
    Ok(())
}

/// Decodes the macroblocks of a tile, given half-open ranges of columns and rows.
fn decode_tile(
    header: &JxrHeader,
    mut packets: Packets<'_>,
    columns: (usize, usize),
    rows: (usize, usize),
    planes: &mut [JxrChannels],
) -> Result<(), JxrError> {
    let width = columns.1.saturating_sub(columns.0);
    let steps = read_tile_steps(&mut packets, &header.planes);
    let mut states: Vec<TilePlane<'_>> = header
        .planes
        .iter()
        .zip(steps)
        .map(|(plane, steps)| TilePlane {
            header: plane,
            steps,
            models: Models::new(plane.colour),
            around: NeighbourRows::new(width, plane.colour.channels()),
            mb: Macroblock::new(plane.colour.channels()),
            overlap: header.flags.overlap,
            frequency: header.flags.frequency,
            trim: packets.trim,
        })
        .collect();
    for row in rows.0..rows.1 {
        for x in 0..width {
            let place = TilePosition {
                x,
                first_row: row == rows.0,
                forget: x % 16 == 0,
                adapt: x % 16 == 0 || x + 1 == width,
                column: columns.0 + x,
                row,
            };
            for (state, planes) in states.iter_mut().zip(planes.iter_mut()) {
                let read = state.read(&mut packets, place);
                packets.check()?;
                read.map_err(|ImpossibleSymbol| {
                    JxrErrorKind::Invalid("coefficients").at(packets.position())
                })?;
                state.put(place, planes);
            }
        }
        states.iter_mut().for_each(|state| state.around.next_row());
    }
    Ok(())
}

/// Returns the macroblock columns and rows at which overlap ends.
fn edges(header: &JxrHeader) -> (Vec<usize>, Vec<usize>) {
    let (width, height) = header.macroblocks();
    if !header.flags.hard_tiles {
        return (vec![0, width], vec![0, height]);
    }
    let pick = |edges: &[usize], size: usize| -> Vec<usize> {
        let inner = edges.iter().rev().skip(1).rev().copied();
        inner.filter(|edge| *edge < size).chain([size]).collect()
    };
    if HARD_TILES_TRANSPOSED {
        (pick(&header.rows, width), pick(&header.columns, height))
    } else {
        (pick(&header.columns, width), pick(&header.rows, height))
    }
}

/// Applies the overlap filters to a plane, and transforms the blocks that depend on the filters.
fn overlap(header: &JxrHeader, plane: &PlaneHeader, channels: &mut [JxrPlane]) {
    if header.flags.overlap == 0 {
        return;
    }
    let (columns, rows) = edges(header);
    for (channel, samples) in channels.iter_mut().enumerate() {
        let (across, down) = plane.colour.blocks(channel);
        // The areas between the edges of hard tiles and of the image, in units of blocks.
        let parts: Vec<[usize; 4]> = rows
            .windows(2)
            .flat_map(|rows| {
                columns.windows(2).map(|columns| {
                    let (width, height) = (columns[1] - columns[0], rows[1] - rows[0]);
                    [columns[0] * across, rows[0] * down, width * across, height * down]
                })
            })
            .collect();
        if header.flags.overlap == 2 {
            for [x, y, width, height] in parts.iter().copied() {
                let grid = OverlapGrid { x, y, width, height, step: 4 };
                if across == 4 {
                    samples.overlap_4(&grid);
                } else {
                    samples.overlap_2(&grid);
                }
            }
            samples.inverse_all();
        }
        for part in parts {
            let [x, y, width, height] = part.map(|blocks| blocks * 4);
            samples.overlap_4(&OverlapGrid { x, y, width, height, step: 1 });
        }
    }
}
