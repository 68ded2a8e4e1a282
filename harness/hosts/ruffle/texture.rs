//! Molehill's pictures in wgpu without a copy to memory, where wgpu draws with OpenGL on EGL. `build.sh` puts it into
//! `render/wgpu/src`.

use crate::{Texture, descriptors::Descriptors};
use ruffle_render::bitmap::BitmapHandle;
use std::{ffi::c_void, num::NonZeroU32, sync::Arc};
use wgpu::hal::{self, api::Gles};
use wgpu::{TextureDimension, TextureFormat, TextureUsages, TextureUses};

/// EGL's display and context, which can share objects.
pub(crate) fn context(descriptors: &Descriptors) -> Option<[*mut c_void; 2]> {
    // SAFETY: nothing is destroyed or changed.
    let adapter = unsafe { descriptors.adapter.as_hal::<Gles>() }?;
    let context = adapter.adapter_context();
    Some([context.raw_display()?.as_ptr(), context.raw_context()])
}

/// Passes a loader of OpenGL's functions to `acquire`, with wgpu's context current, and takes over the texture that it
/// returns, of a context that shares objects, until the next call.
pub(crate) fn texture(
    descriptors: &Descriptors,
    acquire: &mut dyn FnMut(&dyn Fn(&str) -> *const c_void) -> Option<(NonZeroU32, [u32; 2])>,
) -> Option<BitmapHandle> {
    let device = &descriptors.device;
    // SAFETY: nothing is destroyed or changed.
    let raw_device = unsafe { device.as_hal::<Gles>() }?;
    let egl = raw_device.context().egl_instance()?;
    let current = raw_device.context().lock();
    let loader =
        |name: &str| egl.get_proc_address(name).map_or(std::ptr::null(), |it| it as *const c_void);
    let (name, [width, height]) = acquire(&loader)?;
    drop(current);
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let (dimension, format) = (TextureDimension::D2, TextureFormat::Rgba8Unorm);
    let (mip_level_count, sample_count, label) = (1, 1, None);
    let raw = hal::TextureDescriptor {
        label,
        size,
        mip_level_count,
        sample_count,
        dimension,
        format,
        usage: TextureUses::RESOURCE,
        memory_flags: hal::MemoryFlags::empty(),
        view_formats: Vec::new(),
    };
    let usage = TextureUsages::TEXTURE_BINDING;
    let texture = wgpu::TextureDescriptor {
        label,
        size,
        mip_level_count,
        sample_count,
        dimension,
        format,
        usage,
        view_formats: &[],
    };
    // SAFETY: the texture is of this kind, and is not deleted while it is shown.
    let texture = unsafe {
        let raw = raw_device.texture_from_raw(name, &raw, Some(Box::new(|| ())));
        drop(raw_device);
        device.create_texture_from_hal::<Gles>(raw, &texture)
    };
    let (bind_linear, bind_nearest, copy_count) = Default::default();
    let texture = Texture { texture, bind_linear, bind_nearest, copy_count };
    Some(BitmapHandle(Arc::new(texture)))
}
