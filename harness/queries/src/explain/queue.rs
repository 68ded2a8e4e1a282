//! Orders the candidate changes that a search tries. The result of each trial changes the plausibility of related
//! candidates.

use super::candidates::CallCandidate;

/// The effect of a candidate on the image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TrialOutcome {
    /// The fractions, from 0 to 1, of the wrong pixels (`wrong`) and of the right pixels that the change affects.
    pub(super) wrong: f64,
    pub(super) right: f64,
    /// The fraction of the difference that the change removes; negative if the difference increases.
    pub(super) gain: f64,
}

/// The factor that reduces the plausibility of a parameter's other values, if one value had no effect.
const IDLE: f64 = 0.6;
/// The factor that reduces the plausibility of an alteration in other calls, if the alteration had no effect in some
/// calls.
const IDLE_PART: f64 = 0.15;
/// The minimum reduction of the image difference by a candidate that makes similar candidates more plausible.
const LEAST_GAIN: f64 = 0.02;

#[derive(Clone, Default)]
pub(super) struct CandidateQueue {
    /// The plausibility of each candidate; negative for candidates that were taken.
    plausible: Vec<f64>,
    taken: usize,
}

impl CandidateQueue {
    pub(super) fn extend(&mut self, candidates: &[CallCandidate]) {
        self.plausible.extend(candidates.iter().map(|it| it.priority));
    }

    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.plausible.len()
    }

    pub(super) fn take(&mut self) -> Option<usize> {
        let left = self.plausible.iter().enumerate().filter(|(_, it)| **it >= 0.0);
        let (best, _) = left.rev().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        *self.plausible.get_mut(best)? = -1.0;
        self.taken += 1;
        Some(best)
    }

    /// Adjusts the plausibility of candidates that are related to a tried candidate, by its outcome.
    pub(super) fn learn(&mut self, all: &[CallCandidate], tried: usize, outcome: TrialOutcome) {
        let Some(done) = all.get(tried) else { return };
        let TrialOutcome { wrong, right, gain } = outcome;
        let is_idle = wrong == 0.0 && right == 0.0;
        let hit = (wrong - right).max(0.0);
        for (candidate, plausible) in all.iter().zip(&mut self.plausible) {
            if candidate.kind != done.kind {
                continue;
            }
            let is_same = candidate.alteration == done.alteration;
            let factor = match (is_same, candidate.set == done.set) {
                _ if gain > LEAST_GAIN => 1.0 + 6.0 * gain,
                (true, _) if is_idle => IDLE_PART,
                (_, true) if is_idle => IDLE,
                _ if is_idle => IDLE.sqrt(),
                (true, _) => 0.5 + hit,
                (_, true) => 0.5 + hit * 1.5,
                _ => 0.8 + hit * 0.4,
            };
            *plausible *= factor;
        }
    }
}
