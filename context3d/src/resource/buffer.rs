//! Vertex and index buffers.

/// A `VertexBuffer3D`. The default buffer has no vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexBuffer {
    pub(crate) vertices: u32,
    /// Bytes per vertex.
    pub(crate) stride: u32,
    /// The number of instances that use each vertex; 0 for an ordinary buffer.
    pub(crate) instances_per_element: u32,
    pub(crate) uploaded: bool,
    /// Number of bytes of zero padding after the buffer on the backend.
    pub(crate) padding: u32,
    /// The number of copies of each vertex on the backend. Copies are needed if the device can't use a vertex for this
    /// many instances.
    pub(crate) copies: u32,
}

impl VertexBuffer {
    pub(crate) fn bytes(&self) -> u32 {
        self.vertices * self.stride
    }

    /// Returns the properties of the backend's buffer: if vertices are copied, `vertices` counts the copies.
    #[inline]
    pub(crate) fn on_device(&self) -> VertexBuffer {
        match self.copies {
            0 | 1 => *self,
            copies => {
                VertexBuffer { vertices: self.vertices * copies, instances_per_element: 1, ..*self }
            }
        }
    }

    /// Returns the size of the additional vertex copies in bytes.
    pub(crate) fn copied_bytes(&self) -> u64 {
        u64::from(self.bytes()) * u64::from(self.copies.saturating_sub(1))
    }
}

/// Number of indices per entry of [`IndexBuffer::block_max`].
const BLOCK: usize = 64;

/// An `IndexBuffer3D`.
///
/// Stores the indices, because a draw must check its largest index against its vertex buffers. The maximum of each
/// block of indices lets a draw find its largest index quickly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexBuffer {
    indices: Vec<u16>,
    block_max: Vec<u16>,
    max: u16,
    pub(crate) uploaded: bool,
}

impl IndexBuffer {
    pub(crate) fn new(count: usize) -> Self {
        IndexBuffer {
            indices: vec![0; count],
            block_max: vec![0; count.div_ceil(BLOCK)],
            max: 0,
            uploaded: false,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.indices.len() as u64 * 2
    }

    /// Returns the vertex index at a position; 0 past the end of the buffer.
    pub(crate) fn get(&self, at: usize) -> u16 {
        self.indices.get(at).copied().unwrap_or(0)
    }

    /// Replaces indices starting at `first`, and ignores those past the end.
    pub(crate) fn write(&mut self, first: usize, indices: impl Iterator<Item = u16>) {
        let Some(target) = self.indices.get_mut(first..) else {
            return;
        };
        let mut written = 0;
        for (to, from) in target.iter_mut().zip(indices) {
            *to = from;
            written += 1;
        }
        self.uploaded = true;
        let last_block = (first + written).div_ceil(BLOCK);
        let blocks = self.indices.chunks(BLOCK).zip(&mut self.block_max);
        for (block, max) in blocks.take(last_block).skip(first / BLOCK) {
            *max = largest(block);
        }
        self.max = largest(&self.block_max);
    }

    /// Returns an upper bound of all indices, for a fast first check of a draw.
    pub(crate) fn max(&self) -> u16 {
        self.max
    }

    /// Returns the maximum of `count` indices starting at `first`, which must be in the buffer.
    pub(crate) fn max_of(&self, first: usize, count: usize) -> u16 {
        let end = (first + count).min(self.indices.len());
        let (first_block, end_block) = (first.div_ceil(BLOCK), end / BLOCK);
        if first_block >= end_block {
            return largest(self.indices.get(first..end).unwrap_or_default());
        }
        let part = |range| largest(self.indices.get(range).unwrap_or_default());
        let whole = largest(self.block_max.get(first_block..end_block).unwrap_or_default());
        whole.max(part(first..first_block * BLOCK)).max(part(end_block * BLOCK..end))
    }
}

fn largest(indices: &[u16]) -> u16 {
    indices.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
#[path = "../../tests/unit/buffer.rs"]
mod tests;
