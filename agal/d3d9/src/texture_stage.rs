//! Texture stage state, which ps_1_x instructions depend on.

use crate::operand::Dimension;

/// The state of a texture stage of ps_1_x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureStage {
    /// The dimension of the bound texture.
    pub dimension: Dimension,
    /// `D3DTTFF_PROJECTED`: ps_1_1 to ps_1_3 divide the coordinates by w.
    pub projected: bool,
    /// The bump matrix: `D3DTSS_BUMPENVMAT00`, `01`, `10`, `11`.
    pub matrix: [f32; 4],
    /// Luminance scale and offset: `D3DTSS_BUMPENVLSCALE` and `D3DTSS_BUMPENVLOFFSET`.
    pub luminance: [f32; 2],
}

impl Default for TextureStage {
    fn default() -> TextureStage {
        TextureStage {
            dimension: Dimension::TwoD,
            projected: false,
            matrix: [1.0, 0.0, 0.0, 1.0],
            luminance: [1.0, 0.0],
        }
    }
}
