//! Packets for a [`Backend`](crate::backend::Backend): commands that consist of validated, plain data.
//!
//! Every surface (back buffer, render target, texture level) is stored with its top row first. Pixel rectangles have
//! their origin at the top left. A backend needn't validate a packet's content; failures (device lost, out of memory, a
//! shader that doesn't compile) are reported as a [`BackendError`](crate::backend::BackendError).
//!
//! # Passes
//! Draws come between [`Packet::BeginPass`] and [`Packet::EndPass`]. `Present` and `ConfigureBackBuffer` come outside
//! of passes. Packets that upload to a texture of the target, generate its levels or dispose the texture come outside
//! of the target's passes. Inside a pass, uploads to any other texture affect later draws, and reads return the result
//! of earlier draws. The next pass into the same target continues with the target's content, for example after a clear
//! by the program.
//!
//! Depth, stencil and samples of textures stay unchanged until a pass into another target, which clears the depth and
//! stencil of that target. The back buffer keeps all content until `Present`.

mod draw;
pub mod packed;
mod target;
mod texture;

use std::borrow::Cow;
use std::sync::Arc;

use crate::enums::ProgramType;
use crate::handle::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};

pub use draw::{
    Draw, FIRST_VERTEX_SAMPLER, MAX_SAMPLERS, MAX_STREAMS, POSITION_BIAS, PipelineId,
    PipelineState, Raster, SamplerState, Scissor, StencilFace, Stream, TextureBinding, bits,
    slot_samplers,
};
pub use target::{
    BackBufferDesc, Clear, ColorAttachment, MAX_COLOR_OUTPUTS, PassStart, RenderTarget,
    TextureTarget,
};
pub use texture::{TexelLayout, TextureDesc, TextureKind};

/// A command for the backend. A packet borrows bulk data; [`Packet::into_owned`] copies the data.
#[derive(Clone, Debug, PartialEq)]
pub enum Packet<'a> {
    /// Creates or replaces the back buffer, with undefined content. A size of 0×0, or a failure, leaves no back buffer.
    ConfigureBackBuffer(BackBufferDesc),
    /// Creates a vertex buffer, all zero.
    CreateVertexBuffer {
        /// The key of the vertex buffer.
        key: VertexBufferKey,
        /// Size in bytes, a multiple of 4.
        bytes: u32,
        /// Hint that the content will change often.
        dynamic: bool,
    },
    /// Replaces a part of a vertex buffer. `offset + data.len()` is within the buffer.
    UploadVertexBuffer {
        /// The key of the vertex buffer.
        key: VertexBufferKey,
        /// The first byte that is replaced.
        offset: u32,
        /// The new bytes.
        data: Cow<'a, [u8]>,
    },
    /// Pads a vertex buffer with zeros, so that draws can read up to `bytes`, which is at least the buffer's size. The
    /// buffer's content stays unchanged. The context sends this packet before a draw with a short stream: data past the
    /// end reads as zero bytes, as in Direct3D [context3d.error.3609.unchecked].
    PadVertexBuffer {
        /// The key of the vertex buffer.
        key: VertexBufferKey,
        /// Number of readable bytes, which replaces the number of an earlier `PadVertexBuffer` packet.
        bytes: u32,
    },
    /// Frees a vertex buffer.
    DisposeVertexBuffer(VertexBufferKey),
    /// Creates an index buffer of 16-bit little-endian indices, all zero.
    CreateIndexBuffer {
        /// The key of the index buffer.
        key: IndexBufferKey,
        /// Size in bytes, a multiple of 2.
        bytes: u32,
        /// Hint that the content will change often.
        dynamic: bool,
    },
    /// Replaces a part of an index buffer. `offset + data.len()` is within the buffer.
    UploadIndexBuffer {
        /// The key of the index buffer.
        key: IndexBufferKey,
        /// The first byte that is replaced.
        offset: u32,
        /// The new bytes.
        data: Cow<'a, [u8]>,
    },
    /// Frees an index buffer.
    DisposeIndexBuffer(IndexBufferKey),
    /// Compiles a program, or replaces the program with the same key.
    UploadProgram {
        /// The key of the program.
        key: ProgramKey,
        /// The vertex and the fragment program, validated and linked.
        pair: Arc<agal::LinkedPair>,
    },
    /// Frees a program.
    DisposeProgram(ProgramKey),
    /// Creates a texture whose mip levels have no content.
    CreateTexture {
        /// The key of the texture.
        key: TextureKey,
        /// Class, format, size and mip levels of the texture.
        desc: TextureDesc,
    },
    /// Replaces a whole mip level of one face.
    UploadTexture {
        /// The key of the texture.
        key: TextureKey,
        /// Cube face 0 to 5 in the API's order (+X −X +Y −Y +Z −Z); 0 for other textures.
        side: u8,
        /// Mip level, whose width and height are those of level 0, shifted right by `level` and at least 1.
        level: u8,
        /// Layout of `data`: one that the texture's format allows (see [`TexelLayout`]), and the same in every upload
        /// to the texture. Block layouts occur only if [`BackendCaps`](crate::backend::BackendCaps) includes them.
        layout: TexelLayout,
        /// Rows (of blocks) top to bottom, tightly packed, exactly [`TexelLayout::bytes`] of the level's size.
        data: Cow<'a, [u8]>,
    },
    /// Fills a level of one face that has no content with zeros, before smaller levels are generated. `ZeroLevel` also
    /// precedes rendering to an empty level, so that undrawn pixels never expose uninitialized memory.
    ZeroLevel {
        /// The texture, whose layout has no blocks.
        key: TextureKey,
        /// Cube face, as in [`Packet::UploadTexture`].
        side: u8,
        /// Mip level.
        level: u8,
    },
    /// Generates levels of one face of a rendered texture, from the largest to the smallest, each from the next larger
    /// level. All faces have content in the generated and all larger levels. `GenerateMips` changes no other level or
    /// face.
    GenerateMips {
        /// The texture, whose layout has no blocks.
        key: TextureKey,
        /// Cube face, as in [`Packet::UploadTexture`].
        side: u8,
        /// The levels to generate: bit n is level n. At least one bit of `levels` is set; bit 0 is never set.
        levels: u16,
    },
    /// Frees a texture.
    DisposeTexture(TextureKey),
    /// Begins a pass. Every face of the target's textures has content in level 0.
    BeginPass(PassStart),
    /// Ends the pass, even if the packet fails.
    EndPass {
        /// Resolves the target's samples into its textures; the samples stay valid. `resolve` is always false for the
        /// back buffer, whose samples `Present` and reads resolve. Without MSAA, `resolve` has no effect.
        resolve: bool,
    },
    /// Sets constant registers, which are initially zero and persist across programs and draws.
    Constants {
        /// The shader stage.
        stage: ProgramType,
        /// The index of the first register.
        first: u16,
        /// The components `[x, y, z, w]` of each register.
        values: Cow<'a, [[f32; 4]]>,
    },
    /// Draws triangles into the target of the pass.
    Draw(Cow<'a, Box<Draw>>),
    /// Presents the back buffer, whose content is undefined afterwards.
    Present,
}

