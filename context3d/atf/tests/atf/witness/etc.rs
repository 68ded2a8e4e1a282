//! Decoder of ETC2 colour blocks and EAC alpha, after the Khronos Data Format Specification, sections "ETC1" and
//! "ETC2". ETC1 is the subset without the modes T, H and planar.

/// The texels of a block, row by row, as B, G, R, A.
pub(super) type Block = [[u8; 4]; 16];

/// Modifiers that are added to the base colour of a half, by table and by a texel's two index bits.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of the paint colours in the T and H modes.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Modifiers that are added to the base alpha after multiplication, by table and by a texel's three index bits.
const ALPHA_MODIFIERS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// Red, green and blue, which are 0..255 after clamping.
type Rgb = [i32; 3];

/// The 64 bits of a block. The highest bit has number 63, as in the specification.
#[derive(Clone, Copy)]
struct Bits(u64);

impl Bits {
    /// Returns `count` bits, starting at bit `low`.
    fn get(self, low: u32, count: u32) -> i32 {
        i32::try_from(self.0 >> low & ((1 << count) - 1)).unwrap_or(0)
    }

    /// Like [`Bits::get`], but returns a two's complement number.
    fn signed(self, low: u32, count: u32) -> i32 {
        let value = self.get(low, count);
        if value >> (count - 1) & 1 == 1 { value - (1 << count) } else { value }
    }

    /// Returns the two index bits of a texel, which are stored by columns. The high bit negates the modifier.
    fn index(self, x: usize, y: usize) -> usize {
        let number = x * 4 + y;
        let bit = |place: usize| usize::from(self.0 >> place & 1 == 1);
        bit(16 + number) << 1 | bit(number)
    }
}

/// Extends a value of `bits` bits to eight bits.
fn widen(value: i32, bits: u32) -> i32 {
    value << (8 - bits) | value >> (2 * bits).saturating_sub(8)
}

fn clamp(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or(0)
}

fn add(color: Rgb, value: i32) -> Rgb {
    color.map(|channel| channel + value)
}

fn texels(color: impl Fn(usize, usize) -> Rgb) -> Block {
    std::array::from_fn(|i| {
        let [r, g, b] = color(i % 4, i / 4).map(clamp);
        [b, g, r, u8::MAX]
    })
}

/// Decodes an ETC2 colour block of 8 bytes.
pub(super) fn color(block: &[u8; 8]) -> Block {
    let bits = Bits(u64::from_be_bytes(*block));
    if bits.get(33, 1) == 0 {
        let base = |low| [low + 16, low + 8, low].map(|low| widen(bits.get(low, 4), 4));
        return halves(bits, base(44), base(40));
    }
    let first: Rgb = [59, 51, 43].map(|low| bits.get(low, 5));
    let difference: Rgb = [56, 48, 40].map(|low| bits.signed(low, 3));
    let second: Rgb = std::array::from_fn(|channel| first[channel] + difference[channel]);
    let inside = |channel: usize| (0..32).contains(&second[channel]);
    match (inside(0), inside(1), inside(2)) {
        (false, _, _) => t_mode(bits),
        (_, false, _) => h_mode(bits),
        (_, _, false) => planar(bits),
        _ => {
            let wide = |color: Rgb| color.map(|channel| widen(channel, 5));
            halves(bits, wide(first), wide(second))
        }
    }
}

/// Decodes a block of two halves, each with a base colour and a table of four modifiers.
fn halves(bits: Bits, first: Rgb, second: Rgb) -> Block {
    let table = |low| MODIFIERS[bits.get(low, 3).unsigned_abs() as usize & 7];
    let (flipped, tables) = (bits.get(32, 1) == 1, [table(37), table(34)]);
    texels(|x, y| {
        let half = usize::from(if flipped { y >= 2 } else { x >= 2 });
        let index = bits.index(x, y);
        let size = tables[half][index & 1];
        let base = if half == 0 { first } else { second };
        add(base, if index & 2 == 0 { size } else { -size })
    })
}

fn paint(bits: Bits, paints: [Rgb; 4]) -> Block {
    texels(|x, y| paints[bits.index(x, y)])
}

fn t_mode(bits: Bits) -> Block {
    let red = bits.get(59, 2) << 2 | bits.get(56, 2);
    let first = [red, bits.get(52, 4), bits.get(48, 4)].map(|channel| widen(channel, 4));
    let second = [44, 40, 36].map(|low| widen(bits.get(low, 4), 4));
    let distance = bits.get(34, 2) << 1 | bits.get(32, 1);
    let distance = DISTANCES[distance.unsigned_abs() as usize & 7];
    paint(bits, [first, add(second, distance), second, add(second, -distance)])
}

fn h_mode(bits: Bits) -> Block {
    let green = bits.get(56, 3) << 1 | bits.get(52, 1);
    let blue = bits.get(51, 1) << 3 | bits.get(47, 3);
    let first = [bits.get(59, 4), green, blue];
    let second = [43, 39, 35].map(|low| bits.get(low, 4));
    // The order of the two colours determines the lowest bit.
    let distance = bits.get(34, 1) << 2 | bits.get(32, 1) << 1 | i32::from(first >= second);
    let distance = DISTANCES[distance.unsigned_abs() as usize & 7];
    let [first, second] = [first, second].map(|color| color.map(|channel| widen(channel, 4)));
    paint(
        bits,
        [
            add(first, distance),
            add(first, -distance),
            add(second, distance),
            add(second, -distance),
        ],
    )
}

/// Decodes planar mode: three colours, at the origin and at the ends of both axes, define a plane.
fn planar(bits: Bits) -> Block {
    let color = |red: i32, green: i32, blue: i32| [widen(red, 6), widen(green, 7), widen(blue, 6)];
    let blue = bits.get(48, 1) << 5 | bits.get(43, 2) << 3 | bits.get(39, 3);
    let green = bits.get(56, 1) << 6 | bits.get(49, 6);
    let origin = color(bits.get(57, 6), green, blue);
    let red = bits.get(34, 5) << 1 | bits.get(32, 1);
    let right = color(red, bits.get(25, 7), bits.get(19, 6));
    let below = color(bits.get(13, 6), bits.get(6, 7), bits.get(0, 6));
    texels(|x, y| {
        let at = |place: usize| i32::try_from(place).unwrap_or(0);
        std::array::from_fn(|channel| {
            let start = origin[channel];
            let across = at(x) * (right[channel] - start);
            let down = at(y) * (below[channel] - start);
            (across + down + 4 * start + 2) >> 2
        })
    })
}

/// Decodes a block of 16 bytes: EAC alpha, followed by ETC2 colours.
pub(super) fn color_and_alpha(block: &[u8; 16]) -> Block {
    let [alpha, colors] = block.as_chunks::<8>().0 else {
        return Block::default(); // unreachable: 16 bytes are two chunks of 8
    };
    let mut texels = color(colors);
    let bits = Bits(u64::from_be_bytes(*alpha));
    let table = ALPHA_MODIFIERS[bits.get(48, 4).unsigned_abs() as usize & 15];
    let (base, multiplier) = (bits.get(56, 8), bits.get(52, 4));
    for (place, texel) in (0u32..).zip(&mut texels) {
        let number = place % 4 * 4 + place / 4; // EAC stores indices by columns
        let index = bits.get(45 - 3 * number, 3).unsigned_abs() as usize & 7;
        texel[3] = clamp(base + table[index] * multiplier);
    }
    texels
}
