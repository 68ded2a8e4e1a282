//! Uploads of ATF files (`atf/REFERENCE.md`) and of compressed blocks.

use crate::backend::{Backend, BackendCaps};
use crate::context::Context3D;
use crate::decoded::{MipDecoder, Subresource, UploadJob};
use crate::entry::uploads::{NO_UPLOADS, destination};
use crate::entry::{accepted, non_null};
use crate::enums::{BlockFormat, EnumArg, TextureFormat};
use crate::error::{Error, ErrorCode};
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{TexelLayout, TextureKind};
use crate::pixels::opaque;
use crate::resource::{TextureState, alive};
use atf::{Atf, AtfError, LevelData, LevelImage, UploadFormat, convert};

/// The upload of an ATF file whose mip levels are decoded, or are being decoded by a job.
enum AtfUpload<'a> {
    Here(MipDecoder<'a>),
    Elsewhere(UploadJob),
}

impl<B: Backend> Context3D<B> {
    /// Decodes all mip levels before the first upload, so that a damaged file doesn't change the texture.
    pub(crate) fn texture_upload_compressed_from_byte_array_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        is_async: bool,
    ) -> Result<(), Error> {
        let key = if is_async { self.own(texture) } else { self.finished(texture)? };
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        // In ActionScript, `RectangleTexture` and `VideoTexture` have no method for compressed uploads.
        if texture.video || texture.desc.kind == TextureKind::Rectangle {
            return Err(NO_UPLOADS.into());
        }
        if is_async {
            self.check_idle(key)?;
        }
        let data = usize::try_from(offset).ok().and_then(|offset| data.get(offset..));
        let atf = Atf::open(data.ok_or(ErrorCode::BadInputSize)?)?;
        check(&atf, texture, self.options.swf_version)?;
        let decoded = self.decode_atf(key, atf, is_async);
        let uploaded = decoded.and_then(|decoded| match decoded {
            AtfUpload::Here(decoded) => self.upload_decoded(key, &decoded).map(|()| None),
            AtfUpload::Elsewhere(job) => Ok(Some(job)),
        });
        match uploaded {
            Ok(Some(job)) => self.queue_job(key, job),
            Ok(None) if is_async => self.queue_result(key, true),
            Ok(None) => {}
            // Flash decodes after the call has returned, and an event reports errors past the header.
            Err(Error::Flash(_)) if is_async => self.queue_result(key, false),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Decodes an ATF file, or starts a job that decodes it.
    fn decode_atf<'a>(
        &self,
        key: TextureKey,
        atf: Atf<'a>,
        is_async: bool,
    ) -> Result<AtfUpload<'a>, Error> {
        let texture = alive(&self.resources.textures, key)?;
        let images = atf.images().collect::<Result<Vec<_>, AtfError>>()?;
        let layout = layout(&images, texture, self.backend.caps());
        let logged = log::log_enabled!(log::Level::Debug);
        if is_async && !images.iter().all(|image| image.is_stored(layout)) {
            let dests = images.iter().map(|image| level(image, layout));
            if let Some(room) = self.reserve_job(key, dests, atf.bytes().len()) {
                let bytes = atf.bytes().to_vec();
                return Ok(AtfUpload::Elsewhere(room.start(move || {
                    let atf = Atf::open(&bytes)?;
                    let images = atf.images().collect::<Result<Vec<_>, AtfError>>()?;
                    Ok(decode(&atf, &images, layout, logged)?.into_owned())
                })));
            }
        }
        Ok(AtfUpload::Here(decode(&atf, &images, layout, logged)?))
    }

    /// Uploads compressed blocks like a mip level of an ATF file, in the layout of the texture's first upload. If this
    /// is the first upload, the layout is a block layout if the device supports it.
    pub(crate) fn texture_upload_blocks_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        data: Option<&[u8]>,
        format: EnumArg<'_, BlockFormat>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.finished(texture)?;
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        let blocks = TexelLayout::from(accepted(format, &"format")?);
        if texture.desc.kind == TextureKind::Rectangle {
            return Err(NO_UPLOADS.into());
        }
        let caps = self.backend.caps();
        let mut dest = destination(texture, side, level, caps)?;
        if !texture.desc.format.blocks().contains(&blocks) {
            return Err(ErrorCode::FormatMismatch.into());
        }
        let best = if caps.supports(blocks) { blocks } else { TexelLayout::Bgra8 };
        dest.layout = texture.stored_layout().unwrap_or(best);
        let (width, height) = dest.size();
        if data.len() != blocks.bytes(width, height) {
            return Err(ErrorCode::BadInputSize.into());
        }
        if dest.layout == blocks {
            return self.emit_texels(key, dest, data);
        }
        let ignores_alpha = texture.desc.format.ignores_alpha();
        let mut bgra = blocks.decode_blocks(width, height, data).ok_or(ErrorCode::BadInputSize)?;
        if ignores_alpha {
            opaque(&mut bgra);
        }
        let mut texels = Vec::new();
        convert(&bgra, (width, height), dest.layout, &mut texels);
        self.emit_texels(key, dest, &texels)
    }
}

