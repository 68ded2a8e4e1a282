//! Tests contexts that survive the loss of their device, and program caches.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use super::support::{made, message};
use molehill_c::*;
use molehill_testing::trace::failing_loader;

fn offscreen() -> MolehillDevice {
    made(|device| unsafe { molehill_device_offscreen(null(), device) })
}

fn survivor(device: MolehillDevice, recovery: &MolehillRecovery) -> MolehillContext {
    let options = MolehillContextOptions { swf_version: 30, recovery, ..Default::default() };
    let context =
        made(|context| unsafe { molehill_context_create(device, &raw const options, context) });
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 1, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    context
}

/// Draws a frame, and returns the first component of its image.
fn frame(context: MolehillContext, red: f64) -> (MolehillStatus, u8) {
    let status = unsafe {
        let cleared = molehill_context_clear(context, red, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX);
        let presented = molehill_context_present(context);
        if cleared == MolehillStatus::Ok { presented } else { cleared }
    };
    (status, shown(context).1)
}

/// Returns the first component of the presented frame.
fn shown(context: MolehillContext) -> (MolehillStatus, u8) {
    let mut rgba = [0; 64 * 64 * 4];
    let pixels = MolehillPixels {
        pixels: rgba.as_mut_ptr(),
        length: rgba.len(),
        rgba: 1,
        ..Default::default()
    };
    let read =
        unsafe { molehill_context_read_front(context, null(), &raw const pixels, null_mut()) };
    (read, rgba[0])
}

fn info(context: MolehillContext) -> MolehillContextInfo {
    let mut info = MolehillContextInfo::default();
    let told = unsafe { molehill_context_info(context, &raw mut info) };
    assert_eq!(told, MolehillStatus::Ok);
    info
}

