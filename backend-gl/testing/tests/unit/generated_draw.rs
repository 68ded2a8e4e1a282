use super::*;

#[test]
fn every_seed_gives_a_program() {
    assert_eq!(GENERATED.len() as u64, PROGRAMS);
    let all = |has: fn(&Interface) -> bool| GENERATED.iter().any(|p| has(&p.interface));
    assert!(all(|i| i.color_outputs.count_ones() > 1) && all(|i| i.depth_output));
    assert!(all(|i| i.instance_id) && all(|i| i.samplers.iter().flatten().count() > 1));
    assert!(all(|i| i.vertex_samplers.iter().any(Option::is_some)));
    assert!(all(|i| i.attributes != i.live_attributes));
}
