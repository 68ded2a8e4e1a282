//! Textures. The storage is allocated at the first upload, because the layout is unknown before.

use context3d::agal::cube::FACES;
use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{TexelLayout, TextureDesc, TextureKind};
use slotmap::SecondaryMap;
use wgpu::{
    Color, LoadOp, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, TextureAspect,
    TextureDescriptor, TextureDimension, TextureUsages, TextureView, TextureViewDescriptor,
    TextureViewDimension,
};

use crate::blit::Blits;
use crate::commands::Commands;
use crate::format::{StorageFormat, extent, physical, rows};
use crate::program::missing;

/// All textures of a backend.
#[derive(Default)]
pub(crate) struct WgpuTextures {
    all: SecondaryMap<TextureKey, WgpuTexture>,
    /// The id of the newest texture view.
    views: u32,
}

/// A texture, and its content on the device.
struct WgpuTexture {
    desc: TextureDesc,
    stored: Option<TextureMemory>,
    /// For each face, bit n: level n has content.
    levels: [u32; FACES as usize],
    /// The number of the last submission that uses the texture; see [`Commands::submission`].
    used: u64,
}

/// The storage of a texture with content.
pub(crate) struct TextureMemory {
    pub(crate) storage: StorageFormat,
    pub(crate) texture: wgpu::Texture,
    /// The view for samplers, with its id. The view has the consecutive levels, from level 0 on, that all faces have.
    view: Option<(u32, TextureView)>,
    /// For each face: the view of level 0 for rendering.
    faces: [Option<TextureView>; FACES as usize],
}

impl WgpuTextures {
    /// Creates a texture without content. If the key already had a texture, returns the id of the old texture's view.
    pub(crate) fn create(&mut self, key: TextureKey, desc: TextureDesc) -> Option<u32> {
        let levels = [0; FACES as usize];
        let texture = WgpuTexture { desc, stored: None, levels, used: 0 };
        Some(self.all.insert(key, texture)?.stored?.view?.0)
    }

    /// Removes a texture. Returns the id of the texture's view for samplers.
    pub(crate) fn dispose(&mut self, key: TextureKey) -> Option<u32> {
        Some(self.all.remove(key)?.stored?.view?.0)
    }

    #[inline]
    fn get_mut(&mut self, key: TextureKey) -> Result<&mut WgpuTexture, BackendError> {
        self.all.get_mut(key).ok_or_else(|| missing("texture"))
    }

    /// Returns the storage, and the size of a level that has content.
    pub(crate) fn level(
        &self,
        key: TextureKey,
        side: u8,
        level: u8,
    ) -> Option<(&TextureMemory, (u32, u32))> {
        let texture = self.all.get(key)?;
        let levels = texture.levels.get(usize::from(side))?.checked_shr(level.into())?;
        let stored = texture.stored.as_ref().filter(|_| levels & 1 != 0)?;
        Some((stored, texture.level_size(level)))
    }

