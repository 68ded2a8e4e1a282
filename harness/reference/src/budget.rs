//! Memory budget: all buffers of a renderer together stay below a limit.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use context3d::backend::BackendError;

/// The remaining bytes of a renderer.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<AtomicUsize>);

impl Budget {
    /// A budget of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Budget(Arc::new(AtomicUsize::new(bytes)))
    }

    /// A buffer of default values.
    pub(super) fn buffer<T: Copy + Default>(
        &self,
        length: usize,
    ) -> Result<Buffer<T>, BackendError> {
        let bytes = length.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or(BackendError::OutOfMemory)?;
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map_err(|_| BackendError::OutOfMemory)?;
        // Dropping the charge returns it to the budget, also if the system's allocation fails.
        let charge = Charge { budget: self.clone(), bytes };
        let mut items = Vec::new();
        items.try_reserve_exact(length).map_err(|_| BackendError::OutOfMemory)?;
        items.resize(length, T::default());
        Ok(Buffer { items: Arc::new(items), _charge: Some(Arc::new(charge)) })
    }
}

#[derive(Debug)]
pub(super) struct Charge {
    budget: Budget,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// Items whose memory is charged to a budget. The default is empty. Clones share the items, and the charge, until one is
/// written to; its copy is not charged.
#[derive(Clone, Debug)]
pub(super) struct Buffer<T> {
    items: Arc<Vec<T>>,
    _charge: Option<Arc<Charge>>,
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Buffer { items: Arc::default(), _charge: None }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: Clone> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.items).as_mut_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_can_be_had_again() {
        let budget = Budget::new(100);
        let first: Buffer<u32> = budget.buffer(20).unwrap();
        assert_eq!(budget.buffer::<u32>(6).map(|_| ()), Err(BackendError::OutOfMemory));
        let second: Buffer<u32> = budget.buffer(5).unwrap();
        drop((first, second));
        assert_eq!(budget.buffer::<u8>(100).unwrap().len(), 100);
        assert_eq!(budget.buffer::<u64>(usize::MAX).map(|_| ()), Err(BackendError::OutOfMemory));
    }
}
