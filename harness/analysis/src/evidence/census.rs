//! Counts how often each argument value occurs, and finds values that only one draw of a program has.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use molehill_capture::Call;
use molehill_capture::objects::ObjectId;
use molehill_replay::table::aligned;
use serde::Serialize;

use super::FrameUse;
use crate::capture::Capture;
use crate::names::DATA;
use crate::state_items::{StateItem, StateSlot};
use crate::warnings::WarningKind;

/// Maximum number of distinct values per parameter. Parameters with more distinct values, such as matrices, aren't
/// reported.
const VALUES: usize = 256;
/// Maximum length of the lists in a report: values per parameter, and programs and draw indices per value.
const LISTED: usize = 8;
/// Minimum number of compared draws or matrices for which a single deviation is suspicious.
pub(super) const ALIKE: usize = 4;

/// The number of calls with each value, by call name and parameter.
#[derive(Default)]
pub struct Census(BTreeMap<(&'static str, &'static str), BTreeMap<String, ValueTally>>);

/// The calls that pass a certain value for a certain parameter, counted by program and by draw.
#[derive(Default)]
struct ValueTally {
    calls: u32,
    first: usize,
    /// The number of calls, by the program of the draw that follows, and by this draw's 1-based index in its frame.
    programs: BTreeMap<ObjectId, u32>,
    places: BTreeMap<usize, u32>,
}

impl Census {
    /// Counts a call's arguments. `draw` is the program of the next draw, and the draw's 1-based index in the frame.
    pub fn add(&mut self, number: usize, call: &Call, draw: Option<(ObjectId, usize)>) {
        for (parameter, value) in call.arguments(&|id| id.0.to_string()) {
            let values = self.0.entry((call.name(), parameter)).or_default();
            if values.len() >= VALUES && !values.contains_key(&value) {
                continue;
            }
            let tally = values.entry(value).or_default();
            tally.calls += 1;
            tally.first = if tally.calls == 1 { number } else { tally.first };
            if let Some((program, place)) = draw {
                *tally.programs.entry(program).or_default() += 1;
                *tally.places.entry(place).or_default() += 1;
            }
        }
    }

    pub fn count(&self, call: &'static str, parameter: &'static str, value: &str) -> u32 {
        self.0.get(&(call, parameter)).and_then(|it| it.get(value)).map_or(0, |it| it.calls)
    }

    /// Returns the counts of all arguments except bulk data, with the most frequent value of each parameter first.
    pub(crate) fn report(&self, capture: &Capture) -> CensusReport {
        let mut rows = Vec::new();
        for ((call, parameter), values) in &self.0 {
            if values.keys().any(|value| value.chars().count() >= DATA) {
                continue;
            }
            let mut all: Vec<_> = values.iter().collect();
            all.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.calls));
            rows.extend(all.iter().map(|(value, tally)| CensusRow {
                call,
                parameter,
                value: (*value).clone(),
                calls: tally.calls,
                first: tally.first,
                programs:
                    tally.programs.iter().map(|(id, calls)| (capture.name(*id), *calls)).collect(),
                places: tally.places.iter().map(|(place, calls)| (*place, *calls)).collect(),
            }));
        }
        CensusReport { rows }
    }
}

/// A value of a parameter, and the calls with this value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CensusRow {
    pub call: &'static str,
    pub parameter: &'static str,
    pub value: String,
    /// Number of calls with this value; `first` is the first such call.
    pub calls: u32,
    pub first: usize,
    /// The programs of the draws that follow the calls with this value, each with the number of calls.
    pub programs: Vec<(String, u32)>,
    /// The draws that follow the calls with this value, by 1-based index in the frame, each with the number of calls.
    pub places: Vec<(usize, u32)>,
}

/// The values of arguments, by call name and parameter, with the most frequent value of each parameter first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CensusReport {
    pub rows: Vec<CensusRow>,
}

impl fmt::Display for CensusReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "call",
            "parameter",
            "value",
            "calls",
            "first",
            "by program, and by draw of the frame",
        ];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        for values in
            self.rows.chunk_by(|one, two| (one.call, one.parameter) == (two.call, two.parameter))
        {
            let list = |all: Vec<String>| match all.len().saturating_sub(LISTED) {
                0 => all.join(", "),
                more => format!("{}, … {more} more", all[..LISTED].join(", ")),
            };
            for row in values.iter().take(LISTED) {
                let programs = row.programs.iter().map(|(name, calls)| format!("{name} {calls}"));
                let places = row.places.iter().map(|(place, calls)| format!("{place}: {calls}"));
                let (programs, places) = (list(programs.collect()), list(places.collect()));
                let uses =
                    [programs, places].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
                lines.push(vec![
                    row.call.to_owned(),
                    row.parameter.to_owned(),
                    row.value.clone(),
                    row.calls.to_string(),
                    row.first.to_string(),
                    uses.join("; draw "),
                ]);
            }
            if let (Some(row), Some(more)) = (values.first(), values.len().checked_sub(LISTED + 1))
            {
                let more = format!("… {} more values", more + 1);
                lines.push(vec![row.call.to_owned(), row.parameter.to_owned(), more]);
            }
        }
        f.write_str(&aligned(&lines, "<<<>><").concat())
    }
}

/// The state items whose arguments are compared among the draws of a program.
const COMPARED: [StateItem; 7] = [
    StateItem::Culling,
    StateItem::Blend,
    StateItem::ColorMask,
    StateItem::DepthTest,
    StateItem::StencilFront,
    StateItem::StencilBack,
    StateItem::StencilReference,
];

/// A program, a state value that the program's draws read, and a parameter of the calls that set this value.
type CensusParameter = (ObjectId, StateSlot, &'static str);

impl FrameUse<'_> {
    /// Finds argument values that one draw of a program has, and that no other draw of this program has.
    pub(super) fn odd_arguments(&mut self) {
        let mut texts: BTreeMap<usize, Arc<Vec<(&'static str, String)>>> = BTreeMap::new();
        let mut values: BTreeMap<CensusParameter, BTreeMap<String, (usize, Vec<usize>)>> =
            BTreeMap::new();
        for draw in &self.draws {
            let Some(program) = draw.program else { continue };
            let fixed = COMPARED.iter().filter_map(|item| {
                let slot = item.slot(0);
                Some((slot, self.writes.last(draw.line.on, slot, draw.call)?.call))
            });
            let streams = draw.bound.iter().filter(|(slot, ..)| slot.item == StateItem::Stream);
            for (slot, write) in fixed.chain(streams.map(|(slot, write, _)| (*slot, *write))) {
                let arguments = texts.entry(write).or_insert_with(|| {
                    let line = self.call(write);
                    let mut all =
                        line.map_or(Vec::new(), |line| line.call.arguments(&|id| id.0.to_string()));
                    all.retain(|(name, _)| !matches!(*name, "buffer" | "index"));
                    Arc::new(all)
                });
                for (name, value) in arguments.iter() {
                    let of = values.entry((program, slot, *name)).or_default();
                    of.entry(value.clone()).or_insert((write, Vec::new())).1.push(draw.call);
                }
            }
        }
        for ((program, _, name), values) in values {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_key(|(_, (_, draws))| draws.len());
            let [(odd, (write, draws)), (usual, (_, others))] = &values[..] else { continue };
            if draws.len() > 1 || others.len() + 1 < ALIKE {
                continue;
            }
            let all = others.len() + 1;
            let text = format!(
                "{name} is {odd} for 1 of the {all} draws with {}, and {usual} for the others",
                self.capture.name(program)
            );
            self.add(WarningKind::OddArgument, *write, draws.clone(), text);
        }
    }
}
