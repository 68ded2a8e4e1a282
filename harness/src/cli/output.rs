//! Standard output and standard error, where the reader may have gone away (`molehill info x | head`).

use std::io::{self, Write};

use super::Failure;

/// Prints to standard output. A reader that has gone away has read enough: that is no failure.
///
/// # Errors
/// Anything else, a full disk for example.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// As [`print`], any bytes.
///
/// # Errors
/// As [`print`].
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// As [`print`], a JSON value with line breaks.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Says something on standard error as it is.
pub(super) fn tell(text: &str) {
    // There is no place left to say that this failed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says on standard error what went wrong.
pub(super) fn complain(text: &str) {
    tell(&format!("molehill: {text}"));
}
