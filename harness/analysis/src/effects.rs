//! The effects of packets on pixels: the surfaces that each packet reads, writes and replaces. A backend that draws
//! nothing records the surfaces of each packet. A replay plan uses these effects to skip draws whose results are never
//! read.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use context3d::backend::{Backend, BackendCaps, BackendError, BackendFactory, NullBackend};
use context3d::enums::{CompareMode, MipFilter, StencilAction};
use context3d::keys::TextureKey;
use context3d::packets::{Clear, Draw, Packet, Raster, RenderTarget, TextureTarget};

/// The type of a surface, stored in the lowest bits of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum SurfaceKind {
    Color,
    Depth,
    Stencil,
    Front,
    /// Mip level 0 of one face of a texture.
    Texture,
    /// All mip levels of a texture's face except level 0.
    Mips,
    /// The multisampled colour, depth and stencil buffers of a set of textures as a render target.
    TextureTarget,
}

/// The unique id of a surface, with its type in the lowest bits.
pub(crate) type SurfaceId = u32;

const KIND_BITS: u32 = 3;

pub(crate) fn is_among(kinds: u8, surface: SurfaceId) -> bool {
    kinds >> (surface & ((1 << KIND_BITS) - 1)) & 1 != 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectAction {
    Draw,
    Clear,
    /// Reads the back buffer's colour and writes the front buffer, by a copy or by a swap.
    Present,
    Mips,
    /// An upload, a dispose or a new back buffer, which is never skipped and discards the old content.
    Replace,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEffect {
    pub(crate) record: usize,
    pub(crate) action: EffectAction,
    /// The index of the effect's first surface in [`Effects::surfaces`]. Four lists follow each other: surfaces that
    /// are written, read as well, or fully replaced, and the other surfaces of the render target.
    start: usize,
    /// The lengths of the four surface lists that begin at `start`.
    counts: [u8; 4],
}

/// A face of a texture: the context, the texture, and the cube face.
type FaceKey = (usize, TextureKey, u8);

#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) all: Vec<CallEffect>,
    surfaces: Vec<SurfaceId>,
    colors: HashMap<usize, SurfaceId>,
    /// Level 0, and the other levels, of the texture faces that were render targets.
    textures: HashMap<FaceKey, [SurfaceId; 2]>,
}

impl Effects {
    /// Returns an effect's surfaces: written, read, fully replaced, and the others of its render target.
    pub(crate) fn of(&self, effect: &CallEffect) -> [&[SurfaceId]; 4] {
        let mut start = effect.start;
        effect.counts.map(|count| {
            let end = start + usize::from(count);
            let part = self.surfaces.get(start..end);
            start = end;
            part.unwrap_or_default()
        })
    }

    /// Returns the index of the first effect at or after the record `records`.
    pub(crate) fn after(&self, records: usize) -> usize {
        self.all.partition_point(|effect| effect.record < records)
    }

    pub(crate) fn color(&self, context: usize) -> Option<SurfaceId> {
        self.colors.get(&context).copied()
    }

    /// Returns level 0 and the other levels of a texture's face, or `None` if the face was never a render target.
    pub(crate) fn levels(&self, face: FaceKey) -> Option<[SurfaceId; 2]> {
        self.textures.get(&face).copied()
    }

    /// Returns the first use of a surface in a range of records: its record, its action, and whether it discards the
    /// surface's old content.
    pub(crate) fn first_use(
        &self,
        records: Range<usize>,
        surface: SurfaceId,
    ) -> Option<(usize, EffectAction, bool)> {
        let later = self.all.iter().skip(self.after(records.start));
        let mut later = later.take_while(|effect| effect.record < records.end);
        let first =
            later.find(|effect| self.of(effect).iter().any(|list| list.contains(&surface)))?;
        let [_, _, kills, _] = self.of(first);
        Some((first.record, first.action, kills.contains(&surface)))
    }

    /// Returns the last record before `records` that writes a surface.
    pub(crate) fn last_change(&self, records: usize, surface: SurfaceId) -> Option<usize> {
        let mut earlier = self.all.iter().take(self.after(records)).rev();
        let changes = |effect: &&CallEffect| {
            let [writes, _, kills, _] = self.of(effect);
            writes.contains(&surface) || kills.contains(&surface)
        };
        earlier.find(changes).map(|effect| effect.record)
    }

    pub(crate) fn take(&mut self, record: usize, context: usize, recorder: &mut EffectRecorder) {
        let [color, ..] = recorder.back;
        self.colors.insert(context, color);
        let faces = recorder.new_faces.drain(..);
        self.textures
            .extend(faces.map(|(texture, side, levels)| ((context, texture, side), levels)));
        for (action, lists) in recorder.recorded.drain(..) {
            let start = self.surfaces.len();
            let counts = lists.each_ref().map(|list| {
                self.surfaces.extend_from_slice(list);
                // A draw uses at most sixteen cube textures with six faces and two surfaces per face, and its render
                // target: fewer than 255 surfaces.
                u8::try_from(list.len()).unwrap_or(u8::MAX)
            });
            self.all.push(CallEffect { record, action, start, counts });
        }
    }
}

/// The surfaces of a render target: its colour surfaces (the back buffer, or multisampled buffers with their resolve
/// textures), and its depth and stencil buffers.
type TargetSurfaces = (Vec<SurfaceId>, Option<[SurfaceId; 2]>);

/// A backend that draws nothing and records the effects of its packets.
#[derive(Default)]
pub(crate) struct EffectRecorder {
    below: NullBackend,
    next: Arc<AtomicU32>,
    target: RenderTarget,
    /// The back buffer's colour, depth and stencil, and the front buffer. `has_depth`: depth and stencil exist.
    back: [SurfaceId; 4],
    has_depth: bool,
    /// The textures that were render targets: by face, level 0 and the other levels.
    textures: HashMap<TextureKey, [Option<[SurfaceId; 2]>; 6]>,
    /// The texture faces that were added to `textures` since the last [`Effects::take`].
    new_faces: Vec<(TextureKey, u8, [SurfaceId; 2])>,
    levels: HashMap<TextureKey, u8>,
    /// The multisampled colour, depth and stencil buffers of each set of textures that was a render target.
    texture_targets: Vec<(TextureTarget, [SurfaceId; 3])>,
    /// Effects since the last [`Effects::take`].
    recorded: Vec<(EffectAction, [Vec<SurfaceId>; 4])>,
}

fn surface(next: &AtomicU32, kind: SurfaceKind) -> SurfaceId {
    next.fetch_add(1, Ordering::Relaxed) << KIND_BITS | kind as u32
}

impl EffectRecorder {
    fn record(&mut self, action: EffectAction, [writes, reads, kills]: [Vec<SurfaceId>; 3]) {
        self.recorded.push((action, [writes, reads, kills, Vec::new()]));
    }

    fn texture(&mut self, key: TextureKey, side: u8) -> [SurfaceId; 2] {
        let (next, new_faces) = (&self.next, &mut self.new_faces);
        let mut create = || {
            let surfaces =
                [SurfaceKind::Texture, SurfaceKind::Mips].map(|kind| surface(next, kind));
            new_faces.push((key, side, surfaces));
            surfaces
        };
        let faces = self.textures.entry(key).or_default();
        match faces.get_mut(usize::from(side)) {
            Some(face) => *face.get_or_insert_with(create),
            None => create(),
        }
    }

    fn attached(&mut self) -> TargetSurfaces {
        let RenderTarget::Textures(target) = self.target else {
            let [color, depth, stencil, _] = self.back;
            return (vec![color], self.has_depth.then_some([depth, stencil]));
        };
        let found = self.texture_targets.iter().rev().find(|(key, _)| *key == target);
        let [samples, depth, stencil] = match found {
            Some((_, surfaces)) => *surfaces,
            None => {
                let surfaces =
                    [SurfaceKind::TextureTarget; 3].map(|kind| surface(&self.next, kind));
                self.texture_targets.push((target, surfaces));
                surfaces
            }
        };
        let mut colors = vec![samples];
        for attachment in target.color.iter().flatten() {
            let [texture, _] = self.texture(attachment.texture, attachment.side);
            colors.push(texture);
        }
        (colors, target.depth_stencil.then_some([depth, stencil]))
    }

    fn draw(&mut self, draw: &Draw) {
        let (mut writes, depth_stencil) = self.attached();
        // The multisampled buffers and their resolve textures are initialized from each other.
        let mut reads = if writes.len() == 1 { Vec::new() } else { writes.clone() };
        if let Some(buffers) = depth_stencil {
            let [written, read] = depth_stencil_uses(&draw.state.raster);
            let used = |which: [bool; 2]| buffers.into_iter().zip(which).filter(|(_, uses)| *uses);
            writes.extend(used(written).map(|(buffer, _)| buffer));
            reads.extend(used(read).map(|(buffer, _)| buffer));
        }
        if !self.textures.is_empty() {
            for binding in draw.textures.iter().flatten() {
                // A sampler without a mip filter reads only level 0.
                let levels = 1 + usize::from(binding.sampler.mip != MipFilter::None);
                let faces = self.textures.get(&binding.texture).into_iter().flatten().flatten();
                reads.extend(faces.flat_map(|face| face.iter().take(levels)));
            }
        }
        let rest = depth_stencil.into_iter().flatten().collect();
        self.recorded.push((EffectAction::Draw, [writes, reads, Vec::new(), rest]));
    }

    fn clear(&mut self, clear: &Clear) {
        let (colors, depth_stencil) = self.attached();
        let mut writes = if clear.color.is_some() { colors } else { Vec::new() };
        if let Some([depth, stencil]) = depth_stencil {
            writes.extend(clear.depth.map(|_| depth));
            writes.extend(clear.stencil.map(|_| stencil));
        }
        let kills = writes.clone();
        self.record(EffectAction::Clear, [writes, Vec::new(), kills]);
    }

    fn disposed(&mut self, key: TextureKey) {
        let faces = self.textures.remove(&key).into_iter();
        let mut kills: Vec<SurfaceId> = faces.flatten().flatten().flatten().collect();
        self.levels.remove(&key);
        self.texture_targets.retain(|(target, surfaces)| {
            let mut textures = target.color.iter().flatten();
            let gone = textures.any(|attachment| attachment.texture == key);
            kills.extend(surfaces.iter().filter(|_| gone));
            !gone
        });
        kills.truncate(usize::from(u8::MAX));
        self.record(EffectAction::Replace, [Vec::new(), Vec::new(), kills]);
    }
}

/// Returns whether a draw writes, and whether it reads, the depth and the stencil buffer.
fn depth_stencil_uses(raster: &Raster) -> [[bool; 2]; 2] {
    let faces = [&raster.stencil_front, &raster.stencil_back];
    let keeps = faces.iter().all(|face| {
        [face.both_pass, face.depth_fail, face.stencil_fail] == [StencilAction::Keep; 3]
    });
    let always = faces.iter().all(|face| face.compare == CompareMode::Always);
    [[raster.depth_write, !keeps], [raster.depth_compare != CompareMode::Always, !always]]
}

impl Backend for EffectRecorder {
    context3d::forward_backend!(self => self.below; caps read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match &packet {
            Packet::Draw(draw) => self.draw(draw),
            Packet::BeginPass(pass) => {
                self.target = pass.target;
                if pass.clear != Clear::default() {
                    self.clear(&pass.clear);
                }
            }
            Packet::Present => {
                self.target = RenderTarget::BackBuffer;
                let [color, _, _, front] = self.back;
                self.record(EffectAction::Present, [vec![front], vec![color], Vec::new()]);
            }
            Packet::ConfigureBackBuffer(shape) => {
                self.has_depth = shape.depth_stencil;
                let kills = self.back.to_vec();
                self.record(EffectAction::Replace, [Vec::new(), Vec::new(), kills]);
            }
            Packet::CreateTexture { key, desc } => drop(self.levels.insert(*key, desc.levels)),
            Packet::UploadTexture { key, side, level: 0, .. }
                if self.textures.contains_key(key) =>
            {
                let [texture, _] = self.texture(*key, *side);
                self.record(EffectAction::Replace, [Vec::new(), Vec::new(), vec![texture]]);
            }
            Packet::GenerateMips { key, side, levels } => {
                let [texture, mips] = self.texture(*key, *side);
                let count = self.levels.get(key).copied().unwrap_or(u8::MAX);
                let all = 1u16.checked_shl(count.into()).unwrap_or(0).wrapping_sub(1) & !1;
                let kills = if *levels & all == all { vec![mips] } else { Vec::new() };
                self.record(EffectAction::Mips, [vec![mips], vec![texture], kills]);
            }
            Packet::DisposeTexture(key) => self.disposed(*key),
            Packet::UploadTexture { .. }
            | Packet::Constants { .. }
            | Packet::CreateVertexBuffer { .. }
            | Packet::UploadVertexBuffer { .. }
            | Packet::PadVertexBuffer { .. }
            | Packet::DisposeVertexBuffer(_)
            | Packet::CreateIndexBuffer { .. }
            | Packet::UploadIndexBuffer { .. }
            | Packet::DisposeIndexBuffer(_)
            | Packet::UploadProgram { .. }
            | Packet::DisposeProgram(_)
            | Packet::ZeroLevel { .. }
            // The multisampled buffer and its resolve texture count as one surface.
            | Packet::EndPass { .. } => {}
        }
        self.below.execute(packet)
    }
}

/// A factory of recording backends with the capabilities of the renderer that later replays the capture and skips
/// packets.
pub(crate) struct EffectRecorderFactory {
    pub(crate) caps: BackendCaps,
    pub(crate) next: Arc<AtomicU32>,
}

impl BackendFactory for EffectRecorderFactory {
    type Backend = EffectRecorder;

    fn create(&mut self) -> Result<EffectRecorder, BackendError> {
        let kinds =
            [SurfaceKind::Color, SurfaceKind::Depth, SurfaceKind::Stencil, SurfaceKind::Front];
        Ok(EffectRecorder {
            below: NullBackend::counting().with_caps(self.caps.clone()),
            next: Arc::clone(&self.next),
            back: kinds.map(|kind| surface(&self.next, kind)),
            ..EffectRecorder::default()
        })
    }
}
