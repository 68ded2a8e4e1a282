//! Textures: storage is allocated per level, at its first upload or rendering.

use std::borrow::Cow;
use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::{TexelLayout, TextureDesc, TextureKind};

use crate::caps::GlCaps;
use crate::convert::{self, Storage, TexelConversion};
use crate::device::Device;
use crate::framebuffer;
use crate::gl::{Attempt, Gl, Handle, Object, Rect};
use crate::shadow::Shadow;

/// Faces of a cube.
const FACES: usize = agal::cube::FACES as usize;
/// Fresh render targets are filled with zeros in pieces of about this many bytes.
const ZERO_PIECE: usize = 1 << 20;

/// A texture object with what is known about its levels.
pub(crate) struct Texture {
    handle: Handle<glow::Texture>,
    desc: TextureDesc,
    storage: Storage,
    /// The internal format of its blocks, if the first upload was of blocks, instead of `storage`.
    blocks: Option<u32>,
    /// By face, bit n: level n has content.
    levels: [u32; FACES],
    /// By face, bit n: level n has storage, with or without content, because GL requires all faces of a cube to have
    /// the same levels.
    stored: [u32; FACES],
    /// `GL_TEXTURE_BASE_LEVEL` and `GL_TEXTURE_MAX_LEVEL` as set.
    range: Option<(u32, u32)>,
    /// Incremented when level 0 may change, so that a target's multisampled copy of it is stale.
    version: u64,
}

