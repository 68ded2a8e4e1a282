//! `VideoTexture`: attaching videos, setting their frames, and their events.

use super::{HostEvent, Native, NativeResult};
use crate::backend::Backend;
use crate::command::Invocation;
use crate::error::Error;
use crate::handle::{ObjectHandle, TextureKey};
use crate::video_frame::VideoFrame;

/// Status of a video in the event `renderState` [context3d.video.render_state].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderState {
    /// Hardware decodes and shows the video.
    Accelerated,
    /// Software decodes the video.
    Software,
    /// The video can't be shown.
    Unavailable,
}

impl RenderState {
    /// Returns the `status` string of the event.
    pub fn name(self) -> &'static str {
        match self {
            RenderState::Accelerated => "accelerated",
            RenderState::Software => "software",
            RenderState::Unavailable => "unavailable",
        }
    }
}

impl<B: Backend> Native<B> {
    /// Returns the texture handle, or [`Error::Unsupported`] if the object is not a texture.
    fn texture(&self) -> Result<ObjectHandle<TextureKey>, Error> {
        let texture = self.object.and_then(|object| ObjectHandle::try_from(object).ok());
        texture.ok_or_else(|| {
            Error::Unsupported("a video frame for an object that is not a texture".to_owned())
        })
    }

    /// Checks that the host can attach a video to this object [context3d.video.attach].
    pub(super) fn attach(&self) -> Result<NativeResult<B>, Error> {
        let texture = self.texture()?;
        if let Some(context) = &self.context {
            context.enter()?.video_size(texture)?;
        }
        Ok(NativeResult::Attach)
    }

    /// Sets the next frame of this `VideoTexture`, and records the frame as BGRA. Returns the event to dispatch,
    /// `textureReady` [context3d.video.frames].
    ///
    /// # Errors
    /// Those of [`Native::host_call`]; 2015 if the memory of a plane is too small.
    pub fn video_frame(&self, frame: &VideoFrame<'_>) -> Result<Option<HostEvent<B>>, Error> {
        let texture = self.texture()?;
        let mut bytes = self.player.frame_bytes.take();
        let source = frame.to_bitmap(&mut bytes);
        let event = self.host_call(&Invocation::VideoTextureFrame { texture, source });
        self.player.frame_bytes.set(bytes);
        event
    }

    /// Returns the event `renderState` of this `VideoTexture`, to dispatch when the video begins to play and when its
    /// state changes.
    pub fn render_state(&self, state: RenderState) -> HostEvent<B> {
        HostEvent { render_state: Some(state), ..HostEvent::new("renderState", Some(self.number)) }
    }
}
