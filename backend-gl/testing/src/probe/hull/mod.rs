//! Runs hull shaders on the driver's tessellation and compares the results with the interpreter's.

mod bound;
mod context;
mod fuzz;
pub mod grid;
pub mod picture;
mod texture;
mod verdict;

pub use bound::BoundResources;
pub use context::{
    DriverText, HullVertex, Patch, PatchResult, TessellationContext, TessellationError,
    TextMutation,
};
pub use fuzz::FuzzFailure;
pub use texture::SAMPLER;
pub use verdict::{ResultDifference, compare, interpret};
