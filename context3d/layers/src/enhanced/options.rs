//! The options of the layer [`EnhancedBackend`](super::EnhancedBackend).

use context3d::enums::TextureFilter;

/// The maximum scale.
const MAX_SCALE: u8 = 8;
/// The maximum number of samples.
const MAX_SAMPLES: u8 = 16;

/// The options of [`EnhancedBackend`](super::EnhancedBackend). The default options change nothing. Values out of range
/// are clamped.
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

/// The environment variables of hosts, each with its values and its meaning. The last two variables are paths.
pub const VARIABLES: [(&str, &str, &str); 5] = [
    (
        "MOLEHILL_SCALE",
        "1 to 8",
        "back buffer and render textures of the stage's size: times the program's width and height",
    ),
    ("MOLEHILL_SAMPLES", "1 to 16", "least number of samples per pixel of these surfaces"),
    (
        "MOLEHILL_ANISOTROPY",
        "1, 2, 4, 8, 16",
        "least anisotropy of textures with mip maps and linear filtering",
    ),
    ("MOLEHILL_DUMP", "a folder", "writes each uploaded texture there, as WIDTHxHEIGHT-HASH.png"),
    (
        "MOLEHILL_TEXTURES",
        "a folder",
        "files of these names replace the textures; their size is a multiple",
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

    /// Returns the filter of the minimum anisotropy.
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
