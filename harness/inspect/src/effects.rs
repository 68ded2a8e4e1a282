//! What the packets of a replay do to pixels, as a list: which surfaces each one changes, reads and replaces. Found by a
//! backend that draws nothing, and the ground on which [`crate::plan`] leaves out what nobody can see.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use context3d::backend::{Backend, BackendCaps, BackendError, BackendFactory, Layer, NullBackend};
use context3d::enums::{CompareMode, StencilAction};
use context3d::keys::TextureKey;
use context3d::packets::{Clear, Draw, Packet, Raster, Target, TextureTarget};

/// The kind of a surface; it stands in its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// Colour of a back buffer.
    Color,
    /// Depth of a back buffer.
    Depth,
    /// Stencil of a back buffer.
    Stencil,
    /// What a context has presented.
    Front,
    /// The largest level of one face of a texture.
    Texture,
    /// Its other levels.
    Mips,
    /// Samples, depth and stencil that a set of textures has as a target.
    Setup,
}

/// A surface: a number of its own, and its kind in the lowest bits.
pub(crate) type Surface = u32;

/// Bits of the kind.
const KIND_BITS: u32 = 3;

/// Whether a set of kinds, a bit each, has that of a surface.
pub(crate) fn is_among(kinds: u8, surface: Surface) -> bool {
    kinds >> (surface & ((1 << KIND_BITS) - 1)) & 1 != 0
}

/// What carries out an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Draw,
    Clear,
    /// The back buffer's colour, which it reads, becomes the front, which it changes; or both change places.
    Present,
    Mips,
    /// It is always carried out, and what it replaces no longer matters.
    Replace,
}

/// A packet that does something to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    /// The record that it belongs to.
    pub(crate) record: usize,
    pub(crate) action: Action,
    /// Where its surfaces begin in the list of all: what it changes, what it reads besides, what it
    /// replaces whole, and what else belongs to its target.
    start: usize,
    counts: [u8; 4],
}

/// The effects of a capture so far.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) all: Vec<Effect>,
    surfaces: Vec<Surface>,
    /// By context: the colour of its back buffer.
    colors: HashMap<usize, Surface>,
    /// By context and face: the largest level of textures that were drawn into.
    textures: HashMap<(usize, TextureKey, u8), Surface>,
}

impl Effects {
    /// The surfaces that an effect changes, reads besides, replaces whole, and the rest of its target.
    pub(crate) fn of(&self, effect: &Effect) -> [&[Surface]; 4] {
        let mut start = effect.start;
        effect.counts.map(|count| {
            let end = start + usize::from(count);
            let part = self.surfaces.get(start..end);
            start = end;
            part.unwrap_or_default()
        })
    }

    /// The place of the first effect that doesn't belong to the first `records` records.
    pub(crate) fn after(&self, records: usize) -> usize {
        self.all.partition_point(|effect| effect.record < records)
    }

    /// The back buffer's colour of a context.
    pub(crate) fn color(&self, context: usize) -> Option<Surface> {
        self.colors.get(&context).copied()
    }

    /// The largest level of a face of a context's texture, if it was ever drawn into.
    pub(crate) fn texture(&self, context: usize, texture: TextureKey, side: u8) -> Option<Surface> {
        self.textures.get(&(context, texture, side)).copied()
    }

    /// The record, from this one on, that replaces a surface before anything of its old content can be seen.
    pub(crate) fn begin_anew(&self, record: usize, surface: Surface) -> Option<usize> {
        let mut later = self.all.iter().skip(self.after(record));
        let uses = |effect: &&Effect| self.of(effect).iter().any(|list| list.contains(&surface));
        let first = later.find(uses)?;
        let [_, _, kills, _] = self.of(first);
        kills.contains(&surface).then_some(first.record)
    }

    /// The last of the first so many records that changes a surface.
    pub(crate) fn last_change(&self, records: usize, surface: Surface) -> Option<usize> {
        let mut earlier = self.all.iter().take(self.after(records)).rev();
        let changes = |effect: &&Effect| {
            let [writes, _, kills, _] = self.of(effect);
            writes.contains(&surface) || kills.contains(&surface)
        };
        earlier.find(changes).map(|effect| effect.record)
    }

    /// Takes what a context's backend has noted.
    pub(crate) fn take(&mut self, record: usize, context: usize, noted: &mut Noting) {
        let [color, ..] = noted.back;
        self.colors.insert(context, color);
        let made = noted.made.drain(..);
        self.textures
            .extend(made.map(|(texture, side, surface)| ((context, texture, side), surface)));
        for (action, lists) in noted.out.drain(..) {
            let start = self.surfaces.len();
            let counts = lists.each_ref().map(|list| {
                self.surfaces.extend_from_slice(list);
                // A draw reads at most two surfaces of six faces of sixteen textures, and its target.
                u8::try_from(list.len()).unwrap_or(u8::MAX)
            });
            self.all.push(Effect {
                record,
                action,
                start,
                counts,
            });
        }
    }
}

