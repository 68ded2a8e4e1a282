//! [`Remedy::NarrowStrides`](crate::workarounds::Remedy::NarrowStrides): vertices that are too far apart for WebGL.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::Stream;

use crate::buffer::Buffer;
use crate::convert;
use crate::gl::Gl;

/// Bytes of the vertices for which this is: the largest that Flash has, 64 values (context3d.md section 7).
pub(crate) const WIDE: u32 = 256;
/// Bytes of theirs that a copy has: WebGL's largest stride is 255, and floats lie on multiples of four.
const NARROW: u32 = 252;
/// Bytes of a component, where it isn't a byte.
const FLOAT: u32 = 4;

/// Where GL finds an attribute: the buffer, the stride, the offset of the first one.
pub(crate) type Place = (glow::Buffer, u32, u32);

/// Each vertex twice: all of them without their last value, then all of them without their first.
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

/// The offset in the copy of an attribute of so many bytes, in a buffer of so many.
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
    /// The place of a stream in this buffer's copy, which is made unless it is there.
    #[cold]
    pub(crate) fn narrowed(&mut self, gl: &Rc<Gl>, stream: &Stream) -> Result<Place, BackendError> {
        let copy = match &self.narrow {
            Some(copy) => copy.name(),
            None => {
                let data = self.narrow_data(gl)?;
                let bytes = u32::try_from(data.len()).map_err(|_| BackendError::OutOfMemory)?;
                let mut copy = Buffer::create(gl, bytes, self.is_dynamic())?;
                copy.upload(gl, 0, &data)?;
                self.narrow.insert(Box::new(copy)).name()
            }
        };
        let (components, data_type, _) = convert::vertex_format(stream.format);
        let attribute = match data_type {
            glow::FLOAT => components.cast_unsigned().saturating_mul(FLOAT),
            _ => components.cast_unsigned(),
        };
        Ok((copy, NARROW, place(stream.offset, attribute, self.size())))
    }

    /// Brings the copy up to date.
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

    /// Every attribute of every vertex is where it is looked for.
    #[test]
    fn attributes_are_found() {
        // The last vertex is cut, as where zeros lie beyond a buffer's end.
        let data: Vec<u8> = (0..1000u32)
            .map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1])
            .collect();
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
