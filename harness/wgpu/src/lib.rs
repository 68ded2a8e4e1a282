//! A [`Backend`] that draws Stage3D with wgpu on the host's device, for Vulkan, Metal, Direct3D 12 and WebGPU.
//!
//! An emulator that draws with wgpu creates a [`WgpuDevice`] from its renderer's device, and on it a [`WgpuBackend`]
//! for each `Context3D`. Frames are textures of this device, which [`FrameExchange`] passes without a copy.
//!
//! ```no_run
//! use backend_wgpu::{Loss, WgpuBackend, WgpuDevice, wgpu};
//! use context3d::backend::BackendError;
//!
//! fn backend(
//!     adapter: &wgpu::Adapter,
//!     device: wgpu::Device,
//!     queue: wgpu::Queue,
//! ) -> Result<WgpuBackend, BackendError> {
//!     let lost = Loss::default();
//!     let told = lost.clone();
//!     device.set_device_lost_callback(move |_, _| told.set());
//!     WgpuBackend::new(&WgpuDevice::new(adapter, device, queue, lost))
//! }
//! ```
//!
//! The device should have those [`FEATURES`] that its adapter supports, 16 vertex buffers, and 16 sampled textures per
//! stage.
//!
//! * **Order.** A packet adds commands to an encoder; `Present`, reads and [`WgpuBackend::flush`] submit them. Uploads
//!   keep their order. If recorded commands use the object, a whole upload replaces the buffer, a partial one becomes a
//!   copy between two render passes, and an upload of texels first submits the commands.
//! * **State.** A pipeline is looked up only if the draw's state, attributes or target changed. Constants are in a ring
//!   of uniform buffers with dynamic offsets.
//! * **Errors.** Error scopes catch wgpu's errors, and the backend returns them; the host's handler receives none. In a
//!   browser, wgpu reports errors later, to the host's handler.
//!
//! # Differences
//! These parts of Stage3D are missing or different with wgpu:
//! * An attribute that extends beyond its buffer's vertex is [`Unsupported`]. Flash draws it if error checking is off.
//! * A draw with more vertex buffers than the device supports is [`Unsupported`]. Attributes can share one.
//! * In a browser, reads are [`Unsupported`] without a [`ReadBuffer`], such as that of `molehill-webgpu`.
//! * Anisotropic filters blend two mip levels, even if the program selects the nearest level.
//! * Textures with formats 565 and 4444 are stored with eight bits per channel, so draws to them are not rounded.
//! * An unsupported sample count is replaced by the next larger one, or the largest. WebGPU supports one and four.
//! * Wireframe needs an optional feature of the device.
//!
//! [`Backend`]: context3d::backend::Backend
//! [`Unsupported`]: context3d::backend::BackendError::Unsupported

mod back_buffer;
mod backend;
mod bind;
mod blit;
mod buffer;
mod commands;
mod constants;
mod convert;
mod device;
mod draw;
mod format;
#[cfg(not(target_arch = "wasm32"))]
mod open;
mod packets;
mod pipeline;
#[cfg(all(feature = "probe", not(target_arch = "wasm32")))]
pub mod probe;
mod program;
mod read;
mod surface;
mod target;
mod texture;
mod version;
mod vertex_layout;

pub use back_buffer::{FrameExchange, FrameTexture};
pub use backend::WgpuBackend;
pub use device::{FEATURES, Loss, ReadBuffer, WgpuDevice};
#[cfg(not(target_arch = "wasm32"))]
pub use open::{AdapterSelector, OpenError, WgpuAdapterDevice, describe, open, open_adapter};
#[cfg(not(target_arch = "wasm32"))]
pub use version::adapters;
#[cfg(feature = "wgpu-27")]
pub extern crate wgpu_27 as wgpu;
#[cfg(not(feature = "wgpu-27"))]
pub extern crate wgpu_30 as wgpu;
