//! The inputs of later draws: program, streams, textures.

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::{accepted, index_below};
use crate::enums::{Name, VertexFormat};
use crate::error::{Error, ErrorCode};
use crate::handle::{Handle, ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::slot_samplers;
use crate::resource::alive;
use crate::stale::{Stale, bits};
use crate::state::StreamSlot;

/// Error for a slot that the profile has and the device doesn't. Never seen if the host grants only profiles that the
/// device supports.
#[cold]
fn beyond_device(what: &str) -> Error {
    Error::Unsupported(format!("more {what} than the device has"))
}

impl<B: Backend> Context3D<B> {
    /// Also writes the sampler state of the program's AGAL into the slots it uses (`context3d.md`, setSamplerStateAt).
    /// A later upload of the program doesn't change the slots. Where a vertex and a fragment sampler share a slot, the
    /// fragment program's flags win (unverified).
    pub(crate) fn bind_program(
        &mut self,
        program: Option<Handle<ProgramKey>>,
    ) -> Result<(), Error> {
        let program = program.map(|program| self.own(program));
        if let Some(key) = program {
            let program = alive(&self.resources.programs, key)?;
            if let Some(interface) = &program.interface {
                for slot in bits(program.slots) {
                    let state = &mut self.state.samplers[slot];
                    for sampler in slot_samplers(interface, slot) {
                        let own = sampler.into();
                        if !sampler.ignore_sampler && *state != own {
                            *state = own;
                            self.checked.stale.add(Stale::TEXTURES);
                        }
                    }
                }
            }
        }
        if self.state.program != program {
            self.state.program = program;
            self.checked.stale.add(Stale::PROGRAM);
        }
        Ok(())
    }

    pub(crate) fn bind_stream(
        &mut self,
        index: i32,
        buffer: Option<Handle<VertexBufferKey>>,
        offset: i32,
        format: Name<'_, VertexFormat>,
    ) -> Result<(), Error> {
        let slot = match buffer {
            // The format is ignored for a null buffer (capture errors).
            None => None,
            Some(buffer) => {
                let buffer = self.own(buffer);
                let format = accepted(format, "vertexStreamFormat")?;
                if !self.resources.vertex_buffers.contains_key(buffer) {
                    return Err(ErrorCode::Disposed.into());
                }
                Some(StreamSlot {
                    buffer,
                    offset,
                    format,
                })
            }
        };
        let index = index_below(index, self.registers.attributes)?;
        if slot.is_some() && index >= usize::from(self.backend.caps().max_streams) {
            return Err(beyond_device("vertex streams"));
        }
        if self.state.streams[index] != slot {
            self.state.streams[index] = slot;
            self.checked.stale.add(Stale::STREAMS);
        }
        Ok(())
    }

    pub(crate) fn bind_texture(
        &mut self,
        sampler: i32,
        texture: Option<Handle<TextureKey>>,
    ) -> Result<(), Error> {
        let texture = texture.map(|texture| self.own(texture));
        let sampler = index_below(sampler, self.registers.samplers)?;
        if texture.is_some_and(|texture| !self.resources.textures.contains_key(texture)) {
            return Err(ErrorCode::Disposed.into());
        }
        if texture.is_some() && sampler >= usize::from(self.backend.caps().max_samplers) {
            return Err(beyond_device("samplers"));
        }
        if self.state.textures[sampler] != texture {
            self.state.textures[sampler] = texture;
            self.checked.stale.add(Stale::TEXTURES);
        }
        Ok(())
    }
}
