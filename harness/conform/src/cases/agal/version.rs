//! Versions of AGAL, by profile and SWF version.

use agal::Stage;
use context3d::Profile;

use super::error::{FRAGMENT, VERTEX, upload};
use crate::case::{Case, Cases, Expected};
use crate::expected;
use crate::scene_builder::assemble;

/// AGAL versions with the first SWF version that has them ([agal.version.first_swf]; the last
/// is [agal.version.first_swf_4]).
const FIRST_SWF: [(u32, u32); 4] = [(1, 13), (2, 25), (3, 28), (4, 37)];

const FIRST_SWF_SOURCE: &str = "[agal.version.first_swf] [agal.error.3617]";

/// Each version in each profile and each SWF version around the first that has it ([agal.version.first_swf]
/// [agal.version.profile]).
pub(super) fn add(cases: &mut Cases) {
    for version in agal::Version::ALL {
        let number = version.number();
        for &profile in Profile::ALL {
            let allowed = expected::limit("agal_version_max", profile) >= u64::from(number);
            let expected = if allowed { Expected::Allowed } else { Expected::raises(3725, &[]) };
            let case = legal(
                cases,
                number,
                profile.name(),
                "[agal.version.profile] [agal.error.3725]",
                expected,
            );
            case.exactly(profile);
        }
        let first = FIRST_SWF.iter().find(|(of, _)| *of == number).map_or(0, |(_, swf)| *swf);
        for swf in [first.saturating_sub(1), first] {
            if swf < FIRST_SWF[0].1 {
                continue;
            }
            let expected =
                if swf >= first { Expected::Allowed } else { Expected::raises(3617, &[]) };
            let case = legal(
                cases,
                number,
                &format!("swf_{swf}"),
                if number == 4 { "[agal.version.first_swf_4]" } else { FIRST_SWF_SOURCE },
                expected,
            );
            case.exactly(Profile::Enhanced).swf(swf);
        }
    }
}

/// An upload of a legal pair.
fn legal<'a>(
    cases: &'a mut Cases,
    version: u32,
    what: &str,
    source: &str,
    expected: Expected,
) -> &'a mut Case {
    let case = cases.calls(format!("agal.version.{version}.{what}"), source, expected, move |s| {
        let vertex = assemble(VERTEX, Stage::Vertex, version)?;
        upload(s, vertex, assemble(FRAGMENT, Stage::Fragment, version)?)
    });
    case.on_null_backend()
}
