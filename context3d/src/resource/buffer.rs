//! Vertex and index buffers.

/// A `VertexBuffer3D`. The default has no vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexBuffer {
    pub(crate) vertices: u32,
    /// Bytes per vertex.
    pub(crate) stride: u32,
    /// 0 for an ordinary buffer, else the number of instances that use each vertex.
    pub(crate) instances_per_element: u32,
    pub(crate) uploaded: bool,
    /// Bytes of zeros behind its end on the backend.
    pub(crate) padding: u32,
    /// The number of copies of each vertex on the backend, for a device that can't use a vertex for so many instances.
    pub(crate) copies: u32,
}

impl VertexBuffer {
    pub(crate) fn bytes(&self) -> u32 {
        self.vertices * self.stride
    }

    /// The buffer as the backend has it.
    #[inline]
    pub(crate) fn on_device(&self) -> VertexBuffer {
        match self.copies {
            0 | 1 => *self,
            copies => {
                VertexBuffer { vertices: self.vertices * copies, instances_per_element: 1, ..*self }
            }
        }
    }

    /// Bytes of the copies beyond the first.
    pub(crate) fn copied_bytes(&self) -> u64 {
        u64::from(self.bytes()) * u64::from(self.copies.saturating_sub(1))
    }
}

/// Indices that share one entry of [`IndexBuffer::block_max`].
const BLOCK: usize = 64;

/// An `IndexBuffer3D`.
///
/// Keeps the indices, because the largest one decides whether a draw stays inside its vertex buffers. Also keeps the
/// largest of each block, so that a draw looks at few of them.
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

    /// An index; 0 past the end.
    pub(crate) fn get(&self, at: usize) -> u16 {
        self.indices.get(at).copied().unwrap_or(0)
    }

    /// Replaces indices from `first` on and ignores those past the end.
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

    /// An upper bound of all indices, for a cheap first test.
    pub(crate) fn max(&self) -> u16 {
        self.max
    }

    /// The largest of `count` indices from `first` on, which must be in the buffer.
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
