//! The signature of a draw: what it uses.

use std::hash::{DefaultHasher, Hash, Hasher};

use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;

use crate::state_items::{Item, Slot};

/// What a draw uses, as hashes: everything that is bound; the program and the buffers; the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature(pub(crate) [u64; 3]);

impl Signature {
    pub(crate) fn new(line: &CallLine, bound: &[(Slot, ObjectId)]) -> Signature {
        let named: Vec<ObjectId> = line.call.objects().iter().map(|(_, id)| *id).collect();
        let hash = |buffers: bool, counts: fn(Item) -> bool| {
            let mut hasher = DefaultHasher::new();
            (line.on, buffers.then_some(&named)).hash(&mut hasher);
            let used = bound.iter().filter(|(slot, _)| counts(slot.item));
            used.for_each(|used| used.hash(&mut hasher));
            hasher.finish()
        };
        Signature([
            hash(true, |_| true),
            hash(true, |item| !matches!(item, Item::Texture | Item::Output)),
            hash(false, |item| item == Item::Program),
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
