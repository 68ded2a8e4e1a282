//! Cases of Direct3D 11 hull shaders on the driver. The cases check the count and position of the vertices that the
//! tessellator generates.

use hs50::names::{Domain, Partitioning};

use crate::case::{Case, CaseBody, Cases};
use crate::hull::HullCase;

/// The number of random hull shaders in the suite. `molehill shader fuzz --language hs50` runs more hull shaders.
const SHADERS: u64 = 8;

pub(super) fn add(cases: &mut Cases) {
    for domain in Domain::ALL {
        for partitioning in Partitioning::ALL {
            let name = [domain.name(), partitioning.name()]
                .map(|name| name.split_once('_').map_or(name, |(_, name)| name));
            let name = format!("hull.grid.{}.{}", name[0], name[1]);
            let body = CaseBody::Hull(HullCase::Grid(*domain, *partitioning));
            let source =
                "[hs50.tessellator.edges] [hs50.gl.levels] [hs50.gl.winding] [hs50.gl.spacing]";
            cases.add(Case::new(name, source, body));
        }
    }
    for seed in 0..SHADERS {
        let body = CaseBody::Hull(HullCase::Random(seed));
        let name = format!("hull.program.random.{seed}");
        cases.add(Case::new(name, "[hs50.run.order] [hs50.gl.shape] [hs50.gl.words]", body));
    }
}
