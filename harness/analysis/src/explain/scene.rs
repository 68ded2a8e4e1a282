//! One frame of a capture as a scene that is replayed with changed calls, and the share that each call has in the wrong
//! pixels of the frame.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use context3d::backend::Surface;
use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;
use molehill_reference::{Options, ReferenceFactory};
use molehill_replay::image::{Comparison, Image, compare};
use molehill_replay::{Options as ReplayOptions, Replayer, VisibleContext};

use super::TOLERANCE;
use crate::calls::{is_draw, is_upload, renders};
use crate::capture::Entry;
use crate::error::Result;
use crate::inspector::{Inspector, Player};
use crate::state_items::{Item, Slot, set_by};
use crate::trim::{Extract, extract};

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
    /// Wrong pixels by the record that last changed them; the others belong to no draw.
    pub(super) owners: BTreeMap<usize, u64>,
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
        let (draws, owners) = (Vec::new(), BTreeMap::new());
        let scene = Scene { records, restored, first_kept, checkpoints, parts, draws, owners };
        Ok((scene, picture))
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
        self.owners = self.find_owners(&wrong)?;
        let uses = Uses::of(&self.records);
        let owned = |record| self.owners.get(&record).copied().unwrap_or(0) as f64;
        let total = (wrong.len() as f64).max(1.0);
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

    /// Replays the scene call by call, and finds the record that last changed each wrong pixel of the stage.
    fn find_owners(&self, wrong: &[(u32, u32)]) -> Result<BTreeMap<usize, u64>> {
        let (_, mut player) = self.before(self.restored);
        let mut last: Vec<Option<(usize, [u8; 4])>> = vec![None; wrong.len()];
        for index in self.restored..self.records.len() {
            let line = self.line(index).filter(|line| renders(&line.call));
            step(&mut player, index, &self.records, &Changes::new())?;
            let context = line.and_then(|line| player.context_of(line.on));
            let visible = player.visible_contexts();
            let shown = visible.iter().find(|it| Some(it.context) == context);
            let Some(VisibleContext { context, x, y, .. }) = shown.copied() else { continue };
            if player.targets(context) != [Surface::BackBuffer] {
                continue;
            }
            let Some(target) = player.target(index as u64, context)? else { continue };
            let at = |place: u32, start: i64| u32::try_from(i64::from(place) - start).ok();
            for (last, place) in last.iter_mut().zip(wrong) {
                let place = at(place.0, x).zip(at(place.1, y));
                let Some(pixel) = place.and_then(|(x, y)| target.pixel(x, y)) else { continue };
                if last.is_none_or(|(_, before)| before != pixel) {
                    *last = Some((index, pixel));
                }
            }
        }
        let mut owners = BTreeMap::new();
        for (record, _) in last.into_iter().flatten() {
            *owners.entry(record).or_default() += 1;
        }
        Ok(owners)
    }
}

/// Number of checkpoints of a scene.
const CHECKPOINTS: usize = 16;
/// The least share of a draw: a draw that should have been seen owns no pixel.
const LEAST: f64 = 0.02;

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
pub(super) fn remaining(picture: &Image, expected: &Image) -> Comparison {
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
    fn of(records: &[Entry]) -> Uses {
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
            let textures: Vec<ObjectId> = named(Item::Texture).map(|(_, id)| id).collect();
            let sources = textures.iter().filter_map(|id| drawn_into.get(id)).flatten().copied();
            uses.sources.insert(record, sources.filter(|source| *source != record).collect());
            let program = named(Item::Program).next().map(|(_, id)| id);
            let bound = [Item::Program, Item::Stream].into_iter().flat_map(named);
            let bound = bound.chain(line.call.objects()).map(|(_, id)| id).chain(textures);
            let uploads: Vec<usize> =
                bound.filter_map(|id| uploads.get(&id)).flatten().copied().collect();
            for used in uploads.into_iter().chain(set.values().copied()).chain([record]) {
                uses.users.entry(used).or_default().insert(record);
            }
            let slots = set.clone();
            uses.draws.push(DrawnWith { record, context: line.on, program, slots });
        }
        uses
    }

    fn program(&self, draw: usize) -> Option<ObjectId> {
        self.draws.iter().find(|it| it.record == draw)?.program
    }
}
