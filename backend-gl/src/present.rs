//! Delivers the presented picture to the host: as GL names, into its texture or framebuffer, or into its memory.

use std::fmt;

use context3d::arguments::ByteOrder;
use context3d::backend::{BackendError, Region, Surface};

use crate::backend::Objects;
use crate::device::Device;
use crate::gl::{self, Handle, Rect};
pub use crate::gl::{FramebufferName, TextureName};
use crate::{GlBackend, framebuffer};

/// Bytes of a pixel.
const PIXEL: usize = 4;

/// The picture of the last `Present`, by its GL names. See [`GlBackend::front`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Front {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level. v = 0 is the picture's top row.
    pub texture: TextureName,
    /// A framebuffer with this texture as its only colour attachment, to blit or read from. Its row 0 is the picture's
    /// top row.
    pub framebuffer: FramebufferName,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The destination of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A framebuffer; `None` for the context's default framebuffer, such as a window's.
    Framebuffer(Option<FramebufferName>),
    /// Level 0 of a `GL_TEXTURE_2D` that has storage and can be rendered to.
    Texture(TextureName),
}

/// The position and orientation in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// First column, in pixels.
    pub x: i32,
    /// First row, in pixels, as GL counts: from the bottom in a window.
    pub y: i32,
    /// Width in pixels; the picture is scaled if its width differs.
    pub width: u32,
    /// Height in pixels; the picture is scaled if its height differs.
    pub height: u32,
    /// The first row is the picture's bottom row, as in a window.
    pub bottom_up: bool,
    /// Scales with linear instead of nearest filtering.
    pub smooth: bool,
}

/// The layout of pixels in the caller's memory. Alpha is as the program wrote it; colours are not multiplied by it
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The order of bytes.
    pub order: ByteOrder,
    /// Bytes from a row to the next, at least four per pixel.
    pub stride: usize,
    /// The first row in memory is the picture's bottom row.
    pub bottom_up: bool,
}

/// Why pixels could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The pixels don't fit: the stride is below four bytes per pixel, or the memory is too small.
    Memory {
        /// Required bytes with a stride that is large enough.
        needed: usize,
    },
    /// An error of the backend.
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
    /// Copies rows of RGBA, top row first, as read by a [`Backend`](context3d::backend::Backend), into a caller's
    /// memory.
    ///
    /// # Errors
    /// [`ReadError::Memory`] if they don't fit.
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

/// Asynchronous reads: two pixel buffers that alternate.
#[derive(Default)]
pub(crate) struct Delayed {
    buffers: [Option<Handle<glow::Buffer>>; 2],
    /// Size of the last requested region, which is in the current buffer.
    pending: Option<(u32, u32)>,
    last: bool,
}

impl GlBackend {
    /// The picture of the last `Present`; `None` before the first one. The names and the picture are valid until the
    /// next packet `Present` or `ConfigureBackBuffer`, or until the backend is dropped. They may only be read and
    /// sampled; a host that changes texture parameters (initially nearest filters and one level) must restore them.
    pub fn front(&self) -> Option<Front> {
        let back_buffer = self.objects.back_buffer.as_ref()?;
        let (width, height) = back_buffer.size();
        let (texture, framebuffer) = back_buffer.front()?;
        Some(Front {
            texture: gl::texture_name(texture),
            framebuffer: gl::framebuffer_name(framebuffer.name),
            width,
            height,
        })
    }

    /// Copies the picture of the last `Present` into a texture or framebuffer of the host, replacing what is there.
    /// Returns false before the first `Present`. Leaves GL's state to the device, like a packet.
    ///
    /// # Errors
    /// [`BackendError::Driver`] for a destination that GL rejects, such as a multisampled one in OpenGL ES;
    /// [`BackendError::Lost`] if the context is lost.
    pub fn present_into(
        &mut self,
        destination: Destination,
        place: &Placement,
    ) -> Result<bool, BackendError> {
        self.between_frames(|objects, device| objects.present_into(device, destination, place))
    }

    /// Reads a region of the picture of the last `Present` into the host's memory; waits until GL has drawn it. Returns
    /// the region's size, or `None` before the first `Present`.
    ///
    /// # Errors
    /// [`ReadError`] if the memory is too small or the backend fails.
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

    /// As [`GlBackend::read_front`], without waiting: starts copying the current picture, and returns the picture of
    /// the previous call. `None` at the first call. Call it once per frame, after `Present`.
    ///
    /// # Errors
    /// [`ReadError`]; with [`ReadError::Memory`], the picture of the previous call is dropped.
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
        let (gl, shadow) = (&self.gl.attempt()?, &mut device.shadow);
        shadow.scissor(None);
        shadow.read_framebuffer(source);
        // Lives until the blit is done.
        let _made = match destination {
            Destination::Framebuffer(name) => {
                shadow.foreign_draw_framebuffer(name.map(gl::framebuffer));
                None
            }
            Destination::Texture(name) => {
                let framebuffer = framebuffer::create(gl, shadow)?;
                let (target, face) = (glow::DRAW_FRAMEBUFFER, glow::TEXTURE_2D);
                let name = Some(gl::texture(name));
                gl.framebuffer_texture(target, glow::COLOR_ATTACHMENT0, face, name, 0);
                Some(framebuffer)
            }
        };
        framebuffer::complete(gl, "the host's destination")?;
        gl.blit_placed(Rect::new(size.0, size.1), place);
        gl.check("presenting into the host's destination")?;
        Ok(true)
    }

    /// Starts copying a region of the front into the other pixel buffer.
    fn begin_read(&mut self, device: &mut Device, region: Region) -> Result<(), BackendError> {
        let front = self.back_buffer.as_ref();
        let Some(((_, source), size)) = front.and_then(|f| Some((f.front()?, f.size()))) else {
            return Ok(());
        };
        let region = region.within(size);
        let gl = self.gl.attempt()?;
        let delayed = &mut self.delayed;
        delayed.last = !delayed.last;
        let [even, odd] = &mut delayed.buffers;
        let buffer = match if delayed.last { odd } else { even } {
            Some(buffer) => buffer,
            empty => empty.insert(Handle::create(&self.gl)?),
        };
        device.shadow.read_framebuffer(source);
        gl.pack_rgba(buffer.name(), region)?;
        gl.check("reading into a pixel buffer")?;
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
        let layout = |order, stride, bottom_up| Layout { order, stride, bottom_up };
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
