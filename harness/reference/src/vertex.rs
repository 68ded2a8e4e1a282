//! From streams to shaded vertices.

use context3d::agal::interp::{Kernel, LANES, NoTextures, Register, State};
use context3d::packets::{Draw, MAX_STREAMS, Stream};
use context3d::{BackendError, VertexFormat};

use super::number::length;
use super::store::{Bank, Program, Store, missing};

/// Varyings of any version (agal.md section 3.1).
const MAX_VARYINGS: usize = 16;

/// A vertex after its program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaded {
    /// In clip space, z from 0 to w.
    pub(super) position: [f32; 4],
    /// In the order of [`Program::varyings`].
    pub(super) varyings: [[f32; 4]; MAX_VARYINGS],
}

impl Shaded {
    pub(super) const ZERO: Shaded = Shaded {
        position: [0.0; 4],
        varyings: [[0.0; 4]; MAX_VARYINGS],
    };
}

/// Which vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VertexId {
    pub(super) index: u16,
    pub(super) instance: u32,
}

/// What the vertex program reads and writes.
pub(super) struct Vertices<'a> {
    kernel: &'a Kernel,
    constants: &'a Bank,
    varyings: &'a [u16],
    instance_id: bool,
    attributes: [Option<Fetch<'a>>; MAX_STREAMS],
}

/// One attribute.
#[derive(Clone, Copy)]
struct Fetch<'a> {
    register: u16,
    data: &'a [u8],
    stream: Stream,
}

impl<'a> Vertices<'a> {
    /// # Errors
    /// [`BackendError::Driver`] for a stream that isn't there.
    pub(super) fn new(
        store: &'a Store,
        program: &'a Program,
        draw: &Draw,
    ) -> Result<Self, BackendError> {
        let mut attributes = [None; MAX_STREAMS];
        for ((register, slot), stream) in (0u16..).zip(&mut attributes).zip(&draw.streams) {
            if program.attributes.checked_shr(register.into()).unwrap_or(0) & 1 == 0 {
                continue;
            }
            let stream = stream.ok_or_else(|| missing("vertex stream"))?;
            let buffer = store.vertex_buffers.get(stream.buffer);
            let data = buffer.ok_or_else(|| missing("vertex buffer"))?;
            *slot = Some(Fetch {
                register,
                data,
                stream,
            });
        }
        Ok(Vertices {
            kernel: &program.vertex,
            constants: &store.vertex_constants,
            varyings: &program.varyings,
            instance_id: program.instance_id,
            attributes,
        })
    }

    /// Registers for [`Vertices::shade`].
    pub(super) fn state(&self) -> State {
        self.kernel.state()
    }

    /// Runs the program for each vertex.
    pub(super) fn shade(&self, state: &mut State, vertices: &[VertexId], shaded: &mut [Shaded]) {
        let groups = vertices.chunks(LANES).zip(shaded.chunks_mut(LANES));
        for (vertices, shaded) in groups {
            for fetch in self.attributes.iter().flatten() {
                let mut value = Register::default();
                for (lane, vertex) in vertices.iter().enumerate() {
                    value.set_lane(lane, fetch.read(*vertex));
                }
                state.set_attribute_lanes(fetch.register, &value);
            }
            if self.instance_id {
                for (lane, vertex) in vertices.iter().enumerate() {
                    state.set_instance(lane, vertex.instance);
                }
            }
            self.kernel.run(state, self.constants, &NoTextures);
            for (lane, shaded) in shaded.iter_mut().enumerate() {
                shaded.position = state.position(lane);
                for (to, number) in shaded.varyings.iter_mut().zip(self.varyings) {
                    *to = state.varying(*number, lane);
                }
            }
        }
    }
}

impl Fetch<'_> {
    /// The attribute of a vertex; components beyond the format or the buffer are those of (0, 0, 0, 1)
    /// (context3d.md section 6).
    fn read(&self, vertex: VertexId) -> [f32; 4] {
        let element = match self.stream.divisor {
            0 => u32::from(vertex.index),
            divisor => vertex.instance / divisor,
        };
        let start = length(self.stream.stride)
            .saturating_mul(length(element))
            .saturating_add(length(self.stream.offset));
        let bytes = self.data.get(start..).unwrap_or(&[]);
        let mut value = [0.0, 0.0, 0.0, 1.0];
        if self.stream.format == VertexFormat::Bytes4 {
            if let Some(bytes) = bytes.first_chunk::<4>() {
                value = bytes.map(|byte| f32::from(byte) / 255.0);
            }
            return value;
        }
        let components = length(self.stream.format.bytes()) / 4;
        let floats = bytes.as_chunks::<4>().0.iter().take(components);
        for (value, bytes) in value.iter_mut().zip(floats) {
            *value = f32::from_le_bytes(*bytes);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_completed() {
        let mut keys: slotmap::SlotMap<context3d::VertexBufferKey, ()> =
            slotmap::SlotMap::with_key();
        let buffer = keys.insert(());
        let mut data: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        data.extend([0, 51, 102, 255]);
        let read = |format, divisor, offset, index, instance| {
            let fetch = Fetch {
                register: 0,
                data: &data,
                stream: Stream {
                    buffer,
                    offset,
                    stride: 16,
                    format,
                    divisor,
                },
            };
            fetch.read(VertexId { index, instance })
        };
        assert_eq!(read(VertexFormat::Float1, 0, 4, 1, 9), [6.0, 0.0, 0.0, 1.0]);
        assert_eq!(read(VertexFormat::Float2, 0, 0, 0, 9), [1.0, 2.0, 0.0, 1.0]);
        assert_eq!(read(VertexFormat::Float3, 2, 0, 9, 3), [5.0, 6.0, 7.0, 1.0]);
        assert_eq!(read(VertexFormat::Float4, 0, 0, 1, 0), [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(
            read(VertexFormat::Bytes4, 0, 32, 0, 0),
            [0.0, 0.2, 0.4, 1.0]
        );
        assert_eq!(
            read(VertexFormat::Float4, 0, 0, 65535, 0),
            [0.0, 0.0, 0.0, 1.0]
        );
    }
}
