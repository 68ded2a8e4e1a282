//! Textures: each texture of the program, and the enlarged or replaced texture that is used instead.

use std::borrow::Cow;

use super::EnhancedBackend;
use super::resize::{self, ResizeSize};
use context3d::backend::{Backend, BackendError};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout, TextureDesc, TextureKind, bits, packed};

/// Maximum total size of the textures that the layer creates in addition to the program's, in bytes.
pub const MAX_BYTES: u64 = 1 << 30;

/// Receives the uploads of textures, and can replace their images.
pub trait TextureSource: std::fmt::Debug {
    /// Receives an upload. Returns the image that draws use instead of the uploaded texels, until the next upload.
    fn replace(&mut self, upload: &FirstUpload<'_>) -> Option<Replacement>;
}

/// An upload to mip level 0 of a 2D, rectangle or video texture that was never a render target.
#[derive(Clone, Copy, Debug)]
pub struct FirstUpload<'a> {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// The layout of `data`. If the device supports block compression, block textures have compressed blocks.
    pub layout: TexelLayout,
    /// The texels, rows from the top.
    pub data: &'a [u8],
}

impl<'a> FirstUpload<'a> {
    /// Returns the texels as B, G, R, A bytes; `None` for half floats. If the program uploaded several block formats,
    /// and the device lacks one, the texels depend on the device.
    pub fn bgra(&self) -> Option<Cow<'a, [u8]>> {
        let unpacked = |unpack: fn([u8; 2]) -> [u8; 4]| {
            let texels = self.data.as_chunks::<2>().0.iter().map(|texel| unpack(*texel));
            Some(Cow::Owned(
                texels.flat_map(|[red, green, blue, alpha]| [blue, green, red, alpha]).collect(),
            ))
        };
        match self.layout {
            TexelLayout::Bgra8 => Some(Cow::Borrowed(self.data)),
            TexelLayout::Bgr565 => unpacked(packed::unpack_565),
            TexelLayout::Bgra4444 => unpacked(packed::unpack_4444),
            TexelLayout::RgbaHalf => None,
            TexelLayout::Dxt1 | TexelLayout::Dxt5 | TexelLayout::Etc2 | TexelLayout::Etc2Eac => {
                self.layout.decode_blocks(self.width, self.height, self.data).map(Cow::Owned)
            }
        }
    }
}

/// An image that replaces a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Width in texels: the replaced texture's width times any integer.
    pub width: u32,
    /// Height in texels: the replaced texture's height times the factor of the width.
    pub height: u32,
    /// B, G, R, A, rows from the top. The layer generates the smaller levels.
    pub bgra: Vec<u8>,
}

/// A texture of the program.
#[derive(Debug)]
pub(super) struct EnhancedTexture {
    own: WrappedTexture,
    twin: Option<Twin>,
    /// True while every texel of the texture is zero.
    blank: bool,
    /// The texture was a render target.
    rendered: bool,
    /// The texture could not be enlarged, because memory was insufficient.
    refused: bool,
}

/// A texture of the wrapped backend.
#[derive(Clone, Copy, Debug)]
struct WrappedTexture {
    key: TextureKey,
    desc: TextureDesc,
    /// Bit n: mip level n of the first face has content.
    levels: u16,
}

/// The texture that draws and targets use instead of the program's.
#[derive(Debug)]
struct Twin {
    stored: WrappedTexture,
    /// If true, this texture contains a replacement image. If false, this texture contains the current content, and the
    /// program's texture is outdated.
    replaces: bool,
}

impl WrappedTexture {
    fn level(&self, level: u8) -> ResizeSize {
        let side = |side: u32| side.checked_shr(level.into()).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }

    fn bytes(&self) -> u64 {
        let TextureDesc { format, width, height, .. } = self.desc;
        let level = u64::try_from(format.layout().bytes(width, height)).unwrap_or(u64::MAX);
        level.saturating_add(if self.desc.levels > 1 { level / 3 } else { 0 })
    }
}

impl EnhancedTexture {
    fn is_cube(&self) -> bool {
        self.own.desc.kind == TextureKind::Cube
    }

