//! [`Signature`]: what a draw uses, to match the draws of two frames.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;

use crate::calls::{BoundObjects, TARGET};

/// What a draw uses, as hashes: everything that is bound; the program and the buffers; the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature([u64; 3]);

impl Signature {
    pub(crate) fn new(line: &CallLine, bound: Option<&BoundObjects>) -> Signature {
        let named: Vec<ObjectId> = line.call.objects().iter().map(|(_, id)| *id).collect();
        let textures = |name: &str| name == "setTextureAt" || name == TARGET;
        let hash = |buffers: bool, counts: &dyn Fn(&str) -> bool| {
            let mut hasher = DefaultHasher::new();
            (line.on, buffers.then_some(&named)).hash(&mut hasher);
            let used = bound.into_iter().flatten().filter(|((name, _), _)| counts(name));
            used.for_each(|used| used.hash(&mut hasher));
            hasher.finish()
        };
        let program = |name: &str| name == "setProgram";
        Signature([
            hash(true, &|_| true),
            hash(true, &|name| !textures(name)),
            hash(false, &program),
        ])
    }

    /// The same for draws with the same program and buffers.
    pub(crate) fn buffers(self) -> u64 {
        self.0[1]
    }

    /// Whether draws use the same program and buffers; and also the same textures and targets.
    pub(crate) fn equals(self, other: Signature) -> (bool, bool) {
        let (Signature([all, buffers, _]), Signature([others, other_buffers, _])) = (self, other);
        (buffers == other_buffers, all == others)
    }
}

/// A draw's call, and what it uses.
type Draw = (usize, Signature);

/// What draws have in common in numbers; 0: nothing. Two draws with the same programs are worth more than one with the same
/// buffers: engines use their dynamic buffers in turns.
fn likeness((_, one): &Draw, (_, two): &Draw) -> u32 {
    let mut levels = one.0.iter().zip(two.0).zip([9, 7, 4]);
    levels.find(|((one, two), _)| *one == two).map_or(0, |(_, worth)| worth)
}

/// Most pairs of draws that are compared to keep their order.
const MAX_PAIRS: usize = 1 << 20;

/// The most alike pairs of draws in the order of both frames: calls of `before` by those of `after`. None if there are too
/// many draws.
fn in_order(mut before: &[Draw], mut after: &[Draw]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    if before.len().saturating_mul(after.len()) > MAX_PAIRS {
        return found;
    }
    // The likeness of the last draws: in each row of so many of `before`, in each place of so many of `after`.
    let mut rows = vec![vec![0; after.len() + 1]];
    for one in before.iter().rev() {
        let (mut row, last) = (vec![0], rows.last().map_or(&[][..], Vec::as_slice));
        for (two, pair) in after.iter().rev().zip(last.windows(2)) {
            let [both, without] = [pair.first(), pair.last()].map(|it| it.copied().unwrap_or(0));
            let like = likeness(one, two);
            let both = if like == 0 { 0 } else { both + like };
            row.push(both.max(without).max(row.last().copied().unwrap_or(0)));
        }
        rows.push(row);
    }
    let best = |before: usize, after: usize| rows.get(before).and_then(|row| row.get(after));
    while let ([one, more @ ..], [two, others @ ..]) = (before, after) {
        let all = best(before.len(), after.len());
        let like = likeness(one, two);
        if like > 0 && all == best(more.len(), others.len()).map(|rest| rest + like).as_ref() {
            found.insert(two.0, one.0);
            (before, after) = (more, others);
        } else if all == best(more.len(), after.len()) {
            before = more;
        } else {
            after = others;
        }
    }
    found
}

/// For each draw of `after` the same draw of `before`: first in the order of both frames; of the others, the n-th of equal
/// ones is the n-th, exact matches first.
pub(crate) fn pairs(before: &[Draw], after: &[Draw]) -> BTreeMap<usize, usize> {
    let mut found = in_order(before, after);
    for level in 0..3 {
        let paired: BTreeSet<usize> = found.values().copied().collect();
        let key = |signature: &Signature| signature.0.get(level).copied();
        let mut queues: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (call, signature) in before.iter().filter(|one| !paired.contains(&one.0)) {
            queues.entry(key(signature)).or_default().push_back(*call);
        }
        let rest = after.iter().filter(|(call, _)| !found.contains_key(call));
        for (call, signature) in rest.copied().collect::<Vec<_>>() {
            if let Some(earlier) = queues.get_mut(&key(&signature)).and_then(VecDeque::pop_front) {
                found.insert(call, earlier);
            }
        }
    }
    found
}
