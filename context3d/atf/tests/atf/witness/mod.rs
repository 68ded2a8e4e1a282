//! An independent decoder of ETC2 and EAC after their specification, with which the library's decoder is compared.

mod etc;

/// Decodes ETC2 blocks, or ETC2 blocks with EAC alpha, to B, G, R, A bytes; width and height are multiples of 4.
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
