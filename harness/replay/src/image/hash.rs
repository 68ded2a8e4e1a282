//! Hashes images, so that they can be compared without being stored.

use std::io;

use super::RgbaImage;

/// The FNV-1a hash of the sizes and pixels of a sequence of images, or of other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    value: u64,
    any: bool,
}

impl Default for Hash {
    fn default() -> Self {
        Hash { value: 0xcbf2_9ce4_8422_2325, any: false }
    }
}

impl Hash {
    /// Adds the size and the pixels of an image to the hash.
    pub fn add(&mut self, image: &RgbaImage) {
        let sides = [image.width, image.height].map(u32::to_le_bytes);
        self.bytes(sides.as_flattened());
        self.bytes(&image.rgba);
    }

    /// Adds bytes to the hash.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.any = true;
        for byte in bytes {
            self.value = (self.value ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Returns the hash as text, or `None` if nothing was added.
    pub fn finish(self) -> Option<String> {
        self.any.then(|| format!("{:016x}", self.value))
    }
}

/// Adds written bytes to the hash, so that `io::copy` can hash a file.
impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
