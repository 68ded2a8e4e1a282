//! Blend, colour mask, depth, culling, stencil, scissor, fill mode (`context3d.md` section 6).

use crate::backend::Backend;
use crate::command::{Command, Rectangle};
use crate::context::Context3D;
use crate::entry::{accepted, misrouted};
use crate::error::{Error, ErrorCode};
use crate::names::{FillMode, TriangleFace};
use crate::packet::StencilFace;
use crate::state::ScissorSlot;

impl<B: Backend> Context3D<B> {
    pub(super) fn set_fixed_function(&mut self, command: &Command<'_>) -> Result<(), Error> {
        let wireframe = self.backend.caps().wireframe;
        let raster = &mut self.state.raster;
        match *command {
            Command::SetBlendFactors {
                source_factor,
                destination_factor,
            } => {
                raster.blend = (
                    accepted(source_factor, "sourceFactor")?,
                    accepted(destination_factor, "destinationFactor")?,
                );
            }
            Command::SetColorMask {
                red,
                green,
                blue,
                alpha,
            } => raster.color_mask = [red, green, blue, alpha],
            Command::SetCulling {
                triangle_face_to_cull,
            } => {
                raster.cull = accepted(triangle_face_to_cull, "triangleFaceToCull")?;
            }
            Command::SetDepthTest {
                depth_mask,
                pass_compare_mode,
            } => {
                raster.depth_compare = accepted(pass_compare_mode, "passCompareMode")?;
                raster.depth_write = depth_mask;
            }
            Command::SetStencilActions {
                triangle_face,
                compare_mode,
                action_on_both_pass,
                action_on_depth_fail,
                action_on_depth_pass_stencil_fail,
            } => {
                let triangle_face = accepted(triangle_face, "triangleFace")?;
                let face = StencilFace {
                    compare: accepted(compare_mode, "compareMode")?,
                    both_pass: accepted(action_on_both_pass, "actionOnBothPass")?,
                    depth_fail: accepted(action_on_depth_fail, "actionOnDepthFail")?,
                    stencil_fail: accepted(
                        action_on_depth_pass_stencil_fail,
                        "actionOnDepthPassStencilFail",
                    )?,
                };
                if matches!(
                    triangle_face,
                    TriangleFace::Front | TriangleFace::FrontAndBack
                ) {
                    raster.stencil_front = face;
                }
                if matches!(
                    triangle_face,
                    TriangleFace::Back | TriangleFace::FrontAndBack
                ) {
                    raster.stencil_back = face;
                }
            }
            Command::SetStencilReferenceValue {
                reference_value,
                read_mask,
                write_mask,
            } => {
                raster.stencil_reference = low_byte(reference_value);
                raster.stencil_read_mask = low_byte(read_mask);
                raster.stencil_write_mask = low_byte(write_mask);
            }
            Command::SetScissorRectangle { rectangle } => {
                self.state.scissor = rectangle.and_then(scissor)
            }
            Command::SetFillMode { fill_mode } => {
                let fill = accepted(fill_mode, "fillMode")?;
                if fill == FillMode::Wireframe && !wireframe {
                    return Err(ErrorCode::FeatureUnavailable.into());
                }
                raster.fill = fill;
            }
            _ => return Err(misrouted()),
        }
        Ok(())
    }
}

/// "Low 8 bits used".
fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or(0)
}

/// A rectangle of zero width or height behaves as no scissor (player image, capture scissor_rectangle); so does a
/// negative or undefined one (unverified). Fractions are truncated (unverified).
fn scissor(rectangle: Rectangle) -> Option<ScissorSlot> {
    let (width, height) = (whole(rectangle.width), whole(rectangle.height));
    if width <= 0 || height <= 0 {
        return None;
    }
    let (left, top) = (whole(rectangle.x), whole(rectangle.y));
    Some(ScissorSlot {
        left,
        top,
        right: left + width,
        bottom: top + height,
    })
}

/// Truncated, NaN as 0, and never so large that a sum could overflow.
#[allow(
    clippy::cast_possible_truncation,
    reason = "clamped to what is wanted; NaN becomes 0"
)]
pub(super) fn whole(value: f64) -> i64 {
    value.clamp(-2e9, 2e9) as i64
}
