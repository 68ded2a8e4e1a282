//! Where the scenes of cases are made: the API's calls with little ceremony, each played and recorded.

use std::io;

use agal::Stage;
use context3d::{Profile, Rectangle};

use super::device::Device;
use crate::record::{RecordError, Recorder};
use crate::replay::Report;
use crate::trace::{
    Bitmap, BitmapTarget, ByteArray, Call, Header, IndexBufferId, Matrix, NoParameter, Numbers,
    ObjectId, Optional, ProgramId, TextureId, Uints, VertexBufferId,
};

/// What a step of a scene gives.
pub type Done = Result<(), RecordError>;

/// Sides of a scene's back buffer in pixels, the smallest that Flash allows (profile-limits.tsv).
pub const SIDE: u32 = 32;

/// Position from `va0`, `va1` handed on as `v0`.
pub const PASS: &str = "mov op, va0\nmov v0, va1";
/// The vertices' value as colour.
pub const VARYING: &str = "mov oc, v0";
/// Floats of a vertex: position (3) and a value (4).
const VERTEX: usize = 7;

/// What a studio begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Of the context.
    pub profile: Profile,
    /// Of the program.
    pub swf_version: u32,
}

/// A rectangle of one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad {
    /// Left, top, right, bottom in pixels of the target.
    pub corners: [f32; 4],
    /// Depth, 0 to 1.
    pub z: f32,
    /// `va1` at the corners: left top, right top, left bottom, right bottom.
    pub values: [[f32; 4]; 4],
    /// Counter-clockwise as seen on the screen: a back face.
    pub back: bool,
}

impl Quad {
    /// Of one value all over.
    pub fn flat(corners: [f32; 4], z: f32, value: [f32; 4]) -> Quad {
        Quad {
            corners,
            z,
            values: [value; 4],
            back: false,
        }
    }

    /// With coordinates from (`u0`, `v0`) at the left top to (`u1`, `v1`) at the right bottom.
    pub fn textured(corners: [f32; 4], [u0, v0, u1, v1]: [f32; 4]) -> Quad {
        let value = |u, v| [u, v, 0.0, 0.0];
        Quad {
            corners,
            z: 0.5,
            values: [value(u0, v0), value(u1, v0), value(u0, v1), value(u1, v1)],
            back: false,
        }
    }

    /// The same, seen from behind.
    #[must_use]
    pub fn behind(self) -> Quad {
        Quad { back: true, ..self }
    }
}

/// The whole of a target of [`SIDE`] pixels.
#[expect(clippy::cast_precision_loss, reason = "a small constant")]
pub const FULL: [f32; 4] = [0.0, 0.0, SIDE as f32, SIDE as f32];

/// A context that is being recorded.
pub struct Studio {
    recorder: Recorder<Vec<u8>, Device>,
    context: ObjectId,
    size: (u32, u32),
    expecting: bool,
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn invalid(error: impl ToString) -> RecordError {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string()).into()
}

/// Assembles one program.
///
/// # Errors
/// The assembler's, as an [`io::Error`].
pub fn assemble(source: &str, stage: Stage, version: u32) -> Result<Vec<u8>, RecordError> {
    let program = agal::asm::assemble(source, stage, version);
    Ok(program.map_err(invalid)?.encode())
}

impl Studio {
    /// A context on a device, of which nothing is configured.
    ///
    /// # Errors
    /// No such device.
    pub fn bare(title: &str, setup: Setup, device: Device) -> Result<Self, RecordError> {
        let header = Header {
            title: title.to_owned(),
            swf_version: setup.swf_version,
            stage_width: SIDE,
            stage_height: SIDE,
            stage_color: [0; 3],
            frame_rate: None,
            generator: Some("molehill conform".to_owned()),
        };
        let mut recorder = Recorder::new(Vec::new(), &header, device)?;
        let request = Call::RequestContext3D {
            stage3d_index: 0,
            render_mode: Optional(Some(text("auto"))),
            profile: Optional(Some(text(setup.profile.name()))),
            profiles: Optional(None),
        };
        let context = recorder.create(Recorder::<Vec<u8>, Device>::STAGE3D, request)?;
        Ok(Studio {
            recorder,
            context,
            size: (SIDE, SIDE),
            expecting: false,
        })
    }

