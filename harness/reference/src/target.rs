//! Textures as render targets.

use context3d::backend::BackendError;
use context3d::keys::TextureKey;
use context3d::packets::{ColorAttachment, MAX_COLOR_OUTPUTS, TextureTarget};
use slotmap::SecondaryMap;

use super::budget::Budget;
use super::store::{Store, Texture, missing};
use super::surface::{Surface, area, depth_stencil, pattern};
use super::texel::Storage;

/// Largest number of kept targets. The least recently used one is dropped.
const MAX_RENDER_TARGETS: usize = 64;
/// While all targets take fewer bytes, each keeps its samples and depth. Otherwise targets share surfaces: colour is in
/// the textures, and depth is invalid once another target is set ("cleared by force at the first draw", context3d.md
/// section 7).
const KEPT_BYTES: usize = 256 << 20;

/// A render target of textures, with its surface.
#[derive(Clone)]
struct RenderTarget {
    key: TextureTarget,
    desc: SurfaceDesc,
    /// Taken out during a draw; `None` if another target has taken it.
    surface: Option<Surface>,
    /// The versions of the textures that the samples were loaded from; textures with other versions have changed since.
    loaded: [Option<u64>; MAX_COLOR_OUTPUTS],
    /// The samples have content that the textures don't have yet.
    unresolved: bool,
    last_use: u64,
}

/// The properties that two targets must share to use the same surface.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SurfaceDesc {
    width: u32,
    height: u32,
    pattern: &'static [(i64, i64)],
    /// `None` with one sample a pixel: colour is then stored in the textures.
    color: [Option<Storage>; MAX_COLOR_OUTPUTS],
    depth_stencil: bool,
}

impl SurfaceDesc {
    fn samples(&self) -> usize {
        area(self.width, self.height).saturating_mul(self.pattern.len())
    }

    fn bytes(&self) -> usize {
        let color: usize = self.color.iter().flatten().map(|kind| kind.bytes()).sum();
        let depth = usize::from(self.depth_stencil) * size_of::<u32>();
        self.samples().saturating_mul(color + depth)
    }

    fn surface(&self, budget: &Budget) -> Result<Surface, BackendError> {
        let mut color = [const { None }; MAX_COLOR_OUTPUTS];
        for (color, storage) in color.iter_mut().zip(self.color) {
            let texels = storage.map(|storage| storage.texels(budget, self.samples()));
            *color = texels.transpose()?;
        }
        Ok(Surface {
            width: self.width,
            height: self.height,
            pattern: self.pattern,
            color,
            depth_stencil: depth_stencil(budget, self.depth_stencil, self.samples())?,
        })
    }
}

/// All targets in use.
#[derive(Clone)]
pub(super) struct RenderTargets {
    targets: Vec<RenderTarget>,
    /// [`KEPT_BYTES`]
    kept: usize,
    /// The current target.
    current: Option<usize>,
    clock: u64,
}

impl Default for RenderTargets {
    fn default() -> Self {
        RenderTargets { targets: Vec::new(), kept: KEPT_BYTES, current: None, clock: 0 }
    }
}

impl RenderTargets {
    /// Makes these textures the target, with the textures' content unless `cleared` says that colour is about to be replaced.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], and [`BackendError::Driver`] for a missing texture.
    pub(super) fn enter(
        &mut self,
        store: &mut Store,
        key: &TextureTarget,
        most: u8,
        cleared: bool,
    ) -> Result<(), BackendError> {
        self.clock = self.clock.saturating_add(1);
        let found = self.targets.iter().position(|target| target.key == *key);
        let index = match found {
            Some(index) => index,
            None => {
                self.make_room();
                self.targets.push(RenderTarget::new(store, key, most)?);
                self.targets.len().saturating_sub(1)
            }
        };
        self.furnish(&store.budget, index)?;
        self.current = Some(index);
        if let Some(target) = self.targets.get_mut(index) {
            target.last_use = self.clock;
            target.load(&mut store.textures, cleared);
        }
        Ok(())
    }

    fn make_room(&mut self) {
        if self.targets.len() < MAX_RENDER_TARGETS {
            return;
        }
        let ages = self.targets.iter().enumerate();
        if let Some((oldest, _)) = ages.min_by_key(|(_, target)| target.last_use) {
            self.targets.swap_remove(oldest);
        }
    }

    /// Gives a target a surface if it has none: a new one, or that of another target. No target may be entered.
    fn furnish(&mut self, budget: &Budget, index: usize) -> Result<(), BackendError> {
        let bare = self.targets.get(index).filter(|target| target.surface.is_none());
        let Some(desc) = bare.map(|target| target.desc) else {
            return Ok(());
        };
        let mut surface = None;
        if self.bytes().saturating_add(desc.bytes()) > self.kept {
            surface = self.take_oldest(|other| other.desc == desc);
        }
        if surface.is_none() {
            while self.bytes().saturating_add(desc.bytes()) > self.kept
                && self.take_oldest(|_| true).is_some()
            {}
        }
        let surface = match surface.map_or_else(|| desc.surface(budget), Ok) {
            Err(BackendError::OutOfMemory) => {
                while self.take_oldest(|_| true).is_some() {}
                desc.surface(budget)?
            }
            made => made?,
        };
        if let Some(target) = self.targets.get_mut(index) {
            target.surface = Some(surface);
            target.loaded = [None; MAX_COLOR_OUTPUTS];
        }
        Ok(())
    }

