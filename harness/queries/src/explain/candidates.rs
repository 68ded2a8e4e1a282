//! Generates the candidates of a search: changes of calls, ordered by plausibility.

use std::collections::{BTreeMap, HashSet};

use molehill_analysis::calls::{is_draw, is_upload};
use molehill_analysis::evidence::census::Census;
use molehill_analysis::names::{DATA, arguments};
use molehill_analysis::state::set_by;
use molehill_analysis::warnings::WarningMatch;
use molehill_analysis::{Capture, Result};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use super::alteration::Alteration;
use super::evidence::{CallDiagnostic, CallEvidence};
use super::ranking::{Ranking, is_suspect};
use super::scene::{Changes, Scene};
use super::variants::SceneObjects;

/// The common prefix of the names of calls that set constants.
const CONSTANTS: &str = "setProgramConstants";
const MOST: usize = 20_000;
/// The number of calls, up to the frame's end, whose argument values are counted.
pub(super) const COUNTED_CALLS: usize = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallGroup {
    /// All calls of the frame whose changed parameter has the same value.
    All,
    /// Calls whose draws were the last to change many of the wrong pixels.
    Suspects,
    /// Calls whose arguments are all equal, including the arguments that the alteration doesn't change.
    Alike,
    /// Calls that set state for draws with this program.
    Program(ObjectId),
    Object(ObjectId),
    One,
    /// The calls of several candidates that each reduce the difference from the expected image.
    Several,
}

#[derive(Clone)]
pub(super) struct CallCandidate {
    pub(super) priority: f64,
    pub(super) alteration: Alteration,
    pub(super) group: CallGroup,
    pub(super) changes: Changes,
    /// The id of the set of changed calls. `kind` is the id of the call name and parameter.
    pub(super) set: usize,
    pub(super) kind: usize,
}

pub(super) fn candidates(
    scene: &Scene,
    capture: &Capture,
    last_call: usize,
    evidence: &[WarningMatch],
) -> Result<Vec<CallCandidate>> {
    let mut census = Census::default();
    for number in last_call.saturating_sub(COUNTED_CALLS).max(1)..=last_call {
        let (_, line) = capture.call(number)?;
        if !is_upload(&line.call) {
            census.add(number, &line.call, None);
        }
    }
    let mut objects =
        SceneObjects { background: scene.wrong.kinds.background, ..SceneObjects::default() };
    scene.records.iter().filter_map(|it| it.call()).for_each(|line| objects.add(line));
    let mut all = CandidateLists {
        scene,
        capture,
        census,
        evidence: CallEvidence::of(scene, &objects),
        objects,
        ranking: Ranking::new(scene),
        odd: CallDiagnostic::of(capture, evidence)?,
        kinds: BTreeMap::new(),
        out: Vec::new(),
    };
    all.arguments();
    all.faces();
    all.uploads(last_call)?;
    all.deletions();
    all.insertions();
    let mut found = all.out;
    found.sort_by(|a, b| b.priority.total_cmp(&a.priority));
    found.truncate(MOST);
    Ok(found)
}

pub(super) struct CandidateLists<'a> {
    pub(super) scene: &'a Scene,
    pub(super) capture: &'a Capture,
    census: Census,
    objects: SceneObjects,
    evidence: CallEvidence<'a>,
    ranking: Ranking<'a>,
    pub(super) odd: CallDiagnostic,
    kinds: BTreeMap<(&'static str, String), usize>,
    out: Vec<CallCandidate>,
}

type InsertedCalls = Vec<(usize, CallLine)>;
/// For each record, its replacement call and the plausibility of the change.
type CallReplacements = Vec<(usize, Call, f64)>;

