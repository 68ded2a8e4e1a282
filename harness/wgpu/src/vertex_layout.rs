//! The vertex attributes of a draw, and the buffers that they read.

use context3d::backend::BackendError;
use context3d::enums::VertexFormat;
use context3d::packets::{MAX_STREAMS, Stream, bits};
use wgpu::{VertexAttribute, VertexBufferLayout, VertexStepMode};

use crate::convert;
use crate::program::WgpuProgram;
use crate::version::{VersionField, given};

/// An attribute in one word: buffer slot, format, offset and stride. 0 means an undeclared attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PackedAttribute(u32);

/// The attributes of a draw, and the buffer of each slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexLayout {
    pub(crate) attributes: [PackedAttribute; MAX_STREAMS],
    /// For each slot: an attribute that reads it, and the buffer's offset. `None` is the buffer of zeros.
    pub(crate) slots: [(Option<u8>, u32); MAX_STREAMS],
    /// The number of used slots.
    pub(crate) count: usize,
}

impl VertexLayout {
    /// Assigns streams to buffer slots. Attributes of one buffer share a slot; those without a stream read zeros.
    pub(crate) fn of(
        program: &WgpuProgram,
        streams: &[Option<Stream>; MAX_STREAMS],
    ) -> Result<Self, BackendError> {
        let mut layout = VertexLayout::default();
        let shape = |stream: &Stream| (stream.buffer, stream.stride, stream.divisor);
        let live = program.live_attributes;
        for number in bits(program.attributes) {
            let stream =
                streams.get(number).and_then(Option::as_ref).filter(|_| live >> number & 1 != 0);
            let (slot, attribute) = match stream {
                None => (layout.slot(|slot| slot.0.is_none(), (None, 0)), PackedAttribute::ZERO),
                Some(stream) => {
                    let (first, within) = place(stream)?;
                    let owner = u8::try_from(number).unwrap_or(0);
                    let same = |slot: &(Option<u8>, u32)| {
                        let other = slot.0.and_then(|it| streams.get(usize::from(it))?.as_ref());
                        slot.1 == first && other.map(shape) == Some(shape(stream))
                    };
                    (layout.slot(same, (Some(owner), first)), PackedAttribute::new(stream, within))
                }
            };
            if let Some(place) = layout.attributes.get_mut(number) {
                *place = attribute.in_slot(slot);
            }
        }
        Ok(layout)
    }

    /// Returns the first vertex-buffer slot for which `is` returns true, or adds the slot `new`.
    fn slot(&mut self, is: impl Fn(&(Option<u8>, u32)) -> bool, new: (Option<u8>, u32)) -> usize {
        let found = self.slots.iter().take(self.count).position(is);
        found.unwrap_or_else(|| {
            if let Some(slot) = self.slots.get_mut(self.count) {
                *slot = new;
            }
            self.count += 1;
            self.count - 1
        })
    }
}

/// Returns the offset at which a stream's buffer is bound, and the attribute's offset relative to it.
fn place(stream: &Stream) -> Result<(u32, u32), BackendError> {
    let size = stream.format.bytes();
    if size > stream.stride {
        let text = format!(
            "an attribute of {size} bytes in a buffer with {} bytes a vertex",
            stream.stride
        );
        return Err(BackendError::Unsupported(text));
    }
    let inside = stream.offset.saturating_add(size) <= stream.stride;
    Ok(if inside { (0, stream.offset) } else { (stream.offset, 0) })
}

/// All vertex formats of attributes.
const FORMATS: [VertexFormat; 5] = [
    VertexFormat::Float1,
    VertexFormat::Float2,
    VertexFormat::Float3,
    VertexFormat::Float4,
    VertexFormat::Bytes4,
];

impl PackedAttribute {
    /// An attribute that reads the buffer of zeros.
    const ZERO: PackedAttribute = PackedAttribute(1);

    /// Packs an attribute. From bit 5: format, offset / 4, stride / 4, instance step. Offset < stride ≤ 2,048.
    fn new(stream: &Stream, within: u32) -> PackedAttribute {
        let format = stream.format as u32;
        let instance = u32::from(stream.divisor != 0);
        let (within, stride) = (within / 4, stream.stride / 4);
        PackedAttribute(1 | format << 5 | within << 8 | stride << 18 | instance << 31)
    }

    fn in_slot(self, slot: usize) -> PackedAttribute {
        PackedAttribute(self.0 | u32::try_from(slot).unwrap_or(0) << 1)
    }

    fn slot(self) -> usize {
        (self.0 >> 1 & 15) as usize
    }

    fn format(self) -> wgpu::VertexFormat {
        let number = self.0 >> 5 & 7;
        let format = FORMATS.into_iter().find(|format| *format as u32 == number);
        convert::vertex_format(format.unwrap_or(VertexFormat::Float1))
    }

    fn step_mode(self) -> VertexStepMode {
        if self.0 >> 31 != 0 { VertexStepMode::Instance } else { VertexStepMode::Vertex }
    }
}

/// Calls `run` with these attributes as wgpu vertex buffer layouts.
pub(crate) fn with_buffers<T>(
    attributes: &[PackedAttribute; MAX_STREAMS],
    run: impl FnOnce(&[VersionField<VertexBufferLayout<'_>>]) -> T,
) -> T {
    let mut slots: [Vec<VertexAttribute>; MAX_STREAMS] = Default::default();
    let mut shapes = [(0, VertexStepMode::Vertex); MAX_STREAMS];
    let mut count = 0;
    for (shader_location, attribute) in (0..).zip(attributes).filter(|(_, it)| it.0 != 0) {
        let slot = attribute.slot();
        let offset = u64::from(attribute.0 >> 8 & 0x3ff) * 4;
        if let (Some(slot), Some(shape)) = (slots.get_mut(slot), shapes.get_mut(slot)) {
            slot.push(VertexAttribute { format: attribute.format(), offset, shader_location });
            *shape = (u64::from(attribute.0 >> 18 & 0x1fff) * 4, attribute.step_mode());
        }
        count = count.max(slot + 1);
    }
    let layout = |(attributes, (array_stride, step_mode))| {
        given(VertexBufferLayout { array_stride, step_mode, attributes })
    };
    let slots = slots.iter().map(Vec::as_slice).zip(shapes).take(count);
    run(&slots.map(layout).collect::<Vec<_>>())
}
