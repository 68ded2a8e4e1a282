//! Packets for a [`Backend`](crate::backend::Backend): plain data, already checked.
//!
//! Conventions: every surface (back buffer, render target, texture level) is top row first. Pixel rectangles have their
//! origin at the top left. A backend never has to check a packet's content; failures (device lost, out of memory, a
//! shader that doesn't compile) are reported as a [`BackendError`](crate::backend::BackendError).
//!
//! # Passes
//! Draws come between [`Packet::BeginPass`] and [`Packet::EndPass`]. `Present`, `ConfigureBackBuffer` and packets that
//! upload to, generate or dispose a texture of the target come outside of its passes. All other packets and reads may come
//! inside: an upload counts for the later draws, and a read gives what the earlier ones drew. A pass that is followed by
//! another one into the same target goes on there: a clear by the program does that.
//!
//! Depth, stencil and samples of textures stay until a pass into another target, which clears its own depth and stencil.
//! The back buffer keeps all content until `Present`.

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
    BackBuffer, Clear, ColorAttachment, MAX_COLOR_OUTPUTS, Pass, Target, TextureTarget,
};
pub use texture::{TexelLayout, TextureDesc, TextureKind};

/// One command for the backend. Bulk data is borrowed; [`Packet::into_owned`] detaches it. `key` is the object, `offset` and
/// `bytes` count bytes, and `level` is a mip level.
#[allow(missing_docs, reason = "fields that say no more than their names")]
#[derive(Clone, Debug, PartialEq)]
pub enum Packet<'a> {
    /// (Re)creates the back buffer, with undefined content. 0×0 removes it; so does a failure.
    ConfigureBackBuffer(BackBuffer),
    /// Creates a vertex buffer, all zero.
    CreateVertexBuffer {
        key: VertexBufferKey,
        /// Size in bytes, a multiple of 4.
        bytes: u32,
        /// Expected to change often.
        dynamic: bool,
    },
    /// Replaces part of a vertex buffer. `offset + data.len()` lies within it.
    UploadVertexBuffer { key: VertexBufferKey, offset: u32, data: Cow<'a, [u8]> },
    /// Puts zeros behind the end of a vertex buffer, so that it can be read up to `bytes`, which is at least its size; its
    /// content stays. Sent before a draw whose streams are too short: data past the end reads as zero bytes, as in
    /// Direct3D [context3d.error.3609.unchecked].
    PadVertexBuffer {
        key: VertexBufferKey,
        /// Readable bytes; those of an earlier packet are replaced.
        bytes: u32,
    },
    /// Frees a vertex buffer.
    DisposeVertexBuffer(VertexBufferKey),
    /// Creates an index buffer of 16-bit little-endian indices, all zero.
    CreateIndexBuffer {
        key: IndexBufferKey,
        bytes: u32,
        /// Expected to change often.
        dynamic: bool,
    },
    /// Replaces part of an index buffer. `offset + data.len()` lies within it.
    UploadIndexBuffer { key: IndexBufferKey, offset: u32, data: Cow<'a, [u8]> },
    /// Frees an index buffer.
    DisposeIndexBuffer(IndexBufferKey),
    /// Compiles a program, or replaces the one with the same key.
    UploadProgram {
        key: ProgramKey,
        /// Vertex and fragment program, validated and linked.
        pair: Arc<agal::LinkedPair>,
    },
    /// Frees a program.
    DisposeProgram(ProgramKey),
    /// Creates a texture without content.
    CreateTexture { key: TextureKey, desc: TextureDesc },
    /// Replaces one whole level of one face.
    UploadTexture {
        key: TextureKey,
        /// Cube face 0..5 in API order (+X −X +Y −Y +Z −Z); else 0.
        side: u8,
        /// Mip level; its sides are `max(1, side >> level)`.
        level: u8,
        /// Layout of `data`: one that its format allows (see [`TexelLayout`]), and the same in every upload to a
        /// texture. Blocks only if [`BackendCaps`](crate::backend::BackendCaps) has them.
        layout: TexelLayout,
        /// Rows (of blocks) top to bottom, tightly packed, exactly [`TexelLayout::bytes`] of the level's size.
        data: Cow<'a, [u8]>,
    },
    /// Gives a level of one face that has no content zeros: before its texture becomes a target, because pixels that are
    /// not drawn must not show memory of others, and before levels below it are generated.
    ZeroLevel {
        /// The texture; not stored in blocks.
        key: TextureKey,
        /// As in [`Packet::UploadTexture`].
        side: u8,
        level: u8,
    },
    /// Generates levels of one face of a rendered texture, from the largest to the smallest, each from the level above
    /// it. These levels and all larger ones have content in all faces. The other levels and faces stay unchanged.
    GenerateMips {
        /// The texture; its first level is not stored in blocks.
        key: TextureKey,
        /// As in [`Packet::UploadTexture`].
        side: u8,
        /// Bit n: level n; at least one bit is set, and never bit 0.
        levels: u16,
    },
    /// Frees a texture.
    DisposeTexture(TextureKey),
    /// Begins a pass. Its textures have level 0 of all faces.
    BeginPass(Pass),
    /// Ends the pass, even if the packet fails.
    EndPass {
        /// Sets the target's textures to the mean of their samples; the samples stay. Never for the back buffer, whose
        /// samples `Present` and reads resolve. No effect if the device has no samples for this target.
        resolve: bool,
    },
    /// Sets constant registers. They start at zero and keep their values across programs and draws.
    Constants {
        stage: ProgramType,
        first: u16,
        /// One `[x, y, z, w]` a register.
        values: Cow<'a, [[f32; 4]]>,
    },
    /// Draws triangles into the target of the pass.
    Draw(Cow<'a, Box<Draw>>),
    /// Shows the back buffer. Its content is undefined afterwards.
    Present,
}

impl Packet<'_> {
    /// The same packet, owning its data.
    pub fn into_owned(self) -> Packet<'static> {
        fn own<T: ToOwned + ?Sized>(data: Cow<'_, T>) -> Cow<'static, T> {
            Cow::Owned(data.into_owned())
        }
        match self {
            Packet::ConfigureBackBuffer(p) => Packet::ConfigureBackBuffer(p),
            Packet::CreateVertexBuffer { key, bytes, dynamic } => {
                Packet::CreateVertexBuffer { key, bytes, dynamic }
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                Packet::UploadVertexBuffer { key, offset, data: own(data) }
            }
            Packet::PadVertexBuffer { key, bytes } => Packet::PadVertexBuffer { key, bytes },
            Packet::DisposeVertexBuffer(key) => Packet::DisposeVertexBuffer(key),
            Packet::CreateIndexBuffer { key, bytes, dynamic } => {
                Packet::CreateIndexBuffer { key, bytes, dynamic }
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                Packet::UploadIndexBuffer { key, offset, data: own(data) }
            }
            Packet::DisposeIndexBuffer(key) => Packet::DisposeIndexBuffer(key),
            Packet::UploadProgram { key, pair } => Packet::UploadProgram { key, pair },
            Packet::DisposeProgram(key) => Packet::DisposeProgram(key),
            Packet::CreateTexture { key, desc } => Packet::CreateTexture { key, desc },
            Packet::UploadTexture { key, side, level, layout, data } => {
                Packet::UploadTexture { key, side, level, layout, data: own(data) }
            }
            Packet::ZeroLevel { key, side, level } => Packet::ZeroLevel { key, side, level },
            Packet::GenerateMips { key, side, levels } => {
                Packet::GenerateMips { key, side, levels }
            }
            Packet::DisposeTexture(key) => Packet::DisposeTexture(key),
            Packet::BeginPass(pass) => Packet::BeginPass(pass),
            Packet::EndPass { resolve } => Packet::EndPass { resolve },
            Packet::Constants { stage, first, values } => {
                Packet::Constants { stage, first, values: own(values) }
            }
            Packet::Draw(draw) => Packet::Draw(own(draw)),
            Packet::Present => Packet::Present,
        }
    }

    /// The same packet, borrowing the data of this one.
    pub fn borrowed(&self) -> Packet<'_> {
        match self {
            Packet::UploadVertexBuffer { key, offset, data } => {
                Packet::UploadVertexBuffer { key: *key, offset: *offset, data: Cow::Borrowed(data) }
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                Packet::UploadIndexBuffer { key: *key, offset: *offset, data: Cow::Borrowed(data) }
            }
            Packet::UploadTexture { key, side, level, layout, data } => Packet::UploadTexture {
                key: *key,
                side: *side,
                level: *level,
                layout: *layout,
                data: Cow::Borrowed(data),
            },
            Packet::Constants { stage, first, values } => {
                Packet::Constants { stage: *stage, first: *first, values: Cow::Borrowed(values) }
            }
            Packet::Draw(draw) => Packet::Draw(Cow::Borrowed(draw)),
            // The other packets hold little data.
            packet => packet.clone(),
        }
    }
}
