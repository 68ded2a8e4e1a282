//! Any sequence of calls, legal or not, out of bytes: what the tests on several backends and the fuzz target feed on
//! (feature `arbitrary`).
//!
//! Bytes become [`Step`]s, which say what is called before it is known which objects there are; [`Pools`] knows those and
//! makes a [`Command`] of a step. A [`Player`] has a context with a small scene in it, ready to draw, and carries them out.
//! Sizes are small and so is the number of instances, so that a sequence takes a software renderer no time. [`Contract`]
//! is a backend that holds every packet against what packets promise.

mod calls;
mod contract;
mod dress;
mod player;

use std::sync::LazyLock;

use agal::{Endian, Stage};
use arbitrary::{Arbitrary, Result, Unstructured};

pub use contract::Contract;
pub use player::Player;

use crate::command::{Bytecode, Command, Reply};
use crate::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::names::{BufferUsage, FlashName, Name, TextureFormat};

/// A call before it is known which objects there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    call: u8,
    ints: [i32; 6],
    numbers: [f64; 4],
    flag: bool,
}

/// What breaks sums, products and limits.
const EDGES: [i32; 10] = [
    i32::MIN,
    i32::MAX,
    i32::MAX - 2,
    0x10000,
    0x10001,
    0xEFFFF,
    0xF0000,
    2048,
    4096,
    16384,
];

/// Small numbers mostly, sizes, and edges.
fn int(u: &mut Unstructured<'_>) -> Result<i32> {
    match u.int_in_range(0..=18u8)? {
        0..12 => u.int_in_range(0..=8),
        12..16 => Ok(*u.choose(&[3, 4, 6, 8, 12, 16, 32, 64, 128, 256])?),
        16 => u.int_in_range(-3..=-1),
        17 => Ok(*u.choose(&EDGES)?),
        _ => u.arbitrary(),
    }
}

/// Numbers that are none, or hardly any.
const SPECIAL: [f64; 6] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -0.0,
    1e-320,
];

fn number(u: &mut Unstructured<'_>) -> Result<f64> {
    let choice = u.int_in_range(0..=10u8)?;
    let unit = |u: &mut Unstructured<'_>| -> Result<f64> {
        Ok(f64::from(u.arbitrary::<u16>()?) / f64::from(u16::MAX))
    };
    match choice {
        0..6 => unit(u),
        6..10 => Ok(unit(u)? * 220.0 - 20.0),
        _ => Ok(*u.choose(&SPECIAL)?),
    }
}

/// Each call as often as its weight.
const CALLS: &[(u8, u8)] = &[
    (0, 1),
    (1, 4),
    (2, 3),
    (4, 3),
    (5, 1),
    (6, 2),
    (7, 1),
    (8, 3),
    (9, 2),
    (10, 2),
    (11, 4),
    (12, 2),
    (13, 2),
    (14, 2),
    (15, 5),
    (16, 6),
    (17, 4),
    (18, 5),
    (19, 3),
    (20, 4),
    (21, 5),
    (22, 3),
    (23, 30),
    (24, 8),
    (25, 1),
    (26, 2),
    (27, 3),
    (28, 2),
    (29, 1),
    (30, 5),
    (31, 3),
    (32, 1),
    (33, 5),
    (34, 1),
    (35, 4),
    (36, 6),
    (37, 1),
    (38, 1),
    (39, 60),
    (DRESSED, 6),
    (40, 1),
    (41, 4),
    (42, 3),
    (43, 1),
];

/// `Context3D.dispose`: rare, because nothing happens after it.
const DISPOSE: u8 = 3;

/// A draw with a generated program and everything that it reads.
const DRESSED: u8 = 99;

/// Bytes that one [`Step`] takes at most.
pub const STEP_BYTES: usize = 48;

