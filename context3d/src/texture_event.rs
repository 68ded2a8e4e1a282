//! Events for the host to dispatch: results of asynchronous uploads.

use crate::backend::Backend;
use crate::context::Context3D;
use crate::error::{CheckError, ErrorCode, FlashError};
use crate::handle::{Handle, TextureKey};
use crate::resource::{TextureEvent, Upload};

/// The error of the event of a texture that is disposed while it is uploaded; `None`: it has no event. A trace has 3677,
/// of a beta of AIR on Android, where it was reported as a fault [context3d.upload.async_disposed].
const DISPOSED_WHILE_UPLOADING: Option<ErrorCode> = None;

impl<B: Backend> Context3D<B> {
    /// Returns the number of events to dispatch. Ask at the end of a frame, and take so many at most: the handler of an
    /// event may start the next upload, whose event belongs to the next frame.
    pub fn texture_events_waiting(&self) -> usize {
        self.texture_events.len()
    }

    /// Takes the next event to dispatch. At the end of each frame, take the
    /// [waiting](Context3D::texture_events_waiting) ones; they are in the order of the uploads. There is at most one for
    /// each texture that is not disposed.
    pub fn take_texture_event(&mut self) -> Option<TextureEvent> {
        self.take_texture_event_at(0)
    }

    /// Takes the event of one texture, for a host that replays a recording.
    pub fn take_texture_event_of(&mut self, texture: Handle<TextureKey>) -> Option<TextureEvent> {
        let waiting = self.texture_events.iter().position(|event| event.texture == texture);
        self.take_texture_event_at(waiting?)
    }

    fn take_texture_event_at(&mut self, index: usize) -> Option<TextureEvent> {
        let mut event = self.texture_events.remove(index)?;
        if self.resources.textures.contains_key(event.texture.key()) {
            event.user_data = self.user_data(event.texture);
        }
        if let Some(texture) = self.resources.textures.get_mut(event.texture.key()) {
            texture.upload = Upload::None;
            self.invalidate_all();
        }
        Some(event)
    }

    /// Records the result of an asynchronous upload.
    pub(crate) fn announce(&mut self, key: TextureKey, uploaded: bool) {
        let handle = self.handle(key);
        let error = (!uploaded).then(|| self.worded_event(ErrorCode::UploadFailed));
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.upload = Upload::Running;
            self.texture_events.push_back(TextureEvent { texture: handle, user_data: 0, error });
        }
    }

    fn worded_event(&self, code: ErrorCode) -> FlashError {
        let mut error = CheckError::new(code).into();
        self.host.word(&mut error);
        error
    }

    /// Called at `present`: uploaded textures become usable.
    pub(crate) fn end_uploads(&mut self) {
        for event in &self.texture_events {
            if let Some(texture) = self.resources.textures.get_mut(event.texture.key()) {
                texture.upload = Upload::Announced;
            }
        }
    }

    /// Removes or changes the event of a texture before it is disposed.
    pub(crate) fn withdraw_event(&mut self, texture: Handle<TextureKey>) {
        let user_data = self.user_data(texture);
        let running = self.resources.textures.get(texture.key());
        let running = running.is_some_and(|texture| texture.upload == Upload::Running);
        let error = DISPOSED_WHILE_UPLOADING.filter(|_| running);
        let error = error.map(|code| self.worded_event(code));
        self.texture_events.retain_mut(|event| {
            if event.texture == texture {
                (event.user_data, event.error) = (user_data, error.clone());
            }
            event.texture != texture || error.is_some()
        });
    }
}