    /// Returns whether the texture can be enlarged as a render target.
    pub(super) fn can_grow(&self) -> bool {
        !self.is_cube() && !self.refused
    }

    /// Returns whether the texture has the larger size of a render target.
    pub(super) fn is_large(&self) -> bool {
        self.twin.as_ref().is_some_and(|twin| !twin.replaces)
    }

    /// Returns the key of the wrapped backend's texture that draws and targets use.
    pub(super) fn shown(&self) -> TextureKey {
        self.twin.as_ref().map_or(self.own.key, |twin| twin.stored.key)
    }

    /// Returns the wrapped backend's texture that has the current content.
    fn content(&mut self) -> &mut WrappedTexture {
        match &mut self.twin {
            Some(Twin { stored, replaces: false }) => stored,
            Some(Twin { replaces: true, .. }) | None => &mut self.own,
        }
    }

    /// Returns the key of the wrapped backend's texture that contains a level, the level's size, and its scale.
    pub(super) fn level(&mut self, level: u8) -> (TextureKey, ResizeSize, (u32, u32)) {
        let (width, height) = self.own.level(level);
        let stored = self.content();
        let larger = stored.level(level);
        (stored.key, (width, height), (larger.0 / width, larger.1 / height))
    }
}

/// Returns true if `made` is `Ok`. Logs errors except `Lost`, and returns false: the caller uses the program's texture.
fn done(made: Result<(), BackendError>, what: &str) -> Result<bool, BackendError> {
    match made {
        Ok(()) => Ok(true),
        Err(BackendError::Lost) => Err(BackendError::Lost),
        Err(error) => {
            log::warn!("a texture can't be {what}, and keeps its size: {error}");
            Ok(false)
        }
    }
}

impl<B: Backend> EnhancedBackend<B> {
    pub(super) fn create(
        &mut self,
        key: TextureKey,
        desc: TextureDesc,
    ) -> Result<(), BackendError> {
        let own = WrappedTexture { key: self.names.insert(()), desc, levels: 0 };
        let made = self.below.execute(Packet::CreateTexture { key: own.key, desc });
        if made.is_ok() {
            self.textures.insert(
                key,
                EnhancedTexture { own, twin: None, blank: true, rendered: false, refused: false },
            );
        } else {
            self.names.remove(own.key);
        }
        made
    }

    pub(super) fn dispose(&mut self, key: TextureKey) -> Result<(), BackendError> {
        let dropped = self.drop_twin(key);
        let own = self.textures.remove(key).map(|texture| texture.own.key).unwrap_or_default();
        self.names.remove(own);
        dropped.and(self.below.execute(Packet::DisposeTexture(own)))
    }

    /// Returns the key of the wrapped backend's texture that render targets use.
    pub(super) fn name(&self, key: TextureKey) -> TextureKey {
        self.textures.get(key).map(EnhancedTexture::shown).unwrap_or_default()
    }

    /// Returns the key of the wrapped backend's texture with the current content, or the null key for an unknown
    /// texture.
    fn content(&mut self, key: TextureKey) -> TextureKey {
        self.textures.get_mut(key).map(|texture| texture.content().key).unwrap_or_default()
    }

