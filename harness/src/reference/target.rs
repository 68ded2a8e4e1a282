//! The back buffer, and textures as render targets.

use context3d::packets::{BackBuffer as Shape, ColorAttachment, MAX_COLOR_OUTPUTS, TextureTarget};
use context3d::{BackendError, Region, TextureKey};
use slotmap::SecondaryMap;

use super::budget::Budget;
use super::store::{Store, Texture, missing};
use super::surface::{Surface, area, depth_stencil, pattern};
use super::texel::{Storage, Texels};

/// Setups of textures that are kept. Beyond it the one unused for longest goes.
const MAX_SETUPS: usize = 64;

/// All surfaces of the stage.
pub(super) struct BackBuffer {
    /// What is drawn to; taken out while something draws.
    drawn: Option<Surface>,
    /// Where several samples become one; else `drawn` itself changes places with `front`.
    resolved: Option<Texels>,
    front: Texels,
    size: (u32, u32),
    presented: bool,
}

impl BackBuffer {
    /// # Errors
    /// [`BackendError::OutOfMemory`]
    pub(super) fn new(budget: &Budget, shape: &Shape, most: u8) -> Result<Self, BackendError> {
        let (width, height) = (shape.width, shape.height);
        let pattern = pattern(shape.samples, most);
        let pixels = area(width, height);
        let samples = pixels.saturating_mul(pattern.len());
        let several = pattern.len() > 1;
        let texels = |count| Storage::Rgba8.texels(budget, count);
        Ok(BackBuffer {
            drawn: Some(Surface {
                width,
                height,
                pattern,
                color: [Some(texels(samples)?), None, None, None],
                depth_stencil: depth_stencil(budget, shape.depth_stencil, samples)?,
            }),
            resolved: several.then(|| texels(pixels)).transpose()?,
            front: texels(pixels)?,
            size: (width, height),
            presented: false,
        })
    }

    /// What was drawn so far, one texel a pixel: right in this region, which lies inside.
    pub(super) fn read(&mut self, region: Region) -> Option<&Texels> {
        let drawn = self.drawn.as_ref()?;
        let color = drawn.color.first()?.as_ref()?;
        match &mut self.resolved {
            None => Some(color),
            Some(resolved) => {
                let rows = area(self.size.0, region.y);
                let rows = rows..rows + area(self.size.0, region.height);
                color.resolve(drawn.pattern.len(), rows, resolved);
                Some(resolved)
            }
        }
    }

    /// Shows what was drawn.
    pub(super) fn present(&mut self) {
        let Some(drawn) = &mut self.drawn else {
            return;
        };
        let [Some(color), ..] = &mut drawn.color else {
            return;
        };
        match &mut self.resolved {
            None => std::mem::swap(color, &mut self.front),
            Some(_) => {
                let all = 0..self.front.len();
                color.resolve(drawn.pattern.len(), all, &mut self.front);
            }
        }
        self.presented = true;
    }

    /// What the last present showed.
    pub(super) fn front(&self) -> Option<&Texels> {
        self.presented.then_some(&self.front)
    }

    /// Width and height.
    pub(super) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// The surface to draw to; it is to be put back.
    pub(super) fn slot(&mut self) -> &mut Option<Surface> {
        &mut self.drawn
    }
}

/// One setup of textures.
struct Setup {
    key: TextureTarget,
    /// Everything but colour where there is one sample a pixel: that is the textures' own.
    surface: Option<Surface>,
    /// What the samples were filled from: differs from the textures' versions when these have changed since.
    loaded: [Option<u64>; MAX_COLOR_OUTPUTS],
    /// The samples hold something that the textures don't.
    unresolved: bool,
    last_use: u64,
}

/// All setups in use.
#[derive(Default)]
pub(super) struct Setups {
    setups: Vec<Setup>,
    /// The one that is drawn to.
    current: Option<usize>,
    clock: u64,
}

impl Setups {
    /// Makes a setup ready to be drawn to, with the textures' content in it unless `cleared` says that colour is about to
    /// be replaced.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], and [`BackendError::Driver`] for a texture that isn't there.
    pub(super) fn enter(
        &mut self,
        store: &mut Store,
        key: &TextureTarget,
        most: u8,
        cleared: bool,
    ) -> Result<(), BackendError> {
        self.clock = self.clock.saturating_add(1);
        let found = self.setups.iter().position(|setup| setup.key == *key);
        let index = match found {
            Some(index) => index,
            None => {
                self.make_room();
                self.setups.push(Setup::new(store, key, most)?);
                self.setups.len().saturating_sub(1)
            }
        };
        self.current = Some(index);
        if let Some(setup) = self.setups.get_mut(index) {
            setup.last_use = self.clock;
            setup.load(&mut store.textures, cleared);
        }
        Ok(())
    }

