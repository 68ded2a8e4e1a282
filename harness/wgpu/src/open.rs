//! Opens a separate device for tools and tests. (An emulator uses its renderer's device.)

use crate::device::{FEATURES, Loss, WgpuDevice};
use crate::version::{adapters, wait};
use wgpu::{Adapter, AdapterInfo, Device, DeviceType, Features, Limits, Queue};

/// Selects the adapter to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterSelector<'a> {
    /// The first GPU adapter; if there is none, the first adapter.
    Any,
    /// The first adapter that renders on the CPU: lavapipe, SwiftShader, WARP.
    Software,
    /// The first adapter whose name, driver or API contains this string; case is ignored.
    Named(&'a str),
}

/// An opened device with its adapter and queue.
#[derive(Clone, Debug)]
pub struct WgpuAdapterDevice {
    /// The adapter of the device.
    pub adapter: Adapter,
    /// The device, with all [`FEATURES`] and limits that the adapter supports.
    pub device: Device,
    /// The device's queue.
    pub queue: Queue,
}

impl WgpuAdapterDevice {
    /// Wraps the device for backends, with a lost flag that its callback sets.
    pub fn share(&self) -> WgpuDevice {
        let lost = Loss::default();
        let told = lost.clone();
        self.device.set_device_lost_callback(move |_, _| told.set());
        WgpuDevice::new(&self.adapter, self.device.clone(), self.queue.clone(), lost)
    }
}

/// The reason why no device could be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// No adapter matches the choice. The string lists the adapters.
    #[error("no graphics adapter matches the selection; the system has: {0}")]
    NoAdapter(String),
    /// The adapter rejected the request for a device. The string is the driver's reason.
    #[error("the graphics adapter returned no device: {0}")]
    Refused(String),
}

/// Opens a device.
///
/// # Errors
/// Returns an [`OpenError`] if no device could be opened.
pub fn open(choice: AdapterSelector<'_>) -> Result<WgpuAdapterDevice, OpenError> {
    let adapters = adapters();
    let is_software = |adapter: &&Adapter| adapter.get_info().device_type == DeviceType::Cpu;
    let adapter = match choice {
        AdapterSelector::Any => {
            adapters.iter().find(|adapter| !is_software(adapter)).or(adapters.first())
        }
        AdapterSelector::Software => adapters.iter().find(is_software),
        AdapterSelector::Named(name) => {
            let name = name.to_lowercase();
            adapters
                .iter()
                .find(|adapter| describe(&adapter.get_info()).to_lowercase().contains(&name))
        }
    };
    let Some(adapter) = adapter else {
        let found: Vec<_> = adapters.iter().map(|adapter| describe(&adapter.get_info())).collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join("; ") };
        return Err(OpenError::NoAdapter(found));
    };
    open_adapter(adapter, FEATURES, adapter.limits())
}

/// Opens a device on an adapter, with those of the given features that the adapter supports.
///
/// # Errors
/// Returns [`OpenError::Refused`] if the adapter rejects the request.
pub fn open_adapter(
    adapter: &Adapter,
    features: Features,
    required_limits: Limits,
) -> Result<WgpuAdapterDevice, OpenError> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("Molehill"),
        required_features: adapter.features() & features,
        required_limits,
        ..Default::default()
    };
    let (device, queue) = wait(adapter.request_device(&descriptor))
        .map_err(|error| OpenError::Refused(error.to_string()))?;
    Ok(WgpuAdapterDevice { adapter: adapter.clone(), device, queue })
}

/// Returns an adapter's API, name and driver.
pub fn describe(info: &AdapterInfo) -> String {
    format!("{} {} ({} {})", info.backend, info.name, info.driver, info.driver_info)
}
