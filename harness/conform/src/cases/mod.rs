//! All test cases of the suite, mostly rows of `scripts`. Other cases `area.topic.*` are in `area/topic.rs` or, if an
//! area has one file, in `area.rs`. The order of cases is fixed: modules as in this file, tables from top to bottom.

mod agal;
mod api;
mod formulas;
mod hull;
mod limits;
mod raster;
mod scripted;
mod texture;

use std::collections::HashSet;
use std::iter::once;
use std::path::PathBuf;

use super::case::{Case, CaseBody, Cases, Mutant};
use crate::capture_case::{self, CAPTURES, CaptureCase, CaseError};
use crate::mutations::{MUTATIONS, api as api_mutations};
use crate::pictures;

pub fn all() -> Vec<Case> {
    let mut cases = Cases::default();
    let areas: [fn(&mut Cases); 7] =
        [agal::add, api::add, hull::add, limits::add, raster::add, scripted::add, texture::add];
    areas.iter().for_each(|add| add(&mut cases));
    let mut cases = cases.finish();
    cases.iter_mut().for_each(pictures::expect);
    cases.iter_mut().for_each(Case::cite_error);
    cases
}

/// Returns a test case for every deliberate error. The test case passes if a case of [`all`] detects the error.
pub fn mutants() -> Vec<Case> {
    let of_devices = MUTATIONS.iter().map(|mutation| {
        (format!("mutant.device.{}", mutation.name), mutation.what, Mutant::Device(mutation))
    });
    let of_api = api_mutations::all().iter().map(|mutation| {
        (format!("mutant.{}", mutation.name), "the API's tables", Mutant::Api(mutation))
    });
    let all = of_devices.chain(of_api);
    all.map(|(name, source, mutant)| Case::new(name, source, CaseBody::Mutant(mutant))).collect()
}

/// Returns captures below folders as test cases, with the names of all cases (`in_tree`) or of their folders.
pub fn captures(folders: &[PathBuf], in_tree: bool) -> Result<Vec<Case>, CaseError> {
    let mut names = HashSet::new();
    let found = capture_case::find(folders)?.into_iter();
    let case = |capture: CaptureCase| {
        let name = if in_tree {
            format!("{CAPTURES}{}", capture.name.replace('.', "_"))
        } else {
            // If several folders have the same name, a number is appended.
            let numbers = (2..).map(|number| format!("{}-{number}", capture.name));
            let mut names_of_it = once(capture.name.clone()).chain(numbers);
            names_of_it.find(|name| names.insert(name.clone())).unwrap_or_default()
        };
        let source = capture.source.clone().unwrap_or_else(|| "Flash Player".to_owned());
        Case::new(name, &source, CaseBody::Capture(Box::new(capture)))
    };
    Ok(found.map(case).collect())
}

pub fn duplicate(cases: &[Case]) -> Option<&str> {
    let mut seen = HashSet::new();
    let mut names = cases.iter().map(|case| case.name.as_str());
    names.find(|name| !seen.insert(*name))
}
