//! Support for hosts with garbage collection: user data of objects, and deferred release.

use crate::backend::Backend;
use crate::context::Context3D;
use crate::error::Error;
use crate::handle::{AnyHandle, ReleaseQueue};

impl<B: Backend> Context3D<B> {
    /// Releases an object that the program can't reach any more. Draws can still use a bound object, as in Flash; it is
    /// freed by a later `present`, object creation or [`Context3D::collect_released`], when it is unbound. Ignores
    /// disposed objects and objects of other contexts.
    ///
    /// # Errors
    /// [`Error::Backend`] if the device fails.
    pub fn release(&mut self, object: impl Into<AnyHandle>) -> Result<(), Error> {
        self.release_queue.0.push(object);
        self.collect_released()
    }

    /// Returns the queue for finalisers. The context releases an object in the queue like [`Context3D::release`].
    pub fn release_queue(&self) -> ReleaseQueue {
        self.release_queue.0.clone()
    }

    /// Frees released objects that are not bound. `present` and the creation of objects call this.
    ///
    /// # Errors
    /// [`Error::Backend`] if the device fails.
    pub fn collect_released(&mut self) -> Result<(), Error> {
        let queued = std::mem::take(&mut *self.release_queue.0.lock());
        if self.is_disposed() {
            self.released.clear();
            return Ok(());
        }
        if self.released.is_empty() && queued.is_empty() {
            return Ok(());
        }
        self.invalidate_all();
        self.released.extend(queued);
        let mut released = std::mem::take(&mut self.released);
        let mut result = Ok(());
        released.retain(|object| {
            if self.is_bound(*object) {
                return true;
            }
            let freed = match *object {
                AnyHandle::VertexBuffer(buffer) => self.vertex_buffer_dispose_impl(buffer),
                AnyHandle::IndexBuffer(buffer) => self.index_buffer_dispose_impl(buffer),
                AnyHandle::Program(program) => self.program_dispose_impl(program),
                AnyHandle::Texture(texture) => self.texture_dispose_impl(texture),
            };
            if result.is_ok() {
                result = freed;
            }
            false
        });
        self.released = released;
        result.map_err(|error| *self.call_error(error))
    }

    /// Returns whether an object is bound, and was not disposed.
    fn is_bound(&self, object: AnyHandle) -> bool {
        let state = &self.state;
        let bound = match object {
            AnyHandle::VertexBuffer(buffer) => {
                let mut streams = state.streams.iter().flatten();
                streams.any(|slot| slot.stream.buffer == self.own(buffer))
            }
            // Index buffers are arguments of draws, and can't be bound.
            AnyHandle::IndexBuffer(_) => false,
            AnyHandle::Program(program) => state.program == Some(self.own(program)),
            AnyHandle::Texture(texture) => {
                let key = self.own(texture);
                state.textures.contains(&Some(key)) || state.draws_into(key)
            }
        };
        bound && self.is_alive(object)
    }

    fn is_alive(&self, object: AnyHandle) -> bool {
        let resources = &self.resources;
        match object {
            AnyHandle::VertexBuffer(own) => resources.vertex_buffers.contains_key(self.own(own)),
            AnyHandle::IndexBuffer(own) => resources.index_buffers.contains_key(self.own(own)),
            AnyHandle::Program(own) => resources.programs.contains_key(self.own(own)),
            AnyHandle::Texture(own) => resources.textures.contains_key(self.own(own)),
        }
    }

    /// Sets the host's user data of an object, which is initially 0. Ignores disposed objects and objects of other
    /// contexts.
    pub fn set_user_data(&mut self, object: impl Into<AnyHandle>, data: u64) {
        let object = object.into();
        if self.is_alive(object) {
            self.resources.user_data.insert(object, data);
        }
    }

    /// Returns the user data of an object from [`Context3D::set_user_data`], or 0.
    pub fn user_data(&self, object: impl Into<AnyHandle>) -> u64 {
        self.resources.user_data.get(&object.into()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
#[path = "../tests/unit/objects.rs"]
mod tests;