    /// Uploads a level. If samplers need a new view, returns the id of the old view.
    pub(crate) fn upload(
        &mut self,
        commands: &mut Commands,
        key: TextureKey,
        (side, level): (u8, u8),
        layout: TexelLayout,
        data: &[u8],
    ) -> Result<Option<u32>, BackendError> {
        let texture = self.get_mut(key)?;
        let size = texture.level_size(level);
        texture.store(commands, layout)?;
        // A write through the queue would precede recorded draws to the texture.
        let is_target = |stored: &TextureMemory| stored.faces.iter().any(Option::is_some);
        if texture.used == commands.submission || texture.stored.as_ref().is_some_and(is_target) {
            commands.submit()?;
        }
        let stored = texture.stored.as_ref().ok_or_else(|| missing("texture"))?;
        if layout != stored.storage.layout {
            let text =
                format!("{layout:?} texels for a texture of {:?} texels", stored.storage.layout);
            return Err(BackendError::Driver(text));
        }
        let texels = stored.storage.store(size, data);
        let place = stored.place((side, level), (0, 0));
        let (bytes, rows) = rows(stored.storage.format, size);
        let layout = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(bytes),
            rows_per_image: Some(rows),
        };
        let size = physical(stored.storage.format, size);
        commands.device.checked(|_, queue| queue.write_texture(place, &texels, layout, size))?;
        Ok(self.get_mut(key)?.has_content(side, level))
    }

    /// Fills a level with zeros. wgpu initializes textures with zeros, so only a constant alpha must be set. If
    /// samplers need a new view, returns the id of the old view.
    pub(crate) fn zero(
        &mut self,
        commands: &mut Commands,
        key: TextureKey,
        (side, level): (u8, u8),
    ) -> Result<Option<u32>, BackendError> {
        let texture = self.get_mut(key)?;
        texture.store(commands, texture.desc.format.layout())?;
        if let Some(stored) = texture.stored.as_ref().filter(|stored| stored.storage.opaque) {
            let view = level_view(&stored.texture, side, level);
            commands.begin_color_pass(&view, LoadOp::Clear(Color::BLACK), None);
            commands.end_pass();
            texture.used = commands.submission;
        }
        Ok(texture.has_content(side, level))
    }

    /// Generates mip levels of a face (bit n: level n), each from the previous level.
    pub(crate) fn generate_mips(
        &mut self,
        commands: &mut Commands,
        blits: &mut Blits,
        key: TextureKey,
        side: u8,
        levels: u16,
    ) -> Result<Option<u32>, BackendError> {
        let texture = self.get_mut(key)?;
        let (count, submission) = (texture.desc.levels, commands.submission);
        texture.used = submission;
        let mut gone = None;
        for level in (1..count).filter(|level| levels >> level & 1 != 0) {
            let stored = texture.stored.as_ref().ok_or_else(|| missing("texture"))?;
            let [from, to] =
                [level - 1, level].map(|level| level_view(&stored.texture, side, level));
            blits.draw(commands, &from, &to, (stored.storage.format, 1))?;
            gone = gone.or(texture.has_content(side, level));
        }
        Ok(gone)
    }

    /// Returns the id of the view for samplers, and whether shaders must read 1 as alpha.
    pub(crate) fn sampled(
        &mut self,
        submission: u64,
        key: TextureKey,
        dimension: TextureViewDimension,
    ) -> Result<(u32, bool), BackendError> {
        let WgpuTextures { all, views } = self;
        let texture = all.get_mut(key).ok_or_else(|| missing("texture"))?;
        if (texture.desc.kind == TextureKind::Cube) != (dimension == TextureViewDimension::Cube) {
            return Err(missing("texture of the sampler's kind"));
        }
        texture.used = submission;
        let range = texture.range();
        let stored = texture.stored.as_mut().ok_or_else(|| missing("texture with content"))?;
        let (number, _) = stored.view.get_or_insert_with(|| {
            *views = views.wrapping_add(1);
            let (base, count) = range;
            let view = stored.texture.create_view(&TextureViewDescriptor {
                dimension: Some(dimension),
                base_mip_level: base,
                mip_level_count: Some(count),
                ..Default::default()
            });
            (*views, view)
        });
        Ok((*number, stored.storage.opaque_in_shader))
    }

    /// Returns the view for samplers, which [`WgpuTextures::sampled`] created.
    pub(crate) fn view(&self, key: TextureKey) -> Result<&TextureView, BackendError> {
        let view = self.all.get(key).and_then(|texture| texture.stored.as_ref()?.view.as_ref());
        view.map(|(_, view)| view).ok_or_else(|| missing("texture with content"))
    }

    /// Returns a view for rendering to level 0 of a face, and the storage.
    pub(crate) fn face(
        &mut self,
        key: TextureKey,
        side: u8,
    ) -> Result<(TextureView, StorageFormat), BackendError> {
        let stored =
            self.get_mut(key)?.stored.as_mut().ok_or_else(|| missing("texture with content"))?;
        let TextureMemory { faces, texture, storage, .. } = stored;
        let face = faces.get_mut(usize::from(side)).ok_or_else(|| missing("face of a texture"))?;
        Ok((face.get_or_insert_with(|| level_view(texture, side, 0)).clone(), *storage))
    }
}

impl WgpuTexture {
    /// Allocates the storage, if it isn't allocated yet.
    fn store(&mut self, commands: &Commands, layout: TexelLayout) -> Result<(), BackendError> {
        if self.stored.is_some() {
            return Ok(());
        }
        let desc = self.desc;
        let storage = StorageFormat::of(&desc, layout);
        let mut usage =
            TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST | TextureUsages::COPY_SRC;
        usage.set(TextureUsages::RENDER_ATTACHMENT, !storage.has_blocks());
        let texture = commands.device.checked(|device, _| {
            device.create_texture(&TextureDescriptor {
                label: None,
                size: extent(desc.width, desc.height, desc.kind.faces().into()),
                mip_level_count: desc.levels.max(1).into(),
                sample_count: 1,
                dimension: TextureDimension::D2,
                format: storage.format,
                usage,
                view_formats: &[],
            })
        })?;
        self.stored =
            Some(TextureMemory { storage, texture, view: None, faces: Default::default() });
        Ok(())
    }

    /// Records that a level has content. If samplers need a new view, returns the id of the old view.
    fn has_content(&mut self, side: u8, level: u8) -> Option<u32> {
        let before = self.range();
        if let Some(levels) = self.levels.get_mut(usize::from(side)) {
            *levels |= 1u32.checked_shl(level.into()).unwrap_or(0);
        }
        if self.range() == before {
            return None;
        }
        self.stored.as_mut()?.view.take().map(|(number, _)| number)
    }

    /// Returns the first level that all faces have, and the number of consecutive levels from it on.
    fn range(&self) -> (u32, u32) {
        let faces = self.levels.iter().take(self.desc.kind.faces().into());
        let common = faces.fold(u32::MAX, |common, levels| common & levels);
        let base = common.trailing_zeros() & 31;
        (base, (common >> base).trailing_ones())
    }

    fn level_size(&self, level: u8) -> (u32, u32) {
        let side = |length: u32| length.checked_shr(level.into()).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }
}

impl TextureMemory {
    /// Returns the location of a texel as source or destination of a copy.
    pub(crate) fn place(
        &self,
        (side, level): (u8, u8),
        (x, y): (u32, u32),
    ) -> TexelCopyTextureInfo<'_> {
        TexelCopyTextureInfo {
            texture: &self.texture,
            mip_level: level.into(),
            origin: Origin3d { x, y, z: side.into() },
            aspect: TextureAspect::All,
        }
    }
}

/// Creates a view of one mip level of a face.
fn level_view(texture: &wgpu::Texture, side: u8, level: u8) -> TextureView {
    texture.create_view(&TextureViewDescriptor {
        dimension: Some(TextureViewDimension::D2),
        base_mip_level: level.into(),
        mip_level_count: Some(1),
        base_array_layer: side.into(),
        array_layer_count: Some(1),
        ..Default::default()
    })
}
