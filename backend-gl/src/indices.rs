//! Index buffers.

use std::rc::Rc;

use context3d::backend::BackendError;

use crate::buffer::Buffer;
use crate::caps::GlCaps;
use crate::gl::{Gl, Handle, Object};
use crate::shadow::Shadow;
use crate::workarounds::Remedy;

/// Bytes of an index in packets.
const PACKET_BYTES: u32 = 2;
/// The index that a driver may treat as primitive restart (`Remedy::WideIndices`).
const RESTART: [u8; 2] = [u8::MAX; 2];

/// An index buffer with 16-bit indices, as in packets, or with 32-bit ones.
pub(crate) struct Indices {
    buffer: Buffer,
    wide: bool,
}

impl Indices {
    /// As [`Buffer::create`].
    pub(crate) fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        (bytes, dynamic): (u32, bool),
    ) -> Result<Self, BackendError> {
        let handle: Handle<glow::Buffer> = Handle::create(gl)?;
        if caps.needs(Remedy::BindIndicesFirst) {
            shadow.index_buffer(handle.object());
        }
        Ok(Self { buffer: Buffer::of(gl, handle, bytes, dynamic)?, wide: false })
    }

    /// Replaces a part of the content.
    pub(crate) fn upload(
        &mut self,
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
        offset: u32,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let widen = !self.wide && caps.needs(Remedy::WideIndices);
        if widen && data.as_chunks().0.contains(&RESTART) {
            self.widen(gl, caps, shadow)?;
        }
        match self.wide {
            true => {
                let offset = offset.checked_mul(2).ok_or(BackendError::OutOfMemory)?;
                self.buffer.upload(gl, offset, &wide(data))
            }
            false => self.buffer.upload(gl, offset, data),
        }
    }

    /// Converts the content to 32-bit indices.
    #[cold]
    fn widen(
        &mut self,
        gl: &Rc<Gl>,
        caps: &GlCaps,
        shadow: &mut Shadow,
    ) -> Result<(), BackendError> {
        self.buffer.fill(gl);
        let bytes = self.buffer.bytes();
        let length = usize::try_from(bytes).map_err(|_| BackendError::OutOfMemory)?;
        let mut there = Vec::new();
        gl.mapped(self.buffer.name(), length, |data| there = wide(data))?;
        let bytes = bytes.checked_mul(2).ok_or(BackendError::OutOfMemory)?;
        let mut widened = Self::create(gl, caps, shadow, (bytes, self.buffer.is_dynamic()))?;
        widened.buffer.upload(gl, 0, &there)?;
        widened.wide = true;
        *self = widened;
        Ok(())
    }

    /// Fills the buffer with zeros, unless it has content.
    #[inline]
    pub(crate) fn fill(&mut self, gl: &Gl) {
        self.buffer.fill(gl);
    }

    /// The GL object.
    #[inline]
    pub(crate) fn object(&self) -> Object<glow::Buffer> {
        self.buffer.object()
    }

    /// GL's index type, and the byte offset of the first index; `None` if the range is outside of the buffer.
    #[inline]
    pub(crate) fn range(&self, first: u32, count: u32) -> Option<(u32, i32)> {
        let (data_type, bytes) = match self.wide {
            true => (glow::UNSIGNED_INT, PACKET_BYTES * 2),
            false => (glow::UNSIGNED_SHORT, PACKET_BYTES),
        };
        let offset = u64::from(first) * u64::from(bytes);
        let end = offset + u64::from(count) * u64::from(bytes);
        // The size of a buffer is an `i32`.
        let there = end <= u64::from(self.buffer.bytes());
        there.then_some((data_type, first.wrapping_mul(bytes).cast_signed()))
    }
}

/// Converts indices to 32 bits.
fn wide(data: &[u8]) -> Vec<u8> {
    let indices = data.as_chunks().0.iter();
    indices.flat_map(|&index| u32::from(u16::from_le_bytes(index)).to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::wide;

    #[test]
    fn indices_keep_their_values() {
        let data = [0x1234u16, 0xFFFF].map(u16::to_le_bytes).concat();
        let expected = [0x1234u32, 0xFFFF].map(u32::to_ne_bytes).concat();
        assert_eq!(wide(&data), expected);
    }
}
