//! Random scenes: triangles of all shapes with random state, drawn into the back buffer and into textures, with and
//! without multisampling.
//!
//! Three features are excluded: Mesa's llvmpipe (22.3) deviates from the specifications [context3d.device.llvmpipe], or
//! these allow several results. Cases of the conformance suite test these features on other drivers:
//!
//! * Scissor rectangles on targets of several samples: llvmpipe draws some samples of the pixels left of and above the
//!   rectangle, though whole pixels are in or out (OpenGL 4.6 section 14.9.2). The cases `api.antialias.scissor.*` test
//!   such rectangles.
//! * Wireframes with different stencil states for front and back faces: llvmpipe treats all lines as front faces, but
//!   they have the face of their polygon (OpenGL 4.6 section 17.3.3). The case
//!   `api.fill_mode.wireframe.stencil_by_face` tests such wireframes.
//! * Wireframes on multisampled targets: Direct3D 11 draws such lines in two ways, by `MultisampleEnable`, and OpenGL
//!   draws them in a third way. The way of Flash is open [context3d.raster.lines].
//!
//! A request for two samples is also excluded: llvmpipe gives four, as a device may (OpenGL 4.6 section 9.2.4).

use agal::generate::Random;
use context3d::backend::{Backend, ReadSurface};
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, FlashName, MipFilter, ProgramType, StencilAction,
    TextureFilter, TextureFormat, TriangleFace, WrapMode,
};
use context3d::keys::{ProgramKey, TextureKey};
use context3d::packets::{
    Clear, Raster, RenderTarget, Scissor, StencilFace, TexelLayout, TextureBinding, TextureKind,
};

use crate::stage::{PASS, PLAIN, Picture, SIDE, Stage, desc, sampler};
use crate::targets::textures;

/// Number of steps of a scene.
const STEPS: std::ops::Range<u32> = 4..14;
/// Largest number of steps of a scene.
pub(crate) const MAX_STEPS: u32 = STEPS.end - 1;
/// Requested sample counts of back buffers and targets.
const SAMPLES: [u8; 6] = [0, 0, 4, 4, 4, 16];
/// Number of textures to render to.
const TARGETS: usize = 3;
/// The average number of draws per wireframe.
const WIREFRAME_EVERY: u32 = 12;

/// A random number generator, determined by a seed.
struct Rng(Random);

impl Rng {
    /// Returns a random integer below `end`.
    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.0.bits() >> 33).expect("31 bits") % end
    }

    fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// Returns a random float from `low` to `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        let part = u16::try_from(self.0.bits() >> 48).expect("16 bits");
        low + (high - low) * f32::from(part) / 65536.0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(u32::try_from(all.len()).expect("few")) as usize]
    }

    fn name<T: FlashName + Copy>(&mut self) -> T {
        self.of(T::NAMES).0
    }

    fn bit(&mut self) -> bool {
        self.one_in(2)
    }
}

/// A program, the number of its 2D textures, and whether it samples a cube.
#[derive(Clone, Copy)]
struct Program {
    key: ProgramKey,
    flat: usize,
    cube: bool,
    /// True if the program writes depth.
    depth: bool,
}

/// Fragment programs: source, AGAL version, number of 2D textures.
const PROGRAMS: [(&str, u32, usize); 8] = [
    ("mov oc, v0", 1, 0),
    ("mul ft0, v0, fc0\nadd oc, ft0, fc1", 1, 0),
    ("tex oc, v0, fs0 <2d>", 1, 1),
    ("tex ft0, v0, fs0 <2d>\ntex ft1, v0.yx, fs1 <2d>\nmul ft0, ft0, v0\nadd oc, ft0, ft1", 1, 2),
    ("mov ft0, v0\nsub ft1.x, ft0.x, fc0.x\nkil ft1.x\nmov oc, ft0", 1, 0),
    ("tex oc, v0, fs0 <cube>", 1, 0),
    ("mov fo0, v0\nmov ft0, v0.wzyx\nmov fo1, ft0", 2, 0),
    ("mov oc, v0\nmov od.x, v0.y", 2, 0),
];

fn programs(stage: &mut Stage<'_>) -> Vec<Program> {
    let upload = |(text, version, flat): (&str, u32, usize)| Program {
        key: stage.program(PASS, text, version),
        flat,
        cube: text.contains("cube"),
        depth: text.contains("od"),
    };
    PROGRAMS.into_iter().map(upload).collect()
}

