//! Facts that differ between players, which the host supplies.

use context3d::backend::{Backend as _, NullBackend};
use context3d::enums::{EnumArg, RenderMode, TextureFormat};
use context3d::{Host, Invocation, Profile, RequestResult, Stage3D};

use crate::common::{Rig, legal};
use crate::host::message;

const MIP_MAPPED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,miplinear>\nmov oc, ft0");

/// Messages of 3780 and 3781 contain the host's or the device's limit [context3d.back_buffer.limit].
#[test]
fn the_largest_back_buffer_is_the_host_s_and_the_device_s() {
    for &profile in Profile::ALL {
        for (most, device, printed) in [
            (16384, 16384, "16384"),
            (2048, 16384, "2048"),
            (16384, 8192, "8192"),
            (32768, 32768, "32768"),
        ] {
            let mut rig = Rig::with_caps(profile, |caps| caps.max_target_size = device);
            rig.context.set_host(Host { max_back_buffer: most, ..Host::default() });
            let side = most.min(device).cast_signed();
            let mut configure = |width, height| {
                rig.context.configure_back_buffer(width, height, 0, false, false, false)
            };
            legal(configure(64, side));
            legal(configure(side, 64));
            let ends = format!("range 32 to {printed}.");
            let wide = message(configure(side + 1, side));
            assert!(wide.contains("#3780") && wide.ends_with(&ends), "{wide}");
            let high = message(configure(64, side + 1));
            assert!(high.contains("#3781") && high.ends_with(&ends), "{high}");
        }
    }
}

/// `driverInfo` returns the strings that traces contain [context3d.property.driver_info]; `profile` is null on an ended
/// context [context3d.property.profile] [context3d.life.profile] [context3d.life.driver_info].
#[test]
fn driver_and_profile_by_name() {
    for (driver, profile, info) in [
        ("OpenGL Vendor=x Renderer=y", Profile::Enhanced, "OpenGL (Enhanced)"),
        ("OpenGL", Profile::Baseline, "OpenGL (Baseline)"),
        ("DirectX9 z", Profile::BaselineConstrained, "DirectX9 (Baseline Constrained)"),
        ("DirectX9Ex", Profile::StandardExtended, "DirectX9Ex (Standard Extended)"),
        ("Software Renderer=x", Profile::Baseline, "Software (Embedded)"),
    ] {
        let mut rig = Rig::with_caps(profile, |caps| caps.driver_info = driver.to_owned());
        assert_eq!(rig.context.driver_info(), info);
        assert_eq!(rig.context.profile(), Some(profile));
        rig.context.set_software(true);
        assert_eq!(rig.context.driver_info(), "Software (Embedded)");
        legal(rig.context.dispose(false));
        assert_eq!(rig.context.driver_info(), "Disposed");
        assert_eq!(rig.context.profile(), None);
    }
}

/// Error messages of release players have only the number [context3d.host.messages].
#[test]
fn errors_without_texts() {
    let mut rig = Rig::baseline();
    let numbers_only = Host { error_texts: false, ..Host::default() };
    rig.context.set_host(numbers_only);
    let wrong = rig.context.configure_back_buffer(1, 64, 0, false, false, false);
    assert_eq!(message(wrong), "Error: Error #3780");
    let command =
        Invocation::SetCulling { triangle_face_to_cull: context3d::enums::EnumArg::Unknown("?") };
    let wrong = rig.context.execute(&command).map(drop);
    assert_eq!(message(wrong), "ArgumentError: Error #2008");
    legal(rig.context.set_error_checking(true));
    legal(rig.context.set_program(None));
    assert_eq!(message(rig.draw().map(drop)), "Error: Error #3600");
    let texture = rig.texture();
    let backend = rig.context.backend_mut();
    backend.fail_next(context3d::backend::BackendError::OutOfMemory);
    let later =
        rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0);
    legal(later);
    let event = rig.context.take_texture_event().and_then(|event| event.error);
    assert_eq!(event.map(|error| error.as3_message()), Some("Error #3790".to_owned()));
    legal(rig.context.dispose(false));
    assert_eq!(message(rig.context.present()), "Error: Error #3694");
    assert_eq!(message(rig.context.set_program(None)), "Error: Error #3694");
    let mut stage = Stage3D::new();
    stage.set_host(numbers_only);
    assert_eq!(message(stage.set_x(f64::NAN)), "ArgumentError: Error #2006");
    let auto = EnumArg::Is(RenderMode::Auto);
    for (listens, profile, error) in [
        (true, None, "TypeError: Error #2007"),
        (true, Some("best"), "ArgumentError: Error #2008"),
        (false, Some("baseline"), "Error: Error #3688"),
    ] {
        assert_eq!(message(stage.request(auto, profile, listens)), error);
        assert_eq!(message(stage.request_matching(Some(&[profile]), listens)), error);
    }
    legal(stage.request(auto, Some("baseline"), true));
    let other = stage.request(EnumArg::Is(RenderMode::Software), Some("baseline"), true);
    assert_eq!(message(other), "ArgumentError: Error #2004");
    let Some(RequestResult::Refuse(error, _)) = stage.answer(None, 30, 0) else {
        panic!("granted")
    };
    assert_eq!(error.to_string(), "Error: Error #3702");
    let caps = rig.context.backend().caps().clone();
    legal(stage.request(auto, Some("baseline"), true));
    let Some(RequestResult::Create(options, _)) = stage.answer(Some(&caps), 30, 0) else {
        panic!("refused")
    };
    let mut created = stage.create(NullBackend::new(), options);
    assert_eq!(message(created.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, 0)), "Error: Error #3698");
}

