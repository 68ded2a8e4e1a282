//! Bugs of drivers.

use super::driver::{Affected, Family};
use super::{Remedy, When, Workaround};

/// One row for each bug.
pub(super) const BUGS: &[Workaround] = &[Workaround {
    name: "mesa-wireframe-faces",
    what: "The lines of all wireframes count as front faces where the stencil has two states.",
    source: "the case api.fill_mode.wireframe.stencil_by_face on Mesa 22.3.6",
    remedy: Remedy::DrawFacesApart,
    when: When::Driver(Affected {
        families: &[Family::Llvmpipe, Family::Softpipe, Family::Lavapipe],
        from: [0; 3],
        before: None,
    }),
}];
