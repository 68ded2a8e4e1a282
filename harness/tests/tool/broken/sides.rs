//! Broken comparisons of two sides: `diff`, `minimize` and replays.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
