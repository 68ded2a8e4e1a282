//! The changes that a search tries, the most plausible first.

use std::collections::{BTreeMap, HashSet};

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use super::evidence::Evidence;
use super::scene::{Changes, Scene};
use super::variants::{Objects, side, with_side};
use crate::calls::{is_draw, is_upload, uploaded_level};
use crate::capture::Capture;
use crate::error::Result;
use crate::evidence::census::Census;
use crate::names::DATA;
use crate::state_items::set_by;

/// Most pairs of objects whose contents are exchanged.
const MOST_EXCHANGED: usize = 100;
/// How much more plausible a change of a call is that is odd without a picture, too.
const ODD: f64 = 3.0;
/// Most candidates of a search.
const MOST: usize = 20_000;
/// Calls before the end of the frame whose arguments are counted.
const COUNTED_CALLS: usize = 20_000;

/// A field of a call with another value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alteration {
    pub(super) call: &'static str,
    /// The parameter, or several; empty if the whole call is deleted, inserted or replaced.
    pub(super) field: String,
    pub(super) from: String,
    pub(super) to: String,
}

/// The calls that a candidate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// All calls of the frame that have the value.
    All,
    /// Calls whose other arguments are the same.
    Alike,
    /// Calls that draws with a program use.
    Program(ObjectId),
    /// Calls that name an object.
    Object(ObjectId),
    One,
    /// Several groups that help.
    Several,
}

#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) priority: f64,
    pub(super) alteration: Alteration,
    pub(super) group: Group,
    pub(super) changes: Changes,
}

/// Returns the candidates of a scene, the most plausible first.
pub(super) fn candidates(
    scene: &Scene,
    capture: &Capture,
    last_call: usize,
    suspects: &[usize],
) -> Result<Vec<Candidate>> {
    let mut census = Census::default();
    for number in last_call.saturating_sub(COUNTED_CALLS).max(1)..=last_call {
        let (_, line) = capture.call(number)?;
        if !is_upload(&line.call) {
            census.add(number, &line.call, None);
        }
    }
    let mut objects = Objects { background: scene.background, ..Objects::default() };
    scene.records.iter().filter_map(|it| it.call()).for_each(|line| objects.add(line));
    let mut all = All {
        scene,
        capture,
        census,
        evidence: Evidence::of(scene, &objects),
        objects,
        out: Vec::new(),
    };
    all.arguments();
    all.faces();
    all.uploads(last_call)?;
    all.deletions();
    all.insertions();
    let mut found = all.out;
    let mut odd: Vec<_> = Vec::new();
    for call in suspects {
        odd.push(capture.call(*call)?.1);
    }
    let is_odd = |record: &usize| {
        let line = scene.line(*record);
        line.is_some_and(|line| odd.iter().any(|odd| odd.on == line.on && odd.call == line.call))
    };
    let odd: HashSet<usize> = (0..scene.records.len()).filter(is_odd).collect();
    for candidate in &mut found {
        if candidate.changes.keys().any(|record| odd.contains(record)) {
            candidate.priority *= ODD;
        }
    }
    found.sort_by(|a, b| b.priority.total_cmp(&a.priority));
    found.truncate(MOST);
    Ok(found)
}

struct All<'a> {
    scene: &'a Scene,
    capture: &'a Capture,
    census: Census,
    objects: Objects,
    evidence: Evidence,
    out: Vec<Candidate>,
}

/// Draws with the call before them.
type Inserted = Vec<(usize, CallLine)>;
/// Records with their new call.
type Altered = Vec<(usize, Call)>;

