//! One frame of a capture as a scene that is replayed with changed calls, and the share that each call has in the wrong
//! pixels of the frame.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use context3d::backend::Surface;
use context3d::packets::{MAX_SAMPLERS, slot_samplers};
use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;
use molehill_reference::watch::{Watch, Watched};
use molehill_reference::{Options, ReferenceFactory};
use molehill_replay::image::{Comparison, Image, compare};
use molehill_replay::{Options as ReplayOptions, Replayer, VisibleContext};

use crate::calls::{is_draw, is_upload, renders};
use crate::capture::Entry;
use crate::error::{InspectError, Result};
use crate::inspector::{Inspector, Player};
use crate::renderers::pair;
use crate::state_items::{Item, Slot, set_by};
use crate::trim::{Extract, extract};
use crate::wrong::TOLERANCE;

/// The calls in place of some records of a scene, by the records' indices.
pub(super) type Changes = BTreeMap<usize, Vec<CallLine>>;

/// How a call takes part in the frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The largest share of the wrong pixels among the draws that use it, from 0 to 1.
    pub(super) share: f64,
    /// The program of the first draw that uses it.
    pub(super) program: Option<ObjectId>,
}

/// A draw with the state that it uses.
#[derive(Clone)]
pub(super) struct DrawnWith {
    pub(super) record: usize,
    pub(super) context: ObjectId,
    pub(super) program: Option<ObjectId>,
    /// The record that set each slot.
    pub(super) slots: BTreeMap<Slot, usize>,
    /// The textures that its program reads.
    pub(super) textures: Vec<ObjectId>,
}

#[derive(Clone)]
pub(super) struct Scene {
    pub(super) records: Vec<Entry>,
    /// The number of records that rebuild objects and state.
    pub(super) restored: usize,
    /// The first call after them, in the whole capture and among the scene's calls.
    first_kept: usize,
    /// The replay before some records; the last is before the frame's first call, or later.
    checkpoints: BTreeMap<usize, Player>,
    pub(super) parts: Vec<Part>,
    pub(super) draws: Vec<DrawnWith>,
    pub(super) wrong: Wrong,
    /// The colour that most wrong pixels should have.
    pub(super) background: Option<[u8; 4]>,
}

/// The wrong pixels of a scene's stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrong {
    /// Each pixel, with the record that last changed it; `None` if no record of the frame did.
    pub(super) places: Vec<((u32, u32), Option<usize>)>,
    /// The number of pixels by the record that last changed them.
    pub(super) owned: BTreeMap<usize, u64>,
    /// By draw, the number of pixels in which its fragments change nothing: it may be the draw that should be seen there.
    pub(super) missed: BTreeMap<usize, u64>,
    /// By draw, the pixels of its target that it changes.
    pub(super) changed: BTreeMap<usize, u64>,
    /// By draw, the slots of the textures that its program reads: bit n for slot n.
    reads: BTreeMap<usize, u32>,
}

impl Scene {
    pub(super) fn new(
        inspector: &mut Inspector,
        frame: u32,
        options: Options,
    ) -> Result<(Scene, Image)> {
        let Extract { records, restored, first_kept } = extract(inspector, (frame, frame), true)?;
        let header = inspector.capture().header().clone();
        let mut player =
            Replayer::new(&header, ReferenceFactory(options), ReplayOptions::default());
        let (mut checkpoints, distance) = (BTreeMap::new(), records.len().div_ceil(CHECKPOINTS));
        for index in 0..records.len() {
            if index == restored || index % distance == 0 {
                checkpoints.insert(index, player.clone());
            }
            step(&mut player, index, &records, &Changes::new())?;
        }
        let picture = player.screen(records.len() as u64)?;
        let parts = vec![Part::default(); records.len()];
        let scene = Scene {
            records,
            restored,
            first_kept,
            checkpoints,
            parts,
            draws: Vec::new(),
            wrong: Wrong::default(),
            background: None,
        };
        Ok((scene, picture))
    }

    /// Returns the scene of a frame with its wrong pixels, its picture, and the difference from the expected one. Errors: those of
    /// the replay, and [`InspectError::Unsupported`] for a picture of another size than the stage.
    pub(super) fn compared(
        inspector: &mut Inspector,
        frame: u32,
        expected: &Image,
    ) -> Result<(Scene, Image, Comparison)> {
        let (mut scene, picture) = Scene::new(inspector, frame, Options::default())?;
        let before = compared(&picture, expected);
        if !before.same_size() {
            return Err(InspectError::Unsupported(before.describe_sizes()));
        }
        scene.attribute(&picture, expected)?;
        Ok((scene, picture, before))
    }

