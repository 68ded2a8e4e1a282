//! Parsing of a macroblock's coefficients (T.832 8.7.17 to 8.7.20, 9.6).

use super::bits::BitReader;
use super::header::{Bands, Colour};
use super::model::{BlockCodes, CoefficientScan, Models, TRANSFORM_ORDER};
use super::quant::{ChannelSteps, MAX_CHANNELS};
use super::vlc::AdaptiveTable;

/// Raster positions of the blocks of a full channel in a macroblock, in coded order.
const BLOCK_ORDER: [u8; 16] = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15];

#[derive(Clone, Debug)]
pub(super) struct Macroblock {
    /// The DC and LP coefficients of every channel, in raster order: fewer than 16 for subsampled chroma.
    pub(super) low: [[i32; 16]; MAX_CHANNELS],
    /// The dequantised blocks of every channel, in raster order; each block is in transform order.
    pub(super) blocks: Vec<[i32; 256]>,
    /// Indices into the quantiser sets of LP and HP.
    pub(super) lp_index: usize,
    pub(super) hp_index: usize,
    /// The HP coefficients are predicted and scanned vertically.
    pub(super) vertical: bool,
    /// Bit mask of the blocks with HP coefficients, in coded order, for each channel.
    pub(super) pattern: [u32; MAX_CHANNELS],
}

impl Macroblock {
    pub(super) fn new(channels: usize) -> Self {
        Self {
            low: [[0; 16]; MAX_CHANNELS],
            blocks: vec![[0; 256]; channels],
            lp_index: 0,
            hp_index: 0,
            vertical: false,
            pattern: [0; MAX_CHANNELS],
        }
    }
}

/// A symbol that can't occur in valid data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImpossibleSymbol;

/// Reads the magnitude of a coefficient that is at least 2.
fn read_level(code: &mut AdaptiveTable, r: &mut BitReader<'_>) -> i32 {
    match code.read(r) {
        0 => 2,
        1 => 3,
        2 => 4 + r.number(1),
        3 => 6 + r.number(2),
        4 => 10 + r.number(2),
        5 => 14 + r.number(2),
        _ => {
            let mut bits = r.bits(4) + 4;
            if bits == 19 {
                bits += r.bits(2);
                if bits == 22 {
                    bits += r.bits(3);
                }
            }
            2 + (1 << bits) + r.number(bits)
        }
    }
}

/// Reads the number of zeros, from 1 to `most`, before a coefficient.
fn read_run(
    most: usize,
    code: &AdaptiveTable,
    r: &mut BitReader<'_>,
) -> Result<usize, ImpossibleSymbol> {
    /// For each symbol, the first run length and the number of extra bits; the table depends on `most`.
    const LONG: [(usize, u32); 5] = [(1, 0), (2, 0), (3, 1), (5, 1), (7, 3)];
    const MIDDLE: [(usize, u32); 5] = [(1, 0), (2, 0), (3, 1), (5, 1), (7, 2)];
    const SHORT: [(usize, u32); 5] = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 1)];
    let runs = match most {
        0 => return Err(ImpossibleSymbol),
        1..=4 => {
            let mut run = 1;
            while run < most && !r.flag() {
                run += 1;
            }
            return Ok(run);
        }
        5..=6 => &SHORT,
        7..=10 => &MIDDLE,
        _ => &LONG,
    };
    let (run, bits) = runs.get(code.read_fixed(r)).ok_or(ImpossibleSymbol)?;
    Ok(run + r.bits(*bits) as usize)
}

