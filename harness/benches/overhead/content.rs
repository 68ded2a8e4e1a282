//! The contents of benchmark scenes: their objects, and the calls of a frame.

use agal::asm;
use context3d::backend::Backend;
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, ProgramType, TextureFormat, TriangleFace, VertexFormat,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Context3D, Invocation, ObjectHandle};

use crate::Failed;
use crate::scene::{Kind, Scene};

/// 32-bit values per vertex: position (2), colour (4), texture coordinates (2).
const VERTEX: i32 = 8;
/// Vertices per buffer.
const CORNERS: i32 = 4;
/// Draws per `present`, below Flash's limit of 32768.
const FRAME: usize = 30_000;

#[derive(Default)]
pub(crate) struct Objects {
    programs: Vec<ObjectHandle<ProgramKey>>,
    textures: Vec<ObjectHandle<TextureKey>>,
    targets: Vec<ObjectHandle<TextureKey>>,
    buffers: Vec<ObjectHandle<VertexBufferKey>>,
    indices: Option<ObjectHandle<IndexBufferKey>>,
}

/// The matrices, vertices and register values that the benchmark's calls pass as arguments.
pub(crate) struct Data {
    matrices: Vec<[f64; 16]>,
    vertices: Vec<u8>,
    registers: Vec<[f64; 64]>,
}

impl Data {
    pub(crate) fn new() -> Self {
        // Small quads at 64 positions of an 8×8 grid. All values differ between neighbours, so that no constant upload
        // repeats the one before it.
        let matrix = |n: u32| {
            let mut matrix = [f64::from(n) * 1e-6; 16];
            for n in [0, 5, 10, 15] {
                matrix[n] += 1.0;
            }
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
        Data { registers: registers.collect(), vertices: vertices(), matrices }
    }
}

fn at<T: Copy>(list: &[T], n: usize) -> Option<T> {
    list.get(n % list.len().max(1)).copied()
}

impl Scene {
    fn count(&self, kinds: &[Kind]) -> usize {
        if kinds.contains(&self.kind) { self.live } else { 1 }
    }

