//! Cases for ATF textures: every version, format, encoding, mip level and face, drawn with one texel per pixel. The
//! expected pixels are computed from the formats' rules, without a decoder or a renderer.

use atf::{AtfFormat, LevelEncoding, TextureClass};
use context3d::agal::cube;
use context3d::enums::{BlockFormat, FlashName, TextureFormat};
use molehill_testing::atf_files::{AtfSample, AtfSpec, samples};

use crate::calls::Calls as _;
use crate::case::{Case, Cases};
use crate::scene_builder::{PASS, SIDE, SceneBuilder, SceneQuad, SceneResult};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;
use molehill_replay::image::RgbaImage;
use molehill_replay::record::RecordError;

/// The log2 of width and height, and the mip level count, of the 2D files with all encodings. Each half of the texture
/// shows half of the test colours.
const FLAT: ((u8, u8), u8) = ((7, 6), 8);
/// The log2 of width and height, and the mip level count, of the cube files with all encodings.
const CUBE: ((u8, u8), u8) = ((6, 6), 7);
/// The log2 of the widths and heights of more 2D files: below a texel block's size, not square, and as large as a back
/// buffer.
const LOGS: [(u8, u8); 9] =
    [(0, 0), (0, 5), (1, 1), (2, 2), (2, 6), (3, 2), (7, 0), (7, 2), (4, 9)];

/// The log2 of the minimum width and height that compressed textures may have (error 3745).
const MIN_LOG: u8 = 2;

pub(in crate::cases) fn add(cases: &mut Cases) {
    for (cube, (log, count)) in [(false, FLAT), (true, CUBE)] {
        for sample in samples(cube, log, count) {
            let kind = if cube { ".cube" } else { "" };
            let version = sample.file().version;
            let name = format!("{}.v{version}{kind}", short(&sample));
            shown(cases, &name, sample, move |s, texture| upload(s, texture, sample.bytes()));
            blocks(cases, sample, kind);
        }
    }
    for log in LOGS {
        sizes(cases, log);
    }
    uploads(cases);
}

/// Returns the texture format and the ATF encoding as one word, such as `raw_dxt5`.
fn short(sample: &AtfSample) -> String {
    let encoding = match sample.encoding() {
        LevelEncoding::JpegXr => "jpeg_xr",
        LevelEncoding::Dxt1 => "dxt1",
        LevelEncoding::Dxt5 => "dxt5",
        LevelEncoding::Etc1 => "etc1",
        LevelEncoding::Etc1Alpha => "etc1_alpha",
        LevelEncoding::Etc2 => "etc2",
        LevelEncoding::Etc2Alpha => "etc2_alpha",
        LevelEncoding::Pvrtc => "pvrtc",
        LevelEncoding::PvrtcAlpha => "pvrtc_alpha",
        LevelEncoding::Undocumented => "undocumented",
    };
    match sample.file().format {
        AtfFormat::Rgb888 => "rgb888".to_owned(),
        AtfFormat::Rgba8888 => "rgba8888".to_owned(),
        AtfFormat::Compressed | AtfFormat::CompressedAlpha => encoding.to_owned(),
        AtfFormat::RawCompressed | AtfFormat::RawCompressedAlpha => format!("raw_{encoding}"),
        AtfFormat::CompressedLossy | AtfFormat::CompressedAlphaLossy => format!("lossy_{encoding}"),
    }
}

