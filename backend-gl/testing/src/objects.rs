//! [`CreatedObjects`]: the objects that calls have created, and a test scene.

use super::data::{INDICES, PROGRAMS, TEXELS, VERTICES, bitmap, bytecode};
use context3d::enums::VertexFormat::{Float1, Float2, Float3, Float4};
use context3d::enums::{
    BufferUsage, CompareMode, EnumArg, ProgramType, TextureFormat, TriangleFace,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Invocation, ObjectHandle, Reply};

const USAGE: EnumArg<'_, BufferUsage> = EnumArg::Is(BufferUsage::DynamicDraw);

/// The colour that the scene's first program draws, which differs from the clear colour.
const COLOR: [f64; 4] = [1.0, 0.5, 0.25, 1.0];

/// Number of uploaded sides and levels of each of [`creations`]' textures.
const CONTENTS: [(u32, u32); 6] = [(1, 3), (1, 4), (1, 1), (6, 3), (1, 0), (1, 1)];

pub(super) fn creations() -> Vec<Invocation<'static>> {
    let vertices = Invocation::CreateVertexBuffer {
        num_vertices: 4,
        data32_per_vertex: 4,
        buffer_usage: USAGE,
    };
    let indices = Invocation::CreateIndexBuffer { num_indices: 12, buffer_usage: USAGE };
    let texture = |side| Invocation::CreateTexture {
        width: side,
        height: side,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: true,
        streaming_levels: 0,
    };
    let cube = Invocation::CreateCubeTexture {
        size: 4,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let rectangle = Invocation::CreateRectangleTexture {
        width: 5,
        height: 3,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
    };
    let instances = Invocation::CreateVertexBufferForInstances {
        num_vertices: 3,
        data32_per_vertex: 4,
        instances_per_element: 2,
        buffer_usage: USAGE,
    };
    [
        vec![vertices, instances, indices],
        [4, 8, 8].map(texture).to_vec(),
        vec![cube],
        [16; 4].map(texture).to_vec(),
        vec![rectangle, Invocation::CreateVideoTexture {}],
        // Generated programs replace the last two of the five programs.
        vec![Invocation::CreateProgram {}; 5],
    ]
    .concat()
}

/// Objects that were created, including disposed ones.
#[derive(Default)]
pub struct CreatedObjects {
    pub(super) vertices: Vec<ObjectHandle<VertexBufferKey>>,
    pub(super) indices: Vec<ObjectHandle<IndexBufferKey>>,
    pub(super) programs: Vec<ObjectHandle<ProgramKey>>,
    pub(super) textures: Vec<ObjectHandle<TextureKey>>,
    pub video: Option<ObjectHandle<TextureKey>>,
}

impl CreatedObjects {
    /// Textures that were created, including disposed ones.
    pub fn textures(&self) -> &[ObjectHandle<TextureKey>] {
        &self.textures
    }

    pub fn keep(&mut self, command: &Invocation<'_>, reply: &Reply) {
        if let (Invocation::CreateVideoTexture {}, Reply::Texture(key)) = (command, reply) {
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

    pub fn scene(&self) -> Vec<Invocation<'static>> {
        let mut commands = vec![
            Invocation::ConfigureBackBuffer {
                width: 96,
                height: 64,
                anti_alias: 0,
                enable_depth_and_stencil: true,
                wants_best_resolution: true,
                wants_best_resolution_on_browser_zoom: true,
            },
            clear([0.0; 4], 7),
        ];
        commands.extend(self.vertices.iter().map(|buffer| {
            Invocation::VertexBufferUploadFromByteArray {
                buffer: *buffer,
                data: Some(&VERTICES),
                byte_array_offset: 0,
                start_vertex: 0,
                num_vertices: 3,
            }
        }));
        commands.extend(self.indices.iter().map(|buffer| {
            Invocation::IndexBufferUploadFromVector {
                buffer: *buffer,
                data: Some(&INDICES),
                start_offset: 0,
                count: 12,
            }
        }));
        // Textures after the first six (`CONTENTS`), such as the rectangle texture, have no content.
        for (texture, (sides, levels)) in self.textures.iter().zip(CONTENTS) {
            let places = (0..sides).flat_map(|side| (0..levels).map(move |level| (side, level)));
            commands.extend(places.map(|(side, miplevel)| {
                Invocation::TextureUploadFromByteArray {
                    texture: *texture,
                    data: Some(&TEXELS),
                    byte_array_offset: 0,
                    side: Some(side),
                    miplevel,
                }
            }));
        }
        commands.extend(
            self.video
                .map(|texture| Invocation::VideoTextureFrame { texture, source: bitmap(5, 3) }),
        );
        let programs = self.programs.iter().zip(&*PROGRAMS);
        commands.extend(programs.map(|(program, (vertex, fragment))| Invocation::ProgramUpload {
            program: *program,
            vertex_program: Some(bytecode(vertex)),
            fragment_program: Some(bytecode(fragment)),
        }));
        commands.extend(self.plain_inputs());
        commands
    }

    fn plain_inputs(&self) -> [Invocation<'static>; 3] {
        [
            self.stream(0, 0, 0),
            Invocation::SetProgram { program: self.programs.first().copied() },
            Invocation::SetProgramConstantsFromVector {
                program_type: ProgramType::Fragment.into(),
                first_register: 0,
                data: Some(&COLOR),
                num_registers: 1,
            },
        ]
    }

    /// Returns a draw that changes pixels of the back buffer, unless blending, masks, stencil or the buffers' content
    /// prevent that. Triangles of generated programs are rarely inside the target.
    pub fn visible_draw(&self) -> Vec<Invocation<'static>> {
        let mut commands = vec![
            Invocation::SetRenderToBackBuffer {},
            Invocation::SetScissorRectangle { rectangle: None },
            Invocation::SetCulling { triangle_face_to_cull: TriangleFace::None.into() },
            Invocation::SetDepthTest {
                depth_mask: true,
                pass_compare_mode: CompareMode::Always.into(),
            },
        ];
        commands.extend(self.plain_inputs());
        commands.push(Invocation::DrawTriangles {
            index_buffer: self.indices.first().copied(),
            first_index: 0,
            num_triangles: -1,
        });
        commands
    }

