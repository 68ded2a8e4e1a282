//! Surfaces to draw to.

use context3d::backend::BackendError;
use context3d::packets::{Clear, MAX_COLOR_OUTPUTS, Target};
use wgpu::{TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureView};

use crate::blit::Blits;
use crate::commands::Commands;
use crate::format::{BACK_BUFFER, extent};
use crate::pipeline::TargetFormats;

/// Maximum size of a surface in bytes: enough for 4096² with 16 samples of half floats. Beyond it,
/// [`BackendError::OutOfMemory`] is returned.
const MAX_BYTES: u64 = 2 << 30;

/// The target of a pass, and of those that go on there.
pub(crate) struct Current {
    pub(crate) target: Target,
    pub(crate) size: (u32, u32),
    pub(crate) formats: TargetFormats,
    /// The number of the formats.
    pub(crate) number: u32,
    pub(crate) color: [Option<TextureView>; MAX_COLOR_OUTPUTS],
    /// The textures into which the samples are resolved.
    pub(crate) textures: [Option<TextureView>; MAX_COLOR_OUTPUTS],
    pub(crate) depth: Option<TextureView>,
    /// Clears of which no pass has the load operation yet.
    pub(crate) clear: Clear,
}

impl Current {
    /// Fills the samples with the textures.
    pub(crate) fn load_samples(
        &self,
        commands: &mut Commands,
        blits: &mut Blits,
    ) -> Result<(), BackendError> {
        let pairs = self.color.iter().zip(&self.textures).zip(self.formats.color);
        for ((samples, texture), format) in pairs {
            if let (Some(samples), Some(texture), Some(format)) = (samples, texture, format) {
                blits.draw(commands, texture, samples, (format, self.formats.samples))?;
            }
        }
        Ok(())
    }
}

/// Makes a texture to draw to, and its view. The host may sample those with one sample.
pub(crate) fn attachment(
    commands: &Commands,
    (width, height): (u32, u32),
    format: TextureFormat,
    sample_count: u32,
) -> Result<(wgpu::Texture, TextureView), BackendError> {
    let bytes =
        [width, height, sample_count].map(u64::from).into_iter().fold(8, u64::saturating_mul);
    if bytes > MAX_BYTES {
        return Err(BackendError::OutOfMemory);
    }
    let mut usage = TextureUsages::RENDER_ATTACHMENT;
    if format == BACK_BUFFER && sample_count == 1 {
        usage |= TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_SRC;
    }
    commands.device.checked(|device, _| {
        let texture = device.create_texture(&TextureDescriptor {
            label: None,
            size: extent(width, height, 1),
            mip_level_count: 1,
            sample_count,
            dimension: TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        (texture, view)
    })
}
