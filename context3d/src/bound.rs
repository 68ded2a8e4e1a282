//! The current state of a context, for inspection tools.

use crate::backend::Backend;
use crate::context::Context3D;
use crate::enums::VertexFormat;
use crate::handle::{ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::{
    BackBufferDesc, MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, Raster, SamplerState, TextureDesc,
};
use crate::state::BoundTarget;

/// All state of a context that affects draws: the result of [`Context3D::bound`].
#[derive(Clone, Debug, PartialEq)]
pub struct BoundState {
    /// The program of `setProgram`.
    pub program: Option<ProgramKey>,
    /// The vertex streams of `setVertexBufferAt`, by attribute index.
    pub streams: [Option<BoundStream>; MAX_STREAMS],
    /// The textures of `setTextureAt`, by slot.
    pub textures: [Option<TextureKey>; MAX_SAMPLERS],
    /// The current sampler state of each slot.
    pub samplers: [SamplerState; MAX_SAMPLERS],
    /// Fixed-function state.
    pub raster: Raster,
    /// The rectangle of `setScissorRectangle` in pixels, before it is clipped to the target: left, top, right, bottom.
    pub scissor: Option<[i64; 4]>,
    /// The attachments of `setRenderToTexture`, by colour output; each is `None` if the back buffer is the target.
    pub targets: [Option<BoundTarget>; MAX_COLOR_OUTPUTS],
    /// The back buffer of `configureBackBuffer`, in display pixels.
    pub back_buffer: BackBufferDesc,
    /// The state of `enableErrorChecking`.
    pub error_checking: bool,
    /// The state of `ignoreResourceLimits`.
    pub ignore_limits: bool,
    /// The constant registers of the vertex program.
    pub vertex_constants: Vec<[f32; 4]>,
    /// The constant registers of the fragment program.
    pub fragment_constants: Vec<[f32; 4]>,
}

/// A vertex stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundStream {
    /// The bound vertex buffer.
    pub buffer: VertexBufferKey,
    /// The offset in 32-bit units, as passed to `setVertexBufferAt`.
    pub offset: i32,
    /// The format of a vertex attribute.
    pub format: VertexFormat,
}

impl<B: Backend> Context3D<B> {
    /// Returns a copy of the current state, of several kilobytes. `bound` is for tools, and too slow for every draw.
    pub fn bound(&self) -> BoundState {
        let state = &self.state;
        BoundState {
            program: state.program,
            streams: state.streams.map(|slot| {
                slot.map(|slot| BoundStream {
                    buffer: slot.stream.buffer,
                    offset: slot.offset,
                    format: slot.stream.format,
                })
            }),
            textures: state.textures,
            samplers: state.samplers,
            raster: state.raster,
            scissor: state.scissor,
            targets: state.targets,
            back_buffer: state.back_buffer,
            error_checking: state.error_checking,
            ignore_limits: self.ignores_resource_limits(),
            vertex_constants: self.vertex_constants.all().to_vec(),
            fragment_constants: self.fragment_constants.all().to_vec(),
        }
    }

    /// Returns the program of `setProgram`.
    pub fn bound_program(&self) -> Option<ProgramKey> {
        self.state.program
    }

    /// Returns the textures of `setTextureAt`, by slot.
    pub fn bound_textures(&self) -> [Option<TextureKey>; MAX_SAMPLERS] {
        self.state.textures
    }

    /// Returns the descriptor of a texture; `None` for a disposed texture.
    pub fn texture_desc(&self, texture: TextureKey) -> Option<TextureDesc> {
        Some(self.resources.textures.get(texture)?.desc)
    }

    /// Returns the mip levels of a face that the next draw with mip mapping generates, because level 0 was rendered to:
    /// bit n is level n.
    pub fn pending_mips(&self, texture: TextureKey, side: u8) -> u16 {
        let texture = self.resources.textures.get(texture);
        texture.and_then(|texture| texture.pending_mips(side)).unwrap_or(0)
    }

    /// Returns the bytes per vertex and the instances per element (0 for an ordinary buffer); `None` for a disposed
    /// buffer.
    pub fn vertex_stride(&self, buffer: VertexBufferKey) -> Option<(u32, u32)> {
        let buffer = self.resources.vertex_buffers.get(buffer)?;
        Some((buffer.stride, buffer.instances_per_element))
    }
}
