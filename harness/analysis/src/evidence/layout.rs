//! Checks the vertex attributes and index ranges of draws.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use molehill_capture::Call;
use molehill_capture::objects::{IndexBufferId, ObjectId};

use super::FrameUse;
use crate::calls::{drawn_indices, floats};
use crate::state_items::StateItem;
use crate::warnings::WarningKind;
use crate::writes::{ranges, without};

/// A vertex attribute that a program reads, with its range of 32-bit values in the vertex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AttributeRange {
    register: usize,
    start: usize,
    end: usize,
    /// The call that binds the attribute's stream.
    write: usize,
}

impl AttributeRange {
    fn overlaps(&self, other: &AttributeRange) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn moved(&self, start: usize) -> AttributeRange {
        AttributeRange { start, end: start + self.end - self.start, ..*self }
    }
}

/// Describes the range `start..end` of a vertex's 32-bit values.
fn values(start: usize, end: usize) -> String {
    match end - start {
        1 => format!("value {start}"),
        _ => format!("values {start} to {}", end - 1),
    }
}

/// Returns the ranges of 32-bit values in a vertex that no attribute reads.
fn unread(attributes: &[AttributeRange], stride: usize) -> Vec<Range<usize>> {
    let read = attributes.iter().map(|it| it.start..it.end);
    read.fold(ranges(0..stride), |left, range| without(&left, &range))
}

/// Moves one attribute of an overlapping pair, if exactly one move makes all attributes cover the vertex exactly.
fn fitting(
    all: &[AttributeRange],
    pair: [&AttributeRange; 2],
    stride: usize,
) -> Option<AttributeRange> {
    let mut found = None;
    for one in pair {
        let others: Vec<_> = all.iter().filter(|it| it.register != one.register).copied().collect();
        for start in 0..stride.saturating_sub(one.end - one.start - 1) {
            let moved = one.moved(start);
            let whole = [&others[..], &[moved]].concat();
            let fits =
                !others.iter().any(|it| it.overlaps(&moved)) && unread(&whole, stride).is_empty();
            if fits && found.replace(moved).is_some() {
                return None;
            }
        }
    }
    found
}

impl FrameUse<'_> {
    /// Returns the attributes that a draw reads, by vertex buffer and number of values per vertex.
    fn attributes(&self, draw: usize) -> BTreeMap<(ObjectId, usize), Vec<AttributeRange>> {
        let mut found: BTreeMap<_, Vec<AttributeRange>> = BTreeMap::new();
        let Some((draw, pair)) = self.draws.get(draw).and_then(|it| Some((it, it.pair.as_ref()?)))
        else {
            return found;
        };
        for (register, write, buffer) in draw.of(StateItem::Stream) {
            let line = self.call(write);
            let Some(Call::SetVertexBufferAt { buffer_offset, format, .. }) =
                line.as_ref().map(|it| &it.call)
            else {
                continue;
            };
            let created = self.capture.creation(buffer);
            let (Some(length), Some(Call::CreateVertexBuffer { data32_per_vertex, .. })) =
                (floats(format), created.as_ref().map(|it| &it.call))
            else {
                continue;
            };
            let number = |it: i32| usize::try_from(it).ok();
            let (Some(start), Some(length), Some(stride)) =
                (number(*buffer_offset), number(length), number(*data32_per_vertex))
            else {
                continue;
            };
            if pair.interface().attributes >> register & 1 != 0 {
                let attribute = AttributeRange { register, start, end: start + length, write };
                found.entry((buffer, stride)).or_default().push(attribute);
            }
        }
        found
    }

    /// Finds vertex attributes that overlap while other values of the vertex are never read.
    pub(super) fn layouts(&mut self) {
        let mut known: BTreeMap<_, (usize, String, Vec<usize>)> = BTreeMap::new();
        let mut buffers: BTreeMap<(ObjectId, usize), Readers> = BTreeMap::new();
        for (at, draw) in self.draws.iter().enumerate() {
            for ((buffer, stride), all) in self.attributes(at) {
                let left = unread(&all, stride);
                for pair in overlapping(&all).filter(|_| !left.is_empty()) {
                    let places = pair.map(|it| (it.register, it.start, it.end));
                    let entry = known.entry((draw.program, places, stride));
                    let (.., draws) = entry.or_insert_with(|| {
                        let fits = fitting(&all, pair, stride);
                        let call = fits.map_or(pair[1].write, |it| it.write);
                        let (name, advice) =
                            (self.capture.name(buffer), fits.map_or(String::new(), advice));
                        (call, overlap(pair, stride, &left, &name) + &advice, Vec::new())
                    });
                    draws.push(draw.call);
                }
                let readers = buffers.entry((buffer, stride)).or_default();
                for attribute in all {
                    readers
                        .entry((attribute.start, attribute.end))
                        .or_insert((attribute, Vec::new()))
                        .1
                        .push(draw.call);
                }
            }
        }
        for (call, text, draws) in known.into_values() {
            self.add(WarningKind::VertexLayout, call, draws, text);
        }
        let mut told = BTreeSet::new();
        for ((buffer, stride), readers) in buffers {
            let name = self.capture.name(buffer);
            if let Some((text, attribute, draws)) =
                gap(&readers, stride).or_else(|| straddling(&readers, stride))
                && told.insert((text.clone(), stride))
            {
                self.add(
                    WarningKind::VertexLayout,
                    attribute.write,
                    draws,
                    format!("{text} of a vertex of {name}"),
                );
            }
        }
    }

    /// Finds draws that start inside a triangle, and draws that omit a few indices of the buffer.
    pub(super) fn indices(&mut self) {
        let mut drawn: BTreeMap<_, BTreeMap<_, Vec<usize>>> = BTreeMap::new();
        for draw in &self.draws {
            let Some((Some(IndexBufferId(buffer)), first, count)) = drawn_indices(&draw.line.call)
            else {
                continue;
            };
            let Some(all) = self.number_of_indices(buffer) else { continue };
            let first = usize::try_from(first).unwrap_or(0);
            let triangles = usize::try_from(count).unwrap_or(all);
            let end = first.saturating_add(triangles.saturating_mul(3)).min(all);
            let ranges = drawn.entry((buffer, all)).or_default();
            ranges.entry((first, end)).or_default().push(draw.call);
        }
        for ((buffer, all), parts) in drawn {
            let left = parts.keys().map(|(first, end)| *first..*end);
            let left = left.fold(ranges(0..all), |left, part| without(&left, &part));
            let number: usize = left.iter().map(ExactSizeIterator::len).sum();
            let missing = match number {
                1..=MOST_FORGOTTEN if number * FORGOTTEN_PART <= all => {
                    let names: Vec<_> =
                        left.into_iter().flatten().map(|it| it.to_string()).collect();
                    format!("indices {} of the {all} are never drawn", names.join(", "))
                }
                _ => String::new(),
            };
            let name = self.capture.name(buffer);
            let split = parts.iter().find(|((first, _), _)| first % 3 != 0);
            let text = match (split, missing.as_str()) {
                (None, "") => continue,
                (None, missing) => format!("{name}: {missing}"),
                (Some(((first, end), _)), missing) => {
                    let last = end.saturating_sub(1);
                    let missing =
                        if missing.is_empty() { String::new() } else { format!("; {missing}") };
                    format!(
                        "the triangles of indices {first} to {last} of {name} begin inside the triangles from index 0: firstIndex \
                         {first} is not a multiple of 3{missing}"
                    )
                }
            };
            let draws: Vec<usize> = split.map_or_else(
                || parts.values().flatten().copied().collect(),
                |(_, draws)| draws.clone(),
            );
            let call = draws.first().copied().unwrap_or(0);
            self.add(WarningKind::IndexRange, call, draws, text);
        }
    }

    fn number_of_indices(&self, buffer: ObjectId) -> Option<usize> {
        match self.capture.creation(buffer)?.call {
            Call::CreateIndexBuffer { num_indices, .. } => usize::try_from(num_indices).ok(),
            _ => None,
        }
    }
}

