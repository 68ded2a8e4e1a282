//! Properties of `Context3D` (`context3d.md` section 3), and the host's queries and settings.

use agal::Profile;

use crate::backend::Backend;
use crate::context::{Context3D, ContextOptions};
use crate::host::Host;
use crate::limits::{Limits, Registers};

impl<B: Backend> Context3D<B> {
    /// The options of the context.
    pub fn options(&self) -> ContextOptions {
        self.options
    }

    /// Changes the options, for a host that learns them late. Affects later calls only.
    pub fn set_options(&mut self, options: ContextOptions) {
        self.options = options;
        self.limits = Limits::of(options.profile);
        self.registers = Registers::of(options.profile);
        self.invalidate_all();
    }

    /// The host's facts, as last set.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Sets the host's facts. They affect later calls only.
    pub fn set_host(&mut self, host: Host) {
        self.host = host;
        self.invalidate_all();
    }

    /// `driverInfo`: "Disposed" after the context was disposed (context3d.md section 3).
    pub fn driver_info(&self) -> &str {
        if self.is_disposed() {
            "Disposed"
        } else {
            &self.backend.caps().driver_info
        }
    }

    /// `profile`: the granted one.
    pub fn profile(&self) -> Profile {
        self.options.profile
    }

    /// `enableErrorChecking`
    pub fn error_checking(&self) -> bool {
        self.state.error_checking
    }

    /// `ignoreResourceLimits`
    pub fn ignores_resource_limits(&self) -> bool {
        self.state.ignore_limits
    }

    /// `backBufferWidth`, `backBufferHeight`, as requested: 0 before `configureBackBuffer` (unverified).
    pub fn back_buffer_size(&self) -> (u32, u32) {
        self.state.back_buffer_size
    }

    /// Size of the back buffer in display pixels. Differs from [`Context3D::back_buffer_size`] only if the program
    /// requests the best resolution and the [host](crate::Host::scale) has a finer display.
    pub fn back_buffer_pixels(&self) -> (u32, u32) {
        (self.state.back_buffer.width, self.state.back_buffer.height)
    }

    /// `maxBackBufferWidth`, `maxBackBufferHeight`: initially the system's limit.
    pub fn max_back_buffer_size(&self) -> (u32, u32) {
        let [width, height] = self.state.max_back_buffer;
        let system = self.system_back_buffer();
        (width.min(system), height.min(system))
    }

    /// `supportsVideoTexture`
    pub fn supports_video_texture(&self) -> bool {
        self.host.video_textures
    }

    /// `totalGPUMemory` in bytes: buffers, programs and all textures except video textures.
    pub fn total_gpu_memory(&self) -> u64 {
        self.resources.memory.total()
    }

    /// Largest side of the back buffer: "32..system maximum" (context3d.md section 5). Also limited by the device.
    pub(crate) fn system_back_buffer(&self) -> u32 {
        let limit = if self.host.software {
            self.limits.max_back_buffer_software
        } else {
            self.limits.max_back_buffer
        };
        limit.min(self.backend.caps().max_target_size)
    }
}
