//! Vertex and index buffers.

use std::borrow::Cow;
use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::keys::{IndexBufferKey, VertexBufferKey};
use context3d::packets::{Draw, MAX_STREAMS, Stream, bits};
use slotmap::SecondaryMap;

use crate::device::DeviceState;
use crate::gl::{GlFunctions, GlHandle, LabelTarget};
use crate::packet::missing;
use crate::shadow::Shadow;
use crate::workarounds::Remedy;

/// Zeros for filling new buffers in pieces of this size.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// The bind target for uploads, which draws don't use: uploads change neither the vertex array nor the state cache.
const UPLOAD: u32 = glow::COPY_WRITE_BUFFER;

/// Bytes per index in packets.
const INDEX: u32 = 2;

/// A GL buffer object and its size.
pub(crate) struct GlBuffer {
    pub(crate) handle: GlHandle<glow::Buffer>,
    bytes: u32,
    /// The size without padding.
    used: u32,
    dynamic: bool,
    /// True while the GL buffer's content is undefined; readers must see zeros instead.
    unwritten: bool,
}

impl GlBuffer {
    /// Creates a buffer with undefined content. [`GlBuffer::fill`] must run before its first use; most buffers are
    /// overwritten completely before.
    fn create(
        gl: &GlFunctions,
        handle: GlHandle<glow::Buffer>,
        bytes: u32,
        dynamic: bool,
    ) -> Result<Self, BackendError> {
        let size = i32::try_from(bytes).map_err(|_| BackendError::OutOfMemory)?;
        let usage = if dynamic { glow::DYNAMIC_DRAW } else { glow::STATIC_DRAW };
        // The first bind creates the object. If the bind fails, no later call must change the previously bound buffer.
        gl.bind_buffer(UPLOAD, None);
        gl.bind_buffer(UPLOAD, Some(handle.name()));
        gl.buffer_data_size(UPLOAD, size, usage);
        gl.check("creating a buffer")?;
        Ok(Self { handle, bytes, used: bytes, dynamic, unwritten: true })
    }

    /// Returns a new buffer of `bytes` bytes with a copy of the content without padding; the rest is zero.
    fn padded(&mut self, gl: &Rc<GlFunctions>, bytes: u32) -> Result<Self, BackendError> {
        self.fill(gl)?;
        let mut copy = Self::create(gl, GlHandle::create(gl)?, bytes, self.dynamic)?;
        copy.fill(gl)?;
        // The conversion can't fail, because the buffer's size fits in an `i32`.
        let used =
            i32::try_from(self.used.min(self.bytes)).map_err(|_| BackendError::OutOfMemory)?;
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(self.handle.name()));
        gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, UPLOAD, 0, 0, used);
        gl.check("copying a buffer")?;
        copy.used = self.used;
        Ok(copy)
    }

    /// Fills the buffer with zeros, unless it has content.
    #[inline]
    fn fill(&mut self, gl: &GlFunctions) -> Result<(), BackendError> {
        if self.unwritten { self.write_zeros(gl) } else { Ok(()) }
    }

    #[cold]
    fn write_zeros(&mut self, gl: &GlFunctions) -> Result<(), BackendError> {
        gl.log_errors("an earlier call")?;
        gl.bind_buffer(UPLOAD, Some(self.handle.name()));
        let (mut offset, size) = (0usize, self.bytes as usize);
        while offset < size {
            let piece = ZEROS.get(..size - offset).unwrap_or(&ZEROS);
            // The offset fits in an `i32`, because the buffer's size does.
            gl.buffer_sub_data(UPLOAD, i32::try_from(offset).unwrap_or(i32::MAX), piece);
            offset += piece.len();
        }
        gl.check("filling a buffer")?;
        self.unwritten = false;
        Ok(())
    }

    /// Replaces a range of the buffer's content.
    fn upload(&mut self, gl: &GlFunctions, offset: u32, data: &[u8]) -> Result<(), BackendError> {
        let end = u64::from(offset) + data.len() as u64;
        let Some(start) = i32::try_from(offset).ok().filter(|_| end <= u64::from(self.bytes))
        else {
            let (length, size) = (data.len(), self.bytes);
            let text = format!("an upload of {length} bytes at {offset} into a buffer of {size}");
            return Err(BackendError::Driver(text));
        };
        if data.len() == self.bytes as usize {
            self.unwritten = false;
        }
        self.fill(gl)?;
        gl.bind_buffer(UPLOAD, Some(self.handle.name()));
        gl.buffer_sub_data(UPLOAD, start, data);
        Ok(())
    }
}

/// The vertex and index buffers of a backend.
#[derive(Default)]
pub(crate) struct BufferStore {
    pub(crate) vertex: SecondaryMap<VertexBufferKey, GlBuffer>,
    pub(crate) index: SecondaryMap<IndexBufferKey, GlBuffer>,
}

