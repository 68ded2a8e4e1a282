//! Compares two images within a tolerance, and distinguishes an edge that moved by a pixel from a wrong pixel.

use super::RgbaImage;

/// A pixel that differs: its position, actual colour and expected colour.
pub type PixelDifference = ((u32, u32), [u8; 4], [u8; 4]);

/// The largest difference of a channel that counts as rounding or filtering by renderers.
pub const ROUNDING: u8 = 8;
/// Distance to the neighbouring pixels that are checked to detect an edge, and how many of them must be equal.
const AROUND: u32 = 2;
const ALIKE: usize = 6;
/// If more than one in this many pixels differ, the images aren't searched for edges.
const SPARSE: u64 = 16;

/// The minimum ratio of differing pixels to pixels that neither edges nor rounding explain, for images that count as
/// equal.
const FEW: u64 = 50;

/// The differences between two images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageComparison {
    /// Width and height of the actual image.
    pub actual_size: (u32, u32),
    /// Width and height of the expected image.
    pub expected_size: (u32, u32),
    /// Pixels in which at least one channel, including alpha, differs by more than the tolerance. If the sizes differ,
    /// all pixels of the larger image count.
    pub differing: u64,
    /// Differing pixels that an edge moved by a pixel explains: their actual colour is next to them in the expected
    /// image, and their expected colour is next to them in the actual one.
    pub moved: u64,
    /// Number of differing pixels that aren't `moved` and that antialiasing of an edge explains. The difference of such
    /// a pixel is at most that between neighbouring pixels which are equal in both images. The number is 0 if large
    /// parts of the images differ.
    pub blended: u64,
    /// Number of differing pixels, neither `moved` nor `blended`, in which every channel differs by at most
    /// [`ROUNDING`].
    pub rounded: u64,
    /// The largest difference in any channel; 255 if the sizes differ.
    pub max_delta: u8,
    /// The first differing pixel that isn't [moved](ImageComparison::moved), or else the first moved pixel.
    pub first: Option<PixelDifference>,
}

impl ImageComparison {
    /// Returns whether the images have the same size.
    pub fn same_size(&self) -> bool {
        self.actual_size == self.expected_size
    }

    /// Returns the number of differing pixels that a moved edge doesn't explain.
    pub fn wrong(&self) -> u64 {
        self.differing - self.moved
    }

    /// Returns the number of differing pixels that neither an edge nor rounding explains.
    pub fn unexplained(&self) -> u64 {
        self.wrong() - self.blended - self.rounded
    }

    /// Returns whether few pixels differ, and edges and rounding explain at least 49 of 50 of them.
    pub fn is_equal_but_for_edges(&self) -> bool {
        self.differing > 0 && self.is_sparse() && self.unexplained() * FEW <= self.differing
    }

    fn is_sparse(&self) -> bool {
        let (width, height) = self.actual_size;
        self.same_size() && self.differing * SPARSE <= u64::from(width) * u64::from(height)
    }

    /// Returns whether the images have the same size and at most `max_outliers` pixels differ.
    pub fn passes(&self, max_outliers: u64) -> bool {
        self.same_size() && self.differing <= max_outliers
    }

    /// Returns the message for images of different sizes.
    pub fn describe_sizes(&self) -> String {
        let ((aw, ah), (ew, eh)) = (self.actual_size, self.expected_size);
        format!("the image is {aw}×{ah} ({ew}×{eh} expected)")
    }
}

/// Compares every channel of every pixel; `tolerance` is the largest difference that counts as equal.
pub fn compare(actual: &RgbaImage, expected: &RgbaImage, tolerance: u8) -> ImageComparison {
    let mut comparison = ImageComparison {
        actual_size: (actual.width, actual.height),
        expected_size: (expected.width, expected.height),
        differing: 0,
        moved: 0,
        blended: 0,
        rounded: 0,
        max_delta: 0,
        first: None,
    };
    if !comparison.same_size() {
        let area = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
        comparison.differing = area(comparison.actual_size).max(area(comparison.expected_size));
        comparison.max_delta = 255;
        return comparison;
    }
    let (mut first_moved, mut others) = (None, Vec::new());
    let positions = (0..actual.height).flat_map(|y| (0..actual.width).map(move |x| (x, y)));
    let pairs = actual.rgba.as_chunks::<4>().0.iter().zip(expected.rgba.as_chunks::<4>().0);
    // Skip equal pixels early, because most pixels are equal.
    for (at, (is, should)) in positions.zip(pairs).filter(|(_, (is, should))| is != should) {
        let delta = pixel_delta(is, should);
        comparison.max_delta = comparison.max_delta.max(delta);
        if delta <= tolerance {
            continue;
        }
        comparison.differing += 1;
        let moved = is_near(expected, at, is, tolerance) && is_near(actual, at, should, tolerance);
        comparison.moved += u64::from(moved);
        if !moved {
            others.push((at, delta));
        }
        let first = if moved { &mut first_moved } else { &mut comparison.first };
        first.get_or_insert((at, *is, *should));
    }
    comparison.first = comparison.first.or(first_moved);
    let is_sparse = comparison.is_sparse();
    for (at, delta) in others {
        if is_sparse && is_on_edge([actual, expected], at, tolerance) {
            comparison.blended += 1;
        } else if delta <= ROUNDING {
            comparison.rounded += 1;
        }
    }
    comparison
}

/// Returns whether an image contains a colour at a position or at its eight neighbours.
fn is_near(image: &RgbaImage, (x, y): (u32, u32), color: &[u8; 4], tolerance: u8) -> bool {
    let around = |at: u32| at.saturating_sub(1)..=at.saturating_add(1);
    around(y).any(|y| {
        around(x).any(|x| {
            let pixel = image.pixel(x, y);
            pixel.is_some_and(|pixel| pixel_delta(&pixel, color) <= tolerance)
        })
    })
}

/// Returns whether a pixel lies on an edge: enough pixels around it are equal in both images, and their colours differ
/// from each other as much as the pixel's two colours.
fn is_on_edge(pictures: [&RgbaImage; 2], (x, y): (u32, u32), tolerance: u8) -> bool {
    let (mut ranges, mut alike) = ([(u8::MAX, u8::MIN); 4], 0);
    let around = |at: u32| at.saturating_sub(AROUND)..=at.saturating_add(AROUND);
    for place in around(y).flat_map(|y| around(x).map(move |x| (x, y))) {
        let neighbours = pictures.map(|picture| picture.pixel(place.0, place.1));
        let [Some(one), Some(two)] = neighbours else { continue };
        if pixel_delta(&one, &two) > tolerance.max(ROUNDING) {
            continue;
        }
        alike += 1;
        for ((least, most), value) in ranges.iter_mut().zip(two) {
            (*least, *most) = ((*least).min(value), (*most).max(value));
        }
    }
    let [Some(one), Some(two)] = pictures.map(|picture| picture.pixel(x, y)) else { return false };
    let mut channels = one.iter().zip(two).zip(ranges);
    alike >= ALIKE
        && channels.all(|((one, two), (least, most))| {
            one.abs_diff(two) <= most.saturating_sub(least).saturating_add(tolerance)
        })
}

/// Returns the largest difference of any channel of two pixels.
pub(super) fn pixel_delta(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}
