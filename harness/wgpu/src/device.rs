//! The host's device, with its capabilities and its lost flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use context3d::backend::{BackendCaps, BackendError};
use context3d::packets::{MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS};
use wgpu::{
    Adapter, Buffer, BufferDescriptor, BufferUsages, Device, DeviceType, ErrorFilter, Features,
    Queue, TextureFormat,
};

use crate::format::DEPTH_STENCIL;
use crate::version::{pop, wait};

/// The optional device features that the backend uses. Each of these features except `POLYGON_MODE_LINE` (wireframe)
/// has a fallback.
pub const FEATURES: Features = Features::TEXTURE_COMPRESSION_BC
    .union(Features::TEXTURE_COMPRESSION_ETC2)
    .union(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
    .union(Features::POLYGON_MODE_LINE);

/// Returns the name of a graphics API for `Context3D.driverInfo` [context3d.property.driver_info].
fn api(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Noop => "None",
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "DirectX12",
        wgpu::Backend::Gl => "OpenGL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
    }
}

/// The host's device. Clones refer to the same device. Each `Context3D` has a separate backend on the device.
#[derive(Clone, Debug)]
pub struct WgpuDevice(Arc<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    device: Device,
    queue: Queue,
    caps: BackendCaps,
    lost: Loss,
    /// The maximum number of vertex buffers in a draw.
    vertex_buffers: usize,
    /// The function that reads buffers in a browser; `None` natively, where buffers can be mapped.
    reader: Option<ReadBuffer>,
    /// The supported sample counts for each colour format with depth and stencil: bit n is 2ⁿ samples.
    samples: [u8; 3],
}

/// A function that returns the bytes of a buffer synchronously, without mapping. The buffer has the usage `COPY_SRC`.
pub type ReadBuffer = fn(&Device, &Queue, &Buffer) -> Result<Vec<u8>, BackendError>;

/// Fails, because in a browser, buffers are mapped only after the program has returned.
fn cannot_read(_: &Device, _: &Queue, _: &Buffer) -> Result<Vec<u8>, BackendError> {
    let text =
        "a browser's device can't return pixels synchronously; use the frame's texture instead";
    Err(BackendError::Unsupported(text.to_owned()))
}

/// A flag for a lost device. A wgpu device has only one lost callback, which belongs to the host.
#[derive(Clone, Debug, Default)]
pub struct Loss(Arc<AtomicBool>);

impl Loss {
    /// Sets the flag. The host calls this method in its lost callback ([`Device::set_device_lost_callback`]).
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the device is lost.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl WgpuDevice {
    /// Wraps a device of the host. The host sets `lost` in its lost callback.
    pub fn new(adapter: &Adapter, device: Device, queue: Queue, lost: Loss) -> Self {
        let colors =
            [TextureFormat::Rgba8Unorm, TextureFormat::Bgra8Unorm, TextureFormat::Rgba16Float];
        let samples = colors.map(|color| samples(adapter, &device, color));
        let caps = caps(adapter, &device, samples[0]);
        let vertex_buffers = device.limits().max_vertex_buffers as usize;
        let in_browser = adapter.get_info().backend == wgpu::Backend::BrowserWebGpu;
        let reader = in_browser.then_some(cannot_read as ReadBuffer);
        WgpuDevice(Arc::new(Inner { device, queue, caps, lost, vertex_buffers, reader, samples }))
    }

    /// Sets the adapter's name and the read function of a device on a web page, which wgpu lacks.
    #[must_use]
    pub fn in_page(mut self, name: &str, reader: ReadBuffer) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        inner.caps.driver_info = format!("WebGPU Renderer={name}");
        inner.reader = Some(reader);
        self
    }

    pub(crate) fn caps(&self) -> &BackendCaps {
        &self.0.caps
    }

