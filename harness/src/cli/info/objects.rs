//! `molehill info --objects`

use clap::ArgMatches;
use molehill_inspect::dump::ObjectUse;

use crate::cli::inspect::open;
use crate::cli::table::{self, Column};
use crate::cli::{Failure, Status};

const COLUMNS: [Column<ObjectUse>; 8] = [
    ("object", |used| used.object.clone().into()),
    ("bytes", |used| used.bytes.into()),
    ("uploads", |used| used.uploads.into()),
    ("uses", |used| used.uses.into()),
    ("draws", |used| used.draws.into()),
    ("created", |used| used.created.into()),
    ("last", |used| used.last.into()),
    ("disposed", |used| used.disposed.into()),
];

/// Prints every object with its size and its users.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inspector = open(matches, None)?;
    table::print(matches, "objects", &COLUMNS, &inspector.objects()?)?;
    Ok(Status::Success)
}
