//! Pipelines, resources, draws and the readback.

use agal::generate::Texture;
use agal::sampler::{Dimension, Filter, Mip, Sampler, Wrap};
use agal::wgsl::{Resource, WgslPair};
use agal::{Interface, Stage};
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use wgpu::{
    AddressMode, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBindingType,
    BufferDescriptor, BufferUsages, ColorTargetState, CommandEncoder, CompareFunction,
    DepthStencilState, Device, Extent3d, FilterMode, FragmentState, LoadOp, MipmapFilterMode,
    MultisampleState, Operations, PipelineCompilationOptions, PipelineLayoutDescriptor,
    PrimitiveState, PrimitiveTopology, RenderPassColorAttachment, RenderPassDepthStencilAttachment,
    RenderPassDescriptor, RenderPipeline, RenderPipelineDescriptor, SamplerBindingType,
    SamplerDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
    StencilFaceState, StencilOperation, StencilState, StoreOp, TexelCopyBufferInfo,
    TexelCopyBufferLayout, TextureAspect, TextureDescriptor, TextureDimension, TextureFormat,
    TextureSampleType, TextureUsages, TextureViewDescriptor, TextureViewDimension, VertexAttribute,
    VertexBufferLayout, VertexFormat, VertexState, VertexStepMode,
};

use super::text::{ENTRY, RESULTS, modules};
use super::{Probe, ProbeError, Results, Run, Shader, bits};

/// The number of the target with depth and stencil, after the colours.
pub(super) const DEPTH: usize = 4;
/// The bytes of a register.
const REGISTER: u64 = 16;
/// The stencil value of pixels that weren't discarded.
const KEPT: u32 = 1;
const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32FloatStencil8;

