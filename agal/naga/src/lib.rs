//! Translates a [`LinkedPair`] to naga modules. The modules compute the same results as the WGSL of [`agal::wgsl`],
//! but wgpu need not parse them. The translation can't fail.
//!
//! [`ShaderWriter`](agal::wgsl::writer::ShaderWriter) defines the instructions for modules and for WGSL. Locations,
//! groups and bindings are equal, too. The feature must match the host's wgpu: `naga-30` (default) or `naga-27`.
//!
//! ```
//! use agal::{Stage, wgsl};
//! # let program = |text, stage| agal::asm::assemble(text, stage, 1).map(|program| program.encode());
//! # let (vertex, fragment) = (program("mov op, va0", Stage::Vertex)?, program("mov oc, fc0", Stage::Fragment)?);
//! # let pair = agal::upload((&vertex, agal::Endian::Little), (&fragment, agal::Endian::Little), &agal::Rules::NEWEST)?;
//! let module = agal_naga::module(&pair, Stage::Vertex, &wgsl::WgslOptions::default());
//! assert_eq!(module.entry_points[0].name, "vertex_main");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod interface;
mod writer;

#[cfg(feature = "naga-27")]
pub extern crate naga_27 as naga;
#[cfg(not(feature = "naga-27"))]
pub extern crate naga_30 as naga;

use agal::wgsl::WgslOptions;
use agal::{LinkedPair, Stage};

/// Translates one program of a pair to a module with one entry point.
pub fn module(pair: &LinkedPair, stage: Stage, target: &WgslOptions<'_>) -> naga::Module {
    builder::NagaBuilder::new(pair, stage, target).finish()
}
