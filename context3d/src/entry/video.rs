//! `VideoTexture` [context3d.video.frames]: the host supplies its frames.

use std::borrow::Cow;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::uploads::{append_row, is_plain, pixels};
use crate::error::{Error, ErrorCode};
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{Packet, TexelLayout, TextureDesc};
use crate::pixels::Bitmap;
use crate::resource::{TextureState, alive};

/// The error if a host, but never ActionScript, passes a video frame to a texture that isn't a `VideoTexture`.
const NO_VIDEO: ErrorCode = ErrorCode::InvalidParameter;

impl<B: Backend> Context3D<B> {
    /// Creates a video texture ("May return null; at most 4."). Returns null if video textures are not supported;
    /// raises 3691 beyond four [context3d.limit.video_error].
    pub(crate) fn create_video_texture_impl(
        &mut self,
    ) -> Result<Option<ObjectHandle<TextureKey>>, Error> {
        if !self.host.video_textures {
            return Ok(None);
        }
        self.collect_released()?;
        let videos = &mut self.resources.memory.videos;
        if *videos >= self.limits.video_textures {
            return Err(ErrorCode::ResourceLimit.into());
        }
        *videos += 1;
        let key = self.resources.textures.insert(TextureState::video());
        Ok(Some(self.handle(key)))
    }

    /// Uploads a video frame, and resizes the texture to the frame's size.
    pub(crate) fn video_texture_frame_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        source: Bitmap<'_>,
    ) -> Result<(), Error> {
        let key = self.own(texture);
        let texture = alive(&self.resources.textures, key)?;
        if !texture.video {
            return Err(NO_VIDEO.into());
        }
        let pixels = pixels(&source)?;
        let (width, height) = (source.width, source.height);
        if width.max(height) > self.backend.caps().max_texture_size {
            return Err(ErrorCode::TextureFailed.into());
        }
        if (texture.desc.width, texture.desc.height) != (width, height) {
            self.resize_video(key, width, height)?;
        }
        let mut opaque = std::mem::take(&mut self.scratch);
        opaque.clear();
        if !is_plain(&source) {
            (0..height).for_each(|row| append_row(&source, pixels, row, width, &mut opaque));
        }
        let shown = self.emit(Packet::UploadTexture {
            key,
            side: 0,
            level: 0,
            layout: TexelLayout::Bgra8,
            data: Cow::Borrowed(if is_plain(&source) { pixels } else { &opaque }),
        });
        self.keep_scratch(opaque);
        shown?;
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.set_level(0, 0);
        }
        Ok(())
    }

    /// Creates the device texture again with another size. If the device fails, the video texture has no video frame.
    fn resize_video(&mut self, key: TextureKey, width: u32, height: u32) -> Result<(), Error> {
        let Some(texture) = self.resources.textures.get_mut(key) else {
            return Err(ErrorCode::Disposed.into());
        };
        let old = std::mem::replace(texture, TextureState::video());
        if old.on_device() {
            self.emit(Packet::DisposeTexture(key))?;
        }
        let desc = TextureDesc { width, height, ..old.desc };
        self.emit(Packet::CreateTexture { key, desc })?;
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.desc = desc;
        }
        Ok(())
    }
}
