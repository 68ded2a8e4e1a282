//! Errors of ATF uploads.

use super::{ErrorCase, add_all};
use crate::case::Cases;
use crate::scene_builder::{Done, SceneBuilder};

/// A header in the old format: format and cube flag, log2 of width and height, levels (textures-and-atf.md section 2).
const fn atf(format: u8, width: u8, height: u8, levels: u8) -> [u8; 10] {
    [b'A', b'T', b'F', 0, 0, 4, format, width, height, levels]
}

/// Flash's own DXT1 code.
const DXT1: u8 = 0x02;
const CUBE: u8 = 0x80;

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, compressed());
}

fn upload_atf(s: &mut SceneBuilder, format: &str, data: &[u8]) -> Done {
    let texture = s.texture(8, 8, format)?;
    s.expect();
    s.upload_atf(texture, data.to_vec().into())
}

/// Uploads this many bytes of blocks.
fn upload_blocks(
    s: &mut SceneBuilder,
    format: &str,
    (blocks, bytes): (&str, usize),
    level: u32,
) -> Done {
    let texture = s.texture(8, 8, format)?;
    s.expect();
    s.upload_blocks(texture, (blocks, vec![0; bytes]), None, level)
}

fn compressed() -> Vec<ErrorCase> {
    error_cases! {
        3669 "uploadCompressed.half_a_header" [] |s| { upload_atf(s, "compressed", &atf(DXT1, 3, 3, 4)[..8]) };
        3674 "uploadCompressed" [] |s| { upload_atf(s, "compressed", &atf(DXT1, 3, 3, 5)) };
        3675 "uploadCompressed.bgra" [] |s| { upload_atf(s, "bgra", &atf(DXT1, 3, 3, 4)) };
        3675 "uploadCompressed.cube" [] |s| { upload_atf(s, "compressed", &atf(DXT1 | CUBE, 3, 3, 4)) };
        3677 "uploadCompressed" [] |s| { upload_atf(s, "compressed", b"PNG0000000") };
        3677 "uploadCompressed.atf_3_in_old_swf" [] .swf(28) |s| {
            let data = [b'A', b'T', b'F', 0, 0, 0, 255, 3, 0, 0, 0, 4, DXT1, 3, 3, 4];
            upload_atf(s, "compressed", &data)
        };
        3678 "uploadCompressed" [] |s| { upload_atf(s, "compressed", &atf(DXT1 | CUBE, 3, 2, 4)) };
        3674 "uploadBlocks" [] |s| { upload_blocks(s, "compressed", ("dxt1", 8), 4) };
        3675 "uploadBlocks" [] |s| { upload_blocks(s, "compressed", ("dxt5", 64), 0) };
        3669 "uploadBlocks" [] |s| { upload_blocks(s, "compressed", ("dxt1", 24), 0) };
        // Checked before 3675 (player test).
        3679 "uploadCompressed" [] |s| { upload_atf(s, "bgra", &atf(DXT1, 2, 3, 4)) };
    }
}
