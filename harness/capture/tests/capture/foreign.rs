//! Tests the recognition of files that are mistaken for captures.

use std::io::Cursor;

use molehill_capture::CaptureReader;

/// Returns the file type in the message, or `None` if the file may be a damaged capture.
fn kind(start: &[u8]) -> Option<String> {
    let error = CaptureReader::new(Cursor::new(start.to_vec())).err().unwrap().to_string();
    error.strip_prefix("not a Stage3D capture but ").map(str::to_owned)
}

#[test]
fn first_bytes_tell_what_a_file_is() {
    for (start, what) in [
        (b"\x89PNG\r\n\x1a\n\0\0".as_slice(), Some("a PNG image")),
        (b"CWS\x20", Some("a SWF (to record it: molehill record game.swf -o game.s3d)")),
        (b"ATF\0\0", Some("an ATF texture (\"molehill atf\" reads it)")),
        (b"\xa0\x01\0\0\0\xa1\x01", Some("AGAL bytecode (\"molehill shader\" reads it)")),
        (b"PK\x03\x04..", Some("a zip archive (unpack it first)")),
        (b"Dear reader,\tso\n", Some("text")),
        ("größer".as_bytes(), Some("text")),
        (b"[1,2]", Some("text")),
        (b"\0\x01\x02", Some("data of an unknown format")),
        (b"\xa0\xa0\xa0", Some("data of an unknown format")),
        (b" {\"stage3d", None),
        (b"", None),
    ] {
        assert_eq!(kind(start).as_deref(), what, "{start:?}");
    }
    let cut = format!("{}ß", "x".repeat(511));
    assert_eq!(kind(cut.as_bytes()).as_deref(), Some("text"));
}
