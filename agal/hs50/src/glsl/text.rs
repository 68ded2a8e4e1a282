//! Pieces of GLSL.

/// Inserts the sources of a formula, which are expressions of `uvec4`, or of `uint` for pairs: `{F0}` is source 0 as
/// float, `{I0}` as signed integer, `{U0}` and `{D0}` are the source itself.
pub(super) fn fill(formula: &str, sources: &[String], signed: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    while let Some((before, (slot, after))) =
        rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        let number = slot.get(1..).and_then(|number| number.parse::<usize>().ok());
        let source = number.and_then(|number| sources.get(number)).map_or("0u", String::as_str);
        text.push_str(before);
        text += &match slot.as_bytes().first() {
            Some(b'F') => format!("uintBitsToFloat({source})"),
            Some(b'I') => format!("{signed}({source})"),
            _ => source.to_owned(),
        };
        rest = after;
    }
    text + rest
}

pub(super) fn immediate(values: &[u32]) -> String {
    match values {
        [one] => format!("uvec4({one:#x}u)"),
        [low, high] => format!("uvec4({low:#x}u, {high:#x}u, {low:#x}u, {high:#x}u)"),
        [x, y, z, w] => format!("uvec4({x:#x}u, {y:#x}u, {z:#x}u, {w:#x}u)"),
        _ => "uvec4(0u)".to_owned(),
    }
}
