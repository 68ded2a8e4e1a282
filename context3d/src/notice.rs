//! Events that the host dispatches: what asynchronous uploads end with.

use crate::backend::Backend;
use crate::context::Context3D;
use crate::error::{ErrorCode, Fault, FlashError};
use crate::keys::{Handle, TextureKey};
use crate::resource::Upload;

/// An event of a texture.
///
/// The library has no threads: an asynchronous upload is carried out in its call. To the program it still runs, as in
/// Flash: until the next `present` or until the host takes the notice, a draw with the texture is one with an
/// incomplete texture (3700), and until the host takes the notice another asynchronous upload into it is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Dispatch `textureReady`.
    TextureReady(Handle<TextureKey>),
    /// Dispatch `error` with this number (3790).
    UploadFailed(Handle<TextureKey>, FlashError),
}

impl Notice {
    /// The texture that dispatches it.
    pub fn texture(&self) -> Handle<TextureKey> {
        match self {
            Notice::TextureReady(texture) | Notice::UploadFailed(texture, _) => *texture,
        }
    }
}

impl<B: Backend> Context3D<B> {
    /// The next event to dispatch. To be asked until there is none, once a frame at least; events of one frame are in the
    /// order of the uploads. There is at most one for each texture that is alive.
    pub fn take_notice(&mut self) -> Option<Notice> {
        let notice = self.notices.pop_front()?;
        if let Some(texture) = self.resources.textures.get_mut(notice.texture().key()) {
            texture.upload = Upload::None;
        }
        Some(notice)
    }

    /// An asynchronous upload has begun and come to its end.
    pub(crate) fn announce(&mut self, key: TextureKey, uploaded: bool) {
        let handle = self.handle(key);
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.upload = Upload::Running;
            self.notices.push_back(if uploaded {
                Notice::TextureReady(handle)
            } else {
                Notice::UploadFailed(handle, Fault::new(ErrorCode::UploadFailed).into())
            });
        }
    }

    /// A frame later: what was uploaded is there.
    pub(crate) fn end_uploads(&mut self) {
        for notice in &self.notices {
            if let Some(texture) = self.resources.textures.get_mut(notice.texture().key()) {
                texture.upload = Upload::Announced;
            }
        }
    }

    /// A disposed texture dispatches nothing.
    pub(crate) fn withdraw_notice(&mut self, key: TextureKey) {
        self.notices.retain(|notice| notice.texture().key() != key);
    }
}
