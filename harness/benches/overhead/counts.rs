//! Compares the call counts of captures with a table; they don't depend on the machine or the driver.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::row::Row;

/// The header line of the table, with the column names.
const HEAD: &str = "capture\tdraws\tglCalls\tglBytes\tcompiles\tallocationsPerFrame";

/// Returns a measurement as a line of the table.
fn line(row: &Row) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}",
        row.name,
        row.draws,
        row.gl_calls.values().sum::<u64>(),
        row.bytes,
        row.compiles(),
        row.allocations
    )
}

/// Returns the rows as a tab-separated table with a header line, sorted by name.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort();
    lines.iter().fold(format!("{HEAD}\n"), |mut text, line| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{line}");
        text
    })
}

/// Compares measured rows with `table`, the output of the function [`table`] for expected rows. Returns a message for
/// each row that differs or is missing from the table. Rows of the table that were not measured are ignored.
pub(crate) fn differences(rows: &[Row], table: &str) -> Vec<String> {
    let expected: BTreeMap<&str, &str> =
        table.lines().filter_map(|line| Some((line.split('\t').next()?, line))).collect();
    let mut texts = Vec::new();
    for row in rows {
        let now = line(row);
        match expected.get(row.name.as_str()) {
            Some(line) if *line == now => {}
            Some(line) => texts.push(format!("expected {line}\n     got {now}")),
            None => texts.push(format!("not expected: {now}")),
        }
    }
    texts
}
