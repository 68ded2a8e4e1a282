//! Pixel tests of ATF files: every version, format, encoding, face and level, uploaded through `Context3D` and drawn,
//! with and without the driver's block-compressed formats.

use crate::common::scene::{BLACK, PASS, Picture, Scene};
use crate::common::{backend, backend_with};
use atf::AtfFormat;
use backend_gl::GlBackend;
use backend_gl::offscreen::Api;
use backend_gl::workarounds::Workarounds;
use context3d::agal::cube;
use context3d::backend::{Backend as _, ReadSurface};
use context3d::enums::{BlockFormat, EnumArg, TextureFormat, VertexFormat};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::TexelLayout;
use context3d::{Invocation, ObjectHandle, Reply};
use molehill_testing::atf_files::{AtfSample, AtfSpec, samples};

/// Width of the back buffer: the levels of a face are side by side, faces one below the other.
const WIDTH: u32 = 256;
const HEIGHT: u32 = 384;
/// Height of a face's rows in the back buffer.
const FACE: u32 = 64;

/// Size of 2D files: images of block colours have two squares per row, one row for first and one for second colours.
const FLAT: ((u8, u8), u8) = ((7, 6), 8);
const CUBE: ((u8, u8), u8) = ((6, 6), 7);

/// Returns the position at which a level is drawn: left and top.
fn place(file: &AtfSpec, side: u8, level: u8) -> (u32, u32) {
    let left = (0..level).map(|level| file.size(level).0).sum();
    (left, u32::from(side) * FACE)
}

/// A rectangle for each level of each face. Each rectangle has its level's size, so that mipmapping selects that level.
struct Atlas {
    vertices: ObjectHandle<VertexBufferKey>,
    indices: ObjectHandle<IndexBufferKey>,
}

impl Atlas {
    fn new(scene: &mut Scene, file: &AtfSpec) -> Self {
        let (mut floats, mut indices) = (Vec::new(), Vec::new());
        for side in 0..file.faces() {
            for level in 0..file.count {
                let (left, top) = place(file, side, level);
                let (width, height) = file.size(level);
                let first = u16::try_from(floats.len() / 7).expect("few");
                for (right, down) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    floats.extend(corner((left + right * width, top + down * height)));
                    let [u, v] = [right, down].map(|end| if end == 1 { 1.0f32 } else { 0.0 });
                    floats.extend(coordinates(file.cube, side, u, v));
                }
                indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
            }
        }
        Atlas { vertices: scene.vertices(&floats, 7), indices: scene.indices(&indices) }
    }

    fn draw(
        &self,
        scene: &mut Scene,
        program: ObjectHandle<ProgramKey>,
        texture: ObjectHandle<TextureKey>,
    ) -> Picture {
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.bind(program);
        scene.bind_texture(0, Some(texture));
        scene.stream(0, self.vertices, 0, VertexFormat::Float3);
        scene.stream(1, self.vertices, 3, VertexFormat::Float4);
        scene.draw(self.indices);
        scene.bind_texture(0, None);
        scene.picture()
    }
}

/// Returns a pixel's corner in clip space.
#[allow(clippy::cast_precision_loss, reason = "small")]
fn corner((x, y): (u32, u32)) -> [f32; 3] {
    let across = x as f32 / WIDTH as f32 * 2.0 - 1.0;
    [across, 1.0 - y as f32 / HEIGHT as f32 * 2.0, 0.5]
}

fn coordinates(cube: bool, side: u8, u: f32, v: f32) -> [f32; 4] {
    if !cube {
        return [u, v, 0.0, 0.0];
    }
    let [x, y, z] = cube::unproject(side, [u * 2.0 - 1.0, v * 2.0 - 1.0]);
    [x, y, z, 0.0]
}

/// The block-compressed formats that the driver may receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    /// All formats that the driver supports.
    All,
    /// ETC2 if the driver supports it.
    NoS3tc,
    None,
}

/// A scene for one choice of block-compressed formats.
struct Rig {
    scene: Scene,
    blocks: Blocks,
    /// The atlases for 2D and cube textures.
    atlases: [Atlas; 2],
    /// Programs by type and format of the texture.
    programs: [[ObjectHandle<ProgramKey>; 3]; 2],
}

/// The formats, with their names in AGAL's samplers.
const FORMATS: [(TextureFormat, &str); 3] = [
    (TextureFormat::Bgra, "rgba"),
    (TextureFormat::Compressed, "dxt1"),
    (TextureFormat::CompressedAlpha, "dxt5"),
];

