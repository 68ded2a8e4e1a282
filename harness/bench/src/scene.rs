//! Scenes: the same draw many times, with one kind of change between draws.

use std::str::FromStr;

use agal::asm;
use allocation_counter::measure;
use backend_gl::offscreen::{Api, Offscreen, Options};
use backend_gl_trace::{NoopFactory, record, recorded};
use context3d::backend::{Backend, BackendFactory as _, NullBackend};
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, ProgramType, TextureFormat, TriangleFace, VertexFormat,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Command, Context3D, ContextOptions, Handle, Profile, Reply};
use molehill_reference::{Options as ReferenceOptions, ReferenceBackend};

use crate::lanes::{Lane, take_turns, time};
use crate::row::{Row, float};
use crate::{Failed, Target, unfiltered};

/// What changes between draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Draws,
    /// Four vertex constants.
    Constants4,
    /// Sixteen vertex constants.
    Constants16,
    /// The texture.
    Textures,
    /// The program.
    Programs,
    /// The buffer of three vertex streams.
    Buffers,
    /// Nothing; each draw has four instances.
    Instances,
    /// The render target, which is cleared.
    Targets,
    /// Fourteen calls, as programs of the captures make them: most set what is set already.
    FlashLike,
}

impl Kind {
    /// All, with their names.
    pub const NAMES: [(Kind, &'static str); 9] = [
        (Kind::Draws, "draws"),
        (Kind::Constants4, "constants4"),
        (Kind::Constants16, "constants16"),
        (Kind::Textures, "textures"),
        (Kind::Programs, "programs"),
        (Kind::Buffers, "buffers"),
        (Kind::Instances, "instances"),
        (Kind::Targets, "targets"),
        (Kind::FlashLike, "flashlike"),
    ];
}

/// A scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// What changes.
    pub kind: Kind,
    /// Draws of a frame: 10 to 100,000.
    pub draws: usize,
    /// Objects that take turns: 10 to 4096.
    pub live: usize,
}

impl Scene {
    /// Draws of a frame and objects unless told otherwise.
    pub const USUAL: (usize, usize) = (1000, 10);

    /// All kinds.
    pub fn all() -> impl Iterator<Item = Scene> {
        let (draws, live) = Scene::USUAL;
        Kind::NAMES
            .map(|(kind, _)| Scene { kind, draws, live })
            .into_iter()
    }
}

impl FromStr for Scene {
    type Err = String;

    /// `NAME[:DRAWS[:OBJECTS]]`
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let kind = Kind::NAMES.iter().find(|(_, text)| *text == name);
        let (kind, _) = kind.ok_or_else(|| {
            format!(
                "no such scene; there are {}",
                Kind::NAMES.map(|(_, name)| name).join(", ")
            )
        })?;
        let mut number = |usual: usize, most: usize, what: &str| match parts.next() {
            None => Ok(usual),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| (10..=most).contains(number))
                .ok_or_else(|| format!("{what}: 10 to {most}")),
        };
        let scene = Scene {
            kind: *kind,
            draws: number(Scene::USUAL.0, 100_000, "draws")?,
            live: number(Scene::USUAL.1, 4096, "objects")?,
        };
        match parts.next() {
            None => Ok(scene),
            Some(_) => Err("NAME[:DRAWS[:OBJECTS]]".to_owned()),
        }
    }
}

impl std::fmt::Display for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let row = Kind::NAMES.iter().find(|(kind, _)| *kind == self.kind);
        f.write_str(row.map_or("", |(_, name)| name))?;
        match (self.draws, self.live) == Scene::USUAL {
            true => Ok(()),
            false => write!(f, ":{}:{}", self.draws, self.live),
        }
    }
}

/// Bytes of a vertex: place, colour, texture coordinates.
const VERTEX: i32 = 8;
/// Draws between two presents at most: Flash allows 32768.
const FRAME: usize = 30_000;

/// What a scene draws with.
#[derive(Default)]
struct Objects {
    programs: Vec<Handle<ProgramKey>>,
    textures: Vec<Handle<TextureKey>>,
    targets: Vec<Handle<TextureKey>>,
    buffers: Vec<Handle<VertexBufferKey>>,
    indices: Option<Handle<IndexBufferKey>>,
}

/// Numbers that calls refer to.
struct Data {
    matrices: Vec<[f64; 16]>,
    registers: Vec<[f64; 64]>,
}