impl All<'_> {
    fn name(&self, id: ObjectId) -> String {
        self.capture.name(id)
    }

    fn lines(&self) -> impl Iterator<Item = (usize, &CallLine)> {
        self.scene.records.iter().enumerate().filter_map(|(at, it)| Some((at, it.call()?)))
    }

    /// Adds changed arguments of calls that the frame uses.
    fn arguments(&mut self) {
        let mut found: BTreeMap<Alteration, (f64, Altered)> = BTreeMap::new();
        for (record, line) in self.lines() {
            if self.scene.parts[record].share <= 0.0 {
                continue;
            }
            let raw = |id: ObjectId| id.0.to_string();
            let before = line.call.arguments(&|id| self.name(id));
            let numbers = line.call.arguments(&raw);
            for call in self.objects.variants(&line.call) {
                let after = call.arguments(&|id| self.name(id));
                let new_numbers = call.arguments(&raw);
                let mut fields = Vec::new();
                let mut plausible = 1.0;
                for (at, (old, new)) in before.iter().zip(&after).enumerate() {
                    if old != new {
                        fields.push((old.0, old.1.clone(), new.1.clone()));
                        let texts = numbers.get(at).zip(new_numbers.get(at));
                        plausible *= texts.map_or(1.0, |(old, new)| {
                            self.plausible(line.call.name(), old.0, (&old.1, &new.1))
                        });
                    }
                }
                let Some(alteration) = Alteration::of(line.call.name(), &fields) else { continue };
                plausible *= self.evidence.weight(record, &line.call, &call);
                let entry = found.entry(alteration).or_insert((0.0, Vec::new()));
                entry.0 = entry.0.max(plausible);
                entry.1.push((record, call));
            }
        }
        for (alteration, (plausible, altered)) in found {
            self.groups(&alteration, plausible, &altered);
        }
    }

    /// Returns how plausible it is that a call should have had another value, from how often both occur.
    fn plausible(
        &self,
        call: &'static str,
        parameter: &'static str,
        (old, new): (&str, &str),
    ) -> f64 {
        let often = |value| f64::from(self.census.count(call, parameter, value)).ln_1p();
        (often(new) + 1.0) / (often(new) + often(old) + 2.0)
    }

    /// Adds an alteration of all its calls, of those of a program, of those of an object, and of each.
    fn groups(&mut self, alteration: &Alteration, plausible: f64, altered: &Altered) {
        let parts = &self.scene.parts;
        let mut groups: BTreeMap<(Group, String), Altered> = BTreeMap::new();
        for (at, call) in altered {
            let Some(line) = self.scene.line(*at) else { continue };
            let program = parts.get(*at).and_then(|part| part.program).map(Group::Program);
            let objects = line.call.objects().into_iter().map(|(_, id)| Group::Object(id));
            for group in [Group::All].into_iter().chain(program).chain(objects) {
                groups.entry((group, String::new())).or_default().push((*at, call.clone()));
            }
            let mut arguments = line.call.arguments(&|id| id.0.to_string());
            arguments
                .retain(|(name, value)| value.len() < DATA && !alteration.field.contains(name));
            let alike = (Group::Alike, crate::names::arguments(&arguments));
            groups.entry(alike).or_default().push((*at, call.clone()));
            groups.insert((Group::One, at.to_string()), vec![(*at, call.clone())]);
        }
        let mut known: HashSet<Vec<usize>> = HashSet::new();
        for ((group, _), altered) in groups {
            if !known.insert(altered.iter().map(|(at, _)| *at).collect()) {
                continue;
            }
            let factor = match group {
                Group::All => 1.0,
                Group::Program(_) | Group::Alike => 0.9,
                Group::Object(_) => 0.8,
                Group::One | Group::Several => 0.3,
            };
            let with = |call| |line: &CallLine| vec![CallLine { call, ..line.clone() }];
            let changes = altered
                .into_iter()
                .filter_map(|(at, call)| Some((at, with(call)(self.scene.line(at)?))));
            let changes = changes.collect();
            self.add(plausible * factor, alteration.clone(), group, changes);
        }
    }

    fn add(&mut self, plausible: f64, alteration: Alteration, group: Group, changes: Changes) {
        let shares = changes.keys().map(|at| self.scene.parts.get(*at).map_or(0.0, |it| it.share));
        let share = shares.fold(0.0, f64::max);
        let priority = plausible * (share + 0.02).sqrt();
        self.out.push(Candidate { priority, alteration, group, changes });
    }

    /// Adds exchanges of two faces of a cube texture.
    fn faces(&mut self) {
        let mut cubes: BTreeMap<ObjectId, Altered> = BTreeMap::new();
        for (record, line) in self.lines() {
            if side(&line.call).is_some() && self.scene.parts[record].share > 0.0 {
                cubes.entry(line.on).or_default().push((record, line.call.clone()));
            }
        }
        for (cube, uploads) in cubes {
            for (one, two) in (0..6).flat_map(|one| (one + 1..6).map(move |two| (one, two))) {
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
                    from: format!("{one} and {two}"),
                    to: format!("{two} and {one}"),
                };
                self.add(0.5, alteration, Group::Object(cube), changes);
            }
        }
    }

    /// Adds earlier content of objects, and two uploads of the frame in the other order.
    fn uploads(&mut self, last_call: usize) -> Result<()> {
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
        let whole = |call, from: &str, to: &str| Alteration {
            call,
            field: String::new(),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        for (call, changes) in swapped {
            self.add(0.3, whole(call, "this order", "the other order"), Group::One, changes);
        }
        for (call, [one, two], changes) in exchanged {
            let alteration = whole(call, &format!("{one}, {two}"), "the content of each other");
            self.add(0.3, alteration, Group::Several, changes);
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
            let alteration = whole(line.call.name(), "this content", "an earlier or later content");
            self.add(0.2, alteration, Group::One, Changes::from([(record, vec![line])]));
        }
        Ok(())
    }

    /// Returns exchanges of the content of two objects whose uploads have the same sizes, with the objects' names.
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

    /// Adds calls that are left out.
    fn deletions(&mut self) {
        let mut found = Vec::new();
        for (record, line) in self.lines().filter(|(at, _)| *at >= self.scene.restored) {
            let (items, _) = set_by(&line.call);
            let is_clear = matches!(line.call, Call::Clear { .. });
            if self.scene.parts[record].share > 0.0
                && (is_draw(&line.call) || is_clear || !items.is_empty())
            {
                found.push((record, line.call.name(), line.call.clone()));
            }
        }
        for (record, name, call) in found {
            let from = call.arguments(&|id| self.name(id));
            let alteration = Alteration {
                call: name,
                field: String::new(),
                from: crate::names::arguments(&from),
                to: "no call".to_owned(),
            };
            self.add(0.1, alteration, Group::One, Changes::from([(record, Vec::new())]));
        }
    }

    /// Adds calls before draws that set what other draws have.
    fn insertions(&mut self) {
        let mut seen: BTreeMap<_, Vec<(usize, CallLine)>> = BTreeMap::new();
        for (record, line) in self.lines() {
            let (items, range) = set_by(&line.call);
            let ([item, ..], true) = (items, line.call.bytes() < 1 << 12) else { continue };
            let all = seen.entry((line.on, item.slot(range.start))).or_default();
            if all.len() < 16 && !all.iter().any(|(_, it)| it.call == line.call) {
                all.push((record, line.clone()));
            }
        }
        let mut found: BTreeMap<(Alteration, Option<ObjectId>), Inserted> = BTreeMap::new();
        for draw in &self.scene.draws {
            for ((context, slot), calls) in &seen {
                let current = draw.slots.get(slot).and_then(|at| self.scene.line(*at));
                for (_, line) in calls.iter().filter(|_| *context == draw.context) {
                    if current.is_some_and(|it| it.call == line.call) {
                        continue;
                    }
                    let text =
                        |call: &Call| crate::names::arguments(&call.arguments(&|id| self.name(id)));
                    let alteration = Alteration {
                        call: line.call.name(),
                        field: String::new(),
                        from: current.map_or("no call".to_owned(), |it| text(&it.call)),
                        to: format!("{} before the draw", text(&line.call)),
                    };
                    let entry = found.entry((alteration, draw.program)).or_default();
                    entry.push((draw.record, line.clone()));
                }
            }
        }
        let before = |all: &[(usize, CallLine)]| {
            let lines = all.iter().filter_map(|(record, line)| {
                let draw = self.scene.line(*record)?;
                Some((*record, vec![line.clone(), draw.clone()]))
            });
            lines.collect::<Changes>()
        };
        let mut added = Vec::new();
        for ((alteration, program), draws) in &found {
            if let ([_, _, ..], Some(program)) = (&draws[..], program) {
                let group = Group::Program(*program);
                added.push((0.15, alteration.clone(), group, before(draws)));
            }
            for draw in draws {
                let changes = before(std::slice::from_ref(draw));
                added.push((0.1, alteration.clone(), Group::One, changes));
            }
        }
        for (plausible, alteration, group, changes) in added {
            self.add(plausible, alteration, group, changes);
        }
    }
}

