//! Facts that only the host knows and that some calls depend on.

use crate::command::Rectangle;

/// Facts about the player, the display and the application. They may change at any time
/// ([`Context3D::set_host`](crate::Context3D::set_host)). The default is a desktop Flash Player without restrictions,
/// where `ignoreResourceLimits` allows no kind of object more memory than textures have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// The application is in the background of a mobile system: calls that need the device raise 3768.
    pub background: bool,
    /// `depthAndStencil` of the AIR application's descriptor, if it renders in direct mode: from SWF version 15 on,
    /// `configureBackBuffer` must ask for the same (3709).
    pub descriptor_depth_and_stencil: Option<bool>,
    /// Position of the context on the stage: in `baselineConstrained` its back buffer must be inside the stage (3723).
    /// `None`: not checked.
    pub placement: Option<Placement>,
    /// Bitmaps and byte arrays can be uploaded into `compressed` and `compressedAlpha` textures, as on the desktop; on
    /// mobile systems such uploads raise 3675 (`textures-and-atf.md`, "Run-time compression").
    pub runtime_compression: bool,
    /// `Context3D.supportsVideoTexture`; if false, `createVideoTexture` returns null.
    pub video_textures: bool,
    /// The context is rendered in software: its back buffer has at most 2048 pixels a side, and neither it nor rendered
    /// textures have antialiasing (context3d.md sections 5 and 7).
    pub software: bool,
    /// Memory limit in bytes under `ignoreResourceLimits`, for each kind of object that has a limit of its own. Raised
    /// to that limit, and cut to sixteen times it; beyond that 3691 is raised as usual. Takes effect at the next
    /// object.
    pub ignored_limits_memory: u64,
    /// Display pixels per stage pixel, for back buffers that request the best resolution: see [`Scale`]. Takes effect
    /// at the next `configureBackBuffer`.
    pub scale: Scale,
}

/// Display pixels per stage pixel. A back buffer whose `configureBackBuffer` requests the best resolution has this many
/// times more pixels a side (context3d.md section 5), up to the device's limit. The program still sees the size it
/// asked for, and the scissor rectangle keeps that unit (unverified); `drawToBitmapData`, "unscaled", uses real pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// `Stage.contentsScaleFactor`, for `wantsBestResolution`.
    pub contents: f64,
    /// The browser's zoom, for `wantsBestResolutionOnBrowserZoom` (multiplying the two is unverified).
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
    /// Pixels for `side` stage pixels, from the flags of `configureBackBuffer`. At least 1 and at most `most`; a factor
    /// that is not a positive number counts as 1.
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

/// Position of a context, in stage pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// `Stage3D.x`
    pub x: f64,
    /// `Stage3D.y`
    pub y: f64,
    /// The area of the stage.
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
    /// Whether a back buffer of this size is inside the stage.
    pub(crate) fn holds(&self, width: u32, height: u32) -> bool {
        let inside = |at: f64, length: u32, start: f64, size: f64| {
            at >= start && at + f64::from(length) <= start + size
        };
        let stage = &self.stage;
        inside(self.x, width, stage.x, stage.width) && inside(self.y, height, stage.y, stage.height)
    }
}
