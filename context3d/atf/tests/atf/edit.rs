//! Edited files: the remaining levels and encodings decode to unchanged texels.

use atf::{Atf, AtfEditError, AtfFile, AtfFormat, LevelEncoding, TexelLayout, convert};
use molehill_testing::atf_files::{AtfSample, AtfSpec, samples};

/// Creates a file whose levels each have records in several encodings.
fn both(file: AtfSpec, encodings: &[LevelEncoding]) -> Vec<u8> {
    let samples: Vec<AtfSample> =
        encodings.iter().map(|encoding| AtfSample::new(file, *encoding).unwrap()).collect();
    file.write(|face, level| {
        let mut all = samples.iter().map(|sample| sample.records(face, level));
        let first = all.next().unwrap();
        all.fold(first, |found, other| {
            found.into_iter().zip(other).map(|(a, b)| if a.is_empty() { b } else { a }).collect()
        })
    })
}

fn edit(bytes: &[u8]) -> AtfFile<'_> {
    AtfFile::new(&Atf::open(bytes).unwrap()).unwrap()
}

/// Decodes an encoding of every level. Returns the cube face, the mip level and the texels of each level.
fn texels(bytes: &[u8], encoding: LevelEncoding) -> Vec<(u8, u8, Option<Vec<u8>>)> {
    let images = Atf::open(bytes).unwrap().images().map(Result::unwrap);
    images.map(|image| (image.side, image.level, image.decode(encoding).unwrap())).collect()
}

const CUBE: AtfSpec = AtfSpec {
    version: 2,
    format: AtfFormat::CompressedAlpha,
    cube: true,
    log: (4, 4),
    count: 5,
    flags: 0,
};
const ALL: [LevelEncoding; 3] =
    [LevelEncoding::Dxt5, LevelEncoding::PvrtcAlpha, LevelEncoding::Etc1Alpha];

#[test]
fn an_unchanged_file_is_written_as_it_was() {
    for sample in samples(false, (4, 3), 5).iter().chain(&samples(true, (3, 3), 4)) {
        let bytes = sample.bytes();
        assert_eq!(edit(&bytes).write().unwrap(), bytes, "{}", sample.name());
    }
    // Levels without data, according to the flags, have empty records.
    let file = AtfSpec { version: 1, flags: 2 << 1, ..CUBE };
    let bytes = both(file, &ALL);
    let written = edit(&bytes).write().unwrap();
    assert_eq!(texels(&written, LevelEncoding::Dxt5), texels(&bytes, LevelEncoding::Dxt5));
    assert_eq!(Atf::open(&written).unwrap().header().count, 5);
}

#[test]
fn one_encoding_is_kept() {
    let bytes = both(CUBE, &ALL);
    for kept in ALL {
        let mut edit = edit(&bytes);
        edit.keep(&[kept]).unwrap();
        assert_eq!(edit.write().unwrap(), AtfSample::new(CUBE, kept).unwrap().bytes());
    }
    let error = edit(&bytes).keep(&[LevelEncoding::Etc2Alpha]).unwrap_err();
    let text = "level 0 has only DXT5, PVRTC, ETC1 with ETC1 alpha; keep one of these";
    assert_eq!(error.to_string(), text);
}

#[test]
fn parts_become_raw_blocks_with_the_same_texels() {
    for sample in samples(false, (5, 4), 6).iter().chain(&samples(true, (4, 4), 5)) {
        let bytes = sample.bytes();
        let mut edit = edit(&bytes);
        let raw = edit.make_raw();
        if sample.encoding() == LevelEncoding::JpegXr {
            assert!(matches!(raw, Err(AtfEditError::File(_))), "{raw:?}");
            continue;
        }
        let format = match sample.file().format {
            AtfFormat::Compressed | AtfFormat::CompressedLossy => AtfFormat::RawCompressed,
            AtfFormat::CompressedAlpha | AtfFormat::CompressedAlphaLossy => {
                AtfFormat::RawCompressedAlpha
            }
            raw => raw,
        };
        let file = AtfSpec { format, ..*sample.file() };
        let expected = AtfSample::new(file, sample.encoding()).unwrap().bytes();
        assert_eq!(edit.write().unwrap(), expected, "{}", sample.name());
    }
}

