//! Clears, draws, blits and reads.

use context3d::backend::{BackendError, Region};
use glow::HasContext as _;

use super::objects::{check_length, int};
use super::{Gl, Rect, plain_calls};
use crate::present::Placement;

plain_calls! {
    /// `glDrawElements`. `offset` is into the bound element buffer: the caller has checked it and `count` against the
    /// buffer's size.
    draw_elements(mode: u32, count: i32, index_type: u32, offset: i32) = draw_elements;
    /// `glDrawElementsInstanced`, as above.
    draw_elements_instanced(mode: u32, count: i32, index_type: u32, offset: i32, instances: i32)
        = draw_elements_instanced;
    /// `glDrawArrays`; reads no memory if no attribute is enabled.
    draw_arrays(mode: u32, first: i32, count: i32) = draw_arrays;
    /// `glFlush`
    flush() = flush;
}

impl Gl {
    /// `glClearBufferfv(GL_COLOR)`
    pub fn clear_color(&self, draw_buffer: u32, rgba: &[f32; 4]) {
        // SAFETY: the context is current (promise of `Gl`); GL reads four floats.
        unsafe {
            self.raw.clear_buffer_f32_slice(glow::COLOR, draw_buffer, rgba);
        }
    }

    /// Clears depth, stencil or both.
    pub fn clear_depth_stencil(&self, depth: Option<f32>, stencil: Option<u8>) {
        // SAFETY: the context is current (promise of `Gl`); GL reads one value from each slice.
        unsafe {
            match (depth, stencil) {
                (Some(depth), Some(stencil)) => self.raw.clear_buffer_depth_stencil(
                    glow::DEPTH_STENCIL,
                    0,
                    depth,
                    i32::from(stencil),
                ),
                (Some(depth), None) => {
                    self.raw.clear_buffer_f32_slice(glow::DEPTH, 0, &[depth]);
                }
                (None, Some(stencil)) => {
                    self.raw.clear_buffer_i32_slice(glow::STENCIL, 0, &[i32::from(stencil)]);
                }
                (None, None) => {}
            }
        }
    }

    /// Copies a region of the bound read framebuffer's colour to the same position in the bound draw framebuffer.
    pub fn blit_color(&self, region: Region) {
        let (left, top) = (int(region.x), int(region.y));
        let right = left.saturating_add(int(region.width));
        let bottom = top.saturating_add(int(region.height));
        // SAFETY: the context is current (promise of `Gl`); plain values.
        unsafe {
            self.raw.blit_framebuffer(
                left,
                top,
                right,
                bottom,
                left,
                top,
                right,
                bottom,
                glow::COLOR_BUFFER_BIT,
                glow::NEAREST,
            );
        }
    }

    /// Blits the read framebuffer's colour to the whole draw framebuffer with linear filtering; at half the size, each
    /// pixel is the mean of the four that it covers.
    pub fn blit_linear(&self, from: Rect, to: Rect) {
        // SAFETY: the context is current (promise of `Gl`); plain values.
        unsafe {
            self.raw.blit_framebuffer(
                0,
                0,
                from.width,
                from.height,
                0,
                0,
                to.width,
                to.height,
                glow::COLOR_BUFFER_BIT,
                glow::LINEAR,
            );
        }
    }

    /// Reads RGBA from a region of the bound read framebuffer; `data_type` is `GL_UNSIGNED_BYTE` or `GL_FLOAT`.
    pub fn read_rgba(
        &self,
        region: Region,
        data_type: PixelType,
        out: &mut [u8],
    ) -> Result<(), BackendError> {
        let size = Rect::new(region.width, region.height);
        check_length("read-back", out.len(), size.bytes(data_type.bytes()))?;
        // SAFETY: the context is current (promise of `Gl`); GL writes width * height pixels, which `out` holds (checked
        // above), one after the other and into no buffer (set here, because a host's values would move them).
        unsafe {
            self.raw.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            self.raw.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            for name in [glow::PACK_ROW_LENGTH, glow::PACK_SKIP_ROWS, glow::PACK_SKIP_PIXELS] {
                self.raw.pixel_store_i32(name, 0);
            }
            self.raw.read_pixels(
                int(region.x),
                int(region.y),
                size.width,
                size.height,
                glow::RGBA,
                data_type as u32,
                glow::PixelPackData::Slice(Some(out)),
            );
        }
        Ok(())
    }
}

impl Gl {
    /// Blits the whole colour of the read framebuffer to a placement in the draw framebuffer.
    pub(crate) fn blit_placed(&self, from: Rect, place: &Placement) {
        let (left, first) = (place.x, place.y);
        let right = left.saturating_add(int(place.width));
        let last = first.saturating_add(int(place.height));
        let (top, bottom) = match place.bottom_up {
            true => (last, first),
            false => (first, last),
        };
        let filter = match place.smooth {
            true => glow::LINEAR,
            false => glow::NEAREST,
        };
        // SAFETY: the context is current (promise of `Gl`); plain values.
        unsafe {
            self.raw.blit_framebuffer(
                0,
                0,
                from.width,
                from.height,
                left,
                top,
                right,
                bottom,
                glow::COLOR_BUFFER_BIT,
                filter,
            );
        }
    }

    /// Queues a copy of a region of the read framebuffer to a buffer as RGBA bytes; allocates the buffer's storage.
    pub(crate) fn pack_rgba(
        &self,
        buffer: glow::Buffer,
        region: Region,
    ) -> Result<(), BackendError> {
        let size = Rect::new(region.width, region.height);
        let bytes = size.bytes(PixelType::Byte.bytes());
        let bytes = bytes.and_then(|bytes| i32::try_from(bytes).ok());
        let bytes = bytes.ok_or(BackendError::OutOfMemory)?;
        // SAFETY: the context is current (promise of `Gl`); a buffer of this context is bound, so that GL interprets
        // the offset as such and not as an address. It is unbound afterwards, as `read_rgba` requires.
        unsafe {
            let target = glow::PIXEL_PACK_BUFFER;
            self.raw.bind_buffer(target, Some(buffer));
            self.raw.buffer_data_size(target, bytes, glow::STREAM_READ);
            self.raw.read_pixels(
                int(region.x),
                int(region.y),
                size.width,
                size.height,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelPackData::BufferOffset(0),
            );
            self.raw.bind_buffer(target, None);
        }
        Ok(())
    }
}

/// The component type of a readback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PixelType {
    /// A byte per component.
    Byte = glow::UNSIGNED_BYTE,
    /// A float per component: what OpenGL ES returns for half-float surfaces.
    Float = glow::FLOAT,
}

impl PixelType {
    /// Bytes of an RGBA pixel.
    pub fn bytes(self) -> usize {
        match self {
            PixelType::Byte => 4,
            PixelType::Float => 16,
        }
    }
}
