//! Writes ATF files (`textures-and-atf.md` sections 2 and 3).

use context3d::atf::AtfFormat;

/// A file before its levels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub(crate) version: u8,
    pub(crate) format: AtfFormat,
    pub(crate) cube: bool,
    /// log2 of width and height.
    pub(crate) log: (u8, u8),
    pub(crate) count: u8,
    /// Not in version 0.
    pub(crate) flags: u8,
}

impl File {
    /// A file of raw DXT1 without flags.
    pub(crate) const fn raw(log: (u8, u8), count: u8) -> Self {
        File {
            version: 0,
            format: AtfFormat::RawCompressed,
            cube: false,
            log,
            count,
            flags: 0,
        }
    }

    pub(crate) fn faces(&self) -> u8 {
        if self.cube { 6 } else { 1 }
    }

    pub(crate) fn size(&self, level: u8) -> (u32, u32) {
        let side = |log: u8| 1 << log.saturating_sub(level);
        (side(self.log.0), side(self.log.1))
    }

    /// Blocks of 4×4 in a level.
    pub(crate) fn blocks(&self, level: u8) -> usize {
        let (width, height) = self.size(level);
        (width.div_ceil(4) * height.div_ceil(4)) as usize
    }

    /// Bytes of a record's length.
    fn digits(&self) -> usize {
        if self.version == 0 { 3 } else { 4 }
    }

    /// The file with the records that each face, in the file's order, has in each level.
    pub(crate) fn write(&self, mut records: impl FnMut(u8, u8) -> Vec<Vec<u8>>) -> Vec<u8> {
        let mut data = vec![
            self.format.code() | if self.cube { 0x80 } else { 0 },
            self.log.0,
            self.log.1,
            self.count,
        ];
        for face in 0..self.faces() {
            for level in 0..self.count {
                for record in records(face, level) {
                    let length = u32::try_from(record.len()).unwrap().to_be_bytes();
                    data.extend(&length[4 - self.digits()..]);
                    data.extend(record);
                }
            }
        }
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        let mut file = b"ATF".to_vec();
        if self.version == 0 {
            file.extend(&length[1..]);
        } else {
            file.extend([0, 0, self.flags, 0xff, self.version]);
            file.extend(length);
        }
        file.extend(data);
        file
    }
}

/// An LZMA record: the usual file without its size.
pub(crate) fn lzma(data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    lzma_rs::lzma_compress(&mut &*data, &mut file).unwrap();
    file.drain(5..13);
    file
}

/// A DXT1 block of one colour (5, 6 and 5 bits).
pub(crate) fn dxt1(color: u16) -> [u8; 8] {
    let [low, high] = color.to_le_bytes();
    [low, high, 0, 0, 0, 0, 0, 0]
}

/// A DXT5 block of one colour and alpha.
pub(crate) fn dxt5(color: u16, alpha: u8) -> [u8; 16] {
    let mut block = [0; 16];
    block[0] = alpha;
    block[8..].copy_from_slice(&dxt1(color));
    block
}
