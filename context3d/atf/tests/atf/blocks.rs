//! Compares the block decoders with an independent decoder, and the encoders with the decoders.

use proptest::prelude::*;

use atf::{Atf, AtfFormat, LevelEncoding, TexelLayout, convert};
use molehill_testing::atf_files::{AtfSpec, groups, pvrtc};

use crate::witness;

/// A block format: a texel layout, or a format that only files contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    Of(TexelLayout),
    /// ETC1 colour blocks, followed by equally many blocks whose green channel is the alpha.
    Etc1Alpha,
    Pvrtc,
}

const DXT1: Blocks = Blocks::Of(TexelLayout::Dxt1);
const DXT5: Blocks = Blocks::Of(TexelLayout::Dxt5);
const ETC2: Blocks = Blocks::Of(TexelLayout::Etc2);
const ETC2_EAC: Blocks = Blocks::Of(TexelLayout::Etc2Eac);

impl Blocks {
    fn bytes(self, width: u32, height: u32) -> usize {
        match self {
            Blocks::Of(layout) => layout.bytes(width, height),
            Blocks::Etc1Alpha => TexelLayout::Etc2.bytes(width, height) * 2,
            Blocks::Pvrtc => TexelLayout::Etc2.bytes(width, height),
        }
    }

    /// Decodes a level to B, G, R, A bytes; `None` for a wrong length.
    fn decode(self, blocks: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
        match self {
            Blocks::Of(layout) => layout.decode_blocks(width, height, blocks),
            Blocks::Etc1Alpha => in_file(LevelEncoding::Etc1Alpha, blocks, (width, height)),
            Blocks::Pvrtc => in_file(LevelEncoding::PvrtcAlpha, blocks, (width, height)),
        }
    }
}

/// Decodes the only level of a file whose width and height are powers of two.
fn in_file(encoding: LevelEncoding, blocks: &[u8], (width, height): (u32, u32)) -> Option<Vec<u8>> {
    let log = |side: u32| u8::try_from(side.ilog2()).unwrap();
    let format = AtfFormat::RawCompressedAlpha;
    let file = AtfSpec { format, ..AtfSpec::raw((log(width), log(height)), 1) };
    let record = |(found, _)| if found == encoding { blocks.to_vec() } else { Vec::new() };
    let bytes = file.write(|_, _| groups(format, 0).into_iter().map(record).collect());
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).ok()??;
    Some(texels.into_owned())
}

/// Encodes a level of 4×4 texels.
fn encode(texels: &[u8], layout: TexelLayout) -> Vec<u8> {
    let mut blocks = Vec::new();
    convert(texels, (4, 4), layout, &mut blocks);
    blocks
}

