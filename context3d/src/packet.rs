//! What a [`Backend`](crate::Backend) is told to do: plain data, already checked.
//!
//! Conventions: every surface (back buffer, render target, texture level) is top row first. Pixel rectangles have their
//! origin at the top left. A backend never has to check what a packet holds; what it can't do (device lost, out of
//! memory, a shader that doesn't compile) it reports as a [`BackendError`](crate::BackendError).

use std::borrow::Cow;
use std::sync::Arc;

use crate::block::BlockKind;
use crate::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::names::{
    BlendFactor, CompareMode, FillMode, MipFilter, ProgramType, StencilAction, TextureFilter,
    TextureFormat, TriangleFace, VertexFormat, WrapMode,
};

/// Vertex streams of the largest profile.
pub const MAX_STREAMS: usize = 16;
/// Fragment samplers of the largest profile.
pub const MAX_SAMPLERS: usize = 16;
/// Colour outputs of the largest profile.
pub const MAX_COLOR_OUTPUTS: usize = 4;

/// One order to the backend. Bulk data is borrowed; [`Packet::into_owned`] detaches it.
#[derive(Clone, Debug, PartialEq)]
pub enum Packet<'a> {
    /// (Re)creates the back buffer; its content is undefined afterwards. 0×0 means: no back buffer, and so does failure.
    /// May come while textures are the target, which stays.
    ConfigureBackBuffer(BackBuffer),
    /// Makes a vertex buffer, all zero.
    CreateVertexBuffer {
        /// The new object.
        key: VertexBufferKey,
        /// Size in bytes, a multiple of 4.
        bytes: u32,
        /// Expected to change often.
        dynamic: bool,
    },
    /// Replaces part of a vertex buffer. `offset + data.len()` lies within it.
    UploadVertexBuffer {
        /// The buffer.
        key: VertexBufferKey,
        /// Where, in bytes.
        offset: u32,
        /// The bytes.
        data: Cow<'a, [u8]>,
    },
    /// Frees a vertex buffer.
    DisposeVertexBuffer(VertexBufferKey),
    /// Makes an index buffer of 16-bit little-endian indices, all zero.
    CreateIndexBuffer {
        /// The new object.
        key: IndexBufferKey,
        /// Size in bytes.
        bytes: u32,
        /// Expected to change often.
        dynamic: bool,
    },
    /// Replaces part of an index buffer. `offset + data.len()` lies within it.
    UploadIndexBuffer {
        /// The buffer.
        key: IndexBufferKey,
        /// Where, in bytes.
        offset: u32,
        /// The bytes.
        data: Cow<'a, [u8]>,
    },
    /// Frees an index buffer.
    DisposeIndexBuffer(IndexBufferKey),
    /// Compiles a program, or replaces the one under the same key.
    UploadProgram {
        /// The program.
        key: ProgramKey,
        /// Both halves, validated and linked.
        pair: Arc<agal::LinkedPair>,
    },
    /// Frees a program.
    DisposeProgram(ProgramKey),
    /// Makes a texture without content.
    CreateTexture {
        /// The new object.
        key: TextureKey,
        /// What it is.
        desc: TextureDesc,
    },
    /// Sets one whole level of one face.
    UploadTexture {
        /// The texture.
        key: TextureKey,
        /// Cube face 0..5 in API order (+X −X +Y −Y +Z −Z); else 0.
        side: u8,
        /// Mip level; its sides are `max(1, side >> level)`.
        level: u8,
        /// How `data` is laid out: one that goes with the texture's format, see [`TexelLayout`], and the same in every
        /// upload to one texture. Blocks only where [`BackendCaps`](crate::BackendCaps) has them.
        layout: TexelLayout,
        /// Rows (of blocks) top to bottom, tightly packed, exactly [`TexelLayout::bytes`] of the level's size.
        data: Cow<'a, [u8]>,
    },
    /// Fills levels 1.. of a texture that was rendered to from level 0.
    GenerateMips(TextureKey),
    /// Frees a texture. If it is part of the current target, no clear or draw comes before another target is set.
    DisposeTexture(TextureKey),
    /// Where the next clears and draws go; the back buffer at first.
    SetTarget(Target),
    /// Clears the current target: whole surface, whatever scissor, masks and depth state say.
    Clear(Clear),
    /// New values for constant registers, all zero at first; they stay until replaced, across programs and draws.
    Constants {
        /// Which bank.
        stage: ProgramType,
        /// First register.
        first: u16,
        /// One `[x, y, z, w]` a register.
        values: Cow<'a, [[f32; 4]]>,
    },
    /// Draws triangles into the current target.
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
            Packet::CreateVertexBuffer {
                key,
                bytes,
                dynamic,
            } => Packet::CreateVertexBuffer {
                key,
                bytes,
                dynamic,
            },
            Packet::UploadVertexBuffer { key, offset, data } => Packet::UploadVertexBuffer {
                key,
                offset,
                data: own(data),
            },
            Packet::DisposeVertexBuffer(key) => Packet::DisposeVertexBuffer(key),
            Packet::CreateIndexBuffer {
                key,
                bytes,
                dynamic,
            } => Packet::CreateIndexBuffer {
                key,
                bytes,
                dynamic,
            },
            Packet::UploadIndexBuffer { key, offset, data } => Packet::UploadIndexBuffer {
                key,
                offset,
                data: own(data),
            },
            Packet::DisposeIndexBuffer(key) => Packet::DisposeIndexBuffer(key),
            Packet::UploadProgram { key, pair } => Packet::UploadProgram { key, pair },
            Packet::DisposeProgram(key) => Packet::DisposeProgram(key),
            Packet::CreateTexture { key, desc } => Packet::CreateTexture { key, desc },
            Packet::UploadTexture {
                key,
                side,
                level,
                layout,
                data,
            } => Packet::UploadTexture {
                key,
                side,
                level,
                layout,
                data: own(data),
            },
            Packet::GenerateMips(key) => Packet::GenerateMips(key),
            Packet::DisposeTexture(key) => Packet::DisposeTexture(key),
            Packet::SetTarget(target) => Packet::SetTarget(target),
            Packet::Clear(clear) => Packet::Clear(clear),
            Packet::Constants {
                stage,
                first,
                values,
            } => Packet::Constants {
                stage,
                first,
                values: own(values),
            },
            Packet::Draw(draw) => Packet::Draw(own(draw)),
            Packet::Present => Packet::Present,
        }
    }

    /// The same packet, borrowing the data of this one.
    pub fn borrowed(&self) -> Packet<'_> {
        match self {
            Packet::UploadVertexBuffer { key, offset, data } => Packet::UploadVertexBuffer {
                key: *key,
                offset: *offset,
                data: Cow::Borrowed(data),
            },
            Packet::UploadIndexBuffer { key, offset, data } => Packet::UploadIndexBuffer {
                key: *key,
                offset: *offset,
                data: Cow::Borrowed(data),
            },
            Packet::UploadTexture {
                key,
                side,
                level,
                layout,
                data,
            } => Packet::UploadTexture {
                key: *key,
                side: *side,
                level: *level,
                layout: *layout,
                data: Cow::Borrowed(data),
            },
            Packet::Constants {
                stage,
                first,
                values,
            } => Packet::Constants {
                stage: *stage,
                first: *first,
                values: Cow::Borrowed(values),
            },
            Packet::Draw(draw) => Packet::Draw(Cow::Borrowed(draw)),
            // The rest holds no data to speak of.
            packet => packet.clone(),
        }
    }
}

