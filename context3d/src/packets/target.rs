//! Render targets: back buffer and textures.

use crate::handle::TextureKey;

/// Colour outputs of the largest profile.
pub const MAX_COLOR_OUTPUTS: usize = 4;

/// The back buffer's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BackBuffer {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Requested samples per pixel: 0 or 1 for none, else at most 16; the backend takes the nearest it supports.
    pub samples: u8,
    /// With a 24-bit depth and 8-bit stencil buffer.
    pub depth_stencil: bool,
}

/// The beginning of a pass: its target, and what the target holds before the first draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// The surfaces that the draws change.
    pub target: Target,
    /// Sets the samples to the textures' content first. Only for textures with [several samples](TextureTarget::samples),
    /// and never with a cleared colour. Without it, the samples have the content that the last pass left there. No effect
    /// if the device has no samples for this target.
    pub load_samples: bool,
    /// The parts that are cleared, all of each, regardless of scissor and masks; the others keep their content.
    pub clear: Clear,
}

/// A render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Target {
    /// The back buffer.
    #[default]
    BackBuffer,
    /// One or several textures.
    Textures(TextureTarget),
}

/// Textures as render target. At least `color[0]` is set; all have the same size and the same bits per texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureTarget {
    /// By colour output.
    pub color: [Option<ColorAttachment>; MAX_COLOR_OUTPUTS],
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// As in [`BackBuffer::samples`].
    pub samples: u8,
    /// With depth and stencil.
    pub depth_stencil: bool,
}

/// Level 0 of one face of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The texture.
    pub texture: TextureKey,
    /// Cube face 0..5, else 0.
    pub side: u8,
}

/// Parts to clear, and their values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// Clear every colour output to this RGBA, each 0..1.
    pub color: Option<[f32; 4]>,
    /// Clear depth to this, 0..1.
    pub depth: Option<f32>,
    /// Clear stencil to this.
    pub stencil: Option<u8>,
}
