//! Draws triangles: sets the state that the pass doesn't have yet.

use context3d::backend::BackendError;
use context3d::enums::TriangleFace;
use context3d::keys::{IndexBufferKey, ProgramKey, VertexBufferKey};
use context3d::packets::{
    Draw, MAX_SAMPLERS, MAX_STREAMS, PipelineId, Scissor, Stream, TextureBinding, bits,
};
use slotmap::SecondaryMap;
use wgpu::{IndexFormat, RenderPass};

use crate::bind::Groups;
use crate::buffer::Buffer;
use crate::commands::Commands;
use crate::pipeline::{Key, Pipelines};
use crate::program::{Layouts, Program, TEXTURES, Unit, missing};
use crate::target::Targets;
use crate::texture::Textures;
use crate::vertex_layout::VertexLayout;

/// The objects of one `Context3D`.
pub(crate) struct Objects {
    pub(crate) vertex_buffers: SecondaryMap<VertexBufferKey, Buffer>,
    pub(crate) index_buffers: SecondaryMap<IndexBufferKey, Buffer>,
    pub(crate) programs: SecondaryMap<ProgramKey, Program>,
    pub(crate) textures: Textures,
    pub(crate) targets: Targets,
    pub(crate) layouts: Layouts,
    pub(crate) pipelines: Pipelines,
    pub(crate) groups: Groups,
    /// Is read by attributes without a stream.
    pub(crate) zeros: wgpu::Buffer,
    pub(crate) last: Last,
}

/// The state of the open pass; the default is an unknown one.
#[derive(Default)]
pub(crate) struct Last {
    /// 0 is unknown: programs begin with 1.
    program: u32,
    state: Option<PipelineId>,
    reference: Option<u8>,
    opaque: [u16; 2],
    layout: VertexLayout,
    /// Empty if a buffer was replaced.
    pub(crate) streams: [Option<Stream>; MAX_STREAMS],
    /// Empty if a view was replaced.
    pub(crate) textures: [Option<TextureBinding>; MAX_SAMPLERS],
    /// The chunk and the offsets.
    constants: Option<(usize, [u32; 2])>,
    index_buffer: Option<u64>,
    scissor: Option<Scissor>,
}

impl Objects {
    /// Draws triangles into the target.
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
        if commands.pass.is_none() {
            self.targets.begin(commands)?;
            self.last = Last::default();
        }
        self.set_state(commands, draw).inspect_err(|_| self.last = Last::default())?;
        let last = draw.first_index.saturating_add(draw.index_count);
        if let Some(pass) = commands.pass.as_mut() {
            pass.draw_indexed(draw.first_index..last, 0, 0..draw.instances);
        }
        Ok(())
    }

    fn set_state(&mut self, commands: &mut Commands, draw: &Draw) -> Result<(), BackendError> {
        let Objects { programs, textures, groups, layouts, pipelines, last, .. } = self;
        let Commands { device, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get_mut(draw.state.program).ok_or_else(|| missing("program"))?;
        let new_program = program.id != last.program;
        let new_stream = |number: usize| draw.streams.get(number) != last.streams.get(number);
        let new_streams = new_program || bits(program.live_attributes).any(new_stream);
        let new_texture =
            |unit: &Unit| draw.textures.get(unit.slot) != last.textures.get(unit.slot);
        let mut opaque = last.opaque;
        if new_program || program.units.iter().any(new_texture) {
            (opaque, last.textures) = ([0; 2], draw.textures);
            if !program.units.is_empty() {
                let bound = (&*program, &draw.textures);
                let (group, found) = groups.get(device, *submission, layouts, textures, bound)?;
                opaque = found;
                pass.set_bind_group(TEXTURES, group, &[]);
            }
        }
        let mut new_layout = false;
        if new_streams {
            let layout = VertexLayout::of(program, &draw.streams)?;
            device.takes_buffers(layout.count)?;
            let (buffers, zeros) = (&mut self.vertex_buffers, &self.zeros);
            set_streams(pass, buffers, zeros, &layout, &draw.streams, *submission)?;
            new_layout = layout.attributes != last.layout.attributes;
            (last.layout, last.streams) = (layout, draw.streams);
        }
        let target = self.targets.current()?;
        let new_state = new_program || Some(draw.state.id) != last.state;
        if new_state || new_layout || opaque != last.opaque {
            let target = (target.number, &target.formats);
            let key = Key::new(program, opaque, &last.layout, &draw.state, target);
            let raster = &draw.state.raster;
            pass.set_pipeline(pipelines.get(device, layouts, &key, program, raster)?);
            if last.reference.replace(raster.stencil_reference) != Some(raster.stencil_reference) {
                pass.set_stencil_reference(raster.stencil_reference.into());
            }
            (last.program, last.state, last.opaque) = (program.id, Some(draw.state.id), opaque);
        }
        let (width, height) = target.size;
        let scissor = draw.scissor.unwrap_or(Scissor { x: 0, y: 0, width, height });
        if last.scissor.replace(scissor) != Some(scissor) {
            pass.set_scissor_rect(scissor.x, scissor.y, scissor.width, scissor.height);
        }
        self.set_buffers(commands, draw)
    }

    /// Sets the constants and the index buffer.
    fn set_buffers(&mut self, commands: &mut Commands, draw: &Draw) -> Result<(), BackendError> {
        let Objects { programs, index_buffers, last, .. } = self;
        let Commands { device, constants, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let offsets = constants.offsets(device, program.constants)?;
        let (chunk, group) = constants.group().ok_or_else(|| missing("constants"))?;
        if last.constants.replace((chunk, offsets)) != Some((chunk, offsets)) {
            pass.set_bind_group(0, group, &offsets);
        }
        let buffer = index_buffers.get_mut(draw.index_buffer);
        let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
        if last.index_buffer.replace(buffer.id) != Some(buffer.id) {
            buffer.used = *submission;
            pass.set_index_buffer(buffer.handle.slice(..), IndexFormat::Uint16);
        }
        Ok(())
    }

    /// Forgets the groups with a view that is gone.
    pub(crate) fn view_gone(&mut self, view: Option<u32>) {
        if let Some(view) = view {
            self.groups.view_gone(view);
            self.last.textures = Default::default();
        }
    }
}

/// Sets the vertex buffers.
fn set_streams(
    pass: &mut RenderPass<'_>,
    buffers: &mut SecondaryMap<VertexBufferKey, Buffer>,
    zeros: &wgpu::Buffer,
    layout: &VertexLayout,
    streams: &[Option<Stream>; MAX_STREAMS],
    submission: u64,
) -> Result<(), BackendError> {
    for (slot, (owner, first)) in (0..).zip(layout.slots).take(layout.count) {
        let stream = owner.and_then(|owner| streams.get(usize::from(owner))?.as_ref());
        let Some(stream) = stream else {
            pass.set_vertex_buffer(slot, zeros.slice(..));
            continue;
        };
        let buffer = buffers.get_mut(stream.buffer).ok_or_else(|| missing("vertex buffer"))?;
        buffer.used = submission;
        let first = u64::from(first).min(buffer.handle.size().saturating_sub(4));
        pass.set_vertex_buffer(slot, buffer.handle.slice(first..));
    }
    Ok(())
}