    /// A context with a cleared back buffer with depth and stencil. Depth and faces are not tested, so that no scene
    /// depends on a default that the reference leaves open (context3d.md section 4).
    ///
    /// # Errors
    /// As [`Studio::bare`].
    pub fn open(title: &str, setup: Setup, device: Device) -> Result<Self, RecordError> {
        let mut studio = Self::bare(title, setup, device)?;
        studio.configure(SIDE, SIDE, 0, true)?;
        studio.clear([0.0, 0.0, 0.0, 1.0])?;
        studio.depth(false, "always")?;
        Ok(studio)
    }

    /// From here on the case expects what it is about.
    pub fn expect(&mut self) {
        self.expecting = true;
    }

    /// [`Studio::expect`] was called.
    pub fn is_expecting(&self) -> bool {
        self.expecting
    }

    /// What was played so far.
    pub fn report(&self) -> &Report {
        self.recorder.report()
    }

    /// Ends the recording and gives it.
    ///
    /// # Errors
    /// None that memory doesn't have.
    pub fn finish(self) -> Result<Vec<u8>, RecordError> {
        Ok(self.recorder.finish()?)
    }

    /// A call on the context.
    ///
    /// # Errors
    /// What came of it.
    pub fn call(&mut self, call: Call) -> Done {
        self.recorder.call(self.context, call).map(drop)
    }

    /// A call on an object.
    ///
    /// # Errors
    /// What came of it.
    pub fn on(&mut self, object: ObjectId, call: Call) -> Done {
        self.recorder.call(object, call).map(drop)
    }

    /// A call on the context that creates an object.
    ///
    /// # Errors
    /// What came of it.
    pub fn create(&mut self, call: Call) -> Result<ObjectId, RecordError> {
        self.recorder.create(self.context, call)
    }

    /// Shows the back buffer and ends the SWF frame.
    ///
    /// # Errors
    /// What came of it.
    pub fn present(&mut self) -> Done {
        self.call(Call::Present {})?;
        Ok(self.recorder.end_frame()?)
    }

    /// `configureBackBuffer`
    ///
    /// # Errors
    /// What came of it.
    pub fn configure(&mut self, width: u32, height: u32, anti_alias: i32, depth: bool) -> Done {
        self.size = (width, height);
        self.configure_as(width.cast_signed(), height.cast_signed(), anti_alias, depth)
    }

    /// `configureBackBuffer` with numbers that may be anything.
    ///
    /// # Errors
    /// What came of it.
    pub fn configure_as(&mut self, width: i32, height: i32, anti_alias: i32, depth: bool) -> Done {
        self.call(Call::ConfigureBackBuffer {
            width,
            height,
            anti_alias,
            enable_depth_and_stencil: depth,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        })
    }

    /// Clears everything: depth to 1, stencil to 0.
    ///
    /// # Errors
    /// What came of it.
    pub fn clear(&mut self, color: [f64; 4]) -> Done {
        self.clear_to(color, 1.0, 0, u32::MAX)
    }

    /// `clear`
    ///
    /// # Errors
    /// What came of it.
    pub fn clear_to(&mut self, color: [f64; 4], depth: f64, stencil: u32, mask: u32) -> Done {
        let [red, green, blue, alpha] = color;
        self.call(Call::Clear {
            red,
            green,
            blue,
            alpha,
            depth,
            stencil,
            mask,
        })
    }

    /// `createVertexBuffer`
    ///
    /// # Errors
    /// What came of it.
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

    /// A vertex buffer with content, of so many words of four bytes a vertex.
    ///
    /// # Errors
    /// What came of it.
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

