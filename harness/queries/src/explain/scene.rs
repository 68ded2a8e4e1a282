//! Replays one frame of a capture with changed calls, and calculates each call's share of the wrong pixels.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use context3d::backend::ReadSurface;
use molehill_analysis::calls::{is_draw, is_upload, renders};
use molehill_analysis::capture::CaptureEntry;
use molehill_analysis::renderers::pair;
use molehill_analysis::state::{StateArea, StateItem, StateSlot, set_by};
use molehill_analysis::trim::{Extract, extract};
use molehill_analysis::wrong::TOLERANCE;
use molehill_analysis::{InspectError, Inspector, ReferencePlayer, Result};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use molehill_reference::ReferenceFactory;
use molehill_reference::watch::{Watch, WatchRecord};
use molehill_replay::image::{ImageComparison, RgbaImage, compare};
use molehill_replay::{ReplayOptions, Replayer, VisibleContext};

use super::owners::{DrawEffect, LossStage, Owners, ProgramReads, WrongStage, reads};

/// The calls that replace records of a scene, by record index.
pub(super) type Changes = BTreeMap<usize, Vec<CallLine>>;

/// The relation of a call to the frame's draws.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawRelation {
    /// The share of the wrong pixels, from 0 to 1: the maximum of the draws that depend on the call.
    pub(super) share: f64,
    /// The program of the first draw that depends on the call.
    pub(super) program: Option<ObjectId>,
    /// The draws that depend on the call, as indices of [`Scene::draws`]. If another call overwrites the set state
    /// before any draw, `users` has only the next draw.
    pub(super) users: Vec<usize>,
    pub(super) is_overwritten: bool,
    /// True if another call sets one of the slots to a different value before the next draw.
    pub(super) clashes: bool,
}

/// A draw with the state on which it depends.
#[derive(Clone)]
pub(super) struct DrawnWith {
    pub(super) record: usize,
    pub(super) context: ObjectId,
    pub(super) program: Option<ObjectId>,
    pub(super) slots: BTreeMap<StateSlot, usize>,
    pub(super) textures: Vec<ObjectId>,
}

#[derive(Clone)]
pub(super) struct Scene {
    pub(super) records: Vec<CaptureEntry>,
    /// Number of records that restore objects and state.
    pub(super) restored: usize,
    /// The number, in the whole capture, of the first call after the restoring records.
    pub(super) first_kept: usize,
    /// Saved replay states, by the index of the next record. One saved state is before the frame's first call.
    checkpoints: BTreeMap<usize, ReferencePlayer>,
    pub(super) parts: Vec<DrawRelation>,
    pub(super) draws: Vec<DrawnWith>,
    pub(super) wrong: WrongStage,
}

impl Scene {
    fn new(inspector: &mut Inspector, frame: u32) -> Result<(Scene, RgbaImage)> {
        let Extract { records, restored, first_kept } = extract(inspector, (frame, frame), true)?;
        let header = inspector.capture().header().clone();
        let mut player =
            Replayer::new(&header, ReferenceFactory::default(), ReplayOptions::default());
        let (mut checkpoints, distance) = (BTreeMap::new(), records.len().div_ceil(CHECKPOINTS));
        for index in 0..records.len() {
            if index == restored || index % distance == 0 {
                checkpoints.insert(index, player.clone());
            }
            step(&mut player, index, &records, &Changes::new())?;
        }
        let picture = player.screen(records.len() as u64)?;
        let parts = vec![DrawRelation::default(); records.len()];
        let scene = Scene {
            records,
            restored,
            first_kept,
            checkpoints,
            parts,
            draws: Vec::new(),
            wrong: WrongStage::default(),
        };
        Ok((scene, picture))
    }

    /// Returns a frame's scene with its wrong pixels, its image, and the difference from the expected image. Errors:
    /// those of the replay, and [`InspectError::Unsupported`] if the expected image and the stage differ in size.
    pub(super) fn compared(
        inspector: &mut Inspector,
        frame: u32,
        expected: &RgbaImage,
    ) -> Result<(Scene, RgbaImage, ImageComparison)> {
        let (mut scene, picture) = Scene::new(inspector, frame)?;
        let before = compared(&picture, expected);
        if !before.same_size() {
            return Err(InspectError::Unsupported(before.describe_sizes()));
        }
        scene.attribute(&picture, expected)?;
        Ok((scene, picture, before))
    }

