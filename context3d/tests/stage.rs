//! Tests of `Stage3D`: its position, and requests for a context.

use context3d::backend::{Backend as _, BackendCaps, NullBackend};
use context3d::enums::{EnumArg, RenderMode};
use context3d::errors::ErrorClass;
use context3d::{EndReason, Error, Profile, RequestResult, Stage3D};

/// [context3d.stage3d.position] [context3d.error.2006.position]
#[test]
fn positions_out_of_range_leave_the_old_one() {
    let mut stage = Stage3D::new();
    stage.set_x(-8192.0).unwrap();
    stage.set_y(12.75).unwrap();
    for wrong in [-8193.0, 8191.5, f64::NAN, f64::INFINITY] {
        let Err(Error::Flash(error)) = stage.set_x(wrong) else { panic!("{wrong} was taken") };
        assert_eq!((error.number(), error.class()), (2006, ErrorClass::ArgumentError));
    }
    assert_eq!((stage.x(), stage.y()), (-8192.0, 12.75));
}

/// [context3d.request.matching] [context3d.profile.names] [context3d.name.profile]
#[test]
fn the_highest_supported_profile_wins() {
    let caps = NullBackend::new().caps().clone();
    let best = |names: &[Option<&str>]| {
        let mut stage = Stage3D::new();
        stage.request_matching(Some(names), true).map_err(|error| error.to_string())?;
        Ok(options(stage.answer(Some(&BackendCaps { max_samplers: 8, ..caps.clone() }), 50, 0)))
    };
    assert_eq!(
        best(&[Some("baseline"), Some("baselineExtended")]),
        Ok(Some(Profile::BaselineExtended))
    );
    assert_eq!(best(&[Some("enhanced"), Some("baseline")]), Ok(Some(Profile::Baseline)));
    assert_eq!(best(&[Some("enhanced")]), Ok(None));
    let message = |names| -> String { best(names).unwrap_err() };
    assert!(message(&[]).contains("#2008: Parameter profiles "));
    let null = Stage3D::new().request_matching(None, true).map_err(|error| error.to_string());
    assert!(null.unwrap_err().contains("#2007: Parameter profiles "));
    assert!(message(&[Some("baseline"), Some("best")]).contains("#2008: Parameter profile "));
}

fn options(answer: Option<RequestResult>) -> Option<Profile> {
    match answer? {
        RequestResult::Create(options, _) => Some(options.profile),
        RequestResult::Refuse(error, _) => {
            assert_eq!(error.number(), 3702);
            None
        }
    }
}

/// [context3d.request.event] [context3d.life.loss] [context3d.life.recreate] [context3d.life.dispose]
/// [context3d.stage3d.context]
/// [context3d.error.2004.request] [context3d.error.3688]
#[test]
fn requests_are_answered_once_and_again_after_a_loss() {
    let caps = NullBackend::new().caps().clone();
    let mut stage = Stage3D::new();
    let auto = EnumArg::Is(RenderMode::Auto);
    let number = |result: Result<(), Error>| match result {
        Err(Error::Flash(error)) => error.number(),
        other => panic!("{other:?}"),
    };
    assert_eq!(number(stage.request(auto, Some("baseline"), false)), 3688);
    assert_eq!(stage.answer(Some(&caps), 30, 0), None);
    // A second request replaces the pending request [context3d.request.second].
    stage.request(auto, Some("baseline"), true).unwrap();
    stage.request(auto, Some("standard"), true).unwrap();
    let software = EnumArg::Is(RenderMode::Software);
    assert_eq!(number(stage.request(software, Some("baseline"), true)), 2004);
    assert_eq!(options(stage.answer(Some(&caps), 30, 0)), Some(Profile::Standard));
    assert_eq!(stage.answer(Some(&caps), 30, 0), None);
    stage.context_ended(EndReason::Lost);
    assert_eq!(options(stage.answer(Some(&caps), 30, 0)), Some(Profile::Standard));
    stage.context_ended(EndReason::Disposed);
    assert_eq!(stage.answer(Some(&caps), 30, 0), None);
}

#[test]
fn the_device_has_a_say() {
    let caps = NullBackend::new().caps().clone();
    let all: Vec<_> = Profile::ALL.iter().map(|p| Some(p.name())).collect();
    let best = |change: fn(&mut BackendCaps)| {
        let mut caps = caps.clone();
        change(&mut caps);
        let mut stage = Stage3D::new();
        stage.request_matching(Some(&all), true).unwrap();
        options(stage.answer(Some(&caps), 50, 0))
    };
    assert_eq!(best(|_| {}), Some(Profile::Enhanced));
    assert_eq!(best(|caps| caps.max_streams = 8), Some(Profile::Standard));
    assert_eq!(best(|caps| caps.max_samplers = 8), Some(Profile::StandardConstrained));
    assert_eq!(best(|caps| caps.max_texture_size = 2048), Some(Profile::Baseline));
    assert_eq!(best(|caps| caps.max_texture_size = 1024), None);
}

/// [context3d.request.swf] [context3d.swf.17] [context3d.swf.21] [context3d.swf.25] [context3d.swf.27]
/// [context3d.swf.28] [context3d.swf.late]
#[test]
fn the_swf_version_has_no_say() {
    let backend = NullBackend::new();
    for profile in Profile::ALL {
        let mut stage = Stage3D::new();
        stage.request(EnumArg::Is(RenderMode::Auto), Some(profile.name()), true).unwrap();
        let answer = stage.answer(Some(backend.caps()), 13, 0);
        assert_eq!(options(answer), Some(*profile));
    }
}

#[test]
fn a_refusal_names_its_reason() {
    let caps = NullBackend::new().caps().clone();
    let reason = |mode, names: &[Option<&str>], device: Option<&BackendCaps>, others| {
        let mut stage = Stage3D::new();
        match names {
            [name] => stage.request(EnumArg::Is(mode), *name, true).unwrap(),
            names => stage.request_matching(Some(names), true).unwrap(),
        }
        match stage.answer(device, 50, others) {
            Some(RequestResult::Refuse(error, reason)) if error.number() == 3702 => {
                reason.to_string()
            }
            answer => panic!("{answer:?}"),
        }
    };
    let (auto, software) = (RenderMode::Auto, RenderMode::Software);
    let no_device = "the host has no device for the requested render mode";
    assert_eq!(reason(auto, &[Some("baseline")], None, 0), no_device);
    let in_software = reason(software, &[Some("standard")], Some(&caps), 0);
    assert_eq!(in_software, "standard has no software renderer");
    assert_eq!(reason(software, &[Some("baseline")], Some(&caps), 0), no_device);
    let beside = reason(auto, &[Some("baselineConstrained")], Some(&caps), 1);
    assert_eq!(beside, "baselineConstrained allows no more contexts than the 1 of other Stage3Ds");
    // If no profile can be granted, the reason is that of the weakest profile.
    let small = BackendCaps { max_texture_size: 1024, ..caps };
    let both = reason(auto, &[Some("standard"), Some("baseline")], Some(&small), 0);
    let lacks = "baseline needs 2048 texels a side of a 2D texture, and the device has 1024";
    assert_eq!(both, lacks);
}
