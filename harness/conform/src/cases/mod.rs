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
mod opcode;
mod outputs;
mod raster;
mod shapes;
mod stencil;
mod target;
mod texture;
mod vertex;

use std::collections::HashSet;
use std::iter::once;
use std::path::PathBuf;

use super::case::{Body, Case, Cases};
use crate::capture_case::{self, CaptureCase, CaseError};

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

/// What the names of captures begin with where they stand beside other cases.
pub const CAPTURES: &str = "capture.";

/// The captures below some folders, each a case: in the tree of all cases, or named by their folders alone.
///
/// # Errors
/// Those of [`capture_case::find`].
pub fn captures(folders: &[PathBuf], in_tree: bool) -> Result<Vec<Case>, CaseError> {
    let mut names = HashSet::new();
    let found = capture_case::find(folders)?.into_iter();
    let case = |capture: CaptureCase| {
        let name = match in_tree {
            true => format!("{CAPTURES}{}", capture.name.replace('.', "_")),
            // Folders of the same name in different places have a number each.
            false => {
                let numbers = (2..).map(|number| format!("{}-{number}", capture.name));
                let mut names_of_it = once(capture.name.clone()).chain(numbers);
                let free = names_of_it.find(|name| names.insert(name.clone()));
                free.unwrap_or_default()
            }
        };
        let source = capture.source.clone();
        let source = source.unwrap_or_else(|| "Flash Player".to_owned());
        Case::new(name, &source, Body::Capture(Box::new(capture)))
    };
    Ok(found.map(case).collect())
}

/// The first name that stands twice.
pub fn duplicate(cases: &[Case]) -> Option<&str> {
    let mut seen = HashSet::new();
    let mut names = cases.iter().map(|case| case.name.as_str());
    names.find(|name| !seen.insert(*name))
}
