//! Test images.

use jpeg_xr::PixelFormat;

use crate::random::Random;

/// The content of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Independent random samples.
    Noise,
    /// Samples that are randomly black or white.
    Extremes,
    /// Small random deviations from one colour.
    Faint,
    /// A single colour.
    Flat,
    /// A single colour with a few dots.
    Dots,
    /// Random rectangles.
    Squares,
    /// A linear ramp in each channel.
    Ramps,
    /// Smooth shapes of several sizes, with a little noise.
    Photograph,
}

impl Content {
    pub(crate) const ALL: [Self; 8] = [
        Self::Noise,
        Self::Extremes,
        Self::Faint,
        Self::Flat,
        Self::Dots,
        Self::Squares,
        Self::Ramps,
        Self::Photograph,
    ];

    /// Returns the pixels in rows without padding. In 16-bit pixels, blue is in the low bits.
    pub(crate) fn paint(
        self,
        format: PixelFormat,
        width: u32,
        height: u32,
        random: &mut Random,
    ) -> Vec<u8> {
        let mut painter = Painter::new(random);
        let mut pixels = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let c = [0, 1, 2, 3].map(|channel| painter.sample(self, x, y, channel, random));
                let word = match format {
                    PixelFormat::Bgr565 => (c[2] >> 3) << 11 | (c[1] >> 2) << 5 | c[0] >> 3,
                    PixelFormat::Bgr555 => (c[2] >> 3) << 10 | (c[1] >> 3) << 5 | c[0] >> 3,
                    _ => c[0] | c[1] << 8 | c[2] << 16 | c[3] << 24,
                };
                pixels.extend(&word.to_le_bytes()[..format.bytes()]);
            }
        }
        pixels
    }
}

/// Random choices that apply to a whole image.
struct Painter {
    colours: [[u32; 4]; 2],
    /// Widths and heights of squares, and slopes of colour ramps.
    periods: [u32; 8],
    lattice: u64,
}

impl Painter {
    fn new(random: &mut Random) -> Self {
        Self {
            colours: [0; 2].map(|_| [0; 4].map(|_| random.below(256))),
            periods: [0; 8].map(|_| random.within(3, 40)),
            lattice: random.next(),
        }
    }

    /// Returns a sample from 0 to 255.
    fn sample(&mut self, content: Content, x: u32, y: u32, channel: u32, r: &mut Random) -> u32 {
        let at = channel as usize & 3;
        let base = self.colours[0][at];
        let other = self.colours[1][at];
        let [wide, high, ..] = self.periods;
        match content {
            Content::Noise => r.below(256),
            Content::Extremes => 255 * r.below(2),
            Content::Faint => (base + r.below(4)).min(255),
            Content::Flat => base,
            Content::Dots if r.once_in(70) => r.below(256),
            Content::Dots => base,
            Content::Squares if (x / wide + y / high).is_multiple_of(2) => base,
            Content::Squares => other,
            Content::Ramps => {
                (base + x * self.periods[at] / 8 + y * self.periods[at + 4] / 8) & 255
            }
            Content::Photograph => {
                let octaves = [(48, 128), (17, 64), (6, 32), (3, 16)];
                let sum: u32 = octaves
                    .iter()
                    .map(|(period, weight)| self.smooth(x, y, channel, *period) * weight / 256)
                    .sum();
                sum + r.below(8)
            }
        }
    }

    /// Returns random lattice values, interpolated by distance.
    fn smooth(&self, x: u32, y: u32, channel: u32, period: u32) -> u32 {
        let value = |x: u32, y: u32| {
            let key = u64::from(x) | u64::from(y) << 20 | u64::from(channel) << 40;
            Random::new(self.lattice ^ u64::from(period), key).below(256)
        };
        let (column, row, dx, dy) = (x / period, y / period, x % period, y % period);
        let mix = |a: u32, b: u32, d: u32| (a * (period - d) + b * d) / period;
        let upper = mix(value(column, row), value(column + 1, row), dx);
        let lower = mix(value(column, row + 1), value(column + 1, row + 1), dx);
        mix(upper, lower, dy)
    }
}
