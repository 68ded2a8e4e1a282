//! Versions of AGAL, by profile and SWF version.

use agal::Stage;
use context3d::Profile;

use super::error::{upload, wrong};
use crate::case::{Cases, Expected};
use crate::expected;

/// AGAL versions with the first SWF version that has them (profiles.md, "Availability"; the last is unverified).
const FIRST_SWF: [(u32, u32); 4] = [(1, 13), (2, 25), (3, 28), (4, 37)];

/// Each version in each profile and each SWF version around the first that has it (profiles.md, "Availability").
pub(super) fn add(cases: &mut Cases) {
    for version in agal::Version::ALL {
        for &profile in Profile::ALL {
            let expected =
                match expected::limit("agal_version_max", profile) >= u64::from(version.number()) {
                    true => Expected::Allowed,
                    false => Expected::raises(3725, &[]),
                };
            let number = version.number();
            let name = format!("agal.version.{number}.{}", profile.name());
            let legal = wrong(0, "", number);
            cases
                .calls(name, "profiles.md, shader limits", expected, move |s| {
                    upload(
                        s,
                        legal.program(Stage::Vertex)?.into(),
                        legal.program(Stage::Fragment)?.into(),
                    )
                })
                .exactly(profile)
                .on_null_backend();
        }
        let number = version.number();
        let first = FIRST_SWF.iter().find(|(of, _)| *of == number).map_or(0, |(_, swf)| *swf);
        for swf in [first.saturating_sub(1), first] {
            if swf < FIRST_SWF[0].1 {
                continue;
            }
            let expected = match swf >= first {
                true => Expected::Allowed,
                false => Expected::raises(3617, &[]),
            };
            let number = version.number();
            let legal = wrong(0, "", number);
            cases
                .calls(
                    format!("agal.version.{number}.swf_{swf}"),
                    "profiles.md, availability",
                    expected,
                    move |s| {
                        upload(
                            s,
                            legal.program(Stage::Vertex)?.into(),
                            legal.program(Stage::Fragment)?.into(),
                        )
                    },
                )
                .exactly(Profile::Enhanced)
                .swf(swf)
                .on_null_backend();
        }
    }
}
