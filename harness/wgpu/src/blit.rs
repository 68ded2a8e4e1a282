//! Draws that copy a whole texture to a mip level, or to a multisampled target.

use context3d::backend::BackendError;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindingResource, Color, FilterMode,
    LoadOp, Operations, RenderPassColorAttachment, RenderPassDescriptor, RenderPipeline, Sampler,
    SamplerDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderSource, StoreOp, TextureFormat,
    TextureView,
};

use crate::commands::Commands;
use crate::program::missing;
use crate::version::Pipeline;

/// The shaders of a triangle that covers the target. If the target has half the size, each pixel centre lies between
/// four texels, so that the linear filter returns their mean.
const SOURCE: &str = "
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) place: vec2f }
@vertex fn corner(@builtin(vertex_index) number: u32) -> Corner {
    let place = vec2f(f32(number & 1u), f32(number >> 1u)) * 2.0;
    return Corner(vec4f(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0), place);
}
@fragment fn copy(corner: Corner) -> @location(0) vec4f {
    return textureSampleLevel(source, linear, corner.place, 0.0);
}
";

/// The pipelines for copies, by format and sample count.
#[derive(Default)]
pub(crate) struct Blits {
    module: Option<(ShaderModule, Sampler)>,
    pipelines: Vec<((TextureFormat, u32), RenderPipeline, BindGroupLayout)>,
}

impl Blits {
    /// Copies a texture to a whole target of this format and sample count.
    pub(crate) fn draw(
        &mut self,
        commands: &mut Commands,
        from: &TextureView,
        to: &TextureView,
        kind: (TextureFormat, u32),
    ) -> Result<(), BackendError> {
        if !self.pipelines.iter().any(|(made, ..)| *made == kind) {
            self.create(commands, kind)?;
        }
        let pipeline = self.pipelines.iter().find(|(made, ..)| *made == kind);
        let (Some((_, pipeline, layout)), Some((_, sampler))) = (pipeline, &self.module) else {
            return Err(missing("pipeline"));
        };
        let entries = [
            BindGroupEntry { binding: 0, resource: BindingResource::TextureView(from) },
            BindGroupEntry { binding: 1, resource: BindingResource::Sampler(sampler) },
        ];
        let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = commands.device.checked(|device, _| device.create_bind_group(&descriptor))?;
        let pass = commands.begin_color_pass(to, LoadOp::Clear(Color::TRANSPARENT), None);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        commands.end_pass();
        Ok(())
    }

    fn create(
        &mut self,
        commands: &Commands,
        (format, samples): (TextureFormat, u32),
    ) -> Result<(), BackendError> {
        let (pipeline, layout, made) = commands.device.checked(|device, _| {
            let (module, sampler) = self.module.take().unwrap_or_else(|| {
                let source = ShaderSource::Wgsl(SOURCE.into());
                let module =
                    device.create_shader_module(ShaderModuleDescriptor { label: None, source });
                let linear = SamplerDescriptor {
                    mag_filter: FilterMode::Linear,
                    min_filter: FilterMode::Linear,
                    ..Default::default()
                };
                (module, device.create_sampler(&linear))
            });
            let pipeline = Pipeline {
                layout: None,
                vertex: (&module, "corner"),
                fragment: Some((&module, "copy")),
                buffers: &[],
                primitive: Default::default(),
                depth_stencil: None,
                samples,
                targets: &[Some(format.into())],
            };
            let pipeline = pipeline.create(device);
            let layout = pipeline.get_bind_group_layout(0);
            (pipeline, layout, (module, sampler))
        })?;
        self.module = Some(made);
        self.pipelines.push(((format, samples), pipeline, layout));
        Ok(())
    }
}

impl Commands {
    /// Begins a render pass with one colour attachment.
    pub(crate) fn begin_color_pass(
        &mut self,
        view: &TextureView,
        load: LoadOp<Color>,
        resolve_target: Option<&TextureView>,
    ) -> &mut wgpu::RenderPass<'static> {
        let ops = Operations { load, store: StoreOp::Store };
        let color = RenderPassColorAttachment { view, depth_slice: None, resolve_target, ops };
        self.begin_pass(&RenderPassDescriptor {
            color_attachments: &[Some(color)],
            ..Default::default()
        })
    }

    /// Resolves a multisampled texture into another texture. The multisampled texture doesn't change.
    pub(crate) fn resolve(&mut self, samples: &TextureView, texture: &TextureView) {
        self.begin_color_pass(samples, LoadOp::Load, Some(texture));
        self.end_pass();
    }
}
