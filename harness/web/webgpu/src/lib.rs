//! Molehill's wgpu backend for web pages.
//!
//! A page opens a device with the asynchronous `open`, and creates a `WgpuBackend` on it for each `Context3D`. Reads
//! such as `drawToBitmapData` are synchronous, although a page can't map buffers while its code runs.
#![cfg(target_arch = "wasm32")]

mod info;
mod read;

use std::sync::Arc;

use backend_wgpu::wgpu::{
    self, Device, DeviceDescriptor, ErrorFilter, Instance, InstanceDescriptor, Queue,
    RequestAdapterOptions,
};
use backend_wgpu::{FEATURES, Loss, WgpuDevice};

/// An opened WebGPU device of the browser.
#[derive(Clone, Debug)]
pub struct BrowserDevice {
    /// The device, which several backends can share.
    pub device: WgpuDevice,
    /// The vendor and architecture of the adapter, if the browser reports them.
    pub name: String,
}

/// Opens a device. `fail` receives the device's errors, which arrive after the program has returned to the browser.
///
/// # Errors
/// Returns an error if the browser has no WebGPU, or its pixels can't be read exactly.
pub async fn open(fail: impl Fn(String) + Send + Sync + 'static) -> Result<BrowserDevice, String> {
    let info = info::of_adapter().await?;
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await;
    let adapter = adapter.map_err(|error| format!("WebGPU returned no adapter: {error}"))?;
    let descriptor = DeviceDescriptor {
        label: Some("Molehill"),
        required_features: adapter.features() & FEATURES,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let opened = adapter.request_device(&descriptor).await;
    let (device, queue) = opened.map_err(|error| format!("WebGPU returned no device: {error}"))?;
    let lost = Loss::default();
    let told = lost.clone();
    device.set_device_lost_callback(move |_, _| told.set());
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| fail(error.to_string())));
    check_reads(&device, &queue)?;
    let device = WgpuDevice::new(&adapter, device, queue, lost);
    let device = device.in_page(&format!("{} Version={}", info.name, info.browser), read::read);
    Ok(BrowserDevice { device, name: info.name })
}

impl BrowserDevice {
    /// Waits until the browser has reported all errors of the submitted commands.
    pub async fn settle(&self) {
        // The browser reports errors in the order of the commands, and handles each error in a separate task.
        let scope = self.device.device().push_error_scope(ErrorFilter::Validation);
        drop(scope.pop().await);
        info::next_task().await;
    }
}

/// Checks that reads return exact bytes. Browsers with protection against fingerprinting change pixels, and some
/// browsers can't read a WebGPU canvas.
fn check_reads(device: &Device, queue: &Queue) -> Result<(), String> {
    let written: Vec<u8> = (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect();
    let buffer = read::copy_buffer(device, written.len() as u64);
    queue.write_buffer(&buffer, 0, &written);
    match read::read(device, queue, &buffer) {
        Ok(read) if read == written => Ok(()),
        Ok(_) => Err("the browser changes the pixels that are read from WebGPU".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
