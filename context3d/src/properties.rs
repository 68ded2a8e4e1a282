//! Properties of `Context3D`, and the host's queries and settings.

use agal::Profile;

use crate::backend::Backend;
use crate::context::{Context3D, ContextOptions};
use crate::error::Error;
use crate::handle::{ObjectHandle, TextureKey};
use crate::host::{Host, scaled};
use crate::limits::{ProfileLimits, RegisterCounts};
use crate::resource::alive;

impl<B: Backend> Context3D<B> {
    /// Returns the options of the context.
    pub fn options(&self) -> ContextOptions {
        self.options
    }

    /// Replaces the options, for a host that knows them only after creation. New options affect only later calls.
    pub fn set_options(&mut self, options: ContextOptions) {
        self.options = options;
        self.limits = ProfileLimits::of(options.profile);
        self.registers = RegisterCounts::of(options.profile);
        self.invalidate_all();
    }

    /// Returns the [`Host`] values of this context.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Sets the [`Host`] values, which affect later calls only. [`Stage3D::create`](crate::Stage3D::create) sets the
    /// `Host` values of a new context.
    pub fn set_host(&mut self, host: Host) {
        self.host = host;
        self.invalidate_all();
    }

    /// Sets whether the context was requested in `software` mode: its back buffer then has at most 2048 pixels in width
    /// and height, and render targets have no antialiasing [context3d.back_buffer.software].
    /// [`Stage3D::create`](crate::Stage3D::create) sets the mode of a new context.
    pub fn set_software(&mut self, software: bool) {
        self.software = software;
    }

    /// Returns `driverInfo`: the API's name and the profile, such as `OpenGL (Baseline Constrained)` or `Software
    /// (Embedded)`; "Disposed" after the context has ended [context3d.property.driver_info]
    /// [context3d.life.driver_info]. [`BackendCaps::driver_info`](crate::backend::BackendCaps::driver_info) has the
    /// driver's text, which only debug players show.
    pub fn driver_info(&self) -> String {
        if self.is_disposed() {
            return "Disposed".to_owned();
        }
        let api = self.backend.caps().driver_info.split_whitespace().next();
        match api {
            _ if self.software => SOFTWARE_DRIVER.to_owned(),
            Some("Software") => SOFTWARE_DRIVER.to_owned(),
            api => format!("{} ({})", api.unwrap_or_default(), title(self.options.profile)),
        }
    }

    /// Returns `profile`: the granted profile; `None` (null) on an ended context [context3d.life.profile].
    pub fn profile(&self) -> Option<Profile> {
        (!self.is_disposed()).then_some(self.options.profile)
    }

    /// Returns `enableErrorChecking`.
    pub fn error_checking(&self) -> bool {
        self.state.error_checking
    }

    /// Returns `ignoreResourceLimits`: the [host's](Host::ignore_resource_limits) value until the program sets the
    /// property.
    pub fn ignores_resource_limits(&self) -> bool {
        let own = self.state.ignore_limits;
        own.unwrap_or(self.host.ignore_resource_limits)
    }

    /// Returns `backBufferWidth` and `backBufferHeight`: the requested size. With `wantsBestResolutionOnBrowserZoom`,
    /// the requested size is multiplied by the browser's zoom [context3d.back_buffer.zoom], up to the larger one of the
    /// requested and the maximum size. The size is 0 before `configureBackBuffer` [context3d.property.unconfigured].
    pub fn back_buffer_size(&self) -> (u32, u32) {
        let (width, height) = self.state.requested_size;
        let (most_wide, most_high) = self.max_back_buffer_size();
        let zoomed = |side: u32, most: u32| match self.state.best_resolution {
            [_, true] => scaled(side, self.host.scale.browser_zoom, most.max(side)),
            [_, false] => side,
        };
        (zoomed(width, most_wide), zoomed(height, most_high))
    }

    /// Returns the size of the back buffer in display pixels. This size differs from [`Context3D::back_buffer_size`] in
    /// two cases: if the program requests the best resolution on a finer display ([`Host::scale`]), and after a change
    /// of the browser's zoom until the next `present`.
    pub fn back_buffer_pixels(&self) -> (u32, u32) {
        (self.state.back_buffer.width, self.state.back_buffer.height)
    }

    /// Returns `maxBackBufferWidth` and `maxBackBufferHeight`, which are initially the system's limit.
    pub fn max_back_buffer_size(&self) -> (u32, u32) {
        let [width, height] = self.state.max_back_buffer;
        let system = self.system_back_buffer();
        (width.min(system), height.min(system))
    }

    /// Returns `supportsVideoTexture`.
    pub fn supports_video_texture(&self) -> bool {
        self.host.video_textures
    }

    /// Returns `totalGPUMemory` in bytes: buffers, programs and all textures except video textures.
    pub fn total_gpu_memory(&self) -> u64 {
        self.resources.memory.total()
    }

    /// Returns `VideoTexture.videoWidth` and `videoHeight`: the size of the last frame, or 0 before the first frame.
    ///
    /// # Errors
    /// 3694 for a texture that is disposed or belongs to another context.
    pub fn video_size(&self, texture: ObjectHandle<TextureKey>) -> Result<(u32, u32), Error> {
        let texture = alive(&self.resources.textures, self.own(texture));
        let texture = texture.map_err(|code| self.host.with_host_wording(code))?;
        let shown = texture.video.then_some((texture.desc.width, texture.desc.height));
        Ok(shown.unwrap_or_default())
    }

    /// Returns the maximum width and height of the back buffer: the smaller one of the host's and the device's limit.
    /// Profiles don't limit the size of the back buffer [context3d.back_buffer.limit].
    pub(crate) fn system_back_buffer(&self) -> u32 {
        let limit = if self.software {
            self.limits.max_back_buffer_software
        } else {
            self.host.max_back_buffer
        };
        limit.min(self.backend.caps().max_target_size)
    }
}

/// The `driverInfo` of a software renderer, as in a trace [context3d.property.driver_info].
const SOFTWARE_DRIVER: &str = "Software (Embedded)";

/// Returns a profile's name in `driverInfo`, such as `Baseline Constrained` for `baselineConstrained`.
fn title(profile: Profile) -> String {
    let (first, rest) = profile.name().split_at(1);
    let mut title = first.to_ascii_uppercase();
    for letter in rest.chars() {
        title.extend(letter.is_ascii_uppercase().then_some(' '));
        title.push(letter);
    }
    title
}
