//! Small test scenes through `Context3D`: a 64×64 back buffer, quads, and checks of single pixels.

use backend_gl::GlBackend;
use backend_gl::offscreen::Api;
use context3d::agal::{Endian, Profile, Stage, asm};
use context3d::arguments::{Bytecode, Rectangle};
use context3d::backend::{Backend as _, ReadSurface};
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, EnumArg, ProgramType, StencilAction, TextureFormat,
    TriangleFace, VertexFormat,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Context3D, ContextOptions, Invocation, ObjectHandle, Reply};

/// Width and height of the back buffer in pixels.
pub(crate) const SIZE: u32 = 64;

/// Floats per vertex: position (3), and a varying (4).
pub(crate) const VERTEX: usize = 7;

/// Vertex program: passes the position `va0` and the varying `va1` through.
pub(crate) const PASS: &str = "mov op, va0\nmov v0, va1";
/// Fragment program: one colour for all pixels.
pub(crate) const FLAT: &str = "mov ft0, v0\nmov oc, fc0";
/// Fragment program: the interpolated vertex colour.
pub(crate) const VARYING: &str = "mov oc, v0";
/// Fragment program: texture 0 at the interpolated coordinates.
pub(crate) const TEXTURED: &str = "tex ft0, v0, fs0 <2d,nearest,clamp,nomip>\nmov oc, ft0";

/// A rectangle in clip space: left, top, right, bottom, y up.
pub(crate) type Corners = [f32; 4];
/// The rectangle that covers the whole target.
pub(crate) const FULL: Corners = [-1.0, 1.0, 1.0, -1.0];

/// A rendered image.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgba: Vec<u8>,
}

impl Picture {
    /// Returns the pixel at a column and row, counted from the top left.
    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let start = usize::try_from((y * self.width + x) * 4).expect("small");
        self.rgba[start..start + 4].try_into().expect("four bytes")
    }

    /// Returns the pixels of a part of a row, given its leftmost pixel.
    pub(crate) fn row(&self, (x, y): (u32, u32), width: u32) -> &[[u8; 4]] {
        let [start, width] =
            [y * self.width + x, width].map(|number| usize::try_from(number).expect("small"));
        &self.rgba.as_chunks::<4>().0[start..start + width]
    }

    /// Checks a pixel's colour, with a tolerance of one unit for rounding.
    #[track_caller]
    pub(crate) fn expect(&self, (x, y): (u32, u32), color: [u8; 4], what: &str) {
        let pixel = self.at(x, y);
        let near = pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 1);
        assert!(near, "{what}: pixel ({x}, {y}) is {pixel:?}, not {color:?}");
    }
}

pub(crate) const BLACK: [u8; 4] = [0, 0, 0, 255];
pub(crate) const RED: [u8; 4] = [255, 0, 0, 255];
pub(crate) const GREEN: [u8; 4] = [0, 255, 0, 255];
pub(crate) const BLUE: [u8; 4] = [0, 0, 255, 255];
pub(crate) const WHITE: [u8; 4] = [255; 4];

/// A context with a back buffer that is cleared to opaque black.
pub(crate) struct Scene {
    pub(crate) context: Context3D<GlBackend>,
    pub(crate) api: Api,
    /// Number of GL errors that the test causes deliberately.
    pub(crate) errors: u64,
}

impl Scene {
    /// Creates a scene on a new debug context.
    pub(crate) fn new(api: Api) -> Self {
        Self::with_samples(api, 0)
    }

    /// Like [`Scene::new`], but with antialiasing.
    pub(crate) fn with_samples(api: Api, anti_alias: i32) -> Self {
        Self::over(api, super::backend(api), (64, 64), anti_alias)
    }

