//! Events of asynchronous uploads, for the host to dispatch.

use crate::backend::{Backend, BackendError};
use crate::context::Context3D;
use crate::decoded::{QueuedEvent, UploadJob};
use crate::error::{CheckError, Error, ErrorCode, FlashError};
use crate::handle::{ObjectHandle, TextureKey};
use crate::resource::{TextureEvent, UploadState};

/// The error event of a texture that is disposed during an asynchronous upload; `None` for no event. A trace of a beta
/// of AIR on Android contains 3677, which was reported as a bug [context3d.upload.async_disposed].
const DISPOSED_WHILE_UPLOADING: Option<ErrorCode> = None;

impl<B: Backend> Context3D<B> {
    /// Returns the number of events to dispatch. Call this at the end of a frame, and take at most the returned number
    /// of events: a handler may start the next upload, whose event belongs to the next frame. An upload that is not
    /// decoded yet delays the events after it.
    pub fn texture_events_waiting(&self) -> usize {
        let ready = |queued: &&QueuedEvent| queued.is_ready(self.host.background);
        self.texture_events.iter().take_while(ready).count()
    }

    /// Returns the number of all queued events, including those of uploads that are being decoded.
    pub(crate) fn texture_events_queued(&self) -> usize {
        self.texture_events.len()
    }

    /// Takes the next event to dispatch, and passes its texels to the backend if an [executor](crate::Executor) decoded
    /// them. At the end of each frame, take the [waiting](Context3D::texture_events_waiting) events, which are in the
    /// order of the uploads. Each texture has at most one event.
    pub fn take_texture_event(&mut self) -> Option<TextureEvent> {
        let ready = self.texture_events.front()?.is_ready(self.host.background);
        ready.then(|| self.take_texture_event_at(0)).flatten()
    }

    /// Takes the event of one texture, for a host that replays a recording. Waits until the texels are decoded.
    pub fn take_texture_event_of(
        &mut self,
        texture: ObjectHandle<TextureKey>,
    ) -> Option<TextureEvent> {
        let of = |queued: &QueuedEvent| queued.event.texture == texture;
        let waiting = self.texture_events.iter().position(of);
        self.take_texture_event_at(waiting?)
    }

    fn take_texture_event_at(&mut self, index: usize) -> Option<TextureEvent> {
        if let Err(error) = self.end_upload(index) {
            drop(self.call_error(error));
        }
        let mut event = self.texture_events.remove(index)?.event;
        if self.resources.textures.contains_key(event.texture.key()) {
            event.user_data = self.user_data(event.texture);
        }
        if let Some(texture) = self.resources.textures.get_mut(event.texture.key()) {
            texture.upload = UploadState::None;
            self.invalidate_all();
        }
        Some(event)
    }

    /// Queues the event of a finished asynchronous upload.
    pub(crate) fn queue_result(&mut self, key: TextureKey, uploaded: bool) {
        let error = (!uploaded).then(|| self.event_error(ErrorCode::UploadFailed));
        self.queue_event(key, error, None);
    }

    /// Queues the event of an upload that a job is decoding.
    pub(crate) fn queue_job(&mut self, key: TextureKey, job: UploadJob) {
        self.queue_event(key, None, Some(job));
    }

    fn queue_event(&mut self, key: TextureKey, error: Option<FlashError>, job: Option<UploadJob>) {
        let event = TextureEvent { texture: self.handle(key), user_data: 0, error };
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.upload = UploadState::Running;
            self.texture_events.push_back(QueuedEvent { event, job });
        }
    }

    fn event_error(&self, code: ErrorCode) -> FlashError {
        let mut error = CheckError::new(code).into();
        self.host.apply_wording(&mut error);
        error
    }

    /// Passes the texels of an upload to the backend, if this was not done before. Waits until the texels are decoded.
    ///
    /// # Errors
    /// [`BackendError::Lost`]; other failures become the event's error.
    fn end_upload(&mut self, index: usize) -> Result<(), Error> {
        let Some(queued) = self.texture_events.get_mut(index) else { return Ok(()) };
        let Some(job) = queued.job.take() else { return Ok(()) };
        let key = queued.event.texture.key();
        let error = match job.wait().as_deref() {
            Some(Ok(decoded)) => match self.upload_decoded(key, decoded) {
                Ok(()) => return Ok(()),
                Err(error @ Error::Backend(BackendError::Lost)) => return Err(error),
                Err(error) => error.to_string(),
            },
            Some(Err(error)) => error.to_string(),
            None => "its decoder panicked".to_owned(),
        };
        let event = self.event_error(ErrorCode::UploadFailed);
        if let Some(queued) = self.texture_events.get_mut(index) {
            queued.event.error = Some(event);
        }
        log::warn!("Stage3D: an asynchronous upload failed: {error}");
        Ok(())
    }

    /// Completes the upload into a texture, before a call that replaces its content or draws over it
    /// [context3d.upload.async_busy].
    pub(crate) fn finish_upload(&mut self, key: TextureKey) -> Result<(), Error> {
        let of = |queued: &QueuedEvent| queued.event.texture.key() == key;
        let index = self.texture_events.iter().position(of);
        index.map_or(Ok(()), |index| self.end_upload(index))
    }

    /// Completes the upload into a texture, and returns the texture's key.
    pub(crate) fn finished(
        &mut self,
        texture: ObjectHandle<TextureKey>,
    ) -> Result<TextureKey, Error> {
        let key = self.own(texture);
        self.finish_upload(key)?;
        Ok(key)
    }

    /// Completes the uploads whose texels are decoded, at `present`.
    pub(crate) fn end_uploads(&mut self) -> Result<(), Error> {
        for index in 0..self.texture_events.len() {
            let Some(queued) = self.texture_events.get(index) else { break };
            let (key, ready) = (queued.event.texture.key(), queued.is_ready(false));
            if ready {
                self.end_upload(index)?;
                if let Some(texture) = self.resources.textures.get_mut(key) {
                    texture.upload = UploadState::Finished;
                }
            }
        }
        Ok(())
    }

    /// Removes or replaces the event of a texture that is about to be disposed.
    pub(crate) fn withdraw_event(&mut self, texture: ObjectHandle<TextureKey>) {
        let user_data = self.user_data(texture);
        let running = self.resources.textures.get(texture.key());
        let running = running.is_some_and(|texture| texture.upload == UploadState::Running);
        let error = DISPOSED_WHILE_UPLOADING.filter(|_| running);
        let error = error.map(|code| self.event_error(code));
        self.texture_events.retain_mut(|QueuedEvent { event, job }| {
            if event.texture == texture {
                *job = None;
                (event.user_data, event.error) = (user_data, error.clone());
            }
            event.texture != texture || error.is_some()
        });
    }
}