    pub(super) fn line(&self, index: usize) -> Option<&CallLine> {
        self.records.get(index).and_then(CaptureEntry::call)
    }

    /// Returns the number in the capture of a record's call, or `None` for a call that restores state.
    pub(super) fn number(&self, index: usize) -> Option<usize> {
        let calls =
            self.records.get(self.restored..index)?.iter().filter_map(CaptureEntry::call).count();
        self.line(index).map(|_| self.first_kept + calls)
    }

    fn before(&self, record: usize) -> (usize, ReferencePlayer) {
        let mut earlier = self.checkpoints.range(..=record);
        let (from, player) = earlier.next_back().expect("record 0 has a checkpoint");
        (*from, player.clone())
    }

    /// Replays the scene with changed calls, and returns the image of the stage.
    pub(super) fn picture(&self, changes: &Changes) -> Result<RgbaImage> {
        let first = changes.keys().next().copied().unwrap_or(self.records.len());
        let (from, mut player) = self.before(first);
        for index in from..self.records.len() {
            step(&mut player, index, &self.records, changes)?;
        }
        Ok(player.screen(self.records.len() as u64)?)
    }

    /// Attributes the wrong pixels to draws, and calculates the share of each call.
    pub(super) fn attribute(&mut self, picture: &RgbaImage, expected: &RgbaImage) -> Result<()> {
        self.wrong = self.find_wrong(picture, expected)?;
        let uses = Uses::of(&self.records, self.restored, &self.wrong.effects);
        let total = (self.wrong.places.len() as f64).max(1.0);
        let own = |record| {
            let effect = self.wrong.effects.get(&record);
            effect.map_or(0.0, |it| (it.owned as f64).max(it.missed as f64 * MISSED))
        };
        let mut shares: BTreeMap<usize, f64> =
            uses.draws.iter().map(|draw| (draw.record, own(draw.record) / total)).collect();
        for draw in uses.draws.iter().rev() {
            // A draw that reads a texture passes its share of the wrong pixels to the draws that render into this
            // texture.
            let share = shares.get(&draw.record).copied().unwrap_or(0.0);
            let effect = self.wrong.effects.get(&draw.record).cloned().unwrap_or_default();
            for source in uses.sources.get(&draw.record).into_iter().flatten() {
                let passed = shares.entry(*source).or_default();
                *passed = passed.max(share);
                if let Some(source) = self.wrong.effects.get_mut(source).filter(|it| !it.is_seen) {
                    source.passed = source.passed.max(effect.owned.max(effect.passed));
                    source.right = source.right.max(effect.right);
                }
            }
        }
        for (record, users) in uses.users {
            let Some(part) = self.parts.get_mut(record) else { continue };
            let draws = users.iter().filter_map(|at| uses.draws.get(*at));
            let share = |draw: &DrawnWith| shares.get(&draw.record).copied().unwrap_or(0.0);
            part.share = draws.clone().map(share).fold(LEAST, f64::max);
            part.program = draws.clone().next().and_then(|draw| draw.program);
            part.users = users.into_iter().collect();
        }
        for record in uses.overwritten {
            let next = uses.draws.partition_point(|draw| draw.record < record);
            let context = self.line(record).map(|line| line.on);
            let next = (next..uses.draws.len())
                .find(|at| uses.draws.get(*at).map(|draw| draw.context) == context);
            let (Some(part), Some(next)) = (self.parts.get_mut(record), next) else { continue };
            let program = uses.draws.get(next).and_then(|draw| draw.program);
            let users = vec![next];
            *part = DrawRelation {
                share: LEAST,
                program,
                users,
                is_overwritten: true,
                ..DrawRelation::default()
            };
        }
        for (record, part) in self.parts.iter_mut().enumerate() {
            part.clashes = uses.clashes.contains(&record);
            part.share = part.share.max(shares.get(&record).copied().unwrap_or(0.0));
            let effect = self.wrong.effects.get(&record);
            part.share = part.share.max(effect.map_or(0.0, |it| it.owned as f64 / total));
        }
        self.draws = uses.draws;
        Ok(())
    }

