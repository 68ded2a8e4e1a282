//! Broken comparisons of the suite: `conform`, `merge` and `compare`.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
