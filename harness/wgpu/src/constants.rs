//! Constant registers, stored in a ring of uniform buffers. Draws bind ranges of the ring with dynamic offsets.

use context3d::backend::BackendError;
use context3d::enums::ProgramType;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutEntry,
    BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType, BufferSize,
    BufferUsages, Device, ShaderStages,
};

use crate::device::{WgpuDevice, buffer_of};
use crate::program::group_layout;

/// The maximum number of constant registers in a stage (AGAL 3, [agal.register.counts]: 250), rounded up.
const REGISTERS: usize = 256;
/// The size of a register in bytes.
const REGISTER: usize = 16;
/// The number of bytes that a draw binds for each stage: all registers, even if a program reads fewer.
const BOUND: u64 = (REGISTERS * REGISTER) as u64;
/// The size in bytes of each buffer in the ring.
const CHUNK: usize = 1 << 20;

/// Creates the bind group layout of constants: binding 0 for the vertex stage, binding 1 for the fragment stage.
pub(crate) fn layout(device: &Device) -> BindGroupLayout {
    let entry = |(binding, visibility)| BindGroupLayoutEntry {
        binding,
        visibility,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: BufferSize::new(BOUND),
        },
        count: None,
    };
    let entries = [(0, ShaderStages::VERTEX), (1, ShaderStages::FRAGMENT)].map(entry);
    group_layout(device, &entries)
}

/// The constant registers of a stage, and the position of their copy in the ring.
struct BankCopy {
    values: [[[u8; 4]; 4]; REGISTERS],
    /// The offset of the registers' copy in the current buffer of the ring, and the number of copied registers. The
    /// field is `None` if a register changed after the copy.
    written: Option<(u32, usize)>,
}

impl BankCopy {
    const EMPTY: BankCopy = BankCopy { values: [[[0; 4]; 4]; REGISTERS], written: None };

    /// Returns the offset of the uploaded copy, if it contains `count` registers and none changed since the upload.
    fn offset(&self, count: usize) -> Option<u32> {
        self.written.filter(|(_, written)| count <= *written).map(|(offset, _)| offset)
    }
}

/// The constant registers of a backend.
pub(crate) struct Constants {
    /// The registers of the vertex stage and of the fragment stage.
    banks: [BankCopy; 2],
    layout: BindGroupLayout,
    alignment: usize,
    chunks: Vec<(Buffer, BindGroup)>,
    /// The index of the ring's current buffer, and the content for it.
    current: usize,
    content: Vec<u8>,
}

impl Constants {
    pub(crate) fn new(layout: BindGroupLayout, alignment: u32) -> Self {
        Constants {
            banks: [BankCopy::EMPTY; 2],
            layout,
            alignment: alignment.max(4) as usize,
            chunks: Vec::new(),
            current: 0,
            content: Vec::with_capacity(CHUNK),
        }
    }

    /// Sets registers. Ignores registers after the last one, which `Context3D` rejects.
    pub(crate) fn set(&mut self, stage: ProgramType, first: u16, values: &[[f32; 4]]) {
        let [vertex, fragment] = &mut self.banks;
        let bank = match stage {
            ProgramType::Vertex => vertex,
            ProgramType::Fragment => fragment,
        };
        for (register, value) in bank.values.iter_mut().skip(first.into()).zip(values) {
            *register = value.map(f32::to_ne_bytes);
        }
        bank.written = None;
    }

    /// Copies changed registers to the ring. Returns the offset of each stage's first register.
    #[inline]
    pub(crate) fn offsets(
        &mut self,
        device: &WgpuDevice,
        counts: [usize; 2],
    ) -> Result<[u32; 2], BackendError> {
        let [vertex, fragment] = &self.banks;
        match (vertex.offset(counts[0]), fragment.offset(counts[1])) {
            (Some(vertex), Some(fragment)) => Ok([vertex, fragment]),
            _ => self.fill(device, counts),
        }
    }

    fn fill(&mut self, device: &WgpuDevice, counts: [usize; 2]) -> Result<[u32; 2], BackendError> {
        let needed = (counts[0] + counts[1]) * REGISTER + 2 * self.alignment;
        if self.chunks.is_empty() || self.content.len() + needed > CHUNK {
            self.next_chunk(device)?;
        }
        let Constants { banks: [vertex, fragment], content, alignment, .. } = self;
        let mut put = |bank: &mut BankCopy, count: usize| {
            if let Some(offset) = bank.offset(count) {
                return offset;
            }
            let offset = content.len().next_multiple_of(*alignment);
            content.resize(offset, 0);
            let values = bank.values.get(..count).unwrap_or(&bank.values);
            content.extend_from_slice(values.as_flattened().as_flattened());
            let offset = u32::try_from(offset).unwrap_or(0);
            bank.written = Some((offset, count));
            offset
        };
        Ok([put(vertex, counts[0]), put(fragment, counts[1])])
    }

    /// Returns the index and the bind group of the ring's current buffer.
    #[inline]
    pub(crate) fn group(&self) -> Option<(usize, &BindGroup)> {
        self.chunks.get(self.current).map(|(_, group)| (self.current, group))
    }

    /// Continues with the next buffer of the ring.
    fn next_chunk(&mut self, device: &WgpuDevice) -> Result<(), BackendError> {
        let next = if self.chunks.is_empty() { 0 } else { self.current + 1 };
        if next >= self.chunks.len() {
            let layout = &self.layout;
            let made = device.checked(|device, _| {
                let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
                let buffer = buffer_of(device, CHUNK as u64 + BOUND, usage);
                let part =
                    BufferBinding { buffer: &buffer, offset: 0, size: BufferSize::new(BOUND) };
                let resource = BindingResource::Buffer(part);
                let entries =
                    [0, 1].map(|binding| BindGroupEntry { binding, resource: resource.clone() });
                let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
                let group = device.create_bind_group(&descriptor);
                (buffer, group)
            })?;
            self.chunks.push(made);
        }
        self.write(device)?;
        self.current = next;
        self.empty();
        Ok(())
    }

    fn empty(&mut self) {
        self.content.clear();
        self.banks.iter_mut().for_each(|bank| bank.written = None);
    }

    /// Uploads the content of the current buffer.
    fn write(&self, device: &WgpuDevice) -> Result<(), BackendError> {
        match self.chunks.get(self.current) {
            Some((buffer, _)) if !self.content.is_empty() => {
                device.checked(|_, queue| queue.write_buffer(buffer, 0, &self.content))
            }
            _ => Ok(()),
        }
    }

    /// Uploads the constants before the recorded commands are submitted, and empties the ring.
    pub(crate) fn flush(&mut self, device: &WgpuDevice) -> Result<(), BackendError> {
        let written = self.write(device);
        self.current = 0;
        self.empty();
        written
    }

    /// Returns whether the number of ring buffers in use is high enough to submit the recorded commands.
    pub(crate) fn is_full(&self) -> bool {
        self.current >= 16
    }
}
