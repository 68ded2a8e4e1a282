//! Render targets: back buffer and textures.

use crate::handle::TextureKey;

/// The number of colour outputs of the largest profile.
pub const MAX_COLOR_OUTPUTS: usize = 4;

/// The description of a back buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BackBuffer {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Requested samples per pixel: 0 or 1 for no multisampling, at most 16. The backend uses the nearest supported
    /// number.
    pub samples: u8,
    /// With a 24-bit depth and 8-bit stencil buffer.
    pub depth_stencil: bool,
}

/// The start of a pass: its target, and the target's content before the first draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// The render target.
    pub target: Target,
    /// Initializes the samples from the textures. Only for textures with [several samples](TextureTarget::samples), and
    /// never with a cleared colour. If false, the samples keep their content from the last pass. Has no effect if the
    /// device doesn't multisample this target.
    pub load_samples: bool,
    /// The buffers to clear completely, regardless of scissor and masks; the others keep their content.
    pub clear: Clear,
}

/// A render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Target {
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
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// See [`BackBuffer::samples`].
    pub samples: u8,
    /// With a depth and stencil buffer.
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

/// The buffers to clear, and the values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// R, G, B, A for every colour output, from 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Depth, from 0 to 1.
    pub depth: Option<f32>,
    /// The stencil value.
    pub stencil: Option<u8>,
}
