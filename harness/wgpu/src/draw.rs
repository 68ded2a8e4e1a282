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

/// The state of the open pass.
pub(crate) struct Last {
    /// Everything below is unknown.
    pub(crate) reset: bool,
    /// Objects of wgpu were replaced.
    pub(crate) objects_changed: bool,
    program: u32,
    state: Option<PipelineId>,
    reference: u8,
    opaque: [u16; 2],
    layout: VertexLayout,
    streams: [Option<Stream>; MAX_STREAMS],
    textures: [Option<TextureBinding>; MAX_SAMPLERS],
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
            self.last.reset = true;
        }
        let result = self.set_state(commands, draw);
        if result.is_err() {
            self.last.reset = true;
            return result;
        }
        let last = draw.first_index.saturating_add(draw.index_count);
        if let Some(pass) = commands.pass.as_mut() {
            pass.draw_indexed(draw.first_index..last, 0, 0..draw.instances);
        }
        (self.last.reset, self.last.objects_changed) = (false, false);
        Ok(())
    }

    fn set_state(&mut self, commands: &mut Commands, draw: &Draw) -> Result<(), BackendError> {
        let Objects { programs, textures, groups, layouts, pipelines, last, .. } = self;
        let Commands { device, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get_mut(draw.state.program).ok_or_else(|| missing("program"))?;
        let new_program = last.reset || program.id != last.program;
        let new_objects = new_program || last.objects_changed;
        let new_stream = |number: usize| draw.streams.get(number) != last.streams.get(number);
        let new_streams = new_objects || bits(program.live_attributes).any(new_stream);
        let new_texture =
            |unit: &Unit| draw.textures.get(unit.slot) != last.textures.get(unit.slot);
        let mut opaque = last.opaque;
        if new_objects || program.units.iter().any(new_texture) {
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
            if last.reset || last.reference != raster.stencil_reference {
                pass.set_stencil_reference(raster.stencil_reference.into());
            }
            (last.program, last.state) = (program.id, Some(draw.state.id));
            (last.reference, last.opaque) = (raster.stencil_reference, opaque);
        }
        if last.reset || draw.scissor != last.scissor {
            let (width, height) = target.size;
            let whole = Scissor { x: 0, y: 0, width, height };
            let Scissor { x, y, width, height } = draw.scissor.unwrap_or(whole);
            pass.set_scissor_rect(x, y, width, height);
            last.scissor = draw.scissor;
        }
        self.set_buffers(commands, draw)
    }

    /// Sets the constants and the index buffer.
    fn set_buffers(&mut self, commands: &mut Commands, draw: &Draw) -> Result<(), BackendError> {
        let Objects { programs, index_buffers, last, .. } = self;
        let Commands { device, constants, pass, submission, .. } = commands;
        let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
        let program = programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let [vertex, fragment] = program.constants;
        let offsets = constants.offsets(device, vertex, fragment)?;
        let (chunk, group) = constants.group().ok_or_else(|| missing("constants"))?;
        if last.reset || last.constants != Some((chunk, offsets)) {
            pass.set_bind_group(0, group, &offsets);
            last.constants = Some((chunk, offsets));
        }
        let buffer = index_buffers.get_mut(draw.index_buffer);
        let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
        if last.reset || last.index_buffer != Some(buffer.id) {
            buffer.used = *submission;
            pass.set_index_buffer(buffer.handle.slice(..), IndexFormat::Uint16);
            last.index_buffer = Some(buffer.id);
        }
        Ok(())
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

impl Last {
    /// Returns a state in which everything is unknown.
    pub(crate) fn unknown() -> Self {
        Last {
            reset: true,
            objects_changed: true,
            program: 0,
            state: None,
            reference: 0,
            opaque: [0; 2],
            layout: VertexLayout::EMPTY,
            streams: [None; MAX_STREAMS],
            textures: [None; MAX_SAMPLERS],
            constants: None,
            index_buffer: None,
            scissor: None,
        }
    }
}