impl CandidateLists<'_> {
    pub(super) fn name(&self, id: ObjectId) -> String {
        self.capture.name(id)
    }

    /// Returns the arguments of a call as text.
    fn text(&self, call: &Call) -> String {
        arguments(&call.arguments(&|id| self.name(id)))
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &CallLine)> {
        self.scene.records.iter().enumerate().filter_map(|(at, it)| Some((at, it.call()?)))
    }

    /// Adds candidates that change arguments of calls on which the frame depends.
    fn arguments(&mut self) {
        let mut found: BTreeMap<Alteration, CallReplacements> = BTreeMap::new();
        for (record, line) in self.lines() {
            let part = &self.scene.parts[record];
            if part.share <= 0.0 {
                continue;
            }
            let is_overwritten = part.is_overwritten;
            let slots = set_by(&line.call);
            let raw = |id: ObjectId| id.0.to_string();
            let before = line.call.arguments(&|id| self.name(id));
            let numbers = line.call.arguments(&raw);
            let mut own: Vec<(Alteration, f64, f64, Call)> = Vec::new();
            for call in self.objects.variants(&line.call) {
                // Skips changes without effect: the same slots are set again before any draw.
                if is_overwritten && slots == set_by(&call) {
                    continue;
                }
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
                let weight = self.evidence.weight(record, &line.call, &call);
                own.push((alteration, plausible, weight, call));
            }
            // Divides the plausibility of a parameter among the candidate values of this parameter.
            let mut sums: BTreeMap<String, f64> = BTreeMap::new();
            for (alteration, plausible, ..) in &own {
                *sums.entry(alteration.field.clone()).or_default() += plausible;
            }
            for (alteration, plausible, weight, call) in own {
                let sum = sums.get(&alteration.field).copied().unwrap_or(1.0);
                let weight = weight * self.odd.weight(line, &alteration);
                let entry = found.entry(alteration).or_default();
                entry.push((record, call, plausible / sum * weight));
            }
        }
        for (alteration, altered) in found {
            self.groups(&alteration, &altered);
        }
    }

    /// Returns the plausibility that a call should have another value, from the frequencies of both values.
    fn plausible(
        &self,
        call: &'static str,
        parameter: &'static str,
        (old, new): (&str, &str),
    ) -> f64 {
        let often = |value| f64::from(self.census.count(call, parameter, value)).ln_1p();
        (often(new) + 1.0) / (often(new) + often(old) + 2.0)
    }

    /// Adds a candidate that changes all calls with the value, candidates for the calls of each program and object, and
    /// a candidate for each call.
    fn groups(&mut self, alteration: &Alteration, altered: &CallReplacements) {
        let parts = &self.scene.parts;
        let mut groups: BTreeMap<(CallGroup, String), CallReplacements> = BTreeMap::new();
        let best = altered.iter().map(|(.., plausible)| *plausible).fold(0.0, f64::max);
        for (at, call, plausible) in altered {
            let one = (*at, call.clone(), *plausible);
            let Some(line) = self.scene.line(*at) else { continue };
            let program = parts.get(*at).and_then(|part| part.program).map(CallGroup::Program);
            let objects = line.call.objects().into_iter().map(|(_, id)| CallGroup::Object(id));
            for group in [CallGroup::All].into_iter().chain(program).chain(objects) {
                groups.entry((group, String::new())).or_default().push(one.clone());
            }
            let mut other = line.call.arguments(&|id| id.0.to_string());
            other.retain(|(name, value)| value.len() < DATA && !alteration.field.contains(name));
            let alike = (CallGroup::Alike, arguments(&other));
            groups.entry(alike).or_default().push(one.clone());
            if plausible * 2.0 >= best && is_suspect(self.scene, *at) {
                let suspects = (CallGroup::Suspects, String::new());
                groups.entry(suspects).or_default().push(one.clone());
            }
            groups.insert((CallGroup::One, at.to_string()), vec![one]);
        }
        let mut known: HashSet<Vec<usize>> = HashSet::new();
        for ((group, _), altered) in groups {
            if !known.insert(altered.iter().map(|(at, ..)| *at).collect()) {
                continue;
            }
            let factor = match group {
                CallGroup::All => 1.0,
                CallGroup::Suspects => 0.7,
                CallGroup::Program(_) | CallGroup::Alike => 0.5,
                CallGroup::Object(_) => 0.4,
                CallGroup::One | CallGroup::Several => 0.2,
            };
            // Also changes equal calls that restore the state at the frame's start.
            let is_before =
                |at: &usize| self.scene.parts.get(*at).is_some_and(|it| it.share <= 0.0);
            let before = (0..self.scene.restored).filter(is_before).filter_map(|at| {
                let line = self.scene.line(at)?;
                let is_same = |of: usize| self.scene.line(of).is_some_and(|it| it == line);
                let (_, new, _) = altered.iter().find(|(of, ..)| is_same(*of))?;
                (set_by(new) != set_by(&line.call)).then(|| (at, new.clone()))
            });
            let before: Vec<(usize, Call)> = before.collect();
            let plausible: f64 = altered.iter().map(|(.., plausible)| plausible).sum();
            let plausible = plausible / altered.len().max(1) as f64;
            let with = |call| |line: &CallLine| vec![CallLine { call, ..line.clone() }];
            let all = altered.into_iter().map(|(at, call, _)| (at, call)).chain(before);
            let changes = all.filter_map(|(at, call)| Some((at, with(call)(self.scene.line(at)?))));
            let changes = changes.collect();
            self.add(plausible * factor, alteration.clone(), group, changes);
        }
    }

    pub(super) fn add(
        &mut self,
        plausible: f64,
        alteration: Alteration,
        group: CallGroup,
        changes: Changes,
    ) {
        let (fit, set) = self.ranking.fit(&alteration, &changes);
        let number = self.kinds.len();
        // The variants of `setProgramConstants` differ only in the type of their data, so they count as one call.
        let is_constants = alteration.call.starts_with(CONSTANTS);
        let call = if is_constants { CONSTANTS } else { alteration.call };
        let kind = (call, alteration.field.clone());
        let kind = *self.kinds.entry(kind).or_insert(number);
        self.out.push(CallCandidate {
            priority: plausible * fit,
            alteration,
            group,
            changes,
            set,
            kind,
        });
    }

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
            let alteration = Alteration::whole(name, self.text(&call), "no call");
            let again = record.checked_sub(1).and_then(|before| self.scene.line(before));
            let is_again = is_draw(&call) && again.is_some_and(|before| before.call == call);
            let plausible = if is_again { 1.0 } else { 0.1 };
            self.add(plausible, alteration, CallGroup::One, Changes::from([(record, Vec::new())]));
        }
    }

    /// Adds candidates that insert calls before draws, to set state that other draws have.
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
        let mut found: BTreeMap<(Alteration, Option<ObjectId>), (f64, InsertedCalls)> =
            BTreeMap::new();
        for draw in &self.scene.draws {
            for ((context, slot), calls) in &seen {
                let current = draw.slots.get(slot).and_then(|at| self.scene.line(*at));
                let weight = self.evidence.inserted(draw, *slot) / calls.len().max(4) as f64;
                for (_, line) in calls.iter().filter(|_| *context == draw.context) {
                    if current.is_some_and(|it| it.call == line.call) {
                        continue;
                    }
                    let from = current.map_or("no call".to_owned(), |it| self.text(&it.call));
                    let to = format!("{} before the draw", self.text(&line.call));
                    let alteration = Alteration::whole(line.call.name(), from, to);
                    let entry = found.entry((alteration, draw.program)).or_default();
                    entry.0 = f64::max(entry.0, weight);
                    entry.1.push((draw.record, line.clone()));
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
        for ((alteration, program), (weight, draws)) in &found {
            if let ([_, _, ..], Some(program)) = (&draws[..], program) {
                let group = CallGroup::Program(*program);
                added.push((0.6 * weight, alteration.clone(), group, before(draws)));
            }
            for draw in draws {
                let changes = before(std::slice::from_ref(draw));
                added.push((0.3 * weight, alteration.clone(), CallGroup::One, changes));
            }
        }
        for (plausible, alteration, group, changes) in added {
            self.add(plausible, alteration, group, changes);
        }
    }
}

/// Combines candidates that change the same parameter of calls with the same name, if `helps` is true for each
/// candidate.
pub(super) fn joined(all: &[CallCandidate], helps: &dyn Fn(usize) -> bool) -> Vec<CallCandidate> {
    let mut found: BTreeMap<(&str, &str, &str), Vec<&CallCandidate>> = BTreeMap::new();
    for (index, candidate) in all.iter().enumerate().filter(|(index, _)| helps(*index)) {
        let Alteration { call, field, to, .. } = &candidate.alteration;
        if candidate.group != CallGroup::All && !field.is_empty() && index < all.len() {
            found.entry((call, field, to)).or_default().push(candidate);
        }
    }
    let parts = found.into_values().filter(|parts| parts.len() > 1);
    let joined = parts.filter_map(|parts| {
        let mut joined = (*parts.first()?).clone();
        joined.group = CallGroup::Several;
        joined.priority = f64::MAX;
        for part in parts.iter().skip(1) {
            for (record, lines) in &part.changes {
                joined.changes.entry(*record).or_insert_with(|| lines.clone());
            }
        }
        Some(joined)
    });
    joined.collect()
}
