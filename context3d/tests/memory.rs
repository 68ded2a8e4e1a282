//! Memory that calls allocate temporarily.

mod common;

use allocation_counter::measure;
use common::{Rig, assemble, legal};
use context3d::agal::Stage;
use context3d::arguments::Bitmap;
use context3d::enums::TextureFormat;
use context3d::{Error, Profile};

/// A program of millions of tokens is rejected at the first token beyond the limit (3629).
#[test]
fn tokens_beyond_the_limit_are_not_unpacked() {
    const TOKEN: usize = 24;
    const MANY: usize = 4 << 20;
    for at in [0, 1] {
        let mut rig = Rig::new(Profile::Standard, 50);
        let mut programs = [
            assemble("mov op, va0", Stage::Vertex, 2),
            assemble("mov oc, fc0\nmov ft0, fc0", Stage::Fragment, 2),
        ];
        let token = programs[at].split_off(programs[at].len() - TOKEN);
        programs[at].extend(token.repeat(MANY));
        let [vertex, fragment] = &programs;
        let mut refused = None;
        let taken = measure(|| {
            refused = Some(rig.context.program_upload(
                rig.program,
                Some(vertex[..].into()),
                Some(fragment[..].into()),
            ));
        });
        let Some(Err(Error::Flash(error))) = refused else { panic!("{refused:?}") };
        assert_eq!(error.number(), 3629);
        assert!(error.to_string().contains("(1025)"), "{error}");
        assert!(taken.bytes_max < 1 << 18, "{} bytes", taken.bytes_max);
    }
}

/// To upload a small bitmap into a large compressed texture, only memory for the blocks is allocated.
#[test]
fn small_bitmaps_in_large_textures() {
    for (format, bytes) in
        [(TextureFormat::Compressed, 8u64 << 20), (TextureFormat::CompressedAlpha, 16 << 20)]
    {
        let mut rig = Rig::new(Profile::Standard, 50);
        let texture = rig.target(4096, format);
        let bitmap = Bitmap {
            width: 1,
            height: 1,
            transparent: true,
            layout: context3d::arguments::PixelLayout::default(),
            pixels: Some(&[1, 2, 3, 4]),
        };
        let taken = measure(|| {
            legal(rig.context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 0));
            // Drops the packets that the null backend has recorded.
            rig.packets();
        });
        assert!(taken.bytes_max < 2 * bytes + (1 << 20), "{}", taken.bytes_max);
    }
}
