//! Draws triangles. Sets only state that differs from the last draw.

use context3d::backend::BackendError;
use context3d::enums::TriangleFace;
use context3d::keys::{IndexBufferKey, ProgramKey, VertexBufferKey};
use context3d::packets::{
    Draw, MAX_SAMPLERS, MAX_STREAMS, PipelineId, Scissor, Stream, TextureBinding, bits,
};
use slotmap::SecondaryMap;
use wgpu::{BindGroup, IndexFormat, RenderPipeline};

use crate::bind::BindGroups;
use crate::buffer::WgpuBuffer;
use crate::commands::Commands;
use crate::pipeline::{PipelineKey, Pipelines};
use crate::program::{Layouts, ProgramSampler, TEXTURES, WgpuProgram, missing};
use crate::target::WgpuTargets;
use crate::texture::WgpuTextures;
use crate::vertex_layout::VertexLayout;

/// The wgpu objects of one `Context3D`.
pub(crate) struct WgpuObjects {
    pub(crate) vertex_buffers: SecondaryMap<VertexBufferKey, WgpuBuffer>,
    pub(crate) index_buffers: SecondaryMap<IndexBufferKey, WgpuBuffer>,
    pub(crate) programs: SecondaryMap<ProgramKey, WgpuProgram>,
    pub(crate) textures: WgpuTextures,
    pub(crate) targets: WgpuTargets,
    pub(crate) layouts: Layouts,
    pub(crate) pipelines: Pipelines,
    pub(crate) groups: BindGroups,
    /// A buffer of zeros, which is bound for attributes without a vertex stream.
    pub(crate) zeros: wgpu::Buffer,
    pub(crate) last: LastDraw,
}

/// The state of the last draw, which a new render pass sets again without a search in the caches.
#[derive(Default)]
pub(crate) struct LastDraw {
    submission: u64,
    /// The id of the program. 0 means unknown, because ids begin with 1.
    program: u32,
    state: Option<PipelineId>,
    /// The index of the render target's formats.
    target: u32,
    pipeline: Option<RenderPipeline>,
    group: Option<BindGroup>,
    opaque: [u16; 2],
    layout: VertexLayout,
    /// The vertex streams; all `None` after a buffer was replaced.
    pub(crate) streams: [Option<Stream>; MAX_STREAMS],
    /// The texture bindings; all `None` after a view was replaced.
    pub(crate) textures: [Option<TextureBinding>; MAX_SAMPLERS],
    pass: PassState,
}

/// The state of the open render pass that isn't in [`LastDraw`]. The default is the state of a new pass.
#[derive(Default)]
struct PassState {
    stencil_reference: u8,
    scissor: Option<Scissor>,
    /// The index of the constants' buffer in the ring, and the offsets of both stages.
    constants: Option<(usize, [u32; 2])>,
    index_buffer: Option<u64>,
}

impl WgpuObjects {
    /// Draws triangles to the current render target.
    pub(crate) fn draw(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
    ) -> Result<(), BackendError> {
        if draw.index_count == 0
            || draw.instances == 0
            || draw.state.raster.cull == TriangleFace::FrontAndBack
        {
            return Ok(());
        }
        if commands.constants.is_full() {
            commands.submit()?;
        }
        let new_pass = commands.pass.is_none();
        if new_pass {
            self.targets.begin(commands)?;
            if self.last.submission != commands.submission {
                self.last = LastDraw { submission: commands.submission, ..LastDraw::default() };
            }
            self.last.pass = PassState::default();
        }
        self.set_state(commands, draw, new_pass).inspect_err(|_| self.last.program = 0)?;
        let last = draw.first_index.saturating_add(draw.index_count);
        if let Some(pass) = commands.pass.as_mut() {
            pass.draw_indexed(draw.first_index..last, 0, 0..draw.instances);
        }
        Ok(())
    }

