//! Stage3D: its position, and requests for a context.

use context3d::backend::{Backend as _, BackendCaps, NullBackend};
use context3d::enums::{Name, RenderMode};
use context3d::errors::ErrorClass;
use context3d::{Answer, Ended, Error, Profile, Stage3D};

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
        Ok(options(stage.answer(Some(&BackendCaps { max_samplers: 8, ..caps.clone() }), 50)))
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

fn options(answer: Option<Answer>) -> Option<Profile> {
    match answer? {
        Answer::Create(options, _) => Some(options.profile),
        Answer::Refuse(error) => {
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
    let auto = Name::Is(RenderMode::Auto);
    let number = |result: Result<(), Error>| match result {
        Err(Error::Flash(error)) => error.number(),
        other => panic!("{other:?}"),
    };
    assert_eq!(number(stage.request(auto, Some("baseline"), false)), 3688);
    assert_eq!(stage.answer(Some(&caps), 30), None);
    // A second request replaces the first [context3d.request.second].
    stage.request(auto, Some("baseline"), true).unwrap();
    stage.request(auto, Some("standard"), true).unwrap();
    let software = Name::Is(RenderMode::Software);
    assert_eq!(number(stage.request(software, Some("baseline"), true)), 2004);
    assert_eq!(options(stage.answer(Some(&caps), 30)), Some(Profile::Standard));
    assert_eq!(stage.answer(Some(&caps), 30), None);
    stage.context_ended(Ended::Lost);
    assert_eq!(options(stage.answer(Some(&caps), 30)), Some(Profile::Standard));
    stage.context_ended(Ended::Disposed);
    assert_eq!(stage.answer(Some(&caps), 30), None);
}

/// [context3d.request.swf]
#[test]
fn device_and_swf_version_have_a_say() {
    let caps = NullBackend::new().caps().clone();
    let all: Vec<_> = Profile::ALL.iter().map(|p| Some(p.name())).collect();
    let best = |change: fn(&mut BackendCaps), swf_version| {
        let mut caps = caps.clone();
        change(&mut caps);
        let mut stage = Stage3D::new();
        stage.request_matching(Some(&all), true).unwrap();
        options(stage.answer(Some(&caps), swf_version))
    };
    assert_eq!(best(|_| {}, 50), Some(Profile::Enhanced));
    assert_eq!(best(|_| {}, 28), Some(Profile::StandardExtended));
    assert_eq!(best(|_| {}, 26), Some(Profile::Standard));
    assert_eq!(best(|_| {}, 13), Some(Profile::Baseline));
    assert_eq!(best(|caps| caps.max_streams = 8, 50), Some(Profile::Standard));
    let eight = |caps: &mut BackendCaps| caps.max_samplers = 8;
    assert_eq!(best(eight, 50), Some(Profile::StandardConstrained));
    let small = |caps: &mut BackendCaps| caps.max_texture_size = 2048;
    assert_eq!(best(small, 50), Some(Profile::Baseline));
    assert_eq!(best(|caps| caps.max_texture_size = 1024, 50), None);
    let mut stage = Stage3D::new();
    stage.request_matching(Some(&all), true).unwrap();
    assert_eq!(options(stage.answer(None, 50)), None);
}
