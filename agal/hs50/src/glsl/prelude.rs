//! GLSL helper functions for formulas; only used functions are emitted.
//!
//! Helpers multiply 16-bit halves to compute high products: Mesa 22.3 constant-folds `umulExtended` incorrectly.

/// The helper functions, separated by empty lines; callees precede callers.
const FUNCTIONS: &str = include_str!("prelude.glsl");

pub(super) fn called_by(text: &str) -> String {
    let mut called: Vec<&str> = Vec::new();
    for function in FUNCTIONS.trim_end().rsplit("\n\n") {
        let name = function.split_once('(').map_or("", |(head, _)| head);
        let call = format!("{}(", name.rsplit(' ').next().unwrap_or_default());
        if text.contains(&call) || called.iter().any(|later| later.contains(&call)) {
            called.push(function);
        }
    }
    called.iter().rev().map(|function| format!("{function}\n")).collect()
}
