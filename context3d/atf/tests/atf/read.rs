//! Tests of reading valid files.

use atf::TexelLayout;
use atf::{Atf, AtfError, AtfFormat, LevelEncoding, LevelImage, TextureClass, UploadFormat};

use molehill_testing::atf_files::{AtfSpec, dxt1, dxt5};

/// Returns a colour (5, 6 and 5 bits) and alpha that differ for each face and level.
fn paint(face: u8, level: u8) -> (u16, u8) {
    let red = u16::from(face) * 5 + 3;
    let green = u16::from(level) * 11 + 2;
    (red << 11 | green << 5 | 9, 200 - level * 10 - face * 3)
}

/// Returns the colour of a face and level as B, G, R.
fn expected(face: u8, level: u8) -> [u8; 3] {
    let (color, _) = paint(face, level);
    let wide = |value: u16, most: u16| u8::try_from((value * 255 + most / 2) / most);
    [
        wide(color & 31, 31).unwrap(),
        wide(color >> 5 & 63, 63).unwrap(),
        wide(color >> 11, 31).unwrap(),
    ]
}

/// Returns the records of a raw format: DXT blocks of one colour; the other records are empty.
fn raw(file: &AtfSpec, face: u8, level: u8) -> Vec<Vec<u8>> {
    let (color, alpha) = paint(face, level);
    let blocks = file.blocks(level);
    let dxt = match file.format {
        AtfFormat::RawCompressed => dxt1(color).repeat(blocks),
        _ => dxt5(color, alpha).repeat(blocks),
    };
    let mut records = vec![dxt];
    records.resize(if file.version < 3 { 3 } else { 4 }, Vec::new());
    records
}

/// [atf.record.length] [atf.record.order] [atf.face.order] [atf.raw.size]
#[test]
fn raw_blocks_of_every_version_face_and_level() {
    let mut files = 0;
    for version in 0..=3 {
        for format in [AtfFormat::RawCompressed, AtfFormat::RawCompressedAlpha] {
            for (cube, log, count) in [
                (false, (2, 2), 3),
                (false, (5, 3), 6),
                (false, (3, 6), 1),
                (true, (4, 4), 5),
                (true, (3, 3), 1),
            ] {
                let file = AtfSpec { version, format, cube, log, count, flags: 0 };
                check_raw(&file);
                files += 1;
            }
        }
    }
    assert_eq!(files, 40);
}

fn check_raw(file: &AtfSpec) {
    let bytes = file.write(|face, level| raw(file, face, level));
    let atf = Atf::open(&bytes).unwrap();
    assert_eq!(atf.header().length, bytes.len() as u64);
    let images: Vec<LevelImage<'_>> = atf.images().map(Result::unwrap).collect();
    let mut images = images.iter();
    for face in 0..file.faces() {
        for level in 0..file.count {
            let image = images.next().unwrap();
            // The file's order is −X +X −Y +Y −Z +Z; the API's order is +X −X +Y −Y +Z −Z.
            let side = if file.cube { [1, 0, 3, 2, 5, 4][usize::from(face)] } else { 0 };
            assert_eq!((image.side, image.level), (side, level), "{file:?}");
            assert_eq!((image.width, image.height), file.size(level));
            let (layout, encoding, alpha) = match file.format {
                AtfFormat::RawCompressed => (TexelLayout::Dxt1, LevelEncoding::Dxt1, 255),
                _ => (TexelLayout::Dxt5, LevelEncoding::Dxt5, paint(face, level).1),
            };
            let blocks = &raw(file, face, level)[0];
            assert_eq!(image.encodings().collect::<Vec<_>>(), [(encoding, blocks.len())]);
            let bgra = TexelLayout::Bgra8;
            let decoded = UploadFormat { encoding, layout: bgra };
            assert_eq!(image.upload_format(|_| true), Some(UploadFormat { encoding, layout }));
            assert_eq!(image.upload_format(|layout| layout == bgra), Some(decoded));
            assert_eq!(*image.texels(layout).unwrap().unwrap(), **blocks);
            let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
            let [b, g, r] = expected(face, level);
            let texel_count = (image.width * image.height) as usize;
            assert_eq!(*texels, *[b, g, r, alpha].repeat(texel_count), "{file:?}");
        }
    }
    assert_eq!(images.next(), None);
}

