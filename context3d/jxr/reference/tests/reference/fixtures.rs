//! Creates the test files of our decoder, so that the decoder's tests don't need C code.

use std::fs;
use std::path::Path;

use jpeg_xr::PixelFormat;
use jpeg_xr::PixelFormat::{Bgr24, Bgr555, Bgr565, Bgra32, Gray8, Rgb24};

use crate::case::{FORMATS, OWN_HP, OWN_LP};
use crate::compare::{Outcome, compare};
use crate::pattern::{NAMES, fnv, pattern};
use crate::reference::{self, EncoderSettings};

/// A fixture: name, format, width, height, and a function that changes the settings.
type Fixture = (&'static str, PixelFormat, u32, u32, fn(&mut EncoderSettings));

/// Separate quantisers for each channel in all bands, as in [`EncoderSettings::mode`].
const APART: u32 = 2 << 3 | 2 << 5 | 2 << 7;

/// Sets one quantiser index for all channels except alpha.
fn step(s: &mut EncoderSettings, step: u32) {
    s.steps[..9].fill(step);
}

/// Sets lossless coding, which requires unscaled arithmetic, and the overlap.
fn lossless(s: &mut EncoderSettings, overlap: u32) {
    s.unscaled = 1;
    s.overlap = overlap;
}

/// Sets quantiser index, colour format, overlap and packet order.
fn chroma(s: &mut EncoderSettings, index: u32, colour: u32, overlap: u32, frequency: bool) {
    step(s, index);
    (s.colour, s.overlap) = (colour, overlap);
    order(s, frequency);
}

fn order(s: &mut EncoderSettings, frequency: bool) {
    (s.frequency, s.progressive) = (frequency.into(), frequency.into());
}

/// Sets the omitted bands and the packet order.
fn bands(s: &mut EncoderSettings, bands: u32, frequency: bool) {
    chroma(s, 12, 3, 1, frequency);
    s.bands = bands;
}

/// Sets the number of trimmed flexbits.
fn trim(s: &mut EncoderSettings, trim: u32) {
    chroma(s, 4, 3, 1, trim & 1 != 0);
    s.trim = trim;
}

/// Sets the alpha mode, the quantiser index of alpha, and the overlap.
fn alpha(s: &mut EncoderSettings, alpha: u32, index: u32, overlap: u32) {
    chroma(s, 24, 3, overlap, false);
    s.alpha = alpha;
    s.steps[9] = index;
}

/// Sets the number of tile columns and rows, the quantiser index, and the overlap.
fn tiles(s: &mut EncoderSettings, columns: u32, rows: u32, index: u32, overlap: u32) {
    chroma(s, index, s.colour, overlap, false);
    split(s, columns, rows);
}

/// Divides the image into tiles of equal size, as far as possible.
fn split(s: &mut EncoderSettings, columns: u32, rows: u32) {
    (s.columns, s.rows) = (columns, rows);
    let sizes = [(&mut s.column_widths, columns, s.width), (&mut s.row_heights, rows, s.height)];
    for (sizes, count, side) in sizes {
        let total = side.div_ceil(16);
        for (size, at) in sizes.iter_mut().zip(0..count) {
            *size = total * (at + 1) / count - total * at / count;
        }
    }
}

/// Sets quantisers by tile for the bands in the mask (DC 1, LP 2, HP 4).
fn by_tile(s: &mut EncoderSettings, bands: u32, overlap: u32) {
    chroma(s, 40, 3, overlap, bands & 2 != 0);
    split(s, 2, 2);
    (s.requantise, s.scaled) = (1, 1);
    s.mode = APART | OWN_LP | OWN_HP | bands;
    if bands & 1 != 0 {
        s.alpha = 3;
        s.steps[9] = 30;
    }
}

/// Sets quantisers by macroblock, the colour format, and the overlap.
fn by_macroblock(s: &mut EncoderSettings, bands: u32, colour: u32, overlap: u32) {
    chroma(s, 40, colour, overlap, colour == 2);
    (s.requantise, s.scaled) = (1, 1);
    s.mode = APART | OWN_LP | OWN_HP | bands;
}

/// Sets the quantisers of channels: shared (0), shared by the chroma channels (1), or separate (2).
fn channels(s: &mut EncoderSettings, mode: u32) {
    s.overlap = 1;
    s.steps[..9].copy_from_slice(&[20, 44, 44, 33, 34, 36, 66, 68, 70]);
    (s.requantise, s.scaled) = (1, 1);
    s.mode = mode << 3 | mode << 5 | mode << 7 | OWN_LP | OWN_HP;
}

/// Makes a band inherit the quantisers of the next lower band.
fn takes_over(s: &mut EncoderSettings, own: u32) {
    channels(s, 2);
    s.mode &= !own;
}

fn steps(s: &mut EncoderSettings, index: u32, unscaled: u32) {
    chroma(s, index, 3, 1, false);
    s.unscaled = unscaled;
}

#[rustfmt::skip]
const FIXTURES: &[Fixture] = &[
    ("lossless_gray", Gray8, 35, 21, |s| lossless(s, 0)),
    ("lossless_rgb", Rgb24, 35, 21, |s| lossless(s, 0)),
    ("lossless_bgr", Bgr24, 35, 21, |s| lossless(s, 0)),
    ("lossless_565", Bgr565, 35, 21, |s| lossless(s, 0)),
    ("lossless_555", Bgr555, 35, 21, |s| lossless(s, 0)),
    ("lossless_bgra_interleaved", Bgra32, 35, 21, |s| { lossless(s, 1); s.alpha = 3; }),
    ("lossless_bgra_planar", Bgra32, 20, 17, |s| { lossless(s, 1); s.alpha = 2; }),
    ("lossless_overlap_1", Rgb24, 35, 21, |s| lossless(s, 1)),
    ("lossless_overlap_2", Rgb24, 33, 33, |s| lossless(s, 2)),
    ("lossless_frequency", Rgb24, 35, 21, |s| { lossless(s, 2); order(s, true); }),
    ("one_pixel", Bgra32, 1, 1, |s| s.alpha = 3),
    ("one_block", Bgr565, 4, 4, |_| {}),
    ("scaled_q1", Rgb24, 21, 19, |s| { s.overlap = 1; s.requantise = 1; s.scaled = 1; s.mode = APART | OWN_LP | OWN_HP; }),
    ("chroma_420_overlap_0", Bgr24, 53, 39, |s| chroma(s, 30, 1, 0, false)),
    ("chroma_420_overlap_1", Bgr24, 53, 39, |s| chroma(s, 30, 1, 1, true)),
    ("chroma_420_overlap_2", Bgr24, 53, 39, |s| chroma(s, 30, 1, 2, false)),
    ("chroma_422_overlap_0", Bgr24, 53, 39, |s| chroma(s, 30, 2, 0, false)),
    ("chroma_422_overlap_1", Bgr24, 53, 39, |s| chroma(s, 30, 2, 1, true)),
    ("chroma_422_overlap_2", Bgr24, 53, 39, |s| chroma(s, 30, 2, 2, false)),
    ("chroma_444_overlap_0", Bgr24, 53, 39, |s| chroma(s, 30, 3, 0, false)),
    ("chroma_444_overlap_1", Bgr24, 53, 39, |s| chroma(s, 30, 3, 1, true)),
    ("chroma_444_overlap_2", Bgr24, 53, 39, |s| chroma(s, 30, 3, 2, false)),
    ("luma_only_rgb", Rgb24, 33, 20, |s| chroma(s, 20, 0, 1, false)),
    ("words_420", Bgr565, 33, 26, |s| chroma(s, 10, 1, 2, false)),
    ("words_422", Bgr555, 33, 26, |s| chroma(s, 10, 2, 1, true)),
    ("bands_no_flexbits_spatial", Bgr24, 33, 26, |s| bands(s, 1, false)),
    ("bands_no_flexbits_frequency", Bgr24, 33, 26, |s| bands(s, 1, true)),
    ("bands_no_highpass_spatial", Bgr24, 33, 26, |s| bands(s, 2, false)),
    ("bands_no_highpass_frequency", Bgr24, 33, 26, |s| bands(s, 2, true)),
    ("bands_dc_only_spatial", Bgr24, 33, 26, |s| bands(s, 3, false)),
    ("bands_dc_only_frequency", Bgr24, 33, 26, |s| bands(s, 3, true)),
    ("trim_1", Rgb24, 33, 26, |s| trim(s, 1)),
    ("trim_3", Rgb24, 33, 26, |s| trim(s, 3)),
    ("trim_15", Rgb24, 33, 26, |s| trim(s, 15)),
    ("alpha_quantised_interleaved", Bgra32, 50, 34, |s| { alpha(s, 3, 60, 2); order(s, true); }),
    ("alpha_quantised_planar", Bgra32, 50, 34, |s| alpha(s, 2, 60, 2)),
    ("alpha_420_interleaved", Bgra32, 50, 34, |s| { alpha(s, 3, 5, 1); s.colour = 1; }),
    ("alpha_dc_only", Bgra32, 50, 34, |s| { alpha(s, 3, 5, 1); s.bands = 3; }),
    ("tiles_soft", Bgr24, 100, 40, |s| tiles(s, 3, 2, 80, 2)),
    ("tiles_soft_frequency", Bgra32, 100, 52, |s| { tiles(s, 2, 3, 60, 1); order(s, true); s.alpha = 3; s.steps[9] = 60; }),
    ("tiles_soft_420", Bgr24, 70, 70, |s| { s.colour = 1; tiles(s, 2, 2, 70, 2); }),
    ("tiles_hard", Bgr24, 112, 48, |s| { tiles(s, 3, 3, 80, 2); s.hard_tiles = 1; }),
    ("tiles_hard_uneven", Gray8, 112, 48, |s| { tiles(s, 4, 2, 30, 1); s.hard_tiles = 1; }),
    ("tiles_hard_422", Bgr24, 80, 70, |s| { s.colour = 2; tiles(s, 2, 2, 70, 2); s.hard_tiles = 1; }),
    ("tiles_atf", Bgr565, 128, 64, |s| tiles(s, 1, 4, 60, 0)),
    ("quantisers_tile_1", Bgra32, 64, 48, |s| by_tile(s, 1, 1)),
    ("quantisers_tile_2", Bgr24, 64, 48, |s| by_tile(s, 2, 2)),
    ("quantisers_tile_3", Bgra32, 64, 48, |s| by_tile(s, 3, 0)),
    ("quantisers_tile_4", Bgr24, 64, 48, |s| by_tile(s, 4, 1)),
    ("quantisers_tile_5", Bgra32, 64, 48, |s| by_tile(s, 5, 2)),
    ("quantisers_tile_6", Bgr24, 64, 48, |s| by_tile(s, 6, 0)),
    ("quantisers_tile_7", Bgra32, 64, 48, |s| by_tile(s, 7, 1)),
    ("quantisers_macroblock_420", Bgr24, 80, 48, |s| by_macroblock(s, 7, 1, 2)),
    ("quantisers_macroblock_422", Bgr24, 96, 64, |s| by_macroblock(s, 6, 2, 1)),
    ("quantisers_alike", Rgb24, 33, 26, |s| channels(s, 0)),
    ("quantisers_mixed", Rgb24, 33, 26, |s| channels(s, 1)),
    ("quantisers_apart", Rgb24, 33, 26, |s| channels(s, 2)),
    ("quantisers_lp_as_dc", Rgb24, 33, 26, |s| takes_over(s, OWN_LP)),
    ("quantisers_hp_as_lp", Rgb24, 33, 26, |s| takes_over(s, OWN_HP)),
    ("large_bgra", Bgra32, 256, 256, |s| { alpha(s, 2, 40, 1); step(s, 50); }),
    ("large_565", Bgr565, 256, 256, |s| chroma(s, 40, 3, 0, false)),
    ("step_2", Rgb24, 20, 20, |s| steps(s, 2, 0)),
    ("step_33", Rgb24, 20, 20, |s| steps(s, 33, 0)),
    ("step_90", Rgb24, 20, 20, |s| steps(s, 90, 0)),
    ("step_255", Rgb24, 20, 20, |s| steps(s, 255, 0)),
    ("step_unscaled_33", Rgb24, 20, 20, |s| steps(s, 33, 1)),
    ("step_unscaled_49", Rgb24, 20, 20, |s| steps(s, 49, 1)),
];

fn settings((_, pixels, width, height, special): &Fixture) -> EncoderSettings {
    let format = FORMATS.iter().position(|format| format == pixels);
    let mut settings = EncoderSettings {
        width: *width,
        height: *height,
        format: format.and_then(|at| u32::try_from(at).ok()).unwrap_or(0),
        colour: if *pixels == Gray8 { 0 } else { 3 },
        steps: [1; 10],
        columns: 1,
        rows: 1,
        seed: 1,
        ..EncoderSettings::default()
    };
    special(&mut settings);
    if *pixels == Gray8 {
        settings.colour = 0;
    }
    settings
}

/// Compares the C encoder's files with the fixtures and `expected.tsv`, or writes them.
#[test]
fn fixtures_are_what_the_c_encoder_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/jxr/fixtures");
    let mut table = String::new();
    let keep = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(path, bytes).expect("a fixture can be written");
        } else {
            assert!(
                fs::read(path).ok().as_deref() == Some(bytes),
                "{name} differs: UPDATE=1 writes it"
            );
        }
    };
    for fixture in FIXTURES {
        let (name, format, width, height, _) = fixture;
        let pixels = pattern(*format, *width, *height);
        let file = reference::encode(&settings(fixture), &pixels).expect(name);
        let decoded = match compare(&file) {
            Outcome::Same(decoded) => decoded,
            Outcome::Different(how) => panic!("{name}: {how}"),
        };
        keep(&format!("{name}.jxr"), &file);
        let format = NAMES.iter().find(|(_, named)| named == format).map_or("", |(name, _)| name);
        let lossless = if decoded == pixels { "lossless" } else { "lossy" };
        let hash = fnv(&decoded);
        table += &format!("{name}\t{format}\t{width}\t{height}\t{lossless}\t{hash:016x}\n");
    }
    keep("expected.tsv", table.as_bytes());
}
