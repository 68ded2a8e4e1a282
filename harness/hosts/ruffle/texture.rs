//! Passes Molehill's images to wgpu without a copy to memory, if wgpu draws with OpenGL on EGL: in `render/wgpu/src`.

use crate::{Texture, descriptors::Descriptors};
use backend_gl::{PictureSource, offscreen::Share};
use ruffle_render::bitmap::BitmapHandle;
use std::{ffi::c_void, ptr::null, sync::Arc};
use wgpu::hal::{MemoryFlags, TextureDescriptor as Raw, api::Gles};
use wgpu::{Extent3d, TextureDescriptor as Shown, TextureDimension, TextureFormat, TextureUsages, TextureUses};

/// Returns the renderer's EGL context, for sharing objects.
pub(crate) fn share(descriptors: &Descriptors) -> Option<Share> {
    // SAFETY: nothing is destroyed or changed.
    let adapter = unsafe { descriptors.adapter.as_hal::<Gles>() }?;
    let context = adapter.adapter_context();
    // SAFETY: EGL created both handles, which live as long as the renderer.
    Some(unsafe { Share::new(context.raw_display()?.as_ptr(), context.raw_context()) })
}

/// Returns the frame's texture in a context that shares objects. The texture is valid until the next call.
pub(crate) fn texture(Descriptors { device, .. }: &Descriptors, source: &mut PictureSource) -> Option<BitmapHandle> {
    // SAFETY: nothing is destroyed or changed.
    let raw_device = unsafe { device.as_hal::<Gles>() }?;
    let (egl, current) = (raw_device.context().egl_instance()?, raw_device.context().lock());
    // SAFETY: the renderer's context is current, and shares objects with the device's context.
    let front = unsafe { source.texture(&|name| egl.get_proc_address(name).map_or(null(), |it| it as *const c_void)) }?;
    drop(current);
    let size = Extent3d { width: front.width, height: front.height, depth_or_array_layers: 1 };
    let (dimension, format) = (TextureDimension::D2, TextureFormat::Rgba8Unorm);
    let (label, mip_level_count, sample_count) = (None, 1, 1);
    let (usage, memory_flags, view_formats) = (TextureUses::RESOURCE, MemoryFlags::empty(), Vec::new());
    let raw = Raw { label, size, mip_level_count, sample_count, dimension, format, usage, memory_flags, view_formats };
    let (usage, view_formats) = (TextureUsages::TEXTURE_BINDING, &[][..]);
    let shown = Shown { label, size, mip_level_count, sample_count, dimension, format, usage, view_formats };
    // SAFETY: the texture has this format and size, and isn't deleted while it is displayed.
    let texture = unsafe {
        let raw = raw_device.texture_from_raw(front.texture, &raw, Some(Box::new(|| ())));
        drop(raw_device);
        device.create_texture_from_hal::<Gles>(raw, &shown)
    };
    let (bind_linear, bind_nearest, copy_count) = Default::default();
    Some(BitmapHandle(Arc::new(Texture { texture, bind_linear, bind_nearest, copy_count })))
}
