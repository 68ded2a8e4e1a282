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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Cases, Expected};

    fn cases(count: usize) -> Vec<Case> {
        let mut cases = Cases::default();
        for n in 0..count {
            cases.calls(format!("c{n}"), "", Expected::Allowed, |_| Ok(()));
        }
        cases.finish()
    }

    #[test]
    fn parts_are_disjoint_complete_and_balanced() {
        let times: HashMap<String, f64> =
            (0..40).map(|n| (format!("c{n}"), f64::from(n))).collect();
        let mut names = Vec::new();
        for index in 1..=4 {
            let part = select(cases(50), index, 4, &times);
            let load: f64 = part.iter().map(|case| weight(case, &times) as f64 / 1e6).sum();
            assert!((190.0..=200.0).contains(&load), "{load}");
            names.extend(part.into_iter().map(|case| case.name));
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 50);
    }

    #[test]
    fn one_part_is_everything_in_order() {
        let all: Vec<String> = cases(20).into_iter().map(|case| case.name).collect();
        let one = select(cases(20), 1, 1, &HashMap::new());
        assert_eq!(one.into_iter().map(|case| case.name).collect::<Vec<_>>(), all);
        assert!(select(cases(3), 4, 4, &HashMap::new()).is_empty());
    }
}