/// Reads the coefficients of a block from index `start` on, and passes their indices and values to `put`; returns their
/// count.
#[inline(always)]
fn read_block(
    chroma: bool,
    codes: &mut BlockCodes,
    run: &AdaptiveTable,
    r: &mut BitReader<'_>,
    start: usize,
    mut put: impl FnMut(usize, i32),
) -> Result<i32, ImpossibleSymbol> {
    let chroma = usize::from(chroma);
    // The symbol encodes whether zeros precede the coefficient, whether its level exceeds 1, and the continuation: 0
    // ends the block, 1 continues with a coefficient, and 2 with zeros.
    let index = codes.first[chroma].read(r);
    let mut adjacent = index & 1 != 0;
    let mut large = index & 2 != 0;
    let mut follows = index >> 2;
    let mut context = usize::from(adjacent) & follows;
    let mut place = start;
    let mut count = 0;
    loop {
        let negative = r.flag();
        let level = if large { read_level(&mut codes.level[context & 1], r) } else { 1 };
        if count == 0 && !adjacent {
            place += read_run(15usize.saturating_sub(place), run, r)?;
        }
        if place > 15 {
            return Err(ImpossibleSymbol);
        }
        put(place, if negative { -level } else { level });
        place += 1;
        count += 1;
        if follows == 0 {
            return Ok(count);
        }
        adjacent = follows & 1 != 0;
        if !adjacent {
            place += read_run(15usize.saturating_sub(place), run, r)?;
        }
        let index = match place {
            0..14 => codes.next[chroma][context & 1].read(r),
            // Only one more coefficient fits into the block, so that no zeros can precede it.
            14 if !r.flag() => 0,
            14 if !r.flag() => 2,
            14 => 1 + 2 * usize::from(r.flag()),
            _ => usize::from(r.flag()),
        };
        large = index & 1 != 0;
        follows = index >> 1;
        context &= follows;
    }
}

/// Reads a DC coefficient. `coded` is true if the coefficient's magnitude without the `bits` low bits is not zero.
fn read_dc(coded: bool, code: &mut AdaptiveTable, bits: u32, r: &mut BitReader<'_>) -> i32 {
    let mut dc = 0;
    if coded {
        dc = read_level(code, r) - 1;
    }
    if bits > 0 {
        dc = dc << bits | r.number(bits);
    }
    if dc != 0 && r.flag() {
        dc = dc.wrapping_neg();
    }
    dc
}

pub(super) fn read_macroblock_dc(
    r: &mut BitReader<'_>,
    models: &mut Models,
    colour: Colour,
    mb: &mut Macroblock,
) {
    let mut nonzero = [0; 2];
    // Bit mask of the channels with a DC coefficient; luma is the highest bit.
    let mut pattern = if colour.has_chroma() {
        models.dc_pattern.read_fixed(r)
    } else {
        usize::from(r.flag()) << 2
    };
    for (channel, low) in mb.low.iter_mut().enumerate().take(colour.channels()) {
        let other = usize::from(channel > 0);
        let coded = pattern & 4 != 0;
        pattern <<= 1;
        *low = [0; 16];
        low[0] = read_dc(coded, &mut models.dc_level[other], models.dc_bits.bits[other], r);
        nonzero[other] += i32::from(coded);
    }
    models.dc_bits.update(colour, nonzero);
}

/// Reads the low bits of an LP coefficient, and its sign if the coefficient was zero.
#[inline(always)]
fn refine(value: &mut i32, bits: u32, r: &mut BitReader<'_>) {
    *value = match *value {
        0 => r.signed(bits),
        1.. => (*value << bits).wrapping_add(r.number(bits)),
        _ => (*value << bits).wrapping_sub(r.number(bits)),
    };
}

pub(super) fn read_macroblock_lp(
    r: &mut BitReader<'_>,
    models: &mut Models,
    colour: Colour,
    mb: &mut Macroblock,
) -> Result<(), ImpossibleSymbol> {
    let (coded, mut pattern) = match colour {
        Colour::Luma => (1, r.bits(1)),
        Colour::Yuv444 => (3, models.lp_pattern.read(r, 3)),
        Colour::Yuv420 | Colour::Yuv422 => (2, models.lp_pattern.read(r, 2)),
    };
    let mut nonzero = [0; 2];
    for channel in 0..coded {
        let other = usize::from(channel > 0);
        let bits = models.lp_bits.bits[other];
        let present = pattern & 1 != 0;
        pattern >>= 1;
        if channel > 0 && colour.subsampled() {
            nonzero[other] += read_chroma_lp(r, models, colour, present, bits, mb)?;
            continue;
        }
        let Some(low) = mb.low.get_mut(channel) else {
            return Err(ImpossibleSymbol);
        };
        if present {
            let scan = &mut models.scan_lp;
            nonzero[other] +=
                read_block(channel > 0, &mut models.lp, &models.run, r, 1, |place, value| {
                    low[scan.visit(place) & 15] = value
                })?;
        }
        if bits > 0 {
            low[1..].iter_mut().for_each(|value| refine(value, bits, r));
        }
    }
    models.lp_bits.update(colour, nonzero);
    Ok(())
}