impl Texture {
    /// Makes the object; no storage yet.
    pub(crate) fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        desc: TextureDesc,
    ) -> Result<Self, BackendError> {
        Ok(Self {
            handle: Handle::create(gl)?,
            desc,
            storage: convert::storage(desc.format, caps),
            blocks: None,
            levels: [0; FACES],
            stored: [0; FACES],
            range: None,
            version: 0,
        })
    }

    /// The GL object's name.
    pub(crate) fn name(&self) -> glow::Texture {
        self.handle.name()
    }

    /// The GL object.
    pub(crate) fn object(&self) -> Object<glow::Texture> {
        self.handle.object()
    }

    /// `GL_TEXTURE_2D` or `GL_TEXTURE_CUBE_MAP`.
    pub(crate) fn target(&self) -> u32 {
        match self.desc.kind {
            TextureKind::TwoD | TextureKind::Rectangle => glow::TEXTURE_2D,
            TextureKind::Cube => glow::TEXTURE_CUBE_MAP,
        }
    }

    /// The target that names one face. Cube faces are in the same order in the API and in GL, and Direct3D's faces with
    /// their top row first are GL's faces with their first row first.
    pub(crate) fn face(&self, side: u8) -> u32 {
        match self.desc.kind {
            TextureKind::TwoD | TextureKind::Rectangle => glow::TEXTURE_2D,
            TextureKind::Cube => glow::TEXTURE_CUBE_MAP_POSITIVE_X.saturating_add(u32::from(side)),
        }
    }

    fn faces(&self) -> u8 {
        self.desc.kind.faces()
    }

    /// The storage of its texels.
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Whether it holds blocks, which can't be attached to a framebuffer.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Changes with every upload and every [`Texture::touch`].
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Marks level 0 as about to change; returns the new version.
    pub(crate) fn touch(&mut self) -> u64 {
        self.version = self.version.saturating_add(1);
        self.version
    }

    /// Whether this level of this face has content.
    pub(crate) fn has_level(&self, side: u8, level: u8) -> bool {
        bit(&self.levels, side, level)
    }

    /// A level's size.
    pub(crate) fn level_size(&self, level: u8) -> (u32, u32) {
        let side = |length: u32| length.checked_shr(u32::from(level)).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }

    /// Sets one level of one face.
    pub(crate) fn upload(
        &mut self,
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        (side, level): (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<(), BackendError> {
        let blocks = convert::blocks(layout);
        if self.levels == [0; FACES] {
            self.blocks = blocks;
        }
        if blocks != self.blocks || blocks.is_none() && layout != self.storage.layout {
            return Err(BackendError::Driver(format!(
                "{layout:?} texels for a {:?} texture",
                self.desc.format
            )));
        }
        let (width, height) = self.level_size(level);
        let size = Rect::new(width, height);
        if let Some(internal) = blocks {
            let gl = gl.attempt()?;
            shadow.edit_texture(self.target(), self.object());
            gl.compressed_tex_image(self.face(side), i32::from(level), size, internal, data)?;
            gl.check("uploading blocks")?;
            self.add_level(side, level);
            self.update_range(&gl);
            self.touch();
            return Ok(());
        }
        let data = convert_texels(self.storage.convert_texels, data);
        let texels = &self.storage.texels;
        shadow.edit_texture(self.target(), self.object());
        if bit(&self.stored, side, level) {
            gl.tex_sub_image(self.face(side), i32::from(level), 0, size, texels, &data)?;
        } else {
            let gl = gl.attempt()?;
            gl.tex_image(self.face(side), i32::from(level), size, texels, Some(&data))?;
            gl.check("uploading a texture level")?;
        }
        self.add_level(side, level);
        self.update_range(gl);
        self.touch();
        Ok(())
    }

    fn add_level(&mut self, side: u8, level: u8) {
        for levels in [&mut self.levels, &mut self.stored] {
            set_bit(levels, side, level);
        }
    }

    /// Gives level 0 of all faces content, zeros where nothing was uploaded: a face can only be rendered to if the cube
    /// is complete, and pixels that aren't drawn must not show uninitialized memory.
    pub(crate) fn prepare_target(
        &mut self,
        gl: &Attempt<'_>,
        shadow: &mut Shadow,
    ) -> Result<(), BackendError> {
        for side in 0..self.faces() {
            if !self.has_level(side, 0) {
                self.store_zeros(gl, shadow, (side, 0))?;
                self.add_level(side, 0);
                self.touch();
            }
        }
        Ok(())
    }

    /// Allocates a level, filled with zeros.
    fn store_zeros(
        &mut self,
        gl: &Attempt<'_>,
        shadow: &mut Shadow,
        (side, level): (u8, u8),
    ) -> Result<(), BackendError> {
        shadow.edit_texture(self.target(), self.object());
        let (width, height) = self.level_size(level);
        let (face, texels) = (self.face(side), &self.storage.texels);
        let size = Rect::new(width, height);
        gl.tex_image(face, i32::from(level), size, texels, None)?;
        gl.check("making a render texture")?;
        fill_with_zeros(gl, (face, level), texels, width, height)?;
        set_bit(&mut self.stored, side, level);
        self.update_range(gl);
        Ok(())
    }

    /// Generates levels of one face (bit n: level n), each from the one above it, by blits: GL itself would generate
    /// all levels of all faces.
    pub(crate) fn generate_mips(
        &mut self,
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        side: u8,
        levels: u16,
    ) -> Result<(), BackendError> {
        let due = |level: &u8| levels.checked_shr(u32::from(*level)).unwrap_or(0) & 1 != 0;
        let due = (1..self.desc.levels).filter(due);
        let Some(last) = due.clone().next_back() else {
            return Ok(());
        };
        let gl = &gl.attempt()?;
        // To attach a level, all larger ones of all faces must exist.
        for face in 0..self.faces() {
            for level in 0..=last {
                if !bit(&self.stored, face, level) {
                    self.store_zeros(gl, shadow, (face, level))?;
                }
            }
        }
        let [from, _to] = [framebuffer::create(gl, shadow)?, framebuffer::create(gl, shadow)?];
        shadow.scissor(None);
        shadow.read_framebuffer(from.object());
        let (face, name) = (self.face(side), Some(self.name()));
        let attach = |kind, level: u8| {
            let point = glow::COLOR_ATTACHMENT0;
            gl.framebuffer_texture(kind, point, face, name, i32::from(level));
        };
        for level in due {
            let above = level.saturating_sub(1);
            attach(glow::READ_FRAMEBUFFER, above);
            attach(glow::DRAW_FRAMEBUFFER, level);
            let [source, size] = [above, level].map(|level| {
                let (width, height) = self.level_size(level);
                Rect::new(width, height)
            });
            gl.blit_linear(source, size);
            self.add_level(side, level);
        }
        framebuffer::complete(gl, "making mip levels")?;
        gl.check("making mip levels")
    }

    /// Restricts sampling to this level while `draw` runs; returns false without drawing if a face lacks it.
    pub(crate) fn with_level(
        &mut self,
        device: &mut Device,
        level: u8,
        draw: impl FnOnce(&mut Device, &Self) -> Result<(), BackendError>,
    ) -> Result<bool, BackendError> {
        if !(0..self.faces()).all(|side| self.has_level(side, level)) {
            return Ok(false);
        }
        let (target, object) = (self.target(), self.object());
        device.shadow.edit_texture(target, object);
        for end in [glow::TEXTURE_BASE_LEVEL, glow::TEXTURE_MAX_LEVEL] {
            device.gl.tex_parameter(target, end, i32::from(level));
        }
        let drawn = draw(device, self);
        device.shadow.edit_texture(target, object);
        self.range = None;
        self.update_range(&device.gl);
        drawn.map(|()| true)
    }

    /// Restricts sampling to the consecutive levels, from the largest one on, that all faces have storage for. The
    /// texture is bound.
    fn update_range(&mut self, gl: &Gl) {
        let common = self
            .stored
            .iter()
            .take(usize::from(self.faces()))
            .fold(u32::MAX, |common, levels| common & levels);
        if common == 0 {
            return; // incomplete: GL samples black, and `Context3D` refuses the draw
        }
        let base = common.trailing_zeros();
        let count = common.checked_shr(base).unwrap_or(0).trailing_ones();
        let range = (base, base.saturating_add(count).saturating_sub(1));
        if self.range == Some(range) {
            return;
        }
        let target = self.target();
        if self.range.is_none() && self.storage.swizzled {
            gl.tex_parameter(target, glow::TEXTURE_SWIZZLE_A, glow::ONE.cast_signed());
        }
        gl.tex_parameter(target, glow::TEXTURE_BASE_LEVEL, range.0.cast_signed());
        gl.tex_parameter(target, glow::TEXTURE_MAX_LEVEL, range.1.cast_signed());
        self.range = Some(range);
    }
}

fn bit(levels: &[u32; FACES], side: u8, level: u8) -> bool {
    let levels = levels.get(usize::from(side)).copied().unwrap_or(0);
    levels.checked_shr(u32::from(level)).unwrap_or(0) & 1 != 0
}

fn set_bit(levels: &mut [u32; FACES], side: u8, level: u8) {
    if let Some(levels) = levels.get_mut(usize::from(side)) {
        *levels |= 1u32.checked_shl(u32::from(level)).unwrap_or(0);
    }
}

/// Fills a level of the bound texture with zeros, without a buffer of the whole level's size.
fn fill_with_zeros(
    gl: &Gl,
    (face, level): (u32, u8),
    texels: &crate::gl::Texels,
    width: u32,
    height: u32,
) -> Result<(), BackendError> {
    let row = Rect::new(width, 1).bytes(texels.bytes).unwrap_or(0).max(1);
    let rows = u32::try_from(ZERO_PIECE / row).unwrap_or(1).clamp(1, height.max(1));
    let zeros = vec![0u8; Rect::new(width, rows).bytes(texels.bytes).unwrap_or(0)];
    let mut top = 0;
    while top < height {
        let size = Rect::new(width, rows.min(height - top));
        let piece = size.bytes(texels.bytes).and_then(|bytes| zeros.get(..bytes));
        let first = i32::try_from(top).unwrap_or(i32::MAX);
        gl.tex_sub_image(face, i32::from(level), first, size, texels, piece.unwrap_or(&[]))?;
        top = top.saturating_add(rows);
    }
    Ok(())
}

/// Converts the layout of an upload, if the format needs it.
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
            // Multiplied by 17: 0xF becomes 0xFF, as a GPU expands it.
            let expand = |nibble: u8| (nibble & 0xF) * 0x11;
            let texels = data.as_chunks::<2>().0.iter();
            let expanded = texels.flat_map(|&[low, high]| {
                [expand(high), expand(low >> 4), expand(low), expand(high >> 4)]
            });
            Cow::Owned(expanded.collect())
        }
        TexelConversion::DropAlpha => {
            let texels = data.as_chunks::<4>().0.iter();
            Cow::Owned(texels.flat_map(|&[blue, green, red, _]| [red, green, blue]).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TexelConversion, convert_texels};

    #[test]
    fn rewrites() {
        assert_eq!(
            *convert_texels(TexelConversion::SwapRedBlue, &[1, 2, 3, 4, 5, 6, 7, 8]),
            [3, 2, 1, 4, 7, 6, 5, 8]
        );
        // A = 0x1, R = 0x2, G = 0x3, B = 0x4
        assert_eq!(
            *convert_texels(TexelConversion::Expand4444, &[0x34, 0x12]),
            [0x22, 0x33, 0x44, 0x11]
        );
        assert_eq!(
            *convert_texels(TexelConversion::DropAlpha, &[1, 2, 3, 4, 5, 6, 7, 8]),
            [3, 2, 1, 7, 6, 5]
        );
        assert_eq!(*convert_texels(TexelConversion::AsIs, &[9]), [9]);
    }
}
