//! Texels from bitmaps, byte arrays and ATF (`textures-and-atf.md`).

use std::borrow::Cow;

use crate::backend::{Backend, BackendError};
use crate::command::Bitmap;
use crate::context::Context3D;
use crate::entry::buffers::bytes_at;
use crate::entry::non_null;
use crate::error::{Error, ErrorClass, ErrorCode, Fault};
use crate::keys::TextureKey;
use crate::packet::{Packet, TexelLayout};
use crate::resource::{Texture, Upload, alive};
use atf::convert;

/// Bytes of a BitmapData's pixel.
const PIXEL: usize = 4;

/// One level of one face of a texture.
#[derive(Clone, Copy)]
pub(super) struct Place {
    side: u8,
    level: u8,
    width: u32,
    height: u32,
    pub(super) layout: TexelLayout,
}

/// What a second asynchronous upload raises while one runs: an Error, the reference says, without its number
/// (textures-and-atf.md, "Uploads").
const STILL_UPLOADING: ErrorCode = ErrorCode::InvalidParameter;

/// What an upload into a video texture raises: in ActionScript it has no such method.
pub(super) const NO_UPLOADS: ErrorCode = ErrorCode::InvalidParameter;

/// Where an upload goes, or 3673 and 3674.
pub(super) fn place(texture: &Texture, side: Option<u32>, level: u32) -> Result<Place, ErrorCode> {
    if texture.video {
        return Err(NO_UPLOADS);
    }
    let side = u8::try_from(side.unwrap_or(0))
        .ok()
        .filter(|side| *side < texture.faces());
    let side = side.ok_or(ErrorCode::CubeSide)?;
    let level = u8::try_from(level)
        .ok()
        .filter(|level| *level < texture.desc.levels);
    let level = level.ok_or(ErrorCode::MipLevel)?;
    let (width, height) = texture.level_size(level);
    Ok(Place {
        side,
        level,
        width,
        height,
        layout: texture.upload_layout(),
    })
}

/// The pixels of a living BitmapData, or 2015.
pub(super) fn pixels<'a>(bitmap: &Bitmap<'a>) -> Result<&'a [u8], ErrorCode> {
    let bytes = (bitmap.width as usize)
        .checked_mul(bitmap.height as usize)
        .and_then(|pixels| pixels.checked_mul(PIXEL));
    let pixels = bitmap
        .bgra
        .filter(|bgra| Some(bgra.len()) == bytes && !bgra.is_empty());
    pixels.ok_or(ErrorCode::InvalidBitmapData)
}

/// A bitmap as a level of another size: a smaller one fills the upper left corner and the rest is black with alpha 0
/// (player image; the alpha is assumed), of a larger one that corner is taken (unverified).
fn fit(bitmap: &Bitmap<'_>, pixels: &[u8], place: Place, out: &mut Vec<u8>) {
    let (row, wanted) = (bitmap.width as usize * PIXEL, place.width as usize * PIXEL);
    let rows = pixels
        .chunks_exact(row.max(1))
        .map(Some)
        .chain(std::iter::repeat(None));
    for pixels in rows.take(place.height as usize) {
        let taken = pixels
            .and_then(|pixels| pixels.get(..wanted.min(row)))
            .unwrap_or_default();
        out.extend_from_slice(taken);
        out.resize(out.len() + wanted - taken.len(), 0);
    }
}

impl<B: Backend> Context3D<B> {
    pub(super) fn upload_bitmap(
        &mut self,
        key: TextureKey,
        source: Option<Bitmap<'_>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let source = non_null(source, "source")?;
        let place = place(texture, side, level)?;
        self.check_compressible(texture)?;
        let pixels = pixels(&source)?;
        // The reference asks a cube's bitmap to be square and exact, as it asks every bitmap to be exact
        // (textures-and-atf.md, "Uploads"). Real programs give all levels a bitmap of level 0's size (capture
        // demo_away3dtut_materials-basic-skybox-Basic-SkyBox), so a cube takes what other textures take.
        if (source.width, source.height) == (place.width, place.height)
            && place.layout == TexelLayout::Bgra8
        {
            return self.emit_texels(key, place, pixels);
        }
        let mut fitted = std::mem::take(&mut self.scratch);
        fitted.clear();
        fit(&source, pixels, place, &mut fitted);
        let done = if place.layout == TexelLayout::Bgra8 {
            self.emit_texels(key, place, &fitted)
        } else {
            let mut converted = Vec::new();
            convert(
                &fitted,
                (place.width, place.height),
                place.layout,
                &mut converted,
            );
            self.emit_texels(key, place, &converted)
        };
        self.keep_scratch(fitted);
        done
    }

