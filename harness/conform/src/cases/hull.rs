//! Cases of Direct3D 11 hull shaders on the driver. The cases check the count and position of the vertices that the
//! tessellator generates.

use hs50::generate::GROUPS;
use hs50::names::{Domain, Partitioning};

use crate::case::{Case, CaseBody, Cases};
use crate::hull::HullCase;

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
    for group in GROUPS {
        let body = CaseBody::Hull(HullCase::Programs(group));
        let name = format!("hull.program.{group}");
        cases.add(Case::new(name, "[hs50.run.order] [hs50.gl.shape] [hs50.gl.words]", body));
    }
}