/// Returns the citations of the reference's facts that a file verifies.
fn source(sample: &AtfSample) -> &'static str {
    let format = sample.file().format;
    if [AtfFormat::RawCompressed, AtfFormat::RawCompressedAlpha].contains(&format) {
        return match sample.encoding() {
            LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => "[atf.header.new] [atf.raw.pvrtc]",
            LevelEncoding::Etc1Alpha => "[atf.header.new] [atf.raw.etc1_alpha]",
            LevelEncoding::JpegXr
            | LevelEncoding::Dxt1
            | LevelEncoding::Dxt5
            | LevelEncoding::Etc1
            | LevelEncoding::Etc2
            | LevelEncoding::Etc2Alpha
            | LevelEncoding::Undocumented => "[atf.header.new] [atf.raw.size] [atf.raw.blocks]",
        };
    }
    match sample.encoding() {
        LevelEncoding::JpegXr => "[atf.record.order] [atf.jxr.whole] [atf.jxr.alpha]",
        LevelEncoding::Dxt1 | LevelEncoding::Dxt5 => {
            "[atf.record.order] [atf.parts.order] [atf.parts.dxt]"
        }
        LevelEncoding::Etc1 | LevelEncoding::Etc1Alpha => {
            "[atf.record.order] [atf.parts.picture] [atf.parts.etc1]"
        }
        LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => {
            "[atf.record.order] [atf.parts.picture] [atf.parts.pvrtc] [atf.parts.pvrtc_flags]"
        }
        LevelEncoding::Etc2 | LevelEncoding::Etc2Alpha | LevelEncoding::Undocumented => {
            "[atf.record.counts_3]"
        }
    }
}

/// Adds a case that uploads the texel blocks of a raw ATF file level by level, like a host with its own parser. Only
/// version 3 is used, because all versions store the same blocks.
fn blocks(cases: &mut Cases, sample: AtfSample, kind: &str) {
    let file = *sample.file();
    let raw = [AtfFormat::RawCompressed, AtfFormat::RawCompressedAlpha].contains(&file.format);
    let format = sample.encoding().layout().and_then(BlockFormat::of);
    let (Some(format), true, 3) = (format, raw, file.version) else { return };
    let name = format!("{}.blocks{kind}", short(&sample));
    shown(cases, &name, sample, move |s, texture| {
        for side in 0..file.faces() {
            for level in 0..file.count {
                let blocks = sample.records(file.face(side), level).concat();
                let face = file.cube.then_some(side.into());
                s.texture_upload_blocks(texture, blocks, format.name(), face, Some(level.into()))?;
            }
        }
        Ok(())
    });
}

fn sizes(cases: &mut Cases, log: (u8, u8)) {
    let count = log.0.max(log.1) + 1;
    for sample in samples(false, log, count) {
        let file = sample.file();
        let compressed = file.format.texture() != TextureClass::Bgra;
        if file.version != 2 || compressed && log.0.min(log.1) < MIN_LOG {
            continue;
        }
        let (width, height) = file.size(0);
        let name = format!("size.{width}x{height}.{}", short(&sample));
        shown(cases, &name, sample, move |s, texture| upload(s, texture, sample.bytes()));
    }
}

fn uploads(cases: &mut Cases) {
    let file =
        AtfSpec { version: 2, format: AtfFormat::RawCompressedAlpha, ..AtfSpec::raw((4, 5), 6) };
    let Some(sample) = AtfSample::new(file, LevelEncoding::Dxt5) else { return };
    let within = move |s: &mut SceneBuilder, texture, before: usize, behind: usize, is_async| {
        let data = [vec![0x5A; before], sample.bytes(), vec![0xA5; behind]].concat();
        let offset = u32::try_from(before).unwrap_or_default();
        s.texture_upload_compressed_from_byte_array(texture, data, offset, is_async)
    };
    for (name, before, behind) in [("offset", 13, 0), ("behind", 0, 13), ("within", 7, 5)] {
        shown(cases, &format!("upload.{name}"), sample, move |s, texture| {
            within(s, texture, before, behind, false)
        });
    }
    // The asynchronous upload is complete in the next frame [context3d.upload.async_end].
    let case = shown(cases, "upload.async", sample, move |s, texture| {
        within(s, texture, 0, 0, true)?;
        s.present()
    });
    let black = || RgbaImage::filled(SIDE, SIDE, [0, 0, 0, 255]);
    case.expects_pictures(move || vec![black(), expected(&sample)]);
    // Uploading a second file must replace all mip levels of the first file.
    shown(cases, "upload.twice", sample, move |s, texture| {
        let zeros = file.write(|_, level| vec![vec![0; file.blocks(level) * 16], vec![], vec![]]);
        upload(s, texture, zeros)?;
        within(s, texture, 0, 0, false)
    });
}