    pub(super) fn first_kept(&self) -> usize {
        self.first_kept
    }

    pub(super) fn line(&self, index: usize) -> Option<&CallLine> {
        self.records.get(index).and_then(Entry::call)
    }

    /// Returns the number of a record's call in the whole capture; `None` for a call that rebuilds state.
    pub(super) fn number(&self, index: usize) -> Option<usize> {
        let calls = self.records.get(self.restored..index)?.iter().filter_map(Entry::call).count();
        self.line(index).map(|_| self.first_kept + calls)
    }

    /// Returns the last checkpoint before a record.
    fn before(&self, record: usize) -> (usize, Player) {
        let mut earlier = self.checkpoints.range(..=record);
        let (from, player) = earlier.next_back().expect("record 0 has a checkpoint");
        (*from, player.clone())
    }

    /// Replays the scene with changed calls, and returns the stage.
    pub(super) fn picture(&self, changes: &Changes) -> Result<Image> {
        let first = changes.keys().next().copied().unwrap_or(self.records.len());
        let (from, mut player) = self.before(first);
        for index in from..self.records.len() {
            step(&mut player, index, &self.records, changes)?;
        }
        Ok(player.screen(self.records.len() as u64)?)
    }

    /// Finds the draws that the wrong pixels belong to, and the share that each call has in them.
    pub(super) fn attribute(&mut self, picture: &Image, expected: &Image) -> Result<()> {
        let wrong = wrong_pixels(picture, expected);
        let mut colors: HashMap<[u8; 4], u64> = HashMap::new();
        for color in wrong.iter().filter_map(|(x, y)| expected.pixel(*x, *y)) {
            *colors.entry(color).or_default() += 1;
        }
        self.background =
            colors.into_iter().max_by_key(|(color, pixels)| (*pixels, *color)).map(|(it, _)| it);
        self.wrong = self.find_wrong(wrong, picture.width())?;
        let uses = Uses::of(&self.records, &self.wrong.reads);
        let number =
            |of: &BTreeMap<usize, u64>, record| of.get(&record).copied().unwrap_or(0) as f64;
        let total = (self.wrong.places.len() as f64).max(1.0);
        let owned = |record| {
            number(&self.wrong.owned, record).max(number(&self.wrong.missed, record) * MISSED)
        };
        let mut shares: BTreeMap<usize, f64> =
            uses.draws.iter().map(|draw| (draw.record, owned(draw.record) / total)).collect();
        for draw in uses.draws.iter().rev() {
            // A draw that reads a texture passes its share on to the draws into the texture.
            let share = shares.get(&draw.record).copied().unwrap_or(0.0);
            for source in uses.sources.get(&draw.record).into_iter().flatten() {
                let passed = shares.entry(*source).or_default();
                *passed = passed.max(share);
            }
        }
        for (record, users) in &uses.users {
            let share = |user| shares.get(user).copied().unwrap_or(0.0).max(LEAST);
            if let Some(part) = self.parts.get_mut(*record) {
                part.share = users.iter().map(share).fold(0.0, f64::max);
                part.program = users.iter().next().and_then(|user| uses.program(*user));
            }
        }
        for (record, part) in self.parts.iter_mut().enumerate() {
            part.share = part.share.max(shares.get(&record).copied().unwrap_or(0.0));
            part.share = part.share.max(owned(record) / total);
        }
        self.draws = uses.draws;
        Ok(())
    }

