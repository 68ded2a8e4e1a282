//! The child's side.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde_json::json;

use super::child::READY;
use crate::case::Case;
use crate::run::Bench;

/// Runs the cases whose names come in, until there are no more.
///
/// # Errors
/// The pipe's, but that its other end is closed: then nobody wants anything.
pub fn serve(
    cases: &[Case],
    bench: &mut Bench,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let by_name: HashMap<&str, &Case> = cases
        .iter()
        .map(|case| (case.name.as_str(), case))
        .collect();
    let mut answer = |value: serde_json::Value| {
        writeln!(output, "{value}")?;
        output.flush()
    };
    answer(json!({ READY: bench.driver() }))?;
    for name in input.lines() {
        let name = name?;
        let Some(case) = by_name.get(name.as_str()) else {
            let text = format!("there is no case {name:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        answer(bench.run(case).json())?;
    }
    Ok(())
}
