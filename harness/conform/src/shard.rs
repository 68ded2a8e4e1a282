//! Splits the test cases of a run into shards of about equal run time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

use super::case::Case;

/// Returns the run time of a case in microseconds. Integers are used because their sums are identical on every machine.
fn weight(case: &Case, times: &HashMap<String, f64>) -> u64 {
    let seconds = times.get(&case.name).copied();
    let time = Duration::try_from_secs_f64(seconds.unwrap_or_else(|| case.body.estimate()));
    u64::try_from(time.unwrap_or_default().as_micros()).unwrap_or(u64::MAX).max(1)
}

/// Returns the cases of shard `index` (1-based) of `count`, in their original order. Each case is in exactly one shard.
/// The shards depend only on names and times: the longest remaining case goes to the shard with the least total time.
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
        let least = loads.iter_mut().enumerate().min_by_key(|(part, load)| (**load, *part));
        if let (Some((part, load)), Some(mark)) = (least, chosen.get_mut(at)) {
            *load = load.saturating_add(weight);
            *mark = part + 1 == index;
        }
    }
    let pairs = cases.into_iter().zip(chosen);
    pairs.filter_map(|(case, chosen)| chosen.then_some(case)).collect()
}