/// Files with a single encoding other than DXT, which must be decoded for the upload. [atf.raw.etc1_alpha]
/// [atf.raw.pvrtc]
#[test]
fn the_other_encodings_are_decoded() {
    // ETC: individual mode, base colour 0x66, modifier +2 of table 0. PVRTC: opaque colours, 4 in each 5-bit channel.
    let etc = [0x66, 0x66, 0x66, 0, 0, 0, 0, 0];
    let etc_alpha = [0x99, 0x99, 0x99, 0, 0, 0, 0, 0];
    // EAC: base alpha 0x55, multiplier 0.
    let eac = [0x55, 0, 0, 0, 0, 0, 0, 0];
    let gray = (0x8000 | 4 << 10 | 4 << 5 | 4u16).to_le_bytes();
    let pvrtc = [0, 0, 0, 0, gray[0], gray[1], gray[0], gray[1]];
    let (plain, alpha) = (AtfFormat::RawCompressed, AtfFormat::RawCompressedAlpha);
    /// Format, index of the record, encoding, record, expected texel.
    type Case = (AtfFormat, usize, LevelEncoding, Vec<u8>, [u8; 4]);
    let cases: [Case; 6] = [
        (plain, 1, LevelEncoding::Pvrtc, pvrtc.repeat(4), [33, 33, 33, 255]),
        (plain, 2, LevelEncoding::Etc1, etc.repeat(4), [0x68, 0x68, 0x68, 255]),
        (plain, 3, LevelEncoding::Etc2, etc.repeat(4), [0x68, 0x68, 0x68, 255]),
        (alpha, 1, LevelEncoding::PvrtcAlpha, pvrtc.repeat(4), [33, 33, 33, 255]),
        (
            alpha,
            2,
            LevelEncoding::Etc1Alpha,
            [etc.repeat(4), etc_alpha.repeat(4)].concat(),
            [0x68, 0x68, 0x68, 0x9b],
        ),
        (
            alpha,
            3,
            LevelEncoding::Etc2Alpha,
            [eac, etc].concat().repeat(4),
            [0x68, 0x68, 0x68, 0x55],
        ),
    ];
    for (format, place, encoding, record, texel) in cases {
        let file = AtfSpec { version: 3, format, ..AtfSpec::raw((3, 3), 1) };
        let bytes = file.write(|_, _| {
            let mut records = vec![Vec::new(); 4];
            records[place].clone_from(&record);
            records
        });
        let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
        let encodings: Vec<_> = image.encodings().collect();
        assert_eq!(encodings, [(encoding, record.len())]);
        let etc2 = match encoding {
            LevelEncoding::Etc1 | LevelEncoding::Etc2 => TexelLayout::Etc2,
            LevelEncoding::Etc2Alpha => TexelLayout::Etc2Eac,
            _ => TexelLayout::Bgra8,
        };
        let choice = |takes: fn(TexelLayout) -> bool| image.upload_format(takes).unwrap().layout;
        assert_eq!(choice(|_| true), etc2, "{encoding:?}");
        assert_eq!(choice(|layout| !layout.is_blocks()), TexelLayout::Bgra8);
        let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
        assert_eq!(*texels, *texel.repeat(64), "{encoding:?}");
        // If a texture already stores DXT blocks, the texels are encoded as DXT.
        let layout = match format.texture() {
            TextureClass::Compressed => TexelLayout::Dxt1,
            _ => TexelLayout::Dxt5,
        };
        let blocks = image.texels(layout).unwrap().unwrap();
        assert_eq!(blocks.len(), layout.bytes(8, 8));
    }
}

/// The best of several encodings is used, regardless of their order in the file. [atf.encoding.choice]
#[test]
fn the_best_encoding_is_taken() {
    let file = AtfSpec { version: 3, ..AtfSpec::raw((2, 2), 1) };
    let etc1 = [0x11, 0x11, 0x11, 0, 0, 0, 0, 0].to_vec();
    let etc2 = [0x66, 0x66, 0x66, 0, 0, 0, 0, 0].to_vec();
    let bytes = file.write(|_, _| vec![vec![], vec![], etc1.clone(), etc2.clone()]);
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
    assert_eq!(texels[0], 0x68);
    let with_dxt =
        file.write(|_, _| vec![dxt1(0xffff).to_vec(), vec![], etc1.clone(), etc2.clone()]);
    let image = Atf::open(&with_dxt).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
    assert_eq!(texels[0], 0xff);
}

/// [atf.empty] [atf.header.flags_cube] [atf.header.trailing]
#[test]
fn levels_that_flags_leave_empty_are_left_out() {
    for (flags, levels) in [(1u8, 1u8), (2 << 1, 2), (4 << 1, 4), (0, 4)] {
        for cube in [false, true] {
            let file = AtfSpec { version: 2, cube, flags, ..AtfSpec::raw((3, 3), 4) };
            let all = file.write(|face, level| raw(&file, face, level));
            let atf = Atf::open(&all).unwrap();
            let seen: Vec<(u8, u8)> = atf
                .images()
                .map(Result::unwrap)
                .map(|image| (image.side ^ u8::from(cube), image.level))
                .collect();
            let expected = (0..file.faces()).flat_map(|face| (0..levels).map(move |l| (face, l)));
            assert_eq!(seen, expected.collect::<Vec<_>>(), "{flags}");
            // A file that has records only for levels with data yields as many images as a file with empty records.
            let mut stored =
                AtfSpec { count: levels, ..file }.write(|face, level| raw(&file, face, level));
            stored[15] = 4;
            let atf = Atf::open(&stored).unwrap();
            assert_eq!(atf.images().map(Result::unwrap).count(), seen.len());
        }
    }
}

/// [atf.record.absent]
#[test]
fn an_absent_level_is_no_texels() {
    let file = AtfSpec::raw((3, 3), 4);
    let bytes = file.write(|face, level| match level {
        1 => vec![vec![]; 3],
        _ => raw(&file, face, level),
    });
    let atf = Atf::open(&bytes).unwrap();
    let there: Vec<bool> = atf
        .images()
        .map(|image| image.unwrap().texels(TexelLayout::Dxt1).unwrap().is_some())
        .collect();
    assert_eq!(there, [true, false, true, true]);
}

/// Records of ETC2 blocks are unsupported, because the encoding of their parts is undocumented. [atf.parts.etc2]
#[test]
fn undocumented_parts_are_unsupported() {
    let file = AtfSpec { version: 3, format: AtfFormat::Compressed, ..AtfSpec::raw((2, 2), 1) };
    let bytes = file.write(|_, _| {
        let mut records = vec![Vec::new(); 11];
        records[8] = vec![1];
        records
    });
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Dxt1);
    assert!(matches!(texels, Err(AtfError::Unsupported(_))), "{texels:?}");
}
