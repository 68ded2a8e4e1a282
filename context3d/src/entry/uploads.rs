//! Texels from bitmaps, byte arrays and ATF (`REFERENCE-textures.md`).

use std::borrow::Cow;

use crate::backend::{Backend, BackendCaps, BackendError};
use crate::context::Context3D;
use crate::decoded::{Decoded, Subresource};
use crate::entry::buffers::bytes_at;
use crate::entry::non_null;
use crate::error::{CheckError, Error, ErrorClass, ErrorCode};
use crate::executor::Room;
use crate::handle::{Handle, TextureKey};
use crate::packets::{Packet, TexelLayout, TextureKind};
use crate::pixels::{Bitmap, HeldBitmap, PIXEL, PixelLayout, opaque};
use crate::resource::{Texture, Upload, Usage, alive};
use atf::convert;

/// Texels of a level, as a program passes them.
enum Given<'a> {
    /// In the level's layout.
    Texels(&'a [u8]),
    /// To convert.
    Bitmap(Bitmap<'a>),
}

impl<'a> Given<'a> {
    /// Takes a bitmap's pixels as they are, if the level needs no conversion.
    fn of(bitmap: Bitmap<'a>, place: Subresource) -> Self {
        match bitmap.pixels {
            Some(pixels)
                if (bitmap.width, bitmap.height) == place.size()
                    && place.layout == TexelLayout::Bgra8
                    && is_plain(&bitmap) =>
            {
                Given::Texels(pixels)
            }
            _ => Given::Bitmap(bitmap),
        }
    }
}

/// Uploads of at most so many texels are always decoded in the call: handing them over takes as long.
const DECODED_AT_ONCE: usize = 64 * 64;

impl Subresource {
    /// Texels.
    pub(super) fn size(self) -> (u32, u32) {
        (self.width, self.height)
    }
}

/// Error of an asynchronous upload while another one runs. The reference says Error, without a number
/// [context3d.error.2004.uploading].
const STILL_UPLOADING: ErrorCode = ErrorCode::InvalidParameter;

/// Error of an upload into a video texture; ActionScript has no such method.
pub(super) const NO_UPLOADS: ErrorCode = ErrorCode::InvalidParameter;

/// The destination of an upload, or 3673 and 3674.
pub(super) fn place(
    texture: &Texture,
    side: Option<u32>,
    level: u32,
    caps: &BackendCaps,
) -> Result<Subresource, ErrorCode> {
    if texture.video {
        return Err(NO_UPLOADS);
    }
    let side = u8::try_from(side.unwrap_or(0)).ok().filter(|side| *side < texture.faces());
    let side = side.ok_or(ErrorCode::CubeSide)?;
    let level = u8::try_from(level).ok().filter(|level| *level < texture.desc.levels);
    let level = level.ok_or(ErrorCode::MipLevel)?;
    let (width, height) = texture.level_size(level);
    Ok(Subresource { side, level, width, height, layout: texture.upload_layout(caps) })
}

/// The pixels of a BitmapData that is not disposed, or 2015.
pub(super) fn pixels<'a>(bitmap: &Bitmap<'a>) -> Result<&'a [u8], ErrorCode> {
    let bytes = bitmap.layout.bytes(bitmap.width, bitmap.height);
    let pixels = bitmap.pixels.filter(|pixels| {
        let enough = match bitmap.layout.stride {
            None => Some(pixels.len()) == bytes,
            Some(_) => bytes.is_some_and(|bytes| pixels.len() >= bytes),
        };
        enough && !pixels.is_empty()
    });
    pixels.ok_or(ErrorCode::InvalidBitmapData)
}

/// Whether the pixels need no conversion: B, G, R, A, premultiplied, with alpha, rows without padding.
pub(super) fn is_plain(bitmap: &Bitmap<'_>) -> bool {
    bitmap.transparent && bitmap.layout == PixelLayout::default()
}

