//! Methods for hosts in Rust: each builds the [`Command`] of the ActionScript method of the same name, with
//! enumerations instead of strings and ActionScript's defaults left out, and gives what [`Context3D::execute`] gives.

use agal::Endian;

use crate::backend::Backend;
use crate::command::{Bitmap, Bytecode, Command, Rectangle, Reply};
use crate::context::Context3D;
use crate::error::Error;
use crate::keys::{Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::names::{
    BlendFactor, BufferUsage, CompareMode, MipFilter, Name, ProgramType, StencilAction,
    TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};

/// A call that gives something else than it must is a fault of this crate, told as an error all the same.
fn unexpected(reply: &Reply) -> Error {
    Error::Unsupported(format!("the call gave {reply:?}"))
}

/// Methods that give nothing: name, parameters, command.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),* $(,)?) => $command:expr;)+) => {
        impl<B: Backend> Context3D<B> {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// As [`Context3D::execute`].
                pub fn $name(&mut self, $($parameter: $type),*) -> Result<(), Error> {
                    self.execute(&$command).map(drop)
                }
            )+
        }
    };
}

/// Methods that create: name, parameters, command, reply, key.
macro_rules! creations {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),* $(,)?) => $command:expr, $reply:ident($key:ty);)+) => {
        impl<B: Backend> Context3D<B> {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// As [`Context3D::execute`].
                pub fn $name(&mut self, $($parameter: $type),*) -> Result<$key, Error> {
                    match self.execute(&$command)? {
                        Reply::$reply(key) => Ok(key),
                        reply => Err(unexpected(&reply)),
                    }
                }
            )+
        }
    };
}

const STATIC: Name<BufferUsage> = Name::Is(BufferUsage::StaticDraw);

creations! {
    /// A vertex buffer of `data32_per_vertex` 32-bit values a vertex, 1..=64.
    create_vertex_buffer(num_vertices: i32, data32_per_vertex: i32)
        => Command::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage: STATIC }, VertexBuffer(Handle<VertexBufferKey>);
    /// A vertex buffer each vertex of which serves several instances.
    create_vertex_buffer_for_instances(num_vertices: i32, data32_per_vertex: i32, instances_per_element: i32)
        => Command::CreateVertexBufferForInstances {
            num_vertices, data32_per_vertex, instances_per_element, buffer_usage: STATIC
        }, VertexBuffer(Handle<VertexBufferKey>);
    /// An index buffer of 16-bit indices.
    create_index_buffer(num_indices: i32)
        => Command::CreateIndexBuffer { num_indices, buffer_usage: STATIC }, IndexBuffer(Handle<IndexBufferKey>);
    /// A program without code.
    create_program() => Command::CreateProgram, Program(Handle<ProgramKey>);
    /// A 2D texture; sides are powers of two.
    create_texture(width: i32, height: i32, format: TextureFormat)
        => Command::CreateTexture {
            width, height, format: format.into(), optimize_for_render_to_texture: false, streaming_levels: 0
        }, Texture(Handle<TextureKey>);
    /// A rectangle texture of any size.
    create_rectangle_texture(width: i32, height: i32, format: TextureFormat)
        => Command::CreateRectangleTexture {
            width, height, format: format.into(), optimize_for_render_to_texture: false
        }, Texture(Handle<TextureKey>);
    /// A cube texture; the side is a power of two up to 1024.
    create_cube_texture(size: i32, format: TextureFormat)
        => Command::CreateCubeTexture {
            size, format: format.into(), optimize_for_render_to_texture: false, streaming_levels: 0
        }, Texture(Handle<TextureKey>);
}

