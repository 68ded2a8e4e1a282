//! `VertexBuffer3D` and `IndexBuffer3D` [context3d.vertex_buffer.create] [context3d.index_buffer.create].

use std::borrow::Cow;
use std::ops::Range;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::convert::{convert, single};
use crate::entry::{accepted, non_null};
use crate::enums::{BufferUsage, EnumArg};
use crate::error::{Error, ErrorCode};
use crate::handle::{IndexBufferKey, ObjectHandle, VertexBufferKey};
use crate::packets::Packet;
use crate::resource::{IndexBuffer, ResourceUsage, VertexBuffer, alive};

/// Size of a 32-bit value in bytes.
const UNIT: u32 = 4;
/// Size of an index in bytes.
const INDEX: usize = 2;
/// Maximum total size of the vertex copies for instanced draws, in bytes.
const MAX_COPIES: u64 = 128 << 20;

/// Checks that a size is from 1 to `most`; raises 3671 or 3670 otherwise.
fn buffer_size(size: i32, most: i32) -> Result<u32, ErrorCode> {
    match u32::try_from(size) {
        Err(_) | Ok(0) => Err(ErrorCode::BufferEmpty),
        Ok(_) if size > most => Err(ErrorCode::BufferTooBig),
        Ok(size) => Ok(size),
    }
}

/// Returns the range of `count` elements starting at `start`; raises 3669 if it exceeds a buffer of `len` elements.
fn element_range(start: i32, count: i32, len: usize) -> Result<Range<usize>, ErrorCode> {
    let (Ok(start), Ok(count)) = (usize::try_from(start), usize::try_from(count)) else {
        return Err(ErrorCode::BadInputSize);
    };
    let end = start.checked_add(count).filter(|end| *end <= len).ok_or(ErrorCode::BadInputSize)?;
    Ok(start..end)
}

