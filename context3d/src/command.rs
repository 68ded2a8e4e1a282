//! The one entry point's argument: every call of the API as plain data.

use crate::keys::{Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::names::{
    BlendFactor, BufferUsage, CompareMode, FillMode, MipFilter, Name, ProgramType, StencilAction,
    TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};

/// A call on `Context3D` or on one of its objects, with ActionScript's arguments: `int` and `uint` as passed, `Number`
/// as f64, a null reference as `None`. Nothing is checked yet.
///
/// Bytes that ActionScript passes as a `ByteArray` come whole, with the offset argument beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "fields carry the names of ActionScript's parameters, documented by Adobe"
)]
pub enum Command<'a> {
    ConfigureBackBuffer {
        width: i32,
        height: i32,
        anti_alias: i32,
        enable_depth_and_stencil: bool,
        wants_best_resolution: bool,
        wants_best_resolution_on_browser_zoom: bool,
    },
    Clear {
        red: f64,
        green: f64,
        blue: f64,
        alpha: f64,
        depth: f64,
        stencil: u32,
        mask: u32,
    },
    Present,
    /// `Context3D.dispose`
    Dispose {
        recreate: bool,
    },
    CreateVertexBuffer {
        num_vertices: i32,
        data32_per_vertex: i32,
        buffer_usage: Name<BufferUsage>,
    },
    CreateVertexBufferForInstances {
        num_vertices: i32,
        data32_per_vertex: i32,
        instances_per_element: i32,
        buffer_usage: Name<BufferUsage>,
    },
    CreateIndexBuffer {
        num_indices: i32,
        buffer_usage: Name<BufferUsage>,
    },
    CreateProgram,
    CreateTexture {
        width: i32,
        height: i32,
        format: Name<TextureFormat>,
        optimize_for_render_to_texture: bool,
        streaming_levels: i32,
    },
    CreateRectangleTexture {
        width: i32,
        height: i32,
        format: Name<TextureFormat>,
        optimize_for_render_to_texture: bool,
    },
    CreateCubeTexture {
        size: i32,
        format: Name<TextureFormat>,
        optimize_for_render_to_texture: bool,
        streaming_levels: i32,
    },
    /// Gives [`Reply::Null`] where the host shows no video in textures.
    CreateVideoTexture,
    SetProgram {
        program: Option<Handle<ProgramKey>>,
    },
    SetProgramConstantsFromMatrix {
        program_type: Name<ProgramType>,
        first_register: i32,
        /// `Matrix3D.rawData`, column-major.
        matrix: Option<&'a [f64; 16]>,
        transposed_matrix: bool,
    },
    SetProgramConstantsFromVector {
        program_type: Name<ProgramType>,
        first_register: i32,
        data: Option<&'a [f64]>,
        num_registers: i32,
    },
    SetProgramConstantsFromByteArray {
        program_type: Name<ProgramType>,
        first_register: i32,
        num_registers: i32,
        data: Option<&'a [u8]>,
        byte_array_offset: u32,
    },
    SetVertexBufferAt {
        index: i32,
        buffer: Option<Handle<VertexBufferKey>>,
        buffer_offset: i32,
        format: Name<VertexFormat>,
    },
    SetTextureAt {
        sampler: i32,
        texture: Option<Handle<TextureKey>>,
    },
    SetSamplerStateAt {
        sampler: i32,
        wrap: Name<WrapMode>,
        filter: Name<TextureFilter>,
        mipfilter: Name<MipFilter>,
    },
    SetBlendFactors {
        source_factor: Name<BlendFactor>,
        destination_factor: Name<BlendFactor>,
    },
    SetColorMask {
        red: bool,
        green: bool,
        blue: bool,
        alpha: bool,
    },
    SetCulling {
        triangle_face_to_cull: Name<TriangleFace>,
    },
    SetDepthTest {
        depth_mask: bool,
        pass_compare_mode: Name<CompareMode>,
    },
    SetStencilActions {
        triangle_face: Name<TriangleFace>,
        compare_mode: Name<CompareMode>,
        action_on_both_pass: Name<StencilAction>,
        action_on_depth_fail: Name<StencilAction>,
        action_on_depth_pass_stencil_fail: Name<StencilAction>,
    },
    SetStencilReferenceValue {
        reference_value: u32,
        read_mask: u32,
        write_mask: u32,
    },
    SetScissorRectangle {
        rectangle: Option<Rectangle>,
    },
    SetRenderToTexture {
        texture: Option<Handle<TextureKey>>,
        enable_depth_and_stencil: bool,
        anti_alias: i32,
        surface_selector: i32,
        color_output_index: i32,
    },
    SetRenderToBackBuffer,
    DrawTriangles {
        index_buffer: Option<Handle<IndexBufferKey>>,
        first_index: i32,
        num_triangles: i32,
    },
    DrawTrianglesInstanced {
        index_buffer: Option<Handle<IndexBufferKey>>,
        num_instances: i32,
        first_index: i32,
        num_triangles: i32,
    },
    /// The pixels come back as [`Reply::Bitmap`].
    DrawToBitmapData {
        destination: Option<BitmapTarget>,
        source_rect: Option<Rectangle>,
        dest_point: Option<[f64; 2]>,
    },
    SetFillMode {
        fill_mode: Name<FillMode>,
    },
    /// The setter of the property.
    EnableErrorChecking {
        value: bool,
    },
    /// The setter of the property.
    MaxBackBufferWidth {
        value: i32,
    },
    /// The setter of the property.
    MaxBackBufferHeight {
        value: i32,
    },
    /// The setter of the property.
    IgnoreResourceLimits {
        value: bool,
    },
    VertexBufferUploadFromByteArray {
        buffer: Handle<VertexBufferKey>,
        data: Option<&'a [u8]>,
        byte_array_offset: i32,
        start_vertex: i32,
        num_vertices: i32,
    },
    VertexBufferUploadFromVector {
        buffer: Handle<VertexBufferKey>,
        data: Option<&'a [f64]>,
        start_vertex: i32,
        num_vertices: i32,
    },
    VertexBufferDispose {
        buffer: Handle<VertexBufferKey>,
    },
    IndexBufferUploadFromByteArray {
        buffer: Handle<IndexBufferKey>,
        data: Option<&'a [u8]>,
        byte_array_offset: i32,
        start_offset: i32,
        count: i32,
    },
    IndexBufferUploadFromVector {
        buffer: Handle<IndexBufferKey>,
        data: Option<&'a [u32]>,
        start_offset: i32,
        count: i32,
    },
    IndexBufferDispose {
        buffer: Handle<IndexBufferKey>,
    },
    ProgramUpload {
        program: Handle<ProgramKey>,
        vertex_program: Option<Bytecode<'a>>,
        fragment_program: Option<Bytecode<'a>>,
    },
    ProgramDispose {
        program: Handle<ProgramKey>,
    },
    /// `side` is `None` where the method has none (`Texture`, `RectangleTexture`).
    TextureUploadFromBitmapData {
        texture: Handle<TextureKey>,
        source: Option<Bitmap<'a>>,
        side: Option<u32>,
        miplevel: u32,
    },
    TextureUploadFromByteArray {
        texture: Handle<TextureKey>,
        data: Option<&'a [u8]>,
        byte_array_offset: u32,
        side: Option<u32>,
        miplevel: u32,
    },
    /// How it went comes as a [`Notice`](crate::Notice).
    TextureUploadFromBitmapDataAsync {
        texture: Handle<TextureKey>,
        source: Option<Bitmap<'a>>,
        side: Option<u32>,
        miplevel: u32,
    },
    /// How it went comes as a [`Notice`](crate::Notice).
    TextureUploadFromByteArrayAsync {
        texture: Handle<TextureKey>,
        data: Option<&'a [u8]>,
        byte_array_offset: u32,
        side: Option<u32>,
        miplevel: u32,
    },
    TextureUploadCompressedFromByteArray {
        texture: Handle<TextureKey>,
        data: Option<&'a [u8]>,
        byte_array_offset: u32,
        is_async: bool,
    },
    TextureDispose {
        texture: Handle<TextureKey>,
    },
    /// Not ActionScript's but the host's: the next picture of what is attached to a `VideoTexture`. Its size may be
    /// another one each time.
    VideoTextureFrame {
        texture: Handle<TextureKey>,
        source: Bitmap<'a>,
    },
}

