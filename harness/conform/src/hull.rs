//! Runs the test cases of hull shaders: compares the driver's tessellation with the interpreter and the reference.

use hs50::generate::programs;
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
    /// The generated hull shaders of a group, run on random patches.
    Programs(&'static str),
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
            HullCase::Programs(group) => {
                let mut values = 0;
                for (number, program) in (0..).zip(&programs()) {
                    if program.group == group {
                        match context.check_generated(number, program) {
                            Ok(compared) => values += compared.unwrap_or(0),
                            Err(found) => {
                                return CaseResult {
                                    attachments: attachments::texts([("listing", found.text)]),
                                    ..CaseResult::failure(found.reason)
                                };
                            }
                        }
                    }
                }
                compared(values, Vec::new())
            }
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