fn shapes() -> [Vec<AtfSample>; 2] {
    let [(flat, levels), (cube, cube_levels)] = [FLAT, CUBE];
    [samples(false, flat, levels), samples(true, cube, cube_levels)]
}

impl Rig {
    fn new(api: Api, blocks: Blocks) -> Self {
        let driver = backend(api);
        let has = |driver: &GlBackend| (driver.caps().s3tc, driver.caps().etc2);
        let es = api == Api::Gles;
        assert_eq!(has(&driver), (true, es), "{api}: a part of this would test nothing");
        let forced = match blocks {
            Blocks::All => Workarounds::default(),
            Blocks::NoS3tc => "decode-dxt-on-cpu=on".parse().expect("a known name"),
            Blocks::None => Workarounds::without_blocks(),
        };
        let driver = backend_with(api, forced);
        let expected = (blocks == Blocks::All, es && blocks != Blocks::None);
        assert_eq!(has(&driver), expected);
        let size = [WIDTH, HEIGHT].map(|side| i32::try_from(side).expect("small"));
        let mut scene = Scene::over(api, driver, (size[0], size[1]), 0);
        let atlases = shapes().map(|samples| Atlas::new(&mut scene, samples[0].file()));
        let programs = ["2d", "cube"].map(|kind| {
            FORMATS.map(|(_, format)| {
                let options = format!("{kind},{format},nearest,clamp,mipnearest");
                let fragment = format!("tex ft0, v0, fs0 <{options}>\nmov oc, ft0");
                scene.program(PASS, &fragment)
            })
        });
        Rig { scene, blocks, atlases, programs }
    }

    /// Creates a texture and uploads the sample's file.
    fn upload(&mut self, drawing: &Drawing) -> ObjectHandle<TextureKey> {
        let texture = self.texture(&drawing.sample);
        self.scene.call(Invocation::TextureUploadCompressedFromByteArray {
            texture,
            data: Some(&drawing.bytes),
            byte_array_offset: 0,
            is_async: false,
        });
        texture
    }

    /// Creates a texture and uploads the sample's raw blocks, as a host that parses files. `None` without raw blocks.
    fn upload_blocks(&mut self, sample: &AtfSample) -> Option<ObjectHandle<TextureKey>> {
        let format = BlockFormat::of(sample.encoding().layout()?)?;
        let file = sample.file();
        let raw = [AtfFormat::RawCompressed, AtfFormat::RawCompressedAlpha];
        if !raw.contains(&file.format) {
            return None;
        }
        let texture = self.texture(sample);
        for side in 0..file.faces() {
            for level in 0..file.count {
                let records = sample.records(file.face(side), level).concat();
                self.scene.call(Invocation::TextureUploadBlocks {
                    texture,
                    data: Some(&records),
                    format: EnumArg::Is(format),
                    side: file.cube.then_some(side.into()),
                    miplevel: level.into(),
                });
            }
        }
        Some(texture)
    }

    /// Creates a texture of the sample's type, format and size.
    fn texture(&mut self, sample: &AtfSample) -> ObjectHandle<TextureKey> {
        let (width, height) = sample.file().size(0);
        let [width, height] = [width, height].map(|side| i32::try_from(side).expect("small"));
        let format = EnumArg::Is(sample.file().format.texture().into());
        let created = self.scene.call(match sample.file().cube {
            true => Invocation::CreateCubeTexture {
                size: width,
                format,
                optimize_for_render_to_texture: false,
                streaming_levels: 0,
            },
            false => Invocation::CreateTexture {
                width,
                height,
                format,
                optimize_for_render_to_texture: false,
                streaming_levels: 0,
            },
        });
        let Reply::Texture(texture) = created else {
            panic!("no texture");
        };
        texture
    }

    /// Returns the layout in which the driver stores the texture; `None` for blocks, which can't be read back.
    fn kept(&mut self, texture: ObjectHandle<TextureKey>) -> Option<TexelLayout> {
        let read = self.scene.context.backend_mut().read_texels(texture.key(), 0, &mut Vec::new());
        read.expect("texels can be read")
    }

