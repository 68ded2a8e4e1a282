//! Command-line options for images with a higher quality than Flash's.

use std::path::PathBuf;

use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use context3d_layers::Enhancements;
use molehill_capture::Sharpness;

use super::renderer::RendererFactory;

/// The image quality options of commands whose images a user looks at.
#[derive(clap::Args)]
pub(super) struct SharpnessArguments {
    /// Scale the width and height of the back buffer, of render targets with the stage's size, and of the images by N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(super) scale: u8,
    /// Minimum number of samples per pixel of these render targets
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    min_samples: u8,
    /// Minimum anisotropy of textures with mip levels and linear filtering: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "N", default_value = "1", value_parser = ["1", "2", "4", "8", "16"])]
    anisotropy: String,
    /// Write each uploaded texture to a folder, as WIDTHxHEIGHT-HASH.png
    #[arg(long, value_name = "DIR")]
    dump_textures: Option<PathBuf>,
    /// Draw with files from a folder, named like those of --dump-textures, instead of the uploaded textures
    #[arg(long, value_name = "DIR")]
    textures: Option<PathBuf>,
}

impl SharpnessArguments {
    /// Returns a factory of backends that draw with these quality options.
    pub(super) fn over(&self, below: RendererFactory) -> SharpFactory {
        let options = Enhancements {
            scale: self.scale,
            samples: self.min_samples,
            anisotropy: self.anisotropy.parse().unwrap_or(1),
        };
        let (dump, textures) = (self.dump_textures.clone(), self.textures.clone());
        SharpFactory { below, sharpness: Sharpness { options, dump, textures } }
    }
}

/// Creates backends of a renderer that draw with higher quality.
pub(super) struct SharpFactory {
    pub(super) below: RendererFactory,
    sharpness: Sharpness,
}

impl BackendFactory for SharpFactory {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let below = self.below.create()?;
        let none = self.sharpness == Sharpness::default();
        Ok(if none { below } else { Box::new(self.sharpness.over(below)) })
    }
}