impl Data {
    fn new() -> Self {
        // Two triangles of two pixels.
        let matrix = |n: u32| {
            let mut matrix = [0.0; 16];
            (matrix[0], matrix[5], matrix[10], matrix[15]) = (1.0, 1.0, 1.0, 1.0);
            matrix[12] = f64::from(n % 8) / 16.0;
            matrix[13] = f64::from(n / 8 % 8) / 16.0;
            matrix
        };
        let matrices: Vec<[f64; 16]> = (0..64).map(matrix).collect();
        let registers = matrices.iter().enumerate().map(|(n, matrix)| {
            let mut registers = [0.0; 64];
            registers[..16].copy_from_slice(matrix);
            registers[16..].fill(f64::from(u32::try_from(n).unwrap_or(0)) / 64.0);
            registers
        });
        Data {
            registers: registers.collect(),
            matrices,
        }
    }
}

fn at<T: Copy>(list: &[T], n: usize) -> Option<T> {
    list.get(n % list.len().max(1)).copied()
}

impl Scene {
    fn count(&self, kinds: &[Kind]) -> usize {
        if kinds.contains(&self.kind) {
            self.live
        } else {
            1
        }
    }

    fn prepare<B: Backend>(&self, context: &mut Context3D<B>) -> Result<Objects, Failed> {
        let mut objects = Objects::default();
        context.configure_back_buffer(64, 64, 0, true, false, false)?;
        for n in 0..self
            .count(&[Kind::Programs, Kind::FlashLike])
            .min(match self.kind {
                Kind::FlashLike => 4,
                _ => usize::MAX,
            })
        {
            let program = context.create_program()?;
            let used: Vec<u32> = (0..16).filter(|bit| n >> bit & 1 != 0).collect();
            let mut vertex =
                "m44 op, va0, vc0\nmov v0, va1\nmov v1, va2\nadd vt0, va1, vc4\n".to_owned();
            vertex += "add vt0, vt0, vc15\nmov v2, vt0\n";
            let mut fragment =
                "tex ft0, v1, fs0 <2d,linear,clamp,mipnone>\nmul ft0, ft0, v0\nadd ft0, ft0, v2\n"
                    .to_owned();
            for bit in used {
                fragment += &format!("mul ft0, ft0, fc{bit}\n");
            }
            fragment += "mul ft0, ft0, fc16\nmov oc, ft0";
            let assembled = |text: &str, stage| {
                let program = asm::assemble(text, stage, 1);
                program
                    .map(|program| program.encode())
                    .map_err(|_| Failed("a wrong scene".to_owned()))
            };
            let (vertex, fragment) = (
                assembled(&vertex, agal::Stage::Vertex)?,
                assembled(&fragment, agal::Stage::Fragment)?,
            );
            context.upload_program(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
            objects.programs.push(program);
        }
        for _ in 0..self.count(&[Kind::Textures, Kind::FlashLike]) {
            let texture = context.create_texture(8, 8, TextureFormat::Bgra, false, 0)?;
            context.upload_texture_from_byte_array(texture, Some(&[128; 256]), 0, None, 0)?;
            objects.textures.push(texture);
        }
        for _ in 0..self
            .count(&[Kind::Targets])
            .min(if self.kind == Kind::Targets {
                usize::MAX
            } else {
                0
            })
        {
            objects
                .targets
                .push(context.create_texture(8, 8, TextureFormat::Bgra, true, 0)?);
        }
        let corners = [[0.0f32, 0.0], [0.04, 0.0], [0.0, 0.04], [0.04, 0.04]];
        let vertices = corners.map(|[x, y]| [x, y, 1.0, 1.0, 1.0, 1.0, x, y]);
        let vertices: Vec<u8> = vertices
            .iter()
            .flatten()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        for _ in 0..self.count(&[Kind::Buffers, Kind::FlashLike]) {
            let buffer = context.create_vertex_buffer(4, VERTEX, BufferUsage::StaticDraw)?;
            context.upload_vertices_from_byte_array(buffer, Some(&vertices), 0, 0, 4)?;
            objects.buffers.push(buffer);
        }
        let indices = context.create_index_buffer(6, BufferUsage::StaticDraw)?;
        context.upload_indices_from_vector(indices, Some(&[0, 1, 2, 1, 3, 2]), 0, 6)?;
        objects.indices = Some(indices);
        context.set_program(at(&objects.programs, 0))?;
        context.set_texture_at(0, at(&objects.textures, 0))?;
        context.set_depth_test(false, CompareMode::Always)?;
        for command in streams(at(&objects.buffers, 0)) {
            context.execute(&command)?;
        }
        context.set_program_constants_from_matrix(
            ProgramType::Vertex,
            0,
            Some(&Data::new().matrices[0]),
            false,
        )?;
        Ok(objects)
    }

    /// The calls of a frame.
    fn frame<'d>(&self, objects: &Objects, data: &'d Data) -> Vec<Command<'d>> {
        let mut frame = Vec::new();
        for n in 0..self.draws {
            if n % FRAME == 0 {
                if n > 0 {
                    frame.push(Command::Present {});
                }
                frame.push(clear());
            }
            self.change(n, objects, data, &mut frame);
            frame.push(match self.kind {
                Kind::Instances => Command::DrawTrianglesInstanced {
                    index_buffer: objects.indices,
                    num_instances: 4,
                    first_index: 0,
                    num_triangles: 2,
                },
                _ => Command::DrawTriangles {
                    index_buffer: objects.indices,
                    first_index: 0,
                    num_triangles: 2,
                },
            });
        }
        frame.push(Command::Present {});
        frame
    }

    /// The calls before a draw.
    fn change<'d>(
        &self,
        n: usize,
        objects: &Objects,
        data: &'d Data,
        frame: &mut Vec<Command<'d>>,
    ) {
        let program = |n| Command::SetProgram {
            program: at(&objects.programs, n),
        };
        let texture = |n| Command::SetTextureAt {
            sampler: 0,
            texture: at(&objects.textures, n),
        };
        let constants = |stage: ProgramType, first_register, count: usize| {
            Command::SetProgramConstantsFromVector {
                program_type: stage.into(),
                first_register,
                data: data
                    .registers
                    .get(n % data.registers.len())
                    .and_then(|all| all.get(..count * 4)),
                num_registers: -1,
            }
        };
        match self.kind {
            Kind::Draws | Kind::Instances => {}
            Kind::Constants4 => frame.push(constants(ProgramType::Vertex, 0, 4)),
            Kind::Constants16 => frame.push(constants(ProgramType::Vertex, 0, 16)),
            Kind::Textures => frame.push(texture(n)),
            Kind::Programs => frame.push(program(n)),
            Kind::Buffers => frame.extend(streams(at(&objects.buffers, n))),
            Kind::Targets => {
                frame.push(Command::SetRenderToTexture {
                    texture: at(&objects.targets, n),
                    enable_depth_and_stencil: false,
                    anti_alias: 0,
                    surface_selector: 0,
                    color_output_index: 0,
                });
                frame.push(clear());
            }
            Kind::FlashLike => {
                let destination = if (n / 4).is_multiple_of(2) {
                    BlendFactor::OneMinusSourceAlpha
                } else {
                    BlendFactor::One
                };
                frame.push(program(n / 8));
                frame.push(texture(n / 2));
                frame.push(Command::SetTextureAt {
                    sampler: 1,
                    texture: None,
                });
                frame.push(Command::SetBlendFactors {
                    source_factor: BlendFactor::One.into(),
                    destination_factor: destination.into(),
                });
                frame.push(Command::SetDepthTest {
                    depth_mask: false,
                    pass_compare_mode: CompareMode::Always.into(),
                });
                frame.push(Command::SetCulling {
                    triangle_face_to_cull: TriangleFace::None.into(),
                });
                frame.push(Command::SetScissorRectangle { rectangle: None });
                frame.extend(streams(at(&objects.buffers, n / 2)));
                frame.push(Command::SetVertexBufferAt {
                    index: 3,
                    buffer: None,
                    buffer_offset: 0,
                    format: VertexFormat::Float4.into(),
                });
                frame.push(Command::SetProgramConstantsFromMatrix {
                    program_type: ProgramType::Vertex.into(),
                    first_register: 0,
                    matrix: data.matrices.get(n % data.matrices.len()),
                    transposed_matrix: true,
                });
                frame.push(constants(ProgramType::Vertex, 4, 1));
                frame.push(constants(ProgramType::Fragment, 16, 1));
            }
        }
    }
}

