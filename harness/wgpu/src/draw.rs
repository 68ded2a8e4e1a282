//! Draws triangles: sets the state that the pass doesn't have yet.

use context3d::backend::BackendError;
use context3d::enums::TriangleFace;
use context3d::keys::{IndexBufferKey, ProgramKey, VertexBufferKey};
use context3d::packets::{
    Draw, MAX_SAMPLERS, MAX_STREAMS, PipelineId, Scissor, Stream, TextureBinding, bits,
};
use slotmap::SecondaryMap;
use wgpu::IndexFormat;

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
        let program = self.programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let Last { reset, objects_changed, .. } = self.last;
        let new_program = reset || program.id != self.last.program;
        let new_objects = new_program || objects_changed;
        let new_stream = |number: usize| draw.streams.get(number) != self.last.streams.get(number);
        let new_streams = new_objects || bits(program.live_attributes).any(new_stream);
        let new_texture =
            |unit: &Unit| draw.textures.get(unit.slot) != self.last.textures.get(unit.slot);
        let new_textures = new_objects || program.units.iter().any(new_texture);
        let new_state = new_program || Some(draw.state.id) != self.last.state;
        let mut opaque = self.last.opaque;
        if new_textures {
            opaque = self.set_textures(commands, draw)?;
        }
        let mut new_layout = false;
        if new_streams {
            new_layout = self.set_streams(commands, draw)?;
        }
        if new_state || new_layout || opaque != self.last.opaque {
            self.set_pipeline(commands, draw, opaque)?;
        }
        if reset || draw.scissor != self.last.scissor {
            self.set_scissor(commands, draw.scissor)?;
        }
        self.set_constants(commands, draw)?;
        self.set_index_buffer(commands, draw)
    }

    fn set_textures(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
    ) -> Result<[u16; 2], BackendError> {
        let Objects { programs, textures, groups, layouts, last, .. } = self;
        let program = programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let mut opaque = [0; 2];
        if !program.units.is_empty() {
            let (group, found) =
                groups.get(commands, layouts, textures, program, &draw.textures)?;
            opaque = found;
            if let Some(pass) = commands.pass.as_mut() {
                pass.set_bind_group(TEXTURES, group, &[]);
            }
        }
        last.textures = draw.textures;
        Ok(opaque)
    }

    /// Sets the vertex buffers; returns true if the pipeline must have another layout.
    fn set_streams(&mut self, commands: &mut Commands, draw: &Draw) -> Result<bool, BackendError> {
        let program = self.programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let layout = VertexLayout::of(program, &draw.streams)?;
        commands.device.takes_buffers(layout.count)?;
        let submission = commands.submission;
        let pass = commands.pass.as_mut().ok_or_else(|| missing("pass"))?;
        for (slot, (owner, first)) in (0..).zip(layout.slots).take(layout.count) {
            let stream = owner.and_then(|owner| draw.streams.get(usize::from(owner))?.as_ref());
            match stream {
                None => pass.set_vertex_buffer(slot, self.zeros.slice(..)),
                Some(stream) => {
                    let buffer = self.vertex_buffers.get_mut(stream.buffer);
                    let buffer = buffer.ok_or_else(|| missing("vertex buffer"))?;
                    buffer.used = submission;
                    let first = u64::from(first).min(buffer.handle.size().saturating_sub(4));
                    pass.set_vertex_buffer(slot, buffer.handle.slice(first..));
                }
            }
        }
        let new = layout.attributes != self.last.layout.attributes;
        (self.last.layout, self.last.streams) = (layout, draw.streams);
        Ok(new)
    }

    fn set_pipeline(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
        opaque: [u16; 2],
    ) -> Result<(), BackendError> {
        let Objects { programs, pipelines, layouts, targets, last, .. } = self;
        let program = programs.get_mut(draw.state.program).ok_or_else(|| missing("program"))?;
        let target = targets.current()?;
        let target = (target.number, &target.formats);
        let key = Key::new(program, opaque, &last.layout, &draw.state, target);
        let pipeline =
            pipelines.get(&commands.device, layouts, &key, program, &draw.state.raster)?.clone();
        let pass = commands.pass.as_mut().ok_or_else(|| missing("pass"))?;
        pass.set_pipeline(&pipeline);
        let reference = draw.state.raster.stencil_reference;
        if last.reset || last.reference != reference {
            pass.set_stencil_reference(reference.into());
        }
        (last.program, last.state, last.reference) = (program.id, Some(draw.state.id), reference);
        last.opaque = opaque;
        Ok(())
    }

    fn set_scissor(
        &mut self,
        commands: &mut Commands,
        scissor: Option<Scissor>,
    ) -> Result<(), BackendError> {
        let (width, height) = self.targets.current()?.size;
        let Scissor { x, y, width, height } =
            scissor.unwrap_or(Scissor { x: 0, y: 0, width, height });
        let pass = commands.pass.as_mut().ok_or_else(|| missing("pass"))?;
        pass.set_scissor_rect(x, y, width, height);
        self.last.scissor = scissor;
        Ok(())
    }

    #[inline]
    fn set_constants(&mut self, commands: &mut Commands, draw: &Draw) -> Result<(), BackendError> {
        let program = self.programs.get(draw.state.program).ok_or_else(|| missing("program"))?;
        let [vertex, fragment] = program.constants;
        let Commands { constants, device, pass, .. } = commands;
        let offsets = constants.offsets(device, vertex, fragment)?;
        let (chunk, group) = constants.group().ok_or_else(|| missing("constants"))?;
        let new = Some((chunk, offsets));
        if self.last.reset || self.last.constants != new {
            let pass = pass.as_mut().ok_or_else(|| missing("pass"))?;
            pass.set_bind_group(0, group, &offsets);
            self.last.constants = new;
        }
        Ok(())
    }

    #[inline]
    fn set_index_buffer(
        &mut self,
        commands: &mut Commands,
        draw: &Draw,
    ) -> Result<(), BackendError> {
        let submission = commands.submission;
        let buffer =
            self.index_buffers.get_mut(draw.index_buffer).ok_or_else(|| missing("index buffer"))?;
        if self.last.reset || self.last.index_buffer != Some(buffer.id) {
            buffer.used = submission;
            let pass = commands.pass.as_mut().ok_or_else(|| missing("pass"))?;
            pass.set_index_buffer(buffer.handle.slice(..), IndexFormat::Uint16);
            self.last.index_buffer = Some(buffer.id);
        }
        Ok(())
    }
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
