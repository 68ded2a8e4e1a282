//! Vector elements as numbers: borrowed from the VM, or converted into reused memory.

use std::cell::Cell;
use std::ops::Deref;
use std::thread::LocalKey;

use crate::convert::convert;

/// Maximum capacity of the memory that a thread retains for each number type, in elements.
const KEPT: usize = 1 << 20;

/// The element type of a number vector: `f64`, `f32` or `u32`.
pub trait VectorElement: Copy + Default + 'static {
    /// Returns the buffer that the thread retains between calls.
    #[doc(hidden)]
    fn spare() -> &'static LocalKey<Cell<Vec<Self>>>;
}

macro_rules! number {
    ($($type:ty)+) => {$(
        impl VectorElement for $type {
            fn spare() -> &'static LocalKey<Cell<Vec<$type>>> {
                thread_local!(static SPARE: Cell<Vec<$type>> = const { Cell::new(Vec::new()) });
                &SPARE
            }
        }
    )+};
}

number!(f64 f32 u32);

/// The converted elements of a vector. The thread reuses the elements' memory, so that calls don't allocate.
#[derive(Debug)]
pub struct VectorCopy<T: VectorElement> {
    /// Elements at and after `len` may be those of earlier calls.
    memory: Vec<T>,
    len: usize,
}

impl<T: VectorElement> VectorCopy<T> {
    /// Converts the elements of a VM's array.
    pub fn new<U>(elements: &[U], number: impl Fn(&U) -> T) -> Self {
        let (mut memory, len) = (T::spare().take(), elements.len());
        if memory.len() < len {
            memory.resize(len, T::default());
        }
        convert(&mut memory[..len], elements, number);
        VectorCopy { memory, len }
    }

    /// Collects numbers. Returns `None` if an element is not a number.
    pub(super) fn collect(numbers: impl Iterator<Item = Option<T>>) -> Option<Self> {
        let mut converted = VectorCopy { memory: T::spare().take(), len: 0 };
        converted.memory.clear();
        for number in numbers {
            converted.memory.push(number?);
        }
        converted.len = converted.memory.len();
        Some(converted)
    }
}

impl<T: VectorElement> Drop for VectorCopy<T> {
    /// Returns the memory to the thread, unless a nested call has returned a larger buffer.
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        // The thread-local buffer no longer exists if the thread is exiting.
        let _ = T::spare().try_with(|spare| {
            let other = spare.take();
            let is_kept = (other.capacity()..=KEPT).contains(&memory.capacity());
            spare.set(if is_kept { memory } else { other });
        });
    }
}

impl<T: VectorElement> Deref for VectorCopy<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[..self.len]
    }
}

/// The elements of a number `Vector`.
#[derive(Debug)]
pub enum Elements<Array, T: VectorElement> {
    /// The array of the VM, without a copy.
    Lent(Array),
    /// A converted copy.
    Converted(VectorCopy<T>),
}

impl<Array: Deref<Target = [T]>, T: VectorElement> Deref for Elements<Array, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Elements::Lent(array) => array,
            Elements::Converted(elements) => elements,
        }
    }
}
