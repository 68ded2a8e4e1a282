//! GL functions for clears, draws, blits and readback.

use context3d::backend::{BackendError, Region};
use glow::HasContext as _;

use super::objects::{check_length, int};
use super::{GlFunctions, PixelSize, plain_calls};

plain_calls! {
    /// `glDrawElements`. `offset` is relative to the bound element buffer. The caller has checked `offset` and `count`
    /// against the buffer's size.
    draw_elements(mode: u32, count: i32, index_type: u32, offset: i32) = draw_elements;
    /// `glDrawElementsInstanced`, with the conditions of `draw_elements`.
    draw_elements_instanced(mode: u32, count: i32, index_type: u32, offset: i32, instances: i32)
        = draw_elements_instanced;
    /// `glDrawArrays`. Without enabled attributes, the draw reads no memory.
    draw_arrays(mode: u32, first: i32, count: i32) = draw_arrays;
    flush() = flush;
}

impl GlFunctions {
    /// `glClearBufferfv(GL_COLOR)`
    pub(crate) fn clear_color(&self, draw_buffer: u32, rgba: &[f32; 4]) {
        // SAFETY: the context is current (promise of `GlFunctions`); GL reads four floats.
        unsafe {
            self.raw().clear_buffer_f32_slice(glow::COLOR, draw_buffer, rgba);
        }
    }

    /// Clears depth, stencil or both.
    pub(crate) fn clear_depth_stencil(&self, depth: Option<f32>, stencil: Option<u8>) {
        // SAFETY: the context is current (promise of `GlFunctions`); GL reads one value from each slice.
        unsafe {
            match (depth, stencil) {
                (Some(depth), Some(stencil)) => self.raw().clear_buffer_depth_stencil(
                    glow::DEPTH_STENCIL,
                    0,
                    depth,
                    i32::from(stencil),
                ),
                (Some(depth), None) => {
                    self.raw().clear_buffer_f32_slice(glow::DEPTH, 0, &[depth]);
                }
                (None, Some(stencil)) => {
                    self.raw().clear_buffer_i32_slice(glow::STENCIL, 0, &[i32::from(stencil)]);
                }
                (None, None) => {}
            }
        }
    }

    /// Copies the colour of a rectangle (left, top, right, bottom) of the bound read framebuffer to a rectangle of the
    /// bound draw framebuffer. With `linear` and half the size, each pixel is the mean of four source pixels.
    pub(crate) fn blit(&self, from: [i32; 4], to: [i32; 4], linear: bool) {
        let filter = if linear { glow::LINEAR } else { glow::NEAREST };
        let ([x0, y0, x1, y1], [to_x0, to_y0, to_x1, to_y1]) = (from, to);
        let mask = glow::COLOR_BUFFER_BIT;
        // SAFETY: the context is current (promise of `GlFunctions`), and all arguments are plain values.
        unsafe {
            self.raw().blit_framebuffer(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter)
        }
    }

    /// Reads RGBA from a region of the bound read framebuffer.
    pub(crate) fn read_rgba(
        &self,
        region: Region,
        data_type: PixelType,
        out: &mut [u8],
    ) -> Result<(), BackendError> {
        let bytes = PixelSize::new(region.width, region.height).bytes(data_type.bytes());
        check_length("read-back", out.len(), bytes)?;
        // SAFETY: `out` holds width * height pixels (checked above), and no buffer is bound.
        unsafe { self.read(None, region, data_type, glow::PixelPackData::Slice(Some(out))) };
        Ok(())
    }

    /// Queues a copy of a region of the read framebuffer to a buffer as RGBA bytes. Allocates the buffer's storage.
    pub(crate) fn pack_rgba(
        &self,
        buffer: glow::Buffer,
        region: Region,
    ) -> Result<(), BackendError> {
        let bytes = PixelSize::new(region.width, region.height).bytes(PixelType::Byte.bytes());
        let bytes = bytes.and_then(|bytes| i32::try_from(bytes).ok());
        let bytes = bytes.ok_or(BackendError::OutOfMemory)?;
        let target = glow::PIXEL_PACK_BUFFER;
        self.bind_buffer(target, Some(buffer));
        self.buffer_data_size(target, bytes, glow::STREAM_READ);
        // SAFETY: a buffer of this context is bound, so that GL treats the pointer as an offset and checks its range.
        unsafe {
            self.read(Some(buffer), region, PixelType::Byte, glow::PixelPackData::BufferOffset(0));
        }
        self.bind_buffer(target, None);
        Ok(())
    }

    /// Reads pixels. Sets the pack state first, because a host's state would change the pixels' layout in memory.
    ///
    /// # Safety
    /// `out` has space for the region's tightly packed pixels, or is an offset into `buffer`.
    unsafe fn read(
        &self,
        buffer: Option<glow::Buffer>,
        region: Region,
        data_type: PixelType,
        out: glow::PixelPackData<'_>,
    ) {
        let [x, y] = [int(region.x), int(region.y)];
        let PixelSize { width, height } = PixelSize::new(region.width, region.height);
        self.bind_buffer(glow::PIXEL_PACK_BUFFER, buffer);
        self.pixel_store(glow::PACK_ALIGNMENT, 1);
        for name in [glow::PACK_ROW_LENGTH, glow::PACK_SKIP_ROWS, glow::PACK_SKIP_PIXELS] {
            self.pixel_store(name, 0);
        }
        // SAFETY: the context is current (promise of `GlFunctions`); the caller guarantees the room for packed pixels.
        unsafe { self.raw().read_pixels(x, y, width, height, glow::RGBA, data_type as u32, out) }
    }
}

/// The component type of a readback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum PixelType {
    /// One byte per component.
    Byte = glow::UNSIGNED_BYTE,
    /// A float per component, which OpenGL ES returns for half-float surfaces.
    Float = glow::FLOAT,
}

impl PixelType {
    /// Returns bytes of an RGBA pixel.
    pub(crate) fn bytes(self) -> usize {
        match self {
            PixelType::Byte => 4,
            PixelType::Float => 16,
        }
    }
}