#[test]
fn contexts_survive_their_device() {
    let device = offscreen();
    let recovery = MolehillRecovery::default();
    let (one, other) = (survivor(device, &recovery), survivor(device, &recovery));
    let mortal = survivor(device, &MolehillRecovery { open: Some(none), ..Default::default() });
    assert_eq!(frame(one, 1.0), (MolehillStatus::Ok, 255));
    for losses in 1..3 {
        assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
        for context in [one, other] {
            assert_eq!(frame(context, 1.0), (MolehillStatus::Ok, 255));
            assert_eq!(frame(context, 0.2), (MolehillStatus::Ok, 51));
            assert_eq!(
                (info(context).ended, info(context).restored),
                (MolehillEnded::Alive, losses)
            );
        }
        if losses == 1 {
            // The other contexts replaced the lost device under the same handle before the next call of `mortal`.
            assert_eq!(frame(mortal, 1.0).0, MolehillStatus::Ok);
        }
    }
    for context in [one, other, mortal] {
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// Reading a frame detects the loss.
#[test]
fn a_picture_is_read_after_a_loss() {
    let device = offscreen();
    let context = survivor(device, &MolehillRecovery::default());
    assert_eq!(frame(context, 1.0), (MolehillStatus::Ok, 255));
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    assert_eq!(shown(context), (MolehillStatus::Ok, 255), "{:?}", message());
    assert_eq!(info(context).restored, 1);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

unsafe extern "C" fn none(_: *mut c_void) -> MolehillDevice {
    MolehillDevice::default()
}

/// The host opens the new device; without a new device, the context ends as in Flash.
#[test]
fn hosts_open_devices() {
    unsafe extern "C" fn open(opened: *mut c_void) -> MolehillDevice {
        // SAFETY: the pointer refers to the cell below.
        let opened = unsafe { &*opened.cast::<Cell<MolehillDevice>>() };
        opened.set(offscreen());
        opened.get()
    }
    let device = offscreen();
    let opened = Cell::new(MolehillDevice::default());
    let user_data = (&raw const opened).cast_mut().cast();
    let recovery = MolehillRecovery { open: Some(open), user_data, ..Default::default() };
    let context = survivor(device, &recovery);
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    assert_eq!(frame(context, 0.2), (MolehillStatus::Ok, 51));
    assert_ne!(opened.get(), MolehillDevice::default());
    let lost = survivor(device, &MolehillRecovery { open: Some(none), ..Default::default() });
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    assert_eq!(frame(lost, 1.0).0, MolehillStatus::DeviceLost);
    assert_eq!(info(lost).ended, MolehillEnded::Lost);
    assert_eq!(frame(context, 1.0), (MolehillStatus::Ok, 255));
    for context in [context, lost] {
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

unsafe extern "C" fn gl(_: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: the names end with 0.
    failing_loader(unsafe { CStr::from_ptr(name) }.to_str().unwrap())
}

/// A callback that replaces a lost device, and calls the library with that device.
#[derive(Default)]
struct Reentered {
    device: Cell<MolehillDevice>,
    /// A context that has not detected the loss of its device yet.
    other: Cell<MolehillContext>,
    inside: Cell<Option<MolehillStatus>>,
}

unsafe extern "C" fn present_other(data: *mut c_void) -> MolehillBool {
    // SAFETY: the pointer refers to a `Reentered`.
    let Reentered { other, inside, .. } = unsafe { &*data.cast::<Reentered>() };
    if other.get().id != 0 && inside.get().is_none() {
        inside.set(Some(frame(other.get(), 1.0).0));
    }
    1
}

unsafe extern "C" fn open_reentered(data: *mut c_void) -> MolehillDevice {
    let current = MolehillMakeCurrent {
        make_current: Some(present_other),
        user_data: data,
        ..Default::default()
    };
    let device = made(|device| unsafe {
        molehill_device_from_loader(Some(gl), null_mut(), &raw const current, null(), device)
    });
    // SAFETY: as above.
    unsafe { &*data.cast::<Reentered>() }.device.set(device);
    device
}

/// If a callback during a call with a device detects the loss, the device is in use.
#[test]
fn a_loss_inside_a_call_with_the_device_is_reported() {
    let host = Reentered::default();
    let user_data = (&raw const host).cast_mut().cast();
    let recovery = MolehillRecovery { open: Some(open_reentered), user_data, ..Default::default() };
    let device = made(|device| unsafe {
        molehill_device_from_loader(Some(gl), null_mut(), null(), null(), device)
    });
    let (one, other) = (survivor(device, &recovery), survivor(device, &recovery));
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    assert_eq!(frame(one, 1.0).0, MolehillStatus::Ok);
    host.other.set(other);
    assert_eq!(molehill_device_reset_to_gl_defaults(device), MolehillStatus::Ok);
    assert_eq!(host.inside.get(), Some(MolehillStatus::DeviceLost));
    assert_eq!(info(other).ended, MolehillEnded::Lost);
    for context in [one, other] {
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    }
    for device in [device, host.device.get()] {
        assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    }
}

/// A program cache in memory.
#[derive(Default)]
struct Files {
    files: RefCell<HashMap<CString, Vec<u8>>>,
    loaded: Cell<u32>,
}

unsafe extern "C" fn load(
    files: *mut c_void,
    name: *const c_char,
    bytes: *mut c_void,
    capacity: usize,
) -> usize {
    // SAFETY: `files` refers to a `Files`, `name` to a string, and `bytes` to `capacity` bytes.
    unsafe {
        let files = &*files.cast::<Files>();
        let all = files.files.borrow();
        let Some(file) = all.get(CStr::from_ptr(name)) else { return 0 };
        let part = file.len().min(capacity);
        bytes.cast::<u8>().copy_from_nonoverlapping(file.as_ptr(), part);
        files.loaded.set(files.loaded.get() + 1);
        file.len()
    }
}

unsafe extern "C" fn store(
    files: *mut c_void,
    name: *const c_char,
    bytes: *const c_void,
    length: usize,
) {
    // SAFETY: as above.
    unsafe {
        let (files, name) = (&*files.cast::<Files>(), CStr::from_ptr(name).to_owned());
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
        files.files.borrow_mut().insert(name, bytes.to_vec());
    }
}

#[test]
fn programs_are_stored_and_loaded() {
    let files = Files::default();
    let user_data = (&raw const files).cast_mut().cast();
    let cache = MolehillProgramCache {
        load: Some(load),
        store: Some(store),
        user_data,
        ..Default::default()
    };
    let text = "// vertex\nmov op, va0\n// fragment\nmov oc, fc0\n";
    let (vertex, fragment) = agal::asm::AssembleOptions::default().pair(text).unwrap();
    let (vertex, fragment) = (vertex.encode(), fragment.encode());
    for round in 0..2 {
        let device = offscreen();
        let set = unsafe { molehill_device_set_program_cache(device, &raw const cache) };
        assert_eq!(set, MolehillStatus::Ok);
        let context = survivor(device, &MolehillRecovery::default());
        let program: MolehillProgram =
            made(|it| unsafe { molehill_context_create_program(context, it) });
        let uploaded = unsafe {
            let (first, second) = (vertex.as_ptr().cast(), fragment.as_ptr().cast());
            molehill_program_upload(program, first, vertex.len(), 0, second, fragment.len(), 0)
        };
        assert_eq!(uploaded, MolehillStatus::Ok, "{:?}", message());
        assert!(!files.files.borrow().is_empty(), "the driver gives no binaries");
        assert_eq!(files.loaded.get() > 0, round > 0);
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
        assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    }
    let device = offscreen();
    let half = MolehillProgramCache { store: None, ..cache };
    let set = unsafe { molehill_device_set_program_cache(device, &raw const half) };
    assert_eq!(set, MolehillStatus::BadArgument);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}
