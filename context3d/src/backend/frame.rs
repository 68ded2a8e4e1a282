//! Presented frames for a host: their number, their pixels, or a handle on the device.

use super::{Backend, BackendError, Region, Surface};
use crate::pixels::{ByteOrder, PIXEL};

/// A backend whose presented frames a host gets. Hosts are generic over it; `Box<dyn FrameSource>` chooses the kind of
/// backend at run time.
pub trait FrameSource: Backend {
    /// Passes frames to the host's renderer as handles with fences. The host has one exchange for each Stage3D; it can
    /// outlive its backends. `()` if there are no handles.
    type Exchange: Default
    where
        Self: Sized;

    /// Returns the number of presents so far. A loss that the backend survives does not reset it.
    fn presents(&self) -> u64;

    /// Returns the frame of the last `Present`; `None` before the first one since `ConfigureBackBuffer`.
    fn frame(&self) -> Option<Frame>;

    /// Reads the presented frame into the host's memory. Returns its number, and the size of the region's part inside
    /// it; `None` without a frame.
    ///
    /// # Errors
    /// [`ReadError`]; with [`ReadError::Memory`], a copy that was started before is dropped.
    fn read_frame(&mut self, read: &FrameRead, out: &mut [u8]) -> Result<Option<Frame>, ReadError> {
        read.through(self, &mut Vec::new(), out)
    }

    /// Returns true if the host's renderer can use this backend's handles.
    fn shares_frames(&self) -> bool {
        false
    }

    /// Puts the presented frame into an exchange, with a fence for which the host's renderer waits. Returns false if
    /// the exchange has it already. Without a frame, the exchange becomes empty. Call it once a frame, after `Present`.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if there are no handles; else as [`Backend::execute`].
    fn publish_frame(&mut self, _exchange: &Self::Exchange) -> Result<bool, BackendError>
    where
        Self: Sized,
    {
        let text = "this backend gives frames as pixels, not as handles; read the frame instead";
        Err(BackendError::Unsupported(text.to_owned()))
    }
}

/// A presented frame, or a region of one. If the number is the same, so are the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number of presents when it was presented: 1 for the first frame.
    pub presents: u64,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A frame that was taken with [`Context3D::take_frame`](crate::Context3D::take_frame).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture {
    /// The exchange has it.
    Handle,
    /// Width and height, and R, G, B, A, rows from the top, opaque.
    Pixels(u32, u32, Vec<u8>),
}

/// A read of a frame: its region, and the layout in the host's memory, with four bytes per pixel, 0 to 255. Alpha is as
/// the program wrote it, although the stage shows frames opaque; colours are not multiplied by it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRead {
    /// The region of the frame.
    pub region: Region,
    /// Reads the frame at the size that the program asked for, also from an [`Enhanced`](super::Enhanced) backend: a
    /// pixel is the mean of those drawn for it, and the region counts the program's pixels.
    pub program_size: bool,
    /// The order of bytes.
    pub order: ByteOrder,
    /// Bytes from a row to the next, at least four per pixel; 0: rows without padding.
    pub stride: usize,
    /// The first row in memory is the region's bottom row.
    pub bottom_up: bool,
    /// Does not wait until the device has drawn the frame: starts a copy of the region, and gives the copy that the
    /// previous delayed read started, if there was one. A backend that never waits gives the region at once. Read once
    /// a frame, after `Present`.
    pub delayed: bool,
}

/// Why pixels could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The pixels don't fit: the stride is below four bytes per pixel, or the memory is too small.
    #[error(
        "{width}×{height} pixels don't fit into the memory or its stride: they need {needed} bytes"
    )]
    Memory {
        /// Width of the region in pixels.
        width: u32,
        /// Height of the region in pixels.
        height: u32,
        /// Required bytes with a stride that is large enough.
        needed: usize,
    },
    /// An error of the backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl FrameRead {
    /// All of the frame, now: R, G, B, A, rows from the top, without padding.
    pub const ALL: FrameRead = FrameRead {
        region: Region::ALL,
        program_size: false,
        order: ByteOrder::Rgba,
        stride: 0,
        bottom_up: false,
        delayed: false,
    };

    /// Reads the presented frame, and waits for it, through a buffer that a backend can keep.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn through<B: FrameSource + ?Sized>(
        &self,
        source: &mut B,
        rgba: &mut Vec<u8>,
        out: &mut [u8],
    ) -> Result<Option<Frame>, ReadError> {
        let Some(Frame { presents, .. }) = source.frame() else { return Ok(None) };
        let (width, height) = source.read_region(Surface::Front, self.region, rgba)?;
        self.arrange(rgba, (width, height), out)?;
        Ok(Some(Frame { presents, width, height }))
    }

    /// Copies rows of RGBA, top row first, as read by a [`Backend`], into the host's memory.
    ///
    /// # Errors
    /// [`ReadError::Memory`] if they don't fit.
    pub fn arrange(
        &self,
        rgba: &[u8],
        (width, height): (u32, u32),
        out: &mut [u8],
    ) -> Result<(), ReadError> {
        let (row, rows) = ((width as usize).saturating_mul(PIXEL), height as usize);
        if row == 0 || rows == 0 {
            return Ok(());
        }
        let stride = self.stride.max(row);
        let needed = stride.saturating_mul(rows - 1).saturating_add(row);
        let too_small = ReadError::Memory { width, height, needed };
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
    /// Frames are only pixels, because the kind of backend is known at run time.
    type Exchange = ();

    fn presents(&self) -> u64 {
        (**self).presents()
    }

    fn frame(&self) -> Option<Frame> {
        (**self).frame()
    }

    fn read_frame(&mut self, read: &FrameRead, out: &mut [u8]) -> Result<Option<Frame>, ReadError> {
        (**self).read_frame(read, out)
    }
}
