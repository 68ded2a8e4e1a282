//! Bringing what was presented to where the host wants it: as names, into its texture or framebuffer, into its memory.

use std::fmt;

use context3d::arguments::ByteOrder;
use context3d::backend::{BackendError, Region, Surface};

use crate::backend::Objects;
use crate::device::Device;
use crate::gl::{self, Handle, Rect};
pub use crate::gl::{FramebufferName, TextureName};
use crate::{GlBackend, target};

/// Bytes of a pixel.
const PIXEL: usize = 4;

/// What the last `Present` showed, by GL's names. See [`GlBackend::front`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Front {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level. v = 0 is the picture's top row.
    pub texture: TextureName,
    /// A framebuffer with this texture as its only colour, to blit or read from. Its row 0 is the picture's top row.
    pub framebuffer: FramebufferName,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// Where a picture goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A framebuffer; `None` for the context's own, a window's.
    Framebuffer(Option<FramebufferName>),
    /// Level 0 of a `GL_TEXTURE_2D` that has storage and can be rendered to.
    Texture(TextureName),
}

/// Where in the destination, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The first column, pixels.
    pub x: i32,
    /// The first row, pixels. As GL counts them: in a window from below.
    pub y: i32,
    /// Pixels; another width than the picture's scales it.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// The first row becomes the picture's bottom one, as a window needs it.
    pub bottom_up: bool,
    /// Scaled pixels are mixed; otherwise the nearest one is taken.
    pub smooth: bool,
}

/// How pixels lie in a caller's memory. Alpha is as the program wrote it, and colours aren't multiplied with it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The order of bytes.
    pub order: ByteOrder,
    /// Bytes from a row to the next, at least four a pixel.
    pub stride: usize,
    /// The first row in memory is the picture's bottom one.
    pub bottom_up: bool,
}

/// Why pixels weren't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The rows don't fit: the stride is below four bytes a pixel, or the memory below what is needed.
    Memory {
        /// Bytes that such rows need, with a stride that is large enough.
        needed: usize,
    },
    /// GL's.
    Backend(BackendError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Memory { needed } => write!(f, "the pixels need {needed} bytes"),
            ReadError::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<BackendError> for ReadError {
    fn from(error: BackendError) -> Self {
        ReadError::Backend(error)
    }
}

impl Layout {
    /// Puts rows of RGBA, the top one first, as a [`Backend`](context3d::backend::Backend) reads them, into a caller's memory.
    ///
    /// # Errors
    /// [`ReadError::Memory`]
    pub fn arrange(
        &self,
        rgba: &[u8],
        (width, height): (u32, u32),
        out: &mut [u8],
    ) -> Result<(), ReadError> {
        let (Ok(width), Ok(height)) = (usize::try_from(width), usize::try_from(height)) else {
            return Err(BackendError::OutOfMemory.into());
        };
        let row = width.saturating_mul(PIXEL);
        if row == 0 || height == 0 {
            return Ok(());
        }
        let stride = self.stride.max(row);
        let needed = stride.saturating_mul(height - 1).saturating_add(row);
        if self.stride < row || out.len() < needed {
            return Err(ReadError::Memory { needed });
        }
        let rows = out.chunks_mut(stride).take(height);
        for (n, to) in rows.enumerate() {
            let from = if self.bottom_up { height - 1 - n } else { n };
            let from = from.saturating_mul(row);
            let from = rgba.get(from..from.saturating_add(row));
            let (Some(from), Some(to)) = (from, to.get_mut(..row)) else {
                return Err(ReadError::Memory { needed });
            };
            to.copy_from_slice(from);
            if self.order == ByteOrder::Bgra {
                for pixel in to.as_chunks_mut::<PIXEL>().0 {
                    pixel.swap(0, 2);
                }
            }
        }
        Ok(())
    }
}

/// Reads that GL has been asked for: two pixel buffers that take turns.
#[derive(Default)]
pub(crate) struct Delayed {
    buffers: [Option<Handle<glow::Buffer>>; 2],
    /// Size of what was asked for last, in the buffer that was.
    pending: Option<(u32, u32)>,
    last: bool,
}

impl GlBackend {
    /// What the last `Present` showed; `None` before the first one. The names are good, and the picture stays, until the next
    /// packet `Present` or `ConfigureBackBuffer`, or until the backend is dropped. They may be read and sampled, no more;
    /// parameters of the texture that the host sets (it begins with nearest filters and one level) it sets back.
    pub fn front(&self) -> Option<Front> {
        let back_buffer = self.objects.back_buffer.as_ref()?;
        let (width, height) = back_buffer.size();
        let (texture, framebuffer) = back_buffer.front()?;
        Some(Front {
            texture: gl::texture_name(texture),
            framebuffer: gl::framebuffer_name(framebuffer),
            width,
            height,
        })
    }

    /// Copies what the last `Present` showed into a texture or framebuffer of the host, in its place, over everything there.
    /// False before the first `Present`. Afterwards GL's state is the device's, as after a packet.
    ///
    /// # Errors
    /// [`BackendError::Driver`] for a destination that GL refuses, as one with several samples a pixel in OpenGL ES;
    /// [`BackendError::Lost`].
    pub fn present_into(
        &mut self,
        destination: Destination,
        place: &Placement,
    ) -> Result<bool, BackendError> {
        self.between_frames(|objects, device| objects.present_into(device, destination, place))
    }

    /// Reads a region of what the last `Present` showed into the host's memory; its size, or `None` before the first
    /// `Present`. Waits until GL has drawn it.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn read_front(
        &mut self,
        region: Region,
        layout: &Layout,
        out: &mut [u8],
    ) -> Result<Option<(u32, u32)>, ReadError> {
        if self.front().is_none() {
            return Ok(None);
        }
        let mut rgba = std::mem::take(&mut self.scratch);
        let read = self.reading(&mut rgba, |objects, device, rgba| {
            objects.read(device, Surface::Front, region, rgba)
        });
        let arranged = read.map_err(ReadError::from);
        let arranged =
            arranged.and_then(|size| layout.arrange(&rgba, size, out).map(|()| Some(size)));
        self.scratch = rgba;
        arranged
    }

    /// As [`GlBackend::read_front`], without waiting: GL begins to copy what was presented now, and the caller gets what was
    /// presented at the call before. `None` at the first call. To be called once a frame, after `Present`.
    ///
    /// # Errors
    /// See [`ReadError`]. With [`ReadError::Memory`] the picture of the call before is dropped.
    pub fn read_front_delayed(
        &mut self,
        region: Region,
        layout: &Layout,
        out: &mut [u8],
    ) -> Result<Option<(u32, u32)>, ReadError> {
        let mut arranged = Ok(None);
        self.between_frames(|objects, device| {
            let before = objects.delayed.pending.take();
            let earlier = objects.delayed.last;
            objects.begin_read(device, region)?;
            let Some(size) = before else {
                return Ok(());
            };
            let bytes = Rect::new(size.0, size.1).bytes(PIXEL).unwrap_or(0);
            let [even, odd] = &objects.delayed.buffers;
            let buffer = if earlier { odd } else { even };
            if let Some(buffer) = buffer {
                objects.gl.mapped(buffer.name(), bytes, |rgba| {
                    arranged = layout.arrange(rgba, size, out).map(|()| Some(size));
                })?;
            }
            Ok(())
        })?;
        arranged
    }
}

