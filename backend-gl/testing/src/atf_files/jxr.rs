//! Lossless JPEG-XR images (T.832) in the formats of ATF files: squares of 16×16 pixels, each its own tile, so that
//! neither prediction nor adaptive codes are used. In an image of texels, each square has one colour. In an image of
//! block colours, each square has a base colour plus a ramp, so that all pixels of a square differ. The base colour
//! determines the DC coefficients; the ramp's other coefficients are constants.

/// Side of a square in pixels.
pub const SQUARE: u32 = 16;

/// A pixel format: last byte of its GUID, colour format and bit depth in the codestream, bias of its samples.
struct JxrFormat {
    guid: u8,
    colour: u32,
    depth: u32,
    bias: i32,
    alpha: bool,
    /// The coefficients except DC; empty for squares of one colour.
    detail: &'static [u8],
}

/// The coefficients of [`ramps`] except DC, from the encoder of the reference library jxrlib: U rises by 1 per column,
/// V by 1 per row.
const RAMPS: [u8; 79] = [
    0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x40, 0x00, 0xc0, 0x00, 0x00, 0x02, 0x00,
    0x00, 0x0f, 0x18, 0x44, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x10, 0x03, 0x40, 0x68, 0x0d, 0x05,
    0x81, 0x60, 0x58, 0x16, 0x05, 0x81, 0x60, 0x58, 0x16, 0x05, 0x81, 0x60, 0x58, 0x16, 0x05, 0x83,
    0xd0, 0x30, 0xf4, 0x0c, 0x3d, 0x03, 0x0f, 0x4d, 0x87, 0xa6, 0xc3, 0xd2, 0x61, 0xe9, 0x30, 0xf5,
    0x61, 0xea, 0xc3, 0xdb, 0x0f, 0x6c, 0x7d, 0x63, 0xeb, 0x1f, 0x58, 0xfa, 0xef, 0x58, 0x00,
];
/// The coefficients of one channel except DC, from jxrlib: the value rises by 1 per column and by 2 per row.
const GRAY_RAMP: [u8; 73] = [
    0xf3, 0x1e, 0x03, 0x60, 0x03, 0x00, 0x00, 0x00, 0x08, 0x80, 0x07, 0x98, 0xf1, 0xc1, 0xaf, 0x98,
    0xf1, 0xc1, 0xaf, 0x98, 0xf1, 0xc1, 0xaf, 0x98, 0xf1, 0x68, 0xd7, 0xcc, 0x78, 0xb4, 0x6b, 0xe6,
    0x3c, 0xe9, 0xb7, 0xcc, 0x79, 0xd3, 0x6f, 0x98, 0xf7, 0x4d, 0xbe, 0x63, 0xdd, 0x36, 0xf9, 0x87,
    0xb4, 0xdb, 0xe6, 0x1e, 0xd3, 0x6f, 0x98, 0x7a, 0x1b, 0x7c, 0xc3, 0xd0, 0xdb, 0xe6, 0x1e, 0x83,
    0x5f, 0x30, 0xf4, 0x1a, 0xf9, 0x87, 0xa0, 0xd6, 0x00,
];
/// The DC coefficients of the ramps: U, V, gray.
const RAMPS_DC: [i32; 3] = [-8, -8, -24];

/// The first tile offset that doesn't fit 16 bits, from which on offsets are the byte 0xfb and 32 bits (`VLW_ESC`).
const ESCAPE: u32 = 0xfb00;

/// Returns the length in bytes, which fits 32 bits in this crate.
fn bytes(of: &[u8]) -> u32 {
    u32::try_from(of.len()).unwrap_or(u32::MAX)
}

/// The GUIDs without their last byte.
const GUID: [u8; 15] =
    [0x24, 0xc3, 0xdd, 0x6f, 0x03, 0x4e, 0xfe, 0x4b, 0xb1, 0x85, 0x3d, 0x77, 0x76, 0x8d, 0xc9];

const fn format(guid: u8, colour: u32, depth: u32, bias: i32, alpha: bool) -> JxrFormat {
    JxrFormat { guid, colour, depth, bias, alpha, detail: &[] }
}

/// Returns a pixel format for squares with detail.
const fn detailed(
    guid: u8,
    colour: u32,
    depth: u32,
    bias: i32,
    detail: &'static [u8],
) -> JxrFormat {
    JxrFormat { guid, colour, depth, bias, alpha: false, detail }
}

/// Converts red, green and blue to Y, U and V without loss.
fn to_yuv([r, g, b]: [i32; 3]) -> [i32; 3] {
    let v = b - r;
    let u = r + ((v + 1) >> 1) - g;
    [g + (u >> 1), u, v]
}

/// Returns the red, green and blue of a pixel: the base colour of its square plus the ramps, clamped to 0..=`most`.
fn ramps(base: [u16; 3], (x, y): (u32, u32), most: i32) -> [u16; 3] {
    let [luma, u, v] = to_yuv(base.map(i32::from));
    let ramp = |at: u32| (at % SQUARE).cast_signed() - 8;
    let (u, v) = (u + ramp(x), v + ramp(y));
    let g = luma - (u >> 1);
    let r = u + g - ((v + 1) >> 1);
    [r, g, v + r].map(|channel| u16::try_from(channel.clamp(0, most)).unwrap_or(0))
}

