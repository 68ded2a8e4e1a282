//! Bitmaps of hosts, and their memory layouts.

/// Size of a pixel in bytes.
pub(crate) const PIXEL: usize = 4;

/// The order of a pixel's four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Red, green, blue, alpha.
    Rgba,
    /// Blue, green, red, alpha.
    Bgra,
}

/// The memory layout of a bitmap: four bytes per pixel, top row first. The default is the layout of Flash's
/// `BitmapData`: B, G, R, A, premultiplied, rows without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelLayout {
    /// The order of a pixel's bytes.
    pub order: ByteOrder,
    /// Colours are not premultiplied by alpha.
    pub straight_alpha: bool,
    /// Bytes from one row to the next, at least four per pixel; `None` for rows without padding.
    pub stride: Option<usize>,
}

impl Default for PixelLayout {
    fn default() -> Self {
        PixelLayout { order: ByteOrder::Bgra, straight_alpha: false, stride: None }
    }
}

impl PixelLayout {
    /// The layout R, G, B, A, premultiplied, rows without padding.
    pub const RGBA: PixelLayout =
        PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

    /// Returns the bytes from one row to the next.
    fn step(&self, width: u32) -> usize {
        self.stride.unwrap_or((width as usize).saturating_mul(PIXEL))
    }

    /// Returns the size of a bitmap in bytes, without the last row's padding; `None` if the size overflows or rows
    /// overlap.
    pub(crate) fn bytes(&self, width: u32, height: u32) -> Option<usize> {
        let row = (width as usize).checked_mul(PIXEL)?;
        let step = self.step(width);
        let rows = (height as usize).checked_sub(1)?.checked_mul(step)?;
        (step >= row).then(|| rows.checked_add(row)).flatten()
    }

    /// Returns a row of a bitmap.
    pub(crate) fn row<'a>(&self, pixels: &'a [u8], width: u32, row: u32) -> &'a [u8] {
        let start = (row as usize).saturating_mul(self.step(width));
        let end = start.saturating_add((width as usize).saturating_mul(PIXEL));
        pixels.get(start..end.min(pixels.len())).unwrap_or_default()
    }

    /// Converts pixels from this layout to B, G, R, A, premultiplied.
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

    /// Converts pixels from B, G, R, A, premultiplied, to this layout. Colours with alpha 0 become 0.
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

/// A `BitmapData` whose pixels are uploaded.
pub type Bitmap<'a> = BitmapSource<&'a [u8]>;

/// A `BitmapData` whose pixels are uploaded, with the owner of its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapSource<P> {
    /// Width in pixels; 0 for a disposed bitmap.
    pub width: u32,
    /// Height in pixels; 0 for a disposed bitmap.
    pub height: u32,
    /// The bitmap has an alpha channel.
    pub transparent: bool,
    /// The pixels; `None` for a disposed bitmap.
    pub pixels: Option<P>,
    /// The memory layout of the pixels.
    pub layout: PixelLayout,
}

/// A `BitmapData` that a call fills with pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTarget {
    /// Width in pixels; 0 for a disposed bitmap.
    pub width: u32,
    /// Height in pixels; 0 for a disposed bitmap.
    pub height: u32,
    /// The bitmap has an alpha channel; without one, written alpha becomes 255.
    pub transparent: bool,
}

/// Pixels that a call writes to a `BitmapData`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitmapPatch {
    /// Leftmost column in the destination.
    pub x: u32,
    /// Top row in the destination.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The pixels in the layout B, G, R, A, premultiplied, top row first.
    pub bgra: Vec<u8>,
}

/// Sets all alpha values to 1, because the memory of an opaque bitmap may contain any alpha.
pub(crate) fn opaque(pixels: &mut [u8]) {
    for [_, _, _, alpha] in pixels.as_chunks_mut().0 {
        *alpha = u8::MAX;
    }
}

fn byte(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

impl<P: std::ops::Deref<Target = [u8]>> BitmapSource<P> {
    /// Creates a bitmap with [`PixelLayout::RGBA`].
    pub fn rgba(width: u32, height: u32, transparent: bool, pixels: Option<P>) -> Self {
        BitmapSource { width, height, transparent, pixels, layout: PixelLayout::RGBA }
    }

    pub(crate) fn lend(&self) -> Bitmap<'_> {
        let &BitmapSource { width, height, transparent, ref pixels, layout } = self;
        Bitmap { width, height, transparent, pixels: pixels.as_deref(), layout }
    }
}

impl Bitmap<'_> {
    /// Converts the pixels to another layout, with zeros as padding. Returns `None` if the bitmap is disposed or its
    /// memory is too small.
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
    /// Returns the column and row in the destination, and the colour `0xAARRGGBB` (premultiplied), of each pixel.
    pub fn pixels(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let (columns, rows) = (self.x..self.x + self.width, self.y..self.y + self.height);
        let places = rows.flat_map(move |y| columns.clone().map(move |x| (x, y)));
        let pixels = self.bgra.as_chunks().0.iter().map(|pixel| u32::from_le_bytes(*pixel));
        places.zip(pixels).map(|((x, y), pixel)| (x, y, pixel))
    }

    /// Writes the pixels to a bitmap with `width` pixels per row, in this layout. Ignores pixels outside the bitmap.
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
