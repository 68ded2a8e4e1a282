//! [`Shortcut`]: what any renderer may skip on the way to a record.

use std::collections::{BTreeSet, HashSet};

use molehill_reference::skip::Skip;

use crate::error::Result;
use crate::inspector::Inspector;
use crate::plan::{Plan, Want};

/// The packets that a replay may skip up to a record, whatever state it starts from. At the end all surfaces are exact
/// again, so that the replay can continue; before the end some are not.
#[derive(Clone, Debug, Default)]
pub struct Shortcut {
    /// The number of records after which nothing is skipped.
    pub end: usize,
    skips: Vec<(usize, Skip)>,
}

impl Shortcut {
    /// The packets to skip in a record, counted from 0.
    pub fn skip(&self, record: usize) -> Skip {
        let found = self.skips.binary_search_by_key(&record, |(index, _)| *index);
        let found = found.ok().and_then(|at| self.skips.get(at));
        found.map_or(Skip::default(), |(_, skip)| *skip)
    }
}

impl Inspector {
    /// What a replay may skip before the state after `records` records.
    pub fn shortcut(&self, records: usize) -> Result<Shortcut> {
        let dry_run = self.dry_run(records)?;
        let effects = &dry_run.effects;
        let plan = Plan::new(effects, records, Want::ALL, std::iter::empty());
        let mut stale = HashSet::new();
        let indices: BTreeSet<usize> = plan.records(effects).collect();
        let skips = indices.into_iter().map(|it| (it, plan.skip(effects, it, &mut stale)));
        Ok(Shortcut {
            end: records,
            skips: skips.filter(|(_, skip)| *skip != Skip::default()).collect(),
        })
    }
}