/// The back buffer's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BackBuffer {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples a pixel asked for: 0 or 1 for none, else at most 16; the backend takes the nearest it has.
    pub samples: u8,
    /// With a 24-bit depth and 8-bit stencil buffer.
    pub depth_stencil: bool,
}

/// Kind of a texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// `Texture`
    TwoD,
    /// `CubeTexture`
    Cube,
    /// `RectangleTexture`: any size, clamp, no mips. A `VideoTexture` too, made anew when the size of its frames changes.
    Rectangle,
}

impl TextureKind {
    /// How many faces it has: six for a cube, in the order of [`agal::cube`], else one.
    pub fn faces(self) -> u8 {
        match self {
            TextureKind::TwoD | TextureKind::Rectangle => 1,
            TextureKind::Cube => agal::cube::FACES,
        }
    }
}

/// A texture's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    /// 2D, cube or rectangle.
    pub kind: TextureKind,
    /// Flash's format. `Compressed` and `CompressedAlpha` may be stored uncompressed when fed from bitmaps.
    pub format: TextureFormat,
    /// Level 0, texels.
    pub width: u32,
    /// Level 0, texels.
    pub height: u32,
    /// Levels down to 1×1; 1 for rectangles.
    pub levels: u8,
    /// Hint that it will be rendered to. Either value can be a target.
    pub render_target: bool,
}