    /// The same of floats.
    ///
    /// # Errors
    /// What came of it.
    pub fn vertices(
        &mut self,
        floats: &[f32],
        words: usize,
    ) -> Result<VertexBufferId, RecordError> {
        let bytes = floats.iter().flat_map(|float| float.to_le_bytes());
        self.vertices_of_bytes(bytes.collect(), words)
    }

    /// `VertexBuffer3D.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
    pub fn index_buffer(&mut self, count: i32) -> Result<IndexBufferId, RecordError> {
        let id = self.create(Call::CreateIndexBuffer {
            num_indices: count,
            buffer_usage: text("staticDraw"),
        })?;
        Ok(IndexBufferId(id))
    }

    /// An index buffer with content.
    ///
    /// # Errors
    /// What came of it.
    pub fn indices(&mut self, indices: &[u16]) -> Result<IndexBufferId, RecordError> {
        let buffer = self.index_buffer(int(indices.len()))?;
        let bytes = indices.iter().flat_map(|index| index.to_le_bytes());
        self.upload_indices(buffer, bytes.collect(), 0, 0, int(indices.len()))?;
        Ok(buffer)
    }

    /// `IndexBuffer3D.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
    pub fn program(&mut self, vertex: &str, fragment: &str) -> Result<ProgramId, RecordError> {
        self.program_of(1, vertex, fragment)
    }

    /// A program, bound.
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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

    /// `setProgram`
    ///
    /// # Errors
    /// What came of it.
    pub fn bind_program(&mut self, program: Option<ProgramId>) -> Done {
        self.call(Call::SetProgram { program })
    }

    /// `setVertexBufferAt`
    ///
    /// # Errors
    /// What came of it.
    pub fn stream(
        &mut self,
        index: i32,
        buffer: Option<VertexBufferId>,
        offset: i32,
        format: &str,
    ) -> Done {
        self.call(Call::SetVertexBufferAt {
            index,
            buffer,
            buffer_offset: offset,
            format: text(format),
        })
    }

    /// `setProgramConstantsFromVector`
    ///
    /// # Errors
    /// What came of it.
    pub fn constants(&mut self, stage: &str, first: i32, values: &[[f64; 4]]) -> Done {
        self.constants_of(stage, first, values.concat(), int(values.len()))
    }

    /// The same with any numbers.
    ///
    /// # Errors
    /// What came of it.
    pub fn constants_of(
        &mut self,
        stage: &str,
        first: i32,
        numbers: Vec<f64>,
        registers: i32,
    ) -> Done {
        self.call(Call::SetProgramConstantsFromVector {
            program_type: text(stage),
            first_register: first,
            data: Some(Numbers(numbers)),
            num_registers: registers,
        })
    }

