//! Broken comparisons of programs that are fuzzed.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