    pub(super) fn upload_texels(
        &mut self,
        key: TextureKey,
        data: Option<&[u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, "data")?;
        let place = place(texture, side, level)?;
        self.check_compressible(texture)?;
        let given = texture.desc.format.layout();
        let bytes = given.bytes(place.width, place.height);
        let data = bytes_at(data, i64::from(offset), bytes)?;
        if given == place.layout {
            return self.emit_texels(key, place, data);
        }
        // The texture has blocks from an ATF file already; Flash compresses at run time too.
        let mut blocks = Vec::new();
        convert(data, (place.width, place.height), place.layout, &mut blocks);
        self.emit_texels(key, place, &blocks)
    }

    /// 3675 where plain texels would have to be compressed and can't.
    fn check_compressible(&self, texture: &Texture) -> Result<(), ErrorCode> {
        if texture.desc.format.is_compressed() && !self.host.runtime_compression {
            return Err(ErrorCode::FormatMismatch);
        }
        Ok(())
    }

    /// 3694, or what a second asynchronous upload raises.
    pub(super) fn check_idle(&self, key: TextureKey) -> Result<(), Fault> {
        let texture = self.resources.textures.get(key);
        match texture.map(|texture| texture.upload) {
            None => Err(Fault::new(ErrorCode::Disposed)),
            Some(Upload::None) => Ok(()),
            // The class is said to be Error.
            Some(_) => Err(Fault::new(STILL_UPLOADING).as_class(ErrorClass::Error)),
        }
    }

    /// An asynchronous upload. Arguments are checked at once; what goes wrong with the device is told later.
    pub(super) fn upload_later(
        &mut self,
        key: TextureKey,
        data: Option<()>,
        parameter: &'static str,
        level: u32,
        upload: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !self.resources.textures.contains_key(key) {
            return Err(ErrorCode::Disposed.into());
        }
        non_null(data, parameter)?;
        if level != 0 {
            return Err(ErrorCode::AsyncLevel.into());
        }
        self.check_idle(key)?;
        let uploaded = upload(self);
        self.end_upload(key, uploaded)
    }

    /// Makes a notice of how an asynchronous upload ended, but for errors of its arguments.
    fn end_upload(&mut self, key: TextureKey, uploaded: Result<(), Error>) -> Result<(), Error> {
        let uploaded = match uploaded {
            Ok(()) => true,
            Err(Error::Flash(error)) if error.number() == ErrorCode::TextureFailed.number() => {
                false
            }
            Err(error) => return Err(error),
        };
        self.announce(key, uploaded);
        Ok(())
    }

    /// Smaller levels follow what was rendered before this upload, not what comes with it.
    fn settle_mips(&mut self, key: TextureKey) -> Result<(), Error> {
        let targets = &self.state.targets;
        let is_target = targets.iter().flatten().any(|slot| slot.texture == key);
        let texture = self.resources.textures.get(key);
        if !is_target
            && texture.is_some_and(|texture| texture.mips_stale && texture.complete(false))
        {
            self.emit(Packet::GenerateMips(key))?;
            if let Some(texture) = self.resources.textures.get_mut(key) {
                texture.mips_made();
            }
        }
        Ok(())
    }

    pub(super) fn emit_texels(
        &mut self,
        key: TextureKey,
        place: Place,
        data: &[u8],
    ) -> Result<(), Error> {
        self.settle_mips(key)?;
        let Place {
            side,
            level,
            layout,
            ..
        } = place;
        let uploaded = self.emit(Packet::UploadTexture {
            key,
            side,
            level,
            layout,
            data: Cow::Borrowed(data),
        });
        uploaded.map_err(|error| match error {
            Error::Backend(BackendError::OutOfMemory) => ErrorCode::TextureFailed.into(),
            error => error,
        })?;
        if let Some(texture) = self.resources.textures.get_mut(key) {
            texture.set_uploaded(side, level, layout);
        }
        Ok(())
    }
}