    /// Returns the wgpu device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the wgpu queue.
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }

    #[inline]
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        if self.0.lost.is_set() { Err(BackendError::Lost) } else { Ok(()) }
    }

    /// Checks that a draw has at most as many vertex buffers as the device supports.
    #[inline]
    pub(crate) fn takes_buffers(&self, count: usize) -> Result<(), BackendError> {
        let most = self.0.vertex_buffers;
        if count <= most {
            return Ok(());
        }
        Err(BackendError::Unsupported(format!(
            "a draw with {count} vertex buffers; the device supports {most}"
        )))
    }

    /// Returns the function that reads a buffer without mapping; `None` natively.
    pub(crate) fn reader(&self) -> Option<ReadBuffer> {
        self.0.reader
    }

    /// Returns the smallest sample count that is at least `requested` and supported by all formats. If all supported
    /// counts are below `requested`, returns the largest supported count.
    pub(crate) fn samples(
        &self,
        requested: u8,
        formats: impl Iterator<Item = TextureFormat>,
    ) -> u32 {
        let [rgba, bgra, half] = self.0.samples;
        let supported = formats.fold(u8::MAX, |all, format| {
            all & match format {
                TextureFormat::Bgra8Unorm => bgra,
                TextureFormat::Rgba16Float => half,
                _ => rgba,
            }
        });
        let enough =
            (0..5).find(|power| supported >> power & 1 != 0 && 1 << power >= u32::from(requested));
        1 << enough.unwrap_or(supported.checked_ilog2().unwrap_or(0))
    }

    /// Runs wgpu calls in error scopes, and returns their error. In a browser, a scope ends only after the program has
    /// returned, so errors go to the host's handler.
    pub(crate) fn checked<T>(
        &self,
        run: impl FnOnce(&Device, &Queue) -> T,
    ) -> Result<T, BackendError> {
        self.alive()?;
        let device = &self.0.device;
        if self.0.reader.is_some() {
            return Ok(run(device, &self.0.queue));
        }
        let filters = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation];
        let scopes = filters.map(|filter| device.push_error_scope(filter));
        let result = run(device, &self.0.queue);
        let mut error = None;
        for scope in scopes.into_iter().rev() {
            error = error.or(wait(pop(device, scope)));
        }
        match error {
            None => Ok(result),
            // A lost device rejects every call. wgpu may have called the lost callback before this check.
            Some(_) if self.0.lost.is_set() => Err(BackendError::Lost),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(BackendError::OutOfMemory),
            Some(error @ (wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. })) => {
                Err(BackendError::Driver(describe(&error)))
            }
        }
    }

    /// Creates a buffer whose content begins with these bytes.
    pub(crate) fn buffer_with(
        &self,
        size: u64,
        usage: BufferUsages,
        data: &[u8],
    ) -> Result<Buffer, BackendError> {
        self.checked(|device, queue| {
            let buffer = buffer_of(device, size, usage);
            queue.write_buffer(&buffer, 0, data);
            buffer
        })
    }
}

pub(crate) fn buffer_of(device: &Device, size: u64, usage: BufferUsages) -> Buffer {
    device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// Returns a wgpu error with all its causes in one line.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Returns the supported sample counts of a format with depth and stencil: bit n is 2ⁿ samples.
fn samples(adapter: &Adapter, device: &Device, color: TextureFormat) -> u8 {
    if !device.features().contains(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES) {
        return 1 | 1 << 2; // WebGPU has 1 and 4
    }
    let of = |format| adapter.get_texture_format_features(format).flags;
    let (color, depth) = (of(color), of(DEPTH_STENCIL));
    let fits = |power: &u32| {
        let count = 1 << power;
        color.sample_count_supported(count) && depth.sample_count_supported(count)
    };
    (0..5).filter(fits).fold(1, |all, power| all | 1 << power)
}

/// Returns the device's capabilities for `context3d`.
fn caps(adapter: &Adapter, device: &Device, samples: u8) -> BackendCaps {
    let (info, limits, features) = (adapter.get_info(), device.limits(), device.features());
    let at_most = |limit: u32, most: usize| {
        u8::try_from(limit).unwrap_or(u8::MAX).min(u8::try_from(most).unwrap_or(u8::MAX))
    };
    let units =
        limits.max_sampled_textures_per_shader_stage.min(limits.max_samplers_per_shader_stage);
    BackendCaps {
        driver_info: format!(
            "{} Vendor={:04x} Renderer={} Version={} {}",
            api(info.backend),
            info.vendor,
            info.name,
            info.driver,
            info.driver_info
        ),
        software: info.device_type == DeviceType::Cpu,
        max_texture_size: limits.max_texture_dimension_2d,
        max_cube_size: limits.max_texture_dimension_2d,
        max_target_size: limits.max_texture_dimension_2d,
        max_samples: 1 << samples.checked_ilog2().unwrap_or(0),
        max_samplers: at_most(units, MAX_SAMPLERS),
        max_streams: at_most(limits.max_vertex_attributes, MAX_STREAMS),
        max_instance_step: 1,
        max_vertex_stride: limits.max_vertex_buffer_array_stride,
        max_color_outputs: at_most(limits.max_color_attachments, MAX_COLOR_OUTPUTS),
        half_float_targets: true,
        s3tc: features.contains(Features::TEXTURE_COMPRESSION_BC),
        etc2: features.contains(Features::TEXTURE_COMPRESSION_ETC2),
        wireframe: features.contains(Features::POLYGON_MODE_LINE),
    }
}
