//! Resizes texel images.

use context3d::packets::TexelLayout;

/// Size of a pixel in bytes.
const PIXEL: usize = 4;

/// Width and height.
pub type ResizeSize = (u32, u32);

/// Splits `0..from` into `to` ranges of almost equal length. Returns the start of each range, and the end of the last.
fn edges(from: u32, to: u32) -> impl Iterator<Item = usize> + Clone {
    let edge = move |at: u32| u64::from(at) * u64::from(from) / u64::from(to.max(1));
    (0..=to).map(move |at| usize::try_from(edge(at)).unwrap_or(usize::MAX))
}

/// Resizes an image of texels of any size by nearest neighbour: repeats texels, or keeps the first of several.
fn repeated(data: &[u8], texel: usize, from: ResizeSize, to: ResizeSize) -> Vec<u8> {
    let row = (from.0 as usize).saturating_mul(texel);
    let mut out = Vec::with_capacity(to.0 as usize * to.1 as usize * texel);
    for y in edges(from.1, to.1).take(to.1 as usize) {
        let row = data.get(y.saturating_mul(row)..).unwrap_or_default();
        for x in edges(from.0, to.0).take(to.0 as usize) {
            let at = x.saturating_mul(texel);
            out.extend_from_slice(row.get(at..at.saturating_add(texel)).unwrap_or_default());
        }
    }
    out
}

/// Shrinks an image of four bytes per pixel. Each pixel is the mean of the source pixels that it covers.
pub(super) fn mean(pixels: &[u8], from: ResizeSize, to: ResizeSize) -> Vec<u8> {
    let pixels = pixels.as_chunks::<PIXEL>().0;
    let mut out = Vec::with_capacity(to.0 as usize * to.1 as usize * PIXEL);
    let (rows, columns) = (edges(from.1, to.1), edges(from.0, to.0));
    for (top, bottom) in rows.clone().zip(rows.skip(1)) {
        for (left, right) in columns.clone().zip(columns.clone().skip(1)) {
            let (mut sum, mut count) = ([0u64; PIXEL], 0u64);
            for y in top..bottom.max(top + 1) {
                let first = y * from.0 as usize;
                let row = pixels.get(first + left..first + right.max(left + 1));
                for pixel in row.unwrap_or_default() {
                    sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
                    count += 1;
                }
            }
            let mean = |sum: u64| (sum + count / 2).checked_div(count).unwrap_or(0);
            out.extend(sum.map(|sum| u8::try_from(mean(sum)).unwrap_or(u8::MAX)));
        }
    }
    out
}

/// Resizes an image in an uncompressed layout. Enlarging repeats texels. Shrinking averages texels of four bytes; in
/// other layouts it keeps the first texel of each group.
pub fn resized(data: &[u8], layout: TexelLayout, from: ResizeSize, to: ResizeSize) -> Vec<u8> {
    let smaller = u64::from(to.0) * u64::from(to.1) < u64::from(from.0) * u64::from(from.1);
    match layout {
        TexelLayout::Bgra8 if smaller => mean(data, from, to),
        _ => repeated(data, layout.bytes(1, 1), from, to),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/resize.rs"]
mod tests;
