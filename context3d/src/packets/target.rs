//! Render targets: the back buffer, and textures.

use crate::handle::TextureKey;

/// The maximum number of colour outputs in any profile.
pub const MAX_COLOR_OUTPUTS: usize = 4;

/// The size and the properties of a back buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BackBufferDesc {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Requested samples per pixel: 0 or 1 for no multisampling, at most 16. The backend uses the nearest supported
    /// sample count.
    pub samples: u8,
    /// The back buffer has a 24-bit depth and 8-bit stencil buffer.
    pub depth_stencil: bool,
}

/// The start of a pass: its target, and how the target's content is initialized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassStart {
    /// The render target.
    pub target: RenderTarget,
    /// Initializes the samples from the textures. True only for textures with [several samples](TextureTarget::samples)
    /// whose colour is not cleared. If false, the samples keep their content from the last pass. `load_samples` has no
    /// effect if the device doesn't multisample the target.
    pub load_samples: bool,
    /// The buffers to clear completely, regardless of scissor and masks. Uncleared buffers keep their content.
    pub clear: Clear,
}

/// The surfaces into which a pass draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RenderTarget {
    /// The back buffer of the context.
    #[default]
    BackBuffer,
    /// Faces of one or several textures.
    Textures(TextureTarget),
}

/// Textures as render target. At least `color[0]` is set; all textures have equal sizes and equal bits per texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureTarget {
    /// The attachments by colour output.
    pub color: [Option<ColorAttachment>; MAX_COLOR_OUTPUTS],
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Requested samples per pixel, as in [`BackBufferDesc::samples`].
    pub samples: u8,
    /// The target has a depth and stencil buffer.
    pub depth_stencil: bool,
}

/// Level 0 of one face of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The texture that is drawn into.
    pub texture: TextureKey,
    /// Cube face 0 to 5; 0 for other textures.
    pub side: u8,
}

/// The buffers that are cleared, and the clear values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// Clear colour (R, G, B, A) of every colour output, from 0 to 1; `None` keeps the content.
    pub color: Option<[f32; 4]>,
    /// Clear value of the depth buffer, from 0 to 1; `None` keeps the content.
    pub depth: Option<f32>,
    /// Clear value of the stencil buffer; `None` keeps the content.
    pub stencil: Option<u8>,
}
