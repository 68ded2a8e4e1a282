//! Cases for every constant register, each in the lowest profile that has the register.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::calls::words::own;
use crate::case::Cases;
use crate::expected;
use crate::scene_builder::{FULL, PASS, SceneQuad, VARYING};
use crate::tolerance::Tolerance;

const NUMBERS: &str = "[agal.register.counts] [agal.register.profile]";

fn count(stage: &str, profile: Profile) -> usize {
    let count = expected::limit(&format!("{stage}_constants"), profile);
    usize::try_from(count).unwrap_or(0)
}

pub(super) fn add(cases: &mut Cases) {
    for stage in ["vertex", "fragment"] {
        for register in 0..count(stage, Profile::Enhanced) {
            let mut profiles = Profile::ALL.iter().copied().skip(1);
            let first = profiles.find(|profile| count(stage, *profile) > register);
            let Some(profile) = first else { continue };
            let name = format!("api.constants.{stage}.register_{register:03}");
            cases
                .scene(name, NUMBERS, Tolerance::ROUNDING, move |s| {
                    let version = profile.max_version().number();
                    let of_vertex = format!("mov op, va0\nmov v0, vc{register}");
                    let of_fragment = format!("mov ft0, v0\nadd oc, ft0, fc{register}");
                    match stage {
                        "vertex" => s.program_of(version, &of_vertex, VARYING)?,
                        _ => s.program_of(version, PASS, &of_fragment)?,
                    };
                    // All registers have different colours, so that an off-by-one index shows the neighbour's colour.
                    let all: Vec<[f64; 4]> = (0..count(stage, profile)).map(own).collect();
                    s.constants(stage, 0, &all)?;
                    let (vertices, indices) = s.mesh(&[SceneQuad::flat(FULL, 0.5, [0.0; 4])])?;
                    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                    if stage == "fragment" {
                        s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
                    }
                    s.draw_triangles(indices, 0, -1)
                })
                .profile(profile);
        }
    }
}