/// Appends a row of the bitmap to `out`, as a row of a level; pixels beyond the bitmap are black with alpha 0. An
/// opaque bitmap's alpha is 1, whatever its pixels contain.
pub(super) fn fit_row(bitmap: &Bitmap<'_>, pixels: &[u8], row: u32, width: u32, out: &mut Vec<u8>) {
    let wanted = width as usize * PIXEL;
    let first = out.len();
    if row < bitmap.height {
        let taken = bitmap.layout.row(pixels, bitmap.width, row);
        out.extend_from_slice(taken.get(..wanted).unwrap_or(taken));
        let taken = out.get_mut(first..).unwrap_or_default();
        if !bitmap.transparent {
            opaque(taken);
        }
        bitmap.layout.import(taken);
    }
    out.resize(first + wanted, 0);
}

/// Converts a bitmap to a level of maybe another size, in the level's layout. A smaller bitmap fills the upper left
/// corner and the rest is black with alpha 0 (player image; the alpha is assumed); a larger one is cropped
/// [context3d.upload.larger_bitmap].
///
/// Works by rows of blocks and encodes the rows below the bitmap once: a small bitmap in a large level costs little
/// time, and no more memory than the level itself.
fn fit(bitmap: &Bitmap<'_>, place: Subresource, out: &mut Vec<u8>) -> Result<(), ErrorCode> {
    out.clear();
    let room = out.try_reserve_exact(place.layout.bytes(place.width, place.height));
    room.map_err(|_| ErrorCode::TextureFailed)?;
    let pixels = bitmap.pixels.unwrap_or_default();
    let mut rows = Vec::new();
    let mut blank = None;
    let step = atf::BLOCK_SIDE as usize;
    for top in (0..place.height).step_by(step) {
        let end = place.height.min(top.saturating_add(atf::BLOCK_SIDE));
        let whole = top >= bitmap.height && end - top == atf::BLOCK_SIDE;
        if let Some(blank) = blank.clone().filter(|_| whole) {
            out.extend_from_within(blank);
            continue;
        }
        rows.clear();
        for row in top..end {
            fit_row(bitmap, pixels, row, place.width, &mut rows);
        }
        let start = out.len();
        convert(&rows, (place.width, end - top), place.layout, out);
        blank = whole.then_some(start..out.len());
    }
    Ok(())
}

