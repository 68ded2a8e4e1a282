//! Creates the pipelines, render targets, textures and samplers of a probe.

use std::borrow::Cow;

use agal::generate::InputTexture;
use agal::sampler::{Filter, SamplerOp};
use agal::wgsl::WgslResource;
use agal::{Interface, Stage};
use context3d::packets::SamplerState;
use wgpu::naga::Module;
use wgpu::{
    BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ColorTargetState,
    CompareFunction, DepthStencilState, Device, PipelineLayoutDescriptor, PrimitiveState,
    PrimitiveTopology, RenderPipeline, SamplerDescriptor, ShaderModule, ShaderModuleDescriptor,
    ShaderSource, StencilFaceState, StencilOperation, StencilState, TexelCopyBufferLayout,
    TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureViewDescriptor,
    VertexAttribute, VertexBufferLayout, VertexFormat, VertexStepMode,
};

use super::{WgpuRunner, bits};
use crate::convert;
use crate::format::extent;
use crate::program::{
    ENTRY_POINTS, ProgramSampler, group_layout, texture_layout, view_dimension, visibility,
};
use crate::version::{Pipeline, given};

/// The index of the depth-stencil target, after the colour targets.
pub(super) const DEPTH: usize = 4;
/// The size of a register in bytes.
pub(super) const REGISTER: u64 = 16;
/// The stencil value of pixels that are not discarded.
pub(super) const KEPT: u32 = 1;
const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32FloatStencil8;

/// Creates a render target with the grid's size.
pub(super) fn target(device: &Device, side: u32, number: usize) -> wgpu::Texture {
    device.create_texture(&TextureDescriptor {
        label: None,
        size: extent(side, side, 1),
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: if number == DEPTH { DEPTH_FORMAT } else { TextureFormat::Rgba32Float },
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

pub(super) fn link(probe: &WgpuRunner, pair: &[Module; 2], interface: &Interface) {
    let [vertex, fragment] = pair.clone().map(|made| module(&probe.device, made));
    let layouts = layouts(probe, interface, &[Stage::Vertex, Stage::Fragment]);
    pipeline(probe, (&vertex, Some(&fragment)), &layouts, interface.attributes, interface, false);
}

pub(super) fn module(device: &Device, module: Module) -> ShaderModule {
    let source = ShaderSource::Naga(Cow::Owned(module));
    device.create_shader_module(ShaderModuleDescriptor { label: None, source })
}

pub(super) fn constants(interface: &Interface, stage: Stage) -> u16 {
    match stage {
        Stage::Vertex => interface.vertex_constants,
        Stage::Fragment => interface.fragment_constants,
    }
}

pub(super) fn samplers(interface: &Interface, stage: Stage) -> &[Option<SamplerOp>] {
    match stage {
        Stage::Vertex => &interface.vertex_samplers,
        Stage::Fragment => &interface.samplers,
    }
}

/// Creates the bind group layouts: constants, textures with samplers, and the result buffer of a vertex shader.
pub(super) fn layouts(
    probe: &WgpuRunner,
    interface: &Interface,
    stages: &[Stage],
) -> [BindGroupLayout; 3] {
    let (mut uniforms, mut units, mut results) = (Vec::new(), Vec::new(), Vec::new());
    let storage =
        |ty| BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    for &stage in stages {
        let visibility = visibility(stage);
        let entry = |binding, ty| BindGroupLayoutEntry { binding, visibility, ty, count: None };
        if constants(interface, stage) > 0 {
            let binding = WgslResource::Constants(stage).binding().binding;
            uniforms.push(entry(binding, storage(BufferBindingType::Uniform)));
        }
        let samplers = samplers(interface, stage).iter().flatten();
        units.extend(samplers.map(|sampler| ProgramSampler::new(stage, 0, sampler)));
        if stage == Stage::Vertex {
            results.push(entry(0, storage(BufferBindingType::Storage { read_only: false })));
        }
    }
    let device = &probe.device;
    [
        group_layout(device, &uniforms),
        texture_layout(device, &units),
        group_layout(device, &results),
    ]
}

/// Creates a pipeline from one or two modules. `set` has bits for the attributes that the first module reads.
pub(super) fn pipeline(
    probe: &WgpuRunner,
    (vertex, fragment): (&ShaderModule, Option<&ShaderModule>),
    [constants, textures, results]: &[BindGroupLayout; 3],
    set: u16,
    interface: &Interface,
    points: bool,
) -> RenderPipeline {
    let device = &probe.device;
    let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        bind_group_layouts: &[constants, textures, results].map(given),
        ..PipelineLayoutDescriptor::default()
    });
    let attributes: Vec<_> = (0u64..)
        .zip(bits(set))
        .map(|(place, n)| VertexAttribute {
            format: VertexFormat::Float32x4,
            offset: place * REGISTER,
            shader_location: n.into(),
        })
        .collect();
    let buffers = [given(VertexBufferLayout {
        array_stride: u64::from(set.count_ones()) * REGISTER,
        step_mode: VertexStepMode::Vertex,
        attributes: &attributes,
    })];
    let targets = color_targets(interface.color_outputs.into());
    let pipeline = Pipeline {
        layout: Some(&layout),
        vertex: (vertex, ENTRY_POINTS[0]),
        fragment: fragment.map(|module| (module, ENTRY_POINTS[1])),
        buffers: if set == 0 { &[] } else { &buffers },
        primitive: PrimitiveState {
            topology: if points {
                PrimitiveTopology::PointList
            } else {
                PrimitiveTopology::TriangleList
            },
            ..PrimitiveState::default()
        },
        depth_stencil: Some(depth_state()),
        samples: 1,
        targets: &targets,
    };
    pipeline.create(device)
}

fn color_targets(outputs: u32) -> Vec<Option<ColorTargetState>> {
    let target = |n| {
        let target = ColorTargetState::from(TextureFormat::Rgba32Float);
        (outputs >> n & 1 != 0).then_some(target)
    };
    (0..u32::BITS - outputs.leading_zeros()).map(target).collect()
}

/// Returns the depth and stencil state that writes every depth, and marks pixels that are not discarded.
fn depth_state() -> DepthStencilState {
    let kept = StencilFaceState { pass_op: StencilOperation::Replace, ..StencilFaceState::IGNORE };
    DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: given(true),
        depth_compare: given(CompareFunction::Always),
        stencil: StencilState { front: kept, back: kept, read_mask: !0, write_mask: !0 },
        bias: wgpu::DepthBiasState::default(),
    }
}

