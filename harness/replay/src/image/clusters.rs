//! The regions in which two images differ, as rectangles.

use super::RgbaImage;
use super::compare::pixel_delta;

/// Differing pixels that are at most this far apart belong to one cluster.
const CELL: u32 = 8;

/// A group of differing pixels that lie close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Cluster {
    /// The bounding box: left, top, right and bottom; right and bottom are exclusive.
    pub bounds: [u32; 4],
    /// The number of differing pixels in the cluster.
    pub pixels: u64,
    /// The pixel of the cluster with the largest difference.
    pub at: (u32, u32),
}

/// The differing pixels of a square of [`CELL`] pixels, and the largest difference among them.
type PixelSquare = Option<(Cluster, u8)>;

/// Returns clusters of pixels in which a channel differs by more than `tolerance`, the largest cluster first. If the
/// sizes differ, compares the area that both images contain.
pub fn clusters(actual: &RgbaImage, expected: &RgbaImage, tolerance: u8) -> Vec<Cluster> {
    let (width, height) = (actual.width.min(expected.width), actual.height.min(expected.height));
    let (columns, rows) = (width.div_ceil(CELL), height.div_ceil(CELL));
    let index = |x: u32, y: u32| y as usize * columns as usize + x as usize;
    let mut cells: Vec<PixelSquare> = vec![None; columns as usize * rows as usize];
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (Some(is), Some(should)) = (actual.pixel(x, y), expected.pixel(x, y)) else { continue };
        let delta = pixel_delta(&is, &should);
        if delta > tolerance
            && let Some(cell) = cells.get_mut(index(x / CELL, y / CELL))
        {
            let one = Cluster { bounds: [x, y, x + 1, y + 1], pixels: 1, at: (x, y) };
            *cell = Some(join(*cell, (one, delta)));
        }
    }
    let mut found = Vec::new();
    for start in 0..cells.len() {
        let (mut cluster, mut open): (PixelSquare, Vec<usize>) = (None, Vec::from([start]));
        while let Some(at) = open.pop() {
            let Some(cell) = cells.get_mut(at).and_then(Option::take) else { continue };
            cluster = Some(join(cluster, cell));
            let (x, y) = (at % columns as usize, at / columns as usize);
            let near = |at: usize, end: u32| at.saturating_sub(1)..(at + 2).min(end as usize);
            for y in near(y, rows) {
                open.extend(near(x, columns).map(|x| y * columns as usize + x));
            }
        }
        found.extend(cluster.map(|(cluster, _)| cluster));
    }
    found.sort_by_key(|cluster| std::cmp::Reverse(cluster.pixels));
    found
}

fn join(old: PixelSquare, (new, delta): (Cluster, u8)) -> (Cluster, u8) {
    let Some((old, most)) = old else { return (new, delta) };
    let ([left, top, right, bottom], [l, t, r, b]) = (old.bounds, new.bounds);
    let joined = Cluster {
        bounds: [left.min(l), top.min(t), right.max(r), bottom.max(b)],
        pixels: old.pixels + new.pixels,
        at: if delta > most { new.at } else { old.at },
    };
    (joined, most.max(delta))
}
