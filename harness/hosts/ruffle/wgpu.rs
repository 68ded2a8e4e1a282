//! Molehill's pictures in Ruffle's wgpu, if it draws on the renderer's device: in `render/wgpu/src`, as [`texture.rs`] if it
//! draws with OpenGL. `molehill.rs` then takes `FrameExchange as Frames, WgpuBackend as Backend, WgpuBackend as Opener` from
//! `backend_wgpu`, and the renderer gives its [`WgpuDevice`](backend_wgpu::WgpuDevice) as `stage3d_share`.

use crate::Texture;
use backend_wgpu::FrameExchange;
use ruffle_render::bitmap::BitmapHandle;
use std::sync::Arc;

/// Returns the picture's texture. Nobody draws to it while the exchange has it.
pub(crate) fn texture(frames: &FrameExchange) -> Option<BitmapHandle> {
    let texture = frames.frame()?.texture().clone();
    let (bind_linear, bind_nearest, copy_count) = Default::default();
    Some(BitmapHandle(Arc::new(Texture { texture, bind_linear, bind_nearest, copy_count })))
}
