//! Programs that the verifier accepts, though they look wrong.

use agal::Stage;

use super::error::{upload, wrong};
use crate::case::{Cases, Expected};

pub(super) fn add(cases: &mut Cases) {
    let plain = wrong(0, "", 1);
    for (what, program) in [
        ("version_0", plain.patch(Stage::Vertex, 0, 1, 0)),
        ("cube_without_mips", plain.fragment("tex oc, v0, fs0 <cube,clamp,nomip>")),
        (
            "sampler_format_4",
            plain.fragment("tex oc, v0, fs0 <2d>").patch(Stage::Fragment, 1, 21, 4),
        ),
        ("sampler_byte_3", plain.fragment("tex oc, v0, fs0 <2d>").patch(Stage::Fragment, 1, 19, 1)),
        ("rows_of_a_matrix", plain.vertex("mov vt0, va0\nm44 vt4, va0, vt0\nmov op, va0")),
        ("offset_below_0", plain.vertex("mov op, vc[va0.x-1]")),
        ("two_colors", plain.fragment("mov oc, v0\nmov oc, v1")),
    ] {
        let name = format!("agal.legal.{what}");
        cases
            .calls(name, "agal-adobe-2012.md", Expected::Allowed, move |s| {
                let (vertex, fragment) =
                    (program.program(Stage::Vertex)?, program.program(Stage::Fragment)?);
                upload(s, vertex.into(), fragment.into())
            })
            .on_null_backend();
    }
}