/// Returns the Flash error: 3669 for too little data, 3677 for data that can't be decoded. No source shows the error
/// for data that isn't ATF [atf.header.signature].
impl From<AtfError> for Error {
    fn from(error: AtfError) -> Self {
        match error {
            AtfError::Truncated { .. } => ErrorCode::BadInputSize.into(),
            AtfError::Unsupported(_) => Error::Unsupported(format!("ATF: {error}")),
            AtfError::NotAtf
            | AtfError::Version(_)
            | AtfError::Format(_)
            | AtfError::Header { .. }
            | AtfError::Overrun { .. }
            | AtfError::Invalid(_) => ErrorCode::DecodingFailed.into(),
        }
    }
}

/// Checks an ATF file against a texture, in Flash's order.
fn check(atf: &Atf<'_>, texture: &TextureState, swf_version: u32) -> Result<(), Error> {
    let header = atf.header();
    if header.swf_version() > swf_version {
        return Err(ErrorCode::DecodingFailed.into());
    }
    if header.cube && header.width != header.height {
        return Err(ErrorCode::NotSquare.into());
    }
    // Flash checks the size before the format and the cube flag (source: Flash Player's output in Ruffle's tests).
    if (header.width, header.height) != (texture.desc.width, texture.desc.height) {
        return Err(ErrorCode::SizeMismatch.into());
    }
    if header.cube != (texture.desc.kind == TextureKind::Cube)
        || TextureFormat::from(header.format.texture()) != texture.desc.format
    {
        return Err(ErrorCode::FormatMismatch.into());
    }
    if header.count > texture.desc.levels {
        return Err(ErrorCode::MipLevel.into());
    }
    // Flash checks the length before it decodes ("less than the amount of data required").
    Ok(atf.check_length()?)
}

/// Returns the layout of the texture's first upload, or the best layout for the device.
fn layout(images: &[LevelImage<'_>], texture: &TextureState, caps: &BackendCaps) -> TexelLayout {
    let best = || {
        let mut formats = images.iter();
        let best = formats.find_map(|image| image.upload_format(|layout| caps.supports(layout)));
        best.map(|format| format.layout)
    };
    // If no encoding can be decoded, decoding returns the reason later.
    texture.stored_layout().or_else(best).unwrap_or(texture.upload_layout(caps))
}

/// Returns the texture's subresource for an image of the file.
fn level(image: &LevelImage<'_>, layout: TexelLayout) -> Subresource {
    let &LevelImage { side, level, width, height, .. } = image;
    Subresource { side, level, width, height, layout }
}

/// Decodes all images of the file that have data. Doesn't log, because it may run on any thread.
fn decode<'a>(
    atf: &Atf<'a>,
    images: &[LevelImage<'a>],
    layout: TexelLayout,
    logged: bool,
) -> Result<MipDecoder<'a>, AtfError> {
    let mut decoded = MipDecoder::default();
    let mut used = Vec::new();
    for image in images {
        if let Some(LevelData { format, data }) = image.read(layout)? {
            decoded.levels.push((level(image, layout), data));
            if !used.contains(&format) {
                used.push(format);
            }
        }
    }
    decoded.summary = logged.then(|| summary(atf, images.first(), &used));
    Ok(decoded)
}

/// Describes the file's encodings and the layouts of the uploads, for the log.
fn summary(atf: &Atf<'_>, image: Option<&LevelImage<'_>>, used: &[UploadFormat]) -> String {
    let header = atf.header();
    let encodings = image.into_iter().flat_map(LevelImage::encodings);
    let names: Vec<_> = encodings.map(|(encoding, _)| encoding.name()).collect();
    let used: Vec<_> = used.iter().map(UploadFormat::to_string).collect();
    format!(
        "ATF version {}, {}, {}×{}, {} levels, has {}; uploaded: {}",
        header.version,
        header.format.title(),
        header.width,
        header.height,
        header.levels(),
        listed(&names),
        listed(&used),
    )
}

fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join("; ") }
}
