//! [`Remedy::NarrowStrides`](crate::workarounds::Remedy::NarrowStrides): vertices with a stride that is too large for
//! WebGL.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::Stream;

use crate::buffer::Buffer;
use crate::convert;
use crate::device::DrawError;
use crate::gl::{Gl, Object};

/// The stride that needs a copy, in bytes: the largest that Flash has, 64 values (context3d.md section 7).
pub(crate) const WIDE: u32 = 256;
/// The stride of the copy, in bytes: WebGL's maximum is 255, and floats must be aligned to four.
const NARROW: u32 = 252;
/// Bytes of a float component.
const FLOAT: u32 = 4;

/// The location of an attribute: the buffer, the stride, the offset of the first element.
pub(crate) type Place = (Object<glow::Buffer>, u32, u32);

/// Each vertex twice: all vertices without their last value, then all without their first one.
fn narrow(data: &[u8]) -> Vec<u8> {
    let (wide, length) = (to_usize(WIDE), to_usize(NARROW));
    let vertices = data.len().div_ceil(wide);
    let mut narrow = Vec::with_capacity(vertices.saturating_mul(2 * length));
    for skip in [0, wide - length] {
        for vertex in data.chunks(wide) {
            let part = vertex.get(skip..).unwrap_or(&[]);
            let part = part.get(..length).unwrap_or(part);
            narrow.extend_from_slice(part);
            narrow.resize(narrow.len() + length - part.len(), 0);
        }
    }
    narrow
}

fn to_usize(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The offset in the copy for an attribute of `attribute` bytes at `offset`, in a buffer of `bytes` bytes.
fn place(offset: u32, attribute: u32, bytes: u32) -> u32 {
    let (vertex, within) = (offset / WIDE, offset % WIDE);
    let first = vertex.saturating_mul(NARROW);
    match within.saturating_add(attribute) <= NARROW {
        true => first.saturating_add(within),
        false => bytes
            .div_ceil(WIDE)
            .saturating_mul(NARROW)
            .saturating_add(first)
            .saturating_add(within.saturating_sub(WIDE - NARROW)),
    }
}

impl Buffer {
    /// The location of a stream in this buffer's copy, which is created if needed.
    #[cold]
    pub(crate) fn narrowed(&mut self, gl: &Rc<Gl>, stream: &Stream) -> Result<Place, DrawError> {
        let copy = match &self.narrow {
            Some(copy) => copy.object(),
            None => {
                let data = self.narrow_data(gl)?;
                let bytes = u32::try_from(data.len()).map_err(|_| BackendError::OutOfMemory)?;
                let mut copy = Buffer::create(gl, bytes, self.is_dynamic())?;
                copy.upload(gl, 0, &data)?;
                self.narrow.insert(Box::new(copy)).object()
            }
        };
        let (components, data_type, _) = convert::vertex_format(stream.format);
        let attribute = match data_type {
            glow::FLOAT => components.cast_unsigned().saturating_mul(FLOAT),
            _ => components.cast_unsigned(),
        };
        Ok((copy, NARROW, place(stream.offset, attribute, self.size())))
    }

    /// Updates the copy.
    #[cold]
    pub(crate) fn narrow_again(&mut self, gl: &Gl) -> Result<(), BackendError> {
        let data = self.narrow_data(gl)?;
        match &mut self.narrow {
            Some(copy) => copy.upload(gl, 0, &data),
            None => Ok(()),
        }
    }

    fn narrow_data(&self, gl: &Gl) -> Result<Vec<u8>, BackendError> {
        let mut copied = Vec::new();
        gl.mapped(self.name(), to_usize(self.size()), |data| {
            copied = narrow(data);
        })?;
        Ok(copied)
    }
}

#[cfg(test)]
mod tests {
    use super::{NARROW, WIDE, narrow, place, to_usize};

    /// Every attribute of every vertex is at its location in the copy.
    #[test]
    fn attributes_are_found() {
        // The last vertex is incomplete, as before the padding of a short buffer.
        let data: Vec<u8> = (0..1000u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
        let bytes = u32::try_from(data.len()).expect("1000");
        let copy = narrow(&data);
        for size in [4, 8, 12, 16] {
            for offset in (0..=WIDE - size).step_by(4) {
                for vertex in 0..3 {
                    let from = to_usize(vertex * WIDE + offset);
                    let to = to_usize(place(offset, size, bytes) + vertex * NARROW);
                    let size = to_usize(size);
                    assert_eq!(copy[to..to + size], data[from..from + size]);
                }
            }
        }
        assert_eq!(place(WIDE + 8, 4, bytes), NARROW + 8);
    }
}