    fn set_state(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
        new_pass: bool,
    ) -> Result<(), BackendError> {
        let WgpuObjects { programs, textures, groups, layouts, pipelines, last, .. } = self;
        let Commands { device, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get_mut(draw.state.program).ok_or_else(|| missing("program"))?;
        let new_program = program.id != last.program;
        let new_stream = |number: usize| draw.streams.get(number) != last.streams.get(number);
        let new_streams = new_program || bits(program.live_attributes).any(new_stream);
        let new_texture =
            |unit: &ProgramSampler| draw.textures.get(unit.slot) != last.textures.get(unit.slot);
        let mut opaque = last.opaque;
        let new_textures = new_program || program.units.iter().any(new_texture);
        if new_textures {
            (opaque, last.textures, last.group) = ([0; 2], draw.textures, None);
            if !program.units.is_empty() {
                let bound = (&*program, &draw.textures);
                let (group, found) = groups.get(device, *submission, layouts, textures, bound)?;
                (opaque, last.group) = (found, Some(group.clone()));
            }
        }
        if let Some(group) = last.group.as_ref().filter(|_| new_textures || new_pass) {
            pass.set_bind_group(TEXTURES, group, &[]);
        }
        let mut new_layout = false;
        if new_streams {
            let layout = VertexLayout::of(program, &draw.streams)?;
            device.takes_buffers(layout.count)?;
            new_layout = layout.attributes != last.layout.attributes;
            (last.layout, last.streams) = (layout, draw.streams);
        }
        let target = self.targets.current()?;
        let now = (program.id, Some(draw.state.id), target.number, opaque);
        let new_state = now != (last.program, last.state, last.target, last.opaque) || new_layout;
        if new_state {
            let target = (target.number, &target.formats);
            let key = PipelineKey::new(program, opaque, &last.layout, &draw.state, target);
            let pipeline = pipelines.get(device, layouts, &key, program, &draw.state.raster)?;
            last.pipeline = Some(pipeline.clone());
            (last.program, last.state, last.target, last.opaque) = now;
        }
        if let Some(pipeline) = last.pipeline.as_ref().filter(|_| new_state || new_pass) {
            pass.set_pipeline(pipeline);
            let reference = draw.state.raster.stencil_reference;
            if std::mem::replace(&mut last.pass.stencil_reference, reference) != reference {
                pass.set_stencil_reference(reference.into());
            }
        }
        if std::mem::replace(&mut last.pass.scissor, draw.scissor) != draw.scissor {
            let (width, height) = target.size;
            let whole = Scissor { x: 0, y: 0, width, height };
            let Scissor { x, y, width, height } = draw.scissor.unwrap_or(whole);
            pass.set_scissor_rect(x, y, width, height);
        }
        self.set_buffers(commands, draw, new_streams || new_pass)
    }

    /// Sets the vertex buffers (if `new_streams` is set), the constants and the index buffer.
    fn set_buffers(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
        new_streams: bool,
    ) -> Result<(), BackendError> {
        let WgpuObjects { programs, vertex_buffers, index_buffers, zeros, last, .. } = self;
        let Commands { device, constants, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let count = if new_streams { last.layout.count } else { 0 };
        for (slot, (owner, first)) in (0..).zip(last.layout.slots).take(count) {
            let stream = owner.and_then(|owner| draw.streams.get(usize::from(owner))?.as_ref());
            let Some(stream) = stream else {
                pass.set_vertex_buffer(slot, zeros.slice(..));
                continue;
            };
            let buffer = vertex_buffers.get_mut(stream.buffer);
            let buffer = buffer.ok_or_else(|| missing("vertex buffer"))?;
            buffer.used = *submission;
            let first = u64::from(first).min(buffer.handle.size().saturating_sub(4));
            pass.set_vertex_buffer(slot, buffer.handle.slice(first..));
        }
        let offsets = constants.offsets(device, program.constants)?;
        let (chunk, group) = constants.group().ok_or_else(|| missing("constants"))?;
        if last.pass.constants.replace((chunk, offsets)) != Some((chunk, offsets)) {
            pass.set_bind_group(0, group, &offsets);
        }
        let buffer = index_buffers.get_mut(draw.index_buffer);
        let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
        if last.pass.index_buffer.replace(buffer.id) != Some(buffer.id) {
            buffer.used = *submission;
            pass.set_index_buffer(buffer.handle.slice(..), IndexFormat::Uint16);
        }
        Ok(())
    }
}