    /// Creates a scene on a given backend, with any size of the back buffer.
    pub(crate) fn over(
        api: Api,
        backend: GlBackend,
        (width, height): (i32, i32),
        anti_alias: i32,
    ) -> Self {
        let options = ContextOptions { profile: Profile::StandardExtended, swf_version: 50 };
        let context = Context3D::new(backend, options);
        let mut scene = Self { context, api, errors: 0 };
        scene.call(Invocation::SetErrorChecking { value: true });
        scene.call(Invocation::ConfigureBackBuffer {
            width,
            height,
            anti_alias,
            enable_depth_and_stencil: true,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        });
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        // The initial depth state is undocumented [context3d.state.depth].
        scene.depth(false, CompareMode::Always);
        scene
    }

    /// Executes a call that must succeed.
    #[track_caller]
    pub(crate) fn call(&mut self, command: Invocation<'_>) -> Reply {
        match self.context.execute(&command) {
            Ok(reply) => reply,
            Err(error) => panic!("{}: {command:?}: {error:?}", self.api),
        }
    }

    /// Clears colour to the given value, depth to 1 and stencil to 0.
    pub(crate) fn clear(&mut self, [red, green, blue, alpha]: [f64; 4]) {
        self.clear_with([red, green, blue, alpha], 1.0, 0);
    }

    pub(crate) fn clear_with(&mut self, color: [f64; 4], depth: f64, stencil: u32) {
        let [red, green, blue, alpha] = color;
        self.call(Invocation::Clear { red, green, blue, alpha, depth, stencil, mask: u32::MAX });
    }

    /// Assembles, uploads and binds a program of AGAL 1.
    #[track_caller]
    pub(crate) fn program(&mut self, vertex: &str, fragment: &str) -> ObjectHandle<ProgramKey> {
        self.program_of(1, vertex, fragment)
    }

    /// Like [`Scene::program`], but for another AGAL version.
    #[track_caller]
    pub(crate) fn program_of(
        &mut self,
        version: u32,
        vertex: &str,
        fragment: &str,
    ) -> ObjectHandle<ProgramKey> {
        let assemble = |text, stage| match asm::assemble(text, stage, version) {
            Ok(program) => program.encode(),
            Err(error) => panic!("{error}\n{text}"),
        };
        let vertex = assemble(vertex, Stage::Vertex);
        let fragment = assemble(fragment, Stage::Fragment);
        let Reply::Program(program) = self.call(Invocation::CreateProgram {}) else {
            panic!("no program");
        };
        let code = |bytes| {
            let endian = Endian::Little;
            Some(Bytecode { bytes, endian })
        };
        self.call(Invocation::ProgramUpload {
            program,
            vertex_program: code(&vertex),
            fragment_program: code(&fragment),
        });
        self.bind(program);
        program
    }

    pub(crate) fn bind(&mut self, program: ObjectHandle<ProgramKey>) {
        let program = Some(program);
        self.call(Invocation::SetProgram { program });
    }

    /// Creates a vertex buffer, with a number of floats per vertex.
    #[track_caller]
    pub(crate) fn vertices(
        &mut self,
        floats: &[f32],
        per_vertex: usize,
    ) -> ObjectHandle<VertexBufferKey> {
        let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        self.vertex_bytes(&bytes, per_vertex)
    }

    /// Like [`Scene::vertices`], but from bytes.
    #[track_caller]
    pub(crate) fn vertex_bytes(
        &mut self,
        bytes: &[u8],
        words: usize,
    ) -> ObjectHandle<VertexBufferKey> {
        let num_vertices = int(bytes.len() / (words * 4));
        let created = self.call(Invocation::CreateVertexBuffer {
            num_vertices,
            data32_per_vertex: int(words),
            buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
        });
        let Reply::VertexBuffer(buffer) = created else {
            panic!("no vertex buffer");
        };
        self.call(Invocation::VertexBufferUploadFromByteArray {
            buffer,
            data: Some(bytes),
            byte_array_offset: 0,
            start_vertex: 0,
            num_vertices,
        });
        buffer
    }