    /// Takes the least recently used surface that fits from its target.
    fn take_oldest(&mut self, fits: impl Fn(&RenderTarget) -> bool) -> Option<Surface> {
        let targets = self.targets.iter_mut();
        let having = targets.filter(|target| target.surface.is_some() && fits(target));
        having.min_by_key(|target| target.last_use)?.surface.take()
    }

    fn bytes(&self) -> usize {
        let having = self.targets.iter().filter(|target| target.surface.is_some());
        having.fold(0, |sum, target| sum.saturating_add(target.desc.bytes()))
    }

    /// Whether a target is entered.
    pub(super) fn is_entered(&self) -> bool {
        self.current.is_some()
    }

    /// Copies the drawn content to the textures.
    pub(super) fn leave(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>) {
        let current = self.current.take();
        if let Some(target) = current.and_then(|index| self.targets.get_mut(index)) {
            target.resolve(textures);
        }
    }

    /// Drops all targets with this texture. No target may be entered.
    pub(super) fn texture_deleted(&mut self, texture: TextureKey) {
        self.targets.retain(|target| !attachments(&target.key).any(|(_, a)| a.texture == texture));
    }

    /// Takes the current surface; the caller [puts it back](RenderTargets::put_back).
    pub(super) fn take(
        &mut self,
        textures: &mut SecondaryMap<TextureKey, Texture>,
    ) -> Option<Surface> {
        let target = self.targets.get_mut(self.current?)?;
        let mut surface = target.surface.take()?;
        if surface.pattern.len() == 1 {
            swap_colors(&target.key, &mut surface, textures);
        }
        Some(surface)
    }

    /// Undoes [`RenderTargets::take`].
    pub(super) fn put_back(
        &mut self,
        mut surface: Surface,
        textures: &mut SecondaryMap<TextureKey, Texture>,
    ) {
        let target = self.current.and_then(|index| self.targets.get_mut(index));
        let Some(target) = target else { return };
        if surface.pattern.len() == 1 {
            swap_colors(&target.key, &mut surface, textures);
        }
        target.surface = Some(surface);
    }
}

/// The attachments by output.
fn attachments(key: &TextureTarget) -> impl Iterator<Item = (usize, ColorAttachment)> {
    let outputs = key.color.iter().enumerate();
    outputs.filter_map(|(output, attachment)| Some((output, (*attachment)?)))
}

/// Swaps the textures' texels with those of the surface.
fn swap_colors(
    key: &TextureTarget,
    surface: &mut Surface,
    textures: &mut SecondaryMap<TextureKey, Texture>,
) {
    for (output, attachment) in attachments(key) {
        let texture = textures.get_mut(attachment.texture);
        let slot = texture.and_then(|texture| texture.slot(attachment.side, 0));
        if let (Some(slot), Some(color)) = (slot, surface.color.get_mut(output)) {
            std::mem::swap(slot, color);
        }
    }
}

impl RenderTarget {
    fn new(store: &mut Store, key: &TextureTarget, most: u8) -> Result<Self, BackendError> {
        let pattern = pattern(key.samples, most);
        let budget = store.budget.clone();
        let mut color = [None; MAX_COLOR_OUTPUTS];
        for (output, attachment) in attachments(key) {
            let texture = store.texture(attachment.texture)?;
            if texture.size(0) != (key.width, key.height) {
                return Err(missing("texture of the target's size"));
            }
            texture.prepare_target(&budget)?;
            if let (true, Some(color)) = (pattern.len() > 1, color.get_mut(output)) {
                *color = Some(texture.storage());
            }
        }
        Ok(RenderTarget {
            key: *key,
            desc: SurfaceDesc {
                width: key.width,
                height: key.height,
                pattern,
                color,
                depth_stencil: key.depth_stencil,
            },
            surface: None,
            loaded: [None; MAX_COLOR_OUTPUTS],
            unresolved: false,
            last_use: 0,
        })
    }