/// Copies the rows of a bitmap that a level shows; `None` without memory for them.
fn copied(bitmap: &Bitmap<'_>, place: Subresource) -> Option<HeldBitmap<Vec<u8>>> {
    let &Bitmap { width, transparent, layout, .. } = bitmap;
    let height = bitmap.height.min(place.height);
    let given = bitmap.pixels?.get(..layout.bytes(width, height)?)?;
    let mut pixels = Vec::new();
    pixels.try_reserve_exact(given.len()).ok()?;
    pixels.extend_from_slice(given);
    Some(HeldBitmap { width, height, transparent, layout, pixels: Some(pixels) })
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn texture_upload_from_bitmap_data_impl(
        &mut self,
        texture: Handle<TextureKey>,
        source: Option<Bitmap<'_>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.settled(texture)?;
        let (place, given) = self.given_bitmap(key, source, side, level)?;
        self.upload_given(key, place, given)
    }

    fn given_bitmap<'a>(
        &self,
        key: TextureKey,
        source: Option<Bitmap<'a>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(Subresource, Given<'a>), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let source = non_null(source, &"source")?;
        let place = place(texture, side, level, self.backend.caps())?;
        self.check_compressible(texture)?;
        pixels(&source)?;
        // The reference requires exact bitmaps, and square ones for cubes [context3d.upload.larger_bitmap]. Real
        // programs pass a bitmap of level 0's size for all levels (capture
        // demo_away3dtut_materials-basic-skybox-Basic-SkyBox), so cubes accept what other textures accept.
        Ok((place, Given::of(source, place)))
    }

    pub(crate) fn texture_upload_from_byte_array_impl(
        &mut self,
        texture: Handle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.settled(texture)?;
        let (place, given) = self.given_bytes(key, data, offset, side, level)?;
        self.upload_given(key, place, given)
    }

    fn given_bytes<'a>(
        &self,
        key: TextureKey,
        data: Option<&'a [u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(Subresource, Given<'a>), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        let place = place(texture, side, level, self.backend.caps())?;
        self.check_compressible(texture)?;
        let layout = texture.desc.format.layout();
        let bytes = layout.bytes(place.width, place.height);
        let data = bytes_at(data, i64::from(offset), bytes)?;
        if layout == place.layout {
            return Ok((place, Given::Texels(data)));
        }
        // "Run-time compression": the bytes are those of a bitmap.
        let (width, height) = place.size();
        let layout = PixelLayout::default();
        let bitmap = Bitmap { width, height, transparent: true, pixels: Some(data), layout };
        Ok((place, Given::of(bitmap, place)))
    }

    fn upload_given(
        &mut self,
        key: TextureKey,
        place: Subresource,
        given: Given<'_>,
    ) -> Result<(), Error> {
        let bitmap = match given {
            Given::Texels(data) => return self.emit_texels(key, place, data),
            Given::Bitmap(bitmap) => bitmap,
        };
        let mut fitted = std::mem::take(&mut self.scratch);
        let done = fit(&bitmap, place, &mut fitted).map_err(Error::from);
        let done = done.and_then(|()| self.emit_texels(key, place, &fitted));
        self.keep_scratch(fitted);
        done
    }

    /// 3675 if plain texels would have to be compressed and can't be.
    fn check_compressible(&self, texture: &Texture) -> Result<(), ErrorCode> {
        if texture.desc.format.is_compressed() && !self.host.runtime_compression {
            return Err(ErrorCode::FormatMismatch);
        }
        Ok(())
    }

    /// 3694, or the error of a second asynchronous upload.
    pub(super) fn check_idle(&self, key: TextureKey) -> Result<(), CheckError> {
        let texture = self.resources.textures.get(key);
        match texture.map(|texture| texture.upload) {
            None => Err(CheckError::new(ErrorCode::Disposed)),
            Some(Upload::None) => Ok(()),
            // The reference gives the class Error.
            Some(_) => Err(CheckError::new(STILL_UPLOADING).as_class(ErrorClass::Error)),
        }
    }

    pub(crate) fn texture_upload_from_bitmap_data_async_impl(
        &mut self,
        texture: Handle<TextureKey>,
        source: Option<Bitmap<'_>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.may_begin(texture, source.map(drop), &"source", level)?;
        let (place, given) = self.given_bitmap(key, source, side, level)?;
        self.begin_upload(key, place, given)
    }

    pub(crate) fn texture_upload_from_byte_array_async_impl(
        &mut self,
        texture: Handle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.may_begin(texture, data.map(drop), &"data", level)?;
        let (place, given) = self.given_bytes(key, data, offset, side, level)?;
        self.begin_upload(key, place, given)
    }

    /// Checks for the errors that only asynchronous uploads raise, and for those before them.
    fn may_begin(
        &self,
        texture: Handle<TextureKey>,
        data: Option<()>,
        parameter: &'static &'static str,
        level: u32,
    ) -> Result<TextureKey, Error> {
        let key = self.own(texture);
        alive(&self.resources.textures, key)?;
        non_null(data, parameter)?;
        if level != 0 {
            return Err(ErrorCode::AsyncLevel.into());
        }
        self.check_idle(key)?;
        Ok(key)
    }

    /// Begins an asynchronous upload whose arguments are right.
    fn begin_upload(
        &mut self,
        key: TextureKey,
        place: Subresource,
        given: Given<'_>,
    ) -> Result<(), Error> {
        if let Given::Bitmap(bitmap) = &given
            // Levels that begin to count must be counted before the next call.
            && let (_, 0) = self.room_for(key, std::iter::once(place))?
            && let taken = bitmap.pixels.unwrap_or_default()
            && let Some(room) = self.elsewhere(key, [place].into_iter(), taken.len())
            && let Some(copy) = copied(bitmap, place)
        {
            let job = room.start(move || {
                let mut texels = Vec::new();
                fit(&copy.lend(), place, &mut texels)?;
                Ok(Decoded { levels: vec![(place, texels.into())], summary: None })
            });
            self.announce_job(key, job);
            return Ok(());
        }
        // Device errors become an event; argument errors are returned.
        let uploaded = match self.upload_given(key, place, given) {
            Ok(()) => true,
            Err(Error::Flash(error)) if error.code() == ErrorCode::TextureFailed => false,
            Err(error) => return Err(error),
        };
        self.announce(key, uploaded);
        Ok(())
    }

    /// Returns room to decode `taken` bytes of the program elsewhere; `None`: they are decoded in the call.
    pub(super) fn elsewhere(
        &self,
        key: TextureKey,
        places: impl Iterator<Item = Subresource>,
        taken: usize,
    ) -> Option<Room<'_>> {
        let sizes = places.map(|place| {
            let (width, height) = place.size();
            (width as usize * height as usize, place.layout.bytes(width, height))
        });
        let (texels, bytes) = sizes.fold((0usize, taken), |(texels, bytes), more| {
            (texels.saturating_add(more.0), bytes.saturating_add(more.1))
        });
        // Draws that follow go over the upload.
        let at_once = texels <= DECODED_AT_ONCE || self.state.draws_into(key);
        (!at_once).then(|| self.executor.room(bytes)).flatten()
    }

    /// Uploads levels that are decoded.
    pub(crate) fn upload_decoded(
        &mut self,
        key: TextureKey,
        decoded: &Decoded<'_>,
    ) -> Result<(), Error> {
        if let Some(summary) = &decoded.summary {
            log::debug!("{summary}");
        }
        self.room_for(key, decoded.levels.iter().map(|(place, _)| *place))?;
        let mut levels = decoded.levels.iter();
        levels.try_for_each(|(place, texels)| self.emit_texels(key, *place, texels))
    }

    /// Generates the mip levels of a face after rendering.
    pub(super) fn make_mips(&mut self, key: TextureKey, side: u8) -> Result<(), BackendError> {
        if let Some(texture) = self.resources.textures.get(key)
            && let Some(levels) = texture.due(side)
        {
            self.leave_texture(key)?;
            self.store_levels(key, u8::try_from(levels.ilog2() + 1).unwrap_or(u8::MAX))?;
            self.backend.execute(Packet::GenerateMips { key, side, levels })?;
            if let Some(texture) = self.resources.textures.get_mut(key) {
                texture.mips_made(side);
            }
        }
        Ok(())
    }

    /// The bytes that levels need beyond those counted when the texture was created, or 3691.
    pub(super) fn room_for(
        &mut self,
        key: TextureKey,
        places: impl Iterator<Item = Subresource>,
    ) -> Result<(TextureKind, u64), ErrorCode> {
        let texture = alive(&self.resources.textures, key)?;
        let kind = texture.desc.kind;
        let more = places.map(|place| texture.uncounted(place.side, place.level, place.layout));
        let more = more.fold(0, u64::saturating_add);
        let used = *self.resources.memory.texture(kind);
        if more > 0 {
            self.texture_room(kind, Usage { count: 0, ..used }, more)?;
        }
        Ok((kind, more))
    }

    pub(super) fn emit_texels(
        &mut self,
        key: TextureKey,
        place: Subresource,
        data: &[u8],
    ) -> Result<(), Error> {
        let Subresource { side, level, layout, .. } = place;
        let (kind, more) = self.room_for(key, std::iter::once(place))?;
        // Smaller levels are generated from the content before this upload.
        self.make_mips(key, side)?;
        self.leave_texture(key)?;
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
            texture.counted += more;
            texture.reported += more;
        }
        self.resources.memory.texture(kind).bytes += more;
        self.resources.memory.reported_textures += more;
        Ok(())
    }
}
