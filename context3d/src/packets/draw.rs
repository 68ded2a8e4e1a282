//! A draw call with its state.

use agal::Interface;
use agal::sampler::Sampler;

use crate::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat, WrapMode,
};
use crate::handle::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};

/// Vertex streams of the largest profile.
pub const MAX_STREAMS: usize = 16;
/// Fragment samplers of the largest profile: the slots of `setTextureAt`.
pub const MAX_SAMPLERS: usize = 16;

/// The slot of `setTextureAt` that vertex sampler `vs0` reads; `vs1` and the others follow. They share the fragment
/// samplers' slots, because `setTextureAt` has 0..15 in every profile (context3d.md section 6) and nothing says that
/// AGAL 4 has more (unverified).
pub const FIRST_VERTEX_SAMPLER: usize = 0;
const _: () = assert!(FIRST_VERTEX_SAMPLER + agal::limits::MAX_VERTEX_SAMPLERS <= MAX_SAMPLERS);

/// The samplers of a program that read a slot of `setTextureAt`: first vertex, then fragment samplers.
pub fn slot_samplers(interface: &Interface, slot: usize) -> impl Iterator<Item = &Sampler> {
    let vertex = slot
        .checked_sub(FIRST_VERTEX_SAMPLER)
        .and_then(|number| interface.vertex_samplers.get(number)?.as_ref());
    let fragment = interface.samplers.get(slot).and_then(Option::as_ref);
    vertex.into_iter().chain(fragment)
}

/// One draw call with all its state except the constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The program; it was uploaded.
    pub program: ProgramKey,
    /// Indices.
    pub index_buffer: IndexBufferKey,
    /// First index.
    pub first_index: u32,
    /// Number of indices, a multiple of 3, all inside the buffer.
    pub index_count: u32,
    /// Instances; 1 for an ordinary draw.
    pub instances: u32,
    /// Streams by attribute register: exactly those in the program's [`Interface::live_attributes`]. Every element read
    /// is in its buffer, except for [`Draw::short_streams`].
    pub streams: [Option<Stream>; MAX_STREAMS],
    /// Bit n: stream n advances by vertex and is too short for the indices. Data past the buffer's end must read as
    /// zero bytes, as in Direct3D (context3d-errors.md, order of checks; unverified).
    pub short_streams: u16,
    /// Textures by slot of `setTextureAt`; [`slot_samplers`] gives the samplers of a slot. Every slot that the program
    /// uses is set, complete and of the right kind: it has level 0, and all levels if the sampler uses mip maps. Only a
    /// streaming texture with mip mapping may lack some of its largest levels: its base level is then the largest that
    /// it has.
    pub textures: [Option<TextureBinding>; MAX_SAMPLERS],
    /// Fixed-function state.
    pub raster: Raster,
    /// A hint: what of the above may differ from the last draw that this context's backend executed. Indices and the number
    /// of instances may always; and what a backend has not drawn before, it can't rely on. A layer that changes or leaves out some draws and not others sets
    /// [`Changes::EVERYTHING`].
    pub changes: Changes,
}

/// Parts of what a draw depends on, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes(u8);

impl Changes {
    /// None.
    pub const NOTHING: Changes = Changes(0);
    /// Vertex streams.
    pub const STREAMS: Changes = Changes(1);
    /// Textures and samplers.
    pub const TEXTURES: Changes = Changes(2);
    /// Fixed-function state.
    pub const RASTER: Changes = Changes(4);
    /// The program.
    pub const PROGRAM: Changes = Changes(8);
    /// What is left: the target, and whatever a call may change that doesn't say what.
    pub const REST: Changes = Changes(16);
    /// All.
    pub const EVERYTHING: Changes = Changes(31);

    /// Whether it has any of these.
    #[inline]
    pub fn has(self, others: Changes) -> bool {
        self.0 & others.0 != 0
    }

    /// This and the others.
    #[must_use]
    #[inline]
    pub const fn with(self, others: Changes) -> Changes {
        Changes(self.0 | others.0)
    }
}

/// One vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Source buffer.
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
    /// Addressing outside 0..1.
    pub wrap: WrapMode,
    /// Filter within a level.
    pub filter: TextureFilter,
    /// Filter between levels.
    pub mip: MipFilter,
}

/// Fixed-function state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Faces that are culled. Front is clockwise on the screen.
    pub cull: TriangleFace,
    /// Source and destination factor, for both colour and alpha.
    pub blend: (BlendFactor, BlendFactor),
    /// Red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// Writes depth. No effect if the target has none.
    pub depth_write: bool,
    /// Passes if incoming OP stored.
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
    /// Only pixels inside are drawn. Clipped to the target, and never empty.
    pub scissor: Option<Scissor>,
    /// Solid or wireframe.
    pub fill: FillMode,
}

/// Stencil test and actions of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// Passes if `(reference & read) OP (stored & read)`.
    pub compare: CompareMode,
    /// Both depth and stencil test pass.
    pub both_pass: StencilAction,
    /// Stencil test passes, depth test fails.
    pub depth_fail: StencilAction,
    /// Stencil test fails.
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
