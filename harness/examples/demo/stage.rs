//! Short methods for the calls of the scene.

use std::io::{self, Write};

use context3d::backend::NullBackend;
use context3d::enums::FlashName;

use super::math::Mat4;
use super::mesh::Mesh;
use super::texture::Picture;
use context3d::backend::BackendFactory;
use molehill_capture::Call;
use molehill_capture::data::{
    Bitmap, BitmapTarget, ByteArray, CubeSide, Enum, Matrix, MipLevel, Numbers, Optional,
};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_replay::record::{RecordError, Recorder};

/// A context that is being recorded.
pub(super) struct Stage<W: Write, F: BackendFactory<Backend = NullBackend>> {
    recorder: Recorder<W, F>,
    context: ObjectId,
}

/// A mesh on the device.
#[derive(Clone, Copy)]
pub(super) struct Uploaded {
    vertices: VertexBufferId,
    indices: IndexBufferId,
}

type Done = Result<(), RecordError>;

fn text<T: FlashName>(value: &str) -> Enum<T> {
    Enum::parse(Some(value))
}

impl<W: Write, F: BackendFactory<Backend = NullBackend>> Stage<W, F> {
    pub(super) fn open(mut recorder: Recorder<W, F>) -> Result<Self, RecordError> {
        let request = Call::RequestContext3D {
            stage3d_index: 0,
            render_mode: Optional(Some(text("auto"))),
            profile: Optional(Some(Some("baseline".to_owned()))),
            profiles: Optional(None),
        };
        let context = recorder.create(Recorder::<W, F>::STAGE3D, request)?;
        Ok(Stage { recorder, context })
    }

    pub(super) fn finish(self) -> io::Result<W> {
        self.recorder.finish()
    }

    pub(super) fn end_frame(&mut self) -> Done {
        self.call(Call::Present {})?;
        Ok(self.recorder.end_frame()?)
    }

    /// A call on the context.
    pub(super) fn call(&mut self, call: Call) -> Done {
        self.recorder.call(self.context, call).map(drop)
    }

    pub(super) fn configure(&mut self, (width, height): (u32, u32)) -> Done {
        let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
        self.call(Call::ConfigureBackBuffer {
            width: side(width),
            height: side(height),
            anti_alias: 4,
            enable_depth_and_stencil: true,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        })
    }

    pub(super) fn mesh(&mut self, mesh: &Mesh) -> Result<Uploaded, RecordError> {
        let int = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let num_vertices = int(mesh.vertices.len() / usize::from(mesh.stride));
        let vertices = self.recorder.create(
            self.context,
            Call::CreateVertexBuffer {
                num_vertices,
                data32_per_vertex: i32::from(mesh.stride),
                buffer_usage: text("staticDraw"),
            },
        )?;
        let bytes: Vec<u8> = mesh.vertices.iter().flat_map(|value| value.to_le_bytes()).collect();
        let data = ByteArray::from(bytes);
        self.recorder.call(
            vertices,
            Call::VertexBufferUploadFromByteArray {
                data,
                byte_array_offset: 0,
                start_vertex: 0,
                num_vertices,
            },
        )?;
        let num_indices = int(mesh.indices.len());
        let create = Call::CreateIndexBuffer { num_indices, buffer_usage: text("staticDraw") };
        let indices = self.recorder.create(self.context, create)?;
        let bytes: Vec<u8> = mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let data = ByteArray::from(bytes);
        self.recorder.call(
            indices,
            Call::IndexBufferUploadFromByteArray {
                data,
                byte_array_offset: 0,
                start_offset: 0,
                count: num_indices,
            },
        )?;
        Ok(Uploaded { vertices: VertexBufferId(vertices), indices: IndexBufferId(indices) })
    }

    /// A program from AGAL text with a vertex and a fragment part.
    pub(super) fn program(&mut self, source: &str) -> Result<ProgramId, RecordError> {
        let assembled = context3d::agal::asm::assemble_pair(source);
        let (vertex, fragment, _) = assembled
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        let program = self.recorder.create(self.context, Call::CreateProgram {})?;
        let upload = Call::ProgramUpload {
            vertex_program: ByteArray::from(vertex.encode()),
            fragment_program: ByteArray::from(fragment.encode()),
        };
        self.recorder.call(program, upload)?;
        Ok(ProgramId(program))
    }

