//! Versions of AGAL, by profile and SWF version.

use agal::Stage;
use agal::errors::ErrorKind;
use context3d::Profile;

use super::error::{upload, wrong};
use crate::case::{Cases, Expected};

/// Each version in each profile and each SWF version around the first that has it (profiles.md, "Availability").
pub(super) fn add(cases: &mut Cases) {
    for version in agal::Version::ALL {
        for profile in Profile::ALL {
            let expected = match profile.max_version() >= *version {
                true => Expected::Allowed,
                false => Expected::Raises {
                    number: 3725,
                    class: agal::errors::ErrorClass::Error,
                    message: None,
                },
            };
            let number = version.number();
            let name = format!("agal.version.{number}.{}", profile.name());
            let legal = wrong(ErrorKind::ALL[0], "", number);
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
        for swf in [version.min_swf().saturating_sub(1), version.min_swf()] {
            if swf < agal::Version::V1.min_swf() {
                continue;
            }
            let expected = match swf >= version.min_swf() {
                true => Expected::Allowed,
                false => Expected::Raises {
                    number: 3617,
                    class: agal::errors::ErrorClass::Error,
                    message: None,
                },
            };
            let number = version.number();
            let legal = wrong(ErrorKind::ALL[0], "", number);
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
