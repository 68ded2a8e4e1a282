//! Generates candidates that change the contents of textures and buffers.

use std::collections::BTreeMap;

use molehill_analysis::Result;
use molehill_analysis::calls::{is_upload, uploaded_level};
use molehill_analysis::names::SIDES;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use super::alteration::Alteration;
use super::candidates::{COUNTED_CALLS, CallGroup, CandidateLists};
use super::scene::Changes;
use super::variants::{side, with_side};

/// Maximum number of object pairs whose contents are exchanged.
const MOST_EXCHANGED: usize = 100;

impl CandidateLists<'_> {
    /// Adds candidates that exchange two faces of a cube texture.
    pub(super) fn faces(&mut self) {
        let mut cubes: BTreeMap<ObjectId, Vec<(usize, Call)>> = BTreeMap::new();
        for (record, line) in self.lines() {
            if side(&line.call).is_some() && self.scene.parts[record].share > 0.0 {
                cubes.entry(line.on).or_default().push((record, line.call.clone()));
            }
        }
        for (cube, uploads) in cubes {
            let sides = || (0u32..).zip(SIDES);
            let pairs = sides().flat_map(|one| sides().map(move |two| (one, two)));
            for ((one, first), (two, second)) in pairs.filter(|((one, _), (two, _))| one < two) {
                let exchanged = uploads.iter().filter_map(|(at, call)| {
                    let new = match side(call)? {
                        side if side == one => two,
                        side if side == two => one,
                        _ => return None,
                    };
                    let line = self.scene.line(*at)?;
                    Some((*at, vec![CallLine { call: with_side(call, new), ..line.clone() }]))
                });
                let changes: Changes = exchanged.collect();
                let alteration = Alteration {
                    call: uploads.first().map_or("", |(_, call)| call.name()),
                    field: "side".to_owned(),
                    from: format!("{first} and {second}"),
                    to: format!("{second} and {first}"),
                };
                let Some((record, _)) = uploads.first() else { continue };
                let odd = self.scene.line(*record).map(|line| self.odd.weight(line, &alteration));
                self.add(0.07 * odd.unwrap_or(1.0), alteration, CallGroup::Object(cube), changes);
            }
        }
    }

    /// Adds candidates with other uploads to the same objects, or with two exchanged uploads of the frame.
    pub(super) fn uploads(&mut self, last_call: usize) -> Result<()> {
        let mut used: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
        for (record, line) in self.lines() {
            if is_upload(&line.call) && self.scene.parts[record].share > 0.0 {
                used.entry(line.on).or_default().push(record);
            }
        }
        let mut swapped = Vec::new();
        for records in used.values() {
            for pair in records.windows(2) {
                let &[one, two] = pair else { continue };
                let (Some(first), Some(second)) = (self.scene.line(one), self.scene.line(two))
                else {
                    continue;
                };
                if first.call != second.call && one >= self.scene.restored {
                    let changes = [(one, vec![second.clone()]), (two, vec![first.clone()])];
                    swapped.push((first.call.name(), Changes::from(changes)));
                }
            }
        }
        let exchanged = self.exchanged(&used);
        for (call, changes) in swapped {
            let alteration = Alteration::whole(call, "this order".to_owned(), "the other order");
            self.add(0.3, alteration, CallGroup::One, changes);
        }
        for (call, [one, two], changes) in exchanged {
            let from = format!("{one}, {two}");
            let alteration = Alteration::whole(call, from, "the content of each other");
            self.add(0.3, alteration, CallGroup::Several, changes);
        }
        let mut earlier: Vec<(usize, CallLine)> = Vec::new();
        for number in last_call.saturating_sub(COUNTED_CALLS).max(1)..=last_call {
            let (_, line) = self.capture.call(number)?;
            let Some(records) = used.get(&line.on).filter(|_| is_upload(&line.call)) else {
                continue;
            };
            for record in records {
                let same = self.scene.line(*record).filter(|it| {
                    it.call.name() == line.call.name()
                        && uploaded_level(&it.call) == uploaded_level(&line.call)
                        && it.call != line.call
                });
                if same.is_some() && earlier.len() < 256 {
                    earlier.push((*record, (*line).clone()));
                }
            }
        }
        for (record, line) in earlier {
            let (call, from) = (line.call.name(), "this content".to_owned());
            let alteration = Alteration::whole(call, from, "an earlier or later content");
            self.add(0.2, alteration, CallGroup::One, Changes::from([(record, vec![line])]));
        }
        Ok(())
    }

    /// Returns exchanges of the contents of two objects with equal upload sizes, and the objects' names.
    fn exchanged(
        &self,
        used: &BTreeMap<ObjectId, Vec<usize>>,
    ) -> Vec<(&'static str, [String; 2], Changes)> {
        let line = |record: &usize| self.scene.line(*record);
        let alike = |(one, two): (&usize, &usize)| {
            line(one).zip(line(two)).is_some_and(|(one, two)| {
                let shape = |line: &CallLine| {
                    (line.call.name(), line.call.bytes(), uploaded_level(&line.call))
                };
                shape(one) == shape(two)
            })
        };
        let with = |record: &usize, other: &usize| {
            let (here, there) = (line(record)?, line(other)?);
            Some((*record, vec![CallLine { call: there.call.clone(), ..here.clone() }]))
        };
        let mut found = Vec::new();
        for (at, (one, ours)) in used.iter().enumerate() {
            for (two, theirs) in used.iter().skip(at + 1) {
                let fits = ours.len() == theirs.len() && ours.iter().zip(theirs).all(alike);
                if !fits || found.len() == MOST_EXCHANGED {
                    continue;
                }
                let both = ours.iter().zip(theirs).chain(theirs.iter().zip(ours));
                let changes: Changes = both.filter_map(|(one, two)| with(one, two)).collect();
                let call = ours.first().and_then(line).map_or("", |line| line.call.name());
                found.push((call, [self.name(*one), self.name(*two)], changes));
            }
        }
        found
    }
}