    /// Replays the scene call by call, and finds the records that the wrong pixels of the stage belong to.
    fn find_wrong(&self, wrong: Vec<(u32, u32)>, width: u32) -> Result<Wrong> {
        let (_, mut player) = self.before(self.restored);
        let mut found = Found::new(wrong, width);
        for index in self.restored..self.records.len() {
            let line = self.line(index).filter(|line| renders(&line.call));
            let context = line.and_then(|line| player.context_of(line.on));
            let watch = line.filter(|line| is_draw(&line.call)).and(context);
            if let Some(backend) = watch.and_then(|context| player.backend_mut(context)) {
                backend.watch(Some(Watch::default()));
            }
            let reads = watch.map(|context| slots_read(&mut player, context));
            found.wrong.reads.extend(reads.map(|slots| (index, slots)));
            step(&mut player, index, &self.records, &Changes::new())?;
            let watched = watch.and_then(|context| {
                let backend = player.backend_mut(context)?;
                let watched = backend.take_watched();
                backend.watch(None);
                watched
            });
            let changed = watched.as_ref().map(Watched::changed);
            found.wrong.changed.extend(changed.map(|(pixels, _)| (index, pixels)));
            let visible = player.visible_contexts();
            let shown = visible.iter().find(|it| Some(it.context) == context);
            let Some(VisibleContext { context, x, y, .. }) = shown.copied() else { continue };
            if player.targets(context) != [Surface::BackBuffer] {
                continue;
            }
            let missed = watched.as_ref().map_or(0, |watched| found.unchanged(watched, (x, y)));
            if missed > 0 {
                found.wrong.missed.insert(index, missed);
            }
            // A draw that changes nothing is the last of no pixel.
            if changed.is_some_and(|(_, bounds)| bounds.is_none()) {
                continue;
            }
            if let Some(target) = player.target(index as u64, context)? {
                let all = [0, 0, target.width(), target.height()];
                let bounds = changed.and_then(|(_, bounds)| bounds).unwrap_or(all);
                found.drawn(index, (&target, bounds), (x, y));
            }
        }
        Ok(found.finish())
    }
}

/// Returns the slots of the textures that the next draw's program reads: bit n for slot n.
fn slots_read(player: &mut Player, context: usize) -> u32 {
    let Some(pair) = pair(player, context) else { return 0 };
    let reads = |slot: &usize| slot_samplers(pair.interface(), *slot).next().is_some();
    (0..MAX_SAMPLERS).filter(reads).fold(0, |slots, slot| slots | 1 << slot)
}

/// Collects the records that wrong pixels belong to.
struct Found {
    wrong: Wrong,
    /// By pixel of the stage, the place in [`Wrong::places`].
    index: Vec<u32>,
    width: u32,
    /// The colours of the wrong pixels after the last record that changed them.
    last: Vec<[u8; 4]>,
}

impl Found {
    fn new(wrong: Vec<(u32, u32)>, width: u32) -> Found {
        let mut index = Vec::new();
        for ((x, y), place) in wrong.iter().zip(0..) {
            let at = *y as usize * width as usize + *x as usize;
            index.resize(index.len().max(at + 1), u32::MAX);
            if let Some(at) = index.get_mut(at) {
                *at = place;
            }
        }
        let last = vec![[0; 4]; wrong.len()];
        let places = wrong.into_iter().map(|at| (at, None)).collect();
        Found { wrong: Wrong { places, ..Wrong::default() }, index, width, last }
    }

    /// Returns the place of a pixel of a back buffer that lies at a position of the stage, if the pixel is wrong.
    fn place(&self, (x, y): (u32, u32), origin: (i64, i64)) -> Option<usize> {
        let at = |at: u32, origin: i64| usize::try_from(i64::from(at) + origin).ok();
        let (x, y) = (at(x, origin.0)?, at(y, origin.1)?);
        let place = self.index.get(y * self.width as usize + x).filter(|_| x < self.width as usize);
        place.filter(|place| **place != u32::MAX).map(|place| *place as usize)
    }

    /// Counts the wrong pixels in which a draw has fragments, and changes nothing.
    fn unchanged(&self, watched: &Watched, origin: (i64, i64)) -> u64 {
        let (width, mut count) = (watched.size.0.max(1), 0);
        for rows in &watched.rows {
            for at in 0..rows.shaded.len().max(rows.failed.len()) {
                let ran = rows.shaded.get(at).is_some_and(|runs| *runs > 0);
                let failed = rows.failed.get(at).is_some_and(|bits| *bits != 0);
                let changed = rows.changed.get(at).copied().unwrap_or(false);
                if changed || !(ran || failed) {
                    continue;
                }
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                let place = self.place((at % width, rows.top.saturating_add(at / width)), origin);
                count += u64::from(place.is_some());
            }
        }
        count
    }

