//! The textures and views of render targets.

use context3d::backend::BackendError;
use context3d::packets::{Clear, MAX_COLOR_OUTPUTS, RenderTarget};
use wgpu::{TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureView};

use crate::blit::Blits;
use crate::commands::Commands;
use crate::format::{BACK_BUFFER, extent};
use crate::pipeline::TargetFormats;

/// The maximum size of a surface in bytes: 4096² pixels of half floats with 16 samples fit. The creation of a surface
/// above `MAX_BYTES` returns [`BackendError::OutOfMemory`].
const MAX_BYTES: u64 = 2 << 30;

/// The views of a render target by colour output.
pub(crate) type TargetViews = [Option<TextureView>; MAX_COLOR_OUTPUTS];

/// The views of a render target, and its pending clears.
pub(crate) struct CurrentTarget {
    /// The key of the target; `None` after one of its textures was disposed.
    pub(crate) target: Option<RenderTarget>,
    pub(crate) size: (u32, u32),
    pub(crate) formats: TargetFormats,
    /// The index of the target's combination of formats.
    pub(crate) number: u32,
    pub(crate) color: TargetViews,
    /// The views of the textures into which samples are resolved.
    pub(crate) textures: TargetViews,
    pub(crate) depth: Option<TextureView>,
    /// The pending clears, which become load operations of the next render pass.
    pub(crate) clear: Clear,
}

impl CurrentTarget {
    /// Copies the content of the textures to the multisampled surfaces.
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

/// Creates a texture that can be rendered to, and its view. The host may sample a back buffer with a single sample.
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