/// In AIR applications of namespace 33.1, only the device limits texture sizes [context3d.property.ignore_limits].
#[test]
fn ignored_limits_on_sides_end_at_the_device_s() {
    let texture = |rig: &mut Rig, side| {
        let made = rig.context.create_texture(side, 1, TextureFormat::Bgra, false, 0);
        made.map(drop)
    };
    let rectangle = |rig: &mut Rig, side| {
        let made = rig.context.create_rectangle_texture(1, side, TextureFormat::Bgra, false);
        made.map(drop)
    };
    let cube = |rig: &mut Rig, side| {
        let made = rig.context.create_cube_texture(side, TextureFormat::Compressed, false, 0);
        made.map(drop)
    };
    let mut rig = Rig::with_caps(Profile::Standard, |caps| {
        (caps.max_texture_size, caps.max_cube_size) = (16384, 2048);
    });
    assert!(!rig.context.ignores_resource_limits());
    let air = Host { ignore_resource_limits: true, ..Host::default() };
    for (host, program, ignores) in [
        (Host::default(), None, false),
        (air, None, true),
        (air, Some(false), false),
        (Host::default(), Some(true), true),
    ] {
        rig.context.set_host(host);
        if let Some(value) = program {
            legal(rig.context.set_ignore_resource_limits(value));
        }
        assert_eq!(rig.context.ignores_resource_limits(), ignores);
        legal(texture(&mut rig, 4096));
        legal(rectangle(&mut rig, 4096));
        legal(cube(&mut rig, 1024));
        if ignores {
            legal(texture(&mut rig, 16384));
            legal(rectangle(&mut rig, 16384));
            legal(cube(&mut rig, 2048));
            assert!(message(texture(&mut rig, 32768)).ends_with("(max is 16384x16384)."));
            assert!(message(rectangle(&mut rig, 16385)).contains("#3766"));
            assert!(message(cube(&mut rig, 4096)).contains("#3705"));
        } else {
            assert!(message(texture(&mut rig, 8192)).ends_with("(max is 4096x4096)."));
            assert!(message(rectangle(&mut rig, 4097)).contains("#3766"));
            assert!(message(cube(&mut rig, 2048)).contains("#3705"));
        }
    }
    // A texture of the largest possible size, with content in all mip levels.
    let mut rig = Rig::with_caps(Profile::Standard, |caps| caps.max_texture_size = 1 << 20);
    legal(rig.context.set_ignore_resource_limits(true));
    let format = TextureFormat::Bgra;
    let high = legal(rig.context.create_texture(1 << 15, 1, format, false, 0));
    for level in 0..16 {
        let texels = vec![0; 4 << (15 - level)];
        legal(rig.context.texture_upload_from_byte_array(high, Some(&texels), 0, None, level));
    }
    rig.use_program(MIP_MAPPED, 1);
    legal(rig.context.set_texture_at(0, Some(high)));
    assert_eq!(rig.draw(), Ok(context3d::Reply::Done));
    assert!(message(texture(&mut rig, 1 << 16)).contains("#3683"));
}