pub(super) fn upload(probe: &WgpuRunner, texture: &InputTexture) -> wgpu::TextureView {
    let side = |side: usize| u32::try_from(side).unwrap_or(0);
    let faces = u32::from(texture.dimension.faces());
    let first = texture.levels.first();
    let whole = first.map_or((0, 0), |level| (side(level.width), side(level.height)));
    let made = probe.device.create_texture(&TextureDescriptor {
        label: None,
        size: extent(whole.0, whole.1, faces),
        mip_level_count: side(texture.levels.len()),
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: TextureFormat::Rgba8Unorm,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (level, mip_level) in texture.levels.iter().zip(0..) {
        let (width, height) = (side(level.width), side(level.height));
        let mut target = made.as_image_copy();
        target.mip_level = mip_level;
        let layout = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(width * 4),
            rows_per_image: Some(height),
        };
        let texels = level.texels.as_flattened();
        probe.queue.write_texture(target, texels, layout, extent(width, height, faces));
    }
    made.create_view(&TextureViewDescriptor {
        dimension: Some(view_dimension(texture.dimension)),
        ..TextureViewDescriptor::default()
    })
}

/// Returns the descriptor of a sampler. Anisotropic filters are replaced by linear filters.
pub(super) fn state(sampler: &SamplerOp) -> SamplerDescriptor<'static> {
    let mut state = SamplerState::from(sampler);
    if sampler.filter != Filter::Nearest {
        state.filter = Filter::Linear;
    }
    convert::sampler(state)
}
