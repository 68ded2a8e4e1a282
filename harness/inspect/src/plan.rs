//! Which draws of a replay can be left out, because nobody can see what they draw: liveness of surfaces, as of registers in
//! a compiler. A clear makes all before it dead that nothing has read; so of a long replay only the draws of the last
//! frame, and into textures that are still there, have to be carried out. The rest of the state is exact in any case.

use std::collections::{HashMap, HashSet};

use molehill_reference::skip::Skip;

use crate::effects::{Action, Effect, Effects, Kind, Surface, is_among};

/// What has to be exact at the end of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Want {
    /// The kinds of surfaces, a bit each.
    kinds: u8,
    /// Everything that the following records do before this one is looked at.
    until: usize,
}

const fn kinds(kinds: &[Kind]) -> u8 {
    let mut bits = 0;
    let mut place = 0;
    while place < kinds.len() {
        bits |= 1 << kinds[place] as u32;
        place += 1;
    }
    bits
}

impl Want {
    /// Only what is set and bound, and buffers.
    pub(crate) const STATE: Want = Want::kinds(0);
    /// Textures too.
    pub(crate) const TEXTURES: Want = Want::kinds(kinds(&[Kind::Texture, Kind::Mips]));
    /// What is drawn into, and textures.
    pub(crate) const TARGETS: Want = Want::kinds(!kinds(&[Kind::Front]));
    /// Everything, so that a replay can go on.
    pub(crate) const ALL: Want = Want::kinds(!0);
    /// What the stage shows.
    pub(crate) const FRONT: Want = Want::kinds(kinds(&[Kind::Front]));

    const fn kinds(kinds: u8) -> Want {
        Want { kinds, until: 0 }
    }

    pub(crate) const fn until(self) -> usize {
        self.until
    }

    /// What the following records do is looked at too, up to before this one; the kinds matter there, not before.
    pub(crate) const fn and_following(self, until: usize) -> Want {
        Want { until, ..self }
    }
}

/// Surfaces whose content may be wrong, because draws into them were left out.
pub(crate) type Stale = HashSet<Surface>;

/// What is left out on the way to a place.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The number of records to begin after: a stop that was offered, or 0.
    pub(crate) start: usize,
    /// Places of effects that nobody sees.
    dead: HashSet<usize>,
}

/// Surfaces that matter. What isn't in the map matters by its kind.
struct Live {
    kinds: u8,
    exceptions: HashMap<Surface, bool>,
}

impl Live {
    fn has(&self, surface: Surface) -> bool {
        let known = self.exceptions.get(&surface).copied();
        known.unwrap_or_else(|| is_among(self.kinds, surface))
    }

    fn set(&mut self, surfaces: &[Surface], live: bool) {
        for surface in surfaces {
            self.exceptions.insert(*surface, live);
        }
    }

    /// Steps backwards over an effect that is carried out.
    fn before(&mut self, effects: &Effects, effect: &Effect) {
        let [writes, reads, kills, _] = effects.of(effect);
        if let (Action::Present, [front], [color]) = (effect.action, writes, reads) {
            // With one sample a pixel they change places, with several the front gets a copy.
            let (shown, drawn) = (self.has(*front), self.has(*color));
            self.set(reads, shown || drawn);
            self.set(writes, drawn);
            return;
        }
        self.set(kills, false);
        self.set(reads, true);
    }
}

impl Plan {
    /// The way to `records` records. `stops` are the numbers of records after which there are copies, the last first, with
    /// what is stale in them.
    pub(crate) fn new<'s>(
        effects: &Effects,
        records: usize,
        want: Want,
        stops: impl Iterator<Item = (usize, &'s Stale)>,
    ) -> Plan {
        let mut plan = Plan::default();
        let mut live = Live {
            kinds: want.kinds,
            exceptions: HashMap::new(),
        };
        let mut stops = stops.peekable();
        let end = effects.after(want.until.max(records));
        for (place, effect) in effects.all.iter().enumerate().take(end).rev() {
            if effect.record < records {
                while let Some((stop, stale)) = stops.next_if(|(stop, _)| *stop > effect.record) {
                    if !stale.iter().any(|surface| live.has(*surface)) {
                        plan.start = stop;
                        return plan;
                    }
                }
                let [writes, ..] = effects.of(effect);
                if effect.action != Action::Replace && !writes.iter().any(|one| live.has(*one)) {
                    plan.dead.insert(place);
                    // A `present` still changes places.
                    if effect.action != Action::Present {
                        continue;
                    }
                }
            } else {
                let [writes, _, _, rest] = effects.of(effect);
                live.set(writes, true);
                live.set(rest, true);
            }
            live.before(effects, effect);
        }
        let exact = |(_, stale): &(usize, &Stale)| !stale.iter().any(|one| live.has(*one));
        if let Some((stop, _)) = stops.find(exact) {
            plan.start = stop;
        }
        plan
    }

    /// The records that something is left out of, in no order, some more than once.
    pub(crate) fn records(&self, effects: &Effects) -> impl Iterator<Item = usize> {
        let dead = self.dead.iter();
        dead.filter_map(|place| Some(effects.all.get(*place)?.record))
    }

    /// What the renderer leaves out of a record, and takes note of what becomes stale by it.
    pub(crate) fn skip(&self, effects: &Effects, record: usize, stale: &mut Stale) -> Skip {
        let mut skip = Skip::default();
        // Several of a kind are left out together.
        let mut needed = Skip::default();
        let first = effects.after(record);
        let all = effects.all.iter().enumerate().skip(first);
        for (place, effect) in all.take_while(|(_, effect)| effect.record == record) {
            let [writes, reads, kills, _] = effects.of(effect);
            let dead = self.dead.contains(&place);
            let which = if dead { &mut skip } else { &mut needed };
            match effect.action {
                Action::Draw => which.draws = true,
                Action::Clear => which.clears = true,
                Action::Present => which.presents = true,
                Action::Mips => which.mips = true,
                Action::Replace => {}
            }
            if effect.action == Action::Present {
                let both = || writes.iter().chain(reads);
                if dead || both().any(|surface| stale.contains(surface)) {
                    let spoilt = reads.iter().any(|color| stale.contains(color));
                    let shown = writes.iter().any(|front| stale.contains(front));
                    stale.extend(writes.iter().filter(|_| dead || spoilt));
                    if !dead && !spoilt {
                        stale.retain(|surface| !writes.contains(surface));
                    }
                    stale.extend(reads.iter().filter(|_| shown));
                }
            } else if dead {
                stale.extend(writes);
            } else {
                stale.retain(|surface| !kills.contains(surface));
            }
        }
        Skip {
            draws: skip.draws && !needed.draws,
            clears: skip.clears && !needed.clears,
            presents: skip.presents && !needed.presents,
            mips: skip.mips && !needed.mips,
        }
    }
}
