//! Buffers and programs of a scene, and draws of quads.

use agal::Stage;

use super::{Done, Quad, SceneBuilder, VERTEX, assemble, int, text};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Uints};
use molehill_capture::objects::{IndexBufferId, ProgramId, VertexBufferId};
use molehill_replay::record::RecordError;

impl SceneBuilder {
    /// `createVertexBuffer`
    pub fn vertex_buffer(
        &mut self,
        vertices: i32,
        words: i32,
    ) -> Result<VertexBufferId, RecordError> {
        let id = self.create(Call::CreateVertexBuffer {
            num_vertices: vertices,
            data32_per_vertex: words,
            buffer_usage: text("staticDraw"),
        })?;
        Ok(VertexBufferId(id))
    }

    /// A vertex buffer with content, with `words` words of four bytes per vertex.
    pub fn vertices_of_bytes(
        &mut self,
        bytes: Vec<u8>,
        words: usize,
    ) -> Result<VertexBufferId, RecordError> {
        let count = int(bytes.len() / (words.max(1) * 4));
        let buffer = self.vertex_buffer(count, int(words))?;
        self.upload_vertices(buffer, bytes, 0, 0, count)?;
        Ok(buffer)
    }

    /// A vertex buffer with floats.
    pub fn vertices(
        &mut self,
        floats: &[f32],
        words: usize,
    ) -> Result<VertexBufferId, RecordError> {
        let bytes = floats.iter().flat_map(|float| float.to_le_bytes());
        self.vertices_of_bytes(bytes.collect(), words)
    }

    /// `VertexBuffer3D.uploadFromByteArray`
    pub fn upload_vertices(
        &mut self,
        buffer: VertexBufferId,
        bytes: Vec<u8>,
        offset: i32,
        start: i32,
        count: i32,
    ) -> Done {
        self.on(
            buffer.0,
            Call::VertexBufferUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: offset,
                start_vertex: start,
                num_vertices: count,
            },
        )
    }

    /// `createVertexBufferForInstances`, with content of floats.
    pub fn instances(
        &mut self,
        floats: &[f32],
        words: usize,
        per_element: i32,
    ) -> Result<VertexBufferId, RecordError> {
        let count = int(floats.len() / words.max(1));
        let buffer = self.instance_buffer(count, int(words), per_element)?;
        let bytes = floats.iter().flat_map(|float| float.to_le_bytes());
        self.upload_vertices(buffer, bytes.collect(), 0, 0, count)?;
        Ok(buffer)
    }

    /// `createVertexBufferForInstances`
    pub fn instance_buffer(
        &mut self,
        elements: i32,
        words: i32,
        per_element: i32,
    ) -> Result<VertexBufferId, RecordError> {
        let id = self.create(Call::CreateVertexBufferForInstances {
            num_vertices: elements,
            data32_per_vertex: words,
            instances_per_element: per_element,
            buffer_usage: text("staticDraw"),
        })?;
        Ok(VertexBufferId(id))
    }

    /// `createIndexBuffer`
    pub fn index_buffer(&mut self, count: i32) -> Result<IndexBufferId, RecordError> {
        let id = self.create(Call::CreateIndexBuffer {
            num_indices: count,
            buffer_usage: text("staticDraw"),
        })?;
        Ok(IndexBufferId(id))
    }

    /// An index buffer with content.
    pub fn indices(&mut self, indices: &[u16]) -> Result<IndexBufferId, RecordError> {
        let buffer = self.index_buffer(int(indices.len()))?;
        let bytes = indices.iter().flat_map(|index| index.to_le_bytes());
        self.upload_indices(buffer, bytes.collect(), 0, 0, int(indices.len()))?;
        Ok(buffer)
    }

    /// `IndexBuffer3D.uploadFromByteArray`
    pub fn upload_indices(
        &mut self,
        buffer: IndexBufferId,
        bytes: Vec<u8>,
        offset: i32,
        start: i32,
        count: i32,
    ) -> Done {
        self.on(
            buffer.0,
            Call::IndexBufferUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: offset,
                start_offset: start,
                count,
            },
        )
    }

    /// `IndexBuffer3D.uploadFromVector`
    pub fn upload_index_numbers(
        &mut self,
        buffer: IndexBufferId,
        numbers: &[u32],
        start: i32,
        count: i32,
    ) -> Done {
        self.on(
            buffer.0,
            Call::IndexBufferUploadFromVector {
                data: Some(Uints(numbers.to_vec())),
                start_offset: start,
                count,
            },
        )
    }

    /// A program of AGAL 1, bound.
    pub fn program(&mut self, vertex: &str, fragment: &str) -> Result<ProgramId, RecordError> {
        self.program_of(1, vertex, fragment)
    }

    /// A program, bound.
    pub fn program_of(
        &mut self,
        version: u32,
        vertex: &str,
        fragment: &str,
    ) -> Result<ProgramId, RecordError> {
        let program = ProgramId(self.create(Call::CreateProgram {})?);
        let vertex = assemble(vertex, Stage::Vertex, version)?;
        let fragment = assemble(fragment, Stage::Fragment, version)?;
        self.upload_program(program, vertex, fragment)?;
        self.bind_program(Some(program))?;
        Ok(program)
    }

    /// `Program3D.upload`
    pub fn upload_program(
        &mut self,
        program: ProgramId,
        vertex: Vec<u8>,
        fragment: Vec<u8>,
    ) -> Done {
        self.on(
            program.0,
            Call::ProgramUpload {
                vertex_program: ByteArray::from(vertex),
                fragment_program: ByteArray::from(fragment),
            },
        )
    }

    /// Draws quads with the bound program: `va0` is the position and `va1` the value.
    pub fn quads(&mut self, quads: &[Quad]) -> Done {
        let (vertices, indices) = self.mesh(quads)?;
        self.stream(0, Some(vertices), 0, "float3")?;
        self.stream(1, Some(vertices), 3, "float4")?;
        self.draw(indices, 0, -1)
    }

    /// The buffers of quads: position as `float3`, value as `float4` at 3.
    pub fn mesh(&mut self, quads: &[Quad]) -> Result<(VertexBufferId, IndexBufferId), RecordError> {
        let (width, height) = self.size;
        let mut floats = Vec::with_capacity(quads.len() * 4 * VERTEX);
        let mut indices = Vec::with_capacity(quads.len() * 6);
        for (quad, number) in quads.iter().zip(0u16..) {
            let [left, top, right, bottom] = quad.corners;
            let places = [(left, top), (right, top), (left, bottom), (right, bottom)];
            for ((x, y), value) in places.into_iter().zip(quad.values) {
                floats.extend([clip(x, width), -clip(y, height), quad.z]);
                floats.extend(value);
            }
            // Clockwise is the front (context3d.md section 2).
            let order: [u16; 6] = match quad.back {
                false => [0, 1, 2, 1, 3, 2],
                true => [0, 2, 1, 1, 2, 3],
            };
            indices.extend(order.map(|corner| number * 4 + corner));
        }
        Ok((self.vertices(&floats, VERTEX)?, self.indices(&indices)?))
    }
}

/// Converts pixels of a side to clip space, where w is 1.
#[expect(clippy::cast_precision_loss, reason = "sides are small")]
fn clip(coordinate: f32, side: u32) -> f32 {
    coordinate * 2.0 / side as f32 - 1.0
}
