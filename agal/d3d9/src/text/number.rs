//! Prints and parses floats in the format of Microsoft's compiler.

/// Formats like C's `%.9g` with a three-digit exponent: `0.5`, `4.99999987e-005`. Infinities and NaN are printed like
/// in Microsoft's C library; the assembler rejects them.
pub(super) fn float_text(value: f32) -> String {
    if value.is_nan() {
        return "1.#QNAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "1.#INF" } else { "-1.#INF" }.to_owned();
    }
    let (digits, exponent) = nine_digits(value);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if (-4..9).contains(&exponent) {
        let zeros = usize::try_from(-exponent).unwrap_or(0);
        let whole = usize::try_from(exponent.saturating_add(1)).unwrap_or(0);
        let digits = format!("{}{digits}", "0".repeat(zeros));
        let split = digits.split_at_checked(whole.max(1));
        let (whole, decimals) = split.unwrap_or((&digits, ""));
        return format!("{sign}{}", trimmed(&format!("{whole}.{decimals}")));
    }
    let (whole, decimals) = digits.split_at_checked(1).unwrap_or((&digits, ""));
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    let mantissa = format!("{whole}.{decimals}");
    let magnitude = exponent.unsigned_abs();
    format!("{sign}{}e{exponent_sign}{magnitude:03}", trimmed(&mantissa))
}

/// Returns the first nine significant digits of a finite number and its decimal exponent. Rounds halves up like
/// Microsoft's C library, unlike Rust.
fn nine_digits(value: f32) -> (String, i32) {
    // This many digits represent any float exactly.
    let exact = format!("{:.120e}", value.abs());
    let (mantissa, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    let mut digits = digits.map(|digit| digit - b'0');
    let first = digits.by_ref().take(9);
    let kept = first.fold(0u64, |number, digit| number * 10 + u64::from(digit));
    let up = digits.next().is_some_and(|digit| digit >= 5);
    let rounded = kept + u64::from(up);
    if rounded == 1_000_000_000 {
        return ("100000000".to_owned(), exponent.saturating_add(1));
    }
    (format!("{rounded:09}"), exponent)
}

fn trimmed(digits: &str) -> &str {
    digits.trim_end_matches('0').trim_end_matches('.')
}

/// Parses a float in the syntax of assemblers: `1`, `0.`, `1.0f`, `-10.0e5`.
pub(super) fn parse_float(text: &str) -> Option<f32> {
    let number = text.trim_end_matches(['f', 'F']);
    let unsigned = number.trim_start_matches(['-', '+']);
    // Rust's parser also accepts words such as `inf`, so the first character must be a digit or dot.
    let starts = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    number.parse().ok().filter(|_| starts)
}