    /// Replays the scene call by call, to determine which record last changed each pixel of the stage.
    fn find_wrong(&self, picture: &RgbaImage, expected: &RgbaImage) -> Result<WrongStage> {
        let (_, mut player) = self.before(self.restored);
        let mut owners = Owners::new(picture, expected);
        let mut programs = HashMap::new();
        for index in self.restored..self.records.len() {
            let line = self.line(index).filter(|line| renders(&line.call));
            let context = line.and_then(|line| player.context_of(line.on));
            let watch = line.filter(|line| is_draw(&line.call)).and(context);
            let mut effect = DrawEffect::default();
            if let Some(context) = watch {
                if let Some(backend) = player.backend_mut(context) {
                    backend.watch(Some(Watch::default()));
                }
                if let Some(program) = player.bound_device_program(context) {
                    let known = programs.entry((context, program));
                    let mut found =
                        || pair(&mut player, context).map_or_else(ProgramReads::default, reads);
                    effect.reads = Arc::clone(known.or_insert_with(|| Arc::new(found())));
                }
            }
            step(&mut player, index, &self.records, &Changes::new())?;
            let Some(context) = context else { continue };
            let watched = watch.and_then(|context| {
                let backend = player.backend_mut(context)?;
                let watched = backend.take_watched();
                backend.watch(None);
                watched
            });
            let changed = watched.as_ref().map(WatchRecord::changed);
            effect.changed = changed.map_or(0, |(pixels, _)| pixels);
            let is_lost = watch.is_some() && effect.changed == 0;
            effect.lost = is_lost.then(|| LossStage::of(watched.as_ref()));
            effect.culls = watched.as_ref().is_some_and(|it| it.triangles.culled > 0);
            let visible = player.visible_contexts();
            let shown = visible.iter().find(|it| it.context == context);
            let shown = shown.filter(|_| player.targets(context) == [ReadSurface::BackBuffer]);
            if let Some(VisibleContext { x, y, .. }) = shown.copied() {
                effect.is_seen = true;
                if let Some(watched) = &watched {
                    owners.miss(watched, (x, y), &mut effect);
                }
                if let Some(Call::Clear { red, green, blue, .. }) = line.map(|line| &line.call) {
                    owners.ground = rgba([*red, *green, *blue, 1.0]);
                }
                // A draw that changes nothing can't be the last to change a pixel.
                let is_idle = changed.is_some_and(|(_, bounds)| bounds.is_none());
                if !is_idle && let Some(target) = player.target(index as u64, context)? {
                    let all = [0, 0, target.width(), target.height()];
                    let bounds = changed.and_then(|(_, bounds)| bounds).unwrap_or(all);
                    owners.drawn(index, (&target, bounds), (x, y));
                }
            }
            owners.effects.insert(index, effect);
        }
        let is_draw = |record| self.line(record).is_some_and(|line| is_draw(&line.call));
        Ok(owners.finish(&is_draw))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn rgba(color: [f64; 4]) -> [u8; 4] {
    color.map(|it| (it.clamp(0.0, 1.0) * 255.0).round() as u8)
}

const CHECKPOINTS: usize = 16;
/// Minimum share of the wrong pixels that is attributed to a draw. A share of zero would exclude a missing draw, which
/// has changed no pixel.
const LEAST: f64 = 0.02;
/// The fraction of a wrong pixel that is attributed to a draw whose fragments change nothing there.
const MISSED: f64 = 0.5;

fn step(
    player: &mut ReferencePlayer,
    index: usize,
    records: &[CaptureEntry],
    changes: &Changes,
) -> Result<()> {
    let number = index as u64 + 2;
    match (changes.get(&index), records.get(index)) {
        (Some(lines), _) => {
            for line in lines {
                player.call(number, line)?;
            }
        }
        (None, Some(entry)) => drop(player.record(number, entry)?),
        (None, None) => {}
    }
    Ok(())
}

/// Compares two images with the tolerance of the search.
pub(super) fn compared(picture: &RgbaImage, expected: &RgbaImage) -> ImageComparison {
    compare(picture, expected, TOLERANCE)
}

/// Returns whether a call sets slots to non-empty values.
fn binds(call: &Call) -> bool {
    let mut items = set_by(call).0.iter();
    let is_empty = matches!(
        call,
        Call::SetTextureAt { texture: None, .. } | Call::SetVertexBufferAt { buffer: None, .. }
    );
    !is_empty
        && items.any(|item| {
            matches!(item.area(), StateArea::Streams | StateArea::Textures | StateArea::Constants)
        })
}

/// The draws of a scene, and the calls on which they depend.
#[derive(Default)]
struct Uses {
    draws: Vec<DrawnWith>,
    /// For each record, the indices of the draws that depend on it.
    users: BTreeMap<usize, BTreeSet<usize>>,
    /// Records whose slots are all overwritten before any draw.
    overwritten: BTreeSet<usize>,
    /// Records with a slot that another record sets to a different value before the next draw.
    clashes: BTreeSet<usize>,
    /// For each draw, the draws that render into the textures that it reads.
    sources: BTreeMap<usize, Vec<usize>>,
}

impl Uses {
    /// Updates `overwritten` and `clashes` after a call overwrites a slot that an earlier call set.
    fn replaced(&mut self, (before, old): (usize, &Call), (record, line): (usize, &CallLine)) {
        if !self.users.contains_key(&before) {
            self.overwritten.insert(before);
        }
        let drawn = self.draws.iter().rev().find(|draw| draw.context == line.on);
        let is_new = drawn.is_none_or(|draw| draw.record < before);
        if is_new && binds(old) && *old != line.call {
            self.clashes.extend([before, record]);
        }
    }

    fn of(
        records: &[CaptureEntry],
        restored: usize,
        effects: &BTreeMap<usize, DrawEffect>,
    ) -> Uses {
        let mut uses = Uses::default();
        let mut slots: HashMap<ObjectId, BTreeMap<StateSlot, usize>> = HashMap::new();
        let mut uploads: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        let mut drawn_into: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (record, line) in records.iter().enumerate() {
            let Some(line) = line.call() else { continue };
            if is_upload(&line.call) {
                uploads.entry(line.on).or_default().push(record);
            }
            let (items, range) = set_by(&line.call);
            let set = slots.entry(line.on).or_default();
            for (item, index) in items.iter().flat_map(|it| range.clone().map(move |at| (*it, at)))
            {
                let before = set.insert(item.slot(index), record);
                let before = before.filter(|before| *before >= restored);
                let call = before.and_then(|at| Some((at, &records.get(at)?.call()?.call)));
                if let Some(before) = call {
                    uses.replaced(before, (record, line));
                }
            }
            if !renders(&line.call) {
                continue;
            }
            let named = |item: StateItem| {
                let slots = set.iter().filter(move |(slot, _)| slot.item == item);
                slots.filter_map(|(_, record)| {
                    records.get(*record)?.call()?.call.objects().first().copied()
                })
            };
            let outputs: Vec<ObjectId> = named(StateItem::Output).map(|(_, id)| id).collect();
            for texture in &outputs {
                drawn_into.entry(*texture).or_default().push(record);
            }
            if !is_draw(&line.call) {
                continue;
            }
            let reads =
                effects.get(&record).map(|effect| &effect.reads.slots).filter(|it| !it.is_empty());
            let is_read = |(slot, _): &(&StateSlot, &usize)| {
                slot.item == StateItem::Texture && reads.is_none_or(|reads| reads.contains(*slot))
            };
            let textures = set.iter().filter(is_read).filter_map(|(_, record)| {
                Some(records.get(*record)?.call()?.call.objects().first()?.1)
            });
            let textures: Vec<ObjectId> = textures.collect();
            let sources = textures.iter().filter_map(|id| drawn_into.get(id)).flatten().copied();
            uses.sources.insert(record, sources.filter(|source| *source != record).collect());
            let program = named(StateItem::Program).next().map(|(_, id)| id);
            let bound = [StateItem::Program, StateItem::Stream].into_iter().flat_map(named);
            let bound = bound.chain(line.call.objects()).map(|(_, id)| id);
            let bound = bound.chain(textures.iter().copied());
            let uploads: Vec<usize> =
                bound.filter_map(|id| uploads.get(&id)).flatten().copied().collect();
            for used in uploads.into_iter().chain(set.values().copied()).chain([record]) {
                uses.users.entry(used).or_default().insert(uses.draws.len());
                uses.overwritten.remove(&used);
            }
            let slots = set.clone();
            uses.draws.push(DrawnWith { record, context: line.on, program, slots, textures });
        }
        uses
    }
}
