//! Fetches vertices from vertex buffers, and shades the vertices.

use context3d::agal::interp::{AgalState, CompiledProgram, LANES, LaneRegister};
use context3d::agal::register::RegisterFile;
use context3d::backend::BackendError;
use context3d::enums::VertexFormat;
use context3d::packets::{Draw, FIRST_VERTEX_SAMPLER, MAX_STREAMS, Stream};

use super::number::length;
use super::sampler::Units;
use super::store::{ConstantFile, RasterProgram, RasterStore, missing};

/// Maximum number of varyings of any AGAL version ([agal.register.counts]).
pub(super) const MAX_VARYINGS: usize = 16;

#[derive(Clone, Copy, Default)]
pub(super) struct ShadedVertex {
    position: [f32; 4],
    varyings: [[f32; 4]; MAX_VARYINGS],
}

#[derive(Default)]
pub(super) struct ShadedVertices(Vec<ShadedVertex>);

impl ShadedVertices {
    pub(super) fn room(&mut self, vertices: usize) -> &mut [ShadedVertex] {
        if self.0.len() < vertices {
            self.0.resize(vertices, ShadedVertex::default());
        }
        self.0.get_mut(..vertices).unwrap_or_default()
    }

    /// Returns a vertex's clip-space position, which is visible for z from 0 to w.
    pub(super) fn position(&self, slot: u32) -> Option<[f32; 4]> {
        self.0.get(length(slot)).map(|vertex| vertex.position)
    }

    /// Returns a vertex's varyings in the order of [`RasterProgram::varyings`].
    pub(super) fn varyings(&self, slot: u32) -> &[[f32; 4]; MAX_VARYINGS] {
        let vertex = self.0.get(length(slot));
        vertex.map_or(&[[0.0; 4]; MAX_VARYINGS], |vertex| &vertex.varyings)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VertexId {
    pub(super) index: u16,
    pub(super) instance: u32,
}

pub(super) struct Vertices<'a> {
    compiled: &'a CompiledProgram,
    constants: &'a ConstantFile,
    varyings: &'a [u16],
    instance_id: bool,
    units: Units<'a>,
    attributes: [Option<Fetch<'a>>; MAX_STREAMS],
}

#[derive(Clone, Copy)]
struct Fetch<'a> {
    register: u16,
    data: &'a [u8],
    stream: Stream,
}

impl<'a> Vertices<'a> {
    pub(super) fn new(
        store: &'a RasterStore,
        program: &'a RasterProgram,
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
            *slot = Some(Fetch { register, data, stream });
        }
        let bindings = draw.textures.get(FIRST_VERTEX_SAMPLER..);
        let units = Units::new(store, &program.vertex_samplers, bindings.unwrap_or_default())?;
        Ok(Vertices {
            compiled: &program.vertex,
            constants: &store.vertex_constants,
            varyings: &program.varyings,
            instance_id: program.instance_id,
            units,
            attributes,
        })
    }

    pub(super) fn state(&self) -> AgalState {
        self.compiled.state()
    }

    pub(super) fn attributes(&self, vertex: VertexId) -> Vec<(u16, [f32; 4])> {
        let fetches = self.attributes.iter().flatten();
        fetches.map(|fetch| (fetch.register, fetch.read(vertex))).collect()
    }

    pub(super) fn varyings(&self, shaded: &ShadedVertices, slot: u32) -> Vec<(u16, [f32; 4])> {
        let values = shaded.varyings(slot).iter().copied();
        self.varyings.iter().copied().zip(values).collect()
    }

    /// Returns the estimated work per vertex in executed tokens; inputs and outputs count as tokens.
    pub(super) fn work(&self, tokens: usize) -> usize {
        let attributes = self.attributes.iter().flatten().count();
        tokens + 4 * (1 + attributes + self.varyings.len())
    }

    pub(super) fn shade(
        &self,
        state: &mut AgalState,
        vertices: &[VertexId],
        shaded: &mut [ShadedVertex],
    ) {
        for (vertices, shaded) in vertices.chunks(LANES).zip(shaded.chunks_mut(LANES)) {
            for fetch in self.attributes.iter().flatten() {
                let mut value = LaneRegister::default();
                for (lane, vertex) in vertices.iter().enumerate() {
                    value.set_lane(lane, fetch.read(*vertex));
                }
                state.set_lanes(RegisterFile::Attribute, fetch.register, &value);
            }
            if self.instance_id {
                for (lane, vertex) in vertices.iter().enumerate() {
                    state.set_instance(lane, vertex.instance);
                }
            }
            self.compiled.run(state, self.constants, &self.units);
            for (lane, vertex) in shaded.iter_mut().enumerate() {
                vertex.position = state.position(lane);
                for (to, number) in vertex.varyings.iter_mut().zip(self.varyings) {
                    *to = state.varying(*number, lane);
                }
            }
        }
    }
}

impl Fetch<'_> {
    /// Reads the attribute of a vertex. Missing components are those of (0, 0, 0, 1) [context3d.stream.missing]; bytes
    /// past the buffer's end are zero ([`Packet::PadVertexBuffer`](context3d::packets::Packet::PadVertexBuffer)).
    fn read(&self, vertex: VertexId) -> [f32; 4] {
        let element = match self.stream.divisor {
            0 => u32::from(vertex.index),
            divisor => vertex.instance / divisor,
        };
        let start = length(self.stream.stride)
            .saturating_mul(length(element))
            .saturating_add(length(self.stream.offset));
        let inside = self.data.get(start..).unwrap_or(&[]);
        let bytes = inside.first_chunk::<16>().copied().unwrap_or_else(|| {
            let mut bytes = [0; 16];
            for (to, from) in bytes.iter_mut().zip(inside) {
                *to = *from;
            }
            bytes
        });
        let (units, _) = bytes.as_chunks::<4>();
        let mut value = [0.0, 0.0, 0.0, 1.0];
        match (self.stream.format, units.first()) {
            (VertexFormat::Bytes4, Some(bytes)) => bytes.map(|byte| f32::from(byte) / 255.0),
            (format, _) => {
                let components = length(format.bytes()) / 4;
                for (value, bytes) in value.iter_mut().zip(units).take(components) {
                    *value = f32::from_le_bytes(*bytes);
                }
                value
            }
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/vertex.rs"]
mod tests;
