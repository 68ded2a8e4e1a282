//! The adaptive state of a tile: codes, scan orders, counts of separately coded low bits, and block patterns.

use super::bits::BitReader;
use super::header::Colour;
use super::quant::BandSet;
use super::vlc::{AdaptiveTable, EIGHT, FIVE, FOUR, NINE, SEVEN, SIX, TWELVE};

/// Index in a block's transform order ([`super::transform`]) for each raster position.
pub(super) const TRANSFORM_ORDER: [u8; 16] = [0, 5, 1, 6, 10, 12, 8, 14, 2, 4, 3, 7, 9, 13, 11, 15];

/// Scan order of LP coefficients and of HP coefficients without vertical prediction, as raster positions.
const SCAN_HORIZONTAL: [u8; 16] = [0, 1, 4, 5, 2, 8, 6, 9, 3, 12, 10, 7, 13, 11, 14, 15];

/// Scan order of HP coefficients with vertical prediction, as raster positions.
const SCAN_VERTICAL: [u8; 16] = [0, 4, 8, 5, 1, 12, 9, 6, 2, 13, 3, 15, 7, 10, 14, 11];

/// A scan order that adapts to how often each position is used.
#[derive(Clone, Debug)]
pub(super) struct CoefficientScan {
    order: [u8; 16],
    totals: [u32; 16],
}

impl CoefficientScan {
    fn new(raster: &[u8; 16], transform_order: bool) -> Self {
        let mut scan = Self { order: *raster, totals: [0; 16] };
        if transform_order {
            scan.order = raster.map(|at| TRANSFORM_ORDER[usize::from(at & 15)]);
        }
        scan.reset_totals();
        scan
    }

    fn reset_totals(&mut self) {
        for (total, at) in self.totals.iter_mut().zip(0..) {
            *total = 34 - 2 * at;
        }
        self.totals[0] = u32::from(i16::MAX.cast_unsigned());
    }

    /// Returns the raster position at an index of the scan order, and counts the use.
    #[inline(always)]
    pub(super) fn visit(&mut self, place: usize) -> usize {
        let place = place & 15;
        let position = self.order[place];
        self.totals[place] += 1;
        let before = place.saturating_sub(1);
        if self.totals[place] > self.totals[before] {
            self.totals.swap(place, before);
            self.order.swap(place, before);
        }
        usize::from(position)
    }
}

/// The number of low bits of coefficients that are coded separately, for luma and for the other channels.
#[derive(Clone, Debug)]
pub(super) struct BitModel {
    band: BandSet,
    pub(super) bits: [u32; 2],
    state: [i32; 2],
}

impl BitModel {
    fn new(band: BandSet) -> Self {
        let bits = match band {
            BandSet::Dc => 8,
            BandSet::Lp => 4,
            BandSet::Hp => 0,
        };
        Self { band, bits: [bits; 2], state: [0; 2] }
    }

    /// Adapts to the number of non-zero coefficients in a macroblock (T.832 9.8.2).
    pub(super) fn update(&mut self, colour: Colour, nonzero: [i32; 2]) {
        // Weights of the coefficient counts of luma and chroma.
        let (luma, [in_444, in_422, in_420]) = match self.band {
            BandSet::Dc => (240, [120, 120, 120]),
            BandSet::Lp => (12, [6, 18, 37]),
            BandSet::Hp => (1, [0, 1, 2]),
        };
        let chroma = match colour {
            Colour::Yuv420 => nonzero[1] * in_420,
            Colour::Yuv422 => nonzero[1] * in_422,
            _ if self.band == BandSet::Hp => nonzero[1] >> 1,
            _ => nonzero[1] * in_444,
        };
        let means = [nonzero[0] * luma, chroma];
        let models = if colour == Colour::Luma { 1 } else { 2 };
        for ((mean, state), bits) in
            means.iter().zip(&mut self.state).zip(&mut self.bits).take(models)
        {
            step(*mean, state, bits);
        }
    }
}

/// Adapts a model's number of low bits to the weighted count of non-zero coefficients.
fn step(mean: i32, state: &mut i32, bits: &mut u32) {
    let delta = (mean - 70) >> 2;
    if delta <= -8 {
        *state += (delta + 4).max(-16);
        if *state < -8 {
            if *bits == 0 {
                *state = -8;
            } else {
                *state = 0;
                *bits -= 1;
            }
        }
    } else if delta >= 8 {
        *state += (delta - 4).min(15);
        if *state > 8 {
            if *bits >= 15 {
                *bits = 15;
                *state = 8;
            } else {
                *state = 0;
                *bits += 1;
            }
        }
    }
}

/// The adaptive code of the pattern of channels with LP coefficients.
#[derive(Clone, Debug)]
pub(super) struct LpPattern {
    full: i32,
    empty: i32,
}

impl LpPattern {
    /// Reads which channels have LP coefficients: one bit per channel; subsampled chroma channels share one.
    pub(super) fn read(&mut self, r: &mut BitReader<'_>, channels: u32) -> u32 {
        let all = if channels == 2 { 3 } else { 7 };
        let pattern = if self.empty <= 0 || self.full < 0 {
            let mut pattern = 0;
            if r.flag() {
                pattern = 1;
                let more = r.bits(channels - 1);
                if more != 0 {
                    pattern = more * 2 + r.bits(1);
                }
            }
            if self.full < self.empty { all - pattern } else { pattern }
        } else {
            r.bits(channels)
        };
        let count = |hit| if hit { -3 } else { 1 };
        self.full = (self.full + count(pattern == all)).clamp(-8, 7);
        self.empty = (self.empty + count(pattern == 0)).clamp(-8, 7);
        pattern
    }
}

