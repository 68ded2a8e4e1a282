//! Finds draws that a replay can skip because their results are never read, by liveness analysis of surfaces. A clear
//! makes earlier unread content dead. Usually, only the last frame's draws and the draws into used textures are
//! executed. All state other than surface content is always exact.

use std::collections::{BTreeMap, HashMap, HashSet};

use molehill_reference::skip::Skip;

use crate::effects::{CallEffect, EffectAction, Effects, SurfaceId, SurfaceKind, is_among};

/// The surfaces that, at the end of a replay, must equal the surfaces of a replay without skipped draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExactSurfaces {
    kinds: u8,
    /// After the replay, all records before this index are executed without skipped draws, so the surfaces that these
    /// records read must be correct.
    pub(crate) until: usize,
}

const fn bit(kind: SurfaceKind) -> u8 {
    1 << kind as u32
}

impl ExactSurfaces {
    pub(crate) const STATE: ExactSurfaces = ExactSurfaces::kinds(0);
    pub(crate) const TEXTURES: ExactSurfaces =
        ExactSurfaces::kinds(bit(SurfaceKind::Texture) | bit(SurfaceKind::Mips));
    /// Selects all render targets and textures, but no front buffers.
    pub(crate) const TARGETS: ExactSurfaces = ExactSurfaces::kinds(!bit(SurfaceKind::Front));
    /// Selects all surfaces, so that a replay can execute all later packets.
    pub(crate) const ALL: ExactSurfaces = ExactSurfaces::kinds(!0);
    pub(crate) const FRONT: ExactSurfaces = ExactSurfaces::kinds(bit(SurfaceKind::Front));

    const fn kinds(kinds: u8) -> ExactSurfaces {
        ExactSurfaces { kinds, until: 0 }
    }

    /// Adds the records before `until`, which the caller executes after the replay without skipping draws. The surfaces
    /// of `kinds` must have correct content after the record before `until`.
    pub(crate) const fn and_following(self, until: usize) -> ExactSurfaces {
        ExactSurfaces { until, ..self }
    }
}

/// Surfaces with wrong content, because draws into them were skipped.
pub(crate) type StaleSurfaces = HashSet<SurfaceId>;

#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The record index at which the replay starts: that of a checkpoint, or 0.
    pub(crate) start: usize,
    dead: HashSet<usize>,
}

/// The surfaces whose content is read later. `exceptions` overrides `kinds`, the surface types, for single surfaces.
struct LiveSurfaces {
    kinds: u8,
    exceptions: HashMap<SurfaceId, bool>,
}

impl LiveSurfaces {
    fn has(&self, surface: SurfaceId) -> bool {
        let known = self.exceptions.get(&surface).copied();
        known.unwrap_or_else(|| is_among(self.kinds, surface))
    }

    fn set(&mut self, surfaces: &[SurfaceId], live: bool) {
        for surface in surfaces {
            self.exceptions.insert(*surface, live);
        }
    }

    /// Moves backwards over an executed effect, and updates the live surfaces to the point before it.
    fn before(&mut self, effects: &Effects, effect: &CallEffect) {
        let [writes, reads, kills, _] = effects.of(effect);
        if let (EffectAction::Present, [front], [color]) = (effect.action, writes, reads) {
            // With one sample per pixel, `present` swaps the buffers; with MSAA, it resolves the colour.
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
    /// Plans the replay of `records` records. `checkpoints` contains the number of executed records and the stale
    /// surfaces of each checkpoint, latest first.
    pub(crate) fn new<'s>(
        effects: &Effects,
        records: usize,
        want: ExactSurfaces,
        checkpoints: impl Iterator<Item = (usize, &'s StaleSurfaces)>,
    ) -> Plan {
        let mut plan = Plan::default();
        let mut live = LiveSurfaces { kinds: want.kinds, exceptions: HashMap::new() };
        let mut checkpoints = checkpoints.peekable();
        let end = effects.after(want.until.max(records));
        for (index, effect) in effects.all.iter().enumerate().take(end).rev() {
            if effect.record < records {
                while let Some((checkpoint, stale)) =
                    checkpoints.next_if(|(checkpoint, _)| *checkpoint > effect.record)
                {
                    if !stale.iter().any(|surface| live.has(*surface)) {
                        plan.start = checkpoint;
                        return plan;
                    }
                }
                let [writes, ..] = effects.of(effect);
                if effect.action != EffectAction::Replace
                    && !writes.iter().any(|one| live.has(*one))
                {
                    plan.dead.insert(index);
                    // A skipped `present` still swaps the buffers, so `live` must be updated.
                    if effect.action != EffectAction::Present {
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
        let exact = |(_, stale): &(usize, &StaleSurfaces)| !stale.iter().any(|one| live.has(*one));
        if let Some((checkpoint, _)) = checkpoints.find(exact) {
            plan.start = checkpoint;
        }
        plan
    }

    /// Returns the records with skipped effects, unordered and with duplicates.
    pub(crate) fn records(&self, effects: &Effects) -> impl Iterator<Item = usize> {
        let dead = self.dead.iter();
        dead.filter_map(|index| Some(effects.all.get(*index)?.record))
    }

    /// Returns the packets of a record that the renderer skips. Adds the resulting wrong surfaces to `stale`.
    pub(crate) fn skip(&self, effects: &Effects, record: usize, stale: &mut StaleSurfaces) -> Skip {
        let mut skip = Skip::default();
        // Packets of one type in a record can only be skipped together.
        let mut needed = Skip::default();
        let first = effects.after(record);
        let all = effects.all.iter().enumerate().skip(first);
        for (index, effect) in all.take_while(|(_, effect)| effect.record == record) {
            let [writes, reads, kills, _] = effects.of(effect);
            let dead = self.dead.contains(&index);
            let which = if dead { &mut skip } else { &mut needed };
            match effect.action {
                EffectAction::Draw => which.draws = true,
                EffectAction::Clear => which.clears = true,
                EffectAction::Present => which.presents = true,
                EffectAction::Mips => which.mips = true,
                EffectAction::Replace => {}
            }
            if effect.action == EffectAction::Present {
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

/// The packets that a replay may skip up to a record, from any starting point. Surfaces may be wrong during the replay,
/// but are correct at the end, so that the replay can continue.
#[derive(Clone, Debug, Default)]
pub struct Shortcut {
    /// The number of executed records after which no packet is skipped.
    pub end: usize,
    pub(crate) skips: BTreeMap<usize, Skip>,
}

impl Shortcut {
    /// Returns the packets to skip in the record with this 0-based index.
    pub fn skip(&self, record: usize) -> Skip {
        self.skips.get(&record).copied().unwrap_or_default()
    }
}
