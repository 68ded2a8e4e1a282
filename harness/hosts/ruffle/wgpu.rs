//! Molehill's pictures for Ruffle's renderer, on whose wgpu device it draws: in `render/wgpu/src`, instead of `texture.rs`.
//! `molehill.rs` then imports from `backend_wgpu` what it imports from `backend_gl`.

use crate::Texture;
use ruffle_render::bitmap::BitmapHandle;

/// The picture's texture, to which nobody draws while the exchange has it.
pub(crate) fn texture(frames: &backend_wgpu::FrameExchange) -> Option<BitmapHandle> {
    let texture = frames.frame()?.texture().clone();
    let (bind_linear, bind_nearest, copy_count) = Default::default();
    Some(BitmapHandle(std::sync::Arc::new(Texture { texture, bind_linear, bind_nearest, copy_count })))
}
