//! Passes Molehill's images to Ruffle's renderer, whose wgpu device draws them: in `render/wgpu/src`, instead of
//! `texture.rs`. `molehill.rs` then imports from `backend_wgpu` instead of `backend_gl`.

use crate::Texture;
use ruffle_render::bitmap::BitmapHandle;

/// Returns the texture of the last published frame. Molehill doesn't draw to the texture while `frames` contains the
/// frame.
pub(crate) fn texture(frames: &backend_wgpu::FrameExchange) -> Option<BitmapHandle> {
    let texture = frames.frame()?.texture().clone();
    let (bind_linear, bind_nearest, copy_count) = Default::default();
    Some(BitmapHandle(std::sync::Arc::new(Texture { texture, bind_linear, bind_nearest, copy_count })))
}
