//! A draw call with its state.

use std::sync::atomic::{AtomicU32, Ordering};

use agal::Interface;
use agal::sampler::SamplerOp;

use crate::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat, WrapMode,
};
use crate::handle::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};

/// The maximum number of vertex streams in any profile.
pub const MAX_STREAMS: usize = 16;
/// The maximum number of fragment samplers in any profile, which is the number of slots of `setTextureAt`.
pub const MAX_SAMPLERS: usize = 16;

/// The slot of `setTextureAt` that vertex sampler `vs0` reads; `vs1` and later samplers read the next slots. Vertex
/// samplers share the slots of fragment samplers, because `setTextureAt` accepts 0 to 15 in every profile
/// [context3d.profile.slots], and no source reports more for AGAL 4 [context3d.profile.vertex_samplers].
pub const FIRST_VERTEX_SAMPLER: usize = 0;
const _: () = assert!(FIRST_VERTEX_SAMPLER + agal::limits::MAX_VERTEX_SAMPLERS <= MAX_SAMPLERS);

/// The offset by which a backend moves positions to the left and down, in clip space: about 1/20000 pixel. A backend
/// adds `POSITION_BIAS` in the vertex shader, or shifts the viewport, which spans two units of clip space.
///
/// If a texel's edge falls exactly on a pixel's centre, Flash Player samples the texel to the right and above (the
/// interpolated coordinate is not below the edge; capture sampler), while other drivers sample either, depending on
/// rounding errors. With `POSITION_BIAS`, all drivers sample the texel to the right and above. `POSITION_BIAS` is too
/// small to move a triangle's edge, because drivers place vertices on a grid of 1/256 pixel.
pub const POSITION_BIAS: f32 = 2.0e-7;

/// Returns the samplers of a program that read a slot of `setTextureAt`: first vertex, then fragment samplers.
pub fn slot_samplers(interface: &Interface, slot: usize) -> impl Iterator<Item = &SamplerOp> {
    let vertex = slot
        .checked_sub(FIRST_VERTEX_SAMPLER)
        .and_then(|number| interface.vertex_samplers.get(number)?.as_ref());
    let fragment = interface.samplers.get(slot).and_then(Option::as_ref);
    vertex.into_iter().chain(fragment)
}

/// Returns the indices of the set bits, lowest first.
#[inline]
pub fn bits(set: u16) -> impl Iterator<Item = usize> {
    let mut left = u32::from(set);
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros() & 15; // the mask avoids bounds checks in callers
        (left != 0).then(|| {
            left &= left.wrapping_sub(1);
            lowest as usize
        })
    })
}

/// A draw call with all its state, except for the constant registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The program, the outputs and the fixed-function state.
    pub state: PipelineState,
    /// The buffer with the vertex indices of the triangles.
    pub index_buffer: IndexBufferKey,
    /// Index of the first element of the index buffer.
    pub first_index: u32,
    /// Number of indices, a multiple of 3, all inside the buffer.
    pub index_count: u32,
    /// Number of instances; 1 for a draw without instancing.
    pub instances: u32,
    /// Streams by attribute register: exactly the attributes in [`Interface::live_attributes`]. Every read element is
    /// inside the buffer or its [padding](super::Packet::PadVertexBuffer).
    pub streams: [Option<Stream>; MAX_STREAMS],
    /// Textures by slot of `setTextureAt`; [`slot_samplers`] returns the samplers of a slot. Every slot that the
    /// program uses is set, and its texture has the right dimension, level 0, and all levels if the sampler uses mip
    /// maps. Only a streaming texture with mip mapping may lack some of its largest levels: its base level is then the
    /// largest existing level.
    pub textures: [Option<TextureBinding>; MAX_SAMPLERS],
    /// Scissor rectangle, clipped to the target and never empty; `None` without a scissor test.
    pub scissor: Option<Scissor>,
}

