//! Splits a run into parts of about equal time.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::case::Case;

/// The time in microseconds: an integer, so that sums are the same everywhere.
fn weight(case: &Case, times: &HashMap<String, f64>) -> u64 {
    let seconds = times.get(&case.name).copied();
    let seconds = seconds.unwrap_or_else(|| case.body.estimate());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and nothing takes a negative time"
    )]
    let micros = (seconds * 1e6) as u64;
    micros.max(1)
}

/// The cases of part `index`, from 1 on, of `count`, in their order. The parts are disjoint and together have every
/// case; they depend only on names and times. The longest remaining case goes to the shortest part.
pub fn select(
    cases: Vec<Case>,
    index: usize,
    count: usize,
    times: &HashMap<String, f64>,
) -> Vec<Case> {
    let mut order: Vec<(Reverse<u64>, &str, usize)> = cases
        .iter()
        .enumerate()
        .map(|(at, case)| (Reverse(weight(case, times)), case.name.as_str(), at))
        .collect();
    order.sort_unstable();
    let mut loads = vec![0u64; count.max(1)];
    let mut chosen = vec![false; cases.len()];
    for (Reverse(weight), _, at) in order {
        let least = loads.iter().enumerate().min_by_key(|(part, load)| (**load, *part));
        let Some(part) = least.map(|(part, _)| part) else {
            break;
        };
        if let Some(load) = loads.get_mut(part) {
            *load = load.saturating_add(weight);
        }
        if let Some(mark) = chosen.get_mut(at) {
            *mark = part + 1 == index;
        }
    }
    let pairs = cases.into_iter().zip(chosen);
    pairs.filter_map(|(case, chosen)| chosen.then_some(case)).collect()
}
