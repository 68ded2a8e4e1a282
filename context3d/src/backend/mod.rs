//! The interface to a renderer: `Context3D` validates calls, and a [`Backend`] executes packets.

mod factory;
mod frame;
mod layer;
mod null;

use crate::handle::TextureKey;
use crate::packets::{Packet, TexelLayout};

pub use factory::{AnyBackend, BackendFactory, NullFactory};
pub use frame::{FrameRead, FrameReadError, FrameSource, PresentedFrame, TakenFrame};
pub use null::NullBackend;

/// Executes packets that `Context3D` has validated: keys are valid, indices and offsets are in range, mip levels have
/// content before use, and passes begin and end. Programs are linked, equal programs are shared, and short streams are
/// padded. Because `Context3D` validates packets, `execute` returns only errors of the device.
///
/// A backend implements: storage of buffers, textures and programs ([`agal::LinkedPair`]) by key;
/// [passes](crate::packets#passes) with their clears and draws; a back buffer that `Present` shows; and reads, which
/// resolve the samples of the back buffer and of the current target. The reference renderer needs 170 lines for packets
/// and 140 for targets; `backend-gl` has 7,500.
///
/// A backend that wraps another one uses [`forward_backend!`](crate::forward_backend).
pub trait Backend {
    /// Returns the capabilities of the device, which never change.
    fn caps(&self) -> &BackendCaps;

    /// Executes one packet.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the device is lost (every later call returns the same error),
    /// [`BackendError::OutOfMemory`] if an object could not be created, [`BackendError::CompileFailed`] for
    /// [`Packet::UploadProgram`].
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError>;

    /// Clears `out` and reads a region of a surface into it: RGBA, four bytes per pixel, top row first. Waits for the
    /// device; where waiting is impossible (WebGPU in a browser), returns [`BackendError::Unsupported`]. Returns the
    /// width and height of the region, [clipped](Region::within) to the surface. The size is 0×0 before the first
    /// configuration or presentation.
    ///
    /// # Errors
    /// Those of [`Backend::execute`].
    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError>;

    /// Reads all of a surface: see [`Backend::read_region`].
    ///
    /// # Errors
    /// Those of [`Backend::read_region`].
    fn read_pixels(
        &mut self,
        surface: ReadSurface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.read_region(surface, Region::ALL, out)
    }

    /// Clears `out`, reads level 0 of a texture's face into it in the layout of uploads, and returns that layout.
    /// Returns `None` if the face has no content, or if the backend stores no texels.
    ///
    /// # Errors
    /// Those of [`Backend::execute`].
    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError>;
}

/// A surface that can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSurface {
    /// The back buffer as drawn so far (resolved when multisampled).
    BackBuffer,
    /// The front buffer: the frame of the last `Present`.
    Front,
    /// One level of one face of a texture that has content.
    Texture {
        /// The texture that is read.
        texture: TextureKey,
        /// Cube face; 0 for other textures.
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

    /// Clips the region to a surface of this size.
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
    /// OpenGL backend, `Software` for a backend without a GPU.
    pub driver_info: String,
    /// The device renders on the CPU. A request in `software` mode is granted only with a device that renders on the
    /// CPU [context3d.request.mode].
    pub software: bool,
    /// Maximum width and height of a 2D texture.
    pub max_texture_size: u32,
    /// Maximum width of a cube texture.
    pub max_cube_size: u32,
    /// Maximum width and height of a render target or back buffer.
    pub max_target_size: u32,
    /// Maximum number of samples per pixel; 1 without multisampling.
    pub max_samples: u8,
    /// Maximum number of fragment samplers. Every device has sixteen vertex samplers.
    pub max_samplers: u8,
    /// Maximum number of vertex streams: attributes that can each have a separate buffer.
    pub max_streams: u8,
    /// Maximum [`Stream::divisor`](crate::packets::Stream). A buffer whose divisor exceeds this maximum is stored with
    /// repeated elements.
    pub max_instance_step: u32,
    /// Maximum stride of a vertex buffer, in bytes: 256 in Flash [context3d.vertex_buffer.create], 255 in WebGL.
    pub max_vertex_stride: u32,
    /// Maximum number of colour outputs.
    pub max_color_outputs: u8,
    /// `rgbaHalfFloat` textures can be render targets.
    pub half_float_targets: bool,
    /// Textures can hold [`TexelLayout::Dxt1`] and [`TexelLayout::Dxt5`].
    pub s3tc: bool,
    /// The hardware samples [`TexelLayout::Etc2`] and [`TexelLayout::Etc2Eac`]: the driver doesn't decode them.
    pub etc2: bool,
    /// The device supports `setFillMode("wireframe")`.
    pub wireframe: bool,
}

impl BackendCaps {
    /// Returns whether textures can hold texels of this layout.
    pub fn supports(&self, layout: TexelLayout) -> bool {
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

/// An error of the device or the driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The device was lost (reset, removed, driver crash).
    #[error("the graphics device was lost")]
    Lost,
    /// The device has too little memory for the object.
    #[error("the graphics device is out of memory")]
    OutOfMemory,
    /// The driver rejected the shader.
    #[error("the driver rejected a shader ({stage}): {log}")]
    CompileFailed {
        /// The shader stage, or "link" for the linker.
        stage: &'static str,
        /// The shader source that the driver received.
        r#source: String,
        /// The driver's compiler log.
        log: String,
    },
    /// The backend does not support a program; the string names the missing feature. `Program3D.upload` fails with
    /// [`Error::Unsupported`](crate::Error::Unsupported).
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// Any other error of the driver.
    #[error("graphics driver: {0}")]
    Driver(String),
}