/// Creates the textures that are only sampled: 2D textures, and a cube.
fn sources(stage: &mut Stage<'_>) -> (Vec<TextureKey>, TextureKey) {
    let flat = [
        (TextureFormat::Bgra, TexelLayout::Bgra8, 16, 5),
        (TextureFormat::BgrPacked565, TexelLayout::Bgr565, 8, 4),
        (TextureFormat::RgbaHalfFloat, TexelLayout::RgbaHalf, 4, 3),
    ];
    let flat = flat.map(|(format, layout, side, levels)| {
        stage.texture(desc(TextureKind::TwoD, format, side, levels), layout)
    });
    let cube = desc(TextureKind::Cube, TextureFormat::Bgra, 8, 4);
    (flat.to_vec(), stage.texture(cube, TexelLayout::Bgra8))
}

/// The target of draws.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    BackBuffer,
    Textures(usize, usize),
}

/// Draws the scene of a seed without the steps whose bits are set in `left_out`, and reads back all targets. Without
/// `wireframes` all triangles are filled.
pub(crate) fn pictures(
    backend: &mut dyn Backend,
    seed: u64,
    left_out: u32,
    wireframes: bool,
) -> Vec<Picture> {
    let mut rng = Rng(Random::new(seed));
    let samples = rng.of(&SAMPLES);
    let mut stage = Stage::new(backend, samples);
    draw(&mut stage, &mut rng, (samples, wireframes), left_out);
    stage.pictures
}

fn draw(stage: &mut Stage<'_>, rng: &mut Rng, (samples, wireframes): (u8, bool), left_out: u32) {
    let programs = programs(stage);
    let (flat, cube) = sources(stage);
    let blank = desc(TextureKind::TwoD, TextureFormat::Bgra, SIDE, 1);
    let targets = [0; TARGETS].map(|_: i32| stage.blank(blank));
    for texture in targets {
        stage.target(textures(&[(texture, 0)], 0));
        stage.clear();
    }
    stage.target(RenderTarget::BackBuffer);
    let mut place = Place::BackBuffer;
    let mut several = samples > 1;
    for step in 0..STEPS.start + rng.below(STEPS.end - STEPS.start) {
        // Each step has its own random generator, so that omitting a step doesn't change the other steps.
        let mut rng = Rng(Random::new(rng.0.bits()));
        if left_out >> step & 1 != 0 {
            continue;
        }
        if rng.one_in(3) {
            let asked;
            (place, asked) = move_on(stage, &mut rng, targets);
            several = asked.unwrap_or(samples) > 1;
        }
        let drawn = match place {
            Place::BackBuffer => Vec::new(),
            Place::Textures(first, count) => targets[first..first + count].to_vec(),
        };
        let program = rng.of(&programs);
        let mut read: Vec<TextureKey> = flat.clone();
        read.extend(targets.iter().filter(|target| !drawn.contains(target)));
        triangles(stage, &mut rng, (program, (several, wireframes)), (&read, cube));
    }
    stage.look("back buffer", ReadSurface::BackBuffer);
    for texture in targets {
        let (side, level) = (0, 0);
        stage.look(format!("{texture:?}"), ReadSurface::Texture { texture, side, level });
    }
}

/// Switches to another target. Clears the target's depth and stencil, and at random its colour. Returns the requested
/// sample count of a texture target.
fn move_on(
    stage: &mut Stage<'_>,
    rng: &mut Rng,
    targets: [TextureKey; TARGETS],
) -> (Place, Option<u8>) {
    let place = match rng.below(6) {
        0 | 1 => Place::BackBuffer,
        2 => Place::Textures(1, 2),
        place => Place::Textures(place as usize - 3, 1),
    };
    let samples = rng.of(&SAMPLES);
    match place {
        Place::BackBuffer => stage.target(RenderTarget::BackBuffer),
        Place::Textures(first, count) => {
            let attached: Vec<_> =
                targets[first..first + count].iter().map(|texture| (*texture, 0)).collect();
            stage.target(textures(&attached, samples));
        }
    }
    // Each combination of textures has its own depth buffer, so that a new one must be cleared.
    let clear = Clear {
        color: rng.bit().then(|| [0; 4].map(|_: i32| rng.between(0.0, 1.0))),
        depth: Some(1.0),
        stencil: Some(u8::try_from(rng.below(4)).expect("small")),
    };
    stage.begin(clear);
    (place, (place != Place::BackBuffer).then_some(samples))
}

