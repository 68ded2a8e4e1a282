//! Access of a host to the presented frame: by GL names, as a copy in a texture, framebuffer or memory, or through an
//! exchange with another thread.

use context3d::backend::{BackendError, FrameRead, FrameReadError, FrameSource, PresentedFrame};

use super::GlBackend;
use crate::gl::{self, PixelSize};
#[cfg(not(target_arch = "wasm32"))]
use crate::target::present::FrontExchange;
use crate::target::present::{FrameDestination, FrontFrame, PIXEL, PresentRect};

/// Contexts in a browser share no objects.
#[cfg(target_arch = "wasm32")]
type FrontExchange = ();

impl GlBackend {
    /// Returns the frame of the last `Present`; `None` before the first one. The names are valid until the next
    /// `Present` or `ConfigureBackBuffer`, or until the backend is dropped. The host may only read and sample the
    /// frame; a host that changes texture parameters (initially nearest filters and one level) must restore them.
    pub fn front(&self) -> Option<FrontFrame> {
        let back_buffer = self.objects.targets.back_buffer.as_ref()?;
        let (width, height) = back_buffer.size();
        let (texture, framebuffer) = back_buffer.front()?;
        Some(FrontFrame {
            texture: gl::texture_name(texture),
            framebuffer: gl::framebuffer_name(framebuffer.name),
            width,
            height,
            presents: self.objects.targets.presents,
        })
    }

    /// Copies the frame of the last `Present` into a texture or framebuffer of the host. Returns false before the first
    /// `Present`. Changes GL's state like a packet.
    ///
    /// # Errors
    /// [`BackendError::Driver`] for a destination that GL rejects, such as a multisampled one in OpenGL ES;
    /// [`BackendError::Lost`] if the context is lost.
    pub fn present_into(
        &mut self,
        destination: FrameDestination,
        place: &PresentRect,
    ) -> Result<bool, BackendError> {
        self.between_frames(|objects, device| {
            objects.targets.present_into(device, destination, place)
        })
    }

    /// Starts a readback of the region, and returns the pixels of the previous call's readback.
    fn read_delayed(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        let mut arranged = Ok(None);
        self.between_frames(|objects, device| {
            let targets = &mut objects.targets;
            let before = targets.delayed.pending.take();
            targets.begin_read(device, read.region)?;
            let Some((frame @ PresentedFrame { width, height, .. }, buffer)) = before else {
                return Ok(());
            };
            let bytes = PixelSize::new(width, height).bytes(PIXEL).unwrap_or(0);
            device.gl.mapped(buffer.name(), bytes, |rgba| {
                arranged = read.arrange(rgba, (width, height), out).map(|()| Some(frame));
            })?;
            targets.delayed.free = Some(buffer);
            Ok(())
        })?;
        arranged
    }
}

impl FrameSource for GlBackend {
    /// The exchange of frames with another thread, or with a renderer on this thread. The reader's GL context shares
    /// objects with the device's context.
    type Exchange = FrontExchange;

    fn presents(&self) -> u64 {
        self.objects.targets.presents
    }

    fn frame(&self) -> Option<PresentedFrame> {
        let FrontFrame { presents, width, height, .. } = self.front()?;
        Some(PresentedFrame { presents, width, height })
    }

    fn read_frame(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        if read.delayed {
            return self.read_delayed(read, out);
        }
        let mut rgba = std::mem::take(&mut self.scratch);
        let frame = read.through(self, &mut rgba, out);
        self.scratch = rgba;
        frame
    }

    fn shares_frames(&self) -> bool {
        self.device().shares
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn publish_frame(&mut self, exchange: &FrontExchange) -> Result<bool, BackendError> {
        self.between_frames(|objects, device| objects.targets.publish(device, exchange))
    }
}
