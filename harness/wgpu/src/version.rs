//! Hides the differences between the supported versions of wgpu.
#![cfg_attr(target_arch = "wasm32", allow(unused_imports, unreachable_pub, reason = "no adapters"))]

#[cfg(feature = "wgpu-27")]
pub use v27::*;
#[cfg(not(feature = "wgpu-27"))]
pub use v30::*;

use std::future::Future;
use std::task::{Context, Poll, Waker};

use wgpu::{
    ColorTargetState, DepthStencilState, Device, FragmentState, MultisampleState, PipelineLayout,
    PrimitiveState, RenderPipeline, RenderPipelineDescriptor, ShaderModule, VertexBufferLayout,
    VertexState,
};

/// Waits for a wgpu future. Except in a browser, the future is ready at once.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}

/// The description of a pipeline with one or two shader modules.
pub(crate) struct Pipeline<'a> {
    /// The pipeline layout. If `None`, wgpu derives the layout from the shaders.
    pub(crate) layout: Option<&'a PipelineLayout>,
    pub(crate) vertex: (&'a ShaderModule, &'static str),
    pub(crate) fragment: Option<(&'a ShaderModule, &'static str)>,
    pub(crate) buffers: &'a [VersionField<VertexBufferLayout<'a>>],
    pub(crate) primitive: PrimitiveState,
    pub(crate) depth_stencil: Option<DepthStencilState>,
    pub(crate) samples: u32,
    pub(crate) targets: &'a [Option<ColorTargetState>],
}

impl Pipeline<'_> {
    pub(crate) fn create(self, device: &Device) -> RenderPipeline {
        let Pipeline { layout, buffers, primitive, depth_stencil, samples, targets, .. } = self;
        let vertex = VertexState {
            module: self.vertex.0,
            entry_point: Some(self.vertex.1),
            compilation_options: Default::default(),
            buffers,
        };
        let fragment = self.fragment.map(|(module, name)| FragmentState {
            module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            targets,
        });
        device.create_render_pipeline(&RenderPipelineDescriptor {
            label: None,
            layout,
            vertex,
            primitive,
            depth_stencil,
            multisample: MultisampleState { count: samples, ..Default::default() },
            fragment,
            #[cfg(not(feature = "wgpu-27"))]
            multiview_mask: None,
            #[cfg(feature = "wgpu-27")]
            multiview: None,
            cache: None,
        })
    }
}

#[cfg(not(feature = "wgpu-27"))]
mod v30 {
    use std::future::Future;

    pub(crate) use wgpu::MipmapFilterMode;
    use wgpu::{Buffer, BufferView, Device, Error, ErrorScopeGuard};

    /// A descriptor field that is optional in this version of wgpu, but not in the other.
    pub(crate) type VersionField<T> = Option<T>;

    pub(crate) fn given<T>(value: T) -> VersionField<T> {
        Some(value)
    }

    /// Ends an error scope, and returns its error.
    pub(crate) fn pop(
        _device: &Device,
        scope: ErrorScopeGuard,
    ) -> impl Future<Output = Option<Error>> {
        scope.pop()
    }

    /// Returns the bytes of a mapped buffer; `None` if it isn't mapped.
    pub(crate) fn mapped_bytes(buffer: &Buffer) -> Option<BufferView> {
        buffer.get_mapped_range(..).ok()
    }

    /// Returns the adapters of the APIs for which this crate was built.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn adapters() -> Vec<wgpu::Adapter> {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        super::wait(wgpu::Instance::new(descriptor).enumerate_adapters(wgpu::Backends::all()))
    }
}

#[cfg(feature = "wgpu-27")]
mod v27 {
    use std::future::Future;

    pub(crate) use wgpu::FilterMode as MipmapFilterMode;
    use wgpu::{Buffer, BufferView, Device, Error};

    pub(crate) type VersionField<T> = T;

    pub(crate) fn given<T>(value: T) -> VersionField<T> {
        value
    }

    pub(crate) fn pop(device: &Device, (): ()) -> impl Future<Output = Option<Error>> + use<> {
        device.pop_error_scope()
    }

    pub(crate) fn mapped_bytes(buffer: &Buffer) -> Option<BufferView> {
        Some(buffer.get_mapped_range(..))
    }

    /// Returns the adapters of the APIs for which this crate was built.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn adapters() -> Vec<wgpu::Adapter> {
        let descriptor = wgpu::InstanceDescriptor::from_env_or_default();
        wgpu::Instance::new(&descriptor).enumerate_adapters(wgpu::Backends::all())
    }
}