/// The surfaces of a target.
struct Attached {
    /// Those that hold the same colours: textures, and the samples drawn into them.
    colors: Vec<Surface>,
    depth_stencil: Option<[Surface; 2]>,
}

/// Draws nothing, and notes what it should have drawn.
pub(crate) struct Noting {
    below: NullBackend,
    next: Arc<AtomicU32>,
    target: Target,
    /// Colour, depth, stencil and front of the back buffer, and whether it has depth and stencil.
    back: [Surface; 4],
    has_depth: bool,
    /// By face: the largest level and the others, of textures that were drawn into.
    textures: HashMap<TextureKey, [Option<[Surface; 2]>; 6]>,
    /// Largest levels that are new in `textures`.
    made: Vec<(TextureKey, u8, Surface)>,
    levels: HashMap<TextureKey, u8>,
    /// Samples, depth and stencil.
    setups: Vec<(TextureTarget, [Surface; 3])>,
    out: Vec<(Action, [Vec<Surface>; 4])>,
}

fn surface(next: &AtomicU32, kind: Kind) -> Surface {
    next.fetch_add(1, Ordering::Relaxed) << KIND_BITS | kind as u32
}

impl Noting {
    fn note(&mut self, action: Action, [writes, reads, kills]: [Vec<Surface>; 3]) {
        self.out.push((action, [writes, reads, kills, Vec::new()]));
    }

    fn texture(&mut self, key: TextureKey, side: u8) -> [Surface; 2] {
        let (next, noted) = (&self.next, &mut self.made);
        let mut made = || {
            let surfaces = [Kind::Texture, Kind::Mips].map(|kind| surface(next, kind));
            noted.push((key, side, surfaces[0]));
            surfaces
        };
        let faces = self.textures.entry(key).or_default();
        match faces.get_mut(usize::from(side)) {
            Some(face) => *face.get_or_insert_with(made),
            None => made(),
        }
    }

    fn attached(&mut self) -> Attached {
        let Target::Textures(target) = self.target else {
            let [color, depth, stencil, _] = self.back;
            return Attached {
                colors: vec![color],
                depth_stencil: self.has_depth.then_some([depth, stencil]),
            };
        };
        let found = self.setups.iter().rev().find(|(key, _)| *key == target);
        let [samples, depth, stencil] = match found {
            Some((_, surfaces)) => *surfaces,
            None => {
                let made = [Kind::Setup; 3].map(|kind| surface(&self.next, kind));
                self.setups.push((target, made));
                made
            }
        };
        let mut colors = vec![samples];
        for attachment in target.color.iter().flatten() {
            let [texture, _] = self.texture(attachment.texture, attachment.side);
            colors.push(texture);
        }
        Attached {
            colors,
            depth_stencil: target.depth_stencil.then_some([depth, stencil]),
        }
    }

    fn draw(&mut self, draw: &Draw) {
        let target = self.attached();
        // Samples and textures are made of each other.
        let mut reads = match target.colors.len() {
            1 => Vec::new(),
            _ => target.colors.clone(),
        };
        let mut writes = target.colors;
        if let Some([depth, stencil]) = target.depth_stencil {
            let uses = Uses::of(&draw.raster);
            writes.extend(uses.writes_depth.then_some(depth));
            writes.extend(uses.writes_stencil.then_some(stencil));
            reads.extend(uses.reads_depth.then_some(depth));
            reads.extend(uses.reads_stencil.then_some(stencil));
        }
        if !self.textures.is_empty() {
            for binding in draw.textures.iter().flatten() {
                let faces = self.textures.get(&binding.texture).into_iter();
                reads.extend(faces.flatten().flatten().flatten());
            }
        }
        let rest = target.depth_stencil.into_iter().flatten().collect();
        self.out
            .push((Action::Draw, [writes, reads, Vec::new(), rest]));
    }

    fn clear(&mut self, clear: &Clear) {
        let target = self.attached();
        let mut writes = match clear.color {
            Some(_) => target.colors,
            None => Vec::new(),
        };
        if let Some([depth, stencil]) = target.depth_stencil {
            writes.extend(clear.depth.map(|_| depth));
            writes.extend(clear.stencil.map(|_| stencil));
        }
        let kills = writes.clone();
        self.note(Action::Clear, [writes, Vec::new(), kills]);
    }

