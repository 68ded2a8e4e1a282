//! Textures, whose storage is allocated at the first upload, with its layout.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use context3d::agal;
use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{TexelLayout, TextureBinding, TextureDesc, TextureKind, packed};
use slotmap::SecondaryMap;

use crate::caps::GlCaps;
use crate::convert::{self, TexelConversion, TextureStorage};
use crate::device::{DeviceState, TextureBlit};
use crate::framebuffer;
use crate::gl::{GlFunctions, GlHandle, LabelTarget, PixelSize, UniqueName};
use crate::packet::missing;
use crate::shadow::Shadow;
use crate::workarounds::Remedy;

/// Faces of a cube.
const FACES: usize = agal::cube::FACES as usize;
/// Size in bytes of the pieces in which a level is filled with zeros.
const ZERO_PIECE: usize = 1 << 20;

/// The textures of a backend.
#[derive(Default)]
pub(crate) struct GlTextures(SecondaryMap<TextureKey, TextureObject>);

impl GlTextures {
    pub(crate) fn create(
        &mut self,
        device: &mut DeviceState,
        key: TextureKey,
        desc: TextureDesc,
    ) -> Result<(), BackendError> {
        let texture = TextureObject::create(&device.gl, &device.caps, desc)?;
        if device.debug_log {
            // GL creates the object when it is first bound.
            device.shadow.edit_texture(texture.target(), texture.object(), true);
            device.label(key, "texture", LabelTarget::Texture(texture.name()));
        }
        self.0.insert(key, texture);
        Ok(())
    }

    pub(crate) fn dispose(&mut self, key: TextureKey) {
        self.0.remove(key);
    }

    #[inline]
    pub(crate) fn get(&self, key: TextureKey) -> Result<&TextureObject, BackendError> {
        self.0.get(key).ok_or_else(|| missing("texture"))
    }

    pub(crate) fn get_mut(&mut self, key: TextureKey) -> Result<&mut TextureObject, BackendError> {
        self.0.get_mut(key).ok_or_else(|| missing("texture"))
    }

    /// Binds a texture to a sampler's slot.
    #[inline]
    pub(crate) fn bind(
        &self,
        device: &mut DeviceState,
        slot: usize,
        cube: bool,
        binding: Option<&TextureBinding>,
    ) -> Result<(), BackendError> {
        let binding = binding.ok_or_else(|| missing("texture"))?;
        let texture = self.get(binding.texture)?;
        if (texture.desc.kind == TextureKind::Cube) != cube {
            return Err(missing("texture of the sampler's kind"));
        }
        let sampler = device.samplers.get(&device.gl, &device.caps, binding.sampler)?;
        device.shadow.texture(slot, texture.target(), texture.object(), sampler);
        Ok(())
    }
}

/// A texture object with the state of its levels.
pub(crate) struct TextureObject {
    handle: GlHandle<glow::Texture>,
    desc: TextureDesc,
    storage: TextureStorage,
    /// The internal format for compressed blocks, instead of `storage`, if the first upload had blocks.
    blocks: Option<u32>,
    /// The levels with content by face; bit n is level n.
    stored: [u32; FACES],
    /// True if the storage is immutable: all levels have storage.
    immutable: bool,
    /// `GL_TEXTURE_BASE_LEVEL` and `GL_TEXTURE_MAX_LEVEL` as set, and [`GlFunctions::problems`] at that time: after an
    /// error, the values are unknown.
    range: Option<(u32, u32, u64)>,
    /// Framebuffers by face and level, for blits between levels.
    framebuffers: BTreeMap<(u8, u8), GlHandle<glow::Framebuffer>>,
}

impl TextureObject {
    /// Creates the object, without storage.
    fn create(
        gl: &Rc<GlFunctions>,
        caps: &GlCaps,
        desc: TextureDesc,
    ) -> Result<Self, BackendError> {
        Ok(Self {
            handle: GlHandle::create(gl)?,
            desc,
            storage: convert::storage(desc.format, caps),
            blocks: None,
            stored: [0; FACES],
            immutable: false,
            range: None,
            framebuffers: BTreeMap::new(),
        })
    }

