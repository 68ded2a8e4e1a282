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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_pixels_and_order_count() {
        let of = |images: &[Image]| {
            let mut hash = Hash::default();
            images.iter().for_each(|image| hash.add(image));
            hash.finish()
        };
        let [a, b] = [[1, 2, 3, 4], [1, 2, 3, 5]].map(|pixel| Image::filled(2, 1, pixel));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[a.clone(), b.clone()]), of(&[a.clone(), b.clone()]));
        for other in
            [vec![b.clone(), a.clone()], vec![a.clone()], vec![Image::filled(1, 2, [1, 2, 3, 4])]]
        {
            assert_ne!(of(&other), of(&[a.clone(), b.clone()]));
        }
        assert_ne!(of(&[a]), of(&[Image::filled(1, 2, [1, 2, 3, 4])]));
    }
}
