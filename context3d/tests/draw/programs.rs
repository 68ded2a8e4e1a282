//! `Program3D`s with equal bytecode share one device program.

use context3d::backend::BackendError;
use context3d::keys::ProgramKey;
use context3d::packets::Packet;
use context3d::{Error, ErrorCode, ObjectHandle, Reply};

use crate::common::{PLAIN, Rig, assemble, legal};

/// Uploads a program whose bytecode depends on `number`.
fn upload(rig: &mut Rig, program: ObjectHandle<ProgramKey>, number: usize) -> Result<(), Error> {
    use context3d::agal::Stage;
    let text = format!("mov oc, fc{}.{}", number % 16, ["xyzw", "wzyx", "yyyy"][number / 16]);
    let vertex = assemble("mov op, va0", Stage::Vertex, 1);
    let fragment = assemble(&text, Stage::Fragment, 1);
    let (vertex, fragment) = (Some(vertex[..].into()), Some(fragment[..].into()));
    rig.context.program_upload(program, vertex, fragment)
}

/// Returns the programs that were uploaded to and disposed on the device since the last call.
fn device(rig: &mut Rig) -> (Vec<ProgramKey>, Vec<ProgramKey>) {
    let (mut uploaded, mut disposed) = (Vec::new(), Vec::new());
    for packet in rig.packets() {
        match packet {
            Packet::UploadProgram { key, .. } => uploaded.push(key),
            Packet::DisposeProgram(key) => disposed.push(key),
            _ => {}
        }
    }
    (uploaded, disposed)
}

fn new_program(rig: &mut Rig) -> ObjectHandle<ProgramKey> {
    legal(rig.context.create_program())
}

/// Returns the device program in the packet of a draw with this `Program3D`.
fn drawn_with(rig: &mut Rig, program: ObjectHandle<ProgramKey>) -> ProgramKey {
    legal(rig.context.set_program(Some(program)));
    let draw = rig.drawn();
    assert_eq!(rig.context.bound_device_program(), Some(draw.state.program));
    draw.state.program
}

#[test]
fn equal_bytecode_is_one_program() {
    let mut rig = Rig::baseline();
    let (first, second) = (new_program(&mut rig), new_program(&mut rig));
    legal(upload(&mut rig, first, 1));
    legal(upload(&mut rig, second, 1));
    let (uploaded, disposed) = device(&mut rig);
    assert_eq!((uploaded.len(), disposed.len()), (1, 0));
    assert_eq!(drawn_with(&mut rig, first), uploaded[0]);
    assert_eq!(drawn_with(&mut rig, second), uploaded[0]);
    // Both `Program3D`s count for `totalGPUMemory`, as in Flash.
    let both = rig.context.total_gpu_memory();
    legal(rig.context.program_dispose(first));
    assert!(rig.context.total_gpu_memory() < both);
    // The second `Program3D` keeps the device program, even after another upload of equal bytecode.
    legal(upload(&mut rig, second, 1));
    assert_eq!(drawn_with(&mut rig, second), uploaded[0]);
    assert_eq!(device(&mut rig), (vec![], vec![]));
    // Bytecode in the other byte order is validated separately.
    let swapped = |bytes: Vec<u8>| context3d::arguments::Bytecode {
        bytes: bytes.leak(),
        endian: context3d::agal::Endian::Big,
    };
    let vertex = swapped(assemble("mov op, va0", context3d::agal::Stage::Vertex, 1));
    let fragment = swapped(assemble("mov oc, fc1", context3d::agal::Stage::Fragment, 1));
    assert!(rig.context.program_upload(second, Some(vertex), Some(fragment)).is_err());
}

/// Another profile may reject or change a valid program, so that the device program is not shared.
#[test]
fn other_rules_are_another_source() {
    let mut rig = Rig::baseline();
    let program = new_program(&mut rig);
    legal(upload(&mut rig, program, 1));
    let options = rig.context.options();
    let profile = context3d::Profile::Standard;
    rig.context.set_options(context3d::ContextOptions { profile, ..options });
    legal(upload(&mut rig, program, 1));
    assert_eq!(device(&mut rig).0.len(), 2);
}

