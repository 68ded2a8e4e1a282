//! The back buffer, and the frames that the host receives.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use context3d::backend::{BackendError, PresentedFrame};
use context3d::packets::{BackBufferDesc as Desc, Clear, RenderTarget};
use wgpu::{Texture, TextureView};

use crate::commands::Commands;
use crate::format::{BACK_BUFFER, DEPTH_STENCIL};
use crate::pipeline::{Pipelines, TargetFormats};
use crate::surface::{CurrentTarget, attachment};

/// The maximum number of images of earlier frames that are kept for reuse.
const KEPT: usize = 3;

/// The back buffer with its depth buffer, and the presented images.
pub(crate) struct WgpuBackBuffer {
    desc: Desc,
    samples: u32,
    /// The render target: a multisampled texture, or an image.
    drawn: DrawTarget,
    depth: Option<TextureView>,
    front: Option<FrameImage>,
    /// Images of earlier frames, of which the host may still hold clones.
    earlier: Vec<FrameImage>,
}

enum DrawTarget {
    Samples(TextureView),
    Image(FrameImage),
}

/// An image with the back buffer's size. Images that have clones are not drawn to.
#[derive(Clone, Debug)]
struct FrameImage(Arc<(Texture, TextureView)>);

impl FrameImage {
    fn create(commands: &Commands, size: (u32, u32)) -> Result<Self, BackendError> {
        Ok(FrameImage(Arc::new(attachment(commands, size, BACK_BUFFER, 1)?)))
    }

    fn view(&self) -> &TextureView {
        &self.0.1
    }
}

impl WgpuBackBuffer {
    pub(crate) fn create(commands: &Commands, desc: &Desc) -> Result<Self, BackendError> {
        let size = (desc.width, desc.height);
        let samples = commands.device.samples(desc.samples, std::iter::once(BACK_BUFFER));
        let drawn = match samples {
            1 => DrawTarget::Image(FrameImage::create(commands, size)?),
            _ => DrawTarget::Samples(attachment(commands, size, BACK_BUFFER, samples)?.1),
        };
        let depth = desc.depth_stencil.then(|| attachment(commands, size, DEPTH_STENCIL, samples));
        let depth = depth.transpose()?.map(|(_, view)| view);
        Ok(WgpuBackBuffer { desc: *desc, samples, drawn, depth, front: None, earlier: Vec::new() })
    }

    /// Returns the back buffer as a render target.
    pub(crate) fn target(&self, pipelines: &mut Pipelines) -> CurrentTarget {
        let view = match &self.drawn {
            DrawTarget::Samples(view) => view,
            DrawTarget::Image(image) => image.view(),
        };
        let formats = TargetFormats {
            color: [Some(BACK_BUFFER), None, None, None],
            opaque: 0,
            depth_stencil: self.desc.depth_stencil,
            samples: self.samples,
        };
        CurrentTarget {
            target: Some(RenderTarget::BackBuffer),
            size: self.size(),
            number: pipelines.target(&formats),
            formats,
            color: [Some(view.clone()), None, None, None],
            textures: Default::default(),
            depth: self.depth.clone(),
            clear: Clear::default(),
        }
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        (self.desc.width, self.desc.height)
    }

    /// Returns the image that contains all previous draws.
    pub(crate) fn image(&mut self, commands: &mut Commands) -> Result<Texture, BackendError> {
        match &self.drawn {
            DrawTarget::Image(image) => Ok(image.0.0.clone()),
            DrawTarget::Samples(view) => {
                let view = view.clone();
                let resolved = self.free(commands)?;
                commands.resolve(&view, resolved.view());
                let texture = resolved.0.0.clone();
                self.earlier.push(resolved);
                Ok(texture)
            }
        }
    }

    /// Returns the texture of the last presented frame.
    pub(crate) fn front(&self) -> Option<&Texture> {
        self.front.as_ref().map(|front| &front.0.0)
    }

    /// Makes the current image the front buffer.
    pub(crate) fn present(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        let next = self.free(commands)?;
        let front = match &mut self.drawn {
            DrawTarget::Samples(view) => {
                commands.resolve(view, next.view());
                next
            }
            DrawTarget::Image(drawn) => std::mem::replace(drawn, next),
        };
        self.earlier.extend(self.front.replace(front));
        let excess = self.earlier.len().saturating_sub(KEPT);
        self.earlier.drain(..excess);
        Ok(())
    }

    /// Returns an image that the host has released; if there is none, a new image.
    fn free(&mut self, commands: &Commands) -> Result<FrameImage, BackendError> {
        let free = self.earlier.iter().position(|image| Arc::strong_count(&image.0) == 1);
        match free {
            Some(index) => Ok(self.earlier.swap_remove(index)),
            None => FrameImage::create(commands, self.size()),
        }
    }

    /// Publishes the front buffer. Returns false if the exchange already has this image.
    pub(crate) fn publish(&self, exchange: &FrameExchange, presents: u64) -> bool {
        let (width, height) = self.size();
        let Some(image) = self.front.clone() else { return exchange.empty() };
        let mut place = exchange.place();
        if place.as_ref().is_some_and(|shown| Arc::ptr_eq(&shown.image.0, &image.0)) {
            return false;
        }
        *place = Some(FrameTexture { frame: PresentedFrame { presents, width, height }, image });
        true
    }
}

/// A frame as a texture of the host's device. The backend reuses the texture only after all clones are dropped.
#[derive(Clone, Debug)]
pub struct FrameTexture {
    /// The number and size of the frame.
    pub frame: PresentedFrame,
    image: FrameImage,
}

impl FrameTexture {
    /// Returns the texture for sampling or copying: `Rgba8Unorm` with one mip level, after submission of all draws.
    pub fn texture(&self) -> &Texture {
        &self.image.0.0
    }
}

/// Passes frames to the host's renderer, which may run on another thread.
#[derive(Clone, Debug, Default)]
pub struct FrameExchange(Arc<Mutex<Option<FrameTexture>>>);

impl FrameExchange {
    /// Returns the last published frame. The host must hold the returned frame while the host draws with the frame's
    /// texture.
    pub fn frame(&self) -> Option<FrameTexture> {
        self.place().clone()
    }

    fn place(&self) -> MutexGuard<'_, Option<FrameTexture>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the published frame. Returns whether a frame was published.
    pub(crate) fn empty(&self) -> bool {
        self.place().take().is_some()
    }
}
