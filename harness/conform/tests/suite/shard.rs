//! Tests of shards, which are equal parts of a conformance run.

use std::collections::HashMap;

use molehill_conform::case::{CallExpectation, Case, Cases};
use molehill_conform::shard::select;

fn cases(count: usize) -> Vec<Case> {
    let mut cases = Cases::default();
    for n in 0..count {
        cases.calls(format!("c{n}"), "", CallExpectation::Allowed, |_| Ok(()));
    }
    cases.finish()
}

#[test]
fn parts_are_disjoint_complete_and_balanced() {
    let times: HashMap<String, f64> = (0..40).map(|n| (format!("c{n}"), f64::from(n))).collect();
    let mut names = Vec::new();
    for index in 1..=4 {
        let part = select(cases(50), index, 4, &times);
        let load: f64 = part
            .iter()
            .map(|case| times.get(&case.name).copied().unwrap_or_else(|| case.body.estimate()))
            .sum();
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