#[test]
fn the_last_unused_programs_are_kept() {
    let mut rig = Rig::new(context3d::Profile::StandardExtended, 50);
    let program = new_program(&mut rig);
    let mut all = Vec::new();
    // After each upload, the device program of the previous upload is unused.
    for number in 1..=33 {
        legal(upload(&mut rig, program, number));
        let (uploaded, disposed) = device(&mut rig);
        assert_eq!((uploaded.len(), disposed.len()), (1, 0), "{number}");
        all.extend(uploaded);
    }
    legal(upload(&mut rig, program, 34));
    let (uploaded, disposed) = device(&mut rig);
    assert_eq!((uploaded.len(), disposed), (1, vec![all[0]]));
    // The second program is used, and becomes the most recent unused program again; the oldest is disposed.
    legal(upload(&mut rig, program, 2));
    assert_eq!(device(&mut rig), (vec![], vec![]));
    assert_eq!(drawn_with(&mut rig, program), all[1]);
    device(&mut rig);
    legal(upload(&mut rig, program, 1));
    let (uploaded, disposed) = device(&mut rig);
    assert_eq!((uploaded.len(), disposed), (1, vec![all[2]]));
    // Disposing the context frees 32 unused programs, the current program, and the initial program of the test.
    legal(rig.context.dispose(false));
    let mut freed = device(&mut rig).1;
    freed.dedup();
    assert_eq!(freed.len(), 34);
    assert!(freed.contains(&uploaded[0]) && !freed.contains(&all[0]));
}

#[test]
fn a_failed_upload_shares_nothing() {
    let mut rig = Rig::baseline();
    let (first, second) = (new_program(&mut rig), new_program(&mut rig));
    legal(upload(&mut rig, first, 1));
    legal(upload(&mut rig, second, 1));
    device(&mut rig);
    // The driver rejects another program: the first `Program3D` has no code then, and the second one keeps its own.
    let (stage, source, log) = ("link", String::new(), "no".to_owned());
    rig.context.backend_mut().fail_next(BackendError::CompileFailed { stage, source, log });
    assert!(upload(&mut rig, first, 2).is_err());
    assert_eq!(device(&mut rig), (vec![], vec![]));
    legal(rig.context.set_program(Some(first)));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::NoProgram)));
    assert_eq!(rig.context.bound_device_program(), None);
    let kept = drawn_with(&mut rig, second);
    // The rejected program is compiled at its next upload. An upload of invalid bytecode removes the code again.
    legal(upload(&mut rig, first, 2));
    assert_eq!(device(&mut rig).0.len(), 1);
    assert!(rig.context.program_upload(first, Some([][..].into()), Some([][..].into())).is_err());
    assert_eq!(rig.context.bound_device_program(), Some(kept));
    // Each `Program3D` counts as one user, even if disposed twice. `third` reuses the unused device program.
    legal(upload(&mut rig, first, 1));
    legal(rig.context.program_dispose(first));
    legal(rig.context.program_dispose(second));
    legal(rig.context.program_dispose(second));
    let third = new_program(&mut rig);
    legal(upload(&mut rig, third, 1));
    assert_eq!(drawn_with(&mut rig, third), kept);
    assert_eq!(device(&mut rig), (vec![], vec![]));
}

#[test]
fn a_lost_context_has_no_programs() {
    let mut rig = Rig::baseline();
    rig.context.backend_mut().fail_next(BackendError::Lost);
    let program = new_program(&mut rig);
    assert_eq!(upload(&mut rig, program, 1), Err(Error::Backend(BackendError::Lost)));
    assert!(rig.context.is_disposed());
    assert_eq!(rig.context.bound_device_program(), None);
    legal(rig.context.program_dispose(rig.program));
    legal(rig.context.dispose(false));
    assert_eq!(device(&mut rig), (vec![], vec![]));
    // Another context doesn't share the device programs of the first context.
    let mut other = Rig::baseline();
    other.use_program(PLAIN, 1);
    assert_eq!(device(&mut other), (vec![], vec![]), "its own");
}