/// How much [`DISPOSE`] weighs against one of [`CALLS`].
const WEIGHT: u32 = 2;

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let weights = CALLS.iter().map(|(_, weight)| u32::from(*weight) * WEIGHT);
        let mut place = u.int_in_range(0..=weights.sum::<u32>())?;
        let mut call = DISPOSE;
        for (number, weight) in CALLS {
            let weight = u32::from(*weight) * WEIGHT;
            if place < weight {
                call = *number;
                break;
            }
            place -= weight;
        }
        Ok(Step {
            call,
            ints: array(u, int)?,
            numbers: array(u, number)?,
            flag: u.arbitrary()?,
        })
    }
}

impl Step {
    /// A draw with a generated program, which is otherwise one step of many.
    ///
    /// # Errors
    /// None of its own, as [`Step::arbitrary`].
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let call = DRESSED;
        Ok(Step {
            call,
            ..Step::arbitrary(u)?
        })
    }
}

fn array<T: Copy + Default, const N: usize>(
    u: &mut Unstructured<'_>,
    one: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<[T; N]> {
    let mut all = [T::default(); N];
    for place in &mut all {
        *place = one(u)?;
    }
    Ok(all)
}

/// What uploads are taken from: small 16-bit numbers, so that indices are mostly in range.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    (0..20_000usize)
        .flat_map(|i| [[0, 1, 2, 3][i * 7 % 13 % 4], 0])
        .collect()
});
static NUMBERS: LazyLock<Vec<f64>> = LazyLock::new(|| (0..2000).map(f64::from).collect());
static INDICES: LazyLock<Vec<u32>> = LazyLock::new(|| (0..2000u32).map(|i| i * 5 % 4).collect());
const MATRIX: [f64; 16] = [
    f64::NAN,
    1.0,
    2.0,
    3.0,
    4.0,
    5.0,
    6.0,
    7.0,
    8.0,
    9.0,
    10.0,
    11.0,
    12.0,
    13.0,
    14.0,
    1e300,
];

/// Draws `va0` in the colour `fc0`.
const PLAIN: (&str, &str) = ("mov op, va0", "mov oc, fc0");

/// Draws `va0` with the texture at sampler 0.
const TEXTURED: (&str, &str) = (
    "mov op, va0\nmov v0, va0",
    "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\nmov oc, ft0",
);

/// The bytes of a program.
#[expect(
    clippy::panic,
    reason = "the texts stand in this file, and a test assembles them all"
)]
fn assemble(source: &str, stage: Stage, version: u32) -> Vec<u8> {
    match agal::asm::assemble(source, stage, version) {
        Ok(program) => program.encode(),
        Err(error) => panic!("{source}: {error}"),
    }
}

/// Vertex and fragment programs, the last ones no programs at all.
static PROGRAMS: LazyLock<Vec<(Vec<u8>, Vec<u8>)>> = LazyLock::new(|| {
    let pair = |(vertex, fragment): (&str, &str), version| {
        let vertex = assemble(vertex, Stage::Vertex, version);
        (vertex, assemble(fragment, Stage::Fragment, version))
    };
    let mut garbage = pair(PLAIN, 1);
    garbage.0.truncate(20);
    vec![
        pair(PLAIN, 1),
        pair(TEXTURED, 1),
        pair(
            (
                TEXTURED.0,
                "tex ft0, v0, fs0 <2d,linear,repeat,mipnone,video>\nmov oc, ft0",
            ),
            1,
        ),
        pair(
            (
                TEXTURED.0,
                "tex ft0, v0, fs1 <2d,linear,repeat,miplinear>\nmov oc, ft0",
            ),
            1,
        ),
        pair(
            (
                TEXTURED.0,
                "tex ft0, v0, fs0 <cube,nearest,clamp,mipnone>\nmov oc, ft0",
            ),
            1,
        ),
        pair(("add op, va0, va1", "mov oc, fc0"), 1),
        pair(("mov op, va0", "mov oc, fc0\nmov fo1, fc1"), 2),
        pair(("mov op, va0", "mov oc, fc0\nmov od.x, fc0.x"), 2),
        garbage,
        (Vec::new(), vec![0xff; 31]),
    ]
});