/// Layout of uploaded texels.
///
/// `bgra`, `compressed` and `compressedAlpha` textures take `Bgra8`; the packed and half-float formats take their own.
/// Beside it `compressed` takes `Dxt1` and `Etc2`, and `compressedAlpha` takes `Dxt5` and `Etc2Eac`
/// ([`TextureFormat::takes`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelLayout {
    /// Four bytes B, G, R, A.
    Bgra8,
    /// 16-bit little endian, R in bits 15–11, G 10–5, B 4–0.
    Bgr565,
    /// 16-bit little endian, A in bits 15–12, R 11–8, G 7–4, B 3–0.
    Bgra4444,
    /// Four little-endian half floats R, G, B, A.
    RgbaHalf,
    /// Blocks of 4×4 texels, 8 bytes each, opaque.
    Dxt1,
    /// Blocks of 4×4 texels, 16 bytes each.
    Dxt5,
    /// ETC2 blocks of 4×4 texels, 8 bytes each, opaque; ETC1 is a part of it.
    Etc2,
    /// ETC2 blocks with EAC alpha before their colours, 16 bytes each.
    Etc2Eac,
}

impl TexelLayout {
    /// Bytes that a level of this size takes; `usize::MAX` where memory could not hold them.
    pub fn bytes(self, width: u32, height: u32) -> usize {
        let texels = |bytes: usize| {
            let texels = (width as usize).checked_mul(height as usize);
            texels.and_then(|texels| texels.checked_mul(bytes))
        };
        let bytes = match self {
            TexelLayout::Bgra8 => texels(4),
            TexelLayout::Bgr565 | TexelLayout::Bgra4444 => texels(2),
            TexelLayout::RgbaHalf => texels(8),
            TexelLayout::Dxt1 | TexelLayout::Dxt5 | TexelLayout::Etc2 | TexelLayout::Etc2Eac => {
                self.block_kind().and_then(|kind| kind.bytes(width, height))
            }
        };
        bytes.unwrap_or(usize::MAX)
    }

    /// The texels of a level of blocks as B, G, R, A bytes; `None` for layouts that aren't blocks, and for data that is not
    /// [as long](TexelLayout::bytes) as it must be.
    pub fn decode_blocks(self, width: u32, height: u32, data: &[u8]) -> Option<Vec<u8>> {
        self.block_kind()?.decode(data, width, height)
    }

    /// Blocks of 4×4 texels, which only [some devices](crate::BackendCaps::takes) take.
    pub fn is_blocks(self) -> bool {
        self.block_kind().is_some()
    }

    fn block_kind(self) -> Option<BlockKind> {
        match self {
            TexelLayout::Dxt1 => Some(BlockKind::Dxt1),
            TexelLayout::Dxt5 => Some(BlockKind::Dxt5),
            TexelLayout::Etc2 => Some(BlockKind::Etc),
            TexelLayout::Etc2Eac => Some(BlockKind::EtcEac),
            TexelLayout::Bgra8
            | TexelLayout::Bgr565
            | TexelLayout::Bgra4444
            | TexelLayout::RgbaHalf => None,
        }
    }
}

