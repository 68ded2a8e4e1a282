//! A host's bitmaps and their memory layouts.

/// Bytes of a pixel.
pub(crate) const PIXEL: usize = 4;

/// The order of a pixel's four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Red, green, blue, alpha.
    Rgba,
    /// Blue, green, red, alpha.
    Bgra,
}

/// The memory layout of a bitmap: rows from top to bottom, four bytes per pixel. The default is that of Flash's own
/// `BitmapData`: B, G, R, A, premultiplied, rows without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelLayout {
    /// The order of bytes.
    pub order: ByteOrder,
    /// Colour is not multiplied by alpha.
    pub straight_alpha: bool,
    /// Bytes from a row to the next, at least four per pixel; `None`: rows without padding.
    pub stride: Option<usize>,
}

impl Default for PixelLayout {
    fn default() -> Self {
        PixelLayout { order: ByteOrder::Bgra, straight_alpha: false, stride: None }
    }
}

impl PixelLayout {
    /// R, G, B, A, premultiplied, rows without padding.
    pub const RGBA: PixelLayout =
        PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

    /// Bytes from a row to the next.
    fn step(&self, width: u32) -> usize {
        self.stride.unwrap_or((width as usize).saturating_mul(PIXEL))
    }

    /// Bytes of a bitmap without the last row's padding; `None` if the number overflows or rows overlap.
    pub(crate) fn bytes(&self, width: u32, height: u32) -> Option<usize> {
        let row = (width as usize).checked_mul(PIXEL)?;
        let step = self.step(width);
        let rows = (height as usize).checked_sub(1)?.checked_mul(step)?;
        (step >= row).then(|| rows.checked_add(row)).flatten()
    }

    /// One row of a bitmap.
    pub(crate) fn row<'a>(&self, pixels: &'a [u8], width: u32, row: u32) -> &'a [u8] {
        let start = (row as usize).saturating_mul(self.step(width));
        let end = start.saturating_add((width as usize).saturating_mul(PIXEL));
        pixels.get(start..end.min(pixels.len())).unwrap_or_default()
    }

    /// Converts pixels in this layout to B, G, R, A, premultiplied.
    pub(crate) fn import(self, pixels: &mut [u8]) {
        for pixel in pixels.as_chunks_mut::<PIXEL>().0 {
            if self.order == ByteOrder::Rgba {
                pixel.swap(0, 2);
            }
            let alpha = u16::from(pixel[3]);
            if self.straight_alpha && alpha != 255 {
                for channel in &mut pixel[..3] {
                    *channel = byte((u16::from(*channel) * alpha + 127) / 255);
                }
            }
        }
    }

    /// Converts B, G, R, A, premultiplied, to this layout. If alpha is 0, colour is lost and becomes 0.
    fn export(self, pixels: &mut [u8]) {
        for pixel in pixels.as_chunks_mut::<PIXEL>().0 {
            let alpha = u16::from(pixel[3]);
            if self.straight_alpha && alpha != 255 {
                for channel in &mut pixel[..3] {
                    let straight = (u16::from(*channel) * 255 + alpha / 2).checked_div(alpha);
                    *channel = byte(straight.unwrap_or(0));
                }
            }
            if self.order == ByteOrder::Rgba {
                pixel.swap(0, 2);
            }
        }
    }
}

/// A `BitmapData` that is read.
pub type Bitmap<'a> = HeldBitmap<&'a [u8]>;

/// A `BitmapData` that is read, with what keeps its pixels alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBitmap<P> {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has an alpha channel.
    pub transparent: bool,
    /// Rows in that layout; `None` when disposed.
    pub pixels: Option<P>,
    /// The memory layout of the pixels.
    pub layout: PixelLayout,
}

/// A `BitmapData` that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTarget {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has an alpha channel; if not, alpha becomes 255.
    pub transparent: bool,
}

/// Pixels to write to a `BitmapData`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitmapPatch {
    /// Left pixel in the destination.
    pub x: u32,
    /// Top pixel in the destination.
    pub y: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows top to bottom, B, G, R, A, premultiplied.
    pub bgra: Vec<u8>,
}

/// Sets alpha to 1: an opaque bitmap's memory may have any other.
pub(crate) fn opaque(pixels: &mut [u8]) {
    for [_, _, _, alpha] in pixels.as_chunks_mut().0 {
        *alpha = u8::MAX;
    }
}

fn byte(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

impl<P: std::ops::Deref<Target = [u8]>> HeldBitmap<P> {
    /// Pixels in [`PixelLayout::RGBA`].
    pub fn rgba(width: u32, height: u32, transparent: bool, pixels: Option<P>) -> Self {
        HeldBitmap { width, height, transparent, pixels, layout: PixelLayout::RGBA }
    }

    pub(crate) fn lend(&self) -> Bitmap<'_> {
        let &HeldBitmap { width, height, transparent, ref pixels, layout } = self;
        Bitmap { width, height, transparent, pixels: pixels.as_deref(), layout }
    }
}

impl Bitmap<'_> {
    /// The pixels in another layout, with zeros as padding; `None` if the bitmap is disposed or its memory is too
    /// small.
    pub fn to_layout(&self, layout: PixelLayout) -> Option<Vec<u8>> {
        let bytes = self.layout.bytes(self.width, self.height)?;
        let pixels = self.pixels.filter(|pixels| pixels.len() >= bytes)?;
        let mut out = vec![0; layout.bytes(self.width, self.height)?];
        for row in 0..self.height {
            let from = self.layout.row(pixels, self.width, row);
            let start = (row as usize).saturating_mul(layout.step(self.width));
            let to = out.get_mut(start..start.saturating_add(from.len()))?;
            to.copy_from_slice(from);
            if self.layout.order != layout.order
                || self.layout.straight_alpha != layout.straight_alpha
            {
                if !self.transparent {
                    opaque(to);
                }
                self.layout.import(to);
                layout.export(to);
            }
        }
        Some(out)
    }
}

impl BitmapPatch {
    /// Column and row of each pixel in the bitmap, and `0xAARRGGBB`, premultiplied.
    pub fn pixels(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let (columns, rows) = (self.x..self.x + self.width, self.y..self.y + self.height);
        let places = rows.flat_map(move |y| columns.clone().map(move |x| (x, y)));
        let pixels = self.bgra.as_chunks().0.iter().map(|pixel| u32::from_le_bytes(*pixel));
        places.zip(pixels).map(|((x, y), pixel)| (x, y, pixel))
    }

    /// Writes the pixels to a bitmap with `width` pixels per row, in its layout. Pixels outside of the memory are
    /// dropped.
    pub fn write_to(&self, pixels: &mut [u8], width: u32, layout: PixelLayout) {
        let step = layout.step(width);
        let columns = self.width.min(width.saturating_sub(self.x)) as usize * PIXEL;
        let rows = self.bgra.chunks_exact((self.width as usize * PIXEL).max(1));
        for (row, from) in rows.enumerate() {
            let start = (self.y as usize + row)
                .saturating_mul(step)
                .saturating_add(self.x as usize * PIXEL);
            let to = pixels.get_mut(start..start.saturating_add(columns));
            if let (Some(to), Some(from)) = (to, from.get(..columns)) {
                to.copy_from_slice(from);
                layout.export(to);
            }
        }
    }
}