    /// `setProgramConstantsFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn constants_of_bytes(
        &mut self,
        stage: &str,
        first: i32,
        registers: i32,
        bytes: Vec<u8>,
        offset: u32,
    ) -> Done {
        self.call(Call::SetProgramConstantsFromByteArray {
            program_type: text(stage),
            first_register: first,
            num_registers: registers,
            data: ByteArray::from(bytes),
            byte_array_offset: offset,
        })
    }

    /// `setProgramConstantsFromMatrix`
    ///
    /// # Errors
    /// What came of it.
    pub fn matrix(&mut self, stage: &str, first: i32, matrix: [f64; 16], transposed: bool) -> Done {
        self.call(Call::SetProgramConstantsFromMatrix {
            program_type: text(stage),
            first_register: first,
            matrix: Some(Matrix(Box::new(matrix))),
            transposed_matrix: transposed,
        })
    }

    /// `createTexture`
    ///
    /// # Errors
    /// What came of it.
    pub fn texture(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
    ) -> Result<TextureId, RecordError> {
        self.streaming_texture(width, height, format, 0)
    }

    /// `createTexture` with streaming levels.
    ///
    /// # Errors
    /// What came of it.
    pub fn streaming_texture(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
        levels: i32,
    ) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateTexture {
            width,
            height,
            format: text(format),
            optimize_for_render_to_texture: false,
            streaming_levels: levels,
        })?;
        Ok(TextureId(id))
    }

    /// `createRectangleTexture`
    ///
    /// # Errors
    /// What came of it.
    pub fn rectangle(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
    ) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateRectangleTexture {
            width,
            height,
            format: text(format),
            optimize_for_render_to_texture: false,
        })?;
        Ok(TextureId(id))
    }

    /// `createCubeTexture`
    ///
    /// # Errors
    /// What came of it.
    pub fn cube(&mut self, size: i32, format: &str) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateCubeTexture {
            size,
            format: text(format),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        })?;
        Ok(TextureId(id))
    }

    /// `Texture.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload(&mut self, texture: TextureId, bytes: Vec<u8>, level: u32) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: NoParameter,
                miplevel: level,
            },
        )
    }

    /// `RectangleTexture.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload_rectangle(&mut self, texture: TextureId, bytes: Vec<u8>) -> Done {
        self.on(
            texture.0,
            Call::RectangleTextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: NoParameter,
                miplevel: NoParameter,
            },
        )
    }

    /// `CubeTexture.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload_cube(
        &mut self,
        texture: TextureId,
        bytes: Vec<u8>,
        side: u32,
        level: u32,
    ) -> Done {
        self.on(
            texture.0,
            Call::CubeTextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side,
                miplevel: level,
            },
        )
    }

    /// `Texture.uploadFromBitmapData`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload_bitmap(
        &mut self,
        texture: TextureId,
        source: Option<Bitmap>,
        level: u32,
    ) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromBitmapData {
                source,
                side: NoParameter,
                miplevel: level,
            },
        )
    }

    /// `setTextureAt`
    ///
    /// # Errors
    /// What came of it.
    pub fn bind(&mut self, sampler: i32, texture: Option<TextureId>) -> Done {
        self.call(Call::SetTextureAt { sampler, texture })
    }

    /// `setSamplerStateAt`
    ///
    /// # Errors
    /// What came of it.
    pub fn sampler(&mut self, sampler: i32, wrap: &str, filter: &str, mip: &str) -> Done {
        self.call(Call::SetSamplerStateAt {
            sampler,
            wrap: text(wrap),
            filter: text(filter),
            mipfilter: text(mip),
        })
    }

    /// `setRenderToTexture` of a 2D texture's only output. `size` is what quads are measured in.
    ///
    /// # Errors
    /// What came of it.
    pub fn target(
        &mut self,
        texture: TextureId,
        size: (u32, u32),
        depth: bool,
        anti_alias: i32,
    ) -> Done {
        self.size = size;
        self.output(Some(texture), depth, anti_alias, 0, 0)
    }

    /// `setRenderToTexture`
    ///
    /// # Errors
    /// What came of it.
    pub fn output(
        &mut self,
        texture: Option<TextureId>,
        depth: bool,
        anti_alias: i32,
        selector: i32,
        output: i32,
    ) -> Done {
        self.call(Call::SetRenderToTexture {
            texture,
            enable_depth_and_stencil: depth,
            anti_alias,
            surface_selector: selector,
            color_output_index: output,
        })
    }

    /// `setRenderToBackBuffer`
    ///
    /// # Errors
    /// What came of it.
    pub fn to_back_buffer(&mut self) -> Done {
        self.size = (SIDE, SIDE);
        self.call(Call::SetRenderToBackBuffer {})
    }

    /// `setBlendFactors`
    ///
    /// # Errors
    /// What came of it.
    pub fn blend(&mut self, source: &str, destination: &str) -> Done {
        self.call(Call::SetBlendFactors {
            source_factor: text(source),
            destination_factor: text(destination),
        })
    }

    /// `setDepthTest`
    ///
    /// # Errors
    /// What came of it.
    pub fn depth(&mut self, mask: bool, mode: &str) -> Done {
        self.call(Call::SetDepthTest {
            depth_mask: mask,
            pass_compare_mode: text(mode),
        })
    }

    /// `setCulling`
    ///
    /// # Errors
    /// What came of it.
    pub fn cull(&mut self, face: &str) -> Done {
        self.call(Call::SetCulling {
            triangle_face_to_cull: text(face),
        })
    }

    /// `setColorMask`
    ///
    /// # Errors
    /// What came of it.
    pub fn color_mask(&mut self, [red, green, blue, alpha]: [bool; 4]) -> Done {
        self.call(Call::SetColorMask {
            red,
            green,
            blue,
            alpha,
        })
    }

    /// `setStencilActions`: both pass, depth fails, stencil fails.
    ///
    /// # Errors
    /// What came of it.
    pub fn stencil(&mut self, face: &str, compare: &str, [both, depth, fail]: [&str; 3]) -> Done {
        self.call(Call::SetStencilActions {
            triangle_face: text(face),
            compare_mode: text(compare),
            action_on_both_pass: text(both),
            action_on_depth_fail: text(depth),
            action_on_depth_pass_stencil_fail: text(fail),
        })
    }

    /// `setStencilReferenceValue`
    ///
    /// # Errors
    /// What came of it.
    pub fn reference(&mut self, value: u32, read: u32, write: u32) -> Done {
        self.call(Call::SetStencilReferenceValue {
            reference_value: value,
            read_mask: read,
            write_mask: write,
        })
    }

    /// `setScissorRectangle`: x, y, width, height.
    ///
    /// # Errors
    /// What came of it.
    pub fn scissor(&mut self, rectangle: Option<[f64; 4]>) -> Done {
        let rectangle = rectangle.map(|[x, y, width, height]| Rectangle {
            x,
            y,
            width,
            height,
        });
        self.call(Call::SetScissorRectangle { rectangle })
    }

    /// `setFillMode`
    ///
    /// # Errors
    /// What came of it.
    pub fn fill(&mut self, mode: &str) -> Done {
        self.call(Call::SetFillMode {
            fill_mode: text(mode),
        })
    }

    /// `enableErrorChecking`
    ///
    /// # Errors
    /// What came of it.
    pub fn checking(&mut self, value: bool) -> Done {
        self.call(Call::EnableErrorChecking { value })
    }

    /// `drawTriangles`
    ///
    /// # Errors
    /// What came of it.
    pub fn draw(&mut self, indices: IndexBufferId, first: i32, triangles: i32) -> Done {
        self.call(Call::DrawTriangles {
            index_buffer: Some(indices),
            first_index: first,
            num_triangles: triangles,
        })
    }

    /// `drawTrianglesInstanced`
    ///
    /// # Errors
    /// What came of it.
    pub fn draw_instanced(
        &mut self,
        indices: IndexBufferId,
        instances: i32,
        first: i32,
        triangles: i32,
    ) -> Done {
        self.call(Call::DrawTrianglesInstanced {
            index_buffer: Some(indices),
            num_instances: instances,
            first_index: first,
            num_triangles: triangles,
        })
    }

    /// Draws quads with the bound program, whose `va0` is the position and `va1` the value.
    ///
    /// # Errors
    /// What came of it.
    pub fn quads(&mut self, quads: &[Quad]) -> Done {
        let (vertices, indices) = self.mesh(quads)?;
        self.stream(0, Some(vertices), 0, "float3")?;
        self.stream(1, Some(vertices), 3, "float4")?;
        self.draw(indices, 0, -1)
    }

    /// The buffers of quads: position as `float3`, value as `float4` at 3.
    ///
    /// # Errors
    /// What came of it.
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

/// A place in pixels of a side as a coordinate of clip space, where w is 1.
#[expect(clippy::cast_precision_loss, reason = "sides are small")]
fn clip(place: f32, side: u32) -> f32 {
    place * 2.0 / side as f32 - 1.0
}

/// A bitmap of so many pixels.
pub fn bitmap(width: u32, height: u32, transparent: bool, bgra: Vec<u8>) -> Bitmap {
    Bitmap {
        shape: BitmapTarget {
            width,
            height,
            transparent,
            disposed: false,
        },
        bgra,
    }
}
