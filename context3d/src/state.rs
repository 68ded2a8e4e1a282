//! The state that a program sets: plain data, with Flash's initial values [context3d.state.initial].

use crate::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat, WrapMode,
};
use crate::handle::{ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::{
    BackBufferDesc, MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, Raster, RenderTarget,
    SamplerState, StencilFace, Stream,
};
use crate::resource::VertexBuffer;

/// The initial state of a sampler slot, before a program or `setSamplerStateAt` sets it. The reference has repeat as
/// the default wrap mode; an emulator's image shows clamp, and another emulator changed its default to clamp
/// [context3d.state.sampler]. Only AGAL with `ignoresampler`, without `setSamplerStateAt`, uses the initial state.
pub(crate) const DEFAULT_SAMPLER: SamplerState =
    SamplerState { wrap: WrapMode::Clamp, filter: TextureFilter::Nearest, mip: MipFilter::None };

/// The depth test before `setDepthTest`; depth is written. The reference specifies no default comparison. `Less` is the
/// likely default, because equal depths broke an engine's first render textures [context3d.state.depth]. Recorded
/// images don't show the default: in capture `texture`, the choice changes colours by at most 1/255.
pub(crate) const DEFAULT_DEPTH_COMPARE: CompareMode = CompareMode::Less;

const STENCIL_FACE: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// All state that persists between calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContextFields {
    pub(crate) program: Option<ProgramKey>,
    pub(crate) streams: [Option<StreamSlot>; MAX_STREAMS],
    pub(crate) textures: [Option<TextureKey>; MAX_SAMPLERS],
    pub(crate) samplers: [SamplerState; MAX_SAMPLERS],
    pub(crate) raster: Raster,
    pub(crate) scissor: Option<ScissorSlot>,
    pub(crate) targets: OutputAttachments,
    /// The back buffer, in display pixels.
    pub(crate) back_buffer: BackBufferDesc,
    /// Size of the back buffer in stage pixels, as requested.
    pub(crate) requested_size: (u32, u32),
    /// The arguments `wantsBestResolution` and `wantsBestResolutionOnBrowserZoom`.
    pub(crate) best_resolution: [bool; 2],
    /// The properties `maxBackBufferWidth` and `maxBackBufferHeight` as set; the system's limit also applies.
    pub(crate) max_back_buffer: [u32; 2],
    pub(crate) error_checking: bool,
    /// The property `ignoreResourceLimits`; `None` until the program sets it.
    pub(crate) ignore_limits: Option<bool>,
    pub(crate) frame: FrameState,
}

/// The arguments of `setVertexBufferAt`, and values derived from the buffer's size and stride, which never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamSlot {
    /// The vertex stream that draw packets contain.
    pub(crate) stream: Stream,
    /// The offset in 32-bit units, as passed to `setVertexBufferAt`.
    pub(crate) offset: i32,
    /// Number of elements that lie completely inside the buffer.
    pub(crate) capacity: u32,
}

impl StreamSlot {
    /// Creates the slot for a bound buffer.
    #[inline]
    pub(crate) fn new(
        key: VertexBufferKey,
        buffer: &VertexBuffer,
        offset: i32,
        format: VertexFormat,
    ) -> Self {
        let stride = buffer.stride;
        let start = u32::try_from(offset).ok().and_then(|n| n.checked_mul(4));
        let (start, capacity) = match start {
            Some(start) if end(offset, format) <= i64::from(stride) => (start, buffer.vertices),
            _ => outside_vertex(buffer, offset, format),
        };
        StreamSlot {
            stream: Stream {
                buffer: key,
                offset: start,
                stride,
                format,
                divisor: buffer.instances_per_element,
            },
            offset,
            capacity,
        }
    }

    /// Returns the end of the attribute relative to its vertex, in bytes.
    pub(crate) fn end(&self) -> i64 {
        end(self.offset, self.stream.format)
    }
}

/// Returns the first byte and the element count of a stream whose attribute extends past its vertex.
#[cold]
fn outside_vertex(buffer: &VertexBuffer, offset: i32, format: VertexFormat) -> (u32, u32) {
    let (bytes, stride) = (buffer.bytes(), u64::from(buffer.stride.max(1)));
    let start = (i64::from(offset) * 4).clamp(0, i64::from(bytes));
    let start = u32::try_from(start).unwrap_or(bytes);
    let capacity = match u64::try_from(i64::from(bytes) - end(offset, format)) {
        Err(_) => 0,
        Ok(rest) => u32::try_from(rest / stride + 1).unwrap_or(u32::MAX),
    };
    (start, capacity)
}