#[test]
fn a_face_and_levels_are_selected() {
    let bytes = both(CUBE, &ALL);
    let mut part = edit(&bytes);
    part.select(Some(3), 1..4).unwrap();
    let written = part.write().unwrap();
    let header = *Atf::open(&written).unwrap().header();
    assert_eq!((header.width, header.height, header.count, header.cube), (8, 8, 3, false));
    let whole = texels(&bytes, LevelEncoding::Etc1Alpha);
    let expected =
        whole.into_iter().filter(|(side, level, _)| *side == 3 && (1..4).contains(level));
    let expected: Vec<_> = expected.map(|(_, level, texels)| (0, level - 1, texels)).collect();
    assert_eq!(texels(&written, LevelEncoding::Etc1Alpha), expected);
    let flat =
        AtfSample::new(AtfSpec { cube: false, ..CUBE }, LevelEncoding::Dxt5).unwrap().bytes();
    assert_eq!(edit(&flat).select(Some(0), 0..1), Err(AtfEditError::NoFace));
    assert_eq!(edit(&bytes).select(Some(6), 0..1), Err(AtfEditError::NoFace));
    for levels in [3..6, 7..8, 2..2] {
        assert!(matches!(edit(&bytes).select(None, levels), Err(AtfEditError::NoLevel { .. })));
    }
}

#[test]
fn a_level_of_another_file_takes_a_place() {
    let bytes = both(CUBE, &ALL);
    // A cube of half the size, whose levels have other colours.
    let small = both(AtfSpec { log: (3, 3), count: 4, version: 3, ..CUBE }, &ALL);
    let mut changed = edit(&bytes);
    changed.replace(Some(4), 1..3, &edit(&small)).unwrap();
    let written = changed.write().unwrap();
    for encoding in ALL {
        let theirs = texels(&small, encoding);
        for ((side, level, found), (_, _, old)) in
            texels(&written, encoding).into_iter().zip(texels(&bytes, encoding))
        {
            let place = (side == 4 && (1..3).contains(&level)).then(|| (side, level - 1));
            let new = place.and_then(|(side, level)| {
                theirs.iter().find(|their| (their.0, their.1) == (side, level))
            });
            assert_eq!(found, new.map_or(old, |new| new.2.clone()), "{encoding:?} {side} {level}");
        }
    }
    let mut dxt = edit(&small);
    dxt.keep(&[LevelEncoding::Dxt5]).unwrap();
    let error = edit(&bytes).replace(None, 1..2, &dxt).unwrap_err().to_string();
    let text = "the replacement has 8×8, compressed with alpha, DXT5, but level 1 has 8×8, compressed with alpha, DXT5, PVRTC, ETC1 with ETC1 alpha";
    assert_eq!(error, text);
    // The other file has no level of this size.
    assert!(edit(&bytes).replace(None, 0..1, &edit(&small)).is_err());
}

#[test]
fn a_picture_is_encoded_in_raw_blocks() {
    let file = AtfSpec { format: AtfFormat::RawCompressedAlpha, ..CUBE };
    let bytes = both(file, &[LevelEncoding::Dxt5]);
    let picture: Vec<u8> = (0..8 * 8 * 4).map(|at| u8::try_from(at % 256).unwrap()).collect();
    let mut changed = edit(&bytes);
    changed.replace_texels(Some(1), 1, (8, 8), &picture).unwrap();
    let written = changed.write().unwrap();
    let mut blocks = Vec::new();
    convert(&picture, (8, 8), TexelLayout::Dxt5, &mut blocks);
    for (image, old) in
        Atf::open(&written).unwrap().images().zip(Atf::open(&bytes).unwrap().images())
    {
        let (image, old) = (image.unwrap(), old.unwrap());
        let expected = if (image.side, image.level) == (1, 1) { &blocks } else { old.records()[0] };
        assert_eq!(image.records()[0], expected);
    }
    let mut changed = edit(&bytes);
    let error = changed.replace_texels(None, 0, (8, 8), &picture).unwrap_err().to_string();
    assert_eq!(error, "the replacement has 8×8, but level 0 has 16×16");
    let parts = both(CUBE, &[LevelEncoding::Dxt5]);
    let error = edit(&parts).replace_texels(None, 1, (8, 8), &picture).unwrap_err().to_string();
    let text = "an image can't be encoded as DXT5 in parts; write raw blocks of only DXT or ETC2";
    assert_eq!(error, text);
}

#[test]
fn version_0_has_lengths_of_three_bytes() {
    let file = AtfSpec { format: AtfFormat::RawCompressedAlpha, ..AtfSpec::raw((12, 12), 1) };
    // A small file with parts becomes a file with 2^24 bytes of raw blocks.
    let parts = AtfSpec { format: AtfFormat::CompressedAlpha, ..file };
    let bytes = AtfSample::new(parts, LevelEncoding::Dxt5).unwrap().bytes();
    let mut raw = edit(&bytes);
    raw.make_raw().unwrap();
    assert_eq!(raw.write(), Err(AtfEditError::TooLong(1 << 24)));
}
