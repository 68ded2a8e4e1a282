//! Texel patterns, in every texture format.

use context3d::enums::TextureFormat;

pub(crate) fn pattern(name: &str) -> Option<TexelPattern> {
    Some(match name {
        "texel" => texel,
        "smooth" => smooth_texel,
        "steps" => |_, _, level| opaque([35, 20, 5].map(|step| level * step + 20)),
        "by_level" => |_, _, level| opaque([90, 55, 200].map(|factor| (level + 1) * factor)),
        "face_0" => texel,
        "face_1" => |x, y, level| texel(x + 3, y, level),
        "face_2" => |x, y, level| texel(x, y + 5, level),
        "face_3" => |x, y, level| texel(x + 7, y + 2, level),
        "face_4" => |x, y, level| texel(x + 11, y, level),
        "face_5" => |x, y, level| texel(x, y + 9, level),
        "opaque" => |x, y, level| {
            let [red, green, blue, _] = texel(x, y, level);
            [red, green, blue, 255]
        },
        // The colours are premultiplied, so no channel is larger than alpha.
        "transparent" => |x, y, level| {
            let [.., alpha] = texel(x, y, level);
            texel(x, y, level).map(|channel| channel.min(alpha))
        },
        "ramp" => |x, y, _| opaque([77, y * 8, x * 8]),
        "every_byte" => |x, y, _| {
            let n = y * 32 + x;
            let bytes = [255 - n % 256, n + n / 256 * 64, n, n * 7];
            bytes.map(|value| u8::try_from(value % 256).unwrap_or(0))
        },
        _ => return None,
    })
}

/// Returns an opaque colour from the low bytes of three integers.
fn opaque(color: [u32; 3]) -> [u8; 4] {
    let [red, green, blue] = color.map(|value| u8::try_from(value % 256).unwrap_or(0));
    [red, green, blue, 255]
}

/// Returns a texel of an asymmetric pattern, with a different shade for each mip level.
pub(crate) fn texel(x: u32, y: u32, level: u32) -> [u8; 4] {
    let byte = |value: u32| u8::try_from(value % 256).unwrap_or(0);
    let checker = (x + y) % 2;
    [
        byte(40 + x * 13 + level * 37),
        byte(20 + y * 17 + level * 11),
        byte(checker * 90 + level * 29),
        byte(255u32.saturating_sub(x * 7 + y * 5)),
    ]
}

/// Like [`texel`], but neighbours differ little, so that a small error of the level of detail has a small effect.
pub(crate) fn smooth_texel(x: u32, y: u32, level: u32) -> [u8; 4] {
    let byte = |value: u32| u8::try_from(value.min(255)).unwrap_or(255);
    [byte(100 + x * 4 + level * 10), byte(60 + y * 5 + level * 12), byte(30 + level * 14), 255]
}

pub(crate) type TexelPattern = fn(u32, u32, u32) -> [u8; 4];

/// Converts a byte to the bits of a half float from 0 to 1.
fn half(byte: u8) -> u16 {
    if byte == 0 {
        return 0;
    }
    let value = f32::from(byte) / 255.0;
    let bits = value.to_bits();
    let exponent = (bits >> 23) & 0xFF;
    // The exponent biases of single and half floats differ by 112. All values are normal half floats, not denormals.
    u16::try_from(((exponent - 112) << 10) | ((bits >> 13) & 0x3FF)).unwrap_or(0)
}

/// Returns the texels of a mip level in the memory layout of a texture format.
pub(crate) fn texels(
    format: TextureFormat,
    (width, height): (u32, u32),
    level: u32,
    pattern: TexelPattern,
) -> Vec<u8> {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    places
        .flat_map(|(x, y)| {
            let [red, green, blue, alpha] = pattern(x, y, level);
            // `fields` contains the bit count and the bit position of each channel.
            let packed = |fields: [(u16, u16); 4]| {
                let channels = [red, green, blue, alpha].into_iter().zip(fields);
                let parts = channels.map(|(byte, (bits, at))| u16::from(byte) >> (8 - bits) << at);
                parts.sum::<u16>().to_le_bytes().to_vec()
            };
            match format {
                TextureFormat::BgrPacked565 => packed([(5, 11), (6, 5), (5, 0), (0, 0)]),
                TextureFormat::BgraPacked4444 => packed([(4, 8), (4, 4), (4, 0), (4, 12)]),
                TextureFormat::RgbaHalfFloat => {
                    [red, green, blue, alpha].map(|byte| half(byte).to_le_bytes()).concat()
                }
                _ => vec![blue, green, red, alpha],
            }
        })
        .collect()
}
