//! Prediction of DC, LP and HP coefficients from neighbouring macroblocks (T.832 9.5).

use super::coefficients::Macroblock;
use super::header::Colour;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Neighbour {
    /// The DC and LP coefficients, in raster order.
    low: [i32; 16],
    /// Bit mask of the blocks with HP coefficients.
    pub(super) pattern: u32,
    /// The index of the LP quantiser set. LP is only predicted from a macroblock with an equal `lp_index`.
    lp_index: usize,
}

/// The macroblocks of a tile from which later macroblocks are predicted: the previous row, and the current row so far.
#[derive(Clone, Debug)]
pub(super) struct NeighbourRows {
    channels: usize,
    above: Vec<Neighbour>,
    current: Vec<Neighbour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Predictor {
    Left,
    Top,
    Both,
    Nothing,
}

impl NeighbourRows {
    pub(super) fn new(columns: usize, channels: usize) -> Self {
        let row = vec![Neighbour::default(); columns * channels];
        Self { channels, above: row.clone(), current: row }
    }

    pub(super) fn next_row(&mut self) {
        std::mem::swap(&mut self.above, &mut self.current);
    }

    /// Returns the macroblock to the left of column `x`, if it is in the tile.
    pub(super) fn left(&self, x: usize, channel: usize) -> Option<&Neighbour> {
        let x = x.checked_sub(1)?;
        self.current.get(x * self.channels + channel)
    }

    /// Returns the macroblock above column `x`, if it is in the tile.
    pub(super) fn top(&self, x: usize, channel: usize) -> Option<&Neighbour> {
        self.above.get(x * self.channels + channel)
    }

    /// Stores the macroblock in column `x` for later predictions.
    pub(super) fn keep(&mut self, x: usize, mb: &Macroblock) {
        let row = self.current.get_mut(x * self.channels..).unwrap_or_default();
        for ((left, low), pattern) in
            row.iter_mut().zip(&mb.low).zip(mb.pattern).take(self.channels)
        {
            *left = Neighbour { low: *low, pattern, lp_index: mb.lp_index };
        }
    }

    fn direction(&self, x: usize, first_row: bool, colour: Colour) -> Predictor {
        match (x == 0, first_row) {
            (true, true) => return Predictor::Nothing,
            (true, false) => return Predictor::Top,
            (false, true) => return Predictor::Left,
            (false, false) => {}
        }
        let dc = |left: Option<&Neighbour>| left.map_or(0, |left| i64::from(left.low[0]));
        let (channels, scale) = match colour {
            Colour::Luma => (1, 1),
            Colour::Yuv420 => (3, 8),
            Colour::Yuv422 => (3, 4),
            Colour::Yuv444 => (3, 2),
        };
        let (mut horizontal, mut vertical) = (0, 0);
        for channel in 0..channels {
            let weight = if channel == 0 { scale } else { 1 };
            let corner = dc(self.top(x.saturating_sub(1), channel));
            horizontal += weight * (corner - dc(self.left(x, channel))).abs();
            vertical += weight * (corner - dc(self.top(x, channel))).abs();
        }
        if horizontal * 4 < vertical {
            Predictor::Top
        } else if vertical * 4 < horizontal {
            Predictor::Left
        } else {
            Predictor::Both
        }
    }

    /// Adds the prediction to the DC and LP coefficients in column `x`. Returns the prediction direction of HP.
    pub(super) fn predict_low(
        &self,
        x: usize,
        first_row: bool,
        colour: Colour,
        mb: &mut Macroblock,
    ) {
        let from = self.direction(x, first_row, colour);
        for (channel, low) in mb.low.iter_mut().enumerate().take(self.channels) {
            let chroma = channel > 0 && colour.subsampled();
            let left = self.left(x, channel);
            let top = self.top(x, channel);
            let predicted = match (from, left, top) {
                (Predictor::Left, Some(left), _) => left.low[0],
                (Predictor::Top, _, Some(top)) => top.low[0],
                (Predictor::Both, Some(left), Some(top)) => {
                    left.low[0].wrapping_add(top.low[0]).wrapping_add(i32::from(chroma)) >> 1
                }
                _ => 0,
            };
            low[0] = low[0].wrapping_add(predicted);
            let other = match from {
                Predictor::Left => left,
                Predictor::Top => top,
                _ => None,
            };
            let other = other.filter(|other| other.lp_index == mb.lp_index);
            let from_left: &[usize] = match colour {
                Colour::Yuv420 if chroma => &[1],
                Colour::Yuv422 if chroma => &[4, 1, 5],
                _ => &[1, 2, 3],
            };
            let from_top: &[usize] = match colour {
                Colour::Yuv420 if chroma => &[2],
                Colour::Yuv422 if chroma => &[4, 2],
                _ => &[4, 8, 12],
            };
            if let Some(other) = other {
                let places = if from == Predictor::Left { from_left } else { from_top };
                for at in places.iter().map(|at| at & 15) {
                    // In 4:2:2, the lower half of a macroblock is predicted from its upper half.
                    low[at] = low[at].wrapping_add(match (colour, from, at) {
                        (Colour::Yuv422, Predictor::Top, 2) if chroma => other.low[6],
                        _ => other.low[at],
                    });
                }
            }
            if chroma && colour == Colour::Yuv422 && from == Predictor::Top {
                low[6] = low[6].wrapping_add(low[2]);
            }
        }
        mb.vertical = high_direction(colour, mb) == Predictor::Top;
    }
}

/// Returns the source of the HP prediction: the direction in which LP coefficients are stronger.
fn high_direction(colour: Colour, mb: &Macroblock) -> Predictor {
    let [luma, u, v, ..] = &mb.low;
    let sum = |low: &[i32; 16], places: &[usize]| -> u64 {
        places.iter().map(|at| u64::from(low[at & 15].unsigned_abs())).sum()
    };
    let (mut horizontal, mut vertical) = (sum(luma, &[1, 2, 3]), sum(luma, &[4, 8, 12]));
    let chroma: Option<(&[usize], &[usize])> = match colour {
        Colour::Luma => None,
        Colour::Yuv420 => Some((&[1], &[2])),
        Colour::Yuv422 => Some((&[1, 5], &[2, 6])),
        Colour::Yuv444 => Some((&[1], &[4])),
    };
    if let Some((across, down)) = chroma {
        horizontal += sum(u, across) + sum(v, across);
        vertical += sum(u, down) + sum(v, down);
    }
    if horizontal * 4 < vertical {
        Predictor::Top
    } else if vertical * 4 < horizontal {
        Predictor::Left
    } else {
        Predictor::Nothing
    }
}

/// Adds the prediction to the HP coefficients of a macroblock.
pub(super) fn predict_high(colour: Colour, mb: &mut Macroblock) {
    /// The predicted coefficients of a block, in transform order.
    const ACROSS: [usize; 3] = [1, 5, 6];
    const DOWN: [usize; 3] = [2, 10, 9];
    let from = high_direction(colour, mb);
    for (channel, blocks) in mb.blocks.iter_mut().enumerate() {
        let (across, down) = colour.blocks(channel);
        let (places, back) = match from {
            Predictor::Left => (ACROSS, 1),
            Predictor::Top => (DOWN, across),
            _ => return,
        };
        for at in back..across * down {
            if from == Predictor::Left && at % across == 0 {
                continue;
            }
            for place in places {
                let other = blocks[((at - back) * 16 + place) & 255];
                let value = &mut blocks[(at * 16 + place) & 255];
                *value = value.wrapping_add(other);
            }
        }
    }
}
