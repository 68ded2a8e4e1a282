//! [`Shortcut`]: what any renderer may leave out on the way to a place.

use std::collections::HashSet;

use molehill_reference::skip::Skip;

use crate::error::InspectError;
use crate::inspector::Inspector;
use crate::plan::{Plan, Want};

/// What a replay may leave out on its way, from wherever it stands: all its surfaces are exact again at the end, so that it
/// can go on from there. In between some are not.
#[derive(Clone, Debug, Default)]
pub struct Shortcut {
    end: usize,
    /// By record, in their order.
    skips: Vec<(usize, Skip)>,
}

impl Shortcut {
    /// Number of records after which nothing is left out any more.
    pub fn end(&self) -> usize {
        self.end
    }

    /// What is left out of a record, by its place.
    pub fn skip(&self, record: usize) -> Skip {
        let found = self
            .skips
            .binary_search_by_key(&record, |(place, _)| *place);
        let found = found.ok().and_then(|at| self.skips.get(at));
        found.map_or(Skip::default(), |(_, skip)| *skip)
    }
}

impl Inspector {
    /// The way to the state after so many records.
    ///
    /// # Errors
    /// [`InspectError::Cancelled`], and those of reading the capture.
    pub fn shortcut(&self, records: usize) -> Result<Shortcut, InspectError> {
        let marks = self.marks(records)?;
        let effects = &marks.effects;
        let plan = Plan::new(effects, records, Want::ALL, std::iter::empty());
        let mut stale = HashSet::new();
        let mut places: Vec<usize> = plan.records(effects).collect();
        places.sort_unstable();
        places.dedup();
        let skips = places
            .into_iter()
            .map(|record| (record, plan.skip(effects, record, &mut stale)));
        Ok(Shortcut {
            end: records,
            skips: skips.filter(|(_, skip)| *skip != Skip::default()).collect(),
        })
    }
}