impl BufferStore {
    pub(crate) fn create_vertex(
        &mut self,
        device: &mut DeviceState,
        key: VertexBufferKey,
        bytes: u32,
        dynamic: bool,
    ) -> Result<(), BackendError> {
        let gl = device.begin_checked()?;
        let buffer = GlBuffer::create(&gl, GlHandle::create(&gl)?, bytes, dynamic)?;
        device.label(key, "vertexBuffer", LabelTarget::Buffer(buffer.handle.name()));
        self.vertex.insert(key, buffer);
        Ok(())
    }

    pub(crate) fn upload_vertex(
        &mut self,
        device: &DeviceState,
        key: VertexBufferKey,
        offset: u32,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let buffer = self.vertex.get_mut(key).ok_or_else(|| missing("vertex buffer"))?;
        buffer.upload(&device.gl, offset, data)
    }

    /// Replaces the vertex buffer by a larger one. OpenGL's reads past the end are undefined, even with robust buffer
    /// access.
    pub(crate) fn pad_vertex(
        &mut self,
        device: &mut DeviceState,
        key: VertexBufferKey,
        bytes: u32,
    ) -> Result<(), BackendError> {
        let buffer = self.vertex.get_mut(key).ok_or_else(|| missing("vertex buffer"))?;
        *buffer = buffer.padded(&device.begin_checked()?, bytes)?;
        Ok(())
    }

    pub(crate) fn create_index(
        &mut self,
        device: &mut DeviceState,
        key: IndexBufferKey,
        bytes: u32,
        dynamic: bool,
    ) -> Result<(), BackendError> {
        let gl = device.begin_checked()?;
        let handle: GlHandle<glow::Buffer> = GlHandle::create(&gl)?;
        if device.caps.needs(Remedy::BindIndicesFirst) {
            device.shadow.index_buffer(handle.object())?;
        }
        let bytes = bytes.checked_mul(device.caps.index_bytes() / INDEX);
        let bytes = bytes.ok_or(BackendError::OutOfMemory)?;
        let buffer = GlBuffer::create(&gl, handle, bytes, dynamic)?;
        device.label(key, "indexBuffer", LabelTarget::Buffer(buffer.handle.name()));
        self.index.insert(key, buffer);
        Ok(())
    }

    pub(crate) fn upload_index(
        &mut self,
        device: &DeviceState,
        key: IndexBufferKey,
        offset: u32,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let buffer = self.index.get_mut(key).ok_or_else(|| missing("index buffer"))?;
        let (offset, data) = if device.caps.needs(Remedy::WideIndices) {
            (offset.saturating_mul(2), Cow::Owned(wide(data)))
        } else {
            (offset, Cow::Borrowed(data))
        };
        buffer.upload(&device.gl, offset, &data)
    }

    /// Binds the vertex buffers of the given attributes.
    pub(crate) fn bind_streams(
        &mut self,
        gl: &GlFunctions,
        shadow: &mut Shadow,
        attributes: u16,
        streams: &[Option<Stream>; MAX_STREAMS],
    ) -> Result<(), BackendError> {
        shadow.enabled_attributes(attributes);
        // The last attribute that doesn't share its vertex-buffer binding with an earlier attribute.
        let mut leader = None;
        for register in bits(attributes) {
            let stream = streams.get(register).and_then(Option::as_ref);
            let stream = stream.ok_or_else(|| missing("vertex stream"))?;
            if leader.is_some_and(|leader| shadow.shares(register, stream, leader)) {
                continue;
            }
            let buffer = self.vertex.get_mut(stream.buffer);
            let buffer = buffer.ok_or_else(|| missing("vertex buffer"))?;
            buffer.fill(gl)?;
            shadow.attribute(register, stream, buffer.handle.object());
            leader = Some((register, stream));
        }
        Ok(())
    }

    /// Draws the indices. The caller has set all state except the index buffer.
    pub(crate) fn draw_elements(
        &mut self,
        gl: &GlFunctions,
        shadow: &mut Shadow,
        index_bytes: u32,
        draw: &Draw,
    ) -> Result<(), BackendError> {
        let buffer = self.index.get_mut(draw.index_buffer);
        let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
        buffer.fill(gl)?;
        let end =
            (u64::from(draw.first_index) + u64::from(draw.index_count)) * u64::from(index_bytes);
        // The values fit in an `i32`, because they are below the buffer's size.
        let offset = draw.first_index.wrapping_mul(index_bytes).cast_signed();
        let [count, instances] = [draw.index_count, draw.instances].map(u32::cast_signed);
        if end > u64::from(buffer.bytes) || instances < 0 {
            return Err(missing("range of indices or instances"));
        }
        shadow.index_buffer(buffer.handle.object())?;
        let kind = if index_bytes == INDEX { glow::UNSIGNED_SHORT } else { glow::UNSIGNED_INT };
        match instances {
            1 => gl.draw_elements(glow::TRIANGLES, count, kind, offset),
            _ => gl.draw_elements_instanced(glow::TRIANGLES, count, kind, offset, instances),
        }
        Ok(())
    }
}

/// Converts 16-bit indices to 32 bits.
fn wide(data: &[u8]) -> Vec<u8> {
    let indices = data.as_chunks().0.iter();
    indices.flat_map(|&index| u32::from(u16::from_le_bytes(index)).to_ne_bytes()).collect()
}
