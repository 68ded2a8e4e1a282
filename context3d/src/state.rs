//! The state set by a program: plain data, with Flash's initial values [context3d.state.initial].

use crate::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat, WrapMode,
};
use crate::handle::{ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::{
    BackBuffer, MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, Raster, SamplerState, StencilFace,
    Stream, Target,
};
use crate::resource::VertexBuffer;

/// A sampler slot that neither a program nor `setSamplerStateAt` has set. The reference names repeat as the default
/// wrap mode; one emulator's image shows clamp, and another emulator changed its default to clamp
/// [context3d.state.sampler] (only
/// `ignoresampler` without `setSamplerStateAt` shows it).
pub(crate) const DEFAULT_SAMPLER: SamplerState =
    SamplerState { wrap: WrapMode::Clamp, filter: TextureFilter::Nearest, mip: MipFilter::None };

/// Depth test before `setDepthTest`; depth is written. Likely: equal depths broke an engine's first render textures
/// [context3d.state.depth]. The reference is silent. Recorded pictures don't decide: in capture
/// `texture` two pixels of an edge depend on it, by 1 of 255, where one in four pixels is off by as much (LESS_EQUAL would
/// give the recorded values).
pub(crate) const DEFAULT_DEPTH_COMPARE: CompareMode = CompareMode::Less;

const STENCIL_FACE: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// All state that is kept between calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) program: Option<ProgramKey>,
    pub(crate) streams: [Option<StreamSlot>; MAX_STREAMS],
    pub(crate) textures: [Option<TextureKey>; MAX_SAMPLERS],
    pub(crate) samplers: [SamplerState; MAX_SAMPLERS],
    pub(crate) raster: Raster,
    pub(crate) scissor: Option<ScissorSlot>,
    pub(crate) targets: Targets,
    /// In display pixels.
    pub(crate) back_buffer: BackBuffer,
    /// Size of the back buffer as requested, in stage pixels.
    pub(crate) requested_size: (u32, u32),
    /// `wantsBestResolution`, `wantsBestResolutionOnBrowserZoom`
    pub(crate) best_resolution: [bool; 2],
    /// `maxBackBufferWidth`, `maxBackBufferHeight` as set; the system's limit applies too.
    pub(crate) max_back_buffer: [u32; 2],
    pub(crate) error_checking: bool,
    /// `ignoreResourceLimits`, if the program set it.
    pub(crate) ignore_limits: Option<bool>,
    pub(crate) frame: Frame,
}

/// The arguments of `setVertexBufferAt`, and values derived from the buffer's shape, which never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamSlot {
    /// The stream for packets. Data past the end of the buffer reads as zeros.
    pub(crate) stream: Stream,
    /// In 32-bit units, as passed.
    pub(crate) offset: i32,
    /// Number of elements that lie completely in the buffer.
    pub(crate) room: u32,
}

impl StreamSlot {
    /// The slot for a buffer with this key.
    #[inline]
    pub(crate) fn new(
        key: VertexBufferKey,
        buffer: &VertexBuffer,
        offset: i32,
        format: VertexFormat,
    ) -> Self {
        let stride = buffer.stride;
        let start = u32::try_from(offset).ok().and_then(|n| n.checked_mul(4));
        let (start, room) = match start {
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
            room,
        }
    }

    /// Where the attribute ends in a vertex, in bytes.
    pub(crate) fn end(&self) -> i64 {
        end(self.offset, self.stream.format)
    }
}

/// First byte and number of elements of a stream whose attribute is not inside a vertex.
#[cold]
fn outside_vertex(buffer: &VertexBuffer, offset: i32, format: VertexFormat) -> (u32, u32) {
    let (bytes, stride) = (buffer.bytes(), u64::from(buffer.stride.max(1)));
    let start = (i64::from(offset) * 4).clamp(0, i64::from(bytes));
    let start = u32::try_from(start).unwrap_or(bytes);
    let room = match u64::try_from(i64::from(bytes) - end(offset, format)) {
        Err(_) => 0,
        Ok(rest) => u32::try_from(rest / stride + 1).unwrap_or(u32::MAX),
    };
    (start, room)
}

/// Where an attribute with an offset in 32-bit units ends in a vertex, in bytes.
#[inline]
fn end(offset: i32, format: VertexFormat) -> i64 {
    i64::from(offset) * 4 + i64::from(format.bytes())
}

/// A scissor rectangle in whole pixels, of a size above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScissorSlot {
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) right: i64,
    pub(crate) bottom: i64,
}

/// `setRenderToTexture` by colour output; all `None`: the back buffer.
pub(crate) type Targets = [Option<BoundTarget>; MAX_COLOR_OUTPUTS];

/// A texture as render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundTarget {
    /// The texture.
    pub texture: TextureKey,
    /// Cube face 0..5, else 0.
    pub side: u8,
    /// With depth and stencil.
    pub depth_stencil: bool,
    /// Requested samples per pixel.
    pub samples: u8,
}

/// State of the current frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The back buffer was cleared since the last present.
    pub(crate) cleared: bool,
    /// It was cleared at least once.
    pub(crate) ever_cleared: bool,
    /// The texture target's depth and stencil are cleared.
    pub(crate) target_depth_cleared: bool,
    /// Draw calls since the last present that raised no error.
    pub(crate) draws: u32,
    /// The next colour of the debug pattern.
    pub(crate) debug_pattern: bool,
}

/// The backend's last pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DevicePass {
    /// Its target; `None` if the next pass can't go on there.
    pub(crate) target: Option<Target>,
    /// It has not ended.
    pub(crate) open: bool,
    /// The target's samples have the textures' content.
    pub(crate) loaded: bool,
}

impl DevicePass {
    /// Whether this texture is part of its target.
    pub(crate) fn has(&self, texture: TextureKey) -> bool {
        match &self.target {
            Some(Target::Textures(target)) => {
                target.color.iter().flatten().any(|attachment| attachment.texture == texture)
            }
            Some(Target::BackBuffer) | None => false,
        }
    }

    /// Whether its target is textures with several samples.
    pub(crate) fn has_samples(&self) -> bool {
        matches!(&self.target, Some(Target::Textures(target)) if target.samples > 1)
    }
}

impl Default for State {
    fn default() -> Self {
        State {
            program: None,
            streams: [None; MAX_STREAMS],
            textures: [None; MAX_SAMPLERS],
            samplers: [DEFAULT_SAMPLER; MAX_SAMPLERS],
            raster: DEFAULT_RASTER,
            scissor: None,
            targets: [None; MAX_COLOR_OUTPUTS],
            back_buffer: BackBuffer::default(),
            requested_size: (0, 0),
            best_resolution: [false; 2],
            max_back_buffer: [u32::MAX; 2],
            error_checking: false,
            ignore_limits: None,
            frame: Frame::default(),
        }
    }
}

/// Fixed-function state of a new context.
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

impl State {
    /// Whether this texture is part of the target.
    #[inline]
    pub(crate) fn draws_into(&self, texture: TextureKey) -> bool {
        let mut targets = self.targets.iter().flatten();
        targets.any(|target| target.texture == texture)
    }

    /// Whether the back buffer is the target.
    #[inline]
    pub(crate) fn on_back_buffer(&self) -> bool {
        self.targets.iter().all(Option::is_none)
    }

    /// The colour outputs of the target, as bits; the back buffer has output 0.
    pub(crate) fn outputs(&self) -> u8 {
        let bound =
            self.targets.iter().rev().fold(0, |set, slot| set << 1 | u8::from(slot.is_some()));
        bound.max(1)
    }
}