impl Alteration {
    /// Joins the fields that differ; `None` if none does.
    fn of(call: &'static str, fields: &[(&'static str, String, String)]) -> Option<Alteration> {
        let join = |part: fn(&(&'static str, String, String)) -> String| {
            fields.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        (!fields.is_empty()).then(|| Alteration {
            call,
            field: join(|(name, ..)| (*name).to_owned()),
            from: join(|(_, from, _)| from.clone()),
            to: join(|(.., to)| to.clone()),
        })
    }
}

/// Returns candidates that join those of one call and field that help a little each. `helps` says whether one does.
pub(super) fn joined(all: &[Candidate], helps: &dyn Fn(usize) -> bool) -> Vec<Candidate> {
    let mut found: BTreeMap<(&str, &str, &str), Vec<&Candidate>> = BTreeMap::new();
    for (index, candidate) in all.iter().enumerate().filter(|(index, _)| helps(*index)) {
        let Alteration { call, field, to, .. } = &candidate.alteration;
        if candidate.group != Group::All && !field.is_empty() && index < all.len() {
            found.entry((call, field, to)).or_default().push(candidate);
        }
    }
    let parts = found.into_values().filter(|parts| parts.len() > 1);
    let joined = parts.filter_map(|parts| {
        let mut joined = (*parts.first()?).clone();
        joined.group = Group::Several;
        for part in parts.iter().skip(1) {
            for (record, lines) in &part.changes {
                joined.changes.entry(*record).or_insert_with(|| lines.clone());
            }
        }
        Some(joined)
    });
    joined.collect()
}
