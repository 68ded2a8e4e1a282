//! Tests that grids and generated programs detect deliberate errors: each mutation is enabled alone.
//!
//! `MOLEHILL_MUTATION=name` tests one mutation.

use crate::mutations::{MUTATIONS, Mutation};
use hs50::generate::programs;
use hs50::glsl::Dialect;
use hs50::names::{Domain, Partitioning};
use molehill_testing::probe::hull::{TessellationContext, grid};

/// Returns the first grid or program that detects the mutation. A compile error isn't a detection, because such a
/// mutation would test nothing.
fn notices(context: &mut TessellationContext) -> Option<String> {
    for domain in Domain::ALL.iter().copied() {
        for partitioning in
            [Partitioning::Integer, Partitioning::FractionalOdd, Partitioning::FractionalEven]
        {
            let shaders = grid::shaders(domain, partitioning).expect("they are valid");
            if !shaders.iter().any(|shader| context.reaches(shader)) {
                continue;
            }
            let checked = grid::check(context, domain, partitioning).expect("it runs");
            if !checked.wrong.is_empty() {
                return Some(format!("{} {}", domain.name(), partitioning.name()));
            }
        }
    }
    (0..).zip(&programs()).find_map(|(number, program)| {
        let found = context.check_generated(number, program).err()?;
        assert!(found.reason.contains("the driver has"), "{}", found.reason);
        Some(format!("{} {number}", program.group))
    })
}

pub(crate) fn every_mutation_is_noticed() {
    let mut campaign = match TessellationContext::open(Dialect::Glsl400) {
        Ok(campaign) => campaign,
        Err(error) => {
            return super::skipped(&error.to_string());
        }
    };
    let mut unnoticed = Vec::new();
    let only = std::env::var("MOLEHILL_MUTATION").ok();
    let chosen = |mutation: &&Mutation| only.as_ref().is_none_or(|name| mutation.name == name);
    for mutation in MUTATIONS.iter().filter(chosen) {
        campaign.change = Some(Box::new(move |kind, text| mutation.apply(kind, text)));
        match notices(&mut campaign) {
            Some(who) => println!("{}: {who}", mutation.name),
            None => unnoticed.push(mutation.name),
        }
    }
    assert_eq!(unnoticed, [""; 0]);
}