/// A program's `ByteArray`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Its `endian` property.
    pub endian: agal::Endian,
}

/// A `flash.geom.Rectangle`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// May be negative or NaN, as in ActionScript.
    pub width: f64,
    /// May be negative or NaN, as in ActionScript.
    pub height: f64,
}

/// A `BitmapData` that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap<'a> {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has alpha.
    pub transparent: bool,
    /// Rows top to bottom, four bytes B, G, R, A a pixel, colour premultiplied; `None` when disposed.
    pub bgra: Option<&'a [u8]>,
}

/// A `BitmapData` that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmapTarget {
    /// Pixels; 0 when disposed.
    pub width: u32,
    /// Pixels; 0 when disposed.
    pub height: u32,
    /// Has alpha; else alpha becomes 255.
    pub transparent: bool,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Done; the method returns nothing.
    Done,
    /// Null in the place of a new object.
    Null,
    /// The new `VertexBuffer3D`.
    VertexBuffer(Handle<VertexBufferKey>),
    /// The new `IndexBuffer3D`.
    IndexBuffer(Handle<IndexBufferKey>),
    /// The new `Program3D`.
    Program(Handle<ProgramKey>),
    /// The new texture of any kind.
    Texture(Handle<TextureKey>),
    /// A draw that Flash silently drops because error checking is off: the number of the error that it would raise.
    Skipped(u16),
    /// What `drawToBitmapData` read.
    Bitmap(BitmapPatch),
}

/// Pixels to put into a `BitmapData`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitmapPatch {
    /// Where in the destination.
    pub x: u32,
    /// Where in the destination.
    pub y: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows top to bottom, B, G, R, A, premultiplied.
    pub bgra: Vec<u8>,
}
