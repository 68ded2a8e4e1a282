//! Quantisers (T.832 8.7, 9.4).

use super::bits::BitReader;

pub(super) const MAX_CHANNELS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BandSet {
    Dc,
    Lp,
    Hp,
}

/// One quantisation step per channel.
pub(super) type ChannelSteps = [i32; MAX_CHANNELS];

/// Reads one set of quantiser steps: its mode (shared, shared by chroma, or separate) and its indices.
pub(super) fn read_steps(
    r: &mut BitReader<'_>,
    channels: usize,
    band: BandSet,
    scaled: bool,
) -> ChannelSteps {
    let mode = if channels > 1 { r.bits(2) } else { 0 };
    let luma = r.bits(8);
    let mut index = [luma; MAX_CHANNELS];
    if mode == 1 {
        index[1..].fill(r.bits(8));
    } else if mode != 0 {
        index[1..channels.clamp(1, MAX_CHANNELS)].fill_with(|| r.bits(8));
    }
    let mut steps = [1; MAX_CHANNELS];
    for (channel, (step, index)) in steps.iter_mut().zip(index).enumerate() {
        // In scaled arithmetic, chroma's DC and LP have one fractional bit less.
        let shift = u32::from(channel == 0 || band == BandSet::Hp);
        *step = step_of(index, shift, scaled);
    }
    steps
}

/// Returns the step of a quantiser index (0 to 255). Quantiser steps grow linearly, then exponentially.
fn step_of(index: u32, shift: u32, scaled: bool) -> i32 {
    let (mantissa, exponent) = (index & 15, (index >> 4).saturating_sub(1));
    let step = match (index, scaled) {
        (0, _) => 1,
        (_, true) if index < 16 => index << shift,
        (_, true) => (16 + mantissa) << (exponent + shift),
        // Scaled steps have two fractional bits, which unscaled steps lack.
        (_, false) if index < 32 => (index + 3) >> 2,
        (_, false) if index < 48 => ((16 + mantissa + 1) >> 1) << (exponent - 1),
        (_, false) => (16 + mantissa) << (exponent - 2),
    };
    step.cast_signed()
}

/// A band's quantiser steps: uniform in the image, or specified by each tile.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlaneSteps {
    Uniform(ChannelSteps),
    /// The band inherits the steps of the next lower band, as in the draft standard; decoders still accept this mode.
    Lowering,
    PerTile,
}

/// Up to 16 sets of steps of one band in a tile, from which each macroblock selects one.
#[derive(Clone, Debug)]
pub(super) struct TileSteps {
    sets: Vec<ChannelSteps>,
    /// Number of bits of a macroblock's index; 0 if macroblocks have no index.
    pub(super) index_bits: u32,
}

impl TileSteps {
    /// Creates one set of quantiser steps, which all macroblocks use.
    pub(super) fn one(steps: ChannelSteps) -> Self {
        Self { sets: vec![steps], index_bits: 0 }
    }

    /// Returns a copy of the sets of quantiser steps for the next band, whose macroblocks reuse the index of this band.
    pub(super) fn follow(&self) -> Self {
        Self { sets: self.sets.clone(), index_bits: 0 }
    }

    pub(super) fn read(
        r: &mut BitReader<'_>,
        channels: usize,
        band: BandSet,
        scaled: bool,
    ) -> Self {
        let count = r.bits(4) + 1;
        Self {
            sets: (0..count).map(|_| read_steps(r, channels, band, scaled)).collect(),
            index_bits: match count {
                0..2 => 0,
                2..4 => 1,
                4..6 => 2,
                6..10 => 3,
                _ => 4,
            },
        }
    }

    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(super) fn read_index(&self, r: &mut BitReader<'_>) -> usize {
        if self.index_bits == 0 || !r.flag() { 0 } else { r.bits(self.index_bits) as usize + 1 }
    }

    /// Returns the set of quantiser steps with this index, which a macroblock selects; `None` for an invalid index.
    pub(super) fn get(&self, index: usize) -> Option<&ChannelSteps> {
        self.sets.get(index)
    }
}
