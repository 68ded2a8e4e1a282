//! Whether the conformance suite has any power: each fault of `molehill_conform::faults` is switched on alone, and some case must
//! fail. Cases that are about the fault's area come first; a fault that none of them notices is tried on all others.
//!
//! `MOLEHILL_FAULT=name` tries one fault alone and names every case that notices it.

use molehill_conform::faults::{FAULTS, Fault};
use molehill_conform::{Bench, Body, Case, Device, Known, Settings, Verdict, cases};

fn bench(fault: Option<&'static Fault>) -> Bench {
    Bench::new(Settings {
        device: Device::Gl,
        fault,
        oracle: Device::Reference,
        profile: None,
        known: Known::default(),
    })
    .expect("an EGL; harness/setup.sh installs one")
}

fn notices(bench: &mut Bench, case: &Case) -> bool {
    bench.run(case).verdict == Verdict::Fail
}

/// Cases that a fault of a device can reach, those in its areas first.
fn by_area<'a>(cases: &'a [Case], fault: &Fault) -> Vec<&'a Case> {
    let reached = |case: &&Case| !matches!(case.body, Body::Calls(_));
    let place = |case: &&Case| {
        let mut areas = fault.areas.iter();
        let place = areas.position(|area| case.name.starts_with(area));
        place.unwrap_or(fault.areas.len())
    };
    let mut sorted: Vec<&Case> = cases.iter().filter(reached).collect();
    sorted.sort_by_key(place);
    sorted
}

#[test]
fn every_fault_is_noticed() {
    let cases = cases::all();
    if let Ok(name) = std::env::var("MOLEHILL_FAULT") {
        let fault = Fault::named(&name).expect("a fault's name");
        let mut bench = bench(Some(fault));
        let noticing = by_area(&cases, fault)
            .into_iter()
            .filter(|case| notices(&mut bench, case));
        let names: Vec<_> = noticing.map(|case| case.name.as_str()).collect();
        println!("{}: {names:#?}", fault.what);
        assert!(!names.is_empty());
        return;
    }
    let mut sound = bench(None);
    let mut unnoticed = Vec::new();
    for fault in FAULTS {
        let mut bench = bench(Some(fault));
        let mut tried = 0;
        let found = by_area(&cases, fault).into_iter().find(|case| {
            tried += 1;
            // What fails without the fault too has not noticed it.
            notices(&mut bench, case) && !notices(&mut sound, case)
        });
        match found {
            Some(case) => println!("{}: case {tried}, {}", fault.name, case.name),
            None => unnoticed.push(fault.name),
        }
    }
    println!(
        "{} of {} faults noticed",
        FAULTS.len() - unnoticed.len(),
        FAULTS.len()
    );
    assert_eq!(unnoticed, [""; 0]);
}