    /// Binds a vertex buffer to an attribute.
    #[track_caller]
    pub(crate) fn stream(
        &mut self,
        index: i32,
        buffer: ObjectHandle<VertexBufferKey>,
        buffer_offset: i32,
        format: VertexFormat,
    ) {
        self.call(Invocation::SetVertexBufferAt {
            index,
            buffer: Some(buffer),
            buffer_offset,
            format: EnumArg::Is(format),
        });
    }

    /// Creates an index buffer.
    #[track_caller]
    pub(crate) fn indices(&mut self, indices: &[u16]) -> ObjectHandle<IndexBufferKey> {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let created = self.call(Invocation::CreateIndexBuffer {
            num_indices: int(indices.len()),
            buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
        });
        let Reply::IndexBuffer(buffer) = created else {
            panic!("no index buffer");
        };
        self.call(Invocation::IndexBufferUploadFromByteArray {
            buffer,
            data: Some(&bytes),
            byte_array_offset: 0,
            start_offset: 0,
            count: int(indices.len()),
        });
        buffer
    }

    #[track_caller]
    pub(crate) fn draw(&mut self, index_buffer: ObjectHandle<IndexBufferKey>) {
        let index_buffer = Some(index_buffer);
        let reply = self.call(Invocation::DrawTriangles {
            index_buffer,
            first_index: 0,
            num_triangles: -1,
        });
        assert_eq!(reply, Reply::Done);
    }

