//! Scratch.
#![allow(missing_docs, reason = "scratch")]
use std::str::FromStr as _;
fn main() {
    let mut args = std::env::args().skip(1);
    let target = molehill_bench::Target::from_name(&args.next().unwrap()).unwrap();
    let rounds: usize = args.next().unwrap().parse().unwrap();
    for name in args {
        let scene = molehill_bench::Scene::from_str(&name).unwrap();
        let row = molehill_bench::scene(&scene, target, rounds).unwrap();
        let parts = row.parts().unwrap();
        println!(
            "{name:12} total {:8.1} floor {:8.1} front {:7.1} backend {:7.1} glcalls {:.2}",
            row.total.median(),
            row.floor.as_ref().map_or(0.0, |f| f.median()),
            parts[0],
            parts[1],
            row.gl_calls_per_draw()
        );
    }
}