fn bytecode(bytes: &'static [u8], present: bool) -> Option<Bytecode<'static>> {
    present.then_some(Bytecode {
        bytes,
        endian: Endian::Little,
    })
}

/// Member of an enumeration by number; below 0 none of them.
fn name<T: FlashName>(number: i32) -> Name<T> {
    match usize::try_from(number) {
        Ok(number) => Name::Is(T::NAMES[number % T::NAMES.len()].0),
        Err(_) if number == -1 => Name::Null,
        Err(_) => Name::Unknown,
    }
}

const USAGE: Name<BufferUsage> = Name::Is(BufferUsage::DynamicDraw);

/// Of the first of [`objects`]' textures: how many sides and levels of it are uploaded.
const CONTENTS: [(u32, u32); 6] = [(1, 3), (1, 4), (1, 1), (6, 3), (1, 0), (1, 1)];

/// The objects that the player of [`Pools::scene`] finds.
fn objects() -> Vec<Command<'static>> {
    let vertices = Command::CreateVertexBuffer {
        num_vertices: 4,
        data32_per_vertex: 4,
        buffer_usage: USAGE,
    };
    let indices = Command::CreateIndexBuffer {
        num_indices: 12,
        buffer_usage: USAGE,
    };
    let texture = |side| Command::CreateTexture {
        width: side,
        height: side,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: true,
        streaming_levels: 0,
    };
    let cube = Command::CreateCubeTexture {
        size: 4,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let rectangle = Command::CreateRectangleTexture {
        width: 5,
        height: 3,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
    };
    let instances = Command::CreateVertexBufferForInstances {
        num_vertices: 3,
        data32_per_vertex: 4,
        instances_per_element: 2,
        buffer_usage: USAGE,
    };
    let program = Command::CreateProgram;
    vec![
        vertices,
        instances,
        indices,
        texture(4),
        texture(8),
        texture(8),
        cube,
        texture(16),
        texture(16),
        texture(16),
        texture(16),
        rectangle,
        Command::CreateVideoTexture,
        program,
        program,
        program,
        // For generated ones.
        program,
        program,
    ]
}

/// Objects that were made, alive or not.
#[derive(Default)]
pub struct Pools {
    vertices: Vec<VertexBufferKey>,
    indices: Vec<IndexBufferKey>,
    programs: Vec<ProgramKey>,
    textures: Vec<TextureKey>,
    /// The scene's video texture.
    pub video: Option<TextureKey>,
}

/// An object by number, or, for one number, a key that never was one.
fn pick<K: Copy + Default>(pool: &[K], number: i32) -> K {
    let place = number.unsigned_abs() as usize % pool.len().max(1);
    match pool.get(place) {
        Some(key) if number != 7 => *key,
        _ => K::default(),
    }
}

/// The same, and null for negative numbers.
fn pick_or_null<K: Copy + Default>(pool: &[K], number: i32) -> Option<K> {
    (number >= 0).then(|| pick(pool, number))
}

impl Pools {
    /// The calls that a step means, with the objects that there are at this moment: one, or a draw with all that belongs
    /// to it.
    pub fn commands(&self, step: &Step) -> Vec<Command<'static>> {
        match step.call {
            DRESSED => self.dressed(step),
            _ => vec![self.command(step)],
        }
    }

    /// Textures that were made, disposed or not.
    pub fn textures(&self) -> &[TextureKey] {
        &self.textures
    }

    /// Takes note of an object that a call made.
    pub fn keep(&mut self, command: &Command<'_>, reply: &Reply) {
        if let (Command::CreateVideoTexture, Reply::Texture(key)) = (command, reply) {
            self.video.get_or_insert(*key);
        }
        match reply {
            Reply::VertexBuffer(key) => self.vertices.push(*key),
            Reply::IndexBuffer(key) => self.indices.push(*key),
            Reply::Program(key) => self.programs.push(*key),
            Reply::Texture(key) => self.textures.push(*key),
            _ => {}
        }
    }

    /// Makes everything ready to draw.
    pub fn scene(&self) -> Vec<Command<'static>> {
        let mut commands = vec![self.back_buffer(96, 64, true), clear([0.0; 4], 7)];
        commands.extend(self.vertices.iter().map(|buffer| {
            Command::VertexBufferUploadFromByteArray {
                buffer: *buffer,
                data: Some(&BYTES),
                byte_array_offset: 0,
                start_vertex: 0,
                num_vertices: 3,
            }
        }));
        commands.extend(
            self.indices
                .iter()
                .map(|buffer| Command::IndexBufferUploadFromVector {
                    buffer: *buffer,
                    data: Some(&INDICES),
                    start_offset: 0,
                    count: 12,
                }),
        );
        // The last one, the rectangle texture, has nothing, and so have those that are made later.
        for (texture, (sides, levels)) in self.textures.iter().zip(CONTENTS) {
            let places = (0..sides).flat_map(|side| (0..levels).map(move |level| (side, level)));
            commands.extend(places.map(|(side, level)| self.upload(*texture, Some(side), level)));
        }
        commands.extend(self.video.map(|texture| Command::VideoTextureFrame {
            texture,
            source: calls::bitmap(5, 3),
        }));
        let programs = self.programs.iter().zip(&*PROGRAMS);
        commands.extend(
            programs.map(|(program, (vertex, fragment))| Command::ProgramUpload {
                program: *program,
                vertex_program: bytecode(vertex, true),
                fragment_program: bytecode(fragment, true),
            }),
        );
        commands.push(self.stream(0, 0, 0));
        commands.push(Command::SetProgram {
            program: self.programs.first().copied(),
        });
        commands
    }

    fn back_buffer(&self, width: i32, height: i32, depth: bool) -> Command<'static> {
        Command::ConfigureBackBuffer {
            width,
            height,
            anti_alias: 0,
            enable_depth_and_stencil: depth,
            wants_best_resolution: depth,
            wants_best_resolution_on_browser_zoom: width % 2 == 0,
        }
    }

    fn stream(&self, index: i32, buffer: i32, offset: i32) -> Command<'static> {
        Command::SetVertexBufferAt {
            index,
            buffer: pick_or_null(&self.vertices, buffer),
            buffer_offset: offset,
            format: name(if offset < 0 { 0 } else { 3 - offset.min(3) }),
        }
    }

    fn upload(&self, texture: TextureKey, side: Option<u32>, miplevel: u32) -> Command<'static> {
        Command::TextureUploadFromByteArray {
            texture,
            data: Some(&BYTES),
            byte_array_offset: 0,
            side,
            miplevel,
        }
    }

    /// Calls that show the state: draws with everything there is, into everything there is.
    pub fn probes(&self) -> Vec<Command<'static>> {
        let draws = |commands: &mut Vec<Command<'static>>| {
            commands.extend(self.indices.iter().map(|buffer| Command::DrawTriangles {
                index_buffer: Some(*buffer),
                first_index: 0,
                num_triangles: -1,
            }));
        };
        let mut commands = Vec::new();
        draws(&mut commands);
        for program in &self.programs {
            commands.push(Command::SetProgram {
                program: Some(*program),
            });
            draws(&mut commands);
        }
        commands.push(Command::SetRenderToBackBuffer);
        draws(&mut commands);
        commands.push(clear([0.5; 4], 7));
        draws(&mut commands);
        commands.push(Command::Present);
        draws(&mut commands);
        commands
    }
}

fn clear([red, green, blue, alpha]: [f64; 4], mask: u32) -> Command<'static> {
    Command::Clear {
        red,
        green,
        blue,
        alpha,
        depth: red * 2.0,
        stencil: mask,
        mask,
    }
}
