//! Tests lines without an end.

use super::*;

#[test]
fn an_endless_line_is_an_error() {
    let endless = io::repeat(b'x');
    let mut lines = Lines { limit: 1 << 20, ..Lines::new(endless) };
    assert!(matches!(lines.next(), Err(CaptureErrorKind::LineTooLong { limit: 0x10_0000 })));
    assert!(lines.buffer.capacity() <= 4 << 20);
    let fits = io::Cursor::new(b"12345\n123456\n".to_vec());
    let mut lines = Lines { limit: 6, ..Lines::new(fits) };
    assert!(matches!(lines.next(), Ok(Some(b"12345"))));
    assert!(matches!(lines.next(), Err(CaptureErrorKind::LineTooLong { .. })));
}