    fn disposed(&mut self, key: TextureKey) {
        let faces = self.textures.remove(&key).into_iter();
        let mut kills: Vec<Surface> = faces.flatten().flatten().flatten().collect();
        self.levels.remove(&key);
        self.setups.retain(|(target, surfaces)| {
            let mut textures = target.color.iter().flatten();
            let gone = textures.any(|attachment| attachment.texture == key);
            kills.extend(surfaces.iter().filter(|_| gone));
            !gone
        });
        kills.truncate(usize::from(u8::MAX));
        self.note(Action::Replace, [Vec::new(), Vec::new(), kills]);
    }
}

/// What a draw does with depth and stencil.
struct Uses {
    writes_depth: bool,
    reads_depth: bool,
    writes_stencil: bool,
    reads_stencil: bool,
}

impl Uses {
    fn of(raster: &Raster) -> Uses {
        let faces = [&raster.stencil_front, &raster.stencil_back];
        let keeps = faces.iter().all(|face| {
            let actions = [face.both_pass, face.depth_fail, face.stencil_fail];
            actions == [StencilAction::Keep; 3]
        });
        let always = |mode: CompareMode| mode == CompareMode::Always;
        Uses {
            writes_depth: raster.depth_write,
            reads_depth: !always(raster.depth_compare),
            writes_stencil: !keeps,
            reads_stencil: !faces.iter().all(|face| always(face.compare)),
        }
    }
}

impl Layer for Noting {
    type Below = NullBackend;

    fn capabilities(&self) -> &BackendCaps {
        self.below.caps()
    }

    fn below(&mut self) -> Result<&mut NullBackend, BackendError> {
        Ok(&mut self.below)
    }

    fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match &packet {
            Packet::Draw(draw) => self.draw(draw),
            Packet::Clear(clear) => self.clear(clear),
            Packet::SetTarget(target) => self.target = *target,
            Packet::Present => {
                self.target = Target::BackBuffer;
                let [color, _, _, front] = self.back;
                self.note(Action::Present, [vec![front], vec![color], Vec::new()]);
            }
            Packet::ConfigureBackBuffer(shape) => {
                self.has_depth = shape.depth_stencil;
                let kills = self.back.to_vec();
                self.note(Action::Replace, [Vec::new(), Vec::new(), kills]);
            }
            Packet::CreateTexture { key, desc } => drop(self.levels.insert(*key, desc.levels)),
            Packet::UploadTexture {
                key,
                side,
                level: 0,
                ..
            } if self.textures.contains_key(key) => {
                let [texture, _] = self.texture(*key, *side);
                self.note(Action::Replace, [Vec::new(), Vec::new(), vec![texture]]);
            }
            Packet::GenerateMips { key, side, levels } => {
                let [texture, mips] = self.texture(*key, *side);
                let count = self.levels.get(key).copied().unwrap_or(u8::MAX);
                let all = 1u16.checked_shl(count.into()).unwrap_or(0).wrapping_sub(1) & !1;
                let kills = if *levels & all == all {
                    vec![mips]
                } else {
                    Vec::new()
                };
                self.note(Action::Mips, [vec![mips], vec![texture], kills]);
            }
            Packet::DisposeTexture(key) => self.disposed(*key),
            Packet::UploadTexture { .. }
            | Packet::Constants { .. }
            | Packet::CreateVertexBuffer { .. }
            | Packet::UploadVertexBuffer { .. }
            | Packet::DisposeVertexBuffer(_)
            | Packet::CreateIndexBuffer { .. }
            | Packet::UploadIndexBuffer { .. }
            | Packet::DisposeIndexBuffer(_)
            | Packet::UploadProgram { .. }
            | Packet::DisposeProgram(_) => {}
        }
        self.below.execute(packet)
    }
}

/// Makes backends that note, with the capabilities of the renderer that follows their notes.
pub(crate) struct NotingFactory {
    caps: BackendCaps,
    next: Arc<AtomicU32>,
}

impl NotingFactory {
    pub(crate) fn new(caps: BackendCaps) -> Self {
        NotingFactory {
            caps,
            next: Arc::default(),
        }
    }
}

impl BackendFactory for NotingFactory {
    type Backend = Noting;

    fn create(&mut self) -> Result<Noting, BackendError> {
        let kinds = [Kind::Color, Kind::Depth, Kind::Stencil, Kind::Front];
        Ok(Noting {
            below: NullBackend::counting().with_caps(self.caps.clone()),
            next: Arc::clone(&self.next),
            target: Target::BackBuffer,
            back: kinds.map(|kind| surface(&self.next, kind)),
            has_depth: false,
            textures: HashMap::new(),
            made: Vec::new(),
            levels: HashMap::new(),
            setups: Vec::new(),
            out: Vec::new(),
        })
    }
}
