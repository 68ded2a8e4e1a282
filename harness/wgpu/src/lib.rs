//! Draws Stage3D with wgpu: Vulkan, Metal, Direct3D 12 and WebGPU.

#[cfg(not(target_arch = "wasm32"))]
mod open;
#[cfg(all(feature = "probe", not(target_arch = "wasm32")))]
pub mod probe;

#[cfg(not(target_arch = "wasm32"))]
pub use open::{Choice, FEATURES, OpenError, Opened, adapters, describe, open, open_adapter};
pub use wgpu;
