//! [`Objects`]: the existing objects, and a scene made of them.

use super::calls::bitmap;
use super::data::{INDICES, PROGRAMS, TEXELS, VERTICES, bytecode};
use super::step::{Call, Step};
use context3d::enums::{
    BufferUsage, CompareMode, FlashName, Name, ProgramType, TextureFormat, TriangleFace,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Command, Handle, Reply};

/// An enum constant by number; an invalid name if negative.
pub(super) fn name<T: FlashName>(number: i32) -> Name<'static, T> {
    match usize::try_from(number) {
        Ok(number) => Name::Is(T::NAMES[number % T::NAMES.len()].0),
        Err(_) if number == -1 => Name::Null,
        Err(_) => Name::Unknown("?"),
    }
}

const USAGE: Name<'_, BufferUsage> = Name::Is(BufferUsage::DynamicDraw);

/// What the scene's first program draws: another colour than the cleared one.
const COLOR: [f64; 4] = [1.0, 0.5, 0.25, 1.0];

/// Number of uploaded sides and levels of each of [`creations`]' textures.
const CONTENTS: [(u32, u32); 6] = [(1, 3), (1, 4), (1, 1), (6, 3), (1, 0), (1, 1)];

pub(super) fn creations() -> Vec<Command<'static>> {
    let vertices =
        Command::CreateVertexBuffer { num_vertices: 4, data32_per_vertex: 4, buffer_usage: USAGE };
    let indices = Command::CreateIndexBuffer { num_indices: 12, buffer_usage: USAGE };
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
    let program = Command::CreateProgram {};
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
        Command::CreateVideoTexture {},
        program,
        program,
        program,
        // Replaced by generated programs.
        program,
        program,
    ]
}

/// Objects that were created, including disposed ones.
#[derive(Default)]
pub struct Objects {
    pub(super) vertices: Vec<Handle<VertexBufferKey>>,
    pub(super) indices: Vec<Handle<IndexBufferKey>>,
    pub(super) programs: Vec<Handle<ProgramKey>>,
    pub(super) textures: Vec<Handle<TextureKey>>,
    pub video: Option<Handle<TextureKey>>,
}

/// An object by number; one of the numbers gives a key that never existed.
pub(super) fn pick<K: Copy + Default>(pool: &[K], number: i32) -> K {
    let place = number.unsigned_abs() as usize % pool.len().max(1);
    match pool.get(place) {
        Some(key) if number != 7 => *key,
        _ => K::default(),
    }
}

/// As [`pick`]; null for negative numbers.
pub(super) fn pick_or_null<K: Copy + Default>(pool: &[K], number: i32) -> Option<K> {
    (number >= 0).then(|| pick(pool, number))
}