    /// Draws rectangles with the bound program, given their corners, depth, and the varying at each corner (top left,
    /// top right, bottom right, bottom left), wound clockwise as seen on the screen.
    #[track_caller]
    pub(crate) fn quads(&mut self, quads: &[(Corners, f32, [[f32; 4]; 4])]) {
        let mut floats = Vec::new();
        let mut indices = Vec::new();
        for (number, ([left, top, right, bottom], z, extra)) in (0u16..).zip(quads) {
            let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
            for ([x, y], extra) in corners.into_iter().zip(extra) {
                floats.extend([*x, *y, *z]);
                floats.extend(extra);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| number * 4 + corner));
        }
        let vertices = self.vertices(&floats, VERTEX);
        self.stream(0, vertices, 0, VertexFormat::Float3);
        self.stream(1, vertices, 3, VertexFormat::Float4);
        let indices = self.indices(&indices);
        self.draw(indices);
    }

    /// Draws one rectangle with the same varying at every corner.
    #[track_caller]
    pub(crate) fn quad(&mut self, corners: Corners, z: f32, extra: [f32; 4]) {
        self.quads(&[(corners, z, [extra; 4])]);
    }

    /// Draws one rectangle with texture coordinates from (0, 0) at the top left to (1, 1) at the bottom right.
    #[track_caller]
    pub(crate) fn picture_quad(&mut self, corners: Corners) {
        let uv = |u, v| [u, v, 0.0, 0.0];
        let corner = [uv(0.0, 0.0), uv(1.0, 0.0), uv(1.0, 1.0), uv(0.0, 1.0)];
        self.quads(&[(corners, 0.5, corner)]);
    }

    pub(crate) fn constants(&mut self, program_type: ProgramType, first: i32, data: &[f64]) {
        self.call(Invocation::SetProgramConstantsFromVector {
            program_type: EnumArg::Is(program_type),
            first_register: first,
            data: Some(data),
            num_registers: -1,
        });
    }

    /// Sets the constant `fc0`.
    pub(crate) fn color(&mut self, rgba: [f64; 4]) {
        self.constants(ProgramType::Fragment, 0, &rgba);
    }

    #[track_caller]
    pub(crate) fn texture(&mut self, side: i32, format: TextureFormat) -> ObjectHandle<TextureKey> {
        let created = self.call(Invocation::CreateTexture {
            width: side,
            height: side,
            format: EnumArg::Is(format),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        });
        let Reply::Texture(texture) = created else {
            panic!("no texture");
        };
        texture
    }

    /// Uploads a level of a 2D texture (`side` is `None`) or of a cube face.
    #[track_caller]
    pub(crate) fn texels(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        side: Option<u32>,
        level: u32,
        data: &[u8],
    ) {
        self.call(Invocation::TextureUploadFromByteArray {
            texture,
            data: Some(data),
            byte_array_offset: 0,
            side,
            miplevel: level,
        });
    }

    pub(crate) fn bind_texture(&mut self, sampler: i32, texture: Option<ObjectHandle<TextureKey>>) {
        self.call(Invocation::SetTextureAt { sampler, texture });
    }

    #[track_caller]
    pub(crate) fn target(&mut self, texture: ObjectHandle<TextureKey>, anti_alias: i32) {
        self.call(Invocation::SetRenderToTexture {
            texture: Some(texture),
            enable_depth_and_stencil: true,
            anti_alias,
            surface_selector: 0,
            color_output_index: 0,
        });
    }

    pub(crate) fn back_buffer(&mut self) {
        self.call(Invocation::SetRenderToBackBuffer {});
    }

    pub(crate) fn cull(&mut self, face: TriangleFace) {
        self.call(Invocation::SetCulling { triangle_face_to_cull: EnumArg::Is(face) });
    }

    pub(crate) fn depth(&mut self, depth_mask: bool, mode: CompareMode) {
        self.call(Invocation::SetDepthTest { depth_mask, pass_compare_mode: EnumArg::Is(mode) });
    }

    pub(crate) fn blend(&mut self, source: BlendFactor, destination: BlendFactor) {
        self.call(Invocation::SetBlendFactors {
            source_factor: EnumArg::Is(source),
            destination_factor: EnumArg::Is(destination),
        });
    }

    /// Sets the stencil test of a face, and its actions: both tests pass, depth fails, stencil fails.
    pub(crate) fn stencil(
        &mut self,
        face: TriangleFace,
        compare: CompareMode,
        [both, depth_fail, fail]: [StencilAction; 3],
    ) {
        self.call(Invocation::SetStencilActions {
            triangle_face: EnumArg::Is(face),
            compare_mode: EnumArg::Is(compare),
            action_on_both_pass: EnumArg::Is(both),
            action_on_depth_fail: EnumArg::Is(depth_fail),
            action_on_depth_pass_stencil_fail: EnumArg::Is(fail),
        });
    }

    pub(crate) fn stencil_reference(&mut self, reference_value: u32, read: u32, write: u32) {
        self.call(Invocation::SetStencilReferenceValue {
            reference_value,
            read_mask: read,
            write_mask: write,
        });
    }

    pub(crate) fn scissor(&mut self, rectangle: Option<[f64; 4]>) {
        let rectangle = rectangle.map(|[x, y, width, height]| Rectangle { x, y, width, height });
        self.call(Invocation::SetScissorRectangle { rectangle });
    }

    /// Reads the current back buffer.
    #[track_caller]
    pub(crate) fn picture(&mut self) -> Picture {
        self.read(ReadSurface::BackBuffer)
    }

    /// Reads level 0 of a texture.
    #[track_caller]
    pub(crate) fn read_texture(&mut self, texture: ObjectHandle<TextureKey>) -> Picture {
        self.read(ReadSurface::Texture { texture: texture.key(), side: 0, level: 0 })
    }

    #[track_caller]
    pub(crate) fn read(&mut self, surface: ReadSurface) -> Picture {
        let mut rgba = Vec::new();
        let backend = self.context.backend_mut();
        match backend.read_pixels(surface, &mut rgba) {
            Ok((width, height)) => Picture { width, height, rgba },
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for Scene {
    /// Checks that the scene caused no unexpected GL error or high-severity message.
    fn drop(&mut self) {
        let errors = self.context.backend_mut().debug_errors();
        if !std::thread::panicking() {
            assert_eq!(errors, self.errors, "{}: GL errors or high-severity messages", self.api);
        }
    }
}

/// Converts a colour component from 0..1 to a byte.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..255")]
pub(crate) fn byte(unit: f64) -> u8 {
    (unit.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn int(value: usize) -> i32 {
    i32::try_from(value).expect("small")
}