/// The state of a draw that determines a pipeline, together with the pass's target and each stream's format, stride and
/// divisor. Comparing two `PipelineState`s with `==` ignores their ids.
#[derive(Clone, Copy, Debug)]
pub struct PipelineState {
    /// The id changes with every change of the state, or of a stream's format, stride or divisor.
    pub id: PipelineId,
    /// The program, which has been uploaded.
    pub program: ProgramKey,
    /// The colour outputs that are drawn: bit n is output n. The program writes these outputs
    /// ([`Interface::color_outputs`]), and the target has them; the target's other textures stay unchanged
    /// [context3d.output.unwritten]. Bit 0 of `outputs` is always set.
    pub outputs: u8,
    /// Fixed-function state.
    pub raster: Raster,
}

impl PartialEq for PipelineState {
    fn eq(&self, other: &Self) -> bool {
        let Self { id: _, program, outputs, raster } = self;
        (program, outputs, raster) == (&other.program, &other.outputs, &other.raster)
    }
}

/// The id of a [`PipelineState`], unique in the process: states with equal ids are equal. A state that recurs after
/// another state has a new id.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PipelineId(u32);

impl std::fmt::Debug for PipelineId {
    /// Prints no number, so that equal packets of two contexts have equal `Debug` output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PipelineId")
    }
}

impl PipelineId {
    /// Creates an id, unique until 2³² ids were created.
    #[allow(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        PipelineId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A vertex attribute, read from a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The buffer that contains the attribute.
    pub buffer: VertexBufferKey,
    /// Offset of the first element in bytes.
    pub offset: u32,
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Format of the attribute. Missing components read as (0, 0, 0, 1).
    pub format: VertexFormat,
    /// 0 to advance with each vertex; n to advance every n instances.
    pub divisor: u32,
}

impl Stream {
    /// Returns the fields that belong to the pipeline state.
    #[inline]
    pub(crate) fn layout(self) -> (u32, VertexFormat, u32) {
        (self.stride, self.format, self.divisor)
    }
}

/// A texture with its sampler state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureBinding {
    /// The texture that is sampled.
    pub texture: TextureKey,
    /// The sampler state.
    pub sampler: SamplerState,
}

/// Filter, wrap and mip settings of a texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerState {
    /// Wrap mode of coordinates outside 0..1.
    pub wrap: WrapMode,
    /// Filter within a mip level.
    pub filter: TextureFilter,
    /// Filter between mip levels.
    pub mip: MipFilter,
}

/// The fixed-function state of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Faces that are culled. Front is clockwise on the screen.
    pub cull: TriangleFace,
    /// Source and destination factor of blending, for both colour and alpha.
    pub blend: (BlendFactor, BlendFactor),
    /// Colour components to write: red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// Enables depth writes, which have no effect without a depth buffer.
    pub depth_write: bool,
    /// Comparison of the depth test: the incoming depth is the left operand, the stored depth the right one.
    pub depth_compare: CompareMode,
    /// Stencil test of front (clockwise) faces.
    pub stencil_front: StencilFace,
    /// Stencil test of back faces.
    pub stencil_back: StencilFace,
    /// The reference value of the stencil test.
    pub stencil_reference: u8,
    /// Mask of both operands of the stencil test.
    pub stencil_read_mask: u8,
    /// Bits that stencil actions may change.
    pub stencil_write_mask: u8,
    /// Fill mode: solid or wireframe.
    pub fill: FillMode,
}

/// Stencil test and actions of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// Comparison of the stencil test: `(reference & mask) OP (stored & mask)` must be true.
    pub compare: CompareMode,
    /// Action if both the depth test and the stencil test pass.
    pub both_pass: StencilAction,
    /// Action if the stencil test passes and the depth test fails.
    pub depth_fail: StencilAction,
    /// Action if the stencil test fails.
    pub stencil_fail: StencilAction,
}

/// A rectangle in pixels; the origin is the target's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scissor {
    /// Left edge in pixels.
    pub x: u32,
    /// Top edge in pixels.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}