/// Where draws go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Target {
    /// The back buffer.
    #[default]
    BackBuffer,
    /// One or several textures.
    Textures(TextureTarget),
}

/// Textures as render target. At least `color[0]` is set, all have the same size and format size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureTarget {
    /// By colour output.
    pub color: [Option<ColorAttachment>; MAX_COLOR_OUTPUTS],
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// As in [`BackBuffer::samples`]; resolved into the textures when the target changes.
    pub samples: u8,
    /// With a depth and stencil buffer of its own.
    pub depth_stencil: bool,
}

/// Level 0 of one face of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The texture.
    pub texture: TextureKey,
    /// Cube face 0..5, else 0.
    pub side: u8,
}

/// What to clear, and to what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// Clear every colour output to this RGBA, each 0..1.
    pub color: Option<[f32; 4]>,
    /// Clear depth to this, 0..1.
    pub depth: Option<f32>,
    /// Clear stencil to this.
    pub stencil: Option<u8>,
}

/// One draw call with all state that it needs but the constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The program; uploaded.
    pub program: ProgramKey,
    /// Indices.
    pub index_buffer: IndexBufferKey,
    /// First index.
    pub first_index: u32,
    /// Number of indices, a multiple of 3, all inside the buffer.
    pub index_count: u32,
    /// Instances; 1 for an ordinary draw.
    pub instances: u32,
    /// Streams by attribute register. Every attribute that the program reads is set, and every index read lies in it.
    pub streams: [Option<Stream>; MAX_STREAMS],
    /// Textures by sampler register. Every sampler that the program uses is set, complete and of the right kind: level 0
    /// is there, and where the sampler mip-maps all others too. Only of a streaming texture with mip mapping some of the
    /// largest levels may be missing: the largest one that is there is the base level then.
    pub textures: [Option<TextureBinding>; MAX_SAMPLERS],
    /// Fixed-function state.
    pub raster: Raster,
}

/// One vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Where from.
    pub buffer: VertexBufferKey,
    /// First byte.
    pub offset: u32,
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Components; the missing ones read as (0, 0, 0, 1).
    pub format: VertexFormat,
    /// 0: advances by vertex; n: advances every n instances.
    pub divisor: u32,
}

/// One texture unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureBinding {
    /// The texture.
    pub texture: TextureKey,
    /// How it is read.
    pub sampler: SamplerState,
}

/// Sampler state in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerState {
    /// Beyond the edges.
    pub wrap: WrapMode,
    /// Inside a level.
    pub filter: TextureFilter,
    /// Between levels.
    pub mip: MipFilter,
}

/// Fixed-function state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Faces that are dropped. Front is clockwise as seen on the screen.
    pub cull: TriangleFace,
    /// Source and destination factor, for colour and alpha alike.
    pub blend: (BlendFactor, BlendFactor),
    /// Red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// Writes depth. Without effect when the target has none.
    pub depth_write: bool,
    /// Passes where incoming OP stored.
    pub depth_compare: CompareMode,
    /// Front (clockwise) faces.
    pub stencil_front: StencilFace,
    /// Back faces.
    pub stencil_back: StencilFace,
    /// Stencil reference.
    pub stencil_reference: u8,
    /// Applied to both sides of the stencil test.
    pub stencil_read_mask: u8,
    /// Bits that stencil actions may change.
    pub stencil_write_mask: u8,
    /// Pixels outside are not touched. Already clipped to the target, and never empty.
    pub scissor: Option<Scissor>,
    /// Solid or wireframe.
    pub fill: FillMode,
}

/// Stencil test and actions of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// Passes where `(reference & read) OP (stored & read)`.
    pub compare: CompareMode,
    /// Depth and stencil test pass.
    pub both_pass: StencilAction,
    /// Stencil passes, depth fails.
    pub depth_fail: StencilAction,
    /// Stencil fails.
    pub stencil_fail: StencilAction,
}

/// A pixel rectangle, origin at the top left of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scissor {
    /// Left.
    pub x: u32,
    /// Top.
    pub y: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}