/// Makes a render target of the grid's size.
pub(super) fn target(device: &Device, side: u32, number: usize) -> wgpu::Texture {
    device.create_texture(&TextureDescriptor {
        label: None,
        size: size(side, side, 1),
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: if number == DEPTH { DEPTH_FORMAT } else { TextureFormat::Rgba32Float },
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn size(width: u32, height: u32, depth_or_array_layers: u32) -> Extent3d {
    Extent3d { width, height, depth_or_array_layers }
}

/// A compiled shader that runs any number of times.
pub(super) struct Job<'a> {
    probe: &'a Probe,
    shader: &'a Shader<'a>,
    layouts: [BindGroupLayout; 3],
    pipeline: RenderPipeline,
}

/// One result of a fragment shader in its buffer: the target, the part of it, and the bytes of a texel.
type Part = (usize, TextureAspect, u64);

impl<'a> Job<'a> {
    pub(super) fn new(probe: &'a Probe, shader: &'a Shader<'a>) -> Job<'a> {
        let (vertex, fragment) = modules(shader, probe.side);
        let vertex = module(&probe.device, &vertex);
        let fragment = fragment.map(|text| module(&probe.device, &text));
        let layouts = layouts(probe, shader.interface, &[shader.stage]);
        let set = match shader.stage {
            Stage::Vertex => shader.interface.attributes,
            Stage::Fragment => shader.interface.varyings,
        };
        let points = shader.stage == Stage::Vertex || !shader.linear;
        let pipeline =
            pipeline(probe, (&vertex, fragment.as_ref()), &layouts, set, shader.interface, points);
        Job { probe, shader, layouts, pipeline }
    }

    fn vertices(&self) -> u32 {
        if self.shader.stage == Stage::Fragment && self.shader.linear {
            3
        } else {
            self.probe.side * self.probe.side
        }
    }

    /// Returns the bytes of the inputs, interleaved by vertex.
    fn inputs(&self, run: &Run<'_>) -> Result<Vec<u8>, ProbeError> {
        let (set, kind) = match self.shader.stage {
            Stage::Vertex => (self.shader.interface.attributes, "attribute"),
            Stage::Fragment => (self.shader.interface.varyings, "varying"),
        };
        let mut bytes = Vec::new();
        for vertex in 0..self.vertices() {
            for n in bits(set) {
                let values = run.inputs.get(usize::from(n)).map_or(&[][..], Vec::as_slice);
                let value = if self.shader.linear && self.shader.stage == Stage::Fragment {
                    self.corner(values, vertex)
                } else {
                    usize::try_from(vertex).ok().and_then(|vertex| values.get(vertex)).copied()
                };
                let value = value.ok_or_else(|| {
                    ProbeError::Input(format!("{kind} {n} has {} values", values.len()))
                })?;
                bytes.extend(value.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        Ok(bytes)
    }

    /// Returns the value of a plane at a corner of the triangle, which is twice as large as the grid.
    fn corner(&self, plane: &[[f32; 4]], vertex: u32) -> Option<[f32; 4]> {
        let &[mut value, right, down] = plane else { return None };
        #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
        let [x, y] = [vertex & 1, vertex >> 1].map(|n| (n * 2 * self.probe.side) as f32 - 0.5);
        for ((value, right), down) in value.iter_mut().zip(right).zip(down) {
            *value += x * right + y * down;
        }
        Some(value)
    }

    /// Encodes a run; returns the buffer for its results.
    pub(super) fn encode(
        &self,
        encoder: &mut CommandEncoder,
        run: &Run<'_>,
    ) -> Result<Buffer, ProbeError> {
        let (probe, interface) = (self.probe, self.shader.interface);
        let device = &probe.device;
        let instances = match self.shader.stage {
            Stage::Vertex => run.instance + 1,
            Stage::Fragment => 1,
        };
        let length = u64::from(self.vertices() * instances) * self.stride();
        let stored = buffer(device, length, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let groups = self.groups(run, &stored)?;
        let inputs = device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: &self.inputs(run)?,
            usage: BufferUsages::VERTEX,
        });
        let colors = match self.shader.stage {
            Stage::Vertex => 0,
            Stage::Fragment => interface.color_outputs,
        };
        let views: Vec<_> =
            (0..DEPTH).map(|n| (colors >> n & 1 != 0).then(|| probe.view(n)).flatten()).collect();
        let attachments: Vec<_> = views.iter().map(|view| view.as_ref().map(cleared)).collect();
        let last = attachments.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let depth = probe.view(DEPTH);
        {
            let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
                color_attachments: attachments.get(..last).unwrap_or_default(),
                depth_stencil_attachment: depth.as_ref().map(|view| {
                    RenderPassDepthStencilAttachment {
                        view,
                        depth_ops: Some(Operations {
                            load: LoadOp::Clear(0.0),
                            store: StoreOp::Store,
                        }),
                        stencil_ops: Some(Operations {
                            load: LoadOp::Clear(0),
                            store: StoreOp::Store,
                        }),
                    }
                }),
                ..RenderPassDescriptor::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_stencil_reference(KEPT);
            for (group, number) in groups.iter().zip([0, 1, RESULTS]) {
                pass.set_bind_group(number, group, &[]);
            }
            if inputs.size() > 0 {
                pass.set_vertex_buffer(0, inputs.slice(..));
            }
            pass.draw(0..self.vertices(), 0..instances);
        }
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        Ok(match self.shader.stage {
            Stage::Vertex => {
                let size = u64::from(self.vertices()) * self.stride();
                let output = buffer(device, size, usage);
                let first = u64::from(run.instance) * size;
                encoder.copy_buffer_to_buffer(&stored, first, &output, 0, size);
                output
            }
            Stage::Fragment => self.copy_targets(encoder, usage),
        })
    }

    /// Returns the bytes of a vertex's results.
    fn stride(&self) -> u64 {
        REGISTER * u64::from(self.shader.interface.varyings.count_ones() + 1)
    }

    /// Returns the parts of the targets that hold a fragment shader's results; the last are the kept pixels.
    fn parts(&self) -> Vec<Part> {
        let interface = self.shader.interface;
        let colors = bits(interface.color_outputs.into());
        let colors = colors.map(|n| (usize::from(n), TextureAspect::All, REGISTER));
        let depth = interface.depth_output.then_some((DEPTH, TextureAspect::DepthOnly, 4));
        colors.chain(depth).chain([(DEPTH, TextureAspect::StencilOnly, 1)]).collect()
    }

    /// Returns the bytes of a row of a target in a buffer.
    fn pitch(&self) -> u32 {
        (self.probe.side * 16).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
    }

    fn copy_targets(&self, encoder: &mut CommandEncoder, usage: BufferUsages) -> Buffer {
        let (side, pitch) = (self.probe.side, self.pitch());
        let image = u64::from(side * pitch);
        let parts = self.parts();
        let output = buffer(&self.probe.device, image * parts.len() as u64, usage);
        for ((target, aspect, _), n) in parts.iter().zip(0u64..) {
            let Some(texture) = self.probe.targets.get(*target) else { continue };
            let mut source = texture.as_image_copy();
            source.aspect = *aspect;
            let layout = TexelCopyBufferLayout {
                offset: n * image,
                bytes_per_row: Some(pitch),
                rows_per_image: None,
            };
            let to = TexelCopyBufferInfo { buffer: &output, layout };
            encoder.copy_texture_to_buffer(source, to, size(side, side, 1));
        }
        output
    }

    /// Makes the bind groups of a run.
    fn groups(&self, run: &Run<'_>, stored: &Buffer) -> Result<[wgpu::BindGroup; 3], ProbeError> {
        let device = &self.probe.device;
        let (stage, interface) = (self.shader.stage, self.shader.interface);
        let mut bytes = Vec::new();
        for n in 0..constants(interface, stage) {
            let value = run.constants.get(usize::from(n)).copied().unwrap_or_default();
            bytes.extend(value.iter().flat_map(|value| value.to_le_bytes()));
        }
        let uniforms = device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: &bytes,
            usage: BufferUsages::UNIFORM,
        });
        let views = samplers(interface, stage).iter().flatten().map(|sampler| {
            let texture = run.textures.get(usize::from(sampler.register));
            let texture = texture.and_then(Option::as_ref).ok_or_else(|| {
                ProbeError::Input(format!("sampler {} has no texture", sampler.register))
            })?;
            if texture.dimension != sampler.dimension {
                let text = format!("sampler {} has a texture of another kind", sampler.register);
                return Err(ProbeError::Input(text));
            }
            Ok((sampler, upload(self.probe, texture), device.create_sampler(&state(sampler))))
        });
        let views: Vec<_> = views.collect::<Result<_, _>>()?;
        let of = |resource: Resource| resource.binding().binding;
        let both = views.iter().flat_map(|(sampler, view, state)| {
            let register = sampler.register;
            [
                entry(of(Resource::Texture(stage, register)), BindingResource::TextureView(view)),
                entry(of(Resource::Sampler(stage, register)), BindingResource::Sampler(state)),
            ]
        });
        let constants = (!bytes.is_empty())
            .then(|| entry(of(Resource::Constants(stage)), uniforms.as_entire_binding()));
        let results = (stage == Stage::Vertex).then(|| entry(0, stored.as_entire_binding()));
        let entries: [Vec<_>; 3] =
            [constants.into_iter().collect(), both.collect(), results.into_iter().collect()];
        let [first, second, third] = &self.layouts;
        let group = |layout, entries: &[BindGroupEntry<'_>]| {
            device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries })
        };
        let [constants, textures, results] = &entries;
        Ok([group(first, constants), group(second, textures), group(third, results)])
    }

    /// Reads the results of a run.
    pub(super) fn results(&self, output: &Buffer) -> Result<Results, ProbeError> {
        let bytes = output.get_mapped_range(..).map_err(|_| ProbeError::Lost)?;
        let side = self.probe.side;
        let pixels = || (0..side * side).map(|n| u64::from(n / side * self.pitch()));
        let float = |at: u64| {
            let at = usize::try_from(at).ok()?;
            Some(f32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
        };
        let register = |at: u64| [0, 4, 8, 12].map(|n| float(at + n).unwrap_or(f32::NAN));
        if self.shader.stage == Stage::Vertex {
            let count = u64::from(self.shader.interface.varyings.count_ones() + 1);
            let column = |n: u64| {
                let vertices = 0..u64::from(side * side);
                vertices.map(|vertex| register(vertex * self.stride() + n * REGISTER)).collect()
            };
            let kept = pixels().map(|_| true).collect();
            return Ok(Results { registers: (0..count).map(column).collect(), kept });
        }
        let (mut registers, mut kept) = (Vec::new(), Vec::new());
        for ((_, aspect, texel), n) in self.parts().into_iter().zip(0u64..) {
            let first = n * u64::from(side * self.pitch());
            let places = (0..u64::from(side)).cycle().zip(pixels());
            let places = places.map(|(x, row)| first + row + x * texel);
            match aspect {
                TextureAspect::StencilOnly => {
                    let stencil = places.map(|at| bytes.get(usize::try_from(at).ok()?).copied());
                    kept = stencil.map(|value| value.map(u32::from) == Some(KEPT)).collect();
                }
                TextureAspect::DepthOnly => {
                    registers.push(places.map(|at| [float(at).unwrap_or(f32::NAN); 4]).collect());
                }
                _ => registers.push(places.map(register).collect()),
            }
        }
        Ok(Results { registers, kept })
    }
}

/// Makes the pipeline of a pair.
pub(super) fn link(probe: &Probe, pair: &WgslPair, interface: &Interface) {
    let [vertex, fragment] = [&pair.vertex, &pair.fragment].map(|text| module(&probe.device, text));
    let layouts = layouts(probe, interface, &[Stage::Vertex, Stage::Fragment]);
    pipeline(probe, (&vertex, Some(&fragment)), &layouts, interface.attributes, interface, false);
}

fn module(device: &Device, text: &str) -> ShaderModule {
    let source = ShaderSource::Wgsl(text.into());
    device.create_shader_module(ShaderModuleDescriptor { label: None, source })
}

fn buffer(device: &Device, size: u64, usage: BufferUsages) -> Buffer {
    device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

fn cleared(view: &wgpu::TextureView) -> RenderPassColorAttachment<'_> {
    RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: Operations { load: LoadOp::Clear(wgpu::Color::TRANSPARENT), store: StoreOp::Store },
    }
}

fn entry(binding: u32, resource: BindingResource<'_>) -> BindGroupEntry<'_> {
    BindGroupEntry { binding, resource }
}

fn constants(interface: &Interface, stage: Stage) -> u16 {
    match stage {
        Stage::Vertex => interface.vertex_constants,
        Stage::Fragment => interface.fragment_constants,
    }
}

fn samplers(interface: &Interface, stage: Stage) -> &[Option<Sampler>] {
    match stage {
        Stage::Vertex => &interface.vertex_samplers,
        Stage::Fragment => &interface.samplers,
    }
}

/// Makes the layouts of the groups: constants, textures with their samplers, results of a vertex shader.
fn layouts(probe: &Probe, interface: &Interface, stages: &[Stage]) -> [BindGroupLayout; 3] {
    let mut entries: [Vec<BindGroupLayoutEntry>; 3] = Default::default();
    let [uniforms, textures, results] = &mut entries;
    let storage =
        |ty| BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    for &stage in stages {
        let visibility = match stage {
            Stage::Vertex => ShaderStages::VERTEX,
            Stage::Fragment => ShaderStages::FRAGMENT,
        };
        let entry = |resource: Resource, ty| {
            let binding = resource.binding().binding;
            BindGroupLayoutEntry { binding, visibility, ty, count: None }
        };
        if constants(interface, stage) > 0 {
            uniforms.push(entry(Resource::Constants(stage), storage(BufferBindingType::Uniform)));
        }
        for sampler in samplers(interface, stage).iter().flatten() {
            let kind = BindingType::Texture {
                sample_type: TextureSampleType::Float { filterable: true },
                view_dimension: view(sampler.dimension),
                multisampled: false,
            };
            textures.push(entry(Resource::Texture(stage, sampler.register), kind));
            let kind = BindingType::Sampler(SamplerBindingType::Filtering);
            textures.push(entry(Resource::Sampler(stage, sampler.register), kind));
        }
        if stage == Stage::Vertex {
            let ty = storage(BufferBindingType::Storage { read_only: false });
            results.push(BindGroupLayoutEntry { binding: 0, visibility, ty, count: None });
        }
    }
    entries.map(|entries| {
        let descriptor = BindGroupLayoutDescriptor { label: None, entries: &entries };
        probe.device.create_bind_group_layout(&descriptor)
    })
}

fn view(dimension: Dimension) -> TextureViewDimension {
    match dimension {
        Dimension::TwoD => TextureViewDimension::D2,
        Dimension::Cube => TextureViewDimension::Cube,
    }
}

/// Makes a pipeline of one or two modules whose first one reads the attributes of a bit set.
fn pipeline(
    probe: &Probe,
    (vertex, fragment): (&ShaderModule, Option<&ShaderModule>),
    [constants, textures, results]: &[BindGroupLayout; 3],
    set: u16,
    interface: &Interface,
    points: bool,
) -> RenderPipeline {
    let device = &probe.device;
    let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(constants), Some(textures), None, Some(results)],
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
    let buffers = [Some(VertexBufferLayout {
        array_stride: u64::from(set.count_ones()) * REGISTER,
        step_mode: VertexStepMode::Vertex,
        attributes: &attributes,
    })];
    let outputs = u32::from(interface.color_outputs);
    let targets: Vec<_> = (0..u32::BITS - outputs.leading_zeros())
        .map(|n| {
            let target = ColorTargetState::from(TextureFormat::Rgba32Float);
            (outputs >> n & 1 != 0).then_some(target)
        })
        .collect();
    let kept = StencilFaceState { pass_op: StencilOperation::Replace, ..StencilFaceState::IGNORE };
    let compilation_options = PipelineCompilationOptions::default();
    device.create_render_pipeline(&RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: VertexState {
            module: vertex,
            entry_point: Some(ENTRY[0]),
            compilation_options: compilation_options.clone(),
            buffers: if set == 0 { &[] } else { &buffers },
        },
        primitive: PrimitiveState {
            topology: if points {
                PrimitiveTopology::PointList
            } else {
                PrimitiveTopology::TriangleList
            },
            ..PrimitiveState::default()
        },
        depth_stencil: Some(DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(CompareFunction::Always),
            stencil: StencilState { front: kept, back: kept, read_mask: !0, write_mask: !0 },
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: MultisampleState::default(),
        fragment: fragment.map(|module| FragmentState {
            module,
            entry_point: Some(ENTRY[1]),
            compilation_options,
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn upload(probe: &Probe, texture: &Texture) -> wgpu::TextureView {
    let side = |side: usize| u32::try_from(side).unwrap_or(0);
    let faces = u32::from(texture.dimension.faces());
    let first = texture.levels.first();
    let whole = first.map_or((0, 0), |level| (side(level.width), side(level.height)));
    let made = probe.device.create_texture(&TextureDescriptor {
        label: None,
        size: size(whole.0, whole.1, faces),
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
        probe.queue.write_texture(target, texels, layout, size(width, height, faces));
    }
    made.create_view(&TextureViewDescriptor {
        dimension: Some(view(texture.dimension)),
        ..TextureViewDescriptor::default()
    })
}

/// Returns the state of a sampler; anisotropic filters become linear ones.
fn state(sampler: &Sampler) -> SamplerDescriptor<'static> {
    let (across, down) = match sampler.wrap {
        Wrap::Clamp => (AddressMode::ClampToEdge, AddressMode::ClampToEdge),
        Wrap::Repeat => (AddressMode::Repeat, AddressMode::Repeat),
        Wrap::ClampURepeatV => (AddressMode::ClampToEdge, AddressMode::Repeat),
        Wrap::RepeatUClampV => (AddressMode::Repeat, AddressMode::ClampToEdge),
    };
    let filter =
        if sampler.filter == Filter::Nearest { FilterMode::Nearest } else { FilterMode::Linear };
    let (mipmap_filter, lod_max_clamp) = match sampler.mip {
        Mip::None => (MipmapFilterMode::Nearest, 0.0),
        Mip::Nearest => (MipmapFilterMode::Nearest, 32.0),
        Mip::Linear => (MipmapFilterMode::Linear, 32.0),
    };
    SamplerDescriptor {
        address_mode_u: across,
        address_mode_v: down,
        mag_filter: filter,
        min_filter: filter,
        mipmap_filter,
        lod_max_clamp,
        ..SamplerDescriptor::default()
    }
}