    /// Returns a call that prepares a draw, so that random sequences don't stay in a state without draws.
    pub(super) fn repair(&self, choose: impl FnOnce(usize) -> usize) -> Invocation<'static> {
        let mut scene = self.scene();
        // Uploads of smaller mip levels are numerous, and rarely fix the reason why a draw fails.
        let smaller = |command: &Invocation<'_>| {
            matches!(command, Invocation::TextureUploadFromByteArray { miplevel: 1.., .. })
        };
        scene.retain(|command| !smaller(command));
        scene.extend((1..8).map(no_stream));
        scene.extend([
            Invocation::SetRenderToBackBuffer {},
            Invocation::SetScissorRectangle { rectangle: None },
            Invocation::SetErrorChecking { value: false },
            clear([0.25; 4], 7),
        ]);
        let textures = [0, 1].into_iter().zip(&self.textures);
        let textures = textures.chain(self.video.iter().map(|video| (0, video)));
        scene.extend(textures.map(|(sampler, texture)| Invocation::SetTextureAt {
            sampler,
            texture: Some(*texture),
        }));
        let programs = self.programs.iter().copied().map(Some);
        scene.extend(programs.map(|program| Invocation::SetProgram { program }));
        scene[choose(scene.len())]
    }

    pub(super) fn stream(&self, index: i32, buffer: usize, offset: i32) -> Invocation<'static> {
        let [one, two, three, four] = [Float1, Float2, Float3, Float4].map(EnumArg::Is);
        Invocation::SetVertexBufferAt {
            index,
            buffer: self.vertices.get(buffer).copied(),
            buffer_offset: offset,
            format: match offset {
                0 => four,
                1 => three,
                2 => two,
                _ => one,
            },
        }
    }

    /// Returns calls that make the state visible: draws with every object into every target.
    pub fn probes(&self) -> Vec<Invocation<'static>> {
        let draws = |commands: &mut Vec<Invocation<'static>>| {
            commands.extend(self.indices.iter().map(|buffer| Invocation::DrawTriangles {
                index_buffer: Some(*buffer),
                first_index: 0,
                num_triangles: -1,
            }));
        };
        let mut commands = Vec::new();
        draws(&mut commands);
        for program in &self.programs {
            commands.push(Invocation::SetProgram { program: Some(*program) });
            draws(&mut commands);
        }
        commands.push(Invocation::SetRenderToBackBuffer {});
        draws(&mut commands);
        commands.push(clear([0.5; 4], 7));
        draws(&mut commands);
        commands.push(Invocation::Present {});
        draws(&mut commands);
        commands
    }
}

/// Unbinds a stream.
pub(super) fn no_stream(index: i32) -> Invocation<'static> {
    Invocation::SetVertexBufferAt { index, buffer: None, buffer_offset: 0, format: EnumArg::Null }
}

pub(super) fn clear([red, green, blue, alpha]: [f64; 4], mask: u32) -> Invocation<'static> {
    Invocation::Clear {
        red,
        green,
        blue,
        alpha,
        // Later draws mostly pass the initial depth test.
        depth: 1.0 - red / 2.0,
        stencil: mask,
        mask,
    }
}
