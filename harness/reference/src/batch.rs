//! A batch of triangles of a draw: its shaded vertices, and its triangles sorted into bands of rows.

use super::triangle::Triangle;
use super::vertex::{ShadedVertices, VertexId};

/// Rows per band; even.
pub(super) const BAND_ROWS: usize = 16;
pub(super) struct BatchScratch {
    /// By vertex index: the batch of the last use, and the vertex's position in that batch.
    slots: Vec<(u32, u32)>,
    batch: u32,
    pub(super) ids: Vec<VertexId>,
    pub(super) shaded: ShadedVertices,
    /// The corners of each triangle, as indices into `shaded`.
    pub(super) corners: Vec<[u32; 3]>,
    pub(super) triangles: Vec<Triangle>,
    /// By band: the triangles that may cover a pixel of the band.
    pub(super) bins: Vec<Vec<u32>>,
}

impl Clone for BatchScratch {
    /// Returns an empty batch, because a batch has content only during a draw.
    fn clone(&self) -> Self {
        BatchScratch::new()
    }
}

impl BatchScratch {
    pub(super) fn new() -> Self {
        BatchScratch {
            slots: vec![(0, 0); 1 << 16],
            batch: 0,
            ids: Vec::new(),
            shaded: ShadedVertices::default(),
            corners: Vec::new(),
            triangles: Vec::new(),
            bins: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.forget_slots();
        self.ids.clear();
        self.corners.clear();
        self.triangles.clear();
        self.bins.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn forget_slots(&mut self) {
        self.batch = self.batch.wrapping_add(1);
        if self.batch == 0 {
            self.slots.fill((0, 0));
            self.batch = 1;
        }
    }

    /// Returns the vertex's position in the batch, and adds the vertex if it is new.
    pub(super) fn slot(&mut self, id: VertexId) -> u32 {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        match self.slots.get_mut(usize::from(id.index)) {
            Some((batch, slot)) if *batch == self.batch => *slot,
            Some(slot) => {
                *slot = (self.batch, next);
                self.ids.push(id);
                next
            }
            None => next, // there is a slot for every index
        }
    }
}