/// Returns `bytes` bytes of a slice, starting at `offset`. An offset at or past the end is an error even for 0 bytes
/// [context3d.error.3669.nothing].
pub(super) fn bytes_at(data: &[u8], offset: i64, bytes: usize) -> Result<&[u8], ErrorCode> {
    let offset = usize::try_from(offset).ok().filter(|offset| *offset < data.len());
    let offset = offset.ok_or(ErrorCode::BadInputSize)?;
    let end = offset.checked_add(bytes).ok_or(ErrorCode::BadInputSize)?;
    data.get(offset..end).ok_or(ErrorCode::BadInputSize)
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn create_vertex_buffer_impl(
        &mut self,
        num_vertices: i32,
        data32_per_vertex: i32,
        usage: EnumArg<'_, BufferUsage>,
    ) -> Result<ObjectHandle<VertexBufferKey>, Error> {
        self.vertex_buffer(num_vertices, data32_per_vertex, 0, usage)
    }

    pub(crate) fn create_vertex_buffer_for_instances_impl(
        &mut self,
        num_vertices: i32,
        data32_per_vertex: i32,
        instances_per_element: i32,
        usage: EnumArg<'_, BufferUsage>,
    ) -> Result<ObjectHandle<VertexBufferKey>, Error> {
        if !self.limits.instanced_drawing {
            return Err(ErrorCode::NeedsStandardExtended.into());
        }
        let instances = u32::try_from(instances_per_element).ok().filter(|count| *count > 0);
        let instances = instances.ok_or(ErrorCode::InstancesPerElement)?;
        self.vertex_buffer(num_vertices, data32_per_vertex, instances, usage)
    }

    fn vertex_buffer(
        &mut self,
        num_vertices: i32,
        data32_per_vertex: i32,
        instances_per_element: u32,
        usage: EnumArg<'_, BufferUsage>,
    ) -> Result<ObjectHandle<VertexBufferKey>, Error> {
        self.collect_released()?;
        let usage = accepted(usage, &"bufferUsage")?;
        let vertices = buffer_size(num_vertices, self.limits.vertices_per_buffer)?;
        let stride = buffer_size(data32_per_vertex, self.limits.data32_per_vertex)? * UNIT;
        let caps = self.backend.caps();
        let copies = match instances_per_element {
            step if step > caps.max_instance_step => step,
            _ => 1,
        };
        let buffer = VertexBuffer {
            vertices,
            stride,
            instances_per_element,
            copies,
            ..VertexBuffer::default()
        };
        let unsupported = |what| Err(Error::Unsupported(format!("{what} on this device")));
        if stride > caps.max_vertex_stride {
            return unsupported(format!("vertices of {data32_per_vertex} values"));
        }
        if self.resources.memory.copies + buffer.copied_bytes() > MAX_COPIES {
            return unsupported(format!("{instances_per_element} instances per element"));
        }
        let bytes = u64::from(buffer.bytes());
        let used = ResourceUsage {
            count: self.resources.vertex_buffers.len(),
            bytes: self.resources.memory.vertex_buffers,
        };
        let most = self.limits.vertex_buffer_memory;
        self.check_limits(used, bytes, most)?;
        let key = self.resources.vertex_buffers.insert(buffer);
        let dynamic = usage == BufferUsage::DynamicDraw;
        let on_device = buffer.on_device().bytes();
        let created = self.emit(Packet::CreateVertexBuffer { key, bytes: on_device, dynamic });
        if let Err(error) = created {
            self.resources.vertex_buffers.remove(key);
            return Err(error.with_memory_error(ErrorCode::BufferFailed));
        }
        self.resources.memory.vertex_buffers += bytes;
        self.resources.memory.copies += buffer.copied_bytes();
        Ok(self.handle(key))
    }

    pub(crate) fn create_index_buffer_impl(
        &mut self,
        num_indices: i32,
        usage: EnumArg<'_, BufferUsage>,
    ) -> Result<ObjectHandle<IndexBufferKey>, Error> {
        self.collect_released()?;
        let usage = accepted(usage, &"bufferUsage")?;
        let count = buffer_size(num_indices, self.limits.indices_per_buffer)?;
        let bytes = count * 2;
        let used = ResourceUsage {
            count: self.resources.index_buffers.len(),
            bytes: self.resources.memory.index_buffers,
        };
        let most = self.limits.index_buffer_memory;
        self.check_limits(used, u64::from(bytes), most)?;
        let key = self.resources.index_buffers.insert(IndexBuffer::new(count as usize));
        let dynamic = usage == BufferUsage::DynamicDraw;
        let on_device = bytes.next_multiple_of(UNIT);
        if let Err(error) = self.emit(Packet::CreateIndexBuffer { key, bytes: on_device, dynamic })
        {
            self.resources.index_buffers.remove(key);
            return Err(error.with_memory_error(ErrorCode::BufferFailed));
        }
        self.resources.memory.index_buffers += u64::from(bytes);
        Ok(self.handle(key))
    }

    pub(crate) fn vertex_buffer_upload_from_byte_array_impl(
        &mut self,
        buffer: ObjectHandle<VertexBufferKey>,
        data: Option<&[u8]>,
        offset: i32,
        start_vertex: i32,
        num_vertices: i32,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        let buffer = *alive(&self.resources.vertex_buffers, key)?;
        let data = non_null(data, &"data")?;
        let range = element_range(start_vertex, num_vertices, buffer.vertices as usize)?;
        let data = bytes_at(data, i64::from(offset), range.len() * buffer.stride as usize)?;
        self.emit_vertices(key, buffer, range, Cow::Borrowed(data))
    }

    pub(crate) fn vertex_buffer_upload_from_vector_impl(
        &mut self,
        buffer: ObjectHandle<VertexBufferKey>,
        data: Option<&[f64]>,
        start_vertex: i32,
        num_vertices: i32,
    ) -> Result<(), Error> {
        self.write_vertices(buffer, data, start_vertex, num_vertices, single)
    }

    pub(crate) fn vertex_buffer_upload_from_float_vector_impl(
        &mut self,
        buffer: ObjectHandle<VertexBufferKey>,
        data: Option<&[f32]>,
        start_vertex: i32,
        num_vertices: i32,
    ) -> Result<(), Error> {
        self.write_vertices(buffer, data, start_vertex, num_vertices, |value| value)
    }

    fn write_vertices<T: Copy>(
        &mut self,
        buffer: ObjectHandle<VertexBufferKey>,
        data: Option<&[T]>,
        start_vertex: i32,
        num_vertices: i32,
        float: impl Fn(T) -> f32,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        let buffer = *alive(&self.resources.vertex_buffers, key)?;
        let data = non_null(data, &"data")?;
        let range = element_range(start_vertex, num_vertices, buffer.vertices as usize)?;
        let values = range.len() * (buffer.stride / UNIT) as usize;
        let data = data.get(..values).ok_or(ErrorCode::BadInputSize)?;
        let bytes = data.len() * UNIT as usize;
        let mut scratch = self.take_scratch(bytes);
        convert(scratch.as_chunks_mut().0, data, |value| float(*value).to_le_bytes());
        let done = self.emit_vertices(key, buffer, range, Cow::Borrowed(&scratch[..bytes]));
        self.keep_scratch(scratch);
        done
    }

    fn emit_vertices(
        &mut self,
        key: VertexBufferKey,
        buffer: VertexBuffer,
        range: Range<usize>,
        data: Cow<'_, [u8]>,
    ) -> Result<(), Error> {
        if data.is_empty() {
            return Ok(());
        }
        let copies = buffer.copies.max(1);
        let data = if copies == 1 { data } else { copied(&data, buffer.stride, copies).into() };
        let first = u32::try_from(range.start).unwrap_or(u32::MAX).saturating_mul(copies);
        let offset = first.saturating_mul(buffer.stride);
        self.emit(Packet::UploadVertexBuffer { key, offset, data })?;
        if let Some(buffer) = self.resources.vertex_buffers.get_mut(key) {
            buffer.uploaded = true;
        }
        Ok(())
    }

    pub(crate) fn index_buffer_upload_from_byte_array_impl(
        &mut self,
        buffer: ObjectHandle<IndexBufferKey>,
        data: Option<&[u8]>,
        offset: i32,
        start: i32,
        count: i32,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        let len = alive(&self.resources.index_buffers, key)?.len();
        let data = non_null(data, &"data")?;
        let range = element_range(start, count, len)?;
        let data = bytes_at(data, i64::from(offset), range.len() * INDEX)?;
        self.emit_indices(key, range, data)
    }

    pub(crate) fn index_buffer_upload_from_vector_impl(
        &mut self,
        buffer: ObjectHandle<IndexBufferKey>,
        data: Option<&[u32]>,
        start: i32,
        count: i32,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        let len = alive(&self.resources.index_buffers, key)?.len();
        let data = non_null(data, &"data")?;
        let range = element_range(start, count, len)?;
        let data = data.get(..range.len()).ok_or(ErrorCode::BadInputSize)?;
        let bytes = data.len() * INDEX;
        let mut scratch = self.take_scratch(bytes);
        convert(scratch.as_chunks_mut().0, data, |index| low_bits(*index).to_le_bytes());
        let done = self.emit_indices(key, range, &scratch[..bytes]);
        self.keep_scratch(scratch);
        done
    }

    fn emit_indices(
        &mut self,
        key: IndexBufferKey,
        range: Range<usize>,
        data: &[u8],
    ) -> Result<(), Error> {
        if data.is_empty() {
            return Ok(());
        }
        let Some(buffer) = self.resources.index_buffers.get(key) else { return Ok(()) };
        let (first, grown) = aligned(buffer, &range, data);
        let offset = u32::try_from(first * INDEX).unwrap_or(u32::MAX);
        self.emit(Packet::UploadIndexBuffer { key, offset, data: grown })?;
        if let Some(buffer) = self.resources.index_buffers.get_mut(key) {
            buffer.write(
                range.start,
                data.as_chunks::<INDEX>().0.iter().map(|bytes| u16::from_le_bytes(*bytes)),
            );
        }
        Ok(())
    }

    pub(crate) fn vertex_buffer_dispose_impl(
        &mut self,
        buffer: ObjectHandle<VertexBufferKey>,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        self.resources.user_data.remove(&buffer.into());
        let Some(buffer) = self.resources.vertex_buffers.remove(key) else {
            return Ok(());
        };
        self.resources.memory.vertex_buffers -= u64::from(buffer.bytes());
        self.resources.memory.padding -= u64::from(buffer.padding);
        self.resources.memory.copies -= buffer.copied_bytes();
        self.emit(Packet::DisposeVertexBuffer(key))
    }

    pub(crate) fn index_buffer_dispose_impl(
        &mut self,
        buffer: ObjectHandle<IndexBufferKey>,
    ) -> Result<(), Error> {
        let key = self.own(buffer);
        self.resources.user_data.remove(&buffer.into());
        let Some(buffer) = self.resources.index_buffers.remove(key) else {
            return Ok(());
        };
        self.resources.memory.index_buffers -= buffer.bytes();
        self.emit(Packet::DisposeIndexBuffer(key))
    }
}

