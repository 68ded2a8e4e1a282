//! Calls out of numbers: mostly sensible, often not.

mod calls;

use std::sync::LazyLock;

use context3d::agal::{Endian, Stage};
use context3d::{
    BufferUsage, Bytecode, Command, FlashName, IndexBufferKey, Name, ProgramKey, Reply,
    TextureFormat, TextureKey, VertexBufferKey,
};
use proptest::prelude::*;

use crate::common::{PLAIN, TEXTURED, assemble};

/// A call before it is known which objects there are.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    call: u8,
    ints: [i32; 6],
    numbers: [f64; 4],
    flag: bool,
}

/// Small numbers mostly, sizes, and what breaks sums and products.
fn int() -> impl Strategy<Value = i32> {
    prop_oneof![
        12 => 0..=8i32,
        4 => prop::sample::select(vec![3, 4, 6, 8, 12, 16, 32, 64, 128, 256]),
        1 => -3..0i32,
        1 => prop::sample::select(vec![
            i32::MIN, i32::MAX, i32::MAX - 2, 0x10000, 0x10001, 0xEFFFF, 0xF0000, 2048, 4096, 16384,
        ]),
        1 => any::<i32>(),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0..1.0f64,
        4 => -20.0..200.0f64,
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 1e-320]),
    ]
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
    (40, 1),
    (41, 4),
    (42, 3),
    (43, 1),
];

/// `Context3D.dispose`: rare, because nothing happens after it.
const DISPOSE: u8 = 3;

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let calls = CALLS
        .iter()
        .flat_map(|(call, weight)| std::iter::repeat_n(*call, usize::from(*weight) * 2))
        .chain([DISPOSE]);
    let call = prop::sample::select(calls.collect::<Vec<u8>>());
    let numbers = [number(), number(), number(), number()];
    let ints = [int(), int(), int(), int(), int(), int()];
    (call, ints, numbers, any::<bool>()).prop_map(|(call, ints, numbers, flag)| Step {
        call,
        ints,
        numbers,
        flag,
    })
}

/// What uploads are taken from: small 16-bit numbers, so that indices are mostly in range.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    (0..20_000u32)
        .flat_map(|i| [(i * 7 % 13 % 4) as u8, 0])
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

/// The objects that the player of [`Pools::scene`] finds.
pub(crate) fn objects() -> Vec<Command<'static>> {
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
        rectangle,
        Command::CreateVideoTexture,
        program,
        program,
        program,
    ]
}

/// Objects that were made, alive or not.
#[derive(Default)]
pub(crate) struct Pools {
    vertices: Vec<VertexBufferKey>,
    indices: Vec<IndexBufferKey>,
    programs: Vec<ProgramKey>,
    textures: Vec<TextureKey>,
    /// The scene's video texture.
    pub(crate) video: Option<TextureKey>,
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
    pub(crate) fn keep(&mut self, command: &Command<'_>, reply: &Reply) {
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
    pub(crate) fn scene(&self) -> Vec<Command<'static>> {
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
        for (texture, sides) in self.textures.iter().zip([1u32, 1, 1, 6, 1]) {
            commands.extend((0..sides).map(|side| self.upload(*texture, Some(side), 0)));
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
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
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
    pub(crate) fn probes(&self) -> Vec<Command<'static>> {
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
