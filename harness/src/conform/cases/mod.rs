//! The tree of cases, one module an area. The order is fixed: modules as they stand here, tables from top to bottom.

mod agal;
mod bitmaps;
mod blend;
mod constants;
mod depth;
mod errors;
mod frames;
mod grid;
mod instances;
mod limits;
mod mips;
mod opcode;
mod outputs;
mod raster;
mod shapes;
mod stencil;
mod target;
mod texture;
mod vertex;

use std::collections::HashSet;
use std::path::PathBuf;

use super::case::{Body, Case, Cases};
use crate::suite;

/// Every generated case.
pub fn all() -> Vec<Case> {
    let mut cases = Cases::default();
    let areas: [fn(&mut Cases); 13] = [
        agal::add,
        opcode::add,
        errors::add,
        limits::add,
        blend::add,
        depth::add,
        stencil::add,
        raster::add,
        vertex::add,
        constants::add,
        texture::add,
        target::add,
        bitmaps::add,
    ];
    areas.iter().for_each(|add| add(&mut cases));
    frames::add(&mut cases);
    cases.finish()
}

/// The captures below some folders, each a case.
///
/// # Errors
/// Those of [`suite::find`].
pub fn captures(folders: &[PathBuf]) -> Result<Vec<Case>, suite::CaseError> {
    let found = suite::find(folders)?.into_iter();
    let case = |capture: suite::Case| {
        let name = format!("capture.{}", capture.name.replace('.', "_"));
        Case::new(name, "Flash Player", Body::Capture(Box::new(capture)))
    };
    Ok(found.map(case).collect())
}

/// The first name that stands twice.
pub fn duplicate(cases: &[Case]) -> Option<&str> {
    let mut seen = HashSet::new();
    let mut names = cases.iter().map(|case| case.name.as_str());
    names.find(|name| !seen.insert(*name))
}
