//! Wraps the recorded context of the demo.

use std::io::{self, Write};

use context3d::backend::NullBackend;
use context3d::enums::RenderMode;

use super::math::Mat4;
use super::mesh::Mesh;
use super::texture::Picture;
use context3d::backend::BackendFactory;
use molehill_capture::Call;
use molehill_capture::data::OptionalParameter;
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_conform::calls::{Calls, bitmap};
use molehill_replay::record::{CallWriter, RecordError};

/// A context that is being recorded.
pub(super) struct Stage<W: Write, F: BackendFactory<Backend = NullBackend>> {
    recorder: CallWriter<W, F>,
    context: ObjectId,
}

/// A mesh in vertex and index buffers.
#[derive(Clone, Copy)]
pub(super) struct Uploaded {
    vertices: VertexBufferId,
    indices: IndexBufferId,
}

type Done = Result<(), RecordError>;

impl<W: Write, F: BackendFactory<Backend = NullBackend>> Stage<W, F> {
    pub(super) fn open(mut recorder: CallWriter<W, F>) -> Result<Self, RecordError> {
        let request = Call::RequestContext3D {
            stage3d_index: 0,
            render_mode: OptionalParameter(Some(RenderMode::Auto.into())),
            profile: OptionalParameter(Some(Some("baseline".to_owned()))),
            profiles: OptionalParameter(None),
        };
        let context = recorder.create(CallWriter::<W, F>::STAGE3D, request)?;
        Ok(Stage { recorder, context })
    }

    pub(super) fn finish(self) -> io::Result<W> {
        self.recorder.finish()
    }

    pub(super) fn end_frame(&mut self) -> Done {
        self.present()?;
        Ok(self.recorder.end_frame()?)
    }

    pub(super) fn configure(&mut self, (width, height): (u32, u32)) -> Done {
        self.configure_back_buffer(width.cast_signed(), height.cast_signed(), 4, true, false, false)
    }

    pub(super) fn mesh(&mut self, mesh: &Mesh) -> Result<Uploaded, RecordError> {
        let int = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let count = int(mesh.vertices.len() / usize::from(mesh.stride));
        let vertices = self.create_vertex_buffer(count, i32::from(mesh.stride), "staticDraw")?;
        let bytes: Vec<u8> = mesh.vertices.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.vertex_buffer_upload_from_byte_array(vertices, bytes, 0, 0, count)?;
        let count = int(mesh.indices.len());
        let indices = self.create_index_buffer(count, "staticDraw")?;
        let bytes: Vec<u8> = mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.index_buffer_upload_from_byte_array(indices, bytes, 0, 0, count)?;
        Ok(Uploaded { vertices, indices })
    }

    /// Creates a program from assembly source with a vertex and a fragment part.
    pub(super) fn program(&mut self, source: &str) -> Result<ProgramId, RecordError> {
        let assembled = context3d::agal::asm::AssembleOptions::default().pair(source);
        let (vertex, fragment) = assembled
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        let program = self.create_program()?;
        self.program_upload(program, vertex.encode(), fragment.encode())?;
        Ok(program)
    }

    /// Creates a texture with all its mip levels.
    pub(super) fn mipmapped(&mut self, levels: Vec<Picture>) -> Result<TextureId, RecordError> {
        let side = levels.first().map_or(1, |level| level.side.cast_signed());
        let texture = self.create_texture(side, side, "bgra", false, 0)?;
        for (number, level) in (0..).zip(levels) {
            let picture = bitmap(level.side, level.side, false, level.bgra);
            self.texture_upload_from_bitmap_data(texture, picture, None, Some(number))?;
        }
        Ok(texture)
    }

    /// Sets four registers to a matrix, in `m44`'s order for column vectors [context3d.constants.transposed].
    pub(super) fn matrix(&mut self, stage: &str, first_register: i32, matrix: &Mat4) -> Done {
        self.set_program_constants_from_matrix(stage, first_register, *matrix, true)
    }

    pub(super) fn constants(&mut self, stage: &str, first: i32, values: &[[f64; 4]]) -> Done {
        let count = i32::try_from(values.len()).unwrap_or(i32::MAX);
        self.set_program_constants_from_vector(stage, first, values.concat(), count)
    }

    /// Draws a mesh whose attributes are consecutive and have these formats.
    pub(super) fn draw(&mut self, mesh: Uploaded, formats: &[&str]) -> Done {
        let mut offset = 0;
        for (index, format) in (0..).zip(formats) {
            self.set_vertex_buffer_at(index, mesh.vertices, offset, format)?;
            let digit = format.chars().last().and_then(|digit| digit.to_digit(10));
            offset += digit.map_or(1, u32::cast_signed);
        }
        self.draw_triangles(mesh.indices, 0, -1)?;
        (0..)
            .take(formats.len())
            .try_for_each(|index| self.set_vertex_buffer_at(index, None, 0, "float4"))
    }

    pub(super) fn blacken(&mut self, alpha: f64) -> Done {
        self.clear(0.0, 0.0, 0.0, alpha, 1.0, 0, u32::MAX)
    }
}

impl<W: Write, F: BackendFactory<Backend = NullBackend>> Calls for Stage<W, F> {
    fn make(&mut self, on: Option<ObjectId>, call: Call) -> Result<Option<ObjectId>, RecordError> {
        self.recorder.call(on.unwrap_or(self.context), call)
    }
}