fn face(rng: &mut Rng) -> StencilFace {
    StencilFace {
        compare: rng.name::<CompareMode>(),
        both_pass: rng.name::<StencilAction>(),
        depth_fail: rng.name::<StencilAction>(),
        stencil_fail: rng.name::<StencilAction>(),
    }
}

fn raster(rng: &mut Rng, (several, wireframes): (bool, bool)) -> (Raster, Option<Scissor>) {
    let (mut raster, mut scissor) = (PLAIN, None);
    if rng.one_in(4) {
        raster.cull = rng.of(&[TriangleFace::Back, TriangleFace::Front]);
    }
    if rng.bit() {
        raster.blend = (rng.name::<BlendFactor>(), rng.name::<BlendFactor>());
    }
    if rng.one_in(5) {
        raster.color_mask = [0; 4].map(|_: i32| !rng.one_in(4));
    }
    if rng.bit() {
        raster.depth_write = rng.bit();
        raster.depth_compare = rng.of(&[CompareMode::Less, CompareMode::Greater]);
    }
    if rng.one_in(4) {
        (raster.stencil_front, raster.stencil_back) = (face(rng), face(rng));
        raster.stencil_reference = u8::try_from(rng.below(6)).expect("small");
        raster.stencil_write_mask = rng.of(&[255, 3]);
        raster.stencil_read_mask = rng.of(&[255, 6]);
    }
    if rng.one_in(4) {
        let (x, y) = (rng.below(SIDE), rng.below(SIDE));
        let inside =
            Scissor { x, y, width: 1 + rng.below(SIDE - x), height: 1 + rng.below(SIDE - y) };
        scissor = (!several).then_some(inside);
    }
    if rng.one_in(WIREFRAME_EVERY) && !several && wireframes {
        raster.fill = FillMode::Wireframe;
        raster.stencil_back = raster.stencil_front;
    }
    (raster, scissor)
}

/// Returns a vertex in front of or behind the camera: four floats of position, four of a varying.
fn vertex(rng: &mut Rng) -> [f32; 8] {
    let w = match rng.below(10) {
        0 => rng.between(-1.0, 0.3),
        1..4 => rng.between(0.3, 3.0),
        _ => 1.0,
    };
    let mut vertex = [0.0; 8];
    vertex[0] = rng.between(-1.3, 1.3) * w;
    vertex[1] = rng.between(-1.3, 1.3) * w;
    vertex[2] = rng.between(-0.1, 1.1) * w;
    vertex[3] = w;
    for value in &mut vertex[4..] {
        *value = rng.between(0.0, 1.0);
    }
    vertex
}

fn triangles(
    stage: &mut Stage<'_>,
    rng: &mut Rng,
    (program, look): (Program, (bool, bool)),
    (flat, cube): (&[TextureKey], TextureKey),
) {
    let count = 1 + rng.below(5);
    let vertices: Vec<[f32; 8]> = (0..count + 2).map(|_| vertex(rng)).collect();
    let indices: Vec<u16> = (0..u16::try_from(count).expect("few"))
        .flat_map(|first| [first, first + 1, first + 2])
        .collect();
    let mesh = stage.mesh(&vertices, &indices);
    let constants = [0; 2].map(|_: i32| [0; 4].map(|_: i32| rng.between(-0.2, 0.8)));
    stage.constants(ProgramType::Fragment, &constants);
    let sampler = sampler(
        if program.cube { WrapMode::Clamp } else { rng.name::<WrapMode>() },
        rng.of(&[TextureFilter::Nearest, TextureFilter::Linear]),
        MipFilter::None,
    );
    let mut read: Vec<TextureKey> = (0..program.flat).map(|_| rng.of(flat)).collect();
    read.extend(program.cube.then_some(cube));
    let bindings: Vec<TextureBinding> =
        read.into_iter().map(|texture| TextureBinding { texture, sampler }).collect();
    let (mut raster, scissor) = raster(rng, look);
    if program.depth {
        raster.depth_write = true;
    }
    stage.draw_with(&mesh, program.key, &bindings, raster, |draw| draw.scissor = scissor);
}
