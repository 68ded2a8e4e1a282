//! Hashes of pictures, for comparing them without keeping them.

use super::Image;

/// FNV-1a of the sizes and pixels of a sequence of pictures.
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
    /// Adds a picture.
    pub fn add(&mut self, image: &Image) {
        self.any = true;
        let sides = [image.width, image.height].map(u32::to_le_bytes);
        for byte in sides.as_flattened().iter().chain(&image.rgba) {
            self.value = (self.value ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash as text; `None` without pictures.
    pub fn finish(self) -> Option<String> {
        self.any.then(|| format!("{:016x}", self.value))
    }
}
