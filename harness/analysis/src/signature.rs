//! [`Signature`]: what a draw uses, to match the draws of two frames.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;

use crate::calls::TARGET;

/// What a draw uses, as hashes: everything that is bound; the program and the buffers; the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature([u64; 3]);

type Bound = BTreeMap<(&'static str, i32), ObjectId>;

impl Signature {
    pub(crate) fn new(line: &CallLine, bound: Option<&Bound>) -> Signature {
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
}

impl Signature {
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

/// For each draw of `after` the same draw of `before`: the n-th of equal ones is the n-th. Exact matches come first.
pub(crate) fn pairs(
    before: &[(usize, Signature)],
    after: &[(usize, Signature)],
) -> BTreeMap<usize, usize> {
    let (mut found, mut free) = (BTreeMap::new(), before.to_vec());
    for level in 0..3 {
        let key = |signature: &Signature| signature.0.get(level).copied();
        let mut queues: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (call, signature) in &free {
            queues.entry(key(signature)).or_default().push_back(*call);
        }
        for (call, signature) in
            after.iter().filter(|(call, _)| !found.contains_key(call)).copied().collect::<Vec<_>>()
        {
            if let Some(earlier) = queues.get_mut(&key(&signature)).and_then(VecDeque::pop_front) {
                found.insert(call, earlier);
            }
        }
        free = queues
            .into_values()
            .flatten()
            .filter_map(|call| {
                let at = before.binary_search_by_key(&call, |(call, _)| *call).ok()?;
                before.get(at).copied()
            })
            .collect();
        free.sort_unstable_by_key(|(call, _)| *call);
    }
    found
}