    /// Notes the wrong pixels that a record changed, within bounds of its target.
    fn drawn(
        &mut self,
        record: usize,
        (target, [left, top, right, bottom]): (&Image, [u32; 4]),
        origin: (i64, i64),
    ) {
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let Some(place) = self.place((x, y), origin) else { continue };
            let known = self.wrong.places.get_mut(place).zip(self.last.get_mut(place));
            let (Some(((_, owner), last)), Some(pixel)) = (known, target.pixel(x, y)) else {
                continue;
            };
            if owner.is_none() || *last != pixel {
                (*owner, *last) = (Some(record), pixel);
            }
        }
    }

    fn finish(mut self) -> Wrong {
        for record in self.wrong.places.iter().filter_map(|(_, record)| *record) {
            *self.wrong.owned.entry(record).or_default() += 1;
        }
        self.wrong
    }
}

/// Number of checkpoints of a scene.
const CHECKPOINTS: usize = 16;
/// The least share of a draw: a draw that should have been seen owns no pixel.
const LEAST: f64 = 0.02;
/// The part of a wrong pixel that belongs to a draw whose fragments there change nothing.
const MISSED: f64 = 0.5;

/// Executes a record, or the calls in its place.
fn step(player: &mut Player, index: usize, records: &[Entry], changes: &Changes) -> Result<()> {
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

/// Compares two pictures with the tolerance of a search.
pub(super) fn compared(picture: &Image, expected: &Image) -> Comparison {
    compare(picture, expected, TOLERANCE)
}

fn wrong_pixels(picture: &Image, expected: &Image) -> Vec<(u32, u32)> {
    let places = (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
    let differs = |&(x, y): &(u32, u32)| {
        let (is, should) = (picture.pixel(x, y), expected.pixel(x, y));
        is.zip(should).is_some_and(|(is, should)| {
            is.iter().zip(should).any(|(is, should)| is.abs_diff(should) > TOLERANCE)
        })
    };
    places.filter(differs).collect()
}

/// The draws of a scene with the calls that they use.
#[derive(Default)]
struct Uses {
    draws: Vec<DrawnWith>,
    /// By record, the draws that use it.
    users: BTreeMap<usize, BTreeSet<usize>>,
    /// By draw, the draws into the textures that it reads.
    sources: BTreeMap<usize, Vec<usize>>,
}

impl Uses {
    fn of(records: &[Entry], reads: &BTreeMap<usize, u32>) -> Uses {
        let mut uses = Uses::default();
        let mut slots: HashMap<ObjectId, BTreeMap<Slot, usize>> = HashMap::new();
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
                set.insert(item.slot(index), record);
            }
            if !renders(&line.call) {
                continue;
            }
            let named = |item: Item| {
                let slots = set.iter().filter(move |(slot, _)| slot.item == item);
                slots.filter_map(|(_, record)| {
                    records.get(*record)?.call()?.call.objects().first().copied()
                })
            };
            let outputs: Vec<ObjectId> = named(Item::Output).map(|(_, id)| id).collect();
            for texture in &outputs {
                drawn_into.entry(*texture).or_default().push(record);
            }
            if !is_draw(&line.call) {
                continue;
            }
            let read = reads.get(&record).copied().unwrap_or(u32::MAX);
            let is_read = |(slot, _): &(&Slot, &usize)| {
                slot.item == Item::Texture && read >> slot.index & 1 != 0
            };
            let textures = set.iter().filter(is_read).filter_map(|(_, record)| {
                Some(records.get(*record)?.call()?.call.objects().first()?.1)
            });
            let textures: Vec<ObjectId> = textures.collect();
            let sources = textures.iter().filter_map(|id| drawn_into.get(id)).flatten().copied();
            uses.sources.insert(record, sources.filter(|source| *source != record).collect());
            let program = named(Item::Program).next().map(|(_, id)| id);
            let bound = [Item::Program, Item::Stream].into_iter().flat_map(named);
            let bound = bound.chain(line.call.objects()).map(|(_, id)| id);
            let bound = bound.chain(textures.iter().copied());
            let uploads: Vec<usize> =
                bound.filter_map(|id| uploads.get(&id)).flatten().copied().collect();
            for used in uploads.into_iter().chain(set.values().copied()).chain([record]) {
                uses.users.entry(used).or_default().insert(record);
            }
            let slots = set.clone();
            uses.draws.push(DrawnWith { record, context: line.on, program, slots, textures });
        }
        uses
    }

    fn program(&self, draw: usize) -> Option<ObjectId> {
        self.draws.iter().find(|it| it.record == draw)?.program
    }
}
