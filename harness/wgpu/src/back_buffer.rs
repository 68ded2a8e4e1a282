//! The back buffer, and the frames that it gives to the host.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use context3d::backend::{BackendError, Frame};
use context3d::packets::{BackBuffer as Desc, Clear, Target};
use wgpu::{Texture, TextureView};

use crate::commands::Commands;
use crate::format::{BACK_BUFFER, DEPTH_STENCIL};
use crate::pipeline::{Pipelines, TargetFormats};
use crate::surface::{Current, attachment};

/// So many pictures are kept for later frames.
const KEPT: usize = 3;

/// The back buffer.
pub(crate) struct BackBuffer {
    desc: Desc,
    samples: u32,
    /// The surface that draws write to: the samples, or a picture.
    drawn: Drawn,
    depth: Option<TextureView>,
    front: Option<Picture>,
    /// Pictures of earlier frames; the host may still have some of them.
    earlier: Vec<Picture>,
}

enum Drawn {
    Samples(TextureView),
    Picture(Picture),
}

/// A picture of the back buffer's size, which nobody draws to while there are clones of it.
#[derive(Clone, Debug)]
struct Picture(Arc<(Texture, TextureView)>);

impl Picture {
    fn create(commands: &Commands, size: (u32, u32)) -> Result<Self, BackendError> {
        Ok(Picture(Arc::new(attachment(commands, size, BACK_BUFFER, 1)?)))
    }

    fn view(&self) -> &TextureView {
        &self.0.1
    }
}

impl BackBuffer {
    pub(crate) fn create(commands: &Commands, desc: &Desc) -> Result<Self, BackendError> {
        let size = (desc.width, desc.height);
        let samples = commands.device.samples(desc.samples, std::iter::once(BACK_BUFFER));
        let drawn = match samples {
            1 => Drawn::Picture(Picture::create(commands, size)?),
            _ => Drawn::Samples(attachment(commands, size, BACK_BUFFER, samples)?.1),
        };
        let depth = desc.depth_stencil.then(|| attachment(commands, size, DEPTH_STENCIL, samples));
        let depth = depth.transpose()?.map(|(_, view)| view);
        Ok(BackBuffer { desc: *desc, samples, drawn, depth, front: None, earlier: Vec::new() })
    }

    /// Returns it as a target.
    pub(crate) fn target(&self, pipelines: &mut Pipelines) -> Current {
        let view = match &self.drawn {
            Drawn::Samples(view) => view,
            Drawn::Picture(picture) => picture.view(),
        };
        let formats = TargetFormats {
            color: [Some(BACK_BUFFER), None, None, None],
            opaque: 0,
            depth_stencil: self.desc.depth_stencil,
            samples: self.samples,
        };
        Current {
            target: Target::BackBuffer,
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

    /// Returns the picture as drawn so far.
    pub(crate) fn picture(&mut self, commands: &mut Commands) -> Result<Texture, BackendError> {
        match &self.drawn {
            Drawn::Picture(picture) => Ok(picture.0.0.clone()),
            Drawn::Samples(view) => {
                let view = view.clone();
                let resolved = self.free(commands)?;
                commands.resolve(&view, resolved.view());
                let texture = resolved.0.0.clone();
                self.earlier.push(resolved);
                Ok(texture)
            }
        }
    }

    /// Returns the texture of the last frame.
    pub(crate) fn front(&self) -> Option<&Texture> {
        self.front.as_ref().map(|front| &front.0.0)
    }

    /// Makes what is drawn the front.
    pub(crate) fn present(&mut self, commands: &mut Commands) -> Result<(), BackendError> {
        let next = self.free(commands)?;
        let front = match &mut self.drawn {
            Drawn::Samples(view) => {
                commands.resolve(view, next.view());
                next
            }
            Drawn::Picture(drawn) => std::mem::replace(drawn, next),
        };
        self.earlier.extend(self.front.replace(front));
        let excess = self.earlier.len().saturating_sub(KEPT);
        self.earlier.drain(..excess);
        Ok(())
    }

    /// Takes a picture that the host doesn't have, or makes one.
    fn free(&mut self, commands: &Commands) -> Result<Picture, BackendError> {
        let free = self.earlier.iter().position(|picture| Arc::strong_count(&picture.0) == 1);
        match free {
            Some(index) => Ok(self.earlier.swap_remove(index)),
            None => Picture::create(commands, self.size()),
        }
    }

    /// Puts the front into an exchange.
    pub(crate) fn publish(&self, exchange: &FrameExchange, presents: u64) -> bool {
        let (width, height) = self.size();
        let Some(picture) = self.front.clone() else { return exchange.empty() };
        let mut place = exchange.place();
        if place.as_ref().is_some_and(|shown| Arc::ptr_eq(&shown.picture.0, &picture.0)) {
            return false;
        }
        *place = Some(FrameTexture { frame: Frame { presents, width, height }, picture });
        true
    }
}

/// A frame as a texture of the host's device. The backend doesn't draw to it while there are clones of this.
#[derive(Clone, Debug)]
pub struct FrameTexture {
    /// The frame's number and size.
    pub frame: Frame,
    picture: Picture,
}

impl FrameTexture {
    /// Returns the texture, of `Rgba8Unorm` with one level, to sample or to copy from. Its commands are in the queue.
    pub fn texture(&self) -> &Texture {
        &self.picture.0.0
    }
}

/// Passes frames to the host's renderer, on any thread.
#[derive(Clone, Debug, Default)]
pub struct FrameExchange(Arc<Mutex<Option<FrameTexture>>>);

impl FrameExchange {
    /// Returns the frame that was published last. The host keeps it as long as it draws it.
    pub fn frame(&self) -> Option<FrameTexture> {
        self.place().clone()
    }

    fn place(&self) -> MutexGuard<'_, Option<FrameTexture>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the frame. True if there was one.
    pub(crate) fn empty(&self) -> bool {
        self.place().take().is_some()
    }
}
