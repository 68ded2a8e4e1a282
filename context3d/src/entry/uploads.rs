//! Uploads of texels from bitmaps and byte arrays (`REFERENCE-textures.md`).

use std::borrow::Cow;

use crate::backend::{Backend, BackendCaps, BackendError};
use crate::context::Context3D;
use crate::decoded::{MipDecoder, Subresource};
use crate::entry::buffers::bytes_at;
use crate::entry::non_null;
use crate::error::{CheckError, Error, ErrorClass, ErrorCode};
use crate::executor::Reservation;
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{Packet, TexelLayout, TextureKind};
use crate::pixels::{Bitmap, BitmapSource, PIXEL, PixelLayout, opaque};
use crate::resource::{ResourceUsage, TextureState, UploadState, alive};
use atf::convert;

/// The source of a level's texels.
enum UploadSource<'a> {
    /// Texels in the layout of the subresource.
    Texels(&'a [u8]),
    /// A bitmap that must be converted.
    Bitmap(Bitmap<'a>),
}

impl<'a> UploadSource<'a> {
    /// Uses a bitmap's pixels directly if they need no conversion.
    fn of(bitmap: Bitmap<'a>, dest: Subresource) -> Self {
        match bitmap.pixels {
            Some(pixels)
                if (bitmap.width, bitmap.height) == dest.size()
                    && dest.layout == TexelLayout::Bgra8
                    && is_plain(&bitmap) =>
            {
                UploadSource::Texels(pixels)
            }
            _ => UploadSource::Bitmap(bitmap),
        }
    }
}

/// Maximum number of texels of an upload that is always decoded in the call, because starting a job would take as long.
const DECODED_AT_ONCE: usize = 64 * 64;

impl Subresource {
    /// Returns the width and height in texels.
    pub(super) fn size(self) -> (u32, u32) {
        (self.width, self.height)
    }
}

/// The error of an asynchronous upload into a texture while an earlier upload into the texture runs. The reference
/// specifies the class `Error` for a second upload, but no error number [context3d.error.2004.uploading].
const STILL_UPLOADING: ErrorCode = ErrorCode::InvalidParameter;

/// Error of an upload into a video texture, for which ActionScript has no method.
pub(super) const NO_UPLOADS: ErrorCode = ErrorCode::InvalidParameter;

/// Returns the subresource that an upload replaces; raises 3673 or 3674 for an invalid side or level.
pub(super) fn destination(
    texture: &TextureState,
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

/// Returns the pixels of a `BitmapData`; raises 2015 if it is disposed.
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

/// Returns whether the pixels need no conversion: B, G, R, A, premultiplied, with alpha, rows without padding.
pub(super) fn is_plain(bitmap: &Bitmap<'_>) -> bool {
    bitmap.transparent && bitmap.layout == PixelLayout::default()
}

/// Appends a row of a mip level to `out`, from a row of a bitmap. Pixels outside the bitmap are black with alpha 0. An
/// opaque bitmap's alpha becomes 1, regardless of its pixels.
pub(super) fn append_row(
    bitmap: &Bitmap<'_>,
    pixels: &[u8],
    row: u32,
    width: u32,
    out: &mut Vec<u8>,
) {
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

/// Converts a bitmap to the size and layout of a level. A smaller bitmap fills the upper left corner, and the rest is
/// black with alpha 0. (Source: an image of Flash Player; the alpha is assumed.) A larger bitmap is cropped
/// [context3d.upload.larger_bitmap].
///
/// The function encodes one row of blocks at a time, and encodes the rows below the bitmap only once. A small bitmap in
/// a large level costs little time, and no more memory than the level itself.
fn crop_bitmap(bitmap: &Bitmap<'_>, dest: Subresource, out: &mut Vec<u8>) -> Result<(), ErrorCode> {
    out.clear();
    let room = out.try_reserve_exact(dest.layout.bytes(dest.width, dest.height));
    room.map_err(|_| ErrorCode::TextureFailed)?;
    let pixels = bitmap.pixels.unwrap_or_default();
    let mut rows = Vec::new();
    let mut blank = None;
    let step = atf::BLOCK_SIDE as usize;
    for top in (0..dest.height).step_by(step) {
        let end = dest.height.min(top.saturating_add(atf::BLOCK_SIDE));
        let whole = top >= bitmap.height && end - top == atf::BLOCK_SIDE;
        if let Some(blank) = blank.clone().filter(|_| whole) {
            out.extend_from_within(blank);
            continue;
        }
        rows.clear();
        for row in top..end {
            append_row(bitmap, pixels, row, dest.width, &mut rows);
        }
        let start = out.len();
        convert(&rows, (dest.width, end - top), dest.layout, out);
        blank = whole.then_some(start..out.len());
    }
    Ok(())
}

/// Copies the rows of a bitmap that are uploaded. Returns `None` if memory is insufficient.
fn copied(bitmap: &Bitmap<'_>, dest: Subresource) -> Option<BitmapSource<Vec<u8>>> {
    let &Bitmap { width, transparent, layout, .. } = bitmap;
    let height = bitmap.height.min(dest.height);
    let source = bitmap.pixels?.get(..layout.bytes(width, height)?)?;
    let mut pixels = Vec::new();
    pixels.try_reserve_exact(source.len()).ok()?;
    pixels.extend_from_slice(source);
    Some(BitmapSource { width, height, transparent, layout, pixels: Some(pixels) })
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn texture_upload_from_bitmap_data_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        source: Option<Bitmap<'_>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.finished(texture)?;
        let (dest, source) = self.bitmap_source(key, source, side, level)?;
        self.upload_source(key, dest, source)
    }

    fn bitmap_source<'a>(
        &self,
        key: TextureKey,
        source: Option<Bitmap<'a>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(Subresource, UploadSource<'a>), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let source = non_null(source, &"source")?;
        let dest = destination(texture, side, level, self.backend.caps())?;
        self.check_compressible(texture)?;
        pixels(&source)?;
        // The reference requires exact bitmaps, and square ones for cubes [context3d.upload.larger_bitmap]. Real
        // programs pass a bitmap of level 0's size for all levels (capture
        // demo_away3dtut_materials-basic-skybox-Basic-SkyBox), so cubes accept what other textures accept.
        Ok((dest, UploadSource::of(source, dest)))
    }

    pub(crate) fn texture_upload_from_byte_array_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.finished(texture)?;
        let (dest, source) = self.bytes_source(key, data, offset, side, level)?;
        self.upload_source(key, dest, source)
    }

    fn bytes_source<'a>(
        &self,
        key: TextureKey,
        data: Option<&'a [u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(Subresource, UploadSource<'a>), Error> {
        let texture = alive(&self.resources.textures, key)?;
        let data = non_null(data, &"data")?;
        let dest = destination(texture, side, level, self.backend.caps())?;
        self.check_compressible(texture)?;
        let layout = texture.desc.format.layout();
        let bytes = layout.bytes(dest.width, dest.height);
        let data = bytes_at(data, i64::from(offset), bytes)?;
        if layout == dest.layout {
            return Ok((dest, UploadSource::Texels(data)));
        }
        // "Run-time compression": the bytes are uncompressed pixels.
        let (width, height) = dest.size();
        let layout = PixelLayout::default();
        let bitmap = Bitmap { width, height, transparent: true, pixels: Some(data), layout };
        Ok((dest, UploadSource::of(bitmap, dest)))
    }

    fn upload_source(
        &mut self,
        key: TextureKey,
        dest: Subresource,
        source: UploadSource<'_>,
    ) -> Result<(), Error> {
        let bitmap = match source {
            UploadSource::Texels(data) => return self.emit_texels(key, dest, data),
            UploadSource::Bitmap(bitmap) => bitmap,
        };
        let mut fitted = std::mem::take(&mut self.scratch);
        let done = crop_bitmap(&bitmap, dest, &mut fitted).map_err(Error::from);
        let done = done.and_then(|()| self.emit_texels(key, dest, &fitted));
        self.keep_scratch(fitted);
        done
    }

    /// Raises 3675 if the texels must be compressed at run time, and the host doesn't support that.
    fn check_compressible(&self, texture: &TextureState) -> Result<(), ErrorCode> {
        if texture.desc.format.is_compressed() && !self.host.runtime_compression {
            return Err(ErrorCode::FormatMismatch);
        }
        Ok(())
    }

    /// Raises 3694 for a disposed texture, and an error while an asynchronous upload into the texture runs.
    pub(super) fn check_idle(&self, key: TextureKey) -> Result<(), CheckError> {
        let texture = self.resources.textures.get(key);
        match texture.map(|texture| texture.upload) {
            None => Err(CheckError::new(ErrorCode::Disposed)),
            Some(UploadState::None) => Ok(()),
            // For a second upload while the first upload runs, the reference specifies the error class `Error`.
            Some(_) => Err(CheckError::new(STILL_UPLOADING).as_class(ErrorClass::Error)),
        }
    }

    pub(crate) fn texture_upload_from_bitmap_data_async_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        source: Option<Bitmap<'_>>,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.check_async_upload(texture, source.map(drop), &"source", level)?;
        let (dest, source) = self.bitmap_source(key, source, side, level)?;
        self.begin_upload(key, dest, source)
    }

    pub(crate) fn texture_upload_from_byte_array_async_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
        data: Option<&[u8]>,
        offset: u32,
        side: Option<u32>,
        level: u32,
    ) -> Result<(), Error> {
        let key = self.check_async_upload(texture, data.map(drop), &"data", level)?;
        let (dest, source) = self.bytes_source(key, data, offset, side, level)?;
        self.begin_upload(key, dest, source)
    }

    /// Checks for the errors that only asynchronous uploads raise, and for the errors that Flash raises before them.
    fn check_async_upload(
        &self,
        texture: ObjectHandle<TextureKey>,
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

    /// Begins an asynchronous upload with valid arguments.
    fn begin_upload(
        &mut self,
        key: TextureKey,
        dest: Subresource,
        source: UploadSource<'_>,
    ) -> Result<(), Error> {
        if let UploadSource::Bitmap(bitmap) = &source
            // An upload that increases the counted memory is decoded in the call: the next call sees the increase.
            && let (_, 0) = self.extra_memory(key, std::iter::once(dest))?
            && let taken = bitmap.pixels.unwrap_or_default()
            && let Some(room) = self.reserve_job(key, [dest].into_iter(), taken.len())
            && let Some(copy) = copied(bitmap, dest)
        {
            let job = room.start(move || {
                let mut texels = Vec::new();
                crop_bitmap(&copy.lend(), dest, &mut texels)?;
                Ok(MipDecoder { levels: vec![(dest, texels.into())], summary: None })
            });
            self.queue_job(key, job);
            return Ok(());
        }
        // Device errors are reported by an event; errors of the arguments are returned.
        let uploaded = match self.upload_source(key, dest, source) {
            Ok(()) => true,
            Err(Error::Flash(error)) if error.code() == ErrorCode::TextureFailed => false,
            Err(error) => return Err(error),
        };
        self.queue_result(key, uploaded);
        Ok(())
    }

    /// Reserves executor memory for a job that decodes `taken` bytes. Returns `None` if the upload must be decoded in
    /// the call.
    pub(super) fn reserve_job(
        &self,
        key: TextureKey,
        dests: impl Iterator<Item = Subresource>,
        taken: usize,
    ) -> Option<Reservation<'_>> {
        let sizes = dests.map(|dest| {
            let (width, height) = dest.size();
            (width as usize * height as usize, dest.layout.bytes(width, height))
        });
        let (texels, bytes) = sizes.fold((0usize, taken), |(texels, bytes), more| {
            (texels.saturating_add(more.0), bytes.saturating_add(more.1))
        });
        // If the texture is the current render target, later draws must render over the upload.
        let at_once = texels <= DECODED_AT_ONCE || self.state.draws_into(key);
        (!at_once).then(|| self.executor.reserve(bytes)).flatten()
    }

    /// Uploads decoded levels.
    pub(crate) fn upload_decoded(
        &mut self,
        key: TextureKey,
        decoded: &MipDecoder<'_>,
    ) -> Result<(), Error> {
        if let Some(summary) = &decoded.summary {
            log::debug!("{summary}");
        }
        self.extra_memory(key, decoded.levels.iter().map(|(dest, _)| *dest))?;
        let mut levels = decoded.levels.iter();
        levels.try_for_each(|(dest, texels)| self.emit_texels(key, *dest, texels))
    }

    /// Generates the pending mip levels of a rendered face.
    pub(super) fn generate_mips(&mut self, key: TextureKey, side: u8) -> Result<(), BackendError> {
        if let Some(texture) = self.resources.textures.get(key)
            && let Some(levels) = texture.pending_mips(side)
        {
            self.resolve_texture(key)?;
            self.ensure_levels_resident(key, u8::try_from(levels.ilog2() + 1).unwrap_or(u8::MAX))?;
            self.backend.execute(Packet::GenerateMips { key, side, levels })?;
            if let Some(texture) = self.resources.textures.get_mut(key) {
                texture.mips_generated(side);
            }
        }
        Ok(())
    }

    /// Returns the additional memory of mip levels, beyond the memory counted at the texture's creation. Raises 3691 if
    /// the memory exceeds the limit.
    pub(super) fn extra_memory(
        &mut self,
        key: TextureKey,
        dests: impl Iterator<Item = Subresource>,
    ) -> Result<(TextureKind, u64), ErrorCode> {
        let texture = alive(&self.resources.textures, key)?;
        let kind = texture.desc.kind;
        let more = dests.map(|dest| texture.uncounted(dest.side, dest.level, dest.layout));
        let more = more.fold(0, u64::saturating_add);
        let used = *self.resources.memory.texture(kind);
        if more > 0 {
            self.check_texture_memory(kind, ResourceUsage { count: 0, ..used }, more)?;
        }
        Ok((kind, more))
    }

    pub(super) fn emit_texels(
        &mut self,
        key: TextureKey,
        dest: Subresource,
        data: &[u8],
    ) -> Result<(), Error> {
        let Subresource { side, level, layout, .. } = dest;
        let (kind, more) = self.extra_memory(key, std::iter::once(dest))?;
        // Pending smaller mip levels must be generated from the content before this upload.
        self.generate_mips(key, side)?;
        self.resolve_texture(key)?;
        let uploaded = self.emit(Packet::UploadTexture {
            key,
            side,
            level,
            layout,
            data: Cow::Borrowed(data),
        });
        uploaded.map_err(|error| error.with_memory_error(ErrorCode::TextureFailed))?;
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
