//! Broken comparisons of names that match nothing.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