    pub(crate) fn name(&self) -> glow::Texture {
        self.handle.name()
    }

    #[inline]
    pub(crate) fn object(&self) -> UniqueName<glow::Texture> {
        self.handle.object()
    }

    /// Returns `GL_TEXTURE_2D` or `GL_TEXTURE_CUBE_MAP`.
    #[inline]
    pub(crate) fn target(&self) -> u32 {
        match self.desc.kind {
            TextureKind::TwoD | TextureKind::Rectangle => glow::TEXTURE_2D,
            TextureKind::Cube => glow::TEXTURE_CUBE_MAP,
        }
    }

    /// Returns the GL target of a face. The API and GL have the same order of cube faces, and both store the top row
    /// first.
    pub(crate) fn face(&self, side: u8) -> u32 {
        match self.desc.kind {
            TextureKind::TwoD | TextureKind::Rectangle => glow::TEXTURE_2D,
            TextureKind::Cube => glow::TEXTURE_CUBE_MAP_POSITIVE_X.saturating_add(u32::from(side)),
        }
    }

    /// Returns the GL format of the texture and the conversion of its uploads.
    pub(crate) fn storage(&self) -> &TextureStorage {
        &self.storage
    }

    /// Returns whether the texture has blocks, which can't be attached to a framebuffer.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Returns whether a mip level of a face has content.
    pub(crate) fn has_level(&self, side: u8, level: u8) -> bool {
        let stored = self.stored.get(usize::from(side)).copied().unwrap_or(0);
        stored.checked_shr(u32::from(level)).unwrap_or(0) & 1 != 0
    }

    /// Returns a level's size.
    pub(crate) fn level_size(&self, level: u8) -> (u32, u32) {
        let side = |length: u32| length.checked_shr(u32::from(level)).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }

    fn rect(&self, level: u8) -> PixelSize {
        let (width, height) = self.level_size(level);
        PixelSize::new(width, height)
    }