/// Decodes a level with a decoder that the library doesn't use for this format: `texture2ddecoder`, or our own.
fn witness(kind: Blocks, blocks: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut texels = vec![0u32; width * height];
    let decoded = match kind {
        DXT1 => texture2ddecoder::decode_bc1(blocks, width, height, &mut texels),
        DXT5 => texture2ddecoder::decode_bc3(blocks, width, height, &mut texels),
        ETC2 | ETC2_EAC => return witness::etc2(blocks, kind == ETC2_EAC, width),
        Blocks::Pvrtc => {
            return pvrtc::decode(blocks.as_chunks().0, width, height).concat();
        }
        Blocks::Of(_) | Blocks::Etc1Alpha => panic!("no such format there"),
    };
    decoded.unwrap();
    texels.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The library rounds the DXT colours between the end points; the other decoder truncates them.
fn tolerance(kind: Blocks) -> u8 {
    match kind {
        DXT1 | DXT5 => 1,
        Blocks::Of(_) | Blocks::Etc1Alpha | Blocks::Pvrtc => 0,
    }
}

/// Random blocks of every format, which cover all values of the colour and table fields. [atf.raw.blocks]
/// [context3d.format.dxt1_opaque]
#[test]
fn decoders_agree() {
    let mut state = 0x2545_f491_u32;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()
    };
    for kind in [DXT1, DXT5, ETC2, ETC2_EAC, Blocks::Pvrtc] {
        for (width, height) in [(8, 8), (32, 8), (8, 64), (64, 64), (256, 128)] {
            let bytes = kind.bytes(width, height);
            let mut blocks: Vec<u8> = (0..bytes / 4).flat_map(|_| noise()).collect();
            if kind == DXT5 {
                // The decoder in `witness` uses DXT1's three-colour mode unless a DXT5 block's first colour is larger.
                for block in blocks.as_chunks_mut::<16>().0 {
                    (block[9], block[11]) = (block[9] | 0x80, block[11] & 0x7f);
                }
            }
            let ours = kind.decode(&blocks, width, height).unwrap();
            let theirs = witness(kind, &blocks, width as usize, height as usize);
            assert_eq!(ours.len(), theirs.len());
            for (place, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert!(
                    a.abs_diff(*b) <= tolerance(kind),
                    "{kind:?} {width}×{height}, byte {place}: {a}, not {b}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_levels_are_the_corner_of_a_block(kind in prop::sample::select(vec![
        DXT1, DXT5, ETC2, ETC2_EAC,
    ]), seed in prop::array::uniform16(any::<u8>())) {
        let blocks = &seed[..kind.bytes(4, 4)];
        let whole = kind.decode(blocks, 4, 4).unwrap();
        for (width, height) in [(1, 1), (2, 1), (1, 4), (4, 2)] {
            let corner: Vec<u8> = whole
                .chunks(16)
                .take(height as usize)
                .flat_map(|row| &row[..width as usize * 4])
                .copied()
                .collect();
            prop_assert_eq!(kind.decode(blocks, width, height).unwrap(), corner);
        }
    }

    /// Blocks of two colours are restored to 5, 6 and 5 bits; alpha is restored to its eight values.
    #[test]
    fn blocks_of_two_colors_survive(
        one in prop::array::uniform4(any::<u8>()),
        two in prop::array::uniform4(any::<u8>()),
        which in any::<u16>(),
    ) {
        let texels: Vec<u8> = (0..16)
            .flat_map(|i| if which >> i & 1 == 1 { one } else { two })
            .collect();
        let blocks = encode(&texels, TexelLayout::Dxt5);
        let decoded = DXT5.decode(&blocks, 4, 4).unwrap();
        for (place, (a, b)) in decoded.iter().zip(&texels).enumerate() {
            // The maximum error is half a step of 5 bits, plus rounding.
            let most = if place % 4 == 3 { 0 } else { 5 };
            prop_assert!(a.abs_diff(*b) <= most, "byte {}: {} {}", place, a, b);
        }
        let opaque = encode(&texels, TexelLayout::Dxt1);
        prop_assert_eq!(&opaque[..], &blocks[8..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Blocks with one colour and one alpha value in each half are restored. A channel differs by at most 8 from its
    /// four-bit value. All channels share a modifier of at least 2, whose sign minimizes the sum of squares.
    #[test]
    fn etc2_blocks_of_two_halves_survive(
        one in prop::array::uniform4(any::<u8>()),
        two in prop::array::uniform4(any::<u8>()),
        flipped in any::<bool>(),
    ) {
        let texels: Vec<u8> = (0..16)
            .flat_map(|i| if if flipped { i < 8 } else { i % 4 < 2 } { one } else { two })
            .collect();
        let blocks = encode(&texels, TexelLayout::Etc2Eac);
        let decoded = ETC2_EAC.decode(&blocks, 4, 4).unwrap();
        let steps = u32::from(one[3].abs_diff(two[3])).div_ceil(16);
        let mut squares = 0;
        for (place, (a, b)) in decoded.iter().zip(&texels).enumerate() {
            let error = u32::from(a.abs_diff(*b));
            match place % 4 {
                3 => prop_assert!(error <= steps, "byte {}: {} {}", place, a, b),
                _ => squares += error * error,
            }
        }
        prop_assert!(squares <= 16 * 3 * (8 * 8 + 2 * 2), "{}", squares);
        let opaque = encode(&texels, TexelLayout::Etc2);
        prop_assert_eq!(&opaque[..], &blocks[8..]);
    }
}

#[test]
fn etc1_alpha_is_the_second_picture() {
    // Individual mode: the base colours of the halves are 0x33 and 0xcc, and each texel adds 2.
    let color = [0x33, 0x33, 0x33, 0, 0, 0, 0, 0];
    let alpha = [0xcc, 0xcc, 0xcc, 0, 0, 0, 0, 0];
    let blocks = [color, alpha].concat();
    let texels = Blocks::Etc1Alpha.decode(&blocks, 4, 4).unwrap();
    assert_eq!(texels, [0x35, 0x35, 0x35, 0xce].repeat(16));
}

/// [context3d.compression.quality]
#[test]
fn a_gradient_stays_close() {
    let texels: Vec<u8> = (0..16u8).flat_map(|i| [i * 16, 255 - i * 16, 128, i * 17]).collect();
    let blocks = encode(&texels, TexelLayout::Dxt5);
    let decoded = DXT5.decode(&blocks, 4, 4).unwrap();
    for (a, b) in decoded.iter().zip(&texels) {
        assert!(a.abs_diff(*b) <= 48, "{decoded:?}");
    }
    let blocks = encode(&texels, TexelLayout::Etc2Eac);
    let decoded = ETC2_EAC.decode(&blocks, 4, 4).unwrap();
    for (place, (a, b)) in decoded.iter().zip(&texels).enumerate() {
        let most = if place % 4 == 3 { 20 } else { 110 };
        assert!(a.abs_diff(*b) <= most, "{decoded:?}");
    }
}

#[test]
fn wrong_lengths_are_refused() {
    for kind in [DXT1, Blocks::Etc1Alpha, Blocks::Pvrtc] {
        for length in [0, 7, 9, 31, 33] {
            assert_eq!(kind.decode(&vec![0; length], 8, 8), None, "{kind:?}, {length}");
        }
    }
}