fn clear() -> Command<'static> {
    Command::Clear {
        red: 0.0,
        green: 0.0,
        blue: 0.0,
        alpha: 1.0,
        depth: 1.0,
        stencil: 0,
        mask: u32::MAX,
    }
}

/// All attributes from one buffer.
fn streams(buffer: Option<Handle<VertexBufferKey>>) -> [Command<'static>; 3] {
    let formats = [
        (0, VertexFormat::Float2),
        (2, VertexFormat::Float4),
        (6, VertexFormat::Float2),
    ];
    let mut index = 0;
    formats.map(|(buffer_offset, format)| {
        index += 1;
        Command::SetVertexBufferAt {
            index: index - 1,
            buffer,
            buffer_offset,
            format: format.into(),
        }
    })
}

/// A context with a scene's objects, and the calls of its frame.
struct Stage<'d, B: Backend> {
    context: Context3D<B>,
    frame: Vec<Command<'d>>,
}

impl<'d, B: Backend> Stage<'d, B> {
    fn new(scene: &Scene, data: &'d Data, backend: B) -> Result<Self, Failed> {
        let options = ContextOptions {
            profile: Profile::Standard,
            swf_version: 30,
        };
        let mut context = Context3D::new(backend, options);
        // Instances are the only thing that needs more.
        if scene.kind == Kind::Instances {
            context.set_options(ContextOptions {
                profile: Profile::StandardExtended,
                ..options
            });
        }
        let objects = scene.prepare(&mut context)?;
        let frame = scene.frame(&objects, data);
        let mut stage = Stage { context, frame };
        // All that is made at first use is made, and a draw that Flash would drop is a mistake here.
        stage.context.set_error_checking(false)?;
        for _ in 0..3 {
            stage.play_checked()?;
        }
        Ok(stage)
    }

