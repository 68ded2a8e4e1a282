//! A decoder of ETC2 and EAC by their specifications: a second opinion on the crate that the library uses.

mod etc;

/// Decodes ETC2 blocks of 8 bytes, or with EAC alpha of 16, to B, G, R, A bytes; the sides are multiples of 4.
pub(super) fn etc2(blocks: &[u8], alpha: bool, width: usize) -> Vec<u8> {
    let blocks: Vec<etc::Block> = if alpha {
        blocks.as_chunks().0.iter().map(etc::color_and_alpha).collect()
    } else {
        blocks.as_chunks().0.iter().map(etc::color).collect()
    };
    let rows = blocks.chunks(width / 4);
    let lines = rows.flat_map(|row| (0..4).flat_map(move |y| row.iter().map(move |it| (it, y))));
    lines.flat_map(|(block, y)| block[y * 4..y * 4 + 4].as_flattened().to_vec()).collect()
}
