//! Setters of fixed-function state: blending, colour mask, depth, culling, stencil, scissor, fill mode.

use crate::backend::Backend;
use crate::command::Rectangle;
use crate::context::Context3D;
use crate::entry::accepted;
use crate::enums::{BlendFactor, CompareMode, EnumArg, FillMode, StencilAction, TriangleFace};
use crate::error::{ErrorCode, SetterError};
use crate::packets::StencilFace;
use crate::state::ScissorSlot;

impl<B: Backend> Context3D<B> {
    #[inline]
    pub(crate) fn set_blend_factors_impl(
        &mut self,
        source: EnumArg<'_, BlendFactor>,
        destination: EnumArg<'_, BlendFactor>,
    ) -> Result<(), SetterError> {
        self.state.raster.blend =
            (accepted(source, &"sourceFactor")?, accepted(destination, &"destinationFactor")?);
        Ok(())
    }

    #[inline]
    pub(crate) fn set_color_mask_impl(
        &mut self,
        red: bool,
        green: bool,
        blue: bool,
        alpha: bool,
    ) -> Result<(), SetterError> {
        self.state.raster.color_mask = [red, green, blue, alpha];
        Ok(())
    }

    #[inline]
    pub(crate) fn set_culling_impl(
        &mut self,
        face: EnumArg<'_, TriangleFace>,
    ) -> Result<(), SetterError> {
        self.state.raster.cull = accepted(face, &"triangleFaceToCull")?;
        Ok(())
    }

    #[inline]
    pub(crate) fn set_depth_test_impl(
        &mut self,
        write: bool,
        compare: EnumArg<'_, CompareMode>,
    ) -> Result<(), SetterError> {
        self.state.raster.depth_compare = accepted(compare, &"passCompareMode")?;
        self.state.raster.depth_write = write;
        Ok(())
    }

    #[inline]
    pub(crate) fn set_stencil_actions_impl(
        &mut self,
        face: EnumArg<'_, TriangleFace>,
        compare: EnumArg<'_, CompareMode>,
        both_pass: EnumArg<'_, StencilAction>,
        depth_fail: EnumArg<'_, StencilAction>,
        stencil_fail: EnumArg<'_, StencilAction>,
    ) -> Result<(), SetterError> {
        let triangle_face = accepted(face, &"triangleFace")?;
        let face = StencilFace {
            compare: accepted(compare, &"compareMode")?,
            both_pass: accepted(both_pass, &"actionOnBothPass")?,
            depth_fail: accepted(depth_fail, &"actionOnDepthFail")?,
            stencil_fail: accepted(stencil_fail, &"actionOnDepthPassStencilFail")?,
        };
        use TriangleFace::{Back, Front, FrontAndBack};
        if matches!(triangle_face, Front | FrontAndBack) {
            self.state.raster.stencil_front = face;
        }
        if matches!(triangle_face, Back | FrontAndBack) {
            self.state.raster.stencil_back = face;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn set_stencil_reference_value_impl(
        &mut self,
        reference: u32,
        read_mask: u32,
        write_mask: u32,
    ) -> Result<(), SetterError> {
        let [reference, read, write] = [reference, read_mask, write_mask].map(low_byte);
        self.state.raster.stencil_reference = reference;
        self.state.raster.stencil_read_mask = read;
        self.state.raster.stencil_write_mask = write;
        Ok(())
    }

    #[inline]
    pub(crate) fn set_scissor_rectangle_impl(
        &mut self,
        rectangle: Option<Rectangle>,
    ) -> Result<(), SetterError> {
        self.state.scissor = rectangle.and_then(scissor);
        Ok(())
    }

    #[inline]
    pub(crate) fn set_fill_mode_impl(
        &mut self,
        mode: EnumArg<'_, FillMode>,
    ) -> Result<(), SetterError> {
        let fill = accepted(mode, &"fillMode")?;
        if fill == FillMode::Wireframe && !self.backend.caps().wireframe {
            return Err(ErrorCode::FeatureUnavailable.into());
        }
        self.state.raster.fill = fill;
        Ok(())
    }
}

/// Returns the low 8 bits, because the documentation of stencil values says "Low 8 bits used".
fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or(0)
}

/// If true, the scissor rectangle is rounded; if false, it is truncated. No source shows how Flash converts fractional
/// scissor rectangles [context3d.scissor.fraction]: an engine treats sizes below one half as empty.
const SCISSOR_IS_ROUNDED: bool = false;

/// Converts a scissor rectangle. A width or height of zero disables the scissor test ([context3d.scissor.empty],
/// capture scissor_rectangle), and so does a negative or NaN size [context3d.scissor.negative].
fn scissor(rectangle: Rectangle) -> Option<ScissorSlot> {
    let pixels = |value: f64| whole(if SCISSOR_IS_ROUNDED { value.round() } else { value });
    let (width, height) = (pixels(rectangle.width), pixels(rectangle.height));
    if width <= 0 || height <= 0 {
        return None;
    }
    let (left, top) = (pixels(rectangle.x), pixels(rectangle.y));
    Some([left, top, left + width, top + height])
}

/// Truncates a number to an integer, clamped so that sums don't overflow. NaN becomes 0.
#[allow(clippy::cast_possible_truncation, reason = "clamped to what is wanted; NaN becomes 0")]
pub(super) fn whole(value: f64) -> i64 {
    value.clamp(-2e9, 2e9) as i64
}
