//! Encodes runs: their inputs, draws and reads of the results.

use agal::Stage;
use agal::wgsl::WgslResource;
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindingResource, Buffer,
    BufferUsages, CommandEncoder, LoadOp, Operations, RenderPassColorAttachment,
    RenderPassDepthStencilAttachment, RenderPassDescriptor, RenderPipeline, StoreOp,
    TexelCopyBufferInfo, TexelCopyBufferLayout, TextureAspect,
};

use super::resources::{
    DEPTH, KEPT, REGISTER, constants, layouts, module, pipeline, samplers, state, upload,
};
use super::text::{RESULTS, modules};
use super::{ProbeResults, ProbeRun, ProbeShader, WgpuRunError, WgpuRunner, bits};
use crate::device::buffer_of;
use crate::format::extent;
use crate::program::ProgramSampler;
use crate::version::mapped_bytes;

/// A compiled shader that can run any number of times.
pub(super) struct ProbeJob<'a> {
    probe: &'a WgpuRunner,
    shader: &'a ProbeShader<'a>,
    layouts: [BindGroupLayout; 3],
    pipeline: RenderPipeline,
}

/// A result of a fragment shader: the index of its render target, the aspect, and the bytes per texel.
type ProbePart = (usize, TextureAspect, u64);

impl<'a> ProbeJob<'a> {
    pub(super) fn new(
        probe: &'a WgpuRunner,
        shader: &'a ProbeShader<'a>,
    ) -> Result<ProbeJob<'a>, WgpuRunError> {
        let (vertex, fragment) = modules(shader, probe.side)?;
        let vertex = module(&probe.device, vertex);
        let fragment = fragment.map(|made| module(&probe.device, made));
        let layouts = layouts(probe, shader.interface, &[shader.stage]);
        let set = match shader.stage {
            Stage::Vertex => shader.interface.attributes,
            Stage::Fragment => shader.interface.varyings,
        };
        let points = shader.stage == Stage::Vertex || !shader.linear;
        let pipeline =
            pipeline(probe, (&vertex, fragment.as_ref()), &layouts, set, shader.interface, points);
        Ok(ProbeJob { probe, shader, layouts, pipeline })
    }

    fn vertices(&self) -> u32 {
        if self.shader.stage == Stage::Fragment && self.shader.linear {
            3
        } else {
            self.probe.side * self.probe.side
        }
    }

    /// Returns the bytes of the inputs as interleaved vertices.
    fn inputs(&self, run: &ProbeRun<'_>) -> Result<Vec<u8>, WgpuRunError> {
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
                    WgpuRunError::Input(format!("{kind} {n} has {} values", values.len()))
                })?;
                bytes.extend(value.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        Ok(bytes)
    }

    /// Returns a plane's value at a vertex of the drawn triangle. The triangle is twice as wide and high as the grid of
    /// pixels.
    fn corner(&self, plane: &[[f32; 4]], vertex: u32) -> Option<[f32; 4]> {
        let &[mut value, right, down] = plane else { return None };
        #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
        let [x, y] = [vertex & 1, vertex >> 1].map(|n| (n * 2 * self.probe.side) as f32 - 0.5);
        for ((value, right), down) in value.iter_mut().zip(right).zip(down) {
            *value += x * right + y * down;
        }
        Some(value)
    }

    /// Encodes the commands of a run. Returns the buffer that receives the results.
    pub(super) fn encode(
        &self,
        encoder: &mut CommandEncoder,
        run: &ProbeRun<'_>,
    ) -> Result<Buffer, WgpuRunError> {
        let device = &self.probe.device;
        let instances = match self.shader.stage {
            Stage::Vertex => run.instance + 1,
            Stage::Fragment => 1,
        };
        let of_instance = u64::from(self.vertices()) * self.stride();
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let stored = buffer_of(device, of_instance * u64::from(instances), usage);
        let groups = self.groups(run, &stored)?;
        let inputs = device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: &self.inputs(run)?,
            usage: BufferUsages::VERTEX,
        });
        self.draw(encoder, &groups, &inputs, instances);
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        Ok(match self.shader.stage {
            Stage::Vertex => {
                let output = buffer_of(device, of_instance, usage);
                let first = u64::from(run.instance) * of_instance;
                encoder.copy_buffer_to_buffer(&stored, first, &output, 0, of_instance);
                output
            }
            Stage::Fragment => self.copy_targets(encoder, usage),
        })
    }

    fn draw(
        &self,
        encoder: &mut CommandEncoder,
        groups: &[BindGroup; 3],
        inputs: &Buffer,
        instances: u32,
    ) {
        let colors = match self.shader.stage {
            Stage::Vertex => 0,
            Stage::Fragment => self.shader.interface.color_outputs,
        };
        let view = |n| (colors >> n & 1 != 0).then(|| self.probe.view(n)).flatten();
        let views: Vec<_> = (0..DEPTH).map(view).collect();
        let attachments: Vec<_> = views.iter().map(|view| view.as_ref().map(cleared)).collect();
        let last = attachments.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let depth = self.probe.view(DEPTH);
        let depth = depth.as_ref().map(|view| RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(Operations { load: LoadOp::Clear(0.0), store: StoreOp::Store }),
            stencil_ops: Some(Operations { load: LoadOp::Clear(0), store: StoreOp::Store }),
        });
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            color_attachments: attachments.get(..last).unwrap_or_default(),
            depth_stencil_attachment: depth,
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

    /// Returns the number of result bytes per vertex.
    fn stride(&self) -> u64 {
        REGISTER * u64::from(self.shader.interface.varyings.count_ones() + 1)
    }

    /// Returns the results of a fragment shader; the last is the stencil, which marks pixels that are not discarded.
    fn parts(&self) -> Vec<ProbePart> {
        let interface = self.shader.interface;
        let colors = bits(interface.color_outputs.into());
        let colors = colors.map(|n| (usize::from(n), TextureAspect::All, REGISTER));
        let depth = interface.depth_output.then_some((DEPTH, TextureAspect::DepthOnly, 4));
        colors.chain(depth).chain([(DEPTH, TextureAspect::StencilOnly, 1)]).collect()
    }

    /// Returns the number of bytes per row when a render target is copied to a buffer.
    fn pitch(&self) -> u32 {
        (self.probe.side * 16).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
    }

    fn copy_targets(&self, encoder: &mut CommandEncoder, usage: BufferUsages) -> Buffer {
        let (side, pitch) = (self.probe.side, self.pitch());
        let image = u64::from(side * pitch);
        let parts = self.parts();
        let output = buffer_of(&self.probe.device, image * parts.len() as u64, usage);
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
            encoder.copy_texture_to_buffer(source, to, extent(side, side, 1));
        }
        output
    }

    /// Creates the bind groups of a run.
    fn groups(&self, run: &ProbeRun<'_>, stored: &Buffer) -> Result<[BindGroup; 3], WgpuRunError> {
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
                WgpuRunError::Input(format!("sampler {} has no texture", sampler.register))
            })?;
            if texture.dimension != sampler.dimension {
                let text = format!("sampler {} has a texture of another kind", sampler.register);
                return Err(WgpuRunError::Input(text));
            }
            Ok((sampler, upload(self.probe, texture), device.create_sampler(&state(sampler))))
        });
        let views: Vec<_> = views.collect::<Result<_, _>>()?;
        let both = views.iter().flat_map(|(sampler, view, state)| {
            let [texture, place] = ProgramSampler::new(stage, 0, sampler).bindings();
            let view = entry(texture, BindingResource::TextureView(view));
            [view, entry(place, BindingResource::Sampler(state))]
        });
        let binding = WgslResource::Constants(stage).binding().binding;
        let constants = (!bytes.is_empty()).then(|| entry(binding, uniforms.as_entire_binding()));
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

    /// Reads the results of a run from its buffer.
    pub(super) fn results(&self, output: &Buffer) -> Result<ProbeResults, WgpuRunError> {
        let bytes = mapped_bytes(output).ok_or(WgpuRunError::Lost)?;
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
            return Ok(ProbeResults { registers: (0..count).map(column).collect(), kept });
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
        Ok(ProbeResults { registers, kept })
    }
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
