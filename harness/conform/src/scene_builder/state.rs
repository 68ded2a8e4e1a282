//! State of a scene, and its draws.

use context3d::arguments::Rectangle;

use super::{Done, SIDE, SceneBuilder, int, text};
use molehill_capture::Call;
use molehill_capture::data::{BitmapTarget, ByteArray, Floats, Matrix, Numbers, Optional, Point};
use molehill_capture::objects::{IndexBufferId, ProgramId, TextureId, VertexBufferId};

impl SceneBuilder {
    /// `setProgram`
    pub fn bind_program(&mut self, program: Option<ProgramId>) -> Done {
        self.call(Call::SetProgram { program })
    }

    /// `setVertexBufferAt`
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
    pub fn constants(&mut self, stage: &str, first: i32, values: &[[f64; 4]]) -> Done {
        self.constants_of(stage, first, values.concat(), int(values.len()))
    }

    /// `setProgramConstantsFromVector` with any numbers.
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

    /// `setProgramConstantsFromFloatVector`
    pub fn constants_of_floats(
        &mut self,
        stage: &str,
        first: i32,
        numbers: Vec<f32>,
        registers: i32,
    ) -> Done {
        self.call(Call::SetProgramConstantsFromFloatVector {
            program_type: text(stage),
            first_register: first,
            data: Some(Floats(numbers)),
            num_registers: registers,
        })
    }

    /// `setProgramConstantsFromByteArray`
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
    pub fn matrix(&mut self, stage: &str, first: i32, matrix: [f64; 16], transposed: bool) -> Done {
        self.call(Call::SetProgramConstantsFromMatrix {
            program_type: text(stage),
            first_register: first,
            matrix: Some(Matrix(Box::new(matrix))),
            transposed_matrix: transposed,
        })
    }

    /// `setTextureAt`
    pub fn bind(&mut self, sampler: i32, texture: Option<TextureId>) -> Done {
        self.call(Call::SetTextureAt { sampler, texture })
    }

    /// `setSamplerStateAt`
    pub fn sampler(&mut self, sampler: i32, wrap: &str, filter: &str, mip: &str) -> Done {
        self.call(Call::SetSamplerStateAt {
            sampler,
            wrap: text(wrap),
            filter: text(filter),
            mipfilter: text(mip),
        })
    }

    /// `setRenderToTexture` with a 2D texture as the only output. `size` is the unit of quads.
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
    pub fn to_back_buffer(&mut self) -> Done {
        self.size = (SIDE, SIDE);
        self.call(Call::SetRenderToBackBuffer {})
    }

    /// `setBlendFactors`
    pub fn blend(&mut self, source: &str, destination: &str) -> Done {
        self.call(Call::SetBlendFactors {
            source_factor: text(source),
            destination_factor: text(destination),
        })
    }

    /// `setDepthTest`
    pub fn depth(&mut self, mask: bool, mode: &str) -> Done {
        self.call(Call::SetDepthTest { depth_mask: mask, pass_compare_mode: text(mode) })
    }

    /// `setCulling`
    pub fn cull(&mut self, face: &str) -> Done {
        self.call(Call::SetCulling { triangle_face_to_cull: text(face) })
    }

    /// `setColorMask`
    pub fn color_mask(&mut self, [red, green, blue, alpha]: [bool; 4]) -> Done {
        self.call(Call::SetColorMask { red, green, blue, alpha })
    }

    /// `setStencilActions`: both pass, depth fails, stencil fails.
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
    pub fn reference(&mut self, value: u32, read: u32, write: u32) -> Done {
        self.call(Call::SetStencilReferenceValue {
            reference_value: value,
            read_mask: read,
            write_mask: write,
        })
    }

    /// `setScissorRectangle`: x, y, width, height.
    pub fn scissor(&mut self, rectangle: Option<[f64; 4]>) -> Done {
        let rectangle = rectangle.map(|[x, y, width, height]| Rectangle { x, y, width, height });
        self.call(Call::SetScissorRectangle { rectangle })
    }

    /// `drawToBitmapData`: source rectangle as x, y, width, height; destination point.
    pub fn draw_to_bitmap(
        &mut self,
        destination: BitmapTarget,
        source: Option<[f64; 4]>,
        point: Option<[f64; 2]>,
    ) -> Done {
        let source = source.map(|[x, y, width, height]| Some(Rectangle { x, y, width, height }));
        self.call(Call::DrawToBitmapData {
            destination: Some(destination),
            source_rect: Optional(source),
            dest_point: Optional(point.map(|[x, y]| Some(Point { x, y }))),
        })
    }

    /// `setFillMode`
    pub fn fill(&mut self, mode: &str) -> Done {
        self.call(Call::SetFillMode { fill_mode: text(mode) })
    }

    /// `enableErrorChecking`
    pub fn checking(&mut self, value: bool) -> Done {
        self.call(Call::SetErrorChecking { value })
    }

    /// `drawTriangles`
    pub fn draw(&mut self, indices: IndexBufferId, first: i32, triangles: i32) -> Done {
        self.call(Call::DrawTriangles {
            index_buffer: Some(indices),
            first_index: first,
            num_triangles: triangles,
        })
    }

    /// `drawTrianglesInstanced`
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
}