    fn play_checked(&mut self) -> Result<(), Failed> {
        for command in &self.frame {
            if let Reply::Skipped(code) = self.context.execute(command)? {
                return Err(Failed(format!("a draw was dropped: {code:?}")));
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn play(&mut self) -> Result<(), Failed> {
        for command in &self.frame {
            self.context.execute(command)?;
        }
        Ok(())
    }

    fn lane<'a>(mut self, target: Target, repeat: usize) -> Lane<'a>
    where
        Self: 'a,
    {
        Box::new(move || {
            self.play()?;
            time(target, || (0..repeat).try_for_each(|_| self.play()))
        })
    }
}

/// Draws of one run at least, so that a run is long enough to be timed.
const ENOUGH: usize = 20_000;

/// Measures a scene: `rounds` runs of each way, in turns.
///
/// # Errors
/// When the target can't be opened or fails.
pub fn scene(scene: &Scene, target: Target, rounds: usize) -> Result<Row, Failed> {
    let data = Data::new();
    let repeat = match target {
        Target::Reference => 1,
        _ => ENOUGH.div_ceil(scene.draws),
    };
    let mut row = Row {
        name: scene.to_string(),
        frames: 1,
        draws: scene.draws as u64,
        ..Row::default()
    };
    let null = Stage::new(scene, &data, NullBackend::counting())?;
    row.calls = null.frame.len() as u64;
    for command in &null.frame {
        unfiltered::add(&mut row.unfiltered, command.call().name);
    }
    let mut noop = None;
    let whole = measure(|| noop = Some(quiet(scene, &data)));
    row.peak = whole.bytes_max;
    let mut noop = noop.unwrap_or_else(|| quiet(scene, &data))?;
    let mut played = Ok(());
    let counted = measure(|| played = noop.play());
    played?;
    row.allocations = float(counted.count_total);
    row.programs = 0;

    let mut lanes: Vec<Lane<'_>> = vec![null.lane(target, repeat), noop.lane(target, repeat)];
    let floor = match target {
        Target::Null => false,
        Target::Noop => {
            let stage = Stage::new(scene, &data, NoopFactory { recorded: true }.create()?)?;
            lanes.push(floor(stage, None, &mut row, repeat)?);
            true
        }
        Target::Gl | Target::Gles => {
            let api = if target == Target::Gl {
                Api::OpenGl
            } else {
                Api::Gles
            };
            let plain = Offscreen::open_with(&Options::new(api))?;
            lanes.push(Stage::new(scene, &data, plain.backend()?)?.lane(target, repeat));
            let second = Offscreen::open_with(&recorded(Options::new(api)))?;
            let stage = Stage::new(scene, &data, second.backend()?)?;
            lanes.push(floor(stage, Some(second), &mut row, repeat)?);
            true
        }
        Target::Reference => {
            let backend = ReferenceBackend::new(ReferenceOptions::default());
            lanes.push(Stage::new(scene, &data, backend)?.lane(target, repeat));
            false
        }
    };
    let units = float((scene.draws * repeat) as u64);
    let mut samples = take_turns(&mut lanes, rounds, units)?;
    row.floor = if floor { samples.pop() } else { None };
    row.front = samples.first().cloned();
    row.own = match target {
        Target::Null => None,
        _ => samples.get(1).cloned(),
    };
    row.total = match target {
        Target::Null => row.front.clone(),
        _ => samples.pop(),
    }
    .unwrap_or_default();
    Ok(row)
}

fn quiet<'d>(scene: &Scene, data: &'d Data) -> Result<Stage<'d, backend_gl::GlBackend>, Failed> {
    Stage::new(scene, data, NoopFactory::default().create()?)
}

/// Records a frame, and makes its calls by hand.
fn floor<'a>(
    mut stage: Stage<'a, backend_gl::GlBackend>,
    context: Option<Offscreen>,
    row: &mut Row,
    repeat: usize,
) -> Result<Lane<'a>, Failed> {
    let (played, trace) = record(|| stage.play());
    played?;
    row.gl_calls = trace.counts();
    row.bytes = trace.bytes_read();
    Ok(Box::new(move || {
        // The backend lives as long as its objects are drawn with.
        let _keep = &stage;
        trace.issue(context.as_ref())?;
        time(Target::Gl, || {
            (0..repeat).try_for_each(|_| Ok(trace.issue(context.as_ref())?))
        })
    }))
}