/// Maximum number of omitted indices that looks like a mistake. A draw that omits more than 1/`FORGOTTEN_PART` of the
/// index buffer is not reported.
const MOST_FORGOTTEN: usize = 9;
const FORGOTTEN_PART: usize = 8;

/// The vertex values that a frame reads: for each range, the first attribute with the range, and the draws.
type Readers = BTreeMap<(usize, usize), (AttributeRange, Vec<usize>)>;

/// A diagnostic about a vertex buffer's layout: its text, and an attribute with its draws.
type LayoutDiagnostic = (String, AttributeRange, Vec<usize>);

/// Finds a single 32-bit value of the vertex that no draw reads and that directly precedes an attribute. Unread ranges
/// of several values are ignored, because other passes often read such ranges.
fn gap(readers: &Readers, stride: usize) -> Option<LayoutDiagnostic> {
    let all: Vec<AttributeRange> = readers.values().map(|(it, _)| *it).collect();
    let left = unread(&all, stride);
    let left = left.iter().find(|it| it.len() == 1)?;
    let (attribute, draws) = readers.values().find(|(it, _)| it.start == left.end)?;
    let text =
        format!("no draw of the frame reads {} of the {stride}", values(left.start, left.end));
    Some((text, *attribute, draws.clone()))
}

/// Finds an attribute that partly overlaps another attribute that more draws use.
fn straddling(readers: &Readers, stride: usize) -> Option<LayoutDiagnostic> {
    let mut found = None;
    for (odd, draws) in readers.values() {
        let crosses = |(usual, others): &&(AttributeRange, Vec<usize>)| {
            let nested = usual.start <= odd.start && odd.end <= usual.end
                || odd.start <= usual.start && usual.end <= odd.end;
            odd.overlaps(usual) && !nested && others.len() > draws.len()
        };
        if let Some((usual, _)) = readers.values().find(crosses) {
            let [own, other] = [odd, usual].map(|it| values(it.start, it.end));
            let text = format!(
                "va{} reads {own}, where other draws read {other}, of the {stride}",
                odd.register
            );
            found = Some((text, *odd, draws.clone()));
        }
    }
    found
}

fn overlapping(all: &[AttributeRange]) -> impl Iterator<Item = [&AttributeRange; 2]> {
    let pairs = all
        .iter()
        .enumerate()
        .flat_map(|(at, one)| all.iter().skip(at + 1).map(move |two| [one, two]));
    pairs.filter(|[one, two]| one.overlaps(two))
}

fn overlap(pair: [&AttributeRange; 2], stride: usize, left: &[Range<usize>], name: &str) -> String {
    let [one, two] = pair.map(|it| format!("va{} reads {}", it.register, values(it.start, it.end)));
    let left: Vec<_> = left.iter().map(|it| values(it.start, it.end)).collect();
    format!(
        "{one} and {two} of the {stride} of a vertex of {name}: they overlap, and no attribute reads {}",
        left.join(", ")
    )
}

fn advice(moved: AttributeRange) -> String {
    format!("; with bufferOffset {} of va{}, each value is read once", moved.start, moved.register)
}
