//! What only the host knows, and some calls depend on.

use crate::command::Rectangle;

/// Facts about the player, the display and the application. They may change at any time
/// ([`Context3D::set_host`](crate::Context3D::set_host)); the default is a desktop Flash Player that hinders nothing
/// and grants no object of any kind more memory than textures have.
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
    /// The context was granted in software: its back buffer has at most 2048 pixels a side, and neither it nor textures
    /// that are rendered to have antialiasing (context3d.md sections 5 and 7).
    pub software: bool,
    /// What `ignoreResourceLimits` may take: bytes of each kind of object that has a limit of its own. No less than that
    /// limit, no more than sixteen times as much; past it 3691, as without. It holds from the next object on.
    pub ignored_limits_memory: u64,
    /// Pixels of the display for one of the stage, of a back buffer that wants the best resolution: see
    /// [`Scale`]. Takes effect at the next `configureBackBuffer`.
    pub scale: Scale,
}

/// How much finer than the stage the display is. A back buffer whose `configureBackBuffer` asks for it has so many times
/// more pixels a side as it says (context3d.md section 5), as far as the device has room for them. Its size as a program
/// sees it, and the scissor rectangle's unit, stay what the program asked for (that of the scissor is unverified);
/// `drawToBitmapData`, "unscaled", is in real pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// `Stage.contentsScaleFactor`, for `wantsBestResolution`.
    pub contents: f64,
    /// The browser's zoom, for `wantsBestResolutionOnBrowserZoom` (that it multiplies the former is unverified).
    pub browser_zoom: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Scale {
            contents: 1.0,
            browser_zoom: 1.0,
        }
    }
}

impl Scale {
    /// Pixels for `side` pixels of the stage, by the arguments of `configureBackBuffer`. At least 1 and at most `most`; a
    /// factor that is no positive number counts as 1.
    pub(crate) fn pixels(&self, side: u32, best: [bool; 2], most: u32) -> u32 {
        let factors = [self.contents, self.browser_zoom].into_iter().zip(best);
        let factor = |(factor, wanted): (f64, bool)| match wanted && factor > 0.0 {
            true => factor,
            false => 1.0,
        };
        let pixels = f64::from(side) * factors.map(factor).product::<f64>();
        let pixels = pixels.round().clamp(1.0, f64::from(most.max(1)));
        if side == 0 { 0 } else { whole(pixels) }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what is wanted by the only caller"
)]
fn whole(pixels: f64) -> u32 {
    pixels as u32
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
            ignored_limits_memory: 512 << 20,
            scale: Scale::default(),
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
