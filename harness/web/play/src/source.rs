//! The source: text or bytes in one of the playground's languages.

use d3d9::FileKind;
use hs50::program::ProgramVersion;

/// The maximum length of a source in bytes.
pub const MAX_SOURCE: usize = 1 << 19;

/// A program or a pair of programs.
#[derive(Debug)]
pub enum PlaySource<'a> {
    Text(&'a str),
    /// The bytes of one program, or of the two programs of a pair.
    Bytes(Vec<&'a [u8]>),
}

pub(crate) enum SourceLanguage {
    Agal,
    D3d9,
    Hs50,
}

impl PlaySource<'_> {
    /// Returns the length of the source in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            PlaySource::Text(text) => text.len(),
            PlaySource::Bytes(programs) => programs.iter().map(|bytes| bytes.len()).sum(),
        }
    }

    /// Detects the shader language. In all languages except AGAL, the first word of a text is the shader version.
    pub(crate) fn language(&self) -> SourceLanguage {
        match self {
            PlaySource::Text(text) => {
                let word =
                    code_lines(text).next().and_then(|(_, code)| code.split_whitespace().next());
                let word = word.unwrap_or_default().to_ascii_lowercase();
                if d3d9::ShaderVersion::from_name(&word).is_some() {
                    SourceLanguage::D3d9
                } else if ProgramVersion::from_name(&word).is_some() {
                    SourceLanguage::Hs50
                } else {
                    SourceLanguage::Agal
                }
            }
            PlaySource::Bytes(programs) => {
                match programs.first().map_or(FileKind::Unknown, |bytes| d3d9::file_kind(bytes)) {
                    FileKind::Agal | FileKind::Effect | FileKind::Unknown => SourceLanguage::Agal,
                    FileKind::Shader(_) | FileKind::OtherVersion(_) => SourceLanguage::D3d9,
                    FileKind::Dxbc => SourceLanguage::Hs50,
                }
            }
        }
    }
}

/// Returns the lines that contain code, with their 1-based numbers and without comments.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let code = |line: &'_ str| line.find("//").map_or(line.len(), |end| end);
    let lines = (1u32..).zip(text.trim_start_matches('\u{feff}').split('\n'));
    let lines = lines.map(move |(number, line)| (number, line.get(..code(line)).unwrap_or(line)));
    lines
        .map(|(number, code)| (number, code.trim()))
        .filter(|(_, code)| !code.is_empty() && !code.starts_with(';'))
}

/// Returns bytes in hexadecimal. The first line has `first` bytes, other lines `line`; `group` bytes form a group.
pub(crate) fn hex(bytes: &[u8], first: usize, line: usize, group: usize) -> String {
    let (head, body) = bytes.split_at_checked(first).unwrap_or((bytes, &[]));
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let text = |line: &[u8]| line.chunks(group).map(digits).collect::<Vec<_>>().join(" ");
    let head = (!head.is_empty()).then(|| text(head));
    head.into_iter().chain(body.chunks(line).map(text)).collect::<Vec<_>>().join("\n")
}