calls! {
    /// Sets the back buffer's size in pixels and its samples a pixel.
    configure_back_buffer(width: i32, height: i32, anti_alias: i32, enable_depth_and_stencil: bool)
        => Command::ConfigureBackBuffer {
            width, height, anti_alias, enable_depth_and_stencil,
            wants_best_resolution: false, wants_best_resolution_on_browser_zoom: false,
        };
    /// Clears colour (RGBA, 0..1), depth (0..1) and stencil of the whole target.
    clear(rgba: [f64; 4], depth: f64, stencil: u32) => Command::Clear {
        red: rgba[0], green: rgba[1], blue: rgba[2], alpha: rgba[3], depth, stencil, mask: u32::MAX,
    };
    /// Shows the back buffer.
    present() => Command::Present;
    /// Ends the context, for good unless `recreate`.
    dispose(recreate: bool) => Command::Dispose { recreate };
    /// `enableErrorChecking`
    set_error_checking(value: bool) => Command::EnableErrorChecking { value };
    /// `maxBackBufferWidth`: a value out of range becomes the nearest one in range (unverified).
    set_max_back_buffer_width(value: i32) => Command::MaxBackBufferWidth { value };
    /// `maxBackBufferHeight`: a value out of range becomes the nearest one in range (unverified).
    set_max_back_buffer_height(value: i32) => Command::MaxBackBufferHeight { value };
    /// `ignoreResourceLimits`: sixteen times as many objects, and as much memory, as far as
    /// [`Host::ignored_limits_memory`](crate::Host::ignored_limits_memory) goes.
    set_ignore_resource_limits(value: bool) => Command::IgnoreResourceLimits { value };
    /// Binds a program, and the sampler state that its AGAL asks for.
    set_program(program: Option<Handle<ProgramKey>>) => Command::SetProgram { program };
    /// Gives a program both its halves, as little-endian AGAL.
    upload_program(program: Handle<ProgramKey>, vertex: &[u8], fragment: &[u8]) => Command::ProgramUpload {
        program,
        vertex_program: Some(Bytecode { bytes: vertex, endian: Endian::Little }),
        fragment_program: Some(Bytecode { bytes: fragment, endian: Endian::Little }),
    };
    /// Frees a program.
    dispose_program(program: Handle<ProgramKey>) => Command::ProgramDispose { program };
    /// Sets constant registers from numbers, four a register.
    set_constants(program_type: ProgramType, first_register: i32, data: &[f64])
        => Command::SetProgramConstantsFromVector {
            program_type: program_type.into(), first_register, data: Some(data), num_registers: -1
        };
    /// Sets four constant registers from a column-major matrix; `transposed` for column vectors.
    set_constants_from_matrix(program_type: ProgramType, first_register: i32, matrix: &[f64; 16], transposed: bool)
        => Command::SetProgramConstantsFromMatrix {
            program_type: program_type.into(), first_register, matrix: Some(matrix), transposed_matrix: transposed
        };
    /// Binds a stream to attribute `va<index>`; `offset` in 32-bit values.
    set_vertex_buffer_at(index: i32, buffer: Option<Handle<VertexBufferKey>>, offset: i32, format: VertexFormat)
        => Command::SetVertexBufferAt { index, buffer, buffer_offset: offset, format: format.into() };
    /// Binds a texture to sampler `fs<sampler>`.
    set_texture_at(sampler: i32, texture: Option<Handle<TextureKey>>) => Command::SetTextureAt { sampler, texture };
    /// Sets a sampler's state until the next `set_program` that uses the sampler.
    set_sampler_state_at(sampler: i32, wrap: WrapMode, filter: TextureFilter, mip: MipFilter)
        => Command::SetSamplerStateAt { sampler, wrap: wrap.into(), filter: filter.into(), mipfilter: mip.into() };
    /// Source and destination factor.
    set_blend_factors(source: BlendFactor, destination: BlendFactor)
        => Command::SetBlendFactors { source_factor: source.into(), destination_factor: destination.into() };
    /// Channels that draws write.
    set_color_mask(red: bool, green: bool, blue: bool, alpha: bool)
        => Command::SetColorMask { red, green, blue, alpha };
    /// Faces that are dropped.
    set_culling(face: TriangleFace) => Command::SetCulling { triangle_face_to_cull: face.into() };
    /// Whether draws write depth, and where they pass.
    set_depth_test(depth_mask: bool, mode: CompareMode)
        => Command::SetDepthTest { depth_mask, pass_compare_mode: mode.into() };
    /// Stencil test and actions: both pass, depth fails, stencil fails.
    set_stencil_actions(face: TriangleFace, compare: CompareMode, actions: [StencilAction; 3])
        => Command::SetStencilActions {
            triangle_face: face.into(), compare_mode: compare.into(), action_on_both_pass: actions[0].into(),
            action_on_depth_fail: actions[1].into(), action_on_depth_pass_stencil_fail: actions[2].into(),
        };
    /// Stencil reference and masks; low 8 bits.
    set_stencil_reference_value(reference_value: u32, read_mask: u32, write_mask: u32)
        => Command::SetStencilReferenceValue { reference_value, read_mask, write_mask };
    /// Pixels outside are not drawn; `None` or an empty rectangle: all are.
    set_scissor_rectangle(rectangle: Option<Rectangle>) => Command::SetScissorRectangle { rectangle };
    /// Draws go to level 0 of a texture.
    set_render_to_texture(texture: Handle<TextureKey>, depth_and_stencil: bool, anti_alias: i32, side: i32)
        => Command::SetRenderToTexture {
            texture: Some(texture), enable_depth_and_stencil: depth_and_stencil, anti_alias,
            surface_selector: side, color_output_index: 0,
        };
    /// Draws go to the back buffer.
    set_render_to_back_buffer() => Command::SetRenderToBackBuffer;
    /// Replaces vertices from bytes.
    upload_vertices(buffer: Handle<VertexBufferKey>, data: &[u8], start_vertex: i32, num_vertices: i32)
        => Command::VertexBufferUploadFromByteArray {
            buffer, data: Some(data), byte_array_offset: 0, start_vertex, num_vertices
        };
    /// Replaces vertices from numbers.
    upload_vertex_numbers_from(buffer: Handle<VertexBufferKey>, data: &[f64], start_vertex: i32, num_vertices: i32)
        => Command::VertexBufferUploadFromVector { buffer, data: Some(data), start_vertex, num_vertices };
    /// Replaces indices; the low 16 bits of each count.
    upload_indices(buffer: Handle<IndexBufferKey>, data: &[u32], start_offset: i32, count: i32)
        => Command::IndexBufferUploadFromVector { buffer, data: Some(data), start_offset, count };
    /// Frees a vertex buffer.
    dispose_vertex_buffer(buffer: Handle<VertexBufferKey>) => Command::VertexBufferDispose { buffer };
    /// Frees an index buffer.
    dispose_index_buffer(buffer: Handle<IndexBufferKey>) => Command::IndexBufferDispose { buffer };
    /// Sets a level of a texture from a bitmap; `side` for cubes alone.
    upload_texture_bitmap(texture: Handle<TextureKey>, source: Bitmap<'_>, side: Option<u32>, miplevel: u32)
        => Command::TextureUploadFromBitmapData { texture, source: Some(source), side, miplevel };
    /// Sets a level of a texture from texels in its format; `side` for cubes alone.
    upload_texture(texture: Handle<TextureKey>, data: &[u8], side: Option<u32>, miplevel: u32)
        => Command::TextureUploadFromByteArray { texture, data: Some(data), byte_array_offset: 0, side, miplevel };
    /// As [`Context3D::upload_texture`], for level 0; a [`Notice`](crate::Notice) follows.
    upload_texture_async(texture: Handle<TextureKey>, data: &[u8], side: Option<u32>)
        => Command::TextureUploadFromByteArrayAsync {
            texture, data: Some(data), byte_array_offset: 0, side, miplevel: 0
        };
    /// As [`Context3D::upload_texture_bitmap`], for level 0; a [`Notice`](crate::Notice) follows.
    upload_texture_bitmap_async(texture: Handle<TextureKey>, source: Bitmap<'_>, side: Option<u32>)
        => Command::TextureUploadFromBitmapDataAsync { texture, source: Some(source), side, miplevel: 0 };
    /// Sets all levels that an ATF file has.
    upload_texture_compressed(texture: Handle<TextureKey>, data: &[u8])
        => Command::TextureUploadCompressedFromByteArray {
            texture, data: Some(data), byte_array_offset: 0, is_async: false
        };
    /// As [`Context3D::upload_texture_compressed`]; a [`Notice`](crate::Notice) follows.
    upload_texture_compressed_async(texture: Handle<TextureKey>, data: &[u8])
        => Command::TextureUploadCompressedFromByteArray {
            texture, data: Some(data), byte_array_offset: 0, is_async: true
        };
    /// Shows the next frame in a video texture.
    show_video_frame(texture: Handle<TextureKey>, source: Bitmap<'_>) => Command::VideoTextureFrame { texture, source };
    /// Frees a texture.
    dispose_texture(texture: Handle<TextureKey>) => Command::TextureDispose { texture };
}

impl<B: Backend> Context3D<B> {
    /// A video texture, or none where the host shows no video in textures.
    ///
    /// # Errors
    /// As [`Context3D::execute`].
    pub fn create_video_texture(&mut self) -> Result<Option<Handle<TextureKey>>, Error> {
        match self.execute(&Command::CreateVideoTexture)? {
            Reply::Texture(key) => Ok(Some(key)),
            Reply::Null => Ok(None),
            reply => Err(unexpected(&reply)),
        }
    }

    /// Draws triangles; -1: all from `first_index` on. [`Reply::Skipped`] where Flash silently drops the draw.
    ///
    /// # Errors
    /// As [`Context3D::execute`].
    pub fn draw_triangles(
        &mut self,
        index_buffer: Handle<IndexBufferKey>,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        self.execute(&Command::DrawTriangles {
            index_buffer: Some(index_buffer),
            first_index,
            num_triangles,
        })
    }

    /// Draws triangles several times; streams made for instances advance with them.
    ///
    /// # Errors
    /// As [`Context3D::execute`].
    pub fn draw_triangles_instanced(
        &mut self,
        index_buffer: Handle<IndexBufferKey>,
        num_instances: i32,
        first_index: i32,
        num_triangles: i32,
    ) -> Result<Reply, Error> {
        let index_buffer = Some(index_buffer);
        self.execute(&Command::DrawTrianglesInstanced {
            index_buffer,
            num_instances,
            first_index,
            num_triangles,
        })
    }
}
