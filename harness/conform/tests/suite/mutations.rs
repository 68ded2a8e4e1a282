//! Tests of the deliberate errors (mutations) in AGAL programs.

use std::sync::Arc;

use context3d::agal::interp::{CompiledProgram, NoTextures};
use context3d::agal::{LinkedPair, Rules, Stage, asm, link, validate};
use molehill_conform::mutations::{MUTATIONS, Mutation};

fn pair(vertex: &str, fragment: &str) -> LinkedPair {
    let half = |text: &str, stage| {
        let program = asm::assemble(text, stage, 2).unwrap();
        validate(program, stage, &Rules::NEWEST).unwrap()
    };
    let fragment = half(fragment, Stage::Fragment);
    link(half(vertex, Stage::Vertex), fragment).unwrap()
}

/// Returns a pair of shaders that every mutation changes.
fn sample() -> LinkedPair {
    pair(
        "mov vt0, va0\nadd vt0.xy, vc[va1.x+3].xy, vt0.yxwz\nmov v0, va1\nmov op, vt0",
        "tex ft0, v0, fs0 <2d,linear,mipnearest,1>
         kil ft0.x
         ddx ft1, v0.xyzw
         add ft1, ft1, ft0
         min ft1, ft1, ft0
         slt ft2, ft1, ft0
         dp3 ft2.x, ft1, ft0
         rsq ft2.y, ft1.x
         sat ft2.z, ft1.x
         frc ft2.w, ft1.x
         ife ft1.x, ft1.y
         mov ft2, ft1.wzyx
         eif
         mov oc, ft2",
    )
}

fn mutated(mutation: &Mutation, pair: &LinkedPair) -> Option<Arc<LinkedPair>> {
    mutation.mutate_programs(pair)
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = MUTATIONS.iter().map(|mutation| mutation.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), MUTATIONS.len());
    for name in names {
        assert_eq!(Mutation::named(name).unwrap().name, name);
    }
}

#[test]
fn mutations_of_programs_leave_legal_programs_that_differ() {
    let pair = sample();
    let mut seen = 0;
    for mutation in MUTATIONS {
        let about_programs = mutation.is_of_programs();
        match mutated(mutation, &pair) {
            Some(mutated) => {
                assert!(about_programs && *mutated != pair, "{mutation:?}");
                seen += 1;
            }
            None => assert!(!about_programs, "{mutation:?}"),
        }
    }
    assert!(seen > 10);
}

#[test]
fn positions_are_changed_as_said() {
    let pair = pair("mov op, va0\nmov v0, va0", "mov oc, v0");
    let position = |name: &str| {
        let mutated = mutated(Mutation::named(name).unwrap(), &pair).unwrap();
        let compiled = CompiledProgram::new(mutated.vertex());
        let mut state = compiled.state();
        state.set_attribute(0, 0, [1.0, 2.0, 3.0, 4.0]);
        compiled.run(&mut state, &[], &NoTextures);
        state.position(0)
    };
    assert_eq!(position("upside-down"), [1.0, -2.0, 3.0, 4.0]);
    // The mutation adds w to z and doubles x, y and w, so the position is twice (x, y, (z + w) / 2, w).
    assert_eq!(position("depth-from-minus-one"), [2.0, 4.0, 7.0, 8.0]);
    assert_eq!(position("not-perspective"), [0.25, 0.5, 0.75, 1.0]);
}
