//! Tests the conformance suite: each mutation of `molehill_conform::mutations` is enabled alone, and some case must
//! fail. Cases in the mutation's area run first; if none of them detects it, all others do.
//!
//! `MOLEHILL_MUTATION=name` tests one mutation and lists every case that detects it.

use molehill_conform::case::{Body, Case};
use molehill_conform::device::Device;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::{Runner, Settings, Verdict, cases};

fn runner(mutation: Option<&'static Mutation>) -> Runner {
    Runner::new(Settings { mutation, ..Settings::new(Device::Gl) })
        .expect("an EGL; harness/setup.sh installs one")
}

fn detects(runner: &mut Runner, case: &Case) -> bool {
    runner.run(case).verdict == Verdict::Fail
}

/// Cases that a mutation of a device can affect, those in its areas first.
fn by_area<'a>(cases: &'a [Case], mutation: &Mutation) -> Vec<&'a Case> {
    let reached = |case: &&Case| !matches!(case.body, Body::Calls(_));
    let place = |case: &&Case| {
        let mut areas = mutation.areas.iter();
        let place = areas.position(|area| case.name.starts_with(area));
        place.unwrap_or(mutation.areas.len())
    };
    let mut sorted: Vec<&Case> = cases.iter().filter(reached).collect();
    sorted.sort_by_key(place);
    sorted
}

#[test]
fn every_mutation_is_noticed() {
    let cases = cases::all();
    if let Ok(name) = std::env::var("MOLEHILL_MUTATION") {
        let mutation = Mutation::named(&name).expect("a mutation's name");
        let mut runner = runner(Some(mutation));
        let noticing =
            by_area(&cases, mutation).into_iter().filter(|case| detects(&mut runner, case));
        let names: Vec<_> = noticing.map(|case| case.name.as_str()).collect();
        println!("{}: {names:#?}", mutation.what);
        assert!(!names.is_empty());
        return;
    }
    let mut sound = runner(None);
    let mut unnoticed = Vec::new();
    for mutation in MUTATIONS {
        let mut runner = runner(Some(mutation));
        let mut tried = 0;
        let found = by_area(&cases, mutation).into_iter().find(|case| {
            tried += 1;
            // A case that also fails without the mutation doesn't count.
            detects(&mut runner, case) && !detects(&mut sound, case)
        });
        match found {
            Some(case) => println!("{}: case {tried}, {}", mutation.name, case.name),
            None => unnoticed.push(mutation.name),
        }
    }
    println!("{} of {} mutations noticed", MUTATIONS.len() - unnoticed.len(), MUTATIONS.len());
    assert_eq!(unnoticed, [""; 0]);
}