    /// A texture without content, `side` texels a side.
    pub(super) fn texture(&mut self, side: u32, target: bool) -> Result<TextureId, RecordError> {
        let side = i32::try_from(side).unwrap_or(i32::MAX);
        let create = Call::CreateTexture {
            width: side,
            height: side,
            format: text("bgra"),
            optimize_for_render_to_texture: target,
            streaming_levels: 0,
        };
        Ok(TextureId(self.recorder.create(self.context, create)?))
    }

    /// A texture with all its levels.
    pub(super) fn mipmapped(&mut self, levels: Vec<Picture>) -> Result<TextureId, RecordError> {
        let texture = self.texture(levels.first().map_or(1, |level| level.side), false)?;
        for (miplevel, level) in (0..).zip(levels) {
            let shape = BitmapTarget {
                width: level.side,
                height: level.side,
                transparent: false,
                disposed: false,
            };
            let source = Some(Bitmap { shape, bgra: level.bgra });
            self.recorder.call(
                texture.0,
                Call::TextureUploadFromBitmapData {
                    source,
                    side: CubeSide(None),
                    miplevel: MipLevel(Some(miplevel)),
                },
            )?;
        }
        Ok(texture)
    }

    /// Four registers from a matrix, in `m44`'s order for column vectors (context3d.md, "transposedMatrix").
    pub(super) fn matrix(&mut self, stage: &str, first_register: i32, matrix: &Mat4) -> Done {
        self.call(Call::SetProgramConstantsFromMatrix {
            program_type: text(stage),
            first_register,
            matrix: Some(Matrix(Box::new(*matrix))),
            transposed_matrix: true,
        })
    }

    pub(super) fn constants(
        &mut self,
        stage: &str,
        first_register: i32,
        values: &[[f64; 4]],
    ) -> Done {
        self.call(Call::SetProgramConstantsFromVector {
            program_type: text(stage),
            first_register,
            data: Some(Numbers(values.concat())),
            num_registers: i32::try_from(values.len()).unwrap_or(i32::MAX),
        })
    }

    /// Draws a mesh whose attributes are consecutive in these formats.
    pub(super) fn draw(&mut self, mesh: Uploaded, formats: &[&str]) -> Done {
        let mut buffer_offset = 0;
        for (index, format) in (0..).zip(formats) {
            let buffer = Some(mesh.vertices);
            self.call(Call::SetVertexBufferAt {
                index,
                buffer,
                buffer_offset,
                format: text(format),
            })?;
            buffer_offset += format
                .chars()
                .last()
                .and_then(|digit| digit.to_digit(10))
                .map_or(1, u32::cast_signed);
        }
        self.call(Call::DrawTriangles {
            index_buffer: Some(mesh.indices),
            first_index: 0,
            num_triangles: -1,
        })?;
        for index in (0..).take(formats.len()) {
            let (buffer, format) = (None, text("float4"));
            self.call(Call::SetVertexBufferAt { index, buffer, buffer_offset: 0, format })?;
        }
        Ok(())
    }

    pub(super) fn blend(&mut self, source: &str, destination: &str) -> Done {
        self.call(Call::SetBlendFactors {
            source_factor: text(source),
            destination_factor: text(destination),
        })
    }

    pub(super) fn depth(&mut self, depth_mask: bool, mode: &str) -> Done {
        self.call(Call::SetDepthTest { depth_mask, pass_compare_mode: text(mode) })
    }

    pub(super) fn cull(&mut self, face: &str) -> Done {
        self.call(Call::SetCulling { triangle_face_to_cull: text(face) })
    }

    pub(super) fn bind(&mut self, sampler: i32, texture: Option<TextureId>) -> Done {
        self.call(Call::SetTextureAt { sampler, texture })
    }

    pub(super) fn clear(&mut self, alpha: f64) -> Done {
        let (red, green, blue) = (0.0, 0.0, 0.0);
        self.call(Call::Clear { red, green, blue, alpha, depth: 1.0, stencil: 0, mask: u32::MAX })
    }
}
