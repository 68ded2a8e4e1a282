//! A [`Backend`] that draws Stage3D with wgpu, on the device of the host: Vulkan, Metal, Direct3D 12 and WebGPU.
//!
//! An emulator that draws with wgpu makes a [`WgpuDevice`] from its renderer's device, and a [`WgpuBackend`] on it for each
//! `Context3D`. The frames are textures of the same device: [`FrameExchange`] passes them without a copy.
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
//! The device should have those [`FEATURES`] that its adapter supports, 16 vertex buffers, and 16 sampled textures for each
//! stage.
//!
//! * **Order.** A packet adds commands to an encoder; `Present`, reads and [`WgpuBackend::flush`] submit them. Uploads keep
//!   their order: if recorded commands use the object, a whole buffer is replaced, a part of a buffer is copied between two
//!   passes, and an upload of texels submits the commands first.
//! * **State.** A pipeline is looked up only if the draw's state, attributes or target changed. Constants lie in a ring of
//!   uniform buffers with dynamic offsets.
//! * **Errors.** Error scopes catch the errors of wgpu, which are returned; the host's handler receives none. In a browser,
//!   wgpu reports errors later, to the host's handler.
//!
//! # Differences
//! wgpu lacks or changes these parts of Stage3D:
//! * An attribute that is longer than its buffer's vertex is [`Unsupported`]. Flash draws it if error checking is off.
//! * A draw with more buffers than the device takes is [`Unsupported`]. Attributes of the same buffer share one.
//! * Reads in a browser are [`Unsupported`] without a [`ReadBuffer`], such as that of `molehill-webgpu`.
//! * Anisotropic filters blend two levels where the program asks for the nearest one.
//! * Textures of 565 and 4444 are stored with eight bits a channel, so that what is drawn into them is not rounded.
//! * An unsupported sample count becomes the next larger one, or the largest. WebGPU supports one and four.
//! * A wireframe needs the device's feature.
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
pub use open::{Choice, OpenError, Opened, describe, open, open_adapter};
#[cfg(not(target_arch = "wasm32"))]
pub use version::adapters;
#[cfg(feature = "wgpu-27")]
pub extern crate wgpu_27 as wgpu;
#[cfg(not(feature = "wgpu-27"))]
pub extern crate wgpu_30 as wgpu;
