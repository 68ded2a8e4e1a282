//! The header of a file [atf.header.old] [atf.header.new].

use super::error::{AtfEditError, AtfError};
use super::table::AtfFormat;

/// Number of faces of a cube.
pub const CUBE_FACES: u8 = 6;
const SIGNATURE: &[u8; 3] = b"ATF";
/// The byte that marks the newer header, in the position of the old header's format byte.
const NEW_HEADER: u8 = 0xff;
/// The versions with the newer header, and the SWF version that each of them requires.
const VERSIONS: [(u8, u32); 3] = [(1, 13), (2, 21), (3, 29)];
/// The SWF version that files with the old header require.
const OLDEST_SWF: u32 = 13;
/// Maximum log2 of width and height.
const MAX_LOG2: u8 = 12;
const MAX_COUNT: u8 = 13;
/// The bit of the format byte that marks a cube texture [atf.format.byte].
const CUBE: u8 = 0x80;
/// The flag that only level 0 has data.
const ONLY_MAIN_LEVEL: u8 = 1;

/// The header of an ATF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtfHeader {
    /// The container version, 0 to 3.
    pub version: u8,
    /// The format code, which determines the encodings of the texels.
    pub format: AtfFormat,
    /// True for a cube texture with six faces.
    pub cube: bool,
    /// Width of level 0 in texels: a power of two, at most 4096.
    pub width: u32,
    /// Height of level 0 in texels: a power of two, at most 4096.
    pub height: u32,
    /// Number of mip levels in the header, 1 to 13.
    pub count: u8,
    /// The raw flags; 0 in version 0.
    pub flags: u8,
    /// Length of the whole file in bytes, as the header says.
    pub length: u64,
    /// Offset of the first byte after the header.
    pub(super) data: usize,
}

impl AtfHeader {
    /// Reads the header at the start of the bytes.
    ///
    /// # Errors
    /// [`AtfError::Truncated`], [`AtfError::NotAtf`], [`AtfError::Version`], [`AtfError::Format`],
    /// [`AtfError::Header`].
    pub fn read(bytes: &[u8]) -> Result<Self, AtfError> {
        let byte = |at: usize| {
            bytes
                .get(at)
                .copied()
                .ok_or(AtfError::Truncated { needed: at as u64 + 1, have: bytes.len() as u64 })
        };
        byte(5)?; // Flash requires six bytes before it checks any of them [atf.header.short]
        if !bytes.starts_with(SIGNATURE) {
            return Err(AtfError::NotAtf);
        }
        let number = |from: usize, to: usize| -> Result<u64, AtfError> {
            (from..to).try_fold(0, |number, at| Ok(number << 8 | u64::from(byte(at)?)))
        };
        let (version, fields, rest, flags) = if byte(6)? == NEW_HEADER {
            let version = byte(7)?;
            if !VERSIONS.iter().any(|(known, _)| *known == version) {
                return Err(AtfError::Version(version));
            }
            (version, 12, number(8, 12)?, byte(5)?)
        } else {
            (0, 6, number(3, 6)?, 0)
        };
        let code = byte(fields)?;
        let (log_width, log_height) = (byte(fields + 1)?, byte(fields + 2)?);
        let count = byte(fields + 3)?;
        let format = AtfFormat::from_code(code & !CUBE).ok_or(AtfError::Format(code & !CUBE))?;
        if log_width > MAX_LOG2 || log_height > MAX_LOG2 || !(1..=MAX_COUNT).contains(&count) {
            return Err(AtfError::Header { log_width, log_height, count });
        }
        Ok(AtfHeader {
            version,
            format,
            cube: code & CUBE != 0,
            width: 1 << log_width,
            height: 1 << log_height,
            count,
            flags,
            length: fields as u64 + rest,
            data: fields + 4,
        })
    }

    /// Returns the bytes of a length field: three in version 0, four in later versions [atf.record.length].
    pub(super) fn length_bytes(&self, length: usize) -> Result<Vec<u8>, AtfEditError> {
        let too_long = || AtfEditError::TooLong(length);
        let bytes = u32::try_from(length).map_err(|_| too_long())?.to_be_bytes();
        match (self.version, bytes) {
            (0, [0, rest @ ..]) => Ok(rest.to_vec()),
            (0, _) => Err(too_long()),
            _ => Ok(bytes.to_vec()),
        }
    }

    /// Returns the header of a file whose records have this total size in bytes.
    pub(super) fn start(&self, records: usize) -> Result<Vec<u8>, AtfEditError> {
        let [log_width, log_height] = [self.width, self.height]
            .map(|side| u8::try_from(side.max(1).ilog2()).unwrap_or(MAX_LOG2));
        let code = self.format.code() | if self.cube { CUBE } else { 0 };
        let fields = [code, log_width, log_height, self.count];
        let mut start = SIGNATURE.to_vec();
        if self.version > 0 {
            start.extend([0, 0, self.flags, NEW_HEADER, self.version]);
        }
        start.extend(self.length_bytes(records.saturating_add(fields.len()))?);
        start.extend(fields);
        Ok(start)
    }

    /// Returns the oldest SWF version whose player can read this file.
    pub fn swf_version(&self) -> u32 {
        let row = VERSIONS.iter().find(|(known, _)| *known == self.version);
        row.map_or(OLDEST_SWF, |(_, swf)| *swf)
    }

    /// Returns the number of levels with content: [`AtfHeader::count`] reduced by the flags.
    pub fn levels(&self) -> u8 {
        match self.flags {
            0 => self.count,
            flags if flags & ONLY_MAIN_LEVEL != 0 => 1,
            flags => (flags >> 1).min(self.count),
        }
    }

    /// Returns the number of faces: six for a cube, one otherwise.
    pub fn faces(&self) -> u8 {
        if self.cube { CUBE_FACES } else { 1 }
    }

    /// Returns the width and height of a level in texels.
    pub fn level_size(&self, level: u8) -> (u32, u32) {
        let side = |side: u32| side.checked_shr(u32::from(level)).unwrap_or(0).max(1);
        (side(self.width), side(self.height))
    }
}