/// Returns the channels of a 565 word, lowest first; red and blue are coded with six bits too.
fn channels565(word: u16) -> [u16; 3] {
    [(word & 31) << 1, word >> 5 & 63, word >> 11 << 1]
}

/// Returns the channels of a 555 word, lowest first.
fn channels555(word: u16) -> [u16; 3] {
    [word & 31, word >> 5 & 31, word >> 10 & 31]
}

/// Returns the 565 word of a pixel, given the 565 word of its square's base colour.
pub fn word565(base: u16, x: u32, y: u32) -> u16 {
    let [low, green, high] = ramps(channels565(base), (x, y), 63);
    high >> 1 << 11 | green << 5 | low >> 1
}

/// Like [`word565`], but with five bits per channel.
pub fn word555(base: u16, x: u32, y: u32) -> u16 {
    let [low, green, high] = ramps(channels555(base), (x, y), 31);
    high << 10 | green << 5 | low
}

/// Returns the gray of a pixel: its square's base gray plus the ramp.
pub fn gray_pixel(base: u8, x: u32, y: u32) -> u8 {
    let ramp = (x % SQUARE + 2 * (y % SQUARE)).cast_signed() - 24;
    u8::try_from((i32::from(base) + ramp).clamp(0, 255)).unwrap_or(0)
}

/// A bit writer, highest bit first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    used: u32,
}

impl BitWriter {
    fn put(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> bit & 1 == 1) << (7 - self.used);
            }
            self.used = (self.used + 1) % 8;
        }
    }

    fn align(&mut self) {
        self.used = 0;
    }
}

/// Writes 24bppBGR. `color` returns a square's B, G, R, given its column and row.
pub fn bgr(size: (u32, u32), color: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    let color = |x, y| {
        let [b, g, r] = color(x, y).map(i32::from);
        [r, g, b, 0]
    };
    picture(&format(0x0c, 7, 1, 128, false), size, color)
}

/// Writes 32bppBGRA. `color` returns a square's B, G, R, A, given its column and row.
pub fn bgra(size: (u32, u32), color: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let color = |x, y| {
        let [b, g, r, a] = color(x, y).map(i32::from);
        [r, g, b, a]
    };
    picture(&format(0x0f, 7, 1, 128, true), size, color)
}

/// Writes 8bppGray. `value` returns a square's base gray for [`gray_pixel`], given the square's column and row.
pub fn gray(size: (u32, u32), value: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let value = |x, y| [0, value(x, y).into(), 0, 0];
    picture(&detailed(0x08, 0, 1, 128, &GRAY_RAMP), size, value)
}

/// Writes 16bppBGR565. `word` returns a square's base colour for [`word565`], given the square's column and row.
pub fn words565(size: (u32, u32), word: impl Fn(u32, u32) -> u16) -> Vec<u8> {
    let color = |x, y| {
        let [r, g, b] = channels565(word(x, y)).map(i32::from);
        [r, g, b, 0]
    };
    picture(&detailed(0x0a, 7, 10, 32, &RAMPS), size, color)
}

/// Writes 16bppBGR555. `word` returns a square's base colour for [`word555`], given the square's column and row.
pub fn words555(size: (u32, u32), word: impl Fn(u32, u32) -> u16) -> Vec<u8> {
    let color = |x, y| {
        let [r, g, b] = channels555(word(x, y)).map(i32::from);
        [r, g, b, 0]
    };
    picture(&detailed(0x09, 7, 8, 16, &RAMPS), size, color)
}

/// Writes the file: directory, GUID, codestream. Colours are R, G, B, A; gray is in G.
fn picture(
    format: &JxrFormat,
    (width, height): (u32, u32),
    color: impl Fn(u32, u32) -> [i32; 4],
) -> Vec<u8> {
    const ENTRIES: u16 = 5;
    const DIRECTORY: u32 = 8;
    let guid = DIRECTORY + 2 + u32::from(ENTRIES) * 12 + 4;
    let image = guid + 16;
    let stream = codestream(format, (width, height), color);
    let mut file = b"II\xbc\x01".to_vec();
    file.extend(DIRECTORY.to_le_bytes());
    file.extend(ENTRIES.to_le_bytes());
    let length = bytes(&stream);
    for (tag, kind, count, value) in [
        (0xbc01u16, 1u16, 16, guid),
        (0xbc80, 4, 1, width),
        (0xbc81, 4, 1, height),
        (0xbcc0, 4, 1, image),
        (0xbcc1, 4, 1u32, length),
    ] {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]); // no further directory
    file.extend(GUID);
    file.push(format.guid);
    file.extend(stream);
    file
}

