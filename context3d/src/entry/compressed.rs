//! Texels from ATF files (`atf/REFERENCE.md`).

use crate::backend::{Backend, BackendCaps};
use crate::context::Context3D;
use crate::decoded::{Decoded, Subresource, UploadJob};
use crate::entry::uploads::{NO_UPLOADS, place};
use crate::entry::{accepted, non_null};
use crate::enums::{BlockFormat, Name, TextureFormat};
use crate::error::{Error, ErrorCode};
use crate::handle::{Handle, TextureKey};
use crate::packets::{TexelLayout, TextureKind};
use crate::resource::{Texture, alive};
use atf::{Atf, AtfError, Image, Texels, UploadFormat, convert};

/// A file that is decoded, or is being decoded.
enum Begun<'a> {
    Here(Decoded<'a>),
    Elsewhere(UploadJob),
}

impl<B: Backend> Context3D<B> {
    /// Decodes all levels before the first upload, so that a damaged file changes nothing.
    pub(crate) fn texture_upload_compressed_from_byte_array_impl(
        &mut self,
        texture: Handle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        is_async: bool,
    ) -> Result<(), Error> {
        let key = if is_async { self.own(texture) } else { self.settled(texture)? };
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        // Neither class has the method in ActionScript.
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
            Begun::Here(decoded) => self.upload_decoded(key, &decoded).map(|()| None),
            Begun::Elsewhere(job) => Ok(Some(job)),
        });
        match uploaded {
            Ok(Some(job)) => self.announce_job(key, job),
            Ok(None) if is_async => self.announce(key, true),
            Ok(None) => {}
            // Flash decodes after the call has returned: errors past the header are reported by an event.
            Err(Error::Flash(_)) if is_async => self.announce(key, false),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Decodes a file, or begins to.
    fn decode_atf<'a>(
        &self,
        key: TextureKey,
        atf: Atf<'a>,
        is_async: bool,
    ) -> Result<Begun<'a>, Error> {
        let texture = alive(&self.resources.textures, key)?;
        let images = atf.images().collect::<Result<Vec<_>, AtfError>>()?;
        let layout = layout(&images, texture, self.backend.caps());
        let logged = log::log_enabled!(log::Level::Debug);
        if is_async && !images.iter().all(|image| image.is_stored(layout)) {
            let places = images.iter().map(|image| level(image, layout));
            if let Some(room) = self.elsewhere(key, places, atf.bytes().len()) {
                let bytes = atf.bytes().to_vec();
                return Ok(Begun::Elsewhere(room.start(move || {
                    let atf = Atf::open(&bytes)?;
                    let images = atf.images().collect::<Result<Vec<_>, AtfError>>()?;
                    Ok(decode(&atf, &images, layout, logged)?.into_owned())
                })));
            }
        }
        Ok(Begun::Here(decode(&atf, &images, layout, logged)?))
    }

    /// Uploads blocks like a level of an ATF file: in the layout of the texture's first upload, or as blocks if the
    /// device supports them.
    pub(crate) fn texture_upload_blocks_impl(
        &mut self,
        texture: Handle<TextureKey>,
        data: Option<&[u8]>,
        format: Name<'_, BlockFormat>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.settled(texture)?;
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        let blocks = TexelLayout::from(accepted(format, &"format")?);
        if texture.desc.kind == TextureKind::Rectangle {
            return Err(NO_UPLOADS.into());
        }
        let caps = self.backend.caps();
        let mut place = place(texture, side, level, caps)?;
        if !texture.desc.format.blocks().contains(&blocks) {
            return Err(ErrorCode::FormatMismatch.into());
        }
        let best = if caps.takes(blocks) { blocks } else { TexelLayout::Bgra8 };
        place.layout = texture.stored_layout().unwrap_or(best);
        let (width, height) = place.size();
        if data.len() != blocks.bytes(width, height) {
            return Err(ErrorCode::BadInputSize.into());
        }
        if place.layout == blocks {
            return self.emit_texels(key, place, data);
        }
        let opaque = texture.desc.format.ignores_alpha();
        let mut bgra = blocks.decode_blocks(width, height, data).ok_or(ErrorCode::BadInputSize)?;
        if opaque {
            for [_, _, _, alpha] in bgra.as_chunks_mut().0 {
                *alpha = u8::MAX;
            }
        }
        let mut texels = Vec::new();
        convert(&bgra, (width, height), place.layout, &mut texels);
        self.emit_texels(key, place, &texels)
    }
}

/// The error that Flash raises: 3669 for too little data, 3677 for data that can't be decoded. 3677 for data that isn't
/// ATF is open [atf.header.signature].
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

/// Flash's checks of a file against a texture.
fn check(atf: &Atf<'_>, texture: &Texture, swf_version: u32) -> Result<(), Error> {
    let header = atf.header();
    if header.swf_version() > swf_version {
        return Err(ErrorCode::DecodingFailed.into());
    }
    if header.cube && header.width != header.height {
        return Err(ErrorCode::NotSquare.into());
    }
    // Size before format and cube flag (player test).
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
    // Before decoding, as in the reference: "less than the amount of data required".
    Ok(atf.check_length()?)
}

/// Returns the layout of the texture's first upload, or the best one for the device.
fn layout(images: &[Image<'_>], texture: &Texture, caps: &BackendCaps) -> TexelLayout {
    let best = || {
        let mut formats = images.iter();
        let best = formats.find_map(|image| image.upload_format(|layout| caps.takes(layout)));
        best.map(|format| format.layout)
    };
    // If there is no best layout, decoding returns the reason.
    texture.stored_layout().or_else(best).unwrap_or(texture.upload_layout(caps))
}

/// Returns the texture's level of an image; their sizes are equal.
fn level(image: &Image<'_>, layout: TexelLayout) -> Subresource {
    let &Image { side, level, width, height, .. } = image;
    Subresource { side, level, width, height, layout }
}

/// Decodes every level that has data. Runs on any thread, and so logs nothing.
fn decode<'a>(
    atf: &Atf<'a>,
    images: &[Image<'a>],
    layout: TexelLayout,
    logged: bool,
) -> Result<Decoded<'a>, AtfError> {
    let mut decoded = Decoded::default();
    let mut used = Vec::new();
    for image in images {
        if let Some(Texels { format, data }) = image.read(layout)? {
            decoded.levels.push((level(image, layout), data));
            if !used.contains(&format) {
                used.push(format);
            }
        }
    }
    decoded.summary = logged.then(|| summary(atf, images.first(), &used));
    Ok(decoded)
}

/// Describes the file's encodings and the layouts they are uploaded in.
fn summary(atf: &Atf<'_>, image: Option<&Image<'_>>, used: &[UploadFormat]) -> String {
    let header = atf.header();
    let encodings = image.into_iter().flat_map(Image::encodings);
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
