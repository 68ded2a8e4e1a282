//! Draws Stage3D with wgpu: Vulkan, Metal, Direct3D 12 and WebGPU.

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
mod program;
mod read;
mod target;
mod texture;
mod vertex_layout;

pub use back_buffer::{FrameExchange, FrameTexture};
pub use backend::WgpuBackend;
pub use device::{Loss, WgpuDevice};
#[cfg(not(target_arch = "wasm32"))]
pub use open::{Choice, FEATURES, OpenError, Opened, adapters, describe, open, open_adapter};
pub use wgpu;