fn upload(s: &mut SceneBuilder, texture: TextureId, file: Vec<u8>) -> SceneResult {
    s.texture_upload_compressed_from_byte_array(texture, file, 0, false)
}

/// Returns the position where a mip level is drawn: levels from left to right, faces from top to bottom.
fn position(file: &AtfSpec, side: u8, level: u8) -> (u32, u32) {
    let left = (0..level).map(|level| file.size(level).0).sum();
    (left, u32::from(side) * file.size(0).1)
}

fn size(file: &AtfSpec) -> (u32, u32) {
    let (width, height) = position(file, file.faces(), file.count);
    (width.max(SIDE), height.max(SIDE))
}

fn shown<'a>(
    cases: &'a mut Cases,
    name: &str,
    sample: AtfSample,
    upload: impl Fn(&mut SceneBuilder, TextureId) -> SceneResult + Send + Sync + 'static,
) -> &'a mut Case {
    let tolerance = match sample.tolerance() {
        0 => Tolerance::EXACT,
        channel => Tolerance::channel(
            channel,
            "interpolated colours of a block may be off by 3 % of the distance of its two colours (Direct3D's rule for BC1 and BC3)",
        ),
    };
    let case = cases.scene(format!("texture.atf.{name}"), source(&sample), tolerance, move |s| {
        let texture = created(s, sample.file())?;
        upload(s, texture)?;
        drawn(s, sample.file(), texture)
    });
    case.expects_pictures(move || vec![expected(&sample)])
}

fn created(s: &mut SceneBuilder, file: &AtfSpec) -> Result<TextureId, RecordError> {
    let (width, height) = file.size(0);
    let (width, height) = (width.cast_signed(), height.cast_signed());
    let format = TextureFormat::from(file.format.texture()).name();
    if file.cube {
        s.create_cube_texture(width, format, false, 0)
    } else {
        s.create_texture(width, height, format, false, 0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn drawn(s: &mut SceneBuilder, file: &AtfSpec, texture: TextureId) -> SceneResult {
    let (width, height) = size(file);
    s.configure(width, height, 0, false)?;
    s.clear([0.0, 0.0, 0.0, 1.0])?;
    let mut quads = Vec::new();
    for side in 0..file.faces() {
        for level in 0..file.count {
            let (left, top) = position(file, side, level);
            let (width, height) = file.size(level);
            let corners = [left, top, left + width, top + height].map(|at| at as f32);
            // Positions on a cube face range from -1, -1 at the top left to 1, 1.
            let at = |[a, b]: [f32; 2]| match cube::unproject(side, [a, b]) {
                [x, y, z] if file.cube => [x, y, z, 0.0],
                _ => [(a + 1.0) / 2.0, (b + 1.0) / 2.0, 0.0, 0.0],
            };
            let values = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(at);
            quads.push(SceneQuad::of(corners, values));
        }
    }
    let kind = if file.cube { "cube" } else { "2d" };
    let format = match TextureFormat::from(file.format.texture()) {
        TextureFormat::Compressed => ",dxt1",
        TextureFormat::CompressedAlpha => ",dxt5",
        _ => "",
    };
    // Each quad has its mip level's size in pixels, so that `mipnearest` selects this level.
    s.program(PASS, &format!("tex oc, v0, fs0 <{kind}{format},nearest,clamp,mipnearest>"))?;
    s.set_texture_at(0, texture)?;
    s.quads(&quads)
}

fn expected(sample: &AtfSample) -> RgbaImage {
    let file = sample.file();
    let (width, height) = size(file);
    let mut picture = RgbaImage::filled(width, height, [0, 0, 0, 255]);
    for side in 0..file.faces() {
        for level in 0..file.count {
            let (left, top) = position(file, side, level);
            let (width, height) = file.size(level);
            let texels = sample.expected(file.face(side), level).concat();
            if let Some(texels) = RgbaImage::from_rgba(width, height, texels) {
                picture.paste(&texels, left.into(), top.into(), false);
            }
        }
    }
    picture
}