    /// Reads back and draws every level; returns the drawn image.
    fn check(&mut self, drawing: &Drawing) -> Picture {
        let sample = &drawing.sample;
        let what = format!("{}, {:?}: {}", self.scene.api, self.blocks, sample.name());
        let texture = self.upload(drawing);
        let caps = self.scene.context.backend_mut().caps();
        let layout = sample.encoding().layout();
        let decoded = match layout.is_some_and(|layout| caps.supports(layout)) {
            true => None,
            false => Some(TexelLayout::Bgra8),
        };
        assert_eq!(self.kept(texture), decoded, "{what}");
        let format: TextureFormat = sample.file().format.texture().into();
        let format = FORMATS.iter().position(|(known, _)| *known == format).expect("known");
        let kind = usize::from(sample.file().cube);
        let program = self.programs[kind][format];
        let drawn = self.atlases[kind].draw(&mut self.scene, program, texture);
        let file = &sample.file();
        for side in 0..file.faces() {
            for level in 0..file.count {
                let what = format!("{what}, side {side}, level {level}");
                let expected = &drawing.levels[usize::from(side * file.count + level)];
                let read =
                    self.scene.read(ReadSurface::Texture { texture: texture.key(), side, level });
                let (width, height) = file.size(level);
                assert_eq!((read.width, read.height), (width, height), "{what}");
                let (left, top) = place(file, side, level);
                for (y, expected) in (0..).zip(expected.chunks(width as usize)) {
                    for (picture, (left, top), how) in
                        [(&read, (0, 0), "read"), (&drawn, (left, top), "drawn")]
                    {
                        let found = picture.row((left, top + y), width);
                        let what = format_args!("{what}, row {y}, {how}");
                        expect(found, expected, sample.tolerance(), what);
                    }
                }
            }
        }
        assert_eq!(drawn.at(WIDTH - 1, HEIGHT - 1), BLACK, "nothing else is drawn");
        self.scene.call(Invocation::TextureDispose { texture });
        if let Some(texture) = self.upload_blocks(sample) {
            let blocks = self.atlases[kind].draw(&mut self.scene, program, texture);
            assert!(blocks.rgba == drawn.rgba, "{what}: raw blocks");
            self.scene.call(Invocation::TextureDispose { texture });
        }
        drawn
    }
}

#[track_caller]
fn expect(found: &[[u8; 4]], expected: &[[u8; 4]], tolerance: u8, what: impl std::fmt::Display) {
    // A comparison of bytes is fast without optimisation, and most rows are equal.
    if found == expected {
        return;
    }
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, (texel, expected)) in found.iter().zip(expected).enumerate() {
        let mut pairs = texel.iter().zip(expected);
        assert!(
            pairs.all(|(a, b)| a.abs_diff(*b) <= tolerance),
            "{what}: texel {x} is {texel:?}, not {expected:?}"
        );
    }
}

/// A sample's file and texels.
struct Drawing {
    sample: AtfSample,
    bytes: Vec<u8>,
    /// The expected texels of each level, by face and level.
    levels: Vec<Vec<[u8; 4]>>,
}

impl Drawing {
    fn new(sample: AtfSample) -> Self {
        let file = sample.file();
        let levels = (0..file.faces())
            .flat_map(|side| (0..file.count).map(move |level| (file.face(side), level)));
        let levels = levels.map(|(face, level)| sample.expected(face, level)).collect();
        Drawing { bytes: sample.bytes(), levels, sample }
    }
}

fn every_file_is_drawn_on(api: Api) {
    let ways = [Blocks::All, Blocks::NoS3tc, Blocks::None];
    let mut rigs = ways.map(|blocks| Rig::new(api, blocks));
    for sample in shapes().into_iter().flatten() {
        let drawing = Drawing::new(sample);
        let [first, others @ ..] = rigs.each_mut().map(|rig| rig.check(&drawing));
        let sample = &drawing.sample;
        for (other, y) in others.iter().flat_map(|other| (0..HEIGHT).map(move |y| (other, y))) {
            let what =
                format_args!("{api}, {}, row {y}, with fewer kinds of blocks", sample.name());
            let [found, expected] = [other, &first].map(|picture| picture.row((0, y), WIDTH));
            expect(found, expected, sample.tolerance(), what);
        }
    }
}

#[test]
fn every_file_is_drawn_with_and_without_blocks() {
    every_file_is_drawn_on(Api::OpenGl);
}

#[test]
fn every_file_is_drawn_with_and_without_blocks_gles() {
    every_file_is_drawn_on(Api::Gles);
}
