//! Streams that are too short for the draw: their buffers are padded with zeros, because OpenGL's reads past the end of
//! a buffer are undefined, even with robust buffer access.

use context3d::backend::BackendError;
use context3d::keys::VertexBufferKey;
use context3d::packets::{Draw, Stream};

use crate::backend::Objects;
use crate::buffer::Buffer;
use crate::device::DrawError;
use crate::draw::has_bit;
use crate::execute::missing;

/// Number of vertices that 16-bit indices can address.
const VERTICES: u64 = 1 << 16;
/// Bytes of the largest attribute.
const ATTRIBUTE: u64 = 16;
/// Total padding in bytes beyond which buffers that the draw doesn't use lose theirs. One draw may need more: up to 17
/// MB for each of its streams.
const MAX_PADDING: u64 = 128 << 20;

impl Objects {
    /// Pads the buffers of the draw's short streams, so that every index reads zeros past their ends. Must be called
    /// before any attribute is bound, because buffers are replaced.
    #[cold]
    pub(crate) fn pad_streams(&mut self, draw: &Draw) -> Result<(), DrawError> {
        for (register, stream) in draw.streams.iter().enumerate() {
            if has_bit(draw.short_streams, register)
                && let Some(stream) = stream
            {
                self.pad(stream, draw)?;
            }
        }
        Ok(())
    }

    fn pad(&mut self, stream: &Stream, draw: &Draw) -> Result<(), BackendError> {
        // For any offset of the first element in the buffer.
        let wanted = VERTICES * u64::from(stream.stride) + ATTRIBUTE;
        let buffer = self.vertex_buffers.get(stream.buffer);
        let padding = u64::from(buffer.ok_or_else(|| missing("vertex buffer"))?.padding());
        if padding >= wanted {
            return Ok(());
        }
        if self.padding.saturating_add(wanted) > MAX_PADDING {
            self.drop_padding(draw)?;
        }
        let wanted = u32::try_from(wanted).map_err(|_| BackendError::OutOfMemory)?;
        self.set_padding(stream.buffer, wanted)
    }

    /// Removes the padding from all buffers that the draw does not use.
    fn drop_padding(&mut self, draw: &Draw) -> Result<(), BackendError> {
        let used = |key| draw.streams.iter().flatten().any(|s| s.buffer == key);
        let padded =
            |(key, buffer): &(VertexBufferKey, &Buffer)| buffer.padding() > 0 && !used(*key);
        let keys: Vec<_> = self.vertex_buffers.iter().filter(padded).map(|(key, _)| key).collect();
        keys.into_iter().try_for_each(|key| self.set_padding(key, 0))
    }

    fn set_padding(&mut self, key: VertexBufferKey, padding: u32) -> Result<(), BackendError> {
        let Some(buffer) = self.vertex_buffers.get_mut(key) else {
            return Ok(());
        };
        let moved = buffer.padded(&self.gl, padding)?;
        let old = std::mem::replace(buffer, moved);
        let others = self.padding.saturating_sub(u64::from(old.padding()));
        self.padding = others.saturating_add(u64::from(padding));
        Ok(())
    }
}