impl Objects {
    fn present_into(
        &self,
        device: &mut Device,
        destination: Destination,
        place: &Placement,
    ) -> Result<bool, BackendError> {
        let front = self.back_buffer.as_ref();
        let Some(((_, source), size)) = front.and_then(|f| Some((f.front()?, f.size()))) else {
            return Ok(false);
        };
        let (gl, shadow) = (&self.gl, &mut device.shadow);
        shadow.scissor(None);
        shadow.read_framebuffer(source);
        let made = match destination {
            Destination::Framebuffer(name) => {
                shadow.foreign_draw_framebuffer(name.map(gl::framebuffer));
                None
            }
            Destination::Texture(name) => {
                let framebuffer = target::framebuffer(gl, shadow)?;
                let (target, face) = (glow::DRAW_FRAMEBUFFER, glow::TEXTURE_2D);
                let name = Some(gl::texture(name));
                gl.framebuffer_texture(target, glow::COLOR_ATTACHMENT0, face, name, 0);
                Some(framebuffer)
            }
        };
        let result = target::complete(gl, "the host's destination").and_then(|()| {
            gl.blit_placed(Rect::new(size.0, size.1), place);
            gl.check("presenting into the host's destination")
        });
        if let Some(framebuffer) = made {
            shadow.framebuffer_deleted(framebuffer.name());
        }
        result.map(|()| true)
    }

    /// GL begins to copy a region of the front into the other pixel buffer.
    fn begin_read(&mut self, device: &mut Device, region: Region) -> Result<(), BackendError> {
        let front = self.back_buffer.as_ref();
        let Some(((_, source), size)) = front.and_then(|f| Some((f.front()?, f.size()))) else {
            return Ok(());
        };
        let region = region.within(size);
        let delayed = &mut self.delayed;
        delayed.last = !delayed.last;
        let [even, odd] = &mut delayed.buffers;
        let buffer = match if delayed.last { odd } else { even } {
            Some(buffer) => buffer,
            empty => empty.insert(Handle::create(&self.gl)?),
        };
        device.shadow.read_framebuffer(source);
        self.gl.pack_rgba(buffer.name(), region)?;
        self.gl.check("reading into a pixel buffer")?;
        delayed.pending = Some((region.width, region.height));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteOrder, Layout, ReadError};

    #[test]
    fn rows_lie_as_the_layout_says() {
        let rgba = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
        let layout = |order, stride, bottom_up| Layout {
            order,
            stride,
            bottom_up,
        };
        let mut out = [0; 18];
        let turned = layout(ByteOrder::Bgra, 10, true);
        assert_eq!(turned.arrange(&rgba, (2, 2), &mut out), Ok(()));
        let expected = [11, 10, 9, 12, 15, 14, 13, 16, 0, 0, 3, 2, 1, 4, 7, 6, 5, 8];
        assert_eq!(out, expected);
        let plain = layout(ByteOrder::Rgba, 8, false);
        assert_eq!(plain.arrange(&rgba, (2, 2), &mut out[..16]), Ok(()));
        assert_eq!(out[..16], rgba);
        for (layout, bytes, needed) in [
            (turned, 17, 18),
            (layout(ByteOrder::Rgba, 7, false), 18, 16),
            (layout(ByteOrder::Rgba, usize::MAX, false), 18, usize::MAX),
        ] {
            let result = layout.arrange(&rgba, (2, 2), &mut out[..bytes]);
            assert_eq!(result, Err(ReadError::Memory { needed }));
        }
        assert_eq!(plain.arrange(&[], (0, 5), &mut []), Ok(()));
    }
}
