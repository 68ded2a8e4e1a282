//! Writer of ATF files [atf.header.old] [atf.header.new] [atf.record.order].

use atf::AtfFormat;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtfSpec {
    pub version: u8,
    pub format: AtfFormat,
    pub cube: bool,
    /// log2 of width and height, 0 to 12.
    pub log: (u8, u8),
    /// Number of levels with records, largest first.
    pub count: u8,
    pub flags: u8,
}

impl AtfSpec {
    /// Creates the header of a file of raw DXT1 without flags.
    pub const fn raw(log: (u8, u8), count: u8) -> Self {
        AtfSpec { version: 0, format: AtfFormat::RawCompressed, cube: false, log, count, flags: 0 }
    }

    pub fn faces(&self) -> u8 {
        if self.cube { atf::CUBE_FACES } else { 1 }
    }

    /// Returns the file's face for a side of the API (+X −X +Y −Y +Z −Z): the order in the file is −X +X −Y +Y −Z +Z
    /// [atf.face.order].
    pub fn face(&self, side: u8) -> u8 {
        if self.cube { side ^ 1 } else { side }
    }

    pub fn size(&self, level: u8) -> (u32, u32) {
        let side = |log: u8| 1u32.checked_shl(log.saturating_sub(level).into()).unwrap_or(0);
        (side(self.log.0), side(self.log.1))
    }

    pub fn blocks(&self, level: u8) -> usize {
        let (width, height) = self.size(level);
        width.div_ceil(4) as usize * height.div_ceil(4) as usize
    }

    /// Writes the whole file; `records` returns the records of each face (in the file's order) and level.
    pub fn write(&self, mut records: impl FnMut(u8, u8) -> Vec<Vec<u8>>) -> Vec<u8> {
        let mut data = vec![
            self.format.code() | if self.cube { 0x80 } else { 0 },
            self.log.0,
            self.log.1,
            self.count,
        ];
        for face in 0..self.faces() {
            for level in 0..self.count {
                for record in records(face, level) {
                    let [first, rest @ ..] = length(&record);
                    data.extend((self.version > 0).then_some(first));
                    data.extend(rest);
                    data.extend(record);
                }
            }
        }
        let [first, rest @ ..] = length(&data);
        let mut file = b"ATF".to_vec();
        if self.version > 0 {
            file.extend([0, 0, self.flags, 0xff, self.version, first]);
        }
        file.extend(rest);
        file.extend(data);
        file
    }
}

/// Returns the length of the bytes, which fits 32 bits in this crate.
fn length(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes()
}

/// Writes an LZMA record: a standard LZMA file without its size field.
pub fn lzma(data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    // Compression to memory doesn't fail.
    if lzma_rs::lzma_compress(&mut &*data, &mut file).is_ok() && file.len() >= 13 {
        file.drain(5..13);
    }
    file
}

/// Returns a DXT1 block of one colour (5, 6 and 5 bits).
pub fn dxt1(color: u16) -> [u8; 8] {
    let [low, high] = color.to_le_bytes();
    [low, high, 0, 0, 0, 0, 0, 0]
}

/// Returns a DXT5 block of one colour and alpha.
pub fn dxt5(color: u16, alpha: u8) -> [u8; 16] {
    let mut block = [0; 16];
    block[0] = alpha;
    block[8..].copy_from_slice(&dxt1(color));
    block
}
