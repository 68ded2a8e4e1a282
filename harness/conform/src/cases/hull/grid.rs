//! The grids that the tessellator makes of factors, checked by the count and place of their vertices.

use hs50::names::{Domain, Partitioning};

use crate::case::{Body, Case, Cases};
use crate::hull::HullCase;

pub(super) fn add(cases: &mut Cases) {
    for domain in Domain::ALL {
        for partitioning in Partitioning::ALL {
            let name = [domain.name(), partitioning.name()]
                .map(|name| name.split_once('_').map_or(name, |(_, name)| name));
            let body = HullCase::Grid(*domain, *partitioning);
            cases.add(Case::new(
                format!("hull.grid.{}.{}", name[0], name[1]),
                "[hs50.tessellator.edges] [hs50.gl.levels] [hs50.gl.winding] [hs50.gl.spacing]",
                Body::Hull(body),
            ));
        }
    }
}