    /// Executes a packet on the texture with the current content, which has these levels (bit n: level n) afterwards.
    pub(super) fn fill<'p>(
        &mut self,
        key: TextureKey,
        levels: u16,
        packet: impl FnOnce(TextureKey) -> Packet<'p>,
    ) -> Result<(), BackendError> {
        let below = self.content(key);
        self.below.execute(packet(below))?;
        if let Some(texture) = self.textures.get_mut(key) {
            texture.content().levels |= levels;
        }
        Ok(())
    }

    pub(super) fn upload(
        &mut self,
        key: TextureKey,
        (side, level): (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let mut data = Cow::Borrowed(data);
        let mut seen = false;
        if let Some(texture) = self.textures.get_mut(key) {
            let (from, to) = (texture.own.level(level), texture.content().level(level));
            if from != to {
                data = Cow::Owned(resize::resized(&data, layout, from, to));
            }
            texture.blank = false;
            seen = level == 0 && !texture.rendered && !texture.is_cube();
        }
        let given = Cow::Borrowed(&*data);
        self.fill(key, bit(level), |key| Packet::UploadTexture {
            key,
            side,
            level,
            layout,
            data: given,
        })?;
        if seen { self.look(key, layout, &data) } else { Ok(()) }
    }

    pub(super) fn texels(
        &mut self,
        key: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        let below = self.content(key);
        let read = self.below.read_texels(below, side, out)?;
        if let (Some(layout), Some(texture)) = (read, self.textures.get_mut(key))
            && let (from, to) = (texture.content().level(0), texture.own.level(0))
            && from != to
        {
            *out = resize::resized(out, layout, from, to);
        }
        Ok(read)
    }

    /// Passes an upload to the source, and uses the replacement that it returns.
    fn look(
        &mut self,
        key: TextureKey,
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let (Some(source), Some(texture)) = (&mut self.source, self.textures.get(key)) else {
            return Ok(());
        };
        let TextureDesc { width, height, .. } = texture.own.desc;
        let replacement = source.replace(&FirstUpload { width, height, layout, data });
        self.drop_twin(key)?;
        replacement.map_or(Ok(()), |replacement| self.replace(key, replacement))
    }

    fn replace(&mut self, key: TextureKey, replacement: Replacement) -> Result<(), BackendError> {
        let Some(texture) = self.textures.get(key) else { return Ok(()) };
        let Replacement { width, height, mut bgra } = replacement;
        let TextureDesc { kind, width: w, height: h, .. } = texture.own.desc;
        let times = width.checked_div(w).unwrap_or(0);
        let fits = (w.saturating_mul(times), h.saturating_mul(times)) == (width, height);
        let side = width.max(height);
        let layout = TexelLayout::Bgra8;
        if !fits || times == 0 || bgra.len() != layout.bytes(width, height) {
            log::warn!(
                "a replacement texture of {width}×{height} is not a multiple of {w}×{h}, and isn't used"
            );
            return Ok(());
        }
        let levels = if kind == TextureKind::Rectangle { 1 } else { side.ilog2() + 1 };
        let desc = TextureDesc {
            kind,
            format: TextureFormat::Bgra,
            width,
            height,
            levels: u8::try_from(levels).unwrap_or(1),
            render_target: false,
        };
        let Some(twin) = self.make_twin(desc)? else { return Ok(()) };
        let mut filled = Ok(());
        for level in 0..desc.levels {
            if level > 0 {
                bgra = resize::mean(&bgra, twin.level(level - 1), twin.level(level));
            }
            let data = Cow::Borrowed(&*bgra);
            let upload = Packet::UploadTexture { key: twin.key, side: 0, level, layout, data };
            filled = filled.and(self.below.execute(upload));
        }
        self.keep_twin(key, Twin { stored: twin, replaces: true }, filled, "replaced").map(drop)
    }

    /// Creates a texture in addition to the program's texture. Returns `None` if memory is insufficient.
    fn make_twin(&mut self, desc: TextureDesc) -> Result<Option<WrappedTexture>, BackendError> {
        let twin = WrappedTexture { key: self.names.insert(()), desc, levels: 0 };
        let room = self.bytes.saturating_add(twin.bytes()) <= MAX_BYTES;
        let within = desc.width.max(desc.height) <= self.below.caps().max_texture_size;
        let made = if room && within {
            self.below.execute(Packet::CreateTexture { key: twin.key, desc })
        } else {
            Err(BackendError::OutOfMemory)
        };
        if done(made, "enlarged")? {
            return Ok(Some(twin));
        }
        self.names.remove(twin.key);
        Ok(None)
    }

    /// Uses the texture `twin` instead of the program's texture if `filled` is `Ok`; otherwise, disposes `twin`.
    fn keep_twin(
        &mut self,
        key: TextureKey,
        twin: Twin,
        filled: Result<(), BackendError>,
        what: &str,
    ) -> Result<bool, BackendError> {
        if done(filled, what)?
            && let Some(texture) = self.textures.get_mut(key)
        {
            self.bytes = self.bytes.saturating_add(twin.stored.bytes());
            texture.twin = Some(twin);
            return Ok(true);
        }
        self.names.remove(twin.stored.key);
        self.below.execute(Packet::DisposeTexture(twin.stored.key))?;
        Ok(false)
    }

    fn drop_twin(&mut self, key: TextureKey) -> Result<(), BackendError> {
        let twin = self.textures.get_mut(key).and_then(|texture| texture.twin.take());
        let Some(Twin { stored, .. }) = twin else { return Ok(()) };
        self.bytes = self.bytes.saturating_sub(stored.bytes());
        self.names.remove(stored.key);
        self.below.execute(Packet::DisposeTexture(stored.key))
    }

    /// Enlarges a render target and keeps its content. Returns whether the target is now enlarged.
    pub(super) fn enlarge(&mut self, key: TextureKey, factor: u32) -> Result<bool, BackendError> {
        let large = self.enlarged(key, factor)?;
        if let Some(texture) = self.textures.get_mut(key) {
            texture.refused = !large;
        }
        Ok(large)
    }

    fn enlarged(&mut self, key: TextureKey, factor: u32) -> Result<bool, BackendError> {
        let Some(&EnhancedTexture { own, blank, .. }) = self.textures.get(key) else {
            return Ok(false);
        };
        if self.textures.get(key).is_some_and(EnhancedTexture::is_large) {
            return Ok(true);
        }
        self.drop_twin(key)?;
        let (width, height) = own.level(0);
        let (width, height) = (width.saturating_mul(factor), height.saturating_mul(factor));
        let Some(mut twin) = self.make_twin(TextureDesc { width, height, ..own.desc })? else {
            return Ok(false);
        };
        let filled = self.copy(&own, &mut twin, blank);
        self.keep_twin(key, Twin { stored: twin, replaces: false }, filled, "enlarged")
    }

    /// Prepares a texture as a render target. If `factor` is 1, restores the requested size and the original image.
    pub(super) fn rendered(&mut self, key: TextureKey, factor: u32) -> Result<(), BackendError> {
        let Some(texture) = self.textures.get_mut(key) else { return Ok(()) };
        texture.rendered = true;
        if factor > 1 {
            return Ok(());
        }
        if texture.is_large() {
            let (from, mut to) = (*texture.content(), texture.own);
            self.copy(&from, &mut to, false)?;
            if let Some(texture) = self.textures.get_mut(key) {
                texture.own = to;
            }
        }
        self.drop_twin(key)
    }

    /// Copies a render target's content to a texture of another size. Smaller mip levels are generated from level 0.
    fn copy(
        &mut self,
        from: &WrappedTexture,
        to: &mut WrappedTexture,
        blank: bool,
    ) -> Result<(), BackendError> {
        let (side, key) = (0, to.key);
        let mut texels = Vec::new();
        let layout = match blank {
            true => None,
            false => self.below.read_texels(from.key, side, &mut texels)?,
        };
        if let Some(layout) = layout {
            let data = resize::resized(&texels, layout, from.level(0), to.level(0));
            let data = Cow::Owned(data);
            self.below.execute(Packet::UploadTexture { key, side, level: 0, layout, data })?;
            to.levels |= 1;
        }
        for level in bits(from.levels & !to.levels) {
            let level = u8::try_from(level).unwrap_or(0);
            self.below.execute(Packet::ZeroLevel { key, side, level })?;
            to.levels |= bit(level);
        }
        // The consecutive mip levels with content, starting at level 0.
        let run = 1u16.checked_shl(from.levels.trailing_ones()).unwrap_or(0);
        let levels = run.wrapping_sub(1) & !1;
        if layout.is_some() && levels != 0 {
            self.below.execute(Packet::GenerateMips { key, side, levels })?;
        }
        Ok(())
    }
}

pub(super) fn bit(level: u8) -> u16 {
    1u16.checked_shl(level.into()).unwrap_or(0)
}
