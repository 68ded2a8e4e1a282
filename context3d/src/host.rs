//! What only the host knows, and some calls depend on.

use crate::command::Rectangle;

/// Facts about the player, the display and the application. They may change at any time
/// ([`Context3D::set_host`](crate::Context3D::set_host)); the default is a desktop Flash Player that hinders nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// The application runs in the background of a mobile system: what needs the device raises 3768.
    pub background: bool,
    /// `depthAndStencil` of the AIR application's descriptor, where the application renders in direct mode:
    /// `configureBackBuffer` must ask for the same (3709), from SWF version 15 on.
    pub descriptor_depth_and_stencil: Option<bool>,
    /// Where the context lies on the stage: in `baselineConstrained` its back buffer must lie inside (3723).
    /// `None`: not checked.
    pub placement: Option<Placement>,
    /// Bitmaps and byte arrays are compressed when they are uploaded into `compressed` and `compressedAlpha` textures, as
    /// on the desktop; on mobile systems such uploads raise 3675 (`textures-and-atf.md`, "Run-time compression").
    pub runtime_compression: bool,
    /// `Context3D.supportsVideoTexture`; without, `createVideoTexture` gives null.
    pub video_textures: bool,
    /// The context was granted in software: its back buffer has at most 2048 pixels a side and no antialiasing
    /// (context3d.md section 5).
    pub software: bool,
}

/// Where a context lies. Stage pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// `Stage3D.x`
    pub x: f64,
    /// `Stage3D.y`
    pub y: f64,
    /// What the stage covers.
    pub stage: Rectangle,
}

impl Default for Host {
    fn default() -> Self {
        Host {
            background: false,
            descriptor_depth_and_stencil: None,
            placement: None,
            runtime_compression: true,
            video_textures: true,
            software: false,
        }
    }
}

impl Placement {
    /// Whether a back buffer of this size lies inside the stage.
    pub(crate) fn holds(&self, width: u32, height: u32) -> bool {
        let inside = |at: f64, length: u32, start: f64, size: f64| {
            at >= start && at + f64::from(length) <= start + size
        };
        let stage = &self.stage;
        inside(self.x, width, stage.x, stage.width) && inside(self.y, height, stage.y, stage.height)
    }
}