impl Objects {
    /// The calls of a step on the current objects: one, or a draw with all its inputs.
    pub fn commands(&self, step: &Step) -> Vec<Command<'static>> {
        if step.call == Call::GeneratedDraw {
            self.generated_draw(step)
        } else {
            vec![self.command(step)]
        }
    }

    /// Textures that were created, including disposed ones.
    pub fn textures(&self) -> &[Handle<TextureKey>] {
        &self.textures
    }

    pub fn keep(&mut self, command: &Command<'_>, reply: &Reply) {
        if let (Command::CreateVideoTexture {}, Reply::Texture(key)) = (command, reply) {
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

    pub fn scene(&self) -> Vec<Command<'static>> {
        let mut commands = vec![self.back_buffer(96, 64, 0, true), clear([0.0; 4], 7)];
        commands.extend(self.vertices.iter().map(|buffer| {
            Command::VertexBufferUploadFromByteArray {
                buffer: *buffer,
                data: Some(&VERTICES),
                byte_array_offset: 0,
                start_vertex: 0,
                num_vertices: 3,
            }
        }));
        commands.extend(self.indices.iter().map(|buffer| Command::IndexBufferUploadFromVector {
            buffer: *buffer,
            data: Some(&INDICES),
            start_offset: 0,
            count: 12,
        }));
        // The rectangle texture, which is the last one, and later textures have no content.
        for (texture, (sides, levels)) in self.textures.iter().zip(CONTENTS) {
            let places = (0..sides).flat_map(|side| (0..levels).map(move |level| (side, level)));
            commands.extend(places.map(|(side, level)| self.upload(*texture, Some(side), level)));
        }
        commands.extend(
            self.video.map(|texture| Command::VideoTextureFrame { texture, source: bitmap(5, 3) }),
        );
        let programs = self.programs.iter().zip(&*PROGRAMS);
        commands.extend(programs.map(|(program, (vertex, fragment))| Command::ProgramUpload {
            program: *program,
            vertex_program: bytecode(vertex, true),
            fragment_program: bytecode(fragment, true),
        }));
        commands.extend(self.plain_inputs());
        commands
    }

    fn plain_inputs(&self) -> [Command<'static>; 3] {
        [
            self.stream(0, 0, 0),
            Command::SetProgram { program: self.programs.first().copied() },
            Command::SetProgramConstantsFromVector {
                program_type: ProgramType::Fragment.into(),
                first_register: 0,
                data: Some(&COLOR),
                num_registers: 1,
            },
        ]
    }

    /// A draw that changes pixels of the back buffer, unless blending, masks, stencil or the buffers' content prevent it.
    /// What generated programs draw is rarely within the target.
    pub fn visible_draw(&self) -> Vec<Command<'static>> {
        let mut commands = vec![
            Command::SetRenderToBackBuffer {},
            Command::SetScissorRectangle { rectangle: None },
            Command::SetCulling { triangle_face_to_cull: TriangleFace::None.into() },
            Command::SetDepthTest {
                depth_mask: true,
                pass_compare_mode: CompareMode::Always.into(),
            },
        ];
        commands.extend(self.plain_inputs());
        commands.push(Command::DrawTriangles {
            index_buffer: self.indices.first().copied(),
            first_index: 0,
            num_triangles: -1,
        });
        commands
    }

    pub(super) fn back_buffer(
        &self,
        width: i32,
        height: i32,
        anti_alias: i32,
        depth: bool,
    ) -> Command<'static> {
        Command::ConfigureBackBuffer {
            width,
            height,
            anti_alias,
            enable_depth_and_stencil: depth,
            wants_best_resolution: depth,
            wants_best_resolution_on_browser_zoom: width % 2 == 0,
        }
    }

    pub(super) fn stream(&self, index: i32, buffer: i32, offset: i32) -> Command<'static> {
        Command::SetVertexBufferAt {
            index,
            buffer: pick_or_null(&self.vertices, buffer),
            buffer_offset: offset,
            format: name(if offset < 0 { 0 } else { 3 - offset.min(3) }),
        }
    }

    pub(super) fn upload(
        &self,
        texture: Handle<TextureKey>,
        side: Option<u32>,
        miplevel: u32,
    ) -> Command<'static> {
        Command::TextureUploadFromByteArray {
            texture,
            data: Some(&TEXELS),
            byte_array_offset: 0,
            side,
            miplevel,
        }
    }

    /// Calls that make the state visible: draws with all objects into all targets.
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
            commands.push(Command::SetProgram { program: Some(*program) });
            draws(&mut commands);
        }
        commands.push(Command::SetRenderToBackBuffer {});
        draws(&mut commands);
        commands.push(clear([0.5; 4], 7));
        draws(&mut commands);
        commands.push(Command::Present {});
        draws(&mut commands);
        commands
    }
}

pub(super) fn clear([red, green, blue, alpha]: [f64; 4], mask: u32) -> Command<'static> {
    Command::Clear {
        red,
        green,
        blue,
        alpha,
        // What is drawn afterwards passes the depth test at the start, mostly.
        depth: 1.0 - red / 2.0,
        stencil: mask,
        mask,
    }
}