    /// Loads the samples from the textures that have changed: entering a target keeps its colour (context3d.md section
    /// 7). Samples whose pixels have not changed are kept.
    fn load(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>, cleared: bool) {
        let mut versions = |change: fn(&mut Texture) -> u64| {
            self.key.color.map(|attachment| {
                let texture = textures.get_mut(attachment?.texture)?;
                Some(change(texture))
            })
        };
        let stale = self.loaded != versions(|texture| texture.version());
        // Drawing now invalidates the copies in other targets of these textures.
        self.loaded = versions(Texture::touch);
        let Some(surface) = &mut self.surface else {
            return;
        };
        self.unresolved = surface.pattern.len() > 1;
        if !self.unresolved || !stale || cleared {
            return;
        }
        for (output, attachment) in attachments(&self.key) {
            let texture = textures.get(attachment.texture);
            let texels = texture.and_then(|texture| texture.level(attachment.side, 0));
            if let (Some(texels), Some(Some(color))) = (texels, surface.color.get_mut(output)) {
                color.spread(surface.pattern.len(), texels);
            }
        }
    }

    /// Resolves the samples to the textures.
    fn resolve(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>) {
        let Some(surface) = self.surface.as_ref().filter(|_| self.unresolved) else {
            return;
        };
        self.unresolved = false;
        for (output, attachment) in attachments(&self.key) {
            let texture = textures.get_mut(attachment.texture);
            let slot = texture.and_then(|texture| texture.slot(attachment.side, 0));
            if let (Some(Some(texels)), Some(Some(color))) = (slot, surface.color.get(output)) {
                let all = 0..texels.len();
                color.resolve(surface.pattern.len(), all, texels);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use context3d::backend::{Backend as _, Surface};
    use context3d::enums::TextureFormat;
    use context3d::packets::{Clear, Packet, Target, TextureDesc, TextureKind};
    use slotmap::SlotMap;

    use super::super::{Options, ReferenceBackend};
    use super::*;

    const SIDE: u32 = 16;
    /// Bytes of colour and depth of a target with four samples.
    const SET: usize = 16 * 16 * 4 * 8;

    /// As in `backend-gl`: many targets share few surfaces, and each keeps its colour.
    #[test]
    fn targets_take_turns() {
        for (kept, sets) in [(0, 1), (2 * SET, 2), (usize::MAX, 6)] {
            let mut backend = ReferenceBackend::new(Options::default());
            backend.targets.kept = kept;
            let mut run = |packet: Packet<'_>| assert_eq!(backend.execute(packet), Ok(()));
            let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
            let keys = [(); 6].map(|()| map.insert(()));
            let enter = |texture| {
                let attachment = ColorAttachment { texture, side: 0 };
                Packet::SetTarget(Target::Textures(TextureTarget {
                    color: [Some(attachment), None, None, None],
                    width: SIDE,
                    height: SIDE,
                    samples: 4,
                    depth_stencil: true,
                }))
            };
            let clear = |color| {
                let (depth, stencil) = (Some(1.0), Some(0));
                Packet::Clear(Clear { color, depth, stencil })
            };
            for (n, key) in (0u8..).zip(keys) {
                let desc = TextureDesc {
                    kind: TextureKind::TwoD,
                    format: TextureFormat::Bgra,
                    width: SIDE,
                    height: SIDE,
                    levels: 1,
                    render_target: true,
                };
                run(Packet::CreateTexture { key, desc });
                run(enter(key));
                run(clear(Some([f32::from(n) / 255.0, 0.0, 1.0, 1.0])));
            }
            for key in keys {
                run(enter(key));
                run(clear(None));
            }
            let targets = backend.targets.targets.iter();
            let having = targets.filter(|target| target.surface.is_some()).count();
            assert_eq!((having, backend.targets.bytes()), (sets, sets * SET));
            for (n, texture) in (0..).zip(keys) {
                let (side, level) = (0, 0);
                let surface = Surface::Texture { texture, side, level };
                let mut pixels = Vec::new();
                assert!(backend.read_pixels(surface, &mut pixels).is_ok());
                assert!(pixels.chunks(4).all(|pixel| pixel == [n, 0, 255, 255]));
            }
        }
    }

    /// Unused targets never cause an allocation to fail.
    #[test]
    fn targets_that_were_left_make_room() {
        // Two textures, and one surface: four samples with depth, then eight without.
        let memory = SET + 2 * SET / 8;
        let mut backend = ReferenceBackend::new(Options { memory, ..Options::default() });
        let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
        for depth_stencil in [true, false] {
            let key = map.insert(());
            let desc = TextureDesc {
                kind: TextureKind::TwoD,
                format: TextureFormat::Bgra,
                width: SIDE,
                height: SIDE,
                levels: 1,
                render_target: true,
            };
            assert_eq!(backend.execute(Packet::CreateTexture { key, desc }), Ok(()));
            let attachment = ColorAttachment { texture: key, side: 0 };
            let target = TextureTarget {
                color: [Some(attachment), None, None, None],
                width: SIDE,
                height: SIDE,
                samples: if depth_stencil { 4 } else { 8 },
                depth_stencil,
            };
            let target = Packet::SetTarget(Target::Textures(target));
            assert_eq!(backend.execute(target), Ok(()));
            let clear = Clear { color: Some([1.0; 4]), depth: None, stencil: None };
            assert_eq!(backend.execute(Packet::Clear(clear)), Ok(()));
        }
    }
}
