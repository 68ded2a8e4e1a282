//! Decoded texels of asynchronous uploads, and the queued events of these uploads.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Error;
use crate::executor::PoolJob;
use crate::packets::TexelLayout;
use crate::resource::TextureEvent;

/// One mip level of one face of a texture.
#[derive(Clone, Copy)]
pub(crate) struct Subresource {
    pub(crate) side: u8,
    pub(crate) level: u8,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) layout: TexelLayout,
}

/// Decoded mip levels of a texture.
#[derive(Default)]
pub(crate) struct MipDecoder<'a> {
    pub(crate) levels: Vec<(Subresource, Cow<'a, [u8]>)>,
    /// A log message about the decoding, which the VM's thread writes.
    pub(crate) summary: Option<String>,
}

impl MipDecoder<'_> {
    pub(crate) fn into_owned(self) -> MipDecoder<'static> {
        let levels = self.levels.into_iter();
        let levels = levels.map(|(dest, data)| (dest, Cow::Owned(data.into_owned()))).collect();
        MipDecoder { levels, summary: self.summary }
    }
}

/// The job of an upload that an executor decodes.
pub(crate) type UploadJob = Arc<PoolJob<Result<MipDecoder<'static>, Error>>>;

/// The event of an upload whose texels may not be decoded or passed to the backend yet.
#[derive(Clone)]
pub(crate) struct QueuedEvent {
    pub(crate) event: TextureEvent,
    pub(crate) job: Option<UploadJob>,
}

impl QueuedEvent {
    /// Returns whether the texels are decoded and can be passed to the backend now.
    pub(crate) fn is_ready(&self, background: bool) -> bool {
        self.job.as_ref().is_none_or(|job| !background && job.is_ended())
    }
}