    pub(crate) fn prepare<B: Backend>(
        &self,
        context: &mut Context3D<B>,
    ) -> Result<Objects, Failed> {
        let mut objects = Objects::default();
        context.configure_back_buffer(64, 64, 0, true, false, false)?;
        let programs = match self.kind {
            Kind::Programs => self.live,
            Kind::FlashLike => 4,
            _ => 1,
        };
        for n in 0..programs {
            objects.programs.push(program(context, n)?);
        }
        for _ in 0..self.count(&[Kind::Textures, Kind::FlashLike]) {
            let texture = context.create_texture(8, 8, TextureFormat::Bgra, false, 0)?;
            context.texture_upload_from_byte_array(texture, Some(&[128; 256]), 0, None, 0)?;
            objects.textures.push(texture);
        }
        if self.kind == Kind::Targets {
            for _ in 0..self.live {
                let target = context.create_texture(8, 8, TextureFormat::Bgra, true, 0)?;
                objects.targets.push(target);
            }
        }
        let usage = match self.kind {
            Kind::Uploads => BufferUsage::DynamicDraw,
            _ => BufferUsage::StaticDraw,
        };
        for _ in 0..self.count(&[Kind::Buffers, Kind::Uploads, Kind::FlashLike]) {
            let buffer = context.create_vertex_buffer(CORNERS, VERTEX, usage)?;
            let vertices = vertices();
            context.vertex_buffer_upload_from_byte_array(buffer, Some(&vertices), 0, 0, CORNERS)?;
            objects.buffers.push(buffer);
        }
        let indices = context.create_index_buffer(6, BufferUsage::StaticDraw)?;
        context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2, 1, 3, 2]), 0, 6)?;
        objects.indices = Some(indices);
        context.set_program(at(&objects.programs, 0))?;
        context.set_texture_at(0, at(&objects.textures, 0))?;
        context.set_depth_test(false, CompareMode::Always)?;
        for command in streams(at(&objects.buffers, 0)) {
            context.execute(&command)?;
        }
        let matrix = Data::new().matrices.first().copied();
        let stage = ProgramType::Vertex;
        context.set_program_constants_from_matrix(stage, 0, matrix.as_ref(), false)?;
        Ok(objects)
    }

    pub(crate) fn frame<'d>(&self, objects: &Objects, data: &'d Data) -> Vec<Invocation<'d>> {
        let mut frame = Vec::new();
        for n in 0..self.draws {
            if n % FRAME == 0 {
                if n > 0 {
                    frame.push(Invocation::Present {});
                }
                frame.push(clear());
            }
            self.change(n, objects, data, &mut frame);
            frame.push(match self.kind {
                Kind::Instances => Invocation::DrawTrianglesInstanced {
                    index_buffer: objects.indices,
                    num_instances: 4,
                    first_index: 0,
                    num_triangles: 2,
                },
                _ => Invocation::DrawTriangles {
                    index_buffer: objects.indices,
                    first_index: 0,
                    num_triangles: 2,
                },
            });
        }
        frame.push(Invocation::Present {});
        frame
    }

    /// Returns the calls that change state before draw `n`.
    fn change<'d>(
        &self,
        n: usize,
        objects: &Objects,
        data: &'d Data,
        frame: &mut Vec<Invocation<'d>>,
    ) {
        let program = |n| Invocation::SetProgram { program: at(&objects.programs, n) };
        let texture =
            |n| Invocation::SetTextureAt { sampler: 0, texture: at(&objects.textures, n) };
        let constants = |stage: ProgramType, first_register, count: usize| {
            Invocation::SetProgramConstantsFromVector {
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
            Kind::Uploads => {
                let buffer = at(&objects.buffers, n);
                frame.extend(buffer.map(|buffer| Invocation::VertexBufferUploadFromByteArray {
                    buffer,
                    data: Some(&data.vertices),
                    byte_array_offset: 0,
                    start_vertex: 0,
                    num_vertices: CORNERS,
                }));
                frame.extend(streams(buffer));
            }
            Kind::Targets => {
                frame.push(Invocation::SetRenderToTexture {
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
                frame.push(Invocation::SetTextureAt { sampler: 1, texture: None });
                frame.push(Invocation::SetBlendFactors {
                    source_factor: BlendFactor::One.into(),
                    destination_factor: destination.into(),
                });
                frame.push(Invocation::SetDepthTest {
                    depth_mask: false,
                    pass_compare_mode: CompareMode::Always.into(),
                });
                frame.push(Invocation::SetCulling {
                    triangle_face_to_cull: TriangleFace::None.into(),
                });
                frame.push(Invocation::SetScissorRectangle { rectangle: None });
                frame.extend(streams(at(&objects.buffers, n / 2)));
                frame.push(Invocation::SetVertexBufferAt {
                    index: 3,
                    buffer: None,
                    buffer_offset: 0,
                    format: VertexFormat::Float4.into(),
                });
                frame.push(Invocation::SetProgramConstantsFromMatrix {
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

fn clear() -> Invocation<'static> {
    Invocation::Clear {
        red: 0.0,
        green: 0.0,
        blue: 0.0,
        alpha: 1.0,
        depth: 1.0,
        stencil: 0,
        mask: u32::MAX,
    }
}

/// Returns calls that bind the three vertex attributes to one buffer.
fn streams(buffer: Option<ObjectHandle<VertexBufferKey>>) -> [Invocation<'static>; 3] {
    let formats = [(0, VertexFormat::Float2), (2, VertexFormat::Float4), (6, VertexFormat::Float2)];
    let mut index = 0;
    formats.map(|(buffer_offset, format)| {
        index += 1;
        Invocation::SetVertexBufferAt {
            index: index - 1,
            buffer,
            buffer_offset,
            format: format.into(),
        }
    })
}

/// Returns the four corners of a quad: position, colour, texture coordinates.
fn vertices() -> Vec<u8> {
    let corners = [[0.0f32, 0.0], [0.04, 0.0], [0.0, 0.04], [0.04, 0.04]];
    let vertices = corners.map(|[x, y]| [x, y, 1.0, 1.0, 1.0, 1.0, x, y]);
    let values = vertices.iter().flatten();
    values.flat_map(|value| value.to_le_bytes()).collect()
}

/// Creates and uploads a program. Each number below 65536 produces different bytecode.
fn program<B: Backend>(
    context: &mut Context3D<B>,
    number: usize,
) -> Result<ObjectHandle<ProgramKey>, Failed> {
    let vertex = "m44 op, va0, vc0\nmov v0, va1\nmov v1, va2\nadd vt0, va1, vc4\n\
        add vt0, vt0, vc15\nmov v2, vt0";
    let mut fragment = "tex ft0, v1, fs0 <2d,linear,clamp,mipnone>\nmul ft0, ft0, v0\n\
        add ft0, ft0, v2\n"
        .to_owned();
    for bit in (0..16).filter(|bit| number >> bit & 1 != 0) {
        fragment += &format!("mul ft0, ft0, fc{bit}\n");
    }
    fragment += "mul ft0, ft0, fc16\nmov oc, ft0";
    let assembled = |text: &str, stage| {
        let program = asm::assemble(text, stage, 1);
        let program =
            program.map_err(|_| Failed("the scene's program doesn't assemble".to_owned()))?;
        Ok::<_, Failed>(program.encode())
    };
    let vertex = assembled(vertex, agal::Stage::Vertex)?;
    let fragment = assembled(&fragment, agal::Stage::Fragment)?;
    let program = context.create_program()?;
    context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
    Ok(program)
}