/// Extends an upload of indices to whole 32-bit units; the additional indices keep their values. Returns the position
/// of the first uploaded index, and the uploaded bytes.
fn aligned<'a>(
    buffer: &IndexBuffer,
    range: &Range<usize>,
    data: &'a [u8],
) -> (usize, Cow<'a, [u8]>) {
    let first = range.start & !1;
    if (first, range.end & 1) == (range.start, 0) {
        return (first, Cow::Borrowed(data));
    }
    let before = (first < range.start).then(|| buffer.get(first));
    let after = (range.end & 1 == 1).then(|| buffer.get(range.end));
    let [before, after] = [before, after].map(|index| index.map(u16::to_le_bytes));
    (first, before.iter().flatten().chain(data).chain(after.iter().flatten()).copied().collect())
}

/// Returns vertex data with `copies` consecutive copies of each vertex.
fn copied(data: &[u8], stride: u32, copies: u32) -> Vec<u8> {
    let vertices = data.chunks_exact(stride as usize);
    let copies = vertices.flat_map(|vertex| std::iter::repeat_n(vertex, copies as usize));
    copies.flatten().copied().collect()
}

/// Returns the low 16 bits, which an index buffer stores [context3d.index_buffer.low_bits].
fn low_bits(index: u32) -> u16 {
    u16::try_from(index & 0xffff).unwrap_or(0)
}
