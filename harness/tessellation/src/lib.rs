//! Runs hull shaders on the driver's tessellation and compares the results with the interpreter's.

mod bound;
mod context;
mod fuzz;
pub mod grid;
pub mod mutations;
pub mod picture;
mod texture;
mod verdict;

pub use bound::Bound;
pub use context::{Captured, Patch, TessellationContext, TessellationError, Vertex};
pub use fuzz::{Campaign, HullFailure};
pub use texture::{SAMPLER, Texture};
pub use verdict::{Difference, compare, interpret, meets_infinity};