fn codestream(
    format: &JxrFormat,
    (width, height): (u32, u32),
    color: impl Fn(u32, u32) -> [i32; 4],
) -> Vec<u8> {
    let (across, down) = (width.div_ceil(SQUARE), height.div_ceil(SQUARE));
    let tiled = across * down > 1;
    let mut bits = BitWriter { bytes: b"WMPHOTO\0".to_vec(), used: 0 };
    for (value, count) in [
        (1, 4), // version
        (0, 1), // soft tiles
        (1, 3), // the standard, not its draft
        (u32::from(tiled), 1),
        (0, 1), // spatial order
        (0, 3), // orientation
        (u32::from(tiled), 1),
        (0, 2), // no overlap
        (1, 1), // sizes of 16 bits
        (0, 6), // long words, window, trimmed flexbits, stretching, swapped colours, premultiplied
        (u32::from(format.alpha), 1),
        (format.colour, 4),
        (format.depth, 4),
        (width - 1, 16),
        (height - 1, 16),
    ] {
        bits.put(value, count);
    }
    if tiled {
        bits.put(across - 1, 12);
        bits.put(down - 1, 12);
        for _ in 0..across - 1 + down - 1 {
            bits.put(1, 8);
        }
    }
    plane_header(&mut bits, format.colour != 0, !format.detail.is_empty());
    if format.alpha {
        plane_header(&mut bits, false, false);
    }
    let tiles: Vec<Vec<u8>> = (0..across * down)
        .map(|tile| square(format, color(tile % across, tile / across)))
        .collect();
    if tiled {
        bits.put(1, 16);
        let mut offset = 0;
        for tile in &tiles {
            match offset {
                0..ESCAPE => bits.put(offset, 16),
                _ => {
                    bits.put(ESCAPE >> 8, 8);
                    bits.put(offset, 32);
                }
            }
            offset = offset.saturating_add(bytes(tile));
        }
    }
    bits.put(0, 16); // no colour profile
    [bits.bytes, tiles.concat()].concat()
}

fn plane_header(bits: &mut BitWriter, colour: bool, detail: bool) {
    bits.put(if colour { 3 } else { 0 }, 3); // 4:4:4, or luma only
    bits.put(0, 1); // unscaled arithmetic
    bits.put(if detail { 0 } else { 3 }, 4); // all bands, or DC only
    if colour {
        bits.put(0, 8);
    }
    bits.put(1, 1); // the same step everywhere
    if colour {
        bits.put(0, 2); // and for all channels
    }
    bits.put(1, 8); // a step of 1
    if detail {
        bits.put(3, 2); // and for all bands
    }
    bits.align();
}

/// Returns the codestream packet of one tile.
fn square(format: &JxrFormat, [r, g, b, a]: [i32; 4]) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.put(1, 24);
    bits.put(0, 8);
    // The DC of a constant square is sixteen times its value, after four transforms of two values each.
    let dc = |sample: i32| sample * 16;
    let [du, dv, dg] = if format.detail.is_empty() { [0; 3] } else { RAMPS_DC };
    if format.colour == 0 {
        gray_dc(&mut bits, dc(g - format.bias) + dg);
    } else {
        let [y, u, v] = to_yuv([r, g, b]);
        let channels = [dc(y - format.bias), -(dc(u) + du), dc(v) + dv];
        let high = |dc: i32| dc.unsigned_abs() >> 8 != 0;
        let pattern = channels.iter().fold(0, |p, dc| p << 1 | usize::from(high(*dc)));
        let (word, length) =
            [(2, 2), (1, 3), (1, 5), (1, 4), (3, 2), (2, 3), (0, 5), (3, 3)][pattern];
        bits.put(word, length);
        for dc in channels {
            put_dc(&mut bits, dc);
        }
    }
    if format.alpha {
        gray_dc(&mut bits, dc(a - format.bias));
    }
    for byte in format.detail {
        bits.put((*byte).into(), 8);
    }
    bits.bytes
}

fn gray_dc(bits: &mut BitWriter, dc: i32) {
    bits.put(u32::from(dc.unsigned_abs() >> 8 != 0), 1);
    put_dc(bits, dc);
}

/// Writes a DC: its bits above the low eight in the first code of seven symbols, then the low bits and the sign.
fn put_dc(bits: &mut BitWriter, dc: i32) {
    let size = dc.unsigned_abs();
    let high = size >> 8;
    if high != 0 {
        let ((word, length), rest, more) = match high + 1 {
            2 => ((1, 2), 0, 0),
            3 => ((2, 2), 0, 0),
            level @ 4..6 => ((3, 2), level - 4, 1),
            level @ 6..10 => ((1, 3), level - 6, 2),
            level @ 10..14 => ((1, 4), level - 10, 2),
            // The last symbol encodes levels 14 to 17, which the DCs of colours never reach.
            level => ((0, 5), level - 14, 2),
        };
        bits.put(word, length);
        bits.put(rest, more);
    }
    bits.put(size & 255, 8);
    if size != 0 {
        bits.put(u32::from(dc < 0), 1);
    }
}
