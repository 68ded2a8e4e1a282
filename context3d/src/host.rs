//! Facts about the host that affect some calls.

use crate::command::Rectangle;
use crate::error::{Error, FlashError};

/// Properties of the player, the display and the application, shared by all contexts of the player.
/// [`Native::set_host`](crate::native::Native::set_host) can change the properties at any time. The default is a
/// desktop Flash Player without restrictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// The application is in the background of a mobile system: calls that need the device raise 3768.
    pub background: bool,
    /// `depthAndStencil` of the AIR application's descriptor, if it renders in direct mode: from SWF version 15 on,
    /// `configureBackBuffer` must request the same value (3709).
    pub descriptor_depth_and_stencil: Option<bool>,
    /// The stage's rectangle, in stage pixels: in `baselineConstrained` the back buffer must be inside the stage
    /// (3723). If `stage` is `None`, error 3723 is never raised.
    pub stage: Option<Rectangle>,
    /// Bitmaps and byte arrays can be uploaded into `compressed` and `compressedAlpha` textures, as on the desktop; on
    /// mobile systems such uploads raise 3675 [context3d.compression.mobile].
    pub runtime_compression: bool,
    /// The value of `Context3D.supportsVideoTexture`. If false, `createVideoTexture` returns null.
    pub video_textures: bool,
    /// Memory limit in bytes under `ignoreResourceLimits`, for each type of object with a memory limit. The limit is
    /// clamped to one to sixteen times the usual limit. The creation of an object that would exceed the limit raises
    /// 3691. A change of this limit takes effect when the next object is created.
    pub ignored_limits_memory: u64,
    /// The initial value of `ignoreResourceLimits`: true for AIR applications whose descriptor has namespace 33.1 or
    /// later [context3d.property.ignore_limits].
    pub ignore_resource_limits: bool,
    /// Maximum width and height of the back buffer, up to the device's limit; messages of 3780 and 3781 contain it.
    /// Players have 2048 or more [context3d.back_buffer.limit]; the default is 16384, as in a recorded player.
    pub max_back_buffer: u32,
    /// Errors have a message, as in debug players; release players have only numbers [context3d.host.messages].
    pub error_texts: bool,
    /// Display pixels per stage pixel, for back buffers that request the best resolution: see [`DisplayScale`]. A
    /// change takes effect at the next `configureBackBuffer`; a change of the browser's zoom, at the next `present`.
    pub scale: DisplayScale,
}

/// Display pixels per stage pixel. If `configureBackBuffer` requests the best resolution, the back buffer's width and
/// height are multiplied by this factor [context3d.back_buffer.best_resolution], up to the device's limit. The program
/// sees the requested size multiplied by the browser's zoom, and sets scissor rectangles in pixels of this size.
/// `drawToBitmapData` uses display pixels [context3d.back_buffer.units].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplayScale {
    /// The value of `Stage.contentsScaleFactor`, for `wantsBestResolution`.
    pub contents: f64,
    /// The browser's zoom, for `wantsBestResolutionOnBrowserZoom` [context3d.back_buffer.zoom_factor].
    pub browser_zoom: f64,
}

impl Default for DisplayScale {
    fn default() -> Self {
        DisplayScale { contents: 1.0, browser_zoom: 1.0 }
    }
}

/// Multiplies a width or height by a factor and clamps the result to `1..=most`. A factor that isn't positive counts as
/// 1. A width or height of 0 stays 0.
pub(crate) fn scaled(side: u32, factor: f64, most: u32) -> u32 {
    let factor = if factor > 0.0 { factor } else { 1.0 };
    let pixels = (f64::from(side) * factor).round();
    match side {
        0 => 0,
        _ => whole(pixels.clamp(1.0, f64::from(most.max(1)))),
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

impl Host {
    /// Converts an error. Flash errors get the host's wording by [`Host::apply_wording`].
    pub(crate) fn with_host_wording(&self, error: impl Into<Error>) -> Error {
        let mut error = error.into();
        if let Error::Flash(error) = &mut error {
            self.apply_wording(error);
        }
        error
    }

    /// Removes the message of an error, if the host disables error texts.
    pub(crate) fn apply_wording(&self, error: &mut FlashError) {
        if !self.error_texts {
            error.remove_text();
        }
    }
}

impl Default for Host {
    fn default() -> Self {
        Host {
            background: false,
            descriptor_depth_and_stencil: None,
            stage: None,
            runtime_compression: true,
            video_textures: true,
            ignored_limits_memory: 512 << 20,
            ignore_resource_limits: false,
            max_back_buffer: 16384,
            error_texts: true,
            scale: DisplayScale::default(),
        }
    }
}
