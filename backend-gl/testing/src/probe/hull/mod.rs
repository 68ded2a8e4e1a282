//! Runs hull shaders on the driver's tessellation and compares the results with the interpreter's.

mod bound;
mod context;
mod fuzz;
pub mod grid;
pub mod picture;
mod texture;
mod verdict;

pub use bound::Bound;
pub use context::{Captured, Change, Patch, TessellationContext, TessellationError, Text, Vertex};
pub use fuzz::FuzzFailure;
pub use texture::SAMPLER;
pub use verdict::{Difference, compare, interpret, meets_infinity};
