//! Memory budget: limits the total size of a renderer's buffers.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use context3d::backend::BackendError;

/// The remaining bytes of a renderer's budget, and the total bytes of the buffers of the renderer and its clones.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<ChargeCounts>);

#[derive(Debug)]
struct ChargeCounts {
    left: AtomicUsize,
    held: AtomicUsize,
}

impl Budget {
    /// Creates a budget of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Budget(Arc::new(ChargeCounts { left: AtomicUsize::new(bytes), held: AtomicUsize::new(0) }))
    }

    /// Returns an id that only clones of this budget share, and the total bytes of all buffers, including copies.
    pub(super) fn held(&self) -> (usize, usize) {
        (Arc::as_ptr(&self.0).addr(), self.0.held.load(Ordering::Relaxed))
    }

    /// Allocates a buffer of default values.
    pub(super) fn buffer<T: Copy + Default>(
        &self,
        length: usize,
    ) -> Result<ChargedItems<T>, BackendError> {
        let bytes = length.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or(BackendError::OutOfMemory)?;
        let taken = self
            .0
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map_err(|_| BackendError::OutOfMemory)?;
        // Create `charge` before the allocation: if the allocation fails, dropping `charge` returns the bytes to the
        // memory budget.
        let charge = Arc::new(Charge { budget: self.clone(), bytes });
        let mut items = Vec::new();
        items.try_reserve_exact(length).map_err(|_| BackendError::OutOfMemory)?;
        items.resize(length, T::default());
        Ok(ChargedItems(Arc::new(Items::new(items, Some(charge)))))
    }
}

#[derive(Debug)]
pub(super) struct Charge {
    budget: Budget,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.0.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// The items of a buffer, whose bytes the budget counts as held. A copy's bytes are counted, but need no free budget.
#[derive(Debug)]
struct Items<T> {
    items: Vec<T>,
    charge: Option<Arc<Charge>>,
}

impl<T> Items<T> {
    fn new(items: Vec<T>, charge: Option<Arc<Charge>>) -> Self {
        if let Some(charge) = &charge {
            charge.budget.0.held.fetch_add(charge.bytes, Ordering::Relaxed);
        }
        Items { items, charge }
    }
}

impl<T: Clone> Clone for Items<T> {
    fn clone(&self) -> Self {
        Items::new(self.items.clone(), self.charge.clone())
    }
}

impl<T> Drop for Items<T> {
    fn drop(&mut self) {
        if let Some(charge) = &self.charge {
            charge.budget.0.held.fetch_sub(charge.bytes, Ordering::Relaxed);
        }
    }
}

/// Items whose memory is charged to a budget. The default contains no items. Clones share the items; writing to a clone
/// copies the items, without charging the budget again.
#[derive(Clone, Debug)]
pub(super) struct ChargedItems<T>(Arc<Items<T>>);

impl<T> Default for ChargedItems<T> {
    fn default() -> Self {
        ChargedItems(Arc::new(Items::new(Vec::new(), None)))
    }
}

impl<T> Deref for ChargedItems<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.items
    }
}

impl<T: Clone> DerefMut for ChargedItems<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0).items.as_mut_slice()
    }
}

#[cfg(test)]
#[path = "../tests/unit/budget.rs"]
mod tests;
