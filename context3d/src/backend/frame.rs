//! Access to presented frames for the host: the frame counter, the pixels, or a handle on the device.

use super::{Backend, BackendError, ReadSurface, Region};
use crate::pixels::{ByteOrder, PIXEL};

/// A backend whose presented frames a host can read. Hosts are generic over this trait, or select the backend at run
/// time with `Box<dyn FrameSource>`.
pub trait FrameSource: Backend {
    /// Passes frames to the host's renderer as handles with fences. The host owns one exchange for each Stage3D; the
    /// exchange can outlive its backends. Backends without handles of frames set the type to `()`.
    type Exchange: Default
    where
        Self: Sized;

    /// Returns the number of executed `Present` packets. A backend that survives a device loss continues the count.
    fn presents(&self) -> u64;

    /// Returns the frame of the last `Present`; `None` before the first one since `ConfigureBackBuffer`.
    fn frame(&self) -> Option<PresentedFrame>;

    /// Reads the presented frame into the host's memory. Returns the frame's number and the size of the region inside
    /// the frame. Returns `None` if no frame was presented.
    /// # Errors
    /// [`FrameReadError`]. [`FrameReadError::Memory`] also drops a delayed copy that an earlier call started.
    fn read_frame(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        read.through(self, &mut Vec::new(), out)
    }

    /// Returns true if the host's renderer can use this backend's handles.
    fn shares_frames(&self) -> bool {
        false
    }

    /// Puts the presented frame into an exchange, with a fence for which the host's renderer waits. Returns false if
    /// the exchange already contains this frame. If no frame was presented, empties the exchange. Call this once per
    /// frame, after `Present`.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the backend has no handles; otherwise those of [`Backend::execute`].
    fn publish_frame(&mut self, _exchange: &Self::Exchange) -> Result<bool, BackendError>
    where
        Self: Sized,
    {
        let text = "this backend can't return frames as handles; read the frame's pixels instead";
        Err(BackendError::Unsupported(text.to_owned()))
    }
}

/// A presented frame, or a region of a frame. Frames with equal numbers have equal pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentedFrame {
    /// The frame counter, incremented by each `Present`: 1 for the first frame.
    pub presents: u64,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The result of [`Context3D::take_frame`](crate::Context3D::take_frame).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenFrame {
    /// The frame is a handle in the [`FrameSource::Exchange`].
    Handle,
    /// Width, height, and opaque R, G, B, A pixels, top row first.
    Pixels(u32, u32, Vec<u8>),
}

/// The region of a read, and its layout in the host's memory: four bytes per pixel. Alpha values are the program's,
/// although the stage shows frames opaque. Colours are not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRead {
    /// The region to read, in pixels of the frame.
    pub region: Region,
    /// Reads the frame at the size that the program requested, and averages the rendered pixels of an
    /// `EnhancedBackend` of the crate `context3d-layers`. `region` is then in pixels of the requested size.
    pub program_size: bool,
    /// The order of a pixel's bytes in memory.
    pub order: ByteOrder,
    /// Bytes from one row to the next, at least four per pixel; 0 for rows without padding.
    pub stride: usize,
    /// The first row in memory is the region's bottom row.
    pub bottom_up: bool,
    /// Doesn't wait for the device: starts a copy of the region, and returns the copy that the previous delayed read
    /// started, if there was one. A backend without asynchronous reads returns the region itself. Make a delayed read
    /// once per frame, after `Present`.
    pub delayed: bool,
}

/// The error of a frame read ([`FrameSource::read_frame`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameReadError {
    /// The memory is too small for the pixels, or the stride is below four bytes per pixel.
    #[error(
        "{width}×{height} pixels don't fit into the memory or its stride: they need {needed} bytes"
    )]
    Memory {
        /// Width of the region in pixels.
        width: u32,
        /// Height of the region in pixels.
        height: u32,
        /// Required size of the memory in bytes, with a sufficient stride.
        needed: usize,
    },
    /// An error of the backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl FrameRead {
    /// The whole frame, without delay: R, G, B, A, top row first, without padding.
    pub const ALL: FrameRead = FrameRead {
        region: Region::ALL,
        program_size: false,
        order: ByteOrder::Rgba,
        stride: 0,
        bottom_up: false,
        delayed: false,
    };

    /// Waits for the presented frame, and reads it through a buffer that the backend can reuse.
    ///
    /// # Errors
    /// [`FrameReadError`]
    pub fn through<B: FrameSource + ?Sized>(
        &self,
        source: &mut B,
        rgba: &mut Vec<u8>,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        let Some(PresentedFrame { presents, .. }) = source.frame() else { return Ok(None) };
        let (width, height) = source.read_region(ReadSurface::Front, self.region, rgba)?;
        self.arrange(rgba, (width, height), out)?;
        Ok(Some(PresentedFrame { presents, width, height }))
    }

    /// Copies RGBA rows (top row first, as a [`Backend`] reads them) into the host's memory, in this layout.
    ///
    /// # Errors
    /// [`FrameReadError::Memory`] if the memory is too small.
    pub fn arrange(
        &self,
        rgba: &[u8],
        (width, height): (u32, u32),
        out: &mut [u8],
    ) -> Result<(), FrameReadError> {
        let (row, rows) = ((width as usize).saturating_mul(PIXEL), height as usize);
        if row == 0 || rows == 0 {
            return Ok(());
        }
        let stride = self.stride.max(row);
        let needed = stride.saturating_mul(rows - 1).saturating_add(row);
        let too_small = FrameReadError::Memory { width, height, needed };
        if (1..row).contains(&self.stride) || out.len() < needed {
            return Err(too_small);
        }
        let mut from = rgba.chunks_exact(row).take(rows);
        for to in out.chunks_mut(stride).take(rows) {
            let from = if self.bottom_up { from.next_back() } else { from.next() };
            let (Some(from), Some(to)) = (from, to.get_mut(..row)) else {
                return Err(too_small);
            };
            to.copy_from_slice(from);
            if self.order == ByteOrder::Bgra {
                to.as_chunks_mut::<PIXEL>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
            }
        }
        Ok(())
    }
}

impl<B: FrameSource + ?Sized> FrameSource for Box<B> {
    /// A boxed backend has no handles of frames, because the backend's type is known only at run time.
    type Exchange = ();

    fn presents(&self) -> u64 {
        (**self).presents()
    }

    fn frame(&self) -> Option<PresentedFrame> {
        (**self).frame()
    }

    fn read_frame(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        (**self).read_frame(read, out)
    }
}
