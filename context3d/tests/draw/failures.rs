//! Disposed contexts and failing devices.

use context3d::backend::BackendError;
use context3d::enums::{ProgramType, TextureFormat};
use context3d::packets::Packet;
use context3d::{Error, ErrorCode, Profile, Reply};

use crate::common::{Rig, legal};

/// [context3d.life.dispose]
#[test]
fn dispose_frees_everything_even_where_something_fails() {
    let mut rig = Rig::baseline();
    rig.texture();
    // The backend doesn't have this program, because it was never uploaded.
    legal(rig.context.create_program());
    legal(rig.context.present());
    rig.packets();
    let failure = BackendError::Driver("no".to_owned());
    rig.context.backend_mut().fail_next(failure.clone());
    assert_eq!(rig.context.dispose(false), Err(Error::Backend(failure)));
    let packets = rig.packets();
    let count = |kind: fn(&Packet<'_>) -> bool| packets.iter().filter(|p| kind(p)).count();
    assert_eq!(count(|p| matches!(p, Packet::DisposeVertexBuffer(_))), 0, "the one that failed");
    assert_eq!(count(|p| matches!(p, Packet::DisposeIndexBuffer(_))), 1);
    assert_eq!(count(|p| matches!(p, Packet::DisposeTexture(_))), 1);
    assert_eq!(count(|p| matches!(p, Packet::DisposeProgram(_))), 1);
    assert!(matches!(packets.last(), Some(Packet::ConfigureBackBuffer(b)) if b.width == 0));
    assert!(rig.context.is_disposed());
    assert_eq!(rig.context.driver_info(), "Disposed");
    assert_eq!(rig.context.total_gpu_memory(), 0);
    legal(rig.context.dispose(false));
    legal(rig.context.vertex_buffer_dispose(rig.vertices));
    assert_eq!(rig.packets(), []);
}

/// [context3d.life.driver] [context3d.life.driver_info]
#[test]
fn a_lost_device_ends_the_context() {
    let mut rig = Rig::baseline();
    rig.context.backend_mut().fail_next(BackendError::Lost);
    assert_eq!(rig.draw(), Err(Error::Backend(BackendError::Lost)));
    assert_eq!(rig.context.driver_info(), "Disposed");
    assert_eq!(rig.context.total_gpu_memory(), 0);
    let Err(Error::Flash(error)) = rig.draw() else { panic!("still alive") };
    assert_eq!(error.number(), 3694);
    assert_eq!(rig.packets(), []);
}

#[test]
fn what_failed_is_done_again() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    let memory = rig.context.total_gpu_memory();
    let fail = |rig: &mut Rig| {
        rig.packets();
        let backend = rig.context.backend_mut();
        backend.fail_next(BackendError::OutOfMemory);
    };
    // The next draw begins the pass that failed before, with depth cleared, and sends the constants.
    legal(rig.context.set_render_to_texture(Some(texture), true, 0, 0, 0));
    legal(rig.context.set_program_constants_from_vector(
        ProgramType::Vertex,
        0,
        Some(&[1.0; 4]),
        -1,
    ));
    fail(&mut rig);
    assert!(rig.draw().is_err());
    assert_eq!(rig.draw(), Ok(Reply::Done));
    let packets = rig.packets();
    assert!(
        matches!(
            packets.as_slice(),
            [Packet::BeginPass(_), Packet::Constants { .. }, Packet::Draw(_)]
        ),
        "{packets:?}"
    );
    legal(rig.context.set_program_constants_from_vector(
        ProgramType::Vertex,
        0,
        Some(&[2.0; 4]),
        -1,
    ));
    fail(&mut rig);
    assert!(rig.draw().is_err());
    assert_eq!(rig.draw(), Ok(Reply::Done));
    assert_eq!(rig.packets().len(), 2);
    // An object whose creation failed uses no memory.
    fail(&mut rig);
    assert!(rig.context.create_texture(4, 4, TextureFormat::Bgra, false, 0).is_err());
    assert_eq!(rig.context.total_gpu_memory(), memory);
    // Even if the new back buffer can't be created, the old one no longer exists.
    legal(rig.context.present());
    fail(&mut rig);
    assert!(rig.context.configure_back_buffer(32, 32, 0, false, false, false).is_err());
    assert_eq!(rig.context.back_buffer_size(), (0, 0));
    assert!(rig.draw().is_err());
}

/// The checks of hardware limits follow all other checks of an upload, and precede the check of program memory.
#[test]
fn native_limits_are_the_constrained_profile_s() {
    use context3d::agal::Stage;
    let vertex = crate::common::assemble("mov op, va0", Stage::Vertex, 1);
    let long = "mov ft0, fc0\n".to_owned() + &"sin ft0, ft0\n".repeat(2) + "mov oc, ft0";
    let fragment = crate::common::assemble(&long, Stage::Fragment, 1);
    for profile in [Profile::BaselineConstrained, Profile::Baseline] {
        let mut rig = Rig::new(profile, u32::MAX);
        let result = rig.context.program_upload(
            rig.program,
            Some(vertex[..].into()),
            Some(fragment[..].into()),
        );
        match (profile, result) {
            (Profile::Baseline, result) => legal(result),
            (_, Err(Error::Flash(error))) => {
                assert_eq!(error.number(), 3716);
                assert_eq!(
                    error.message(),
                    "Too many ALU instructions in native shader. Detected 80 but can only support 64 for fragment \
                     program."
                );
            }
            (_, result) => panic!("{result:?}"),
        }
    }
}

#[test]
fn a_shader_that_the_driver_refuses_is_3614() {
    let mut rig = Rig::baseline();
    let refused = BackendError::CompileFailed {
        stage: "fragment",
        source: "void main() {}".to_owned(),
        log: "too clever".to_owned(),
    };
    rig.context.backend_mut().fail_next(refused);
    let vertex = crate::common::assemble("mov op, va0", context3d::agal::Stage::Vertex, 1);
    let fragment = crate::common::assemble("mov oc, fc1", context3d::agal::Stage::Fragment, 1);
    let result =
        rig.context.program_upload(rig.program, Some(vertex[..].into()), Some(fragment[..].into()));
    let Err(Error::Flash(error)) = result else { panic!("{result:?}") };
    assert_eq!(error.number(), 3614);
    assert!(error.message().ends_with("too clever"));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::NoProgram)));
}