/// Prediction of the pattern of blocks with HP coefficients, for luma and for the other channels.
#[derive(Clone, Debug)]
pub(super) struct HpPattern {
    pub(super) predict: [Prediction; 2],
    ones: [i32; 2],
    zeros: [i32; 2],
}

/// The pattern from which a block pattern is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prediction {
    Neighbours,
    Zeros,
    Ones,
}

impl HpPattern {
    /// Adapts to a pattern in which `ones` of 16 blocks have coefficients.
    pub(super) fn update(&mut self, other: usize, ones: i32) {
        /// The expected number of blocks with coefficients.
        const EXPECTED: i32 = 3;
        let at = other & 1;
        self.ones[at] = (self.ones[at] + ones - EXPECTED).clamp(-16, 15);
        self.zeros[at] = (self.zeros[at] + 16 - ones - EXPECTED).clamp(-16, 15);
        self.predict[at] = if self.ones[at] < 0 {
            if self.ones[at] < self.zeros[at] { Prediction::Zeros } else { Prediction::Ones }
        } else if self.zeros[at] < 0 {
            Prediction::Ones
        } else {
            Prediction::Neighbours
        };
    }
}

/// The adaptive codes of LP or HP coefficients.
#[derive(Clone, Debug)]
pub(super) struct BlockCodes {
    /// Codes of the first symbol in a block, for luma and chroma.
    pub(super) first: [AdaptiveTable; 2],
    /// Codes of all symbols in a block after the first, for luma and chroma, and for two contexts.
    pub(super) next: [[AdaptiveTable; 2]; 2],
    /// Codes of the coefficients' magnitudes (levels), for two contexts.
    pub(super) level: [AdaptiveTable; 2],
}

impl BlockCodes {
    fn new() -> Self {
        let twelve = || AdaptiveTable::new(&TWELVE);
        let six = || AdaptiveTable::new(&SIX);
        let seven = || AdaptiveTable::new(&SEVEN);
        Self {
            first: [twelve(), twelve()],
            next: [[six(), six()], [six(), six()]],
            level: [seven(), seven()],
        }
    }

    fn adapt(&mut self) {
        self.first.iter_mut().for_each(AdaptiveTable::adapt);
        self.next.as_flattened_mut().iter_mut().for_each(AdaptiveTable::adapt);
        self.level.iter_mut().for_each(AdaptiveTable::adapt);
    }
}

#[derive(Clone, Debug)]
pub(super) struct Models {
    /// The code of runs of zeros, which LP and HP share, and which never adapts.
    pub(super) run: AdaptiveTable,
    pub(super) chroma_pattern: AdaptiveTable,
    /// The code of the pattern of channels with a DC coefficient, for three channels.
    pub(super) dc_pattern: AdaptiveTable,
    pub(super) dc_level: [AdaptiveTable; 2],
    pub(super) lp: BlockCodes,
    pub(super) hp: BlockCodes,
    /// The code of the number of block groups with coefficients.
    pub(super) group_count: AdaptiveTable,
    /// The code of the pattern of blocks with coefficients in a group.
    pub(super) group_pattern: AdaptiveTable,
    pub(super) dc_bits: BitModel,
    pub(super) lp_bits: BitModel,
    pub(super) hp_bits: BitModel,
    pub(super) scan_lp: CoefficientScan,
    pub(super) scan_hp: [CoefficientScan; 2],
    pub(super) lp_pattern: LpPattern,
    pub(super) hp_pattern: HpPattern,
}

impl Models {
    pub(super) fn new(colour: Colour) -> Self {
        let group = if colour.has_chroma() { &NINE } else { &FIVE };
        Self {
            run: AdaptiveTable::new(&FIVE),
            chroma_pattern: AdaptiveTable::new(&FOUR),
            dc_pattern: AdaptiveTable::new(&EIGHT),
            dc_level: [AdaptiveTable::new(&SEVEN), AdaptiveTable::new(&SEVEN)],
            lp: BlockCodes::new(),
            hp: BlockCodes::new(),
            group_count: AdaptiveTable::new(&FIVE),
            group_pattern: AdaptiveTable::new(group),
            dc_bits: BitModel::new(BandSet::Dc),
            lp_bits: BitModel::new(BandSet::Lp),
            hp_bits: BitModel::new(BandSet::Hp),
            scan_lp: CoefficientScan::new(&SCAN_HORIZONTAL, false),
            scan_hp: [
                CoefficientScan::new(&SCAN_HORIZONTAL, true),
                CoefficientScan::new(&SCAN_VERTICAL, true),
            ],
            lp_pattern: LpPattern { full: 1, empty: 1 },
            hp_pattern: HpPattern {
                predict: [Prediction::Neighbours; 2],
                ones: [-4; 2],
                zeros: [4; 2],
            },
        }
    }

    pub(super) fn reset_lp_totals(&mut self) {
        self.scan_lp.reset_totals();
    }

    pub(super) fn reset_hp_totals(&mut self) {
        self.scan_hp.iter_mut().for_each(CoefficientScan::reset_totals);
    }

    pub(super) fn adapt_dc(&mut self) {
        self.dc_level.iter_mut().for_each(AdaptiveTable::adapt);
    }

    pub(super) fn adapt_lp(&mut self) {
        self.adapt_dc();
        self.lp.adapt();
    }

    pub(super) fn adapt_hp(&mut self) {
        self.group_pattern.adapt();
        self.group_count.adapt();
        self.hp.adapt();
    }
}
