//! Cases for the versions of AGAL, by profile and SWF version.

use agal::Stage;
use context3d::Profile;

use super::error::{FRAGMENT, VERTEX, upload};
use crate::case::{CallExpectation, Case, Cases};
use crate::expected;
use crate::scene_builder::assemble;

/// The tested SWF versions for each AGAL version: its first SWF version ([agal.version.first_swf]), and for AGAL 2 also
/// 23, as in a published program.
const SWF_VERSIONS: [(u32, &[u32]); 4] =
    [(1, &[13]), (2, &[23, 24, 25]), (3, &[27, 28]), (4, &[36, 37])];

/// Adds each AGAL version in each profile ([agal.version.profile]) and in SWF versions ([agal.version.swf]).
pub(super) fn add(cases: &mut Cases) {
    for version in agal::AgalVersion::ALL {
        let number = version.number();
        let runs = |profile| expected::limit("agal_version_max", profile) >= u64::from(number);
        for &profile in Profile::ALL {
            let expected = if runs(profile) {
                CallExpectation::Allowed
            } else {
                CallExpectation::raises(3725, &[])
            };
            let source = "[agal.version.profile] [agal.error.3725]";
            legal(cases, number, profile.name(), source, expected).exactly(profile);
        }
        let tried = SWF_VERSIONS.iter().filter(|(of, _)| *of == number);
        for swf in tried.flat_map(|(_, versions)| *versions) {
            let what = format!("swf_{swf}");
            let case = legal(cases, number, &what, "[agal.version.swf]", CallExpectation::Allowed);
            let weakest = Profile::ALL.iter().copied().find(|profile| runs(*profile));
            case.exactly(weakest.unwrap_or(Profile::Enhanced)).swf(*swf);
        }
    }
}

fn legal<'a>(
    cases: &'a mut Cases,
    version: u32,
    what: &str,
    source: &str,
    expected: CallExpectation,
) -> &'a mut Case {
    let case = cases.calls(format!("agal.version.{version}.{what}"), source, expected, move |s| {
        let vertex = assemble(VERTEX, Stage::Vertex, version)?;
        upload(s, vertex, assemble(FRAGMENT, Stage::Fragment, version)?)
    });
    case.on_null_backend()
}