/// Reads the LP coefficients of both subsampled chroma channels, which the codestream interleaves.
fn read_chroma_lp(
    r: &mut BitReader<'_>,
    models: &mut Models,
    colour: Colour,
    present: bool,
    bits: u32,
    mb: &mut Macroblock,
) -> Result<i32, ImpossibleSymbol> {
    let (start, order): (usize, &[usize]) =
        if colour == Colour::Yuv420 { (10, &[1, 2, 3]) } else { (2, &[4, 1, 2, 3, 5, 6, 7]) };
    let [_, u, v, ..] = &mut mb.low;
    let mut count = 0;
    if present {
        let mut values = [0; 16];
        count = read_block(true, &mut models.lp, &models.run, r, start, |place, value| {
            values[place.wrapping_sub(start) & 15] = value;
        })?;
        for (pair, at) in values.as_chunks::<2>().0.iter().zip(order) {
            [u[at & 15], v[at & 15]] = *pair;
        }
    }
    if bits > 0 {
        for at in 1..=order.len() {
            refine(&mut u[at & 15], bits, r);
            refine(&mut v[at & 15], bits, r);
        }
    }
    Ok(count)
}

/// The destination of a block's coefficients, and their scale.
struct BlockTarget<'a> {
    block: &'a mut [i32; 16],
    chroma: bool,
    coded: bool,
    step: i32,
    bits: u32,
    trim: u32,
}

/// Reads the HP coefficients of a macroblock with known patterns (`MB_HP`, `MB_FLEX`). `readers` are those of HP and of
/// flexbits, which may be the same.
pub(super) fn read_macroblock_hp(
    readers: &mut HpReaders<'_, '_>,
    models: &mut Models,
    colour: Colour,
    steps: &ChannelSteps,
    mb: &mut Macroblock,
) -> Result<(), ImpossibleSymbol> {
    let mut nonzero = [0; 2];
    let channels = mb.blocks.iter_mut().zip(mb.pattern).zip(steps);
    for (channel, ((blocks, mut pattern), step)) in channels.enumerate() {
        let other = usize::from(channel > 0);
        let bits = models.hp_bits.bits[other];
        let (across, down) = colour.blocks(channel);
        for at in 0..across * down {
            let at = if across == 4 { usize::from(BLOCK_ORDER[at & 15]) } else { at };
            let Some(block) = blocks.as_chunks_mut::<16>().0.get_mut(at) else {
                return Err(ImpossibleSymbol);
            };
            let target = BlockTarget {
                block,
                chroma: channel > 0,
                coded: pattern & 1 != 0,
                step: *step,
                bits,
                trim: readers.trim,
            };
            pattern >>= 1;
            let scan = usize::from(mb.vertical);
            nonzero[other] += read_hp_block(readers, models, scan, target)?;
        }
    }
    models.hp_bits.update(colour, nonzero);
    Ok(())
}

pub(super) struct HpReaders<'r, 'a> {
    pub(super) readers: &'r mut [BitReader<'a>; 4],
    /// Indices of the bit readers for coefficients and for flexbits.
    pub(super) hp: usize,
    pub(super) flex: usize,
    pub(super) trim: u32,
    pub(super) bands: Bands,
}

/// Reads one block. Returns the number of coded coefficients.
#[inline(always)]
fn read_hp_block(
    readers: &mut HpReaders<'_, '_>,
    models: &mut Models,
    scan: usize,
    target: BlockTarget<'_>,
) -> Result<i32, ImpossibleSymbol> {
    let BlockTarget { block, chroma, coded, step, bits, trim } = target;
    let mut count = 0;
    if coded {
        let step = step.wrapping_shl(bits);
        let scan: &mut CoefficientScan = &mut models.scan_hp[scan & 1];
        let r = &mut readers.readers[readers.hp & 3];
        count = read_block(chroma, &mut models.hp, &models.run, r, 1, |place, value| {
            block[scan.visit(place) & 15] = value.wrapping_mul(step);
        })?;
    }
    let flex = bits.saturating_sub(trim);
    if flex > 0 && readers.bands == Bands::All {
        let r = &mut readers.readers[readers.flex & 3];
        let step = step.wrapping_shl(trim);
        for at in &TRANSFORM_ORDER[1..] {
            let value = &mut block[usize::from(at & 15)];
            let fine = match *value {
                0 => r.signed(flex),
                1.. => r.number(flex),
                _ => -r.number(flex),
            };
            *value = value.wrapping_add(step.wrapping_mul(fine));
        }
    }
    Ok(count)
}
