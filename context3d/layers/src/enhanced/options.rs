//! The options of the layer [`EnhancedBackend`](super::EnhancedBackend).

use context3d::enums::TextureFilter;

/// The maximum scale.
const MAX_SCALE: u8 = 8;
/// The maximum number of samples.
const MAX_SAMPLES: u8 = 16;

/// The options of [`EnhancedBackend`](super::EnhancedBackend). The default options change nothing. Values outside an
/// option's range are clamped to the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enhancements {
    /// Width and height of the back buffer and of render textures of its size, as a multiple of the program's: 1 to 8.
    pub scale: u8,
    /// Minimum number of samples per pixel of the back buffer, and of render textures of its size: 1 to 16. The device
    /// uses the nearest sample count that it supports.
    pub samples: u8,
    /// Minimum anisotropy of textures with mip maps and linear filtering: 1, 2, 4, 8 or 16.
    pub anisotropy: u8,
}

impl Default for Enhancements {
    fn default() -> Self {
        Enhancements { scale: 1, samples: 1, anisotropy: 1 }
    }
}

/// The environment variables of hosts, each with its values and its meaning. `MOLEHILL_DUMP` and `MOLEHILL_TEXTURES`
/// contain paths.
pub const VARIABLES: [(&str, &str, &str); 5] = [
    (
        "MOLEHILL_SCALE",
        "1 to 8",
        "factor for the width and height of the back buffer, and of render textures of the stage's size",
    ),
    ("MOLEHILL_SAMPLES", "1 to 16", "minimum number of samples per pixel of these surfaces"),
    (
        "MOLEHILL_ANISOTROPY",
        "1, 2, 4, 8, 16",
        "minimum anisotropy of textures with mip maps and linear filtering",
    ),
    (
        "MOLEHILL_DUMP",
        "a folder",
        "each uploaded texture is written to this folder, as WIDTHxHEIGHT-HASH.png",
    ),
    (
        "MOLEHILL_TEXTURES",
        "a folder",
        "files with these names replace the textures; their size is a multiple of the texture's size",
    ),
];

impl Enhancements {
    /// Reads the first three of the [`VARIABLES`]; `variable` returns the value of a variable that is set.
    ///
    /// # Errors
    /// A message that names the variable, its value and the accepted values.
    pub fn from_variables(
        mut variable: impl FnMut(&str) -> Option<String>,
    ) -> Result<Enhancements, String> {
        let mut options = Enhancements::default();
        let values = [&mut options.scale, &mut options.samples, &mut options.anisotropy];
        for (value, (name, accepted, _)) in values.into_iter().zip(VARIABLES) {
            let Some(text) = variable(name) else { continue };
            let most = if name == "MOLEHILL_SCALE" { MAX_SCALE } else { MAX_SAMPLES };
            let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
            let powers = name == "MOLEHILL_ANISOTROPY";
            *value = number
                .filter(|number: &u8| !powers || number.is_power_of_two())
                .ok_or_else(|| format!("{name} is {text:?}; expected {accepted}"))?;
        }
        Ok(options)
    }

    pub(super) fn scale(self) -> u32 {
        u32::from(self.scale.clamp(1, MAX_SCALE))
    }

    /// Returns the texture filter for the option `anisotropy`.
    pub(super) fn filter(self) -> TextureFilter {
        match self.anisotropy {
            0..=1 => TextureFilter::Linear,
            2..=3 => TextureFilter::Anisotropic2x,
            4..=7 => TextureFilter::Anisotropic4x,
            8..=15 => TextureFilter::Anisotropic8x,
            16..=u8::MAX => TextureFilter::Anisotropic16x,
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/enhancements.rs"]
mod tests;
