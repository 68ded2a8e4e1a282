//! Expands GLSL templates.

use agal_core::output::{fill, source_index};

/// Inserts source expressions into a formula's template. Sources are `uvec4` expressions, or `uint` for doubles: `$Fa`
/// is the first source as float, `$Ia` as signed integer, `$a` unconverted.
pub(super) fn filled(formula: &str, sources: &[String], signed: &str) -> String {
    fill(formula, |name| {
        let source = sources.get(source_index(name)).map_or("0u", String::as_str);
        match name.as_bytes() {
            [b'F', ..] => format!("uintBitsToFloat({source})"),
            [b'I', ..] => format!("{signed}({source})"),
            _ => source.to_owned(),
        }
    })
}

pub(super) fn immediate(values: &[u32]) -> String {
    match values {
        [one] => format!("uvec4({one:#x}u)"),
        [low, high] => format!("uvec4({low:#x}u, {high:#x}u, {low:#x}u, {high:#x}u)"),
        [x, y, z, w] => format!("uvec4({x:#x}u, {y:#x}u, {z:#x}u, {w:#x}u)"),
        _ => "uvec4(0u)".to_owned(),
    }
}
