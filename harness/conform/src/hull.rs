//! Runs the test cases of hull shaders: compares the driver's tessellation with the interpreter and the reference.

use hs50::names::{Domain, Partitioning};
use molehill_replay::evidence::{Party, ResultTally};
use molehill_replay::image::RgbaImage;
use molehill_testing::probe::hull::{TessellationContext, TessellationError, grid};

use super::attachments::{self, Attachments};
use super::verdict::CaseResult;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullCase {
    /// A comparison of the vertices that the tessellator generates for many tessellation factors.
    Grid(Domain, Partitioning),
    /// A random hull shader, generated from a seed and run on random patches.
    Random(u64),
}

/// The number of tessellation grids that are checked for each domain.
const GRIDS: u64 = (grid::UNIFORM.len() + grid::MIXED.len()) as u64;

impl HullCase {
    pub(super) fn run(self, context: &mut TessellationContext) -> CaseResult {
        match self {
            HullCase::Grid(domain, partitioning) => {
                match grid::check(context, domain, partitioning) {
                    Ok(checked) => CaseResult {
                        attachments: picture(&checked),
                        ..compared(GRIDS, checked.wrong)
                    },
                    Err(TessellationError::Unsupported(what)) => CaseResult::missing(what),
                    Err(error) => CaseResult::failure(error),
                }
            }
            HullCase::Random(seed) => match context.step(seed) {
                // `None` means that an infinity made all results undefined, so no value was compared.
                Ok(values) => compared(values.unwrap_or(0), Vec::new()),
                Err(found) => CaseResult {
                    attachments: attachments::texts([("listing", found.text)]),
                    ..CaseResult::failure(found.reason)
                },
            },
        }
    }
}

fn compared(values: u64, failures: Vec<String>) -> CaseResult {
    let tally = ResultTally { values, differing: failures.len() as u64, ..ResultTally::default() };
    let oracle = Party::Interpreter("hull shaders".to_owned());
    CaseResult { compared: vec![(oracle, tally)], failures, ..CaseResult::default() }
}

fn picture(checked: &grid::GridCheck) -> Attachments {
    let (size, rgba) = checked.picture();
    let image = RgbaImage::from_rgba(size, size, rgba);
    let pictures = image.map(|image| attachments::named([("grids", &image)]));
    Attachments { pictures: pictures.unwrap_or_default(), ..Attachments::default() }
}

#[cfg(test)]
#[path = "../tests/unit/hull.rs"]
mod tests;
