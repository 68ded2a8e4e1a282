//! Hull shaders on the driver: what OpenGL's tessellation makes of them, beside what the interpreter does.

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
pub use fuzz::{Campaign, Found};
pub use texture::{SAMPLER, Texture};
pub use verdict::{Difference, compare, interpret, meets_infinity};
