//! Frames of videos as decoders make them.

use context3d::native::{Plane, VideoFrame, YuvMatrix};

use crate::failure::{Failure, MolehillStatus};
use crate::handles::MolehillTexture;
use crate::objects::on_object;
use crate::pointers::{MolehillBool, flag, slice};
use crate::sized::{grows, required_sized};
use crate::status::guard;

/// Rows of bytes from top to bottom.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillPlane {
    /// `length` bytes, only read during the call.
    pub data: *const u8,
    /// Length of `data` in bytes.
    pub length: usize,
    /// Bytes from a row to the next.
    pub stride: usize,
}

/// A frame of a video in I420 or NV12, in limited range. The planes of U and V have half the width and height, rounded up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillYuvFrame {
    /// sizeof(MolehillYuvFrame)
    pub struct_size: usize,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// A byte for each pixel.
    pub y: MolehillPlane,
    /// I420: U. NV12: U and V in turn.
    pub u: MolehillPlane,
    /// I420: V. NV12: all 0.
    pub v: MolehillPlane,
    /// The video has the colours of BT.709 (high definition) instead of BT.601.
    pub bt709: MolehillBool,
}

grows!(MolehillYuvFrame);

/// # Safety
/// As [`slice`].
unsafe fn plane<'a>(plane: MolehillPlane) -> Result<Option<Plane<'a>>, Failure> {
    let bytes = unsafe { slice(plane.data, plane.length) }?;
    Ok(bytes.map(|bytes| Plane { bytes, stride: plane.stride }))
}

/// Sets the next frame of a `VideoTexture`, as molehill_video_texture_frame does, from planes of Y, U and V: then dispatch
/// `textureReady`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_video_texture_yuv_frame(
    texture: MolehillTexture,
    frame: *const MolehillYuvFrame,
) -> MolehillStatus {
    guard(|| {
        let frame = unsafe { required_sized(frame) }?;
        let missing = || Failure::argument("a plane of the frame is null");
        let y = unsafe { plane(frame.y) }?.ok_or_else(missing)?;
        let u = unsafe { plane(frame.u) }?.ok_or_else(missing)?;
        let (size, matrix) = match flag(frame.bt709) {
            false => ([frame.width, frame.height], YuvMatrix::Bt601),
            true => ([frame.width, frame.height], YuvMatrix::Bt709),
        };
        let frame = match unsafe { plane(frame.v) }? {
            Some(v) => VideoFrame::I420 { size, y, u, v, matrix },
            None => VideoFrame::Nv12 { size, y, uv: u, matrix },
        };
        on_object(texture.id, |it| Ok(it.video_frame(&frame).map(drop)?))
    })
}