impl Packet<'_> {
    /// Returns an equal packet that owns its data.
    pub fn into_owned(self) -> Packet<'static> {
        fn own<T: ToOwned + ?Sized>(data: Cow<'_, T>) -> Cow<'static, T> {
            Cow::Owned(data.into_owned())
        }
        match self {
            Self::ConfigureBackBuffer(buffer) => Packet::ConfigureBackBuffer(buffer),
            Self::CreateVertexBuffer { key, bytes, dynamic } => {
                Packet::CreateVertexBuffer { key, bytes, dynamic }
            }
            Self::UploadVertexBuffer { key, offset, data } => {
                Packet::UploadVertexBuffer { key, offset, data: own(data) }
            }
            Self::PadVertexBuffer { key, bytes } => Packet::PadVertexBuffer { key, bytes },
            Self::DisposeVertexBuffer(key) => Packet::DisposeVertexBuffer(key),
            Self::CreateIndexBuffer { key, bytes, dynamic } => {
                Packet::CreateIndexBuffer { key, bytes, dynamic }
            }
            Self::UploadIndexBuffer { key, offset, data } => {
                Packet::UploadIndexBuffer { key, offset, data: own(data) }
            }
            Self::DisposeIndexBuffer(key) => Packet::DisposeIndexBuffer(key),
            Self::UploadProgram { key, pair } => Packet::UploadProgram { key, pair },
            Self::DisposeProgram(key) => Packet::DisposeProgram(key),
            Self::CreateTexture { key, desc } => Packet::CreateTexture { key, desc },
            Self::UploadTexture { key, side, level, layout, data } => {
                Packet::UploadTexture { key, side, level, layout, data: own(data) }
            }
            Self::ZeroLevel { key, side, level } => Packet::ZeroLevel { key, side, level },
            Self::GenerateMips { key, side, levels } => Packet::GenerateMips { key, side, levels },
            Self::DisposeTexture(key) => Packet::DisposeTexture(key),
            Self::BeginPass(pass) => Packet::BeginPass(pass),
            Self::EndPass { resolve } => Packet::EndPass { resolve },
            Self::Constants { stage, first, values } => {
                Packet::Constants { stage, first, values: own(values) }
            }
            Self::Draw(draw) => Packet::Draw(own(draw)),
            Self::Present => Packet::Present,
        }
    }

    /// Returns a packet that borrows the data of this one.
    pub fn borrowed(&self) -> Packet<'_> {
        match *self {
            Self::UploadVertexBuffer { key, offset, ref data } => {
                Packet::UploadVertexBuffer { key, offset, data: Cow::Borrowed(data) }
            }
            Self::UploadIndexBuffer { key, offset, ref data } => {
                Packet::UploadIndexBuffer { key, offset, data: Cow::Borrowed(data) }
            }
            Self::UploadTexture { key, side, level, layout, ref data } => {
                Packet::UploadTexture { key, side, level, layout, data: Cow::Borrowed(data) }
            }
            Self::Constants { stage, first, ref values } => {
                Packet::Constants { stage, first, values: Cow::Borrowed(values) }
            }
            Self::Draw(ref draw) => Packet::Draw(Cow::Borrowed(draw)),
            // Packets without bulk data are cheap to clone.
            ref packet => packet.clone(),
        }
    }
}
