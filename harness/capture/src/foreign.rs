//! Recognizes files that are mistaken for captures, by their first bytes.

use context3d::agal::binary::MAGIC as AGAL;

/// The first bytes of a file (within its first line), the file type, and a hint.
const KINDS: &[(&[u8], &str, Option<&str>)] = &[
    (b"\x89PNG", "a PNG image", None),
    (b"\xff\xd8\xff", "a JPEG image", None),
    (b"GIF8", "a GIF image", None),
    (b"RIFF", "a RIFF file (WebP, WAV, AVI)", None),
    (b"FWS", "a SWF", Some(SWF)),
    (b"CWS", "a SWF", Some(SWF)),
    (b"ZWS", "a SWF", Some(SWF)),
    (b"ATF", "an ATF texture", Some("\"molehill atf\" reads it")),
    (b"PK\x03\x04", "a zip archive", Some(UNPACK)),
    (b"\x1f\x8b", "gzip data", Some("zstd is the only supported compression")),
    (b"\xfd7zXZ\0", "xz data", Some("zstd is the only supported compression")),
    (b"BZh", "bzip2 data", Some("zstd is the only supported compression")),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", Some(UNPACK)),
    (b"\x7fELF", "a program", None),
    (b"MZ", "a program", None),
    (b"%PDF", "a PDF document", None),
    (b"RDOC", "a RenderDoc capture", None),
    (b"\xff\xfe", "text in UTF-16", Some("captures are UTF-8")),
    (b"\xfe\xff", "text in UTF-16", Some("captures are UTF-8")),
];
const SWF: &str = "to record it: molehill record game.swf -o game.s3d";
const UNPACK: &str = "unpack it first";
/// Number of bytes that are checked to decide whether a file is text.
const CHECKED_BYTES: usize = 512;

/// Returns the type of the file that starts with these bytes, if it is certain. (JSON may be a damaged capture.)
pub(crate) fn kind(start: &[u8]) -> Option<String> {
    let known = KINDS.iter().find(|(begin, ..)| start.starts_with(begin));
    let with_hint = |what: &str, hint: Option<&str>| match hint {
        Some(hint) => format!("{what} ({hint})"),
        None => what.to_owned(),
    };
    if let Some((_, what, hint)) = known {
        return Some(with_hint(what, *hint));
    }
    // An AGAL program: a version below 256, little endian, and the byte before the shader type ([agal.program.header]).
    if matches!(start, [AGAL, _, 0, 0, 0, 0xa1, ..]) {
        return Some(with_hint("AGAL bytecode", Some("\"molehill shader\" reads it")));
    }
    let start = start.get(..CHECKED_BYTES).unwrap_or(start);
    if matches!(start.trim_ascii_start().first(), None | Some(b'{')) {
        return None;
    }
    let text = match str::from_utf8(start) {
        Ok(text) => Some(text),
        // The file's start is text, but the last character of `start` is cut off.
        Err(error) if error.error_len().is_none() => {
            let whole = start.get(..error.valid_up_to());
            whole.and_then(|whole| str::from_utf8(whole).ok())
        }
        Err(_) => None,
    };
    let odd = |letter: char| letter.is_control() && !letter.is_whitespace();
    let what = match text {
        Some(text) if !text.contains(odd) => "text",
        _ => "data of an unknown format",
    };
    Some(what.to_owned())
}