    fn make_room(&mut self) {
        if self.setups.len() < MAX_SETUPS {
            return;
        }
        let ages = self.setups.iter().enumerate();
        if let Some((oldest, _)) = ages.min_by_key(|(_, setup)| setup.last_use) {
            self.setups.swap_remove(oldest);
        }
    }

    /// Whether something was entered and not left.
    pub(super) fn is_entered(&self) -> bool {
        self.current.is_some()
    }

    /// Brings what was drawn into the textures.
    pub(super) fn leave(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>) {
        let current = self.current.take();
        if let Some(setup) = current.and_then(|index| self.setups.get_mut(index)) {
            setup.resolve(textures);
        }
    }

    /// Drops every setup that this texture is part of. Nothing is entered.
    pub(super) fn texture_deleted(&mut self, texture: TextureKey) {
        self.setups
            .retain(|setup| !attachments(&setup.key).any(|(_, a)| a.texture == texture));
    }

    /// Takes the surface that is drawn to; it is to be [given back](Setups::put_back).
    pub(super) fn take(
        &mut self,
        textures: &mut SecondaryMap<TextureKey, Texture>,
    ) -> Option<Surface> {
        let setup = self.setups.get_mut(self.current?)?;
        let mut surface = setup.surface.take()?;
        if surface.pattern.len() == 1 {
            swap_colors(&setup.key, &mut surface, textures);
        }
        Some(surface)
    }

    /// Undoes [`Setups::take`].
    pub(super) fn put_back(
        &mut self,
        mut surface: Surface,
        textures: &mut SecondaryMap<TextureKey, Texture>,
    ) {
        let setup = self.current.and_then(|index| self.setups.get_mut(index));
        let Some(setup) = setup else { return };
        if surface.pattern.len() == 1 {
            swap_colors(&setup.key, &mut surface, textures);
        }
        setup.surface = Some(surface);
    }
}

/// By output, what is attached.
fn attachments(key: &TextureTarget) -> impl Iterator<Item = (usize, ColorAttachment)> {
    let outputs = key.color.iter().enumerate();
    outputs.filter_map(|(output, attachment)| Some((output, (*attachment)?)))
}

/// The textures' texels change places with those of the surface.
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

impl Setup {
    fn new(store: &mut Store, key: &TextureTarget, most: u8) -> Result<Self, BackendError> {
        let pattern = pattern(key.samples, most);
        let budget = store.budget.clone();
        let samples = area(key.width, key.height).saturating_mul(pattern.len());
        let mut color = [const { None }; MAX_COLOR_OUTPUTS];
        for (output, attachment) in attachments(key) {
            let texture = store.texture(attachment.texture)?;
            if texture.size(0) != (key.width, key.height) {
                return Err(missing("texture of the target's size"));
            }
            texture.prepare_target(&budget)?;
            if let (true, Some(color)) = (pattern.len() > 1, color.get_mut(output)) {
                *color = Some(texture.storage().texels(&budget, samples)?);
            }
        }
        Ok(Setup {
            key: *key,
            surface: Some(Surface {
                width: key.width,
                height: key.height,
                pattern,
                color,
                depth_stencil: depth_stencil(&budget, key.depth_stencil, samples)?,
            }),
            loaded: [None; MAX_COLOR_OUTPUTS],
            unresolved: false,
            last_use: 0,
        })
    }

    /// Fills the samples with what the textures show, where these have changed: entering a target keeps its colour
    /// (context3d.md section 7). Samples that nothing else has drawn over stay as they are.
    fn load(&mut self, textures: &mut SecondaryMap<TextureKey, Texture>, cleared: bool) {
        let mut versions = |change: fn(&mut Texture) -> u64| {
            self.key.color.map(|attachment| {
                let texture = textures.get_mut(attachment?.texture)?;
                Some(change(texture))
            })
        };
        let stale = self.loaded != versions(|texture| texture.version());
        // What is drawn now makes the copies in other setups of these textures old.
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

    /// The samples' means go to the textures.
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