    /// Replaces one level of one face.
    pub(crate) fn upload(
        &mut self,
        device: &mut DeviceState,
        (side, level): (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let blocks = convert::blocks(layout);
        if self.stored == [0; FACES] {
            self.blocks = blocks;
        }
        if blocks != self.blocks || blocks.is_none() && layout != self.storage.layout {
            let text = format!("{layout:?} texels for a {:?} texture", self.desc.format);
            return Err(BackendError::Driver(text));
        }
        let (face, number, size) = (self.face(side), i32::from(level), self.rect(level));
        let (gl, makes) = self.begin_level(device, side, level)?;
        let has_storage = self.immutable || !makes;
        match blocks {
            Some(internal) if has_storage => {
                gl.compressed_tex_sub_image(face, number, size, internal, data)
            }
            Some(internal) => gl.compressed_tex_image(face, number, size, internal, data)?,
            None => {
                let data = convert_texels(self.storage.convert_texels, data);
                let texels = &self.storage.texels;
                if has_storage {
                    gl.tex_sub_image(face, number, 0, size, texels, &data)?
                } else {
                    gl.tex_image(face, number, size, texels, Some(&data))?
                }
            }
        }
        self.end_level(&gl, side, level, makes)
    }

    /// Begins the upload of a level. Returns true if the upload allocates storage: its GL errors are then checked,
    /// because allocation may fail. GL errors of other uploads count as errors of the frame, like those of draws.
    fn begin_level(
        &mut self,
        device: &mut DeviceState,
        side: u8,
        level: u8,
    ) -> Result<(Rc<GlFunctions>, bool), BackendError> {
        let makes = !self.immutable && !self.has_level(side, level);
        let gl = if makes { device.begin_checked()? } else { Rc::clone(&device.gl) };
        let new = self.stored == [0; FACES];
        device.shadow.edit_texture(self.target(), self.object(), new);
        let internal = self.blocks.unwrap_or(self.storage.texels.internal);
        // Immutable storage needs a sized format, and GL_BGRA is unsized.
        if new && internal != glow::BGRA && !device.caps.needs(Remedy::StoreLevels) {
            let PixelSize { width, height } = self.rect(0);
            gl.tex_storage(self.target(), self.desc.levels.into(), internal, width, height);
            self.immutable = true;
        }
        Ok((gl, makes))
    }

    /// Ends the upload that [`TextureObject::begin_level`] began.
    fn end_level(
        &mut self,
        gl: &Rc<GlFunctions>,
        side: u8,
        level: u8,
        makes: bool,
    ) -> Result<(), BackendError> {
        let before = self.stored;
        if let Some(levels) = self.stored.get_mut(usize::from(side)) {
            *levels |= 1u32.checked_shl(u32::from(level)).unwrap_or(0);
        }
        self.update_range(gl);
        let stored = if makes { gl.check("storing a texture level") } else { Ok(()) };
        if stored.is_err() {
            (self.stored, self.range) = (before, None);
            if std::mem::take(&mut self.immutable) {
                self.handle = GlHandle::create(gl)?; // immutable storage can't be made again
            }
        }
        stored
    }

    /// Fills a level with zeros, without a buffer of the level's size.
    pub(crate) fn zero_level(
        &mut self,
        device: &mut DeviceState,
        side: u8,
        level: u8,
    ) -> Result<(), BackendError> {
        let (gl, makes) = self.begin_level(device, side, level)?;
        let ((width, height), texels) = (self.level_size(level), self.storage.texels);
        let (face, level_number) = (self.face(side), i32::from(level));
        if makes && !self.immutable {
            gl.tex_image(face, level_number, self.rect(level), &texels, None)?;
        }
        let row = PixelSize::new(width, 1).bytes(texels.bytes).unwrap_or(0).max(1);
        let rows = u32::try_from(ZERO_PIECE / row).unwrap_or(1).clamp(1, height.max(1));
        let zeros = vec![0u8; PixelSize::new(width, rows).bytes(texels.bytes).unwrap_or(0)];
        for top in (0..height).step_by(rows as usize) {
            let size = PixelSize::new(width, rows.min(height - top));
            let piece = size.bytes(texels.bytes).and_then(|bytes| zeros.get(..bytes));
            let first = i32::try_from(top).unwrap_or(i32::MAX);
            gl.tex_sub_image(face, level_number, first, size, &texels, piece.unwrap_or(&[]))?;
        }
        self.end_level(&gl, side, level, makes)
    }

    /// Generates levels of one face (bit n is level n), each from the next larger level, by blits, because GL's
    /// function would generate all levels of all faces.
    pub(crate) fn generate_mips(
        &mut self,
        device: &mut DeviceState,
        side: u8,
        levels: u16,
    ) -> Result<(), BackendError> {
        for level in (0..self.desc.levels).filter(|level| (levels | levels >> 1) >> level & 1 != 0)
        {
            self.framebuffer(device, side, level)?;
        }
        for level in (1..self.desc.levels).filter(|level| levels >> level & 1 != 0) {
            let above = level.saturating_sub(1);
            let from = self.framebuffer(device, side, above)?;
            let to = self.framebuffer(device, side, level)?;
            let DeviceState { gl, shadow, .. } = device;
            shadow.scissor(None);
            shadow.read_framebuffer(from);
            shadow.draw_framebuffer(to);
            gl.blit(self.rect(above).all(), self.rect(level).all(), true);
        }
        Ok(())
    }

    /// Returns the framebuffer of a level that has storage.
    fn framebuffer(
        &mut self,
        device: &mut DeviceState,
        side: u8,
        level: u8,
    ) -> Result<UniqueName<glow::Framebuffer>, BackendError> {
        if let Some(made) = self.framebuffers.get(&(side, level)) {
            return Ok(made.object());
        }
        let gl = &device.begin_checked()?;
        let made = framebuffer::create(gl, &mut device.shadow)?;
        let (kind, point, face) =
            (glow::DRAW_FRAMEBUFFER, glow::COLOR_ATTACHMENT0, self.face(side));
        gl.framebuffer_texture(kind, point, face, Some(self.name()), i32::from(level));
        framebuffer::complete(gl, "generating mip levels")?;
        gl.check("generating mip levels")?;
        Ok(self.framebuffers.entry((side, level)).or_insert(made).object())
    }

    /// Restricts sampling to this level while `draw` runs. Returns false without a draw if a face lacks the level.
    pub(crate) fn with_level(
        &mut self,
        device: &mut DeviceState,
        level: u8,
        draw: impl FnOnce(&mut DeviceState, &Self) -> Result<(), BackendError>,
    ) -> Result<bool, BackendError> {
        if !(0..self.desc.kind.faces()).all(|side| self.has_level(side, level)) {
            return Ok(false);
        }
        let (target, object) = (self.target(), self.object());
        device.shadow.edit_texture(target, object, false);
        for end in [glow::TEXTURE_BASE_LEVEL, glow::TEXTURE_MAX_LEVEL] {
            device.gl.tex_parameter(target, end, i32::from(level));
        }
        let mut drawn = draw(device, self);
        // Restores the sampled mip range; tries twice, because sampling must not stay restricted to one level.
        for _ in 0..2 {
            device.shadow.edit_texture(target, object, false);
            self.range = None;
            self.update_range(&device.gl);
            match device.gl.check("drawing a texture level") {
                Ok(()) => break,
                Err(error) => drawn = drawn.and(Err(error)),
            }
            device.begin_checked()?;
        }
        drawn.map(|()| true)
    }

    /// Restricts sampling to the consecutive levels that all faces have, starting at the largest. The texture must be
    /// bound.
    fn update_range(&mut self, gl: &GlFunctions) {
        let faces = self.stored.iter().take(usize::from(self.desc.kind.faces()));
        let common = faces.fold(u32::MAX, |common, levels| common & levels);
        if common == 0 {
            return; // incomplete: GL samples black, and `Context3D` refuses the draw
        }
        let base = common.trailing_zeros();
        let count = (common >> base).trailing_ones();
        let range = (base, base.saturating_add(count).saturating_sub(1), gl.problems());
        if self.range == Some(range) {
            return;
        }
        let target = self.target();
        if self.range.is_none_or(|(_, _, problems)| problems != range.2) && self.storage.swizzled {
            gl.tex_parameter(target, glow::TEXTURE_SWIZZLE_A, glow::ONE.cast_signed());
        }
        gl.tex_parameter(target, glow::TEXTURE_BASE_LEVEL, range.0.cast_signed());
        gl.tex_parameter(target, glow::TEXTURE_MAX_LEVEL, range.1.cast_signed());
        self.range = Some(range);
    }
}

/// Draws level 0 of a texture's face over the whole bound draw framebuffer, which has the viewport's size.
pub(crate) fn draw_texture(
    device: &mut DeviceState,
    texture: &TextureObject,
    side: u8,
) -> Result<(), BackendError> {
    let gl = Rc::clone(&device.gl);
    let (blit, shadow): (&TextureBlit, &mut Shadow) = device.blit()?;
    blit.draw(&gl, shadow, (texture.target(), side), texture.object());
    Ok(())
}

/// Converts texels to the layout of the upload, if the format needs it.
fn convert_texels(convert_texels: TexelConversion, data: &[u8]) -> Cow<'_, [u8]> {
    match convert_texels {
        TexelConversion::AsIs => Cow::Borrowed(data),
        TexelConversion::SwapRedBlue => {
            let mut data = data.to_vec();
            for texel in data.as_chunks_mut::<4>().0 {
                texel.swap(0, 2);
            }
            Cow::Owned(data)
        }
        TexelConversion::Expand4444 => {
            let texels = data.as_chunks::<2>().0.iter();
            Cow::Owned(texels.flat_map(|texel| packed::unpack_4444(*texel)).collect())
        }
        TexelConversion::DropAlpha => {
            let texels = data.as_chunks::<4>().0.iter();
            Cow::Owned(texels.flat_map(|&[blue, green, red, _]| [red, green, blue]).collect())
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/texture.rs"]
mod tests;
