//! Bindings for later draws: program, streams, textures, sampler states. Disposed objects and objects of another
//! context can be bound, but draws with them fail [context3d.life.foreign].

use agal::sampler::SamplerOp;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::{accepted, bindable, index_below};
use crate::enums::{EnumArg, MipFilter, TextureFilter, VertexFormat, WrapMode};
use crate::error::SetterError;
use crate::handle::{ObjectHandle, ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::SamplerState;
use crate::state::StreamSlot;

/// Returns the state that a sampler of an AGAL program declares, regardless of `ignoresampler`.
impl From<&SamplerOp> for SamplerState {
    fn from(sampler: &SamplerOp) -> Self {
        Self { wrap: sampler.wrap, filter: sampler.filter, mip: sampler.mip }
    }
}

impl<B: Backend> Context3D<B> {
    /// Binds a program, and writes the sampler states of its AGAL into the slots that it uses
    /// [context3d.program.samplers]. A later upload of the program doesn't change the slots. Where a vertex and a
    /// fragment sampler share a slot, the fragment program's flags win [context3d.profile.vertex_samplers].
    #[inline]
    pub(crate) fn set_program_impl(
        &mut self,
        program: Option<ObjectHandle<ProgramKey>>,
    ) -> Result<(), SetterError> {
        let program = program.map(|program| self.own(program));
        if let Some(key) = program {
            let alive = self.resources.programs.get(key);
            bindable(key, alive.is_some())?;
            for (slot, own) in alive.map_or(&[][..], |program| &program.samplers) {
                self.state.samplers[*slot] = *own;
            }
        }
        self.state.program = program;
        Ok(())
    }

    #[inline]
    pub(crate) fn set_vertex_buffer_at_impl(
        &mut self,
        index: i32,
        buffer: Option<ObjectHandle<VertexBufferKey>>,
        offset: i32,
        format: EnumArg<'_, VertexFormat>,
    ) -> Result<(), SetterError> {
        // The format argument is ignored if the buffer is null (capture errors).
        let Some(buffer) = buffer else {
            let index = index_below(index, self.registers.attributes)?;
            self.state.streams[index] = None;
            return Ok(());
        };
        let key = self.own(buffer);
        let format = accepted(format, &"vertexStreamFormat")?;
        let alive = self.resources.vertex_buffers.get(key);
        bindable(key, alive.is_some())?;
        let index = index_below(index, self.registers.attributes)?;
        if index >= usize::from(self.backend.caps().max_streams) {
            return Err(SetterError::beyond_device(&"vertex streams"));
        }
        let buffer = alive.copied().unwrap_or_default();
        self.state.streams[index] = Some(StreamSlot::new(key, &buffer.on_device(), offset, format));
        Ok(())
    }

    #[inline]
    pub(crate) fn set_texture_at_impl(
        &mut self,
        sampler: i32,
        texture: Option<ObjectHandle<TextureKey>>,
    ) -> Result<(), SetterError> {
        let texture = texture.map(|texture| self.own(texture));
        let sampler = index_below(sampler, self.registers.samplers)?;
        if let Some(texture) = texture {
            bindable(texture, self.resources.textures.contains_key(texture))?;
        }
        if texture.is_some() && sampler >= usize::from(self.backend.caps().max_samplers) {
            return Err(SetterError::beyond_device(&"samplers"));
        }
        self.state.textures[sampler] = texture;
        Ok(())
    }

    /// Sets the state of a sampler slot. A later `setProgram` may set the state again.
    #[inline]
    pub(crate) fn set_sampler_state_at_impl(
        &mut self,
        sampler: i32,
        wrap: EnumArg<'_, WrapMode>,
        filter: EnumArg<'_, TextureFilter>,
        mip: EnumArg<'_, MipFilter>,
    ) -> Result<(), SetterError> {
        let state = SamplerState {
            wrap: accepted(wrap, &"wrap")?,
            filter: accepted(filter, &"filter")?,
            mip: accepted(mip, &"mipfilter")?,
        };
        let sampler = index_below(sampler, self.registers.samplers)?;
        self.state.samplers[sampler] = state;
        Ok(())
    }
}
