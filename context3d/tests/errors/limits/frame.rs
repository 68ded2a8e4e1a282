//! Limits on the number of contexts, and on the number of draws per frame.

use context3d::backend::{Backend as _, NullBackend};
use context3d::enums::{EnumArg, RenderMode};
use context3d::internals::ProfileLimits;
use context3d::{Profile, RequestResult, Stage3D};

use super::raises;
use crate::common::{Rig, legal};

/// Requests a profile while `others` contexts exist. Returns whether the request was granted.
fn granted(profile: Profile, mode: RenderMode, others: usize) -> bool {
    let mut stage = Stage3D::new();
    legal(stage.request(EnumArg::Is(mode), Some(profile.name()), true));
    let mut caps = NullBackend::counting().caps().clone();
    caps.software = mode == RenderMode::Software;
    match stage.answer(Some(&caps), 50, others) {
        Some(RequestResult::Create(options, _)) => {
            assert_eq!(options.profile, profile);
            true
        }
        Some(RequestResult::Refuse(error, _)) => {
            assert_eq!(error.number(), 3702);
            false
        }
        None => panic!("no answer"),
    }
}

/// [context3d.profile.contexts] [context3d.request.others]
pub(super) fn contexts(profile: Profile, most: u64) {
    let most = usize::try_from(most).expect("small");
    assert!(granted(profile, RenderMode::Auto, most - 1));
    assert!(!granted(profile, RenderMode::Auto, most));
}

/// [context3d.profile.software] [context3d.request.mode]
pub(super) fn software(profile: Profile, allowed: u64) {
    assert_eq!(granted(profile, RenderMode::Software, 0), allowed == 1);
    assert!(granted(profile, RenderMode::Auto, 0));
}

/// The limit of draws per `present` applies without error checking, too [context3d.draw.limit]
/// [context3d.present.counts] [context3d.property.always] [context3d.property.error_checking].
pub(super) fn draws(profile: Profile, most: u64) {
    let mut rig = Rig::new(profile, 50);
    // Dropped draws count for the limit; rejected draws don't.
    legal(rig.context.set_program(None));
    legal(rig.draw());
    legal(rig.context.set_error_checking(true));
    raises(3600, rig.draw());
    legal(rig.context.set_program(Some(rig.program)));
    for _ in 1..most {
        legal(rig.context.draw_triangles(Some(rig.indices), 0, 0));
    }
    for checking in [true, false] {
        legal(rig.context.set_error_checking(checking));
        raises(3690, rig.draw());
    }
    legal(rig.context.present());
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    legal(rig.draw());
    assert_eq!(u64::from(ProfileLimits::of(profile).draws_per_present), most);
}
