//! The presented picture for the host: as GL names, in its texture or framebuffer, or in its memory.

use context3d::backend::{Backend, BackendError, Region, Surface};

use super::GlBackend;
use crate::gl::{self, Rect};
#[cfg(not(target_arch = "wasm32"))]
use crate::target::present::FrontExchange;
use crate::target::present::{Destination, Front, Layout, PIXEL, Placement, ReadError};

impl GlBackend {
    /// The picture of the last `Present`; `None` before the first one. The names and the picture are valid until the
    /// next packet `Present` or `ConfigureBackBuffer`, or until the backend is dropped. They may only be read and
    /// sampled; a host that changes texture parameters (initially nearest filters and one level) must restore them.
    pub fn front(&self) -> Option<Front> {
        let back_buffer = self.objects.targets.back_buffer.as_ref()?;
        let (width, height) = back_buffer.size();
        let (texture, framebuffer) = back_buffer.front()?;
        Some(Front {
            texture: gl::texture_name(texture),
            framebuffer: gl::framebuffer_name(framebuffer.name),
            width,
            height,
            presents: self.objects.targets.presents,
        })
    }

    /// Copies the front into an exchange, for a thread whose GL context shares objects with the device's. Call it once a
    /// frame, after `Present`. Returns false, and copies nothing, if there was no `Present` since; without a front the other
    /// thread has no picture any more, and neither when the backend is dropped.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] if a texture can't be made; [`BackendError::Lost`] if the context is lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn publish_front(&mut self, exchange: &FrontExchange) -> Result<bool, BackendError> {
        self.between_frames(|objects, device| objects.targets.publish(device, exchange))
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
        self.between_frames(|objects, device| {
            objects.targets.present_into(device, destination, place)
        })
    }

    /// Reads the picture of the last `Present`, if there is one and it was not read so before: R, G, B, A, rows from the
    /// top, opaque as on the stage. Returns its size. Waits until GL has drawn it.
    ///
    /// # Errors
    /// Those of [`Backend::read_pixels`].
    pub fn take_front(&mut self, rgba: &mut Vec<u8>) -> Result<Option<(u32, u32)>, BackendError> {
        let taken = self.objects.targets.taken;
        let Some(Front { presents, .. }) = self.front().filter(|it| it.presents != taken) else {
            return Ok(None);
        };
        let size = self.read_pixels(Surface::Front, rgba)?;
        rgba.as_chunks_mut().0.iter_mut().for_each(|[.., alpha]: &mut [u8; 4]| *alpha = u8::MAX);
        self.objects.targets.taken = presents;
        Ok(Some(size))
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
            objects.targets.read(device, &mut objects.textures, Surface::Front, region, rgba)
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
            let targets = &mut objects.targets;
            let before = targets.delayed.pending.take();
            let earlier = targets.delayed.last;
            targets.begin_read(device, region)?;
            let Some(size) = before else {
                return Ok(());
            };
            let bytes = Rect::new(size.0, size.1).bytes(PIXEL).unwrap_or(0);
            let [even, odd] = &targets.delayed.buffers;
            let buffer = if earlier { odd } else { even };
            if let Some(buffer) = buffer {
                device.gl.mapped(buffer.name(), bytes, |rgba| {
                    arranged = layout.arrange(rgba, size, out).map(|()| Some(size));
                })?;
            }
            Ok(())
        })?;
        arranged
    }
}
