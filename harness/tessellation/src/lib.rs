//! Hull shaders on the driver: what OpenGL's tessellation makes of them, beside what the interpreter does.

mod bound;
mod fuzz;
pub mod grid;
mod lab;
pub mod mutations;
pub mod picture;
mod texture;
mod verdict;

pub use bound::Bound;
pub use fuzz::{Campaign, Found};
pub use lab::{Captured, Lab, LabError, Patch, Vertex};
pub use texture::{SAMPLER, Texture};
pub use verdict::{Difference, compare, interpret, meets_infinity};
