//! The interface to a renderer: `Context3D` checks calls, a [`Backend`] executes packets.

pub mod enhanced;
mod factory;
mod frame;
mod layer;
mod null;
mod recovery;

use crate::handle::TextureKey;
use crate::packets::{Packet, TexelLayout};

pub use enhanced::{Enhanced, Enhancements};
pub use factory::{AnyBackend, BackendFactory, NullFactory};
pub use frame::{Frame, FrameRead, FrameSource, Picture, ReadError};
pub use null::NullBackend;
pub use recovery::{RecoverableBackend, RecoveryOptions};

/// Executes packets. `Context3D` has checked them and done what backends would do alike: keys are alive, indices and
/// offsets are in range, programs are linked and equal ones shared, short streams padded, levels filled before they are
/// used, passes begun and ended. `execute` therefore returns only errors of the device.
///
/// Left for a backend: buffers, textures and programs ([`agal::LinkedPair`]) by key; [passes](crate::packets#passes) with
/// their clears and draws; a back buffer that `Present` shows; reads, which resolve the samples of a back
/// buffer and of the target. The reference renderer's packets take 170 lines, its targets 140; `backend-gl` has 7,500.
///
/// A backend that changes part of another one's behaviour uses [`forward_backend!`](crate::forward_backend).
pub trait Backend {
    /// The capabilities of the device. Constant for the life of the backend.
    fn caps(&self) -> &BackendCaps;

    /// Executes one packet.
    ///
    /// # Errors
    /// [`BackendError::Lost`] when the device is gone (every later call returns the same error),
    /// [`BackendError::OutOfMemory`] when an object could not be made, [`BackendError::CompileFailed`] for
    /// [`Packet::UploadProgram`].
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError>;

    /// Reads a region of a surface as RGBA, four bytes a pixel, rows top to bottom, into `out` (cleared first). Waits for
    /// the device; where waiting is impossible (WebGPU in a browser), returns [`BackendError::Unsupported`].
    /// Returns width and height of what was read: the region [cut](Region::within) to the surface. A surface that was
    /// never configured or presented is 0×0.
    ///
    /// # Errors
    /// As [`Backend::execute`].
    fn read_region(
        &mut self,
        surface: Surface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError>;

    /// Reads all of a surface: see [`Backend::read_region`].
    ///
    /// # Errors
    /// As [`Backend::read_region`].
    fn read_pixels(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.read_region(surface, Region::ALL, out)
    }

    /// Reads level 0 of a texture's face into `out` (cleared first), in the bytes of an upload, and returns their
    /// layout. `None` when the face has no content, or the backend keeps none.
    ///
    /// # Errors
    /// As [`Backend::execute`].
    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError>;
}

/// A surface that can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The back buffer as drawn so far (resolved when multisampled).
    BackBuffer,
    /// The picture of the last `Present`.
    Front,
    /// One level of one face of a texture that has content.
    Texture {
        /// The texture.
        texture: TextureKey,
        /// Cube face, else 0.
        side: u8,
        /// Mip level.
        level: u8,
    },
}

/// A rectangle of whole pixels; the origin is the surface's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Left edge, in pixels.
    pub x: u32,
    /// Top edge, in pixels.
    pub y: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Region {
    /// The whole surface.
    pub const ALL: Region = Region { x: 0, y: 0, width: u32::MAX, height: u32::MAX };

    /// Returns the part that lies inside a surface of this size.
    #[must_use]
    pub fn within(self, (width, height): (u32, u32)) -> Region {
        Region {
            x: self.x.min(width),
            y: self.y.min(height),
            width: self.width.min(width.saturating_sub(self.x)),
            height: self.height.min(height.saturating_sub(self.y)),
        }
    }
}

/// The capabilities of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendCaps {
    /// The driver's names and versions. The first word is the API's name in `Context3D.driverInfo`: `OpenGL` for an
    /// OpenGL backend, `Software` for one without a GPU.
    pub driver_info: String,
    /// The device renders on the CPU: only such devices answer a request for `software` [context3d.request.mode].
    pub software: bool,
    /// Largest side of a 2D texture.
    pub max_texture_size: u32,
    /// Largest side of a cube texture.
    pub max_cube_size: u32,
    /// Largest side of a render target or back buffer.
    pub max_target_size: u32,
    /// Maximum number of samples per pixel; 1 without multisampling.
    pub max_samples: u8,
    /// Number of fragment samplers. Every device has sixteen vertex samplers.
    pub max_samplers: u8,
    /// Number of vertex streams: attributes, of which each may have a buffer of its own.
    pub max_streams: u8,
    /// Largest [`Stream::divisor`](crate::packets::Stream). Buffers with a larger one repeat their elements.
    pub max_instance_step: u32,
    /// Largest stride of a vertex buffer, in bytes: Flash's is 256 [context3d.vertex_buffer.create], WebGL's 255.
    pub max_vertex_stride: u32,
    /// Number of colour outputs.
    pub max_color_outputs: u8,
    /// `rgbaHalfFloat` textures can be render targets.
    pub half_float_targets: bool,
    /// Textures can hold [`TexelLayout::Dxt1`] and [`TexelLayout::Dxt5`].
    pub s3tc: bool,
    /// Textures can hold [`TexelLayout::Etc2`] and [`TexelLayout::Etc2Eac`], without the driver decoding them.
    pub etc2: bool,
    /// `setFillMode("wireframe")` works.
    pub wireframe: bool,
}

impl BackendCaps {
    /// Whether textures can hold texels of this layout.
    pub fn takes(&self, layout: TexelLayout) -> bool {
        match layout {
            TexelLayout::Dxt1 | TexelLayout::Dxt5 => self.s3tc,
            TexelLayout::Etc2 | TexelLayout::Etc2Eac => self.etc2,
            TexelLayout::Bgra8
            | TexelLayout::Bgr565
            | TexelLayout::Bgra4444
            | TexelLayout::RgbaHalf => true,
        }
    }
}

/// Errors of the device or the driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The device was lost (reset, removed, driver crash).
    #[error("the graphics device was lost")]
    Lost,
    /// The device has no memory left for the object.
    #[error("the graphics device is out of memory")]
    OutOfMemory,
    /// The driver rejected the shader.
    #[error("the driver refused a shader ({stage}): {log}")]
    CompileFailed {
        /// The shader stage, or "link".
        stage: &'static str,
        /// The source given to the driver.
        r#source: String,
        /// The driver's log.
        log: String,
    },
    /// The backend has no way to express a program; the text names what is lacking. `Program3D.upload` fails with
    /// [`Error::Unsupported`](crate::Error::Unsupported).
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// Anything else the driver reported.
    #[error("graphics driver: {0}")]
    Driver(String),
}