/// Returns the end of an attribute relative to its vertex, in bytes. `offset` is in 32-bit units.
#[inline]
fn end(offset: i32, format: VertexFormat) -> i64 {
    i64::from(offset) * 4 + i64::from(format.bytes())
}

/// The left, top, right and bottom edge of a scissor rectangle in whole pixels, with positive width and height.
pub(crate) type ScissorSlot = [i64; 4];

/// The attachments of `setRenderToTexture`, by colour output; each is `None` if the back buffer is the target.
pub(crate) type OutputAttachments = [Option<BoundTarget>; MAX_COLOR_OUTPUTS];

/// A texture that is attached to a colour output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundTarget {
    /// The texture that is drawn into.
    pub texture: TextureKey,
    /// Cube face 0 to 5; 0 for other textures.
    pub side: u8,
    /// The render target has a depth and stencil buffer.
    pub depth_stencil: bool,
    /// Requested samples per pixel.
    pub samples: u8,
}

/// State of the current frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameState {
    /// The back buffer was cleared since the last present.
    pub(crate) cleared: bool,
    /// The back buffer was cleared at least once.
    pub(crate) ever_cleared: bool,
    /// The texture target's depth and stencil are cleared.
    pub(crate) target_depth_cleared: bool,
    /// Draw calls since the last present. Calls that raised an error are not counted.
    pub(crate) draws: u32,
    /// Index of the next colour of the debug pattern.
    pub(crate) debug_pattern: bool,
}

/// The last pass that was sent to the backend.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DevicePass {
    /// The target of the pass; `None` if the next pass can't continue it.
    pub(crate) target: Option<RenderTarget>,
    /// The pass has not ended.
    pub(crate) open: bool,
    /// The MSAA samples of the target contain the textures' content.
    pub(crate) loaded: bool,
}

impl DevicePass {
    /// Returns whether this texture is part of the pass's target.
    pub(crate) fn has(&self, texture: TextureKey) -> bool {
        match &self.target {
            Some(RenderTarget::Textures(target)) => {
                target.color.iter().flatten().any(|attachment| attachment.texture == texture)
            }
            Some(RenderTarget::BackBuffer) | None => false,
        }
    }

    /// Returns whether the target of the pass consists of multisampled textures.
    pub(crate) fn has_samples(&self) -> bool {
        matches!(&self.target, Some(RenderTarget::Textures(target)) if target.samples > 1)
    }
}

impl Default for ContextFields {
    fn default() -> Self {
        ContextFields {
            program: None,
            streams: [None; MAX_STREAMS],
            textures: [None; MAX_SAMPLERS],
            samplers: [DEFAULT_SAMPLER; MAX_SAMPLERS],
            raster: DEFAULT_RASTER,
            scissor: None,
            targets: [None; MAX_COLOR_OUTPUTS],
            back_buffer: BackBufferDesc::default(),
            requested_size: (0, 0),
            best_resolution: [false; 2],
            max_back_buffer: [u32::MAX; 2],
            error_checking: false,
            ignore_limits: None,
            frame: FrameState::default(),
        }
    }
}

/// The fixed-function state of a new context.
pub(crate) const DEFAULT_RASTER: Raster = Raster {
    cull: TriangleFace::None,
    blend: (BlendFactor::One, BlendFactor::Zero),
    color_mask: [true; 4],
    depth_write: true,
    depth_compare: DEFAULT_DEPTH_COMPARE,
    stencil_front: STENCIL_FACE,
    stencil_back: STENCIL_FACE,
    stencil_reference: 0,
    stencil_read_mask: 255,
    stencil_write_mask: 255,
    fill: FillMode::Solid,
};

impl ContextFields {
    /// Returns whether this texture is part of the target.
    #[inline]
    pub(crate) fn draws_into(&self, texture: TextureKey) -> bool {
        let mut targets = self.targets.iter().flatten();
        targets.any(|target| target.texture == texture)
    }

    /// Returns whether the back buffer is the target.
    #[inline]
    pub(crate) fn on_back_buffer(&self) -> bool {
        self.targets.iter().all(Option::is_none)
    }

    /// Returns the colour outputs of the target, as bits; the back buffer has output 0 only.
    pub(crate) fn outputs(&self) -> u8 {
        let bound =
            self.targets.iter().rev().fold(0, |set, slot| set << 1 | u8::from(slot.is_some()));
        bound.max(1)
    }
}
